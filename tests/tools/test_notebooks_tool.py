"""`tools/notebooks.py`: the text form, the builder, and the writer of outputs."""

from pathlib import Path

import nbformat
import pytest

from nbfile import authored_cells, read_notebook, write_notebook
from notebooks import build_notebook, main, read_sanitizer, run_all, run_notebook
from textform import parse_text, print_text

ROOT = Path(__file__).resolve().parent.parent.parent

TEXT = """# %% [markdown]
# A heading

Plain lines, with `code` and $x$.

# %%
x = 1

print(x)

# %% tags=raises-exception,other
1 / 0

# %% mirror minijax/core/tracing.py HEADER twice

# %% mirror minijax/core/tracing.py rules rules['twice'] tags=shown
"""


@pytest.fixture(scope="module")
def sanitizer():
    return read_sanitizer(ROOT)


def test_the_text_form_makes_cells(tree):
    cells = parse_text(TEXT, tree.root).cells
    assert [cell.cell_type for cell in cells] == ["markdown"] + 4 * ["code"]
    assert cells[0].source == "# A heading\n\nPlain lines, with `code` and $x$."
    assert cells[1].source == "x = 1\n\nprint(x)"
    assert cells[2].metadata.tags == ["raises-exception", "other"]
    assert cells[3].source.startswith('# minijax/core/tracing.py\n"""The first module."""')
    assert cells[3].source.endswith("# Twice is a rule.\ndef twice(x):\n    return 2 * x")
    assert cells[4].source == '# minijax/core/tracing.py\nrules = {}\nrules["twice"] = twice'
    assert cells[4].metadata.tags == ["shown"]


def test_a_dump_builds_the_same_notebook(tree):
    assert print_text(parse_text(TEXT, tree.root), tree.root) == TEXT


def test_a_mirrored_cell_that_drifted_is_dumped_as_it_stands(tree):
    notebook = parse_text(TEXT, tree.root)
    tree.edit("minijax/core/tracing.py", "return 2 * x", "return x + x")
    text = print_text(notebook, tree.root)
    assert "# %%\n# minijax/core/tracing.py\n" in text
    assert [cell.source for cell in parse_text(text, tree.root).cells] == [
        cell.source for cell in notebook.cells
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        ("x = 1\n# %%\ny", "line 1: there is text before the first"),
        ("# %%\nx\n# %% [raw]\ny", "line 3: unknown marker '# %% [raw]'"),
        ("# %%\n\n# %%\ny", "line 1: the cell is empty"),
        ("# %% mirror minijax/core/tracing.py twice\nx", "line 1: the text of a mirrored cell"),
        ("# %% mirror minijax/core/tracing.py once", "line 1: minijax/core/tracing.py has no unit"),
        ("# %% mirror minijax/core/lost.py once", "line 1: there is no file minijax/core/lost.py"),
    ],
)
def test_other_text_is_refused(tree, text, message):
    with pytest.raises(ValueError) as error:
        parse_text(text, tree.root)
    assert message in str(error.value)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_building_anew_keeps_ids_and_outputs(tmp_path, sanitizer):
    source, path = tmp_path / "source.txt", tmp_path / "98-made-up.ipynb"
    build_notebook(write(source, "# %%\nx = 1\n\n# %%\nprint(x)\n\n# %%\nx"), path, ROOT)
    assert run_notebook(path, sanitizer)
    new = "# %%\nx = 1\n\n# %% [markdown]\nNew.\n\n# %%\nprint(x)\n\n# %%\nx + 1"
    assert build_notebook(write(source, new), path, ROOT)
    cells = read_notebook(path).cells
    assert [cell.id[-3:] for cell in cells] == ["001", "004", "002", "003"]
    assert cells[2].outputs[0].text == "1\n"
    assert cells[3].outputs == [] and cells[3].execution_count is None


def test_building_reports_the_line(tmp_path, capsys):
    source = write(tmp_path / "source.txt", "# %%\nx\n# %% mirror minijax/lost.py x")
    assert main(["build", str(source), str(tmp_path / "00-x.ipynb")]) == 1
    assert "source.txt: line 3: there is no file minijax/lost.py" in capsys.readouterr().err


UNSTEADY = """# %%
import time
import warnings
start = time.perf_counter()
object()

# %%
warnings.warn("look out", stacklevel=1)

# %%
print(f"{time.perf_counter() - start:.6f} s")

# %% tags=nbval-ignore-output
print(time.perf_counter())

# %% tags=raises-exception
import json
json.loads("{")
"""


@pytest.mark.prove
def test_running_twice_changes_no_byte(tmp_path, sanitizer):
    source, path = tmp_path / "source.txt", tmp_path / "03-made-up.ipynb"
    build_notebook(write(source, UNSTEADY), path, ROOT)
    assert run_notebook(path, sanitizer)
    first = path.read_bytes()
    assert not run_notebook(path, sanitizer)
    assert path.read_bytes() == first
    assert b"object at 0x...>" in first and b"<cell>:1: UserWarning" in first
    assert str(tmp_path).encode() not in first and b"/json/decoder.py" in first
    assert run_notebook(path, sanitizer, fresh=True)  # the durations are new


@pytest.mark.prove
def test_outputs_that_differ_are_stored(tmp_path, sanitizer):
    source, path = tmp_path / "source.txt", tmp_path / "03-made-up.ipynb"
    counter = write(tmp_path / "count", "1")
    code = f"# %%\nfrom pathlib import Path\nprint(Path({str(counter)!r}).read_text())"
    build_notebook(write(source, code), path, ROOT)
    assert run_notebook(path, sanitizer)
    counter.write_text("2")
    assert run_notebook(path, sanitizer)
    assert read_notebook(path).cells[0].outputs[0].text == "2\n"


def test_a_failing_cell_leaves_the_file_as_it_was(tmp_path, capsys):
    source, path = tmp_path / "source.txt", tmp_path / "03-made-up.ipynb"
    build_notebook(write(source, "# %%\nprint(1)\n\n# %%\n1 / 0"), path, ROOT)
    before = path.read_bytes()
    assert run_all([path], fresh=False) == 1
    assert path.read_bytes() == before
    assert "03-made-up.ipynb: failed" in capsys.readouterr().err


def test_the_stored_form_is_bare(tmp_path):
    path = tmp_path / "03-made-up.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")])
    notebook.metadata["widgets"] = {}
    notebook.cells[0].metadata = {"collapsed": True, "tags": ["kept"], "execution": {"a": 1}}
    nbformat.write(notebook, path)
    stored = read_notebook(path)
    assert sorted(stored.metadata) == ["kernelspec", "language_info"]
    assert stored.cells[0].metadata == {"tags": ["kept"]}
    assert stored.cells[0].id == "03-made-up-001"


def test_cells_that_only_import_are_stored_folded(tree):
    text = "# %% mirror minijax/core/tracing.py HEADER tags=shown\n# %%\nimport math"
    cells = read_notebook(tree.chapter("03-made-up", text)).cells
    assert [cell.metadata for cell in cells] == [
        {}, {"tags": ["shown"], "jupyter": {"source_hidden": True}}, {}
    ]  # fmt: skip


def test_a_cell_with_a_tag_for_it_is_stored_folded(tree):
    cell = read_notebook(tree.chapter("03-made-up", "# %% tags=fold-messages\nx = 1")).cells[-1]
    assert cell.metadata == {"tags": ["fold-messages"], "jupyter": {"source_hidden": True}}


def test_a_cell_that_no_longer_only_imports_is_unfolded(tree):
    path = tree.chapter("03-made-up", "# %% mirror minijax/core/tracing.py HEADER")
    notebook = read_notebook(path)
    notebook.cells[1].source += "\nx = 1"
    write_notebook(path, notebook)
    assert read_notebook(path).cells[1].metadata == {}


def test_an_appendix_has_readable_ids_that_stay(tmp_path):
    source, path = tmp_path / "source.txt", tmp_path / "A-errors.ipynb"
    build_notebook(write(source, "# %%\nx\n\n# %%\ny"), path, ROOT)
    build_notebook(write(source, "# %%\nnew\n\n# %%\nx\n\n# %%\ny"), path, ROOT)
    ids = [cell.id for cell in authored_cells(read_notebook(path))]
    assert ids == ["A-errors-003", "A-errors-001", "A-errors-002"]
