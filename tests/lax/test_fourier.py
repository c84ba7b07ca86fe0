"""lax.fft: beside NumPy, its transposes, and when its library is imported. (Derivatives and batches
are in primitive_table.py.)"""

import subprocess
import sys

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

KINDS = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn}
LENGTHS = [(1,), (4,), (5,), (3, 4), (2, 5), (2, 1), (2, 3, 4)]


def numbers(shape, kind, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return x if kind == "RFFT" else x + 1j * rng.normal(size=shape)


def taken(kind, lengths):
    """The sizes that a transform takes, after an axis of a batch."""
    last = lengths[-1] // 2 + 1 if kind == "IRFFT" else lengths[-1]
    return (2, *lengths[:-1], last)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_numpys(kind, wide):
    with jax.enable_x64(wide):
        for lengths in LENGTHS:
            x = jnp.asarray(numbers(taken(kind, lengths), kind))
            got = lax.fft(x, kind, lengths)
            axes = tuple(range(-len(lengths), 0))
            want = KINDS[kind](np.asarray(x, None), s=lengths, axes=axes)
            assert got.shape == want.shape and got.dtype == want.dtype and not got.weak_type
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-12 if wide else 1e-5)
            jitted = jax.jit(lax.fft, static_argnums=(1, 2))
            np.testing.assert_array_equal(jitted(x, kind, lengths), got)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_the_transpose_is_the_transpose(kind, lengths):
    """<F x, y> is <x, F' y>, where both are real parts of products without a conjugate."""
    with jax.enable_x64(True):
        x = jnp.asarray(numbers(taken(kind, lengths), kind))
        out, pull = jax.vjp(lambda x: lax.fft(x, kind, lengths), x)
        y = jnp.asarray(numbers(out.shape, "RFFT" if kind == "IRFFT" else "FFT", 1))
        back = pull(y)[0]
        assert back.dtype == x.dtype and back.shape == x.shape
        np.testing.assert_allclose(np.sum(out * y).real, np.sum(x * back).real, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_of_no_numbers_it_has_none_or_zeros(kind):
    dtype = "float32" if kind == "RFFT" else "complex64"
    assert lax.fft(jnp.zeros((0, 3), dtype), kind, (4 if kind == "IRFFT" else 3,)).shape[0] == 0
    nothing = lax.fft(jnp.zeros((2, 1 if kind == "IRFFT" else 0), dtype), kind, (0,))
    assert nothing.shape == (2, 1 if kind == "RFFT" else 0) and not np.any(nothing)


def test_explain_says_that_it_is_left_to_numpy():
    told = str(jax.explain(lambda x: jnp.abs(lax.fft(x, "RFFT", (4,))) + 1)(jnp.ones(4)))
    assert "fft" in told and "left to NumPy" in told


def test_scipy_is_imported_by_the_first_transform():
    code = """
import sys
import minijax as jax, minijax.numpy as jnp
import minijax.numpy.fft, minijax.scipy.special, minijax.scipy.signal, minijax.scipy.optimize
jax.scipy.special.dawsn(1.0), jax.make_jaxpr(jnp.fft.fft)(1.0 + jnp.arange(3))
print("scipy" in sys.modules)
jnp.fft.fft(jnp.ones(3))
print("scipy.fft" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"], done.stderr
