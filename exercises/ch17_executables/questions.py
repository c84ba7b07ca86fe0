"""The questions of chapter 17, drawn for each student."""

FUNCTIONS = ["jnp.sin", "jnp.exp", "jnp.tanh", "jnp.cos"]


def pick(rng, choices, count=None):
    order = rng.permutation(len(choices))
    return choices[order[0]] if count is None else [choices[k] for k in order[:count]]


def kernels(rng):
    f, g = pick(rng, FUNCTIONS, 2)
    n = int(rng.integers(3, 6))
    fun, args = pick(rng, [
        (f"lambda x, w: {f}({f}(x @ w) @ w) @ w", "x, jnp.ones((100, 100))"),
        (f"lambda x, w: {f}({g}(x @ w) @ w) @ w", "x, jnp.ones((100, 100))"),
        (f"lambda x, w: {f}({g}({f}(x @ w) @ w) @ w)", "x, jnp.ones((100, 100))"),
        (f"lambda x, v, w: {f}({f}(x @ v) @ w)", "x, jnp.ones((100, 70)), jnp.ones((70, 9))"),
        (f"lambda x: {f}({g}(x) * 2) + {f}(x)", "x"),
        (f"lambda x: jnp.cumsum({f}(jnp.cumsum({f}(jnp.cumsum({f}(x))))))", "x"),
        (f"lambda x: jnp.cumsum({f}(jnp.cumsum({g}(jnp.cumsum({f}(x))))))", "x"),
        (f"lambda x, y: (jnp.sum({f}(x), axis=1), jnp.sum({f}(y), axis=1))",
         f"jnp.ones((40, {n + 20})), jnp.ones((30, {n + 50}))"),
        (f"lambda x, y: (jnp.sum({f}(x), axis=1), jnp.sum({f}(y), axis=1))",
         f"jnp.ones((40, {n})), jnp.ones((30, {n + 1}))"),
    ])  # fmt: skip
    yield (f"How many different kernels does the program of `{fun}` call, for the arguments "
           f"`{args}`?", f"kernels({fun}, {args})")  # fmt: skip


def buffers(rng):
    n = int(rng.integers(2, 7))
    rounds = pick(rng, ["x / (1 + jnp.sum(x, axis=0))", "jnp.cumsum(x / (1 + jnp.sum(x, axis=0)))",
                        "x - jnp.max(x, axis=0)", "jnp.sin(x) * 2"])  # fmt: skip
    if "cumsum" in rounds:
        rounds = "jnp.cumsum(x / (1 + jnp.sum(x, axis=0)), axis=1)"
    wanted = pick(rng, ["x", "xs"])
    fun = (f"lambda x: [x := {rounds} for _ in range({n})]"
           + ("[-1]" if wanted == "x" else ""))  # fmt: skip
    yield (f"How often does the program of `{fun}` make a new array of shape `(200, 100)` for a "
           "kernel to write to (`empty`)?", f"large_arrays({fun}, x)")  # fmt: skip


def traces(rng):
    texts = ["1.0", "2.0", "3", "np.float32(4)", "jnp.ones(3)", "jnp.zeros(3)", "np.ones(3, 'f')",
             "jnp.ones(4)", "jnp.ones((3, 1))", "True", "jnp.float32(1)",
             "jnp.ones(3, int)"]  # fmt: skip
    calls = [pick(rng, texts) for _ in range(6)]
    static = bool(rng.integers(2))
    if static:
        calls = [f"({text}, {int(rng.integers(2))})" for text in calls]
    else:
        calls = [f"({text},)" for text in calls]
    listed = f"[{', '.join(calls)}]"
    how = "jax.jit(f, static_argnums=1)" if static else "jax.jit(f)"
    options = ", static_argnums=(1,)" if static else ""
    yield (f"`{how}` is called with the arguments `{listed}`, one after the other. How often is "
           "`f` traced?", f"traces({listed}{options})")  # fmt: skip


def keys(rng):
    changes = [
        ("a comment in the text", 'dict(source="def kernel(x0):\\n    x0[0] = 1.0  # one\\n")'),
        ("the same text, made anew", 'dict(source="def kernel(x0):\\n" + "    x0[0] = 1.0\\n")'),
        ("another dtype in the signature", 'dict(signature=("float64[::1]",))'),
        ("an array of another length", "dict()"),
        ("no flags", "dict(fastmath=frozenset())"),
        ("the same flags, in a set made anew", 'dict(fastmath=frozenset(["contract"]))'),
        ("another name", 'dict(name="other")'),
        ("another function that calls it", "dict()"),
        ("one blank more in the text", 'dict(source="def kernel(x0):\\n    x0[0]  = 1.0\\n")'),
    ]
    chosen = pick(rng, changes, 5)
    listed = "; ".join(f"{k}: {text}" for k, (text, _) in enumerate(chosen))
    yield (f"A kernel is kept. Which of these lead to another file? {listed}. A list of numbers, "
           "in order.", f"others({', '.join(change for _, change in chosen)})")  # fmt: skip


def orders(rng):
    large = int(pick(rng, [1e8, 2e8, 4e8]))
    numbers = pick(rng, [1, 2, large, -large, 1, 3], 6) if rng.integers(2) else pick(
        rng, [large, -large, 1, 2], 4)  # fmt: skip
    listed = ", ".join(map(str, numbers))
    yield (f"The float32 numbers {listed} are added, each sum rounded: in order; and in halves, "
           "then the halves of halves and so on (of three numbers the first, and the sum of the "
           "other two). Both totals, in a list?", f"sums({listed})")  # fmt: skip


def draw_17_3(rng):
    templates = [kernels, buffers, traces, keys, orders]
    for k in sorted(rng.permutation(len(templates))[:4]):
        yield from templates[k](rng)
