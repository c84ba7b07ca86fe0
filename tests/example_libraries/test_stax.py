"""Layers as pairs of functions: a network of most of them, with JAX's numbers."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax.example_libraries import stax

NETWORK = stax.serial(
    stax.Conv(4, (3, 3), padding="SAME"), stax.BatchNorm(), stax.Relu,
    stax.AvgPool((2, 2), padding="SAME"), stax.ConvTranspose(3, (2, 2)),
    stax.MaxPool((2, 2), strides=(2, 2)), stax.Flatten, stax.Dropout(0.8), stax.FanOut(2),
    stax.parallel(stax.Dense(5), stax.serial(stax.Dense(3), stax.Tanh)), stax.FanInConcat(),
    stax.shape_dependent(lambda shape: stax.Dense(shape[-1] // 4)),
)  # fmt: skip


def test_a_network():
    init_fun, apply_fun = NETWORK
    shape, params = init_fun(jax.random.key(0), (2, 8, 8, 1))
    assert shape == (2, 2) and len(jax.tree.leaves(params)) == 12
    xs = jnp.sin(jnp.arange(128.0)).reshape(2, 8, 8, 1)
    out = apply_fun(params, xs, rng=jax.random.key(1))
    wanted = [[-1.9922017, 0.05225537], [-2.39594, 0.44498486]]
    np.testing.assert_allclose(out, wanted, rtol=1e-4)


def test_windows_along_the_axes_of_a_spec():
    _, apply_fun = stax.AvgPool((2,), spec="NCH", padding="SAME")
    out = apply_fun((), jnp.arange(6.0).reshape(1, 2, 3))
    assert out.tolist() == [[[0.5, 1.5, 2.0], [3.5, 4.5, 5.0]]]
