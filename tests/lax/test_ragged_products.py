"""Products in groups of rows: beside a loop over the groups, under every vmap, with derivatives."""

import itertools

import numpy as np
import pytest

import minijax as jax
from minijax import lax
from minijax.test_util import check_grads

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4, 5, 3)).astype(np.float32)
W = RANDOM.normal(size=(4, 2, 3, 4)).astype(np.float32)
SIZES = np.array([[2, 3], [0, 5], [1, 2], [5, 0]])
MAPPED = [axes for axes in itertools.product((0, None), repeat=3) if 0 in axes]


def in_groups(x, w, sizes):
    out, start = np.zeros((x.shape[0], w.shape[2]), x.dtype), 0
    for matrix, n in zip(w, sizes, strict=True):
        out[start : start + n] = x[start : start + n] @ matrix
        start += n
    return out


@pytest.mark.parametrize("axes", MAPPED)
def test_every_vmap(axes):
    """Of what is not mapped, the first."""

    def at(i):
        return [z[0 if d is None else i] for z, d in zip((X, W, SIZES), axes, strict=True)]

    given = [z[0] if d is None else z for z, d in zip((X, W, SIZES), axes, strict=True)]
    out = jax.vmap(lax.ragged_dot, axes)(*given)
    for i in range(4):
        np.testing.assert_allclose(out[i], in_groups(*at(i)), rtol=1e-5, atol=1e-5)


def test_vmap_of_vmap():
    rows = jax.vmap(lax.ragged_dot, (0, None, None))
    out = jax.jit(jax.vmap(rows, (None, 0, 0)))(X, W, SIZES)
    for i, j in itertools.product(range(4), repeat=2):
        expected = in_groups(X[j], W[i], SIZES[i])
        np.testing.assert_allclose(out[i, j], expected, rtol=1e-5, atol=1e-5)


def test_derivatives():
    with jax.enable_x64(True):
        x, w = X[0].astype(np.float64), W[0].astype(np.float64)
        check_grads(lambda x, w: lax.ragged_dot(x, w, np.array([2, 2])), (x, w), 2)
        # Rows along axis 1, matrices along axis 1, and two pairs of contracted axes, crossed.
        numbers = lax.RaggedDotDimensionNumbers((((2, 0), (3, 2)), ((), ())), [1], [1])
        x, w = RANDOM.normal(size=(2, 4, 3)), RANDOM.normal(size=(5, 2, 2, 3))
        check_grads(
            lambda x, w: lax.ragged_dot_general(x, w, np.array([1, 2]), numbers), (x, w), 2
        )
        batched = jax.vmap(lax.ragged_dot)
        x, w = X.astype(np.float64), W.astype(np.float64)
        check_grads(lambda x, w: batched(x, w, SIZES), (x, w), 2)
        sums = lax.RaggedDotDimensionNumbers((((1, 2), (0, 1)), ((), ())), [2], [])
        x, y = RANDOM.normal(size=(2, 3, 4)), RANDOM.normal(size=(3, 4, 5))
        check_grads(lambda x, y: lax.ragged_dot_general(x, y, np.array([1, 2]), sums), (x, y), 2)
