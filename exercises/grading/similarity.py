"""Similar pieces: which of a class's solutions share more than chance, stub and solution explain.

The algorithm is winnowing (Schleimer, Wilkerson, Aiken: Winnowing: local algorithms for document
fingerprinting, SIGMOD 2003). A piece becomes a row of tokens, in which all names of the student's
own are one: renaming, comments and layout change nothing. Each run of K tokens has a number, and of
each W runs in a row the smallest number is kept: so a common stretch of K + W - 1 tokens always
shares one. What the stub or the teacher's solution has is taken away, and what more than half of
the class has: it is common for a reason. A pair is a hint to read both, never a proof.
"""

from __future__ import annotations

import argparse
import ast
import csv
import io
import tokenize
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from exercises.grading import pages, reports, source
from exercises.grading.records import put
from exercises.grading.splice import Missing, find_piece
from exercises.grading.submissions import Submission, read_class
from exercises.grading.tasks import Chapter, Fault, Task, find_chapters, teachers

K, W = 8, 4
THRESHOLD = 0.6  # the share from which a pair is told
FEWEST = 6  # fingerprints of a piece: a shorter one says nothing
IGNORED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}


class Piece(NamedTuple):
    """A student's solution of a task, and the fingerprints that are left of it."""

    student: str
    text: str
    prints: frozenset[int]


class Pair(NamedTuple):
    """Two pieces, and the share of the smaller one's fingerprints that the other has."""

    task: Task
    one: Piece
    other: Piece
    common: int
    share: float


# From a text to fingerprints.


def piece_text(text: str, chapter: Chapter, task: Task) -> str:
    """What of a file belongs to a task, without comments and docstrings; or nothing."""
    others = {name.split(".")[0] for t in chapter.tasks if t is not task for name in t.defines}
    own = {name.split(".")[0] for name in task.defines}
    try:
        found = find_piece(source.parse(text), task.defines, others - own, ())
        statements = sorted({*found.others, *found.wanted.values()}, key=lambda s: s.lineno)
        return "\n".join(ast.unparse(bare(s)) for s in statements)
    except (Missing, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def bare(statement: ast.stmt) -> ast.stmt:
    """A statement in which the docstrings are gone."""
    for node in ast.walk(statement):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
                node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
    return statement


def own_names(tree: ast.Module) -> set[str]:
    """The names that a piece binds: functions, arguments, variables; not those that it imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def tokens(text: str) -> list[str]:
    """A piece's tokens; every name of its own is `_`.

    >>> tokens("def f(x):\\n    y = jnp.sin(x)  # why\\n    return y")
    ['def', '_', '(', '_', ')', ':', '_', '=', 'jnp', '.', 'sin', '(', '_', ')', 'return', '_']
    """
    own, found = own_names(ast.parse(text)), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in IGNORED and token.string.strip():
            found.append("_" if token.string in own else token.string)
    return found


def fingerprints(row: Sequence[str]) -> frozenset[int]:
    """The numbers that winnowing keeps of a row of tokens."""
    runs = [zlib.crc32(" ".join(row[k : k + K]).encode(errors="replace"))
            for k in range(len(row) - K + 1)]  # fmt: skip
    return frozenset(min(runs[k : k + W]) for k in range(max(1, len(runs) - W + 1)) if runs)


def prints_of(text: str) -> frozenset[int]:
    try:
        return fingerprints(tokens(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what only a hostile text has
        return frozenset()


# Pairs of a class.


def pieces(
    submissions: Sequence[Submission], chapter: Chapter, task: Task
) -> Iterator[Piece]:
    """The class's pieces, less what the stub, the solution and half of the class have."""
    solution = teachers(chapter.folder) / "solution.py"
    common = prints_of(piece_text(task.stub, chapter, task))
    if solution.exists():
        common |= prints_of(piece_text(solution.read_text(encoding="utf-8"), chapter, task))
    texts = {}
    for each in submissions:
        handed = each.files.get(chapter.name)
        if handed and not handed.fault and (text := piece_text(handed.text, chapter, task)):
            texts[each.student] = text
    prints = {student: prints_of(text) for student, text in texts.items()}
    counts = Counter(number for own in prints.values() for number in own)
    often = {number for number, count in counts.items() if count > max(2, len(prints) / 2)}
    for student, text in texts.items():
        yield Piece(student, text, prints[student] - common - often)


def similar(
    submissions: Sequence[Submission], chapters: Sequence[Chapter], threshold: float
) -> list[Pair]:
    """The pairs from the threshold on, the most similar first."""
    found = []
    for chapter in chapters:
        for task in chapter.tasks:
            if task.kind != "extend":
                continue
            told = [p for p in pieces(submissions, chapter, task) if len(p.prints) >= FEWEST]
            for one, other in combinations(told, 2):
                common = len(one.prints & other.prints)
                share = common / min(len(one.prints), len(other.prints))
                if share >= threshold:
                    found.append(Pair(task, one, other, common, share))
    return sorted(found, key=lambda pair: (-pair.share, -pair.common))


# The report.


def similarity_csv(pairs: Sequence[Pair]) -> str:
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["task", "one", "other", "share", "common fingerprints"])
    for pair in pairs:
        names = map(reports.no_formula, (pair.one.student, pair.other.student))
        table.writerow([pair.task.id, *names, f"{pair.share:.2f}", pair.common])
    return written.getvalue()


def similarity_page(pairs: Sequence[Pair], threshold: float) -> str:
    body = [
        "<p>The share says how much of the shorter piece the other has too, when names, layout and "
        "comments, the stub, the solution and what more than half of the class wrote are set "
        "aside. It is a reason to read both, and to ask; it proves nothing.</p>"
    ]
    if not pairs:
        body.append(f"<p>No pair shares {100 * threshold:.0f} % or more.</p>")
    for pair in pairs:
        both = (f"<div><p>{pages.text(p.student)}</p>{pages.code(p.text)}</div>"
                for p in (pair.one, pair.other))  # fmt: skip
        body.append(
            f'<div class="card"><h3><span>{pages.text(pair.task.id)}: '
            f"{pages.text(pair.one.student)} and {pages.text(pair.other.student)}</span>"
            f"<span>{100 * pair.share:.0f} %, {pair.common} in common</span></h3>"
            f'<details><summary>both pieces</summary><div class="beside">{"".join(both)}</div>'
            "</details></div>"
        )
    return pages.page("Similar pieces", body)


def write(
    out: Path, submissions: Sequence[Submission], chapters: Sequence[Chapter],
    threshold: float = THRESHOLD,
) -> list[Pair]:  # fmt: skip
    """Writes similarity.csv and similarity.html."""
    pairs = similar(submissions, chapters, threshold)
    put(out / "similarity.csv", similarity_csv(pairs))
    put(out / "similarity.html", similarity_page(pairs, threshold))
    return pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("submissions", type=Path, help="a folder or a zip in it for each student")
    add("--out", type=Path, required=True, metavar="REPORT", help="where the report goes")
    add("--chapters", nargs="*", default=[], help="ch05 ch06; or those that were handed in")
    add("--threshold", type=float, default=THRESHOLD, help="a share, from which a pair is told")


def command(options: argparse.Namespace) -> int:
    if not 0 < options.threshold <= 1:
        raise Fault(f"--threshold is a share, such as 0.6 for 60 %; this is {options.threshold:g}")
    chapters = find_chapters(options.chapters)
    try:
        submissions = read_class(options.submissions, chapters)
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault(f"{error.filename}: {error.strerror}") from error
    pairs = write(options.out, submissions, chapters, options.threshold)
    for pair in pairs:
        print(f"{pair.task.id}  {pair.share:.0%}  {pair.one.student}, {pair.other.student}")
    print(f"Pairs: {len(pairs)}; {options.out / 'similarity.html'} has both pieces of each")
    return 0
