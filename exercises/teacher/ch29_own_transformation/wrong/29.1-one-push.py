"""All pushes are added up, and the second derivative goes along their sum."""

import minijax as jax
import minijax.numpy as jnp


def generator(fun, drift, noise):
    def mean_rate(x, *args):
        def of_x(x):
            return fun(x, *args)

        def bend(push):
            return jax.jvp(lambda x: jax.jvp(of_x, (x,), (push,))[1], (x,), (push,))[1]

        along_drift = jax.jvp(of_x, (x,), (drift(x),))[1]
        return along_drift + bend(jnp.sum(noise(x), axis=0)) / 2

    return mean_rate
