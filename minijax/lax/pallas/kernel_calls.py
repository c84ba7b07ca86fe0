"""pallas_call as a user calls it: what is given is checked, and the kernel traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minijax.core.calls import check_args, check_callable, debug_info
from minijax.core.errors import api_boundary
from minijax.core.primitives import cast
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.pallas.block_specs import (
    CostEstimate,
    GridSpec,
    MemoryRef,
    NoBlockSpec,
    as_grid,
    no_block_spec,
    split_grid,
)
from minijax.lax.pallas.kernels import traced_kernel
from minijax.lax.pallas.mappings import INDEX, BlockMapping, GridMapping, block_mapping, check_takes
from minijax.lax.pallas.pallas_call import pallas_call_p
from minijax.lax.references.types import AbstractRef


def pallas_call(
    kernel: Callable[..., None], out_shape: Any, *, grid_spec: GridSpec | None = None,
    grid: int | Sequence[int] = (), in_specs: Any = no_block_spec, out_specs: Any = no_block_spec,
    scratch_shapes: Any = (), input_output_aliases: Mapping[int, int] = {},  # noqa: B006
    debug: bool = False, interpret: Any = False, name: str | None = None,
    compiler_params: Any = None, cost_estimate: CostEstimate | None = None,
    metadata: dict[str, str] | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A function of arrays that runs `kernel` once for each point of a grid.

    The kernel gets references: for each input, then for each output a block of it, then memory of
    its own, `scratch_shapes`, which it keeps from one program to the next. It writes the outputs,
    `o_ref[...] = x`, and returns nothing. Programs run in the order of nested loops; where each
    turn of the first has outputs of its own, perhaps at the same time. Sizes of the grid may be
    traced integers.

    `out_shape` is a pytree of whatever has a shape and a dtype, such as `jax.ShapeDtypeStruct`; a
    list or tuple gives the kernel several outputs. `in_specs` and `out_specs` have a `BlockSpec`
    for each array, in the same structure; without them, each program sees whole arrays.
    `input_output_aliases` maps the number of an input to that of the output that starts with what
    is in it. `grid_spec` stands for the grid, the specs and the scratch shapes. Elements of a block
    outside of its array are NaN, or the lowest number.

    With `interpret`, a call outside of `jit` runs each program operation by operation; without, and
    under `jit`, it is compiled. (JAX compiles no kernel for processors, and refuses the call.)

    The returned function raises ValueError for specs that don't fit, a kernel that returns
    something, or one that uses arrays which are no arguments. It has no derivative in reverse mode.

    >>> import minijax as jax
    >>> import minijax.numpy as jnp
    >>> from minijax.experimental import pallas as pl
    >>> def add(x_ref, y_ref, o_ref):
    ...     o_ref[...] = x_ref[...] + y_ref[...]
    >>> row = pl.BlockSpec((1, 4), lambda i: (i, 0))
    >>> x = jnp.arange(8.0).reshape(2, 4)
    >>> pl.pallas_call(add, x, grid=(2,), in_specs=[row, row], out_specs=row)(x, x)
    Array([[ 0.,  2.,  4.,  6.],
           [ 8., 10., 12., 14.]], dtype=float32)
    """
    check_callable(kernel, "pallas_call")
    spec = _one_spec(grid_spec, grid, in_specs, out_specs, scratch_shapes)
    out_leaves, out_tree = tree_flatten(_as_tuple(out_shape))
    out_avals = tuple(map(_output_type, out_leaves))
    extra = {"compiler_params": compiler_params, "cost_estimate": cost_estimate, "debug": False,
             "mesh": None, "metadata": metadata, "name": _checked_name(name)}  # fmt: skip

    @api_boundary
    def wrapped(*args: Any) -> Any:
        leaves, in_tree = tree_flatten(args)
        try:
            avals = list(map(typeof, leaves))
        except TypeError:
            check_args(leaves, debug_info("pallas_call", kernel, args, {}))
            raise
        known, sizes = split_grid(spec.grid)
        blocks = [
            *_mappings("in_specs", spec.in_specs, in_tree, avals, known, "args"),
            *_mappings("out_specs", spec.out_specs, out_tree, out_avals, known, "outputs"),
        ]
        mapping = GridMapping(known, tuple(blocks), len(leaves))
        aliases = _aliases(input_output_aliases, avals, out_avals)
        closed = _kernel_program(kernel, mapping, in_tree, out_tree, spec.scratch_shapes)
        if debug:
            print(f"\nThe kernel {getattr(kernel, '__name__', kernel)}:\n{closed}")
        out = pallas_call_p.bind(
            *(n if n.dtype == INDEX.dtype else cast(n, INDEX.dtype) for n in sizes),
            *leaves, jaxpr=closed, grid_mapping=mapping, input_output_aliases=aliases,
            interpret=bool(interpret), out_avals=out_avals, **extra,
        )  # fmt: skip
        return tree_unflatten(out_tree, out)

    return wrapped


# What is given, checked.


def _as_tuple(tree: Any) -> Any:
    return tuple(tree) if isinstance(tree, list) else tree


def _checked_name(name: Any) -> str | None:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"pallas_call got the name {shown(name)}. Give a string.")
    return name


def _one_spec(
    grid_spec: Any, grid: Any, in_specs: Any, out_specs: Any, scratch_shapes: Any
) -> GridSpec:
    """A GridSpec of what is given; ValueError where something is given twice."""
    if grid_spec is None:
        return GridSpec(as_grid(grid), in_specs, out_specs, scratch_shapes)
    if not isinstance(grid_spec, GridSpec):
        raise TypeError(f"pallas_call got {shown(grid_spec)} as grid_spec. Give a pl.GridSpec.")
    given = {"grid": grid != (), "in_specs": in_specs is not no_block_spec,
             "out_specs": out_specs is not no_block_spec,
             "scratch_shapes": scratch_shapes != ()}  # fmt: skip
    twice = [name for name, is_given in given.items() if is_given]
    if twice:
        raise ValueError(f"pallas_call got a grid_spec, and {', '.join(twice)} too. Give one.")
    return grid_spec


def _output_type(x: Any) -> ShapedArray:
    """The type of an output; ValueError for what has no shape and dtype."""
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise ValueError(
            f"pallas_call got {shown(x)} in out_shape. Give a jax.ShapeDtypeStruct(shape, dtype)."
        )
    return ShapedArray(x.shape, x.dtype)


def _mappings(
    name: str, specs: Any, tree: PyTreeDef, avals: Sequence[Any], grid: tuple, origin: str
) -> list[BlockMapping]:
    """The blocks of all inputs, or of all outputs."""
    if isinstance(specs, NoBlockSpec):
        specs_given: list[Any] = [no_block_spec] * len(avals)
    else:
        if name == "in_specs" and not isinstance(specs, list | tuple):
            raise ValueError(f"pallas_call got in_specs={shown(specs)}. Give a list of specs.")
        specs_given, specs_tree = tree_flatten(
            tuple(specs) if isinstance(specs, list | tuple) else specs
        )
        if specs_tree != tree:
            what = "the arguments" if name == "in_specs" else "out_shape"
            raise ValueError(
                f"pallas_call got {name} of the structure {specs_tree}, and {what} of {tree}. Give "
                f"a pl.BlockSpec for each array."
            )
    names = [f"{origin}[{k}]" for k in range(len(avals))]
    if names == ["outputs[0]"]:
        names = ["outputs"]
    triples = zip(specs_given, avals, names, strict=True)
    return [block_mapping(spec, aval, grid, where) for spec, aval, where in triples]


def _aliases(aliases: Any, avals: Sequence[Any], out_avals: Sequence[Any]) -> tuple:
    """The pairs of an input and an output; ValueError where there are no such, or of two types."""
    if not isinstance(aliases, Mapping):
        raise TypeError(
            f"pallas_call got input_output_aliases={shown(aliases)}. Give a dict from an input's "
            f"number to an output's."
        )
    name = "pallas_call's input_output_aliases"
    for k, out in aliases.items():
        for number, count, what in ((k, len(avals), "input"), (out, len(out_avals), "output")):
            if not isinstance(number, int) or not 0 <= number < count:
                raise ValueError(
                    f"{name} names the {what} {shown(number)}, and there are {count}. Count from 0."
                )
        if (avals[k].shape, avals[k].dtype) != (out_avals[out].shape, out_avals[out].dtype):
            raise ValueError(
                f"{name} has input {k}, {avals[k]}, start output {out}, {out_avals[out]}. Give two "
                f"of one shape and dtype."
            )
    return tuple(aliases.items())


def _kernel_program(
    kernel: Callable, mapping: GridMapping, in_tree: PyTreeDef, out_tree: PyTreeDef, scratch: Any
) -> ClosedJaxpr:
    """The kernel's program, of references to blocks of inputs and outputs and to scratch memory."""
    refs = [AbstractRef(block.block, block.memory_space) for block in mapping.block_mappings]
    keywords = scratch if isinstance(scratch, Mapping) else {}
    in_order = () if keywords else _as_tuple(scratch)
    if not isinstance(in_order, tuple):
        raise TypeError(f"pallas_call got scratch_shapes={shown(scratch)}. Give a list or a dict.")
    memory, memory_tree = tree_flatten((in_order, dict(keywords)))
    for x in memory:
        if not isinstance(x, MemoryRef):
            raise TypeError(
                f"pallas_call got {shown(x)} in scratch_shapes. Give pl.ANY(shape, dtype)."
            )
    refs += [AbstractRef(x.inner_aval, x.memory_space) for x in memory]
    inputs = tree_unflatten(in_tree, refs[: mapping.num_inputs])
    outputs = tree_unflatten(out_tree, refs[mapping.num_inputs : len(mapping.block_mappings)])
    args, kwargs = tree_unflatten(memory_tree, refs[len(mapping.block_mappings) :])
    if not isinstance(outputs, tuple) or hasattr(outputs, "_fields"):
        outputs = (outputs,)
    called = ((*inputs, *outputs, *args), kwargs)
    counts = [(mapping.num_inputs, "inputs"), (len(mapping.outputs), "outputs"),
              (len(memory), "scratch_shapes")]  # fmt: skip
    given = ", ".join(f"{n} {what}" for n, what in counts if n)
    check_takes("pallas_call's kernel", kernel, *called, given)
    info = debug_info("pallas_call kernel", kernel, *called)
    leaves, tree = tree_flatten(called)
    grid = mapping.grid[mapping.num_mapped :]
    return traced_kernel(kernel, tree, leaves, grid, info)
