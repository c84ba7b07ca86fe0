"""The cells that no author writes: what they say, that `sync` renews them, that `check` sees."""

import pytest

from generated import write_generated
from mirror_check import check_book
from mirror_sync import sync_book
from nbfile import authored_cells, read_notebook, write_notebook
from notebooks import build_notebook
from textform import print_text


def at_cells(path):
    cells = read_notebook(path).cells
    return {cell.id: cell.source for cell in cells if cell.id.endswith("-at")}


@pytest.fixture
def path(tree):
    return tree.root / "notebooks" / "01-tracing.ipynb"


def change(path, function):
    """Changes the list of a notebook's cells, and writes it."""
    notebook = read_notebook(path)
    notebook.cells = function(notebook.cells)
    write_notebook(path, notebook)


def test_a_link_to_its_lines_stands_above_each_mirrored_cell(tree, path):
    cells = read_notebook(path).cells
    ids = [cell.id.removeprefix("01-tracing-") for cell in cells]
    assert ids == ["001", "002-at", "002", "003", "004-at", "004", "005-at", "005"]
    assert at_cells(path)["01-tracing-004-at"] == (
        "**[minijax/core/tracing.py:11-12](../minijax/core/tracing.py#line=10)**"
    )
    lines = tree.read("minijax/core/tracing.py").split("\n")
    assert cells[5].source.split("\n")[1:] == lines[10:12]


def test_above_a_folded_cell_it_says_imports(tree):
    text = "# %% mirror minijax/core/forward.py HEADER\n# %%\n"
    text += "\n".join(f"import m{number}" for number in range(9))
    assert at_cells(tree.chapter("05-forward", text)) == {
        "05-forward-001-at": "**[minijax/core/forward.py:1]"
        "(../minijax/core/forward.py#line=0)** (imports)",
        "05-forward-002-at": "**Imports**",
    }


def test_above_a_cell_that_a_tag_folds_it_says_what_for(tree):
    mirrored = "# %% mirror minijax/core/forward.py .. tags=fold-the-older-way"
    texts = at_cells(tree.chapter("05-forward", f"{mirrored}\n# %% tags=fold-caches\nx")).values()
    assert [text.split("** ")[-1] for text in texts] == ["(the older way)", "**Caches**"]


def test_equal_lines_have_each_their_place(tree):
    tree.write("minijax/core/forward.py", "clear()\nx = 1\nclear()\n")
    cells = [f"# %% mirror minijax/core/forward.py {name}" for name in ("clear", "x", "clear#2")]
    links = at_cells(tree.chapter("05-forward", "\n".join(cells))).values()
    assert [link.split("](")[0][-2:] for link in links] == [":1", ":2", ":3"]


def test_lines_that_move_are_found_and_renewed(tree, path):
    before = read_notebook(path).cells
    tree.edit("minijax/core/tracing.py", "def thrice", "\ndef thrice")
    assert [failure.split(", and is")[0] for failure in check_book(tree.root)] == [
        f"01-tracing.ipynb cell 01-tracing-{number}-at should be "
        f"'**[minijax/core/tracing.py:{lines}](../minijax/core/tracing.py#line={start})**'"
        for number, lines, start in [("004", "12-13", 11), ("005", "16-17", 15)]
    ]
    assert sync_book(tree.root) == (["01-tracing.ipynb: written"], [])
    assert check_book(tree.root) == []
    after = read_notebook(path).cells
    assert [cell.id for cell in after] == [cell.id for cell in before]
    assert sum(new != old for new, old in zip(after, before, strict=True)) == 2


def test_syncing_twice_changes_no_byte(tree, path):
    change(path, lambda cells: [cell for cell in cells if not cell.id.endswith("-at")])
    messages, failures = sync_book(tree.root)
    assert (messages, failures) == (["01-tracing.ipynb: written"], [])
    first = path.read_bytes()
    assert sync_book(tree.root) == ([], [])
    assert path.read_bytes() == first


SUMMARY = """# Summary

- [01 Tracing: what runs](01-tracing.ipynb)

# Part II: Programs

- [04 Pytrees]()
- [05 Forward](05-forward.ipynb)

---

[Appendix A: Errors, and where they point](A-errors.ipynb)
"""


@pytest.fixture
def with_contents(tree):
    """The made-up tree with a table of contents, which lacks the tour, and an appendix."""
    tree.write("notebooks/SUMMARY.md", SUMMARY)
    tree.chapter("A-errors", "# %% [markdown]\n# Appendix A")
    sync_book(tree.root)
    return tree


@pytest.mark.parametrize(
    "stem, links",
    [
        ("01-tracing", "[Contents](SUMMARY.md) | [05 Forward >](05-forward.ipynb)"),
        (
            "05-forward",
            "[< 01 Tracing](01-tracing.ipynb) | [Contents](SUMMARY.md) | "
            "[Appendix A: Errors >](A-errors.ipynb)",
        ),
        ("A-errors", "[< 05 Forward](05-forward.ipynb) | [Contents](SUMMARY.md)"),
    ],
)
def test_a_notebook_opens_and_closes_with_links_to_its_neighbours(with_contents, stem, links):
    cells = read_notebook(with_contents.root / "notebooks" / f"{stem}.ipynb").cells
    assert [(cell.id, cell.source) for cell in (cells[0], cells[-1])] == [
        (f"{stem}-top", links),
        (f"{stem}-end", links),
    ]
    assert check_book(with_contents.root) == []


def test_a_notebook_that_the_contents_lack_has_no_links(with_contents):
    cells = read_notebook(with_contents.root / "notebooks" / "00-tour.ipynb").cells
    assert [cell.id for cell in cells] == ["00-tour-001", "00-tour-002"]


def test_a_chapter_that_is_written_becomes_a_neighbour(with_contents):
    with_contents.edit("notebooks/SUMMARY.md", "04 Pytrees]()", "04 Pytrees](04-pytrees.ipynb)")
    with_contents.chapter("04-pytrees", "# %% [markdown]\n# 04 Pytrees")
    assert [failure.split(" should")[0] for failure in check_book(with_contents.root)] == [
        f"{stem}.ipynb cell {stem}-{end}"
        for stem in ("01-tracing", "05-forward")
        for end in ("top", "end")
    ]
    sync_book(with_contents.root)
    assert check_book(with_contents.root) == []


def test_no_text_form_has_the_links(with_contents):
    path = with_contents.root / "notebooks" / "A-errors.ipynb"
    assert print_text(read_notebook(path), with_contents.root) == "# %% [markdown]\n# Appendix A\n"


@pytest.mark.parametrize("end", ["top", "end"])
def test_a_lost_link_is_found_and_mended(with_contents, path, end):
    change(path, without(end))
    [failure] = check_book(with_contents.root)
    assert failure.startswith(f"01-tracing.ipynb: cell 01-tracing-{end} is missing: '[Contents]")
    sync_book(with_contents.root)
    assert check_book(with_contents.root) == []


def test_links_that_changed_places_are_found(with_contents, path):
    change(path, lambda cells: [cells[-1], *cells[1:-1], cells[0]])
    [failure] = check_book(with_contents.root)
    assert failure.startswith("01-tracing.ipynb: a generated cell stands in the wrong place")


# A chapter's exercises.

TASKS = """notebook = "01-tracing.ipynb"
[[task]]
id = "01.1"
title = "See it"
kind = "rebuild"
minutes = 10
[[task]]
id = "01.2"
title = "A rule of `yours`"
kind = "extend"
minutes = 20
"""
PROJECT = """notebook = "01-tracing.ipynb"
[[task]]
id = "p1.1"
title = "Project: more"
kind = "extend"
minutes = 180
"""
LIST = """## Exercises

[01.1 See it](../exercises/ch01_tracing/README.md): rebuild, 10 minutes\\
[01.2 A rule of `yours`](../exercises/ch01_tracing/README.md): extend, 20 minutes"""


@pytest.fixture
def with_exercises(with_contents, path):
    """The made-up tree, whose chapter 01 ends with a promise, and then has exercises."""
    text = "# %% [markdown]\nThe end.\n\n## The exercises to come\n\nSome,\n\nand others."
    before = print_text(read_notebook(path), with_contents.root)
    with_contents.chapter("01-tracing", before + text)
    assert check_book(with_contents.root) == []
    with_contents.write("exercises/ch01_tracing/tasks.toml", TASKS)
    return with_contents


def test_a_chapter_ends_with_its_exercises_in_place_of_those_to_come(with_exercises, path):
    [failure] = check_book(with_exercises.root)
    assert failure.startswith("01-tracing.ipynb: cell 01-tracing-exercises is missing: '## Exerc")
    sync_book(with_exercises.root)
    assert check_book(with_exercises.root) == []
    *_, last, listed, links = read_notebook(path).cells
    assert (last.source, listed.source) == ("The end.", LIST)
    assert listed.id == "01-tracing-exercises" and links.id == "01-tracing-end"
    assert sync_book(with_exercises.root) == ([], [])


def test_the_list_of_exercises_follows_the_tasks(with_exercises, path):
    sync_book(with_exercises.root)
    with_exercises.edit("exercises/ch01_tracing/tasks.toml", "minutes = 10", "minutes = 15")
    [failure] = check_book(with_exercises.root)
    assert "01-tracing-exercises should be" in failure
    sync_book(with_exercises.root)
    assert "rebuild, 15 minutes" in read_notebook(path).cells[-2].source
    assert "Exercises" not in print_text(read_notebook(path), with_exercises.root)


def test_a_project_is_listed_behind_the_exercises_of_the_chapter_it_names(with_exercises, path):
    with_exercises.write("exercises/p1_more/tasks.toml", PROJECT)
    other = PROJECT.replace("01-tracing", "05-forward").replace("p1", "p2")
    with_exercises.write("exercises/p2_more/tasks.toml", other)
    sync_book(with_exercises.root)
    link = "[p1.1 Project: more](../exercises/p1_more/README.md): extend, 180 minutes"
    assert read_notebook(path).cells[-2].source == f"{LIST}\\\n{link}"


def without(id):
    return lambda cells: [cell for cell in cells if not cell.id.endswith(id)]


def reverse_first_three(cells):
    return [*reversed(cells[:3]), *cells[3:]]


def edit_first_link(cells):
    cells[1].source += " by hand"
    return cells


@pytest.mark.parametrize(
    "spoil, message",
    [
        (without("002-at"), "01-tracing.ipynb: cell 01-tracing-002-at is missing: '**["),
        (edit_first_link, "01-tracing.ipynb cell 01-tracing-002-at should be '**["),
        (reverse_first_three, "01-tracing.ipynb: a generated cell stands in the wrong place"),
    ],
)
def test_a_spoilt_cell_is_found_and_mended(tree, path, spoil, message):
    before = authored_cells(read_notebook(path))
    change(path, spoil)
    [failure] = check_book(tree.root)
    assert failure.startswith(message)
    assert failure.endswith("(tools/mirror.py sync mends it)")
    sync_book(tree.root)
    assert check_book(tree.root) == []
    assert len(authored_cells(read_notebook(path))) == len(before)


def test_a_link_whose_cell_is_gone_is_found_and_removed(tree):
    path = tree.root / "notebooks" / "05-forward.ipynb"
    tree.write("minijax/core/forward.py", "")
    change(path, without("001"))
    [failure] = check_book(tree.root)
    assert "05-forward-001-at should not be there" in failure
    sync_book(tree.root)
    assert check_book(tree.root) == []
    assert at_cells(path) == {}


def test_the_text_form_has_none_of_them(tree, path):
    text = print_text(read_notebook(path), tree.root)
    assert text.count("# %%") == 5
    before = path.read_bytes()
    (tree.root / "text.txt").write_text(text, encoding="utf-8")
    assert not build_notebook(tree.root / "text.txt", path, tree.root)
    assert path.read_bytes() == before
    path.unlink()
    build_notebook(tree.root / "text.txt", path, tree.root)
    assert path.read_bytes() == before


def test_a_renamed_notebook_gets_its_own(tree, path):
    renamed = path.rename(path.with_name("02-tracing.ipynb"))
    sync_book(tree.root)
    assert list(at_cells(renamed)) == [f"02-tracing-{n:03}-at" for n in (2, 4, 5)]
    assert len(read_notebook(renamed).cells) == 8


def test_a_cell_that_drifted_has_a_link_without_lines(tree, path):
    notebook = read_notebook(path)
    notebook.cells[2].source += "\n    # more"
    write_generated(notebook, path.stem, tree.root)
    assert notebook.cells[1].source == "**[minijax/core/tracing.py](../minijax/core/tracing.py)**"
