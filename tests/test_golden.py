"""minijax against the facts that were recorded from JAX; JAX itself is not needed."""

import re
from contextlib import nullcontext

import numpy as np
import pytest

from golden import store
from kernel_runs import on_backend
from oracle import facts
from oracle.cases import TOPICS
from oracle.known_differences import KNOWN_DIFFERENCES

TOGETHER = 20  # cases in a test: a test of its own for each takes pytest half a minute


def some_at_a_time() -> list:
    """Topics, each with some of its cases; named by the topic and the number of the first."""
    return [
        pytest.param(topic.name, topic.cases[first : first + TOGETHER], id=f"{topic.name}-{first}")
        for topic in TOPICS.values()
        for first in range(0, len(topic.cases), TOGETHER)
    ]


# Topics of the library, which consists of programs over lax, and of loops and branches, whose
# kernels tests/lax/control_flow compares with what NumPy gives: their cases run on NumPy, where
# nothing is compiled for them. So do facts of types, and nestings of what runs on devices, whose
# kernels tests/lax/sharding runs. (`make oracle` runs a sixth of them in kernels, beside JAX.)
ON_NUMPY = set("""
    activations checkpointing conditionals explicit_types found_in_docs linalg matrix_samplers
    numpy_elementwise numpy_padding numpy_sums random samplers scans scipy_distributions
    scipy_functions scipy_linalg scipy_special sets shard_map_nestings sharded_jit_nestings sorting
    ufuncs
""".split())  # fmt: skip


# Facts of compiled programs, where `make backends` runs the others on NumPy: a processor's NaN has
# a sign of its own, and kernels have XLA's; the compiler refuses names, and is told by name.
OF_KERNELS = ("signs(", "lax.composite(", "print_environment_info", "jit(lambda: B * 2)")


# NumPy prints numbers; before 2.4 it wrote more of them without an exponent.
PRINTS_AS_RECORDED = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


def is_printing(how: str) -> bool:
    """Whether a difference is in how numbers are printed, and nothing else."""
    places = re.findall(r"^result\S*(?=: )", how, re.MULTILINE)
    return bool(places) and all(place.endswith((".repr", ".value")) for place in places)


def run(topic: str, case: str) -> facts.Fact:
    with on_backend("numba") if any(part in case for part in OF_KERNELS) else nullcontext():
        return facts.run(topic, case, "minijax")


@pytest.mark.parametrize("topic, cases", some_at_a_time())
def test_minijax_equals_recorded_facts(topic, cases):
    recorded = store.recorded(topic)
    with on_backend("numpy") if topic in ON_NUMPY else nullcontext():
        found = {case: facts.difference(run(topic, case), recorded[case]) for case in cases}
    known = {case for case in cases if case in KNOWN_DIFFERENCES}
    if not PRINTS_AS_RECORDED:
        found = {case: how and not is_printing(how) and how for case, how in found.items()}
    differing = [f"\n{case}\n\n{how}" for case, how in found.items() if how and case not in known]
    assert not differing, "\n".join(differing)
    agree = [case for case in known if not found[case]]
    assert not agree, f"take these off the known differences: {agree}"


def test_every_case_is_recorded_and_nothing_else():
    assert {path.stem for path in store.FOLDER.glob("*.json")} == set(TOPICS)
    for name, topic in TOPICS.items():
        assert list(store.recorded(name)) == list(topic.cases), f"run tests/golden/record.py {name}"


def test_there_are_these_topics():
    assert ON_NUMPY <= TOPICS.keys()


def test_known_differences_are_cases():
    assert KNOWN_DIFFERENCES.keys() <= {case for topic in TOPICS.values() for case in topic.cases}


ARRAY = {"kind": "array", "dtype": "float32", "shape": [2], "weak": False, "repr": "a"}


@pytest.mark.parametrize(
    "change",
    [
        {"values": [1.0, 2.1]},
        {"values": [1.0]},
        {"values": [1.0, "nan"]},
        {"dtype": "float16"},
        {"weak": True},
        {"shape": [1, 2]},
        {"repr": "b"},
        {"kind": "ndarray"},
        {"warns": ["UserWarning"]},
    ],
)
def test_difference_sees(change):
    expected = {**ARRAY, "values": [1.0, 2.0]}
    assert facts.difference(expected, expected) is None
    assert facts.difference({**expected, **change}, expected)


def test_difference_allows_rounding_of_floats_alone():
    expected = {**ARRAY, "values": [1.0, 2.0]}
    rounded = {**expected, "values": [1.0, 2.000001], "repr": "b"}
    assert facts.difference(rounded, expected) is None
    integers = {**expected, "dtype": "int32", "values": [1, 2]}
    assert facts.difference({**integers, "values": [1, 3]}, integers)


def test_difference_looks_into_containers():
    inner = {"kind": "str", "value": "a"}
    expected = {"kind": "tuple", "items": [inner, inner]}
    assert facts.difference({**expected, "kind": "list"}, expected)
    assert facts.difference({**expected, "items": [inner]}, expected)
    assert facts.difference({**expected, "items": [inner, {**inner, "value": "b"}]}, expected)


def test_difference_ignores_the_message_and_not_the_class():
    expected = {"raises": ["TypeError"]}
    assert facts.difference({"raises": ["TypeError"], "message": "our own"}, expected) is None
    assert facts.difference({"raises": ["ValueError"]}, expected)
    assert facts.difference({"kind": "NoneType", "value": None}, expected)
