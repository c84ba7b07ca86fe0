"""Random programs of base primitives, under random nestings, against their meaning in NumPy."""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from composition_meanings import STEPS, identity, is_floating, loop
from minijax import lax
from minijax.core.staging import check_jaxpr, eval_jaxpr
from primitive_table import RULES, is_odd_place

LARGEST = 100.0
SHAPES = ((), (2,), (1,), (1, 2))

by_name = {rule.name: rule for rule in RULES}
SMOOTH = ("neg", "sin", "cos", "tanh", "exp", "log", "sqrt", "rsqrt", "logistic", "integer_pow 3",
          "integer_pow -2", "copy", "pow", "add", "sub", "mul", "div")
STEPWISE = ("abs", "sign", "max", "min")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
UNBOUNDED = ("neg", "sin", "cos", "tanh", "copy", "add", "sub", "mul", *STEPWISE)


class Instruction(NamedTuple):
    """An operation, the values it reads (inputs first, then results), its settings."""

    name: str
    operands: tuple[int, ...]
    setting: tuple = ()


class Program(NamedTuple):
    shapes: tuple
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]


def brought_into(domain, x, tanh):
    low, high = domain
    return (low + high) / 2 + (high - low) / 2 * tanh(x)


def elementwise(name, xp):
    """A rule of the primitive table, on arguments that were brought into its domain first."""
    rule = by_name[name]
    function = rule.reference if xp is np else rule.function
    if name in UNBOUNDED:
        return function
    return lambda *xs: function(*(brought_into(rule.domain, x, xp.tanh) for x in xs))


def chosen_by(comparison, xp):
    """x where the comparison of x and y holds, else y; the comparison itself is an output too."""
    compare = elementwise(comparison, xp)
    if xp is np:
        return lambda x, y: np.where(compare(x, y), x, y)
    return lambda x, y: lax.select_n(compare(x, y), y, x)


OPERATIONS = {
    name: (elementwise(name, jnp), elementwise(name, np)) for name in SMOOTH + STEPWISE
} | {
    "chosen by " + name: (chosen_by(name, jnp), chosen_by(name, np)) for name in COMPARISONS
} | {
    "every second": (
        lambda x, y: lax.select_n(jnp.asarray(is_odd_place(x.shape)), x, y),
        lambda x, y: np.where(is_odd_place(x.shape), y, x)),
    "rounded": (
        lambda x: x * lax.convert_element_type(lax.convert_element_type(x, jnp.int64), x.dtype),
        lambda x: x * np.trunc(x)),
    "stop_gradient of a maximum": (
        lambda x: x - lax.stop_gradient(lax.reduce_max(x, tuple(range(x.ndim)))),
        lambda x: x - np.max(x)),
    "reduce_sum": (lambda x, axis: lax.reduce_sum(x, (axis,)), np.sum),
    "reduce_max": (lambda x, axis: lax.reduce_max(x, (axis,)), np.max),
    "reduce_min": (lambda x, axis: lax.reduce_min(x, (axis,)), np.min),
    "broadcast_in_dim": (
        lambda x, size: lax.broadcast_in_dim(x, (size, *x.shape), tuple(range(1, x.ndim + 1))),
        lambda x, size: np.broadcast_to(x, (size, *x.shape))),
    "ravel": (
        lambda x: lax.reshape(x, (math.prod(x.shape),)),
        lambda x: x.reshape(-1)),
    "squeeze": (lambda x, axis: lax.squeeze(x, (axis,)), np.squeeze),
    "transpose": (lambda x: lax.transpose(x, (1, 0)), np.transpose),
    "dot_general": (
        lambda x, y: lax.dot_general(x, y, (((x.ndim - 1,), (0,)), ((), ()))),
        np.dot),
    "concatenate": (
        lambda x, y: lax.concatenate([x, y], 0),
        lambda x, y: np.concatenate([x, y])),
    "slice": (
        lambda x, start, step: lax.slice(
            x, (start, *[0] * (x.ndim - 1)), x.shape, (step, *[1] * (x.ndim - 1))),
        lambda x, start, step: x[start::step]),
}


def next_instructions(known: list, smooth: bool) -> Iterator[tuple[Instruction, tuple]]:
    """What may come next after values of these shapes, with the shape of its result."""
    same_shape = SMOOTH if smooth else (
        *SMOOTH, *STEPWISE, "rounded", *("chosen by " + name for name in COMPARISONS))
    pairs = list(itertools.product(range(len(known)), repeat=2))
    for name in (*same_shape, "every second"):
        takes_one = name in by_name and len(by_name[name].shapes[0]) == 1 or name == "rounded"
        if takes_one:
            yield from ((Instruction(name, (i,)), shape) for i, shape in enumerate(known))
        else:
            yield from ((Instruction(name, (i, j)), known[i])
                        for i, j in pairs if known[i] == known[j])
    reductions = ("reduce_sum",) if smooth else ("reduce_sum", "reduce_max", "reduce_min")
    for i, shape in enumerate(known):
        for axis in range(len(shape)):
            rest = shape[:axis] + shape[axis + 1:]
            yield from ((Instruction(name, (i,), (axis,)), rest) for name in reductions)
            if shape[axis] == 1:
                yield Instruction("squeeze", (i,), (axis,)), rest
        if len(shape) < 2:
            yield Instruction("broadcast_in_dim", (i,), (3,)), (3, *shape)
        if len(shape) == 2:
            yield Instruction("transpose", (i,)), shape[::-1]
            yield Instruction("ravel", (i,)), (math.prod(shape),)
        if shape and not smooth:
            yield Instruction("stop_gradient of a maximum", (i,)), shape
        if shape and shape[0] > 1:
            yield Instruction("slice", (i,), (1, 2)), (shape[0] // 2, *shape[1:])
            yield Instruction("slice", (i,), (1, 1)), (shape[0] - 1, *shape[1:])
    for i, j in pairs:
        x, y = known[i], known[j]
        if x and y and x[-1] == y[0]:
            yield Instruction("dot_general", (i, j)), x[:-1] + y[1:]
        if x and y and x[1:] == y[1:] and x[0] + y[0] < 5:
            yield Instruction("concatenate", (i, j)), (x[0] + y[0], *x[1:])


@st.composite
def programs(draw, smooth: bool) -> Program:
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=2))
    known, instructions = list(shapes), []
    for _ in range(draw(st.integers(1, 7))):
        instruction, shape = draw(st.sampled_from(list(next_instructions(known, smooth))))
        instructions.append(instruction)
        known.append(shape)
    outputs = draw(st.lists(st.integers(0, len(known) - 1), max_size=2))
    return Program(tuple(shapes), tuple(instructions), (len(known) - 1, *outputs))


def run(program: Program, which: int, inputs: tuple) -> list:
    values = list(inputs)
    for name, operands, setting in program.instructions:
        values.append(OPERATIONS[name][which](*(values[i] for i in operands), *setting))
    return [values[i] for i in program.outputs]


def in_minijax(program: Program, steps: tuple):
    def f(*xs):
        return run(program, 0, xs)

    for step in reversed(steps):
        f = step.apply(f)
    return f


def in_numpy(program: Program, steps: tuple):
    def f(*xs):
        ys = [np.asarray(y) for y in run(program, 1, xs)]
        assume(all(np.abs(y).max(initial=0.0) < LARGEST for y in ys))
        return ys

    for step in reversed(steps):
        f = step.meaning(f)
    return f


def inputs_of(program: Program) -> list[np.ndarray]:
    return [
        (np.linspace(-0.8, 0.9, math.prod(shape)) + 0.17 * number).reshape(shape)
        for number, shape in enumerate(program.shapes)
    ]


def assert_agree(program: Program, steps: tuple) -> None:
    inputs = inputs_of(program)
    want = in_numpy(program, steps)(*(x.astype(np.longdouble) for x in inputs))
    with jax.enable_x64(True):
        f = in_minijax(program, steps)
        xs = [jnp.asarray(x) for x in inputs]
        closed = jax.make_jaxpr(f)(*xs)
        check_jaxpr(closed.jaxpr)
        for got in (jax.tree.leaves(f(*xs)), eval_jaxpr(closed.jaxpr, closed.consts, *xs)):
            assert len(got) == len(want)
            for x, y in zip(map(np.asarray, got), want, strict=True):
                assert x.shape == y.shape and is_floating(x)
                size = max(1.0, np.abs(y).max(initial=0.0))
                np.testing.assert_allclose(x, y.astype(float), rtol=0, atol=1e-6 * size)


def nestings(steps: tuple, most: int) -> st.SearchStrategy:
    return st.lists(st.sampled_from(steps), max_size=most).map(tuple)


WITHOUT_DERIVATIVES = tuple(step for step in STEPS if step.meaning in (identity, loop))

random_programs = settings(
    max_examples=150, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@random_programs
@given(programs(smooth=False), nestings(WITHOUT_DERIVATIVES, 3))
def test_values(program, steps):
    assert_agree(program, steps)


@random_programs
@given(programs(smooth=True), nestings(STEPS, 2))
def test_derivatives(program, steps):
    assert_agree(program, steps)
