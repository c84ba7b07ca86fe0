"""Windows that start where the program says: by every kind of index, near and beyond the ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random

X = np.arange(24, dtype=np.float32).reshape(4, 6)


def window(starts, sizes):
    """What a slice of X reads: from the end where negative, moved inside where it sticks out."""
    index = []
    for i, n, m in zip(starts, X.shape, sizes, strict=True):
        i = min(max(i + n if i < 0 else i, 0), n - m)
        index.append(slice(i, i + m))
    return tuple(index)


STARTS = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
SIZES = st.tuples(st.integers(0, 4), st.integers(0, 6))


@given(STARTS, SIZES, st.sampled_from(["int8", "int32", "python"]), st.booleans())
def test_dynamic_slice_and_its_way_back(starts, sizes, dtype, traced):
    given_starts = starts if dtype == "python" else np.array(starts, dtype)
    transform = jax.jit if traced else lambda f: f
    index = window(starts, sizes)
    got = transform(lambda i: lax.dynamic_slice(X, i, sizes))(given_starts)
    np.testing.assert_array_equal(got, X[index])
    want = X.copy()
    want[index] = -1
    update = np.full(sizes, -1, np.float32)
    got = transform(lambda i: lax.dynamic_update_slice(X, update, i))(given_starts)
    np.testing.assert_array_equal(got, want)


@given(st.lists(STARTS, min_size=2, max_size=3), SIZES)
def test_vmap_over_starts_is_a_loop(starts, sizes):
    np.testing.assert_array_equal(
        jax.vmap(lambda i: lax.dynamic_slice(X, i, sizes))(np.array(starts)),
        np.stack([X[window(i, sizes)] for i in starts]),
    )
    update = np.zeros(sizes, np.float32)
    np.testing.assert_array_equal(
        jax.vmap(lambda i: lax.dynamic_update_slice(X, update, i))(np.array(starts)),
        jnp.stack([lax.dynamic_update_slice(X, update, i) for i in starts]),
    )


def test_starts_that_may_not_be_negative():
    def part(i):
        return lax.dynamic_slice(np.arange(5), (i,), (2,), allow_negative_indices=False)

    np.testing.assert_array_equal(part(jnp.int32(-1)), [0, 1])
    np.testing.assert_array_equal(part(jnp.uint32(2**32 - 1)), [3, 4])
    with pytest.raises(ValueError, match="got the start -1"):
        part(-1)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("start", [0, 2, -1, 7])
def test_along_one_axis(axis, start):
    n = X.shape[axis]
    place = min(start % n if start < 0 else start, n - 2)
    want = np.take(X, range(place, place + 2), axis)
    np.testing.assert_array_equal(lax.dynamic_slice_in_dim(X, start, 2, axis), want)
    put = lax.dynamic_update_slice_in_dim(np.zeros_like(X), want, start, axis)
    np.testing.assert_array_equal(np.take(put, range(place, place + 2), axis), want)
    assert np.count_nonzero(put) == np.count_nonzero(want)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("index", [0, 3, -1])
def test_one_part_along_an_axis(axis, index):
    want = np.take(X, index, axis)
    np.testing.assert_array_equal(lax.dynamic_index_in_dim(X, index, axis, keepdims=False), want)
    assert lax.dynamic_index_in_dim(X, index, axis).ndim == 2
    for update in (want * 2, np.expand_dims(want * 2, axis)):
        got = lax.dynamic_update_index_in_dim(X, update, index, axis)
        np.testing.assert_array_equal(np.take(np.asarray(got), index, axis), want * 2)


def test_derivatives_to_second_order():
    def f(x, y, i):
        moved = lax.dynamic_update_slice(x, y * y, (i,))
        return (lax.dynamic_slice(moved, (i - 1,), (3,)) ** 3).sum()

    x, y = jnp.arange(1.0, 6.0), jnp.array([2.0, -1.0])
    of_x, of_y = jax.jit(jax.grad(f, (0, 1)))(x, y, 2)
    np.testing.assert_allclose(of_x, [0, 12, 0, 0, 0])
    np.testing.assert_allclose(of_y, 6 * y**5)
    np.testing.assert_allclose(jax.hessian(f, 1)(x, y, 2), np.diag(30 * y**4))
    rows = jax.vmap(jax.grad(f), (0, None, 0))(jnp.stack([x, x]), y, jnp.array([2, 1]))
    np.testing.assert_allclose(rows, [[0, 12, 0, 0, 0], [3, 0, 0, 0, 0]])


def test_what_has_no_axes_and_what_has_no_elements():
    assert lax.dynamic_slice(2.0, (), ()) == 2
    assert lax.dynamic_update_slice(2.0, 3.0, ()) == 3
    np.testing.assert_array_equal(jax.vmap(lambda x: lax.dynamic_slice(x, (), ()))(X[0]), X[0])
    assert lax.dynamic_slice(X[:0], (3, 1), (0, 2)).shape == (0, 2)


def test_keys_move_too():
    keys = random.split(random.key(0), 3)
    words = np.asarray(random.key_data(keys))
    part = lax.dynamic_slice(keys, (1,), (2,))
    np.testing.assert_array_equal(random.key_data(part), words[1:])
    put = lax.dynamic_update_slice(keys, keys[:1], (-1,))
    np.testing.assert_array_equal(random.key_data(put), words[[0, 1, 0]])


def test_an_index_of_each_axis():
    rows, columns = np.array([0, -1, 3]), np.array([5, 1, -6])
    np.testing.assert_array_equal(lax.index_take(X, (rows, columns), (0, 1)), X[rows, columns])
    np.testing.assert_array_equal(lax.index_take(X, [rows], (0,)), X[rows])


@pytest.mark.parametrize("index", [2**64, -(2**63) - 7])
def test_an_index_beyond_64_bits_is_refused(index):
    for run in (
        lambda: lax.dynamic_slice(X[0], (index,), (2,)),
        lambda: lax.dynamic_update_slice_in_dim(X[0], X[0, :2], index, 0),
        lambda: lax.switch(index, [lambda: 0, lambda: 1]),
    ):
        with pytest.raises(OverflowError, match="does not fit"):
            run()
