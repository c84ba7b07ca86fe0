"""The history is kept as Python floats: nothing that is traced becomes one."""

import math

import numpy as np

import minijax as jax
from minijax import lax


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    def trained(log_rate):
        def step(p, _):
            grads = jax.grad(loss)(p)
            return jax.tree.map(lambda x, g: x - jax.numpy.exp(log_rate) * g, p, grads), None

        return loss(lax.scan(step, params, None, length=steps)[0])

    log_rate, rates, losses = math.log(rate), [], []
    for _ in range(rounds):
        value, slope = jax.value_and_grad(trained)(log_rate)
        rates.append(math.exp(log_rate))
        losses.append(float(value))
        log_rate = log_rate - meta_rate * float(slope)
    return np.float32(rates), np.float32(losses)
