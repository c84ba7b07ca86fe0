"""Rearranging, repeating, joining and parting, against NumPy."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ONE = np.arange(3, dtype=np.int32).reshape(1, 3, 1)


def same(name, *args, **kwargs):
    got, expected = getattr(jnp, name)(*args, **kwargs), getattr(np, name)(*args, **kwargs)
    if isinstance(expected, list | tuple):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            np.testing.assert_array_equal(g, e, strict=True)
    else:
        np.testing.assert_array_equal(got, expected, strict=True)


@pytest.mark.parametrize(
    "name, args",
    [
        ("reshape", (X, (4, 6))),
        ("reshape", (X, -1)),
        ("reshape", (X, (3, -1))),
        ("reshape", (X, (2, 3, 4))),
        ("reshape", (X[:0], (0, 7))),
        ("ravel", (X,)),
        ("squeeze", (ONE,)),
        ("squeeze", (ONE, -1)),
        ("squeeze", (ONE, (0, 2))),
        ("squeeze", (X,)),
        ("expand_dims", (X, 0)),
        ("expand_dims", (X, -1)),
        ("expand_dims", (X, (0, 2))),
        ("transpose", (X,)),
        ("transpose", (X, (1, 2, 0))),
        ("transpose", (X, (-1, 0, 1))),
        ("matrix_transpose", (X,)),
        ("swapaxes", (X, 0, -1)),
        ("moveaxis", (X, 0, -1)),
        ("moveaxis", (X, (0, 1), (-1, 0))),
        ("moveaxis", (X, (), ())),
        ("flip", (X,)),
        ("flip", (X, 1)),
        ("flip", (X, (0, -1))),
        ("broadcast_to", (X, (5, 2, 3, 4))),
        ("broadcast_to", (ONE, (2, 3, 4))),
        ("broadcast_arrays", (ONE, X, X[0])),
        ("concatenate", ([X, X * 2],)),
        ("concatenate", ([X, X[:, :1]], 1)),
        ("concatenate", ([X, X], -1)),
        ("concatenate", ([X, ONE[0, 0].astype(np.float32)], None)),
        ("concatenate", (X,)),
        ("stack", ([X, X],)),
        ("stack", ([X, X, X], -1)),
        ("stack", (X,)),
        ("vstack", ([X[0, 0], X[0]],)),
        ("hstack", ([X[0], X[0]],)),
        ("hstack", ([X[0, 0], X[0, 1]],)),
        ("split", (X, 3, 1)),
        ("split", (X, [1, 3], 2)),
        ("split", (X, [], 2)),
        ("split", (X[:0], 2)),
        ("tile", (X, 2)),
        ("tile", (X, (2, 1, 3, 1))),
        ("tile", (X[0], (2,))),
        ("tile", (X[0], ())),
        ("repeat", (X, 2)),
        ("repeat", (X, 3, 1)),
        ("repeat", (X, 2, -1)),
        ("repeat", (X, 0, 0)),
        ("atleast_1d", (X[0, 0, 0],)),
        ("atleast_2d", (X[0, 0],)),
        ("atleast_2d", (X[0, 0, 0], X)),
    ],
)
def test_against_numpy(name, args):
    same(name, *args)


@pytest.mark.parametrize("x", [2.5, X, [1, 2], [[1, 2, 3]], np.float32(1), []])
def test_shape_ndim_size(x):
    assert jnp.shape(x) == np.shape(x)
    assert jnp.ndim(x) == np.ndim(x)
    assert jnp.size(x) == np.size(x)


def test_a_numpy_array_in_another_shape_is_one():
    wide = np.arange(6.0)
    found = jnp.reshape(wide, (2, -1), order="F")
    assert type(found) is np.ndarray and found.dtype == np.float64
    np.testing.assert_array_equal(found, wide.reshape(2, 3, order="F"))
    assert np.shares_memory(jnp.reshape(wide, (3, 2)), wide)
    assert not np.shares_memory(jnp.reshape(wide, (3, 2), copy=True), wide)
    kept = []
    jax.jit(lambda: kept.append(jnp.reshape(wide, (3, 2))))()
    assert type(kept[0]) is np.ndarray
    assert type(jnp.positive(wide)) is type(jnp.ones(2))


def test_shape_of_an_object_that_has_one():
    class Sparse:
        shape, dtype = (3, 4), np.dtype("float32")

    assert (jnp.shape(Sparse()), jnp.ndim(Sparse()), jnp.size(Sparse(), 1)) == ((3, 4), 2, 4)


def test_size_of_some_axes():
    assert (jnp.size(X, 1), jnp.size(X, (0, -1))) == (3, 8)


def test_joining_promotes():
    assert jnp.concatenate([jnp.ones(2, "int8"), jnp.ones(2, "float16")]).dtype == np.float16
    assert jnp.concatenate([jnp.ones(2), jnp.ones(2)], dtype=int).dtype == np.int32
    assert jnp.stack([1, 2.0]).weak_type


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: jnp.reshape(X, (5, 5)), ValueError),
        (lambda: jnp.reshape(jnp.array(X), (5, 5)), TypeError),
        (lambda: jnp.reshape(X, (-1, -1)), ValueError),
        (lambda: jnp.reshape(jnp.array(X), (-1, -1)), TypeError),
        (lambda: jnp.reshape(X, (-1, 5)), ValueError),
        (lambda: jnp.reshape(jnp.array(X), (-1, 5)), TypeError),
        (lambda: jnp.reshape(X, "text"), TypeError),
        (lambda: jnp.reshape([1, 2], (2, 1)), TypeError),
        (lambda: jnp.transpose(X, (0, 0, 1)), TypeError),
        (lambda: jnp.transpose(X, (0, 1, 5)), ValueError),
        (lambda: jnp.matrix_transpose(X[0, 0]), ValueError),
        (lambda: jnp.squeeze(X, 0), ValueError),
        (lambda: jnp.squeeze(X, 5), ValueError),
        (lambda: jnp.expand_dims(X, 5), ValueError),
        (lambda: jnp.expand_dims(X, (0, 0)), ValueError),
        (lambda: jnp.swapaxes(X, 0, 3), IndexError),
        (lambda: jnp.moveaxis(X, 0, 3), ValueError),
        (lambda: jnp.moveaxis(X, (0, 1), (0,)), ValueError),
        (lambda: jnp.flip(X, 5), ValueError),
        (lambda: jnp.broadcast_to(X, (3,)), ValueError),
        (lambda: jnp.broadcast_to(X, (2, 3, 5)), ValueError),
        (lambda: jnp.broadcast_arrays(X, X[0, 0, :3]), ValueError),
        (lambda: jnp.concatenate([]), ValueError),
        (lambda: jnp.concatenate([1, 2]), ValueError),
        (lambda: jnp.concatenate([X, X[0]]), TypeError),
        (lambda: jnp.concatenate([X, X], 3), ValueError),
        (lambda: jnp.concatenate([[1], [2]]), TypeError),
        (lambda: jnp.stack([]), ValueError),
        (lambda: jnp.stack([X, X[0]]), ValueError),
        (lambda: jnp.stack([X, X], 5), ValueError),
        (lambda: jnp.stack(3), TypeError),
        (lambda: jnp.split(X, 2, 1), ValueError),
        (lambda: jnp.split(X, [3, 1], 1), ValueError),
        (lambda: jnp.split(X, [7], 1), ValueError),
        (lambda: jnp.repeat(X, np.array([1, 2])), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.tile(x, (2, 2)),
        lambda x: jnp.repeat(x, 3, 0),
        lambda x: jnp.flip(x, 0),
        lambda x: jnp.moveaxis(jnp.stack([x, 2 * x]), 0, 2),
        lambda x: jnp.concatenate([part * i for i, part in enumerate(jnp.split(x, 2, 1))]),
        lambda x: jnp.vstack([x, x[0]]),
        lambda x: jnp.broadcast_to(x, (2, *x.shape)),
    ],
)
def test_derivatives_and_batches(f):
    """The functions are linear, so f's derivative is f, and its transpose is its adjoint."""
    x, dx = jnp.asarray(X[0]), jnp.asarray(X[1] ** 2)
    y, dy = jax.jvp(f, (x,), (dx,))
    np.testing.assert_allclose(dy, f(dx))
    weights = jnp.arange(y.size, dtype=float).reshape(y.shape)
    (x_bar,) = jax.vjp(f, x)[1](weights)
    np.testing.assert_allclose((x_bar * dx).sum(), (weights * dy).sum(), rtol=1e-5)
    batched = jax.vmap(f)(jnp.stack([x, dx]))
    np.testing.assert_array_equal(batched, jnp.stack([f(x), f(dx)]))


def test_jit_names():
    shown = str(jax.make_jaxpr(lambda x: (jnp.flip(x), jnp.atleast_2d(x)))(X[0, 0]))
    assert "name=_flip" in shown and "name=atleast_2d" in shown


AXES = np.array([2, 0, 1])


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.reshape(x, (2, -1, 6), order="F"),
        lambda np, x: np.ravel(x, order="F"),
        lambda np, x: np.ravel(x, "C"),
        lambda np, x: x.reshape(4, 3, 2, order="F"),
        lambda np, x: x.reshape((4, 6), order="C"),
        lambda np, x: x.ravel("F"),
        lambda np, x: x.flatten("F"),
        lambda np, x: x.transpose(AXES),
    ],
)
def test_orders(call):
    expected = call(np, X)
    np.testing.assert_array_equal(call(jnp, jnp.asarray(X)), expected)
    np.testing.assert_array_equal(jax.jit(lambda x: call(jnp, x))(X), expected)


def test_numpy_reshapes_to_an_array():
    assert isinstance(np.reshape(jnp.asarray(X), (4, 6)), jnp.ndarray)


def test_repeat_to_a_length():
    v = jnp.arange(3)
    assert jnp.repeat(v, 2, total_repeat_length=6).tolist() == [0, 0, 1, 1, 2, 2]
    assert jnp.repeat(v, 2, total_repeat_length=4).tolist() == [0, 0, 1, 1]
    assert v.repeat(2, total_repeat_length=8).tolist() == [0, 0, 1, 1, 2, 2, 2, 2]
    assert jnp.repeat(v[:, None], 1, 0, total_repeat_length=4).tolist() == [[0], [1], [2], [2]]
    assert jnp.repeat(3, 2, axis=0).tolist() == jnp.repeat(3, np.array([2])).tolist() == [3, 3]


def test_broadcast_shapes_of_integers():
    assert jnp.broadcast_shapes(2, (3, 1)) == (3, 2)
    assert jnp.broadcast_shapes(np.int64(2)) == (2,)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: jnp.broadcast_shapes((2, "a")), TypeError, "jnp.broadcast_shapes takes"),
        (lambda: jnp.broadcast_shapes((2, -1), (2, 1)), TypeError, "negative"),
        (lambda: jnp.broadcast_shapes((2.0,)), TypeError, "jnp.broadcast_shapes takes"),
        (lambda: jnp.expand_dims(X, None), TypeError, "jnp.expand_dims .* axis, and got None"),
        (lambda: jnp.split(X, -2), ValueError, "into -2 equal parts"),
        (lambda: jnp.split(X, 0), ZeroDivisionError, "into 0 equal parts"),
        (lambda: jnp.split(X, "a"), TypeError, "jnp.split takes an integer as indices_or_sections"),
        (lambda: jnp.vstack(3), TypeError, "jnp.vstack takes a list"),
        (lambda: jnp.hstack([]), ValueError, "jnp.hstack got no arrays"),
        (lambda: jnp.hstack([X, "a"]), TypeError, "jnp.hstack .* argument 1 is 'a'"),
        (lambda: jnp.repeat(X, "a"), TypeError, "jnp.repeat .* argument repeats is 'a'"),
        (lambda: jnp.repeat(X, 2.0), TypeError, "jnp.repeat takes an integer as repeats"),
        (lambda: jnp.repeat(X, -1), TypeError, "-1 times"),
        (lambda: jnp.transpose(X, 1), TypeError, "jnp.transpose takes 3 axes, and got 1"),
        (lambda: jnp.ravel(X, "A"), NotImplementedError, "no order 'A'"),
        (lambda: jnp.reshape(X, -1, "Z"), ValueError, "jnp.reshape knows no order 'Z'"),
        (lambda: jnp.atleast_1d([1]), TypeError, r"jnp.atleast_1d .* argument 0 is \[1\]"),
    ],
)
def test_errors_name_the_function_and_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "f",
    [
        lambda n: jnp.repeat(X, n),
        lambda n: jnp.split(X, n),
        lambda n: jnp.split(X, [n]),
        lambda n: jnp.expand_dims(X, n),
        lambda n: jnp.swapaxes(X, n, 0),
        lambda n: jnp.linspace(0, 1, axis=n),
    ],
)
def test_traced_numbers_that_shape_the_result(f):
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(f)(1)
