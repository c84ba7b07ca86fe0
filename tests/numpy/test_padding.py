"""pad beside NumPy's: every mode, widths, shapes and dtypes; under jit, vmap and derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.array([[3, -1, 4], [1, -5, 9]], np.float32)
MODES = {
    "constant": {"constant_values": ((1, 2), (3, 4))},
    "edge": {},
    "wrap": {},
    "reflect": {"reflect_type": "odd"},
    "symmetric": {"reflect_type": "odd"},
    "maximum": {"stat_length": 2},
    "minimum": {"stat_length": ((1, 2), (2, 1))},
    "mean": {"stat_length": 2},
    "median": {"stat_length": 3},
    "linear_ramp": {"end_values": ((1, 2), (3, 4))},
}
WIDTHS = [0, 1, (2, 0), ((1, 3), (0, 2)), ((7, 4), (5, 8))]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_against_numpy(mode, width, dtype):
    x = X.astype(dtype)
    for options in ({}, MODES[mode]):
        expected = np.pad(x, width, mode, **options)
        got = jnp.pad(x, width, mode, **options)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        tolerance = 1 if dtype == "int32" and mode in ("linear_ramp", "mean", "median") else 1e-6
        np.testing.assert_allclose(got, expected, atol=tolerance)


@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric", "constant"])
@pytest.mark.parametrize("shape", [(1,), (2,), (5,), (1, 1), (2, 1, 3)])
def test_shapes(mode, shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    np.testing.assert_array_equal(jnp.pad(x, (3, 2), mode), np.pad(x, (3, 2), mode))


def test_what_has_no_elements_or_no_axes():
    assert jnp.pad(jnp.zeros((0, 2)), 1).shape == (2, 4)
    assert jnp.pad(jnp.zeros((0, 2)), ((0, 0), (1, 1)), "edge").shape == (0, 4)
    assert jnp.pad(3.0, 1) == 3.0
    assert np.isnan(jnp.pad(jnp.zeros(0), 1, "mean")).all()


@pytest.mark.parametrize("mode", [m for m in MODES if m != "median"])
def test_derivatives_and_jit(mode):
    f = lambda x: jnp.pad(x, ((1, 2), (2, 4)), mode)  # noqa: E731
    check_derivatives(lambda x: f(x) ** 2, [X])
    np.testing.assert_allclose(jax.jit(f)(X), f(X), rtol=1e-6)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "mean", "linear_ramp"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_batches(mode, axis):
    got = jax.vmap(lambda x: jnp.pad(x, 2, mode), axis, axis)(X)
    width = [(0, 0), (2, 2)] if axis == 0 else [(2, 2), (0, 0)]
    np.testing.assert_allclose(got, np.pad(X, width, mode), rtol=1e-6)


def test_constants_may_be_traced_and_have_derivatives():
    f = lambda c: (jnp.pad(X[0], (2, 1), constant_values=c) ** 2).sum()  # noqa: E731
    assert jax.jit(jax.grad(f))(3.0) == 18.0


def test_a_function_of_each_row():
    def ends(row, width, axis, kwargs):
        return row.at[: width[0]].set(kwargs["value"]).at[row.size - width[1] :].set(axis)

    def ends_in_place(row, width, axis, kwargs):
        row[: width[0]], row[row.size - width[1] :] = kwargs["value"], axis

    width = ((1, 2), (3, 0))
    expected = np.pad(X, width, ends_in_place, value=7)
    np.testing.assert_array_equal(jnp.pad(X, width, ends, value=7), expected)
