"""The book's notebooks and its table of contents, and the strict check's own tests."""

import base64
import io
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from xml.etree import ElementTree

import nbformat
import pytest
from PIL import Image

from exercises.grading.generate import anchor
from nbfile import (
    METADATA,
    chapter_label,
    is_appendix,
    notebook_paths,
    read_exempt_cells,
    read_notebook,
    write_notebook,
)
from notebooks import OPT_OUT_TAGS, read_sanitizer, run_notebook
from textform import parse_text
from website.sections import headings

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "notebooks"
STRICT = ROOT / "tests" / "book"
NOTEBOOKS = notebook_paths(ROOT)
LINK = re.compile(r"\[([^\]]+)\]\(([^)]*)\)")
CHAPTER_LINE = re.compile(r"- \[(\d\d) [^\]]+\]\([^)]*\)")
APPENDIX_LINE = re.compile(r"\[Appendix ([A-Z]): [^\]]+\]\([^)]+\)")
AFTER_THE_CHAPTERS = "[Where to go from here: JAX's source, file by file](jax-source.md)"
LAST_LINES = ["[Glossary](glossary.md)", "[Which of JAX's names are here](names.md)"]
OPT_OUT_COMMENT = re.compile(
    r"^\s*#+\s*(NBVAL_IGNORE_OUTPUT|NBVAL_SKIP|PYTEST_VALIDATE_IGNORE_OUTPUT)\s*$", re.MULTILINE
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|tmp|work|Users|opt|usr)/\w")


def each_notebook(function):
    return pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)(function)


def opts_out(cell) -> bool:
    tags = {tag.lower() for tag in cell.metadata.get("tags", [])}
    return bool(tags & OPT_OUT_TAGS or OPT_OUT_COMMENT.search(cell.source))


@each_notebook
def test_the_stored_form_is_the_writers(path):
    stored = nbformat.read(path, as_version=4)
    assert stored.metadata == METADATA
    text = path.read_text(encoding="utf-8")
    assert nbformat.writes(read_notebook(path), version=4) + "\n" == text


@each_notebook
def test_every_cell_was_run_from_the_top(path):
    counts = [cell.execution_count for cell in read_notebook(path).cells if "outputs" in cell]
    assert counts == list(range(1, len(counts) + 1))


@each_notebook
def test_outputs_name_no_machine(path):
    for cell in read_notebook(path).cells:
        outputs = str([strip_pictures(output) for output in cell.get("outputs", [])])
        assert not MACHINE_PATH.search(outputs), f"{cell.id}: {MACHINE_PATH.search(outputs)}"


def strip_pictures(output):
    data = {k: v for k, v in output.get("data", {}).items() if not k.startswith("image/")}
    return {**output, "data": data}


@each_notebook
def test_plots_have_no_ground(path):
    """So they are read in dark and light; notebooks/matplotlibrc sees to that."""
    for cell in read_notebook(path).cells:
        for output in cell.get("outputs", []):
            if png := output.get("data", {}).get("image/png"):
                picture = Image.open(io.BytesIO(base64.b64decode(png)))
                assert picture.mode == "RGBA" and picture.getpixel((0, 0))[3] == 0, cell.id
                assert "needs_background" not in output.metadata, cell.id


def test_the_cells_that_opt_out_are_those_listed():
    found = [cell.id for path in NOTEBOOKS for cell in read_notebook(path).cells if
             cell.cell_type == "code" and opts_out(cell)]
    assert sorted(found) == sorted(read_exempt_cells(STRICT))


def test_labels_of_chapters_occur_once():
    labels = [chapter_label(path) for path in NOTEBOOKS]
    assert len(labels) == len(set(labels))


# The table of contents.


def summary_links() -> list[tuple[str, str]]:
    """Returns title and target of each chapter in SUMMARY.md; a draft's target is empty."""
    return LINK.findall((BOOK / "SUMMARY.md").read_text(encoding="utf-8"))


def test_the_summary_links_every_notebook_once_in_order():
    linked = [target for _, target in summary_links() if target.endswith(".ipynb")]
    assert linked == [path.name for path in NOTEBOOKS]


def test_the_summary_links_only_files_that_exist():
    for title, target in summary_links():
        assert not target or (BOOK / target).is_file(), title


@cache
def anchors(file: str) -> set[str]:
    markdown = [c.source for c in read_notebook(BOOK / file).cells if c.cell_type == "markdown"]
    return {anchor(words) for source in markdown for *_, words in headings(source)}


@each_notebook
def test_a_link_into_a_notebook_leads_to_one_of_its_headings(path):
    for cell in read_notebook(path).cells:
        for _, target in LINK.findall(cell.source if cell.cell_type == "markdown" else ""):
            file, _, fragment = target.partition("#")
            if fragment and (file.endswith(".ipynb") or not file):
                assert fragment in anchors(file or path.name), target


@pytest.mark.parametrize("page", ["glossary.md", "jax-source.md"])
def test_a_page_links_to_notebooks_and_their_headings(page):
    for _, target in LINK.findall((BOOK / page).read_text(encoding="utf-8")):
        file, _, fragment = target.partition("#")
        assert (BOOK / file).is_file(), target
        assert not fragment or fragment in anchors(file), target


def test_the_summary_has_all_parts_and_chapters():
    text = (BOOK / "SUMMARY.md").read_text(encoding="utf-8")
    assert re.findall(r"^# Part (\w+)", text, re.MULTILINE) == ["I", "II", "III", "IV"]
    linked = [line for line in text.split("\n") if LINK.search(line)]
    chapters = [match[1] for match in map(CHAPTER_LINE.fullmatch, linked) if match]
    appendices = [match[1] for match in map(APPENDIX_LINE.fullmatch, linked) if match]
    assert chapters == [f"{number:02d}" for number in range(31)]
    assert appendices and appendices == list(ascii_uppercase[: len(appendices)])
    assert len(linked) == len(chapters) + 1 + len(appendices) + len(LAST_LINES)


def test_the_summary_ends_with_the_appendices_the_glossary_and_the_names():
    """mdBook takes plain links as suffix chapters, and refuses a list or a title after them."""
    text = (BOOK / "SUMMARY.md").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line]
    first = next(number for number, line in enumerate(lines) if APPENDIX_LINE.fullmatch(line))
    assert lines[first - 2 : first] == ["---", AFTER_THE_CHAPTERS]
    after = [line for line in lines[first:] if not APPENDIX_LINE.fullmatch(line)]
    assert after == LAST_LINES == lines[-2:]


def test_a_chapter_has_its_label_in_the_summary():
    for title, target in summary_links():
        if target.endswith(".ipynb"):
            label = chapter_label(BOOK / target)
            assert title.startswith(f"Appendix {label}: " if is_appendix(label) else f"{label} ")


# mdBook 0.5 stops at a key that it does not know.
BOOK_KEYS = {"title", "authors", "description", "src", "language", "text-direction"}
BUILD_KEYS = {"build-dir", "create-missing", "use-default-preprocessors", "extra-watch-dirs"}
HTML_KEYS = {"no-section-label", "additional-css", "additional-js", "git-repository-url",
             "default-theme", "preferred-dark-theme", "fold", "print", "search"}  # fmt: skip


def test_book_toml_holds_only_keys_that_mdbook_knows():
    settings = tomllib.loads((ROOT / "book.toml").read_text(encoding="utf-8"))
    assert set(settings) <= {"book", "build", "output", "preprocessor"}
    assert set(settings["book"]) <= BOOK_KEYS
    assert set(settings["build"]) <= BUILD_KEYS
    assert settings["book"]["src"] == "notebooks"
    assert settings["build"]["create-missing"] is False
    assert set(settings["output"]) == {"html"}
    assert set(settings["output"]["html"]) <= HTML_KEYS


# The strict check, on a made-up notebook of its own.

MADE_UP = """# %%
x = 1

# %%
print("x is", x)
x

# %%
from IPython.display import Image, display
pixel = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a4944415478da63f80f00010101006d5d3a3e0000000049454e44ae426082"
)
display(Image(pixel))
display(Image(pixel))

# %% tags=raises-exception
1 / 0

# %%
object()

# %%
x;
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A notebook that was run from the top."""
    path = tmp_path_factory.mktemp("stored") / "00-made-up.ipynb"
    write_notebook(path, parse_text(MADE_UP, ROOT))
    run_notebook(path, read_sanitizer(ROOT))
    return path


def set_count(number, count):
    def change(cells):
        cells[number].execution_count = count
        for output in cells[number].outputs:
            if "execution_count" in output:
                output.execution_count = count

    return change


def never_run(cells):
    cells[0].execution_count, cells[0].outputs = None, []


def lose_a_figure(cells):
    del cells[2].outputs[1].data["image/png"]


def turn_a_figure_into_a_jpeg(cells):
    cells[2].outputs[1].data["image/jpeg"] = cells[2].outputs[1].data.pop("image/png")


def change_text(cells):
    cells[1].outputs[0].text = "x is 2\n"


def change_error(cells):
    cells[3].outputs[0].evalue = "division by one"


def lose_the_error(cells):
    cells[3].source = "1"


def opt_out(tag):
    def change(cells):
        cells[1].metadata["tags"] = [tag]

    return change


def opt_out_by_comment(cells):
    cells[1].source = "# NBVAL_IGNORE_OUTPUT\n" + cells[1].source


def empty(cells):
    cells[0].source = ""


def differ_though_listed(cells):
    opt_out("nbval-ignore-output")(cells)
    change_text(cells)


# Each made-up notebook: its name, what is done to it, and what the strict check says of that.
CASES = {
    "01-as-run": (lambda cells: None, None),
    "02-never-run": (never_run, "the cell was never run"),
    "03-stale-count": (set_count(1, 7), "the stored count is 7, the cell's place is 2"),
    "04-lost-figure": (lose_a_figure, "pictures stored: [['image/png']], drawn now"),
    "05-other-figure": (turn_a_figure_into_a_jpeg, "stored: [['image/png'], ['image/jpeg']]"),
    "06-text": (change_text, "x is 2"),
    "07-error": (change_error, "division by one"),
    "08-no-error": (lose_the_error, "Missing output fields"),
    "09-opts-out": (opt_out("nbval-ignore-output"), "exempt-cells.txt lacks it"),
    "10-skips": (opt_out("nbval-skip"), "exempt-cells.txt lacks it"),
    "11-opts-out-by-comment": (opt_out_by_comment, "exempt-cells.txt lacks it"),
    "12-empty": (empty, "the cell is empty"),
    "13-listed": (differ_though_listed, None),
    "A-appendix": (change_text, "x is 2"),
}


@pytest.fixture(scope="module")
def verdicts(stored, tmp_path_factory):
    """What the strict check says of each made-up notebook: the failures' text, by its name."""
    folder = tmp_path_factory.mktemp("checked")
    for name in ("strict_nbval.py", "sanitize.cfg"):
        shutil.copy(STRICT / name, folder)
    (folder / "exempt-cells.txt").write_text("# why\n13-listed-002 made up\n", encoding="utf-8")
    settings = f"[pytest]\npythonpath = . '{ROOT / 'tools'}'\n"
    (folder / "pytest.ini").write_text(settings, encoding="utf-8")
    for stem, (change, _) in CASES.items():
        notebook = read_notebook(stored)
        change(notebook.cells)
        write_notebook(folder / f"{stem}.ipynb", notebook)
    subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-p", "strict_nbval", "--nbval-current-env",
         "--color=no", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
         "--nbval-sanitize-with=sanitize.cfg", "--junitxml=report.xml", "."],
        cwd=folder, capture_output=True, timeout=300,
    )  # fmt: skip
    said = {stem: [] for stem in CASES}
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        stem = next(stem for stem in CASES if stem in case.get("classname"))
        said[stem].append("".join(failure.text for failure in case.iter("failure")))
    return said


@pytest.mark.prove
@pytest.mark.parametrize("stem", CASES)
def test_the_strict_check(verdicts, stem):
    message = CASES[stem][1]
    failures = "".join(verdicts[stem])
    assert len(verdicts[stem]) == 6
    if message is None:
        assert failures == ""
    else:
        assert message in failures


def test_the_makefile_checks_strictly():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    words = re.search(r"^NBVAL := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[1].split()
    assert words[words.index("-p") + 1] == "strict_nbval"
    assert f"--nbval-sanitize-with={(STRICT / 'sanitize.cfg').relative_to(ROOT)}" in words
