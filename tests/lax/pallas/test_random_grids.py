"""Random grids, blocks and index maps, beside loops over NumPy arrays."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from minijax.experimental import pallas as pl

LARGEST = 3


@st.composite
def axes(draw, grid, length):
    """How one axis is cut: its block, and a function from a place in the grid to an index."""
    size = draw(st.integers(1, length + 1))
    dim = draw(st.sampled_from([size, pl.Element(size), None, pl.Blocked(size)]))
    axis = draw(st.integers(-1, len(grid) - 1))
    first, step = draw(st.integers(0, 2)), draw(st.sampled_from([1, 1, 2, -1]))
    if axis < 0:
        return dim, lambda *ids: first
    return dim, lambda *ids: ids[axis] * step + (0 if step > 0 else grid[axis] - 1)


@st.composite
def specs(draw, grid, shape):
    dims, maps = zip(*(draw(axes(grid, n)) for n in shape), strict=True)
    return pl.BlockSpec(dims, lambda *ids: [f(*ids) for f in maps])


@st.composite
def calls(draw):
    """A grid; the shapes and specs of an input and of an output; whether outputs are added to."""
    grid = tuple(draw(st.lists(st.integers(1, LARGEST), min_size=1, max_size=3)))
    shapes = [tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=2))) for _ in range(2)]
    return grid, shapes, [draw(specs(grid, shape)) for shape in shapes], draw(st.booleans())


def size_of(dim):
    return 1 if dim is None else getattr(dim, "block_size", dim)


def padded(x, spec):
    """An array in whole blocks, with NaN behind its elements."""
    edges = [(0, -n % size_of(dim)) for n, dim in zip(x.shape, spec.block_shape, strict=True)]
    return np.pad(x, edges, constant_values=np.nan)


def window(x, spec, ids):
    """Where a block lies: moved inside where it would stick out. From below 0, a start counts from
    the end."""
    found = []
    for n, dim, i in zip(x.shape, spec.block_shape, spec.index_map(*ids), strict=True):
        size = size_of(dim)
        start = i if isinstance(dim, pl.Element) else i * size
        start = min(max(start + n if start < 0 else start, 0), n - size)
        found.append(start if dim is None else slice(start, start + size))
    return tuple(found)


def by_loops(grid, x, shape, in_spec, out_spec, is_added):
    x, out = padded(x, in_spec), padded(np.full(shape, np.nan, np.float32), out_spec)
    for ids in np.ndindex(grid):
        place = window(out, out_spec, ids)
        found = x[window(x, in_spec, ids)].sum() + ids[0]
        out[place] = np.nan_to_num(out[place]) * is_added + np.nan_to_num(found)
    return out[tuple(slice(0, n) for n in shape)]


def by_kernel(grid, x, shape, in_spec, out_spec, is_added, interpret):
    def kernel(x_ref, o_ref):
        found = jnp.nan_to_num(x_ref[...].sum() + pl.program_id(0))
        before = jnp.nan_to_num(o_ref[...]) if is_added else jnp.zeros(o_ref.shape)
        o_ref[...] = before + found

    out = jax.ShapeDtypeStruct(shape, np.float32)
    return pl.pallas_call(kernel, out, grid=grid, in_specs=[in_spec], out_specs=out_spec,
                          interpret=interpret)(x)  # fmt: skip


def check(call, interpret):
    grid, (in_shape, shape), (in_spec, out_spec), is_added = call
    x = np.arange(1.0, 1 + math.prod(in_shape), dtype=np.float32).reshape(in_shape)
    given = (grid, x, shape, in_spec, out_spec, is_added)
    np.testing.assert_array_equal(by_kernel(*given, interpret), by_loops(*given))


@given(calls())
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
def test_interpreted_grids_are_loops(call):
    check(call, True)


@given(calls())
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
def test_compiled_grids_are_loops(call):
    check(call, False)


@pytest.mark.prove
@given(calls())
@settings(max_examples=300, deadline=None, database=None)
def test_many_compiled_grids_are_loops(call):
    check(call, False)
