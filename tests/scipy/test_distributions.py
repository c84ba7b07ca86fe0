"""Distributions beside SciPy's: values, derivatives, under jit and vmap, what they refuse."""

from importlib import import_module

import numpy as np
import pytest
import scipy.stats

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.face.jax_names import JAX_NAMES

# Special functions in kernels: tests/compiler/maths.
pytestmark = pytest.mark.usefixtures("module_on_numpy")
X = np.array([-1.7, 0.3, 0.8, 2.6])
PLACE = (0.1, 1.5)  # loc and scale
# The parameters that a distribution takes, and points: one outside of the support, where it ends.
TABLE = {
    "beta": ((1.3, 2.2, *PLACE), X), "cauchy": (PLACE, X), "chi2": ((3.4, *PLACE), X),
    "expon": (PLACE, X), "gamma": ((2.3, *PLACE), X), "gennorm": ((1.7,), X),
    "gumbel_l": (PLACE, X), "gumbel_r": (PLACE, X), "laplace": (PLACE, X), "logistic": (PLACE, X),
    "norm": (PLACE, X), "pareto": ((1.4, *PLACE), X + 1.2), "t": ((3.3, *PLACE), X),
    "truncnorm": ((-0.9, 1.2, *PLACE), X), "uniform": (PLACE, X), "vonmises": ((1.3,), X),
    "wrapcauchy": ((0.4,), X),
    "bernoulli": ((0.3,), np.arange(-1, 3)), "betabinom": ((4, 1.2, 2.1, 1), np.arange(0, 7)),
    "binom": ((4, 0.3, 1), np.arange(0, 7)), "geom": ((0.3, 1), np.arange(0, 5)),
    "nbinom": ((3, 0.4, 1), np.arange(0, 5)), "poisson": ((2.3, 1), np.arange(0, 5)),
}  # fmt: skip
SHARES = np.array([0.1, 0.5, 0.85])
VECTORS = ("dirichlet", "multinomial", "multivariate_normal")


def module(name):
    return import_module(f"minijax.scipy.stats.{name}")


def functions(*but):
    return [*_functions(but)]


def _functions(but):
    for name in TABLE:
        for function in JAX_NAMES[f"minijax.scipy.stats.{name}"].split():
            if function not in but:
                yield name, function


def points(name, function):
    parameters, x = TABLE[name]
    x = SHARES if function in ("ppf", "isf") else x
    return np.asarray(x, "float32"), [np.float32(p) for p in parameters]


@pytest.mark.parametrize("name", [*TABLE, *VECTORS])
def test_a_module_has_jax_names(name):
    assert module(name).__all__ == JAX_NAMES[f"minijax.scipy.stats.{name}"].split()
    assert getattr(jax.scipy.stats, name) is module(name)
    for function in module(name).__all__:
        assert getattr(module(name), function).__doc__


@pytest.mark.parametrize("name, function", functions("entropy"))
def test_values_are_scipys(name, function):
    x, parameters = points(name, function)
    got = getattr(module(name), function)(x, *parameters)
    theirs = getattr(scipy.stats, name)
    with np.errstate(divide="ignore"):
        want = getattr(theirs, function)(x.astype(float), *map(float, parameters))
    assert got.dtype == "float32"
    np.testing.assert_allclose(got, want, rtol=4e-6, atol=1e-6)


@pytest.mark.parametrize("name, function", functions("entropy"))
def test_jitted_and_mapped(name, function):
    x, parameters = points(name, function)
    fun = getattr(module(name), function)
    want = np.asarray(fun(x, *parameters))
    columns = [np.full_like(x, p) for p in parameters]
    for got in (jax.jit(fun)(x, *columns), jax.vmap(fun)(x, *columns)):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)
    wide = fun(np.stack([x, x], 1), *parameters)
    np.testing.assert_allclose(wide, np.stack([want, want], 1), rtol=2e-5, atol=1e-6)
    assert fun(x[:0], *parameters).shape == (0,)


DIFFERENTIABLE = [
    (name, function) for name, function in functions("pdf", "pmf", "entropy")
    if name not in ("bernoulli", "betabinom", "binom", "geom", "nbinom", "poisson")
]  # fmt: skip


@pytest.mark.parametrize("name, function", DIFFERENTIABLE)
def test_derivatives_by_x(name, function):
    x, parameters = points(name, function)
    inside = x if function in ("ppf", "isf") else x[1:3] + (0.3 if name == "pareto" else 0)
    check_derivatives(lambda x: getattr(module(name), function)(x, *parameters), [inside + 0.0])


@pytest.mark.parametrize("name", TABLE)
def test_the_density_has_derivatives_by_parameters(name):
    x, parameters = points(name, "")
    kept = {"betabinom": 1, "binom": 1, "nbinom": 1}.get(name, 0)
    discrete = name in ("bernoulli", "betabinom", "binom", "geom", "nbinom", "poisson")
    inside, parameters = np.float32(x[3 if name == "geom" else 2]), parameters[:3]
    fun = getattr(module(name), "logpmf" if discrete else "logpdf")
    if discrete:
        parameters = parameters[: len(TABLE[name][0]) - (name != "bernoulli")]
    fixed, moving = parameters[:kept], [np.float64(p) for p in parameters[kept:]]
    check_derivatives(lambda *moving: fun(inside, *fixed, *moving), moving)


def test_the_ends_of_the_support():
    """As SciPy has them; and a derivative outside is 0, not NaN."""
    for name in ("expon", "gamma", "beta", "uniform", "pareto", "chi2"):
        parameters, _ = TABLE[name]
        fun, x = module(name), np.array([-np.inf, -5, np.inf, np.nan], "float32")
        np.testing.assert_array_equal(fun.pdf(x[:2], *parameters), [0, 0])
        np.testing.assert_array_equal(fun.logpdf(x[:2], *parameters), [-np.inf, -np.inf])
        np.testing.assert_array_equal(fun.cdf(x[:3], *parameters), [0, 0, 1])
        assert np.isnan(fun.logpdf(x[3], *parameters)) or name in ("uniform", "gamma")
    for name in ("beta", "gamma", "chi2"):
        assert jax.grad(module(name).cdf)(-5.0, *TABLE[name][0]) == 0


def test_integers_become_floats_and_defaults_are_last():
    norm, beta = module("norm"), module("beta")
    assert norm.logcdf(jnp.arange(3)).dtype == "float32"
    got = beta.pdf(0.6, 2, b=3, scale=2.0)
    np.testing.assert_allclose(got, scipy.stats.beta.pdf(0.6, 2, 3, scale=2), rtol=1e-5)
    with pytest.raises(TypeError):
        beta.pdf(0.5, 2)


@pytest.mark.parametrize("mu", [0.0, 0.4, 9.9, 10.5, 99.0, 150.0])
def test_entropy_of_poisson(mu):
    got, want = module("poisson").entropy(mu), scipy.stats.poisson.entropy(mu) if mu else 0
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert module("poisson").entropy(np.full((2, 3), mu)).shape == (2, 3)


def test_far_ends_keep_their_digits():
    norm, truncnorm = module("norm"), module("truncnorm")
    np.testing.assert_allclose(norm.logsf(30.0), scipy.stats.norm.logsf(30), rtol=1e-6)
    far = (8.2, 8, 9)
    for function in ("logpdf", "logcdf", "logsf"):
        want = getattr(scipy.stats.truncnorm, function)(*far)
        np.testing.assert_allclose(getattr(truncnorm, function)(*far), want, rtol=1e-4)


def test_vectors():
    shares, alpha = np.array([[0.2, 0.5], [0.3, 0.1], [0.5, 0.4]]), np.array([1.2, 2.0, 3.1])
    counts, chances = np.array([[1, 2, 1], [0, 0, 4], [1, 1, 1]]), np.array([0.2, 0.3, 0.5])
    x, mean = np.array([[0.1, 0.5, 1], [0, 2, 1.0]]), np.array([0.3, 0.2, 0.1])
    cov = np.array([[2, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 1.5]])
    theirs = scipy.stats
    for got, want in (
        (module("dirichlet").logpdf(shares, alpha), theirs.dirichlet.logpdf(shares, alpha)),
        (module("dirichlet").pdf(shares[:2], alpha), theirs.dirichlet.pdf(shares, alpha)),
        (module("multinomial").pmf(counts, 4, chances), theirs.multinomial.pmf(counts, 4, chances)),
        *((getattr(module("multivariate_normal"), f)(x, mean, c),
           getattr(theirs.multivariate_normal, f)(x, mean, c))
          for f in ("pdf", "logpdf") for c in (cov, 2.0)),
    ):  # fmt: skip
        np.testing.assert_allclose(got, want, rtol=1e-5)
    logpdf = module("multivariate_normal").logpdf
    by_hand = [logpdf(row, mean, cov) for row in x]
    np.testing.assert_allclose(jax.vmap(logpdf, (0, None, None))(x, mean, cov), by_hand, rtol=1e-6)
    covs = jnp.stack([cov, 2 * cov])
    got = jax.jit(jax.vmap(logpdf, (None, None, 0)))(x, mean, covs)
    np.testing.assert_allclose(got, [logpdf(x, mean, c) for c in covs], rtol=1e-5)
    check_derivatives(lambda x, mean: logpdf(x, mean, cov), [x[0], mean])
    check_derivatives(lambda alpha: module("dirichlet").logpdf(shares[:2], alpha), [alpha])


F, Z = np.ones(3, "float32"), np.ones(3) * 1j
MISTAKES = [
    ("beta", "pdf", ([1.0], 1, 1), TypeError, "beta.pdf takes arrays and numbers"),
    ("beta", "logcdf", (F, 1, np.ones(2)), TypeError, "beta.logcdf got the shapes"),
    ("gamma", "sf", (Z, 1.0), TypeError, "gamma.sf takes floats, and got complex64"),
    ("norm", "logsf", (None,), TypeError, "norm.logsf takes arrays and numbers"),
    ("dirichlet", "pdf", (F, 1.0), ValueError, "dirichlet.pdf takes a row as alpha"),
    ("dirichlet", "logpdf", (F, np.ones(5)), ValueError, "dirichlet.logpdf got x of the shape"),
    ("dirichlet", "logpdf", (Z, F), TypeError, "dirichlet.logpdf takes real numbers"),
    ("multinomial", "pmf", (F, 3, F / 3), ValueError, "multinomial.pmf counts with integers"),
    ("multivariate_normal", "pdf", (F, F, F), ValueError, "multivariate_normal.pdf got cov"),
    ("multivariate_normal", "logpdf", (F, F, np.eye(3), True), NotImplementedError,
     "multivariate_normal.logpdf takes no singular cov"),
]  # fmt: skip


@pytest.mark.parametrize("name, function, args, error, says", MISTAKES)
def test_a_mistake_is_told(name, function, args, error, says):
    with pytest.raises(error, match=says):
        getattr(module(name), function)(*args)
