"""The questions of chapter 05, drawn for each student."""


def draw_05_3(rng):
    kinds = (work, tie, nested, types, refusals, movers)
    for k in sorted(rng.permutation(len(kinds))[:5]):
        yield kinds[k](rng)


def some(rng, pool, count):
    return [pool[k] for k in rng.permutation(len(pool))[:count]]


def work(rng):
    f, g = some(rng, ["lax.sin", "lax.exp", "lax.cos", "lax.log"], 2)
    a = f"{rng.integers(2, 9)}.0"
    [body] = some(rng, [
        f"{f}(x) * x + {a}", f"{f}({a}) * {g}(x)", f"{f}({g}(x)) * {a}", f"{g}({a}) - {f}(x)",
        f"{f}(x) * {g}({a}) * x", f"{f}({a} * x) * x", f"{f}(x) - {a} * {g}(x)",
        f"{g}(x) * (x - {f}({a}))",
    ], 1)  # fmt: skip
    call = f"jax.jvp(lambda x: {body}, (2.0,), (1.0,))"
    text = f"Which primitives reach the ground floor in `{call}`, in order? A list of names."
    return text, f"operations(lambda: {call})"


def tie(rng):
    a, b, s, t = (int(n) for n in rng.integers(2, 9, 4))
    y = f"{a}.0" if rng.random() < 0.7 else f"{b}.0"
    body = f"lax.max(x * {b}.0, y * {b}.0)"
    call = f"jax.jvp(lambda x, y: {body}, ({a}.0, {y}), ({s}.0, {t + 0.5}))[1]"
    return f"What is `{call}`?", f"float({call})"


def nested(rng):
    a, b, c = (int(n) for n in rng.integers(2, 6, 3))
    [inner] = some(rng, [f"{a} * x * y", f"x * x + {a} * y", "x * y * y", f"(x + {a}) * y"], 1)
    outer = f"d(lambda x: x * d(lambda y: {inner})({b}.0))({c}.0)"
    text = f"With `d = lambda f: lambda x: jax.jvp(f, (x,), (1.0,))[1]`: what is `{outer}`?"
    return text, f"float({outer})"


def types(rng):
    pool = ["np.arange(3)", "np.ones(2, 'float16')", "True", "2", "2.0", "1j", "np.uint8(3)",
            "np.zeros(2, bool)", "np.float16(1) * np.float16(2)"]  # fmt: skip
    values = ", ".join(some(rng, pool, 4))
    text = f"Which dtypes have the tangents of the four values `{values}`? A list of names."
    return text, f"[tangent_dtype(x) for x in [{values}]]"


def refusals(rng):
    pool = [
        "jax.jvp(lambda x: x * x, (2.0,), (1,))",
        "jax.jvp(lambda x: x * x, (2,), (1.0,))",
        "jax.jvp(lambda x: x * x, (np.ones(3, 'float32'),), (np.ones(2, 'float32'),))",
        "jax.jvp(lambda x: float(x) * x, (2.5,), (1.0,))",
        "jax.jvp(lambda x: int(x) * x, (2.5,), (1.0,))",
        "jax.jvp(lambda x: x if x > 2 else 3 * x, (2.5,), (1.0,))",
        "jax.jvp(lambda x: np.sin(x), (2.5,), (1.0,))",
        "jax.jvp(lambda p: p['a'] * 2, ({'a': 1.0},), ([1.0],))",
        "jax.jvp(lambda x: x * x, (2.0,), [1.0])",
        "jax.jvp(lambda x: [5.0, 6.0, 7.0][int(x)], (2.5,), (1.0,))",
    ]
    calls = some(rng, pool, 4)
    text = "What is raised by each of `" + "`, `".join(calls) + "`? A list of four names."
    return text, f"[{', '.join(f'error(lambda: {call})' for call in calls)}]"


def movers(rng):
    a = rng.integers(2, 9)
    pool = [f"x * {a}.0", f"lax.sin({a}.0)", f"x > {a}.0", "x * 0.0", "x.astype(int)", "x - x",
            f"(x > {a}.0) * x", f"jnp.where(x > {a}.0, 1.0, 2.0)", "x.astype('float16')",
            "jnp.ones(x.shape)"]  # fmt: skip
    results = ", ".join(some(rng, pool, 5))
    call = f"jvp_flat(lambda x: [{results}], [3.0], [1.0])[1]"
    text = f"Which of the five tangents `{call}` are a `Zero`? A list of True and False."
    return text, f"[type(t) is Zero for t in {call}]"
