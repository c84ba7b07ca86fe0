"""Gathers and scatters with random dimension numbers, under both libraries: values and jaxprs."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minijax

from . import facts
from .indexings import indexings

SCATTERS = ["scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min", "scatter_max"]
MODES = [None, "clip", "fill", "promise_in_bounds"]


def use(lib, op, case, mode, unique_indices):
    """The function of operand, indices and windows that the operation is in one library."""
    lax, how = lib.lax, {"mode": mode, "unique_indices": unique_indices}
    if op == "gather":
        numbers = lax.GatherDimensionNumbers(*case.numbers)
        return lambda x, i, y: lax.gather(x, i, numbers, case.slice_sizes, **how)
    numbers = lax.ScatterDimensionNumbers(*case.numbers)
    return lambda x, i, y: getattr(lax, op)(x, i, y, numbers, **how)


def jvp(lib, f, dims):
    return lambda x, i, y: lib.jvp(lambda x, y: f(x, i, y), (x, y), (x * x + 1, y * 3 + 1))


def vjp(lib, f, dims):
    return lambda x, i, y: lib.vjp(lambda x, y: f(x, i, y), x, y)[1](f(x, i, y) * 2 + 1)


def vmap(lib, f, dims):
    return lib.vmap(f, dims)


def vmap_of_grad(lib, f, dims):
    return lib.vmap(lambda *xs: jvp(lib, lambda *ys: vjp(lib, f, None)(*ys)[0], None)(*xs), dims)


def fact(lib, function, arrays, with_jaxpr):
    """What it comes to; or the class of the error, which says enough."""
    arrays = list(map(lib.numpy.asarray, arrays))
    try:
        jaxpr = lib.make_jaxpr(function)(*arrays) if with_jaxpr else None
        return facts.describe((function(*arrays), jaxpr), lib)
    except NotImplementedError as error:
        return {"raises": facts.lineage(type(error))}


@settings(max_examples=60, deadline=None)
@given(
    indexings(("float32", "bfloat16", "int32", "bool", "complex64")),
    st.sampled_from(["gather", *SCATTERS]), st.sampled_from(MODES), st.booleans(),
    st.sampled_from([None, vmap, jvp, vjp, vmap_of_grad]), st.data(),
)  # fmt: skip
def test_both_libraries_agree(case, op, mode, unique_indices, transform, data):
    # With nothing to say where a window starts, XLA leaves out scatters, or fails.
    assume(case.numbers[2])
    assume(case.operand.dtype != bool or op in ("gather", "scatter", "scatter_min", "scatter_max"))
    assume(transform in (None, vmap) or case.operand.dtype == np.float32)
    arrays, dims = list(case.arrays), None
    if transform in (vmap, vmap_of_grad):
        dims = tuple(
            data.draw(st.sampled_from([None, *range(x.ndim + (n != 1))]))
            for n, x in enumerate(arrays)
        )
        assume(dims[:2] != (None, None))
        arrays = [
            x if d is None else np.stack([x, np.flip(x)], d)
            for x, d in zip(arrays, dims, strict=True)
        ]
    # Which equations share one `update_jaxpr` is not the same in JAX to second order.
    with_jaxpr = transform is not vmap_of_grad
    ours, theirs = (
        fact(lib, transform(lib, f, dims) if transform else f, arrays, with_jaxpr)
        for lib in (minijax, jax)
        for f in [use(lib, op, case, mode, unique_indices)]
    )
    assert not facts.difference(ours, theirs)
