"""Symbolic dimensions beside JAX: how expressions print, what of them is decided, and the shapes
of functions' results."""

import os
import random

import jax
import pytest

import minijax
from export import symbolic_programs
from export.tracing_programs import result_shapes
from minijax.export import dimensions

CONSTRAINTS = [
    (), (), ("a >= b",), ("a >= 4", "b <= 8"), ("mod(a, 4) == 0",), ("a*b == c + 1",),
    ("floordiv(a, 2) >= b + 1",), ("a == 2*c", "b <= c"), ("max(a, b) <= 16",),
]  # fmt: skip


COUNT = 400 if os.environ.get("ORACLE_CASES") == "all" else 36  # for each


def random_size(draw, depth):
    """An expression as Python text."""
    if depth == 0:
        return draw.choice(["a", "b", "c", "a", "b", str(draw.randint(1, 5))])
    x, y = (random_size(draw, draw.randrange(depth)) for _ in range(2))
    return draw.choice([
        f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} + {y})", f"({x} - {y})",
        f"({x} // {draw.randint(1, 4)})", f"({x} % {draw.randint(1, 4)})", f"({x} // {y})",
        f"({x} % {y})", f"largest({x}, {y})", f"smallest({x}, {y})", f"({x}) ** 2",
    ])  # fmt: skip


def answer(question, names):
    try:
        return str(eval(question, names))
    except Exception as error:
        return type(error).__name__


def names_of(package, constraints):
    if package == "jax":
        sizes = jax.export.symbolic_shape("a, b, c", constraints=constraints)
        largest, smallest = jax.core.max_dim, jax.core.min_dim
    else:
        sizes = dimensions.symbolic_shape("a, b, c", constraints=constraints)
        largest, smallest = minijax.core.max_dim, minijax.core.min_dim
    return {**dict(zip("abc", sizes, strict=True)), "largest": largest, "smallest": smallest}


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_expressions_are_those_of_jax(constraints):
    draw, differing = random.Random(str(constraints)), []
    ours, theirs = names_of("minijax", constraints), names_of("jax", constraints)
    for _ in range(COUNT):
        x, y = (random_size(draw, draw.randint(1, 3)) for _ in range(2))
        for question in (x, f"{x} >= {y}", f"{x} < {y}", f"{x} == {y}", f"{x} // 1 > 0"):
            got, want = answer(question, ours), answer(question, theirs)
            # JAX fails over a bound that is infinite.
            if got != want and want != "OverflowError":
                differing.append((question, got, want))
    assert differing == []


@pytest.mark.parametrize("kind", symbolic_programs.PROGRAMS)
def test_results_have_the_shapes_of_jax(kind):
    differing = []
    for specs, text in symbolic_programs.PROGRAMS[kind]:
        got, want = (
            result_shapes(package, symbolic_shape, specs, text)
            for package, symbolic_shape in [
                ("minijax", dimensions.symbolic_shape), ("jax", jax.export.symbolic_shape),
            ]
        )  # fmt: skip
        if got != want:
            differing.append((specs, text, got, want))
    assert differing == []
