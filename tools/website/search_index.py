"""What the site's search looks through: the prose of every page, cut at its headings.

Code and diagrams are left out, so that a result shows a sentence. What a chapter's cells
define is found by its name all the same. There is no index of words: the text is short enough to be
looked through at every key, by theme/search.js.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from website.links import heading_id
from website.markdown import FENCED
from website.pages import LINES, Page
from website.sections import headings

INDEX = Path("search") / "index.js"  # below notebooks/, from where mdBook copies it
DEEPEST = 3  # a heading of this level starts a section
DEFINITION = re.compile(r"^(?:class|def) (\w+)", re.MULTILINE)
OWN_ID = re.compile(r" *\{#([\w.-]+)\}$")
NOT_PROSE = re.compile(
    r"<pre\b.*?</pre>|<svg\b.*?</svg>|<nav\b.*?</nav>|<summary>.*?</summary>"
    r'|<p class="page-tools">.*?</p>|<div class="cell-head">.*?</div>|!\[[^\]]*\]\([^)]*\)',
    re.DOTALL,
)
STUBS = re.compile(r'<details class="stubs">.*?</details>', re.DOTALL)  # names to be defined
FORMULA = re.compile(r'<span class="math \w+">(.*?)</span>', re.DOTALL)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*\)")
EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
MARKUP = re.compile(
    r"</?[a-z][^>]*>|^\|[\s:|-]+\|$|^#{1,6} |^[-*] |^> |\*\*|`|\\(?=[^\w\s])", re.MULTILINE
)

Section = tuple[str, str, str, str]  # anchor, heading, prose, names that its cells define


def write_index(root: Path, pages: Iterable[Page]) -> None:
    """Writes the index of all pages, but those that show a file's lines, below `root`/notebooks."""
    entries = [[page.path.removesuffix(".md") + ".html", page.title, list(sections(page.text))]
               for page in pages if not page.source.endswith(LINES)]  # fmt: skip
    file = root / "notebooks" / INDEX
    data = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    text = f"window.search.load({data});\n"
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def sections(text: str) -> Iterator[Section]:
    """Yields the sections of a page's Markdown. A heading within a section counts as its prose.

    >>> list(sections("# A\\n\\n`f`.\\n```python\\ndef f(): ...\\n```\\n\\n## B b\\n\\n[c](c.md)"))
    [('a', 'A', 'f.', 'f'), ('b-b', 'B b', 'c', '')]
    """
    lines, seen = text.split("\n"), dict[str, int]()
    found = [(line, level, *anchor_and_words(said, seen)) for line, level, said in headings(text)]
    starts = [(line, anchor, words) for line, level, anchor, words in found if level <= DEEPEST]
    ends = [line for line, *_ in starts[1:]] + [len(lines)][: len(starts)]
    for (line, anchor, words), end in zip(starts, ends, strict=True):
        body = STUBS.sub("", "\n".join(lines[line + 1 : end]))
        names = [name for fence in FENCED.finditer(body) if fence["info"] == "python"
                 for name in DEFINITION.findall(fence["body"])]  # fmt: skip
        yield anchor, words, prose(body), " ".join(names)


def anchor_and_words(words: str, seen: dict[str, int]) -> tuple[str, str]:
    """Returns a heading's anchor and its text. mdBook numbers those that stand twice on a page."""
    own = OWN_ID.search(words)
    words = prose(OWN_ID.sub("", words))
    anchor = own[1] if own else heading_id(words.replace("%", "%25"))
    seen[anchor] = count = seen.get(anchor, -1) + 1
    return f"{anchor}-{count}" if count else anchor, words


def prose(text: str) -> str:
    """Returns Markdown as plain words, in one line.

    >>> prose("Of **all** [`jvp`](05.md#a),\\n<b>one</b> | x |\\n```text\\nno\\n```")
    'Of all jvp, one x'
    """
    text = NOT_PROSE.sub(" ", FENCED.sub("", text))
    text = FORMULA.sub(lambda match: spell_formula(match[1]), text)
    text = MARKUP.sub("", EMPHASIS.sub(r"\1", LINK.sub(r"\1", text)))
    text = text.replace("\\|", "\0").replace("|", " ").replace("\0", "|")  # a table's cells
    return " ".join(html.unescape(text).split())


def spell_formula(marked: str) -> str:
    """Returns a formula as it may stand in a sentence: its letters, or a gap where it has commands.

    >>> spell_formula(r"x\\^2 \\+ y"), spell_formula(r"\\\\frac 1 2")
    ('x^2 + y', '...')
    """
    plain = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", marked)
    return "..." if "\\" in plain else plain
