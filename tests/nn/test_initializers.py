"""Initializers: the variance that each promises, its bounds, its dtype."""

import numpy as np
import pytest

import minijax as jax
from minijax import random
from minijax.nn import initializers

KEY = random.key(1)
VARIANCES = {
    "glorot_uniform": 2 / 300, "glorot_normal": 2 / 300, "lecun_uniform": 1 / 100,
    "lecun_normal": 1 / 100, "he_uniform": 2 / 100, "he_normal": 2 / 100,
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANCES)
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_the_variance_is_that_of_the_fans(name, dtype):
    x = np.asarray(getattr(initializers, name)()(KEY, (100, 200), dtype))
    assert x.dtype == dtype
    np.testing.assert_allclose(np.mean(abs(x) ** 2), VARIANCES[name], rtol=0.03)
    np.testing.assert_allclose(np.mean(x), 0, atol=0.005)


def test_axes_that_are_neither_in_nor_out_count_for_both():
    x = initializers.he_normal()(KEY, (3, 3, 20, 40))
    np.testing.assert_allclose(np.var(x), 2 / (9 * 20), rtol=0.05)
    x = initializers.he_normal(batch_axis=(0, 1))(KEY, (3, 3, 20, 40))
    np.testing.assert_allclose(np.var(x), 2 / 20, rtol=0.05)


def test_bounds_and_constants():
    x = initializers.truncated_normal(0.5, lower=-1.0, upper=2.0)(KEY, (1000,))
    assert -0.5 <= np.min(x) < -0.4 and 0.8 < np.max(x) <= 1.0
    assert np.all(initializers.constant(3)(KEY, (2,), "int8") == 3)
    assert initializers.zeros(KEY, (2, 3)).shape == (2, 3)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_orthogonal_ones_keep_lengths(dtype):
    for shape, axis in ((4, 6), -1), ((6, 4), -1), ((3, 2, 4), -1), ((4, 3, 2), 0):
        x = np.moveaxis(initializers.orthogonal(2.0, axis)(KEY, shape, dtype), axis, -1)
        x = x.reshape(-1, shape[axis])
        x = x if x.shape[0] >= x.shape[1] else x.T
        np.testing.assert_allclose(x.conj().T @ x, 4 * np.eye(x.shape[1]), atol=1e-5)


def test_a_delta_is_zero_but_in_its_middle():
    x = np.array(initializers.delta_orthogonal()(KEY, (3, 4, 2, 3)))
    np.testing.assert_allclose(x[1, 1] @ x[1, 1].T, np.eye(2), atol=1e-6)
    x[1, 1] = 0
    assert not x.any()


@pytest.mark.parametrize("name", [*VARIANCES, "uniform", "normal", "truncated_normal"])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_the_numbers_lie_where_they_are_asked_to(name, dtype):
    dtype = "float32" if name in ("uniform", "truncated_normal") else dtype
    init = getattr(initializers, name)()
    with jax.set_mesh(jax.make_mesh((4, 2), ("x", "y"))):
        x = init(KEY, (8, 4), dtype, jax.P("x"))
    assert x.sharding.shard_shape(x.shape) == (2, 4)
    np.testing.assert_allclose(x, init(KEY, (8, 4), dtype), rtol=1e-5)


def test_constants_lie_where_they_are_asked_to_and_orthogonal_ones_do_not():
    with jax.set_mesh(jax.make_mesh((4, 2), ("x", "y"))):
        x = initializers.constant(2.0)(KEY, (8, 4), "float32", jax.P(None, "y"))
        assert x.sharding.shard_shape(x.shape) == (8, 2) and np.all(x == 2)
        for make in (initializers.orthogonal, initializers.delta_orthogonal):
            with pytest.raises(NotImplementedError, match="jax.reshard"):
                make()(KEY, (8, 4, 4), "float32", jax.P())
