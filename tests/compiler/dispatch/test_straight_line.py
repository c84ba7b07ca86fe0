"""Programs as straight-line NumPy: the interpreter's results, to the bit."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.dispatch.straight_line import (
    NotStraight,
    StraightBackend,
    number_array,
    straight_line,
)
from minijax.compiler.lowerings import lowerings
from minijax.core.extend import Backend, CompileOptions, config, typeof

RANDOM = np.random.default_rng(0)
OPTIONS = CompileOptions("f", ())


def floats(*shape, dtype="float32"):
    return jnp.asarray(RANDOM.standard_normal(shape) * 3, dtype)


X, Y, M = floats(4), floats(4), floats(3, 4)
N, U = jnp.array([-5, 0, 3, 7]), jnp.array([0, 1, 200, 255], "uint8")
SPECIAL = jnp.array([np.nan, np.inf, -np.inf, -0.0, 3e9, -3e9, 0.5, -129.5], "float32")
PROGRAMS = {
    "nothing": (lambda x: (), X), "as it is": (lambda x: x, X), "two": (lambda x: (1, None, x), X),
    "one": (lambda x, y: x + y, X, Y), "scalar": (lambda x: x * 2 + 1, X),
    "number": (lambda x: jnp.sin(x), jnp.float32(2)), "nested": (jnp.remainder, N, jnp.int32(3)),
    "floor": (jnp.floor_divide, N, jnp.int32(-2)), "clip": (lambda x: jnp.clip(x, 0, 1), X),
    "where": (lambda x: jnp.where(x > 0, x, 0.0), M),
    "where not": (lambda x: jnp.where(x > 0, 1, 2), X),
    "softmax": (jax.nn.softmax, M), "relu": (jax.nn.relu, X),
    "spread": (lambda x: jnp.full((2, 2), x), X[0]),
    "repeated": (lambda m: lax.broadcast_in_dim(m, (3, 2, 4), (0, 2)), M),
    "repeated as it lies": (lambda m: lax.broadcast_in_dim(m.T, (4, 3, 2), (0, 1)), M),
    "one repeated": (lambda m: lax.broadcast_in_dim(m[:, :1], (3, 2, 5), (0, 2)) + 1, M),
    "number repeated": (lambda x: lax.broadcast_in_dim(x, (30, 40), ()), jnp.float32(2)),
    "half repeated": (lambda x: lax.broadcast_in_dim(x, (3, 4), (1,)), X.astype("bfloat16")),
    "matmul": (lambda m, x: m @ x, M, X), "vectors": (jnp.dot, X, Y),
    "matrices": (lambda m: m @ m.T, M),
    "batched": (lambda m: lax.dot_general(m, m, (((1,), (1,)), ((0,), (0,)))), M),
    "integers": (lambda i: i @ i, N), "to int": (lambda x: x.astype(int), SPECIAL),
    "to uint8": (lambda x: x.astype("uint8"), SPECIAL),
    "to int8": (lambda x: x.astype("int8"), SPECIAL),
    "to bool": (lambda x: x.astype(bool), SPECIAL),
    "to half": (lambda x: x.astype("float16"), SPECIAL),
    "half": (lambda x: jnp.tanh(x) + x.sum(), floats(5, dtype="float16")),
    "bfloat16": (lambda x: x @ x / 3, floats(5, dtype="bfloat16")),
    "wraps": (lambda u: u * u + 7, U),
    "complex": (lambda x: jnp.abs(x * 1j) / (x + 2j), X), "same": (lambda x: (x, x, 1.0, x + 1), X),
    "select": (lambda i, x: lax.select_n(i > 0, x, -x), N, X),
    "empty": (lambda x: x.sum() + x, jnp.ones(0)),
    "several": (lambda i: lax.select_n(i % 3, i, i + 1, i + 2), N), "keys": (lambda i: i // 0, N),
    "constant": (lambda x: x + jnp.arange(4) * jnp.float32(2), X), "divmod": (jnp.divmod, X, Y),
    "mean": (lambda m: (m - m.mean(0)) / m.std(0), M),
    "two of one call": (lambda m: (lax.sin(m), lax.exp(m)), floats(2, 3)),
    "iota": (lambda x: x + lax.iota(float, 4), X),
}  # fmt: skip


def same_bits(x, y):
    assert typeof(x) is typeof(y)
    np.testing.assert_array_equal(np.asarray(x), np.asarray(y))
    if np.asarray(x).dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(np.asarray(x)), np.signbit(np.asarray(y)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_results_are_the_interpreters(name):
    fun, *args = PROGRAMS[name]
    closed = jax.make_jaxpr(fun)(*args)
    straight_line(closed, [f"x{i}" for i, _ in enumerate(args)], [False] * len(args))  # it can be
    with jax.enable_checks(False):
        got = StraightBackend().compile(closed, OPTIONS)(*args)
    want = Backend().compile(closed, OPTIONS)(*args)
    for x, y in zip(got, want, strict=True):
        same_bits(x, y)
        assert not x._value.flags.writeable


def test_what_is_one_call_is_that_function():
    closed = jax.make_jaxpr(lambda x, y: x + y)(X, Y)
    assert straight_line(closed, ["x0", "x1"], [False, False]) is np.add
    assert straight_line(closed, ["x1", "x0"], [False, False]) is np.add
    closed = jax.make_jaxpr(lambda x, y: y - x)(X, Y)
    assert straight_line(closed, ["x0", "x1"], [False, False]) is not np.subtract


def test_intermediate_results_are_dropped():
    closed = jax.make_jaxpr(lambda x: jnp.sin(jnp.sin(jnp.sin(x))) + x)(X)
    source = straight_line(closed, ["x0"], [False]).source
    assert source.count("del ") == 3 and "del x0" not in source


def test_known_operands_are_computed_when_the_program_is_written():
    closed = jax.make_jaxpr(lambda x: x + lax.add(1.0, 2.0))(X)
    program = straight_line(closed, ["x0"], [False])
    assert program.source.count("=") == 1
    np.testing.assert_array_equal(program(X._value), X + 3)


def test_what_needs_more_than_numpy_is_refused_and_interpreted():
    def loop(x):
        return lax.fori_loop(0, 3, lambda i, x: x * 2, x)

    closed = jax.make_jaxpr(loop)(X)
    with pytest.raises(NotStraight):
        straight_line(closed, ["x0"], [False])
    with jax.enable_checks(False):
        [out] = StraightBackend().compile(closed, OPTIONS)(X)
    np.testing.assert_array_equal(out, X * 8)
    keys = jax.make_jaxpr(jax.random.split)(jax.random.key(0))
    with pytest.raises(NotStraight):
        straight_line(keys, ["x0"], [False])


def test_numbers_are_rounded_once_and_must_fit():
    float32, float16, int32, uint8 = map(np.dtype, ("float32", "float16", "int32", "uint8"))
    assert number_array(1 + 2**-11 + 2**-30, float32, float16) == np.float16(1 + 2**-10)
    assert number_array(-1, int32, uint8) == 255 and number_array(True, uint8, float32) == 1
    assert number_array(2**24 + 1, int32, float32) == 2**24
    assert np.signbit(number_array(-0.0, float32, float32))
    with pytest.raises(OverflowError):
        number_array(2**31, int32, float32)
    with pytest.raises(ValueError):
        number_array(7, int32, float32)[...] = 8  # the next who asks for a 7 gets it


def test_shortcuts_are_for_the_types_that_they_are_for():
    half, single = (jax.ShapeDtypeStruct((3,), dtype).aval for dtype in ("float16", "float32"))
    shortcut = lowerings[lax.dot_general_p].shortcut
    numbers = (((0,), (0,)), ((), ()))
    params = {"dimension_numbers": numbers, "preferred_element_type": None}
    assert shortcut(single, single, **params) is np.matmul
    assert shortcut(half, half, **params) is None
    assert shortcut(single, half, **params) is None


def test_nothing_warns():
    with np.errstate(all="raise"):
        x = jnp.array([1e38, 0.0, -1.0])
        for _ in range(3):
            assert (x * 1e10)[0] == np.inf and jnp.log(x)[1] == -np.inf and np.isnan(jnp.sqrt(x)[2])
            assert (x / 0)[0] == np.inf
    assert config.jax_enable_checks


def test_products_of_any_axes_are_one_call_of_numpys():
    """The shortcut of a product against the primitive's own function, to the bit."""
    rng, found = np.random.default_rng(0), 0
    for k in range(300):
        counts = rng.integers(0, 3, 4)  # of axes: batched, summed over, and those of one alone
        batch, summed, rows, columns = [rng.integers(1, 4, n).tolist() for n in counts]
        orders = [rng.permutation(len(batch + summed + more)) for more in (rows, columns)]
        places = [np.argsort(order).tolist() for order in orders]
        b, c = len(batch), len(batch + summed)
        numbers = tuple(tuple(x[b:c]) for x in places), tuple(tuple(x[:b]) for x in places)
        x, y = [
            rng.integers(-5, 5, [(batch + summed + more)[d] for d in order]).astype(dtype)
            for more, order, dtype in zip((rows, columns), orders, ["fiF"[k % 3]] * 2, strict=True)
        ]  # fmt: skip
        params = {"dimension_numbers": numbers, "preferred_element_type": None}
        shortcut = lowerings[lax.dot_general_p].shortcut(typeof(x), typeof(y), **params)
        if shortcut is not None:
            expected = lax.dot_general_p.numpy_fun(x, y, **params)
            assert (shortcut(x, y).shape, shortcut(x, y).dtype) == (expected.shape, expected.dtype)
            np.testing.assert_array_equal(shortcut(x, y), expected)
            found += 1
    assert found > 100


def test_a_number_that_nobody_reads_must_fit():
    """A product with an array without elements is left out; its other factor is looked at."""
    empty = jnp.zeros((3, 0))
    for _ in range(3):
        assert jax.nn.leaky_relu(empty, 2).shape == (3, 0)
    with pytest.raises(OverflowError):
        jax.nn.leaky_relu(empty, 2**31)
