"""An object whose `repr` raises, as any argument of any public function: that error never shows."""

import importlib
import inspect
from collections.abc import Iterator

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random


class ReprError(Exception):
    pass


class Unprintable:
    def __repr__(self):
        raise ReprError


MODULES = [jax] + [
    importlib.import_module(f"minijax.{name}")
    for name in (
        "numpy", "lax", "nn", "nn.initializers", "random", "tree_util", "tree", "dtypes", "stages",
        "custom_batching", "custom_derivatives", "ad_checkpoint", "flatten_util", "scipy.special",
        "image", "numpy.fft", "scipy.cluster.vq", "scipy.fft", "scipy.integrate",
        "scipy.interpolate", "scipy.ndimage", "scipy.optimize", "scipy.signal",
        "scipy.sparse.linalg", "scipy.spatial.transform", "scipy.stats", "profiler", "export",
        "core", "extend.core", "interpreters.ad", "debug", "experimental",
        "experimental.layout", "experimental.multihost_utils",
    )
]  # fmt: skip
X = jnp.arange(3.0)
# What stands in the place of the other arguments.
OTHERS = (X, lambda *args, **kwargs: X, random.key(0), 1, (2, 3), "float32")
# Python's and NumPy's own say what they got; installing, clearing and saving are for elsewhere.
NOT_OURS = {"GatherScatterMode", "Precision", "RoundingMethod", "ShapeDtypeStruct", "ShapedArray"}
NOT_OURS |= {
    "AccuracyMode", "DotAlgorithmPreset", "FftType", "RandomAlgorithm", "ResizeMethod", "can_cast",
    "dtype", "finfo", "iinfo",
    "breakpoint",  # it waits for commands
}  # fmt: skip
NOT_CALLED = ("install", "clear_", "set_", "update", "save", "start_", "stop_")


def functions() -> Iterator[tuple[str, object]]:
    for module in MODULES:
        for name in dir(module):
            fun = getattr(module, name)
            if callable(fun) and name not in NOT_OURS and not name.startswith(("_", *NOT_CALLED)):
                yield f"{module.__name__}.{name}", fun


def arguments(fun, odd: inspect.Parameter, parameters: list, other) -> tuple[list, dict]:
    """The odd object in one place; in every other that needs something, `other`."""
    args, kwargs = [], {}
    for p in parameters:
        needed = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if p is not odd and not needed:
            continue
        value = Unprintable() if p is odd else other
        if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL):
            args.append(value)
        elif p.kind is not p.VAR_KEYWORD:
            kwargs[p.name] = value
    return args, kwargs


def parameters_of(fun) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return []


@pytest.mark.filterwarnings("ignore")
def test_no_error_is_that_of_an_arguments_repr():
    leaked = set()
    for name, fun in functions():
        parameters = parameters_of(fun)
        for odd in parameters:
            for other in OTHERS:
                args, kwargs = arguments(fun, odd, parameters, other)
                try:
                    out = fun(*args, **kwargs)
                    if callable(out):
                        out(X)
                except ReprError:
                    leaked.add(f"{name}, argument {odd.name}")
                except Exception as error:
                    str(error)
    assert not leaked
