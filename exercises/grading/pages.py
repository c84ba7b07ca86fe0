"""Pages: feedback for a student, and the overview of a class, each one HTML file by itself.

Whatever a student wrote goes through `text` or `code`: nothing of it is ever markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from textwrap import dedent
from urllib.parse import quote

from exercises.grading.marks import Cost, Lead, Mark, Sheet, duration

SIGNS = {"right": "✓", "partly": "◐", "wrong": "✗", "unwritten": "–", "missing": "–",
         "no result": "!"}  # fmt: skip
FENCED, INDENTED = r"```\w*\n(.*?)\n```", r"^((?: {4}[^\n]*\n?)+)"
BLOCK = re.compile(rf"\n*(?:{FENCED}|{INDENTED})\n*", re.DOTALL | re.MULTILINE)
STYLE = """
:root { color-scheme: light dark; --ink: #1d2127; --paper: #fbfaf8; --card: #fff; --line: #d9d6cf;
  --soft: #5f6670; --good: #1a7240; --bad: #b02a30; --part: #8a5a00; --code: #f1efea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e4df; --paper: #16181b; --card: #1e2125;
  --line: #3a3f46; --soft: #a2a8b0; --good: #6cc790; --bad: #f0898d; --part: #e2b35c;
  --code: #282c31; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 0; display: flex; gap: 1rem; justify-content: space-between; }
h3 span:last-child { white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .75rem 1rem; margin: .75rem 0; }
.card > p { margin: .5rem 0 0; }
.soft { color: var(--soft); } .right { color: var(--good); } .wrong { color: var(--bad); }
.partly, .unwritten, .missing, .noresult { color: var(--part); }
pre, code { font: .875rem/1.4 ui-monospace, monospace; background: var(--code);
  border-radius: .25rem; }
code { padding: 0 .2rem; }
pre { margin: 0; padding: .4rem .6rem; overflow-x: auto; white-space: pre-wrap; }
dl { margin: .5rem 0 0; } dt { color: var(--soft); font-size: .875rem; } dd { margin: 0 0 .4rem; }
ul { margin: .5rem 0 0; padding-left: 0; list-style: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
a { color: inherit; }
.beside { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); }
"""


def text(given: object) -> str:
    return html.escape(str(given))


def code(given: object) -> str:
    return f"<pre>{text(given)}</pre>"


def prose(given: str) -> str:
    """Sentences of a task's, with their `code` and their blocks of code, fenced or indented.

    >>> prose("What is `x` after\\n\\n    x = 1\\n")
    'What is <code>x</code> after<pre>x = 1</pre>'
    """
    made, end = [], 0
    for block in BLOCK.finditer(given):
        made += [sentence(given[end : block.start()]), code(dedent(block[1] or block[2]).rstrip())]
        end = block.end()
    return "".join([*made, sentence(given[end:])])


def sentence(given: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(given))


def page(title: str, body: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{text(title)}</h1>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML; those that are numbers stand at the right."""

    def row(cells: Sequence[str], tag: str) -> str:
        made = (f"<{tag}{' class=n' if is_number(c) else ''}>{c}</{tag}>" for c in cells)
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    return f'<div class="scroll"><table>\n{row(head, "th")}\n{body}\n</table></div>'


def is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"[\d.]+( %| of [\d.]+)?|", cell))


def bullets(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def number_of_points(mark: Mark) -> str:
    if not mark.result.most:
        return "passed" if mark.passed else "not passed"
    return f"{mark.points:g} of {mark.result.most:g}"


# A student's page.


def feedback_page(sheet: Sheet, leads: Mapping[str, Lead] = {}) -> str:
    body = [summary(sheet)]
    for chapter, marks in sheet.marks.items():
        points = sum(mark.points for mark in marks)
        most = sum(mark.result.most for mark in marks)
        body.append(f"<h2>{text(named(chapter))}: {points:g} of {most:g} points</h2>")
        if handed_in := sheet.handed_in.get(chapter):
            when = datetime.fromtimestamp(handed_in).strftime("%Y-%m-%d %H:%M")
            late = sheet.late.get(chapter)
            said = f", late by {duration(late)}" if late else ""
            body.append(f'<p class="soft">Your file of {when}{said}</p>')
        body += [task_card(mark, leads.get(mark.result.id)) for mark in marks]
    return page(f"Feedback for {sheet.student}", body)


def named(chapter: str) -> str:
    """What `ch05` and `p1` are called."""
    is_chapter = chapter.startswith("ch")
    return f"Chapter {chapter[2:]}" if is_chapter else f"Project {chapter.removeprefix('p')}"


def summary(sheet: Sheet) -> str:
    points = sum(mark.points for mark in sheet.all())
    most = sum(mark.result.most for mark in sheet.all())
    passed, gates = sheet.gates()
    said = f"<p><strong>{points:g} of {most:g} points.</strong> "
    if gates:
        said += f"Pieces to rebuild: {passed} of {gates} run."
    return said + "</p>" + (bullets(map(text, sheet.remarks)) if sheet.remarks else "")


def task_card(mark: Mark, lead: Lead | None) -> str:
    result = mark.result
    by_hand = mark.override and not result.most  # a gate
    status = ("right" if mark.passed else "wrong") if by_hand else result.status
    parts = [
        f'<div class="card"><h3><span>{text(result.id)} {prose(result.title)}</span> '
        f'<span class="{status.replace(" ", "")}">{SIGNS[status]} {number_of_points(mark)}</span>'
        "</h3>"
    ]
    if mark.override:
        parts.append(f"<p><strong>Your teacher's mark: {number_of_points(mark)}</strong> (the "
                     f"grader's: {number_of_points(mark._replace(override=None))}): "
                     f"{text(mark.override.reason)}</p>")  # fmt: skip
    if result.note:
        head = "" if result.status == "unwritten" else "<p>What stopped it:</p>"
        parts.append(f"{head}{code(result.note)}")
    for line in result.misses:
        parts.append(f"<dl><dt>called with</dt><dd>{code(line.case)}</dd>"
                     f"<dt>expected</dt><dd>{code(line.expected)}</dd>"
                     f"<dt>came</dt><dd>{code(line.came)}</dd></dl>")  # fmt: skip
    if result.warned:
        parts.append(f"<p>It warned, which costs nothing:</p>{code(chr(10).join(result.warned))}")
    if result.status != "unwritten":
        parts.append(bullets(property_line(name, holds) for name, holds in result.properties))
    if result.kind == "explain" and result.status in ("partly", "wrong"):
        parts.append('<p class="soft">Run what you missed, and find out why it gives that.</p>')
    if lead and result.status != "right":
        parts += lead_lines(lead)
    return "\n".join([*parts, "</div>"])


def lead_lines(lead: Lead) -> Iterable[str]:
    """Where to read again, and hints."""
    section = prose(lead.section)
    section = f'<a href="{text(lead.link)}">{section}</a>' if lead.link else f"“{section}”"
    yield f"<p>To read again: {section} in <code>{text(lead.notebook)}</code></p>"
    for k, hint in enumerate(lead.hints, 1):
        yield f"<p>Hint {k}: {prose(hint)}</p>"


def property_line(name: str, holds: bool) -> str:
    state = "right" if holds else "wrong"
    said = "so" if holds else "not so"
    return (f'<span class="{state}" aria-label="{said}">{SIGNS[state]}</span> '
            f"{prose(name)}")  # fmt: skip


# The class.


def overview_page(
    sheets: Sequence[Sheet], costs: Sequence[Cost], faults: Sequence[str],
    isolation: Sequence[str],
) -> str:  # fmt: skip
    remarks = [f"{text(s.student)}: {text(remark)}"
               for s in sheets for remark in (*s.remarks, *stopped(s))]  # fmt: skip
    by_hand = [f"{text(s.student)}, {text(m.result.id)}: {number_of_points(m)}. "
               f"{text(m.override.reason)}"
               for s in sheets for m in s.all() if m.override]  # fmt: skip
    body = [
        '<p><a href="grades.csv">grades.csv</a>, <a href="similarity.html">similar pieces</a></p>',
        *section("To look at first", map(text, faults)),
        "<h2>The students</h2>", students_table(sheets),
        "<h2>What each task cost</h2>", costs_table(costs),
        *section("Misconceptions to ask about", met(costs)),
        *section("Properties that were missed", missed(costs)),
        *section("To look at", remarks),
        *section("Marks given by hand", by_hand),
        *section("What this machine's isolation does not prevent", map(text, isolation)),
    ]  # fmt: skip
    return page("The class", body)


def section(title: str, items: Iterable[str]) -> list[str]:
    items = list(items)
    return [f"<h2>{text(title)}</h2>", f'<div class="card">{bullets(items)}</div>'] * bool(items)


def stopped(sheet: Sheet) -> Iterable[str]:
    """What of a student's has no result, by what stopped it."""
    notes: dict[str, list[str]] = {}
    for mark in sheet.all():
        if mark.result.status == "no result":
            notes.setdefault(mark.result.note, []).append(mark.result.id)
    return [f"{', '.join(ids)} without result: {note}" for note, ids in notes.items()]


def students_table(sheets: Sequence[Sheet]) -> str:
    chapters = sorted({chapter for sheet in sheets for chapter in sheet.marks})
    rows = []
    for sheet in sheets:
        by_chapter = [f"{sum(m.points for m in sheet.marks.get(c, [])):g}" for c in chapters]
        points = sum(mark.points for mark in sheet.all())
        most = sum(mark.result.most for mark in sheet.all())
        link = f"students/{quote(sheet.student, errors='backslashreplace')}/feedback.html"
        rows.append([f'<a href="{text(link)}">{text(sheet.student)}</a>', f"{points:g} of {most:g}",
                     f"{100 * points / most:.0f} %" if most else "",
                     "{} of {}".format(*sheet.gates()), *by_chapter])  # fmt: skip
    return table(["student", "points", "share", "gates", *chapters], rows)


def costs_table(costs: Sequence[Cost]) -> str:
    rows = [
        [f"{text(c.result.id)} {prose(c.result.title)}", text(c.result.kind), f"{c.lost:g}",
         f"{c.right}", f"{c.missed}", f"{c.without}"] for c in costs
    ]  # fmt: skip
    return table(["task", "kind", "points lost", "right", "missed", "nothing that ran"], rows)


def met(costs: Sequence[Cost]) -> Iterable[str]:
    for cost in sorted(costs, key=lambda cost: -cost.missed):
        if cost.missed and cost.result.misconception:
            yield (f"{cost.missed} of {cost.students} missed {text(cost.result.id)}: "
                   f"{prose(cost.result.misconception)}")  # fmt: skip


def missed(costs: Sequence[Cost]) -> Iterable[str]:
    for cost in costs:
        for name, count in sorted(cost.failed.items(), key=lambda pair: -pair[1]):
            yield f"{count} of {cost.students}, in {text(cost.result.id)}: {prose(name)}"
