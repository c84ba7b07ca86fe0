"""Pieces, and arrays side by side: each undoes another, batched in any way."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(2, 4, 3)).astype(np.float32)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_what_is_split_is_joined_again(axis):
    size = X.shape[axis]
    pieces = lax.split(X, (1, 0, size - 1), axis)
    np.testing.assert_array_equal(lax.concatenate(pieces, axis % 3), X)
    np.testing.assert_array_equal(lax.stack(lax.unstack(X, axis), axis), X)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dims", [d for d in itertools.product([None, 0, 1, 2], repeat=2) if any(
    n is not None for n in d)])
def test_stack_batched_in_any_way(axis, dims):
    args = [X[0] if d is None else np.moveaxis(X, 0, d) for d in dims]
    got = jax.vmap(lambda x, y: lax.stack([x, y], axis), dims)(*args)
    for i in range(2):
        each = [X[0] if d is None else X[i] for d in dims]
        np.testing.assert_array_equal(got[i], np.stack(each, axis))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_pieces_and_tiles_batched(dim):
    xs = np.moveaxis(X, 0, dim)
    for axis in (0, 1):
        got = jax.vmap(lambda x, axis=axis: lax.split(x, (1, x.shape[axis] - 1), axis), dim)(xs)
        apart = jax.vmap(lambda x, axis=axis: lax.unstack(x, axis), dim)(xs)
        for i, x in enumerate(X):
            np.testing.assert_array_equal(got[1][i], np.split(x, [1], axis)[1])
            np.testing.assert_array_equal(apart[1][i], np.take(x, 1, axis))
    got = jax.vmap(lambda x: lax.tile(x, (2, 3)), dim)(xs)
    np.testing.assert_array_equal(got, np.tile(X, (1, 2, 3)))


@pytest.mark.parametrize("f", [
    lambda x: lax.split(x, (1, 3))[1], lambda x: lax.unstack(x, 1)[2],
    lambda x: lax.stack([x, 2 * x], 1), lambda x: lax.tile(x, (3, 1)),
    lambda x: lax.concatenate([x, x * x, x[:1]], 0),
])
def test_transposes_are_dual(f):
    """<w, J v> = <J^T w, v>."""
    x, v = X[0], X[1]
    out, out_dot = jax.jvp(f, (x,), (v,))
    w = RANDOM.normal(size=out.shape).astype(np.float32)
    (back,) = jax.vjp(f, x)[1](w)
    np.testing.assert_allclose(jnp.sum(w * out_dot), jnp.sum(back * v), rtol=1e-4)
