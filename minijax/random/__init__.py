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
from minijax.random.counts import binomial, multinomial, poisson
from minijax.random.discrete import geometric, rademacher
from minijax.random.gammas import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    gamma,
    generalized_normal,
    loggamma,
    random_gamma_p,
    t,
)
from minijax.random.gumbels import categorical, gumbel
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
from minijax.random.shuffles import choice, permutation

__all__ = [
    "PRNGKey", "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy",
    "chisquare", "choice", "clone", "dirichlet", "double_sided_maxwell", "exponential", "f",
    "fold_in", "gamma", "generalized_normal", "geometric", "gumbel", "key", "key_data",
    "key_dtype", "key_impl", "laplace", "loggamma", "logistic", "lognormal", "maxwell",
    "multinomial", "normal", "pareto", "permutation", "poisson", "rademacher", "randint",
    "random_gamma_p", "rayleigh", "split", "t", "triangular", "truncated_normal", "uniform",
    "wald", "weibull_min", "wrap_key_data",
]  # fmt: skip
