"""Distributions, a module for each, and what a sample says."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.stats.kde": "gaussian_kde",
    "minijax.scipy.stats.norm": "",
    "minijax.scipy.stats.samples": "mode rankdata sem",
})  # fmt: skip
