"""Checks of the parameters of primitives that carry programs, for `check_jaxpr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.dtypes import SymbolicDimension
from minijax.core.errors import JaxprTypeError, typematch
from minijax.core.jitting import jit_p
from minijax.core.pytrees import PyTreeDef
from minijax.core.staging import ClosedJaxpr, JaxprEqn, custom_typechecks
from minijax.core.tracing import Primitive


class Kind(NamedTuple):
    """A kind of parameter: in words, and as a test of a value and the number of operands."""

    words: str
    holds: Callable[[Any, int], bool]


def _is_natural(x: Any) -> bool:
    if isinstance(x, SymbolicDimension):
        return True
    return isinstance(x, int | np.integer) and not isinstance(x, bool) and x >= 0


def _all_are(kind: type, xs: Any) -> bool:
    return isinstance(xs, tuple) and all(isinstance(x, kind) for x in xs)


PROGRAM = Kind("a ClosedJaxpr", lambda x, n: isinstance(x, ClosedJaxpr))
PROGRAMS = Kind("a tuple of ClosedJaxprs, at least one", lambda x, n: bool(
    x and _all_are(ClosedJaxpr, x)
))  # fmt: skip
NATURAL = Kind("an integer from 0", lambda x, n: _is_natural(x))
NUMBER_OF_OPERANDS = Kind(
    "an integer from 0, no more than there are operands", lambda x, n: _is_natural(x) and x <= n
)
FLAG = Kind("True or False", lambda x, n: isinstance(x, bool))
FLAGS = Kind("a tuple with a bool for each operand", lambda x, n: _all_are(bool, x) and len(x) == n)
FLAG_OR_FLAGS = Kind(
    f"{FLAG.words}, or {FLAGS.words}", lambda x, n: FLAG.holds(x, n) or FLAGS.holds(x, n)
)
FUNCTION = Kind("a function", lambda x, n: callable(x))
FUNCTION_OR_NONE = Kind("a function or None", lambda x, n: x is None or callable(x))
INTEGER = Kind("an integer", lambda x, n: isinstance(x, int))
TUPLE = Kind("a tuple", lambda x, n: isinstance(x, tuple))
TUPLE_OR_NONE = Kind("a tuple or None", lambda x, n: x is None or isinstance(x, tuple))
TEXT = Kind("a string", lambda x, n: isinstance(x, str))
TREE = Kind("a tree", lambda x, n: isinstance(x, PyTreeDef))


def called(name: str, program: ClosedJaxpr, in_avals: Sequence[Any]) -> tuple[list, frozenset]:
    """The types of a program's results, and its effects; JaxprTypeError for other operands."""
    taken = program.in_avals
    if len(in_avals) != len(taken) or not all(map(typematch, in_avals, taken)):
        raise JaxprTypeError(f"{name} takes {taken}, and is given {list(in_avals)}.")
    return program.out_avals, program.effects


def def_typecheck(primitive: Primitive, may_lack: tuple[str, ...] = (), **kinds: Kind) -> None:
    """Says which parameters an equation of the primitive has, and of what kind each is."""

    def check(eqn: JaxprEqn) -> None:
        params, size = primitive.active(eqn.params), len(eqn.invars)
        if kinds.keys() - may_lack - params.keys() or params.keys() - kinds.keys():
            raise JaxprTypeError(
                f"Its parameters are {', '.join(sorted(params)) or 'none'}, and those of "
                f"{primitive} are {', '.join(sorted(kinds))}."
            )
        for name, value in params.items():
            if not kinds[name].holds(value, size):
                raise JaxprTypeError(
                    f"Its {name} is a {type(value).__name__} that {primitive} can't have. It "
                    f"takes {kinds[name].words}."
                )

    custom_typechecks[primitive] = check


def_typecheck(
    jit_p, jaxpr=PROGRAM, name=TEXT, keep_unused=FLAG, inline=FLAG, donated_invars=FLAGS
)  # fmt: skip
