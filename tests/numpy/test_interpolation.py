"""interp beside NumPy's; derivatives by the places and the values."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

XP = np.array([-1.0, 0.5, 2.0, 4.0], np.float32)
FP = np.array([3.0, -1.0, 0.0, 2.0], np.float32)
X = np.array([[-3.0, -1.0, 0.0], [1.9, 4.0, 9.0]], np.float32)


@pytest.mark.parametrize("options", [
    {}, {"left": 7.0}, {"right": -7.0}, {"left": 1, "right": 2}, {"period": 3.0}, {"period": 7},
])  # fmt: skip
@pytest.mark.parametrize("x", [X, 0.25, X[0].astype(int), X[:, :0]])
def test_against_numpy(options, x):
    expected = np.interp(x, XP, FP, **options)
    got = jnp.interp(x, XP, FP, **options)
    assert got.shape == np.shape(expected) and got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_complex_values_one_place_and_neighbours_at_one_place():
    np.testing.assert_allclose(jnp.interp(X, XP, FP * 1j), np.interp(X, XP, FP * 1j), rtol=1e-5)
    assert jnp.interp(X, XP[:1], FP[:1]).tolist() == [[3.0] * 3] * 2
    assert jnp.interp(1.0, np.array([0.0, 1.0, 1.0, 2.0]), np.arange(4.0)) == 2.0


def test_on_beyond_the_ends():
    got = jnp.interp(X, XP, FP, left="extrapolate", right="extrapolate")
    slopes = (FP[1] - FP[0]) / (XP[1] - XP[0]), (FP[3] - FP[2]) / (XP[3] - XP[2])
    np.testing.assert_allclose(got[0, 0], FP[0] + slopes[0] * (-3 + 1), rtol=1e-6)
    np.testing.assert_allclose(got[1, 2], FP[3] + slopes[1] * (9 - 4), rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"left": "extrapolate", "right": "extrapolate"}])
def test_derivatives_and_batches(options):
    x = np.array([-2.0, 0.1, 1.0, 3.3, 6.0])
    check_derivatives(lambda *xs: jnp.interp(*xs, **options), [x, XP, FP])
    rows = np.stack([FP, 2 * FP])
    expected = np.stack([np.interp(x, XP, row) for row in rows])
    got = jax.jit(jax.vmap(jnp.interp, (None, None, 0)))(x.astype(np.float32), XP, rows)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
