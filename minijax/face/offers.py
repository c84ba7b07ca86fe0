"""Objects that offer an array in their place, by `__jax_array__`, as arguments of the library.

JAX asks for that array in functions that are no program of jit's: those listed here. What offers an
array to another function is refused: with TypeError by a function that asks for its arguments'
dtypes before it traces a program of them, with ValueError by others. These take it nevertheless
where it is a node of a pytree: a program's arguments are pytrees, and inside of the program nothing
is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from itertools import zip_longest
from typing import Any

from minijax.core.errors import api_boundary, leave, wraps
from minijax.core.pytrees import find_entry

# Packages whose functions are programs of jit's in JAX, but for those below.
NODE_TAKERS = tuple(f"minijax.{name}." for name in ("nn", "numpy", "random", "scipy"))

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


def _holds_node(x: Any) -> bool:
    if type(x) is list or type(x) is tuple:
        return any(map(_holds_node, x))
    return hasattr(x, "__jax_array__") and find_entry(type(x)) is not None


def _without_nodes(x: Any) -> Any:
    """An argument with arrays for the nodes of a pytree that offer them: a list's items, too."""
    if type(x) is list or type(x) is tuple:
        return type(x)(map(_without_nodes, x))
    return _among(x) if _holds_node(x) else x


def takes_nodes(fun: Callable) -> bool:
    """Whether a public function takes nodes of a pytree that offer an array, as JAX's programs."""
    return fun.__module__.startswith(NODE_TAKERS)


def arrays_of_nodes(error: BaseException, args: tuple, kwargs: dict) -> tuple | None:
    """What a function that raised the error is to be called with instead: arrays for the nodes
    among its arguments; None where nothing was refused that is one."""
    if not isinstance(error, ValueError) or not _holds_node([*args, *kwargs.values()]):
        return None
    named = {name: _without_nodes(x) for name, x in kwargs.items()}
    return list(map(_without_nodes, args)), named


def taking_nodes(fun: Callable) -> Callable:
    """The function as an `api_boundary` that, where it refuses arguments, tries it with the arrays
    of nodes among them. What it takes costs it nothing."""

    @wraps(fun)
    def with_short_tracebacks(*args: Any, **kwargs: Any) -> Any:
        try:
            return fun(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            instead = arrays_of_nodes(error, args, kwargs)
            if instead is None:
                leave(error, fun)
                raise
        return api_boundary(fun)(*instead[0], **instead[1])

    return with_short_tracebacks


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
    rule, paths = _rule_of(fun), getattr(fun, "paths", None)
    if paths is None:
        return _with_arrays(fun, rule) if rule else fun
    if not hasattr(paths.long_way, "takes_offers"):
        if rule:
            paths.long_way = _with_arrays(paths.long_way, rule)
        elif takes_nodes(fun):
            paths.long_way = taking_nodes(paths.long_way)
        paths.long_way.takes_offers = True
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

    return call
