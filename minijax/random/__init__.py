"""Random numbers: each function's result is a function of a key, and of nothing else.

A key serves once. To draw again, make new keys of it with `split` or `fold_in`.
"""

from minijax.random.continuous import (
    cauchy,
    double_sided_maxwell,
    exponential,
    laplace,
    logistic,
    lognormal,
    maxwell,
    pareto,
    rayleigh,
    triangular,
    truncated_normal,
    wald,
    weibull_min,
)
from minijax.random.discrete import geometric, rademacher
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
    "PRNGKey", "bernoulli", "bits", "cauchy", "clone", "double_sided_maxwell", "exponential",
    "fold_in", "geometric", "key", "key_data", "key_dtype", "key_impl", "laplace", "logistic",
    "lognormal", "maxwell", "normal", "pareto", "rademacher", "randint", "rayleigh", "split",
    "triangular", "truncated_normal", "uniform", "wald", "weibull_min", "wrap_key_data",
]  # fmt: skip
