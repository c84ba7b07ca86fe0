"""x[...] and x.at[...] at random indices, in JAX and here: values, types, exceptions, gradients."""

import warnings
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import minijax
from index_expressions import SHAPES, built, indices

DTYPES = ["float32", "float32", "int32", "bool", "uint8", "complex64"]
MODES = [None, None, None, "clip", "fill", "drop", "promise_in_bounds"]


class Case(NamedTuple):
    shape: tuple[int, ...]
    dtype: str
    index: Any
    mode: str | None


@st.composite
def cases(draw):
    shape = draw(st.sampled_from(SHAPES))
    mode, inside = draw(st.sampled_from(MODES)), draw(st.booleans())
    inside = inside or mode == "promise_in_bounds"  # a promise that is broken may give anything
    return Case(shape, draw(st.sampled_from(DTYPES)), draw(indices(shape, inside)), mode)


def outcome(function: Any, library: Any, case: Case) -> Any:
    """What a function comes to: its arrays with their types, or the name of the exception."""
    x = library.numpy.asarray(np.arange(np.prod(case.shape)).reshape(case.shape), case.dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = function(library, x, case)
    except Exception as error:
        return type(error).__name__
    outs = out if isinstance(out, tuple) else (out,)
    return [(str(y.dtype), y.weak_type, np.asarray(y)) for y in outs]


def read(library, x, case):
    index = built(case.index, library.numpy)
    return x[index] if case.mode is None else x.at[index].get(mode=case.mode)


def put(library, x, case):
    return x.at[built(case.index, library.numpy)].set(7, mode=case.mode)


def add(library, x, case):
    return x.at[built(case.index, library.numpy)].add(7, mode=case.mode)


def gradient_of_reading(library, x, case):
    index = built(case.index, library.numpy)
    x = x.astype("float32")

    def f(x):
        y = x.at[index].get(mode=case.mode) if case.mode else x[index]
        return (library.numpy.where(y == y, y, 0) ** 2).sum()

    return library.grad(f)(x)


def gradients_of_writing(library, x, case):
    index, at = built(case.index, library.numpy), case.mode
    x, weights = x.astype("float32"), x.astype("float32") + 1.0

    def f(x, v):
        added = x.at[index].add(v * v, mode=at)
        return (added.at[index].set(3 * v, mode=at) * weights * weights).sum()

    return library.grad(f, (0, 1))(x, library.numpy.float32(2.0))


def compare(function: Any, case: Case) -> None:
    expected, got = outcome(function, jax, case), outcome(function, minijax, case)
    if isinstance(expected, str) or isinstance(got, str):
        assert got == expected
        return
    for (*type_got, value), (*type_expected, wanted) in zip(got, expected, strict=True):
        assert type_got == type_expected
        np.testing.assert_allclose(value, wanted, rtol=1e-6, strict=True)


LOOSE = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


@settings(max_examples=1000, **LOOSE)
@given(cases())
@pytest.mark.parametrize("function", [read, put, add])
def test_indexing(function, case):
    compare(function, case)


@settings(max_examples=250, **LOOSE)
@given(cases())
@pytest.mark.parametrize("function", [gradient_of_reading, gradients_of_writing])
def test_gradients(function, case):
    assume(0 not in case.shape)  # JAX writes nothing there, and cannot read it back
    compare(function, case)
