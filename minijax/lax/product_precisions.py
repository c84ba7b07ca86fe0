"""How exact a product is to be: equations show it, and NumPy's products have one precision."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from minijax.core.config import config
from minijax.core.dtypes import bfloat16
from minijax.lax.elementwise.arithmetic import shown


class Precision(Enum):
    """How exact a product is to be. Equations show it; NumPy's products have one precision."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value: Any) -> Precision | None:
        return cls.DEFAULT if value is None else _PRECISION_NAMES.get(value)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Precision.{self.name}"


_PRECISION_NAMES = {
    "default": Precision.DEFAULT, "fastest": Precision.DEFAULT, "bfloat16": Precision.DEFAULT,
    "high": Precision.HIGH, "bfloat16_3x": Precision.HIGH, "tensorfloat32": Precision.HIGH,
    "highest": Precision.HIGHEST, "float32": Precision.HIGHEST,
}  # fmt: skip


class DotAlgorithm(NamedTuple):
    """How a machine with matrix units is to compute a product: of which dtypes, in how many parts.

    Equations show it; here it changes nothing.
    """

    lhs_precision_type: Any
    rhs_precision_type: Any
    accumulation_type: Any
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class DotAlgorithmPreset(Enum):
    """Algorithms by name: the dtypes of both operands, and that in which products are added up.

    Equations show it; here it changes nothing.
    """

    DEFAULT = 1
    ANY_F8_ANY_F8_F32 = 2
    ANY_F8_ANY_F8_F32_FAST_ACCUM = 3
    ANY_F8_ANY_F8_ANY = 4
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = 5
    F16_F16_F16 = 6
    F16_F16_F32 = 7
    BF16_BF16_BF16 = 8
    BF16_BF16_F32 = 9
    BF16_BF16_F32_X3 = 10
    BF16_BF16_F32_X6 = 11
    BF16_BF16_F32_X9 = 12
    TF32_TF32_F32 = 13
    TF32_TF32_F32_X3 = 14
    F32_F32_F32 = 15
    F64_F64_F64 = 16

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"DotAlgorithmPreset.{self.name}"

    @property
    def accumulation_type(self) -> type | None:
        """The dtype in which products are added up; None where it follows from the operands.

        >>> DotAlgorithmPreset.BF16_BF16_F32.accumulation_type
        <class 'numpy.float32'>
        """
        parts = self.name.replace("ANY_", "").split("_")
        return _TYPES.get(parts[2]) if len(parts) > 2 else None


_TYPES = {
    "F16": np.float16, "BF16": bfloat16.type, "F32": np.float32, "F64": np.float64,
}  # fmt: skip

PrecisionLike = (
    None | str | Precision | tuple[str, str] | tuple[Precision, Precision] | DotAlgorithm
    | DotAlgorithmPreset
)  # fmt: skip


def canonicalize_precision(
    fun_name: str, precision: Any
) -> tuple[Precision, Precision] | DotAlgorithm | DotAlgorithmPreset | None:
    """A precision for each operand, from one for both, or a pair; an algorithm; or None.

    None is what the option `jax_default_matmul_precision` says. ValueError for anything else.
    """
    if precision is None:
        precision = config.jax_default_matmul_precision
    if precision is None or isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
        return precision
    if isinstance(precision, str) and precision in DotAlgorithmPreset.__members__:
        return DotAlgorithmPreset[precision]
    pair = precision if isinstance(precision, tuple | list) else (precision, precision)
    try:
        lhs, rhs = (x if isinstance(x, Precision) else _PRECISION_NAMES[x] for x in pair)
    except Exception as error:  # the repr of what it knows not may raise
        raise ValueError(
            f"{fun_name} knows no precision {shown(precision)}.\n"
            f"Give None, one of lax.Precision, a pair of these, or one of\n"
            f"{', '.join(map(repr, _PRECISION_NAMES))};\n"
            f"or a lax.DotAlgorithm, or the name of a lax.DotAlgorithmPreset."
        ) from error
    return lhs, rhs
