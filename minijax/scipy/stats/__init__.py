"""Distributions, a module for each: so far, the normal one."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"minijax.scipy.stats.norm": ""})
