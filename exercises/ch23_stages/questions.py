"""The questions of chapter 23, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_23_3(rng: np.random.Generator) -> Iterator[Pair]:
    """What is refused, what the text has, and three questions of other kinds."""
    yield refusals(rng)
    yield [arguments, functions][rng.integers(2)](rng)
    others = [runs, repeated, costs, leaves, exports]
    for k in rng.permutation(len(others))[:3]:
        yield others[k](rng)


def refusals(rng: np.random.Generator) -> Pair:
    n = int(rng.integers(2, 9))
    ways = [
        f"compiled, jnp.ones({n})",
        f"compiled, np.ones({n}, np.float32)",
        f"compiled, jnp.ones({n + 1})",
        f"compiled, jnp.ones({n}, int)",
        f"compiled, jnp.ones({n}), 1.0",
        f"jax.grad(compiled), jnp.ones({n})",
        f"jax.vmap(compiled), jnp.ones((2, {n}))",
        f"jax.jit(jax.grad(f)).lower(x).compile(), jnp.ones({n})",
        f"jax.jit(f).lower, jnp.ones({n + 1})",
        "lowered.as_text, 'c'",
    ]
    texts = [ways[i] for i in rng.permutation(len(ways))[:5]]
    shown = "\n".join(f"- `error_of({text})`" for text in texts)
    before = (
        f"f = lambda x: jnp.sum(x * x)\nx = jax.ShapeDtypeStruct(({n},), np.float32)\n"
        "lowered = jax.jit(f).lower(x)\ncompiled = lowered.compile()"
    )
    return (
        f"```python\n{before}\n```\n\n`error_of(fun, *args)` calls a function and gives the name "
        'of the exception that is raised, "none" if there is none. What does it give for each of '
        f"these? A list of five.\n\n{shown}\n",
        f"{before}\n[{', '.join(f'error_of({text})' for text in texts)}]",
    )


def exports(rng: np.random.Generator) -> Pair:
    n, order = int(rng.integers(2, 9)), int(rng.integers(2))
    ways = [
        f"loaded.call, np.ones({n}, np.float32)",
        f"loaded.call, jnp.ones({n + 1})",
        f"jax.jit(loaded.call), jnp.ones({n})",
        f"jax.grad(loaded.call), jnp.ones({n})",
        f"jax.hessian(exported.call), jnp.ones({n})",
        f"jax.jacrev(jax.grad(exported.call)), jnp.ones({n})",
        f"jax.jacrev(jax.grad(loaded.call)), jnp.ones({n})",
        f"jax.vmap(exported.call), jnp.ones((2, {n}))",
        "jax.export.deserialize, blob[:-1]",
        "jax.export.export, f",
        "jax.export.export(jax.jit(lambda x: jax.pure_callback(np.sin, x, x))), 1.0",
    ]
    texts = [ways[i] for i in rng.permutation(len(ways))[:4]]
    shown = "\n".join(f"- `error_of({text})`" for text in texts)
    before = (
        "f = lambda x: jnp.sum(x * x * x)\n"
        f"exported = jax.export.export(jax.jit(f))(jnp.ones({n}))\n"
        f"blob = exported.serialize(vjp_order={order})\n"
        "loaded = jax.export.deserialize(blob)"
    )
    return (
        f"```python\n{before}\n```\n\nWhat does `error_of` give for each of these? A list of "
        f"four.\n\n{shown}\n",
        f"{before}\n[{', '.join(f'error_of({text})' for text in texts)}]",
    )


def arguments(rng: np.random.Generator) -> Pair:
    sizes = [int(n) for n in rng.permutation(np.arange(2, 9))[:3]]
    ways = ["x * y.shape[0]", "x[0] + jnp.sum(z)", "x + len(z) + y[0]", "jnp.zeros(3) + z[0]",
            "y * x.dtype.itemsize", "(jnp.sin(y), z)[1]", "(x, z * 0)", "jnp.zeros_like(x) + y[0]",
            "jnp.ones(y.shape) + z[1]"]  # fmt: skip
    fun = f"lambda x, y, z: {ways[rng.integers(len(ways))]}"
    dtypes = ["float", "int", "float"]
    args = ", ".join(f"jnp.ones({n}, {dtype})" for n, dtype in zip(sizes, dtypes, strict=True))
    return (
        f"Which arguments does `main` have in the StableHLO of `jax.jit({fun}).lower({args})`? A "
        "list of their types, such as `['tensor<3xf32>']`.",
        f"main({fun}, {args})",
    )


def functions(rng: np.random.Generator) -> Pair:
    ways = ["g(x) + g(x)", "g(g(x))", "g(x) + g(x[0])", "g(x) + jnp.sum(g(x) * g(x))",
            "g(x[0]) + g(1)", "g(g(x)[0])", "h(x) + g(x)", "h(x) + h(x)", "h(x) * g(x[0])",
            "h(x[0]) + g(x)"]  # fmt: skip
    fun = f"lambda x: {ways[rng.integers(len(ways))]}"
    before = "g = jax.jit(lambda x: jnp.sin(x) * 2)\nh = jax.jit(lambda x: g(x) - g(2 * x))"
    size = int(rng.integers(2, 9))
    return (
        f"```python\n{before}\n```\n\nHow many functions, `main` among them, has the StableHLO of "
        f"`{fun}` for `jnp.ones({size})`?",
        f"{before}\ncount(['func.func'], {fun}, jnp.ones({size}))[0]",
    )


def runs(rng: np.random.Generator) -> Pair:
    n = int(rng.integers(2, 7))
    ways = ["j.trace(x)", "j.trace(x).lower().compile()", "j.lower(x)", "j.lower(x).compile()(x)",
            "j(x)", "j(y)", "j.lower(y)", "j(x), j(x)", "jax.vmap(j)(jnp.stack([x, x]))",
            "jax.jit(lambda x: f(x))(x)",
            "j.lower(jax.ShapeDtypeStruct(x.shape, x.dtype))"]  # fmt: skip
    texts = [ways[k] for k in rng.permutation(len(ways))[:4]]
    body = "\n".join(texts)
    before = f"j = jax.jit(f)\nx, y = jnp.ones({n}), jnp.ones({n + 2})"
    return (
        "`f = logged(log)` is a function that writes to `log` when Python runs it. How often has "
        f"it run after these lines?\n\n```python\n{before}\n{body}\n```\n",
        f"log = []\nf = logged(log)\n{before}\n{body}\nlen(log)",
    )


def repeated(rng: np.random.Generator) -> Pair:
    size, k = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    ways = ["{k} * x + y", "x + y + 1", "jnp.sum({k} * x) * y", "jnp.sin(x) * x", "x / {k} - y * 2",
            "{k} * y + x", "jnp.sum(x * y)", "(x + {k}) * (x + {k})",
            "jnp.sum(x) + jnp.sum(y)"]  # fmt: skip
    fun = f"lambda x, y: {str(rng.choice(ways)).format(k=k)}"
    return (
        f"How many operations `broadcast_in_dim`, and how many `constant`, has the StableHLO of "
        f"`{fun}` for `jnp.ones({size})` and `jnp.float32(1)`? A list of two.",
        f"count(['stablehlo.broadcast_in_dim', 'stablehlo.constant'], {fun}, jnp.ones({size}), "
        "jnp.float32(1))",
    )


def costs(rng: np.random.Generator) -> Pair:
    size = int(rng.integers(2, 30)) * 10
    ways = ["jnp.sin(x) * y", "jnp.exp(x * y) + y", "x * y - x", "jnp.sin(jnp.exp(x)) + y",
            "jnp.cos(x) * jnp.sin(y)", "x @ y", "jnp.sin(x) @ y"]  # fmt: skip
    fun = f"lambda x, y: {ways[rng.integers(len(ways))]}"
    return (
        f"x and y are `jnp.ones({size})`. What are the `flops`, the `transcendentals` and the "
        f"`bytes accessed` that `jax.jit({fun}).lower(x, y).cost_analysis()` counts, where each "
        "equation runs by itself? A list of three.",
        f"x = y = jnp.ones({size})\nfound = jax.jit({fun}).lower(x, y).cost_analysis()\n"
        "[found[key] for key in ('flops', 'transcendentals', 'bytes accessed')]",
    )


def leaves(rng: np.random.Generator) -> Pair:
    given = ["jnp.ones(3)", "{'w': jnp.ones(2), 'b': 0.0}", "[1.0, (2.0, None)]", "4", "(1, 2, 3)",
             "[{'a': 1.0}, {}]"]  # fmt: skip
    args = [given[k] for k in rng.permutation(len(given))[:4]]
    hashable = [k for k, text in enumerate(args) if text in ("4", "(1, 2, 3)")]
    static = tuple(hashable[: int(rng.integers(1, 3))])
    return (
        f"`j = jax.jit(lambda a, b, c, d: jax.tree.leaves((a, b, c, d)), static_argnums={static})`"
        f" is lowered for `{', '.join(args)}` and compiled. How many arrays or numbers is the "
        "compiled function given in a call, and how many results has it? A list of two.",
        f"l = jax.jit(lambda a, b, c, d: jax.tree.leaves((a, b, c, d)), static_argnums={static})"
        f".lower({', '.join(args)})\n"
        "[len(jax.tree.leaves(l.args_info)), len(jax.tree.leaves(l.out_info))]",
    )
