"""Distributions, a module for each, and what a sample says."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.stats.kde": "gaussian_kde",
    "minijax.scipy.stats.samples": "mode rankdata sem",
    "minijax.scipy.stats.bernoulli": "", "minijax.scipy.stats.beta": "",
    "minijax.scipy.stats.betabinom": "", "minijax.scipy.stats.binom": "",
    "minijax.scipy.stats.cauchy": "", "minijax.scipy.stats.chi2": "",
    "minijax.scipy.stats.dirichlet": "", "minijax.scipy.stats.expon": "",
    "minijax.scipy.stats.gamma": "", "minijax.scipy.stats.gennorm": "",
    "minijax.scipy.stats.geom": "", "minijax.scipy.stats.gumbel_l": "",
    "minijax.scipy.stats.gumbel_r": "", "minijax.scipy.stats.laplace": "",
    "minijax.scipy.stats.logistic": "", "minijax.scipy.stats.multinomial": "",
    "minijax.scipy.stats.multivariate_normal": "", "minijax.scipy.stats.nbinom": "",
    "minijax.scipy.stats.norm": "", "minijax.scipy.stats.pareto": "",
    "minijax.scipy.stats.poisson": "", "minijax.scipy.stats.t": "",
    "minijax.scipy.stats.truncnorm": "", "minijax.scipy.stats.uniform": "",
    "minijax.scipy.stats.vonmises": "", "minijax.scipy.stats.wrapcauchy": "",
})  # fmt: skip
