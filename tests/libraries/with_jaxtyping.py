"""Jaxtyping: shapes and dtypes in annotations, checked by beartype at each call."""

import jax
import jax.numpy as jnp
from beartype import beartype
from jaxtyping import Array, Float, Int, PyTree, jaxtyped


@jaxtyped(typechecker=beartype)
def attend(
    queries: Float[Array, "time dim"], keys: Float[Array, "other dim"]
) -> Float[Array, "time other"]:
    return jax.nn.softmax(queries @ keys.T)


print(attend(jnp.eye(2, 3), jnp.ones((4, 3))))
print(jax.jit(attend)(jnp.eye(2, 3), jnp.ones((1, 3))).shape)
try:
    attend(jnp.ones((2, 3)), jnp.ones((4, 2)))
except Exception as error:
    print(type(error).__name__)
print(isinstance(jnp.arange(3), Int[Array, "3"]), isinstance(jnp.arange(3), Float[Array, "3"]))
print(isinstance({"a": 1, "b": (2,)}, PyTree[int]), isinstance([1.0], PyTree[int]))
print(Float[Array, "batch ..."].dim_str)
