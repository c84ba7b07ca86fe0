"""Loop hints: what LLVM is told of a loop, behind the jump that ends its turn.

An inner loop that *stays* is not written out before its turns are lanes of vectors. LLVM writes a
short innermost loop out, turn by turn, before it looks for vectors, and then finds them across
turns of the loop around, in numbers that lie far apart. Once it has looked, the hint is forgotten.

A *masked* loop's last turns, which fill no vector, run with a mask. That costs some cycles for each
vector, but further texts of the loop would take long to compile.
"""

from __future__ import annotations

import ast
import re

STAYS, MASKED = ", !llvm.loop !stays", ", !llvm.loop !masked"
_HINT = re.compile(r"(?<=, !llvm.loop )!(stays|masked)$", re.MULTILINE)
_MEANINGS = """!0 = !{!"llvm.loop.unroll.disable"}
!1 = !{!"llvm.loop.isvectorized", i32 1}
!2 = !{!"llvm.loop.unroll.runtime.disable"}
!3 = !{!"llvm.loop.vectorize.followup_all", !1, !2}
!4 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
"""
_OF = {"stays": "!0, !3", "masked": "!4"}


def stays(node: ast.For) -> bool:
    """Of an innermost loop without totals, unless its text says its turns: then they are few."""
    inside = [x for statement in node.body for x in ast.walk(statement)]
    stop = node.iter.args[min(len(node.iter.args), 2) - 1]
    is_outer = any(isinstance(x, ast.For | ast.While) for x in inside)
    return not (is_outer or isinstance(stop, ast.Constant) or any(map(is_total, inside)))


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
