"""The rate itself takes the steps, and not its logarithm: it may become negative."""

import minijax as jax
from minijax import lax


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    def trained(rate):
        def step(p, _):
            return jax.tree.map(lambda x, g: x - rate * g, p, jax.grad(loss)(p)), None

        return loss(lax.scan(step, params, None, length=steps)[0])

    def improve(rate, _):
        value, slope = jax.value_and_grad(trained)(rate)
        return rate - meta_rate * slope, (rate, value)

    return lax.scan(improve, rate, None, length=rounds)[1]
