"""A recording as one HTML element that steps through it: no network, and no kernel afterwards.

The element holds the outline as nested lists, the recording as JSON, and a sheet and a script that
show one step at a time in the outline's place (`stepper.css`, `stepper.js`). Where no script runs,
as in a notebook that is not trusted, the outline stays; a long one is folded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from minijax.watching.outline import boxes_text, in_order, outcome, step_name, traces_in_words
from minijax.watching.records import Mark, Recording, Step

COMMENTS = re.compile(r"^ *(?://[^\n]*|/\*.*?\*/)$", re.MULTILINE | re.DOTALL)
BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
# Whoever makes a page of a notebook may read formulas, code, links and templates into these.
OPENERS = ("$", "`", "](", "{{")
TAGS = ("<", ">", "&")
MOST_UNFOLDED = 50  # steps, of an outline that is open where no script runs


def element(recording: Recording) -> str:
    """Returns the HTML for a recording: ASCII, and without an empty line.

    >>> element(Recording("f", [], [], [], [])).split("\\n")[0]
    '<div class="minijax-watch" data-lm-suppress-shortcuts="true">'
    """
    # JupyterLab's shortcuts pass by what has the attribute.
    lines = ['<div class="minijax-watch" data-lm-suppress-shortcuts="true">']
    lines.append("".join(folded_outline(recording)))
    if recording.steps:
        data = json.dumps(share_boxes(recording.as_data()), separators=(",", ":"), allow_nan=False)
        lines.append(f"<style>\n{beside('stepper.css')}\n</style>")
        lines.append(f'<script type="application/json">{for_json(data)}</script>')
        lines.append(f"<script>\n{beside('stepper.js')}\n</script>")
    return "\n".join([*lines, "</div>"])


@cache
def beside(name: str) -> str:
    """A file that stands beside this one, without what only its readers need: a comment has lines
    of its own."""
    text = COMMENTS.sub("", Path(__file__).with_name(name).read_text(encoding="ascii"))
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def for_json(text: str) -> str:
    r"""JSON that no tag ends, and in which a page's maker finds nothing to do.

    >>> for_json('["</script>", "$x$"]')
    '["\\u003c/script\\u003e", "\\u0024x\\u0024"]'
    """
    for sign in (*TAGS, *OPENERS):
        text = text.replace(sign, f"{sign[:-1]}\\u{ord(sign[-1]):04x}")
    return text


def for_html(text: str) -> str:
    """Text for between tags, in one line.

    >>> for_html("a < [b](c)")
    'a &lt; [b]&#40;c)'
    """
    text = escape(BLANKS.sub(" ", text))
    for sign in OPENERS:
        text = text.replace(sign, f"{sign[:-1]}&#{ord(sign[-1])};")
    return text.encode("ascii", "xmlcharrefreplace").decode()


# Boxes repeat from step to step: each stands once, and steps and boxes name it by its number.


def share_boxes(data: dict[str, Any]) -> dict[str, Any]:
    """The recording with its boxes in a list of their own, `boxes`."""
    numbers: dict[str, int] = {}
    boxes: list[dict[str, Any]] = []

    def number(box: dict[str, Any]) -> int:
        if "parts" in box:
            box = box | {"parts": [[label, number(part)] for label, part in box["parts"]]}
        key = json.dumps(box)
        if key not in numbers:
            numbers[key] = len(boxes)
            boxes.append(box)
        return numbers[key]

    steps = [
        step | {side: [*map(number, step[side])] for side in ("operands", "results")}
        for step in data["steps"]
    ]
    return data | {"boxes": boxes, "steps": steps}


# The outline.


def folded_outline(recording: Recording) -> Iterator[str]:
    """Tags and texts of all steps as nested lists, each below the one in whose rule it was asked.

    Steps stand in the order in which they began, so that what is asked within one follows it at
    once.
    """
    count = len(recording.steps)
    title = f"<code>{for_html(recording.title)}</code>, {count} step{'s'[: count != 1]}"
    yield f"<details{' open' * (count <= MOST_UNFOLDED)}><summary>{title}</summary>"
    lists = 0
    for depth, one in in_order(recording):
        yield "</li></ol>" * (lists - depth - 1)
        yield "</li>" if lists > depth else '<ol style="list-style-type: decimal">'
        lists = depth + 1
        if isinstance(one, Mark):
            yield f'<li style="list-style-type: none">{for_html(one.text)}'
        else:
            yield f'<li value="{one}">{for_html(step_text(recording, recording.steps[one]))}'
    yield "</li></ol>" * lists
    if recording.steps:
        yield f"<p>{for_html('; '.join(traces_in_words(recording)))}.</p>"
    if recording.left_out:
        yield f"<p>{recording.left_out} more steps were not recorded.</p>"
    if recording.error:
        yield f"<p>In the end it raised {for_html(recording.error)}</p>"
    yield "</details>"


def step_text(recording: Recording, step: Step) -> str:
    """A step in one line: who was asked for what, of what, which rule ran, and what came of it."""
    who = recording.traces[step.trace].label
    what = f"{step_name(step)} is asked of {who}, {boxes_text(step.operands, recording, step)}"
    return f"{what} -> {outcome(recording, step)} ({step.rule.name})"
