"""Flax: a perceptron, a convolution and normalized layers of linen; the same with nnx's modules."""

import jax
import jax.numpy as jnp
from flax import linen, nnx

xs = jnp.sin(jnp.arange(24.0)).reshape(8, 3)
ys = xs.sum(axis=1, keepdims=True)


class Perceptron(linen.Module):
    width: int

    @linen.compact
    def __call__(self, x):
        x = linen.relu(linen.Dense(self.width)(x))
        x = linen.LayerNorm()(x)
        return linen.Dense(1)(x)


model = Perceptron(16)
params = model.init(jax.random.key(0), xs)
print(jax.tree.map(jnp.shape, params))


@jax.jit
def step(params):
    def loss(params):
        return jnp.mean((model.apply(params, xs) - ys) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


for _ in range(5):
    value, params = step(params)
print("linen", value)


class Convolution(linen.Module):
    @linen.compact
    def __call__(self, x, is_training):
        x = linen.Conv(4, (3, 3))(x)
        x = linen.BatchNorm(use_running_average=not is_training)(x)
        x = linen.avg_pool(linen.relu(x), (2, 2), (2, 2)).reshape(x.shape[0], -1)
        return linen.Dropout(0.5, deterministic=not is_training)(x)


images = jnp.cos(jnp.arange(128.0)).reshape(2, 8, 8, 1)
variables = Convolution().init(jax.random.key(1), images, is_training=False)
out, changed = Convolution().apply(
    variables, images, True, rngs={"dropout": jax.random.key(2)}, mutable=["batch_stats"]
)
print(out.shape, out.sum(), changed)
cell = linen.RNN(linen.LSTMCell(features=4))
states, _ = cell.init_with_output(jax.random.key(3), xs[None])
print(states[0, -1])
attention = linen.MultiHeadDotProductAttention(num_heads=2, qkv_features=8)
print(attention.init_with_output(jax.random.key(4), images[..., 0])[0].mean(axis=1))


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(3, 16, rngs=rngs)
        self.norm = nnx.BatchNorm(16, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.out = nnx.Linear(16, 1, rngs=rngs)

    def __call__(self, x):
        return self.out(self.dropout(nnx.relu(self.norm(self.hidden(x)))))


network = Network(nnx.Rngs(0))


@nnx.jit
def train(network):
    def loss(network):
        return jnp.mean((network(xs) - ys) ** 2)

    value, grads = nnx.value_and_grad(loss)(network)
    params = nnx.state(network, nnx.Param)
    nnx.update(network, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads))
    return value


for _ in range(5):
    value = train(network)
print("nnx", value, network.norm.mean[...][:3])
network.eval()
graph, state = nnx.split(network)
print(nnx.merge(graph, state)(xs)[:2])
print(sum(x.size for x in jax.tree.leaves(nnx.state(network, nnx.Param))))
