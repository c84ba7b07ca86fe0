"""The exercises' pages: statements as they are, hints folded, and nothing of the teacher's."""

import re
import shutil
from pathlib import Path

import pytest

from contents import read_exercises
from website.exercise_pages import exercise_pages, text_pages

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = read_exercises(ROOT)
HINT = re.compile(
    r'\n<details class="hint"><summary>(\w+) hint</summary>\n\n(.*?)\n\n</details>\n', re.DOTALL
)


@pytest.fixture(scope="module")
def guide():
    [guide] = exercise_pages(ROOT)
    return guide


@pytest.fixture(scope="module")
def pages(guide):
    return {Path(page.source).parent.name: page for page in guide.children}


def folders() -> list[str]:
    return sorted(file.parent.name for file in (ROOT / "exercises").glob("*/tasks.toml"))


def test_every_chapter_with_tasks_and_every_project_has_a_page(guide, pages):
    assert list(pages) == folders()
    assert len(pages) > 20
    assert len({page.path for page in guide.children}) == len(pages)
    assert guide.source == "exercises/README.md"


@pytest.mark.parametrize("name", folders())
def test_a_page_is_the_readme_with_hints_and_the_file_to_write_in(pages, name):
    folder, text = ROOT / "exercises" / name, pages[name].text
    statements, _, stubs = text.partition("\n## exercise.py")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert HINT.sub("", statements) == readme.replace("(exercise.py)", "(#stubs)")
    assert (folder / "exercise.py").read_text(encoding="utf-8").strip("\n") in stubs


@pytest.mark.parametrize("name", folders())
def test_hints_are_folded_below_their_tasks(pages, name):
    tasks = EXERCISES[ROOT / "exercises" / name]["task"]
    sections = re.split(r"^## ", pages[name].text, flags=re.MULTILINE)
    for task in tasks:
        [own] = [text for text in sections if text.startswith(f"{task['id']} ")]
        found = HINT.findall(own)
        assert [hint for _, hint in found] == task["hints"]
        assert [place for place, _ in found] == ["first", "second", "third"][: len(found)]


def test_all_tasks_are_in_the_guides_table(guide):
    for name in folders():
        for task in EXERCISES[ROOT / "exercises" / name]["task"]:
            row = f"| [{task['id']} {task['title']}]({name}/README.md) | {task['kind']} |"
            assert row in guide.text


@pytest.fixture
def without_teacher(tmp_path):
    ignored = shutil.ignore_patterns("teacher", "__pycache__")
    shutil.copytree(ROOT / "exercises", tmp_path / "exercises", ignore=ignored)
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "SUMMARY.md", tmp_path / "notebooks")
    return tmp_path


def test_nothing_of_the_teachers_is_needed(without_teacher, guide):
    """The pages are the same where the teacher's part is not there."""
    assert exercise_pages(without_teacher) == [guide]


def test_a_task_without_its_statement_is_named(without_teacher):
    readme = without_teacher / "exercises" / "ch05_forward" / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(text.replace("## 05.2 ", "## 05.9 "), encoding="utf-8")
    with pytest.raises(ValueError, match="ch05_forward/README.md has no section '05.2 A rule"):
        exercise_pages(without_teacher)


def test_other_texts_are_pages_as_they_are():
    for page in text_pages(ROOT):
        assert page.text == (ROOT / page.source).read_text(encoding="utf-8")
        assert page.text.startswith(f"# {page.title}\n")
