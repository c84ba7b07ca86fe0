"""How exact functions are to be; products of operands in blocks, each with a scale of its own."""

SETUP = """\
ONE = 'exp exp2 expm1 log log1p tanh logistic sin cos tan sqrt rsqrt cbrt'.split()
M, T = lax.AccuracyMode, lax.Tolerance
F = jnp.arange(1.0, 5.0) / 4
X, Y = jnp.arange(24.0).reshape(3, 8) / 8, jnp.arange(16.0).reshape(8, 2) / 4 - 1
S, R = jnp.arange(1.0, 7.0).reshape(3, 2), jnp.arange(1.0, 5.0).reshape(2, 2) / 2
D = lax.scaled_dot
SCALES = {'lhs_scale': S, 'rhs_scale': R}
B3 = jnp.stack([X, X + 1])
NN = jax.nn

def show(f, *args):
    return jax.make_jaxpr(f)(*args)
"""
DTYPES = ("float32", "bfloat16", "float16")

CASES = (
    "list(M), M.HIGHEST.value, M(2), str(M.DEFAULT), repr(M['HIGHEST'])",
    "t = T(1e-3, ulps=4)\nt.atol, t.rtol, t.ulps, T(rtol=0.5).rtol, T(1, 2, 3).rtol",
    "[raised(f) for f in (lambda: T(), lambda: T(-1.0), lambda: T(0, -1), lambda: T(1, 1, -1),"
    " lambda: T('a'), lambda: T(None), lambda: T(1j), lambda: T(ulps='a'), lambda: M(3))]",
    "[show(getattr(lax, name), F) for name in ONE]",
    "[show(lambda x: getattr(lax, name)(x, accuracy=M.HIGHEST), F) for name in ONE]",
    "[show(lambda x: getattr(lax, name)(x, accuracy=None), F) for name in ONE]",
    "[getattr(lax, name)(F, accuracy=a) for name in ONE for a in (M.HIGHEST, T(0, 1e-30))]",
    "[raised(lambda: getattr(lax, name)(F, M.HIGHEST)) for name in ONE]",
    "[raised(lambda: getattr(lax, name)(F, accuracy=3)) for name in ONE if name != 'logistic']",
    "[raised(lambda: lax.exp(F, accuracy=a)) for a in ('highest', 1.0, [1], M)]",
    "jax.jit(lambda x: lax.exp(x, accuracy=M.HIGHEST))(F), jax.jit(lax.sin)(F)",
    "show(jax.jit(lambda x: lax.sin(x, accuracy=M.DEFAULT)), F)",
    "show(jax.vmap(lambda x: lax.exp(x, accuracy=M.HIGHEST)), F)",
    "show(lambda x: jax.jvp(lambda x: lax.sin(x, accuracy=M.DEFAULT), (x,), (x,)), 0.5)",
    "jax.grad(lambda x: lax.tanh(x, accuracy=M.DEFAULT))(0.5)",
    "[raised(lambda: f(F, accuracy=M.HIGHEST)) for f in (lax.floor, lax.sinh, lax.asin, lax.erf,"
    " lax.neg, lax.square)]",
    "D(X, Y, **SCALES), D(X, Y, **SCALES).dtype, show(lambda *a: D(*a, **SCALES), X, Y)",
    *(f"D(X.astype('{d}'), Y.astype('{e}'), **SCALES, preferred_element_type='float32')"
      for d in DTYPES for e in DTYPES),
    "[D(X, Y, **SCALES, preferred_element_type=d) for d in ('bfloat16', 'float32', 'float16')]",
    "D(B3, B3.swapaxes(1, 2), lhs_scale=B3[..., :2], rhs_scale=B3[..., :4].swapaxes(1, 2))",
    "D(X, Y.T, lhs_scale=S, rhs_scale=R.T, dimension_numbers=(((1,), (1,)), ((), ())))",
    "D(B3, B3, lhs_scale=B3[:1, :, :1], rhs_scale=B3[:1, :, :2],"
    " dimension_numbers=(((2, 0), (2, 0)), ((), ())))",
    "jax.jit(lambda x, y: D(x, y, **SCALES))(X, Y)",
    "lax.scan(lambda c, x: (c + D(x, Y, **SCALES).sum(), D(X, Y, **SCALES)), 0.0, B3)",
    "show(jax.vmap(lambda x: D(x, Y, **SCALES)), B3), jax.vmap(lambda x: D(x, Y, **SCALES))(B3)",
    "jax.vmap(lambda x, s: D(x, Y, lhs_scale=s, rhs_scale=R), (2, None))(B3.transpose(1, 2, 0), S)",
    "[raised(f) for f in (lambda: D(X, Y, lhs_scale=S, rhs_scale=R[0]), lambda: D(F, F),"
    " lambda: D(X, Y, lhs_scale=S[:2], rhs_scale=R), lambda: D(X, Y, lhs_scale=X, rhs_scale=R),"
    " lambda: D(X, Y, lhs_scale=X[:, :3], rhs_scale=R), lambda: D(X, X, **SCALES),"
    " lambda: D(X, B3, **SCALES), lambda: D(X, Y, lhs_scale=S, rhs_scale=R.T[:1]),"
    " lambda: D(X, Y, **SCALES, dimension_numbers=(((1,), ()), ((), ()))),"
    " lambda: D(X, X, lhs_scale=S, rhs_scale=S, dimension_numbers=(((1,), (1,)), ((0,), ()))),"
    " lambda: D(X, Y, **SCALES, preferred_element_type='nope'),"
    " lambda: jax.grad(lambda x: D(x, Y, **SCALES).sum())(X),"
    " lambda: jax.jvp(lambda y: D(X, y, **SCALES), (Y,), (Y,)))]",
    # On a CPU there is none.
    "[raised(f) for f in (lambda: NN.scaled_matmul(B3, B3, B3[..., :2], B3[..., :2]),"
    " lambda: jax.jit(NN.scaled_matmul)(B3, B3, B3[..., :2], B3[..., :2]),"
    " lambda: NN.scaled_matmul(X, B3, B3, B3), lambda: NN.scaled_matmul(B3, B3[:, :, :4], B3, B3),"
    " lambda: NN.scaled_matmul(B3, B3, B3[:, :1], B3),"
    " lambda: NN.scaled_matmul(B3, B3, B3[:1], B3),"
    " lambda: NN.scaled_matmul(B3, B3, B3, B3[..., :1]),"
    " lambda: NN.scaled_matmul(B3, B3, B3, B3, 'nope'))]",
    "show(NN.scaled_matmul, B3, B3, B3[..., :2], B3[..., :2])",
    "jax.eval_shape(lambda *a: NN.scaled_matmul(*a, 'bfloat16'), B3, B3, B3, B3)",
    "show(jax.vmap(NN.scaled_matmul), *[jnp.stack([B3, B3])] * 4)",
    "NN.get_scaled_dot_general_config('mxfp8'), NN.get_scaled_dot_general_config('nvfp4')",
    "NN.get_scaled_dot_general_config('nvfp4', jnp.array([0.5], jnp.float32)).global_scale",
    "raised(lambda: NN.get_scaled_dot_general_config('fp8'))",
    "NN.scaled_dot_general(X, Y, (((1,), (0,)), ((), ()))), NN.scaled_dot_general(X.astype("
    "'bfloat16'), Y.astype('bfloat16'), (((1,), (0,)), ((), ())), 'bfloat16')",
    "show(lambda x, y: NN.scaled_dot_general(x, y, (((1,), (0,)), ((), ()))), X, Y)",
    "C = [NN.get_scaled_dot_general_config('mxfp8')] * 3\nZ = jnp.ones((2, 4, 64))\n"
    "N = ((2,), (2,)), ((0,), (0,))\n"
    "[raised(lambda: NN.scaled_dot_general(Z, Z, N, d, C)) for d in ('float32', 'int32')]",
    # Operands of 8 bits, and no scales.
    "x, y = X.astype('float8_e4m3fn'), Y.astype('float8_e5m2')\n"
    "D(x, y), D(x, x.T, preferred_element_type='float32'), raised(lambda: D(x, x))",
    "x, y, N = X.astype('float8_e4m3fn'), Y.astype('float8_e5m2'), (((1,), (0,)), ((), ()))\n"
    "NN.scaled_dot_general(x, x.T, N), NN.scaled_dot_general(x, y, N, 'bfloat16')",
    "show(lambda x: D(x, x.T), X.astype('float8_e4m3fn'))",
    # Groups of rows that are counted backwards.
    "lax.ragged_dot(X, jnp.arange(16.0 * 3).reshape(3, 8, 2), jnp.array([3, -2, 2]))",
    "random.random_gamma_p, random.random_gamma_p.multiple_results",
)
