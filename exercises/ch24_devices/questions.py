"""The questions of chapter 24, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_24_3(rng: np.random.Generator) -> Iterator[Pair]:
    """What a device holds, how a result is cut, what is moved, types, and a ring."""
    yield holding(rng)
    yield cut_result(rng)
    yield moving(rng)
    yield varying(rng)
    yield [rings, gradients][rng.integers(2)](rng)


def chosen(rng: np.random.Generator, texts: list[str], count: int) -> list[str]:
    return [texts[k] for k in rng.permutation(len(texts))[:count]]


def listed(texts: list[str]) -> str:
    return "\n".join(f"- `{text}`" for text in texts)


def holding(rng: np.random.Generator) -> Pair:
    rows, columns = (int(4 * n) for n in rng.integers(1, 5, 2))
    specs = ["P()", "P('x')", "P('y')", "P(None, 'x')", "P('y', 'x')", "P(('x', 'y'))",
             "P(None, ('y', 'x'))", "P('x', 'y')"]  # fmt: skip
    texts = chosen(rng, specs, 3)
    return (
        f"An array of shape ({rows}, {columns}) is put on a mesh of x=2, y=2. For each of these "
        "specs: how many numbers does a device hold, and how many devices hold the element [0, 0]? "
        f"A list of three pairs.\n\n{listed(texts)}\n",
        f"[{', '.join(f'held(({rows}, {columns}), {spec})' for spec in texts)}]",
    )


def cut_result(rng: np.random.Generator) -> Pair:
    calls = [
        "lambda a: a.T, grid, ((8, 4), P('x', 'y'))",
        "lambda a: a.T, grid, ((8, 4), P(None, 'x'))",
        "lambda a: jnp.sum(a, 0), grid, ((8, 4), P('x', 'y'))",
        "lambda a: jnp.sum(a, 1), grid, ((8, 4), P(('x', 'y')))",
        "lambda a: jnp.sum(a, 1), grid, ((8, 4), P('y'))",
        "lambda a, b: a @ b, grid, ((8, 4), P('x')), ((4, 6), P(None, 'y'))",
        "lambda a, b: a @ b, grid, ((8, 4), P(None, 'x')), ((4, 6), P('x', 'y'))",
        "lambda a, b: a @ b, grid, ((8, 4), P('x', 'y')), ((4, 6), P('y'))",
        "lambda a, b: b @ a, grid, ((4, 6), P(None, 'y')), ((8, 4), P('x'))",
        "lambda a: jnp.sin(a).reshape(4, 2, 4), grid, ((8, 4), P('x', 'y'))",
        "lambda a, b: a + b, grid, ((8, 4), P('x')), ((4,), P('y'))",
    ]
    texts = chosen(rng, calls, 3)
    return (
        "How is the result cut, if nobody says how? `result(fun, mesh, *args)` gives for each of "
        "its axes the list of names; an argument is a shape and how it is cut, and `grid` has x=2, "
        f"y=2. A list of three such lists.\n\n{listed([f'result({text})' for text in texts])}\n",
        f"[{', '.join(f'result({text})' for text in texts)}]",
    )


def moving(rng: np.random.Generator) -> Pair:
    m, n = (int(4 * k) for k in rng.integers(1, 5, 2))
    calls = [
        f"lambda a: jnp.sin(a) * a, line, (({m}, {n}), P('d'))",
        f"lambda a: jnp.sum(a, 0), line, (({m}, {n}), P('d'))",
        f"lambda a: jnp.sum(a, 1), line, (({m}, {n}), P('d'))",
        f"lambda a, b: a @ b, line, (({m}, {n}), P('d')), (({n}, 8), P())",
        f"lambda a, b: a @ b, line, (({m}, {n}), P(None, 'd')), (({n}, 8), P('d'))",
        f"lambda a, b: a @ b, line, (({m}, {n}), P()), (({n}, 8), P(None, 'd'))",
        f"lambda a: lax.sort(a, dimension=0), line, (({m}, {n}), P('d'))",
        f"lambda a: lax.sort(a, dimension=1), line, (({m}, {n}), P('d'))",
        f"lambda a: jnp.sum(a), line, (({m}, {n}), P('d'))",
    ]
    texts = chosen(rng, calls, 3)
    return (
        "`moved(fun, mesh, *args)` lists what the devices' program moves: for each step its kind, "
        '"psum", "gather", "exchange" or "scatter", and the bytes that it brings to a device. An '
        "argument is the shape of a float32 array and how it is cut; `line` has d=4. A list of "
        f"three lists, which may be empty.\n\n{listed([f'moved({text})' for text in texts])}\n",
        f"[{', '.join(f'moved({text})' for text in texts)}]",
    )


def varying(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 6))
    calls = [
        f"lambda x: {k} * x, P('d')",
        f"lambda x: {k} * x[0], P()",
        f"lambda x: lax.psum({k} * x[0], 'd'), P()",
        f"lambda x: lax.psum(x, 'd') + {k}, P('d')",
        "lambda x: lax.psum(x[0], 'd') * x[0], P()",
        "lambda x: lax.psum(x[0], 'd') * x, P('d')",
        "lambda x: x[0] * 0, P()",
        f"lambda x: {k} * x[0], P(), check_vma=False",
        f"lambda x: jnp.float32({k}), P()",
        "lambda x: lax.pmax(x[0], 'd'), P()",
        "lambda x: lax.axis_index('d'), P()",
    ]
    texts = chosen(rng, calls, 4)
    return (
        "`outcome(body, out_spec)` runs a body on four devices, which have the numbers 0.0, 1.0, "
        "2.0 and 3.0, each an array of shape (1,). It gives the result as a list, or a number; "
        'where `shard_map` refuses it, "ValueError". What does it give for each? A list of '
        f"four.\n\n{listed([f'outcome({text})' for text in texts])}\n",
        f"[{', '.join(f'outcome({text})' for text in texts)}]",
    )


def rings(rng: np.random.Generator) -> Pair:
    j, k = (int(n) for n in rng.integers(1, 4, 2))
    ends = (rng.permutation(4)[:3].tolist() for _ in range(2))
    pairs = list(zip(*ends, strict=True))
    calls = [
        f"lambda x: lax.ppermute(lax.ppermute(x, 'd', turned({j})), 'd', turned({k})), P('d')",
        f"lambda x: x - lax.ppermute(x, 'd', turned({j})), P('d')",
        f"lambda x: lax.ppermute(x, 'd', {pairs}), P('d')",
    ]
    return (
        "Four devices have the numbers 0.0, 1.0, 2.0 and 3.0, and `turned(k)` is `[(i, (i + k) % "
        "4) for i in range(4)]`. What do they have after each of these bodies? A list of three "
        f"lists of four numbers.\n\n{listed([f'outcome({text})' for text in calls])}\n",
        f"[{', '.join(f'outcome({text})' for text in calls)}]",
    )


def gradients(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 6))
    bodies = [
        f"jax.grad(lambda x: lax.psum({k} * x[0], 'd')), P('d')",
        f"jax.grad(lambda x: lax.psum({k} * x[0], 'd')), P('d'), check_vma=False",
        f"jax.grad(lambda x: lax.pmean({k} * x[0] ** 2, 'd')), P('d')",
        "jax.grad(lambda x: lax.psum(x[0] * lax.axis_index('d'), 'd')), P('d')",
    ]
    texts = chosen(rng, bodies, 3)
    return (
        "Four devices have the numbers 0.0, 1.0, 2.0 and 3.0, each an array of shape (1,), and "
        "each takes a gradient with respect to its own. What do they get? A list of three lists of "
        f"four numbers.\n\n{listed([f'outcome({text})' for text in texts])}\n",
        f"[{', '.join(f'outcome({text})' for text in texts)}]",
    )
