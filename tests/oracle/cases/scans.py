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


MORE = (
    # What a body may take and return.
    "lax.scan(lambda c, x: (c, x), 0.0, F)",
    "lax.scan(lambda c, x: [c, x], 0.0, F)",
    "lax.scan(lambda c, x: (c, None), 0.0, F)",
    "lax.scan(lambda c, x: (c + 1, None), 0.0, None, 4)",
    "lax.scan(lambda c, x: (None, x), None, F)",
    "lax.scan(lambda c, x: ((), ()), (), F)",
    "lax.scan(lambda c, x: (c, {'a': x, 'b': (c['p'],)}), {'p': 1.0, 'q': [F]}, F)",
    "lax.scan(lambda c, x: (c + x['a'] * x['b'][0], x), 0.0, {'a': F, 'b': [F]})",
    "lax.scan(lambda c, x: (c + x.sum(), x), 0.0, M)",
    "lax.scan(lambda c, x: (c + x, x.sum()), M[0], M)",
    "lax.scan(lambda c, x: (c + x, c), 0.0, np.arange(3.0))",
    "lax.scan(lambda c, x: (c + x, c), 0, np.arange(3, dtype='int16'))",
    "lax.scan(lambda c, x: (c + x, c), np.float64(0), F)",
    "lax.scan(lambda c, x: (c * S + N, c), F, F)",
    "lax.scan(lambda c, x: (c, F), 0.0, None, length=2)",
    "lax.scan(lambda c, x: (c, 1.5), 0.0, None, length=2)",
    "lax.scan(lambda c, x: (c, np.arange(2)), 0.0, F)",
    "lax.scan(lambda c, x: (x, c), 0.0, F)",
    "lax.scan(lambda c, x: (c[::-1], c), F, None, 3)",
    "lax.scan(f=lambda c, x: (c + x, c), init=0.0, xs=F, length=3, reverse=True, unroll=2)",
    "lax.scan(lambda c, x: (c + x, c), 0.0, F, 3, True, 3, True)",
    "lax.scan(lambda c, x: (c + x, c), 0.0, F, length=jnp.int32(3))",
    "lax.scan(lambda c, x: (c + x, c), 0.0, F, length=np.int64(3))",
    "lax.scan(lambda c, x: (c + x, c), 0.0, F, length=3.7)",
    "lax.scan(lambda c, x: (c + 1, c), 0, None, length=np.float32(2))",
    # No steps.
    "lax.scan(lambda c, x: (c + x, c * 2), 0.0, jnp.zeros(0))",
    "lax.scan(lambda c, x: (c + 1.5, {'a': x}), 0, jnp.zeros((0, 2)))",
    "lax.scan(lambda c, x: (c * 2, (c, M)), F, None, length=0)",
    "jax.grad(lambda c: lax.scan(lambda c, x: (c * x, c), c, jnp.zeros(0))[0])(2.0)",
    "jax.vmap(lambda c: lax.scan(lambda c, x: (c * x, c), c, jnp.zeros(0)))(F)",
    "lax.fori_loop(3, 3, lambda i, c: c * 2, 1.0)",
    "lax.fori_loop(3, 0, lambda i, c: c * 2, F)",
    "lax.scan(lambda c, x: (c, x), F, jnp.zeros((3, 0)))",
    # Weak carries become what a step makes of them.
    "show(lambda: lax.scan(lambda c, x: (c + x, c), 0, F))",
    "show(lambda: lax.scan(lambda c, x: (c + 1.5, c), 0, F))",
    "show(lambda: lax.scan(lambda c, x: (c + x, c), 0.0, F.astype('bfloat16')))",
    "show(lambda: lax.scan(lambda c, x: (c + x, c), 0, F.astype('complex64')))",
    "show(lambda: lax.scan(lambda c, x: ((c[0] + x, c[1] + 1), c), (0, 0), F))",
    "lax.scan(lambda c, x: (c + x, c), 0, F.astype('float16'))",
    "lax.scan(lambda c, x: (c + x, c), 0.0, jnp.arange(3, dtype='int8'))",
    "lax.scan(lambda c, x: (jnp.sin(c), c), 1, None, 3)",
    "lax.scan(lambda c, x: (c * 2, c), 1.0, None, 3)",
    "lax.scan(lambda c, x: (c * 2, c + 1.0), 1, None, 3)",
    "lax.scan(lambda c, x: (c | x, c), 0, I)",
    "lax.scan(lambda c, x: (c + x, c), 0j, F)",
    "lax.scan(lambda c, x: ((c[1], c[0]), c), (0, 1.0), F)",
    "jax.jit(lambda c: lax.scan(lambda c, x: (c + x, c), c, F))(1)",
    "show(lambda c: lax.scan(lambda c, x: (c + x, c), c, F), 1)",
    # Dtypes.
    *(
        f"lax.scan(lambda c, x: (c + x, (c, x)), jnp.zeros(2, {d!r}), jnp.ones((3, 2), {d!r}))"
        for d in ("int8", "uint32", "float16", "bfloat16", "complex64")
    ),
    *(
        "jax.grad(lambda a, x: lax.scan(lambda c, x: (c * x, c + x), a, x)[0].astype("
        f"'float32'))(jnp.ones((), {d!r}), jnp.full(3, 0.5, {d!r}))"
        for d in ("float16", "bfloat16", "float32")
    ),
    "lax.scan(lambda c, x: (c ^ x, c & x), True, jnp.array([True, False]))",
    "lax.scan(lambda c, x: (c & x, c | x), jnp.array(True), jnp.array([True, False]))",
    "lax.scan(lambda k, _: random.split(k), random.key(0), None, 3)",
    "lax.scan(lambda k, _: (random.split(k)[0], random.uniform(k)), random.key(0), None, 3)",
    "lax.scan(lambda c, k: (c + random.normal(k), k), 0.0, random.split(random.key(1), 3))",
    "lax.map(random.uniform, random.split(random.key(1), 3))",
    "lax.map(lambda k: k, random.split(random.key(1), 3))",
    "jax.vmap(lambda k: lax.scan(lambda k, _: random.split(k), k, None, 2))("
    "random.split(random.key(3), 2))",
    "with jax.enable_x64(True):\n    y = lax.scan(lambda c, x: (c + x, c), 0.0, np.arange(3))\ny",
    "with jax.enable_x64(True):\n    y = lax.fori_loop(0, 3, lambda i, c: c + i, 0)\ny",
    "with jax.enable_x64(True):\n"
    "    y = show(lambda n: lax.fori_loop(0, n, lambda i, c: c * 1.5, 1.0), 3)\ny",
    "with jax.enable_x64(True):\n"
    "    y = jax.grad(lambda a: lax.scan(lambda c, x: (c * x, c), a, np.ones(3))[0])(1.0)\ny",
    # What a step captures.
    "jax.jit(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F))(2.0)",
    "jax.grad(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F)[0])(2.0)",
    "jax.vmap(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F))(F)",
    "jax.jvp(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F), (2.0,), (1.0,))",
    "jax.vmap(jax.grad(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F)[0]))(F)",
    "jax.jacfwd(lambda w: lax.scan(lambda c, x: (c * w, c), 1.0, F)[1])(2.0)"
    " if hasattr(jax, 'jacfwd') else 0",
    "show(lambda w: lax.scan(lambda c, x: (c * w + N * F, x), F, None, length=2), 1.0)",
    "show(lambda w: lax.scan(lambda c, x: (c * w + N * N + w, x), F, None, length=2), F)",
    "show(lambda w: lax.scan(lambda c, x: (c * S + 2.5 + w, N), F, None, length=2), F)",
    "show(lambda w: lax.scan(lambda c, x: (c, w), F, None, length=2), F)",
    "show(lambda w: lax.scan(lambda c, x: (w, c), F, None, length=2), F)",
    "show(lambda w: lax.scan(lambda c, x: (c, 2.5), F, None, length=2), F)",
    "show(lambda w: lax.scan(lambda c, x: ((c[0], c[1] + c[0]), x), (w, w), F), F)",
    "show(lambda w: lax.scan(lambda c, x: ((c[0], w), (x, x, c[0])), (w, w), F), F)",
    "show(lambda w: lax.scan(lambda c, x: (x, x), 1.0, w), F)",
    "show(lambda w: lax.scan(lambda c, x: (c, x), 1.0, w), F)",
    "show(lambda w: lax.scan(lambda c, x: (lax.scan(lambda d, y: (d * x, d), c, w)[0], c), 1.0, w),"
    " F)",
    "f = lambda c, x: (c * x, c)\nshow(lambda w: (lax.scan(f, 1.0, w), lax.scan(f, 2.0, w)), F)",
    "f = lambda c, x: (c * x, c)\nshow(lambda w: (lax.scan(f, 1.0, w), lax.scan(f, w, w)), F)",
    # As it prints.
    "show(lambda w: lax.scan(product, 1.0, w, reverse=True), F)",
    "show(lambda w: lax.scan(product, 1.0, w, unroll=2), F)",
    "show(lambda w: lax.scan(product, 1.0, w, unroll=0), F)",
    "show(lambda w: lax.scan(product, 1.0, w, unroll=7), F)",
    "show(lambda w: lax.scan(product, 1.0, w, unroll=True), F)",
    "show(lambda w: lax.scan(product, 1.0, w, unroll=False), F)",
    "show(lambda w: lax.scan(product, 1.0, w, _split_transpose=True), F)",
    "show(lambda w: lax.scan(product, 1.0, w[:0], unroll=True), F)",
    "show(jax.grad(lambda w: lax.scan(product, 1.0, w, reverse=True, unroll=2)[0]), F)",
    "show(jax.jit(lambda w: lax.scan(product, 1.0, w)[0]), F)",
    "show(jax.vmap(lambda w: lax.scan(product, 1.0, w)[0]), M)",
    "show(jax.vmap(lambda w, c: lax.scan(lambda c, x: (c + 1, x * w), c, F), (0, None)), F, 0)",
    "show(jax.vmap(lambda w, c: lax.scan(lambda c, x: (c[::-1], c * w), (c), F), (0, None)), F, F)",
    "show(jax.vmap(lambda w: lax.scan(lambda c, x: ((c[1], w), x), (0.0, 0.0), F)), F)",
    "show(jax.grad(jax.grad(lambda a: lax.scan(sine, a, YS)[0])), jnp.float32(1.0))",
    "show(jax.vmap(jax.grad(lambda a: lax.scan(sine, a, YS)[0])), F)",
    "show(jax.grad(lambda a: jax.vmap(lambda b: lax.scan(sine, b, YS)[0])(a).sum()), F)",
    "show(lambda n: lax.fori_loop(0, n, lambda i, c: c * 2, 1.0), 3)",
    "show(lambda n: lax.fori_loop(n, 9, lambda i, c: c * i, 1.0), 3)",
    "show(lambda x: lax.fori_loop(2, 9, lambda i, c: c * i + x, x), F)",
    "show(lambda x: lax.fori_loop(2, 9, lambda i, c: c * i + x, x, unroll=True), F)",
    "show(lambda x: lax.fori_loop(2, 9, lambda i, c: c * i + x, x, unroll=3), F)",
    "show(lambda x: lax.fori_loop(np.int8(2), 9, lambda i, c: c + x, x), F)",
    "show(lambda n: lax.fori_loop(np.int16(0), n, lambda i, c: c + i, 0), jnp.int16(3))",
    "show(jax.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x + i, x)), jnp.float32(1.0))",
    "show(lambda x: lax.map(jnp.sin, x), F)",
    "show(lambda x: lax.map(lambda a: (a, a * 2), x), F)",
    "show(lambda x: lax.map(lambda a: a['u'] @ a['v'], x), {'u': M, 'v': M})",
    "show(lambda x: lax.map(jnp.sin, x, batch_size=2), I.astype(float))",
    "show(lambda x: lax.map(jnp.sin, x, batch_size=3), M)",
    "show(lambda x: lax.map(jnp.sin, x, batch_size=2), F)",
    "show(lambda x: lax.map(jnp.sin, x, batch_size=0), F)",
    "show(lambda x: lax.associative_scan(jnp.add, x), F)",
    "show(lambda x: lax.associative_scan(jnp.add, x, reverse=True), I)",
    "show(lambda x: lax.associative_scan(jnp.multiply, x, axis=-1), M)",
    "show(lambda x: lax.associative_scan(jnp.logical_or, x), F > 1)",
    # fori_loop, map and associative_scan: values.
    "lax.fori_loop(0, 5, lambda i, c: c + i, 0)",
    "lax.fori_loop(0, 5, lambda i, c: c + i, 0.0)",
    "lax.fori_loop(0.0, 3.0, lambda i, c: c + i, 0)",
    "lax.fori_loop(-2, 3, lambda i, c: (c[1], c[0] + i), (1, 2))",
    "lax.fori_loop(jnp.int32(1), np.int32(4), lambda i, c: c * i, 1)",
    "lax.fori_loop(np.uint8(1), np.uint8(4), lambda i, c: c * i, 1)",
    "lax.fori_loop(0, 3, lambda i, c: {'a': c['a'] * i}, {'a': F})",
    "lax.fori_loop(0, 3, lambda i, c: c + i, jnp.int8(0))",
    "jax.jit(lambda n: lax.fori_loop(0, n, lambda i, c: c + i, 0))(5)",
    "jax.jit(lambda n: lax.fori_loop(n, 9, lambda i, c: c * 1.5, 1.0))(jnp.int32(5))",
    "jax.jvp(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, 1.0), (2.0,), (1.0,))",
    "jax.vmap(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, 1.0))(F)",
    "jax.vmap(lambda n: lax.fori_loop(0, n, lambda i, c: c * 2, 1.0))(I)",
    "jax.jit(lambda n: jax.jvp(lambda x: lax.fori_loop(0, n, lambda i, c: c * x, 1.0),"
    " (2.0,), (1.0,)))(3)",
    "jax.grad(jax.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x + i, 1.0)))(2.0)",
    "lax.map(lambda x: x + 1, I)",
    "lax.map(lambda x: (x, {'a': x * 2.5}), I)",
    "lax.map(lambda x: None, I)",
    "lax.map(lambda x: x['a'] + x['b'], {'a': F, 'b': M[0]})",
    "lax.map(lambda x: x.sum(), M)",
    "lax.map(jnp.sin, jnp.zeros((0, 2)))",
    *(f"lax.map(lambda x: x * x[0], jnp.arange(10.0).reshape(5, 2), batch_size={n})"
      for n in (0, 1, 2, 3, 5, 7)),
    "lax.map(lambda x: (x['a'], x['b'].sum()), {'a': I, 'b': jnp.ones((4, 2))}, batch_size=3)",
    *(f"lax.associative_scan(jnp.add, jnp.arange({n}))" for n in (0, 1, 2, 3, 4, 5, 8, 13)),
    *(f"lax.associative_scan(jnp.multiply, jnp.arange(1.0, {n + 1}), reverse=True)"
      for n in (1, 2, 5, 6)),
    "lax.associative_scan(jnp.add, M, axis=1)",
    "lax.associative_scan(jnp.add, M, axis=1, reverse=True)",
    "lax.associative_scan(lambda a, b: {'m': a['m'] * b['m'], 'b': a['b'] * b['m'] + b['b']},"
    " {'m': YS, 'b': YS + 1})",
    "lax.associative_scan(jnp.logical_xor, F > 1)",
    "lax.associative_scan(jnp.maximum, I.astype('uint8'))",
    "lax.associative_scan(jnp.matmul, jnp.arange(12.0).reshape(3, 2, 2))",
    "lax.associative_scan(jnp.add, [F, M[0]])",
    "W = jnp.arange(3) + 1.0\nlax.pad(W, 0.0, [(0, 0, 1)]), lax.pad(W, S, [(0, 0, 1)])",
    "W = jnp.arange(3) + 1.0\nlax.associative_scan(jnp.multiply, W)",
    "jax.jit(lambda x: lax.associative_scan(jnp.add, x))(F)",
    "jax.vmap(lambda x: lax.associative_scan(jnp.add, x))(M)",
    # Nestings.
    "jax.grad(lambda a: lax.scan(sine, a, YS)[1].sum())(1.0)",
    "jax.vmap(jax.vmap(lambda a, b: lax.scan(sine, a, b), (None, 0)), (0, None))(F, M)",
    "jax.vmap(jax.grad(lambda a, b: lax.scan(sine, a, b)[0]), (0, None))(F, YS)",
    "jax.grad(lambda a: lax.scan(lambda c, x: (jax.grad(lambda z: z**3 * x)(c), c), a, YS)[0])(.5)",
    "lax.scan(lambda c, x: (jax.vmap(lambda z: z * x)(c), c), F, F)",
    "lax.scan(lambda c, x: (jax.jit(lambda z: z * x)(c), c), 1.0, F)",
    "lax.scan(lambda c, x: (lax.cond(x > 1, lambda z: z + x, lambda z: z * 2, c), c), 1.0, F)",
    "jax.grad(lambda a: lax.scan(lambda c, x: (lax.cond(x > 1, lambda z: z * x, lambda z: z * 2,"
    " c), c), a, F)[0])(1.5)",
    "lax.scan(lambda c, x: (lax.while_loop(lambda z: z < 5, lambda z: z + x + 1, c), c), 0.0, F)",
    "jax.vmap(lambda v: lax.scan(lambda c, x: (c + lax.psum(x, 'i'), lax.axis_index('i')), v, F),"
    " axis_name='i')(F)",
    "jax.vmap(lambda v: lax.scan(lambda c, x: (c + lax.psum(v, 'i'), c), 0.0, F),"
    " axis_name='i')(F)",
    "jax.grad(lambda w: jax.vmap(lambda v: lax.scan(lambda c, x: (c * w + lax.pmean(c * v, 'i'),"
    " c), v, F)[0], axis_name='i')(F).sum())(0.5)",
    "show(jax.vmap(lambda v: lax.scan(lambda c, x: (c + lax.psum(v, 'i'), c), 0.0, F),"
    " axis_name='i'), F)",
    "with jax.disable_jit():\n    y = lax.scan(lambda c, x: (c + x, c), 0.0, F)\ny",
    "with jax.disable_jit():\n"
    "    y = lax.scan(lambda c, x: (c + x, {'a': c}), 0.0, F, reverse=True)\ny",
    "with jax.disable_jit():\n    y = lax.fori_loop(1, 4, lambda i, c: c * i, 1)\ny",
    "with jax.disable_jit():\n    y = lax.fori_loop(4, 1, lambda i, c: c * i, 1)\ny",
    "with jax.disable_jit():\n    y = lax.map(lambda x: x + 1, F)\ny",
    "with jax.disable_jit():\n"
    "    y = jax.grad(lambda a: lax.scan(sine, a, YS)[0])(1.0)\ny",
    "with jax.disable_jit():\n"
    "    y = jax.vmap(lambda a: lax.scan(sine, a, YS))(F)\ny",
    # What is computed once, before the loop, and the order in which the step takes it.
    *(
        f"f = lambda a, b, d: total(lambda x: lax.scan({step}, x, F))(jnp.float32(1.1))\n"
        "[show(jax.grad(f, i), *F) for i in (0, 1, 2, (0, 1, 2))]"
        for step in (
            "lambda k, y: (k * jnp.sin(a) + jnp.exp(b) * y, k * d)",
            "lambda k, y: (k * jnp.sin(a) * jnp.exp(b) + d, jnp.sin(b) * y)",
            "lambda k, y: (jnp.sin(a) * jnp.exp(b) + d * k, k * y)",
            "lambda k, y: (k + y * d * jnp.sin(k * b), a)",
            "lambda k, y: (jnp.sin(k) * y / (a + b) + d, jnp.sin(a))",
            "lambda k, y: (k * jnp.maximum(a, b), y * d)",
        )
    ),
    # Unused parts go.
    "show(lambda x: jax.jit(lambda x: lax.scan(sine, x, YS)[0])(x), 1.0)",
    "jax.eval_shape(lambda x: lax.scan(sine, x, YS), 1.0)",
    "jax.linearize(lambda x: lax.scan(sine, x, YS), 1.0)[1](1.0)",
    "y, f = jax.vjp(lambda x: lax.scan(sine, x, YS), jnp.float32(1.0))\ny, f(y)",
    "y, f = jax.vjp(lambda x: lax.scan(lambda i, y: (i + 1, x * i), 0, YS)[1], F)\ny, f(y)",
    "jax.value_and_grad(lambda x: lax.scan(lambda i, y: (i + 1, x * i), 0, YS)[1].sum())(2.0)",
    "jax.grad(lambda x: lax.scan(lambda s, y: ((s[0] + 1, s[1] * y), None), (0, x), YS)[0][1])(1.)",
    "jax.vjp(lambda x: lax.scan(lambda c, y: (c, y), 1, x), F)[1]((np.zeros((), jax.dtypes.float0),"
    " F))",
)
CASES = (*use_cases(), *MORE)
