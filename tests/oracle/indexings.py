"""Gathers and scatters drawn at random: any dimension numbers that fit, with operands for them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st


class Indexing(NamedTuple):
    """What a gather reads, or a scatter writes where a gather with the same numbers reads."""

    operand: np.ndarray
    indices: np.ndarray
    numbers: tuple  # the fields of GatherDimensionNumbers, or of ScatterDimensionNumbers
    slice_sizes: tuple[int, ...]
    windows: np.ndarray  # of the shape of the gather's result

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.operand, self.indices, self.windows


def numbers(draw, shape: tuple, dtype: str) -> np.ndarray:
    """Few different ones, so that there are ties."""
    count = int(np.prod(shape))
    values = draw(st.lists(st.integers(-2, 3), min_size=count, max_size=count))
    return np.array(values, np.int64).reshape(shape).astype(dtype)


@st.composite
def indexings(draw, dtypes=("float32",), index_dtypes=("int32", "int8", "uint8")) -> Indexing:
    """Each axis of the operand is left out, in the batch, or an axis of the window."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 4, 0]), max_size=4))
    roles = [draw(st.sampled_from(["window", "left out", "batch"] if n else ["window", "batch"]))
             for n in shape]  # fmt: skip
    window, left_out, batch = (
        tuple(d for d, is_role in enumerate(roles) if is_role == role)
        for role in ("window", "left out", "batch")
    )
    others = draw(st.lists(st.sampled_from([2, 3, 1, 0]), max_size=2))
    axes = draw(st.permutations([("batch", d) for d in batch] + [("other", n) for n in others]))
    where = [shape[n] if kind == "batch" else n for kind, n in axes]
    mapped = draw(st.lists(st.sampled_from([*window, *left_out]), unique=True, min_size=1)
                  if window or left_out else st.just([]))  # fmt: skip
    sizes = [
        draw(st.integers(0, n)) if d in window else min(n, 1) for d, n in enumerate(shape)
    ]
    ndim = len(window) + len(where)
    offset = sorted(draw(st.permutations(range(ndim)))[: len(window)])
    in_window, in_where = iter(sizes[d] for d in window), iter(where)
    out_shape = [next(in_window if d in offset else in_where) for d in range(ndim)]
    indices = numbers(draw, (*where, len(mapped)), "int64")
    index_dtype = draw(st.sampled_from(index_dtypes))
    indices = (abs(indices) if index_dtype.startswith("u") else indices).astype(index_dtype)
    dtype = draw(st.sampled_from(dtypes))
    dimension_numbers = (tuple(offset), left_out, tuple(mapped), batch,
                         tuple(axes.index(("batch", d)) for d in batch))  # fmt: skip
    return Indexing(numbers(draw, shape, dtype), indices, dimension_numbers, tuple(sizes),
                    numbers(draw, out_shape, dtype))  # fmt: skip
