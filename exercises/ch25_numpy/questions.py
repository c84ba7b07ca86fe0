"""The questions of chapter 25, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_25_4(rng: np.random.Generator) -> Iterator[Pair]:
    """Dtypes, equations, a convolution's transpose, Cholesky's factor, and sharp edges."""
    yield dtypes(rng)
    yield equations(rng)
    yield transposed(rng)
    yield factor(rng)
    yield [quotients, updates][rng.integers(2)](rng)


def chosen(rng: np.random.Generator, texts: list[str], count: int) -> list[str]:
    return [texts[k] for k in rng.permutation(len(texts))[:count]]


def listed(texts: list[str]) -> str:
    return "\n".join(f"- `{text}`" for text in texts)


def dtypes(rng: np.random.Generator) -> Pair:
    calls = [
        "jnp.add, 'int32', 'float16'", "jnp.add, 'bfloat16', 'float16'", "jnp.add, 'bool', 'int8'",
        "jnp.add, 'uint8', 'int8'", "jnp.add, 'bfloat16', 2.5", "jnp.add, 'int8', 2.5",
        "jnp.add, 'int8', 2", "jnp.multiply, 'bool', 'bool'", "jnp.divide, 'int8', 'int8'",
        "jnp.sqrt, 'int8'", "jnp.sqrt, 'bfloat16'", "jnp.sin, 'bool'", "jnp.less, 'float16', 1",
        "jnp.sum, 'bool'", "jnp.sum, 'bfloat16'", "jnp.mean, 'int32'",
        "jnp.floor_divide, 'int32', 2",
        "jnp.multiply, 'bfloat16', 'int32'", "jnp.maximum, 'uint8', 1", "jnp.power, 'float16', 2",
    ]  # fmt: skip
    texts = chosen(rng, calls, 5)
    return (
        "`dtype(fun, *args)` calls a function, and gives the name of the result's dtype; a name "
        'such as "int8" stands for an array of this dtype, and 64-bit numbers are off. What does '
        f"it give? A list of five names.\n\n{listed([f'dtype({text})' for text in texts])}\n",
        f"[{', '.join(f'dtype({text})' for text in texts)}]",
    )


def equations(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 6))
    funs = [
        f"lambda x: jnp.clip(x, 0, {k})",
        "lambda x: jnp.linalg.norm(x)",
        f"lambda x: jnp.sin(x) * {k}",
        "lambda x: jnp.sqrt(jnp.sqrt(x))",
        f"lambda x: x // {k}",
        f"lambda x: jnp.clip(jnp.sin(x), 0, {k}) + x",
        "lambda x: jnp.add(x, np.float32([[1], [2]]))",
        f"lambda x: jnp.maximum(x, {k})",
        f"lambda x: {k} + x",
        "lambda x: jnp.multiply(x, np.int32([1, 2, 3]))",
    ]
    texts = chosen(rng, funs, 3)
    return (
        "`equations(fun)` traces a function of three float32, and names the equations of the "
        "program, of a jit the name of its function. What does it give? A list of three lists of "
        f"names.\n\n{listed([f'equations({text})' for text in texts])}\n",
        f"[{', '.join(f'equations({text})' for text in texts)}]",
    )


def transposed(rng: np.random.Generator) -> Pair:
    stride = int(rng.integers(1, 3))
    size, count = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    w, ct = ([int(n) for n in rng.integers(-3, 5, k)] for k in (size, count))
    n = (count - 1) * stride + size + int(rng.integers(stride))
    return (
        f"The kernel {w} is slid along {n} numbers x with a stride of {stride}, so that there are "
        f"{count} results. Their cotangents are {ct}. What is the cotangent of x? A list of {n} "
        "numbers.\n",
        f"pulled({n}, {w}, {ct}, {stride})",
    )


def factor(rng: np.random.Generator) -> Pair:
    a, b, c = (int(n) for n in rng.integers(1, 4, 3))
    p, q, r = (int(n) for n in rng.integers(-3, 5, 3))
    lower, s = [[a, 0], [b, c]], [[2 * p, q], [q, 2 * r]]
    return (
        f"A matrix has the Cholesky factor L = {lower}. It begins to grow at the rate L S Lᵀ, "
        f"where S = {s}. At which rate does the factor grow? A list of two lists.\n",
        f"growth({lower}, {s})",
    )


def quotients(rng: np.random.Generator) -> Pair:
    x = [int(n) for n in rng.integers(5, 30, 2)]
    y = [int(n) for n in rng.integers(2, 8, 2)]
    pairs = [(-x[0], y[0]), (x[1], -y[1])]
    return (
        "`quotients(x, y)` of two int32 gives `lax.div`, `lax.rem`, `jnp.floor_divide` and "
        f"`jnp.remainder` of them. What does it give for {pairs[0]} and for {pairs[1]}? A list of "
        "two lists.\n",
        f"[quotients{pairs[0]}, quotients{pairs[1]}]",
    )


def updates(rng: np.random.Generator) -> Pair:
    values = [int(n) + 1 for n in rng.permutation(8)[:4]]
    i, j = (int(n) for n in rng.permutation(4)[:2])
    method = ["add", "multiply", "max"][rng.integers(3)]
    low, high = sorted((values[i], values[j]))
    by = int(rng.integers(low + 1, high + 1) if method == "max" else rng.integers(2, 5))
    start, more = (int(rng.choice(numbers)) for numbers in ((250, 253, 258, 262, 512), (1, 3)))
    steps = int(rng.integers(4, 7))
    return (
        f"`x` is an array of the float32 {values}. What are the numbers of "
        f"`x.at[np.array([{i}, {j}, {i}])].{method}({by})`, and what is in `x` then? And to which "
        f"number does a running total in bfloat16 come that starts at {start} and to which {more} "
        f"is added {steps} times? A list of two lists and a number.\n",
        f"[updated({values}, [{i}, {j}, {i}], '{method}', {by}), "
        f"[float(n) for n in {values}], running({start}, {more}, {steps})]",
    )
