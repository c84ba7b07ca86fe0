"""Right numbers, by a way back that a while loop doesn't have."""

import minijax as jax
import minijax.numpy as jnp


def generator(fun, drift, noise):
    def mean_rate(x, *args):
        def of_x(x):
            return fun(x, *args)

        pushes = noise(x).reshape(-1, x.size)
        second = jax.hessian(of_x)(x)
        second = second.reshape(*second.shape[: second.ndim - 2 * x.ndim], x.size, x.size)
        along_drift = jax.jvp(of_x, (x,), (drift(x),))[1]
        return along_drift + jnp.einsum("ki,...ij,kj->...", pushes, second, pushes) / 2

    return mean_rate
