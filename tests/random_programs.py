"""Random programs over the table of random_operations, and nestings of transformations of them."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from composition_meanings import STEPS, forward, identity, loop
from random_operations import OPERATIONS, Instruction, next_instructions

LARGEST = 1e4
SHAPES = ((), (2,), (3,), (2, 3))
REVERSE = [step.meaning for step in STEPS if step.name in ("grad", "vjp")]


class Program(NamedTuple):
    shapes: tuple
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def run(self, package, *inputs):
        values = list(map(package.numpy.asarray, inputs))
        for name, operands, setting in self.instructions:
            operation = OPERATIONS[name].function
            values.append(operation(package, *(values[i] for i in operands), *setting))
        return [values[i] for i in self.outputs]


@st.composite
def programs(draw) -> Program:
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=2))
    known, instructions = list(shapes), []
    for _ in range(draw(st.integers(1, 5))):
        choices: dict = {}
        for instruction, shape in next_instructions(known):
            choices.setdefault(instruction.name, []).append((instruction, shape))
        name = draw(st.sampled_from(sorted(choices)))
        instruction, shape = draw(st.sampled_from(choices[name]))
        instructions.append(instruction)
        known.append(shape)
    outputs = draw(st.lists(st.integers(0, len(known) - 1), max_size=1))
    return Program(tuple(shapes), tuple(instructions), (len(known) - 1, *outputs))


def is_defined(program: Program, steps: tuple) -> bool:
    """Whether each derivative of the nesting, outermost step first, exists for the program."""
    used = [OPERATIONS[instruction.name] for instruction in program.instructions]
    derivatives = [s.meaning for s in steps if s.meaning not in (identity, loop)]
    if any(meaning in REVERSE for meaning in derivatives):
        if not all(operation.gradient for operation in used):
            return False
    first_is_forward = derivatives and derivatives[-1] is forward
    return not first_is_forward or all(operation.forward for operation in used)


def transformed(program: Program, steps: tuple, package):
    def f(*xs):
        return program.run(package, *xs)

    for step in reversed(steps):
        f = step.apply(f, package)
    return f


def inputs_of(program: Program) -> list[np.ndarray]:
    return [
        (np.linspace(-0.83, 0.91, math.prod(shape)) + 0.17 * number).reshape(shape)
        for number, shape in enumerate(program.shapes)
    ]
