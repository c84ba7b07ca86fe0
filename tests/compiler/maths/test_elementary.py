"""What the functions of kernels are worth: errors in ulp, special values, vector instructions.

By Numba they give the same bits: tests/compiler/native/test_translate.py.
"""

import itertools
import math
import re
from functools import cache

import llvmlite.binding
import numba
import numpy as np
import pytest

from minijax.compiler import doors
from minijax.compiler.doors import FLAGS
from minijax.compiler.maths import (
    as_xla,
    bessel_functions,
    elementary,
    gamma_functions,
    relatives,
    special,
)
from minijax.compiler.maths.numba_functions import teach_new
from minijax.compiler.native import machine_code
from minijax.core.prng import threefry_numpy

teach_new()
FUNCTIONS = {
    **vars(elementary), **vars(relatives), **vars(special), **vars(as_xla), **vars(gamma_functions),
    **vars(bessel_functions),
}  # fmt: skip
DTYPES = {"f32": np.float32, "f64": np.float64}
OPTIONS = dict(error_model="numpy", fastmath={"contract"}, nogil=True, boundscheck=False)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def sign(x):
    return np.copysign(np.sign(x), x)


def round_half_away(x):
    return np.trunc(x) + np.copysign(np.abs(x - np.trunc(x)) >= 0.5, x)


erf, erfc = (np.vectorize(f, otypes=[np.float64]) for f in (math.erf, math.erfc))

# What NumPy calls them.
ONE = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "tanh": np.tanh, "sinh": np.sinh, "cosh": np.cosh, "logistic": logistic, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt, "erf": erf, "erfc": erfc, "sign": sign, "round_half_away": round_half_away,
}  # fmt: skip
TWO = {"pow": np.power, "atan2": np.arctan2, "maximum": np.maximum, "minimum": np.minimum}
ALL = {**ONE, **TWO}


def loop(name, t):
    """A kernel that applies the function, element by element: its text and signature."""
    names = ["x", "y"] if name in TWO else ["x"]
    call = f"{name}_{t}({', '.join(f'{x}[i]' for x in names)})"
    text = (f"def kernel({', '.join(names)}, out, n):\n"
            f"    for i in range(n):\n        out[i] = {call}\n")  # fmt: skip
    return text, "kernel", (f"{np.dtype(DTYPES[t])}[::1]",) * (len(names) + 1) + ("int64",), FLAGS


def run(name, t, *args):
    out = np.empty_like(args[0])
    doors.compile_source(*loop(name, t), "direct")(*args, out, out.size)
    return out


def bits_anywhere(rng, dtype, n):
    """Numbers of all exponents, infinities and NaN among them."""
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return rng.integers(0, np.iinfo(unsigned).max, n, unsigned, endpoint=True).view(dtype)


# Where a function bends: another formula begins, a series is cut off, a result overflows or
# becomes denormal; and multiples of a quarter turn.
BENDS = [
    0.0004, 0.121, 0.3465736, 0.34804, 0.4, 0.41421356, 0.5, 0.69314718, 0.70710678, 0.78, 1.0,
    1.0407, 1.40610, 1.4142135, 2.0, 3.81977, 3.8325068, 7.9988117, 10.2, 27.2, 27.5, 40.0, 44.0,
    48.188, 87.33, 88.722, 89.415, 103.9, 126.0, 149.0, 354.9, 708.4, 709.78, 710.475, 745.13,
    1022.0, 1074.0, 2.0**-53, 2.0**-24, 2.0**-12, 2.0**24, 2.0**53, *np.arange(1, 40) * np.pi / 2,
]  # fmt: skip


def at_bends(rng, dtype, each=4):
    """Numbers of every exponent, denormal ones too, and those next to the bends; of both signs."""
    unsigned, digits = np.dtype(f"u{np.dtype(dtype).itemsize}"), np.finfo(dtype).nmant
    exponents = np.arange(1, np.finfo(dtype).maxexp * 2, dtype=unsigned) << unsigned.type(digits)
    ends = [exponents, exponents - unsigned.type(1), np.arange(100, dtype=unsigned)]
    inside = [exponents | rng.integers(0, 2**digits, exponents.size, unsigned) for _ in range(each)]
    bends = np.array(BENDS, dtype).view(unsigned)[:, None] + np.arange(-30, 31).astype(unsigned)
    sizes = np.concatenate([*ends, *inside, bends.ravel()]).view(dtype)
    return np.concatenate([sizes, -sizes])


@cache
def samples(dtype, n):
    rng = np.random.default_rng(0)
    bound = 100 if dtype is np.float32 else 740
    parts = [
        rng.uniform(-1, 1, n), rng.uniform(-bound, bound, n), rng.normal(0, 2, n),
        1 + rng.normal(0, 1e-3, n), np.linspace(-10, 10, n),
    ]  # fmt: skip
    known = [bits_anywhere(rng, dtype, n), at_bends(rng, dtype)]
    return np.concatenate([*known, *(x.astype(dtype) for x in parts)])


def in_ulps(got, want, dtype):
    """How far each result is from the reference, in gaps between numbers of the dtype there."""
    nearest = want.astype(dtype)
    finite = np.isfinite(nearest) & np.isfinite(got)
    gap = np.spacing(np.abs(np.where(finite, nearest, 1))).astype(want.dtype)
    error = np.abs(np.where(finite, got, 0).astype(want.dtype) - np.where(finite, want, 0)) / gap
    same = (got == nearest) | (np.isnan(got) & np.isnan(nearest))
    return np.where(finite, error, np.where(same, 0, np.inf))


def reference(name, t, args):
    """The result with more digits than the dtype has."""
    if name in ("erf", "erfc") or (t == "f32" and name != "pow"):
        wide = np.float64
    else:
        wide = np.longdouble
        if np.finfo(wide).nmant <= 52:
            pytest.skip("NumPy has no wider float here.")
    with np.errstate(all="ignore"):
        return np.asarray(ALL[name](*(x.astype(wide) for x in args)))


def stated(name, t):
    """The error that the docstring states, in ulps; 0 without one."""
    double = t == "f64"
    found = re.search(r"Errors: ([\d.]+)(?: and ([\d.]+))? ulp\.", FUNCTIONS[name][double].__doc__)
    return float(found[2 if double and found[2] else 1]) if found else 0


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", ALL)
def test_errors_are_as_stated(name, t):
    dtype = DTYPES[t]
    x = samples(dtype, 20_000 if name in ("erf", "erfc") else 170_000)
    args = [x]
    if name in TWO:
        rng = np.random.default_rng(1)
        y = rng.permutation(x)
        near_1 = np.abs(rng.normal(1, 0.01, 100_000)).astype(dtype)
        args = [np.append(x, near_1), np.append(y, rng.uniform(-1e3, 1e3, 100_000).astype(dtype))]
    want = reference(name, t, args)
    errors = in_ulps(run(name, t, *args), want, dtype)
    worst = int(np.argmax(errors))
    where = [repr(a[worst]) for a in args]
    assert errors[worst] <= stated(name, t), where


SPECIAL = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 1e-3, 100.0, 1000.0, 2.0**31, 1e30, np.inf]


def special(dtype):
    limits = np.finfo(dtype)
    extremes = [limits.max, limits.tiny, limits.tiny / 8, limits.smallest_subnormal, limits.eps]
    x = np.array([*SPECIAL, *extremes], dtype)
    return np.array([*x, *-x, np.nan], dtype)


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", ALL)
def test_special_values_are_numpys(name, t):
    dtype = DTYPES[t]
    x = special(dtype)
    args = list(np.array(list(itertools.product(x, x)), dtype).T) if name in TWO else [x]
    with np.errstate(all="ignore"):
        if name == "logistic":  # this form overflows only in the wide dtype
            want = ALL[name](x.astype(np.longdouble)).astype(dtype)
        else:
            want = np.asarray(ALL[name](*args)).astype(dtype)
    got = run(name, t, *map(np.ascontiguousarray, args))
    exact = ~np.isfinite(want) | (want == 0)
    np.testing.assert_array_equal(got[exact], want[exact], str(args))
    if name not in ("maximum", "minimum"):
        signs = np.signbit(got) == np.signbit(want)
        assert np.all(signs | np.isnan(want)), [a[~signs] for a in args]
    np.testing.assert_allclose(got[~exact], want[~exact], rtol=6 * np.finfo(dtype).eps,
                               atol=2 * np.finfo(dtype).smallest_subnormal)


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", ALL)
def test_a_result_does_not_depend_on_the_place(name, t):
    """The loop over vectors, and the loop over what is left at the end, compute the same bits."""
    x = samples(DTYPES[t], 2_000)
    args = [x, x[::-1].copy()] if name in TWO else [x]
    whole = run(name, t, *args)
    for start in (1, 2, 3):
        parts = [
            run(name, t, *(a[i : i + 3].copy() for a in args)) for i in range(start, 1000, 3)
        ]
        np.testing.assert_array_equal(np.concatenate(parts), whole[start : start + 3 * len(parts)])


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", ALL)
def test_python_computes_the_same(name, t):
    dtype = DTYPES[t]
    x = np.concatenate([special(dtype), np.linspace(-3, 3, 37).astype(dtype)])
    args = [x, np.roll(x, 5)] if name in TWO else [x]
    with np.errstate(all="ignore"):
        slow = [FUNCTIONS[f"{name}_{t}"](*row) for row in zip(*args, strict=True)]
    assert {type(y) for y in slow} == {dtype}
    np.testing.assert_allclose(
        np.array(slow), run(name, t, *args), rtol=6 * np.finfo(dtype).eps,
        atol=2 * np.finfo(dtype).smallest_subnormal,
    )  # fmt: skip


def has_wide_vectors():
    """Whether kernels are compiled for a CPU with AVX2; without, not every loop pays."""
    asked = numba.config.CPU_NAME
    return asked != "generic" and (asked or llvmlite.binding.get_host_cpu_features().get("avx2"))


@pytest.mark.skipif(not has_wide_vectors(), reason="no AVX2")
@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize(
    "name", [*ALL, "erf_inv", "lgamma", "digamma", "bessel_i0e", "bessel_i1e"]
)
def test_the_loop_is_made_of_vector_instructions(name, t):
    module, _ = machine_code.module_of(*loop(name, t))
    element = {"f32": "float|i32", "f64": "double|i64"}[t]
    assert re.search(rf"store <\d+ x (?:{element})>", str(module)), f"{name}_{t} stores no vectors"


def erf_inv_reference(x):
    """The root of erf(y) = x by bisection, as good as the C library's functions."""
    y = np.zeros_like(x)
    for step in 8.0 / 2.0 ** np.arange(1, 80):
        higher = y + step
        y = np.where(np.where(x > 0.5, erfc(higher) >= 1 - x, erf(higher) <= x), higher, y)
    return y


@pytest.mark.parametrize("t", DTYPES)
def test_the_inverse_error_function(t):
    dtype = DTYPES[t]
    rng, top = np.random.default_rng(0), 24 if t == "f32" else 53
    near_1 = 1 - np.exp2(-rng.uniform(1, top, 1000))
    near_0 = np.exp2(-rng.uniform(1, 20, 1000))
    parts = [np.linspace(1e-3, 0.99, 3000), 1 - 2.0 ** -np.arange(1, top + 1), near_1, near_0]
    x = np.concatenate(parts).astype(dtype)
    x = x[x < 1]
    got = run("erf_inv", t, x)
    wide = x.astype(np.float64)
    if t == "f32":  # which takes the square as it is rounded to float32
        wide = np.where(x * x > 0.5, np.sqrt((x * x).astype(np.float64)), wide)
    errors = in_ulps(got, erf_inv_reference(wide).astype(np.longdouble), dtype)
    assert errors.max() <= (4 if t == "f32" else 6)
    np.testing.assert_array_equal(run("erf_inv", t, -x), -got)


@pytest.mark.parametrize("t", DTYPES)
def test_the_inverse_error_function_at_the_edges(t):
    x = np.array([1, -1, 0.0, -0.0, 1.5, -np.inf, np.nan, 1e-30], DTYPES[t])
    got = run("erf_inv", t, x)
    want = np.array([np.inf, -np.inf, 0, 0, np.nan, np.nan, np.nan, 8.862269e-31], DTYPES[t])
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got[:4]), [False, True, False, True])


@pytest.mark.parametrize("t", DTYPES)
def test_signs_of_nan_are_those_of_xla(t):
    """Sorting and top_k tell NaN from -NaN: see `nan_signs` in the oracle's cases."""
    x = np.array([-1.0, -np.inf, np.nan, -np.nan], DTYPES[t])
    invented = bool(np.signbit(x[1:2] - x[1:2])[0])  # by the processor
    wanted = {"log": [t == "f32"] * 2, "asin": [None, invented],
              "acosh": [invented] * 2, "sin": [None, invented], "cos": [None, invented],
              "tan": [None, invented], "acos": [None, invented]}  # fmt: skip
    for name, signs in wanted.items():
        got = run(name, t, x)
        kept = [True, True] if (name, t) == ("log", "f32") else [False, True]
        for sign, y in zip([*signs, *kept], got, strict=True):
            assert sign is None or (np.isnan(y) and np.signbit(y) == sign), (name, got)


def test_monotone_functions_do_not_fall():
    x = np.linspace(-12, 12, 400_001).astype(np.float32)
    for name in ("tanh", "logistic", "erf", "exp", "atan"):
        falls = 3 if name in ("tanh", "erf") else 1  # as XLA's do
        assert np.min(np.diff(run(name, "f32", x))) >= -falls * np.finfo(np.float32).eps


def test_sin_and_cos_of_huge_arguments():
    """By sums of whole numbers: 2/pi with 1200 digits is what the functions have in their table."""
    known = {1e22: -0.8522008497671888, 2.0**1000: -0.15920170308624246, 1e308: 0.4533964905016491}
    x = np.array(list(known))
    np.testing.assert_allclose(run("sin", "f64", x), list(known.values()), rtol=1e-15)


def test_threefry_is_that_of_the_core():
    fun = FUNCTIONS["threefry2x32"]

    @numba.njit(**OPTIONS)
    def mixed(words, out):
        for i in range(words.shape[0]):
            out[i, 0], out[i, 1] = fun(words[i, 0], words[i, 1], words[i, 2], words[i, 3])

    words = np.random.default_rng(0).integers(0, 2**32, (100, 4), np.uint32)
    out = np.empty((100, 2), np.uint32)
    mixed(words, out)
    np.testing.assert_array_equal(out, np.stack(threefry_numpy(*words.T), axis=-1))
    with np.errstate(all="ignore"):
        assert fun(*words[0]) == tuple(out[0])
