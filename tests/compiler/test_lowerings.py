"""Kernels compute what the interpreter computes: every primitive of lax that has a lowering."""

import re
from functools import partial

import numpy as np
import pytest

import minijax as jax
from kernel_runs import FLAGS, calls, compiled, in_python, run
from minijax import lax
from minijax.compiler.doors import numba_dispatcher
from minijax.compiler.kernels.elements import KERNEL_DTYPES
from minijax.compiler.kernels.fuse import fuse
from minijax.compiler.kernels.loop_nests import kernel_source
from minijax.compiler.lowerings import Lowering, lowerings, register_lowering
from minijax.core.config import config
from minijax.core.extend import numpy_primitive
from minijax.core.tracing import Primitive
from primitive_table import RULES

DTYPES = sorted(map(str, KERNEL_DTYPES))


@pytest.fixture(autouse=True)
def wide_and_without_cache(monkeypatch):
    """64 bits, and every kernel is compiled here."""
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    with jax.enable_x64(True):
        yield


# What no kernel computes, and why.
LEFT_TO_NUMPY = {
    "more than one result": {"rng_bit_generator", "split", "unstack"},
    "other numbers at every call": {"rng_uniform"},
    "a program of its own": {"reduce", "reduce_window", "select_and_scatter"},
    "complex numbers": {"complex", "conj", "imag", "real"},
    "a library's": {"fft"},
    "no numbers": {"after_all", "create_token", "dce_sink"},
    "programs, and marks of them": {"custom_linear_solve", "device_put", "optimization_barrier"},
    "gone when it runs": {
        "all_gather", "all_to_all", "axis_index", "pbroadcast", "pmax", "pmin", "ppermute", "psum",
        "reduce_scatter", "sharding_constraint"},
}  # fmt: skip


def test_a_primitive_has_a_lowering_or_is_left_to_numpy_for_a_reason():
    every = {p for p in (getattr(lax, name) for name in dir(lax)) if isinstance(p, Primitive)}
    kinds = {"template", "view", "index", "loop", "source"}
    left = {p.name for p in every if not any(getattr(lowerings[p], kind) for kind in kinds)}
    assert left == set().union(*LEFT_TO_NUMPY.values())


def test_a_record_is_added_to_and_none_is_made_by_reading():
    p, size = Primitive("own"), len(lowerings)
    assert lowerings[p] == Lowering() and len(lowerings) == size
    register_lowering(p, template="-{0}")
    register_lowering(p, opaque=True)
    assert lowerings.pop(p) == Lowering(template="-{0}", opaque=True)
    with pytest.raises((TypeError, ValueError), match="tempalte"):
        register_lowering(p, tempalte="-{0}")


# Element by element: all pairs of the numbers where something special happens.

MATHS = ("sin cos tan tanh exp exp2 log log1p expm1 logistic rsqrt cbrt erf erfc erf_inv asin acos "
         "atan sinh cosh asinh acosh atanh").split()  # fmt: skip
ONE = ("neg abs sign floor ceil sqrt square is_finite bitwise_not population_count clz").split()
TWO = ("add sub mul div rem max min eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor mulhi "
       "shift_left shift_right_logical shift_right_arithmetic").split()  # fmt: skip


def of_first(function):
    return lambda x, y: function(x)


def of_dtype(function, dtype):
    return lambda x, y: function(x, dtype)


EXACT = {
    **{name: of_first(getattr(lax, name)) for name in ONE},
    **{name: getattr(lax, name) for name in TWO},
    **{name: getattr(lax, f"{name}_p").bind for name in ("eq_to", "le_to", "lt_to")},
    **{f"{p}": of_first(p.bind) for p in (lax.copy_p, lax.stop_gradient_p)},
    **{f"integer_pow {n}": of_dtype(lax.integer_pow, n) for n in (0, 1, 2, 3, 7, 16, -1, -3)},
    **{f"round {way}": of_dtype(lax.round, way) for way in lax.RoundingMethod},
    **{f"to {dtype}": of_dtype(lax.convert_element_type, dtype) for dtype in DTYPES},
    **{f"bits of {dtype}": of_dtype(lax.bitcast_convert_type, dtype) for dtype in DTYPES},
    "select": lambda x, y: lax.select(lax.lt(x, y), x, y),
    "select of one": lambda x, y: lax.select_n_p.bind(lax.lt(x, y), x),
    "select of three": lambda x, y: lax.select_n(lax.convert_element_type(x, "int8"), x, y, x),
    "clamp": lambda x, y: lax.clamp(y, x, lax.rev(y, (0,))),
    "clamp to numbers": lambda x, y: lax.clamp(lax.full_like(x, 0, shape=()), x, x.dtype.type(1)),
    "reduce_precision": lambda x, y: lax.reduce_precision(x, 11, 52),
    "a number": lambda x, y: lax.mul(x, lax.full_like(x, 2, shape=())),
    "the lowest number": lambda x, y: lax.max(x, lax.reduce_max(x[:0], (0,))),
    "powers of two": lambda x, y: lax.pow(x, lax.full_like(x, 2)),
}
OPERATIONS = {
    **EXACT, **{name: of_first(getattr(lax, name)) for name in MATHS},
    "pow": lax.pow, "atan2": lax.atan2,
}  # fmt: skip

# By how many units in the last place the maths of kernels and of the interpreter may differ.
MOST_ULPS = 4


def special_numbers(dtype):
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind == "f":
        info = np.finfo(dtype)
        ends = [float(info.tiny), float(info.smallest_subnormal), float(info.max), np.inf]
        middle = [0, 1, 0.5, 1.5, 2.5, 3.7, 0.3, 1e-6, 7, 88, 127.5, 300, 4e9, 1e19]
        return np.array([*middle, *ends, *(-x for x in (*middle, *ends)), np.nan], dtype)
    info, size = np.iinfo(dtype), 8 * dtype.itemsize
    numbers = [0, 1, 2, 3, 7, size - 1, size, size + 1, 100, 2**53 + 1, 0x5555555555, info.max,
               info.max - 1, info.max // 3, info.min, info.min + 1]  # fmt: skip
    kept = {n for n in (*numbers, *(-n for n in numbers)) if info.min <= n <= info.max}
    return np.array(sorted(kept), dtype)


def pairs(dtype):
    x, y = np.meshgrid(special_numbers(dtype), special_numbers(dtype), indexing="ij")
    return x.ravel(), y.ravel()


def result_type(function, *args):
    """The result's, or None where the function doesn't take such arguments."""
    try:
        return jax.eval_shape(function, *args)
    except (TypeError, ValueError):
        return None


def defined(operations, x, y):
    """Those that take these dtypes, number by number."""
    types = {name: result_type(function, x, y) for name, function in operations.items()}
    return {name: operations[name] for name, aval in types.items()
            if aval is not None and aval.shape == x.shape}  # fmt: skip


def ulps(got, want):
    """The distance of floats in units in the last place; numbers too small to be normal are 0."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.abs(want), np.finfo(want.dtype).tiny))
        close = np.abs(got - want) / unit
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(same, 0, np.where(np.isfinite(close), close, np.inf))


def is_minus_zero(x):
    return (x == 0) & np.signbit(x)


def assert_same(name, got, want, most_ulps):
    assert (got.shape, got.dtype) == (want.shape, want.dtype), name
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want, name)
    else:
        assert ulps(got, want).max(initial=0) <= most_ulps, name
        if name not in ("max", "min", "clamp", "clamp to numbers"):  # which take either zero
            seen = (want == 0) | (np.abs(want) >= np.finfo(want.dtype).tiny)
            np.testing.assert_array_equal(
                is_minus_zero(got[seen]), is_minus_zero(want[seen]), name)  # fmt: skip


def check(operations, dtype, make):
    x, y = pairs(dtype)
    functions = defined(operations, x, y)
    closed = jax.make_jaxpr(lambda x, y: [f(x, y) for f in functions.values()])(x, y)
    out, steps = run(closed, (x, y), make)
    assert calls(steps) == set()
    for (name, function), got in zip(functions.items(), out, strict=True):
        exact = name in EXACT and name != "powers of two"
        assert_same(name, got, np.asarray(function(x, y)), 0 if exact else MOST_ULPS)
    return set(functions)


def test_as_python():
    """The text of a kernel is a function of Python's too, with equal results."""
    seen = [check(OPERATIONS, dtype, in_python) for dtype in DTYPES]
    assert set().union(*seen) == set(OPERATIONS)


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiled(dtype):
    check(OPERATIONS if dtype == "float32" else EXACT, dtype, compiled)


# Another way to read an array.

VIEWS = {
    "slice": lambda x: lax.slice(x, (1, 0, 0), (3, 5, 4), (1, 2, 3)),
    "one": lambda x: lax.slice(x, (0, 3, 0), (3, 4, 4)),
    "one, squeezed": lambda x: lax.squeeze(lax.slice(x, (2, 0, 0), (3, 5, 4)), (0,)),
    "rev": lambda x: lax.rev(x, (0, 2)),
    "rev of a slice": lambda x: lax.rev(lax.slice(x, (0, 1, 1), (3, 5, 4), (2, 3, 1)), (1, 2)),
    "transpose": lambda x: lax.transpose(lax.rev(x, (1,)), (2, 0, 1)),
    "slice of a transpose": lambda x: lax.slice(
        lax.transpose(x, (1, 2, 0)), (1, 1, 0), (5, 4, 3), (2, 2, 2)),
    "broadcast": lambda x: lax.broadcast_in_dim(x, (3, 2, 5, 4), (0, 2, 3)),
    "broadcast of a part": lambda x: lax.broadcast_in_dim(
        lax.slice(x, (1, 0, 0), (2, 5, 4)), (3, 5, 4), (0, 1, 2)),
    "reshape": lambda x: lax.rev(lax.reshape(x, (3, 1, 5, 4)), (0, 1, 2)),
    "nothing": lambda x: lax.slice(x, (1, 0, 0), (1, 5, 4)),
    "iota": lambda x: lax.add(x, lax.broadcasted_iota(x.dtype, x.shape, 1)),
    "iota, reversed": lambda x: lax.rev(lax.broadcasted_iota(x.dtype, (300, 2), 0), (0,)),
}  # fmt: skip


@pytest.mark.parametrize("make", [in_python, compiled])
def test_views(make):
    """Read through where they are needed: here, by a product."""
    functions = [lambda x, f=f: lax.mul(f(x), f(x)) for f in VIEWS.values()]
    for dtype in ("int8", "float32"):
        x = np.random.default_rng(0).integers(-9, 9, (3, 5, 4)).astype(dtype)
        closed = jax.make_jaxpr(lambda x: [f(x) for f in functions])(x)
        out, steps = run(closed, (x,), make)
        assert not calls(steps)
        for name, f, got in zip(VIEWS, functions, out, strict=True):
            assert_same(name, got, np.asarray(f(x)), 0)


@pytest.mark.parametrize("make", [in_python, compiled])
def test_two_dimensions_of_an_operand_may_follow_one_axis(make, monkeypatch):
    """No view of the package's is such: a diagonal, whose strides add up."""
    diagonal_p = numpy_primitive("diagonal", lambda x: x.update(shape=x.shape[:1]), np.diagonal)
    register_lowering(diagonal_p, view=lambda places, shape: [*places, *places])
    x = np.arange(36, dtype=np.float32).reshape(6, 6)
    closed = jax.make_jaxpr(lambda x: lax.neg(diagonal_p.bind(x)))(x)
    [got], steps = run(closed, (x,), make)
    assert not calls(steps)
    assert_same("diagonal", got, -np.diagonal(x), 0)


# Reductions.

REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or",
              "reduce_xor")  # fmt: skip
AXES = [((4, 5), (1,)), ((4, 5), (0,)), ((4, 70), (0, 1)), ((2, 3, 4), (1, 2)), ((1, 5, 1), (0, 1)),
        ((2, 3, 4), (1,)), ((0, 3), (0,)), ((3, 0), (1,)), ((7,), (0,))]  # fmt: skip


def numbers(dtype, shape):
    random = np.random.default_rng(len(shape))
    if dtype == "bool":
        return random.random(shape) < 0.7
    if dtype.startswith("float"):
        x = random.normal(size=shape).astype(dtype)
        x.flat[4:5], x.flat[9:10], x.flat[13:14] = np.nan, np.inf, -np.inf
        return x
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def check_reductions(dtype, shape, axes, make):
    x = numbers(dtype, shape)
    every = {name: partial(getattr(lax, name), axes=axes) for name in REDUCTIONS}
    functions = {name: f for name, f in every.items() if result_type(f, x) is not None}
    closed = jax.make_jaxpr(lambda x: [f(x) for f in functions.values()])(x)
    out, steps = run(closed, (x,), make)
    assert not calls(steps)
    for (name, f), got in zip(functions.items(), out, strict=True):
        most = 0 if name in ("reduce_max", "reduce_min") else 1e-5
        np.testing.assert_allclose(got, f(x), most, most, err_msg=f"{name} {shape} {axes}")
        assert got.dtype == x.dtype
    return set(functions)


def test_reductions_as_python():
    seen = [check_reductions(dtype, *at, in_python) for dtype in DTYPES for at in AXES]
    assert set().union(*seen) == set(REDUCTIONS)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint64", "bool"])
def test_reductions_compiled(dtype):
    for shape, axes in AXES[:5]:
        check_reductions(dtype, shape, axes, compiled)


def first_source(f, x):
    jaxpr = jax.make_jaxpr(f)(x).jaxpr
    return kernel_source(fuse(jaxpr)[0], jaxpr.outvars)


@pytest.mark.parametrize("name", ["reduce_max", "reduce_sum", "reduce_prod"])
def test_a_reduction_of_floats_is_made_of_vectors(name):
    source = first_source(lambda x: getattr(lax, name)(x, (0,)), np.ones(1000, np.float32))
    dispatcher = numba_dispatcher(source.text, "kernel", source.signature, FLAGS, "<kernel>")
    [code] = dispatcher.inspect_llvm().values()
    operation = {"reduce_max": "@llvm.maximum", "reduce_sum": "fadd", "reduce_prod": "fmul"}[name]
    assert re.search(rf"{operation}.*<\d+ x float>|<\d+ x float> {operation}", code)


def test_beside_a_sum_the_order_of_other_operations_is_kept():
    """Or what is added to be taken away again would do nothing, and constants become infinite."""
    big, small = np.float32(1e8), np.float32(1e-30)

    def f(x):
        rounded = (x + big) - big
        vanished = x * small * small / small / small
        return lax.reduce_sum(rounded, (0,)), lax.reduce_sum(vanished, (0,))

    x = np.linspace(0.1, 3, 1000, dtype=np.float32)
    out, _ = run(jax.make_jaxpr(f)(x), (x,), compiled)
    assert out == [0, 0]


@pytest.mark.parametrize("door", ["direct", "numba"])
def test_a_zero_keeps_its_sign(door):
    """Or 1 / (x + 0.0) would be another infinity than without jit."""

    def f(x, zero):
        return x + 0.0, 0.0 - x, 0.0 + -x, (x - zero) * 2.0, 1.0 / (x + zero)

    args = np.float32([-0.0, 0.0, 1.0, -1.0]), np.float32([0.0, 0.0, -0.0, 1.0])
    with config.override("jit_kernels", door):
        out, _ = run(jax.make_jaxpr(f)(*args), args, compiled)
    with np.errstate(divide="ignore"):
        for found, expected in zip(out, f(*args), strict=True):
            np.testing.assert_array_equal(found.view("int32"), expected.view("int32"))


# What the table of primitives has, as Python.


def arguments(rule, shapes, dtype):
    random = np.random.default_rng(len(rule.name))
    if dtype == "bool":
        return [random.random(shape) < 0.5 for shape in shapes]
    if not dtype.startswith("float"):
        return [random.integers(1, 9, shape).astype(dtype) for shape in shapes]
    return [random.uniform(*rule.domain, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rules_of_the_table(rule):
    for dtype in set(rule.dtypes) & set(DTYPES):
        for shapes in rule.shapes:
            args = arguments(rule, shapes, dtype)
            out, _ = run(jax.make_jaxpr(rule.function)(*args), args, in_python)
            assert_same(rule.name, out[0], np.asarray(rule.function(*args)), MOST_ULPS)


# Reductions of a reader's own, whose rows name functions that kernels have, or don't.


@pytest.fixture
def reduction(monkeypatch):
    """A primitive, the chance that one of several events happens, and how to give it a row."""
    p = numpy_primitive(
        "any_of", lambda x, axes: x.update(shape=tuple(np.delete(x.shape, axes).tolist())),
        lambda x, axes: 1 - np.prod(1 - x, axes))  # fmt: skip

    def give(template):
        register_lowering(p, start=lambda dtype: 0, template=template)
        jax.clear_caches()

    return p, give


@pytest.mark.parametrize("shape, axes", [((4, 10), (1,)), ((1 << 20,), (0,))])
@pytest.mark.parametrize("template, steps", [
    ("no_such_{t}({0}, {1})", ["kernel", "call"]), ("{0} + {1} - {0} * {1}", ["kernel"])])
@pytest.mark.usefixtures("on_numba")
def test_a_reducer_that_kernels_lack_is_numpys(template, steps, shape, axes, reduction):
    p, give = reduction
    give(template)
    x = jax.numpy.linspace(0, 1e-6, int(np.prod(shape))).reshape(shape)
    traced = jax.jit(lambda x: p.bind(x * 2, axes=axes)).trace(x)
    if len(shape) > 1:
        found = fuse(traced.jaxpr.jaxpr)
        assert [str(step).split()[0].rstrip(":") for step in found] == steps
    got = jax.jit(lambda x: p.bind(x * 2, axes=axes))(x)
    np.testing.assert_allclose(got, p.bind(x * 2, axes=axes), rtol=1e-4)
