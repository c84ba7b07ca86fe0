"""SciPy's functions under `jax.scipy`'s names: so far, some of `special`."""

from minijax.scipy import special

__all__ = ["special"]
