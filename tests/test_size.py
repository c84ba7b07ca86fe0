"""The core and the compiler's taught ring stay small enough to read: lines of code are counted."""

import ast
import io
import tokenize
from pathlib import Path

from book import TAUGHT_RING

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "minijax" / "core"
# What a reader is promised: the main line, which the chapters tell, and what is read when wanted.
# Many devices, and types that say how arrays lie on them, are 65 of these lines, references 60.
MAIN_LINE_BOUND = 2870
ASIDE_BOUND = 1100
TAUGHT_RING_BOUND = 2600  # of the compiler, what chapters 13 to 17 print
ASIDE = {"__init__", "calls", "arguments", "dtypes", "errors", "config", "printing", "extend"}
# Lines that stay free under each bound: a repair fits in without something else being cut first.
AIR = 20
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def count_code(source: str) -> int:
    """Returns how many lines of `source` hold code: no blank, comment or docstring lines.

    An import counts as one line: how many its names are laid out on is nothing to read.
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno + 1, node.end_lineno + 1))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def test_code_is_counted_without_comments_and_docstrings():
    source = '"""A\n\ndocstring."""\n\n# why\nx = """two\nlines"""\n\n\ndef f():\n    """Doc."""\n'
    assert count_code(source + "    return (  # here\n        x\n    )\n") == 6
    assert count_code("from a import (\n    b,\n    c,\n)\nd = 1\n") == 2


def count_modules(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Returns the lines of code of each module in `folder`: of the main line, and aside of it."""
    counts = {
        file.stem: count_code(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.py"))
    }
    aside = {name: count for name, count in counts.items() if name in ASIDE}
    return {name: count for name, count in counts.items() if name not in aside}, aside


def test_each_module_is_counted_once(tmp_path):
    for name in ("tracing", "calls", "new"):
        (tmp_path / f"{name}.py").write_text("x = 1\n\n# why\ny = 2\n")
    assert count_modules(tmp_path) == ({"new": 2, "tracing": 2}, {"calls": 2})


def test_the_main_line_stays_small():
    counts, _ = count_modules(CORE)
    assert counts
    assert sum(counts.values()) <= MAIN_LINE_BOUND - AIR, counts


def test_what_stands_beside_the_main_line_stays_small():
    _, counts = count_modules(CORE)
    assert counts
    assert sum(counts.values()) <= ASIDE_BOUND - AIR, counts


def test_the_compilers_taught_ring_stays_small():
    counts = {path: count_code((ROOT / path).read_text(encoding="utf-8")) for path in TAUGHT_RING}
    assert sum(counts.values()) <= TAUGHT_RING_BOUND - 2 * AIR, counts
