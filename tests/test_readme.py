"""README.md and CONTRIBUTING.md tell the truth: their code prints what they say, their links lead.

What they say of the book, and of the code's size, is what these are. The Python blocks of a page
run in order, as one program. A `text` block says what the block before it prints; a Python block
that none follows prints nothing.
"""

import contextlib
import importlib
import io
import operator
import re
import runpy
from pathlib import Path

import pytest

import test_size
from cells import mirrored_path
from exercises.grading.generate import anchor
from minijax.core.tracing import trace_ctx
from nbfile import notebook_paths, read_notebook
from website.sections import headings

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
MAKE = re.compile(r"(?:^|`)make ([\w-]+)", re.MULTILINE)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[tuple[str, str]]:
    return [(kind, body) for kind, body in BLOCK.findall(read(page)) if kind in languages]


def printed_by(code: str, names: dict) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_code_prints_what_the_page_says(page):
    names, said, got = {}, [], []
    for kind, body in blocks(page, "python", "text"):
        if kind == "python":
            got.append(printed_by(body, names))
            said.append("")
        else:
            said[-1] += body
    assert any(said)
    assert got == said


def test_the_picture_is_of_a_real_run():
    """Of the stack while the `f` of README's first block runs in its second."""
    trace_stack = runpy.run_path(str(ROOT / "notebooks" / "pictures.py"))["trace_stack"]
    (_, first), (_, second) = blocks("README.md", "python")
    names, pictures = {}, []
    printed_by(first, names)
    plain = names["f"]

    def f(x):
        pictures.append(trace_stack(trace_ctx.trace))
        return plain(x)

    names["f"] = f
    printed_by(second, names)
    assert blocks("README.md", "mermaid") == [("mermaid", p.mermaid + "\n") for p in pictures]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = LINK.findall(read(page))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_module_of_the_core_is_in_the_table():
    modules = {f"minijax/core/{path.name}" for path in (ROOT / "minijax/core").glob("[!_]*.py")}
    assert modules <= set(LINK.findall(read("README.md")))


def test_every_notebook_is_in_the_table_beside_its_modules():
    rows = [line for line in read("README.md").splitlines() if line.startswith("| ")]
    for path in notebook_paths(ROOT):
        linked = [set(LINK.findall(row)) for row in rows if f"(notebooks/{path.name})" in row]
        cells = [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]
        modules = {mirrored_path(cell.source) for cell in cells} - {None}
        assert any(modules <= links for links in linked), path.name


def answers() -> list[tuple[str, str, list[str], list[str]]]:
    """Of each question in README: itself, a file, the names in it, and the notebooks."""
    _, _, table = read("README.md").partition("## Questions, and where the answer stands")
    found = []
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", table.partition("\n## ")[0], re.M)
    for question, places, chapters in rows[1:]:
        for place in places.split("; "):
            [file] = LINK.findall(place)
            names = re.findall(r"`([\w.]+)`", place.partition("):")[2])
            found.append((question, file, names, LINK.findall(chapters)))
    return found


def test_the_questions_lead_to_names_that_are_there():
    assert len({question for question, *_ in answers()}) > 12
    for question, file, names, _ in answers():
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        assert names, question
        for name in names:
            assert operator.attrgetter(name)(module), (question, name)


def test_the_questions_lead_to_chapters_that_hold_the_files():
    for question, file, _, chapters in answers():
        cells = [cell for path in chapters for cell in read_notebook(ROOT / path).cells]
        held = {mirrored_path(cell.source) for cell in cells if cell.cell_type == "code"}
        assert file in held or file.endswith("extend.py"), (question, file)


def test_the_questions_lead_to_headings_and_to_all_that_people_ask():
    links = re.findall(r"\]\(notebooks/([\w-]+\.ipynb)#([^)]+)\)", read("README.md"))
    for path in notebook_paths(ROOT):
        cells = [c.source for c in read_notebook(path).cells if c.cell_type == "markdown"]
        anchors = {anchor(words) for source in cells for *_, words in headings(source)}
        linked = {fragment for name, fragment in links if name == path.name}
        assert linked <= anchors, path.name
        assert anchors & {"What-people-ask"} <= linked, path.name


@pytest.mark.parametrize("page", PAGES)
def test_the_bounds_are_those_that_a_test_holds(page):
    numbers = re.findall(r"under ([\d,]+)\b", read(page))
    bounds = test_size.MAIN_LINE_BOUND, test_size.ASIDE_BOUND, test_size.TAUGHT_RING_BOUND
    assert numbers == [f"{bound:,}" for bound in bounds]


def test_the_primitive_is_the_one_that_chapter_18_checks():
    (_, primitive), _ = blocks("CONTRIBUTING.md", "python")
    cells = read_notebook(ROOT / "notebooks" / "18-language.ipynb").cells
    assert primitive.rstrip("\n") in [cell.source for cell in cells]


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_in_the_makefile(page):
    named = set(MAKE.findall(read(page)))
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    assert "test" in named
    assert named <= targets
