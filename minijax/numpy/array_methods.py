"""Methods and operators of arrays: each is one of this package's functions, put on the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.compiler.eager import by_operands
from minijax.core.arrays import Array, as_array, is_array_like
from minijax.core.errors import ConcretizationTypeError, api_boundary
from minijax.core.tracing import Tracer
from minijax.numpy import (
    creation,
    cumulative,
    editing,
    extremes,
    indexing,
    parts,
    places,
    products,
    reductions,
    searching,
    selecting,
    shapes,
    sorting,
    triangles,
    ufuncs,
    updates,
)
from minijax.numpy.arguments import is_several
from minijax.numpy.promotion import install_operators
from minijax.planned import MissingMethod


def _reshape(self: Any, *shape: Any, order: str = "C") -> Any:
    """The same elements in another shape, given as one tuple or as several integers."""
    return shapes.reshape(self, shape[0] if len(shape) == 1 else shape, order)


def _transpose(self: Any, *axes: Any) -> Any:
    """The array with its axes in another order, given as one tuple or as several integers."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return shapes.transpose(self)
    return shapes.transpose(self, axes[0] if len(axes) == 1 and is_several(axes[0]) else axes)


def _clip(self: Any, min: Any = None, max: Any = None) -> Any:
    """The elements, held between `min` and `max`."""
    return ufuncs.clip(self, min=min, max=max)


def _round(self: Any, ndigits: int | None = None) -> Any:
    """Python's round(): integers, unless a number of decimals is given."""
    rounded = ufuncs.round(self, 0 if ndigits is None else ndigits)
    return creation.astype(rounded, int) if ndigits is None else rounded


def _compress(self: Any, condition: Any, axis: int | None = None, **options: Any) -> Any:
    """The parts along an axis for which a condition, a row, holds."""
    return selecting.compress(condition, self, axis, **options)


METHODS = {
    "all": reductions.all, "any": reductions.any, "argmax": extremes.argmax,
    "argmin": extremes.argmin, "astype": creation.astype, "choose": selecting.choose, "clip": _clip,
    "compress": _compress, "copy": creation.copy, "diagonal": triangles.diagonal,
    "dot": products.dot, "flatten": shapes.ravel, "max": extremes.max, "mean": reductions.mean,
    "min": extremes.min, "nonzero": places.nonzero, "ravel": shapes.ravel, "repeat": editing.repeat,
    "reshape": _reshape, "round": ufuncs.round, "__round__": _round, "squeeze": shapes.squeeze,
    "std": reductions.std, "sum": reductions.sum, "swapaxes": shapes.swapaxes,
    "take": selecting.take, "trace": triangles.trace, "transpose": _transpose,
    "var": reductions.var, "__getitem__": indexing.getitem, "prod": reductions.prod,
    "ptp": extremes.ptp, "argpartition": sorting.argpartition, "argsort": sorting.argsort,
    "conj": parts.conj, "conjugate": parts.conjugate, "cumprod": cumulative.cumprod,
    "cumsum": cumulative.cumsum, "searchsorted": searching.searchsorted, "sort": sorting.sort,
}  # fmt: skip
PROPERTIES = {
    "T": shapes.transpose, "mT": shapes.matrix_transpose, "at": updates._IndexUpdateHelper,
    "imag": parts.imag, "real": parts.real,
}  # fmt: skip
OPERATORS = {
    "matmul": products.matmul, "mod": ufuncs.remainder, "floordiv": ufuncs.floor_divide,
    "divmod": ufuncs.divmod, "pow": ufuncs.power,
}  # fmt: skip
# What arrays have in JAX alone, so far. A test holds the list against JAX.
PLANNED = """
    addressable_data addressable_shards byteswap clone committed copy_to_host_async device_buffer
    device_buffers flat format global_shards is_fully_addressable is_fully_replicated is_ready
    on_device_size_in_bytes platform sharding to_device tobytes traceback unsafe_buffer_pointer
    view
""".split()


def _operator(fun: Callable) -> Callable:
    def method(x: Any, y: Any) -> Any:
        return fun(x, y) if is_array_like(y) else NotImplemented

    return method


def _reflected_operator(fun: Callable) -> Callable:
    def method(x: Any, y: Any) -> Any:
        return fun(y, x) if is_array_like(y) else NotImplemented

    return method


def _tracer_item(self: Tracer, *args: Any) -> Any:
    """The number, where the tracer carries one."""
    value = self.to_concrete_value()
    if value is None:
        raise ConcretizationTypeError(
            self, "x.item() needs the number itself.\nCall it outside the traced function."
        )
    return as_array(value).item(*args)


def _tracer_tolist(self: Tracer) -> Any:
    raise ConcretizationTypeError(
        self, "x.tolist() needs the numbers.\nCall it outside the traced function."
    )


def _without_planned(self: Any) -> list[str]:
    """What dir() lists: the names that are here."""
    return [name for name in object.__dir__(self) if name not in PLANNED]


def install(cls: type) -> None:
    """Gives a class of arrays its methods, properties and the operators that are functions here."""
    for name, fun in METHODS.items():
        setattr(cls, name, api_boundary(fun))
    for name, fun in PROPERTIES.items():
        setattr(cls, name, property(api_boundary(lambda self, fun=fun: fun(self))))
    for name, fun in OPERATORS.items():
        for prefix, operator in (("__", _operator(fun)), ("__r", _reflected_operator(fun))):
            if cls is Array and name != "pow":  # which looks for the exponent's value itself
                operator = by_operands(operator, by_value=True)
            setattr(cls, f"{prefix}{name}__", operator)
    for name in PLANNED:
        setattr(cls, name, MissingMethod(name))
    cls.__dir__ = _without_planned


for _cls in (Array, Tracer):
    install_operators(_cls)
    install(_cls)
Tracer.__iter__ = indexing.iterate
Tracer.item, Tracer.tolist = _tracer_item, _tracer_tolist
