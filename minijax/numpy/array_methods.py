"""Methods and operators of arrays: each is one of this package's functions, put on the classes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from typing import Any

from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import Array, as_array, is_array_like
from minijax.core.errors import ConcretizationTypeError
from minijax.core.tracing import Tracer
from minijax.face.boundaries import guarded
from minijax.face.lazily import put_lazily
from minijax.face.offers import offered
from minijax.face.planned import MissingMethod
from minijax.numpy.promotion import install_operators

# Each is imported when it is asked for first: the function, by the module that has it.
METHODS = {
    "all": "reductions.totals.all", "any": "reductions.totals.any",
    "argmax": "reductions.extremes.argmax", "argmin": "reductions.extremes.argmin",
    "argpartition": "sorting.argpartition", "argsort": "sorting.argsort",
    "astype": "creation.astype", "choose": "indexing.selecting.choose", "clip": "method_forms.clip",
    "compress": "method_forms.compress", "conj": "elementwise.number_parts.conj",
    "conjugate": "elementwise.number_parts.conjugate", "copy": "creation.copy",
    "cumprod": "reductions.running_totals.cumprod", "cumsum": "reductions.running_totals.cumsum",
    "diagonal": "shapes.triangles.diagonal", "dot": "products.dot",
    "flatten": "shapes.reshaping.ravel", "max": "reductions.extremes.max",
    "mean": "reductions.totals.mean", "min": "reductions.extremes.min",
    "nonzero": "indexing.positions.nonzero", "prod": "reductions.totals.prod",
    "ptp": "reductions.extremes.ptp", "ravel": "shapes.reshaping.ravel",
    "repeat": "shapes.editing.repeat", "reshape": "method_forms.reshape",
    "round": "elementwise.ufuncs.round", "searchsorted": "searching.searchsorted",
    "sort": "sorting.sort", "squeeze": "shapes.reshaping.squeeze", "std": "reductions.totals.std",
    "sum": "reductions.totals.sum", "swapaxes": "shapes.reshaping.swapaxes",
    "take": "indexing.selecting.take", "trace": "shapes.triangles.trace",
    "transpose": "method_forms.transpose", "var": "reductions.totals.var",
    "__getitem__": "indexing.reading.getitem", "__round__": "method_forms.round",
    "__array_namespace__": "method_forms.array_namespace", "byteswap": "views.byteswap",
    "view": "views.view",
}  # fmt: skip
# Of arrays alone, which have their bytes at hand.
OF_ARRAYS = {
    "clone": "method_forms.clone", "tobytes": "method_forms.tobytes",
    "__dlpack__": "files.to_dlpack", "__dlpack_device__": "files.dlpack_device",
}  # fmt: skip
PROPERTIES = {
    "T": "shapes.reshaping.transpose", "mT": "shapes.reshaping.matrix_transpose",
    "at": "indexing.updates.at", "flat": "method_forms.flat",
    "imag": "elementwise.number_parts.imag", "real": "elementwise.number_parts.real",
}  # fmt: skip
OPERATORS = {
    "matmul": "products.matmul", "mod": "elementwise.ufuncs.remainder",
    "floordiv": "elementwise.ufuncs.floor_divide", "divmod": "elementwise.ufuncs.divmod",
    "pow": "elementwise.ufuncs.power",
}  # fmt: skip
# What arrays have in JAX alone, so far. A test holds the list against JAX.
PLANNED = """
    device_buffer device_buffers traceback
""".split()


def _operator(fun: Callable) -> Callable:
    def method(x: Any, y: Any, /) -> Any:
        y = offered(y)
        return fun(x, y) if is_array_like(y) else NotImplemented

    return guarded(method)


def _reflected_operator(fun: Callable) -> Callable:
    def method(x: Any, y: Any, /) -> Any:
        y = offered(y)
        return fun(y, x) if is_array_like(y) else NotImplemented

    return guarded(method)


def _on_paths(make: Callable) -> Callable:
    return lambda fun: by_types(unwrap(make(fun)), by_value=True)


def _tracer_item(self: Tracer, *args: Any) -> Any:
    """The number, where the tracer carries one."""
    value = self.to_concrete_value()
    if value is None:
        raise ConcretizationTypeError(
            self, "x.item() needs the number itself.\nCall it outside the traced function."
        )
    return as_array(value).item(*args)


def _needs_numbers(name: str) -> Callable:
    def method(self: Tracer, *args: Any, **kwargs: Any) -> Any:
        raise ConcretizationTypeError(
            self, f"x.{name}() needs the numbers.\nCall it outside the traced function."
        )

    return method


def _without_planned(self: Any) -> list[str]:
    """What dir() lists: the names that are here."""
    return [name for name in object.__dir__(self) if name not in PLANNED]


def _property(fun: Callable) -> property:
    return property(guarded(fun))


def install(cls: type) -> None:
    """Gives a class of arrays its methods, properties and the operators that are functions here."""
    for name, source in METHODS.items():
        put_lazily(cls, name, f"minijax.numpy.{source}", guarded)
    for name, source in PROPERTIES.items():
        put_lazily(cls, name, f"minijax.numpy.{source}", _property)
    for name, source in OPERATORS.items():
        for prefix, make in (("__", _operator), ("__r", _reflected_operator)):
            # A power looks for the exponent's value itself.
            make = _on_paths(make) if cls is Array and name != "pow" else make
            put_lazily(cls, f"{prefix}{name}__", f"minijax.numpy.{source}", make)
    for name in PLANNED:
        setattr(cls, name, MissingMethod(name))
    cls.__dir__ = _without_planned


for _cls in (Array, Tracer):
    install_operators(_cls)
    install(_cls)
put_lazily(Tracer, "__iter__", "minijax.numpy.indexing.reading.iterate", guarded)
for _name, _source in OF_ARRAYS.items():
    put_lazily(Array, _name, f"minijax.numpy.{_source}", guarded)
Tracer.item = _tracer_item
for _name in ("tobytes", "tolist"):
    setattr(Tracer, _name, _needs_numbers(_name))
