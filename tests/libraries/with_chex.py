"""Chex: a dataclass that is a pytree, assertions, and a function that may be traced only once."""

import chex
import jax
import jax.numpy as jnp


@chex.dataclass
class Weights:
    matrix: chex.Array
    offset: chex.Array


weights = Weights(matrix=jnp.ones((2, 3)), offset=jnp.arange(3.0))
doubled = jax.tree.map(lambda x: 2 * x, weights)
print(doubled.offset, doubled.matrix.sum(), weights.replace(offset=jnp.zeros(3)).offset)

chex.assert_shape(weights.matrix, (2, None))
chex.assert_rank([weights.matrix, weights.offset], [2, 1])
chex.assert_trees_all_close(doubled, jax.tree.map(lambda x: x + x, weights))
chex.assert_tree_all_finite(doubled)
try:
    chex.assert_equal_shape([weights.matrix, weights.offset])
except AssertionError as error:
    print(str(error)[:60])


@jax.jit
@chex.assert_max_traces(n=1)
def total(x):
    return x.sum()


print(total(jnp.ones(3)), total(jnp.zeros(3)))
try:
    total(jnp.ones(4))
except AssertionError:
    print("traced twice")


@chex.chexify
@jax.jit
def log_of_positive(x):
    chex.assert_trees_all_equal(x > 0, jnp.ones_like(x, bool))
    return jnp.log(x)


print(log_of_positive(jnp.array([1.0, 2.0])))
