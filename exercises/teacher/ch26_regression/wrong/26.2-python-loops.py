"""Python loops: right, but each step is written down, in each round."""

import minijax as jax
import minijax.numpy as jnp


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    def trained(log_rate):
        p = params
        for _ in range(steps):
            grads = jax.grad(loss)(p)
            p = jax.tree.map(lambda x, g: x - jnp.exp(log_rate) * g, p, grads)
        return loss(p)

    log_rate, rates, losses = jnp.log(rate), [], []
    for _ in range(rounds):
        value, slope = jax.value_and_grad(trained)(log_rate)
        rates.append(jnp.exp(log_rate))
        losses.append(value)
        log_rate = log_rate - meta_rate * slope
    return jnp.stack(rates), jnp.stack(losses)
