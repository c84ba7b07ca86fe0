"""Markdown by its headings: a page is put together from pieces of files, each kept in one place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from website.markdown import FENCED

HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)? *$")


def headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields line number from 0, level and words of each heading; code has none.

    >>> list(headings("# One\\n```python\\n# no\\n```\\n## Two"))
    [(0, 1, 'One'), (4, 2, 'Two')]
    """
    without_code = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for number, line in enumerate(without_code.split("\n")):
        if match := HEADING.match(line):
            yield number, len(match[1]), match[2]


def find_section(text: str, heading: str) -> str | None:
    """Returns what stands below a heading, down to the next of its level or above; None without.

    >>> find_section("# A\\n\\none\\n\\n## B\\n\\ntwo\\n\\n# C", "A")
    'one\\n\\n## B\\n\\ntwo'
    """
    lines, found = text.split("\n"), list(headings(text))
    for place, (start, level, words) in enumerate(found):
        if words == heading:
            ends = [line for line, depth, _ in found[place + 1 :] if depth <= level]
            return "\n".join(lines[start + 1 : (ends or [len(lines)])[0]]).strip("\n")
    return None


def section(text: str, heading: str, file: str) -> str:
    """As `find_section`. Raises ValueError, which names `file`, where it lacks the heading."""
    found = find_section(text, heading)
    if found is None:
        raise ValueError(f"{file} has no heading {heading!r}; the site takes a piece from there")
    return found


def title_of(text: str, file: str) -> str:
    """Returns the words of a file's first heading. Raises ValueError where there is none."""
    for _, _, words in headings(text):
        return words
    raise ValueError(f"{file} has no heading; a page of the site is called by its first")
