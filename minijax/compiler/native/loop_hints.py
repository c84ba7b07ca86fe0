"""Loop hints: what LLVM is told of a loop, behind the jump that ends its turn.

LLVM writes short loops out, turn by turn, before it looks for vectors, and again behind that. An
inner loop that *stays* is not written out before its turns are lanes of vectors: else they would be
sought across turns of the loop around, in numbers that lie far apart. Then the hint is forgotten.

An outer loop of few turns, with many inside, is *kept* as a loop. LLVM would write it out before it
does so with each of the inner loops: thousands of lines, which take long to compile.

A *masked* loop's last turns, which fill no vector, run with a mask. That costs some cycles for each
vector, but further texts of the loop would take long to compile.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

STAYS, KEPT, MASKED = (f", !llvm.loop !{name}" for name in ("stays", "kept", "masked"))
FEW, MANY = 32, 256  # turns: of an outer loop; of it with those inside
# Turns that LLVM makes vectors of only if no turn is left over.
CUT = range(5, 16)
_HINT = re.compile(r"(?<=, !llvm.loop )!(stays|kept|masked)$", re.MULTILINE)
_MEANINGS = """!0 = !{!"llvm.loop.unroll.disable"}
!1 = !{!"llvm.loop.isvectorized", i32 1}
!2 = !{!"llvm.loop.unroll.runtime.disable"}
!3 = !{!"llvm.loop.vectorize.followup_all", !1, !2}
!4 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
"""
_OF = {"stays": "!0, !3", "kept": "!0", "masked": "!4"}


def hint(node: ast.For, is_inner: bool, sizes: Mapping[str, int]) -> str:
    """What LLVM is told of a loop; `sizes` are the numbers that its function is called with."""
    inside = [x for statement in node.body for x in ast.walk(statement)]
    if any(isinstance(x, ast.For | ast.While) for x in inside):
        return KEPT if own_turns(node, sizes) <= FEW and turns(node, sizes) > MANY else ""
    is_short = isinstance(stop_of(node), ast.Constant)  # where the text says them, turns are few
    return "" if not is_inner or is_short or any(map(is_total, inside)) else STAYS


def stop_of(node: ast.For) -> ast.expr:
    return node.iter.args[min(len(node.iter.args), 2) - 1]


def own_turns(node: ast.For, sizes: Mapping[str, int]) -> int:
    """How many turns a loop has; 1 where neither the text nor a call says it."""
    stop = stop_of(node)
    return stop.value if isinstance(stop, ast.Constant) else sizes.get(getattr(stop, "id", ""), 1)


def turns(node: ast.For, sizes: Mapping[str, int]) -> int:
    """How many the loops inside have, in all turns of this one."""
    inside = (x for statement in node.body for x in ast.walk(statement) if is_range(x))
    return own_turns(node, sizes) * max((turns(x, sizes) for x in inside), default=1)


def is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.For) and isinstance(node.iter, ast.Call)


def sizes_in(calls: Sequence[ast.Call], function: ast.FunctionDef) -> dict[str, int]:
    """The whole numbers that a function is called with, by its arguments' names: those that are the
    same in all calls."""
    sizes = dict[str, int]()
    for k, name in enumerate(function.args.args if calls else []):
        values = {getattr(call.args[k], "value", None) for call in calls}
        if len(values) == 1 and type(value := values.pop()) is int:
            sizes[name.arg] = value
    return sizes


def cuts(count: int) -> list[int]:
    """Where a loop of so few turns is cut: into powers of two.

    >>> cuts(10), cuts(7), cuts(8)
    ([0, 8, 10], [0, 4, 6, 7], [0, 8])
    """
    found = [0]
    while found[-1] < count:
        found.append(found[-1] + (1 << (count - found[-1]).bit_length() - 1))
    return found


def is_total(node: ast.AST) -> bool:
    """Whether a statement makes a variable's value of the one before."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    read = {x.id for x in ast.walk(node.value) if isinstance(x, ast.Name)}
    return node.targets[0].id in read


def with_loops_named(text: str) -> str:
    """The text of a module, in which each loop with a hint has a name of its own."""
    names: list[str] = []

    def named(hint: re.Match) -> str:
        number = 5 + len(names)
        names.append(f"!{number} = distinct !{{!{number}, {_OF[hint[1]]}}}\n")
        return f"!{number}"

    text = _HINT.sub(named, text)
    return "".join([text, "\n", _MEANINGS, *names]) if names else text


def without_masks(text: str) -> str:
    """The same for a processor that can't read and write parts of vectors."""
    return text.replace('predicate.enable", i1 true', 'predicate.enable", i1 false')
