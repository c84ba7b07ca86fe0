"""The syllabus: a person's order and aims, and for the rest what the book and the grader say."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from contents import read_exercises
from exercises.grading.tasks import find_chapters
from nbfile import read_notebook
from reading_time import count_notebook
from website.links import LINK, Links
from website.parts import parts_after
from website.syllabus_page import TABLE, hours, syllabus_page

ROOT = Path(__file__).resolve().parents[2]
LINKED = r"\[([\w.]+) (.+)\]\(\.\./(\w+)/README\.md\)"
ROW = re.compile(rf"^\| {LINKED} \| (\w+) \| (.+) \| (\d+) \| (.+) \|$", re.MULTILINE)
CHAPTER = re.compile(r"^- \[(\d\d) .+\]\(\.\./\.\./notebooks/(.+\.ipynb)\), (\d+) minutes, "
                     r'<a href="slides/.+\.html">slides</a>$', re.MULTILINE)  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return syllabus_page(ROOT)


@pytest.fixture(scope="module")
def courses(page):
    """The text of each course."""
    _, *texts = re.split(r"^## ", page.text, flags=re.MULTILINE)
    return texts


def test_a_task_is_as_students_and_the_grader_have_it(courses):
    told = {task.id: " ".join(task.misconception.split())
            for chapter in find_chapters() for task in chapter.tasks}  # fmt: skip
    tasks = {task["id"]: (folder.name, task) for folder, content in read_exercises(ROOT).items()
             for task in content["task"]}  # fmt: skip
    for text in courses:
        for id, title, folder, kind, points, minutes, misconception in ROW.findall(text):
            task = tasks[id][1]
            assert (folder, title) == (tasks[id][0], task["title"])
            assert (kind, int(minutes)) == (task["kind"], task["minutes"])
            assert points == str(task.get("points", "a gate"))
            assert misconception.replace("\\|", "|") == told[id]


def test_a_chapter_brings_its_minutes_and_all_its_tasks(courses):
    table = tomllib.loads((ROOT / TABLE).read_text(encoding="utf-8"))["course"]
    of_notebook = {content["notebook"]: content["task"] for folder, content
                   in read_exercises(ROOT).items() if folder.name.startswith("ch")}  # fmt: skip
    for text, said in zip(courses, table, strict=True):
        found = [row[0] for row in ROW.findall(text)]
        chapters = CHAPTER.findall(text)
        assert [label for label, *_ in chapters] == [x for u in said["unit"] for x in u["read"]]
        wanted = [task["id"] for _, file, _ in chapters for task in of_notebook.get(file, [])
                  if task["kind"] in said["kinds"]]  # fmt: skip
        assert found == [*wanted, *(f"{name}.1" for name in said["choice"])]
        for _, file, minutes in chapters:
            notebook = read_notebook(ROOT / "notebooks" / file)
            assert int(minutes) == round(count_notebook(notebook).minutes)
        total = hours(sum(int(minutes) for *_, minutes in chapters))
        assert f"In all: {total} of reading; {len(wanted)} tasks" in text


def test_there_are_twelve_weeks_and_a_weekend_each_part_with_aims(courses):
    weeks, weekend = courses
    assert re.findall(r"^### Week (\d+): ", weeks, re.M) == [str(n) for n in range(1, 13)]
    assert weekend.startswith("A weekend\n")
    for text in courses:
        units = re.split(r"^### ", text.partition("### Projects")[0], flags=re.MULTILINE)[1:]
        aims = re.compile(r"\nAfterwards one can\n\n(- .+;\n)*- .+\.\n\n")
        assert all(aims.search(unit) for unit in units)


def test_a_link_to_the_table_leads_to_the_page(page, monkeypatch):
    monkeypatch.setattr("website.parts.read_book", lambda root: None)  # which takes seconds
    monkeypatch.setattr("website.parts.module_pages", lambda book: [])
    parts = parts_after(ROOT)
    assert page in parts
    guide = next(part for part in parts if getattr(part, "path", "") == "exercises.md")
    links = Links(ROOT, [page])
    assert "(syllabus.md)" in links.link(guide, LINK.search(f"[x](teacher/{Path(TABLE).name})"))
    assert f"](teacher/{Path(TABLE).name})" in guide.text


@pytest.fixture
def copied(tmp_path):
    """A repository with the tasks of chapter 05 alone."""
    for name in ("exercises/ch05_forward", "exercises/teacher/ch05_forward"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "05-forward.ipynb", tmp_path / "notebooks")
    summary = "- [05 Forward](05-forward.ipynb)\n"
    (tmp_path / "notebooks" / "SUMMARY.md").write_text(summary, encoding="utf-8")
    table = '[[course]]\ntitle = "C"\nabout = "A."\nkinds = ["extend"]\nchoice = []\n'
    unit = '[[course.unit]]\ntitle = "U"\nread = ["05"]\naims = ["do it."]\n'
    (tmp_path / TABLE).write_text(table + unit, encoding="utf-8")
    return tmp_path


def test_a_chapter_that_is_not_there_or_stands_twice_is_named(copied):
    table = (copied / TABLE).read_text(encoding="utf-8")
    for wrong in ('["05", "06"]', '["05", "05"]'):
        (copied / TABLE).write_text(table.replace('["05"]', wrong), encoding="utf-8")
        with pytest.raises(ValueError, match=f"'C' names '?{wrong[-4:-2]}"):
            syllabus_page(copied)


def test_a_task_that_exposes_nothing_is_named(copied):
    file = copied / "exercises" / "teacher" / "ch05_forward" / "hidden.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub('misconception = "[^"]+"', 'misconception = ""', text), encoding="utf-8")
    with pytest.raises(ValueError, match=r"ch05_forward/hidden\.toml: 05\.1 exposes nothing"):
        syllabus_page(copied)
