"""pallas_call: a function of arrays that runs a kernel for each point of a grid.

The primitive carries the kernel's program, a function of references, and says of each array which
block each program of the grid sees. What it computes is the program of `grid_programs.py`.
"""

from __future__ import annotations

from typing import Any

from minijax.compiler.chosen_backend import in_use
from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import AxisData, fancy_primitive_batchers, matchaxis
from minijax.core.errors import JaxprTypeError, typematch
from minijax.core.forward import is_nonzero, primitive_jvps
from minijax.core.jitting import as_runtime_value, running
from minijax.core.linearization import primitive_linearizations, put_zeros
from minijax.core.printing import pp_by_letters
from minijax.core.programs import choose, jvp_jaxpr
from minijax.core.staging import ClosedJaxpr, JaxprEqn, jaxpr_as_fun
from minijax.core.tracing import Primitive
from minijax.lax.control_flow.bodies import split3
from minijax.lax.control_flow.fori import map as map_examples
from minijax.lax.control_flow.scan import order_of, reordered
from minijax.lax.pallas.grid_programs import grid_program
from minijax.lax.pallas.mappings import INDEX, GridMapping, batched
from minijax.lax.references.discharge import makes_references
from minijax.lax.references.types import RefEffect
from minijax.lax.typechecks import FLAG, PROGRAM, TUPLE, Kind, def_typecheck

# The primitive.

pallas_call_p = Primitive("pallas_call", inert={
    "compiler_params": None, "cost_estimate": None, "debug": False, "mesh": None, "metadata": None,
    "name": None,
})  # fmt: skip
pallas_call_p.multiple_results = True
pp_by_letters.add(pallas_call_p)
makes_references.add(pallas_call_p)


@pallas_call_p.def_effectful_abstract_eval
def _pallas_call_rule(
    *avals: Any, jaxpr: ClosedJaxpr, grid_mapping: GridMapping, input_output_aliases: tuple,
    interpret: bool, out_avals: tuple,
) -> tuple[list, frozenset]:  # fmt: skip
    sizes = [INDEX] * len(grid_mapping.dynamic_axes)
    taken = [*sizes, *(block.array for block in grid_mapping.inputs)]
    if len(avals) != len(taken) or not all(map(typematch, avals, taken)):
        raise JaxprTypeError(
            f"pallas_call takes {taken}, and is given {list(avals)}. Give it those."
        )
    effects = {effect for effect in jaxpr.effects if not isinstance(effect, RefEffect)}
    return list(out_avals), frozenset(effects)


def_typecheck(
    pallas_call_p, jaxpr=PROGRAM, input_output_aliases=TUPLE, interpret=FLAG, out_avals=TUPLE,
    grid_mapping=Kind("a GridMapping", lambda x, n: isinstance(x, GridMapping)),
)  # fmt: skip


@pallas_call_p.def_impl
def _pallas_call_impl(
    *args: Any, jaxpr: ClosedJaxpr, grid_mapping: GridMapping, input_output_aliases: tuple,
    interpret: bool, out_avals: tuple,
) -> list[Any]:  # fmt: skip
    """Interpreted, each program of the grid runs operation by operation; otherwise all is one
    compiled program."""
    program = grid_program(jaxpr, grid_mapping, input_output_aliases)
    operands = list(map(as_runtime_value, args))
    if not interpret:
        return running.run(program, operands, "pallas_call")
    with in_use("numpy"):
        return jaxpr_as_fun(program)(*operands)


def _written_out(eqn: JaxprEqn) -> tuple[ClosedJaxpr, list]:
    params = eqn.params
    program = grid_program(params["jaxpr"], params["grid_mapping"], params["input_output_aliases"])
    return program, eqn.invars


register_lowering(pallas_call_p, call=_written_out)

# For many examples, the grid has one axis more, the first, which the kernel doesn't know of.


def _batcher(axis_data: AxisData, vals: Any, dims: Any, *, grid_mapping, out_avals, **params):
    size, aliases = axis_data.size, dict(params["input_output_aliases"])
    how = {"grid_mapping": grid_mapping, "out_avals": out_avals}
    num_sizes = len(grid_mapping.dynamic_axes)
    if all(dim is None for dim in dims):
        out = pallas_call_p.bind(*vals, **how, **params)
        return out, [None] * len(out)
    if any(dim is not None for dim in dims[:num_sizes]):  # a grid for each example, one by one
        each = [matchaxis(size, dim, 0, x) for x, dim in zip(vals, dims, strict=True)]
        out = map_examples(lambda operands: pallas_call_p.bind(*operands, **how, **params), each)
        return out, [0] * len(out)
    sizes, vals, dims = vals[:num_sizes], vals[num_sizes:], dims[num_sizes:]
    # An input that an output starts from lies like the output.
    wanted = [0 if k in aliases else dim for k, dim in enumerate(dims)]
    moves = zip(vals, dims, wanted, strict=True)
    vals = [x if src == dst else matchaxis(size, src, dst, x) for x, src, dst in moves]
    dims = [*wanted, *[0] * len(out_avals)]
    pairs = zip(grid_mapping.block_mappings, dims, strict=True)
    blocks = [batched(block, size, dim) for block, dim in pairs]
    mapping = GridMapping(
        (size, *grid_mapping.grid), tuple(blocks), grid_mapping.num_inputs,
        grid_mapping.num_mapped + 1,
    )  # fmt: skip
    out_avals = tuple(block.array for block in mapping.outputs)
    out = pallas_call_p.bind(*sizes, *vals, grid_mapping=mapping, out_avals=out_avals, **params)
    return out, [0] * len(out)


fancy_primitive_batchers[pallas_call_p] = _batcher

# Forward: a kernel of blocks and of blocks of tangents. Each output of floats has one of tangents.


def _jvp(
    primals, tangents, *, jaxpr, grid_mapping, input_output_aliases, interpret, out_avals, **params
):
    if input_output_aliases:
        raise NotImplementedError(
            "pallas_call has no derivative with input_output_aliases. Leave them out, or give the "
            "function a jax.custom_jvp rule."
        )
    if grid_mapping.dynamic_axes:
        raise NotImplementedError(
            "pallas_call has no derivative with a grid of traced sizes. Give integers, or give the "
            "function a jax.custom_jvp rule."
        )
    inputs, outputs = grid_mapping.inputs, grid_mapping.outputs
    others = [v.aval for v in jaxpr.invars[len(inputs) :]]
    marks = (*map(is_nonzero, tangents), *(aval.to_tangent_aval() is aval for aval in others))
    of_inputs, of_outputs, _ = split3(marks, len(inputs), len(outputs))
    kinds = [0] * len(inputs) + [2] * len(outputs) + [4] * (len(others) - len(outputs))
    order = order_of(kinds + [kind + 1 for kind in choose(kinds, marks)])
    new_inputs = (*inputs, *choose(inputs, of_inputs))
    new_outputs = (*outputs, *choose(outputs, of_outputs))
    out = pallas_call_p.bind(
        *primals, *filter(is_nonzero, tangents),
        jaxpr=reordered(jvp_jaxpr(jaxpr, marks)[0], order),
        grid_mapping=GridMapping(
            grid_mapping.grid, (*new_inputs, *new_outputs), len(new_inputs), grid_mapping.num_mapped
        ),
        input_output_aliases=(), interpret=interpret,
        out_avals=tuple(block.array for block in new_outputs), **params,
    )  # fmt: skip
    size = len(outputs)
    return out[:size], put_zeros(out[size:], of_outputs, out_avals)


primitive_jvps[pallas_call_p] = _jvp


def _no_gradient(*args: Any, **params: Any) -> Any:
    raise ValueError(
        "pallas_call has no derivative in reverse mode (jax.grad, jax.vjp, jax.linearize). Give "
        "the function that calls it a jax.custom_vjp rule, or use forward mode, jax.jvp."
    )


primitive_linearizations[pallas_call_p] = _no_gradient
