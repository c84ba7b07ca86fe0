"""Attention: biases, masks, windows, lengths, groups of heads; derivatives and refusals."""

SETUP = """\
def waves(*shape):
    return jnp.sin(1.7 * jnp.arange(math.prod(shape))).reshape(shape)

D = jax.nn.dot_product_attention
Q, K, V = waves(2, 3, 4, 5), waves(2, 6, 2, 5)[::-1], waves(2, 6, 2, 5) * 2
B, M = waves(2, 4, 3, 6), waves(2, 4, 3, 6) > -0.3
L, N = jnp.array([2, 3]), jnp.array([2, 6])
"""

CASES = (
    "D(Q, K, V)",
    "D(Q[0], K[0], V[0])",
    "D(Q, jnp.repeat(K, 2, 2), jnp.repeat(V, 2, 2)), D(Q, K[:, :, :1], V[:, :, :1])",
    "D(Q, K, V, B), D(Q, K, V, B[:1, :1]), D(Q, K, V, B[0])",
    "D(Q, K, V, mask=M), D(Q, K, V, mask=M[..., :1]), D(Q, K, V, mask=jnp.zeros((1, 1, 3, 6),"
    " bool))",
    "D(Q, K, V, scale=0.1), D(Q, K, V, is_causal=True)",
    "D(Q, K, V, query_seq_lengths=L), D(Q, K, V, key_value_seq_lengths=N)",
    "D(Q, K, V, query_seq_lengths=jnp.array([0, 3]))",
    "D(Q, K, V, local_window_size=1), D(Q, K, V, local_window_size=(1, 0))",
    "D(Q, K, V, B, M, is_causal=True, local_window_size=(2, 2), query_seq_lengths=L,"
    " key_value_seq_lengths=N)",
    "D(Q, K, V, implementation='xla'), D(np.asarray(Q), np.asarray(K), np.asarray(V))",
    "D(Q, K, V, return_residual=True), D(Q[0], K[0], V[0], return_residual=True)",
    "D(*[x.astype('bfloat16') for x in (Q, K, V)]), D(*[x.astype('float16') for x in (Q, K, V)])",
    "jax.grad(lambda *args: (D(*args, is_causal=True) ** 2).sum(), (0, 1, 2))(Q, K, V)",
    "jax.grad(lambda b: (D(Q, K, V, b, M) ** 2).sum())(B), jax.vmap(D)(Q, K, V)",
    "jax.jit(D, static_argnames='is_causal')(Q, K, V, is_causal=True), D(Q[:, :0], K, V)",
    "[raised(D, *args) for args in ((Q[:, :, :3], K, V), (Q, K[..., :3], V), (Q, K, V[:, :3]),"
    " (Q[0], K, V), (Q, K[:1], V[:1]), (Q.astype('bfloat16'), K, V))]",
    "[raised(D, Q, K, V, **named) for named in ({'mask': M.astype(int)}, {'implementation': 'x'},"
    " {'implementation': 'cudnn'}, {'query_seq_lengths': L[:1]}, {'query_seq_lengths': L / 2})]",
)
