"""`tools/mirror.py check` on made-up trees: each kind of failure is found and named."""

import random

import pytest

import mirror
from mirror_check import check_book
from mirror_sync import sync_book
from nbfile import authored_cells, read_notebook, write_notebook


def only_failure(tree):
    failures = check_book(tree.root)
    assert len(failures) == 1, failures
    return failures[0]


def edit_cell(tree, stem, number, change):
    path = tree.root / "notebooks" / f"{stem}.ipynb"
    notebook = read_notebook(path)
    cell = authored_cells(notebook)[number]
    cell.source = change(cell.source)
    write_notebook(path, notebook)


def test_a_book_that_holds(tree, capsys):
    assert check_book(tree.root) == []
    assert mirror.main(["--root", str(tree.root), "check"]) == 0


def test_a_line_that_drifted_in_the_file(tree, capsys):
    tree.edit("minijax/core/tracing.py", "return 2 * x", "return x + x")
    failure = only_failure(tree)
    assert failure.startswith("minijax/core/tracing.py:8: drifted from 01-tracing.ipynb cell ")
    assert "01-tracing-002, line 9: " in failure
    assert "'    return x + x'" in failure and "'    return 2 * x'" in failure
    assert mirror.main(["--root", str(tree.root), "check"]) == 1
    assert failure in capsys.readouterr().err


def test_a_line_that_drifted_in_the_cell(tree):
    edit_cell(tree, "05-forward", 0, lambda source: source + "\n    # more")
    failure = only_failure(tree)
    assert failure.startswith("minijax/core/forward.py:6: drifted from 05-forward.ipynb cell ")
    assert "05-forward-001, line 7" in failure and "more" in failure


def test_a_cell_that_holds_nothing_of_its_file(tree):
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py ..\n# %%\n"
                 "# minijax/core/forward.py\nelsewhere = 1")
    assert only_failure(tree) == (
        "minijax/core/forward.py: 05-forward.ipynb cell 05-forward-002 holds nothing of the file: "
        "'elsewhere = 1'"
    )


def test_a_line_in_no_chapter(tree):
    tree.edit("minijax/core/tracing.py", "rules = {}", "lonely = 1\n\nrules = {}")
    assert only_failure(tree) == "minijax/core/tracing.py:15: in no chapter: 'lonely = 1'"


def test_a_file_in_no_chapter(tree):
    tree.write("minijax/compiler/kernels/fuse.py", "def fuse():\n    pass\n")
    assert only_failure(tree) == "minijax/compiler/kernels/fuse.py:1: in no chapter: 'def fuse():'"


def test_of_lax_only_the_named_families_need_a_chapter(tree):
    tree.write("minijax/lax/__init__.py", "from minijax.core.tracing import twice\n")
    tree.write("minijax/lax/elementwise/arithmetic.py", "x = 1\n")
    tree.write("minijax/tree.py", "x = 1\n")
    assert check_book(tree.root) == []
    tree.write("minijax/lax/reductions/extrema.py", "x = 1\n")
    assert only_failure(tree) == "minijax/lax/reductions/extrema.py:1: in no chapter: 'x = 1'"
    tree.chapter("18-language", "# %% mirror minijax/lax/reductions/extrema.py ..")
    assert check_book(tree.root) == []


def test_a_cell_of_a_family_that_is_not_named(tree):
    tree.write("minijax/lax/elementwise/arithmetic.py", "x = 1\n")
    tree.chapter("18-language", "# %% mirror minijax/lax/elementwise/arithmetic.py ..")
    assert only_failure(tree) == (
        "minijax/lax/elementwise/arithmetic.py: 18-language.ipynb cell 18-language-001 mirrors it, "
        "but it is no mirrored file"
    )


def test_a_chapter_with_two_files(tree):
    tree.write("minijax/core/calls.py", "from minijax.core.forward import forward\n")
    tree.chapter("05-forward", "# %% mirror minijax/core/calls.py ..\n"
                 "# %% mirror minijax/core/forward.py ..")
    assert check_book(tree.root) == []


def test_a_line_in_two_cells(tree):
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py ..\n"
                 "# %% mirror minijax/core/forward.py forward")
    failure = only_failure(tree)
    assert failure == (
        "minijax/core/forward.py:4: in two cells: 05-forward.ipynb cell 05-forward-001 and "
        "05-forward.ipynb cell 05-forward-002: 'def forward(x):'"
    )


def test_a_file_in_two_chapters(tree):
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py HEADER")
    tree.chapter("06-batching", "# %% mirror minijax/core/forward.py forward")
    assert only_failure(tree) == (
        "minijax/core/forward.py: mirrored by more than one chapter: 05-forward.ipynb cell "
        "05-forward-001 and 06-batching.ipynb cell 06-batching-001"
    )


def test_a_wrong_order(tree):
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py forward\n"
                 "# %% mirror minijax/core/forward.py HEADER")
    assert only_failure(tree) == (
        "minijax/core/forward.py:1: wrong order: 05-forward.ipynb cell 05-forward-002 stands after "
        "05-forward.ipynb cell 05-forward-001, which starts at line 4"
    )


def test_equal_lines_have_each_their_cell(tree):
    tree.write("minijax/core/forward.py", "clear()\nx = 1\nclear()\n")
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py clear\n"
                 "# %% mirror minijax/core/forward.py x\n"
                 "# %% mirror minijax/core/forward.py clear#2")
    assert check_book(tree.root) == []


def test_a_cell_of_a_file_that_is_gone(tree):
    (tree.root / "minijax/core/forward.py").unlink()
    assert "minijax/core/forward.py: 05-forward.ipynb cell 05-forward-001" in only_failure(tree)


@pytest.mark.parametrize(
    "code",
    [
        "from minijax.core.forward import forward",
        "import minijax.core.forward as f",
        "from minijax.core import forward",
        "%matplotlib inline\ndef f():\n    import minijax.core.forward",
    ],
)
def test_a_chapter_that_uses_a_later_one(tree, code):
    tree.chapter("01-tracing", f"# %% mirror minijax/core/tracing.py ..\n# %%\n{code}")
    line = code.count("\n") + 1
    assert only_failure(tree) == (
        f"01-tracing.ipynb cell 01-tracing-002, line {line}: imports minijax.core.forward, "
        "which comes later, in chapter 05"
    )


def test_a_chapter_may_use_earlier_ones_and_its_own(tree):
    tree.chapter("06-batching", "# %%\nimport minijax.core.forward, minijax.core.tracing")
    assert check_book(tree.root) == []


def test_a_file_in_a_chapter_and_an_appendix(tree):
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py HEADER")
    tree.chapter("A-errors", "# %% mirror minijax/core/forward.py forward")
    assert (
        "minijax/core/forward.py: mirrored by more than one chapter: 05-forward.ipynb cell "
        "05-forward-001 and A-errors.ipynb cell A-errors-001"
    ) in check_book(tree.root)


@pytest.fixture
def appendices(tree):
    """The made-up tree with two appendices, which import each other's modules."""
    for stem, other in (("errors", "config"), ("config", "errors")):
        tree.write(f"minijax/core/{stem}.py", f"import minijax.core.{other}\n")
    tree.chapter("A-errors", "# %% mirror minijax/core/errors.py ..")
    tree.chapter("B-config", "# %% mirror minijax/core/config.py ..")
    return tree


def test_an_appendix_may_use_any_appendix(appendices):
    assert check_book(appendices.root) == []


def test_a_chapter_may_use_any_appendix(appendices):
    appendices.chapter("01-tracing", "# %% mirror minijax/core/tracing.py ..\n"
                       "# %%\nimport minijax.core.errors, minijax.core.config")
    assert check_book(appendices.root) == []


@pytest.mark.parametrize("module", ["tracing", "forward"])
def test_an_appendix_uses_no_chapter(appendices, module):
    chapter = {"tracing": "01", "forward": "05"}[module]
    cells = f"# %% mirror minijax/core/errors.py ..\n# %%\nimport minijax.core.{module}"
    appendices.chapter("A-errors", cells)
    assert only_failure(appendices) == (
        f"A-errors.ipynb cell A-errors-002, line 1: imports minijax.core.{module}, which comes "
        f"later, in chapter {chapter}"
    )
    appendices.chapter("A-errors", cells.replace("# %%\n", "# %% tags=finished-package\n"))
    assert check_book(appendices.root) == []


def test_appendix_e_stands_after_chapter_04(tree):
    tree.write("minijax/core/arguments.py", "import minijax.core.tracing\n")
    tree.chapter("E-arguments", "# %% mirror minijax/core/arguments.py ..")
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py ..\n"
                 "# %%\nimport minijax.core.arguments")
    assert check_book(tree.root) == []
    tree.chapter("01-tracing", "# %% mirror minijax/core/tracing.py ..\n"
                 "# %%\nimport minijax.core.arguments")
    assert only_failure(tree).endswith(
        "imports minijax.core.arguments, which comes later, in appendix E"
    )


def test_an_appendix_shows_the_finished_package_under_its_tag(tree):
    tree.chapter("C-printing", "# %%\nimport minijax")
    assert "C-printing-001, line 1: imports minijax of the finished" in only_failure(tree)
    tree.chapter("C-printing", "# %% tags=finished-package\nimport minijax")
    assert check_book(tree.root) == []


def test_the_finished_package_is_for_chapters_that_build_nothing(tree):
    cell = "import minijax.numpy as jnp"
    tree.chapter("05-forward", f"# %% mirror minijax/core/forward.py ..\n# %%\n{cell}")
    assert "05-forward-002, line 1: imports minijax.numpy of the finished" in only_failure(tree)
    tree.chapter(
        "05-forward",
        f"# %% mirror minijax/core/forward.py ..\n# %% tags=finished-package\n{cell}",
    )
    assert check_book(tree.root) == []


def test_a_cell_that_does_not_parse(tree):
    tree.chapter("00-tour", "# %%\nx =")
    assert "00-tour.ipynb cell 00-tour-001, line 1: does not parse" in only_failure(tree)
    tree.chapter("00-tour", "# %% tags=raises-exception\nx =")
    assert check_book(tree.root) == []


CHANGES = [
    lambda lines, n: lines[:n] + [lines[n] + "  # changed"] + lines[n + 1 :],
    lambda lines, n: lines[:n] + [lines[n], "changed = 1"] + lines[n + 1 :],
    lambda lines, n: lines[:n] + lines[n + 1 :],
    lambda lines, n: lines[:n] + [" " + lines[n]] + lines[n + 1 :],
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_line_is_found(tree, change):
    for path in ("minijax/core/tracing.py", "minijax/core/forward.py"):
        text = tree.read(path)
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line.strip():
                tree.write(path, "\n".join(change(lines, number)))
                assert check_book(tree.root) != [], (path, number)
        tree.write(path, text)


def test_random_edits_are_found_and_synced_away(tree):
    random_numbers = random.Random(0)
    names = ["twice", "thrice", "rules", "forward", "fresh", "other"]
    for _ in range(100):
        path = random_numbers.choice(["minijax/core/tracing.py", "minijax/core/forward.py"])
        lines = [f"def {name}(x):\n    return {random_numbers.random()}\n" for name in
                 random_numbers.sample(names, random_numbers.randint(1, len(names)))]
        tree.write(path, "\n".join(lines))
        assert check_book(tree.root) != []
        assert sync_book(tree.root)[1] == []
        assert check_book(tree.root) == []
