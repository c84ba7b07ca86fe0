"""What mdBook's Markdown lacks: formulas, diagrams, and fences that hold any text.

KaTeX and Mermaid draw in the reader's browser. What they draw stands in elements of two classes,
`math` and `mermaid`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

FENCED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^ {0,3}(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
CODE = r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
FORMULA = re.compile(
    CODE + r"|\\\$|\$\$(?P<display>.+?)\$\$|(?<![\w$])\$(?P<inline>[^\s$](?:[^$]*[^\s$])?)\$(?!\d)",
    re.DOTALL,
)
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def map_prose(text: str, fun: Callable[[str], str]) -> str:
    """Returns Markdown with `fun` applied to what lies between fenced code.

    >>> map_prose("a\\n```\\na\\n```\\na", str.upper)
    'A\\n```\\na\\n```\\nA'
    """
    pieces, end = [], 0
    for match in FENCED.finditer(text):
        pieces += [fun(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*pieces, fun(text[end:])])


def mark_formulas(text: str) -> str:
    r"""Returns Markdown with each formula in an element of the class `math`, as it is.

    >>> print(mark_formulas("$a_1$ and `$5`"))
    <span class="math inline">a\_1</span> and `$5`
    """
    return map_prose(text, lambda prose: FORMULA.sub(_mark_formula, prose))


def _mark_formula(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind not in ("display", "inline"):
        return match[0]
    formula = PUNCTUATION.sub(r"\\\1", " ".join(match[kind].split()))
    return f'<span class="math {kind}">{formula}</span>'


def mark_diagrams(text: str) -> str:
    """Returns Markdown with each fence of Mermaid's in an element of the class `mermaid`.

    >>> print(mark_diagrams("```mermaid\\nflowchart TD\\n```"))
    <pre class="mermaid">
    flowchart TD
    </pre>
    """

    def mark(match: re.Match[str]) -> str:
        return diagram(match["body"]) if match["info"].strip() == "mermaid" else match[0]

    return FENCED.sub(mark, text)


def diagram(mermaid: str) -> str:
    """Returns the element in which Mermaid draws a diagram."""
    return f'<pre class="mermaid">\n{html.escape(mermaid.strip(), quote=False)}\n</pre>'


def fence(text: str, language: str = "") -> str:
    """Returns a fenced block that holds any text, fences too.

    >>> print(fence("f(x)", "python"))
    ```python
    f(x)
    ```
    """
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"
