"""Distributions, a module for each: so far, the normal one."""

from minijax.planned import missing_names
from minijax.scipy.stats import norm

__all__ = ["norm"]
__getattr__ = missing_names(__name__)
