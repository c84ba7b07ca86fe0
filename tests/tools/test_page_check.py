"""`tools/mirror.py check` on how the code lies on the page."""

import pytest

from mirror_check import check_book

MARKDOWN = "# %% [markdown]\nProse."


def code(lines):
    return "# %%\n" + "\n\n".join(f"x{number} = 1" for number in range(lines))


def imports(lines):
    return "\n".join(f"import m{number}" for number in range(lines))


def check(tree, *cells):
    tree.chapter("00-tour", "\n".join(cells))
    return check_book(tree.root)


@pytest.mark.parametrize(
    "cells",
    [
        [code(40)],
        [code(20), code(20)],
        [code(30), MARKDOWN, code(30)],
        [code(20), "# %%\n" + imports(30), code(20)],
    ],
)
def test_runs_that_are_short_enough(tree, cells):
    assert check(tree, *cells) == []


@pytest.mark.parametrize(
    "cells, place, length",
    [
        ([code(41)], "00-tour-001", 41),
        ([MARKDOWN, code(20), code(21)], "00-tour-002 to 00-tour-003", 41),
        ([code(20), "# %%\n" + imports(30), code(21)], "00-tour-001 to 00-tour-003", 41),
        ([code(21), "# %%\n" + imports(5), code(20)], "00-tour-001 to 00-tour-003", 46),
    ],
)
def test_a_long_run_is_found(tree, cells, place, length):
    assert check(tree, *cells) == [
        f"00-tour.ipynb cell {place}: {length} lines of code without prose between, "
        "at most 40 are read at once"
    ]


def test_the_generated_cells_between_mirrored_ones_are_no_prose(tree):
    lines = "\n".join(f"    y{number} = x" for number in range(20))
    tree.write("minijax/core/forward.py", f"def f(x):\n{lines}\n\n\ndef g(x):\n{lines}\n")
    mirrored = [f"# %% mirror minijax/core/forward.py {name}" for name in "fg"]
    tree.chapter("05-forward", "\n".join(mirrored))
    [failure] = check_book(tree.root)  # 21 lines and the path's comment, twice
    assert failure.startswith("05-forward.ipynb cell 05-forward-001 to 05-forward-002: 44 lines")
    tree.chapter("05-forward", f"\n{MARKDOWN}\n".join(mirrored))
    assert check_book(tree.root) == []


def test_a_cell_that_a_tag_folds_is_no_code_to_read(tree):
    assert check(tree, code(30), "# %% tags=fold-messages\n" + "x = 1\n" * 30) == []


def test_a_tag_that_folds_says_what_for(tree):
    assert check(tree, "# %% tags=fold-nothing\nx = 1") == [
        "00-tour.ipynb cell 00-tour-001: the tag fold-nothing is none of: fold-messages, "
        "fold-sources, fold-settings, fold-caches, fold-printing, fold-deletion, "
        "fold-the-older-way"
    ]


def test_long_imports_have_a_cell_of_their_own(tree):
    assert check(tree, "# %%\n" + imports(8) + "\nx = 1") == []
    assert check(tree, "# %%\nfrom m import (\n    a,\n)\n" + imports(6) + "\nx = 1") == [
        "00-tour.ipynb cell 00-tour-001: 9 lines of imports among other code; "
        "in a cell of their own they are folded"
    ]


def test_a_header_that_holds_more_is_found(tree):
    tree.write("minijax/core/forward.py", f"{imports(9)}\n\n\ndef f(x):\n    return x\n")
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py ..")
    [failure] = check_book(tree.root)
    assert failure.startswith("05-forward.ipynb cell 05-forward-001: 9 lines of imports among")
    tree.chapter("05-forward", "# %% mirror minijax/core/forward.py HEADER\n"
                 "# %% mirror minijax/core/forward.py f")
    assert check_book(tree.root) == []
