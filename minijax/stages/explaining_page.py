"""Explain, as a page: one element of HTML that needs no network, and no script to be read.

Every line shows the number of the user's line that it comes from, in that line's colour. A small
script lights the kin of the line that is pointed at, or that has the focus.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from minijax.stages.glossary_words import WORDS
from minijax.stages.kin import Line, ShownStage, kin_of, users_lines

HUES = 8  # colours of the user's lines, one after the other
MOST_LINES = 400  # of a stage with kin: what is behind them is shown, and never lit


def page(title: str, headline: str, stages: Sequence[ShownStage]) -> str:
    """The element: title and headline, the stages beside each other, and what is long, folded."""
    lines = [line for stage in stages for line in stage.lines[:MOST_LINES]]
    kin = {line: found for line, found in kin_of(lines).items() if len(found) > 1}
    numbers = sorted({n for line in kin for n in users_lines(line)})
    hues = {number: k % HUES for k, number in enumerate(numbers)}
    codes = [stage for stage in stages if not stage.is_prose and not stage.is_long]
    told = [prose(stage) for stage in stages if stage.is_prose and not stage.is_long]
    folded = [fold(stage, kin, hues) for stage in stages if stage.is_long]
    said = [f"<p>{words(text)}</p>" for text in headline.split("\n")]
    parts = [
        OPENED, f"<style>{asset('explaining.css')}</style>",
        f"<p><strong>{escape(title)}</strong></p>", *said, *told, f"<p>{HOW}</p>",
        '<div class="mjx-stages">', *(box(stage, kin, hues) for stage in codes), "</div>", *folded,
        f"<script>{asset('explaining.js')}</script>", "</div>",
    ]  # fmt: skip
    return "\n".join(parts)


OPENED = '<div class="mjx" data-lm-suppress-shortcuts="true">'  # JupyterLab leaves it its keys
HOW = (
    "Each line has the number and the colour of your line that it comes from. Point at one, or go "
    "to it with Tab and the arrow keys, and what it came from and what became of it is lit."
)


def escape(text: str) -> str:
    """A text for HTML that stands in a page of Markdown, which would find links in f[k](x)."""
    return html.escape(text).replace("](", "]&#40;")


@cache
def asset(name: str) -> str:
    """A file beside this one, without blank lines: in Markdown, one would end the element."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line.strip())


Kin = Mapping[Line, Sequence[Line]]


def box(stage: ShownStage, kin: Kin, hues: Mapping[int, int]) -> str:
    title = f'<span class="mjx-title">{words(stage.title)}</span>'
    return f'<section aria-label="{escape(stage.title)}">{title}{body(stage, kin, hues)}</section>'


def fold(stage: ShownStage, kin: Kin, hues: Mapping[int, int]) -> str:
    inside = body(stage, kin, hues)
    return f"<details><summary>{escape(stage.title)}</summary>{inside}</details>"


def prose(stage: ShownStage) -> str:
    """A stage of sentences, as a paragraph."""
    text = " ".join(line.text for line in stage.lines)
    return f"<p><strong>{words(stage.title)}</strong>: {words(text)}</p>"


def body(stage: ShownStage, kin: Kin, hues: Mapping[int, int]) -> str:
    has_numbers = any(line in kin for line in stage.lines)
    return f"<pre>{''.join(line_html(x, kin, hues, has_numbers) for x in stage.lines)}</pre>"


def line_html(line: Line, kin: Kin, hues: Mapping[int, int], has_number: bool) -> str:
    numbers = users_lines(line) if line in kin and not line.holds else []
    number = f"<i>{number_text(numbers)}</i>" if has_number else ""
    bare = line.text.lstrip()
    text = f"{line.text[: len(line.text) - len(bare)]}<b>{escape(bare)}</b>\n"
    note = f"<em>{words(line.note)}\n</em>" if line.note else ""
    return f"<span{attributes(line, kin, hues, numbers)}>{number}{text}{note}</span>"


def attributes(line: Line, kin: Kin, hues: Mapping[int, int], numbers: Sequence[int]) -> str:
    if line not in kin:
        return ""
    given = {"data-key": line.key, "data-kin": " ".join(x.key for x in kin[line] if x is not line),
             "tabindex": "0"}  # fmt: skip
    if len(numbers) == 1:
        given["data-hue"] = str(hues[numbers[0]])
    if line.mark:
        given["data-mark"] = line.mark
    return "".join(f' {name}="{escape(value)}"' for name, value in given.items())


def number_text(numbers: Sequence[int]) -> str:
    """The user's lines in a few characters.

    >>> number_text([3]), number_text([3, 4]), number_text([3, 5, 9]), number_text([])
    ('3', '3,4', '3+', '')
    """
    return ",".join(map(str, numbers)) if len(numbers) < 3 else f"{numbers[0]}+"


_WORD = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})(s?)\b", re.IGNORECASE)


def words(text: str) -> str:
    """A sentence, in which the words of the glossary say what they mean."""
    seen: set[str] = set()

    def explained(match: re.Match) -> str:
        word = match[1].lower()
        if word in seen:
            return match[0]
        seen.add(word)
        return f'<dfn title="{escape(WORDS[word])}" tabindex="0">{match[0]}</dfn>'

    return _WORD.sub(explained, escape(text))
