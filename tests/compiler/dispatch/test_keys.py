"""Calls that differ in one thing: none of them gets what was worked out for another."""

import contextlib
import enum
import itertools
import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.backend import BACKENDS
from minijax.compiler.dispatch.call_keys import MEANINGS, NoPath, operand_key
from minijax.compiler.dispatch.call_paths import Arguments, traced
from minijax.compiler.dispatch.eager import by_types
from minijax.compiler.generated_text import TextWriter
from minijax.core.extend import raw_value, running, typeof
from minijax.core.jitting import JitFunction


class Two(enum.IntEnum):
    TWO = 2


ONES = np.ones(3, "float32")
OPERANDS = [
    2, 2.0, True, 2 + 0j, 0, 0.0, -0.0, False, float("nan"), -float("nan"), complex(0.0, -0.0), 1,
    2**31, 2**70, Two.TWO, None, "a", (), [2.0], (2.0,), [jnp.float32(2)], (jnp.float32(2), 2),
    np.int8(2), np.float32(2), np.float64(2), np.float64(-0.0), np.bool_(True), np.array(2),
    np.array(2.0),
    ONES, ONES.astype(">f4"), ONES.astype("float64"), ONES.astype(int), ONES > 0, ONES[:1],
    jnp.asarray(ONES), jnp.asarray(ONES[:1]), jnp.asarray(2.0), jnp.asarray(2), jnp.float32(2),
    jnp.int32(2), jnp.asarray(ONES, "bfloat16"), jnp.asarray(ONES, "float16"),
    jnp.asarray(ONES > 0), jnp.ones((1, 3)), jnp.ones((3, 0)), jax.random.key(0),
    np.array(["a"]), np.ma.masked_array([1.0]),
]  # fmt: skip
AXES = [
    None, 0, 1, -1, 0.0, -0.0, True, False, np.int64(0), np.int8(1), (0,), [0], (0, 1), [0, 1], (),
    (True,), (0.0,), jnp.asarray(0), np.array(0), Two.TWO, 2, "0", slice(0), ..., (None,),
]  # fmt: skip
SETTINGS = [
    ("jax_enable_x64", True), ("jax_numpy_dtype_promotion", "strict"),
    ("jax_default_matmul_precision", "bfloat16"), ("jax_enable_checks", False),
]  # fmt: skip
M = jnp.arange(6.0).reshape(2, 3)


@pytest.fixture(autouse=True)
def lines_of_numpy(errors_as_raised):
    """Programs run as lines of NumPy, so that the long way gives the same bits, and at once."""
    running.backend = BACKENDS["numpy"]
    yield
    del running.backend


def outcome(fun, args, kwargs):
    """The types and bytes of the results, with the warnings; or the error's class and text."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            out = fun(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    if out is NotImplemented:
        return out
    leaves, tree = jax.tree.flatten(out)
    found = [(typeof(x), raw_value(x).tobytes()) for x in leaves]
    return tree, found, [str(w.message) for w in warned]


def slowly(fun):
    """The function without paths."""
    if type(fun) is JitFunction:
        return lambda *args, **kwargs: fun.cache_miss(args, kwargs)
    if hasattr(fun, "func"):  # a ufunc refuses some options, and calls what goes by paths
        cells = (cell.cell_contents for cell in fun.func.__closure__)
        fun = next(x for x in cells if hasattr(x, "paths"))
    return fun.paths.long_way


def hold_against_long_way(fun, calls):
    """All calls in turn, until each has its path, forwards and backwards."""
    expected = [outcome(slowly(fun), *call) for call in calls]
    for order in (range(len(calls)), reversed(range(len(calls)))):
        jax.clear_caches()
        for i in [i for i in order for _ in range(3)] + list(range(len(calls))):
            assert outcome(fun, *calls[i]) == expected[i], calls[i]


def operator(name):
    return getattr(jax.Array, f"__{name}__")


UNARY = [jnp.sin, jnp.negative, jnp.isnan, jnp.abs, jnp.real, jnp.sign, jax.nn.silu, jnp.ravel]
BINARY = [
    jnp.add, jnp.remainder, jnp.arctan2, jnp.equal, jnp.maximum, jnp.power, jax.nn.leaky_relu,
    jnp.outer, jnp.isclose,
]  # fmt: skip
OPERATORS = ["add", "rsub", "mod", "rfloordiv", "eq", "and", "truediv"]


@pytest.mark.parametrize("fun", UNARY, ids=lambda fun: fun.__name__)
def test_one_operand(fun):
    hold_against_long_way(fun, [((x,), {}) for x in OPERANDS])


@pytest.mark.parametrize("fun", BINARY, ids=lambda fun: fun.__name__)
def test_two_operands(fun):
    few = [OPERANDS[i] for i in range(0, len(OPERANDS), 5)]
    calls = [((x, y), {}) for x, y in itertools.product(few, OPERANDS)]
    hold_against_long_way(fun, calls)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    arrays = [jnp.asarray(ONES), jnp.arange(3), jnp.asarray(2), jnp.asarray(ONES > 0)]
    calls = [((x, y), {}) for x, y in itertools.product(arrays, OPERANDS)]
    hold_against_long_way(operator(name), calls)


@pytest.mark.parametrize("fun", [jnp.sum, jnp.max, jnp.var, jnp.cumsum, jnp.flip, jnp.squeeze,
                                 jax.nn.log_softmax, jnp.expand_dims], ids=lambda fun: fun.__name__)
def test_arguments_whose_value_counts(fun):
    calls = [((M, axis), {}) for axis in AXES] + [((M,), {"axis": axis}) for axis in AXES]
    hold_against_long_way(fun, [*calls, ((M,), {})])


def test_keywords_and_positions():
    bounds = [0.5, 2, None, jnp.float32(1), 0.0, -0.0, True]
    calls = [((M, low, high), {}) for low, high in itertools.product(bounds, bounds)]
    calls += [((M,), {"min": low, "max": high}) for low, high in itertools.product(bounds, bounds)]
    calls += [((M,), {"max": low, "min": high}) for low, high in itertools.product(bounds, bounds)]
    calls += [((M, low), {"max": high}) for low, high in itertools.product(bounds, bounds)]
    hold_against_long_way(jnp.clip, calls)


def test_functions_of_several_arrays():
    parts = [jnp.ones(3), ONES, 2.0, jnp.arange(3), [1.0, 2.0], jnp.ones((1, 3))]
    several = [[x, y] for x, y in itertools.product(parts, parts)]
    several += [tuple(xs) for xs in several] + [[xs] for xs in several[:4]]
    hold_against_long_way(jnp.stack, [((xs,), {}) for xs in several])
    hold_against_long_way(jnp.concatenate, [((xs,), {"axis": 0}) for xs in several])


def in_a_tree(x, y):
    return (x, [jnp.multiply(x, y)])


BOTH_KINDS = {
    "outside jit": lambda static: by_types(in_a_tree, static=static),
    "jitted": lambda static: jax.jit(in_a_tree, static_argnums=static),
}


@pytest.mark.parametrize("static", [(), (1,)])
@pytest.mark.parametrize("kind", BOTH_KINDS)
def test_both_kinds_of_paths(kind, static):
    few = [OPERANDS[i] for i in range(0, len(OPERANDS), 6)]
    calls = [((x, y), {}) for x, y in itertools.product(few, OPERANDS)]
    hold_against_long_way(BOTH_KINDS[kind](static), calls)


def taken_apart(x):
    """The function that says whether an operand differs, as the path of a jitted function asks."""
    unused = dict.fromkeys(("as_runtime_value", "array_of", "quietly"), lambda *args: None)
    text = TextWriter(**MEANINGS, **unused, Array=jax.Array, array=np.array)
    traced(Arguments(text), x, "x")
    text.emit("return True")
    return text.function("is_alike", "x")


def test_both_kinds_tell_the_same_operands_apart():
    keys = []
    for x in OPERANDS:
        with contextlib.suppress(NoPath, TypeError):  # only one kind has paths for it
            keys.append((x, operand_key(x), taken_apart(x)))
    assert len(keys) > 35
    for x, key, is_alike in keys:
        for y, other, _ in keys:
            assert (key == other) is (is_alike(y) is True), (x, y)


@pytest.mark.parametrize("option, value", SETTINGS)
def test_settings(option, value):
    jitted = jax.jit(lambda x, y: x @ jnp.ones(3) + y)
    calls = [((x, y), {}) for x in (jnp.ones(3), jnp.arange(3)) for y in (2, 2.5, ONES[:1])]
    for fun in (jnp.add, jnp.matmul, jitted, operator("mul")):
        plain = [outcome(slowly(fun), *call) for call in calls]
        with jax.config.override(option, value):
            other = [outcome(slowly(fun), *call) for call in calls]
        for _ in range(3):
            assert [outcome(fun, *call) for call in calls] == plain
            with jax.config.override(option, value):
                assert [outcome(fun, *call) for call in calls] == other
