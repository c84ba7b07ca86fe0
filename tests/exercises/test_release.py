"""`python -m exercises release`: what a student gets, and what not."""

import json
import os
import re
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from exercises.__main__ import STUDENTS, TEACHERS, parser
from exercises.grading import release, sandbox, students_copy
from exercises.grading.classroom import read_secret
from exercises.grading.draws import students_seed
from exercises.grading.tasks import Fault, find_chapters
from made_up import tiny_course
from working_copy import MADE_BY_TOOLS

SECRET = "a secret of the teacher's"


def released(out, *flags):
    argv = ["release", str(out), *map(str, flags)]
    return release.command(parser("release").parse_args(argv))


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    base = tmp_path_factory.mktemp("release")
    (base / "secret").write_text(SECRET)
    (base / "names.csv").write_text("name,mail\nann,a@x\nzoe k,z@x\n")
    flags = ["--roster", base / "names.csv", "--secret-file", base / "secret"]
    assert released(base / "out", *flags) == 0
    return SimpleNamespace(base=base, copy=base / "out" / release.NAME, out=base / "out")


def texts(folder):
    for file in folder.rglob("*"):
        if file.is_file():
            yield file, file.read_text(encoding="utf-8", errors="replace")


@pytest.mark.prove
def test_nothing_of_the_teachers_is_in_it(handed_out):
    secret = read_secret(handed_out.base / "secret")
    assert release.leaks(handed_out.copy, find_chapters(), secret) == []
    assert not [name for name, text in texts(handed_out.copy) if SECRET in text]
    modules = {file.stem for file in (handed_out.copy / "exercises" / "grading").glob("*.py")}
    assert modules.isdisjoint(TEACHERS) and {"judge", "child", "sandbox"} <= modules


def test_no_line_of_a_solution_and_no_hidden_name_is_in_its_exercises(handed_out):
    """Looked for once more, without the release's own search."""
    text = "\n".join(text for _, text in texts(handed_out.copy / "exercises"))
    told = "".join((c.folder / "tasks.toml").read_text() for c in find_chapters())
    for chapter in find_chapters():
        for task in chapter.tasks:
            assert not [p.name for p in task.hidden
                        if len(p.name) > 24 and p.name in text and p.name not in told]  # fmt: skip
    solution = students_copy.EXERCISES / "teacher" / "ch05_forward" / "solution.py"
    package = "\n".join(text for _, text in texts(handed_out.copy / "minijax" / "core"))
    lines = [line.strip() for line in solution.read_text().splitlines()]
    own = [line for line in lines if len(line) > 24 and line not in told and line not in package
           and not line.startswith(("import", "from", '"""'))]  # fmt: skip
    assert own and not [line for line in own if line in text]


def test_every_chapter_is_there_with_stubs_and_pins(handed_out):
    for chapter in find_chapters():
        assert "NotImplementedError" in (
            handed_out.copy / "exercises" / chapter.folder.name / "exercise.py").read_text()
    pins = (students_copy.ROOT / "constraints.txt").read_text()
    assert (handed_out.copy / "constraints.txt").read_text() == pins
    for name in ("START.md", "Makefile", "pyproject.toml", "tools/learn.py"):
        assert (handed_out.copy / name).exists()


def test_the_examples_that_the_book_names_are_in_it(handed_out):
    """By a link, or by a file's name alone."""
    cells = [cell for file in (handed_out.copy / "notebooks").glob("*.ipynb")
             for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]]  # fmt: skip
    told = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    links = {link for link in re.findall(r"\(\.\./(tests/[\w/.]+)", told)}
    assert links and not [link for link in links if not (handed_out.copy / link).exists()]
    ours, theirs = (root / "tests" / "examples" for root in (students_copy.ROOT, handed_out.copy))
    named = {file.name for file in ours.glob("*.py") if re.search(rf"\b{file.name}\b", told)}
    assert len(named) > 3 and named <= {file.name for file in theirs.iterdir()}


def test_what_students_are_told_to_make_is_in_their_makefile(handed_out):
    told = "".join((handed_out.copy / name).read_text()
                   for name in ("START.md", "tools/working_copy.py"))  # fmt: skip
    makefile = (handed_out.copy / "Makefile").read_text()
    targets = re.search(r"\.PHONY: (.*)", makefile)[1].split()
    named = set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)(?=[ `\n]|$)", told)) - {"it"}
    assert {"learn", "learn-fresh", "check"} <= named <= set(targets)


def test_each_student_has_a_seed_of_their_own(handed_out):
    seeds = {}
    for name in ("ann", "zoe k"):
        with zipfile.ZipFile(handed_out.out / "students" / f"{name}.zip") as archive:
            own = json.loads(archive.read(f"{release.NAME}/exercises/student.json"))
            assert f"{release.NAME}/START.md" in archive.namelist()
        assert own == {"student": name, "seed": students_seed(SECRET, name)}
        seeds[name] = own["seed"]
    assert seeds["ann"] != seeds["zoe k"]


def in_the_copy(handed_out, *command):
    quiet = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHONPATH", "MINIJAX"))}
    return subprocess.run([sys.executable, "-B", "-m", "exercises", *command], cwd=handed_out.copy,
                          env=quiet, capture_output=True, text=True, timeout=120)  # fmt: skip


@pytest.mark.prove
def test_the_students_commands_run_in_it_and_the_teachers_are_not_there(handed_out):
    said = in_the_copy(handed_out, "--help").stdout
    there = {name for name in STUDENTS if (students_copy.GRADING / f"{name}.py").exists()}
    assert all(name in said for name in there)
    assert not [name for name in TEACHERS if f"    {name} " in said]
    checked = in_the_copy(handed_out, "check", "ch05")
    assert "05.2" in checked.stdout and "Traceback" not in checked.stdout + checked.stderr
    for name in there - {"check", "assemble"}:
        done = in_the_copy(handed_out, name)
        assert "Traceback" not in done.stderr, done.stderr


def test_as_it_is_handed_out_it_is_graded_to_zero(handed_out, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ann").symlink_to(handed_out.copy)
    held = [] if sandbox.bubblewrap() or os.getuid() else ["--trusting"]
    options = parser("grade").parse_args(
        ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--chapters", "ch05", *held]
    )
    assert options.run(options) == 0
    ann = json.loads((tmp_path / "out" / "students" / "ann" / "feedback.json").read_text())
    assert ann["points"] == 0 and ann["of"] > 0 and ann["gates"][0] == 0
    assert not [t for t in ann["chapters"]["ch05"] if t["status"] in ("right", "partly")]


def test_what_tools_make_in_notebooks_is_neither_handed_out_nor_copied():
    ignored = (students_copy.ROOT / ".gitignore").read_text(encoding="utf-8").split()
    made = {line.split("/")[1] for line in ignored if line.startswith("notebooks/")}
    assert made == set(students_copy.OF_THE_SITE["notebooks"])
    assert made == MADE_BY_TOOLS - {"__pycache__"}


# What is refused.


@pytest.mark.parametrize(
    "place, text",
    [("exercises/ch91_tiny/README.md", "It works on a drawn array, too."),
     ("exercises/ch91_tiny/expected.json", '{"case": "jax.grad(twice)(5.0625)"}'),
     ("exercises/note.md", "    doubled_by_the_teacher = x + x\n"),
     ("START.md", SECRET), ("exercises/teacher/x.py", "")],
)  # fmt: skip
def test_what_would_tell_is_found(place, text, tmp_path):
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))
    file = tmp_path / "copy" / place
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (tmp_path / "secret").write_text(SECRET)
    assert release.leaks(tmp_path / "copy", chapters, read_secret(tmp_path / "secret"))


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(Fault, match="has something in it"):
        released(tmp_path)
    assert (tmp_path / "mine").read_text() == "kept"


def test_a_roster_asks_for_a_secret(tmp_path):
    (tmp_path / "names.csv").write_text("ann\n")
    with pytest.raises(Fault, match="--secret-file"):
        released(tmp_path / "out", "--roster", tmp_path / "names.csv")


def test_a_task_that_was_changed_is_generated_first(tmp_path, monkeypatch):
    course = tiny_course(tmp_path / "course")
    monkeypatch.setattr(release, "find_chapters", lambda names: find_chapters(names, course))
    with pytest.raises(Fault, match="python -m exercises generate ch91"):
        released(tmp_path / "out")
    assert not (tmp_path / "out").exists()
