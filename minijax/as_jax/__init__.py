"""JAX's inner names, for libraries that are written for JAX and reach into it.

Nothing here is imported by the package: only `import jax._src.core` and its like, after
`install_as_jax()`, find it. `inner_names.py` says which of our names answers to which of JAX's; a
module beside it is for what has no counterpart here. Every other inner name is refused.
"""
