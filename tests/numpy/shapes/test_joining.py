"""Arrays joined, cut and turned: beside NumPy's functions of the same names."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.arange(6).reshape(2, 3)
U = X.astype("uint8")
T = np.arange(24).reshape(2, 3, 4)
CALLS = {
    "atleast_3d": [(5,), (X[0],), (X,), (T,)],
    "dstack": [([X, X],), ([X[0], X[1]],), ([1, 2],), ([T, T],)],
    "column_stack": [([X[0], X[1]],), ([X, X],), ([X, X[:, 0]],)],
    "block": [([X, X],), ([[X, X], [X, X]],), (3,), ([[X[0]], [X[1]]],), ([[[1, 2]], [[3, 4]]],)],
    "array_split": [(X[0], 2), (X, 2, 1), (X, [1], 1), (T, 3, -1), (X, 5), (X[:, :0], 2, 1)],
    "hsplit": [(X, 3), (X[0], [1]), (T, 3)],
    "vsplit": [(X, 2), (T, [1])],
    "dsplit": [(T, 2), (T, [1, 3])],
    "fliplr": [(X,), (T,)],
    "flipud": [(X,), (X[0],)],
    "rot90": [(X,), (X, 2), (X, -1), (X, 3, (1, 0)), (T, 1, (0, 2)), (T, 1, (-1, 0)), (X, 4)],
    "rollaxis": [(T, 2), (T, 0, 3), (T, 1, 1), (T, -1, 0), (T, 0, -1)],
    "resize": [(X, (3, 4)), (X, 4), (X, (2, 3)), (5, (2, 2)), (X, 0), (X[:0], (2,))],
    "trim_zeros": [(np.array([0, 0, 1, 0, 2, 0]),), (np.array([0, 1, 0]), "f"), (np.zeros(3),)],
    "kron": [(X, X), (X, X[0]), (2, X), (T, X)],
    "cross": [(X, X + 1), (X, X[0]), (T, T[0] + 1, 1, 0)],
    "unwrap": [(X * 3.0,)],
    "packbits": [(X > 2,), (X > 2, 1), (T % 3, 0, "little"), (np.ones((2, 9), int), 1)],
    "unpackbits": [(U,), (U, 1), (U, 0, 5, "little"), (U, None, -3), (U, 1, 30)],
    "apply_over_axes": [(np.sum, T, [0, 2]), (np.sum, T, [-1])],
}  # fmt: skip


def leaves(x):
    return x if isinstance(x, list | tuple) else [x]


@pytest.mark.parametrize("name, args", [(name, args) for name in CALLS for args in CALLS[name]])
def test_against_numpy(name, args):
    got, expected = leaves(getattr(jnp, name)(*args)), leaves(getattr(np, name)(*args))
    assert len(got) == len(expected)
    for x, y in zip(got, expected, strict=True):
        assert x.shape == np.shape(y), (x.shape, np.shape(y))
        np.testing.assert_allclose(x, y, rtol=1e-6)


def test_names_that_are_others():
    np.testing.assert_array_equal(jnp.concat([X, X], axis=1), np.concatenate([X, X], 1))
    np.testing.assert_array_equal(jnp.permute_dims(T, (2, 0, 1)), np.transpose(T, (2, 0, 1)))
    assert [x.tolist() for x in jnp.unstack(X, axis=1)] == [[0, 3], [1, 4], [2, 5]]


def test_under_jit_vmap_and_grad():
    f = lambda x: jnp.block([[x, 2 * x], [jnp.rot90(x, 2), x]])  # noqa: E731
    x = X.astype(np.float32)
    np.testing.assert_array_equal(jax.jit(f)(x), f(x))
    rows = T.astype(np.float32)
    expected = np.stack([f(rows[..., i]) for i in range(4)])
    np.testing.assert_array_equal(jax.vmap(f, 2)(rows), expected)
    assert jax.grad(lambda x: f(x).sum())(x).tolist() == [[5.0] * 3] * 2


@pytest.mark.parametrize("axes", [None, (0,), (1,), (0, 1), -1])
def test_trim_zeros_of_several_axes(axes):
    x = np.zeros((4, 5), int)
    x[1, 2] = x[2, 3] = 1
    got = jnp.trim_zeros(x, axis=axes)
    rows = slice(1, 3) if axes in (None, (0,), (0, 1)) else slice(None)
    columns = slice(2, 4) if axes != (0,) else slice(None)
    np.testing.assert_array_equal(got, x[rows, columns])
