"""The questions of chapter 30, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_30_4(rng: np.random.Generator) -> Iterator[Pair]:
    """What is in a reference, what is refused, blocks, the grid's order, what is out of bounds."""
    yield contents(rng)
    yield refusals(rng)
    yield seen(rng)
    yield added_up(rng)
    yield [beyond, fetches][rng.integers(2)](rng)


def chosen(rng: np.random.Generator, texts: list[str], count: int) -> list[str]:
    return [texts[k] for k in rng.permutation(len(texts))[:count]]


def listed(texts: list[str]) -> str:
    return "\n".join(f"- `{text}`" for text in texts)


def contents(rng: np.random.Generator) -> Pair:
    k, n = (int(x) for x in rng.integers(2, 6, 2))
    bodies = [
        f"x = a[...]; b[...] = x * {k}; a[...] = b[...] + x",
        f"b[...] = a[...]; a[...] *= {k}; b[...] += a[...]",
        f"x = jax.ref.swap(a, ..., b[...]); b[...] = x - {k}; a[...] += x",
        f"x = a[...]; x += {k}; b[...] = x + a[...]",
        f"jax.ref.addupdate(a, ..., {k}); b[...] = jax.ref.swap(a, ..., {k})",
    ]
    texts = chosen(rng, bodies, 3)
    calls = ", ".join(f"after({text!r}, {n})" for text in texts)
    return (
        f"Two references hold int32: `a` holds {n}, and `b` holds 1. What do they hold after each "
        f"of these lines, run under `jit`? A list of three lists [a, b].\n\n{listed(texts)}\n",
        f"[{calls}]",
    )


def refusals(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 6))
    calls = [
        f"jax.jit(lambda a: a[...] * {k})(one)",
        f"jax.jit(lambda a, b: a[...] + {k} * b[...])(one, one)",
        f"jax.jit(lambda a: a[...] + {k} * one[...])(one)",
        f"jax.jit(lambda x: {k} * x + one[...])(1)",
        "jax.jit(lambda a: a)(one)",
        "jax.vmap(lambda x: x + one[...])(jnp.arange(3))",
        "jax.vmap(lambda x: jax.ref.swap(one, ..., x))(jnp.arange(3))",
        f"jax.vmap(lambda x: jax.new_ref(x)[...] + {k})(jnp.arange(3))",
        f"jnp.sin(one[...] * {k}.0)",
        "jnp.sin(one)",
    ]
    texts = chosen(rng, calls, 4)
    return (
        "`one` is a reference to an int32. Which of these calls are refused? A list of four bools, "
        f"True for a call that is refused.\n\n{listed(texts)}\n",
        f"[{', '.join(f'refused(lambda: {text})' for text in texts)}]",
    )


def seen(rng: np.random.Generator) -> Pair:
    rows, columns = (int(x) for x in rng.integers(2, 4, 2))
    i, j = int(rng.integers(0, 3)), int(rng.integers(0, 2))
    specs = [
        f"(({rows}, {columns}), lambda i, j: (i, j))",
        f"((None, {columns}), lambda i, j: (j, i))",
        f"(({rows}, 12), lambda i, j: (j, 0))",
        f"((12, {columns}), lambda i, j: (0, i))",
        f"(({rows}, None), lambda i, j: (i, j + 1))",
    ]
    texts = chosen(rng, specs, 3)
    return (
        "An array of shape (12, 12) has the numbers from 0 on, row by row: 12 is the first of the "
        f"second row. Which number comes first in the block that the program ({i}, {j}) sees, and "
        "which shape has the block? `pl.BlockSpec` is given these arguments. A list of three pairs "
        f"[number, [sizes]].\n\n{listed(texts)}\n",
        f"[{', '.join(f'first({text}, {i}, {j})' for text in texts)}]",
    )


def added_up(rng: np.random.Generator) -> Pair:
    m, n = (int(x) for x in rng.integers(2, 5, 2))
    maps = ["lambda i, j: (i,)", "lambda i, j: (j,)", "lambda i, j: (0,)"]
    text = maps[rng.integers(3)]
    kernels = [
        "o_ref[...] = jnp.full(1, 10 * i + j)",
        "o_ref[...] = jnp.where(j == 0, 1, o_ref[...] + i + 1)",
    ]
    kernel = kernels[rng.integers(2)]
    return (
        f"A grid of ({m}, {n}) has one output of 4 int32 in blocks of 1, with the index map "
        f"`{text}`. In the kernel, `i` and `j` are the program's place, and the output begins as "
        "zeros, by `input_output_aliases`. What is in it in the end? A list of 4 numbers.\n\n- "
        f"`{kernel}`\n",
        f"written({kernel!r}, ({m}, {n}), {text})",
    )


def beyond(rng: np.random.Generator) -> Pair:
    size, block = int(rng.integers(5, 9)), int(rng.integers(2, 5))
    calls = ["jnp.sum(x)", "jnp.max(jnp.where(jnp.isnan(x), 0, x))", "jnp.sum(jnp.isnan(x))"]
    text = calls[rng.integers(3)]
    return (
        f"`jnp.arange({size}.0)` is cut into blocks of {block}, and each program writes the number "
        f"`{text}` of its block `x`. What do they write? A list of floats; `jnp.nan` for a NaN.\n",
        f"of_blocks(lambda x: {text}, {size}, {block})",
    )


def fetches(rng: np.random.Generator) -> Pair:
    b, n = [(8, 64), (16, 64), (16, 48), (32, 64), (8, 32)][rng.integers(5)]
    return (
        f"Two matrices of {n} x {n} are multiplied in blocks of {b} x {b}, without a line that is "
        "fetched for one block being there for the next. A line is 8 neighbours of a row. How many "
        "lines are fetched in all?\n",
        f"lines({n}, {b})",
    )
