"""Windows over arrays: reduced, and the elements chosen in them."""

SETUP = """\
t = jnp.arange(9.0) + 1.25
x = jnp.array([1.0, 3.0, 3.0, 2.0, jnp.nan, 5.0, 5.0, -jnp.inf, -jnp.inf])
w = jnp.array([0.5, -1.5, 2.0, 0.25, -3.0, 1.0, 4.0, -0.75, 1.25])
M = jnp.array([[4.0, 1.0, 3.0, 3.0], [2.0, 2.0, 5.0, 0.0], [1.0, 7.0, 6.0, 7.0]])
X = jnp.arange(2 * 5 * 6 * 3.0).reshape(2, 5, 6, 3) * 7 % 11
I = jnp.arange(9) * 5 % 7
R = lax.reduce_window
pool = dict(window_dimensions=(1, 2, 2, 1), window_strides=(1, 2, 1, 1), padding="SAME")

def summed(x): return R(x, 0.0, lax.add, **pool)
def largest(x): return R(x, -jnp.inf, lax.max, **pool)
def smallest(x): return R(x, jnp.inf, lax.min, **pool)
def multiplied(x): return R(x, 1.0, lax.mul, **pool)
def both(x, y): return R((x, y), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), **pool)
def row(x, fun, init, size=3, *how): return R(x, init, fun, (size,), *how)

def scattered(source, operand, prim=lax.ge_p):
    return lax.select_and_scatter_add_p.bind(source, operand, select_prim=prim,
        window_dimensions=(3,), window_strides=(2,), padding=((1, 1),))

def gathered(tangents, operand, prim=lax.ge_p, dilation=1):
    return lax.select_and_gather_add_p.bind(tangents, operand, select_prim=prim,
        window_dimensions=(3,), window_strides=(2,), padding=((1, 1),), base_dilation=(1,),
        window_dilation=(dilation,))

def show(f, *xs): return jax.make_jaxpr(f)(*xs)
"""

_FUNS = ("summed", "largest", "smallest")

JAXPRS = [
    *(f"show({f}, X)" for f in (*_FUNS, "multiplied")),
    *(f"show(lambda x: jax.jvp({f}, (x,), (x,)), X)" for f in (*_FUNS, "multiplied")),
    *(f"show(jax.vmap({f}, in_axes=1), jnp.ones((2, 4, 5, 6, 3)))" for f in (*_FUNS, "multiplied")),
    *(f"show(jax.grad(lambda x: ({f}(x) ** 2).sum()), X)" for f in _FUNS),
    *(f"show(jax.vmap(jax.grad(lambda x: {f}(x).sum()), in_axes=2), jnp.ones((2, 5, 4, 6, 3)))"
      for f in _FUNS),
    "show(both, X, X)",
    "show(lambda x, y: jax.jvp(both, (x, y), (x, y)), X, X)",
    "show(jax.vmap(both), X[None], X[None])",
    "show(lambda x, i: R(x, i, lax.add, **pool), X, 1.0)",
    "show(lambda x: R(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "
    "((0, 0), (1, 1), (0, 1), (0, 0)), (1, 2, 2, 1), (1, 1, 2, 1)), X)",
    "show(jax.grad(lambda x: R(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "
    "((0, 0), (1, 1), (0, 1), (0, 0)), (1, 2, 2, 1), (1, 1, 2, 1)).sum()), X)",
    "show(jax.grad(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((1, 1),), (2,)).sum()), t)",
    "show(lambda x: row(x, lax.add, 0), I)",
    "show(lambda x: row(x, lax.max, -(2**31)), I)",
    "show(lambda x: row(x, lax.max, np.iinfo(np.int32).min), I)",
    "show(lambda x: row(x, lax.max, -np.inf), I)",
    "show(lambda x: row(x, lax.max, np.float32(-np.inf)), t)",
    "show(lambda x: row(x, lax.max, 0.0), t)",
    "show(lambda x: row(x, lax.max, np.finfo(np.float32).min), t)",
    "show(lambda x: row(x, lambda a, b: a + b, 0.0), t)",
    "show(lambda x: row(x, jnp.add, 0.0), t)",
    "show(lambda x: row(x, jnp.maximum, -jnp.inf), t)",
    "show(lambda x: row(x, lax.bitwise_or, False), t > 3)",
    "show(lambda x: row(x, lax.max, False), t > 3)",
    "show(lambda x: R(x, 0.0, lax.add, (), ()), 1.5)",
    *(f"show(lambda x: row(x, lax.add, 0.0, 3, (2,), {how}), t)" for how in (
        "'SAME'", "'same_lower'", "'VALID'", "'SAME', (2,)", "'SAME', (1,), (2,)", "[[1, 2]]")),
    "show(scattered, w[:5], x)",
    "show(gathered, w, x)",
    "show(lambda s, x: jax.jvp(scattered, (s, x), (s, x)), w[:5], x)",
    "show(lambda s, x: jax.jvp(gathered, (s, x), (s, x)), w, x)",
    "show(jax.vmap(scattered, (0, None)), jnp.ones((3, 5)), x)",
    "show(jax.vmap(scattered, (None, 1)), jnp.ones(5), jnp.ones((9, 3)))",
    "show(jax.vmap(gathered, (1, None)), jnp.ones((9, 3)), x)",
    "show(jax.vmap(gathered, (None, 0)), w, jnp.ones((3, 9)))",
]

VALUES = [
    *(f"{f}(X)" for f in (*_FUNS, "multiplied")),
    *(f"jax.jvp({f}, (X,), (jnp.cos(X),))" for f in (*_FUNS, "multiplied")),
    *(f"jax.grad(lambda x: ({f}(x) ** 2).sum())(X)" for f in _FUNS),
    *(f"jax.jvp(jax.grad(lambda x: ({f}(x) ** 3).sum()), (X,), (jnp.cos(X),))[1]" for f in _FUNS),
    *(f"jax.grad(lambda x: (jax.grad(lambda x: ({f}(x) ** 3).sum())(x) ** 2).sum())(X / 4)"
      for f in _FUNS),
    "both(X, X / 4)",
    "jax.jvp(both, (X, X / 4), (jnp.cos(X), jnp.sin(X)))[1]",
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf, 3, (2,), ((1, 1),)), (x,), (w,))",
    "jax.jvp(lambda x: row(x, lax.min, jnp.inf, 3, (2,), ((1, 1),)), (x,), (w,))",
    "jax.vjp(lambda x: row(x, lax.max, -jnp.inf, 3, (2,), ((1, 1),)), x)[1](w[:5])",
    "jax.vjp(lambda x: row(x, lax.min, jnp.inf, 3, (2,), ((1, 1),)), x)[1](w[:5])",
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((4, 4),)), (t,), (w,))",
    *(f"jax.vjp(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((4, 4),)), {x})[1](jnp.arange(11.0))"
      for x in ("t[:4]", "x[:4] - jnp.inf")),
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((1, 1),), (2,)), (t,), (w,))",
    "jax.grad(lambda x: (row(x, lax.max, -jnp.inf, 2, (1,), ((1, 1),), (2,)) ** 2).sum())(t)",
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((1, 1),), (1,), (2,)), (t,), (w,))",
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf, 3, (1,), ((0, 2),)), (x,), (w,))",
    "jax.jvp(lambda x: R(x, -jnp.inf, lax.max, (2, 2)), (jnp.ones((2, 2)),), (M[:2, :2],))[1]",
    "jax.grad(lambda x: R(x, -jnp.inf, lax.max, (2, 2)).sum())(jnp.ones((2, 2)))",
    "jax.grad(lambda x: (row(x, lax.add, 0.0, 2, (2,), ((4, 3),), (3,), (2,)) ** 2).sum())(t)",
    "jax.grad(lambda x: (row(x, lax.add, 0.0, 2, (3,), ((-2, -1),)) ** 2).sum())(t)",
    "scattered(w[:5], x), scattered(w[:5], x, lax.le_p), scattered(w[:5], x, lax.lt_p)",
    "gathered(w, x), gathered(w, x, lax.le_p), gathered(w, x, dilation=2)",
    "row(jnp.arange(1.0, 7.0), lambda a, b: a * 10 + b, 0.0, 3, (1,), 'SAME')",
    "row(jnp.arange(1.0, 7.0), lambda a, b: a * 10 + b, 0.0, 3, (1,), ((2, 2),), (2,))",
    "R(jnp.arange(1.0, 7.0).reshape(2, 3), 7.0, lambda a, b: a * 10 + b, (2, 2))",
    "R(jnp.arange(1.0, 9.0).reshape(2, 2, 2), 0.0, lambda a, b: a * 10 + b, (2, 2, 2))",
    "jax.jvp(lambda x: R(x, -jnp.inf, lax.max, (2, 2)), (M[:, 1:],), (jnp.cos(M[:, 1:]),))[1]",
    "jax.grad(lambda x: R(x, -jnp.inf, lax.max, (2, 2)).sum())(M[:, 1:])",
    "row(jnp.arange(1.0, 7.0), lax.add, 5.0, 2, (1,), 'SAME')",
    "R({'a': t}, {'a': 0.0}, lambda a, b: {'a': a['a'] - b['a']}, (3,), (1,), 'SAME')",
    "row(t > 3, lax.bitwise_or, False), row(t > 3, lax.max, False)",
    "row(t > 3, lax.bitwise_and, True)",
    "row(t + 1j * w, lax.add, 0j), row(t + 1j * w, lax.max, -jnp.inf)",
    "row(w + 1j * t, lax.min, jnp.inf)",
    "row(-jnp.zeros(3), lax.add, 0.0, 2), row(jnp.array([-0.0, 0.0, -0.0]), lax.max, -jnp.inf, 2)",
    "row(jnp.full(3, 200, 'uint8'), lax.add, np.uint8(0), 2)",
    "row(I, lax.add, 0.0), row(I, lax.add, 0), row(t, lax.add, 0)",
    *(f"jax.jvp(lambda x: row(x, lax.max, -jnp.inf), (t.astype('{d}'),), (w.astype('{d}'),))"
      for d in ("float16", "bfloat16")),
    "row(t.astype('bfloat16'), lax.add, 0.0), row(t.astype('float16'), lax.min, jnp.inf)",
    *(f"row(t, lax.add, 0.0, {how})"
      for how in ("10", "3, (1,), ((-9, -2),)", "3, (1,), ((-1, -2),)")),
    "R(jnp.ones((0, 3)), 0.0, lax.add, (1, 2), (1, 1), 'SAME')",
    "R(jnp.ones((0, 3)), 0.0, lax.mul, (1, 2), (1, 1), 'SAME')",
    "row(lax.full((3,), 2.0), lax.add, 0.0), row(lax.full((3,), 2.0), lambda a, b: a + b, 0.0)",
    "row(t, lambda a, b: a + b, 0.0)",
    "row(t, lax.mul, 1.0)",
]  # fmt: skip

SHAPES = [
    *(f"lax.padtype_to_pads((5, 6), (2, 3), (2, 1), {p})" for p in (
        "'SAME'", "'VALID'", "'SAME_LOWER'", "'same'", "'foo'", "((1, 1), (0, 0))", "3", "None")),
    "[lax.padtype_to_pads((n,), (k,), (s,), p) for n in (1, 4, 5) for k in (1, 2, 3, 6) "
    "for s in (1, 2, 3) for p in ('SAME', 'SAME_LOWER', 'VALID')]",
    "lax.padtype_to_pads((5, 6), (2, 3), None, 'SAME')",
    "lax.reduce_window_shape_tuple((5, 6), (2, 3), (2, 1), ((0, 0), (0, 0)))",
    "lax.reduce_window_shape_tuple((5, 6), (2, 3), (2, 1), ((0, 1), (-1, 0)), (2, 1), (1, 2))",
    "lax.reduce_window_shape_tuple((5, 6), (7, 3), (2, 1), ((0, 0), (0, 0)))",
]

# What is refused.
REFUSED = [
    *(f"R(t, 0.0, {fun}, *({how}))" for fun in ("lax.add", "lax.mul") for how in (
        "(3, 3),", "(3,), (1, 1)", "(3,), (1,), 'FOO'", "(3,), (1,), ((1, 1), (1, 1))",
        "(3,), (1,), 3", "(3,), (1,), ((1,),)", "(3,), (0,)", "(-1,),", "(0,),",
        "(3,), (1,), 'VALID', (0,)", "(3,), (1,), 'VALID', (1, 1)",
        "(3,), (1,), 'VALID', None, (0,)", "(3,), (-1,)", "(1.5,),", "3,", "(3,), 2")),
    "R((t, t), 0.0, lax.add, (3,))",
    "R((t, t[1:]), (0.0, 0.0), lambda a, b: a, (3,))",
    "R(t, jnp.zeros(1), lax.add, (3,))",
    "R(t, 0, lambda a, b: a + b, (3,))",
    "R(t, 0.0, lambda a, b: (a, b), (3,))",
    "R(t, 0.0, lambda a, b: a > b, (3,))",
    "R(t, 0.0, lambda a, b: a.astype(int), (3,))",
    "jax.jit(lambda q: R(t, 0.0, lambda a, b: a + b * q, (3,)))(2.0)",
    "jax.make_jaxpr(lambda q: R(t, 0.0, lambda a, b: a + b * t[0], (3,)))(2.0)",
    "R(t, 0.0, 3, (3,))",
    "R(jnp.full(3, 200, 'uint8'), 300, lax.add, (2,))",
    "R(I, 1.5, lax.add, (2,))",
    "R(t > 3, False, lax.add, (2,))",
    "jax.grad(lambda x, i: R(x, i, lax.add, (3,)).sum(), 1)(t, 1.0)",
    "jax.grad(lambda x: R(x, 1.0, lax.mul, (3,)).sum())(t)",
    "jax.vmap(lambda x, i: R(x, i, lax.add, (3,)))(t[None], jnp.ones(1))",
    "jax.grad(lambda x: row(x, lax.max, -jnp.inf, 2, (1,), ((1, 1),), (1,), (2,)).sum())(t)",
    "jax.jvp(lambda x: row(x, lax.max, -jnp.inf), (t + 1j,), (t + 1j,))",
    "scattered(jnp.ones(4), x)",
    "scattered(jnp.ones(5, int), x)",
    "gathered(jnp.ones(4), x)",
    "gathered(jnp.ones(9, int), x)",
]

CASES = [*JAXPRS, *VALUES, *SHAPES, *REFUSED]
