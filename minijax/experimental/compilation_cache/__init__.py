"""Where compiled kernels are kept for later processes, under the names of JAX's package."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.experimental.compilation_cache.compilation_cache": "",
})  # fmt: skip
