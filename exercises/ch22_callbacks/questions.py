"""The questions of chapter 22, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_22_3(rng: np.random.Generator) -> Iterator[Pair]:
    """Python or the program, how often, and three questions of other kinds."""
    yield python_or_program(rng)
    yield mapped_branch(rng)
    others = [shapes, needed, refusals, waiting, looked_again]
    for k in rng.permutation(len(others))[:3]:
        yield others[k](rng)


def python_or_program(rng: np.random.Generator) -> Pair:
    ways = ["f(2.0)", "jax.make_jaxpr(f)(2.0)", "jax.grad(f)(2.0)", "jax.vmap(f)(jnp.ones(2))",
            "[g(x) for g in [jax.jit(f)] for x in (2.0, 3.0, 4.0)]",
            "[g(x) for g in [jax.jit(f)] for x in (2.0, jnp.ones(2))]",
            "jax.eval_shape(f, 2.0)", "jax.jit(jax.grad(f))(2.0)", "f(f(2.0))",
            "jax.grad(jax.checkpoint(f))(2.0)", "jax.jit(f).lower(2.0)",
            "jax.vmap(jax.jit(f))(jnp.ones(3))"]  # fmt: skip
    texts = [ways[k] for k in rng.permutation(len(ways))[:3]]
    shown = "\n".join(f"- `counted(lambda f: {text})`" for text in texts)
    return (
        '`counted(use)` makes an `f` that writes "python" to a log when Python runs it, and has a '
        '`jax.debug.callback` that writes "program". It calls `use(f)`, and counts "python" and '
        f'"program" in the log. What does it give for each of these? A list of three pairs.'
        f"\n\n{shown}\n",
        f"[{', '.join(f'counted(lambda f: {text})' for text in texts)}]",
    )


def mapped_branch(rng: np.random.Generator) -> Pair:
    xs = [int(x) for x in rng.permutation(np.arange(-4, 5))[: int(rng.integers(3, 6))]]
    way = ["lax.cond(x > 0, f, jnp.sin, x)", "lax.cond(s > 0, f, jnp.sin, x)",
           "jnp.where(x > 0, f(x), x)", "lax.scan(lambda c, _: (f(c), None), x, length=2)[0]",
           ][rng.integers(4)]  # fmt: skip
    s = int(rng.integers(0, 2))
    mapped = f"jax.vmap(lambda x: {way})(jnp.array({[float(x) for x in xs]}))"
    return (
        '`f` has a `jax.debug.callback` that writes "program" to `log`. Count the writes in\n\n'
        f"```python\ns = {s}.0\n{mapped}\n```\n",
        f's = {s}.0\nf, log = logged()\n{mapped}\nlog.count("program")',
    )


def shapes(rng: np.random.Generator) -> Pair:
    method = ["sequential", "expand_dims", "broadcast_all"][rng.integers(3)]
    size = int(rng.integers(2, 5))
    ones = f"jnp.ones({size})"
    in_axes, args = [("(0, None)", f"{ones}, 2.0"), ("(None, 0)", f"2.0, {ones}"),
                     ("(0, 0)", f"{ones}, {ones}")][rng.integers(3)]  # fmt: skip
    return (
        f'The function of a `pure_callback` with `vmap_method="{method}"` takes two numbers, x and '
        f"n. It is mapped by `jax.vmap(f, {in_axes})({args})`. With which shapes is it called? A "
        "list with an entry for each call, which is a list of two shapes; a shape is a list.",
        f'shapes_seen("{method}", {in_axes}, {args})',
    )


def needed(rng: np.random.Generator) -> Pair:
    size = int(rng.integers(2, 6))
    ways = [
        "jax.jit(lambda x: (f(x), x)[1])(4.0)",
        "jax.jit(lambda x: (f(x), x))(4.0)",
        "jax.jit(lambda x: f(x) + f(x + 1))(4.0)",
        f"jax.vmap(f)(jnp.ones({size}))",
        "jax.make_jaxpr(f)(4.0)",
        f"lax.scan(lambda c, _: (f(c), None), 4.0, length={size})",
        f"lax.scan(lambda c, x: (c + x, f(x)), 0.0, jnp.ones({size}))[0]",
        "lax.cond(False, f, lambda x: x, 4.0)",
    ]
    texts = [ways[k] for k in rng.permutation(len(ways))[:4]]
    parts = [f"(log.clear(), {text}, len(log))[-1]" for text in texts]
    shown = "\n".join(f"- `{text}`" for text in texts)
    return (
        "`f` is a `pure_callback` whose function takes a root and writes to a log that it was "
        'called; its `vmap_method` is "sequential". How often is it called by each of these? A '
        f"list of four.\n\n{shown}\n",
        f"log = []\nf = pure(log)\n[{', '.join(parts)}]",
    )


def refusals(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 6))
    ways = [
        f"jax.vmap(draw), jnp.ones({k})",
        f"jax.vmap(lambda x: draw(x, ordered=True)), jnp.ones({k})",
        f"jax.grad(draw), {k}.0",
        f"jax.jit(draw), {k}.0",
        f"jax.grad(lambda x: x * draw(lax.stop_gradient(x))), {k}.0",
        f"jax.grad(jax.checkpoint(lambda x: x * draw(lax.stop_gradient(x)))), {k}.0",
        f"jax.checkpoint(draw), {k}.0",
        f"lambda x: lax.cond(x > 0, draw, jnp.sin, x), {k}.0",
        f"jax.vmap(lambda x: lax.cond(x > 0, draw, jnp.sin, x)), jnp.ones({k})",
    ]
    texts = [ways[i] for i in rng.permutation(len(ways))[:4]]
    shown = "\n".join(f"- `error_of({text})`" for text in texts)
    return (
        "`draw` is an `io_callback` that gives a number. `error_of(fun, *args)` calls a function "
        'and gives the name of the exception that is raised, "none" if there is none. What does '
        f"it give for each of these? A list of four.\n\n{shown}\n",
        f"[{', '.join(f'error_of({text})' for text in texts)}]",
    )


def waiting(rng: np.random.Generator) -> Pair:
    parts = ["'text'", "3", "None", "2.5", "jnp.ones(3)", "[1, 'a']", "{'b': jnp.zeros(2)}", "True",
             "print", "(jnp.ones(2), 'c', 1.0)"]  # fmt: skip
    chosen = [parts[k] for k in rng.permutation(len(parts))[: int(rng.integers(3, 6))]]
    given = ", ".join(chosen)
    return (
        f"How many operands has the equation of `jax.debug.callback(fun, {given})`?",
        f"operands({given})",
    )


def looked_again(rng: np.random.Generator) -> Pair:
    n = int(rng.integers(2, 6))
    ways = [
        f"lax.scan(lambda c, _: (f(c), None), 2.0, length={n})",
        f"jax.grad(lambda x: lax.scan(lambda c, _: (f(c), None), x, length={n})[0])(2.0)",
        f"jax.grad(jax.checkpoint(lambda x: lax.scan(lambda c, _: (f(c), None), x, length={n})[0]))"
        "(2.0)",
        f"jax.grad(lambda x: lax.scan(lambda c, _: (jax.checkpoint(f)(c), None), x, length={n})[0])"
        "(2.0)",
        f"lax.while_loop(lambda c: c[0] < {n}, lambda c: (c[0] + 1, f(c[1])), (0, 2.0))",
        f"jax.vmap(lambda k: lax.fori_loop(0, k, lambda i, c: f(c), 2.0))(jnp.array([1, {n}]))",
    ]
    text = ways[int(rng.integers(len(ways)))]
    return (
        '`f` has a `jax.debug.callback` that writes "program" to `log`. Count the writes in\n\n'
        f"```python\n{text}\n```\n",
        f'f, log = logged()\n{text}\nlog.count("program")',
    )
