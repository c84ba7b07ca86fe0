"""Special functions under SciPy's names: compositions of what `lax` has."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.special.bessel": "bessel_jn i0 i0e i1 i1e",
    "minijax.scipy.special.entropies": """
        boxcox boxcox1p entr expit kl_div logit rel_entr xlog1py xlogy""",
    "minijax.scipy.special.errors": "erf erfc erfinv log_ndtr ndtr ndtri",
    "minijax.scipy.special.faddeeva": "dawsn erfcx wofz",
    "minijax.scipy.special.gammas": """
        bernoulli beta betainc betaln comb digamma factorial gamma gammainc gammaincc gammaln
        gammasgn loggamma multigammaln poch polygamma zeta""",
    "minijax.scipy.special.harmonics": "sph_harm_y",
    "minijax.scipy.special.hypergeometric": "hyp1f1 hyp2f1",
    "minijax.scipy.special.integrals": "exp1 expi expn owens_t spence",
    "minijax.scipy.special.log_sums": "logsumexp",
    "minijax.scipy.special.softmaxes": "log_softmax softmax",
    "minijax.scipy.special.wave_integrals": "fresnel sici",
})  # fmt: skip
