"""vmap by rules of the user's."""

from minijax.lax.custom_vmap import custom_vmap, sequential_vmap

__all__ = ["custom_vmap", "sequential_vmap"]
