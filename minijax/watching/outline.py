"""A recording as text: an outline for a terminal, and one step in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minijax.watching.records import Box, Mark, Recording, SeenTrace, Step, cut
from minijax.watching.rules_found import WRITTEN

MOST_OF_LINE, MOST_OF_OPERANDS = 120, 56  # characters
MOST_NAMED = 6  # steps, or operands, that a sentence names

WRITES = "writes "  # how an outcome begins that is an equation

# Boxes and traces, in short.

NAMED = {"axis"}  # parts that nobody would know without their name


def box_text(box: Box, traces: Sequence[SeenTrace], asked: int | None = None) -> str:
    """A tracer as its trace's label and what it holds; whatever else as it is. Of a variable, the
    label stands in front, unless its trace is the one that is asked."""
    if box.trace is None or box.trace == asked and not box.parts:
        return box.text
    label = traces[box.trace].label
    if not box.parts:
        return f"{label}.{box.text}"
    held = [f"{name} {part.text}" if name in NAMED else box_text(part, traces, asked)
            for name, part in box.parts]  # fmt: skip
    return f"{label}({', '.join(held)})"


def boxes_text(boxes: Iterable[Box], recording: Recording, step: Step) -> str:
    return ", ".join(box_text(box, recording.traces, step.trace) for box in boxes)


def trace_text(number: int, traces: Sequence[SeenTrace]) -> str:
    """A trace by its label and its class, and what it is there for."""
    trace = traces[number]
    article, roles = "an" if trace.kind[0] in "AEIOU" else "a", []
    if trace.role:
        roles.append(trace.role if trace.role.startswith("for ") else f"that {trace.role}")
    if trace.tangents is not None:
        roles.append(f"that hands tangents on to {traces[trace.tangents].label}")
    return " ".join([f"{trace.label}, {article} {trace.kind}", *roles])


def traces_in_words(recording: Recording) -> list[str]:
    return [trace_text(number, recording.traces) for number in range(len(recording.traces))]


def step_name(step: Step) -> str:
    return f"transpose {step.primitive}" if step.transposed else step.primitive


# An outline.


def depths(steps: Sequence[Step]) -> list[int]:
    """Of each step, how many others it is part of."""
    found = list[int]()
    for step in steps:
        found.append(0 if step.parent is None else found[step.parent] + 1)
    return found


def outcome(recording: Recording, step: Step) -> str:
    """What came of a step: an equation, an error, or results."""
    if step.error is not None:
        return f"raises {step.error}"
    if step.grows and not step.transposed:
        texts = (recording.programs[i].equations[k] for i, k in step.grows)
        return WRITES + "; ".join(texts)
    return boxes_text(step.results, recording, step) or "nothing"


def table(recording: Recording, numbers: Sequence[int]) -> list[str]:
    """A line for each of the steps: its number, its name, who was asked, and what of it came."""
    steps, depth = recording.steps, depths(recording.steps)
    rows = [("step", "primitive", "asked", "operands -> outcome")]
    for i in numbers:
        step = steps[i]
        operands = cut(boxes_text(step.operands, recording, step), MOST_OF_OPERANDS)
        rows.append((
            f"{i:4}", "  " * depth[i] + step_name(step), recording.traces[step.trace].label,
            f"{operands} -> {outcome(recording, step)}",
        ))  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    lines = ("  ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows)
    return [cut(line, MOST_OF_LINE) for line in lines]


def in_order(recording: Recording) -> Iterator[tuple[int, int | Mark]]:
    """All that happened, each with its depth: steps by their numbers, and marks."""
    depth, marks = depths(recording.steps), list(recording.marks)
    for number in range(len(recording.steps) + 1):
        while marks and marks[0].before == number:
            mark = marks.pop(0)
            yield (0 if mark.parent is None else depth[mark.parent] + 1), mark
        if number < len(recording.steps):
            yield depth[number], number


def lines_of(recording: Recording, shown: int) -> Iterator[str]:
    """The lines of the first steps, below a head, and between them what happened there."""
    lines = iter(table(recording, range(shown)))
    yield next(lines)
    for depth, one in in_order(recording):
        if one == shown:
            return
        text = f"    - {'  ' * depth}{one.text}" if isinstance(one, Mark) else next(lines)
        yield cut(text, MOST_OF_LINE)


def outline(recording: Recording, most: int | None = None) -> str:
    """The steps, the first `most` of them, and who the traces are."""
    total = len(recording.steps)
    shown = total if most is None else min(total, most)
    ended = f", then {recording.error}" if recording.error else ""
    lines = [f"{recording.title}: {total} step{'s' if total != 1 else ''}{ended}"]
    lines += lines_of(recording, shown)
    if shown < total:
        lines.append(f"and {total - shown} more: print(w) shows all, w.at({shown}) the next one.")
    if recording.left_out:
        lines.append(f"{recording.left_out} steps beyond the limit were left out.")
    lines += traces_in_words(recording)
    return "\n".join(lines)


# One step in words.


def several(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> several(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED} more"]
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def words_of(recording: Recording, number: int) -> str:
    """Who was asked, of what, which rule ran, what that asked in turn, what came, and the line."""
    step = recording.steps[number]
    sentences = [
        before(recording, number), asked(recording, number), of_what(recording, step),
        ran(recording, number), came(recording, step), after(recording, number),
        line_of(recording, step),
    ]  # fmt: skip
    return "\n".join(filter(None, sentences))


# A mark that comes first within a step is told with it; each other one with the step that follows,
# or with the last.


def is_within(mark: Mark, number: int) -> bool:
    return mark.parent == number == mark.before - 1


def before(recording: Recording, number: int) -> str:
    """What happened between the step before and this one."""
    marks = [x.text for x in recording.marks if x.before == number and not is_within(x, number - 1)]
    return f"Before it: {'; '.join(marks)}." if marks else ""


def after(recording: Recording, number: int) -> str:
    """What happened while it was at work, before anything was asked in turn; and at the end."""
    last = len(recording.steps) - 1
    within = [x.text for x in recording.marks if is_within(x, number)]
    at_end = [x.text for x in recording.marks
              if number == last == x.before - 1 and not is_within(x, number)]  # fmt: skip
    sentences = [f"{word}: {'; '.join(marks)}." for word, marks in
                 (("Within it", within), ("After it", at_end)) if marks]  # fmt: skip
    return " ".join(sentences)


def asked(recording: Recording, number: int) -> str:
    step, traces = recording.steps[number], recording.traces
    trace = trace_text(step.trace, traces)
    if step.transposed:
        text = f"{step.primitive} is transposed, while {trace}, is in charge"
    else:
        text = f"{step.primitive} is asked of {trace}"
        if len(step.stack) > 1:
            text += f"; meanwhile {trace_text(step.stack[1], traces)}, is in charge"
        if len(step.stack) > 2:
            text += f", above {several([traces[i].label for i in step.stack[2:]])}"
    waiting = [traces[i].label for i in step.waiting]
    if waiting:
        text += f"; {several(waiting)} {'waits' if len(waiting) == 1 else 'wait'}"
    return f"Step {number}: {text}."


def of_what(recording: Recording, step: Step) -> str:
    """The operands, and whose boxes they are."""
    words = [box_in_words(box, recording.traces) for box in step.operands]
    if not words:
        return "It has no operands."
    if step.transposed:
        return f"It is given, cotangents first, {several(words)}."
    return f"Its {'operand is' if len(words) == 1 else 'operands are'} {several(words)}."


def box_in_words(box: Box, traces: Sequence[SeenTrace]) -> str:
    if box.trace is None:
        return box.text
    label = traces[box.trace].label
    if not box.parts:
        return f"{label}'s {box.text}"
    held = [f"{name} {box_text(part, traces)}" for name, part in box.parts]
    return f"{label}'s box with {several(held)}"


def ran(recording: Recording, number: int) -> str:
    """The rule that ran and what it asked for, or what was done without one."""
    step = recording.steps[number]
    inner = [i for i, each in enumerate(recording.steps) if each.parent == number]
    names = several([f"{step_name(recording.steps[i])} (step {i})" for i in inner])
    if step.rule.name == WRITTEN:
        names = outcome(recording, step).removeprefix(WRITES)
    if "'s " not in step.rule.name:
        return f"It is {step.rule.name}{f': {names}' if names else ''}."
    where = f" ({step.rule.where})" if step.rule.where else ""
    return f"{step.rule.name} runs{where}{f', and asks for {names}' if names else ''}."


def came(recording: Recording, step: Step) -> str:
    """What came of it, where that has not been said."""
    text = outcome(recording, step)
    if text.startswith(WRITES):
        return "" if step.rule.name == WRITTEN else f"That {text}."
    return f"That {text}." if step.error is not None else f"Out comes {text}."


def line_of(recording: Recording, step: Step) -> str:
    """The user's line, if there is one."""
    if step.line is None:
        return ""
    source, line = recording.sources[step.line[0]], step.line[1]
    text = dict(enumerate(source.lines, source.first)).get(line, "").strip()
    return f"Your line: {source.name}, line {line}{f': {text}' if text else ''}"
