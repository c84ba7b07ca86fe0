"""scipy.signal beside SciPy; derivatives, jit and vmap."""

import numpy as np
import pytest
import scipy.signal

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy import signal

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 90)), RNG.normal(size=(2, 70))


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def assert_alike(got, want):
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_are_scipys(mode):
    for a, b in (((7, 5), (3, 2)), ((3, 2), (7, 5)), ((9,), (9,)), ((1, 4), (1, 1))):
        x, y = RNG.normal(size=a), RNG.normal(size=b)
        for z in (y, y * 1j):
            got = signal.fftconvolve(x, z, mode)
            np.testing.assert_allclose(got, scipy.signal.fftconvolve(x, z, mode), atol=1e-12)
    got = signal.fftconvolve(X, Y, mode, axes=1)
    np.testing.assert_allclose(got, scipy.signal.fftconvolve(X, Y, mode, axes=1), atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_trends_are_scipys(axis):
    for how in ({}, {"type": "constant"}, {"bp": 1}, {"bp": [0, 2, 2]}):
        got = signal.detrend(X[:, :5], axis, **how)
        np.testing.assert_allclose(got, scipy.signal.detrend(X[:, :5], axis, **how), atol=1e-12)


@pytest.mark.parametrize("how", [
    {}, {"noverlap": 3, "nfft": 20}, {"window": "blackman", "return_onesided": False},
    {"window": ("gaussian", 2.0), "nperseg": 15}, {"axis": 0},
], ids=str)  # fmt: skip
def test_spectra_are_scipys(how):
    how = {"nperseg": 16, "fs": 3.0, **how}
    x, y = (X.T, X[::-1].T) if "axis" in how else (X, Y)
    assert_alike(signal.welch(x, **how), scipy.signal.welch(x, **how))
    assert_alike(signal.csd(x, y, **how), scipy.signal.csd(x, y, **how))
    for extra in ({"scaling": "spectrum"}, {"average": "median"}, {"detrend": "linear"}):
        assert_alike(signal.welch(x, **how, **extra), scipy.signal.welch(x, **how, **extra))
    for extra in ({}, {"boundary": None, "padded": False}, {"boundary": "even"},
                  {"boundary": "odd", "detrend": "constant"}):  # fmt: skip
        assert_alike(signal.stft(x, **how, **extra), scipy.signal.stft(x, **how, **extra))


@pytest.mark.parametrize("how", [
    {}, {"noverlap": 9}, {"nfft": 20}, {"window": "hamming"}, {"nperseg": 15}, {"noverlap": 12},
], ids=str)  # fmt: skip
def test_the_signal_comes_back(how):
    how = {"nperseg": 16, "fs": 3.0, **how}
    waves = signal.stft(X, **how)[2]
    times, x = signal.istft(waves, **how)
    assert_alike([x], scipy.signal.istft(np.asarray(waves), **how)[1:])
    np.testing.assert_allclose(times, np.arange(x.shape[-1]) / 3)
    np.testing.assert_allclose(x[:, :90], X, atol=1e-10)
    both_sides = signal.stft(X, **how, return_onesided=False)[2]
    back = signal.istft(both_sides, **how, input_onesided=False)[1]
    np.testing.assert_allclose(back[:, :90], X, atol=1e-10)


@pytest.mark.parametrize("fun", [
    lambda x: signal.fftconvolve(x, jnp.arange(3.0), "same"), signal.detrend,
    lambda x: signal.welch(x, nperseg=4)[1], lambda x: signal.csd(x, x[::-1], nperseg=4)[1].imag,
    lambda x: signal.istft(signal.stft(x * x, nperseg=4)[2], nperseg=4)[1],
])  # fmt: skip
def test_derivatives_jit_and_vmap(fun):
    check_derivatives(fun, [X[0, :9]])
    rows = jnp.asarray(X[:, :9])
    want = np.stack([fun(row) for row in rows])
    np.testing.assert_allclose(jax.vmap(fun)(rows), want, atol=1e-10)
    np.testing.assert_allclose(jax.jit(jax.vmap(fun, 1))(rows.T), want, atol=1e-10)


@pytest.mark.parametrize("name", ["convolve", "correlate", "convolve2d", "correlate2d"])
def test_sums_of_products_are_scipys(name):
    ours, theirs = getattr(signal, name), getattr(scipy.signal, name)
    a, b = RNG.normal(size=(5, 4)), RNG.normal(size=(2, 3))
    for mode in ("full", "same", "valid"):
        for x, y in ((a, b), (b, a), (a, b * 1j), (a * 1j, b + 1j), (a, a)):
            if (x is b, name, mode) == (True, "correlate2d", "valid"):
                continue  # SciPy gives it backwards, as JAX does not
            np.testing.assert_allclose(ours(x, y, mode), theirs(x, y, mode), atol=1e-12)
    if "2" not in name:
        for x, y in ((a[0], b[0]), (RNG.normal(size=(3, 4, 2)), RNG.normal(size=(2, 2, 1)))):
            for method in ("auto", "direct", "fft"):
                got = ours(x, y, "same", method)
                np.testing.assert_allclose(got, theirs(x, y, "same"), atol=1e-12)
    check_derivatives(lambda x, y: ours(x, y, "same"), [a[:3, :3], b])
