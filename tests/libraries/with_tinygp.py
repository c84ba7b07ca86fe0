"""tinygp: a Gaussian process conditioned on data, and its parameters fitted by gradients."""

import jax
import jax.numpy as jnp
from tinygp import GaussianProcess, kernels, transforms

xs = jnp.linspace(0.0, 5.0, 20)
ys = jnp.sin(xs) + 0.1 * jnp.cos(17.0 * xs)


def build(params, xs):
    kernel = jnp.exp(params["scale"]) * kernels.Matern52(jnp.exp(params["length"]))
    return GaussianProcess(kernel, xs, diag=jnp.exp(params["noise"]), mean=params["mean"])


@jax.jit
@jax.value_and_grad
def loss(params):
    return -build(params, xs).log_probability(ys)


params = {"scale": 0.0, "length": 0.0, "noise": -2.0, "mean": 0.0}
params = jax.tree.map(jnp.array, params)
for _ in range(20):
    value, grads = loss(params)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)
print(value, params)
conditioned = build(params, xs).condition(ys, jnp.array([0.5, 2.5, 6.0]))
print(conditioned.log_probability, conditioned.gp.loc, conditioned.gp.variance)
print(build(params, xs[:4]).sample(jax.random.key(0), shape=(2,)))
kernel = kernels.quasisep.SHO(omega=2.0, quality=0.7, sigma=1.0) + kernels.quasisep.Exp(scale=1.5)
print(GaussianProcess(kernel, xs, diag=0.1).log_probability(ys))
turned = transforms.Linear(jnp.array([[1.0, 0.5], [0.0, 2.0]]), kernels.ExpSquared())
points = jnp.stack([xs, ys], axis=1)
print((turned + kernels.ExpSineSquared(scale=2.0, gamma=jnp.array(0.3)))(points[:2], points[:2]))
