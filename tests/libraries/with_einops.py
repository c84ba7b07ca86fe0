"""Einops: axes rearranged, reduced and repeated by name, traced and differentiated."""

import jax
import jax.numpy as jnp
from einops import einsum, pack, rearrange, reduce, repeat, unpack

images = jnp.arange(2 * 4 * 6 * 3, dtype=jnp.float32).reshape(2, 4, 6, 3)
patches = rearrange(images, "b (h p) (w q) c -> b (h w) (p q c)", p=2, q=2)
print(patches.shape, patches[0, 1])
print(reduce(images, "b h w c -> b c", "mean"))
print(reduce(images, "b (h p) (w q) c -> b h w c", "max", p=2, q=3)[0, :, :, 0])
print(repeat(jnp.array([1, 2]), "n -> n k", k=3))
print(einsum(images[0], jnp.ones((3, 5)), "h w c, c d -> h d").sum())
packed, shapes = pack([jnp.ones((2, 3)), jnp.zeros((2, 4, 1))], "b *")
print(packed.shape, [x.shape for x in unpack(packed, shapes, "b *")])


@jax.jit
@jax.grad
def slope(x):
    return (reduce(x, "h w -> h", "sum") ** 2).sum()


print(slope(jnp.arange(6.0).reshape(2, 3)))
