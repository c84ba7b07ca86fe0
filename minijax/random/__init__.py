"""Random numbers: each function's result is a function of a key, and of nothing else.

A key serves once. To draw again, make new keys of it with `split` or `fold_in`.
"""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.random.continuous": """
        cauchy double_sided_maxwell exponential laplace logistic lognormal maxwell pareto rayleigh
        triangular truncated_normal wald weibull_min""",
    "minijax.random.counts": "binomial multinomial poisson",
    "minijax.random.discrete": "geometric rademacher",
    "minijax.random.gammas": """
        ball beta chisquare dirichlet f gamma generalized_normal loggamma random_gamma_p t""",
    "minijax.random.gumbels": "categorical gumbel",
    "minijax.random.keys": """
        PRNGKey bits clone fold_in key key_data key_dtype key_impl split wrap_key_data""",
    "minijax.random.matrices": "multivariate_normal orthogonal",
    "minijax.random.samplers": "bernoulli normal randint uniform",
    "minijax.random.shuffles": "choice permutation",
})  # fmt: skip
