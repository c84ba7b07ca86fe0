"""`python -m exercises grade`: what is graded, what is kept, and what stops nothing."""

import csv
import json
import os
import shutil
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from exercises.__main__ import parser
from exercises.grading import records, sandbox
from exercises.grading.classroom import read_roster, read_secret
from exercises.grading.grade import command, not_prevented
from exercises.grading.judge import literal_answers
from exercises.grading.records import blank
from exercises.grading.source import STATEMENTS
from exercises.grading.splice import Missing
from exercises.grading.stubs import stubs
from exercises.grading.submissions import LARGEST, number_of, read_class
from exercises.grading.tasks import Fault, find_chapters
from exercises.grading.workers import FAILED, Worker, serve
from made_up import WRONG, all_right, hand_in, tiny_course

pytestmark = [pytest.mark.xdist_group("grade"), pytest.mark.prove]  # one class for all
PLACE = "ch91_tiny/exercise.py"
DEADLINE = "2026-11-20T18:00:00+00:00"
HELD = [] if sandbox.bubblewrap() or os.getuid() else ["--trusting"]
ON_TIME, LATE = 1795100000, 1795200000 + 11520  # two hours before; later


def graded(course, folder, out, *flags):
    named = [] if "--chapters" in flags else ["--chapters", "ch91"]
    argv = ["grade", str(folder), "--out", str(out), "--tasks", str(course), *named, *flags, *HELD]
    return command(parser("grade").parse_args(argv))


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A class that was graded once."""
    base = tmp_path_factory.mktemp("class")
    course, folder, out = tiny_course(base / "course"), base / "in", base / "out"
    [chapter] = find_chapters(root=course)
    right = all_right(chapter)
    hand_in(folder, "ann", PLACE, right, ON_TIME)
    hand_in(folder, "bob", PLACE, WRONG, ON_TIME)
    hand_in(folder, "cyd", PLACE, stubs(chapter))
    hand_in(folder, "dan", PLACE, right.replace("def twice(", "def twice(("))
    hand_in(folder, "eve", "CH91/My Exercise.py", right, LATE)
    hand_in(folder, "fay", PLACE, right.replace("x + x", "__import__('os')._exit(0)"))
    hand_in(folder, "gus", PLACE, "x = " + "-" * 40000 + "1\n" + right)
    shutil.make_archive(str(folder / "hal"), "zip", folder / "ann")
    (folder / "ida" / "ch91_tiny").mkdir(parents=True)
    (folder / "ida" / PLACE).symlink_to(course / "teacher" / "ch91_tiny" / "solution.py")
    hand_in(folder, "jon", PLACE, right.replace("x + x", "x + '<script>\\ud800'"))
    roster = base / "names.csv"
    roster.write_text("name\n" + "\n".join("ann bob cyd dan eve fay gus hal ida jon kim".split()))
    code = graded(course, folder, out, "--deadline", DEADLINE, "--roster", str(roster))
    return SimpleNamespace(course=course, folder=folder, out=out, code=code, chapter=chapter)


def table(out):
    with (out / "grades.csv").open(newline="") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


def feedback(out, student):
    return json.loads((out / "students" / student / "feedback.json").read_text())


def task(out, student, id):
    return next(t for t in feedback(out, student)["chapters"]["ch91"] if t["id"] == id)


def remarks(classroom, student):
    return " ".join(feedback(classroom.out, student)["remarks"])


# Marks.


def test_nothing_that_was_handed_in_is_fatal(classroom):
    assert classroom.code == 0
    assert list(table(classroom.out)) == "ann bob cyd dan eve fay gus hal ida jon kim".split()


def test_all_right_has_all_points(classroom):
    row = table(classroom.out)["ann"]
    assert [row[c] for c in ("91.1", "91.2", "91.3", "ch91 points")] == ["passed", "4", "3", "7"]
    assert [row[c] for c in ("points", "of", "percent", "gates", "gates of")] == [
        "7", "7", "100.0", "1", "1"]  # fmt: skip


def test_half_right_has_part_of_the_points(classroom):
    assert table(classroom.out)["bob"]["91.2"] == "1"  # one property of three: 4/3, in halves
    assert task(classroom.out, "bob", "91.2")["status"] == "partly"


def test_stubs_have_none(classroom):
    row = table(classroom.out)["cyd"]
    assert [row[c] for c in ("91.1", "91.2", "91.3")] == ["not passed", "0", "0"]
    told = [task(classroom.out, "cyd", id) for id in ("91.1", "91.2", "91.3")]
    assert [each["status"] for each in told] == ["unwritten"] * 3
    assert told[1]["note"].startswith("not written yet: 91.2") and not told[1]["misses"]


@pytest.mark.parametrize(
    "student, said",
    [
        ("dan", "no Python in line"), ("fay", "ended"), ("gus", "nested too deeply"),
        ("ida", "nothing was handed in"), ("kim", "nothing was handed in"),
    ],
)  # fmt: skip
def test_what_does_not_run_says_why(student, said, classroom):
    result = task(classroom.out, student, "91.2")
    assert result["points"] == 0 and said in result["note"]


def test_one_who_ends_the_process_loses_that_task_alone(classroom):
    row = table(classroom.out)["fay"]
    assert [row[c] for c in ("91.1", "91.2", "91.3")] == ["passed", "0", "3"]


def test_one_slip_of_syntax_loses_that_task_alone(classroom):
    row = table(classroom.out)["dan"]
    assert [row[c] for c in ("91.1", "91.2", "91.3")] == ["passed", "0", "3"]


def test_a_zip_is_graded_as_a_folder(classroom):
    assert table(classroom.out)["hal"]["points"] == "7"


# Remarks.


def test_what_is_misnamed_is_graded_and_told(classroom):
    assert table(classroom.out)["eve"]["points"] == "7"
    assert "misnamed: CH91/My Exercise.py was taken" in remarks(classroom, "eve")


def test_what_is_late_is_graded_and_told(classroom):
    assert [table(classroom.out)[name]["late"] for name in ("ann", "eve")] == ["", "ch91"]
    assert "ch91 is late by" in remarks(classroom, "eve")


def test_links_are_not_followed(classroom):
    assert "is a link" in remarks(classroom, "ida")


def test_who_is_in_the_roster_only_is_in_the_table(classroom):
    assert "handed in nothing" in remarks(classroom, "kim")


# Again.


def judged(classroom, capsys, *flags):
    """How many files a further run judges."""
    capsys.readouterr()
    assert graded(classroom.course, classroom.folder, classroom.out, *flags) == 0
    return int(capsys.readouterr().out.split(" chapters: ")[1].split()[0])


def test_a_second_run_judges_nothing_and_changes_nothing(classroom, capsys):
    before = (classroom.out / "grades.csv").read_text()
    assert judged(classroom, capsys) == 0
    assert (classroom.out / "grades.csv").read_text() == before


def test_what_was_interrupted_or_changed_is_judged(classroom, capsys):
    (classroom.out / "results" / "ann" / "ch91.json").write_text("{ half a rec")
    hand_in(classroom.folder, "bob", PLACE, WRONG + "\n# changed\n")
    assert judged(classroom, capsys) == 2
    assert table(classroom.out)["ann"]["points"] == "7"


def test_a_task_is_graded_again_for_all_when_changed_or_told(tmp_path, capsys):
    course, folder, out = tiny_course(tmp_path / "course"), tmp_path / "in", tmp_path / "out"
    for name in ("ann", "bob"):
        hand_in(folder, name, PLACE, WRONG)
    again = SimpleNamespace(course=course, folder=folder, out=out)
    assert judged(again, capsys) == 2
    file = out / "results" / "ann" / "ch91.json"
    before = json.loads(file.read_text())["tasks"]
    hidden = course / "teacher" / "ch91_tiny" / "hidden.toml"
    hidden.write_text(hidden.read_text().replace("5.0625", "6.0"))
    assert judged(again, capsys) == 2
    after = json.loads(file.read_text())["tasks"]
    assert after["91.2"]["key"] != before["91.2"]["key"]
    assert after["91.1"] == before["91.1"] and after["91.3"] == before["91.3"]
    assert judged(again, capsys, "--regrade", "91.2") == 2


def test_an_override_stands_over_the_grader_and_stays(classroom, capsys):
    (classroom.out / "overrides.toml").write_text(
        '[[override]]\nstudent = "cyd"\ntask = "91.2"\npoints = 1.5\nreason = "Told me <how>."\n'
        '[[override]]\nstudent = "zed"\ntask = "91.2"\npoints = 1\nreason = "Who?"\n')  # fmt: skip
    judged(classroom, capsys, "--regrade", "91.3")  # no child: its answers are data
    assert table(classroom.out)["cyd"]["points"] == "1.5"
    told = task(classroom.out, "cyd", "91.2")
    assert (told["points"], told["graded"], told["reason"]) == (1.5, 0, "Told me <how>.")
    page = (classroom.out / "students" / "cyd" / "feedback.html").read_text()
    assert "Told me &lt;how&gt;." in page
    assert "override for &#x27;zed&#x27;" in (classroom.out / "overview.html").read_text()


@pytest.mark.parametrize("text", ["[[override]", '[[override]]\nstudent = "ann"\n'])
def test_a_slip_in_the_overrides_is_told_before_anything_is_graded(text, tmp_path):
    (tmp_path / "overrides.toml").write_text(text)
    (tmp_path / "in").mkdir()
    with pytest.raises(Fault, match="overrides.toml can't be read"):
        graded(tiny_course(tmp_path / "course"), tmp_path / "in", tmp_path)


def test_no_folder_is_a_sentence(tmp_path):
    with pytest.raises(Fault, match="No such file"):
        graded(tiny_course(tmp_path / "course"), tmp_path / "none", tmp_path / "out")


def test_a_broken_chapter_stops_itself_alone(tmp_path, capsys):
    course = tiny_course(tmp_path / "course")
    hand_in(tmp_path / "in", "ann", PLACE, all_right(find_chapters(root=course)[0]))
    (course / "teacher" / "ch91_tiny" / "solution.py").write_text("nothing = 1")
    assert graded(course, tmp_path / "in", tmp_path / "out") == 1
    said = capsys.readouterr().out
    assert "ch91 can't be graded: task 91.2" in said and "it does not define twice" in said
    assert feedback(tmp_path / "out", "ann")["chapters"] == {}  # and nobody is told a zero


# What counts.


def test_what_counts_is_what_the_teacher_named_whatever_lies_about(tmp_path, capsys):
    course, folder, out = tiny_course(tmp_path / "course"), tmp_path / "in", tmp_path / "out"
    for home in ("ch91_tiny", "teacher/ch91_tiny"):  # a second chapter, and a project
        for name in ("ch92_other", "p1_project"):
            shutil.copytree(course / home, course / home.replace("ch91_tiny", name))
    [first, *_] = find_chapters(root=course)
    questions = all_right(first)[all_right(first).index("answers_91_3") :]
    hand_in(folder, "ann", PLACE, questions)
    strays = ("92.py", "p1 notes.py", "ch92_other/exercise.py", "ch91_tiny/92.py", "33.py",
              "p1_project/exercise.py")  # fmt: skip
    for stray in strays:
        hand_in(folder, "bob", stray, "x = 1")
    with pytest.raises(Fault, match="--chapters names what counts.*were: ch91 by 1, ch92 by 1, p1"):
        graded(course, folder, out, "--chapters")
    assert not out.exists()
    assert graded(course, folder, out) == 0
    assert [feedback(out, name)["of"] for name in ("ann", "bob")] == [7, 7]
    [said] = feedback(out, "bob")["remarks"]
    assert said.startswith("not graded, for these chapters do not count: ")
    assert all(stray in said for stray in strays)
    # What is named counts from then on, and no more once it is taken out.
    assert graded(course, folder, out, "--chapters", "ch92") == 0
    assert [feedback(out, name)["of"] for name in ("ann", "bob")] == [14, 14]
    counting = out / "chapters.txt"
    counting.write_text(counting.read_text().replace("ch92\n", ""))
    assert graded(course, folder, out, "--chapters") == 0
    assert [feedback(out, name)["of"] for name in ("ann", "bob")] == [7, 7]
    counting.write_text("ch99")
    with pytest.raises(Fault, match="no chapter ch99"):
        graded(course, folder, out, "--chapters")


# Seeds.


def test_questions_are_the_students_own(tmp_path):
    course, secret = tiny_course(tmp_path / "course"), tmp_path / "secret"
    secret.write_text("a secret of twenty letters")
    [chapter] = find_chapters(root=course)
    own = all_right(chapter, read_secret(secret).student("ann"))
    for name in ("ann", "bob"):
        hand_in(tmp_path / "in", name, PLACE, own)
    assert graded(course, tmp_path / "in", tmp_path / "out", "--secret-file", str(secret)) == 0
    assert [table(tmp_path / "out")[n]["91.3"] for n in ("ann", "bob")] == ["3", "0"]


def test_a_report_keeps_to_its_secret(tmp_path):
    course, secret = tiny_course(tmp_path / "course"), tmp_path / "secret"
    secret.write_text("a secret of twenty letters")
    (tmp_path / "in").mkdir()
    graded(course, tmp_path / "in", tmp_path / "out", "--secret-file", str(secret))
    with pytest.raises(Fault, match="other questions than no --secret-file gives"):
        graded(course, tmp_path / "in", tmp_path / "out")
    assert "a secret" not in (tmp_path / "out" / ".secret").read_text()


def test_a_secret_is_kept_when_the_grading_goes_on(tmp_path, monkeypatch):
    course, secret, out = tiny_course(tmp_path / "course"), tmp_path / "secret", tmp_path / "out"
    secret.write_text("a secret of twenty letters")
    (tmp_path / "in").mkdir()

    def refuses(trusting):
        raise Fault("not here")

    with monkeypatch.context() as held:
        held.setattr("exercises.grading.grade.not_prevented", refuses)
        with pytest.raises(Fault, match="not here"):
            graded(course, tmp_path / "in", out, "--secret-file", str(secret))
    assert graded(course, tmp_path / "in", out) == 0


def test_a_name_is_one_however_its_accents_are_stored(tmp_path):
    zoe = received(tmp_path, "Zoe\u0308 Brandt", b"x = 1")
    (tmp_path / "names.csv").write_text("Zo\u00eb Brandt\n", encoding="utf-8")
    assert [zoe.student] == read_roster(tmp_path / "names.csv")


def test_a_short_secret_and_a_bad_roster_are_refused(tmp_path):
    (tmp_path / "short").write_text("hunter2")
    with pytest.raises(Fault, match="shorter than 16"):
        read_secret(tmp_path / "short")
    for text in ("../ann", "ann\nann", ".hidden"):
        (tmp_path / "names.csv").write_text(text)
        with pytest.raises(Fault):
            read_roster(tmp_path / "names.csv")


def test_root_grades_in_bubblewrap_or_when_told_to_trust(monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    with pytest.raises(Fault, match="--trusting"):
        not_prevented(trusting=False)
    assert "without isolation" in not_prevented(trusting=True)[0]


# The processes that judge.


def test_a_worker_that_takes_too_long_is_ended_and_the_next_ask_starts_another(tmp_path):
    [chapter] = find_chapters(root=tiny_course(tmp_path))
    worker, given = Worker(), {"chapter": chapter, "expected": {}}
    text = all_right(chapter)
    assert worker.ask(given, text, ["91.3"], 0.001) == "it took too long to take it apart"
    assert worker.process is None
    assert worker.ask(given, text, ["91.3"], 60)[0]["points"] == 3
    assert worker.ask(given, text, ["91.2"], 60).startswith(FAILED)  # nothing is expected of it
    process = worker.process
    process.kill()
    process.join()
    assert "brought down" in worker.ask(given, text, ["91.3"], 60)


def test_a_worker_that_cannot_start_says_why_and_is_tried_again(tmp_path, monkeypatch):
    [chapter] = find_chapters(root=tiny_course(tmp_path))
    worker, given = Worker(), {"chapter": chapter, "expected": {}}
    with monkeypatch.context() as full:
        full.setattr("multiprocessing.process.BaseProcess.start", no_process)
        said = worker.ask(given, all_right(chapter), ["91.3"], 60)
    assert said == f"{FAILED}BlockingIOError: [Errno 11] none left"
    worker.close()
    assert worker.ask(given, all_right(chapter), ["91.3"], 60)[0]["points"] == 3
    worker.close()


def no_process(self):
    raise BlockingIOError(11, "none left")


def test_each_worker_keeps_to_a_processor_of_its_own(tmp_path):
    if not sandbox.LINUX or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("here is one for all")
    [chapter] = find_chapters(root=tiny_course(tmp_path))
    workers = [Worker(number) for number in range(2)]
    for worker in workers:
        worker.ask({"chapter": chapter, "expected": {}}, all_right(chapter), ["91.3"], 60)
    first, second = (os.sched_getaffinity(worker.process.pid) for worker in workers)
    assert len(first) == len(second) == 1 and first != second
    for worker in workers:
        worker.close()


def test_a_copy_that_has_no_room_blames_nobody_and_is_tried_again(tmp_path, monkeypatch):
    [chapter] = find_chapters(root=tiny_course(tmp_path))
    asked, sent, tried = [({"chapter": chapter, "expected": {}}, "", ["91.3"])] * 2, [], []

    def recv():
        if not asked:
            raise EOFError
        return asked.pop()

    def full(folder):
        tried.append(folder)
        if len(tried) == 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("exercises.grading.workers.keep_to_one_core", lambda _: None)
    monkeypatch.setattr("exercises.grading.workers.copy_package", full)
    serve(SimpleNamespace(recv=recv, send=sent.append), 0)
    assert sent[0] == f"{FAILED}OSError: [Errno 28] No space left on device"
    assert [each["id"] for each in sent[1]] == ["91.3"]


def test_where_the_grader_fails_it_says_so_and_tries_again(tmp_path, monkeypatch, capsys):
    course = tiny_course(tmp_path / "course")
    hand_in(tmp_path / "in", "ann", PLACE, WRONG)
    with monkeypatch.context() as broken:
        broken.setattr("exercises.grading.grade.references", lambda chapters, *_: {"ch91": {}})
        assert graded(course, tmp_path / "in", tmp_path / "out") == 1
    assert "ann, ch91: the grader itself failed: KeyError" in capsys.readouterr().out
    assert feedback(tmp_path / "out", "ann")["chapters"] == {}  # and nobody is told a zero
    assert graded(course, tmp_path / "in", tmp_path / "out") == 0
    assert table(tmp_path / "out")["ann"]["91.2"] == "1"


def test_what_a_full_disk_made_void_is_judged_once_more_in_the_same_run(tmp_path, monkeypatch):
    course, out = tiny_course(tmp_path / "course"), tmp_path / "out"
    for name in ("ann", "bob"):
        hand_in(tmp_path / "in", name, PLACE, WRONG)
    full = {"ann": [True, False, False], "bob": [False, True, False]}  # judging it, keeping it

    def judge(work, *_):
        failed = full[work.student][0] and full[work.student].pop(0)
        results = [blank(task, "right", f"{FAILED}no room" * failed) for task in work.chapter.tasks]
        return results

    def keep(out, student, *rest):
        if full[student].pop(0):
            raise OSError(28, "No space left on device")
        return records.keep(out, student, *rest)

    monkeypatch.setattr("exercises.grading.grade.references", lambda chapters, *_: {"ch91": {}})
    monkeypatch.setattr("exercises.grading.grade.judge", judge)
    monkeypatch.setattr("exercises.grading.grade.keep", keep)
    assert graded(course, tmp_path / "in", out) == 0
    assert [task(out, name, "91.1")["status"] for name in ("ann", "bob")] == ["right", "right"]


def test_a_report_that_cannot_be_written_is_a_sentence_and_leaves_no_half(tmp_path, monkeypatch):
    course, out = tiny_course(tmp_path / "course"), tmp_path / "out"
    hand_in(tmp_path / "in", "ann", PLACE, "")
    assert graded(course, tmp_path / "in", out) == 0
    before = (out / "grades.csv").read_text()

    def full(file, text, **_):
        with open(file, "w") as half:
            half.write(text[:9])
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(Fault, match="No space left.*The same command goes on from here"):
        graded(course, tmp_path / "in", out)
    assert (out / "grades.csv").read_text() == before


# What a folder may hold.


def received(tmp_path, name, data, place=PLACE):
    file = tmp_path / "in" / name / place
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))
    [student] = read_class(tmp_path / "in", chapters)
    return student


@pytest.mark.parametrize(
    "data, said",
    [(b"#" * (LARGEST + 1), "larger than"), (b"\xff\xfe", "UTF-8"),
     (b"# coding: klingon\n", "klingon"), (b"# coding: ascii\n\xe9", "is no ASCII text"),
     (b"x = 1\n" * (STATEMENTS + 1), "statements"), (b"1" + b"+1" * 30000, "deeply")],
)  # fmt: skip
def test_too_much_is_said_and_not_taken_apart(data, said, tmp_path):
    assert said in received(tmp_path, "ann", data).files["ch91"].fault


@pytest.mark.parametrize("coding", ["utf-8", "latin-1", "cp1252", "utf-8-sig"])
def test_a_coding_line_is_obeyed(coding, tmp_path):
    text = f"# -*- coding: {coding.removesuffix('-sig')} -*-\nname = 'Zo\u00eb'\n"
    assert received(tmp_path, "ann", text.encode(coding)).files["ch91"].text == text


@pytest.mark.parametrize("text, given", [
    ("answers: list = [1]", [1]), ("other = answers = [1]", [1]), ("answers: list[int] = [1]", [1]),
    ("answers = [1]\n\ndef g(:", [1]), ("answers = ['\f\x85\u2028']", ["\f\x85\u2028"]),
])  # fmt: skip
def test_answers_are_a_list_however_it_is_written(text, given):
    assert literal_answers(text, "answers") == given


@pytest.mark.parametrize("text, error", [
    ("answers: list", Missing), ("answers = []\nanswers += [1]", Missing),
    ("answers, x = [1], 2", Missing), ("def answers(): pass", Missing), ("", Missing),
    ("answers = [1\n", SyntaxError),
])  # fmt: skip
def test_answers_that_are_computed_or_not_there(text, error):
    with pytest.raises(error):
        literal_answers(text, "answers")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.makedirs(tmp_path / "in" / "ann" / "ch91_tiny")
    os.mkfifo(tmp_path / "in" / "ann" / PLACE)
    [ann] = read_class(tmp_path / "in", find_chapters(root=tiny_course(tmp_path / "course")))
    assert not ann.files and "is a link or no file" in ann.remarks[0]


def test_a_broken_zip_is_told(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ann.zip").write_text("no zip")
    [ann] = read_class(tmp_path / "in", find_chapters(root=tiny_course(tmp_path / "course")))
    assert "no zip" in ann.remarks[0]


def test_what_names_no_chapter_is_told(tmp_path):
    ann = received(tmp_path, "ann", b"x = 1", "final/exercise.py")
    assert not ann.files and "names no chapter: final/exercise.py" in ann.remarks[0]


@pytest.mark.parametrize(
    "path, chapter",
    [
        ("Chapter 05/mine.py", "ch05"), ("CH5.py", "ch05"), ("p1_intervals/mine.py", "p1"),
        ("Project 2/mine.py", "p2"), ("my p3.py", "p3"), ("exp1.py", None), ("mine (1).py", None),
    ],
)  # fmt: skip
def test_a_misnamed_files_chapter_or_project_is_found(path, chapter):
    assert number_of(PurePosixPath(path)) == chapter


def test_of_two_files_the_newest_is_taken(tmp_path):
    hand_in(tmp_path / "in", "ann", f"old/{PLACE}", "x = 1", ON_TIME)
    ann = received(tmp_path, "ann", b"x = 2", f"new/{PLACE}")
    assert ann.files["ch91"].text == "x = 2" and "2 files for" in ann.remarks[0]


def test_what_is_below_work_goes_before_what_was_handed_out(tmp_path):
    hand_in(tmp_path / "in", "ann", f"work/exercises/{PLACE}", "x = 1", ON_TIME)
    ann = received(tmp_path, "ann", b"x = 2", f"exercises/{PLACE}")
    assert ann.files["ch91"].text == "x = 1"
