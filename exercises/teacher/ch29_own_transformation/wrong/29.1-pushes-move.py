"""The push is computed inside, and is differentiated with the rest."""

import minijax as jax
import minijax.numpy as jnp


def generator(fun, drift, noise):
    def mean_rate(x, *args):
        def of_x(x):
            return fun(x, *args)

        def bend(k):
            def slope(x):
                return jax.jvp(of_x, (x,), (noise(x)[k],))[1]

            return jax.jvp(slope, (x,), (noise(x)[k],))[1]

        bends = [bend(k) for k in range(len(noise(x)))]
        along_drift = jax.jvp(of_x, (x,), (drift(x),))[1]
        return along_drift + (jnp.sum(jnp.stack(bends), axis=0) / 2 if bends else 0)

    return mean_rate
