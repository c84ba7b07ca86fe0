"""`tools/reading_time.py`: what counts as a word and as a line, and the bounds."""

import nbformat
import pytest

import reading_time
from cells import only_imports
from nbfile import read_notebook
from reading_time import (
    Count,
    count_figures,
    count_main_line,
    count_notebook,
    count_words,
    main,
    opens_with,
    passed_bounds,
    short_of_figures,
)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", 0),
        ("# 05 Forward: `jvp` and\n\n- one *item*", 8),
        ("| a | b |\n|---|---|", 6),
        ("Before.\n\n```python\nx = 1\n```\nAfter.", 2),
        ("~~~~\nx\n~~~\n```\ny\n~~~~\nAfter.", 1),
        ("```\nx\n``` y\nnever closed", 0),
        ("  ```\n  x\n  ```\n`inline` stays", 2),
        ("    ```\nindented code is no fence", 6),
        ("[a link](of/one.md)", 2),
    ],
)
def test_words_stand_outside_fenced_blocks(text, words):
    assert count_words(text) == words


IMPORTS = "\n".join(f"import m{n}" for n in range(5))


@pytest.mark.parametrize(
    "source, folded",
    [
        ("# minijax/core/tracing.py\n\"\"\"Doc.\"\"\"\n\nimport math", True),
        ("# minijax/core/tracing.py\nfrom minijax.core.errors import (\n    a,\n    b,\n)", True),
        ("# minijax/core/tracing.py\n\"\"\"Doc.\"\"\"", False),
        ("# minijax/core/tracing.py\nimport math\n\nx = 1", False),
        ("import math", False),
        (IMPORTS, False),
        (IMPORTS + "\n\n", False),
        (IMPORTS + "\nfrom m import x", True),
        (IMPORTS + "\nfrom m import x\nx", False),
        ("%matplotlib inline\n" + IMPORTS + "\nimport m9", False),
        ("", False),
    ],
)
def test_cells_that_only_import_are_folded(source, folded):
    assert only_imports(source) == folded


def test_every_line_with_text_counts(tree):
    cells = "# %% [markdown]\nThree words here.\n# %%\nimport math\n\n\n# why\nx = 1\n"
    mirrored = "# %% mirror minijax/core/forward.py HEADER"  # its link is two words
    path = tree.chapter("06-batching", cells + mirrored)
    assert count_notebook(read_notebook(path)) == Count(words=5, lines=5, folded=2)


def test_figures_and_openings(tree):
    diagram = "# %% [markdown]\nWords.\n\n```mermaid\nflowchart LR\n```\n\n![a](b.svg)\n"
    chapters = {"figure": "# %% [markdown]\nWords.\n" + diagram, "code": "# %%\nx = 1\n" + diagram,
                "words": "# %% [markdown]\nWords."}  # fmt: skip
    for opening, text in chapters.items():
        notebook = read_notebook(tree.chapter("06-batching", text))
        assert opens_with(notebook) == opening
        assert count_notebook(notebook).figures == 2 * ("mermaid" in text)
    shown = nbformat.v4.new_output("display_data", data={"image/png": "", "text/plain": ""})
    cell = nbformat.v4.new_code_cell("x", outputs=[shown, nbformat.v4.new_output("stream")])
    assert count_figures(cell) == 1
    for html, figures in [('<div class="minijax-watch">', 1), ("<b>bold</b>", 0)]:
        shown = nbformat.v4.new_output("execute_result", data={"text/html": html})
        assert count_figures(nbformat.v4.new_code_cell("x", outputs=[shown])) == figures


def test_a_figure_is_wanted_for_every_ten_minutes():
    assert Count(words=45 * 200).wanted_figures == 4
    counts = {"05-forward": Count(lines=240, figures=2), "E-x": Count(lines=239, figures=1),
              "06-batching": Count(lines=240, figures=1)}  # fmt: skip
    assert short_of_figures(counts) == ["06"]


def test_minutes():
    count = Count(words=300, lines=30, folded=12)
    assert (count.minutes, count.unfolded_minutes) == (4.0, 3.0)


def test_the_main_line_is_00_to_12():
    counts = {stem: Count(lines=1) for stem in ("00-tour", "12-prng", "13-simplify", "A-errors")}
    assert count_main_line(counts) == Count(lines=2)


def test_bounds_are_inclusive():
    hour = Count(words=60 * 200)
    assert passed_bounds({"01-tracing": hour, "A-errors": hour}) == []
    beyond = hour + Count(lines=6)
    assert passed_bounds({"01-tracing": hour, "A-errors": beyond}) == [
        "A-errors: 60.5 minutes, the bound is 60"
    ]
    shorter = {"F-tour": Count(words=41 * 200), "13-simplify": Count(words=51 * 200)}
    assert passed_bounds(shorter) == [
        "F-tour: 41.0 minutes, the bound is 40", "13-simplify: 51.0 minutes, the bound is 50"
    ]
    main_line = {f"{number:02d}-x": Count(words=590 * 200 // 10) for number in range(10)}
    assert passed_bounds(main_line) == []
    main_line["10-x"] = Count(lines=12)
    assert passed_bounds(main_line) == ["the main line: 591.0 minutes, the bound is 590"]


def test_the_table_and_the_status(tree, capsys, monkeypatch):
    assert main(["--root", str(tree.root)]) == 0
    table = capsys.readouterr().out.split("\n")
    assert table[0].split() == [
        "words", "lines", "minutes", "unfolded", "figures", "wanted", "opens",
    ]  # fmt: skip
    assert [row.split()[0] for row in table[1:5]] == ["00-tour", "01-tracing", "05-forward", "00"]
    assert table[1].split() == ["00-tour", "3", "1", "0.1", "0.1", "0", "0", "code"]
    monkeypatch.setattr(reading_time, "NOTEBOOK_BOUND", 0.1)
    assert main(["--root", str(tree.root)]) == 1
    assert "01-tracing: " in capsys.readouterr().err
