"""Products of arrays, as the user asks for them: all are one `dot_general`."""

from __future__ import annotations

from enum import Enum
from typing import Any

from minijax.core.dtypes import canonicalize_dtype
from minijax.core.primitives import dot_general_p, integers
from minijax.core.tracing import typeof


class Precision(Enum):
    """How exact a product is to be. Equations show it; NumPy's products have one precision."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value: Any) -> Precision | None:
        return _PRECISION_NAMES.get(value)

    def __repr__(self) -> str:
        return str(self)


_PRECISION_NAMES = {
    "default": Precision.DEFAULT, "fastest": Precision.DEFAULT, "bfloat16": Precision.DEFAULT,
    "high": Precision.HIGH, "bfloat16_3x": Precision.HIGH, "tensorfloat32": Precision.HIGH,
    "highest": Precision.HIGHEST, "float32": Precision.HIGHEST,
}  # fmt: skip


def _canonicalize_precision(precision: Any) -> tuple[Precision, Precision] | None:
    """A precision for each operand, from one for both, or a pair."""
    if precision is None:
        return None
    pair = precision if isinstance(precision, tuple | list) else (precision, precision)
    try:
        lhs, rhs = map(Precision, pair)
    except (TypeError, ValueError) as error:
        known = ", ".join(map(repr, _PRECISION_NAMES))
        raise ValueError(
            f"precision is None, one of lax.Precision, one of {known}, or a pair of these; "
            f"got {precision!r}."
        ) from error
    return lhs, rhs


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The product that sums over pairs of contracted axes and goes along pairs of batch axes.

    `dimension_numbers` is ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)). The result
    has the batch axes, then lhs's other axes, then rhs's. `preferred_element_type` is the dtype
    in which products are added up, and of the result.
    """
    contracted, batch = dimension_numbers
    if preferred_element_type is not None:
        preferred_element_type = canonicalize_dtype(preferred_element_type)
    return dot_general_p.bind(
        lhs, rhs, dimension_numbers=(tuple(map(integers, contracted)), tuple(map(integers, batch))),
        precision=_canonicalize_precision(precision),
        preferred_element_type=preferred_element_type,
    )  # fmt: skip


def dot(
    lhs: Any, rhs: Any, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The product of two vectors, a matrix and a vector, or two matrices."""
    x, y = typeof(lhs), typeof(rhs)
    if not (x.ndim in (1, 2) and y.ndim in (1, 2) and x.shape[-1] == y.shape[0]):
        raise ValueError(f"dot needs vectors or matrices that fit; got {x} and {y}.")
    numbers = ((x.ndim - 1,), (0,)), ((), ())
    return dot_general(lhs, rhs, numbers, precision, preferred_element_type)
