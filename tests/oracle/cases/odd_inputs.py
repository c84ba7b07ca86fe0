"""What is odd but given every day: numbers too large, wrong axes, containers, options misspelt."""

SETUP = """\
F = jnp.arange(3.0)
I = jnp.arange(3)
M = jnp.ones((2, 3))

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)
"""
# Python's integers and NumPy's wide ones, next to narrow arrays.
INTEGERS = (
    *(f"lax.convert_element_type({n}, jnp.{dtype})"
      for n, dtype in [(300, "int8"), (-1, "uint8"), (300.7, "int8"), (0.1, "bfloat16")]),
    "jnp.int8(5) * 1000, jnp.uint8(5) + -1, jnp.uint8(5) > -1, jnp.int8(5) < 300",
    "jnp.maximum(jnp.uint8(5), -1), jnp.clip(jnp.int8(5), 0, 300)",
    "jnp.float32(1) + 2**40",
    "jnp.float32(1) < 10**10",
    "jnp.sqrt(2**63)",
    "jax.grad(lambda x: x * 2**40)(1.0)",
    "jnp.uint32(5) + 4_000_000_000",
    "jnp.uint32(5) + 2_000_000_000",
    "jax.make_jaxpr(lambda x: x)(2**200)",
    "jax.eval_shape(lambda x: x, 2**31)",
    "jax.vjp(lambda x: x, 2**31)",
    "lax.stop_gradient(2**31)",
    "lax.add(2**31, 1)",
    "jnp.float32(1) + np.int64(2**40)",
    "jax.jit(lambda x, y: x + y)(jnp.float32(1), np.int64(2**40))",
    "jnp.sin(np.int64(2**40)), jnp.mean(np.int64(2**40)), jnp.maximum(np.int64(2**40), 1.0)",
    "jnp.array(2**40, 'float32'), jnp.float32(2**40), jnp.array([3_000_000_000], 'float32')",
    "jnp.asarray(np.array([2**40]), dtype=float), jnp.array([2**32], bool)",
    "jnp.array([10**20], 'float32'), jnp.array([2**64, 1.0])",
    "jnp.array(2**31)",
    "jnp.array([2**31])",
    "I + 2**31",
    "jnp.full(2, 300, 'int8'), jnp.arange(-1, 3, dtype='uint8')",
    "I << np.array([1, 2, 3]), I << 1, 7 >> I, jnp.uint8(200) >> 1, jnp.int32(-8) >> 1",
    "jnp.int32(5) << 40, jnp.int32(5) << -1, jnp.int32(-5) >> 40, jnp.int32(-5) >> -1",
    "lax.shift_right_logical(-8 - I, jnp.array([1, 31, 32]))",
    "F << 1",
    "show(lambda x: (x << 1, x >> 1, 3 >> x), I)",
    "show(lambda x: x >> 1, I.astype('uint8'))",
    "lax.round(F - 1.5), lax.round(F - 1.5, lax.RoundingMethod.TO_NEAREST_EVEN)",
    "show(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), F)",
)
# Arguments that do not fit.
MISFITS = (
    "lax.broadcast_in_dim(F, (3, 3), (-1,))",
    "lax.broadcast_in_dim(M, (2, 2), (0, 0))",
    "lax.select_n(jnp.array([0, 1, 2, -1]), jnp.zeros(4), jnp.ones(4))",
    "jax.jit(lambda w: lax.select_n(w, jnp.zeros(4), jnp.ones(4)))(jnp.array([0, 1, 2, -1]))",
    "lax.integer_pow(2.0, 2.5)",
    "lax.integer_pow(2.0, float('inf'))",
    "jnp.asarray(np.ones(3, '>f4'))",
    "jax.jit(lambda x: x * 2)(np.ones(3, '>f4'))",
    "jnp.zeros(2, 'float128')",
    "float(jnp.array(1j))",
    "int(jnp.array(1j))",
    "complex(jnp.array(1j))",
    *(f"jnp.ones(2) {operator} {other}" for operator in ("==", "!=", "<")
      for other in ("[1.0, 1.0]", "(1.0,)", "{}", "None", "'a'")),
    "[1.0] == jnp.ones(1)",
    "jax.vmap(lambda x: x == [1.0])(F)",
    "jnp.concatenate([jnp.ones(2), 1.0])",
    "jnp.hstack([jnp.ones((2, 2)), jnp.ones(2)])",
    "jax.jit(lambda n: lax.slice_in_dim(F, n, 2))(1)",
    *(f"lax.slice_in_dim(I, {args})" for args in (
        "None, 2", "-2, None", "1, -1", "-5, 2", "1, 5", "None, None, -1", "None, None, axis=-1")),
    "lax.dot_general(M, M, (((0,), (0,)), ((0,), (0,))))",
    "lax.dot_general(M, M, (((0, 0), (0, 0)), ((), ())))",
    "lax.expand_dims(F, (7,))",
    "lax.expand_dims(F, (0.0,))",
    "lax.expand_dims(F, (0, 0))",
    "lax.squeeze(jnp.ones((1, 1)), (0, 0))",
    "lax.rev(F, 0)",
    "lax.reduce_sum(F, 0)",
    "lax.pad(F, 0.0, [(1, 1)])",
    "jnp.ones(jnp.array(3)), jnp.ones(np.array(3)), jnp.ones(np.array([3, 2]))",
    "jnp.ones((jnp.array(3), 2))",
    "lax.stop_gradient({'a': F, 'b': None}), lax.stop_gradient(None)",
    "lax.stop_gradient('a')",
    "jax.tree_util.register_pytree_node(int, None, None)",
    "jax.config.update('jax_numpy_dtype_promotion', 'strct')",
    "with jax.numpy_dtype_promotion('nonsense'):\n    1",
    "jax.config.jax_enable_x64 = True",
    "jax.device_put({'a': [np.arange(3), 2]}), jax.device_get([1.0, F]), jax.default_backend()",
    "jax.block_until_ready([F, 'a']), jax.device_put(1.0, jax.devices()[0])",
    "jax.device_put('a')",
    "jax.device_put(1.0, 'cpu')",
)
# Options of the transformations.
OPTIONS = (
    *(f"jax.{name}(lambda x, y: x * y, argnums={argnums})(1.0, 2.0)"
      for name in ("grad", "jacfwd", "jacrev") for argnums in ("()", "-5", "(0, -5)", "(0, 0)")),
    "jax.grad(lambda x: [x, 1], has_aux=True)(1.0)",
    "jax.grad(lambda x, y: x * y, argnums=np.int64(1))(1.0, 2.0)",
    "jax.jacfwd(lambda x, y: x * y, argnums=np.int64(1))(1.0, 2.0)",
    "jax.jit(lambda x, n: x * n, static_argnums=np.int64(1))(1.0, 2)",
)
# Numbers in jaxprs: as they were written, where nothing was done to them.
ONE = ("x * 0.1", "x * np.float32(0.1)", "jnp.where(x > 0, 0.1, x)", "x**0.3", "lax.mul(x, 0.1)",
       "jnp.maximum(x, 0.1)", "jnp.sin(0.1) * x", "jnp.clip(x, 0.1, 0.9)", "jnp.add(0.1, 0.2) * x",
       "x + jnp.full((3,), 0.1)", "jax.jvp(lambda y: y * 0.1, (x,), (0.3,))", "0.3",
       "(jnp.asarray(0.3), jnp.float32(0.7))", "x * (0.1 + 0.2j)", "jnp.linspace(0.1, 0.7, 3) * x",
       "jax.jit(lambda y, z: y * z)(0.1, x)", "jnp.arange(3) * 0.1 + x", "x > 0.1")
LITERALS = (
    *(f"show(lambda x: {body}, 1.0)" for body in ONE),
    *(f"show(lambda x: {body}, jnp.float32(1))" for body in ONE),
    "show(lambda x: (x * 0.1, x + 3, x - 0.3), F)",
    "show(lambda x: x * 0.1, F.astype('bfloat16'))",
    "show(jax.grad(lambda x: x**0.3), 1.0)",
    "show(jax.grad(lambda x: jnp.sum(x)), 1.0)",
    "show(lambda x: jnp.mean(x) * 1.1, F)",
    "show(jax.grad(lambda b: (jnp.ones((4, 3)) + b).sum()), F)",
    "show(lambda b: jax.jvp(lambda b: jnp.ones((4, 3)) + b, (b,), (b,)), F)",
    "show(lambda b: jax.jvp(lambda b: jnp.ones((4, 3)) - b, (b,), (b,)), F[None])",
    "jax.grad(lambda b: (M - b).sum())(F), jax.grad(lambda b: (M - b).sum())(M[:, :1])",
    "[repr(x) for x in show(lambda x: x + 1.5, 1.0).eqns[0].invars[1:]]",
)
# Rounding, shifts, and products of two dtypes.
DTYPES = {"I": "I + 1", "F": "F + 0.1", "H": "(F * 0.7).astype('bfloat16')", "B": "I > 0"}
LIBRARY = (
    "jnp.round(F + 0.5), jnp.round(F * 12.345, -1), jnp.round(I), jnp.round(I, 2), jnp.round(2.5)",
    "round(F), round(I[1]), round(F[1] + 0.25, 2), F.round(), I.round(0), np.round(F + 0.5)",
    "show(lambda x: (round(x), round(x, 1), jnp.round(x, 2)), 1.5)",
    "show(lambda x: jnp.round(x, -1), F)",
    "show(lambda x: (x // 2.0, divmod(x, 2.0)), F)",
    *(f"jnp.round({args})" for args in ("I, -1", "True", "F, 1.0", "'a'", "[1.0]", "F, I[1]")),
    "jnp.left_shift(3, 2), jnp.right_shift(-5, 1), jnp.right_shift(jnp.uint8(200), 1)",
    "jnp.left_shift('a', 1)",
    "jnp.left_shift(1.0, 1)",
    *(f"x, y = {DTYPES[x]}, {DTYPES[y]}\nf = lambda x, y: jnp.{name}(x, y)\nf(x, y), show(f, x, y)"
      for name in ("dot", "inner", "vdot", "matmul") for x in DTYPES for y in DTYPES),
    *(f"x, y = {DTYPES[x]}, {DTYPES[y]}\n"
      "g = jax.grad(lambda x, y: (x @ y).astype('float32'), (0, 1))\n"
      "g(x, y), show(g, x, y)" for x in "FH" for y in "FH"),
)
# What once was answered differently.
REGRESSIONS = (
    *(f"jax.{name}(lambda x, y: x * y, argnums={argnums})(1.0, 2.0)"
      for name in ("grad", "jacfwd", "jacrev") for argnums in ("np.array([0, 1])", "{0, 1}")),
    "jnp.full(2, np.int64(2**40), 'float32'), lax.full_like(F, np.int64(2**40))",
    "lax.convert_element_type(np.int64(2**40), 'float32')",
    "jax.grad(lambda x: (x**I).sum())(jnp.zeros(3)), jnp.zeros(3)**I, F**I, 2.0**I",
    "jax.jit(jax.grad(lambda x, n: x**n))(0.0, 0), jax.grad(lambda x: (x**I).sum())(F + 1)",
    "jnp.round(jnp.array([1.35, 60000.0], 'float16'), 1), jnp.round(F, 400), jnp.round(F, 40)",
    "jnp.inner(jnp.int8(100), jnp.int8(100), preferred_element_type='int32')",
    "jnp.inner(I, 2.5, preferred_element_type='int32'), jnp.inner(2.0, F), jnp.outer(F, I)",
    "jnp.inner(True, I > 0), jnp.outer(I > 0, I > 1), (I > 0) << (I > 1), (I > 0) >> (I > 1)",
    "a = jnp.asarray(0.1)\nwith jax.enable_x64(True):\n    b = jax.jit(lambda: a)()\na, b",
    "jnp.sum(I, initial=2**40)",
    "jnp.max(I, initial=2**40)",
    "jnp.sum(F, initial=2), jnp.max(I, initial=7), jnp.sum(I, initial=2.0)",
    *(f"F.at[5].get(mode={mode!r}), I.at[5].get(mode={mode!r})" for mode in ("fill", "drop", None)),
    "jax.jit(lambda x: copy.deepcopy([x])[0] * 2)(F)",
    *(f"F.at[:2].apply({f})" for f in ("lambda x: x.sum()", "jnp.cos", "lambda x: -x", "str")),
    "I.at[0].apply(lambda x: x + 0.5)",
    "F.at[1].apply(jnp.exp), M.at[:, 1].apply(jnp.exp), F.at[5].apply(jnp.exp)",
    "F.at[:0].apply(abs)",
    "jnp.repeat(F, 0, total_repeat_length=4), jnp.repeat(F, 2, total_repeat_length=8)",
    "jnp.zeros_like(jax.eval_shape(lambda x: x, 1.5))",
    "jnp.full_like(jax.ShapeDtypeStruct((2,), int), 3)",
    "lax.concatenate(M, 0), lax.broadcasted_iota(int, 3, 0), lax.dot(F, F, precision='highest')",
    # A product over nothing, or over one number, is no sum: its zeros have signs.
    *(f"f = {way}(lambda x, y: [jnp.outer(x, y), x[:, None] @ y[None], x[:1] @ y[:1]])\n"
      "f(-F, 0 * F)" for way in ("", "jax.jit")),
)
# Python integers that the dtype of integers doesn't hold, and what a dtype then makes of them.
WIDE = tuple(
    f"{form.format(n=n, dtype=dtype)}"
    for dtype in ("int32", "uint32", "int8", "float32", "bool")
    for n in ("2**31", "2**32 - 1", "2**32", "-(2**31) - 1", "2**63", "2**64")
    for form in (
        "lax.convert_element_type({n}, '{dtype}'), lax.full((1,), {n}, '{dtype}'), "
        "jax.jit(lambda: lax.convert_element_type({n}, '{dtype}'))()",
        "jnp.zeros(2, '{dtype}').at[0].set({n})",
    )
)
BESIDES = (
    "jnp.eye(2, k=2**100), jnp.eye(2, k=-(2**100)), jnp.eye(2, k=2**31), jnp.eye(2, 3, k=1)",
    "jax.vmap(lambda f, x: f(x), (None, 0))(jnp.sin, F)",
    "jax.vmap(lambda d, x: d['f'](x), (None, 0))({'f': jnp.sin, 'name': 'a'}, F)",
    "jax.vmap(lambda f, x: f(x), (0, 0))(jnp.sin, F)",
    "jax.jit(jnp.iscomplexobj)([1j, 2.0]), jax.jit(jnp.isrealobj)([1, 2.0])",
    "jax.vjp(lambda x: x.astype(int), F)[1](I)", "jax.vjp(lambda x: x > 1, F)[1](F > 1)",
    "jax.vjp(lambda x: (x, x.astype(int)), F)[1]((F, I))",
    "jax.vjp(lambda x: x.astype(int), F)[1](jnp.arange(2))",
    "jax.closure_convert(lambda d: d['a'] * F, {'a': 1.0})[0]((2.0,))",
    "jax.closure_convert(lambda a, b: (a, b), 1.0, (2.0,))[0](1.0, 2.0)",
    "show(lambda a, b: jax.vjp(lambda a, b: jnp.dot(a, b, precision='high'), a, b)[1](F[0]), F, F)",
    "show(jax.vmap(lambda a, b: jnp.vdot(a, b, precision='highest')), M, M)",
    "with jax.default_matmul_precision('float32'):\n    show(jnp.matmul, M, F)\n0",
    "with jax.enable_custom_prng():\n    k = random.PRNGKey(0)\nk, random.split(k)",
)
CASES = [*REGRESSIONS, *INTEGERS, *MISFITS, *OPTIONS, *LITERALS, *LIBRARY, *WIDE, *BESIDES]
