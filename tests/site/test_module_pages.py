"""The pages of the modules: every line of the package once, and ways from a name to its chapter."""

import importlib
import posixpath
import re
import types
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from book import mirrored_files, read_book
from preprocessor import walk
from website.docstrings import as_markdown, first_sentence
from website.markdown import CODE, map_prose
from website.module_pages import module_pages
from website.outlines import outline
from website.pages import LINES

pytestmark = pytest.mark.prove  # all pages are made first, which takes seconds
ROOT = Path(__file__).resolve().parents[2]
RUN = re.compile(
    r'^<div class="run" id="line-(\d+)">\n<div class="explained">\n\n(.*?)\n\n</div>\n\n'
    r"(`{3,})python\n(.*?)\n\3\n\n</div>$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE_SPAN = re.compile(CODE, re.DOTALL)
HEADING = re.compile(r"^#+ .*\{#(.+)\}$", re.MULTILINE)
# What a package's `__all__` holds, and its page does not show as its own.
HOUSEHOLD = {"MissingMethod", "guard", "lazy_names", "put_lazily"}


def links_of(markdown):
    """Where the links of a text lead, but for what looks like one in code."""
    found = []
    map_prose(markdown, lambda prose: found.append(CODE_SPAN.sub("", prose)) or "")
    return [link for prose in found for link in LINK.findall(prose)]


@pytest.fixture(scope="module")
def book():
    return read_book(ROOT)


@pytest.fixture(scope="module")
def overview(book):
    [overview] = module_pages(book)
    return overview


@pytest.fixture(scope="module")
def pages(overview):
    return {page.source: page for page in walk(overview) if page.path.startswith("modules/")}


@pytest.fixture(scope="module")
def sources(overview):
    """The pages of sources, by the files that they show."""
    return {page.source.removesuffix(LINES): page for page in walk(overview)
            if page.path.startswith("sources/")}  # fmt: skip


@pytest.fixture(scope="module")
def cells(book):
    """The lines of each mirrored cell, by its file and its link's end."""
    return {(cell.path, f"{cell.notebook.name}#{cell.node.id}"): cell.lines for cell in book.cells}


def section(text, heading):
    """What stands below a heading with the id `heading`, up to the next."""
    [found] = re.findall(rf"^#+ [^\n]*\{{#{heading}\}}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    return found


def test_every_module_has_a_page_below_its_package(overview, pages):
    files = [file.relative_to(ROOT).as_posix() for file in (ROOT / "minijax").rglob("*.py")]
    assert sorted(pages) == sorted(files)
    assert overview.path == "modules.md"
    for page in pages.values():
        path = page.path.removeprefix("modules/").removesuffix(".md")
        assert page.text.startswith("# " + path.replace("__main__", "&#95;&#95;main&#95;&#95;"))
        assert page.source.removesuffix(".py").removesuffix("/__init__") == path.replace(".", "/")
        assert page.title == path.split(".")[-1]
        below = [child for child in page.children if not child.source.endswith(LINES)]
        for child in below:
            assert child.path.rpartition(".")[0].rpartition(".")[0] == f"modules/{path}"


def test_a_modules_first_child_is_its_source(pages, sources):
    for file, page in pages.items():
        if (ROOT / file).read_text(encoding="utf-8").strip():
            assert page.children[0] is sources[file]
            assert f"({posixpath.basename(file)}{LINES}=" in page.text
        else:
            assert file not in sources and "The source" not in page.text


def test_the_source_on_a_page_is_its_file(sources):
    for source, page in sources.items():
        lines = (ROOT / source).read_text(encoding="utf-8").split("\n")
        seen = Counter()
        for start, _, _, code in RUN.findall(page.text):
            shown = code.split("\n")
            assert shown == lines[int(start) - 1 :][: len(shown)], f"{source}:{start}"
            seen.update(range(int(start), int(start) + len(shown)))
        full = [n for n, line in enumerate(lines, 1) if line.strip()]
        assert [seen[n] for n in full] == [1] * len(full), source


def test_every_line_of_a_mirrored_file_leads_to_the_cell_that_holds_it(sources, cells):
    mirrored = {file.relative_to(ROOT).as_posix() for file in mirrored_files(ROOT)}
    for source, page in sources.items():
        for start, words, _, code in RUN.findall(page.text):
            links = LINK.findall(words)
            assert len(links) == (source in mirrored), f"{source}:{start}"
            for link in links:
                assert cells[source, posixpath.basename(link)] == code.split("\n")


@pytest.mark.parametrize(
    "source, name, chapter",
    [
        ("minijax/core/batching.py", "BatchTrace", "06-batching"),
        ("minijax/core/programs.py", "linearize_jaxpr", "11-programs"),
        ("minijax/core/forward.py", "jvp", "05-forward"),
        ("minijax/lax/indexing/gather_scatter.py", "gather", "19-indexing"),
    ],
)
def test_a_names_heading_says_where_it_is_explained(pages, sources, source, name, chapter):
    page = pages[source]
    assert f"\n### {name} {{#{name}}}\n" in page.text
    [place] = re.findall(r"^explained in .*$", section(page.text, name), re.M)
    assert re.search(rf"\]\([./]*notebooks/{chapter}\.ipynb#{chapter}-\d+\)", place)
    [line] = re.findall(r"\(\w+\.py#line=(\d+)\)", place)
    runs = {int(start): code for start, _, _, code in RUN.findall(sources[source].text)}
    assert re.search(rf"\b(def|class) {name}\b", runs[int(line) + 1])


def test_a_names_section_has_its_signature_its_words_and_its_examples(pages):
    text = section(pages["minijax/numpy/elementwise/ufuncs.py"].text, "divide")
    assert "def divide(x: Any, y: Any, /) -> Any:\n```" in text
    assert "\nx / y, as floats.\n" in text
    assert "```python\n>>> divide(1, 4)\nArray(0.25" in text
    assert "explained in" not in text
    text = section(pages["minijax/core/batching.py"].text, "BatchTrace")
    assert "    def process_primitive(self, " in text
    assert "_p, tan = " in section(pages["minijax/lax/elementwise/trigonometry.py"].text, "tan")


PACKAGES = ["minijax", "minijax.core", "minijax.lax", "minijax.nn", "minijax.numpy",
            "minijax.random", "minijax.tree", "minijax.stages", "minijax.errors",
            "minijax.interpreters.ad"]  # fmt: skip


@pytest.mark.parametrize("module", PACKAGES)
def test_the_public_names_are_those_of_all(pages, module):
    real = importlib.import_module(module)
    names = {n for n in real.__all__ if not isinstance(getattr(real, n), types.ModuleType)}
    page = next(p for p in pages.values() if p.path == f"modules/{module}.md")
    shown = {n for n in HEADING.findall(page.text) if "-" not in n}
    shown |= set(re.findall(r"^\| \[`(\w+)`\]", page.text, re.M))
    assert shown | {"Array"} == names - HOUSEHOLD | {"Array"}


def test_a_name_of_another_module_leads_there(pages):
    text = pages["minijax/tree.py"].text
    place = "[minijax.core.pytrees](core/pytrees.py), as `tree_map`"
    assert f"| [`map`](core/pytrees.py#tree_map) | {place} |" in text
    assert '<div class="searchable">\n\n| name | defined in | what it is |\n' in text
    text = pages["minijax/core/extend.py"].text
    assert "| [`linearize_jaxpr`](programs.py#linearize_jaxpr) |" in text


def test_no_link_is_dead(book, overview, pages, sources):
    anchors = {source: set(HEADING.findall(page.text)) for source, page in pages.items()}
    for source, page in sources.items():
        anchors[source] |= {f"line={int(run[0]) - 1}" for run in RUN.findall(page.text)}
    for path, notebook in book.notebooks.items():
        anchors[f"notebooks/{path.name}"] = {cell.id for cell in notebook.cells}
    for page in walk(overview):
        for link in links_of(page.text):
            file, _, anchor = link.partition("#")
            folder = posixpath.dirname(page.source)
            target = posixpath.normpath(posixpath.join(folder, file)) if file else page.source
            assert target in anchors, f"{page.source}: {link}"
            assert not anchor or anchor in anchors[target], f"{page.source}: {link}"


def test_the_overview_has_every_module_with_its_first_sentence(overview, pages):
    for source, page in pages.items():
        if page is not overview.children[0]:
            assert re.search(rf"\]\({re.escape(source)}\) \| [^| ]", overview.text), source
    assert "core/batching.py) | Batching: a function of one example becomes" in overview.text
    assert "without a loop. | [06 Batching](notebooks/06-batching.ipynb) |" in overview.text


# A made-up package.

MODULE = '''"""A module."""

import sys

raise SystemExit("it is not to be imported")

first, second = 1, 2


# Twice.
@sys.intern
def twice(x: "a * b",
          y=2) -> int:  # fmt: skip
    return 2 * x


def _private(): ...


class Point:
    """A point, of *two* <numbers>."""

    x: int
    _hidden: int

    # What it is made of.
    def __init__(self, x): self.x = x

    def size(self):
        # The longest.
        return 2

    @property
    def half(self):
        """A half of `x`.

        >>> Point(2).half
        1
        """
'''


@pytest.fixture
def made_up(repository):
    """The pages of a small package, of which a notebook shows some lines."""
    repository.write("minijax/__init__.py", '''"""All."""

import numpy
from minijax.core.things import Point
from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"minijax.core.things": "second twice"})
core.__getattr__ = lazy_names("minijax.core", {"minijax.core.things": "first"})
''')
    repository.write("minijax/face/lazily.py", "def lazy_names(): ...")
    repository.write("minijax/core/__init__.py")
    repository.write("minijax/core/things.py", MODULE)
    shown = MODULE[MODULE.index("# Twice") : MODULE.index("def _private")]
    code = nbformat.v4.new_code_cell(f"# minijax/core/things.py\n{shown}")
    repository.notebook("05-forward", code)
    repository.write("notebooks/SUMMARY.md", "- [05 Forward: slopes](05-forward.ipynb)")
    [overview] = module_pages(read_book(repository.root))
    return {page.path: page.text for page in walk(overview)}


def test_a_made_up_module(made_up):
    text = made_up["modules/minijax.core.things.md"]
    assert "\n\nRead in [05 Forward](../../notebooks/05-forward.ipynb).\n\n" in text
    names = [id for id in HEADING.findall(text) if "-" not in id]
    assert names == ["first", "second", "twice", "Point"]
    code = "```python\nfirst, second = 1, 2\n```"
    assert section(text, "first") == f"\n[line 7](things.py#line=6)\n\n{code}\n\n"
    cell = "[05 Forward](../../notebooks/05-forward.ipynb#05-forward-000)"
    assert section(text, "twice") == f"""
explained in {cell}, [lines 11 to 14](things.py#line=9)

```python
@sys.intern
def twice(x: "a * b",
          y=2) -> int:
```

"""
    assert section(text, "Point") == """
[lines 20 to 39](things.py#line=19)

```python
class Point:
    x: int
    def __init__(self, x):
    def size(self):
    @property
    def half(self):
```

A point, of &#42;two&#42; &#60;numbers&#62;.

`half`: A half of `x`.

```python
>>> Point(2).half
1
```
"""
    text = made_up["sources/minijax.core.things.md"]
    assert [run[:2] for run in RUN.findall(text)] == [
        ("1", "lines 1 to 5"),
        ("7", "line 7"),
        ("10", f"lines 10 to 14: {cell}"),
        ("17", "line 17"),
        ("20", "lines 20 to 39"),
    ]


def test_made_up_packages(made_up):
    rows = re.findall(r"^\| \[`(\w+)`\]\((\S+)\)", made_up["modules/minijax.md"], re.M)
    there = "core/things.py"
    assert rows == [("Point", f"{there}#Point"), ("second", f"{there}#second"),
                    ("twice", f"{there}#twice")]  # fmt: skip
    assert "| [`first`](things.py#first) |" in made_up["modules/minijax.core.md"]
    assert "The source" not in made_up["modules/minijax.core.md"]


@pytest.mark.parametrize(
    "docstring, markdown",
    [
        ("*args of f[0](x), a_b and _c_.", "&#42;args of f&#91;0&#93;(x), a_b and &#95;c&#95;."),
        ("`*a_ <b>` and $x$", "`*a_ <b>` and &#36;x&#36;"),
        ("One.\n\n- two\n- three", "One.\n\n- two\n- three"),
        ("a > b | c ~ d # e", "a &#62; b &#124; c &#126; d &#35; e"),
        (
            "Adds.\n\n>>> def f():\n...     return 1\n>>> f()\n1\n\nAnd:\n\n>>> f()\n1",
            "Adds.\n\n```python\n>>> def f():\n...     return 1\n>>> f()\n1\n```\n\nAnd:\n\n"
            "```python\n>>> f()\n1\n```",
        ),
    ],
)
def test_docstrings(docstring, markdown):
    assert as_markdown(docstring) == markdown


def test_a_first_sentence_fits_a_table():
    assert first_sentence("Of `a | b`\nx.y. More.") == "Of `a \\| b` x.y."
    assert first_sentence("No end\n\nmore. And.") == "No end"


def test_a_long_value_is_cut():
    value = "\n".join(["x = [", *("    1,",) * 9, "]"])
    assert outline(value).split("\n") == ["x = [", *["    1,"] * 5, "..."]
