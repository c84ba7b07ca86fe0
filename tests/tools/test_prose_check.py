"""`tools/prose_check.py` on a made-up tree: what it passes, and each kind of mistake it finds."""

from pathlib import Path

import nbformat
import pytest

from nbfile import read_notebook, write_notebook
from prose_check import check_prose, find_claims, main, names_elsewhere, read_chapters, read_labels
from prose_claims import numbers_in, read_numbers

ROOT = Path(__file__).resolve().parent.parent.parent
SUMMARY = """- [00 The tour](00-tour.ipynb)
- [01 Tracing](01-tracing.ipynb)
- [22 Callbacks]()

[Appendix A: Errors](A-errors.ipynb)
"""
OUTPUT = "{ lambda ; a:f32[]. let b:f32[] = mul a 0.25:f32[] in (b,) }  # after 1438 steps"
SAYS = (
    "`b` is `a` times 0.25, in 1,438 steps of four. `forward` gives it under JAX 0.10.2, with "
    "`twice` (chapter 01), chapter 01's `rules`; with `thrice(x)`, of chapter 01. `np.exp` "
    "(chapter 22) comes later, as appendix A says."
)


@pytest.fixture
def say(tree):
    """Puts prose behind a code cell with an output; returns what the check says of it."""
    tree.write("notebooks/SUMMARY.md", SUMMARY)
    tree.chapter("A-errors", "# %% [markdown]\nErrors.")

    def check(prose):
        path = tree.chapter("00-tour", f"# %%\nforward(4)\n# %% [markdown]\n{prose}")
        notebook = read_notebook(path)
        [cell] = [cell for cell in notebook.cells if cell.cell_type == "code"]
        cell.outputs = [nbformat.v4.new_output("stream", text=OUTPUT)]
        write_notebook(path, notebook)
        return check_prose(tree.root)

    return check


def test_what_the_page_shows_may_be_said(say):
    assert say(SAYS) == []


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("0.25", "0.26", "no 0.26 is in the code cells around it"),
        ("1,438", "1,439", "no 1439 is in the code cells around it"),
        ("four", "five", "no five is in the code cells around it"),
        ("`b`", "`c`", "no `c` is in the code cells around it"),
        ("`forward`", "`forwards`", "`forwards` is neither in the chapter nor elsewhere"),
        ("`np.exp`", "`np.expo`", "`expo` is neither in the chapter nor elsewhere"),
        ("chapter 22)", "chapter 23)", "the contents have no chapter or appendix 23"),
        ("appendix A", "appendix B", "the contents have no chapter or appendix B"),
        ("(chapter 01)", "(appendix A)", "A neither defines nor explains `twice`"),
        ("chapter 01's", "appendix A's", "A neither defines nor explains `rules`"),
        (", of chapter 01", ", of appendix A", "A neither defines nor explains `thrice(x)`"),
    ],
)
def test_a_mistake_is_found(say, old, new, problem):
    assert old in SAYS
    assert say(SAYS.replace(old, new)) == [
        f"cell 00-tour-002: {problem}. "
        "Mend one of the two, or say in tools/prose-exceptions.txt why it is right"
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "# 05 A heading\nand one, 2, or 3 of them",
        "in 64-bit floats, as $3 \\cdot 3^2 = 27$ is 27, and\n```\nfive\n```\nis five",
        "[a link](there.html#line=99), and\n## Where this lives in JAX\n`no_such`, 77",
        "Four words:\n\n- a\n- b\n- c\n- d",
        "Five lines\n\n| a | b |\n|---|---|\n| c | 00 |\n| d | 01 |\n| e | 22 |\n| f | |\n| g | |",
        "`x` of `2 * x`, and `y` of $y$: (01)",
    ],
)
def test_what_claims_nothing_of_the_page(say, prose):
    assert [x for x in say(prose) if "no 64 is" not in x] == []


def test_near_is_two_code_cells_either_way(tree):
    cells = [f"# %%\nx = {10 * n}" for n in range(1, 7)]
    cells.insert(3, "# %% [markdown]\n10, 20, 30, 40, 50, 60")
    tree.chapter("00-tour", "\n".join(cells))
    assert [failure.split()[3] for failure in check_prose(tree.root)] == ["10", "60"]


def test_an_exception_needs_a_claim(say, tree):
    tree.write("tools/prose-exceptions.txt", "# a comment\n\n00-tour-002  0.26  some reason\n")
    assert say(SAYS.replace("0.25", "0.26")) == []
    assert say(SAYS) == [
        "tools/prose-exceptions.txt: nothing needs the line of 00-tour-002 0.26. Take it out"
    ]


def test_other_chapters_are_checked_when_asked(say, tree, capsys):
    say(SAYS)
    tree.chapter("99-draft", "# %% [markdown]\nIt gives 0.5.")
    assert main(["--root", str(tree.root)]) == 0
    assert main(["--root", str(tree.root), "99"]) == 1
    assert "99-draft-001: no 0.5 is" in capsys.readouterr().err


# The book itself.


@pytest.fixture(scope="module")
def chapters():
    return read_chapters(ROOT)


def test_the_book_says_what_its_pages_show():
    assert check_prose(ROOT) == []


def test_changed_numbers_in_the_book_are_found(chapters):
    """Most of them: a small one may stand near by in another meaning."""
    found = []
    for chapter in chapters.values():
        for place, cell in enumerate(chapter.cells):
            if cell.cell_type == "markdown":
                values = numbers_in(chapter.near(place))
                numbers = [x for x in map(abs, read_numbers(cell.source).values()) if x in values]
                found += [x + (1 if x == int(x) else 0.001) not in values for x in numbers]
    assert len(found) > 200 and sum(found) > 0.6 * len(found)


def test_a_wrong_name_or_chapter_in_the_book_is_found(chapters):
    labels, elsewhere = read_labels(ROOT), names_elsewhere(ROOT)
    chapter, right = chapters["09"], "`new_arg` (chapter 07)"
    [cell] = [cell for cell in chapter.cells if right in cell.source]
    source, found = cell.source, []
    for wrong in ("`new_arg` (chapter 01)", "`new_args` (chapter 07)", "`new_arg` (chapter 93)"):
        cell.source = source.replace(right, wrong)
        found += find_claims(chapters, chapter, labels, elsewhere)
    cell.source = source
    assert {id for id, _, _ in found} == {cell.id}
    assert {claim for _, claim, _ in found} == {"new_arg", "new_args", "93"}
