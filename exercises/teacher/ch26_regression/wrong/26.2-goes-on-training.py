"""Each round goes on with the params of the one before."""

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    def trained(log_rate, params):
        def step(p, _):
            grads = jax.grad(loss)(p)
            return jax.tree.map(lambda x, g: x - jnp.exp(log_rate) * g, p, grads), None

        params, _ = lax.scan(step, params, None, length=steps)
        return loss(params), params

    def improve(state, _):
        log_rate, params = state
        (value, params), slope = jax.value_and_grad(trained, has_aux=True)(log_rate, params)
        return (log_rate - meta_rate * slope, params), (jnp.exp(log_rate), value)

    return lax.scan(improve, (jnp.log(rate), params), None, length=rounds)[1]
