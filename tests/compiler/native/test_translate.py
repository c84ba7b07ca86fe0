"""Kernels translated here beside kernels translated by Numba: the same numbers, to the bit."""

import ast
import ctypes
import gc
import inspect
import os
import re
import subprocess
import sys
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llvmlite.binding import ffi, newpassmanagers

from minijax.compiler import doors, kernel_functions
from minijax.compiler.native import caches, machine_code
from minijax.compiler.native.function_texts import text_of
from minijax.compiler.native.scalars import Refused
from minijax.compiler.native.translate import helper, translate
from minijax.core.config import config

FLAGS = frozenset({"contract"})
INTEGERS = [f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]


def signature_of(arrays, numbers):
    return (*(f"{x.dtype}[::1]" for x in arrays), *["int64"] * numbers)


def by_numba(source, signature):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return doors.by_numba(source, "kernel", signature, FLAGS).call


def directly(source, signature):
    code = machine_code.native_code(source, "kernel", signature, FLAGS)
    return machine_code.load("kernel", *code)


def results(make, source, arrays, outs, numbers=()):
    """What a kernel writes into arrays like `outs`."""
    outs = [np.zeros_like(x) for x in outs]
    signature = signature_of([*arrays, *outs], len(numbers))
    make(source, signature)(*arrays, *outs, *numbers)
    return outs


def same(x, y):
    """To the bit, but for which NaN it is."""
    if x.dtype.kind == "f":
        nan = np.isnan(x)
        np.testing.assert_array_equal(nan, np.isnan(y))
        x, y = np.where(nan, 0, x), np.where(nan, 0, y)
    np.testing.assert_array_equal(x.view(f"u{x.dtype.itemsize}"), y.view(f"u{y.dtype.itemsize}"))


def assert_same(source, arrays, outs, numbers=()):
    here = results(directly, source, arrays, outs, numbers)
    for x, y in zip(here, results(by_numba, source, arrays, outs, numbers), strict=True):
        same(x, y)


def is_refused(source, signature):
    try:
        translate(source, "kernel", signature, FLAGS, kernel_functions.kernel_names())
    except Refused:
        return True
    return False


# Numbers of all kinds.

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -1.5, 2.0, 3.0, 1e-40, -1e-40,
           5e-324, 1e30, -1e30, 1e-30, 0.41421356, 700.0, -90.0]  # fmt: skip


def numbers_of(dtype, size=512, seed=0):
    """Special ones, then random ones of all sizes."""
    dtype, random = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.random(size) < 0.5
    if dtype.kind == "f":
        signs = random.choice([-1, 1], size)
        numbers = signs * np.exp(random.normal(size=size) * random.choice([0.5, 3, 20], size))
        numbers[: len(SPECIAL)] = random.permutation(SPECIAL)
        with np.errstate(over="ignore", under="ignore"):
            return numbers.astype(dtype)
    info = np.iinfo(dtype)
    edges = np.array([0, 1, info.max, info.min, 2, info.max - 1, info.min + 1], dtype)
    if dtype.kind == "i":
        edges = np.append(edges, dtype.type(-1))
    numbers = random.integers(info.min, info.max, size, dtype, endpoint=True)
    small = random.integers(0 if dtype.kind == "u" else -9, 9, size).astype(dtype)
    numbers = np.where(random.random(size) < 0.5, numbers, small)
    return np.where(random.random(size) < 0.3, random.choice(edges, size), numbers)


def elementwise(expression, arity):
    return elementwise_text([expression], arity)


def elementwise_text(expressions, arity):
    """A kernel that computes expressions of a, b, ..., the elements of its arrays."""
    names = [f"x{k}" for k in range(arity)] + [f"y{k}" for k in range(len(expressions))]
    lines = [f"{chr(97 + k)} = x{k}[i]" for k in range(arity)]
    lines += [f"y{k}[i] = {expression}" for k, expression in enumerate(expressions)]
    lines = "".join(f"        {line}\n" for line in lines)
    return f"def kernel({', '.join(names)}, n0):\n    for i in range(n0):\n{lines}"


def elementwise_all(expressions, arrays, dtype):
    """The text, and what to call it with."""
    outs = [np.zeros(512, dtype) for _ in expressions]
    return elementwise_text(expressions, len(arrays)), arrays, outs, [512]


# The functions that kernels call.


ONE = """exp exp2 expm1 log log1p tanh logistic sinh cosh asinh acosh atanh sin cos tan asin acos
atan rsqrt cbrt erf erfc erf_inv sign round_half_away""".split()
TWO = "pow atan2 maximum minimum added multiplied".split()


@pytest.mark.prove
@pytest.mark.parametrize("t", ["f32", "f64"])
def test_functions_of_vector_maths_give_the_same_bits(t):
    """All in one kernel: what stands for half of Numba's time is its start."""
    dtype = {"f32": "float32", "f64": "float64"}[t]
    calls = [f"{name}_{t}(a)" for name in ONE] + [f"{name}_{t}(a, b)" for name in TWO]
    assert_same(*elementwise_all(calls, [numbers_of(dtype, seed=k) for k in (1, 2)], dtype))


def test_threefry():
    words = [numbers_of("uint32", seed=k) for k in range(4)]
    source = elementwise("threefry2x32(a, b, c, d)[0] ^ threefry2x32(a, b, c, d)[1]", 4)
    assert_same(source, words, [np.zeros(512, np.uint32)], [512])


def test_a_callee_keeps_its_own_flags():
    """A product whose rounding counts isn't made part of a sum, nor are sums reordered."""
    source = elementwise("two_product_f32(a, b)[1] - b", 2)
    text = translate(source, "kernel", ("float32[::1]",) * 3 + ("int64",),
                     FLAGS | {"reassoc"}, kernel_functions.kernel_names())  # fmt: skip
    lines = [line.split("=")[1].split() for line in text.splitlines() if " fmul " in line]
    assert lines and all(line[:2] == ["fmul", "float"] for line in lines)
    assert "fsub contract reassoc float" in text


# Operators.

BINARY = ["a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a & b", "a | b", "a ^ b",
          "a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "max(a, b)", "min(a, b)",
          "a if a < b else b", "a < b and b != a", "not a == b or a > b"]  # fmt: skip
UNARY = ["-a", "~a", "not a", "abs(a)", "a + 1", "a * 2", "a == 0", "0 if a else 1", "a // 3",
         "a % 5", "a - 1.5", "np.floor(a)", "np.ceil(a)", "np.sqrt(a)", "np.rint(a)", "np.trunc(a)",
         "np.isfinite(a)", "a << 3", "a >> 2", "a if a > 0 else 1.0", *[
             f"{dtype}(a)" for dtype in DTYPES if dtype != "bool"]]  # fmt: skip


def assert_alike(expressions, arrays):
    """Those that are not refused give the same; in one kernel each for both doors."""
    dtypes = [str(x.dtype) for x in arrays]
    out = np.zeros(512, "float64" if "f" in "".join(x.dtype.kind for x in arrays) else "int64")
    taken = []
    for expression in expressions:
        source = elementwise(expression, len(arrays))
        if "float" in dtypes[0] and expression.startswith(("int", "uint")):
            continue  # out of range: anything
        if not is_refused(source, signature_of([*arrays, out], 1)):
            taken.append(expression)
    if taken:
        assert_same(*elementwise_all(taken, arrays, out.dtype))
    return taken


KEPT = [f"{{0}}(a {operator} b)" for operator in ("+", "-", "*", "&", "|", "^", "//")]


@pytest.mark.prove
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_on_one_dtype(dtype):
    taken = assert_alike(BINARY, [numbers_of(dtype, seed=1), numbers_of(dtype, seed=2)])
    assert len(taken) >= {"b": 10, "f": 12}.get(np.dtype(dtype).kind, 20)
    assert len(assert_alike(UNARY, [numbers_of(dtype)])) >= 5


@pytest.mark.prove
@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_bits_that_a_type_keeps(dtype):
    """Of its own sums and products, and of those with a longer type."""
    kept = [text.format(dtype) for text in KEPT]
    for other in (dtype, "int64"):
        arrays = [numbers_of(dtype, seed=1), numbers_of(other, seed=2)]
        assert len(assert_alike(kept, arrays)) >= (6 if other == dtype else 3)


@pytest.mark.prove
@pytest.mark.parametrize("k", range(len(DTYPES)))
def test_operators_on_two_dtypes(k):
    """Every pair, in one of its two orders."""
    for other in range(k + 1, len(DTYPES)):
        pair = (k, other) if (k + other) % 2 else (other, k)
        arrays = [numbers_of(DTYPES[i], seed=seed) for seed, i in enumerate(pair)]
        assert_alike(BINARY, arrays)


@pytest.mark.prove
@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_within_range(dtype):
    counts = (numbers_of("uint8") % 8).astype(dtype)
    taken = assert_alike(["a << b", "a >> b", f"{dtype}(a >> b)"], [numbers_of(dtype), counts])
    assert len(taken) == 3


@pytest.mark.prove
@pytest.mark.parametrize(("dtype", "other"), [("float32", "int32"), ("float64", "int64"),
                                              ("float64", "uint64"), ("int32", "uint32")])
def test_the_same_bits_as_another_type(dtype, other):
    for a, b in ((dtype, other), (other, dtype)):
        source = elementwise(f"{a}(a).view({b})", 1)
        assert_same(source, [numbers_of(a)], [np.zeros(512, b)], [512])


@pytest.mark.prove
def test_remainders_of_floats():
    for dtype in FLOATS:
        source = elementwise("np.fmod(a, b)", 2)
        arrays = [numbers_of(dtype, seed=1), numbers_of(dtype, seed=2)]
        assert_same(source, arrays, [np.zeros(512, dtype)], [512])


# Expressions at random.


def expressions(kind):
    """Of a, b (float32 or int32) and c (bool), closed under casts as kernels have them."""
    leaves = {"f": ["a", "b", "float32(0.1)", "float32(-2.5)", "float32(np.inf)"],
              "i": ["a", "b", "int32(7)", "int32(-1)", "int32(i)"]}[kind]  # fmt: skip
    name = {"f": "float32", "i": "int32"}[kind]

    def more(inner):
        wrap = (lambda text: text) if kind == "f" else (lambda text: f"{name}({text})")
        tests = st.builds("({} {} {})".format, inner,
                          st.sampled_from(["<", "<=", "==", "!=", ">"]), inner)  # fmt: skip
        tests = st.one_of(tests, st.just("c"), st.builds("(not {} and c)".format, tests),
                          st.builds("({} | c)".format, tests))  # fmt: skip
        operators = ["+", "-", "*"] + (["/"] if kind == "f" else ["//", "%", "&", "|", "^"])
        binary = st.builds("({} {} {})".format, inner, st.sampled_from(operators), inner)
        calls = ["abs({})", "(-{})"]
        calls += ["np.floor({})", "exp_f32({})", "tanh_f32({})"] if kind == "f" else ["(~{})"]
        unary = st.builds(str.format, st.sampled_from(calls), inner)
        choice = st.builds("({1} if {0} else {2})".format, tests, inner, inner)
        two = "maximum_f32({}, {})" if kind == "f" else "max({}, {})"
        return st.one_of(binary.map(wrap), unary.map(wrap), choice,
                         st.builds(two.format, inner, inner))  # fmt: skip

    return st.recursive(st.sampled_from(leaves), more, max_leaves=8)


@pytest.mark.prove
@settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(expressions("i"), min_size=8, max_size=8))
def test_random_expressions_of_integers(texts):
    """Eight at a time: Numba is slow."""
    agree(texts, "int32")


@pytest.mark.prove
@settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(expressions("f"), min_size=8, max_size=8))
def test_random_expressions_of_floats(texts):
    agree(texts, "float32")


def agree(texts, dtype):
    arrays = [numbers_of(dtype, seed=1), numbers_of(dtype, seed=2), numbers_of("bool")]
    call = elementwise_all([f"{dtype}({text})" for text in texts], arrays, dtype)
    here, there = results(directly, *call), results(by_numba, *call)
    for x, y in zip(here, there, strict=True):
        if dtype == "int32":
            same(x, y)
        else:  # which product of a sum is fused is the compiler's choice; a difference may vanish
            close = np.isclose(x, y, rtol=1e-5, atol=1e-30, equal_nan=True)
            assert np.mean(close) > 0.97, texts


# Statements.

SUMS = """def kernel(x0, y0, n0, n1):
    for i0 in range(n0):
        x0_1 = x0[i0 * n1:i0 * n1 + n1]
        v1 = float32(0.0)
        v2 = float32(-np.inf)
        for i1 in range(n1):
            v1 = added_f32(v1, x0_1[i1])
            v2 = maximum_f32(v2, x0_1[i1])
        y0[i0] = v1 / v2
"""
PARTS = """@part
def part0(x0, y0, n0):
    for i0 in range(n0):
        y0[i0] = int32(x0[i0] * int32(3) + 1)


@part
def part1(x0, n0):
    found = False
    for i0 in range(n0):
        found = found | (x0[i0] < 5000)
    return found


def kernel(x0, y0, t0):
    part0(x0, y0, 4)
    while True:
        if not part1(y0, 4):
            break
        part0(y0, t0, 4)
        if t0[0] <= 0:
            y0[3] = -1
            break
        elif t0[0] == 1:
            pass
        else:
            part0(t0, y0, 4)
"""
STEPS = """def kernel(x0, y0, n0):
    for i in range(1, n0 - 1, 3):
        a, b = x0[i], x0[i - 1]
        r = y0[i:i + 2]
        for k in (a, b):
            r[1] = x0[i] if k > a else k
        r[0] = a + b
    y0[0] = x0[i]
"""
BOOLS = """def kernel(x0, x1, y0, n0):
    for i in range(n0):
        y0[i] = x0[i] and not x1[i] or 2 <= i < 5
"""


@pytest.mark.prove
def test_sums_and_extremes_of_rows():
    x = numbers_of("float32", 60)[20:].clip(-9, 9)
    here, there = (results(make, SUMS, [x], [np.zeros(4, np.float32)], [4, 10])[0]
                   for make in (directly, by_numba))  # fmt: skip
    np.testing.assert_allclose(here, there, rtol=1e-6)


@pytest.mark.prove
@pytest.mark.parametrize("first", [1, 0, 2000])
def test_parts_loops_and_choices(first):
    x = np.array([first, 4, 7, 11], np.int32)
    assert_same(PARTS, [x], [np.zeros(4, np.int32)] * 2)


@pytest.mark.prove
@pytest.mark.parametrize("size", [3, 4, 40])
def test_steps_slices_and_tuples(size):
    x = numbers_of("float32", 64)
    assert_same(STEPS, [x], [np.zeros(64, np.float32)], [size])


def test_bools_are_bytes_in_memory():
    arrays = [numbers_of("bool", 64, 1), numbers_of("bool", 64, 2)]
    assert_same(BOOLS, arrays, [np.zeros(64, bool)], [64])


def test_a_side_that_is_not_chosen_reads_nothing():
    source = "def kernel(x0, y0, n0):\n    y0[0] = x0[n0] if n0 < 2 else float32(5)\n"
    kernel = directly(source, ("float32[::1]",) * 2 + ("int64",))
    x, y = np.ones(2, np.float32), np.zeros(1, np.float32)
    kernel(x, y, 2**40)
    assert y[0] == 5
    kernel(x, y, 1)
    assert y[0] == 1


# What is refused: Numba compiles it.

REFUSED = [
    "y0[0] = x0[0] ** x0[1]", "y0[0] = x0[0] // x0[1]", "y0[0] = ~True", "y0[0] = True + True",
    "y0[0] = x0[0] and x0[1]", "y0[0] = max(x0[0], x0[1])", "x0 = 1", "v = 1; v = 1.5",
    "for i in range(4, 0, -1): pass", "for i in x0: pass", "while x0[0] > 0: pass",
    "y0[0] = len(x0)", "y0[0] = x0[1.5]", "y0[0] = np.exp(x0[0])", "y0[0] = x0",
    "y0[0] += 1", "y0[0] = unknown", "y0[0] = x0[::2][0]", "y0[0] = int8(1) + x0[0]",
    "y0[0] = uint64(n0) < n0", "y0[0] = uint64(n0) if n0 > 0 else n0", "y0[0] = 2**70",
    "y0[0] = f'{n0}'", "y0[0] = (lambda x: x)(n0)", "y0[0] = x0.view(int32)",
    "y0[0] = round(x0[0], ndigits=1)", "return 1; y0[0] = 1", "y0[0] = (1, 2)",
    "a = b = 1", "y0[0] = [1]", "y0[0] = single_high[n0]", "y0[0] = exp_f32(1, 2)", "break",
    "product_f32(x0, 111, 1, x0, 111, 1, y0, 1, 1, 1)", "y0[0] = x0.ctypes",
    "product_f32(n0, 111, 1, x0, 111, 1, y0, 1, 1, 1, 1)",
    "product_f32(x0, 111, x0, x0, 111, 1, y0, 1, 1, 1, 1)",
]  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_sure_is_refused(line):
    source = f"def kernel(x0, y0, n0):\n    {line}\n"
    assert is_refused(source, ("float32[::1]",) * 2 + ("int64",))


def test_numba_compiles_what_is_refused(monkeypatch, told):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    source = "def kernel(x0, y0, n0):\n    y0[0] = x0[0] ** x0[1]\n"
    kernel = doors.compile_source(source, "kernel", ("float64[::1]",) * 2 + ("int64",), FLAGS)
    y = np.zeros(1)
    kernel(np.array([2.0, 10.0]), y, 1)
    assert y[0] == 1024 and told == ["translator"]


# Texts.


def test_the_text_of_a_function_is_that_of_its_file():
    functions = [f for f in kernel_functions.kernel_names().values() if hasattr(f, "fastmath")]
    for fun in functions:
        if not hasattr(fun, "source"):
            texts = inspect.getsource(fun), text_of(fun)
            [wanted], [found] = (ast.parse(text).body for text in texts)
            wanted.decorator_list = []
            assert ast.dump(wanted) == ast.dump(found)
    assert len(functions) > 100


# What grows with the number of kernels, calls and arguments.


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="glibc alone counts")
def test_a_compiled_kernel_leaves_little_behind():
    """90 kB, while LLVM's passes were never freed. What is left, 1.5 kB, llvmlite has lost."""
    class Counts(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost")]  # fmt: skip

    counts = ctypes.CDLL(None).mallinfo2
    counts.restype = Counts

    def held(kernels):
        for k in kernels:
            source = elementwise(f"exp_f32(a) * float32({k}.5)", 1)
            directly(source, signature)
        gc.collect()
        found = counts()
        return found.uordblks + found.hblkhd

    signature = ("float32[::1]", "float32[::1]", "int64")
    before = held(range(3))
    assert (held(range(3, 13)) - before) / 10 < 10_000


def test_a_pass_manager_is_freed_once(monkeypatch):
    """Also where llvmlite's own `close` should come to free it."""
    freed, library = [], machine_code.unlocked()

    def dispose(manager):
        freed.append(manager)
        library.dispose(manager)

    counting = SimpleNamespace(**{**vars(library), "dispose": dispose})
    monkeypatch.setattr(machine_code, "unlocked", lambda: counting)
    monkeypatch.setattr(newpassmanagers.ModulePassManager, "_dispose", freed.append)
    identity = "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n"
    machine_code.optimized(identity, machine_code.host_machine())
    gc.collect()
    [manager] = freed
    assert manager.closed


@pytest.mark.parametrize(("start", "total"), [
    ("float32(-np.inf)", "maximum_f32({}, {})"), ("float32(np.inf)", "minimum_f32({}, {})"),
    ("int32(0)", "int32({} + {})"), ("int8(0)", "int8({} + {})"),
])  # fmt: skip
def test_a_total_of_chosen_numbers_is_made_of_vectors(start, total):
    """LLVM made a choice of totals of it, and computed one number after the other."""
    dtype = start.split("(")[0]
    source = f"""def kernel(x0, x1, y0, n0):
    v0 = {start}
    for i0 in range(n0):
        v1 = x0[i0]
        v2 = x1[i0]
        v3 = v2 if v1 else {start}
        v0 = {total.format("v0", "v3")}
    y0[0] = v0
"""
    signature = "bool[::1]", f"{dtype}[::1]", f"{dtype}[::1]", "int64"
    module, _ = machine_code.module_of(source, "kernel", signature, FLAGS)
    element = {"float32": "float", "int32": "i32", "int8": "i8"}[dtype]
    assert re.search(rf"phi <\d+ x {element}>", str(module))
    x, is_chosen = numbers_of(dtype), numbers_of("bool", seed=1)
    x = np.where(np.isnan(x), 1, x).astype(dtype)
    chosen, out = x[is_chosen], np.zeros(1, dtype)
    directly(source, signature)(is_chosen, x, out, len(x))
    want = {"maximum": np.max, "minimum": np.min}.get(total.split("_")[0], np.sum)
    assert out[0] == want(chosen).astype(dtype)


def calls_of_part(count):
    part = """@part
def part0(x0, y0, lo, hi):
    for i in range(lo, hi):
        y0[i] = x0[i] * float32(2.0)
"""
    names = [f"x{k}" for k in range(count)] + [f"y{k}" for k in range(count)]
    calls = [f"    part0(x{k}, y{k}, 0, 10)\n" for k in range(count)]
    source = f"{part}def kernel({', '.join(names)}):\n{''.join(calls)}"
    return source, ("float32[::1]",) * (2 * count)


@pytest.mark.parametrize(("count", "loops"), [(8, 0), (100, 1)])
def test_a_part_that_is_called_often_is_compiled_once(count, loops):
    """LLVM took the square of the number of calls: each was a loop of its own in one function."""
    source, signature = calls_of_part(count)
    text = translate(source, "kernel", signature, FLAGS, kernel_functions.kernel_names())
    entry = machine_code.entry_text("kernel", signature)
    module = machine_code.optimized(text + entry, machine_code.host_machine())
    assert [f.name for f in module.functions].count("part0") == loops
    xs = [np.full(10, k, np.float32) for k in range(count)]
    ys = [np.zeros(10, np.float32) for _ in range(count)]
    directly(source, signature)(*xs, *ys)
    assert [y[9] for y in ys] == [2 * k for k in range(count)]


@pytest.mark.parametrize(
    ("count", "asked", "level"),
    [(8, "UNKNOWN", 3), (8, "O2", 2), (8, "O0", 0), (100, "UNKNOWN", 1), (100, "O0", 0)],
)
def test_with_how_much_effort_llvm_compiles(monkeypatch, count, asked, level):
    """As asked, and less for many arguments: a first call with 300 carried arrays took 3.7 times
    JAX's time, as passes took the square.
    """
    given, optimized, host_machine = [], machine_code.optimized, machine_code.host_machine
    monkeypatch.setattr(machine_code, "host_machine",
                        lambda level: given.append(level) or host_machine(level))
    monkeypatch.setattr(machine_code, "optimized", lambda text, machine, level: (
        given.append(level) or optimized(text, machine, level)))  # fmt: skip
    source, signature = calls_of_part(count)
    with config.override("jax_optimization_level", asked):
        machine_code.native_code(source, "kernel", signature, FLAGS)
        machine_code.assembly(source, "kernel", signature, FLAGS)
    assert given == [level] * 4


@pytest.mark.parametrize("asked", ["O0", "O1", "O2", "O3"])
def test_bits_are_the_same_with_little_effort(asked):
    """A product and a sum are one instruction, or are not, at each level."""
    source = """def kernel(x0, x1, x2, y0, n):
    for i in range(n):
        y0[i] = x0[i] * x1[i] + x2[i]
"""
    xs = np.random.default_rng(0).normal(size=(3, 100)).astype(np.float32)
    want, got = np.zeros((2, 100), np.float32)
    signature = ("float32[::1]",) * 4 + ("int64",)
    directly(source, signature)(*xs, want, 100)
    with config.override("jax_optimization_level", asked):
        directly(source, signature)(*xs, got, 100)
    assert want.any() and got.tobytes() == want.tobytes()


def test_a_kernel_of_many_arguments_has_no_second_schedule():
    """It takes the square of their number: half a second for 600."""
    asked, make = [], machine_code._llvm_target().create_target_machine

    class Target:
        name = machine_code._llvm_target().name

        def create_target_machine(self, **options):
            asked.append(options.get("opt"))
            return make(**options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine_code, "_llvm_target", Target)
        for count in (4, 60):
            source, signature = calls_of_part(count)
            directly(source, signature)
    assert asked == [3, None, 1, None]  # those without a level load what was compiled


# Threads.


def test_llvm_gives_the_same_without_the_lock(monkeypatch):
    text = "define i32 @f(i32 %x) {\n  %y = mul i32 %x, 3\n  ret i32 %y\n}\n"
    machine, library = machine_code.host_machine(), ffi.lib
    module = machine_code.optimized(text, machine)
    code = machine.emit_object(module)
    assert machine_code.emitted(machine, module) == code
    called = []

    class Other:
        """A library whose functions are behind no lock that we know."""

        def __getattr__(self, name):
            called.append(name)
            return lambda *args: getattr(library, name)(*args)

    monkeypatch.setattr(ffi, "lib", Other())
    machine_code.unlocked.cache_clear()
    assert machine_code.emitted(machine, module) == code
    machine_code.unlocked.cache_clear()
    assert "LLVMPY_TargetMachineEmitToMemory" in called


def test_threads_translate_at_once():
    """A helper of many types has a name for each."""
    helper.cache_clear()
    sources = [elementwise(f"maximum_{t}(exp_{t}(a), from_bits_{t}({whole}(i)))", 1)
               for t, whole in (("f32", "int32"), ("f32", "int64"), ("f64", "int64"))]  # fmt: skip
    texts, start = {}, threading.Barrier(12)

    def work(k):
        dtype = ["float32", "float32", "float64"][k % 3]
        start.wait()
        texts[k] = translate(sources[k % 3], "kernel", (f"{dtype}[::1]",) * 2 + ("int64",),
                             FLAGS, kernel_functions.kernel_names())  # fmt: skip

    threads = [threading.Thread(target=work, args=(k,)) for k in range(12)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(set(texts.values())) == 3


# The door.

PROGRAM = """
import sys
import minijax, minijax.numpy as jnp
minijax.config.update("jit_backend", "numba")
result = minijax.jit(lambda x: jnp.sum(jnp.tanh(x) + jnp.sin(x)))(jnp.zeros(4))
print(result, "numba" in sys.modules)
"""


@pytest.mark.parametrize(("door", "imported"), [("direct", "False"), ("numba", "True")])
def test_jit_imports_numba_where_that_is_asked_for(door, imported):
    env = {**os.environ, "MINIJAX_JIT_KERNELS": door,
           "MINIJAX_COMPILATION_CACHE_DIR": ""}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["0.0", imported], done.stderr


REMAINDERS = """
import sys
import numpy as np
import minijax as jax
x = np.array([5.5, -3, np.inf, -np.inf, np.nan, -np.nan, -0.0, 7], np.float32)
if sys.argv[1] == "after":
    import numba
    numba.njit(lambda x: np.fmod(x, 2.0))(3.0)
for dtype in ("float32", "float64"):
    with jax.enable_x64(True):
        found = jax.jit(jax.lax.rem)(np.repeat(x, 8).astype(dtype), np.tile(x, 8).astype(dtype))
        print(np.asarray(found).tobytes().hex())
"""


def test_remainders_are_the_same_to_the_bit_once_numba_is_imported():
    """Numba tells LLVM of an fmod of its own, which gives NaN another sign."""
    env = {**os.environ, "MINIJAX_COMPILATION_CACHE_DIR": "", "MINIJAX_JIT_KERNELS": "direct"}
    outs = [subprocess.run([sys.executable, "-c", REMAINDERS, when], env=env, capture_output=True,
                           text=True, timeout=120) for when in ("before", "after")]  # fmt: skip
    assert outs[0].stdout == outs[1].stdout != "", outs[1].stderr


def test_processors_have_kernels_of_their_own(monkeypatch):
    keys = set()
    for cpu in ("generic", ""):
        monkeypatch.setenv("NUMBA_CPU_NAME", cpu)
        keys.add(caches.kernel_key("", "kernel", (), FLAGS))
    assert len(keys) == 2
