"""scipy.fft beside SciPy."""

import numpy as np
import pytest
import scipy.fft

import minijax as jax
import minijax.numpy as jnp
import minijax.scipy.fft as ours
from derivatives import check_derivatives

X = np.random.default_rng(0).normal(size=(3, 5, 4))


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["dct", "idct"])
def test_along_one_axis(name, norm):
    with jax.enable_x64(True):
        for n, axis in [(None, -1), (3, 0), (7, 1), (1, -2), (2, 2)]:
            got = getattr(ours, name)(X, 2, n, axis, norm)
            want = getattr(scipy.fft, name)(X, 2, n, axis, norm)
            np.testing.assert_allclose(got, want, atol=1e-12)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["dctn", "idctn"])
def test_along_several_axes(name, norm):
    with jax.enable_x64(True):
        for s, axes in [(None, None), ((2, 6), (0, 1)), ((4, 3), None), (None, (1, 0))]:
            got = getattr(ours, name)(X, 2, s, axes, norm)
            want = getattr(scipy.fft, name)(X, 2, s, axes, norm)
            np.testing.assert_allclose(got, want, atol=1e-12)


@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_jitted_mapped_and_differentiated(name):
    f = getattr(ours, name)
    x = jnp.asarray(X)
    assert f(x).dtype == np.float32 and f(x.astype("bfloat16")).dtype == np.float32
    np.testing.assert_allclose(jax.jit(f)(x), f(x), atol=1e-5)
    for axis in range(3):
        rows = [f(jnp.take(x, i, axis)) for i in range(x.shape[axis])]
        np.testing.assert_allclose(jax.vmap(f, axis)(x), np.stack(rows), atol=1e-5)
    check_derivatives(f, [X[0, :2, :3]])
