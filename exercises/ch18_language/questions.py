"""The questions of chapter 18, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_18_3(rng: np.random.Generator) -> Iterator[Pair]:
    """Ties, letters, wrong pieces of a block, parameters, and what is a primitive."""
    yield ties(rng)
    yield letters(rng)
    yield wrong_pieces(rng)
    yield parameters(rng)
    yield primitives(rng)


def chosen(rng: np.random.Generator, texts: list[str], count: int) -> list[str]:
    return [texts[k] for k in rng.permutation(len(texts))[:count]]


def listed(texts: list[str]) -> str:
    return "\n".join(f"- `{text}`" for text in texts)


def ties(rng: np.random.Generator) -> Pair:
    top, k = int(rng.integers(3, 7)), int(rng.integers(2, 5))
    x = [top, *map(int, rng.integers(0, top, 2)), top]
    x = [x[i] for i in rng.permutation(4)]
    g = [int(n) for n in rng.integers(1, 10, 4)]
    funs = [
        f"lambda x: {k} * lax.reduce_max(x, [0])",
        f"lambda x: lax.reduce_max(jnp.minimum(x, {top - 1}), [0])",
        "lambda x: lax.reduce_max(x[:2], [0]) + lax.reduce_max(x[2:], [0])",
        "lambda x: lax.reduce_max(x, [0]) - lax.reduce_min(x, [0])",
        "lambda x: lax.reduce_min(-x, [0])",
    ]
    texts = chosen(rng, funs, 2)
    return (
        f"`x` is {x}, and its elements rise at the rates {g}. At which rate does each of these "
        "rise, by the rules of the package? (Where `jnp.minimum` has two equal operands, each has "
        "half of the rate, and a number has the rate 0.) A list of two "
        f"numbers.\n\n{listed(texts)}\n",
        f"[{', '.join(f'rate({text}, {x}, {g})' for text in texts)}]",
    )


def letters(rng: np.random.Generator) -> Pair:
    groups = [
        ["sin", "atan2", "reduce_max", "floor", "sort", "cumprod", "erf", "pow"],
        ["neg", "mul", "transpose", "dot_general", "reduce_sum", "pad", "rev", "cumsum"],
        ["while", "cond", "scan", "jit"],
        ["iota", "rng_bit_generator", "and", "population_count", "clz"],
    ]
    picked = [group[rng.integers(len(group))] for group in groups[:2] for _ in range(2)]
    names = list(dict.fromkeys([*picked, ["cond", "scan"][rng.integers(2)], "iota"]))
    names = chosen(rng, names, len(names))
    return (
        "In which of the four tables is each of these primitives? A text of four characters for "
        "each, as in the chapter: J for a JVP rule, L for linearization, T for a transpose, B for "
        f"batching, and - where there is none. A list.\n\n{listed(names)}\n",
        f"[{', '.join(f'letters({name!r})' for name in names)}]",
    )


def wrong_pieces(rng: np.random.Generator) -> Pair:
    pieces = [
        "transpose='lambda ct, x, *, shift, axis: [roll(ct, shift, axis)]'",
        "transpose='lambda ct, x, *, shift, axis: [roll(ct, -shift, 0)]'",
        "numpy='lambda x, shift, axis: np.roll(x, -shift, axis)'",
        "numpy='lambda x, shift, axis: np.roll(x, shift, 0)'",
        "numpy='lambda x, shift, axis: np.roll(x, 1, axis)[:2]'",
        "numpy='lambda x, shift, axis: np.roll(x, shift, axis).T'",
        "numpy='lambda x, shift, axis: np.roll(x, shift, axis) > 0'",
        "batcher='lambda args, dims, *, shift, axis: (roll(args[0], shift, axis), dims[0])'",
        "batcher='lambda args, dims, *, shift, axis: (roll(args[0], shift, axis + 1), dims[0])'",
        "batcher='lambda args, dims, *, shift, axis: "
        "(roll(args[0], -shift, *shift_axes([axis], dims[0])), dims[0])'",
        "numpy='lambda x, shift, axis: np.roll(x, -shift, axis)', "
        "transpose='lambda ct, x, *, shift, axis: [roll(ct, shift, axis)]'",
        "numpy='lambda x, shift, axis: 0 * x', "
        "transpose='lambda ct, x, *, shift, axis: [roll(ct, shift, axis)]'",
    ]
    texts = chosen(rng, pieces, 3)
    return (
        "Pieces of the chapter's `roll` are replaced. Three checks are run. \"type\": with "
        "`enable_checks`, and for each axis of an array of shape (3, 5), is the result of the type "
        "that the type rule says? (What NumPy gives is put into the rule's dtype.) "
        "\"vmap\": shifted by 2 along each axis, and mapped along each, "
        "is it what a loop over examples gives? \"grad\": is the gradient of "
        "`sum(roll(x, 1, axis) * weights)` what differences give, for each axis? A check that ends "
        "in an error has noticed. Which notice each of these? A list of three lists of names, in "
        f"this order; one may be empty.\n\n{listed([f'noticed({text})' for text in texts])}\n",
        f"[{', '.join(f'noticed({text})' for text in texts)}]",
    )


def parameters(rng: np.random.Generator) -> Pair:
    k, j = (int(n) for n in rng.integers(1, 4, 2))
    calls = [
        f"lambda x: roll(x, {k}, -1), 4, 3, 5",
        f"jax.vmap(lambda x: roll(x, {k}, -1), 1), 4, 3, 5",
        f"jax.vmap(lambda x: roll(x, {k}, 0), 1), 4, 3, 5",
        f"jax.vmap(lambda x: roll(x, {k}, 1), 2), 4, 3, 5",
        f"jax.vmap(jax.vmap(lambda x: roll(x, {k})), 1), 4, 3, 5",
        f"jax.vmap(jax.vmap(lambda x: roll(x, {k})), 0), 4, 3, 5",
        f"jax.grad(lambda x: jnp.vdot(roll(x, {k}, 1), x)), 4, 3",
        f"jax.grad(lambda x: jnp.sum(roll(roll(x, {k}), {-j}, 1))), 4, 3",
    ]
    texts = chosen(rng, calls, 3)
    return (
        "`rolls(fun, *shape)` traces a function of an array of this shape, and gives "
        "`[shift, axis]` of each equation with the chapter's `roll`, in the program's order. What "
        "does it give? A list of three lists of pairs. (A gradient's program goes forward first, "
        "whether or not what comes of that is "
        f"used.)\n\n{listed([f'rolls({text})' for text in texts])}\n",
        f"[{', '.join(f'rolls({text})' for text in texts)}]",
    )


def primitives(rng: np.random.Generator) -> Pair:
    own = ["cumsum", "cummax", "sort", "argmax", "atan2", "rev", "select_n", "round", "nextafter",
           "concatenate", "erf_inv", "clamp", "pad", "reduce_prod"]  # fmt: skip
    others = ["mean", "var", "median", "norm", "hypot", "stack", "softmax", "floor_divide", "outer",
              "trace", "tril", "interp", "flip", "where", "linspace"]  # fmt: skip
    count = int(rng.integers(3, 6))
    names = chosen(rng, [*chosen(rng, own, count), *chosen(rng, others, 8 - count)], 8)
    return (
        "Of which of these has `lax` a primitive? A list of names, in this order.\n\n"
        f"{', '.join(f'`{name}`' for name in names)}\n",
        f"with_primitive({names})",
    )
