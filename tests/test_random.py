"""Samplers: that their numbers follow the distributions, and what they do under transformations."""

import math

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random
from minijax.core.staging import check_jaxpr
from minijax.core.tracing import Primitive

KEY = random.key(42)
KEYS = random.split(KEY, (2, 3))
MANY = 20_000
FLOATS = ["float32", "float64", "bfloat16", "float16"]
both_settings = pytest.mark.parametrize("partitionable", [True, False])

SAMPLERS = {
    "uniform": lambda key: random.uniform(key, (3,), minval=-1.0),
    "uniform of one": random.uniform,
    "normal": lambda key: random.normal(key, (2, 2)),
    "normal of complex numbers": lambda key: random.normal(key, (3,), "complex64"),
    "bernoulli": lambda key: random.bernoulli(key, 0.3, (5,)),
    "randint": lambda key: random.randint(key, (3,), -5, 1000),
    "randint of bytes": lambda key: random.randint(key, (3,), 0, 200, "uint8"),
}
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)


def assert_mean(x, mean, deviation):
    """That the mean of independent numbers lies within five of its standard deviations."""
    x = np.asarray(x).astype(float)
    assert abs(x.mean() - mean) < 5 * deviation / x.size**0.5


def assert_follows(x, distribution):
    """Kolmogorov's test: the share of numbers up to t is that of the distribution, for every t."""
    x = np.sort(np.asarray(x).astype(float))
    expected = np.vectorize(distribution)(x)
    steps = np.arange(x.size + 1) / x.size
    distance = max(abs(expected - steps[:-1]).max(), abs(expected - steps[1:]).max())
    assert distance < 2.2 / x.size**0.5  # beyond which it is once in 8,000


# The distributions.


@both_settings
@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_is_uniform(dtype, partitionable):
    with jax.threefry_partitionable(partitionable), jax.enable_x64(dtype == "float64"):
        x = random.uniform(KEY, (MANY,), dtype)
        assert x.dtype == dtype
        assert_mean(x, 0.5, 12**-0.5)
        assert_mean((x.astype("float32") - 0.5) ** 2, 1 / 12, 180**-0.5)
        if dtype in ("float32", "float64"):  # the others have visible steps
            assert_follows(x, lambda t: t)
        values = np.asarray(x).astype(float)
        assert 0 <= values.min() and values.max() < 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_is_a_multiple_of_its_last_digit(dtype):
    with jax.enable_x64(dtype == "float64"):
        x = np.asarray(random.uniform(KEY, (100,), dtype)).astype(float)
        digits = float(2 ** jnp.finfo(dtype).nmant)
        np.testing.assert_array_equal(x * digits, np.trunc(x * digits))
        assert len({n % 2 for n in x * digits}) == 2


@pytest.mark.parametrize("low, high", [(-1.0, 1.0), (5, 7), (-1e30, 1e30), (0.1, 0.1000001)])
def test_uniform_stays_between_its_bounds(low, high):
    x = np.asarray(random.uniform(KEY, (MANY,), minval=low, maxval=high))
    assert np.float32(low) <= x.min() and x.max() <= np.float32(high)
    assert_mean(x / max(abs(low), abs(high)), (low + high) / 2 / max(abs(low), abs(high)), 1.0)


def test_uniform_with_bounds_for_each_row():
    low, high = np.array([0.0, 10.0, -5.0], "f4"), np.array([[11.0], [20.0]], "f4")
    x = np.asarray(random.uniform(KEY, (2, 3), minval=low, maxval=high))
    u = np.asarray(random.uniform(KEY, (2, 3)))
    np.testing.assert_allclose(x, low + u * (high - low), rtol=1e-6)


@both_settings
@pytest.mark.parametrize("dtype", FLOATS)
def test_normal_is_normal(dtype, partitionable):
    with jax.threefry_partitionable(partitionable), jax.enable_x64(dtype == "float64"):
        x = random.normal(KEY, (MANY,), dtype)
        assert x.dtype == dtype and bool(jnp.isfinite(x).all())
        wide = np.asarray(x).astype(float)
        for power, moment in enumerate([0, 1, 0, 3], start=1):
            variance = {1: 1, 2: 2, 3: 15, 4: 96}[power]
            assert_mean(wide**power, moment, 1.5 * variance**0.5)
        if dtype in ("float32", "float64"):
            assert_follows(x, lambda t: (1 + math.erf(t / 2**0.5)) / 2)


def test_complex_normal_numbers():
    x = np.asarray(random.normal(KEY, (MANY,), "complex64"))
    for part in (x.real, x.imag):
        assert_follows(part, lambda t: (1 + math.erf(t)) / 2)
    assert_mean(x.real * x.imag, 0, 0.5)
    assert_mean(abs(x) ** 2, 1, 1)
    assert random.normal(KEY, (), complex).dtype == "complex64"


@pytest.mark.parametrize("mode", ["low", "high"])
@pytest.mark.parametrize("p", [0.0, 0.01, 0.5, 0.9, 1.0])
def test_bernoulli_has_its_probability(p, mode):
    x = random.bernoulli(KEY, p, (MANY,), mode)
    assert x.dtype == "bool"
    assert_mean(x, p, (p * (1 - p)) ** 0.5 + 1e-9)


def test_bernoulli_of_many_probabilities():
    p = jnp.linspace(0, 1, 5)
    assert random.bernoulli(KEY, p).shape == (5,)
    x = np.asarray(random.bernoulli(KEY, p, (MANY, 5))).mean(axis=0)
    np.testing.assert_allclose(x, p, atol=5 * 0.5 / MANY**0.5)
    assert x[0] == 0 and x[4] == 1


@both_settings
@pytest.mark.parametrize("low, high, dtype", [
    (0, 6, "int32"), (-3, 4, "int32"), (0, 6, "uint8"), (-100, -93, "int8"), (0, 7, "uint32"),
    (0, 6, "int64"), (2**31 - 7, 2**31 - 1, "int32"),
])
def test_randint_is_even(low, high, dtype, partitionable):
    with jax.threefry_partitionable(partitionable), jax.enable_x64(dtype == "int64"):
        x = random.randint(KEY, (MANY,), low, high, dtype)
        assert x.dtype == dtype
    counts = np.bincount(np.asarray(x).astype(np.int64) - low, minlength=high - low)
    assert len(counts) == high - low
    expected = MANY / len(counts)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert chi2 < 25 + len(counts)  # of 5 to 6 degrees of freedom: once in several thousand


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_randint_of_the_whole_range(dtype):
    info = np.iinfo(dtype)
    high = info.max if dtype == "int32" else min(info.max + 1, np.iinfo("int32").max)
    low = max(info.min, np.iinfo("int32").min)
    x = np.asarray(random.randint(KEY, (MANY,), low, high, dtype)).astype(float)
    assert low <= x.min() and x.max() < high
    assert_mean((x - low) / (high - low), 0.5, 12**-0.5)


def test_randint_with_nothing_between_gives_minval():
    for low, high in [(5, 5), (5, 2), (0, -(2**31))]:
        np.testing.assert_array_equal(random.randint(KEY, (3,), low, high), [low] * 3)


def test_randint_with_bounds_for_each_element():
    low = jnp.array([0, 10, -20])
    x = np.asarray(random.randint(KEY, (500, 3), low, low + 5))
    for column, start in enumerate([0, 10, -20]):
        assert set(x[:, column]) == set(range(start, start + 5))


# Keys decide, and shapes and dtypes do.


@every_sampler
def test_a_key_gives_the_same_again_and_another_key_something_else(sampler):
    np.testing.assert_array_equal(sampler(KEY), sampler(random.key(42)))
    drawn = [np.asarray(sampler(key)).tobytes() for key in random.split(KEY, 50)]
    assert len(set(drawn)) > 15


@every_sampler
def test_a_raw_key_is_the_same_key(sampler):
    np.testing.assert_array_equal(sampler(random.key_data(KEY)), sampler(KEY))
    np.testing.assert_array_equal(sampler(np.asarray(random.key_data(KEY))), sampler(KEY))


def test_streams_of_different_keys_are_independent():
    x = np.asarray(jax.vmap(lambda key: random.normal(key, (1000,)))(random.split(KEY, 20)))
    correlations = np.corrcoef(x)[np.triu_indices(20, 1)]
    assert abs(correlations).max() < 5 / 1000**0.5


@pytest.mark.parametrize("shape", [(), (0,), (3,), 3, [2, 1], (2, 0, 2), np.int64(4)], ids=str)
def test_shapes(shape):
    want = (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)
    assert random.uniform(KEY, shape).shape == want
    assert random.normal(KEY, shape).shape == want
    assert random.randint(KEY, shape, 0, 10).shape == want
    assert random.bernoulli(KEY, 0.5, shape).shape == want
    assert random.bits(KEY, shape).shape == want


def test_default_dtypes_follow_x64():
    for bits in (32, 64):
        with jax.enable_x64(bits == 64):
            drawn = (random.bits(KEY), random.uniform(KEY), random.normal(KEY),
                     random.randint(KEY, (), 0, 5))
        names = [f"uint{bits}", f"float{bits}", f"float{bits}", f"int{bits}"]
        assert [str(x.dtype) for x in drawn] == names
        assert not any(x.weak_type for x in drawn)


def test_64_bits_where_they_are_off():
    for draw in (random.uniform, random.normal):
        with pytest.warns(UserWarning, match=f"random.{draw.__name__}.*float64.*float32"):
            assert draw(KEY, (2,), "float64").dtype == "float32"
    with pytest.warns(UserWarning, match="random.bits.*uint64"):
        random.bits(KEY, (2,), "uint64")


# Under the transformations.


@both_settings
@every_sampler
def test_jit_is_eager(sampler, partitionable):
    with jax.threefry_partitionable(partitionable):
        jitted = jax.jit(sampler)
        np.testing.assert_array_equal(jitted(KEY), sampler(KEY))
        with jax.disable_jit():
            np.testing.assert_array_equal(sampler(KEY), jitted(KEY))
        check_jaxpr(jax.make_jaxpr(sampler)(KEY))
    with jax.threefry_partitionable(not partitionable):
        np.testing.assert_array_equal(jitted(KEY), sampler(KEY))


@every_sampler
def test_vmap_is_a_loop(sampler):
    rows = np.stack([np.stack([np.asarray(sampler(key)) for key in row]) for row in KEYS])
    for in_axis, want in [(0, rows), (1, rows.swapaxes(0, 1))]:
        f = jax.vmap(jax.vmap(sampler), in_axes=in_axis)
        np.testing.assert_array_equal(f(KEYS), want)
        np.testing.assert_array_equal(jax.jit(f)(KEYS), want)
        check_jaxpr(jax.make_jaxpr(f)(KEYS))
    raw = random.key_data(KEYS[0])
    np.testing.assert_array_equal(jax.vmap(sampler)(raw), rows[0])


@pytest.mark.parametrize("sampler, bounds", [
    (lambda key, a: random.uniform(key, (2,), minval=a), [0.0, 0.25, -3.0]),
    (lambda key, a: random.uniform(key, (2,), maxval=a), [1.0, 0.25, 3.0]),
    (lambda key, p: random.bernoulli(key, p, (4,)), [0.1, 0.5, 0.9]),
    (lambda key, n: random.randint(key, (4,), -n, n), [1, 5, 1000]),
    (lambda key, n: random.randint(key, (), n, 100, "int8"), [1, -5, 1000]),
])
def test_vmap_over_the_bounds(sampler, bounds):
    bounds = jnp.array(bounds)
    for keys, axes in [(KEYS[0], (0, 0)), (KEY, (None, 0))]:
        rows = [sampler(keys[i] if keys.ndim else keys, bounds[i]) for i in range(3)]
        np.testing.assert_array_equal(jax.vmap(sampler, axes)(keys, bounds), np.stack(rows))


def test_derivatives_by_the_bounds():
    """uniform is minval + u * (maxval - minval), and u does not change with them."""
    u = np.asarray(random.uniform(KEY, (4,)))

    def total(low, high):
        return (jnp.arange(4.0) * random.uniform(KEY, (4,), minval=low, maxval=high)).sum()

    weights = np.arange(4.0)
    for argnum, slopes in [(0, 1 - u), (1, u)]:
        got = jax.grad(total, argnum)(-1.0, 2.5)
        np.testing.assert_allclose(got, (weights * slopes).sum(), rtol=1e-6)
        jitted = jax.jit(jax.grad(total, argnum))(-1.0, 2.5)
        np.testing.assert_allclose(jitted, got, rtol=1e-6)
    _, dot = jax.jvp(lambda low: random.uniform(KEY, (4,), minval=low), (0.5,), (2.0,))
    np.testing.assert_allclose(dot, 2 * (1 - u), rtol=1e-6)
    rows = jax.vmap(jax.grad(total, 1), (None, 0))(0.0, jnp.array([1.0, 2.0]))
    np.testing.assert_allclose(rows, [(weights * u).sum()] * 2, rtol=1e-6)


def test_derivatives_of_what_is_made_of_samples():
    z = np.asarray(random.normal(KEY, (5,)))

    def loss(mean, scale):
        return jnp.mean((mean + scale * random.normal(KEY, (5,))) ** 2)

    by_mean, by_scale = jax.grad(loss, (0, 1))(0.5, 2.0)
    np.testing.assert_allclose(by_mean, 2 * (0.5 + 2 * z).mean(), rtol=1e-5)
    np.testing.assert_allclose(by_scale, (2 * (0.5 + 2 * z) * z).mean(), rtol=1e-5)
    per_key = jax.vmap(jax.grad(lambda s, key: s * random.normal(key)), (None, 0))(2.0, KEYS[0])
    np.testing.assert_allclose(per_key, [random.normal(key) for key in KEYS[0]], rtol=1e-6)
    assert float(jax.grad(lambda p: random.bernoulli(KEY, p) * p)(0.999)) == 1.0


# What is refused, and what the message says.

F = jnp.arange(3.0)


@pytest.mark.parametrize("call, error, says", [
    (lambda: random.uniform(KEYS[0]), ValueError, r"uniform takes one key.*\[3\]\.\nUse vmap"),
    (lambda: random.normal(3), TypeError, "normal takes keys, .* got\n3"),
    (lambda: random.uniform(F), TypeError, r"uint32\[..., 2\].*\n.*float32\[3\]"),
    (lambda: random.uniform(KEY, (2,), int), ValueError, "random.uniform gives floats.*int32"),
    (lambda: random.uniform(KEY, (2,), "complex64"), ValueError, "complex64"),
    (lambda: random.uniform(KEY, (2,), KEY.dtype), ValueError, "key<fry>"),
    (lambda: random.uniform(KEY, (2.5,)), TypeError, r"random.uniform takes a shape.*\(2.5,\)"),
    (lambda: random.uniform(KEY, (-1,)), TypeError, r"negative sizes, and got \(-1,\)"),
    (lambda: random.uniform(KEY, (2,), minval=F), TypeError, r"\(2,\).*minval.*\(3,\)"),
    (lambda: random.uniform(KEY, (3,), maxval=jnp.ones((1, 3))), TypeError, r"maxval.*\(1, 3\)"),
    (lambda: random.uniform(KEY, (2,), minval="a"), TypeError, "random.uniform.*minval.*'a'"),
    (lambda: jax.jit(lambda n: random.uniform(KEY, (n,)))(3), TypeError, "static"),
    (lambda: random.normal(KEY, (2,), "uint8"), ValueError, "random.normal.*uint8"),
    (lambda: random.normal(KEY, "ab"), TypeError, "random.normal.*'ab'"),
    (lambda: random.bernoulli(KEY, 1), TypeError, "random.bernoulli.*got 1"),
    (lambda: random.bernoulli(KEY, "half"), TypeError, "as the probability p, and got 'half'"),
    (lambda: random.bernoulli(KEY, 0.5, (2,), "mid"), ValueError, "'mid'. Give 'low' or 'high'"),
    (lambda: random.bernoulli(KEY, F, (2,)), ValueError, r"\(2,\).*p of the shape \(3,\)"),
    (lambda: random.randint(KEY, (2,), 0, 10, float), TypeError, "random.randint.*float32"),
    (lambda: random.randint(KEY, (2,), F, 10), ValueError, r"minval of the shape \(3,\)"),
    (lambda: random.randint(KEY, (2,), 0, "a"), TypeError, "random.randint.*maxval.*'a'"),
    (lambda: random.randint(KEY, (2,), 0, 2**31), OverflowError, "2147483648"),
    (lambda: random.randint(KEY, (2,), KEY, 1), ValueError, "key<fry>"),
])
def test_refused(call, error, says):
    with pytest.raises(error, match=f"(?s){says}"):
        call()


def test_what_jax_random_shows_is_here():
    for name in random.__all__:
        shown = getattr(random, name)
        assert isinstance(shown, Primitive) or callable(shown) and shown.__doc__, name
    assert jax.random is random
