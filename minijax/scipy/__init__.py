"""SciPy's functions under `jax.scipy`'s names: so far, some of `special` and `stats`."""

from minijax.scipy import special, stats

__all__ = ["special", "stats"]
