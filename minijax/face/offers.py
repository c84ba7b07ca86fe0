"""Objects that offer an array in their place, by `__jax_array__`, as arguments of the library.

JAX asks for that array in functions that are no program of jit's: those listed here. What offers an
array to another function is refused: with TypeError by a function that asks for its arguments'
dtypes before it traces a program of them, with ValueError by others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import zip_longest
from typing import Any

# By the package that shows them: the functions that take such an object in an array's place. Behind
# a colon, those that take a list of them, and not one alone. Inner packages come first.
TAKERS = {
    "minijax.numpy.fft": """
        fft fft2 fftn fftshift ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2
        rfftn""",
    "minijax.numpy.linalg": """
        cross diagonal eig lstsq matmul matrix_norm matrix_transpose multi_dot outer svdvals
        tensordot tensorinv tensorsolve trace vecdot vector_norm""",
    "minijax.scipy.fft": "dct dctn idct idctn",
    "minijax.scipy.linalg": "circulant companion fiedler_companion hankel qr_multiply toeplitz",
    "minijax.scipy.signal": "detrend istft",
    "minijax.scipy.special": """
        beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx erfinv exp1 expit
        expn factorial gamma gammainc gammaincc gammaln i0 i0e i1 i1e kl_div loggamma logsumexp
        multigammaln owens_t polygamma rel_entr spence wofz""",
    "minijax.scipy.stats.betabinom": "",
    "minijax.scipy.stats.dirichlet": "",
    "minijax.scipy.stats.multivariate_normal": "",
    "minijax.scipy.stats.norm": "cdf logcdf logpdf logsf pdf sf",
    "minijax.scipy.stats.truncnorm": "",
    "minijax.scipy.stats": "cdf isf logcdf logpdf logpmf logsf pdf pmf ppf sf",
    "minijax.lax": "convert_element_type",
    "minijax.nn": "dot_product_attention gelu one_hot",
    "minijax.numpy": """
        argmax argmin argwhere array_split astype bincount broadcast_arrays broadcast_to choose
        compress cumulative_prod cumulative_sum delete diag diag_indices_from einsum empty_like
        expand_dims fill_diagonal flip fliplr flipud full_like histogram histogram2d
        histogram_bin_edges histogramdd hsplit insert intersect1d isin isneginf isposinf ix_
        matrix_transpose meshgrid moveaxis nanargmax nanargmin ndim nonzero ones_like pad
        permute_dims piecewise place polydiv polymul pow power ptp put repeat reshape roll roots
        setdiff1d setxor1d shape size split squeeze std tensordot tile transpose tril_indices_from
        trim_zeros triu_indices_from union1d unique unique_all unique_counts unique_inverse
        unique_values unravel_index var vecdot vsplit zeros_like
        : column_stack concat concatenate dstack select stack""",
    "minijax.ops": "segment_max segment_min segment_prod segment_sum",
    "minijax.random": "categorical fold_in",
}

# Arguments that are no arrays' places, though an array may stand there: by their names.
NO_PLACES = frozenset(
    """axes axis bincount.weights bins constant_values ddof destination diag.k fft.n ifft.n
    ihfft.n indices_or_sections irfft.n key length minlength nonzero.fill_value num_classes
    num_segments pad_width put.v repeats reps rfft.n shape size source
    total_repeat_length""".split()
)
ASK_FOR_DTYPES = {
    *(f"jnp.{name}" for name in "arange full tri".split()),
    *(f"random.{name}" for name in """
        beta chisquare choice f lognormal multinomial multivariate_normal pareto permutation
        rayleigh t triangular wald""".split()),
}  # fmt: skip

asarray: Callable = lambda x: x  # noqa: E731  (face.lazily puts `jnp.asarray` here)


def offered(x: Any) -> Any:
    """The array that an object offers in its place, by `__jax_array__`; else the object itself."""
    while hasattr(x, "__jax_array__"):
        x = x.__jax_array__()
    return x


def _among(x: Any) -> Any:
    """An argument with arrays for what offers them: a list's and a tuple's items, too."""
    if type(x) is list or type(x) is tuple:
        return type(x)(map(_among, x))
    if not hasattr(x, "__jax_array__"):
        return x
    array = offered(x)
    return asarray(array if hasattr(array, "dtype") else x)


def _in_lists(x: Any) -> Any:
    return _among(x) if type(x) is list or type(x) is tuple else x


def _rule_of(fun: Callable) -> Callable | None:
    """What makes arrays of a function's arguments; None where it takes no offers."""
    for package, names in TAKERS.items():
        if f"{fun.__module__}.".startswith(f"{package}."):
            anywhere, _, in_lists = names.partition(":")
            if fun.__name__ in in_lists.split():
                return _in_lists
            return _among if fun.__name__ in anywhere.split() else None
    return None


def taking_offers(fun: Callable) -> Callable:
    """The public function `fun` as one that takes offers, if it is listed; else as it is.

    One that goes by paths looks for offers on its long way alone: where arguments have no path.
    """
    rule = _rule_of(fun)
    if rule is None:
        return fun
    paths = getattr(fun, "paths", None)
    if paths is None:
        return _with_arrays(fun, rule)
    if not hasattr(paths.long_way, "takes_offers"):
        paths.long_way = _with_arrays(paths.long_way, rule)
    return fun


def _with_arrays(fun: Callable, rule: Callable) -> Callable:
    own = (name.partition(".") for name in NO_PLACES)
    no_places = NO_PLACES | {name for owner, _, name in own if owner == fun.__name__}

    @cache
    def names() -> list[str]:
        kinds = signature(fun).parameters.values()
        return [p.name for p in kinds if p.kind is not Parameter.VAR_POSITIONAL]

    def in_place(name: str, x: Any) -> Any:
        return x if name in no_places else rule(x)

    @wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        placed = [in_place(name, x) for name, x in zip_longest(names()[: len(args)], args)]
        return fun(*placed, **{name: in_place(name, x) for name, x in kwargs.items()})

    call.takes_offers = True
    return call
