"""The units of a file: their keys, their lines, and the names that select them."""

import pytest

from units import name_units, run_of_lines, select_units, split_units

SOURCE = '''"""A module."""

import numpy as np
from minijax.core.tracing import (
    Primitive,
)

# About sin.
# Two lines of it.
sin_p = Primitive("sin")
sin_p.def_impl(np.sin)
def_impl(sin_p, np.sin)
rules[sin_p] = lambda x: x
count: int = 0
count += 1


@decorated
class Trace:
    pass


for p in [sin_p, cos_p]:
    p.register()

if TYPE_CHECKING:
    import typing
def_impl(sin_p, np.cos)

# The end.
'''

KEYS = [
    "__doc__",
    "import:numpy",
    "from:minijax.core.tracing",
    "sin_p",
    "sin_p.def_impl",
    "def_impl(sin_p)",
    "rules[sin_p]",
    "count",
    "count+=",
    "Trace",
    "for:[sin_p,cos_p]",
    "if:TYPE_CHECKING",
    "def_impl(sin_p)#2",
]


def test_keys_say_what_a_statement_defines():
    assert [unit.key for unit in split_units(SOURCE)] == KEYS


def test_units_hold_every_line_with_text_once():
    lines = SOURCE.split("\n")
    held = [n for unit in split_units(SOURCE) for n in range(unit.start, unit.end + 1)]
    assert len(held) == len(set(held))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= set(held)


def test_comments_and_decorators_belong_to_the_statement_below():
    units = {unit.key: unit for unit in split_units(SOURCE)}
    assert run_of_lines(SOURCE, [units["sin_p"]]).startswith("# About sin.\n# Two lines")
    assert run_of_lines(SOURCE, [units["Trace"]]).startswith("@decorated\n")
    assert run_of_lines(SOURCE, [units["def_impl(sin_p)#2"]]).endswith("# The end.")


def test_two_statements_on_a_line_are_one_unit():
    assert [(u.key, u.start, u.end) for u in split_units("a = 1; b = (\n2)\nc = 3")] == [
        ("a", 1, 2),
        ("c", 3, 3),
    ]


@pytest.mark.parametrize(
    "names, first, last",
    [
        (["sin_p"], "sin_p", "sin_p"),
        (["HEADER", "sin_p"], "__doc__", "sin_p"),
        (["count..Trace"], "count", "Trace"),
        (["..import:numpy"], "__doc__", "import:numpy"),
        (["Trace.."], "Trace", "def_impl(sin_p)#2"),
        ([".."], "__doc__", "def_impl(sin_p)#2"),
    ],
)
def test_names_select_a_run(names, first, last):
    chosen = select_units(split_units(SOURCE), names, "a.py")
    assert (chosen[0].key, chosen[-1].key) == (first, last)
    named = name_units(split_units(SOURCE), chosen[0].start, chosen[-1].end)
    assert select_units(split_units(SOURCE), named, "a.py") == chosen


@pytest.mark.parametrize(
    "names, message",
    [
        (["Tracer"], "a.py has no unit 'Tracer'; close to it: Trace"),
        (["sin_p", "count"], "count does not follow sin_p"),
        (["count", "sin_p"], "sin_p does not follow count"),
        (["Trace..sin_p"], "selects no unit"),
        ([], "selects no unit"),
    ],
)
def test_names_that_select_no_run_are_refused(names, message):
    with pytest.raises(ValueError, match="a.py") as error:
        select_units(split_units(SOURCE), names, "a.py")
    assert message in str(error.value)
