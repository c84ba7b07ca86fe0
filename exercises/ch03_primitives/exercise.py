"""Exercises of chapter 03. README.md says what is asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from minijax.core.arrays import Array, as_array, raw_value
from minijax.core.config import bounded_cache, quietly
from minijax.core.dtypes import storage_dtype
from minijax.core.tracing import Primitive, ShapedArray, typeof

# 03.1 A primitive that keeps its promise


def numpy_primitive(
    name: str, type_rule: Callable, numpy_fun: Callable, inert: dict[str, Any] | None = None
) -> Primitive:
    """A primitive with one result, computed by `numpy_fun` on plain NumPy arrays.

    `type_rule` maps the operands' types to the result's and refuses what doesn't fit, so
    `numpy_fun` sees only operands that do. Its keywords are the primitive's parameters; those
    in `inert` stand in equations, with these values, and mean nothing.
    """
    raise NotImplementedError("03.1 numpy_primitive")


# 03.2 Break the promise


def counterexample(primitive, n):
    """A tuple of n NumPy arrays that break a primitive's promise; None where there are none.

    >>> first_p = Primitive("first")
    >>> _ = first_p.def_impl(lambda x: as_array(raw_value(x)[..., :1]))
    >>> _ = first_p.def_abstract_eval(lambda x: x)
    >>> counterexample(first_p, 1)[0].shape in [(), (3,), (0, 3), (1, 3), (3, 3)]
    True
    """
    raise NotImplementedError("03.2 counterexample")


# 03.3 Strict and generous
# The questions: python -m exercises questions ch03

answers_03_3 = [None, None, None, None, None, None]
