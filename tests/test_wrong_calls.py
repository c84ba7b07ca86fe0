"""What a wrong call of a function of the library tells: it names the function that was called."""

import re

import pytest

from oracle import facts
from oracle.cases import wrong_calls

# Where the name is not that of the call: of indices, operators, initializers; and a line says it.
OTHER_NAMES = re.compile(
    r"\bx\[|x\.at\[|unsupported operand|not supported between|Arrays are immutable|nitializer"
    r"|\n  in: |Iteration over"
)
# Python's and NumPy's own sentences.
PYTHONS = {
    "M.item()": "can only convert an array of size 1", "jnp.iinfo(float)": "Invalid integer",
    "jnp.finfo(int)": "data type ", "jax.jit(jnp.sum).lower()": "sum() missing 1 required",
    "export.export(jax.jit(jnp.sum))()": "sum() missing 1 required",
    "profiler.save_device_memory_profile('/no/such/folder/file')": "No such file or directory",
}  # fmt: skip


def message_of(case: str) -> str:
    try:
        facts.evaluate(f"{wrong_calls.SETUP}\n{case}", facts.namespace("minijax"))
    except Exception as error:
        return str(error)
    raise AssertionError(f"no error: {case}")


@pytest.mark.parametrize("module", wrong_calls.WRONG)
@pytest.mark.filterwarnings("ignore")
def test_a_wrong_call_is_named(module):
    unnamed = []
    for case in wrong_calls.WRONG[module]:
        message = message_of(case)
        names = re.findall(r"(\w+)\(", case) or ["jnp."]
        if case in PYTHONS:
            assert PYTHONS[case] in message
        elif not OTHER_NAMES.search(message) and not any(name in message for name in names):
            unnamed.append((case, message))
    assert unnamed == []
