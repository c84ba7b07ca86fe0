"""A function's derivatives, to second order, beside those by differences."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
import numerics


def check_derivatives(f, xs) -> None:
    """Of f(*xs), an array of floats: its gradient, and the gradient of a slope of it."""
    with jax.enable_x64(True):
        xs = [np.asarray(x, np.float64) for x in xs]
        value = f(*map(jnp.asarray, xs))
        weights = np.cos(np.arange(value.size)).reshape(value.shape)
        vs = [np.sin(1.0 + np.arange(x.size)).reshape(x.shape) for x in xs]

        def number(*xs):
            return jnp.sum(f(*xs) * weights)

        def slope(*xs):
            return jax.jvp(number, xs, tuple(map(jnp.asarray, vs)))[1]

        for function in (number, slope):
            found = jax.grad(function, tuple(range(len(xs))))(*map(jnp.asarray, xs))
            in_numpy = lambda *xs, f=function: np.asarray(f(*map(jnp.asarray, xs)))  # noqa: E731
            expected = numerics.gradient(in_numpy, xs)
            for got, wanted in zip(found, expected, strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
