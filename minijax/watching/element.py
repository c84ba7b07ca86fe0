"""A recording as one HTML element that steps through it: no network, and no kernel afterwards.

The element holds the outline as nested lists, the recording as JSON, and a sheet and a script that
show one step at a time in the outline's place (`stepper.css`, `stepper.js`). Where no script runs,
as in a notebook that is not trusted, the outline stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
# Whoever makes a page of a notebook may read formulas, code, links and templates into these.
OPENERS = ("$", "`", "](", "{{")
TAGS = ("<", ">", "&")


def element(data: dict[str, Any]) -> str:
    """Returns the HTML for a recording, `Watched.as_data()`: ASCII, without an empty line.

    >>> element(dict(title="f", sources=[], traces=[], steps=[], programs=[], left_out=0))[:58]
    '<div class="minijax-watch" data-lm-suppress-shortcuts="true'
    """
    shared = for_json(json.dumps(share_boxes(data), separators=(",", ":"), allow_nan=False))
    return "\n".join([
        # JupyterLab's shortcuts pass by what has the attribute.
        '<div class="minijax-watch" data-lm-suppress-shortcuts="true">',
        f"<style>\n{beside('stepper.css')}\n</style>",
        outline(data),
        f'<script type="application/json">{shared}</script>',
        f"<script>\n{beside('stepper.js')}\n</script>",
        "</div>",
    ])  # fmt: skip


@cache
def beside(name: str) -> str:
    """A file that stands beside this one, without what only its readers need."""
    lines = Path(__file__).with_name(name).read_text(encoding="ascii").splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


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


def outline(data: dict[str, Any]) -> str:
    """All steps as nested lists, each below the one in whose rule it was asked; folded."""
    count = len(data["steps"])
    title = f"<code>{for_html(data['title'])}</code>, {count} step{'s'[:count != 1]}"
    parts = [f"<details><summary>{title}</summary>", *items(data), "</details>"]
    return "".join(parts)


def items(data: dict[str, Any]) -> Iterator[str]:
    """The lists' tags and texts. Steps stand in the order in which they began, so that what was
    asked within a step follows it at once."""
    traces = {trace["id"]: trace for trace in data["traces"]}
    depths: list[int] = []
    open_lists = 0
    for k, step in enumerate(data["steps"]):
        depth = 0 if step["parent"] is None else depths[step["parent"]] + 1
        depths.append(depth)
        while open_lists > depth + 1:
            yield "</li></ol>"
            open_lists -= 1
        yield "</li>" if open_lists == depth + 1 else "<ol>"
        open_lists = depth + 1
        yield f'<li value="{k}">{step_text(step, traces)}'
    yield "</li></ol>" * open_lists
    if data["left_out"]:
        yield f"<p>{data['left_out']} more steps were not recorded.</p>"


def step_text(step: dict[str, Any], traces: dict[int, dict[str, Any]]) -> str:
    """A step in one line: who was asked for what, which rule ran, of what it made what."""
    params = f"[{step['params']}]" if step["params"] else ""
    ends = [", ".join(box["text"] for box in step[side]) for side in ("operands", "results")]
    came = f"raises {step['error']}" if step.get("error") else ends[1] or "nothing"
    trace = traces[step["trace"]]
    who = f"{trace['kind']} {trace['id']}"
    asked, rest = step["primitive"] + params, f" of {who}: {step['rule']['name']}; "
    return f"<code>{for_html(asked)}</code>{for_html(f'{rest}{ends[0]} -> {came}')}"
