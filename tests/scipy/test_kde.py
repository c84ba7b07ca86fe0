"""gaussian_kde beside SciPy's."""

import numpy as np
import pytest
import scipy.stats

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy.stats import gaussian_kde

RNG = np.random.default_rng(0)
SAMPLES = [RNG.normal(size=12), RNG.normal(size=(2, 15)), RNG.normal(size=(3, 20))]
WEIGHTS = [None, RNG.uniform(0.5, 2, 15)]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("bw_method", [None, "silverman", 0.4, lambda kde: 2 / kde.n])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda x: str(x.shape))
def test_values_are_scipys(sample, bw_method):
    ours, theirs = (f(sample, bw_method) for f in (gaussian_kde, scipy.stats.gaussian_kde))
    points = RNG.normal(size=(ours.d, 7))
    for name in ("covariance", "inv_cov", "neff", "weights", "d", "n"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    np.testing.assert_allclose(ours(points), theirs(points), rtol=1e-10)
    np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol=1e-10)
    np.testing.assert_allclose(jax.jit(lambda g, x: g(x))(ours, points), theirs(points), rtol=1e-10)


def test_weights_and_integrals_are_scipys():
    sample, weights = SAMPLES[1], WEIGHTS[1]
    ours, theirs = (f(sample, None, weights) for f in (gaussian_kde, scipy.stats.gaussian_kde))
    points = RNG.normal(size=(2, 5))
    np.testing.assert_allclose(ours(points), theirs(points), rtol=1e-10)
    mean, cov = np.array([0.3, -0.2]), np.array([[1.0, 0.3], [0.3, 2]])
    got, want = (kde.integrate_gaussian(mean, cov) for kde in (ours, theirs))
    np.testing.assert_allclose(got, want, rtol=1e-10)
    other, their_other = (f(sample[:, :6]) for f in (gaussian_kde, scipy.stats.gaussian_kde))
    np.testing.assert_allclose(ours.integrate_kde(other), theirs.integrate_kde(their_other))
    line, their_line = (f(SAMPLES[0]) for f in (gaussian_kde, scipy.stats.gaussian_kde))
    got, want = line.integrate_box_1d(-1, 0.5), their_line.integrate_box_1d(-1, 0.5)
    np.testing.assert_allclose(got, want, rtol=1e-10)


def test_draws_have_its_moments():
    kde = gaussian_kde(SAMPLES[1])
    drawn = kde.resample(jax.random.key(0), (20000,))
    assert drawn.shape == (2, 20000) and kde.resample(jax.random.key(0)).shape == (2,)
    total = np.cov(SAMPLES[1], bias=True) + np.asarray(kde.covariance)
    np.testing.assert_allclose(np.cov(drawn), total, atol=0.06)
    np.testing.assert_allclose(np.mean(drawn, 1), SAMPLES[1].mean(1), atol=0.05)


def test_derivatives_by_sample_and_points():
    points = np.array([[0.1, 0.7], [-0.3, 0.4]])
    density = jax.jit(lambda sample, x: gaussian_kde(sample)(x))
    check_derivatives(density, [SAMPLES[1][:, :4], points])
    mapped = jax.vmap(gaussian_kde(SAMPLES[1]), 1)(jnp.asarray(points))
    np.testing.assert_allclose(mapped[:, 0], gaussian_kde(SAMPLES[1])(points), rtol=1e-10)
