"""jax.nn by its definitions, and by differences. (More: oracle/cases/activations.)"""

import math

import numpy as np
import pytest

import minijax as jax
from minijax import nn
from minijax.test_util import check_grads

AWAY = np.array([-8.0, -3.5, -1.7, -0.4, 0.3, 0.8, 2.2, 4.1, 7.0])  # from all kinks
erf = np.vectorize(math.erf)
DEFINITIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x < 0, x / 100, x),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "log_sigmoid": lambda x: -np.log(1 + np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log(1 + np.exp(x))),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "soft_sign": lambda x: x / (1 + abs(x)),
    "sparse_plus": lambda x: np.where(abs(x) < 1, (x + 1) ** 2 / 4, np.maximum(x, 0)),
    "sparse_sigmoid": lambda x: np.clip(x + 1, 0, 2) / 2,
    "elu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
    "celu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
    "tanh": np.tanh,
    "identity": lambda x: x,
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(),
    "log_softmax": lambda x: x - np.log(np.exp(x).sum()),
    "logsumexp": lambda x: np.log(np.exp(x).sum()),
    "logmeanexp": lambda x: np.log(np.exp(x).mean()),
    "standardize": lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_values_and_derivatives(name):
    function = getattr(nn, name)
    with jax.enable_x64():
        np.testing.assert_allclose(function(AWAY), DEFINITIONS[name](AWAY), rtol=1e-12, atol=1e-15)
        check_grads(function, (AWAY,), order=2)
        np.testing.assert_allclose(
            jax.vmap(jax.grad(lambda x: function(x).sum()))(np.stack([AWAY, AWAY + 0.05]))[0],
            jax.grad(lambda x: function(x).sum())(AWAY), rtol=1e-12,
        )  # fmt: skip


def test_gelu_is_x_times_the_normal_distribution():
    with jax.enable_x64():
        exact = AWAY * (1 + erf(AWAY / np.sqrt(2))) / 2
        np.testing.assert_allclose(nn.gelu(AWAY, approximate=False), exact, 1e-12, 1e-15)
        np.testing.assert_allclose(nn.gelu(AWAY), exact, atol=1e-3)
        check_grads(nn.gelu, (AWAY,), order=2)


@pytest.mark.parametrize("name, at", [("relu", 0.0), ("relu6", 0.0), ("relu6", 6.0)])
def test_the_derivative_at_a_kink_is_that_of_the_rule(name, at):
    function = getattr(nn, name)
    assert jax.grad(function)(at) == 0 == jax.grad(jax.jit(function))(at)


@pytest.mark.parametrize("x", [-1e4, 1e4, -80.0, 80.0])
@pytest.mark.parametrize("name", ["softplus", "log_sigmoid", "mish", "silu", "elu", "celu", "selu"])
def test_no_overflow_far_from_zero(name, x):
    value, slope = jax.value_and_grad(getattr(nn, name))(np.float32(x))
    assert np.isfinite(value) and np.isfinite(slope)


def test_one_hot_selects():
    table = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(nn.one_hot(np.array([2, 0]), 3) @ table, table[[2, 0]])
    assert not np.any(nn.one_hot(np.array([-1, 3]), 3))


def test_logsumexp_of_signed_terms():
    a, b = np.array([1.0, 2.0, 0.5]), np.array([1.0, -2.0, 0.0])
    with jax.enable_x64():
        size, sign = nn.logsumexp(a, b=b, return_sign=True)
        np.testing.assert_allclose(sign * np.exp(size), np.sum(b * np.exp(a)))
        assert np.isnan(nn.logsumexp(a, b=b))
        check_grads(lambda a, b: nn.logsumexp(a, b=b * b), (a, b + 1.5), order=2)
