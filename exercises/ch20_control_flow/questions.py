"""The questions of chapter 20, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_20_3(rng: np.random.Generator) -> Iterator[Pair]:
    """What is carried and what is stacked, and three questions of other kinds."""
    yield carries(rng)
    yield residuals(rng)
    others = [which_loop, selects, passes, refusals, nearest_branch, backwards]
    for k in rng.permutation(len(others))[:3]:
        yield others[k](rng)


def carries(rng: np.random.Generator) -> Pair:
    order = [int(k) for k in rng.permutation(4)]
    moved, parts = order[rng.integers(2)], [""] * 4
    for place, k in enumerate(order):
        other = order[rng.integers(place)] if place else k
        kind = rng.integers(4)
        parts[k] = [f"c[{k}] * x", f"c[{k}] + c[{other}]", f"c[{other}] * 2", f"x + {k}"][kind]
    step = f"lambda c, x: (({', '.join(parts)}), None)"
    return (
        f"A scan has the step `{step}`; c is four numbers. It is differentiated forwards, and only "
        f"c[{moved}] has a tangent at the start. How many carries has the scan that computes "
        "values and tangents?",
        f"carried({step}, {moved})",
    )


def residuals(rng: np.random.Generator) -> Pair:
    size, length = int(rng.integers(2, 8)), int(rng.integers(3, 30))
    texts = ["jnp.sin(h)", "jnp.sin(h) * h", "h * h", "2.0 * h", "jnp.exp(h)", "h + jnp.cos(h)",
             "h * h * h", "jnp.sin(jnp.sin(h))", "jnp.exp(h) * h",
             "jax.checkpoint(lambda h: jnp.sin(h) * h)(h)",
             "jax.checkpoint(lambda h: jnp.exp(h) * h)(h)"]  # fmt: skip
    text = str(rng.choice(texts))
    return (
        f"`h` has {size} numbers. A scan of {length} steps `h -> {text}` is run, and the gradient "
        "of the last `h`'s sum is taken by the first `h`. How many numbers does the forward scan "
        "give back for the way back, beside the last `h`?",
        f"stacked(lambda h: {text}, {size}, {length})",
    )


def which_loop(rng: np.random.Generator) -> Pair:
    low, high = int(rng.integers(0, 3)), int(rng.integers(4, 20))
    ways = [
        f"jax.make_jaxpr(lambda x: f(x, {low}, {high}))(2.0)",
        f"jax.make_jaxpr(lambda x, n: f(x, {low}, n))(2.0, {high})",
        f"jax.make_jaxpr(f, static_argnums=2)(2.0, {low}, {high})",
        f"jax.make_jaxpr(f, static_argnums=(1, 2))(2.0, {low}, {high})",
        f"jax.make_jaxpr(lambda x: f(x, {low}, len(range({high}))))(2.0)",
        f"jax.make_jaxpr(f)(2.0, {low}, {high})",
    ]
    texts = [ways[k] for k in rng.permutation(len(ways))[:4]]
    fun = "f = lambda x, a, b: lax.fori_loop(a, b, lambda i, y: y * x, 1.0)"
    shown = ", ".join(f"`{text}`" for text in texts)
    return (
        f"`{fun}`. Which primitive is the loop, in each of {shown}? A list of four names.",
        f"{fun}\n[loop_in(program) for program in ({', '.join(texts)})]",
    )


def selects(rng: np.random.Generator) -> Pair:
    operands, branches, results = (int(k) for k in rng.integers(1, 4, 3))
    branches += 1
    names = ["x", "y", "z"][:operands]
    body = ", ".join(f"{names[k % operands]} * {k + 2}.0" for k in range(results))
    fun = (f"lambda i, {', '.join(names)}: lax.switch(i, [lambda {', '.join(names)}: ({body},)] "
           f"* {branches}, {', '.join(names)})")  # fmt: skip
    mapped = bool(rng.integers(4))
    axes = (0 if mapped else None, *(None if mapped and k else 0 for k in range(operands)))
    args = ["jnp.array([0, 1, 0])" if mapped else "jnp.int32(1)"]
    args += ["jnp.ones(3)" if axis == 0 else "1.0" for axis in axes[1:]]
    return (
        f"`f = {fun}`, that is {branches} branches, {operands} operand(s) and {results} result(s) "
        f"for each. How many equations of `jax.make_jaxpr(jax.vmap(f, {axes}))({', '.join(args)})` "
        "are a `cond`, and how many a `select_n`? A list of two.",
        f"f = jax.vmap({fun}, {axes})\n"
        f"[count(name, f, {', '.join(args)}) for name in ('cond', 'select_n')]",
    )


def passes(rng: np.random.Generator) -> Pair:
    bound, most = int(rng.integers(50, 300)), int(rng.integers(4, 12))
    factor = int(rng.integers(2, 4))
    starts = [int(k) for k in rng.integers(1, 40, 3)] + [0] * int(rng.integers(2))
    rng.shuffle(starts)
    fun = (f"lambda x: lax.while_loop(lambda s: (s[0] < {bound}) & (s[1] < {most}), "
           f"lambda s: ({factor} * s[0], s[1] + 1), (x, 0))")  # fmt: skip
    case = f"jax.vmap({fun})(jnp.array({starts}))"
    return (
        f"What are the two arrays of `{case}`, and how many passes does the loop make in all? A "
        "list: a list, a list, and a number.",
        f"a, b = {case}\n[a.tolist(), b.tolist(), int(b.max())]",
    )


def refusals(rng: np.random.Generator) -> Pair:
    n = int(rng.integers(2, 9))
    ways = [
        f"jax.jit(lambda x: x if x > {n} else -x), 2.0",
        f"jax.jit(lambda x, n: [x for _ in range(n)]), 2.0, {n}",
        f"jax.jit(lambda x: lax.cond(x > {n}, lambda x: x, lambda x: -x, x)), 2.0",
        f"jax.grad(lambda x: lax.while_loop(lambda x: x < {n}, lambda x: 2 * x, x)), 2.0",
        f"jax.grad(lambda x: lax.fori_loop(0, {n}, lambda i, x: 2 * x, x)), 2.0",
        f"lax.scan, lambda c, x: (c + x, c), jnp.int32({n}), jnp.ones(3)",
        f"lax.scan, lambda c, x: (c + x, c), jnp.float32({n}), jnp.ones(3)",
        f"lax.cond, True, lambda x: x, lambda x: (x, x), jnp.float32({n})",
    ]
    texts = [ways[k] for k in rng.permutation(len(ways))[:4]]
    shown = "\n".join(f"- `error_of({text})`" for text in texts)
    return (
        "Which exception, by name, does each of these calls raise? `error_of(fun, *args)` calls "
        f'the function; "none" if there is none. A list of four.\n\n{shown}\n',
        f"[{', '.join(f'error_of({text})' for text in texts)}]",
    )


def nearest_branch(rng: np.random.Generator) -> Pair:
    a, b, c = (int(k) for k in rng.integers(2, 9, 3))
    indices = [int(k) for k in rng.permutation([-7, -1, 0, 1, 2, 3, 9])[:4]]
    fun = f"lambda i: lax.switch(i, [lambda x: x + {a}, lambda x: x * {b}, lambda x: x - {c}], 10)"
    return (
        f"`f = {fun}`. What is `[int(f(i)) for i in {indices}]`?",
        f"[int(({fun})(i)) for i in {indices}]",
    )


def backwards(rng: np.random.Generator) -> Pair:
    xs = [int(k) for k in rng.integers(1, 9, 4)]
    start = int(rng.integers(1, 5))
    step = ["(c + x, c)", "(c + x, c + x)", "(x - c, x)", "(c * 2 + x, x - c)"][rng.integers(4)]
    how = ["", ", reverse=True"][int(rng.integers(4) > 0)]
    case = f"lax.scan(lambda c, x: {step}, {start}, jnp.array({xs}){how})"
    return f"What is `{case}`? A list: a number, and a list.", case
