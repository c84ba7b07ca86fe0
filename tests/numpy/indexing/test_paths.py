"""x[...] and x.at[...] outside transformations: what NumPy does is what the long way does."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from index_expressions import SHAPES, built, indices
from minijax.compiler.dispatch.eager import Paths
from minijax.core.extend import typeof
from minijax.numpy.indexing import updates
from minijax.numpy.indexing.reading import getitem

WAYS = ("set", "add", "subtract", "multiply", "min", "max")
DTYPES = ("float32", "int32", "uint8", "bool", "bfloat16", "float16", "complex64")
pytestmark = pytest.mark.usefixtures("errors_as_raised")
X = jnp.array([[1.5, -0.0, 0.0, -2.0], [jnp.nan, 3.0, -0.0, 7.0]])


def paths_of(fun):
    while hasattr(fun, "__wrapped__") and not any(
        isinstance(c.cell_contents, Paths) for c in fun.__closure__
    ):
        fun = fun.__wrapped__
    return next(c.cell_contents for c in fun.__closure__ if isinstance(c.cell_contents, Paths))


def outcome(fun, *args, **options):
    """The type and the bytes of a result, or the class of the error and what it says."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            out = fun(*args, **options)
    except Exception as error:
        return type(error), str(error)
    return typeof(out), np.asarray(out).tobytes(), [str(w.message) for w in warned]


def hold_against_long_way(fun, *calls, options=None):
    """Of each call, the second and third result beside what comes without paths."""
    options = options or {}
    paths_of(fun).clear()
    for args in calls * 2:
        long_way = outcome(fun.__wrapped__, *args, **options)
        for _ in range(3):
            assert outcome(fun, *args, **options) == long_way, (args, options)


@st.composite
def cases(draw):
    shape = draw(st.sampled_from(SHAPES))
    return shape, [draw(indices(shape, inside=draw(st.booleans()))) for _ in range(2)]


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from(WAYS), st.sampled_from(DTYPES))
def test_any_index(case, way, dtype):
    shape, both = case
    both = [built(index, jnp) for index in both]
    x = (jnp.arange(np.prod(shape)) - 2).reshape(shape).astype(dtype)
    value = jnp.ones((), dtype)
    hold_against_long_way(getitem, *((x, index) for index in both))
    update = getattr(updates, f"_{way}")
    hold_against_long_way(update, *((x, index, value) for index in both))
    hold_against_long_way(update, *((x, index, 1) for index in both), options={"mode": "clip"})


VALUES = [
    0, 1, -1, 300, 2**40, True, 0.0, -0.0, 1.001, 1e30, 1e300, float("nan"), 1j, None, "a", [1, 2],
    (), np.float64(2.5), np.int8(-3), np.arange(4), np.ones((2, 1)), jnp.int8(3), jnp.ones(4),
    jnp.ones(5), X[0], X[0].astype("bfloat16"), jnp.asarray(2.5), jnp.asarray(-7), np.array(["a"]),
    jax.random.key(0),
]  # fmt: skip


PLACES = [1, (0, slice(1, 3)), np.array([1, 0, 1]), (jnp.array([0, 9]), ..., None)]


@pytest.mark.parametrize(("i", "way"), enumerate(WAYS))
@pytest.mark.parametrize(("j", "dtype"), enumerate(DTYPES))
def test_any_values(i, way, j, dtype):
    """Every way and every dtype at all places, each pair of them at half."""
    x = jnp.where(jnp.isnan(X), 9, X).astype(dtype)
    for index in PLACES[(i + j) % 2 :: 2]:
        for value in VALUES:
            hold_against_long_way(getattr(updates, f"_{way}"), (x, index, value))


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("options", [
    {"mode": "drop"}, {"mode": "clip"}, {"mode": "promise_in_bounds"}, {"mode": "fill"},
    {"mode": "fill", "fill_value": 7}, {"mode": "fill", "fill_value": -0.0}, {"mode": "nonsense"},
    {"wrap_negative_indices": False}, {"mode": jax.lax.GatherScatterMode.CLIP}, {"nonsense": 1},
    {"indices_are_sorted": True, "unique_indices": True},
    {"mode": "fill", "fill_value": jnp.ones(2)},
])  # fmt: skip
def test_any_option(options, x64):
    entries = [0, -1, 1, 2, -3, 2**40, -(2**40), 10**30, np.int64(-1), np.uint8(255), np.int8(-1)]
    entries += [np.array([0, 2, -1]), jnp.array([-2, 1, -3]), np.array([2**40]), jnp.array(0)]
    entries += [np.array([1], "uint64"), np.array([2**64 - 1], "uint64"), np.array(-1, "int8")]
    with jax.enable_x64(x64):
        calls = [(X, entry) for entry in entries] + [(X, (entry, 1)) for entry in entries]
        hold_against_long_way(updates._get, *calls, options=options)
        if "fill_value" not in options:
            hold_against_long_way(updates._add, *((*call, 2.5) for call in calls), options=options)


def test_what_is_no_index_stays_wrong():
    wrong = [1.0, "a", [0, 1], ([0, 1], 0), slice(0.0, 1.0), slice("a"), (0, 0, 0), (..., ...),
             slice(0, 2, 0), X, (0, X), 1j, {}, jnp.array([True, False]), np.array([1.5]), object()]
    right = [True, (True, 0), slice(True, 2), slice(jnp.array(1)), (slice(np.int64(1)), None),
             ((0, 1), 1)]
    hold_against_long_way(getitem, *((X, index) for index in wrong + right))
    hold_against_long_way(updates._add, *((X, index, 1) for index in wrong + right))


def test_an_integer_is_an_operand_and_a_slice_is_not():
    paths_of(getitem).clear()
    for i in range(-2, 2):
        X[i], X[i, 1], X[:, i + 1 :]
    one, two, *slices = paths_of(getitem).values()
    assert getitem.__wrapped__ not in (one, two) and slices == [None] * 4


def test_arrays_of_keys():
    keys = jax.random.split(jax.random.key(0), 4)
    for _ in range(3):
        for index in (1, 9, np.array([0, 2]), ..., (None, slice(1, 3))):
            long_way = getitem.__wrapped__(keys, index)
            assert typeof(keys[index]) is typeof(long_way) and (keys[index] == long_way).all()
        assert (keys.at[1].set(keys[0])[1] == keys[0]).all()


def test_deleted_arrays_are_refused():
    x, i, v = X + 0, jnp.array([1]), jnp.ones(())
    for _ in range(3):
        x[0], x[i], x.at[0].add(v)
    i.delete()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="deleted"):
            x[i]
    v.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        x.at[0].add(v)
    x.delete()
    for call in (lambda: x[0], lambda: x.at[0].add(1.0), lambda: x.at[0].get()):
        with pytest.raises(RuntimeError, match="deleted"):
            call()


def test_results_are_locked_and_operands_stay():
    for _ in range(3):
        row, new = X[0], X.at[0].set(5.0)
        assert not row._value.flags.writeable and not new._value.flags.writeable
    np.testing.assert_array_equal(X[0], [1.5, -0.0, 0.0, -2.0])


def test_under_a_transformation_there_are_no_paths():
    for _ in range(3):
        X[0], X.at[0].add(1.0)
    assert len(jax.make_jaxpr(lambda: X[0])().eqns) == 2
    assert "scatter-add" in str(jax.make_jaxpr(lambda: X.at[0].add(1.0))())
    assert jax.grad(lambda x: X[0] @ x.at[1].add(2.0))(X[0]).shape == (4,)


def test_settings_are_part_of_the_key():
    for x64 in (False, True) * 3:
        with jax.enable_x64(x64), jax.enable_checks():
            out = jnp.arange(3).at[1].add(5)
            assert out.dtype == ("int64" if x64 else "int32") and out[1] == 6
