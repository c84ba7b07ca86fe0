"""Products of matrices in formats of few bits, as some GPUs have them; a CPU refuses them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax.core.dtypes import bfloat16
from minijax.core.jitting import jit
from minijax.core.primitives import fill
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import dtype_for, shown
from minijax.lax.scaled_products import scaled_matmul_p


@dataclass(slots=True)
class BlockScaleConfig:
    """A format: the dtypes of numbers and of scales, how many numbers have a scale in common, and
    what all scales are multiplied by, if anything."""

    mode: str
    block_size: int
    data_type: Any
    scale_type: Any
    global_scale: Any
    infer_only: bool


def get_scaled_dot_general_config(mode: str, global_scale: Any = None) -> BlockScaleConfig:
    """The format "nvfp4" or "mxfp8", for `scaled_dot_general`; ValueError for another.

    `global_scale`, a float32 array of one number, is nvfp4's, and 1 if it is not given.

    >>> get_scaled_dot_general_config("mxfp8").block_size
    32
    """
    if mode == "nvfp4":
        one = fill(ShapedArray((1,), np.float32), 1)
        return BlockScaleConfig(
            mode, 16, ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e4m3fn,
            one if global_scale is None else global_scale, False,
        )  # fmt: skip
    if mode == "mxfp8":
        return BlockScaleConfig(
            mode, 32, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu, None, False
        )
    raise ValueError(
        f"nn.get_scaled_dot_general_config knows no mode {shown(mode)}. Give 'nvfp4' or 'mxfp8'."
    )


@partial(jit, static_argnames=("preferred_element_type",))
def _scaled_matmul(
    lhs: Any, rhs: Any, lhs_scales: Any, rhs_scales: Any, preferred_element_type: Any
) -> Any:  # fmt: skip
    [out] = scaled_matmul_p.bind(
        lhs, rhs, lhs_scales, rhs_scales, preferred_element_type=preferred_element_type
    )
    return out


def scaled_matmul(
    lhs: Any, rhs: Any, lhs_scales: Any, rhs_scales: Any, preferred_element_type: Any = np.float32
) -> Any:
    """The product of (B, M, K) and (B, N, K) over K, in blocks of K that have a scale each: of the
    type (B, M, N), as `eval_shape` and `make_jaxpr` say.

    `lhs_scales` is (B, M, S), `rhs_scales` (B, N, S), and a block has K / S numbers. ValueError for
    other shapes. On a CPU there is no such operation: NotImplementedError when it runs.
    """
    x, y, s, t = avals = [typeof(a) for a in (lhs, rhs, lhs_scales, rhs_scales)]
    fits = all(aval.ndim == 3 for aval in avals) and (
        x.shape[::2] == y.shape[::2] and s.shape[::2] == t.shape[::2]
        and x.shape[1] == s.shape[1] and y.shape[1] == t.shape[1]
    )  # fmt: skip
    if not fits:
        raise ValueError(
            f"nn.scaled_matmul got lhs {x}, rhs {y}, lhs_scales {s} and rhs_scales {t}.\n"
            f"Give the shapes (B, M, K), (B, N, K), (B, M, S) and (B, N, S)."
        )
    dtype = dtype_for("nn.scaled_matmul", preferred_element_type)
    return _scaled_matmul(lhs, rhs, lhs_scales, rhs_scales, preferred_element_type=dtype)


def scaled_dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, preferred_element_type: Any = np.float32,
    configs: list[BlockScaleConfig] | None = None, implementation: Any = None,
) -> Any:  # fmt: skip
    """A `dot_general` whose operands are brought into formats of few bits first.

    `configs` has a format for lhs, one for rhs and one for gradients. Without it this is
    `lax.dot_general`; with it, on a CPU, NotImplementedError. TypeError for a
    `preferred_element_type` that is not float32, bfloat16 or float16.

    >>> scaled_dot_general(np.ones((2, 3)), np.ones((3,)), (((1,), (0,)), ((), ())))
    Array([3., 3.], dtype=float32)
    """
    if implementation is not None:
        warnings.warn(
            "nn.scaled_dot_general chooses its implementation itself; leave it out.",
            DeprecationWarning, stacklevel=2,
        )  # fmt: skip
    if configs is None:
        return lax.dot_general(
            lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type
        )
    if dtype_for("nn.scaled_dot_general", preferred_element_type) not in _RESULTS:
        raise TypeError(
            f"nn.scaled_dot_general got the preferred_element_type "
            f"{shown(preferred_element_type)}. Give float32, bfloat16 or float16."
        )
    raise NotImplementedError(
        "nn.scaled_dot_general multiplies in these formats on a GPU only. Leave configs out, or "
        "use lax.scaled_dot."
    )


_RESULTS = (np.dtype(np.float32), np.dtype(np.float16), bfloat16)
