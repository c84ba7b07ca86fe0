"""Functions of kernels that repeat NumPy's steps: how far from NumPy's results they are."""

import inspect
import itertools
import re

import numpy as np
import pytest

import minijax
from minijax import lax
from minijax.compiler import doors, kernel_functions
from minijax.compiler.executable import FLAGS

DTYPES = {"f32": np.float32, "f64": np.float64}


def kernel(name, t, *args, door="direct"):
    count = range(len(args))
    call = ", ".join(f"x{k}[i]" for k in count)
    source = (f"def kernel({''.join(f'x{k}, ' for k in count)}y0, n0):\n"
              f"    for i in range(n0):\n        y0[i] = {name}_{t}({call})\n")  # fmt: skip
    out = np.empty_like(args[0])
    signature = (f"{out.dtype}[::1]",) * (len(args) + 1) + ("int64",)
    doors.compile_source(source, "kernel", signature, FLAGS, door)(*args, out, out.size)
    return out


def by_numpy(name, *args):
    with minijax.enable_x64(True), np.errstate(all="ignore"):
        return np.asarray(getattr(np if name == "logaddexp" else lax, name)(*args))


# Results are compared in units of the largest of the terms that are added up on the way, and of
# those in the exponent of what they are multiplied by.


def gamma_terms(x, want):
    """Of lgamma and digamma: also what is subtracted for the point opposite."""
    opposite = np.where(x < 0.5, 1 - x, 1)
    return np.fmax(abs(want), 8 + abs(by_numpy("lgamma", opposite)))


def zeta_terms(x, q, want):
    nearest = np.where(q < 0, abs(q - np.rint(q)), np.inf)
    return abs(want) + nearest**-x


def polygamma_terms(m, x, want):
    nearest = np.where(x < 0, abs(x - np.rint(x)), np.inf)
    log_factorial = by_numpy("lgamma", m + 1)
    size = abs(want) + np.exp(log_factorial) * nearest ** -(m + 1)
    return np.where(m == 0, gamma_terms(x, want), size * (1 + log_factorial))


def exponent(a, x):
    """The terms of log(x**a exp(-x) / gamma(a)), and 1."""
    return 1 + abs(a * np.log(x)) + x + abs(by_numpy("lgamma", a))


def igamma_terms(a, x, want):
    return exponent(a, x) * (abs(want) + ((x >= 1) & (x > a)))


def igammac_terms(a, x, want):
    return exponent(a, x) * (abs(want) + ((x < 1) | (x < a)))


def slope_terms(a, x, want):
    far = (x > 1) & (x > a)
    part = np.where(far, by_numpy("igammac", a, x), by_numpy("igamma", a, x))
    weight = 1 + abs(np.log(x)) + abs(by_numpy("digamma", np.where(far, a, a + 1)))
    return exponent(a, x) * part * weight


def random_gamma_terms(a, x, want):
    factor = np.exp(a * np.log(x) - x - by_numpy("lgamma", a))
    return np.fmax(slope_terms(a, x, want) / exponent(a, x) * x / factor, abs(want))


def betainc_terms(a, b, x, want):
    logs = abs(a * np.log(x)) + abs(b * np.log1p(-x))
    gammas = sum(abs(by_numpy("lgamma", y)) for y in (a, b, a + b))
    return (1 + logs + gammas) * (abs(want) + (x >= (a + 1) / (a + b + 2)))


TERMS = {
    "lgamma": gamma_terms, "digamma": gamma_terms, "zeta": zeta_terms,
    "polygamma": polygamma_terms, "bessel_i0e": lambda x, want: abs(want),
    "bessel_i1e": lambda x, want: abs(want), "igamma": igamma_terms, "igammac": igammac_terms,
    "igamma_grad_a": slope_terms, "random_gamma_grad": random_gamma_terms,
    "betainc": betainc_terms, "nextafter": lambda x, y, want: abs(want),
    "logaddexp": lambda x, y, want: np.fmax(abs(want), 1),
}  # fmt: skip


def samples(name, dtype):
    rng, n = np.random.default_rng(0), 4000
    wide, shape = np.exp(rng.normal(0, 2, n)), np.exp(rng.normal(0, 1.5, n))
    signed = np.concatenate([rng.uniform(-30, 30, n), np.exp(rng.normal(0, 20, n))])
    few = np.concatenate([wide, rng.uniform(-12, 0, 500)])
    args = {
        "lgamma": [signed], "digamma": [signed], "bessel_i0e": [signed], "bessel_i1e": [signed],
        "zeta": [np.append(1 + shape, rng.integers(2, 6, 500)), few],
        "polygamma": [np.append(rng.integers(0, 12, n), rng.integers(0, 6, 500)), few],
        "betainc": [shape, wide, rng.uniform(0, 1, n)],
        "nextafter": [signed, rng.permutation(signed)],
        "logaddexp": [rng.uniform(-20, 20, n), rng.uniform(-20, 20, n)],
    }.get(name, [shape, shape * wide])  # fmt: skip
    return [np.asarray(x, dtype) for x in args]


def edges(name, dtype):
    info = np.finfo(dtype)
    x = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 8.0, 1e-3, 100.0, info.tiny, info.tiny / 8,
         info.smallest_subnormal, info.eps, np.inf]  # fmt: skip
    x += [-y for y in x] + [np.nan]
    if len(inspect.signature(TERMS[name]).parameters) == 2:
        x = [[y] for y in [*x, info.max, -info.max, 2.0**31, -(2.0**31)]]
    elif name == "betainc":
        x = itertools.product(x[::2], x[::2], [0, 0.25, 0.5, 1, -0.5, 2, np.nan, info.tiny / 8])
    else:
        x = itertools.product(x, x)
    return [np.array(column, dtype) for column in zip(*x, strict=True)]


def stated(name, t):
    functions = kernel_functions.kernel_names()
    text = functions[f"{name}_{t}"].__doc__
    errors = re.search(r"Errors[^:]*: ([\d.]+)(?: and ([\d.]+))? ulp\.", text)
    return float(errors[2 if t == "f64" and errors[2] else 1])


def same(got, want):
    return (got == want) | (np.isnan(got) & np.isnan(want))


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", TERMS)
def test_errors_are_as_stated(name, t):
    args = samples(name, DTYPES[t])
    got, want = kernel(name, t, *args), by_numpy(name, *args)
    with np.errstate(all="ignore"):
        terms = TERMS[name](*(x.astype(float) for x in args), want.astype(float))
        unit = np.spacing(np.fmax(terms, np.finfo(got.dtype).tiny).astype(got.dtype))
        errors = np.where(same(got, want), 0, abs(got.astype(float) - want) / unit)
    worst = int(np.argmax(errors))
    assert errors[worst] <= stated(name, t), [x[worst] for x in args]
    assert got.dtype == want.dtype


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", TERMS)
def test_edges_are_numpys(name, t):
    """Zeros, poles, infinities, NaN; and what is near is not far away."""
    args = edges(name, DTYPES[t])
    got, want = kernel(name, t, *args), by_numpy(name, *args)
    with np.errstate(all="ignore"):
        is_number = np.isfinite(got) & np.isfinite(want)
        ok = np.where(is_number, np.isclose(got, want, 1e-4, 1e-4), same(got, want))
    assert ok.all(), [x[~ok] for x in (*args, got, want)]
    if len(args) == 1 or name == "nextafter":
        zero = want == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


@pytest.mark.prove
@pytest.mark.parametrize("door", ["numba", "python"])
@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("name", TERMS)
def test_each_door_computes_the_same(name, t, door):
    args = [x[::40].copy() for x in samples(name, DTYPES[t])]
    args = [np.append(x[:100], y[::9][:50]) for x, y in
            zip(args, edges(name, DTYPES[t]), strict=True)]  # fmt: skip
    with np.errstate(all="ignore"):
        got, want = kernel(name, t, *args, door=door), kernel(name, t, *args)
    np.testing.assert_allclose(got, want, 1e-5 if t == "f32" else 1e-13, 1e-6)


@pytest.mark.parametrize("t", DTYPES)
@pytest.mark.parametrize("exponent_bits", [1, 2, 5, 8, 11])
def test_precision_is_reduced_to_the_bit(exponent_bits, t):
    """Numbers with all exponents, half-way between two that remain too."""
    dtype, whole = np.dtype(DTYPES[t]), f"u{np.dtype(DTYPES[t]).itemsize}"
    rng, digits = np.random.default_rng(0), np.finfo(dtype).nmant
    anything = rng.integers(0, np.iinfo(whole).max, 2000, whole, endpoint=True)
    middle = anything >> (digits - 3) << (digits - 3)
    near_1 = (rng.choice([-1, 1], 2000) * np.exp2(rng.uniform(-20, 20, 2000))).astype(dtype)
    x = np.concatenate([anything.view(dtype), middle.view(dtype), near_1, *edges("lgamma", dtype)])
    for mantissa_bits in (0, 1, 2, 10, 23, 60):

        def fun(x):
            return lax.reduce_precision(x, exponent_bits, mantissa_bits)  # noqa: B023

        with minijax.enable_x64(True):
            got, want = np.asarray(minijax.jit(lambda x: fun(x) * 1)(x)), np.asarray(fun(x))
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
