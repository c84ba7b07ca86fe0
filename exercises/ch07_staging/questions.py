"""The questions of chapter 07, drawn for each student."""


def draw_07_3(rng):
    kinds = (words, staged, constants, unused, alive, refusals)
    for k in sorted(rng.permutation(len(kinds))[:5]):
        yield kinds[k](rng)


def some(rng, pool, count):
    return [pool[k] for k in rng.permutation(len(pool))[:count]]


def words(rng):
    n, m = (int(k) for k in rng.integers(2, 6, 2))
    [body] = some(rng, [
        f"[lax.sin(x) for _ in range({n})][0]",
        "lax.mul(lax.sin(scalar), lax.exp(x)) if x.shape else lax.cos(lax.cos(x))",
        f"sum([lax.sin(x) * k for k in range({n})], lax.exp(x))",
        f"[lax.mul(x, lax.exp(x)) for _ in range({n})][{n - 1}].astype('float32')",
        f"lax.add(lax.exp(np.exp(scalar) * {m}.0), lax.neg(x))",
        "lax.sin(lax.cos(np.sin(scalar))) if x.ndim else lax.log(lax.log(lax.exp(x)))",
        f"[lax.neg(lax.neg(x)) for _ in range({m})] and lax.sin(x)",
    ], 1)  # fmt: skip
    text = f"Which primitives have the equations of `make_jaxpr(lambda x: {body})(scalar)`?"
    return f"{text} A list of names, in order.", f"names(lambda x: {body}, scalar)"


def staged(rng):
    f, g = some(rng, ["lax.sin", "lax.exp", "lax.cos", "lax.log"], 2)
    [body] = some(rng, [
        f"{f}(x) * {g}(x)", f"{f}({g}(x))", f"{f}(x) - {g}(x)", f"{f}(x) * {g}(scalar)",
        f"{f}({g}(x)) * x", f"{f}(x) / {g}(scalar)",
    ], 1)  # fmt: skip
    call = f"lambda x, t: jax.jvp(lambda x: {body}, (x,), (t,))"
    text = f"Which primitives have the equations of `make_jaxpr({call})(scalar, scalar)`?"
    return f"{text} A list of names, in order.", f"names({call}, scalar, scalar)"


def constants(rng):
    terms = some(rng, ["2.5", "scalar", "row", "held", "row", "held", "copied", "np.sum(row)",
                       "jnp.sum(held)"], 5)  # fmt: skip
    body = " + ".join(["x", *terms])
    first = "held = jnp.arange(3.0)\ncopied = row.copy()\n"
    text = (
        "With `held = jnp.arange(3.0)` and `copied = row.copy()`, made before: how many constvars "
        f"has `make_jaxpr(lambda x: {body})(row)`?"
    )
    return text, f"{first}len(make_jaxpr(lambda x: {body})(row).constvars)"


def unused(rng):
    a, b, c, d = some(rng, ["x", "y", "z", "w"], 4)
    lines = some(rng, [f"lax.sin({a}) * {b}", f"lax.exp({c})", f"{b} * {c} + 1.0", f"{d} - {a}",
                       f"lax.cos({d}) * {c}", f"lax.log({b})"], 3)  # fmt: skip
    used = [bool(n) for n in (rng.permutation(3) > 0)]
    fun = f"lambda x, y, z, w: ({', '.join(lines)})"
    program = f"make_jaxpr({fun})(scalar, scalar, scalar, scalar).jaxpr"
    text = (
        f"With `jaxpr` that of `make_jaxpr({fun})(scalar, scalar, scalar, scalar)`: how many "
        f"equations and which inputs does `dce_jaxpr(jaxpr, {used})` keep? A number, and a list of "
        "four bools, in a list."
    )
    return text, f"new, inputs = dce_jaxpr({program}, {used})\n[len(new.eqns), inputs]"


def alive(rng):
    f, g = some(rng, ["lax.sin", "lax.exp", "lax.cos", "lax.log"], 2)
    [fun] = some(rng, [
        f"lambda x: {f}({g}({f}(x)))", f"lambda x: {f}(x) * {g}(x)", f"lambda x: {f}(x) * x",
        f"lambda x: ({f}(x), {g}(x), {f}({g}(x)))", f"lambda x: {f}({g}(x)) * {g}({f}(x))",
        f"lambda x: ({f}(x) * {g}(x)) * ({f}(x) + {g}(x))", f"lambda x: {f}(x) * {g}({f}({g}(x)))",
    ], 1)  # fmt: skip
    text = (
        f"`eval_jaxpr` runs the program `make_jaxpr({fun})(row)`. How many arrays are in its `env` "
        "at most, when an equation has just been run and nothing dropped after it yet?"
    )
    return text, f"most_alive({fun}, row)"


def refusals(rng):
    pool = [
        ("lambda x: x if x > 0 else -x", "scalar"), ("lambda x: jnp.where(x > 0, x, -x)", "scalar"),
        ("lambda x: [5, 6, 7][x]", "2"), ("lambda x: float(x)", "scalar"),
        ("lambda x: x.shape[0] * x if x.shape[0] > 2 else x", "row"),
        ("lambda x: np.sin(x)", "row"), ("lambda x: jnp.zeros(x.shape[0] + 1)", "row"),
        ("lambda x: jnp.zeros(jnp.add(x.shape[0], 1))", "row"), ("lambda x: int(x)", "scalar"),
        ("lambda x: x if len(x) > 2 else -x", "row"), ("lambda n: jnp.ones(3) * n", "2"),
        ("lambda x: [x * k for k in range(len(x))]", "row"), ("lambda x: 'text'", "row"),
        ("lambda x: lax.mul(x, np.ones(3, 'float16'))", "row"),
    ]  # fmt: skip
    calls = [f"make_jaxpr({fun})({x})" for fun, x in some(rng, pool, 4)]
    text = "What is raised by each of `" + "`, `".join(calls) + "`? A list of four names."
    return text, f"[{', '.join(f'error(lambda: {call})' for call in calls)}]"
