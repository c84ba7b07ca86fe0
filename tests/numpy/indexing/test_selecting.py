"""take, put, and their kin, against NumPy; transformed; and what is refused."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.linspace(-1.0, 2.0, 12, dtype=np.float32).reshape(3, 4)
V = np.array([3, 0, 5, 7])
ROWS = np.array([[1, 0, 3, 2], [0, 0, 1, 1], [3, 3, 3, 0]])
MASK = np.array([True, False, True])

ALIKE = [  # the same in NumPy, where putting is in place
    ("take", (X, np.array([[1, 5], [-1, 0]]))),
    ("take", (X, np.array([2, 0]), 1)),
    ("take", (X, 1, 0)),
    ("take", (X, np.array([9, -9]), None, None, "clip")),
    ("take", (X, np.array([99, -99]), None, None, "wrap")),
    ("take_along_axis", (X, ROWS, 1)),
    ("take_along_axis", (X, ROWS % 3, 0)),
    ("take_along_axis", (X, ROWS[0], None)),
    ("take_along_axis", (X, ROWS[:1] % 3, 0)),
    ("select", ([X > 1, X > 0], [X, -X], 7.0)),
    ("choose", (np.array([0, 1, 1, 0]), [V, V * 10])),
    ("choose", (np.array([0, 9, -1, 0]), [V, V * 10], None, "clip")),
    ("choose", (np.array([0, 9, -1, 0]), [V, V * 10], None, "wrap")),
    ("compress", (MASK, X, 0)),
    ("compress", (MASK, X)),
    ("extract", (X > 0, X)),
    ("nonzero", (V,)),
    ("nonzero", (X > 0,)),
    ("where", (X > 0,)),
    ("argwhere", (X > 0,)),
    ("argwhere", (np.float32(3),)),
    ("flatnonzero", (X > 0,)),
    ("diag_indices", (3,)),
    ("diag_indices", (2, 3)),
    ("diag_indices_from", (X[:, :3],)),
    ("tril_indices", (3,)),
    ("tril_indices", (3, -1, 4)),
    ("triu_indices", (3, 1)),
    ("triu_indices", (3, -2, 4)),
    ("tril_indices_from", (X,)),
    ("triu_indices_from", (X, 1)),
    ("unravel_index", (np.array([[1, 5], [0, 11]]), (3, 4))),
    ("ravel_multi_index", ((np.array([0, 2]), np.array([1, 3])), (3, 4))),
    ("ravel_multi_index", ((np.array([0, 9]), np.array([1, -3])), (3, 4), "clip")),
    ("ravel_multi_index", ((np.array([0, 9]), np.array([1, -3])), (3, 4), "wrap")),
    ("ravel_multi_index", ((np.array([0, 2]), np.array([1, 3])), (3, 4), "raise", "F")),
    ("ix_", (V, np.array([1, 2]))),
    ("indices", ((2, 3),)),
    ("tri", (3, 4, 1)),
    ("tril", (X, -1)),
    ("triu", (np.stack([X, X]), 1)),
    ("diag", (V, -1)),
    ("diag", (X, 1)),
    ("diagonal", (np.stack([X, -X]), 0, 1, 2)),
    ("diagonal", (X, -1)),
    ("diagflat", (X, 1)),
    ("trace", (X, 1)),
    ("trace", (np.stack([X, -X]), 0, 2, 1)),
    ("append", (X, V)),
    ("append", (X, -X, 0)),
    ("delete", (X, 1, 0)),
    ("delete", (X, -1)),
    ("delete", (V, slice(None, None, 2))),
    ("delete", (X, np.array([0, 2, 2]), 1)),
    ("delete", (X, MASK, 0)),
    ("insert", (V, 1, 9)),
    ("insert", (V, np.array([3, 0, 3]), np.array([7, 8, 9]))),
    ("insert", (X, 1, V[:3], 1)),
    ("insert", (X, slice(0, 2), 5.0, 0)),
    ("roll", (X, 2)),
    ("roll", (X, -1, 0)),
    ("roll", (X, (1, 2), (0, 1))),
    ("repeat", (X, np.array([2, 0, 1]), 0)),
    ("repeat", (V, np.array([1, 0, 3, 2]))),
    ("repeat", (X, np.array([2]), 1)),
    ("apply_along_axis", (lambda row: row[::-1] * 2, 1, X)),
    ("apply_along_axis", (lambda row: row.sum(), 0, X)),
]


def check_equal(found, expected):
    """Equal values; arrays stay float32 and int32, where NumPy has wider ones."""
    if isinstance(expected, tuple):
        for got, wanted in zip(found, expected, strict=True):
            check_equal(got, wanted)
        return
    assert found.shape == np.shape(expected) and found.dtype.kind == np.asarray(expected).dtype.kind
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name, args", ALIKE)
def test_equals_numpy(name, args):
    check_equal(getattr(jnp, name)(*args), getattr(np, name)(*args))


@pytest.mark.parametrize("mode", [None, "clip", "wrap"])
def test_put(mode):
    a, places, values = X.copy(), np.array([1, 5, 10]), np.array([7, 8], np.float32)
    np.put(a, places, values)
    check_equal(jnp.put(X, places, values, mode, inplace=False), a)
    far = jnp.put(V, np.array([9, 0]), np.array([1, 2]), mode, inplace=False).tolist()
    assert far == {None: [2, 0, 5, 1], "clip": [2, 0, 5, 1], "wrap": [2, 1, 5, 7]}[mode]


def test_functions_that_are_in_place_in_numpy():
    a = X.copy()
    np.put_along_axis(a, ROWS[:, :1], np.float32(7), 1)
    check_equal(jnp.put_along_axis(X, ROWS[:, :1], 7, 1, inplace=False), a)
    a = X.copy()
    np.place(a, a > 0, [7, 8, 9])
    check_equal(jnp.place(X, X > 0, jnp.array([7, 8, 9]), inplace=False), a)
    a = X.copy()
    np.fill_diagonal(a, 9)
    check_equal(jnp.fill_diagonal(X, 9, inplace=False), a)
    assert jnp.put(V, np.array([], int), 1, inplace=False).tolist() == V.tolist()


DIFFERENTIABLE = {
    "take": lambda x: jnp.take(x * x, np.array([1, 1, 3]), 1),
    "take far": lambda x: jnp.take(x * x, np.array([9, -1]), 1, mode="clip"),
    "take_along_axis": lambda x: jnp.take_along_axis(x * x, ROWS, 1),
    "put_along_axis": lambda x: jnp.put_along_axis(x * x, ROWS[:, :1], x[:, :1], 1, inplace=False),
    "put": lambda x: jnp.put(x * x, np.array([1, 4]), x[0, :2], inplace=False),
    "place": lambda x: jnp.place(x * x, X > 0, x[0], inplace=False),
    "fill_diagonal": lambda x: jnp.fill_diagonal(x * x, x[0, :3], inplace=False),
    "select": lambda x: jnp.select([X > 1, X > 0], [x * x, 3 * x], 1.0),
    "choose": lambda x: jnp.choose(ROWS[1], [x[0] ** 2, x[1]], mode="clip"),
    "compress": lambda x: jnp.compress(MASK, x * x, 0, size=2),
    "extract": lambda x: jnp.extract(X > 0, x * x, size=9),
    "diag": lambda x: jnp.diag(x[0] ** 2, 1),
    "diagonal": lambda x: jnp.diagonal(x * x, 1),
    "trace": lambda x: jnp.trace(x * x),
    "tril": lambda x: jnp.tril(x * x),
    "delete": lambda x: jnp.delete(x * x, np.array([0, 2]), 1),
    "insert": lambda x: jnp.insert(x * x, 1, x[:, 0], 1),
    "roll": lambda x: jnp.roll(x * x, (1, -1), (0, 1)),
    "repeat": lambda x: jnp.repeat(x * x, np.array([2, 0, 1]), 0),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    check_derivatives(DIFFERENTIABLE[name], [X])


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_batches_and_jit(name):
    f, xs = DIFFERENTIABLE[name], jnp.stack([jnp.asarray(X), -jnp.asarray(X)])
    expected = np.stack([f(x) for x in xs])
    np.testing.assert_allclose(jax.vmap(f)(xs), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.vmap(f))(xs), expected, rtol=1e-6)


def test_sizes_while_tracing():
    def f(x):
        places = jnp.nonzero(x > 0, size=9, fill_value=-1)
        return *places, jnp.argwhere(x > 0, size=2), jnp.flatnonzero(x > 0, size=9)

    rows, columns, first, flat = jax.jit(f)(X)
    expected = np.nonzero(X > 0)
    check_equal(rows, np.append(expected[0], -1)), check_equal(columns, np.append(expected[1], -1))
    check_equal(first, np.argwhere(X > 0)[:2])
    check_equal(flat, np.append(np.flatnonzero(X > 0), 0))
    kept = jax.jit(lambda c: jnp.extract(c, V, size=3, fill_value=-1))(V > 4)
    assert kept.tolist() == [5, 7, -1]
    many = jax.vmap(lambda x: jnp.nonzero(x, size=2)[0])(X[:2] > 0)
    assert many.tolist() == [[0, 0], np.flatnonzero(X[1] > 0)[:2].tolist()]


def test_traced_shifts_and_repeats():
    for n in (-5, 0, 1, 7):
        found = jax.jit(lambda x, n: jnp.roll(x, n, 1))(X, n)
        check_equal(found, np.roll(X, n, 1))
        both = jax.jit(lambda x, n: jnp.roll(x, (n, 1), (0, 1)))(X, n)
        check_equal(both, np.roll(X, (n, 1), (0, 1)))
    repeat = jax.jit(lambda r: jnp.repeat(V, r, total_repeat_length=5))
    assert repeat(np.array([1, 0, 2, 1])).tolist() == [3, 5, 5, 7, 7]
    assert repeat(np.array([3, 0, 2, 1])).tolist() == [3, 3, 3, 5, 5]
    gone = jax.jit(lambda i: jnp.delete(V, i, assume_unique_indices=True))(np.array([2, 0]))
    assert gone.tolist() == [0, 7]


def test_methods():
    x = jnp.asarray(X)
    check_equal(x.take(np.array([1, 2])), X.take([1, 2]))
    check_equal(x.diagonal(), X.diagonal())
    check_equal(x.trace(), X.trace())
    check_equal(x.nonzero(), X.nonzero())
    check_equal(x.compress(MASK, axis=0), X.compress(MASK, axis=0))
    check_equal(x.repeat(np.array([1, 0, 2]), 0), X.repeat([1, 0, 2], 0))
    check_equal(jnp.array([1, 0]).choose([V[:2], V[2:]]), np.array([1, 0]).choose([V[:2], V[2:]]))


def test_keys_are_taken_too():
    keys = jax.random.split(jax.random.key(0), 3)
    data = np.asarray(jax.random.key_data(keys))
    for taken in (jnp.take(keys, np.array([2, 0])), jnp.roll(keys, 1)[np.array([0, 1])]):
        np.testing.assert_array_equal(jax.random.key_data(taken), data[[2, 0]])


def test_dtypes():
    for dtype in ("bfloat16", "float16", "int8", "uint32", "bool", "complex64"):
        x = jnp.asarray(X > 0, dtype)
        for y in (jnp.take(x, ROWS[0]), jnp.tril(x), jnp.diag(x), jnp.roll(x, 1), x[:, ROWS[0]]):
            assert y.dtype == x.dtype
    with jax.enable_x64(True):
        assert jnp.nonzero(V)[0].dtype == jnp.unravel_index(5, (2, 3))[0].dtype == np.int64


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: jnp.take([1, 2], 0), TypeError),
        (lambda: jnp.take(X, 0, axis=2), ValueError),
        (lambda: jnp.take(X, 0.5), ValueError),
        (lambda: jnp.take(X, 0, mode="raise"), NotImplementedError),
        (lambda: jnp.take(X, 0, out=X), NotImplementedError),
        (lambda: jnp.take(X[:0], 0, axis=0), IndexError),
        (lambda: jnp.take_along_axis(X, V, 0), ValueError),
        (lambda: jnp.take_along_axis(X, X, 0), TypeError),
        (lambda: jnp.put(X, 0, 1), ValueError),
        (lambda: jnp.put_along_axis(X, ROWS, 1, 1), ValueError),
        (lambda: jnp.place(X, MASK, 1, inplace=False), ValueError),
        (lambda: jnp.select([], []), ValueError),
        (lambda: jnp.choose(X, [X]), ValueError),
        (lambda: jnp.choose(np.array([3]), [V]), ValueError),
        (lambda: jax.jit(lambda i: jnp.choose(i, [V]))(V), jax.errors.ConcretizationTypeError),
        (lambda: jax.jit(jnp.nonzero)(X), jax.errors.ConcretizationTypeError),
        (lambda: jax.jit(lambda r: jnp.repeat(V, r))(V), jax.errors.ConcretizationTypeError),
        (lambda: jax.jit(lambda i: jnp.delete(V, i))(V), jax.errors.ConcretizationTypeError),
        (lambda: jnp.nonzero(3.0), ValueError),
        (lambda: jnp.delete(V, 9), ValueError),
        (lambda: jnp.insert(V, 0.5, 1), ValueError),
        (lambda: jnp.roll(X, 1, 2), ValueError),
        (lambda: jnp.repeat(V, ROWS), ValueError),
        (lambda: jnp.tril(V), ValueError),
        (lambda: jnp.ix_(X), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()
