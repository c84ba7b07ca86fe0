"""convolve and correlate beside NumPy's; under jit, vmap and derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (5, 1), (5, 2), (2, 5), (4, 4), (7, 3)])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_against_numpy(name, mode, sizes, dtype):
    x, y = (np.asarray(RANDOM.integers(-4, 5, n), dtype) for n in sizes)
    if dtype == "complex64":
        x, y = x * (1 + 2j), y * (2 - 1j)
    expected = getattr(np, name)(x, y, mode)
    got = getattr(jnp, name)(x, y, mode)
    assert got.shape == expected.shape
    assert got.dtype == (np.complex64 if dtype == "complex64" else np.float32)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_derivatives_jit_and_batches(name, mode):
    x, y = np.cos(np.arange(5.0)), np.sin(np.arange(1.0, 4))
    f = lambda x, y: getattr(jnp, name)(x, y, mode)  # noqa: E731
    check_derivatives(f, [x, y])
    check_derivatives(f, [y, x])
    xs = np.stack([x, 2 * x, x[::-1]], 1).astype(np.float32)
    expected = np.stack([f(row, y) for row in xs.T], 1)
    np.testing.assert_allclose(jax.jit(jax.vmap(f, (1, None), 1))(xs, y), expected, rtol=1e-5)


def test_weak_numbers_stay_weak_whatever_dtype_is_asked_for():
    x = jax.lax.full((3,), 2.0)
    assert x.weak_type and jnp.convolve(x, x).weak_type
    assert jnp.convolve(x, x, preferred_element_type="float32").weak_type
