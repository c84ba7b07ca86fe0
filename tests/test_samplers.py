"""Samplers of many distributions: that their numbers follow these, and what transformations do."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random
from minijax.core.staging import check_jaxpr

KEY = random.key(42)
KEYS = random.split(KEY, 3)
MANY = 5_000


def normal_share(t):
    return (1 + math.erf(t / 2**0.5)) / 2


def lower_gamma(a, x):
    with jax.enable_x64():
        return float(jax.lax.igamma(np.float64(a), np.float64(x)))


def beta_share(a, b, x):
    with jax.enable_x64():
        return float(jax.lax.betainc(*map(np.float64, (a, b, x))))


# For each sampler a call, with a place for the key and the shape, and its distribution function.
FLOATS = {
    "exponential": (random.exponential, lambda t: 1 - math.exp(-t)),
    "laplace": (random.laplace, lambda t: math.exp(t) / 2 if t < 0 else 1 - math.exp(-t) / 2),
    "logistic": (random.logistic, lambda t: 1 / (1 + math.exp(-t))),
    "cauchy": (random.cauchy, lambda t: 0.5 + math.atan(t) / math.pi),
    "gumbel": (random.gumbel, lambda t: math.exp(-math.exp(-t))),
    "gumbel high": (lambda k, s: random.gumbel(k, s, mode="high"),
                    lambda t: math.exp(-math.exp(-t))),
    "gumbel highest": (lambda k, s: random.gumbel(k, s, mode="highest"),
                       lambda t: math.exp(-math.exp(-t))),
    "maxwell": (random.maxwell, lambda t: lower_gamma(1.5, t * t / 2)),
    "truncated_normal": (
        lambda k, s: random.truncated_normal(k, -1.0, 2.0, s),
        lambda t: (normal_share(t) - normal_share(-1)) / (normal_share(2) - normal_share(-1))),
    "pareto": (lambda k, s: random.pareto(k, 3.0, s), lambda t: 1 - t**-3.0),
    "rayleigh": (lambda k, s: random.rayleigh(k, 2.0, s), lambda t: 1 - math.exp(-t * t / 8)),
    "wald": (lambda k, s: random.wald(k, 1.0, s),
             lambda t: normal_share((t - 1) / t**0.5)
             + math.exp(2) * normal_share(-(t + 1) / t**0.5)),
    "triangular": (lambda k, s: random.triangular(k, 0.0, 1.0, 2.0, s),
                   lambda t: t * t / 2 if t < 1 else 1 - (2 - t) ** 2 / 2),
    "lognormal": (lambda k, s: random.lognormal(k, 0.5, s),
                  lambda t: normal_share(math.log(t) / 0.5)),
    "weibull_min": (lambda k, s: random.weibull_min(k, 2.0, 1.5, s),
                    lambda t: 1 - math.exp(-((t / 2) ** 1.5))),
    "gamma": (lambda k, s: random.gamma(k, 2.5, s), lambda t: lower_gamma(2.5, t)),
    "gamma below 1": (lambda k, s: random.gamma(k, 0.3, s), lambda t: lower_gamma(0.3, t)),
    "loggamma": (lambda k, s: random.loggamma(k, 0.3, s),
                 lambda t: lower_gamma(0.3, math.exp(t))),
    "beta": (lambda k, s: random.beta(k, 2.0, 0.7, s), lambda t: beta_share(2, 0.7, t)),
    "chisquare": (lambda k, s: random.chisquare(k, 3.0, s), lambda t: lower_gamma(1.5, t / 2)),
    "t": (lambda k, s: random.t(k, 3.0, s),
          lambda t: 0.5 + math.copysign(0.5 - beta_share(1.5, 0.5, 3 / (3 + t * t)) / 2, t)),
    "f": (lambda k, s: random.f(k, 3.0, 4.0, s),
          lambda t: beta_share(1.5, 2, 3 * t / (3 * t + 4))),
    "generalized_normal": (lambda k, s: random.generalized_normal(k, 1.0, s),
                           lambda t: math.exp(t) / 2 if t < 0 else 1 - math.exp(-t) / 2),
}
COUNTS = {  # with the probabilities of 0, 1, 2, ...
    "geometric": (lambda k, s: random.geometric(k, 0.3, s),
                  [0, *(0.3 * 0.7**n for n in range(12))]),
    "poisson": (lambda k, s: random.poisson(k, 2.5, s),
                [math.exp(-2.5) * 2.5**n / math.factorial(n) for n in range(9)]),
    "poisson of a large one": (
        lambda k, s: random.poisson(k, 12.0, s),
        [math.exp(-12) * 12**n / math.factorial(n) for n in range(25)]),
    "binomial": (lambda k, s: random.binomial(k, 9, 0.3, s),
                 [math.comb(9, n) * 0.3**n * 0.7 ** (9 - n) for n in range(8)]),
    "binomial of a large one": (
        lambda k, s: random.binomial(k, 40, 0.6, s),
        [math.comb(40, n) * 0.6**n * 0.4 ** (40 - n) for n in range(34)]),
    "choice": (lambda k, s: random.choice(k, 4, s), [0.25] * 4),
    "choice with p": (lambda k, s: random.choice(k, 3, s, p=jnp.array([0.2, 0.5, 0.3])),
                      [0.2, 0.5, 0.3]),
    "categorical": (
        lambda k, s: random.categorical(k, jnp.log(jnp.array([0.2, 0.5, 0.3])), shape=s),
        [0.2, 0.5, 0.3]),
    "rademacher": (lambda k, s: (random.rademacher(k, s) + 1) // 2, [0.5, 0.5]),
}
every_sampler = pytest.mark.parametrize(
    "sampler", [call for call, _ in [*FLOATS.values(), *COUNTS.values()]], ids=[*FLOATS, *COUNTS]
)
both_settings = pytest.mark.parametrize("partitionable", [True, False])


@both_settings
@pytest.mark.parametrize("name", FLOATS)
def test_numbers_follow_their_distribution(name, partitionable):
    sampler, distribution = FLOATS[name]
    with jax.threefry_partitionable(partitionable):
        x = np.sort(np.asarray(sampler(KEY, (MANY,))).astype(float))
    expected = np.array([distribution(t) for t in x[::50]])
    shares = (np.arange(MANY)[::50] + 0.5) / MANY
    assert abs(expected - shares).max() < 2.2 / MANY**0.5  # Kolmogorov: once in 8,000


@both_settings
@pytest.mark.parametrize("name", COUNTS)
def test_counts_have_their_probabilities(name, partitionable):
    sampler, probabilities = COUNTS[name]
    with jax.threefry_partitionable(partitionable):
        x = np.asarray(sampler(KEY, (MANY,))).astype(int)
    counts = np.bincount(x, minlength=len(probabilities))[: len(probabilities)]
    expected = MANY * np.array(probabilities)
    deviations = abs(counts - expected) / np.sqrt(expected + 1)
    assert deviations.max() < 4.5, deviations
    assert abs(counts.sum() - expected.sum()) < 5 * math.sqrt(MANY - expected.sum() + 1)


@every_sampler
def test_jit_and_vmap_are_what_they_should_be(sampler):
    def draw(key):
        return sampler(key, (5,))

    alone = draw(KEYS[0])
    np.testing.assert_array_equal(jax.jit(draw)(KEYS[0]), alone)
    np.testing.assert_array_equal(draw(random.key_data(KEYS[0])), alone)
    rows = np.stack([np.asarray(draw(key)) for key in KEYS])
    np.testing.assert_array_equal(jax.vmap(draw)(KEYS), rows)
    np.testing.assert_array_equal(jax.jit(jax.vmap(draw))(KEYS), rows)
    check_jaxpr(jax.make_jaxpr(jax.vmap(draw))(KEYS))
    assert len({row.tobytes() for row in rows}) > 1
    assert sampler(KEY, (0, 2)).shape == (0, 2) and sampler(KEY, ()).shape == ()


# Several numbers that belong together.


def test_dirichlet_gives_shares():
    x = np.asarray(random.dirichlet(KEY, jnp.array([1.0, 2.0, 3.0]), (MANY,)))
    np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-6)
    np.testing.assert_allclose(x.mean(0), [1 / 6, 2 / 6, 3 / 6], atol=0.02)


def test_multinomial_adds_up():
    p = jnp.array([0.1, 0.2, 0.7])
    x = np.asarray(random.multinomial(KEY, 20, p, shape=(1000, 3)))
    np.testing.assert_array_equal(x.sum(-1), 20)
    np.testing.assert_allclose(x.mean(0), 20 * np.asarray(p), atol=0.4)


@pytest.mark.parametrize("p", [1.0, 2.0, 4.0])
def test_points_of_a_ball(p):
    points = np.asarray(random.ball(KEY, 3, p, (2000,)))
    sizes = (abs(points) ** p).sum(-1) ** (1 / p)
    assert sizes.max() <= 1
    np.testing.assert_allclose((sizes**3).mean(), 0.5, atol=0.03)  # its volume grows with r**3
    np.testing.assert_allclose(points.mean(0), 0, atol=0.05)


def test_double_sided_maxwell_lies_on_both_sides():
    x = np.asarray(random.double_sided_maxwell(KEY, 3.0, 2.0, (2000,)))
    np.testing.assert_allclose(x.mean(), 3.0, atol=0.3)
    np.testing.assert_allclose(((x - 3) ** 2).mean(), 12.0, rtol=0.1)


@both_settings
def test_permutation_moves_everything_once(partitionable):
    with jax.threefry_partitionable(partitionable):
        np.testing.assert_array_equal(np.sort(random.permutation(KEY, 100)), np.arange(100))
        x = np.arange(12).reshape(4, 3)
        rows = np.asarray(random.permutation(KEY, x))
        assert sorted(map(tuple, rows)) == sorted(map(tuple, x))
        mixed = np.asarray(random.permutation(KEY, x, axis=1, independent=True))
        np.testing.assert_array_equal(np.sort(mixed, 1), x)
    places = np.asarray(jax.vmap(lambda k: random.permutation(k, 4))(random.split(KEY, 2000)))
    for column in places.T:
        np.testing.assert_allclose(np.bincount(column) / 2000, 0.25, atol=0.05)


def test_different_ones_are_different():
    for _ in range(5):
        drawn = np.asarray(random.choice(KEY, 10, (10,), replace=False))
        np.testing.assert_array_equal(np.sort(drawn), np.arange(10))
    weighted = random.choice(KEY, 5, (4,), False, jnp.array([0.0, 1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(np.sort(weighted), [1, 2, 3, 4])
    drawn = np.asarray(random.categorical(KEY, jnp.zeros((2, 5)), shape=(5, 2), replace=False))
    np.testing.assert_array_equal(np.sort(drawn, 0), np.arange(5)[:, None].repeat(2, 1))


# Derivatives: a number moves with a parameter so that its share of the distribution stays.


@pytest.mark.parametrize("a", [0.4, 1.0, 3.0, 20.0])
def test_the_derivative_of_a_gamma_number(a):
    with jax.enable_x64():
        x, slope = jax.value_and_grad(lambda a: random.gamma(KEY, a))(a)

        def share(a, x):
            return float(jax.lax.igamma(a, float(x)))

        step = 1e-5
        by_a = (share(a + step, x) - share(a - step, x)) / (2 * step)
        by_x = (share(a, x + step * x) - share(a, x - step * x)) / (2 * step * x)
        np.testing.assert_allclose(slope, -by_a / by_x, rtol=1e-5)
        log_slope = jax.grad(lambda a: random.loggamma(KEY, a))(a)
        np.testing.assert_allclose(log_slope, slope / x, rtol=1e-9)


@pytest.mark.parametrize("f, point", [
    (lambda a: random.truncated_normal(KEY, -a, a, (3,)).sum(), 1.5),
    (lambda a: random.pareto(KEY, a, (3,)).sum(), 2.0),
    (lambda a: random.rayleigh(KEY, a, (3,)).sum(), 2.0),
    (lambda a: random.wald(KEY, a, (3,)).sum(), 0.7),
    (lambda a: random.triangular(KEY, 0.0, a, 3.0, (3,)).sum(), 1.5),
    (lambda a: random.lognormal(KEY, a, (3,)).sum(), 0.5),
    (lambda a: random.weibull_min(KEY, 2.0, a, (3,)).sum(), 1.5),
])
def test_derivatives_by_differences(f, point):
    with jax.enable_x64():
        difference = (float(f(point + 1e-6)) - float(f(point - 1e-6))) / 2e-6
        np.testing.assert_allclose(jax.grad(f)(point), difference, rtol=1e-6)
        np.testing.assert_allclose(jax.jit(jax.grad(f))(point), difference, rtol=1e-6)
        _, dot = jax.jvp(f, (point,), (2.0,))
        np.testing.assert_allclose(dot, 2 * difference, rtol=1e-6)


# Keys that serve twice.


def test_a_key_that_serves_twice_is_found():
    with jax.debug_key_reuse(True):
        key = random.key(0)
        random.normal(key)
        with pytest.raises(jax.errors.KeyReuseError, match="random_bits got a key that was used"):
            random.uniform(key)
        random.uniform(random.clone(key))
    random.normal(key)


def test_the_option_looks_for_keys_that_serve_twice():
    def twice(key):
        random.normal(key), random.normal(key)

    jax.config.update("jax_debug_key_reuse", True)
    try:
        with pytest.raises(jax.errors.KeyReuseError):
            twice(random.key(0))
        with ThreadPoolExecutor() as pool, pytest.raises(jax.errors.KeyReuseError):
            pool.submit(twice, random.key(0)).result()
    finally:
        jax.config.update("jax_debug_key_reuse", False)
    twice(random.key(0))


@pytest.mark.parametrize("use, is_wrong", [
    (lambda k: [random.normal(x) for x in random.split(k, 3)], False),
    (lambda k: (random.split(k), random.normal(k)), True),
    (lambda k: [random.normal(random.fold_in(k, i)) for i in range(3)], False),
    (lambda k: jax.jit(lambda k: random.normal(k) + random.uniform(k))(k), True),
    (lambda k: [jax.jit(random.normal)(k) for _ in range(2)], True),
    (lambda k: (jax.grad(lambda x: x * random.normal(k))(1.0), random.normal(k)), True),
    (lambda k: [jax.vmap(random.normal)(ks) for ks in [random.split(k, 2)] * 2], True),
    (lambda k: jax.lax.fori_loop(0, 3, lambda i, x: x + random.normal(k), 0.0), True),
    (lambda k: jax.lax.fori_loop(
        0, 3, lambda i, x: x + random.normal(random.fold_in(k, i)), 0.0), False),
    (lambda k: (random.gamma(k, 2.0), random.normal(k)), True),
    (lambda k: (random.normal(k.reshape(1)[0]), random.normal(k.reshape(1)[0])), False),
    (lambda k: (random.normal(k), random.normal(k.reshape(1)[0])), True),
])
def test_what_uses_a_key_up(use, is_wrong):
    with jax.debug_key_reuse(True):
        if is_wrong:
            with pytest.raises(jax.errors.KeyReuseError):
                use(random.key(0))
        else:
            use(random.key(0))
    use(random.key(0))


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_normal_vectors_have_the_mean_and_the_covariances(method):
    mean = jnp.array([1.0, -2.0, 0.5])
    cov = jnp.array([[2.0, 0.5, 0], [0.5, 1, -0.3], [0, -0.3, 3]])
    x = np.asarray(random.multivariate_normal(KEY, mean, cov, (MANY,), method=method))
    np.testing.assert_allclose(x.mean(0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.2)


def test_several_draws_around_one_mean_are_no_promotion_of_ranks():
    with jax.numpy_rank_promotion("raise"):
        assert random.multivariate_normal(KEY, jnp.zeros(2), jnp.eye(2), (3,)).shape == (3, 2)


def test_orthogonal_matrices_are_evenly_spread():
    """Each element of such a matrix has the mean 0 and, of n by n, the variance 1 / n."""
    q = np.asarray(random.orthogonal(KEY, 3, (MANY,)))
    np.testing.assert_allclose(q @ q.swapaxes(1, 2), np.broadcast_to(np.eye(3), q.shape), atol=1e-5)
    np.testing.assert_allclose(q.mean(0), np.zeros((3, 3)), atol=0.04)
    np.testing.assert_allclose(q.var(0), np.full((3, 3), 1 / 3), atol=0.03)
    assert 0.45 < (np.linalg.det(q) > 0).mean() < 0.55
