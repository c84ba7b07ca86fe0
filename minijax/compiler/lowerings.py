"""What a primitive tells the compiler: one record in one table.

Of what its record doesn't say, NumPy takes care, between kernels: the right result, without the
speed. A family registers the rules of its primitives beside them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from minijax.core.tracing import Primitive


class Lowering(NamedTuple):
    """The rules of one primitive, by their kinds: arguments -> what the rule returns."""

    # For passes.
    call: Any = None  # equation -> a program to be written out, and its operands; or None
    identity: Any = None  # (draft, equation) -> an atom or equation of the same bits, or None
    opaque: bool = False  # whether an equation stays in its place: not computed early, not merged
    # For kernels.
    template: Any = None  # "{0} + {1}", or (in_dtypes, out_dtype, **params) -> that or None
    start: Any = None  # of a reduction along `axes`, dtype -> that of nothing; {0} is the total
    monoid: bool = False  # whether {1} may be a total; then the total of one number is that number
    finish: Any = None  # where a total is a tuple: the template of the result, of the total {0}
    view: Any = None  # (result's places, operand's shape, **params) -> operand's places, or None
    index: Any = None  # (result's places, **params) -> (places, shape): an element is its number
    pieces: Any = None  # equation -> a dimension, its pieces along it and their sizes; or None
    # For loops that are compiled whole.
    loop: Any = None  # (writer, equation, its operands' names, its results') writes the lines
    source: Any = None  # equation -> the Source of its part in such a loop, or None
    alone: Any = None  # equation -> whether that is a kernel outside of loops too
    rows: Any = None  # equation -> how far a turn of that part moves in each operand, or None
    overwrites: Any = None  # equation -> pairs of numbers: this result may lie over that operand
    # For the engine room, which reads them and fills those of the core.
    further_template: Any = None  # as `template`, where that has none
    shortcut: Any = None  # (*operands' types, **params) -> a faster function of NumPy's, or None
    on_words: Any = None  # (keys' words, *operands, **params) -> the result, of keys their words
    on_pairs: Any = None  # PairRules: what becomes of complex numbers, as pairs of floats
    on_halves: Any = "rounded"  # what becomes of floats of 16 bits (special_cases/half_floats.py)
    same_order: bool = False  # whether a result of the operand's size has its numbers in order
    steps: tuple = ()  # a loop's pairs of parameters: a program, and how many constants it takes
    branches: str = ""  # the parameter that has a choice's branches


class Lowerings(dict[Primitive, Lowering]):
    """The table. A primitive that isn't in it has an empty record."""

    def __missing__(self, primitive: Primitive) -> Lowering:
        return NOTHING


NOTHING, lowerings = Lowering(), Lowerings()


def register_lowering(primitive: Primitive, **rules: Any) -> None:
    """Adds rules to a primitive's record, by the names of their fields.

    >>> twice_p = Primitive("twice")
    >>> register_lowering(twice_p, template="{0} + {0}")
    >>> lowerings[twice_p].template, lowerings[twice_p].view
    ('{0} + {0}', None)
    """
    lowerings[primitive] = lowerings[primitive]._replace(**rules)
