"""SciPy's functions under `jax.scipy`'s names: `linalg`; so far, some of `special` and `stats`."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.linalg": "", "minijax.scipy.special": "", "minijax.scipy.stats": "",
})  # fmt: skip
