"""scan, fori_loop, map and associative_scan: values, types, derivatives, batches, jaxprs."""

SETUP = """\
F = jnp.arange(3.0)
N = np.arange(3.0)
S = np.float32(2)
M = jnp.arange(6.0).reshape(2, 3) / 4
YS = jnp.arange(5.0) / 4
I = jnp.arange(4)

def show(f, *args):
    return jax.make_jaxpr(f)(*args)

def total(f):
    return lambda *args: sum(jnp.sum(x) for x in jax.tree.leaves(f(*args)))

def product(c, y):
    return c * y, c

def sine(c, y):
    return jnp.sin(c) * y, c

def weighted(w):
    return lambda c, y: (jnp.sin(c * w) + y, c * w)
"""

# Each is put through every transformation: its arguments, and the function.
USES = (
    ("(jnp.float32(1.0), YS)", "lambda c, ys: lax.scan(product, c, ys)"),
    ("(1.0, YS)", "lambda c, ys: lax.scan(sine, c, ys)"),
    ("(jnp.float32(1.0), YS)", "lambda c, ys: lax.scan(sine, c, ys, reverse=True)"),
    ("(1.5, 2.0)", "lambda c, w: lax.scan(lambda c, _: (c * w, c), c, None, length=3)"),
    ("(1.5, 2.0)", "lambda c, w: lax.scan(lambda c, _: (jnp.sin(c * w), None), c, None, 4)[0]"),
    ("(F, F + 1)", "lambda c, w: lax.scan(weighted(w), c, YS)"),
    ("(F, 2.0)", "lambda c, w: lax.scan(weighted(jnp.sin(w)), c, YS)"),
    ("(F, 2.0)", "lambda c, w: lax.scan(lambda c, y: (c * jnp.sin(w) + y, c), c, YS)"),
    ("(F, 2.0)", "lambda c, w: lax.scan(lambda c, y: (jnp.sin(c) * jnp.exp(w) * y, w), c, YS)"),
    ("(F, F)", "lambda c, ys: lax.scan(lambda c, y: (c, c * y), c, ys)"),
    ("(F, F)", "lambda c, ys: lax.scan(lambda c, y: (c * y, y), c, ys)"),
    ("(F, F)", "lambda c, ys: lax.scan(lambda c, y: ((c[1], c[0] * y), c[0]), (c, c), ys)"),
    ("(1.0, F)", "lambda a, b: lax.scan(lambda c, y: ((c[0], c[1] * c[0]), y), (a, a), b)"),
    ("(1.0, F)", "lambda a, b: lax.scan(lambda c, y: (jnp.exp(c), jnp.exp(c)), a, b)"),
    ("(1.0, F)", "lambda a, b: lax.scan(lambda c, y: (c + 1, jnp.sin(y) * c), a, b)"),
    ("(M[:, :2], M[:, 1:])", "lambda a, b: lax.scan(lambda c, y: (c @ (b * y), c), a[0], a)"),
    ("(M, M)", "lambda a, b: lax.scan(lambda c, y: (c + y @ a.T, (y, c)), a[:, 0], b)"),
    ("(1.0, YS)", "lambda c, ys: lax.scan(lambda i, y: (i + 1, y * i * c), 0, ys)"),
    ("(F[1], YS)", "lambda c, ys: lax.scan(lambda s, y: ((s[0] + 1, s[1] * y), s), (0, c), ys)"),
    ("(1.0, YS)", "lambda c, ys: lax.scan(sine, lax.scan(product, c, ys)[0], ys)"),
    ("(1.0, M)", "lambda c, m: lax.scan(lambda c, r: lax.scan(sine, c, r), c, m)"),
    ("(1.0, YS)", "lambda c, ys: lax.scan(jax.jit(sine), c, ys)"),
    ("(1.0, YS)", "lambda c, ys: jax.jit(lambda c: lax.scan(sine, c, ys))(c)"),
    ("(1.0, 2.0)", "lambda x, y: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * y, x)"),
    ("(1.0, 2.0)", "lambda x, y: lax.fori_loop(2, 5, lambda i, c: c * i + y, x)"),
    ("(F, F)", "lambda x, y: lax.map(lambda p: jnp.sin(p[0]) * p[1], (x, y))"),
    ("(F, 2.0)", "lambda x, y: lax.map(lambda p: p * jnp.sin(y), x)"),
    ("(YS, 2.0)", "lambda x, y: lax.map(lambda p: p * y, x, batch_size=2)"),
    ("(YS, 2.0)", "lambda x, y: lax.associative_scan(lambda a, b: a * b * y, x)"),
    ("(M, F)", "lambda x, y: lax.associative_scan(lambda a, b: a + jnp.sin(b) * y, x)"),
    ("(M, F)", "lambda x, y: lax.associative_scan(jnp.multiply, x * y, axis=1, reverse=True)"),
)


# Of these the derivatives' jaxprs hold what is no fact of scan's: float0 zeros as text, jits that
# JAX splits, transposed concatenations. Their values count all the same.
UNSHOWN = ("i + 1", "s[0] + 1", "jax.jit(sine)", "associative_scan", "batch_size")


def use_cases():
    for inputs, function in USES:
        setup = f"f = {function}\nxs = {inputs}\n"
        yield setup + "f(*xs), show(f, *xs)"
        yield setup + "jax.jvp(f, xs, tuple(x * 0 + 0.5 for x in xs))"
        yield setup + "jax.grad(total(f), (0, 1))(*xs)"
        yield setup + "jax.jit(jax.grad(total(jax.grad(total(f), (0, 1)))))(*xs)"
        yield setup + "jax.linearize(lambda x: f(x, xs[1]), xs[0])[1](xs[0])"
        if not any(text in function for text in UNSHOWN):
            yield setup + "show(lambda *xs: jax.jvp(f, xs, tuple(x * x for x in xs)), *xs)"
            yield setup + "show(jax.grad(total(f), (0, 1)), *xs)"
            yield setup + "g = jax.grad(total(f), 1)\nshow(g, *xs), show(jax.grad(total(f)), *xs)"
            yield setup + "show(lambda x, w: jax.linearize(lambda y: f(x, y), w)[1](w), *xs)"
        for axes in ((0, 0), (0, None), (None, 0), (-1, None)):
            yield setup + (
                f"bs = tuple(x if a is None else jnp.stack([x, x + 1.0], a)"
                f" for x, a in zip(xs, {axes}))\n"
                f"g = jax.vmap(f, {axes})\ng(*bs), show(g, *bs)"
            )


CASES = (*use_cases(),)
