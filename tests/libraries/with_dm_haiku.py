"""Haiku: functions that use modules, made pure; a perceptron, a module with state, a recurrence."""

import haiku as hk
import jax
import jax.numpy as jnp

xs = jnp.sin(jnp.arange(24.0)).reshape(8, 3)
ys = xs.sum(axis=1, keepdims=True)


def perceptron(x):
    x = hk.Linear(16)(x)
    x = hk.LayerNorm(axis=-1, create_scale=True, create_offset=True)(jax.nn.relu(x))
    return hk.Linear(1)(x)


model = hk.without_apply_rng(hk.transform(perceptron))
params = model.init(jax.random.PRNGKey(42), xs)
print(jax.tree.map(jnp.shape, params))


@jax.jit
def step(params):
    def loss(params):
        return jnp.mean((model.apply(params, xs) - ys) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


for _ in range(5):
    value, params = step(params)
print(value)


@hk.transform_with_state
def network(x, is_training):
    x = hk.Conv2D(4, 3)(x)
    x = hk.BatchNorm(create_scale=True, create_offset=True, decay_rate=0.9)(x, is_training)
    return hk.dropout(hk.next_rng_key(), 0.5, hk.Flatten()(hk.avg_pool(x, 2, 2, "SAME")))


images = jnp.cos(jnp.arange(128.0)).reshape(2, 8, 8, 1)
params, state = network.init(jax.random.PRNGKey(0), images, True)
out, state = jax.jit(network.apply, static_argnums=4)(
    params, state, jax.random.PRNGKey(1), images, True
)
print(out.shape, out.sum(), jax.tree.map(jnp.mean, state))


@hk.transform
def recurrence(x):
    core = hk.LSTM(4)
    out, _ = hk.dynamic_unroll(core, x, core.initial_state(None))
    return out[-1]


weights = recurrence.init(jax.random.PRNGKey(2), xs)
print(recurrence.apply(weights, None, xs))
