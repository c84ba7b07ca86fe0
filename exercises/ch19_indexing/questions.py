"""The questions of chapter 19, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]

EXPRESSIONS = {
    "slice": ["x[{k}]", "x[{k}:, ::2]", "x[:, {k}]"],
    "dynamic_slice": ["x[i]", "x[i, {k}:4]", "x[:, i]"],
    "gather": ["x[js]", "x[:, js]", "x[js, {k}]", "x[js, js]"],
    "scatter": ["x.at[i].set({k}.0)", "x.at[{k}].set(0.0)"],
    "scatter-add": ["x.at[js].add({k}.0)", "x.at[i, {k}].add(1.0)"],
}


def draw_19_3(rng: np.random.Generator) -> Iterator[Pair]:
    """Which primitive an expression becomes, and four questions of other kinds."""
    yield which_primitives(rng)
    others = [moved_inside, read_twice, outside, shape_of_gather, windows_mapped, meeting, won]
    for k in rng.permutation(len(others))[:4]:
        yield others[k](rng)


def digits(rng: np.random.Generator, count: int) -> list[int]:
    return [int(x) for x in rng.choice(np.arange(2, 10), count, replace=False)]


def which_primitives(rng: np.random.Generator) -> Pair:
    kinds = [list(EXPRESSIONS)[k] for k in rng.permutation(len(EXPRESSIONS))[:4]]
    texts = [str(rng.choice(EXPRESSIONS[kind])).format(k=rng.integers(1, 3)) for kind in kinds]
    funs = ", ".join(f"lambda x, i, js: {text}" for text in texts)
    shown = ", ".join(f"`{text}`" for text in texts)
    return (
        "`x` has the shape (4, 6), `i` is a traced integer, `js` a traced array of three. Which "
        f"primitives read or write in {shown}? A list of four names.",
        f"[indexing_primitive(f) for f in ({funs})]",
    )


def moved_inside(rng: np.random.Generator) -> Pair:
    size, start = int(rng.integers(2, 4)), int(rng.integers(5, 12))
    value = int(rng.integers(20, 80))
    x = f"jnp.arange({value}, {value + 6})"
    if rng.integers(2):
        case = f"lax.dynamic_slice({x}, ({start},), ({size},))"
        return f"What is `{case}`? A list.", case
    case = f"lax.dynamic_update_slice({x}, jnp.full({size}, -1), ({start},))"
    return f"What is `{case}`? A list.", case


def read_twice(rng: np.random.Generator) -> Pair:
    twice, once = (int(k) for k in rng.permutation(4)[:2])
    places = [twice, once, twice] if rng.integers(2) else [once, twice, twice]
    case = (f"jax.grad(lambda x: jnp.sum(x[jnp.array({places})] * jnp.array({digits(rng, 3)})))"
            "(jnp.ones(4))")  # fmt: skip
    return f"What is `{case}`? A list.", case


def outside(rng: np.random.Generator) -> Pair:
    ways = ["x[9]", "x[jnp.array([9])]", 'x.at[9].get(mode="clip")',
            'x.at[9].get(mode="fill", fill_value=0)', "x.at[9].set({k}.0)",
            'x.at[9].set({k}.0, mode="clip")', "x.at[9].add({k}.0)",
            "x[-9]", 'x.at[jnp.array([1, 9])].add({k}.0, mode="clip")']  # fmt: skip
    text = str(rng.choice(ways)).format(k=rng.integers(2, 9))
    first = int(rng.integers(1, 30))
    fun = f"lambda x: jnp.sum({text})"
    case = f"jax.value_and_grad({fun})(jnp.arange({first}.0, {first + 4}.0))"
    return f"What is `{case}`? A list: the value, and the list of derivatives.", case


def shape_of_gather(rng: np.random.Generator) -> Pair:
    rows, columns, depth = digits(rng, 3)
    count = int(rng.integers(2, 6))
    size = int(rng.integers(1, columns + 1))
    numbers, sizes = [
        ("(1, 2), (0,), (0,)", (1, size, depth)),
        ("(0, 2), (0,), (0,)", (1, size, depth)),
        ("(0, 1), (1,), (1,)", (rows, 1, depth)),
        ("(0,), (0, 2), (0,)", (1, size, 1)),
        ("(1, 2, 3), (), (1,)", (rows, size, depth)),
    ][rng.integers(5)]
    case = (f"lax.gather(jnp.zeros(({rows}, {columns}, {depth})), jnp.zeros(({count}, 1), int), "
            f"lax.GatherDimensionNumbers({numbers}), {sizes}).shape")  # fmt: skip
    return f"What is `{case}`?", case


def windows_mapped(rng: np.random.Generator) -> Pair:
    examples, rows, columns = digits(rng, 3)
    axes, x, i = [
        ("(0, None)", f"({examples}, {rows}, {columns})", "(2,)"),
        ("(None, 0)", f"({rows}, {columns})", f"({examples}, 2)"),
        ("(0, 0)", f"({examples}, {rows}, {columns})", f"({examples}, 2)"),
        ("(1, None)", f"({rows}, {examples}, {columns})", "(2,)"),
    ][rng.integers(4)]
    args = f"jnp.zeros({x}), jnp.zeros({i}, int)"
    return (
        f"`jax.vmap(lambda x, i: x[i], {axes})` is called with arrays of the shapes {x} and {i}, "
        "the second of integers. It is one gather. What are its `slice_sizes`?",
        f"windows_of(jax.vmap(lambda x, i: x[i], {axes}), {args})",
    )


def meeting(rng: np.random.Generator) -> Pair:
    place, other = (int(k) for k in rng.permutation(4)[:2])
    places = [[place, place, other, 9], [place, other, 9, place], [9, place, place, other]]
    update = ["set", "add", "max", "multiply"][rng.integers(4)]
    case = (f"jnp.full(4, 2).at[jnp.array({places[rng.integers(3)]})]"
            f".{update}(jnp.array({digits(rng, 4)}))")  # fmt: skip
    return f"What is `{case}`? A list.", case


def won(rng: np.random.Generator) -> Pair:
    place, other = (int(k) for k in rng.permutation(4)[:2])
    places = [[place, other, place], [place, place, other], [other, place, place]]
    case = (f"jax.grad(lambda u: jnp.sum(jnp.ones(4).at[jnp.array({places[rng.integers(3)]})]"
            f".set(u) * jnp.array({digits(rng, 4)})))(jnp.ones(3))")  # fmt: skip
    return f"What is `{case}`? A list.", case
