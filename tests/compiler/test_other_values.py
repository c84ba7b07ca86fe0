"""Every function with paths, called again with the same types and other values.

Functions and their parameters are found, not listed. The truth is the answer with nothing cached.
"""

import importlib
import inspect
import itertools
import pkgutil
import sys
import types
import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.dispatch.eager import Paths
from minijax.core import config
from minijax.core.extend import typeof

# What may be taken for one another: equal in Python, of one class, or of one name.
FEW = [0, False, 0.0, 1, True, 1.0, None]
OPERANDS = [0, 300, True, -0.0, 2.5, np.nan, 1j, 2j, np.float32(0.5)]
NUMBERS = [*FEW, -0.0, -1, 2, 0.5, 2.5, np.nan, 1j, 2j, 1 + 0j, np.int8(1), np.float32(-0.0)]
OTHERS = [(0,), (1,), (True,), (0.0,), (0, 1), (1, 0), [0], [1], (3, 2), "C", "F", "left", "right",
          "clip", "wrap", "lower", "float32", np.float16, np.dtype("float16"), jnp.bfloat16,
          int, float, "highest", np.array([0, 1]), np.array([1, 0])]  # fmt: skip
DTYPES = [np.dtype(name) for name in ("int32", "float32", "float16", "complex64")]
VECTOR, MATRIX = jnp.array([1.5, -2.0, 0.0]), jnp.arange(6.0).reshape(2, 3) - 2
VALUES = {"bool": FEW, "None": FEW, "bool | None": FEW, "np.dtype": DTYPES}
# What a required parameter may take, by its annotation.
REQUIRED = {
    "int": [1, 0], "int | None": [1, 0], "bool": [True], "str": ["left", "clip"],
    "str | None": ["clip"], "np.dtype": DTYPES, "tuple[int, ...]": [(1,)],
    "Axis": [1], "Sequence[int] | None": [(1, 0)], "Sequence[Any]": [[VECTOR, VECTOR]],
}  # fmt: skip
SQUARE = jnp.array([[2.0, 1.0], [1.0, 3.0]])
ANY = [MATRIX, VECTOR, jnp.arange(3), jnp.arange(8.0).reshape(2, 4), jnp.zeros((1, 3), int),
       [VECTOR, VECTOR], 0, (3, 2), "float32", None]  # fmt: skip
# What takes something of its own.
GIVEN = {
    "minijax.lax.fourier.fft": (VECTOR, "RFFT", (3,)),
    "minijax.numpy.bit_packing.unpackbits": (jnp.arange(3, dtype="uint8"),),
    "minijax.numpy.indexing.putting.put_along_axis": (MATRIX, jnp.zeros((1, 3), int), 0, 0, False),
    "minijax.numpy.interpolation._interp": (
        VECTOR, jnp.arange(3.0) - 1, VECTOR, 0.5, 2.5, None, (False, False)),
    "minijax.numpy.searching._searchsorted_scan_impl": (
        jnp.arange(3.0), VECTOR, "left", np.dtype("int32"), False),
    "minijax.numpy.searching._searchsorted_sort_impl": (
        jnp.arange(3.0), VECTOR, "left", np.dtype("int32")),
    "minijax.numpy.products.vecmat": (VECTOR, MATRIX.T),
    "minijax.numpy.linalg.matrix_products.matrix_power": (SQUARE, 2),
    "minijax.numpy.linalg.equations.solve": (SQUARE, SQUARE),
    "minijax.scipy.linalg.systems.solve": (SQUARE, SQUARE),
    "minijax.scipy.linalg.systems.solve_triangular": (SQUARE, SQUARE),
    "minijax.scipy.linalg.systems.solve_sylvester": (SQUARE, SQUARE, SQUARE),
    "minijax.scipy.linalg.factors.qr_multiply": (SQUARE, SQUARE),
    **{f"minijax.{name}": (SQUARE,) for name in (
        "numpy.linalg.decompositions.cholesky", "numpy.linalg.decompositions.eigh",
        "numpy.linalg.decompositions.eigvals", "numpy.linalg.decompositions.eigvalsh",
        "numpy.linalg.equations.inv", "numpy.linalg.determinants.slogdet",
        "numpy.linalg.determinants.det", "scipy.linalg.eigenvalues.hessenberg",
        "scipy.linalg.factors.cholesky", "scipy.linalg.systems.inv", "scipy.linalg.systems.det",
        "scipy.linalg.matrix_functions.expm",
    )},
}  # fmt: skip
# What public functions call, with ufuncs or with arguments that they have made: those are tried in
# tests/numpy and tests/scipy.
INNER = {f"minijax.{name}" for name in (
    "numpy.convolutions._conv", "numpy.padding._pad", "numpy.ufunc_methods._call_vectorized",
    "numpy.ufunc_methods.reduce", "numpy.ufunc_methods.accumulate", "numpy.ufunc_methods.reduceat",
    "numpy.ufunc_methods._at_places", "numpy.ufunc_methods.outer",
    "scipy.linalg.eigenvalues._eigh", "scipy.linalg.eigenvalues._schur",
    "scipy.linalg.systems._cho_solve", "scipy.linalg.systems._lu_solve",
    "scipy.linalg.matrix_functions._sqrtm",
)}  # fmt: skip


def callers():
    """For each `Paths`, the function that goes by them: a module's, or a method of arrays."""
    for module in pkgutil.walk_packages(jax.__path__, "minijax."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    [getattr(jax.Array, name) for name in dir(VECTOR)]  # they are made when asked for
    modules = [module for name, module in sys.modules.items() if name.startswith("minijax")]
    values = [x for space in (*modules, jax.Array) for x in vars(space).values()]
    found = {}
    for fun in [*values, *(getattr(x, "__wrapped__", None) for x in values)]:
        if isinstance(fun, types.FunctionType):
            for x in inspect.getclosurevars(fun).nonlocals.values():
                if type(x) is Paths:
                    found.setdefault(id(x), (fun, x))
    return list(found.values())


CALLERS = callers()
def name_of(paths):
    return f"{paths.fun.__module__}.{paths.fun.__qualname__}"


TRIED = [(fun, paths) for fun, paths in CALLERS if name_of(paths) not in INNER]
NAMES = [name_of(paths) for _, paths in TRIED]


def outcome(fun, args, kwargs):
    """What a call gives, to the bit; of an error, its class."""
    try:
        leaves, tree = jax.tree.flatten(fun(*args, **kwargs))
    except Exception as error:
        return type(error)
    return tree, [(typeof(x), np.asarray(x).tobytes()) for x in leaves if x is not NotImplemented]


def signature_of(paths):
    """The function's, with what is static by name alone as a keyword."""
    signature, static = inspect.signature(paths.fun), paths.static or ()
    return signature.replace(parameters=[
        p.replace(kind=p.KEYWORD_ONLY) if p.name in static and i not in static
        and p.kind is p.POSITIONAL_OR_KEYWORD else p
        for i, p in enumerate(signature.parameters.values())
    ])  # fmt: skip


def base_call(fun, signature):
    """Values of the required parameters that the function takes; perhaps one switch is turned."""
    parameters = signature.parameters.values()
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    switches = [{}, *({p.name: not p.default} for p in parameters if type(p.default) is bool)]
    choices = (REQUIRED.get(p.annotation, ANY) for p in required)
    for turned, *values in itertools.product(switches, *choices):
        bound = signature.bind_partial()
        bound.arguments |= turned
        for parameter, value in zip(required, values, strict=True):
            is_several = parameter.kind is parameter.VAR_POSITIONAL
            bound.arguments[parameter.name] = (value,) if is_several else value
        if isinstance(outcome(fun, bound.args, bound.kwargs), tuple):
            return bound
    raise AssertionError(f"There is nothing here that {fun} takes.")


def other_calls(fun, paths):
    """The base call with each of the values in the place of each argument."""
    signature = signature_of(paths)
    given = GIVEN.get(name_of(paths))
    base = signature.bind(*given) if given else base_call(fun, signature)
    assert isinstance(outcome(fun, base.args, base.kwargs), tuple)
    for place, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        counts = paths.static is None or place in paths.static or name in paths.static
        for value in VALUES.get(parameter.annotation, NUMBERS + OTHERS) if counts else OPERANDS:
            bound = signature.bind_partial(*base.args, **base.kwargs)
            bound.arguments[name] = value
            yield name, value, bound.args, bound.kwargs


def test_all_functions_with_paths_are_found():
    assert INNER < {name_of(paths) for _, paths in CALLERS}
    clears = (getattr(clear, "__self__", None) for clear in config._clear_functions)
    of_minijax = [paths for paths in clears if type(paths) is Paths
                  and paths.fun.__module__.startswith("minijax.")]  # fmt: skip
    assert {id(paths) for paths in of_minijax} <= {id(paths) for _, paths in CALLERS}
    assert len(CALLERS) > 200


@pytest.mark.parametrize("which", range(len(TRIED)), ids=NAMES)
def test_other_values(which, on_numpy, errors_as_raised):
    fun, paths = TRIED[which]
    with warnings.catch_warnings(), jax.enable_checks(False):
        warnings.simplefilter("ignore")
        calls = list(other_calls(fun, paths))
        forwards, backwards = in_order(fun, calls, 2), in_order(fun, calls[::-1], 1)[::-1]
    for (name, value, *_), (first, again), [other] in zip(calls, forwards, backwards, strict=True):
        assert first == again == other, (name, value)


def in_order(fun, calls, times):
    """What each call gives, once or at the first and at the second time, after those before it.

    A call that comes first has the answer with nothing cached.
    """
    jax.clear_caches()
    return [[outcome(fun, args, kwargs) for _ in range(times)] for _, _, args, kwargs in calls]
