"""Where two dimensions follow one axis, the second's stride takes the place of the first's."""

import math

from minijax.compiler.kernels.layout import Access


def access(name, shape, places, ndim):
    offset, strides = 0, [0] * ndim
    for d, place in enumerate(places):
        size = math.prod(shape[d + 1 :])
        offset += place.offset * size
        if place.axis is not None:
            strides[place.axis] = place.scale * size
    return Access(name, offset, tuple(strides))


def merged_axes(space, borders, accesses):
    loops = []
    for axis, size in enumerate(space):
        in_line = all(a.strides[axis - 1] == a.strides[axis] * size for a in accesses)
        if loops and axis not in borders and in_line:
            loops[-1] = (*loops[-1], axis)
        else:
            loops.append((axis,))
    return loops
