"""The questions of chapter 08, drawn for each student."""


def draw_08_3(rng):
    kinds = (types, statics, stale, loops, written, refusals, donations)
    for k in sorted(rng.permutation(len(kinds))[:5]):
        yield kinds[k](rng)


def some(rng, pool, count):
    return [pool[k] for k in rng.permutation(len(pool))[:count]]


def listed(items):
    return "`" + "`, `".join(items) + "`"


def types(rng):
    pool = ["1.0", "2.5", "np.float32(1)", "np.ones(3, 'float32')", "np.zeros(3)", "np.arange(3)",
            "2", "True", "jnp.ones(3)", "[1.0]", "(1.0,)", "[2.5]", "{'a': 1.0}", "jnp.sin(1.0)",
            "{'a': np.ones(3)}", "jnp.ones((1, 3))", "7", "np.int32(2)", "[np.float32(1)]",
            "{'a': 2.5}"]  # fmt: skip
    given = some(rng, pool, 7)
    calls = ", ".join(f"lambda f: f({x})" for x in given)
    text = (
        f"`f` is `jax.jit(lambda tree: tree)`. It is called with each of {listed(given)}, in this "
        "order. Which calls trace? A list of seven bools."
    )
    return text, f"traces(lambda tree: tree, {calls})"


def statics(rng):
    pool = ["f(2.0, 3)", "f(5.0, 3)", "f(2.5, 3)", "f(2.0, 4)", "f(7.0, 4)", "f(2, 3)", "f(9, 3)",
            "f(2.0, True)", "f(2.0, 1)", "f(8.0, 1)", "f(np.float32(2), 3)", "f(True, 1)",
            "f(np.float32(4), 3)", "f(np.ones(3), 4)", "f(jnp.ones(3), 4)"]  # fmt: skip
    given = some(rng, pool, 7)
    calls = ", ".join(f"lambda f: {call}" for call in given)
    text = (
        "`f` is `jax.jit(power, static_argnames='n')`, with `power(x, n)` as defined above. Which "
        f"of the calls {listed(given)}, made in this order, trace? A list of seven bools."
    )
    return text, f"traces(power, {calls}, static_argnames='n')"


def stale(rng):
    rates = [f"rate = {k}.0" for k in rng.permutation(range(2, 10))[:3]]
    pool = ["f(1.0)", "f(10.0)", "f(np.float32(100))", "f(1000)"]
    calls = [pool[k] for k in rng.integers(0, len(pool), 5)]
    events = [rates[0], rates[1], *some(rng, ["f.clear_cache()", rates[2]], 2)]
    steps = [step for pair in zip(events, calls, strict=False) for step in pair] + calls[4:]
    text = (
        "With `f = jax.jit(lambda x: x * rate)`, what do the five calls give in: "
        f"{listed(steps)}? A list of numbers."
    )
    lines = [
        f"out.append(float(called({step.replace('(', ', ', 1)}))" if step in pool else step
        for step in steps
    ]
    return text, "\n".join(["f, out = jax.jit(lambda x: x * rate), []", *lines, "out"])


def loops(rng):
    n = int(rng.integers(5, 30))
    pool = [
        ("f(float(k))", "called(f, float(k))"),
        ("f(k)", "called(f, k)"),
        ("f(jnp.ones(k + 1))", "called(f, jnp.ones(k + 1))"),
        ("f([1.0] * (k + 1))", "called(f, [1.0] * (k + 1))"),
        ("jax.jit(g)(1.0)", "called(jax.jit(g), 1.0)"),
        ("jax.jit(lambda x: g(x))(1.0)", "called(jax.jit(lambda x: g(x)), 1.0)"),
        ("jax.jit(partial(g))(1.0)", "called(jax.jit(partial(g)), 1.0)"),
        ("x = f(x)", "x = called(f, x)"),
        ("x = f(x) * np.float32(2)", "x = called(f, x) * np.float32(2)"),
        ("f(2.0 if k % 2 else 2)", "called(f, 2.0 if k % 2 else 2)"),
        ("f({'a': 1.0, 'b': k})", "called(f, {'a': 1.0, 'b': k})"),
        ("f(1.0); f.clear_cache()", "called(f, 1.0); f.clear_cache()"),
        ("h(2.0, k)", "called(h, 2.0, k)"),
        ("h(2.0, k // 2)", "called(h, 2.0, k // 2)"),
    ]
    drawn = some(rng, pool, 4)
    text = (
        f"With `f = jax.jit(g)`, `h = jax.jit(g, static_argnums=1)` and `x = 1.0`, how often does "
        f"Python run `g` in `for k in range({n}):` followed by "
        f"{listed([text for text, _ in drawn])}, each tried alone? A list of four numbers."
    )
    return text, f"[{', '.join(f'runs({line!r}, {n})' for _, line in drawn)}]"


def written(rng):
    f, g = some(rng, ["jnp.sin", "jnp.exp", "jnp.cos", "jnp.log"], 2)
    first = f"f, g = jax.jit(lambda x: {f}(x) * x), jax.jit(lambda x: {g}(x) + 1.0, inline=True)"
    [body] = some(rng, [
        "f(f(x)) + g(x)", "g(g(x)) * f(x)", "f(g(x)) - x", "jax.jit(g)(x) + g(x)",
        "jax.jit(f)(x) * g(f(x))", "g(x) + jax.jit(lambda y: g(y) + f(y), inline=True)(x)",
    ], 1)  # fmt: skip
    text = (
        f"With `{first}`: which primitives have the equations of "
        f"`jax.make_jaxpr(lambda x: {body})(2.0)`? A list of names, in order; not those inside of "
        "programs."
    )
    return text, f"{first}\nnames(lambda x: {body}, 2.0)"


def refusals(rng):
    pool = [
        "jax.jit(power)(2.0, 3)", "jax.jit(power, static_argnums=1)(2.0, 3)",
        "jax.jit(power, static_argnums=1)(2.0, [3])", "jax.jit(lambda x: x if x > 0 else -x)(2.0)",
        "jax.jit(lambda x: float(x))(2.0)", "jax.jit(lambda x: np.sin(x))(2.0)",
        "jax.jit(lambda x: x, static_argnums=0, donate_argnums=0)", "jax.jit(lambda x: 2.0)('x')",
        "jax.jit(lambda x: jnp.where(x > 0, x, -x))(2.0)", "jax.jit(lambda x: 'x')(2.0)",
        "jax.jit(lambda x: [1, 2, 3][x])(2)", "jax.jit(lambda x: x * len(x))(np.ones(3))",
        "jax.jit(lambda x: x)(jax.ShapeDtypeStruct((3,), 'float32'))",
        "jax.jit(lambda x: x).trace(jax.ShapeDtypeStruct((3,), 'float32'))",
        "jax.jit(lambda x, tree: x, static_argnames='tree')(2.0, tree={'a': 1})",
        "jax.jit(lambda x, key: x, static_argnames='key')(2.0, key=('a', 1))",
    ]  # fmt: skip
    calls = some(rng, pool, 5)
    text = f"What is raised by each of {listed(calls)}? A list of five names."
    return text, f"[{', '.join(f'error(lambda: {call})' for call in calls)}]"


def donations(rng):
    n, m = (int(k) for k in rng.permutation(range(2, 9))[:2])
    [fun] = some(rng, [
        "lambda x, y, z: x + y", "lambda x, y, z: (x * 2, y * 2)", "lambda x, y, z: jnp.sum(z)",
        "lambda x, y, z: (z + 1, x - y)", "lambda x, y, z: z", "lambda x, y, z: (z[:1], z)",
        "lambda x, y, z: (x + y, x - y, z)", f"lambda x, y, z: (z * 2, jnp.ones({n}) * z[0], x)",
        "lambda x, y, z: jax.jit(jnp.add, donate_argnums=(0, 1))(x, y)",
    ], 1)  # fmt: skip
    given = sorted(some(rng, [0, 1, 2], int(rng.integers(1, 4))))
    arrays = f"jnp.ones({n}), jnp.ones({n}), jnp.ones({m})"
    text = (
        f"`x, y, z = {arrays}` are given to `jax.jit({fun}, donate_argnums={given})`. Which of "
        "them are deleted? (From the left, each donated array that the program reads or returns "
        "takes one result of its size, and is deleted; where none is left, it stays.) A list of "
        "three bools."
    )
    return text, f"deleted(jax.jit({fun}, donate_argnums={given}), {arrays})"
