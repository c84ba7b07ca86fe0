"""x[...] and x.at[...]: against NumPy, and transformed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
INDICES = [
    0, -1, (1, 2), (1, 2, 3), slice(0, 1), slice(None), (slice(None), 1), Ellipsis, (), None,
    (..., 0), (0, ..., 1), (slice(None), None, 0), (..., None), (slice(None), slice(None, None, 2)),
    (slice(None), slice(1, None, 2), slice(None, None, 3)), slice(None, None, -1),
    (slice(None, None, -1), 0), (0, slice(None, None, -2)), (slice(1, 0, -1), None), slice(5, 9),
    slice(1, 0), (slice(None), slice(-100, 2), slice(2, 100)), np.int64(1),
    (None, 0, None, 1, None),
    (slice(None), slice(3, None, -2), slice(-1, -4, -2)), slice(0, 0), True,
]  # fmt: skip


@st.composite
def indices(draw):
    """An index of the array X, of the kinds that are served, in bounds."""
    entries = []
    for size in X.shape[: draw(st.integers(0, 3))]:
        if draw(st.booleans()):
            entries.append(draw(st.integers(-size, size - 1)))
        else:
            bound = st.none() | st.integers(-size - 2, size + 2)
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            entries.append(slice(draw(bound), draw(bound), step))
    for extra in draw(st.lists(st.sampled_from([None]), max_size=2)):
        entries.insert(draw(st.integers(0, len(entries))), extra)
    if draw(st.booleans()):
        kept = draw(st.integers(0, len(entries)))
        used = [entry for entry in entries[:kept] if entry is not None]
        entries = entries[:kept] + [...] + [e for e in entries[kept:] if e is None]
        assert len(used) <= 3
    return tuple(entries)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_reading(index):
    expected = X[index]
    np.testing.assert_array_equal(jnp.asarray(X)[index], expected, strict=True)
    np.testing.assert_array_equal(jax.jit(lambda x: x[index])(X), expected, strict=True)
    batched = jax.vmap(lambda x: x[index])(np.stack([X, -X]))
    np.testing.assert_array_equal(batched, np.stack([expected, -expected]), strict=True)


@given(indices())
def test_any_reading(index):
    np.testing.assert_array_equal(jnp.asarray(X)[index], X[index], strict=True)


@given(indices())
def test_any_writing(index):
    expected = X.copy()
    expected[index] = -1
    np.testing.assert_array_equal(jnp.asarray(X).at[index].set(-1), expected, strict=True)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_derivative_of_reading(index):
    weights = jnp.arange(X[index].size, dtype=float).reshape(X[index].shape) + 1
    grad = jax.grad(lambda x: (x[index] * weights).sum())(jnp.asarray(X))
    expected = np.zeros_like(X)
    expected[index] = weights
    np.testing.assert_array_equal(grad, expected)


def test_integers_out_of_range_are_clamped():
    v = jnp.arange(5)
    assert (v[10], v[-10]) == (4, 0)
    assert jnp.asarray(X)[0, 9].tolist() == X[0, 2].tolist()
    assert jax.jit(lambda v: v[10])(v) == 4


def test_concrete_arrays_are_indices():
    assert jnp.arange(5)[jnp.int32(2)] == 2
    assert jnp.arange(5)[jnp.int32(1) : jnp.int32(3)].tolist() == [1, 2]


@pytest.mark.parametrize(
    "index, error",
    [
        ((0, 0, 0, 0), IndexError),
        ((..., ...), IndexError),
        ("a", TypeError),
        (0.5, TypeError),
        (slice(0.5), TypeError),
        (slice("a", None), TypeError),
        ([0, 1], TypeError),
        ({}, IndexError),
        (slice(None, None, 0), ValueError),
        (np.array([0.5]), TypeError),
        (np.array([True, False, True]), IndexError),
        (np.ones((2, 2), bool), IndexError),
        (np.array([None]), TypeError),
        (([0], [0, 1, 2], [0, 1]), ValueError),
    ],
)
@pytest.mark.parametrize("use", [lambda x, index: x[index], lambda x, index: x.at[index].set(1)])
def test_refused(use, index, error):
    with pytest.raises(error):
        use(jnp.asarray(X), index)
    with pytest.raises(error):
        jax.jit(lambda x: use(x, index))(X)


def test_what_is_not_known_while_tracing_is_refused():
    v = jnp.arange(5)
    with pytest.raises(IndexError, match="traced bound"):
        jax.jit(lambda v, n: v[:n])(v, 2)
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError, match="jnp.where"):
        jax.jit(lambda v: v[v > 1])(v)
    with pytest.raises(TypeError):
        jax.jit(lambda v, i: v[i])(v, 0.5)


# Writing.

METHODS = {
    "set": lambda old, new: new,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "mul": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_writing(method, index):
    x = X + 1
    values = np.full(X[index].shape, 2, np.float32)
    expected = x.copy()
    expected[index] = METHODS[method](x[index], values)
    update = lambda x: getattr(x.at[index], method)(2)  # noqa: E731
    np.testing.assert_allclose(update(jnp.asarray(x)), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(update)(x), expected, rtol=1e-6)
    batched = jax.vmap(update)(np.stack([x, x]))
    np.testing.assert_allclose(batched, np.stack([expected, expected]), rtol=1e-6)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_derivatives_of_writing(index):
    """What is overwritten has no influence; what is written has all of it."""
    weights = jnp.arange(X.size, dtype=float).reshape(X.shape)
    values = jnp.zeros(X[index].shape)
    f = lambda x, values: (x.at[index].set(values) * weights).sum()  # noqa: E731
    dx, dvalues = jax.grad(f, (0, 1))(jnp.asarray(X), values)
    expected = np.array(weights)
    expected[index] = 0
    np.testing.assert_array_equal(dx, expected)
    np.testing.assert_array_equal(dvalues, np.asarray(weights)[index])


def test_derivative_beside_a_division_by_zero():
    grad = jax.grad(lambda x: x.at[0].divide(x[1]).sum())(jnp.array([1.0, 2.0, 0.0]))
    assert grad.tolist() == [0.5, 0.75, 1.0]


def test_x_stays_and_the_result_has_its_dtype():
    x = jnp.arange(3)
    assert x.at[0].set(7).tolist() == [7, 1, 2] and x.tolist() == [0, 1, 2]
    assert x.at[1].add(True).dtype == np.int32
    assert jnp.asarray([1.0, 2.0], "bfloat16").at[1].add(1.5).dtype == jnp.bfloat16
    assert (x * 1.0).at[0].set(1).weak_type == (x * 1.0).weak_type
    assert x.at[1:].divide(2).dtype == np.float32


def test_values_are_broadcast():
    x = jnp.zeros((2, 3))
    assert x.at[:, 1:].set(jnp.array([[1], [2]])).tolist() == [[0, 1, 1], [0, 2, 2]]
    assert x.at[0].set([1, 2, 3]).tolist() == [[1, 2, 3], [0, 0, 0]]
    assert x.at[0].add(jnp.ones(3, "float16")).dtype == np.float32
    for values in (jnp.arange(2), jnp.zeros((1, 3))):
        with pytest.raises(ValueError, match="broadcast"):
            x.at[0].set(values)


def test_what_does_not_fit_is_warned_of():
    x = jnp.arange(3)
    with pytest.warns(FutureWarning, match="float32.*int32"):
        assert x.at[1].set(2.7).tolist() == [0, 2, 2]
    with pytest.warns(FutureWarning):
        assert jnp.zeros(2, bool).at[0].set(5).tolist() == [True, False]


def test_integers_wrap_round():
    assert jnp.array([1, 2], "int8").at[0].add(1000).tolist() == [-23, 2]
    assert jnp.array([1, 2], "uint8").at[0].set(-1).tolist() == [255, 2]


def test_updates_out_of_range_are_dropped():
    v = jnp.arange(5)
    for mode in (None, "drop", "fill"):
        assert v.at[10].set(7, mode=mode).tolist() == [0, 1, 2, 3, 4]
        assert v.at[-10].add(7, mode=mode).tolist() == [0, 1, 2, 3, 4]
    assert v.at[10].set(7, mode="clip").tolist() == [0, 1, 2, 3, 7]
    assert v.at[1:30].set(7).tolist() == [0, 7, 7, 7, 7]
    assert v.at[20:30].set(7).tolist() == v.tolist()
    with pytest.raises(ValueError, match="knows no mode"):
        v.at[0].set(1, mode="nonsense")


def test_get():
    v = jnp.arange(5)
    assert v.at[1:3].get().tolist() == [1, 2] and v.at[10].get() == 4
    assert v.at[10].get(mode="fill") == np.iinfo(np.int32).min
    assert v.at[10].get(mode="fill", fill_value=7) == 7
    assert np.isnan(v.astype(float).at[10].get(mode="fill"))
    assert v.astype("uint8").at[10].get(mode="fill") == 255
    assert v.at[10].get(mode="clip") == 4 and v.at[2].get(mode="fill") == 2


def test_apply():
    v = jnp.arange(5)
    assert v.at[1:3].apply(lambda x: x * 3).tolist() == [0, 3, 6, 3, 4]


def test_bools():
    x = jnp.array([True, False])
    assert x.at[1].max(True).tolist() == [True, True]
    assert x.at[0].min(False).tolist() == [False, False]
    for update in (x.at[0].multiply, x.at[0].add):
        with pytest.raises(TypeError):
            update(True)


def test_minus_zero_and_nan_elsewhere_stay():
    x = jnp.array([-0.0, np.nan, 1.0]).at[2].add(1)
    assert np.signbit(np.asarray(x)[0]) and np.isnan(x[1]) and x[2] == 2


def test_reprs():
    v = jnp.arange(2)
    assert repr(v.at) == "_IndexUpdateHelper(Array([0, 1], dtype=int32))"
    assert repr(v.at[0]) == "_IndexUpdateRef(Array([0, 1], dtype=int32), 0)"


def test_unknown_methods():
    with pytest.raises(AttributeError):
        jnp.arange(2).at[0].nonsense(1)
    with pytest.raises(TypeError):
        jnp.arange(2).at[0][1]


@pytest.mark.parametrize("method", ["get", *METHODS])
def test_options_of_updates(method):
    v = jnp.arange(1.0, 4.0)
    args = () if method == "get" else (2,)
    hints = {"indices_are_sorted": True, "unique_indices": True, "out_sharding": None}
    plain = getattr(v.at[1], method)(*args)
    assert getattr(v.at[1], method)(*args, **hints).tolist() == plain.tolist()
    for misspelt in ({"mod": "clip"}, {"mdoe": None}, {"foo": 1}):
        with pytest.raises(TypeError, match=f"no option {next(iter(misspelt))}"):
            getattr(v.at[1], method)(*args, **misspelt)


def test_negative_indices_need_not_wrap():
    v = jnp.arange(5)
    assert v.at[-1].set(9, wrap_negative_indices=False).tolist() == v.tolist()
    assert v.at[-1].get(wrap_negative_indices=False) == 0
    assert v.at[-1].add(9, wrap_negative_indices=True)[-1] == 13


@pytest.mark.parametrize("index", [2**40, -(2**40), 2**31, (0, 2**40)])
def test_indices_that_do_not_fit_in_32_bits(index):
    x = jnp.ones((2, 3))
    for use in (lambda: x[index], lambda: x.at[index].set(1)):
        with pytest.raises(OverflowError, match="does not fit in int32"):
            use()


def test_numpy_indices_lose_their_upper_bits():
    v = jnp.arange(5)
    assert v[np.int64(2**40)] == 0 and v[np.array(2**40 + 2)] == 2 and v[2**31 - 1] == 4
    with jax.enable_x64(True):
        assert v[2**40] == v[np.int64(2**40)] == 4


def test_apply_is_of_each_element():
    v = jnp.arange(5)
    assert v.at[1:3].apply(lambda x: 7).tolist() == [0, 7, 7, 3, 4]
    assert v.at[1:3].apply(lambda x: x.sum() + 1).tolist() == [0, 2, 3, 3, 4]
    for f in (lambda x: jnp.ones(3), lambda x: "a", lambda x: x + 0.5):
        with pytest.raises(ValueError, match="Return a scalar"):
            v.at[0].apply(f)


def test_single_bools_are_new_axes():
    several = [(True, True), (True, 0), (False, 0), (True, [1, 0]), (None, True), (..., True)]
    for index in [*several, False]:
        np.testing.assert_array_equal(jnp.asarray(X)[index], X[index], strict=True)
    assert jnp.zeros(2).at[True].set(1).tolist() == [1, 1]
    assert jnp.zeros(2).at[False].set(1).tolist() == [0, 0]


# Traced indices, arrays of integers, masks.

TRACED = {
    "first": lambda x, i: x[i],
    "last": lambda x, i: x[..., i],
    "beside a slice": lambda x, i: x[i, 1:],
    "backwards": lambda x, i: x[::-1, i],
    "with steps": lambda x, i: x[i, :, ::2],
    "two of them": lambda x, i: x[i, i],
    "with a known one": lambda x, i: x[0, i],
    "with a new axis": lambda x, i: x[i, None],
    "written": lambda x, i: x.at[i].set(-1),
    "written in a slice": lambda x, i: x.at[1:, i].add(10),
}


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8", "int64"])
@pytest.mark.parametrize("name", TRACED)
def test_traced_integers(name, dtype):
    f = TRACED[name]
    for i in (0, 1, -1) if dtype != "uint8" else (0, 1):
        if name.startswith("written"):
            expected = X.copy()
            where = (i,) if name == "written" else (slice(1, None), i)
            expected[where] = -1 if name == "written" else expected[where] + 10
        else:
            expected = f(X, i)
        np.testing.assert_array_equal(jax.jit(f)(X, np.array(i, dtype)), expected, strict=True)


@pytest.mark.parametrize("name", TRACED)
def test_batches_of_traced_integers(name):
    f, xs, indices = TRACED[name], np.stack([X, -X]), np.array([1, -1])
    each = [f(jnp.asarray(x), i) for x, i in zip(xs, indices, strict=True)]
    np.testing.assert_array_equal(jax.vmap(f)(xs, indices), np.stack(each))
    x = jnp.asarray(X)
    same = [f(x, i) for i in indices]
    np.testing.assert_array_equal(jax.vmap(f, (None, 0))(x, indices), np.stack(same))
    shared = [f(jnp.asarray(x), 1) for x in xs]
    np.testing.assert_array_equal(jax.vmap(f, (0, None))(xs, 1), np.stack(shared))


ROWS = jnp.array([1, 0, 1])


@pytest.mark.parametrize("method", ["set", "add", "subtract", "multiply", "divide", "min", "max"])
@pytest.mark.parametrize("index", [(1,), (ROWS[:2],), (slice(None), ROWS[:2]), (0, ROWS[:2])])
def test_derivatives_of_updates(method, index):
    def f(x, v):
        at = (x * x).at[index].set(x[index]).at[index]
        return getattr(at, method)(v * v, unique_indices=True)

    x = np.asarray(X[:, :, :2]) / 7 + 1
    check_derivatives(f, [x, 1.5])


def test_sums_of_elements_that_are_taken_twice():
    v, twice = jnp.arange(3.0), jnp.array([1, 1, 2])
    assert v.at[twice].add(1).tolist() == [0, 3, 3]
    assert v.at[twice].multiply(2).tolist() == [0, 4, 4]
    assert jax.grad(lambda v: (v[twice] ** 2).sum())(v).tolist() == [0, 4, 4]
    assert v.at[twice].apply(lambda x: 2 * x).tolist() == [0, 4, 4]


def test_modes_of_arrays():
    v, far = jnp.arange(3.0), jnp.array([-4, 1, 5])
    assert v[far].tolist() == [0, 1, 2] == v.at[far].get(mode="clip").tolist()
    assert v.at[far].get(mode="fill", fill_value=7).tolist() == [7, 1, 7]
    assert v.at[far].set(9).tolist() == [0, 9, 2] == v.at[far].set(9, mode="drop").tolist()
    assert v.at[far].set(9, mode="clip").tolist() == [9, 9, 9]
    assert v.at[-1].get(mode="fill", wrap_negative_indices=False, fill_value=7) == 7


def test_masks():
    v = jnp.arange(4.0)
    assert v[v > 1].tolist() == [2, 3] and v.at[v > 1].set(0).tolist() == [0, 1, 0, 0]
    assert jax.grad(lambda v: (v[v > 1] ** 2).sum())(v).tolist() == [0, 0, 4, 6]
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.vmap(lambda v: v[v > 1])(v[None])


def test_keys():
    keys = jax.random.split(jax.random.key(0), 4)
    data = np.asarray(jax.random.key_data(keys))
    for index in [0, slice(1, 3), jnp.array([2, 0]), np.array([True, False, True, False]), None]:
        taken = jax.random.key_data(keys[index])
        np.testing.assert_array_equal(taken, data[index], strict=True)
        put = jax.random.key_data(keys.at[index].set(keys[3]))
        expected = data.copy()
        expected[index] = data[3]
        np.testing.assert_array_equal(put, expected)
    assert keys[np.array([], int)].shape == (0,)
    with pytest.raises(TypeError, match="among key"):
        keys.at[0].set(1)
