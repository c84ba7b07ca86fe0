"""Dynamic slices, gathers and scatters: values, types, derivatives, batches, jaxprs, odd inputs.

One line per use: its floats, its indices, and the function of both. Each is put through every
transformation, with floats, indices or both batched.
"""

SETUP = """\
GD, SD = lax.GatherDimensionNumbers, lax.ScatterDimensionNumbers
MODES = lax.GatherScatterMode
F = jnp.arange(5.0)
M = jnp.arange(12.0).reshape(3, 4)
A = jnp.arange(24.0).reshape(2, 3, 4)
I = jnp.array([[1], [7], [-1], [1]])
P = jnp.array([[2, 1], [0, 3], [-1, 9]])
K = random.split(random.key(0), 3)
ONE, PUT = GD((), (0,), (0,)), SD((), (0,), (0,))
ROW, PUT_ROW = GD((1,), (0,), (0,)), SD((1,), (0,), (0,))
PAIR, PUT_PAIR = GD((), (0, 1), (0, 1)), SD((), (0, 1), (0, 1))
PART, PUT_PART = GD((0, 2), (), (1, 0)), SD((0, 2), (), (1, 0))
EACH, PUT_EACH = GD((), (1,), (1,), (0,), (0,)), SD((), (1,), (1,), (0,), (0,))

def programs(f, x, i):
    return jax.make_jaxpr(f)(x, i)

def batches(f, x, i):
    xs = tree_util.tree_map(lambda a: jnp.stack([a, a + 1.0], a.ndim), x)
    last = tree_util.tree_map(lambda a: a.ndim, x)
    ns = jnp.stack([i, jnp.flip(i) if i.ndim else i + 1])
    for values, dims in [((xs, i), (last, None)), ((x, ns), (None, 0)), ((xs, ns), (last, 0))]:
        g = jax.vmap(f, dims)
        yield g(*values), jax.make_jaxpr(g)(*values)
"""

DYNAMIC = [
    ("F", "jnp.int32(1)", "lambda x, i: lax.dynamic_slice(x, (i,), (2,))"),
    ("F", "jnp.uint8(9)", "lambda x, i: lax.dynamic_slice(x, (i,), (2,))"),
    ("F", "jnp.int8(-2)", "lambda x, i: lax.dynamic_slice(x, [i], (3,))"),
    ("F", "jnp.int32(-2)",
     "lambda x, i: lax.dynamic_slice(x, (i,), (3,), allow_negative_indices=False)"),
    ("M", "jnp.array([1, -1])", "lambda x, i: lax.dynamic_slice(x, i, (2, 3))"),
    ("M", "jnp.int32(2)", "lambda x, i: lax.dynamic_slice(x, (-1, i), (1, 2))"),
    ("M", "jnp.int32(2)", "lambda x, i: lax.dynamic_slice_in_dim(x, i, 2, axis=-1)"),
    ("M", "jnp.int16(-1)", "lambda x, i: lax.dynamic_index_in_dim(x, i)"),
    ("M", "jnp.int32(1)", "lambda x, i: lax.dynamic_index_in_dim(x, i, 1, keepdims=False)"),
    ("(F, F[:2])", "jnp.int32(-3)", "lambda x, i: lax.dynamic_update_slice(*x, (i,))"),
    ("(M, M[1:, :1])", "jnp.array([9, 2])", "lambda x, i: lax.dynamic_update_slice(*x, i)"),
    ("(M, M[:, 1:3])", "jnp.uint32(7)",
     "lambda x, i: lax.dynamic_update_slice_in_dim(*x, i, axis=1)"),
    ("(M, M[2])", "jnp.int32(0)", "lambda x, i: lax.dynamic_update_index_in_dim(*x, i, 0)"),
    ("(M, M[:, :1])", "jnp.int32(-1)", "lambda x, i: lax.dynamic_update_index_in_dim(*x, i, 1)"),
]
GATHERS = [
    ("F", "I", "lambda x, i: lax.gather(x, i, ONE, (1,))"),
    ("F", "I", "lambda x, i: lax.gather(x, i, ONE, (1,), mode='fill')"),
    ("F", "I", "lambda x, i: lax.gather(x, i, ONE, (1,), mode='fill', fill_value=7)"),
    ("F", "I", "lambda x, i: lax.gather(x, i, GD((1,), (), (0,)), (2,), mode='clip')"),
    ("F", "I[0]", "lambda x, i: lax.gather(x, i, ONE, (1,), unique_indices=True)"),
    ("M", "I", "lambda x, i: lax.gather(x, i, ROW, (1, 4), mode='fill')"),
    ("M", "P", "lambda x, i: lax.gather(x, i, PAIR, (1, 1), indices_are_sorted=True)"),
    ("M", "P", "lambda x, i: lax.gather(x, i, PART, (2, 3), mode='clip')"),
    ("M", "I[:3]", "lambda x, i: lax.gather(x, i, EACH, (1, 1), mode='fill')"),
    ("A", "P", "lambda x, i: lax.gather(x, i, GD((0,), (1, 2), (1, 2)), (2, 1, 1))"),
    ("A", "P[:, None]", "lambda x, i: lax.gather(x, i, GD((1, 3), (0,), (2, 1)), (1, 2, 2))"),
    ("M", "P[:2]", "lambda x, i: lax.index_take(x, tuple(i), (0, 1))"),
]
SCATTERS = [
    ("(F, F[1:])", "I", "lambda x, i: lax.{op}(x[0], i, x[1], PUT, {how})"),
    ("(F, M[:, :2])", "I[:3]", "lambda x, i: lax.{op}(x[0], i, x[1], SD((1,), (), (0,)), {how})"),
    ("(F, F[2])", "I[0]", "lambda x, i: lax.{op}(x[0], i, x[1], PUT, {how})"),
    ("(M, A[1, :, :3])", "I[:3]", "lambda x, i: lax.{op}(x[0], i, x[1], PUT_ROW, {how})"),
    ("(M, F[:3])", "P", "lambda x, i: lax.{op}(x[0], i, x[1], PUT_PAIR, {how})"),
    ("(M, A[:, :, :3])", "P", "lambda x, i: lax.{op}(x[0], i, x[1], PUT_PART, {how})"),
    ("(M, F[2:])", "I[:3]", "lambda x, i: lax.{op}(x[0], i, x[1], PUT_EACH, {how})"),
]
UNIQUE = "unique_indices=True"
OPS = [
    ("scatter", ""), ("scatter", UNIQUE), ("scatter", "mode='clip'"), ("scatter_add", ""),
    ("scatter_add", "mode='clip'"), ("scatter_sub", "indices_are_sorted=True"),
    ("scatter_mul", UNIQUE), ("scatter_min", ""), ("scatter_max", "mode='clip'"),
]  # fmt: skip


def scatter_uses():
    """Each scatter in a few of the forms, the plain ones in all."""
    for n, (op, how) in enumerate(OPS):
        for m, (inputs, indices, function) in enumerate(SCATTERS):
            if op in ("scatter", "scatter_add") and not how or m in (n % 7, (n + 3) % 7):
                function = function.replace("{op}", op).replace(", {how}", f", {how}" * bool(how))
                yield inputs, indices, function


def use_cases():
    for inputs, indices, function in [*DYNAMIC, *GATHERS, *scatter_uses()]:
        setup = f"x, i = {inputs}, {indices}\nf = {function}\n"
        yield setup + "f(x, i), programs(f, x, i)"
        yield setup + "list(batches(f, x, i))"
        tangents = "t = tree_util.tree_map(lambda a: a * a + 1, x)\n"
        yield setup + tangents + "g = lambda x: f(x, i)\njax.jvp(g, (x,), (t,))"
        yield setup + "y, pull = jax.vjp(lambda x: f(x, i), x)\npull(y * 2 + 1)"
        taken_apart = indices.startswith("jnp.array") or "tuple" in function  # an `unstack` in JAX
        if "scatter_m" not in function and not taken_apart:
            yield setup + "jax.make_jaxpr(jax.grad(lambda x: (f(x, i) * 2).sum()))(x)"


EXTREMES = [
    "x, y = jnp.array([1.0, 2.0, 3.0]), jnp.array([2.0, 2.0, 2.0, 5.0])\n"
    f"f = lambda x, y: lax.{op}(x, jnp.array([[1], [1], [0], [8]]), y, PUT)\n"
    "jax.jacobian(f, (0, 1))(x, y), jax.make_jaxpr(jax.grad(lambda x: f(x, y).sum()))(x)"
    for op in ("scatter_min", "scatter_max")
]
DTYPES = [
    f"x = (jnp.arange(3) - 1).astype('{dtype}')\n"
    "[lax.gather(x, I, ONE, (1,), mode=m) for m in ('fill', 'clip', 'promise_in_bounds')], "
    "lax.scatter(x, I, lax.gather(x, I, ONE, (1,)), PUT), "
    "lax.dynamic_slice(x, (-1,), (1,)), lax.dynamic_update_slice(x, x[:2], (7,))"
    for dtype in ("bool", "int8", "uint8", "int32", "uint32", "float16", "bfloat16", "complex64")
] + [
    f"x, y = jnp.array([1, 2, 3], '{dtype}'), jnp.array([1, 3, 1, 2], '{dtype}')\n"
    "[f(x, jnp.array([[0], [2], [0], [0]]), y, PUT) for f in (lax.scatter, lax.scatter_add, "
    "lax.scatter_sub, lax.scatter_mul, lax.scatter_min, lax.scatter_max)]"
    for dtype in ("int8", "uint8", "int32", "float16", "bfloat16", "float32", "complex64")
] + [
    f"lax.{op}(jnp.array([1.0, 2.0], '{dtype}'), jnp.zeros((300, 1), int), "
    f"jnp.full(300, 0.01, '{dtype}'), PUT)"
    for op in ("scatter_add", "scatter_sub") for dtype in ("float16", "bfloat16")
]  # fmt: skip
INDEX_DTYPES = [
    f"x, i = jnp.arange(300.0), jnp.array([[0], [100], [127]], '{dtype}')\n"
    "[lax.gather(x, i, ONE, (1,), mode=m) for m in ('fill', 'clip')], "
    "jnp.sum(lax.scatter(x, i, -x[:3], PUT, mode='clip')), lax.dynamic_slice(x, i[1], (3,))"
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32")
]
WIDE = [
    "with jax.enable_x64():\n"
    "    x, i = jnp.arange(5.0), jnp.array([[1], [-1], [9]])\n"
    "    f = lambda x, i: lax.gather(x, i, ONE, (1,), mode='fill')\n"
    "    g = lambda x, i: lax.scatter(x, i, x[:3], PUT)\n"
    "    h = lambda x, i: lax.dynamic_slice(x, (i, ), (2, ))\n"
    "    r = f(x, i), g(x, i), h(x, -2), [jax.make_jaxpr(k)(x, i) for k in (f, g)], "
    "jax.make_jaxpr(h)(x, 1), jax.make_jaxpr(jax.grad(lambda x: g(x, i).sum()))(x)\n"
    "r",
]
WEAK = [
    "lax.gather(1.0, jnp.zeros((2, 0), int), GD((), (), ()), ())",
    "jax.jit(lambda x: lax.dynamic_slice(x, (), ()))(1.0)",
    "jax.jit(lambda x, i: lax.dynamic_update_slice(x, i * 1.0, ()))(1.0, 2)",
    "x = lax.full((3,), 1.0)\nx, lax.dynamic_slice(x, (1,), (1,)), "
    "lax.dynamic_update_slice(x, x[:1], (1,)), lax.scatter(x, I[:1], x[:1], PUT), "
    "lax.scatter_add(x, I[:1], x[:1], PUT), lax.gather(x, I, ONE, (1,))",
    "x = lax.full((3,), 1.0)\njax.jit(lambda i: lax.dynamic_update_slice(x, x[:1], (i,)))(1)",
    "jax.jit(lambda i: lax.scatter_add(lax.full((3,), 1), i, jnp.ones(4, int), PUT))(I)",
]
PLAIN = [
    "lax.dynamic_slice(F, (np.int16(2),), 2)",
    "lax.dynamic_slice(F, np.array([1]), np.array([2]))",
    "lax.dynamic_slice(jnp.float32(1), (), ())",
    "lax.dynamic_slice(np.arange(3), (1,), (0,))",
    "lax.dynamic_slice(M[:0], (5, 1), (0, 2))",
    "lax.dynamic_slice(M, (1, 1), (2, 1), allow_negative_indices=(True, False))",
    "lax.dynamic_slice(K, (1,), (2,)), lax.dynamic_update_slice(K, K[:1], (-1,))",
    "jax.make_jaxpr(lambda x: lax.dynamic_slice(x, (-2,), (2,)))(F)",
    "jax.make_jaxpr(lambda x, i: lax.dynamic_slice(x, (i, i), (1, 2)))(M, 1)",
    "jax.make_jaxpr(lambda x, i: lax.dynamic_slice(x, (i, 0), (1, 2)))(M, jnp.int32(1))",
    "jax.make_jaxpr(jax.vmap(lambda x, i: lax.dynamic_slice(x, (i, 0), (1, 2))))(A, jnp.arange(2))",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.dynamic_slice(x, (), ())))(F)",
    "jax.vmap(lambda x: lax.dynamic_update_slice(x, x, ()))(F)",
    "lax.gather(K, I, ONE, (1,)), lax.scatter(K, I[:3], K, PUT)",
    "random.key_data(lax.gather(K, I, ONE, (1,), mode='fill'))",
    "lax.gather(M, jnp.zeros((0, 1), int), ROW, (1, 4)), lax.gather(M[:0], I[:0], ROW, (1, 4))",
    "lax.gather(F, jnp.zeros((0, 1), int), GD((1,), (), (0,)), (7,))",
    "lax.gather(F, I, GD((1,), (), (0,)), (0,))",
    "lax.scatter(M, jnp.zeros((0, 1), int), M[:0], PUT_ROW)",
    "lax.scatter(F, jnp.array([1]), 9.0, PUT)",
    "lax.gather(np.arange(5), np.array([[3]]), ONE, 1, mode='fill', fill_value=np.int8(2))",
    "lax.gather(jnp.arange(5), I, ONE, (1,), mode='fill', fill_value=2.5)",
    "lax.gather(F, jnp.array([[2**32 - 1]], 'uint32'), ONE, (1,), mode='clip')",
    "lax.scatter(F, jnp.array([[2**32 - 1]], 'uint32'), jnp.ones(1), PUT, mode='clip')",
    "lax.scatter(F, jnp.array([[2], [1], [2]]), jnp.array([[7., 8.], [9., 10.], [11., 12.]]), "
    "SD((1,), (), (0,)))",
    "lax.scatter_max(F > 1, I, jnp.array([True, False, True, True]), PUT)",
    "lax.scatter_min(F, I, jnp.full(4, jnp.nan), PUT), lax.scatter_max(-F, I, F[1:], PUT)",
    "[lax.scatter_add(F, I, F[1:], PUT, mode=m) for m in "
    "(None, 'clip', 'fill', 'drop', 'promise_in_bounds', 'one_hot', MODES.CLIP)]",
    "[lax.gather(F, I, ONE, (1,), mode=m) for m in "
    "(None, 'clip', 'fill', 'drop', 'promise_in_bounds', MODES.FILL_OR_DROP)]",
    "lax.scatter_apply(F, I, lambda x: 2 * x + 1, PUT, update_shape=(4,))",
    "lax.scatter_apply(jnp.arange(5), I, lambda x: 7, PUT, update_shape=(4,), mode='clip')",
    "jax.make_jaxpr(lambda x: lax.scatter_apply(x, I, jnp.sin, PUT, update_shape=(4,)))(F)",
    "jax.jit(jax.vmap(lambda x: lax.scatter_apply(x, I, jnp.cos, PUT, update_shape=(4,))))(M)",
    "jax.make_jaxpr(lambda x: (lax.scatter_add(x, I, x[1:], PUT), "
    "lax.scatter_add(x, I, x[1:], PUT)))(F)",
    "jax.make_jaxpr(jax.grad(lambda x: (lax.gather(x, I, ONE, (1,)) * "
    "lax.gather(x, I[::-1], ONE, (1,))).sum()))(F)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.gather(lax.scatter_add(x, I, x[1:], PUT), I, ONE, "
    "(1,)).sum()))(F)",
    "f = lambda x: (lax.scatter_mul(x, I, x[1:], PUT) ** 2).sum()\n"
    "jax.make_jaxpr(jax.grad(lambda x: lax.scatter_mul(x, I, F[1:], PUT).sum()))(F)",
    "f = lambda x: (lax.gather(x, I, ONE, (1,), mode='fill', fill_value=0) ** 3).sum()\n"
    "jax.hessian(f)(F), jax.jit(jax.vmap(jax.grad(f)))(M)",
    "f = lambda x: (lax.scatter(x, I, x[1:] ** 2, PUT) ** 3).sum()\n"
    "jax.hessian(f)(F), jax.jit(jax.vmap(jax.grad(f)))(jnp.stack([F, F + 1]))",
    "y, lin = jax.linearize(lambda x: lax.scatter_max(x, I, x[1:] * 2, PUT), F)\ny, lin(F + 1)",
    "f = jax.vmap(jax.vmap(lambda x, i: lax.gather(x, i[None], ONE, (1,)), (0, 0)), (None, 1))\n"
    "f(M, P), jax.make_jaxpr(f)(M, P)",
    "f = jax.vmap(jax.vmap(lambda x, i, y: lax.scatter_add(x, i[None], y, PUT)), (0, None, None))\n"
    "f(A, P, F[:3]), jax.make_jaxpr(f)(A, P, F[:3])",
    "GD((1,), (0,), (0,)), SD((), (0,), (0,)), MODES.CLIP, list(MODES)",
    "[MODES.from_any(s) for s in (None, 'clip', 'fill', 'drop', 'promise_in_bounds', 'one_hot')]",
    "GD(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,)) == ONE, hash(ONE) is None",
]
HUGE = [
    f"with jax.enable_x64({wide}):\n"
    f"    x, choices = jnp.arange(5.0), [lambda i=i: i for i in range(3)]\n"
    f"    r = [(lax.dynamic_slice(x, (n,), (2,)), lax.dynamic_slice_in_dim(x, n, 2), "
    f"lax.dynamic_update_slice(x, x[:2], (n,)), lax.switch(n, choices), "
    f"lax.dynamic_update_slice_in_dim(x, x[:2], n, 0)) for n in "
    f"(2**31 - 1, 2**31, 2**32 + 1, 2**64 - 1, -(2**31) - 1, 1 - 2**32, -(2**63))]\n"
    f"r"
    for wide in (False, True)
]  # integers wrap round up to 64 bits; for more, tests/lax/test_dynamic_slicing.py

CASES = (
    *HUGE, *use_cases(), *EXTREMES, *DTYPES, *INDEX_DTYPES, *WIDE, *WEAK, *PLAIN,
)  # fmt: skip
