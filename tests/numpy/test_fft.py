"""jnp.fft beside NumPy: norms, negative axes, sizes that cut or pad; and under transformations."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
OF_REALS = ("rfft", "ihfft", "rfft2", "rfftn")
NORMS = [None, "backward", "ortho", "forward"]


def numbers(shape, name):
    rng = np.random.default_rng(len(name))
    x = rng.normal(size=shape)
    return x if name in OF_REALS else x + 1j * rng.normal(size=shape)


def assert_alike(got, want, wide):
    assert (got.shape, got.dtype) == (want.shape, want.dtype if wide else narrow(want.dtype))
    tolerance = 1e-12 if wide else 1e-4
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def narrow(dtype):
    return np.dtype("complex64" if dtype.kind == "c" else "float32")


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ONE)
def test_along_one_axis(name, wide):
    x, ours, theirs = numbers((3, 5, 4), name), getattr(jnp.fft, name), getattr(np.fft, name)
    with jax.enable_x64(wide):
        for norm in NORMS:
            for n, axis in [(None, -1), (3, 0), (7, 1), (2, -2), (None, -3), (1, 2)]:
                if (n, name) == (1, "irfft") or (n, name) == (1, "hfft"):
                    continue  # NumPy's divides by 0 there
                assert_alike(ours(x, n, axis, norm), theirs(x, n, axis, norm), wide)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name, wide):
    x, ours, theirs = numbers((3, 5, 4), name), getattr(jnp.fft, name), getattr(np.fft, name)
    with jax.enable_x64(wide):
        for norm in NORMS:
            for s, axes in [(None, (-2, -1)), ((2, 6), (0, 1)), ((4, 3), (2, -3)), (None, (1, 0))]:
                assert_alike(ours(x, s, axes, norm), theirs(x, s, axes, norm), wide)
        if name.endswith("n"):
            assert_alike(ours(x), theirs(x), wide)
            assert_alike(ours(x, (3, 3), (-2, -1)), theirs(x, (3, 3), (-2, -1)), wide)


@pytest.mark.parametrize("dtype", ["int32", "bool", "uint8", "float16"])
def test_other_numbers_become_floats(dtype):
    x = np.array([3, 0, 1, 2]).astype(dtype)
    for name in ("fft", "ifft", "irfft", *(["rfft"] if dtype != "float16" else [])):
        assert_alike(getattr(jnp.fft, name)(x), getattr(np.fft, name)(x.astype("float64")), False)


@pytest.mark.parametrize("name", ONE + SEVERAL)
def test_jitted_and_mapped(name):
    f = getattr(jnp.fft, name)
    x = jnp.asarray(numbers((4, 3, 5), name))
    np.testing.assert_array_equal(jax.jit(f)(x), f(x))
    for axis in range(3):
        rows = [f(jnp.take(x, i, axis)) for i in range(x.shape[axis])]
        np.testing.assert_allclose(jax.vmap(f, axis)(x), np.stack(rows), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ONE + SEVERAL)
def test_derivatives(name):
    f = getattr(jnp.fft, name)

    def parts(x, *y):
        out = f(x if name in OF_REALS else x + 1j * y[0], norm="ortho")
        return jnp.stack([jnp.real(out), jnp.imag(out)])

    rng = np.random.default_rng(0)
    check_derivatives(parts, [rng.normal(size=(2, 3))] * (1 if name in OF_REALS else 2))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_and_their_order(n):
    for d in (1.0, 0.25):
        np.testing.assert_allclose(jnp.fft.fftfreq(n, d), np.fft.fftfreq(n, d), rtol=1e-6)
        np.testing.assert_allclose(jnp.fft.rfftfreq(n, d), np.fft.rfftfreq(n, d), rtol=1e-6)
    x = np.arange(n * 3).reshape(n, 3)
    for axes in (None, 0, -1, (0, 1), (-1,)):
        np.testing.assert_array_equal(jnp.fft.fftshift(x, axes), np.fft.fftshift(x, axes))
        np.testing.assert_array_equal(jnp.fft.ifftshift(x, axes), np.fft.ifftshift(x, axes))
    slope = jax.grad(lambda d: jnp.fft.fftfreq(n, d).sum())(0.5)
    np.testing.assert_allclose(slope, -np.fft.fftfreq(n, 0.25).sum(), rtol=1e-5, atol=1e-6)
