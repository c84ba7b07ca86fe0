"""cond, switch, while_loop and the solves: values, types, derivatives, batches, jaxprs, errors."""

SETUP = """\
F = jnp.arange(3.0)
N = np.arange(3.0) + 1
S = np.float32(2)
M = jnp.arange(6.0).reshape(2, 3) / 4
A = jnp.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
D = jnp.array([4.0, 3.0, 2.0])

def show(f, *args):
    return jax.make_jaxpr(f)(*args)

def total(f):
    return lambda *args: sum(jnp.sum(x) for x in jax.tree.leaves(f(*args)))

def floats(tree):
    return [x for x in jax.tree.leaves(tree) if jnp.result_type(x) != jax.dtypes.float0]

def double(x):
    return 2 * x

def newton(f, x):
    def step(c):
        return c[0] - f(c[0]) / jax.grad(f)(c[0]), c[1] + 1
    return lax.while_loop(lambda c: c[1] < 8, step, (x, 0))[0]

def root(a):
    return lax.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))

def relax(matvec, b):
    return lax.while_loop(
        lambda c: c[0] < 30, lambda c: (c[0] + 1, c[1] + (b - matvec(c[1])) / D), (0, b)
    )[1]

def solved(a, b, **how):
    return lax.custom_linear_solve(lambda x: a @ x, b, relax, **how)

def halved(a, b, *transposed, **how):
    return lax.custom_linear_solve(lambda x: a @ x, b, lambda m, b: b / 2, *transposed, **how)
"""

# Each is put through every transformation: its arguments, and the function.
USES = (
    ("(1.5, 2.0)", "lambda x, y: lax.cond(x > 0, lambda: jnp.sin(x) * y, lambda: x + y)"),
    ("(1.5, 2.0)", "lambda x, y: lax.cond(x > 9, lambda x: jnp.sin(x) * y, lambda x: x * y, x)"),
    ("(1.5, 2.0)", "lambda x, y: lax.cond(True, lambda x, y: x * y, lambda x, y: x / y, x, y)"),
    ("(F, F + 1)", "lambda x, y: lax.cond(x[1] > 0, lambda x: x * y, lambda x: jnp.sin(x), x)"),
    ("(F, F + 1)", "lambda x, y: lax.cond(x[1] > 2, lambda x: x * x * y, lambda x: y * F, x)"),
    ("(F, F + 1)", "lambda x, y: lax.cond(False, lambda p: p[0] @ p[1], lambda p: p[0].sum(), (x, y))"),  # noqa: E501
    ("(F, F + 1)", "lambda x, y: lax.cond(y.sum(), lambda x: (x, y), lambda x: (x * x, y), x)"),
    ("(F, 2.0)", "lambda x, y: lax.cond(y > 1, lambda x: x * N * y, lambda x: x * F * N * S, x)"),
    ("(F, 2.0)", "lambda x, y: lax.cond(y > 1, lambda x: {'a': x * y, 'b': 1}, lambda x: {'a': x, 'b': 2}, x)"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.cond(x[0] > 0, jnp.sin, lambda x: lax.cond(y[1] > 0, jnp.exp, jnp.cos, x * y), x)"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.cond(x[1] > 0, jax.jit(lambda x: jnp.sin(x) * y), jnp.cos, x)"),
    ("(F, F)", "lambda x, y: jax.jit(lambda x: lax.cond(x[1] > 0, lambda x: jnp.sin(x) * y, jnp.cos, x))(x)"),  # noqa: E501
    ("(F, 2)", "lambda x, i: lax.switch(i, [jnp.sin, lambda x: x * x, lambda x: x * i], x)"),
    ("(F, 2.0)", "lambda x, y: lax.switch(1, [jnp.sin, lambda x: x * y, jnp.exp], x)"),
    ("(F, 2.0)", "lambda x, y: lax.switch(y.astype(int), [lambda x: x * y, jnp.sin, lambda x: x @ x * N], x)"),  # noqa: E501
    ("(M, F)", "lambda x, y: lax.cond(y[0] < 1, lambda x: x @ y, lambda x: x.sum(1) * y[:2], x)"),
    ("(F, F)", "lambda x, y: lax.platform_dependent(x, cpu=lambda x: x * y, default=jnp.sin)"),
    ("(1.5, 2.0)", "lambda x, y: lax.while_loop(lambda x: x < 20, lambda x: x * y, x)"),
    ("(1.5, 2.0)", "lambda x, y: lax.while_loop(lambda c: c[0] < y, lambda c: (c[0] + 1, c[1] * x), (0, x))"),  # noqa: E501
    ("(F, F + 1)", "lambda x, y: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1]) * y), (0, x))"),  # noqa: E501
    ("(F, F + 1)", "lambda x, y: lax.while_loop(lambda c: c[0].sum() < 30, lambda c: (c[0] + y, c[1], c[2] * c[1]), (x, y, x))"),  # noqa: E501
    ("(F, F + 1)", "lambda x, y: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[2], c[1]), (0, x, y))"),  # noqa: E501
    ("(F, F + 1)", "lambda x, y: lax.while_loop(lambda c: c[0] < N[2] * S, lambda c: (c[0] + S, c[1] * N * F), (x[0], y))"),  # noqa: E501
    ("(M, F)", "lambda x, y: lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] + x @ y), (0, y[:2]))"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, lax.cond(c[0] > 1, jnp.sin, lambda x: x * y, c[1])), (0, x))[1]"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.cond(x[1] > 0, lambda x: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + y, x), jnp.sin, x)"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.scan(lambda c, a: (lax.cond(a > 0, jnp.sin, lambda x: x * a, c), a), x, y)"),  # noqa: E501
    ("(F, F)", "lambda x, y: lax.cond(x[1] > 0, lambda x: lax.scan(lambda c, a: (c * a, c), x, y)[0], lambda x: x, x)"),  # noqa: E501
    ("(2.0, 3.0)", "lambda x, y: root(x) * y"),
    ("(A, F + 1)", "lambda a, b: halved(a, b)"),
    ("(A, F + 1)", "lambda a, b: halved(a, b, symmetric=True)"),
    ("(A, F + 1)", "lambda a, b: halved(a, b, lambda m, b: m(b) / 3)"),
)


def use_cases():
    for inputs, function in USES:
        setup = f"f = {function}\nxs = {inputs}\n"
        yield setup + "f(*xs), show(f, *xs)"
        yield setup + "jax.jvp(f, xs, tuple(x * 0.5 for x in xs))"
        yield setup + "show(lambda *xs: floats(jax.jvp(f, xs, tuple(x * x for x in xs))), *xs)"
        yield setup + "g = jax.grad(total(f), (0, 1))\ng(*xs), show(g, *xs)"
        yield setup + "g = jax.grad(total(f))\ng(*xs), show(g, *xs)"
        yield setup + "jax.jit(jax.grad(total(jax.grad(total(f), (0, 1)))))(*xs)"
        later = "lambda y: floats(jax.linearize(lambda x: f(x, y), xs[0])[1](xs[0]))"
        # Of a loop, JAX keeps here what only a derivative would need.
        yield setup + (f"({later})(xs[1])" if "while" in function else f"show({later}, xs[1])")
        for axes in ((0, 0), (0, None), (None, 0), (-1, None)):
            yield setup + (
                f"bs = tuple(x if a is None else jnp.stack([x, x + 1], a)"
                f" for x, a in zip(xs, {axes}))\n"
                f"g = jax.vmap(f, {axes})\ng(*bs), show(g, *bs)"
            )
        yield setup + (
            "bs = tuple(jnp.stack([x, x + 1]) for x in xs)\n"
            "g = jax.vmap(jax.vmap(f, (0, None)), (None, 0))\ng(*bs), show(g, *bs)"
        )
        yield setup + (
            "bs = tuple(jnp.stack([x, x + 1]) for x in xs)\n"
            "g = jax.vmap(jax.grad(total(f), (0, 1)))\ng(*bs), jax.jit(g)(*bs)"
        )


CONDS = (
    # Predicates.
    "[lax.cond(p, lambda: 1, lambda: 2) for p in (True, 0, 1, -3, 0.0, 0.5, np.bool_(True), np.uint8(2))]",  # noqa: E501
    "[lax.cond(p, lambda: 1, lambda: 2) for p in (F[1] > 0, F[0], jnp.int8(3), jnp.float16(0))]",
    "[show(lambda p: lax.cond(p, lambda: 1.0, lambda: 2.0), p) for p in (True, 1, 1.0, np.int8(2), np.float16(1))]",  # noqa: E501
    "show(lambda x: lax.cond(True, jnp.sin, jnp.cos, x), 1.0), show(lambda x: lax.cond(0.5, jnp.sin, jnp.cos, x), 1.0)",  # noqa: E501
    "P = F[0] < 1\nshow(lambda x: lax.cond(P, jnp.sin, jnp.cos, x), 1.0)",
    # Ways to call.
    "lax.cond(True, lambda x: x, lambda x: x + 1, operand=3), lax.cond(False, lambda _: 1.0, lambda _: 2.0, operand=None)",  # noqa: E501
    "lax.cond(True, 2.0, lambda x: x, 3.0, lambda x: x * x), lax.cond(False, 2.0, lambda x: x, 3.0, lambda x: x * x)",  # noqa: E501
    "show(lambda p, x, y: lax.cond(p, x, lambda x: x * 2, y, lambda y: y * 3), True, 1.0, 2.0)",
    "lax.cond(True, lambda x: None, lambda x: None, 1)",
    "lax.cond(True, lambda: (), lambda: ())",
    "lax.cond(F[0] < 1, lambda p: {'a': p['x'], 'b': (p['y'], 1)}, lambda p: {'a': p['y'], 'b': (p['x'], 2)}, {'x': F, 'y': F + 1})",  # noqa: E501
    # Types: weak where the first branch is.
    "[lax.cond(p, lambda: 1.0, lambda: jnp.float32(2)) for p in (True, False)]",
    "[lax.cond(p, lambda: jnp.float32(2), lambda: 1.0) for p in (True, False)]",
    "[lax.cond(True, lambda x: x, lambda x: x + 1, x) for x in (1, 1.0, True, 1j, np.int8(1), N)][:2]",  # noqa: E501
    "[lax.cond(True, lambda x: x * x, lambda x: x + x, jnp.ones(2, d)) for d in ('float16', 'bfloat16', 'complex64', 'int8', 'uint32')]",  # noqa: E501
    "lax.cond(True, lambda x: x & x, lambda x: x, jnp.ones(2, bool)), lax.cond(True, lambda x: x * 2, lambda x: x, jnp.ones((0, 3)))",  # noqa: E501
    "lax.cond(True, lambda k: random.split(k)[0], lambda k: k, random.key(0))",
    "jax.vmap(lambda p: lax.cond(p, lambda k: random.split(k)[0], lambda k: k, random.key(0)))(F > 1)",  # noqa: E501
    "jax.eval_shape(lambda p: lax.cond(p, lambda: 1.0, lambda: 2.0), True)",
    # What becomes an operand, and what passes through.
    "show(lambda p, x, w: lax.cond(p, lambda x: x * N, lambda x: x * w, x), True, F, F)",
    "show(lambda p, x, w: lax.cond(p, lambda x: x * N + F, lambda x: x * w * F * N, x), True, F, F)",  # noqa: E501
    "show(lambda p, x, w, v: lax.cond(p, lambda x: x * v * w, lambda x: x * w * v, x), True, F, F, F)",  # noqa: E501
    "show(lambda p: lax.cond(p, lambda: N, lambda: N + 1), True)",
    "show(lambda p: lax.cond(p, lambda: S * F, lambda: F + jnp.float32(1)), True)",
    "show(lambda p, x, y: lax.cond(p, lambda x, y: (x, y, x + y), lambda x, y: (x, x, x - y), x, y), True, 1.0, 2.0)",  # noqa: E501
    "show(lambda p, x, y: lax.cond(p, lambda x, y: (x, y), lambda x, y: (x, y), x, y), True, 1.0, 2.0)",  # noqa: E501
    "lax.cond(True, lambda x, y: (x, y), lambda x, y: (x, y), 1, N[:2].astype('int32'))",
    # Programs that occur twice are printed once.
    "show(lambda p, x: lax.cond(p, double, double, x), True, 1.0)",
    "h = lambda p, x: lax.cond(p, double, jnp.sin, x)\nshow(lambda p, x: h(p, h(p, x)), True, 1.0)",
    "show(lambda p, x: lax.cond(p, lambda x: lax.cond(x > 1, jnp.sin, jnp.cos, x), jnp.sin, x), True, 1.0)",  # noqa: E501
    "show(lambda p, x: lax.cond(p, lambda x: x * x * x * x * x * x * x * x * x * x * x * x, jnp.sin, x), True, 1.0)",  # noqa: E501
    # Derivatives.
    "jax.grad(lambda x: lax.cond(x > 0, lambda x: x * x, lambda x: jnp.nan * x, x))(2.0)",
    "jax.vmap(jax.grad(lambda x: lax.cond(x > 0, jnp.sqrt, lambda x: x * 0, x)))(F)",
    "jax.grad(lambda x, i: lax.switch(i, [jnp.sin, jnp.exp, jnp.cos], x))(0.5, 1)",
    "show(jax.grad(lambda x, i: lax.cond(x.sum() > 0, lambda x: jnp.where(i > 0, x, 2 * x).sum(), lambda x: x.sum(), x)), F, 2)",  # noqa: E501
    "show(jax.grad(lambda w, i: lax.switch(i, [lambda x: (x * w).sum(), lambda x: (jnp.sin(x) * jnp.exp(w)).sum(), lambda x: x.sum() * 3], w)), F, 1)",  # noqa: E501
    "show(lambda p, x: jax.jvp(lambda x: lax.cond(p, lambda x: (x, 1.0), lambda x: (1.0, x * x), x), (x,), (x,)), True, 1.0)",  # noqa: E501
    "show(jax.grad(jax.jit(lambda x: lax.cond(x > 0, jnp.sin, lambda x: x * x, x))), 1.0)",
    "show(jax.grad(lambda x: lax.cond(x > 0, jnp.exp, lambda x: x * x * 2.0, x)), 1.0)",
    "jax.jacfwd(jax.jacrev(lambda x: lax.cond(x[1] > 0, lambda x: x @ x * x, lambda x: x, x)))(F)",
    "y, f = jax.linearize(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x), 2.0)\ny, f(1.0)",
    "jax.vjp(lambda x, i: lax.cond(True, lambda x, i: x * i, lambda x, i: x, x, i), 2.0, 3)[1](1.0)",  # noqa: E501
    # What nobody uses.
    "jax.jit(lambda p, x, y: lax.cond(p, lambda x, y: (jnp.sin(x), y * 2), lambda x, y: (x * 2, y), x, y)[0])(True, 1.0, 2.0)",  # noqa: E501
    # Many examples.
    "show(jax.vmap(lambda p, x: lax.cond(p, lambda x: x + 1, lambda x: x * x, x)), F > 0, jnp.arange(3))",  # noqa: E501
    "g = jax.vmap(lambda p, x, y: lax.cond(p, lambda x: x @ y, lambda x: x * 2, x), (0, 0, None))\nxs = F > 0, jnp.ones((3, 2)), jnp.ones((2, 2))\ng(*xs), show(g, *xs)",  # noqa: E501
    "g = jax.vmap(lambda p: lax.cond(p, lambda: F, lambda: F * 2))\ng(F > 0), show(g, F > 0)",
    "g = jax.vmap(lambda p, x: lax.cond(p, lambda x: (jnp.sin(x), 0.0), lambda x: (x * x, 1.0), x), (None, 0))\ng(True, A), show(g, True, A)",  # noqa: E501
    "g = jax.vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, double], x))\ng(jnp.arange(3), F), show(g, jnp.arange(3), F), show(g, jnp.array([-5, 9], 'int8'), F[:2])",  # noqa: E501
    "g = jax.vmap(lambda x: lax.cond(x > 1, lambda: lax.axis_index('i'), lambda: 0), axis_name='i')\ng(F), show(g, F)",  # noqa: E501
    "g = jax.vmap(lambda x: lax.cond(True, lambda: lax.axis_index('i'), lambda: 0), axis_name='i')\ng(F), show(g, F)",  # noqa: E501
    "g = jax.vmap(lambda p, x: lax.cond(p, lambda x: lax.psum(x, 'i'), lambda x: x * 3, x), (None, 0), axis_name='i')\ng(True, F), show(g, True, F)",  # noqa: E501
    # As plain Python.
    "with jax.disable_jit():\n    r = lax.cond(True, lambda: 1, lambda: 2.0), lax.switch(5, [lambda: 1, lambda: 2.0]), jax.grad(lambda x: lax.cond(x > 0, double, jnp.sin, x))(1.0)\nr",  # noqa: E501
)

SWITCHES = (
    "[lax.switch(i, [lambda x: x, lambda x: 2 * x, lambda x: 3 * x], 1.0) for i in (-3, 0, 1, 2, 7, np.uint8(255), np.uint32(2**31 + 5))]",  # noqa: E501
    "[show(lambda i: lax.switch(i, [jnp.sin, jnp.cos], 1.0), i) for i in (1, np.uint8(200), np.int8(1))]",  # noqa: E501
    "show(lambda x: lax.switch(1, [jnp.sin, jnp.cos, jnp.exp], x), 1.0)",
    "show(lambda i, x: lax.switch(i, [jnp.sin], x), 0, 1.0), lax.switch(5, [lambda x: x], 1.0)",
    "lax.switch(1, [double, jnp.cos], operand=0.0), lax.switch(1, (double, jnp.cos), 0.0)",
    "show(lambda p, x, w, v: lax.switch(p, [lambda x: x * v * w, lambda x: x * w * v, lambda x: x], x), 1, F, F, F)",  # noqa: E501
    "lax.platform_dependent(1.0, cpu=double, tpu=jnp.cos, default=jnp.sin)",
    "lax.platform_dependent(1.0, tpu=jnp.cos, default=double)",
    "show(lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos, default=double), 1.0)",
    "show(lambda x: lax.platform_dependent(x, cpu=jnp.cos), 1.0)",
    "show(lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.sin, cuda=jnp.cos), 1.0)",
    "show(jax.grad(lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos)), 1.0)",
    "g = jax.vmap(lambda x: lax.platform_dependent(x, cpu=double, tpu=jnp.cos))\ng(F), jax.jit(g)(F), show(g, F)",  # noqa: E501
)

LOOPS = (
    "lax.while_loop(lambda x: x < 100, lambda x: 2 * x, 3), lax.while_loop(lambda x: False, lambda x: x + 1, 0)",  # noqa: E501
    "lax.while_loop(lambda c: c['n'] < 3, lambda c: {'n': c['n'] + 1, 'x': (c['x'][0] * 2,)}, {'n': 0, 'x': (F,)})",  # noqa: E501
    "lax.while_loop(lambda c: False, lambda c: c, ()), lax.while_loop(lambda c: False, lambda c: c, None)",  # noqa: E501
    # Weak types, and what becomes wider.
    "[lax.while_loop(lambda c: c < 5, lambda c: c + 1, x) for x in (0, 0.0, jnp.int8(0), np.float16(0))]",  # noqa: E501
    "[lax.while_loop(lambda c: c < 5, lambda c: c + jnp.float32(1), x) for x in (0, 0.0, 9.0)]",
    "show(lambda x: lax.while_loop(lambda c: c < 5, lambda c: c + jnp.float32(1), x), 0)",
    "show(lambda x: lax.while_loop(lambda c: c < 5, lambda c: c + 1.0, x), 0)",
    "lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, random.split(c[1])[0]), (jnp.int32(0), random.key(1)))",  # noqa: E501
    "jax.vmap(lambda i: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, random.split(c[1])[0]), (i, random.key(1))))(jnp.arange(3))",  # noqa: E501
    # What is handed on becomes a constant.
    "show(lambda x, y: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + c[1], c[1], c[2] * x), (x, y, x)), 1.0, 2.0)",  # noqa: E501
    "show(lambda x, y: lax.while_loop(lambda c: c[0] < c[1], lambda c: (c[0] + c[1], c[1], c[2] * x), (x, y, x)), 1.0, 2.0)",  # noqa: E501
    "show(lambda x, y: lax.while_loop(lambda c: c[0] < x, lambda c: (c[0] + x * y, c[1], c[2]), (x, y, F)), 1.0, 2.0)",  # noqa: E501
    "lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1]), (0, 5)), lax.while_loop(lambda c: False, lambda c: c, N)",  # noqa: E501
    "show(lambda x: lax.while_loop(lambda c: c[0] < F[0] + N[0] + S, lambda c: (c[0] + S, c[1] * N * F), (x, F)), 2.0)",  # noqa: E501
    # Derivatives.
    "jax.grad(lambda x: x * lax.while_loop(lambda c: c < 5, lambda c: c + 1, 0))(2.0)",
    "jax.grad(lambda x: x * lax.while_loop(lambda c: c < 5, lambda c: c + 1, lax.stop_gradient(x)))(2.0)",  # noqa: E501
    "g = jax.grad(lambda x: x * lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * x), (0, x))[0])\ng(2.0), show(g, 2.0)",  # noqa: E501
    "jax.vjp(lambda x: lax.while_loop(lambda c: c < 9, lambda c: c * c, x), 2.0)[0]",
    "f = lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]\njax.jvp(f, (2.0,), (1.0,)), jax.linearize(f, 2.0)[1](1.0), show(jax.linearize(f, 2.0)[1], 1.0), jax.jacfwd(jax.jacfwd(f))(2.0)",  # noqa: E501
    "f = lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]\nshow(lambda x: jax.jvp(lambda x: jax.jvp(f, (x,), (x,))[1], (x,), (x,)), 2.0)",  # noqa: E501
    "show(lambda x: jax.jvp(lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2, c[1] + c[2]), (0, x, 1.0))[1:], (x,), (x,)), 2.0)",  # noqa: E501
    # Many examples.
    "g = jax.vmap(lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + x, c[1] @ c[1]), (x, jnp.ones((2, 2)))))\ng(F + 1), show(g, F)",  # noqa: E501
    "g = jax.vmap(lambda x: lax.while_loop(lambda c: c < 5, lambda c: c + 1, 0) + x)\ng(F), show(g, F)",  # noqa: E501
    "f = lambda x, y: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + x, c[1] * y), (x, y))\ng = jax.vmap(jax.vmap(f, (0, None)), (None, 0))\nh = jax.vmap(jax.vmap(f, (None, 0)), (0, None))\ng(F + 1, F[:2]), show(g, F, F[:2]), h(F + 1, F[:2]), show(h, F, F[:2])",  # noqa: E501
    "g = jax.vmap(lambda x, w: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] @ w), (0, x)), (1, None))\nxs = jnp.ones((2, 3)), jnp.ones((2, 2))\ng(*xs), show(g, *xs)",  # noqa: E501
    "g = jax.vmap(lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, lax.psum(c[1], 'i')), (0, x)), axis_name='i')\ng(F), show(g, F)",  # noqa: E501
    "g = jax.vmap(lambda x: lax.while_loop(lambda c: c < 5, lambda c: c + 1 + lax.axis_index('i'), 0), axis_name='i')\ng(F), show(g, F)",  # noqa: E501
    "jax.vmap(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * c, x))(F + 2)",
    "with jax.disable_jit():\n    r = lax.while_loop(lambda x: x < 3, lambda x: x + 1.0, 0), jax.vmap(lambda x: lax.while_loop(lambda x: x < 3, lambda x: x + 1.0, x))(F), jax.grad(lambda x: lax.while_loop(lambda x: x < 3, double, x))(2.0)\nr",  # noqa: E501
)

SOLVES = (
    "root(2.0), jax.grad(root)(2.0), jax.grad(jax.grad(root))(2.0), jax.jit(jax.grad(root))(2.0)",
    "jax.vmap(jax.grad(root))(F + 1), jax.jvp(root, (2.0,), (1.0,)), jax.jacfwd(jax.jacrev(root))(4.0)",  # noqa: E501
    "show(root, 2.0), show(jax.grad(root), 2.0)",
    "lax.custom_root(lambda x: x * x - 2.0, 1.0, lambda f, x: (newton(f, x), {'n': x}), lambda g, y: y / g(1.0), has_aux=True)",  # noqa: E501
    "jax.grad(lambda a: lax.custom_root(lambda x: {'x': x['x'] - a, 'y': x['y'] - 2 * a}, {'x': 0.0, 'y': 0.0}, lambda f, x: jax.tree.map(lambda v: -v, f(x)), lambda g, y: y)['y'])(3.0)",  # noqa: E501
    "solved(A, F + 1), jax.vmap(lambda b: solved(A, b + 1))(A), jax.jvp(solved, (A, F + 1), (A, F))[0]",  # noqa: E501
    "jax.grad(lambda b: solved(A, b, symmetric=True).sum())(F)",
    "jnp.round(jax.grad(lambda a: solved(a, F, symmetric=True).sum())(A), 4)",
    "jnp.round(jax.grad(lambda a: solved(a, F, transpose_solve=relax).sum())(A + M[0] / 8), 4)",
    "jax.vmap(jax.grad(lambda b: solved(A, b, symmetric=True).sum()))(A)",
    "jax.grad(lambda b: solved(A, b).sum())(F)",
    "jax.grad(lambda b: lax.custom_linear_solve(lambda x: A @ x, b, lambda m, b: (relax(m, b), b.sum()), symmetric=True, has_aux=True)[1])(F)",  # noqa: E501
    "jax.vmap(lambda b: lax.custom_linear_solve(lambda x: A @ x, b, lambda m, b: (relax(m, b), 3), symmetric=True, has_aux=True)[1])(A)",  # noqa: E501
    "jax.grad(lambda a: jax.grad(lambda a: lax.custom_linear_solve(lambda x: a * x, F, lambda m, b: b / a, symmetric=True).sum())(a))(2.0)",  # noqa: E501
    "show(jax.vmap(halved, (0, None)), jnp.ones((2, 3, 3)), F), show(jax.vmap(lambda b: halved(A, b, symmetric=True)), A)",  # noqa: E501
)

ERRORS = (
    "lax.cond(True, lambda: 1, lambda: 2.0)",
    "lax.cond(True, lambda: F, lambda: N[:2])",
    "lax.cond(F[0] > 0, lambda: (1,), lambda: [1])",
    "jax.jit(lambda p: lax.cond(p, lambda x: x, lambda x: {'a': x}, F))(True)",
    "lax.cond('a', lambda: 1, lambda: 1)",
    "lax.cond(jnp.bfloat16(1), lambda: 1, lambda: 1)",
    "lax.cond(True, lambda x: x, lambda x: x, 'a')",
    "lax.cond(True, lambda x: 'a', lambda x: 'b', 1)",
    "lax.cond(True, lambda x: x, lambda x: x, 1, 2)",
    "lax.switch(True, [double, jnp.cos], 1.0)",
    "lax.switch(None, [double, jnp.cos], 1.0)",
    "lax.switch(0, [lambda x: x, lambda x: x, lambda x: (x, x)], 1.0)",
    "lax.while_loop(lambda c: c < 5, lambda c: 1, 0.0)",
    "lax.while_loop(lambda c: c[0] < 5, lambda c: c[0], (0.0,))",
    "lax.while_loop(lambda c: c < 4, lambda c: None, 0)",
    "lax.while_loop(lambda c: c < 4, lambda c: 'a', 0)",
    "lax.while_loop(lambda c: (c[0] < 5, c[0] < 4), lambda c: c, F)",
    "lax.while_loop(lambda c: random.key(0), lambda c: c + 1, 0)",
    "jax.grad(jax.jit(lambda x: lax.while_loop(lambda c: c < 9, double, x)))(2.0)",
    "jax.grad(lambda x: lax.cond(x > 0, lambda x: lax.while_loop(lambda c: c < 9, double, x), lambda x: x, x))(2.0)",  # noqa: E501
    "lax.custom_root(lambda x: x, 'a', lambda f, x: x, lambda g, y: y)",
    "lax.custom_linear_solve(lambda x: x, 'a', lambda m, b: b)",
)

CASES = (*use_cases(), *CONDS, *SWITCHES, *LOOPS, *SOLVES, *ERRORS)
