"""Vector quantization: which of some points is nearest."""

from __future__ import annotations

import sys
from typing import Any

from minijax import numpy
from minijax.core.dtypes import canonicalize_dtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["vq"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def vq(obs: Any, code_book: Any, check_finite: bool = True) -> tuple[Any, Any]:
    """For each row of `obs` the number of the nearest row of `code_book`, and the distance to it.

    Of arrays with one axis each, the rows are numbers. `check_finite` means nothing. ValueError for
    another number of axes, or rows of other lengths.

    >>> vq(numpy.array([[0.0, 1.0], [4.0, 4.0]]), numpy.array([[0.0, 0.0], [4.0, 1.0]]))
    (Array([0, 1], dtype=int32), Array([1., 3.], dtype=float32))
    """
    name = "scipy.cluster.vq.vq"
    check_arraylike(name, obs, code_book)
    shapes = numpy.shape(obs), numpy.shape(code_book)
    if len(shapes[0]) != len(shapes[1]) or len(shapes[0]) not in (1, 2):
        raise ValueError(
            f"{name} takes two matrices, or two vectors, and got the shapes {shapes[0]} and "
            f"{shapes[1]}.\nGive as many axes."
        )
    if shapes[0][1:] != shapes[1][1:]:
        raise ValueError(
            f"{name} got rows of the lengths {shapes[0][1]} and {shapes[1][1]}. Give equal ones."
        )
    obs, code_book = promote_dtypes_inexact(obs, code_book)
    if obs.ndim == 1:
        obs, code_book = obs[:, None], code_book[:, None]
    differences = obs[:, None] - code_book[None]
    distances = numpy.sqrt(numpy.sum(numpy.square(numpy.abs(differences)), axis=-1))
    nearest = numpy.argmin(distances, axis=1)
    return nearest.astype(canonicalize_dtype(int)), numpy.min(distances, axis=1)


guard(sys.modules[__name__])
