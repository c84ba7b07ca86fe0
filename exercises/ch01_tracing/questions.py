"""The questions of chapter 01, drawn for each student."""

import re
from collections.abc import Iterator
from typing import Any

Pair = tuple[str, str]


def expression(rng: Any, depth: int) -> str:
    """A random expression of lax functions, of x and constants."""
    if depth == 0 or rng.random() < 0.1:
        return str(rng.choice(["x", "x", "2.0", "0.5"]))
    if rng.random() < 0.3:
        return f"lax.{rng.choice(['sin', 'cos', 'exp'])}({expression(rng, depth - 1)})"
    first, second = (expression(rng, int(rng.integers(depth))) for _ in range(2))
    return f"lax.{rng.choice(['mul', 'add'])}({first}, {second})"


def depth(rng: Any) -> Pair:
    text, wanted = "", int(rng.integers(5, 8))
    while text.count("lax.") != wanted or not re.search(r"\bx\b", text):
        text = expression(rng, 5)
    case = f"depth_of(lambda x: {text}, 0.7)[1]"
    return f"The depth `{case}`: a number.", case


def notes(rng: Any) -> Pair:
    stack = [str(name) for name in rng.permutation(["a", "b", "ByLogs"])]
    program = ["lax.mul(lax.sin(0.5), 3.0)", "lax.sin(lax.mul(0.5, 3.0))",
               "lax.mul(lax.exp(0.5), 2.0)", "lax.cos(lax.mul(2.0, 0.5))",
               "lax.add(lax.mul(2.0, 3.0), 1.0)"][rng.integers(5)]  # fmt: skip
    case = f"notes_of({stack}, lambda: {program})"
    return f"The list `{case}`.", case


def nested(rng: Any) -> Pair:
    before, inside, after = (int(k) for k in rng.integers(1, 4, 3))
    inner = f"lax.mul({'lax.cos(' * inside}z{')' * inside}, y)"
    case = (
        "depths = []\n"
        "def outer(x):\n"
        f"    y = {'lax.sin(' * before}x{')' * before}\n"
        f"    value, depth = depth_of(lambda z: {inner}, 3.0)\n"
        "    depths.append(depth)\n"
        f"    return {'lax.exp(' * after}value{')' * after}\n"
        "depths.append(depth_of(outer, 2.0)[1])\n"
        "depths"
    )  # fmt: skip
    return f"What is the list `depths` after this?\n\n```python\n{case}\n```", case


ERRORS = [
    "jax.jit(lambda x: bool(x))(1.0)",
    "jax.jit(lambda x: 1.0 if x > 0 else 2.0)(1.0)",
    "jax.jit(lambda x: float(x))(1.0)",
    "jax.jit(lambda x: [5, 6, 7][x])(1)",
    "jax.jit(lambda x: np.sin(x))(1.0)",
    "jax.jit(lambda x: int(x))(1)",
    "jax.jit(lambda x: complex(x))(1.0)",
    "jax.jit(lambda x: bool(x))(np.ones(3))",
    "jax.jit(lambda x: {x: 1}[x])(1)",
    "lax.sin(leaked(lambda f: jax.jit(f)(1.0)))",
    "lax.mul(leaked(lambda f: depth_of(f, 1.0)), 2.0)",
]


def errors(rng: Any) -> Pair:
    chosen = [ERRORS[k] for k in rng.permutation(len(ERRORS))[:3]]
    case = ", ".join(f"error_of(lambda: {text})" for text in chosen)
    shown = "\n".join(f"    {text}" for text in chosen)
    text = "Each of these raises an exception. A list of the three classes' names, as text:"
    return f"{text}\n\n{shown}\n", f"[{case}]"


def draw_01_3(rng: Any) -> Iterator[Pair]:
    yield depth(rng)
    yield notes(rng)
    yield nested(rng)
    yield errors(rng)
