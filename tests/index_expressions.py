"""Indices of every kind, for Hypothesis: as NumPy takes them, and a few that nobody takes."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

SHAPES = [(), (3,), (2, 3), (2, 3, 2), (2, 0), (1, 3)]


class Ours(NamedTuple):
    """An array that is an index as an array of the library, not of NumPy."""

    value: Any


def built(index: Any, jnp: Any) -> Any:
    """The index with the library's arrays in it."""
    if isinstance(index, Ours):
        return jnp.asarray(index.value)
    return tuple(built(entry, jnp) for entry in index) if isinstance(index, tuple) else index


def in_numpy(index: Any) -> Any:
    """The index as NumPy takes it."""
    if isinstance(index, Ours):
        return index.value
    return tuple(map(in_numpy, index)) if isinstance(index, tuple) else index


@st.composite
def integers_of(draw, size: int, inside: bool):
    """One integer, or an array of them, for an axis of this size."""
    low, high = (-size, size - 1) if inside and size else (-size - 1, size + 1)
    if draw(st.integers(0, 2)) == 0 and (size or not inside):
        return draw(st.integers(low, high))
    shape = draw(st.sampled_from([(), (2,), (2,), (1, 2), (2, 1), (0,)]))
    if inside and not size:
        shape = (0,)
    elements = [draw(st.integers(low, high)) for _ in range(int(np.prod(shape)))]
    dtype = draw(st.sampled_from(["int32", "int32", "int8", "int64"]))
    if not inside:
        dtype = draw(st.sampled_from([dtype, "uint8"]))
    array = np.array(elements, "int64").astype(dtype).reshape(shape)
    if draw(st.integers(0, 4)) == 0 and shape == (2,):
        return array.tolist()
    return Ours(array) if draw(st.booleans()) else array


@st.composite
def slices_of(draw, size: int):
    bound = st.none() | st.integers(-size - 1, size + 1)
    return slice(draw(bound), draw(bound), draw(st.sampled_from([None, None, 1, -1, 2, -2])))


@st.composite
def masks_of(draw, sizes: tuple[int, ...]):
    array = np.array(draw(st.lists(st.booleans(), min_size=12, max_size=12)))
    mask = np.resize(array, sizes)
    return Ours(mask) if draw(st.booleans()) else mask


@st.composite
def indices(draw, shape: tuple[int, ...], inside: bool = True):
    """An index of an array of this shape; unless `inside`, one that may be wrong too."""
    entries, axis = [], 0
    count = draw(st.integers(0, len(shape)))
    while axis < count:
        kind = draw(st.sampled_from(["slice", "slice", "integers", "integers", "mask"]))
        if kind == "mask":
            width = draw(st.integers(1, min(2, count - axis)))
            entries.append(draw(masks_of(shape[axis : axis + width])))
            axis += width
            continue
        if kind == "slice":
            entries.append(draw(slices_of(shape[axis])))
        else:
            entries.append(draw(integers_of(shape[axis], inside)))
        axis += 1
    if draw(st.integers(0, 2)) == 0:
        # Where axes are left over, it stands for these, behind what is for the first ones.
        whole = axis == len(shape)
        entries.insert(draw(st.integers(0, len(entries))) if whole else len(entries), ...)
    for new in draw(st.lists(st.just(None), max_size=2)):
        entries.insert(draw(st.integers(0, len(entries))), new)
    if draw(st.integers(0, 5)) == 0:
        entries.insert(0, draw(st.booleans()))
    if not inside and draw(st.integers(0, 9)) == 0:
        wrong = st.sampled_from([0.5, "a", np.array([1.5]), ..., slice(None, None, 0), {}, 0])
        entries.insert(draw(st.integers(0, len(entries))), draw(wrong))
    alone = len(entries) == 1 and not isinstance(entries[0], list) and draw(st.booleans())
    return entries[0] if alone else tuple(entries)
