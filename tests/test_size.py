"""The core stays small enough to read: lines of code are counted."""

import ast
import io
import tokenize
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "minijax" / "core"
MOST_LINES = 3000
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
    """Returns how many lines of `source` hold code: no blank, comment or docstring lines."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def test_code_is_counted_without_comments_and_docstrings():
    source = '"""A\n\ndocstring."""\n\n# why\nx = """two\nlines"""\n\n\ndef f():\n    """Doc."""\n'
    assert count_code(source + "    return (  # here\n        x\n    )\n") == 6


def test_the_core_stays_small():
    counts = {file.name: count_code(file.read_text(encoding="utf-8")) for file in CORE.glob("*.py")}
    assert counts
    assert sum(counts.values()) < MOST_LINES, counts
