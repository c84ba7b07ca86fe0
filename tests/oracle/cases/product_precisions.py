"""Precisions and algorithms of products, kept in equations; products in groups of rows."""

SETUP = """\
x = jnp.arange(6.0).reshape(2, 3)
D, P = lax.DotAlgorithm, lax.DotAlgorithmPreset
X, W, G = jnp.arange(15.0).reshape(5, 3), jnp.arange(24.0).reshape(2, 3, 4) - 7, jnp.array([2, 3])
RD, RG, RN = lax.ragged_dot, lax.ragged_dot_general, lax.RaggedDotDimensionNumbers
SUMS = RN((((0,), (0,)), ((), ())), [0], [])
BATCH = RN((((2,), (1,)), ((0,), (0,))), [0], [])
TWO = RN((((2, 0), (3, 2)), ((), ())), [1], [1])
B = jnp.arange(30.0).reshape(5, 2, 3)
Y = jnp.arange(20.0).reshape(5, 4)

def show(f, *args):
    return jax.make_jaxpr(f)(*args)
"""
PRECISIONS = ("'high'", "'F32_F32_F32'", "'BF16_BF16_F32_X9'", "P.TF32_TF32_F32",
              "lax.Precision.HIGHEST", "('high', 'default')", "'DEFAULT'",
              "D(np.float16, np.float16, np.float32)")

CASES = (
    *(f"show(lambda x: lax.dot(x, x.T, precision={p}), x),"
      f" show(lambda x: lax.dot(x, x.T, precision={p}, preferred_element_type='float32'),"
      f" x.astype('bfloat16')), show(jax.grad(lambda x: lax.dot(x, x.T, precision={p}).sum()), x),"
      f" show(jax.vmap(lambda x: lax.dot(x, x, precision={p})), x)" for p in PRECISIONS),
    *(f"with jax.default_matmul_precision({p}):\n    out = show(lambda x: x @ x.T, x),"
      f" show(lambda x: jnp.einsum('ij,kj', x, x), x), show(jax.grad(lambda x: lax.dot(x, x.T)"
      f".sum()), x)\nout"
      for p in ("'F32_F32_F32'", "'highest'", "'tensorfloat32'", "'BF16_BF16_F32'")),
    "show(lambda x: lax.conv(x[None, None], x[None, None], (1, 1), 'SAME',"
    " precision='F32_F32_F32'), x), show(lambda x: jnp.matmul(x, x.T, precision='F64_F64_F64'), x)",
    "lax.dot(x, x.T, precision='F32_F32_F32'), jnp.dot(x, x.T, precision=P.BF16_BF16_F32_X3)",
    "list(P), [str(p) for p in P], [p.value for p in P], list(lax.Precision),"
    " [str(p) for p in lax.Precision]",
    "[p.accumulation_type for p in P]",
    "[lax.Precision(v) for v in ('high', 'float32', 1, None)], raised(lambda: lax.Precision('no'))",
    "D(np.float32, np.float32, np.float32), D('a', 1, 2, 3), hash(D(1, 2, 3)) == hash(D(1, 2, 3))",
    "[raised(lambda: lax.dot(x, x.T, precision=p)) for p in ('nope', 3, 1, 0, ('high',), 'HIGHEST',"
    " (P.F32_F32_F32, P.F32_F32_F32), (P.F32_F32_F32, 'high'))]",
    "RD(X, W, G), [RD(X, W, jnp.array(g)) for g in ([1, 2], [0, 9], [2, 9], [-1, 3], [0, 0])]",
    "RG(X, Y, G, SUMS), [RG(X, Y, jnp.array(g), SUMS) for g in ([1, 2], [0, 9], [-1, 3])]",
    "RG(B, B.swapaxes(1, 2), G, BATCH), RG(B, jnp.ones((5, 2, 5, 3)) * jnp.arange(5)[:, None, None,"
    " None], jnp.array([1, 1]), TWO)",
    "show(RD, X, W, G), show(lambda *a: RD(*a, 'high', 'float32'), X, W, G)",
    "show(lambda y: RG(X, y, G, SUMS), Y), str(SUMS),"
    " SUMS == RN((((0,), (0,)), ((), ())), (0,), ())",
    "show(jax.grad(lambda x, w: RD(x, w, G).sum(), (0, 1)), X, W)",
    "jax.grad(lambda x, w: (RD(x, w, G) ** 2).sum(), (0, 1))(X, W)",
    "jax.jvp(lambda x, w: RD(x, w, G), (X, W), (X, W)), jax.jit(RD)(X, W, G)",
    "jax.vmap(RD)(jnp.stack([X, X + 1]), jnp.stack([W, W]), jnp.stack([G, G[::-1]]))",
    "jax.vmap(lambda x, y, g: RG(x, y, g, SUMS))(jnp.stack([X, X + 1]), jnp.stack([Y, Y]),"
    " jnp.stack([G, G[::-1]]))",
    "RD(X.astype('bfloat16'), W.astype('bfloat16'), G), RD(X.astype(int), W.astype(int), G),"
    " RD(X, W, G, preferred_element_type='bfloat16'), RD(X, W.astype(int), G)",
    "[raised(f) for f in (lambda: RD(X, W, G * 1.0), lambda: RD(X, W[0], G),"
    " lambda: RD(X, W, jnp.array([1, 2, 2])), lambda: RD(X[0], W, G), lambda: RD(X, W[:, :2], G),"
    " lambda: RD(X, W, jnp.array(2)), lambda: RD(X, W, [2, 3]), lambda: RG(X, W, G, SUMS),"
    " lambda: RD(X, W, jnp.array([[2, 3]])), lambda: RN((((1,), (1,)), ((), ())), 0, [0]),"
    " lambda: RG(X, W, G, RN((((1,), (1,)), ((), ())), [0, 1], [0])),"
    " lambda: RG(X, W, G, RN((((1,), (1,)), ((), ())), [5], [0])))]",
)
