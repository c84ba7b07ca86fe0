"""Explain, as a page: one element of HTML that needs no network, and no script to be read.

Every line shows the number of the user's line that it comes from, in that line's colour. A small
script lights the kin of the line that is pointed at, or that has the focus.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources

from minijax.stages.glossary_words import WORDS
from minijax.stages.kin import Line, Stage, kin_of, users_lines

HUES = 8  # colours of the user's lines, one after the other
MOST_LINES = 400  # of a stage with kin: what is behind them is shown, and never lit


def page(title: str, headline: str, stages: Sequence[Stage]) -> str:
    """The element: title and headline, the stages beside each other, and what is long, folded."""
    lines = [line for stage in stages for line in stage.lines[:MOST_LINES]]
    kin = {line: found for line, found in kin_of(lines).items() if len(found) > 1}
    numbers = sorted({n for line in kin for n in users_lines(line)})
    hues = {number: k % HUES for k, number in enumerate(numbers)}
    beside = [box(stage, kin, hues) for stage in stages if not stage.is_long]
    folded = [fold(stage, kin, hues) for stage in stages if stage.is_long]
    parts = [
        '<div class="mjx">', f"<style>{asset('explaining.css')}</style>",
        f"<p><strong>{escape(title)}</strong></p>", *(f"<p>{words(text)}</p>" for text in headline.split("\n")),
        f"<p>{words(HOW)}</p>",
        '<div class="mjx-stages">', *beside, "</div>", *folded,
        f"<script>{asset('explaining.js')}</script>", "</div>",
    ]  # fmt: skip
    return "\n".join(parts)


HOW = "The number at each line is that of your line it comes from. Point at a line to see its kin."


@cache
def asset(name: str) -> str:
    """A file beside this one, without blank lines: in Markdown, one would end the element."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line.strip())


Kin = Mapping[Line, Sequence[Line]]


def box(stage: Stage, kin: Kin, hues: Mapping[int, int]) -> str:
    title = f'<span class="mjx-title">{words(stage.title)}</span>'
    return f'<section aria-label="{escape(stage.title)}">{title}{body(stage, kin, hues)}</section>'


def fold(stage: Stage, kin: Kin, hues: Mapping[int, int]) -> str:
    return (f"<details><summary>{escape(stage.title)}</summary>"
            f"{body(stage, kin, hues)}</details>")  # fmt: skip


def body(stage: Stage, kin: Kin, hues: Mapping[int, int]) -> str:
    tag, item = ("ul", "li") if stage.is_prose else ("pre", "span")
    has_numbers = any(line in kin for line in stage.lines) and not stage.is_prose
    return f"<{tag}>{''.join(line_html(x, item, kin, hues, has_numbers) for x in stage.lines)}</{tag}>"


def line_html(
    line: Line, tag: str, kin: Kin, hues: Mapping[int, int], has_number: bool
) -> str:
    numbers = users_lines(line) if line in kin else []
    number = f"<i>{number_text(numbers)}</i>" if has_number else ""
    note = f"<em>{words(line.note)}</em>" if line.note else ""
    text = words(line.text) if tag == "li" else f"<b>{escape(line.text)}</b>"
    end = "\n" if tag == "span" else ""
    return f"<{tag}{attributes(line, kin, hues, numbers)}>{number}{text}{note}{end}</{tag}>"


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
