"""The questions of chapter 29, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_29_3(rng: np.random.Generator) -> Iterator[Pair]:
    """A product, a power, a whole function, what a loop carries, and who is asked first."""
    yield of_product(rng)
    yield of_power(rng)
    yield of_function(rng)
    yield in_loop(rng)
    yield order(rng)


def triple(rng: np.random.Generator) -> tuple[int, list[int], int]:
    x, s, t, laplacian = (int(k) for k in rng.integers(-3, 4, 4))
    return x or 2, [s, t or 1], laplacian


def of_product(rng: np.random.Generator) -> Pair:
    x, y = triple(rng), triple(rng)
    both = " + ".join(f"{s} * {t}" for s, t in zip(x[1], y[1], strict=True))
    return (
        "Two values are carried as triples of a value, tangents along two directions, and a "
        f"Laplacian: `x = {x}` and `y = {y}`. What is the Laplacian of `x * y`? A number.\n",
        f"{x[2]} * {y[0]} + {x[0]} * {y[2]} + 2 * ({both})",
    )


def of_power(rng: np.random.Generator) -> Pair:
    x, k = triple(rng), int(rng.integers(2, 5))
    value, (s, t), laplacian = x
    return (
        f"What is the Laplacian of `x**{k}`, where `x` is carried as the triple `{x}`? A number.\n",
        f"{k} * ({value}) ** {k - 1} * {laplacian} + "
        f"{k * (k - 1)} * ({value}) ** {k - 2} * {s * s + t * t}",
    )


def of_function(rng: np.random.Generator) -> Pair:
    a, b, c = (int(k) for k in rng.integers(1, 5, 3))
    bodies = [
        f"{a} * x[0] ** 2 * x[1] + {b} * x[2] ** 3",
        f"{a} * x[0] * x[1] * x[2] + {b} * x[1] ** 2",
        f"({a} * x[0] + x[1]) ** 2 + {b} * x[2]",
        f"(x[0] + x[1] + x[2]) ** 2 * {a}",
    ]
    body = bodies[rng.integers(len(bodies))]
    point = [a, b, c]
    return (
        f"What is the Laplacian of `lambda x: {body}` at `x = {point}`? A number.\n",
        f"laplacian_of(lambda x: {body}, {point})",
    )


def in_loop(rng: np.random.Generator) -> Pair:
    size, n, first = (int(k) for k in (rng.integers(2, 6), rng.integers(3, 7), rng.integers(3)))
    steps = ["a, a + b, c", "b, c, c", "c, b, b", "a, b + c, a", "b, a, c"]
    text = steps[rng.integers(len(steps))]
    moving = {"abc"[first]}
    while more := {k for k, sources in zip("abc", text.split(", "), strict=True)
                   if moving & set(sources)} - moving:  # fmt: skip
        moving |= more
    return (
        f"A scan has the step `lambda a, b, c: ({text})`, and its three carries are vectors of "
        f"{size} numbers. In the beginning, `{'abc'[first]}` depends on the input, which has {n} "
        "numbers, and the others are constants. By chapter 29's rule, how many numbers does the "
        "loop of triples carry? A number.\n",
        f"{size} * ({n} + 2) * {len(moving)} + {size} * {3 - len(moving)}",
    )


def order(rng: np.random.Generator) -> Pair:
    names = ["laplacian", *rng.permutation(["grad", "vmap", "jvp"])[:2]]
    outside_in = [str(names[k]) for k in rng.permutation(3)]
    nesting = "(".join([*outside_in, "f"]) + ")" * 3
    return (
        f"In `{nesting}`, three traces wait for the operations of `f`. In which order does one "
        "that depends on all of their inputs come to them, the first one first? (The operations of "
        "its rule come to the next.) A list of the three names as they stand there, such as "
        "`\"vmap\"`.\n",
        repr(outside_in[::-1]),
    )
