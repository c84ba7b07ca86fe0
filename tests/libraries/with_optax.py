"""Optax: a line fitted by Adam, with a schedule and clipped gradients."""

import jax
import jax.numpy as jnp
import optax

xs = jnp.linspace(-1.0, 1.0, 32)
ys = 3.0 * xs - 0.5


def loss(params):
    return jnp.mean(optax.l2_loss(params["slope"] * xs + params["offset"], ys))


schedule = optax.warmup_cosine_decay_schedule(0.0, 0.3, warmup_steps=10, decay_steps=100)
optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
params = {"slope": jnp.array(0.0), "offset": jnp.array(0.0)}
state = optimizer.init(params)


@jax.jit
def step(params, state):
    value, grads = jax.value_and_grad(loss)(params)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state, value


for i in range(100):
    params, state, value = step(params, state)
    if i % 20 == 0:
        print(i, value)
print(params)
print(optax.global_norm(params), schedule(50))
print(optax.softmax_cross_entropy_with_integer_labels(jnp.array([[1.0, 2.0, 0.5]]), jnp.array([1])))
