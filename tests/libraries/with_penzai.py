"""Penzai: named axes, a model that is a tree of layers, and a part of it selected and changed."""

import jax
import jax.numpy as jnp
from penzai import pz

xs = pz.nx.wrap(jnp.sin(jnp.arange(24.0)).reshape(8, 3)).tag("batch", "features")
ys = pz.nx.nmap(jnp.sum)(xs.untag("features"))
print(dict(xs.named_shape), ys.unwrap("batch")[:3])

mlp = pz.nn.Sequential([
    pz.nn.Affine.from_config("mlp/in", jax.random.key(0), {"features": 3}, {"hidden": 8}),
    pz.nn.Elementwise(jax.nn.relu),
    pz.nn.Affine.from_config("mlp/out", jax.random.key(1), {"hidden": 8}, {"out": 1}),
])  # fmt: skip
unbound, variables = pz.unbind_variables(mlp, freeze=True)


@jax.jit
@jax.value_and_grad
def loss(variables):
    errors = pz.bind_variables(unbound, variables)(xs).untag("out")[0] - ys
    return pz.nx.nmap(lambda e: jnp.mean(e**2))(errors.untag("batch")).unwrap()


for _ in range(5):
    value, grads = loss(variables)
    variables = jax.tree.map(lambda v, g: v - 0.05 * g, variables, grads)
print(value)
model = pz.bind_variables(unbound, variables)
layers = pz.select(model).at_instances_of(pz.nn.Elementwise)
doubled = layers.apply(lambda layer: pz.nn.Sequential([layer, layer]))
print(layers.count(), type(doubled.sublayers[1]).__name__, dict(doubled(xs).named_shape))
print(pz.nx.nmap(jnp.sum)(doubled(xs).untag("batch", "out")).unwrap())
print([v.label for v in variables])
