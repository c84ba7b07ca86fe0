"""A maker of primitives with several results, which NumPy computes at once: sort, split, top_k."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.core.arrays import Array, raw_value
from minijax.core.config import bounded_cache, config, quietly
from minijax.core.dtypes import storage_dtype
from minijax.core.primitives import check_value
from minijax.core.tracing import Primitive, typeof


def numpy_primitive_several(name: str, type_rule: Callable, numpy_fun: Callable) -> Primitive:
    """Like `numpy_primitive`: the rule gives a list of types, and `numpy_fun` a list of arrays."""
    primitive = Primitive(name)
    primitive.multiple_results = True

    @bounded_cache
    def remembered(in_avals: tuple, params: tuple) -> tuple:
        return tuple(type_rule(*in_avals, **dict(params)))

    def abstract_eval(*in_avals: Any, **params: Any) -> list:
        return list(remembered(in_avals, tuple(params.items())))

    def impl(*args: Any, **params: Any) -> list[Array]:
        avals = remembered(tuple(map(typeof, args)), tuple(params.items()))
        out = quietly(numpy_fun, *map(raw_value, args), **params)
        values = [
            np.asarray(x, storage_dtype(aval.dtype)) for x, aval in zip(out, avals, strict=True)
        ]
        if config.jax_enable_checks:
            for value, aval in zip(values, avals, strict=True):
                check_value(primitive, "NumPy function", value, aval)
        return list(map(Array, values, avals))

    abstract_eval.__wrapped__ = type_rule  # its keywords are the primitive's parameters
    primitive.def_abstract_eval(abstract_eval)
    primitive.def_impl(impl)
    return primitive
