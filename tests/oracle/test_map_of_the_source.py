"""The map of JAX's source: each file and each name on it is in the JAX that is installed."""

import importlib
import re
from functools import reduce
from pathlib import Path

import jax
import pytest
from jax.experimental import jet

PAGE = Path(__file__).resolve().parents[2] / "notebooks" / "jax-source.md"
TEXT = PAGE.read_text(encoding="utf-8")
SOURCE = Path(jax.__file__).parent
NAME = re.compile(r"`([\w.]+)`")
CELLS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| `")]
ROWS = [[cell.strip() for cell in cells] for cells in CELLS]
ELSEWHERE = {"jaxlib", "jit"}  # of the names in the last column


def module_of(file):
    return importlib.import_module(f"jax._src.{file.removesuffix('.py').replace('/', '.')}")


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_file_has_its_length_and_its_names(row):
    file, thousands, there, _, new = row
    file = file.strip("`")
    lines = len((SOURCE / "_src" / file).read_text(encoding="utf-8").splitlines())
    assert thousands == f"{lines / 1000:.1f}"
    names = {*NAME.findall(there), *NAME.findall(new)} - ELSEWHERE
    assert NAME.findall(there)
    assert [name for name in names if not has_name(module_of(file), name)] == []


def has_name(module, path):
    try:
        reduce(getattr, path.split("."), module)
    except AttributeError:
        return False
    return True


def test_the_walks_name_what_is_there():
    text = TEXT[TEXT.index("## Three walks") : TEXT.index("## Then")]
    files = re.findall(r"`([\w/]+\.py)`", text)
    assert all((SOURCE / "_src" / file).is_file() for file in files) and len(files) > 5
    modules = [module_of(file) for file in dict.fromkeys(files)]
    for name in NAME.findall(re.sub(r"`[\w/]+\.py`", "", text)):
        assert any(has_name(module, name) for module in modules), name


def test_folders_and_files_of_the_prose_are_there():
    paths = re.findall(r"`((?:[\w]+/)+(?:\w+\.py)?)`", TEXT)
    ours = [path for path in paths if not path.startswith(("docs/", "tests/", "jax/", "xla/"))]
    assert [path for path in ours if not (SOURCE / "_src" / path).exists()] == []


def test_jet_has_as_many_rules_as_it_says():
    assert f"has {len(jet.jet_rules)} rules" in TEXT
