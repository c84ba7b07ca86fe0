"""Equinox: a module of one's own, a perceptron, and steps of gradient descent on both."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Linear(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    name: str = eqx.field(static=True)

    def __init__(self, size_in, size_out, key):
        weight_key, bias_key = jax.random.split(key)
        self.weight = jax.random.normal(weight_key, (size_out, size_in))
        self.bias = jax.random.normal(bias_key, (size_out,))
        self.name = "linear"

    def __call__(self, x):
        return self.weight @ x + self.bias


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss(model, xs, ys):
    return jnp.mean((jax.vmap(model)(xs) - ys) ** 2)


key = jax.random.key(0)
xs = jax.random.normal(key, (16, 3))
ys = jnp.sin(xs.sum(axis=1, keepdims=True))
for model in (
    Linear(3, 1, key),
    eqx.nn.MLP(in_size=3, out_size=1, width_size=8, depth=2, key=key),
    eqx.nn.Sequential([eqx.nn.LayerNorm(3), eqx.nn.Linear(3, 1, key=key)]),
):
    for _ in range(5):
        value, grads = loss(model, xs, ys)
        model = eqx.apply_updates(model, jax.tree.map(lambda g: -0.05 * g, grads))
    print(type(model).__name__, value)
print(Linear(2, 1, key))
arrays, rest = eqx.partition(model, eqx.is_array)
print(len(jax.tree.leaves(arrays)), eqx.tree_equal(eqx.combine(arrays, rest), model))
dropout = eqx.nn.Dropout(0.5)
print(dropout(jnp.ones(6), key=key), eqx.nn.inference_mode(dropout)(jnp.ones(2)))
print(eqx.filter_eval_shape(model, jax.ShapeDtypeStruct((3,), jnp.float32)))


@eqx.filter_jit
def checked(x):
    return jnp.sqrt(eqx.error_if(x, x < 0, "x is negative"))


print(checked(jnp.array(4.0)))
try:
    checked(jnp.array(-1.0))
except Exception as error:
    print("x is negative" in str(error))
