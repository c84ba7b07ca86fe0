"""Bits of a state that counts, numbers of no state, and the approximate largest few."""

SETUP = """\
S = jnp.array([1, 2, 3, 4], 'uint32')
END = jnp.array([1, 2, 2**32 - 2, 2**32 - 1], 'uint32')
R, U, A = lax.rng_bit_generator, lax.rng_uniform, lax.RandomAlgorithm
F = jnp.array([3.0, 1.0, 3.0, -0.0, 0.0, math.inf, -math.inf])
K, L = lax.approx_max_k, lax.approx_min_k
T = random.normal(random.key(0), (5, 4, 3))

def show(f, *args):
    return jax.make_jaxpr(f)(*args)

def size(shape, k, recall, whole=-1):
    f = functools.partial(K, k=k, reduction_dimension=0, recall_target=recall,
                          reduction_input_size_override=whole, aggregate_to_topk=False)
    return jax.eval_shape(f, jax.ShapeDtypeStruct(shape, 'float32'))[0].shape
"""
SHAPES = ("()", "(5,)", "(2, 3)", "(5, 3)", "(7, 1, 3)", "(4, 6)", "(0, 2)", "(5, 4, 2)")

CASES = (
    *(f"[R(S, shape, '{d}', {a}) for shape in ({', '.join(SHAPES)})]"
      for d in ("uint8", "uint16", "uint32") for a in (0, 1, 2)),
    *(f"R(END, (13,), 'uint32', {a})" for a in (1, 2)),
    *("with jax.enable_x64(True):\n    out = [(R(END, s, 'uint64', a),"
      " R(jnp.array([2**33 + 1, 2**34 + 3], 'uint64'), s, 'uint32', a))"
      f" for a in A for s in ({shape}, ())]\nout"
      for shape in ("(5,)", "(2, 3)", "(0,)")),
    "list(A), [str(a) for a in A], isinstance(A.RNG_PHILOX, int)",
    "show(lambda s: R(s, (2,), 'uint8', A.RNG_THREE_FRY), S)",
    "jax.vmap(lambda s: R(s, (2,)), 1)(jnp.stack([S, S + 1], 1)), jax.jit(lambda s: R(s, (2,)))(S)",
    "[raised(f) for f in (lambda: R(S, (2.5,)), lambda: R(S, (2,), 'int8'),"
    " lambda: R(S, (2,), bool), lambda: R([1, 2, 3, 4], (2,)))]",
    "show(lambda: U(0.0, 1.0, (2,))), show(lambda a: U(a, np.float32(1), [2]), np.float32(0))",
    "jax.eval_shape(lambda: U(0, 3, (2,))), U(0.0, 0.0, (2,)), U(0.0, 1.0, (0,))",
    "[raised(f) for f in (lambda: U(0, 1.0, (2,)), lambda: U(jnp.zeros(2), 1.0, (2,)),"
    " lambda: U('a', 1, (2,)), lambda: jax.vmap(lambda a: U(a, 1.0, ()))(jnp.zeros(3)),"
    " lambda: jax.grad(lambda a: U(a, 1.0, ()))(0.0), lambda: U(random.key(0), 0.0, ()))]",
    "[(K(F, k), L(F, k)) for k in (1, 3, 7)]",
    "K(F.astype('float16'), 3), L(F.astype('bfloat16'), 3), K(jnp.ones(3), 1), K(F, 1)",
    "K(T, 2), K(T, 2, 0), L(T, 2, 1), K(T, 4, -2), jax.jit(lambda x: K(x, 2, 1))(T)",
    "K(T.ravel(), 3, recall_target=0.5, aggregate_to_topk=False)",
    "show(lambda x: K(x, 2), T), show(lambda x: L(x, 2, 0, 0.5, 9, False), T)",
    *(f"show(jax.vmap(lambda x: K(x, 2, {d}), {i}), T), jax.vmap(lambda x: L(x, 2, {d}), {i})(T)"
      for d in (0, -1) for i in (0, 1, 2)),
    "jax.grad(lambda x: K(x, 2, 0)[0].sum())(T), jax.jvp(lambda x: L(x, 2)[0], (T,), (T + 1,))",
    "jax.hessian(lambda x: (K(x, 2)[0] ** 2).sum())(T[0, 0])",
    "[size((n,), k, r) for n in (3, 1000, 1025, 2048, 2049, 3000, 100000, 2**20)"
    " for k, r in ((1, 0.5), (2, 0.95), (2, 1.0), (50, 0.99), (50, 0.999))]",
    "[size((n, 2), k, r) for n in (3, 129, 3000, 100000) for k, r in ((1, 0.5), (2, 0.95),"
    " (2, 1.0), (50, 0.999))]",
    "[size((100000,), k, r, n) for n in (2 * 10**5, 10**6, 10**7) for k, r in ((2, 0.95), (50,"
    " 0.999))]",
    "[raised(f) for f in (lambda: K(F, 10), lambda: K(F, -1), lambda: K(F, 0), lambda: K(S, 1),"
    " lambda: K(F * 1j, 1), lambda: K(1.0, 1), lambda: K(F, 1, 1), lambda: K(F, 1, -2),"
    " lambda: K([1.0, 2.0], 1), lambda: K(F, 1.5), lambda: K('a', 1))]",
)
