"""What JAX keeps apart as not settled yet, by its names."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.experimental.compilation_cache": "",
    "minijax.lax.outside.callbacks": "io_callback",
})  # fmt: skip
