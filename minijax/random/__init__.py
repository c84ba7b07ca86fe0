"""Random numbers: each function's result is a function of a key, and of nothing else.

A key serves once. To draw again, make new keys of it with `split` or `fold_in`.
"""

from typing import Any

from minijax.boundaries import guard
from minijax.planned import missing_names
from minijax.random.keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_dtype,
    key_impl,
    split,
    wrap_key_data,
)
from minijax.random.samplers import bernoulli, normal, randint, uniform

__all__ = [
    "PRNGKey", "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy",
    "chisquare", "choice", "clone", "dirichlet", "double_sided_maxwell", "exponential", "f",
    "fold_in", "gamma", "generalized_normal", "geometric", "gumbel", "key", "key_data",
    "key_dtype", "key_impl", "laplace", "loggamma", "logistic", "lognormal", "maxwell",
    "multinomial", "normal", "pareto", "permutation", "poisson", "rademacher", "randint",
    "rayleigh", "split", "t", "triangular", "truncated_normal", "uniform", "wald",
    "weibull_min", "wrap_key_data",
]  # fmt: skip

_missing = missing_names(__name__)


def __getattr__(name: str) -> Any:
    """The other samplers are imported when one is asked for first: minijax is imported quickly."""
    if name not in __all__:
        return _missing(name)
    from minijax.random import continuous, counts, discrete, gammas, gumbels, shuffles

    for home in (continuous, counts, discrete, gammas, gumbels, shuffles):
        guard(home)
        own = {n: x for n, x in vars(home).items() if getattr(x, "__module__", "") == home.__name__}
        globals().update({n: x for n, x in own.items() if n in __all__})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
