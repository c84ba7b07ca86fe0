"""Reports: what a student reads, what the teacher reads, and what is markup in neither."""

import csv
import dataclasses
import io
import json
from html.parser import HTMLParser

import pytest

from exercises.grading import pages, records
from exercises.grading.judge import Line, TaskResult
from exercises.grading.marks import Mark, Sheet, costs, leads
from exercises.grading.overrides import Override, doubtful, read_overrides
from exercises.grading.reports import cell, feedback, grades_csv
from exercises.grading.tasks import Fault, find_chapters
from made_up import tiny_course

EVIL = "<script>alert('x')</script>\ud800"


def result(status="right", points=4.0, **more):
    given = {"id": "91.2", "title": "Twice `x`", "kind": "extend", "most": 4.0}
    return TaskResult(**{**given, "status": status, "points": points, **more})


def missed():
    return result(
        "partly", 2.0, misses=[Line(f"twice('{EVIL}')", "2 & 2", EVIL)],
        properties=[("is right on the visible cases", False), ("works on lists", False)],
        note=f"ValueError: {EVIL}", misconception="That lists add.",
    )  # fmt: skip


def gate(status):
    return result(status, 0.0, id="91.1", kind="rebuild", most=0)


def sheet(student="ann", *results):
    made = Sheet(student, {"ch91": [Mark(r) for r in results]})
    made.handed_in["ch91"] = 1.79e9
    return made


class Reader(HTMLParser):
    """The tags of a page, and whether each is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def overview(sheets, faults=(), isolation=()):
    return pages.overview_page(sheets, costs(sheets), faults, isolation)


def by_hand(result, points):
    """A student whose only mark was given by hand."""
    given = Override("ann", result.id, points, f"Nearly. {EVIL}")
    return Sheet("ann", {"ch91": [Mark(result, given)]})


@pytest.mark.parametrize(
    "page",
    [
        pages.feedback_page(sheet(EVIL, missed(), gate("wrong"))),
        overview([sheet(EVIL, missed())], [EVIL], [EVIL]),
        overview([by_hand(missed(), 1.0)]),
    ],
    ids=["feedback", "overview", "by hand"],
)
def test_a_page_stands_by_itself_and_nothing_in_it_is_a_students_markup(page):
    read = Reader(page)
    assert read.open == []
    assert {"script", "link", "img", "iframe"}.isdisjoint(tag for tag, _ in read.tags)
    links = [attrs["href"] for tag, attrs in read.tags if tag == "a"]
    assert not [link for link in links if link.startswith(("http", "javascript", "//", "/"))]
    assert "prefers-color-scheme: dark" in page and 'name="viewport"' in page


def test_a_student_reads_what_missed_and_what_stopped_it():
    page = pages.feedback_page(sheet("ann", missed()))
    for said in ("called with", "2 &amp; 2", "ValueError", "works on lists", "2 of 4",
                 "Twice <code>x</code>"):  # fmt: skip
        assert said in page


def test_a_student_does_not_read_what_is_the_teachers():
    ann = sheet("ann", missed())
    assert "lists add" not in pages.feedback_page(ann) + json.dumps(feedback(ann, {}))
    assert "1 of 1 missed 91.2: That lists add." in overview([ann])


def test_feedback_leads_to_the_section_and_as_far_as_allowed_to_the_hints(tmp_path):
    [chapter] = find_chapters(root=tiny_course(tmp_path))
    task, hints = chapter.task("91.2"), ("`a` & b", "c")
    task = dataclasses.replace(task, place="What `x[i]` <is>", hints=hints)
    chapters = [chapter._replace(tasks=(task,))]
    ann, bob = sheet("ann", missed()), sheet("bob", result())
    for count, shown in ((0, []), (1, ["Hint 1"]), (2, ["Hint 1", "Hint 2"])):
        led = leads(chapters, "https://book/", count)
        page = pages.feedback_page(ann, led)
        assert '<a href="https://book/05-forward.html#what-xi-is">What <code>x[i]</code>' in page
        assert [hint for hint in ("Hint 1", "Hint 2") if hint in page] == shown
        assert len(feedback(ann, led)["chapters"]["ch91"][0]["lead"]["hints"]) == count
        assert "To read again" not in pages.feedback_page(bob, led)
    page = pages.feedback_page(ann, leads(chapters, "", 0))
    assert "“What <code>x[i]</code> &lt;is&gt;” in <code>05-forward.ipynb</code>" in page


def test_a_warning_is_told_as_what_costs_nothing():
    page = pages.feedback_page(sheet("ann", result(warned=[f"RuntimeWarning: {EVIL}"])))
    assert "It warned, which costs nothing:</p><pre>RuntimeWarning: &lt;script&gt;" in page


def test_a_question_that_was_missed_shows_no_answer():
    asked = result("partly", 1.0, kind="explain", id="91.3", most=3.0,
                   properties=[("What is `1 + 1`?", True), ("And `2 + 2`?", False)])  # fmt: skip
    page = pages.feedback_page(sheet("ann", asked))
    assert "And <code>2 + 2</code>?" in page and "Run what you missed" in page
    assert "What is" not in overview([sheet("ann", asked)])


@pytest.mark.parametrize("name", ["=1+1", " =1+1", "\t=1+1", "\uff1d1+1", "@a", "-1", "+1"])
def test_a_name_is_no_formula(name):
    assert next(csv.reader(grades_csv([sheet(name)]).splitlines()[1:]))[0] == f"'{name}"


def test_how_long_it_took_is_not_told():
    assert "seconds" not in json.dumps(feedback(sheet("ann", result(seconds=94.0)), {}))


def test_the_table_has_a_row_for_each_and_totals():
    both = [sheet("ann", gate("right"), result()), sheet("=1+1", gate("wrong"), missed())]
    rows = list(csv.DictReader(io.StringIO(grades_csv(both))))
    assert [row["student"] for row in rows] == ["ann", "'=1+1"]
    assert [row["91.1"] for row in rows] == ["passed", "not passed"]
    assert [(row["91.2"], row["points"], row["percent"]) for row in rows] == [
        ("4", "4", "100.0"), ("2", "2", "50.0")]  # fmt: skip


def test_who_lacks_a_chapter_has_empty_cells():
    other = Sheet("bob", {"ch92": [Mark(result(id="92.2"))]})
    rows = list(csv.DictReader(io.StringIO(grades_csv([sheet("ann", result()), other]))))
    assert [(row["91.2"], row["92.2"]) for row in rows] == [("4", ""), ("", "4")]


def test_an_override_counts_in_every_total():
    ann = by_hand(missed(), 3.5)
    assert cell(ann.all()[0]) == "3.5" and feedback(ann, {})["points"] == 3.5
    assert costs([ann])[0].lost == 0.5
    said = "Your teacher's mark: 3.5 of 4</strong> (the grader's: 2 of 4)"
    assert said in pages.feedback_page(ann)
    assert "ann, 91.2: 3.5 of 4. Nearly." in overview([ann])


def test_a_gate_is_passed_by_hand_and_adds_no_points():
    ann, bob = by_hand(gate("wrong"), 1.0), by_hand(gate("right"), 0.0)
    assert [cell(each.all()[0]) for each in (ann, bob)] == ["passed", "not passed"]
    assert [each.gates() for each in (ann, bob)] == [(1, 1), (0, 1)]
    assert feedback(ann, {})["points"] == 0
    page = pages.feedback_page(ann)
    assert "mark: passed</strong> (the grader's: not passed)" in page and "✓ passed" in page


def test_an_override_of_what_was_not_graded_is_told():
    given = {("ann", "91.1"): Override("ann", "91.1", 1.0, "A gate."),
             ("bo", "91.2"): Override("bo", "91.2", 1.0, "Nobody.")}  # fmt: skip
    [said] = doubtful(given, {("ann", "91.2"), ("ann", "91.1")})
    assert "'bo'" in said


OVERRIDE = '[[override]]\nstudent = "{}"\ntask = "{}"\npoints = {}\nreason = "So."\n'


@pytest.mark.parametrize("given, said", [
    ([("ann", "91.2", 4.5)], "'ann' is given 4.5 points of task 91.2, which has 4"),
    ([("ann", "91.1", 2)], "'ann' is given 2 points of task 91.1, which has 1"),
    ([("ann", "91.2", 3), ("ann", "91.2", 4)], "'ann' has two overrides of task 91.2"),
    ([("Zo\u0308e", "91.2", 3), ("Z\u00f6e", "91.2", 3)], "has two overrides"),
])  # fmt: skip
def test_an_override_gives_no_more_than_there_is_and_once(given, said, tmp_path):
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))
    right = [("ann", "91.2", 4), ("ann", "91.1", 1), ("bob", "91.2", 0), ("ann", "88.8", 9)]
    for each, names in ((right, 4), (given, 0)):
        text = "".join(OVERRIDE.format(*one) for one in each)
        (tmp_path / "overrides.toml").write_text(text, encoding="utf-8")
        if names:
            assert len(read_overrides(tmp_path, chapters)) == names
    with pytest.raises(Fault, match=said):
        read_overrides(tmp_path, chapters)


def test_the_dearest_task_comes_first():
    cheap, dear = result("partly", 3.5, id="91.4"), result("no result", 0.0, id="91.5")
    found = costs([sheet("ann", cheap, dear), sheet("bob", cheap, dear)])
    assert [(c.result.id, c.lost, c.missed, c.without) for c in found] == [
        ("91.5", 8.0, 0, 2), ("91.4", 1.0, 2, 0)]  # fmt: skip


def test_text_that_is_no_text_is_written(tmp_path):
    records.put(tmp_path / "page", EVIL)
    assert (tmp_path / "page").read_text(encoding="utf-8").endswith(r"\ud800")


def test_a_stub_is_no_misconception():
    stub = result("unwritten", 0.0, misconception="That lists add.", note="not written yet",
                  properties=[("works on lists", False)])  # fmt: skip
    [cost] = costs([sheet("ann", stub)])
    assert (cost.missed, cost.without, cost.failed) == (0, 1, {})
    assert "lists" not in overview([sheet("ann", stub)])
    page = pages.feedback_page(sheet("ann", stub))
    assert "not written yet" in page and "What stopped it" not in page and "lists" not in page


def test_what_stopped_a_file_is_to_be_looked_at():
    stopped = [result("no result", 0.0, id=id, note="no Python in line 3") for id in ("1", "2")]
    assert "ann: 1, 2 without result: no Python in line 3" in overview([sheet("ann", *stopped)])


@pytest.mark.parametrize(
    "given, made",
    [
        ("After?\n\n```python\nx = `1`\n  y\n```", "After?<pre>x = `1`\n  y</pre>"),
        ("These:\n\n    f(1)\n      f(2)\n\nWhich?", "These:<pre>f(1)\n  f(2)</pre>Which?"),
        ("What is `f(1)    + 2`?\n", "What is <code>f(1)    + 2</code>?\n"),
    ],
)
def test_a_question_keeps_its_lines_of_code(given, made):
    assert pages.prose(given) == made
