"""scipy.special beside SciPy, in both precisions; derivatives beside differences; batches."""

import warnings

import numpy as np
import pytest
import scipy.special as theirs

import minijax as jax
import minijax.numpy as jnp
import minijax.scipy.special as ours
from derivatives import check_derivatives

LINE = np.concatenate([
    np.linspace(-6, 6, 61), np.linspace(-30, 30, 31), np.logspace(-3, 3, 40), [0, np.nan, np.inf],
    [-np.inf],
])  # fmt: skip
PLANE = (np.linspace(-8.3, 8.3, 18)[:, None] + 1j * np.linspace(-6, 6, 14)).ravel()
SHARES = np.concatenate([np.linspace(-0.1, 1.1, 60), np.logspace(-30, -1, 20), [0, 1, np.nan]])
FIRST = np.array([0.1, 0.5, 1, 2, 5, 9, 30, -2.5, 0])
SECOND = np.array([0.2, 0.75, 1, 3, 8, 25, 60, -0.5, 0])

# Where each is tried, and how far float64 may be off, relatively.
ONE = {
    "dawsn": (LINE, 1e-13), "erfcx": (LINE[LINE > -9], 1e-13), "entr": (LINE, 1e-14),
    "expit": (LINE, 1e-14), "gamma": (LINE[np.abs(LINE) < 30], 1e-12),
    "gammaln": (LINE[LINE != -np.inf], 1e-11), "gammasgn": (LINE[LINE != -np.inf], 0),
    "loggamma": (LINE[LINE > 0], 1e-12),
    "exp1": (LINE[LINE >= 0], 2e-13), "expi": (LINE[LINE != np.inf], 2e-12),
    "spence": (LINE[LINE < 1e9], 1e-13),
    "ndtr": (LINE, 1e-11), "log_ndtr": (LINE, 1e-11), "ndtri": (SHARES, 1e-12),
    "i0": (LINE[np.abs(LINE) < 500], 1e-13), "i1": (LINE[np.abs(LINE) < 500], 1e-13),
    "i0e": (LINE[np.isfinite(LINE)], 1e-13), "i1e": (LINE[np.isfinite(LINE)], 1e-13),
    "wofz": (PLANE, 1e-12), "sici": (LINE, 1e-11), "fresnel": (LINE[np.abs(LINE) < 100], 1e-12),
    "factorial": (np.arange(20.0), 1e-12),
}  # fmt: skip
COMPLEX = {"gamma": 1e-11, "loggamma": 1e-12, "erfcx": 1e-11}
TWO = {
    "beta": 1e-11, "betaln": 1e-11, "gammainc": 1e-11, "gammaincc": 1e-11, "rel_entr": 1e-13,
    "kl_div": 1e-12, "boxcox": 1e-12, "boxcox1p": 1e-12, "xlogy": 1e-13, "xlog1py": 1e-13,
    "owens_t": 1e-11, "comb": 1e-11,
}  # fmt: skip
# What JAX says otherwise, or SciPy; and poles, of which one takes the limit from the right.
POSITIVE = ("beta", "betaln", "gammainc", "gammaincc", "comb")


def compared(name, args, tolerance, *, digits=None):
    """In float64 to the tolerance; in float32 by what its digits allow."""
    want = leaves(getattr(theirs, name)(*args))
    for wide in (True, False):
        with jax.enable_x64(wide), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = leaves(getattr(ours, name)(*map(jnp.asarray, args)))
        for x, y in zip(got, want, strict=True):
            assert x.dtype.itemsize == (8 if wide else 4) * (2 if x.dtype.kind == "c" else 1)
            with np.errstate(all="ignore"):
                fits = wide | (np.abs(y) < 1e37) & (np.abs(y) > 1e-30) | ~np.isfinite(y)
            bound = tolerance if wide else digits or 2e-5
            np.testing.assert_allclose(
                np.asarray(x)[fits], y[fits], rtol=bound, atol=1e-14 if wide else 2e-6
            )  # fmt: skip


def leaves(out):
    return list(map(np.asarray, out)) if isinstance(out, tuple) else [np.asarray(out)]


@pytest.mark.parametrize("name", ONE)
def test_of_one_number(name):
    x, tolerance = ONE[name]
    compared(name, [x], tolerance, digits=1e-4 if name in ("gamma", "i0", "i1") else None)


@pytest.mark.parametrize("name", COMPLEX)
def test_of_complex_numbers(name):
    compared(name, [PLANE], COMPLEX[name], digits=2e-4)


@pytest.mark.parametrize("name", TWO)
def test_of_two_numbers(name):
    first, second = [x.ravel() for x in np.meshgrid(FIRST, SECOND)]
    if name in POSITIVE:
        keep = (first > 0) & (second > 0) & ((name != "comb") | (first >= second))
        first, second = first[keep], second[keep]
    compared(name, [first, second], TWO[name], digits=2e-4)


def test_of_more_numbers():
    n, x = [a.ravel() for a in np.meshgrid([0, 1, 2, 5, 27, 28, 60], [0.01, 0.5, 1.49, 1.5, 9, 80])]
    with jax.enable_x64(True):
        np.testing.assert_allclose(ours.expn(n, x), theirs.expn(n, x), rtol=2e-13)
        np.testing.assert_array_equal(ours.expn([1, -1][1], 0.5), np.nan)
        x = np.linspace(0, 1, 11)
        np.testing.assert_allclose(ours.betainc(1.5, 2.5, x), theirs.betainc(1.5, 2.5, x), 1e-12)
        n, x = np.arange(4), np.array([1.5, 2, 7])
        np.testing.assert_allclose(ours.polygamma(n, 1.5), theirs.polygamma(n, 1.5), rtol=1e-12)
        np.testing.assert_allclose(ours.zeta(x, 1.25), theirs.zeta(x, 1.25), rtol=1e-12)
        np.testing.assert_allclose(ours.bernoulli(20), theirs.bernoulli(20), rtol=1e-11)
        assert np.isinf(ours.bernoulli(260)[-1])
        x = np.array([2.5, 3, 9])
        np.testing.assert_allclose(ours.multigammaln(x, 4), theirs.multigammaln(x, 4), rtol=1e-12)
        z, m = np.array([-3.0, -3, -3, -2.5, 2, 0, 5]), np.array([1.0, 2, 5, 3, 3, 2, 0])
        np.testing.assert_allclose(ours.poch(z, m), theirs.poch(z, m), rtol=1e-12)
        z = np.array([0, 1e-3, 0.5, -2, 10, 30, 45])
        want = [theirs.jv(k, z) for k in range(9)]
        np.testing.assert_allclose(ours.bessel_jn(z, v=8), want, rtol=1e-11, atol=1e-14)


def test_hypergeometric():
    a, b, x = [v.ravel() for v in np.meshgrid(
        [0.5, 1.5, -2, -1.3, 5, 0], [0.5, 2, 3.25], [-200, -30, -3, -0.5, 0, 0.5, 3, 30, 80],
    )]  # fmt: skip
    compared("hyp1f1", [a, b, x], 1e-11, digits=3e-3)
    a, b, c, x = [v.ravel() for v in np.meshgrid(
        [0.5, 1.5, -2, 5, 0], [0.5, 1.25, 2], [0.5, 1.75, 2, 7],
        [-200, -3, -0.5, 0, 0.5, 0.89, 0.95, 0.99],
    )]  # fmt: skip
    compared("hyp2f1", [a, b, c, x], 1e-9, digits=3e-2)
    assert np.all(np.isinf(ours.hyp1f1(1.0, np.array([0.0, -2]), 0.5)))
    assert ours.hyp2f1(1.0, 1.0, 2.0, 1.5) == np.inf and ours.hyp2f1(-2.0, 1.0, 1.0, 3.0) == 4


def test_spherical_harmonics():
    n, m, theta = [v.ravel() for v in np.meshgrid(np.arange(6), np.arange(-5, 6), [0, 0.3, 2, 3])]
    with jax.enable_x64(True):
        got = ours.sph_harm_y(n, m, theta, 0.7)
        inside = np.abs(m) <= n
        want = theirs.sph_harm_y(n[inside], m[inside], theta[inside], 0.7)
        np.testing.assert_allclose(got[inside], want, atol=1e-13)
        assert not np.any(got[~inside])


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_softmax(axis):
    x = np.arange(6.0).reshape(2, 3) * 10
    for name in ("softmax", "log_softmax"):
        got, want = getattr(ours, name)(x, axis=axis), getattr(theirs, name)(x, axis)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


POINTS = np.array([0.3, 1.2, 2.7])
SMOOTH = {
    **dict.fromkeys("dawsn entr expit gamma loggamma gammaln digamma exp1 ndtr i0 i1 i0e i1e"
                    .split(), POINTS),
    "erfcx": np.array([-1.0, 0.5, 9]), "spence": np.array([0.2, 1, 3]),
    "log_ndtr": np.array([-9.0, -1, 2]), "expi": np.array([-2.0, 0.7, 4]),
    "ndtri": np.array([0.05, 0.4, 0.93]), "logit": np.array([0.05, 0.4, 0.93]),
    "fresnel": np.array([-3.0, 0.7, 1.9]), "sici": np.array([-3.0, 0.7, 9]),
}  # fmt: skip
PAIRS = {
    **dict.fromkeys("rel_entr kl_div xlogy xlog1py betaln owens_t".split(),
                    [np.array([0.7, 1.5, 25]), np.array([0.4, 2.2, 30])]),
    **dict.fromkeys("boxcox boxcox1p beta poch".split(),
                    [np.array([0.7, 1.5]), np.array([0.4, 2.2])]),
    "comb": [np.array([2.4, 4.2]), np.array([0.7, 2.5])],
    "zeta": [np.array([1.5, 3]), np.array([0.7, 2])],
}  # fmt: skip
OTHERS = {
    "boxcox at 0": (lambda x: ours.boxcox(x, 0.0), [POINTS]),
    "expn": (lambda x: ours.expn(jnp.array([0, 2, 4]), x), [POINTS]),
    "polygamma": (lambda x: ours.polygamma(2, x), [POINTS]),
    "gammainc": (lambda x: ours.gammainc(1.5, x), [POINTS]),
    "betainc": (lambda x: ours.betainc(1.5, 2.0, x), [POINTS / 4]),
    "multigammaln": (lambda x: ours.multigammaln(x, 3), [POINTS + 2]),
    "bessel_jn": (lambda x: ours.bessel_jn(x, v=3), [POINTS]),
    "hyp1f1": (lambda x: ours.hyp1f1(1.5, 2.5, x), [np.array([-2, 0.5, 3])]),
    "hyp2f1": (lambda x: ours.hyp2f1(1.5, 2.5, 3.3, x), [np.array([-2, 0.5])]),
    "log_softmax": (ours.log_softmax, [POINTS]),
}


def stacked(f):
    def together(*xs):
        out = f(*xs)
        return jnp.stack(out) if isinstance(out, tuple) else out

    return together


@pytest.mark.parametrize("name", [*SMOOTH, *PAIRS, *OTHERS])
def test_derivatives(name):
    f, xs = OTHERS.get(name) or (
        getattr(ours, name), PAIRS[name] if name in PAIRS else [SMOOTH[name]]
    )  # fmt: skip
    check_derivatives(stacked(f), xs)


def test_derivatives_by_the_parameters_of_hypergeometric_functions():
    with jax.enable_x64(True):
        for f, args in ((ours.hyp1f1, [1.5, 2.5, 0.7]), (ours.hyp2f1, [1.5, 2.5, 3.3, 0.4])):
            for i in range(len(args)):
                step = [1e-5 if j == i else 0 for j in range(len(args))]
                up, down = ([x + s * h for x, h in zip(args, step, strict=True)] for s in (1, -1))
                slope = (f(*up) - f(*down)) / 2e-5
                np.testing.assert_allclose(jax.grad(f, i)(*args), slope, rtol=1e-8)


def test_jitted_and_mapped():
    x = jnp.asarray(np.linspace(0.2, 2.5, 6).reshape(2, 3))
    for name in (*SMOOTH, *PAIRS, "gammaincc", "gammainc", "hyp1f1"):
        count = {"hyp1f1": 3}.get(name, 2 if name in (*PAIRS, "gammainc", "gammaincc") else 1)
        f, xs = stacked(getattr(ours, name)), [x / 3 if name in ("ndtri", "logit") else x] * count
        want = np.asarray(f(*xs))
        np.testing.assert_allclose(jax.jit(f)(*xs), want, rtol=2e-5, atol=1e-6)
        for axis in (0, 1):
            out = jax.vmap(f, axis, axis - 2)(*xs)
            np.testing.assert_allclose(out, want, rtol=2e-5, atol=1e-6)
