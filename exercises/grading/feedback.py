"""What a student reads of a task's result: a row with a tick, and below it why it missed."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Sequence

from exercises.grading import source
from exercises.grading.judge import Line, TaskResult, literal_answers
from exercises.grading.splice import begin, bound, find_in
from exercises.grading.tasks import Task

WIDTH = 100
INDENT = 6
PRINTED = 20  # lines of what it printed, at most


def passed(result: TaskResult) -> bool:
    return result.status in ("right", "there")


def tick(is_done: bool) -> str:
    """A mark that the terminal can show."""
    marks = "✗✓"
    try:
        marks.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        marks = "-+"
    return marks[is_done]


def worth(task: Task) -> str:
    return f"{task.points} points" if task.points else "a gate"


def report(task: Task, result: TaskResult, text: str, count: int) -> str:
    """A task's row; below it why it missed, its first `count` hints, and what it printed.

    `text` is the student's file.
    """
    told = {"there": "  answered", "missing": "  missing"}.get(result.status, "")
    row = f"{tick(passed(result))} {task.id}  {task.title:44}  {task.kind:8}{worth(task):>10}{told}"
    below = [] if passed(result) else [*reason(task, result, text), *hints(task, count)]
    below += [textwrap.fill(f"it warned, which costs nothing: {said}", WIDTH - INDENT)
              for said in result.warned]  # fmt: skip
    if result.printed.strip():
        below += ["it printed:", *result.printed.rstrip().splitlines()[-PRINTED:]]
    return "\n".join([row.rstrip(), *(textwrap.indent(line, " " * INDENT) for line in below)])


def hints(task: Task, count: int) -> list[str]:
    return [textwrap.fill(f"hint {k}: {hint}", WIDTH - INDENT)
            for k, hint in enumerate(task.hints[:count], 1)]  # fmt: skip


def reason(task: Task, result: TaskResult, text: str) -> list[str]:
    """Why a task missed, in a line or a few."""
    if result.note and not result.misses:
        return [textwrap.fill(result.note, WIDTH - INDENT)]
    if task.questions:
        return [textwrap.fill(wrong_answer(task, result, text), WIDTH - INDENT)]
    miss = result.misses[0]
    more = len(result.misses) - 1
    others = [f"and {more} more of {len(task.visible)} visible cases"] * bool(more)
    return [*told_miss(miss, place(task, text, miss.case)), *others]


def wrong_answer(task: Task, result: TaskResult, text: str) -> str:
    """Which questions are not answered right, of those that everybody practises on."""
    given = literal_answers(text, task.answers)
    holds = [holds for _, holds in result.properties]
    given += [None] * (len(holds) - len(given))
    said = [f"{sum(holds)} of {len(holds)} answers are right"]
    for is_empty, how in ((False, "right"), (True, "yet")):
        missed = [k + 1 for k, is_right in enumerate(holds)
                  if not is_right and (given[k] is None) is is_empty]  # fmt: skip
        if missed:
            said.append(f"{numbered(missed)} not answered {how}")
    return "; ".join(said)


def numbered(numbers: Sequence[int]) -> str:
    """Questions as a sentence's subject, with its verb.

    >>> numbered([2]), numbered([1, 3, 4])
    ('question 2 is', 'questions 1, 3 and 4 are')
    """
    *firsts, last = map(str, numbers)
    return f"questions {', '.join(firsts)} and {last} are" if firsts else f"question {last} is"


def place(task: Task, text: str, case: str) -> str:
    """Where what a case calls stands in a student's file; nothing where no one can say what."""
    name = task.defines[0] if len(task.defines) == 1 else called(task, case)
    found = find_in(source.parse(text), name) if name else None
    return f" (exercise.py, line {begin(found)})" if found else ""


def called(task: Task, case: str) -> str:
    """The first of a task's definitions that a case calls, itself or through what is set up."""
    own = {name.rpartition(".")[2]: name for name in reversed(task.defines)}
    ready = {name: part for part in ast.parse(task.setup).body for name in bound(part)}
    trees: list[ast.AST] = [ast.parse(case.strip())]
    for tree in trees:
        for node in ast.walk(tree):
            word = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
            if word in own:
                return own[word]
            trees += [ready.pop(word)] if word in ready else []
    return ""


# A visible case that missed.


def told_miss(miss: Line, place: str) -> list[str]:
    """Called with what, what was expected and what came; on one line where they go on one."""
    case, expected, came = miss.case.strip(), unquoted(miss.expected), unquoted(miss.came)
    place = "" if "(exercise.py, line" in came else place
    if "\n" in expected and "\n" in came:
        return [f"{case}{place}:", *first_difference(expected, came)]
    line = f"{case}: expected {expected}, came {came}{place}"
    if len(line) + INDENT <= WIDTH and "\n" not in line:
        return [line]
    return [f"{case}{place}:", *block("expected  ", expected), *block("came      ", came)]


def unquoted(text: str) -> str:
    r"""A text of several lines as it prints; what else there is as it is.

    >>> unquoted(r"'a\nb'"), unquoted("'a'")
    ('a\nb', "'a'")
    """
    if text[:1] in ("'", '"') and r"\n" in text:
        try:
            return str(ast.literal_eval(text))
        except (SyntaxError, ValueError):
            return text
    return text


def first_difference(expected: str, came: str) -> list[str]:
    """The first line in which two texts differ.

    >>> first_difference("{\\n a }", "{\\n b }")
    ['  line 2 expected  a }', '  line 2 came      b }']
    """
    wanted, got = expected.splitlines(), came.splitlines()
    length = max(len(wanted), len(got))
    for lines in (wanted, got):
        lines += ["nothing"] * (length - len(lines))
    k = next((k for k in range(length) if wanted[k] != got[k]), 0)
    return [f"  line {k + 1} expected  {wanted[k].strip()}",
            f"  line {k + 1} came      {got[k].strip()}"]  # fmt: skip


def block(title: str, text: str) -> list[str]:
    """A text below its title's end."""
    first, *others = text.split("\n")
    return [f"  {title}{first}", *(" " * (len(title) + 2) + line for line in others)]


def last_line(results: Sequence[TaskResult]) -> str:
    """What a check ends with: never more than that what can be seen has passed."""
    right = sum(map(passed, results))
    if right == len(results):
        return "visible checks passed"
    return f"{right} of {len(results)} tasks pass their visible checks"
