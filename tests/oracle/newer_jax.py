"""Where a newer JAX says something else than the one that facts are recorded from, and why.

`make oracle JAX=newest` asks the newest JAX instead of the recorded one, with the newest Python
that is here. A difference that a line below explains is told, by its reason; any other fails. What
is asked for by name (a version, the list of names, a file's length) is left out: it has to differ.
"""

import re
from collections import Counter

import pytest

# How a report of a difference reads, and why it differs, in the newest release that was compared.
COMPARED = "0.12.0.1"
REASONS = [
    (r"ft_in=", "scan says by trees, ft_in and ft_out, which operands are what; before, by counts"),
    (r"empty2\[", "a branch that lacks a residual has it from empty2; before, zeros"),
    (r"one_minus_square", "the derivative of tanh is written with products and a difference"),
    (r"policy=<function", "a policy of checkpoint is an object that prints what it keeps"),
    (r"reduce_\w+\[axes=\([\d, ]*\) out_sharding=None",
     "maxima, minima and the like have no out_sharding in their equations"),
    (r"name=wrapped_fun", "an equation of custom_vjp is called wrapped_fun"),
    (r"= unstack\[", "a loop over an array, and what unpacks one, takes slices; before, unstack"),
    (r"select_n \w+ 0\.0:f32\[\] 0\.5:f32\[\]|name=celu|lax\.cummin",
     "the derivative of max and min is a quotient of counts, as reductions have it"),
    (r"clamp 0:i32\[\]", "the transpose of select_n compares its index as it is"),
    (r"pin=False", "a reference is not told to be pinned in its equation"),
    (r"call_jaxpr=", "the program of a composite or a custom_jvp is the parameter jaxpr"),
    (r"'Slice'|jax\.ds\(|\[ds\(", "ds gives a slice of Python's, which ends where the array ends"),
    (r"Buffered\(", "Pallas' Buffered has another default"),
    (r"jnp\.split\(", "jnp.split refuses a negative index"),
    (r"erfc", "the derivative of erfc is computed by another formula"),
    (r"f = lax\.sign", "the derivative of a complex sign is zero"),
    (r"unreduced|\bU\b|dot_general\(a, b",
     "what unreduced values may be given to, and how they are printed"),
    (r"jit\[\s+name=(_where|clip|remainder|floor_divide)|name=quantile|jnp\.searchsorted",
     "constants are given to jitted functions of the library with other types"),
    (r"lax\.scatter_max", "scatter_max and scatter_min have derivatives by counts, too"),
    (r"in: jnp\.polyval", "a scan's carry may come to lie on other axes after a step"),
    (r"igamma", "igamma is NaN where an argument is"),
    (r"lax\.nextafter", "nextafter has a derivative, zero"),
    (r"jnp\.sinc", "sinc of 1 is 0.0; before, what rounding leaves"),
    (r"threefry_partitionable\(False\)", "what samplers refuse where bits are counted the old way"),
    (r"concrete=True", "checkpoint refuses an option that is gone by another class"),
    (r"lax\.linalg\.cholesky\(T\)|S\.lu\(P\)", "which arrays linear algebra refuses, and how"),
    (r"float6_e2m3fn|float6_e3m2fn", "no array of such a dtype is printed"),
    (r"name=_custom_root", "custom_root's while loops name their programs body_jaxpr"),
    (r"weak_type=True|result\[\d\]\.weak", "what of a number is weak"),
    (r"lax\.all_gather\(x, 'x'\)", "an all_gather in a branch says what varies"),
    (r"np\.float32\(\d\d?(\.\d+)?\) <= 2",
     "samplers: the last bits of a norm, and of factors that another LAPACK finds"),
]  # fmt: skip
LEFT_OUT = (
    "test_jax_is_the_version_that_was_recorded", "test_the_recorded_options_are_jax_options",
    "test_the_recorded_names_are_jax_names", "test_the_planned_methods_are_those_that_only_jax_has",
    "test_a_file_has_its_length_and_its_names", "test_jet_has_as_many_rules_as_it_says",
)  # fmt: skip


def reason_of(report: str) -> str | None:
    """Why a report of a difference is as it is, or None."""
    return next((reason for text, reason in REASONS if re.search(text, report)), None)


def leave_out(items: list) -> None:
    """Takes tests that must differ out of those to run."""
    items[:] = [item for item in items if item.originalname not in LEFT_OUT]


def explain(call: pytest.CallInfo, report: pytest.TestReport) -> None:
    """Turns a failure that has a reason into an expected one."""
    if report.when == "call" and report.failed:
        reason = reason_of(str(call.excinfo.value))
        if reason:
            report.outcome, report.wasxfail = "skipped", reason


def summary(version: str, reports: list) -> str:
    """The reasons, with how many tests have each."""
    counts = Counter(report.wasxfail for report in reports)
    lines = [f"{count:5}  {reason}" for reason, count in counts.most_common()]
    head = f"JAX {version} differs from what is recorded, in {counts.total()} tests:"
    return "\n".join([head, *lines])
