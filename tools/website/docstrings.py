"""Docstrings as Markdown: prose with names in backticks, and examples that run.

All else that Markdown or HTML would take for its own is written as an entity.
"""

from __future__ import annotations

import re
from doctest import DocTestParser, Example

from website.markdown import CODE, fence

# An underscore within a word is only that.
PROSE = re.compile(CODE + r"|(?P<special>[\\`*<>\[\]$&#|~{}]|(?<![^\W_])_|_(?![^\W_]))", re.DOTALL)
SENTENCE_END = re.compile(r"[.?!](?=\s)")


def escape(text: str) -> str:
    """Returns text as Markdown that shows it, code in backticks apart.

    >>> print(escape("`*args` and *args"))
    `*args` and &#42;args
    """
    return PROSE.sub(lambda m: m[0] if m["ticks"] else f"&#{ord(m['special'])};", text)


def as_markdown(docstring: str) -> str:
    """Returns a docstring's Markdown: its paragraphs, and each run of its examples fenced.

    >>> as_markdown("Twice x.\\n\\n>>> twice(2)\\n4\\n").split("\\n")
    ['Twice x.', '', '```python', '>>> twice(2)', '4', '```']
    """
    blocks: list[tuple[bool, str]] = []
    for part in DocTestParser().parse(docstring):
        is_example = isinstance(part, Example)
        text = spell_example(part) if is_example else part.strip("\n")
        if is_example and blocks and blocks[-1][0]:
            text = f"{blocks.pop()[1]}\n{text}"
        if text.strip():
            blocks.append((is_example, text))
    return "\n\n".join(fence(text, "python") if code else escape(text) for code, text in blocks)


def spell_example(example: Example) -> str:
    """Returns an example with its prompts and what it prints."""
    first, *others = example.source.rstrip("\n").split("\n")
    lines = [f">>> {first}", *(f"... {line}".rstrip() for line in others)]
    return "\n".join([*lines, example.want]).rstrip("\n")


def first_sentence(docstring: str) -> str:
    """Returns the first sentence of a docstring, in one line, as Markdown that a table can hold.

    >>> first_sentence("Keys: what `a|b` draws\\nfrom. More.")
    'Keys: what `a\\\\|b` draws from.'
    """
    paragraph = docstring.strip().split("\n\n")[0]
    end = SENTENCE_END.search(paragraph)
    sentence = " ".join((paragraph[: end.end()] if end else paragraph).split())
    return escape(sentence).replace("|", "\\|")
