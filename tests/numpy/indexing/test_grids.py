"""meshgrid, mgrid, ogrid, r_ and c_ beside NumPy's."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.arange(3)
M = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sizes", [(), (3,), (3, 2), (3, 2, 4), (0, 2)])
def test_meshgrid(sparse, indexing, sizes):
    rows = [np.arange(n) + 10 * i for i, n in enumerate(sizes)]
    got = jnp.meshgrid(*rows, sparse=sparse, indexing=indexing)
    expected = np.meshgrid(*rows, sparse=sparse, indexing=indexing)
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
@pytest.mark.parametrize("key", [
    np.s_[0:3], np.s_[1:9:3], np.s_[0:3, 0:2], np.s_[0:1:3j], np.s_[:2, 5:2:-1], np.s_[0:2, 0:1:2j],
    np.s_[0:3:0.5],
])  # fmt: skip
def test_grids(name, key):
    got, expected = getattr(jnp, name)[key], getattr(np, name)[key]
    got, expected = (x if isinstance(x, list | tuple) else [x] for x in (got, expected))
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("key", [
    X, (X, X), (X, 7, X), np.s_[0:3, 5:7, 1], np.s_[0:1:3j], (M, M), ([1, 2], [3]),
    ("0", M, M), ("-1", M, M), ("0,2", X, X), ("1,2", X, X), ("0,2,0", X, X), ("1,2,0", X, X),
    ("0,3,1", M, M), ("0,3,-2", M, M), ("1,3,0", X, X), (1, 2.5, X),
], ids=str)  # fmt: skip
def test_what_brackets_join(name, key):
    try:
        expected = getattr(np, name)[key]
    except ValueError:
        with pytest.raises((TypeError, ValueError)):
            getattr(jnp, name)[key]
        return
    got = getattr(jnp, name)[key]
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected)


def test_rows_and_columns_with_two_axes():
    assert jnp.r_["r", X, X].shape == (1, 6) and jnp.r_["c", X, X].shape == (6, 1)


def test_under_jit_and_grad():
    assert jax.jit(lambda x: jnp.r_[x, 0, x])(X).tolist() == [0, 1, 2, 0, 0, 1, 2]
    grad = jax.grad(lambda x: (jnp.c_[x, 2 * x] ** 2).sum())(X.astype(np.float32))
    assert grad.tolist() == [0, 10, 20]


def test_mask_indices():
    for mask in (np.triu, np.tril):
        for ours, theirs in zip(jnp.mask_indices(3, mask, 1), np.mask_indices(3, mask, 1),
                                strict=True):  # fmt: skip
            np.testing.assert_array_equal(ours, theirs)
    assert jnp.mask_indices(3, jnp.triu, size=2)[0].tolist() == [0, 0]
