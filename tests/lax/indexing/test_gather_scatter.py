"""Gather and scatter with any dimension numbers, against loops that say what they mean."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from numerics import directional
from oracle.indexings import indexings

DTYPES = ("float32", "int32", "bool", "bfloat16", "complex64", "uint8")
MODES = ("clip", "fill", "promise_in_bounds")


def windows_of(case, mode):
    """For each window its place in the array of windows, and the index of NumPy's that reads it.

    None where it is not inside, unless the mode moves it there.
    """
    offset, left_out, mapped, batch, indices_batch = case.numbers
    ones = {*left_out, *batch}
    for position in itertools.product(*map(range, case.indices.shape[:-1])):
        starts = [0] * case.operand.ndim
        for d, axis in zip(batch, indices_batch, strict=True):
            starts[d] = position[axis]
        for d, i in zip(mapped, case.indices[position], strict=True):
            starts[d] = int(i)
        ends = [n - m for n, m in zip(case.operand.shape, case.slice_sizes, strict=True)]
        inside = all(0 <= i <= end for i, end in zip(starts, ends, strict=True))
        starts = [min(max(i, 0), end) for i, end in zip(starts, ends, strict=True)]
        index = tuple(
            i if d in ones else slice(i, i + m)
            for d, (i, m) in enumerate(zip(starts, case.slice_sizes, strict=True))
        )
        rest = iter(position)
        place = tuple(
            slice(None) if d in offset else next(rest) for d in range(case.windows.ndim)
        )
        yield place, index if inside or mode == "clip" else None


def gathered(case, mode):
    out = np.full(case.windows.shape, 2, case.operand.dtype)
    for place, index in windows_of(case, "clip" if mode != "fill" else mode):
        if index is not None:
            out[place] = case.operand[index]
    return out


def scattered(case, mode, function):
    out = case.operand.copy()
    for place, index in windows_of(case, mode):
        if index is not None:
            out[index] = function(out[index], case.windows[place])
    return out


def gather(case, mode, *arrays):
    x, i, _ = arrays or case.arrays
    numbers = lax.GatherDimensionNumbers(*case.numbers)
    return lax.gather(x, i, numbers, case.slice_sizes, mode=mode, fill_value=2)


def scatter(function, case, mode, *arrays):
    x, i, y = arrays or case.arrays
    return function(x, i, y, lax.ScatterDimensionNumbers(*case.numbers), mode=mode)


def assert_equal(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(np.asarray(got), want)


@given(indexings(DTYPES), st.sampled_from(MODES))
def test_gather_reads_each_window(case, mode):
    assert_equal(gather(case, mode), gathered(case, mode))


def test_a_window_that_sticks_out_is_outside():
    """Drawn at random, such windows are rare."""
    pairs = (1,), (), (0,)
    x, starts, updates = np.arange(4), np.array([[2], [3]]), np.array([[5, 6], [7, 8]])
    numbers = lax.GatherDimensionNumbers(*pairs)
    filled = lax.gather(x, starts, numbers, (2,), mode="fill", fill_value=-1)
    np.testing.assert_array_equal(filled, [[2, 3], [-1, -1]])
    out = lax.scatter(x, starts, updates, lax.ScatterDimensionNumbers(*pairs))
    np.testing.assert_array_equal(out, [0, 1, 5, 6])


UPDATES = [
    (lax.scatter, lambda x, y: y, DTYPES),
    (lax.scatter_add, np.add, ("float32", "int32", "complex64", "bfloat16")),
    (lax.scatter_sub, np.subtract, ("float32", "int32", "complex64", "uint8")),
    (lax.scatter_mul, np.multiply, ("float32", "int32", "uint8")),
    (lax.scatter_min, np.minimum, ("float32", "int32", "bool", "bfloat16")),
    (lax.scatter_max, np.maximum, ("float32", "int32", "bool", "bfloat16")),
]


@given(st.data(), st.sampled_from(UPDATES), st.sampled_from(MODES))
def test_scatter_updates_window_after_window(data, update, mode):
    function, reference, dtypes = update
    case = data.draw(indexings(dtypes))
    assert_equal(scatter(function, case, mode), scattered(case, mode, reference))


@given(indexings(("float32",)), st.data(), st.sampled_from(MODES))
def test_vmap_is_a_loop(case, data, mode):
    """For a gather and a scatter-add: the operand, the indices, the updates are batched, or not."""
    batched = data.draw(st.lists(st.booleans(), min_size=3, max_size=3).filter(
        lambda flags: any(flags[:2])))  # fmt: skip
    dims = [data.draw(st.integers(0, x.ndim - (n == 1))) if flag else None
            for n, (x, flag) in enumerate(zip(case.arrays, batched, strict=True))]  # fmt: skip
    examples = [
        [x, x[..., ::-1] if n == 1 else x + x.dtype.type(1)] if flag else [x, x]
        for n, (x, flag) in enumerate(zip(case.arrays, batched, strict=True))
    ]
    stacked = [
        xs[0] if d is None else np.stack(xs, d) for xs, d in zip(examples, dims, strict=True)
    ]
    for function in (lambda *xs: gather(case, mode, *xs),
                     lambda *xs: scatter(lax.scatter_add, case, mode, *xs)):  # fmt: skip
        want = jnp.stack([function(*xs) for xs in zip(*examples, strict=True)])
        assert_equal(jax.vmap(function, dims)(*stacked), np.asarray(want))


@settings(max_examples=40)
@given(indexings(("float32",)), st.sampled_from(UPDATES), st.sampled_from(MODES[:2]))
def test_derivatives_are_transposes_of_each_other(case, update, mode):
    """jvp and vjp are the same linear map, and at distinct numbers that of differences."""
    function = update[0]
    if function is lax.scatter_mul:
        return  # only of unique indices: tests/primitive_table.py
    if function in (lax.scatter_min, lax.scatter_max):
        mode = "fill"  # JAX's rule does not see what "clip" moves inside: NaN there
    x, i, y = case.arrays
    numbers = np.random.default_rng(0).permutation(x.size + y.size).astype(np.float32)
    x, y = numbers[: x.size].reshape(x.shape), numbers[x.size :].reshape(y.shape)
    for f in (lambda x, y: gather(case, mode, x, i, y),
              lambda x, y: scatter(function, case, mode, x, i, y)):  # fmt: skip
        dots = np.cos(x), np.sin(y + 1)
        out, out_dot = jax.jvp(f, (x, y), dots)
        ct = np.arange(out.size, dtype=np.float32).reshape(out.shape) - 1
        cts = jax.vjp(f, x, y)[1](ct)
        along = sum(np.vdot(a, b) for a, b in zip(map(np.asarray, cts), dots, strict=True))
        np.testing.assert_allclose(np.vdot(ct, np.asarray(out_dot)), along, rtol=1e-4, atol=1e-3)
        with jax.enable_x64():
            wide = [np.asarray(a, np.float64) for a in (x, y, *dots)]
            want = directional(f, wide[:2], wide[2:])
        np.testing.assert_allclose(np.asarray(out_dot), want, rtol=1e-4, atol=1e-3)


ROW = lax.ScatterDimensionNumbers((), (0,), (0,))


@pytest.mark.parametrize("function", [lax.scatter_min, lax.scatter_max])
def test_an_extreme_shares_the_tangent_among_those_that_reach_it(function):
    x = np.array([1.0, 2.0, 3.0], np.float32)
    y = np.array([2.0, 2.0, 9.0], np.float32)
    places = np.array([[1], [1], [8]])
    of_x, of_y = jax.grad(lambda x, y: function(x, places, y, ROW).sum(), (0, 1))(x, y)
    np.testing.assert_allclose(of_x, [1, 1 / 3, 1], rtol=1e-6)
    np.testing.assert_allclose(of_y, [1 / 3, 1 / 3, 0], rtol=1e-6)


def test_only_the_last_of_several_updates_has_a_gradient():
    places = np.array([[1], [1], [0]])

    def f(x, y):
        return (lax.scatter(x, places, y, ROW) ** 2).sum()

    of_x, of_y = jax.jit(jax.grad(f, (0, 1)))(np.ones(3, np.float32), np.arange(3.0, dtype="f4"))
    np.testing.assert_array_equal(of_x, [0, 0, 2])
    np.testing.assert_array_equal(of_y, [0, 2, 4])


def test_keys_move_too():
    keys = random.split(random.key(0), 3)
    row = lax.GatherDimensionNumbers((), (0,), (0,))
    words = np.asarray(random.key_data(keys))
    outside = lax.gather(keys, np.array([[2], [5]]), row, (1,), mode="fill")
    np.testing.assert_array_equal(random.key_data(outside), [words[2], [2**32 - 1] * 2])
    put = lax.scatter(keys, np.array([[1], [9]]), keys[:2], ROW)
    np.testing.assert_array_equal(random.key_data(put), words[[0, 0, 2]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_at_each_update(dtype):
    many = lax.scatter_add(jnp.ones(1, dtype), np.zeros((300, 1), int),
                           jnp.full(300, 0.01, dtype), ROW)  # fmt: skip
    want = jnp.ones((), dtype)
    for _ in range(300):
        want = want + jnp.array(0.01, dtype)
    assert float(many[0]) == float(want)


def test_an_index_of_eight_bits_reaches_as_far_as_it_can():
    x, i = np.arange(300), np.array([[255], [127]], np.uint8)
    row = lax.GatherDimensionNumbers((), (0,), (0,))
    np.testing.assert_array_equal(lax.gather(x, i, row, (1,), mode="fill"), [255, 127])
    assert lax.scatter(x, i, np.array([-1, -2]), ROW)[255] == -1


def test_scatter_apply_counts_how_often_a_place_is_named():
    x = np.arange(4, dtype=np.float32)
    places = np.array([[1], [1], [3], [1], [9]])
    out = lax.scatter_apply(x, places, lambda a: 2 * a + 1, ROW, update_shape=(5,))
    np.testing.assert_array_equal(out, [0, 15, 2, 7])


def test_programs_are_shared_and_die_with_their_function():
    def text(f):
        return str(jax.make_jaxpr(
            lambda x: [lax.scatter_apply(x, np.array([[1]]), f, ROW, update_shape=(1,))] * 2
        )(np.ones(3, np.float32)))  # fmt: skip

    assert text(jnp.sin) == text(jnp.sin)
    assert math.isclose(float(lax.scatter_apply(
        np.ones(1, np.float32), np.array([[0]]), lambda a: a * 3, ROW, update_shape=(1,))[0]), 3)
