"""Parts as kernels of their own, outside of loops: the interpreter's results, to the bit."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler import doors, executable
from minijax.compiler.executable import Executable
from minijax.compiler.native import caches
from minijax.core.config import config
from minijax.core.jitting import CompileOptions

RANDOM = np.random.default_rng(0)


def numbers(shape, dtype):
    """Few different ones, with NaN and both zeros among floats."""
    x = RANDOM.integers(-4, 5, shape)
    if np.dtype(dtype).kind != "f":
        return jnp.asarray(x % 5 if np.dtype(dtype).kind == "u" else x, dtype)
    x = np.where(RANDOM.random(shape) < 0.1, np.nan, x * RANDOM.choice([-1.0, 1.0], shape))
    return jnp.asarray(x, dtype)


PARTS = {"gather", "cumsum", "cumprod", "cummax", "sort", "top_k", "approx_top_k", "dot_general",
         "argmax", "argmin"}  # fmt: skip


def check(fun, *args, in_kernel=True):
    closed = jax.make_jaxpr(fun)(*args)
    program = Executable(closed, CompileOptions("f", ()))
    left = [str(step.eqn.primitive) for step, source in
            zip(program.steps, program.sources, strict=True) if source is None]  # fmt: skip
    are_left = any(name in PARTS or name.startswith("scatter") for name in left)
    assert are_left != in_kernel, left
    with jax.disable_jit():
        expected = jax.tree.leaves(fun(*args))
    for x, y in zip(program(*args), expected, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_array_equal(x, y)
        if x.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(x), np.signbit(y))
    return program


INDEX = jnp.asarray(RANDOM.integers(-9, 9, (6, 2)), "int32")


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("fun", [
    lambda x: x[INDEX[:, 0]], lambda x: x[INDEX[:, 0], INDEX[:, 1]], lambda x: x[:, INDEX],
    lambda x: x.at[INDEX[:, 0]].get(mode="fill", fill_value=3),
    lambda x: x.at[INDEX[:, 0]].add(x[:6]), lambda x: x.at[INDEX[:, 0], 1].set(x[:6, 0]),
    lambda x: x.at[INDEX[:, 0]].max(x[:6]), lambda x: x.at[INDEX[:, 0]].multiply(2),
    lambda x: x.at[INDEX[:, 0]].add(1, mode="drop"),
    lambda x: jnp.cumsum(x, 0), lambda x: jnp.cumprod(x[:3], 1), lambda x: lax.cummax(x, 1),
    lambda x: lax.cumsum(x, 1, reverse=True),
    lambda x: lax.sort(x), lambda x: lax.sort((x, x + 1), num_keys=2, dimension=0),
])  # fmt: skip
def test_parts(fun, dtype):
    check(fun, numbers((9, 9), dtype))


ROWS = lax.ScatterDimensionNumbers((1,), (0,), (0,))


@pytest.mark.parametrize("scatter", [lax.scatter, lax.scatter_add, lax.scatter_max])
def test_no_window_starts_in_an_empty_array(scatter):
    """Moved inside, it would start before the array: -1 is no place in a kernel."""
    def put(x, i):
        return scatter(x, jnp.stack([i, i])[:, None], jnp.ones((2, 3)), ROWS, mode="clip")

    empty = jnp.zeros((0, 3))
    check(put, empty, jnp.int32(0), in_kernel=False)
    looped = jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, x: put(x, i), x))
    assert looped(empty).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool"])
@pytest.mark.parametrize("k", [1, 2, 5, 32, 33])
def test_the_few_largest(dtype, k):
    x = numbers((4, 40), dtype)
    check(lambda x: lax.top_k(x, k), x, in_kernel=k <= 32)
    check(lambda x: lax.top_k(x, k, axis=0), numbers((40, 3), dtype), in_kernel=k <= 32)
    if dtype == "float32":
        check(lambda x: lax.approx_max_k(x, k), x, in_kernel=k <= 32)
        check(lambda x: lax.approx_min_k(x, k, 0), numbers((40, 3), dtype), in_kernel=k <= 32)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool"])
@pytest.mark.parametrize("function", [jnp.argmax, jnp.argmin])
def test_the_place_of_a_columns_largest(function, dtype):
    """In loops, and outside of them."""
    x = numbers((2, 5, 40), dtype)
    check(lambda x: [function(x, 1), function(x[..., :9], 2)], x)
    check(lambda x: [function(x, 2), function(x[..., :9], 1)], x, in_kernel=False)
    for axis in (0, 1):
        start = function(x, axis).astype("int32")
        loop = jax.jit(lambda x, start, axis=axis: lax.fori_loop(
            0, 1, lambda i, c: function(x, axis).astype("int32"), 0 * start))  # fmt: skip
        np.testing.assert_array_equal(loop(x, start), function(x, axis))


@pytest.mark.usefixtures("on_numba")
def test_rows_are_shared_out_among_threads():
    x, index = numbers((100, 64), "float32"), jnp.asarray(RANDOM.integers(0, 100, 20_000), "int32")
    check(lambda x: x[index], x)
    program = jax.jit(lambda x: x[index]).lower(x).compile().as_text()
    assert "share(kernel" in program


def any_bits(shape, dtype):
    """Numbers of all sizes, half of them with the bits of few."""
    word = f"u{np.dtype(dtype).itemsize}"
    x = RANDOM.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8).view(word)[..., 0]
    if dtype == "bool":
        return jnp.asarray(x % 2 == 0)
    few = np.array(numbers((7,), dtype))[RANDOM.integers(0, 7, shape)].view(word)
    return jnp.asarray(np.where(RANDOM.random(shape) < 0.5, few, x).view(dtype))


# Sorted as others are, by more digits or fewer.
OTHER_SIZES = [
    pytest.param(dtype, marks=pytest.mark.prove)
    for dtype in ("float16", "int16", "int64", "uint32")
]


def bits(x):
    return np.asarray(x).tobytes()


@pytest.mark.parametrize(("n", "axes"), [(32, (0, 1)), (65, (1, 0)), (5000, (0, 1))])
@pytest.mark.parametrize("dtype", [
    "float32", "float64", "int8", "int32", "uint8", "uint64", "bool", *OTHER_SIZES,
])  # fmt: skip
def test_long_rows_are_sorted_by_their_digits(n, axes, dtype):
    """Stable, and each number with its own bits: zeros' signs, and NaNs of all kinds.

    All operands are sorted along both axes, each n has half of these.
    """
    with jax.enable_x64(True):
        x, places = any_bits((2, n), dtype), jnp.broadcast_to(jnp.arange(n), (2, n))
        few = jnp.asarray(RANDOM.integers(0, 3, (2, n)), "int8")
        operands = [((x,), 1), ((x, places), 1), ((few, x, places), 2), ((few, x), 2)]
        for axis, (args, keys) in zip(itertools.cycle(axes), operands):  # noqa: B905
            got = jax.jit(lambda *xs: lax.sort(xs, axis, num_keys=keys))(  # noqa: B023
                *[a if axis else a.T for a in args]
            )
            order = np.lexsort([np.asarray(a, "float32" if dtype == "float16" else None)
                                for a in args[:keys]][::-1], 1)  # fmt: skip
            for a, y in zip(args, got, strict=True):
                expected = np.take_along_axis(np.asarray(a), order, 1)
                assert bits(y if axis else y.T) == bits(expected)
        check(lambda x: lax.sort(x), x)


def test_rows_of_one_digit_and_empty_ones():
    check(lambda x: lax.sort(x), jnp.full((3, 100), 7))
    check(lambda x, y: lax.sort((x, y)), jnp.zeros((3, 100)), numbers((3, 100), "int32"))
    check(lambda x: lax.sort(x), jnp.zeros((0, 100)))
    check(lambda x: lax.sort(x, 0), jnp.zeros((0, 100)))


@pytest.mark.parametrize("odd", [[], [np.nan], [-0.0, 0.0], [0.0, 0.0]])
def test_many_numbers_are_sorted_by_numpy_in_their_order(odd):
    x = RANDOM.permutation(np.append(RANDOM.standard_normal(5000), odd * 3).astype(np.float32))
    with jax.disable_jit():
        got = lax.sort(x)
    assert bits(got) == bits(np.sort(x, kind="stable"))


@pytest.mark.prove
@pytest.mark.parametrize("door", ["direct", "numba"])
def test_digits_by_every_door(door, monkeypatch):
    monkeypatch.setattr(doors, "_kernels", {})
    monkeypatch.setattr(caches, "by_numba", None)  # our translator does them all
    with config.override("jit_kernels", door), jax.enable_x64(True):
        for dtype in ["float32", "int64", "uint64", "bool"]:
            x = any_bits((100,), dtype)
            check(lambda x: [lax.sort(x), *lax.sort((x % 5 if x.dtype.kind == "u" else x, x))], x)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("fun", [
    lambda x: jnp.cumsum(x, 1), lambda x: lax.cummax(x, 2, reverse=True),
    lambda x: jnp.cumsum(x.reshape(7, -1), 0), lambda x: jnp.argmax(x, 1),
    lambda x: jnp.argmin(x[..., :9], 2), lambda x: lax.top_k(x, 3, axis=1),
    lambda x: lax.sort(x, 1), lambda x: lax.sort((x % 3, x), 0), lambda x: lax.sort((x % 3, x)),
])  # fmt: skip
def test_independent_rows_are_shared_out_among_threads(fun, dtype, monkeypatch):
    monkeypatch.setattr(executable, "LARGE", 1)
    program = check(fun, numbers((3, 7, 2000), dtype))
    assert "share(kernel" in program.as_text()


def test_tiny_products_are_kernels_and_others_are_the_librarys():
    x = jnp.asarray(RANDOM.integers(-4, 5, (20, 4, 4)), "float32")
    check(lambda x: x @ x, x)
    check(lambda x: x[0] @ x[1], x)
    check(lambda x: x.reshape(80, 4) @ x.reshape(4, 80), x)
    x = jnp.asarray(RANDOM.integers(-4, 5, (34, 34)), "float32")
    check(lambda x: x @ x, x, in_kernel=False)
