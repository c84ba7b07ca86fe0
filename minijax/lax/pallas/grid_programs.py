"""A grid as loops: what a call of a kernel computes, as a program of values.

A loop for each axis of the grid. A block is cut out before the first loop whose place in the grid
it does not depend on, stays for all turns of that, and is put back behind it. Where the turns of
the outermost loop each write a part of their own, they give those parts back, and threads may take
turns; otherwise what is written goes from turn to turn.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.passes.simplify import simplify
from minijax.core.config import derived
from minijax.core.dtypes import ExtendedDType, issubdtype
from minijax.core.primitives import add, cast, expand_dims, fill, mul, reshape
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Var, dce_jaxpr, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import ShapedArray
from minijax.lax.control_flow.scan_calls import staged_scan
from minijax.lax.control_flow.while_loop import while_loop
from minijax.lax.elementwise.arithmetic import lt
from minijax.lax.indexing.dynamic_slicing import dynamic_slice, dynamic_update_slice
from minijax.lax.pallas.block_specs import BlockDim, Blocked, DynamicGridDim, size_of
from minijax.lax.pallas.kernels import num_programs_p, program_id_p
from minijax.lax.pallas.mappings import INDEX, BlockMapping, GridMapping
from minijax.lax.references.discharge import discharge_state
from minijax.lax.shapes.axes import iota, squeeze
from minijax.lax.shapes.slicing import pad, slice

# What nobody has written.


def unwritten(dtype: Any) -> Any:
    """The number that is in memory that nobody has written to: NaN, or the lowest.

    It is also what a block has outside of its array.
    """
    if isinstance(dtype, ExtendedDType):
        raise NotImplementedError(f"pallas_call can't make memory of {dtype}. Give numbers.")
    if issubdtype(dtype, np.inexact):
        return np.nan
    return False if dtype == np.bool_ else np.iinfo(dtype).min


def padded(x: Any, mapping: BlockMapping) -> Any:
    """An array as whole blocks."""
    if not any(map(any, mapping.padding)):
        return x
    edges = [(low, high, 0) for low, high in mapping.padding]
    dtype = mapping.array.dtype
    return pad(x, np.array(unwritten(dtype), dtype), edges)


def without_padding(x: Any, mapping: BlockMapping) -> Any:
    if not any(map(any, mapping.padding)):
        return x
    starts = [low for low, _ in mapping.padding]
    stops = [low + n for low, n in zip(starts, mapping.array.shape, strict=True)]
    return slice(x, starts, stops)


def memory(mapping: BlockMapping) -> Any:
    """Memory for an output, in whole blocks."""
    aval = ShapedArray(mapping.padded_shape, mapping.array.dtype)
    return fill(aval, unwritten(aval.dtype))


# The kernel, as a program of values.


@derived
def on_values(
    kernel: ClosedJaxpr, num_axes: int, dynamic_axes: tuple[int, ...]
) -> tuple[ClosedJaxpr, tuple[bool, ...]]:
    """The program from a place in the grid, the sizes along some of its axes, and what is in the
    references to what is in them then; and which of them may have changed."""
    ids = [Var(INDEX) for _ in range(num_axes)]
    sizes = {axis: Var(INDEX) for axis in dynamic_axes}
    answers = {program_id_p: ids, num_programs_p: sizes}
    asked = {eqn.outvars[0]: answers[eqn.primitive][eqn.params["axis"]]
             for eqn in kernel.eqns if eqn.primitive in answers}  # fmt: skip

    def told(eqn: JaxprEqn) -> JaxprEqn:
        invars = [asked.get(x, x) if type(x) is Var else x for x in eqn.invars]
        return eqn._replace(invars=invars)

    eqns = [told(eqn) for eqn in kernel.eqns if eqn.primitive not in answers]
    jaxpr = kernel.jaxpr.replace(invars=[*ids, *sizes.values(), *kernel.invars], eqns=eqns)
    program, consts = discharge_state(jaxpr, kernel.consts)
    refs = program.invars[num_axes + len(sizes) :]
    changed = tuple(x is not v for x, v in zip(program.outvars, refs, strict=True))
    return ClosedJaxpr(program, consts), changed


@derived
def read_at_first(program: ClosedJaxpr, num_axes: int, counts: int) -> tuple[bool, ...]:
    """Which of the operands behind the place the first program reads: the one at 0 along all axes
    but the first `counts`."""

    def first(*args: Any) -> list[Any]:
        zeros = [np.int32(0)] * (num_axes - counts)
        return jaxpr_as_fun(program)(*args[:counts], *zeros, *args[counts:])

    avals = [*[INDEX] * counts, *program.in_avals[num_axes:]]
    simple = simplify(trace_to_jaxpr(first, avals))
    return tuple(dce_jaxpr(simple.jaxpr, [True] * len(simple.outvars))[1][counts:])


# The loops.


@derived
def grid_program(
    kernel: ClosedJaxpr, mapping: GridMapping, aliases: tuple[tuple[int, int], ...]
) -> ClosedJaxpr:
    """The program from the operands of a call to its outputs.

    `aliases` has pairs of numbers, of an input and of the output that starts with what is in it.
    """

    num_sizes = len(mapping.dynamic_axes)

    def run(*operands: Any) -> list[Any]:
        sizes, arrays = operands[:num_sizes], operands[num_sizes:]
        inputs = list(map(padded, arrays, mapping.inputs))
        at_first: list[Any] = [None] * len(mapping.outputs)
        for k, out in aliases:
            at_first[out] = padded(arrays[k], mapping.outputs[out])
        found = Loops(kernel, mapping, sizes).outputs(inputs, at_first)
        return list(map(without_padding, found, mapping.outputs))

    avals = [*[INDEX] * num_sizes, *(block.array for block in mapping.inputs)]
    return trace_to_jaxpr(run, avals, kernel.jaxpr.debug_info)


class Loops:
    """Writes the loops of a grid. `states` has what is in each reference of the kernel: an array,
    or from the loop on in which its block is cut out, the block."""

    def __init__(self, kernel: ClosedJaxpr, mapping: GridMapping, sizes: Sequence[Any]) -> None:
        given = iter(sizes)
        self.grid = [next(given) if isinstance(n, DynamicGridDim) else n for n in mapping.grid]
        self.sizes, self.blocks = sizes, mapping.block_mappings
        self.num_inputs, self.num_mapped = mapping.num_inputs, mapping.num_mapped
        num_axes = len(self.grid) - self.num_mapped
        self.values, self.changed = on_values(kernel, num_axes, mapping.dynamic_axes)
        self.scratch = [ref.aval.inner_aval for ref in kernel.invars[len(self.blocks) :]]
        self.in_parts = self.has_parts(num_axes)

    def outputs(self, inputs: list[Any], at_first: list[Any]) -> list[Any]:
        """The outputs, of which `at_first` has what is in them, or None where nobody wrote."""
        if not self.in_parts:
            pairs = zip(at_first, self.blocks[self.num_inputs :], strict=True)
            outputs = [memory(block) if x is None else x for x, block in pairs]
            return self.of_outputs(self.level((), [*inputs, *outputs, *self.own_memory()]))

        def turn(carry: tuple, i: Any) -> tuple[tuple, list[Any]]:
            parts = [self.part(k, x, i) for k, x in enumerate(at_first, self.num_inputs)]
            states = self.level((i,), [*inputs, *parts, *self.own_memory()])
            return carry, self.of_outputs(states)

        places = iota(np.int32, self.grid[0])
        _, parts = staged_scan("pallas_call", turn, (), places, self.grid[0], False, 1)
        return [reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:])) for x in parts]

    def of_outputs(self, states: Sequence[Any]) -> list[Any]:
        return list(states[self.num_inputs : len(self.blocks)])

    def own_memory(self) -> list[Any]:
        return [fill(aval, unwritten(aval.dtype)) for aval in self.scratch]

    # Whether each turn of the outermost loop writes parts of its own.

    def has_parts(self, num_axes: int) -> bool:
        """No turn finds what another one has written: in no output, nor in memory of the kernel's
        own, which the first program of a turn doesn't read."""
        size = len(self.blocks)
        if not self.grid or size == self.num_inputs or any(self.changed[: self.num_inputs]):
            return False
        if not isinstance(self.grid[0], int):
            return False
        if not all(map(self.is_in_parts, self.blocks[self.num_inputs :])):
            return False
        reads = read_at_first(self.values, num_axes, 0 if self.num_mapped else 1)
        return not any(map(operator.and_, self.changed[size:], reads[len(self.sizes) + size :]))

    def is_in_parts(self, block: BlockMapping) -> bool:
        """Whether the first axis of an output is cut as the first axis of the grid counts."""
        if not block.counts_along(0) or any(block.padding[0]):
            return False
        dim = block.block_shape[0]
        is_cut = isinstance(dim, Blocked) or size_of(dim) == 1
        return is_cut and size_of(dim) * self.grid[0] == block.array.shape[0]

    def part(self, k: int, x: Any, i: Any) -> Any:
        """The part of an output that the i-th turn writes."""
        block = self.blocks[k]
        rows = size_of(block.block_shape[0])
        if x is None:
            return fill(ShapedArray((rows, *block.padded_shape[1:]), block.array.dtype),
                        unwritten(block.array.dtype))  # fmt: skip
        starts = (mul(i, np.int32(rows)), *(np.int32(0) for _ in x.shape[1:]))
        return dynamic_slice(x, starts, (rows, *x.shape[1:]), allow_negative_indices=False)

    # One level: at the places `ids` along the first axes of the grid.

    def level(self, ids: tuple, states: list[Any]) -> list[Any]:
        """What is in the references after all programs at these places."""
        depth, first = len(ids), 1 if self.in_parts else 0
        cut = [k for k, block in enumerate(self.blocks) if max(block.depth, first) == depth]
        inner = list(states)
        for k in cut:
            inner[k] = self.cut_out(k, states[k], ids)
        if depth < len(self.grid):
            inner = self.turns(ids, inner)
        else:
            inner = jaxpr_as_fun(self.values)(*ids[self.num_mapped :], *self.sizes, *inner)
        for k in cut:
            changes = self.changed[k]
            inner[k] = self.put_back(k, states[k], inner[k], ids) if changes else states[k]
        return inner

    def turns(self, ids: tuple, states: list[Any]) -> list[Any]:
        """The next loop, which carries what changes."""

        def turn(carry: tuple) -> tuple:
            i, changing = carry
            after = self.level((*ids, i), self.merged(states, changing))
            return add(i, np.int32(1)), choose(after, self.changed)

        size, carry = self.grid[len(ids)], (np.int32(0), choose(states, self.changed))
        if isinstance(size, int):
            _, changing = staged_scan(
                "pallas_call", lambda carry, _: (turn(carry), None), carry, None, max(size, 0),
                False, 1,
            )[0]  # fmt: skip
        else:
            _, changing = while_loop(lambda carry: lt(carry[0], size), turn, carry)
        return self.merged(states, changing)

    def merged(self, states: Sequence[Any], changing: Sequence[Any]) -> list[Any]:
        new = iter(changing)
        return [next(new) if changes else x
                for x, changes in zip(states, self.changed, strict=True)]  # fmt: skip

    # Blocks.

    def window(self, k: int, ids: tuple) -> tuple[list[Any], list[bool]]:
        """Where the block begins along each axis of its array, and whether that may be negative,
        which counts from the end."""
        block, rest = self.blocks[k], len(self.grid) - len(ids)
        indices = block.indices([*ids, *[np.int32(0)] * rest])
        if self.in_parts and k >= self.num_inputs:
            indices[0] = np.int32(0)
        starts = list(map(first_element, indices, block.block_shape))
        return starts, [not block.is_natural(axis) for axis in range(len(starts))]

    def cut_out(self, k: int, x: Any, ids: tuple) -> Any:
        block = self.blocks[k]
        if x.shape == block.block.shape:
            return x
        starts, flags = self.window(k, ids)
        found = dynamic_slice(x, starts, block.sizes, allow_negative_indices=flags)
        return squeeze(found, block.squeezed) if block.squeezed else found

    def put_back(self, k: int, x: Any, found: Any, ids: tuple) -> Any:
        block = self.blocks[k]
        if x.shape == block.block.shape:
            return found
        starts, flags = self.window(k, ids)
        found = expand_dims(found, block.squeezed) if block.squeezed else found
        return dynamic_update_slice(x, found, starts, allow_negative_indices=flags)


def first_element(index: Any, dim: BlockDim) -> Any:
    """Where a block begins along an axis, by what the index map says."""
    index = cast(index, np.dtype("int32"))
    return mul(index, np.int32(dim.block_size)) if isinstance(dim, Blocked) else index
