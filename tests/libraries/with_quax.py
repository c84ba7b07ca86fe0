"""Quax: a matrix that is a sum of a dense one and a product of two thin ones."""

import equinox as eqx
import jax
import jax.numpy as jnp
import quax
from quax.examples import lora, unitful

key = jax.random.key(0)
linear = eqx.nn.Linear(4, 3, key=key)
adapted = lora.loraify(linear, rank=2, scale=0.1, key=key)
x = jnp.arange(4.0)
print(linear(x))
print(quax.quaxify(lambda layer, x: layer(x))(adapted, x))


@eqx.filter_jit
@eqx.filter_grad
def slope(model, x):
    return jnp.sum(quax.quaxify(lambda layer, x: layer(x))(model, x) ** 2)


grads = slope(adapted, x)
print(grads.weight.a.shape, grads.weight.b, grads.bias)
length = unitful.Unitful(jnp.array(2.0), {unitful.meters: 1})
print(quax.quaxify(jnp.multiply)(length, length))
