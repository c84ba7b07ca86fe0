"""Every function of every distribution: values, dtypes, edges, derivatives, what is refused."""

SETUP = """\
import importlib

def module(name):
    return importlib.import_module(f'{jax.__name__}.scipy.stats.{name}')

X = jnp.array([-math.inf, -1.7, 0.0, 0.3, 2.6, 9.0, math.inf, math.nan])
K = jnp.array([-1.0, 0, 1, 2, 2.5, 4, math.nan])
Q = jnp.array([-0.1, 0.1, 0.5, 0.9, 1.2, math.nan])
S = jnp.array([[0.2, 0.5, 0.6], [0.3, 0.1, 0.6], [0.5, 0.4, 0.5]])
"""
# The functions, and the parameters that have no default: some good ones, and some out of range.
CONTINUOUS = {
    "beta": ("cdf logcdf logpdf logsf pdf sf", "1.3, 2.2", "-1.0, 2.2"),
    "cauchy": ("cdf isf logcdf logpdf logsf pdf ppf sf", "", ""),
    "chi2": ("cdf logcdf logpdf logsf pdf sf", "3.4", "0.0"),
    "expon": ("cdf logcdf logpdf logsf pdf ppf sf", "", ""),
    "gamma": ("cdf logcdf logpdf logsf pdf sf", "2.3", "0.0"),
    "gumbel_l": ("cdf logcdf logpdf logsf pdf ppf sf", "", ""),
    "gumbel_r": ("cdf logcdf logpdf logsf pdf ppf sf", "", ""),
    "laplace": ("cdf logpdf pdf", "", ""),
    "logistic": ("cdf isf logpdf pdf ppf sf", "", ""),
    "norm": ("isf logcdf logsf ppf", "", ""),
    "pareto": ("cdf logcdf logpdf logsf pdf ppf sf", "1.4", "-1.0"),
    "t": ("logpdf pdf", "3.3", "-1.0"),
    "truncnorm": ("cdf logcdf logpdf logsf pdf sf", "-0.9, 1.2", "1.0, 1.0"),
    "uniform": ("cdf logpdf pdf ppf", "", ""),
}
DISCRETE = {
    "bernoulli": ("cdf logpmf pmf ppf", "0.3", "1.3"),
    "betabinom": ("logpmf pmf", "4, 1.2, 2.1", "4, 0.0, 2.1"),
    "binom": ("logpmf pmf", "4, 0.3", "4, 1.3"),
    "geom": ("logpmf pmf", "0.3", "1.3"),
    "nbinom": ("logpmf pmf", "3, 0.4", "3, 1.4"),
    "poisson": ("cdf logpmf pmf", "2.3", "-1.0"),
}
SHAPED = {
    "gennorm": ("cdf logpdf pdf", "1.7", "-1.0"),
    "vonmises": ("logpdf pdf", "1.3", "0.0"),
    "wrapcauchy": ("logpdf pdf", "0.4", "1.4"),
}


def scalar_cases():
    for table, place in ((CONTINUOUS, "0.5, 1.5"), (DISCRETE, "1"), (SHAPED, "")):
        for name, (functions, good, bad) in table.items():
            for function in functions.split():
                x = "Q" if function in ("ppf", "isf") else "K" if table is DISCRETE else "X"
                moved = "" if name == "bernoulli" and function in ("cdf", "ppf") else place
                args = ", ".join(filter(None, (x, good, moved)))
                plain, wrong = (", ".join(filter(None, (x, each))) for each in (good, bad))
                lines = [f"f = module('{name}').{function}", f"f({args}), f({plain}), f({wrong})"]
                if name != "norm":
                    lines[1] += f", f({plain.replace(x, x + '.astype(jnp.bfloat16)')})"
                    numbers = f", *map(jnp.float32, ({good},))" if good else ""
                    lines[1] += f", f(jnp.arange(3){numbers})"
                rest = plain[1:]
                lines[1] += f", [raised(f, x{rest}) for x in ([1.0], 'x')]"
                if not name.startswith("gumbel") and name != "norm":
                    lines[1] += f", jax.vmap(jax.grad(lambda x: f(x{args[1:]})))({x}[1:-1])"
                yield "\n".join(lines)


VECTORS = (
    "f = module('dirichlet').logpdf\nA = jnp.array([1.2, 2.0, 3.1])\nf(S, A), f(S[:2, :2], A),"
    " f(S[:, 0], jnp.array([1, 2, 1])), module('dirichlet').pdf(S, A),"
    " jax.grad(f, (0, 1))(S[:2, 0], A)",
    "f = module('dirichlet').logpdf\n[raised(f, *args) for args in ((0.5, 0.5), (S, 1.0), (S, S),"
    " (S[:1], jnp.ones(3)), ([0.5], jnp.ones(1)), (S * 1j, jnp.ones(3)))]",
    "f = module('multinomial').logpmf\nN = jnp.array([[1, 2, 1], [0, 0, 4], [1, 1, 1]])\n"
    "f(N[0], 4, S[0] / 1.3), f(N[0], jnp.array([3, 4]), S[0] / 1.3), f(N[1], 4, S),"
    " module('multinomial').pmf(N[0], 4, S[0]), jax.grad(lambda p: f(N[0], 4, p))(S[0])",
    "module('multinomial').logpmf(jnp.array([[1, 2, 1], [0, 0, 4]]), 4, S[0] / 1.3)",
    "f = module('multinomial').logpmf\nN = jnp.array([1, 2, 1])\n[raised(f, *args) for args in ("
    "(S, 4, S), (N, 4.0, S), ([1], 4, S), (N[:2], 4, S))]",
    "f = module('multivariate_normal').logpdf\nC = S @ S.T + jnp.eye(3)\nm = S[1]\n"
    "f(S, m, C), f(S[0], m, C), f(S, m, 2.0), f(S, 1.0, 2.0), f(1, 1, 1), f(S, S[:, None], C),"
    " f(S[:2], m, jnp.stack([C, 2 * C])), f(m, m, -C), module('multivariate_normal').pdf(S, m, C)",
    "f = module('multivariate_normal').logpdf\nC = S @ S.T + jnp.eye(3)\nm = S[1]\n"
    "jax.grad(f, (0, 1, 2))(S[0], m, C), [raised(f, *args) for args in ((S, m, m), (S, m[:1], C),"
    " (S, m, C, True), (S, m, C[:2]), ([1.0], m, C))]",
)
# See known_differences.py.
DIFFERENT = (
    "module('t').logpdf(jnp.arange(3), 3.3)",
    "[raised(module('cauchy').pdf, 1j), raised(module('beta').cdf, 1j, 1, 1)]",
    "[raised(jax.grad(module('gumbel_r').logpdf, 2), 1.0, 0.0, 1.5)]",
)
ENTROPY = (
    "f = module('poisson').entropy\nf(jnp.array([0, 0.4, 9.9, 10.5, 99.0, 150.0])),"
    " f(jnp.ones((2, 1)), jnp.ones(3)), f(2), jax.grad(f)(3.0)",
)
CASES = (*scalar_cases(), *VECTORS, *ENTROPY, *DIFFERENT)
