"""`exercises assemble`: the pieces go into one copy, and what fails is told by piece."""

import pytest

from exercises.grading import assemble
from exercises.grading.assemble import blamed, places, put_all, read_results, run_tests, told_run
from exercises.grading.overlay import copy_package
from exercises.grading.tasks import Fault

WRONG = '''
def add_tangents(x, y):
    if type(x) is Zero:
        return y
    raise ValueError("not added")
'''


@pytest.fixture
def pieces(classroom, tmp_path):
    """Puts a student's text into a copy: the copy, and what became of the pieces."""

    def put(text):
        classroom.hand_in(text)
        copy_package(tmp_path / "copy")
        return tmp_path / "copy", put_all(tmp_path / "copy", [classroom.chapter], classroom.folder)

    return put


@pytest.mark.parametrize("text, said", [
    ("def add_tangents(x: Any, y: Any) -> Any:\n"
     "    raise NotImplementedError('05.1 add_tangents')", "not written yet"),
    ("", "exercise.py does not define add_tangents"),
    ("from a import add_tangents", "exercise.py imports add_tangents, and does not define it"),
    ("def (", "exercise.py is no Python in line 1: invalid syntax"),
    (WRONG, ""),
])  # fmt: skip
def test_which_pieces_go_in(pieces, text, said):
    _, [piece] = pieces(text)
    assert (piece.task.id, piece.fault) == ("05.1", said)


@pytest.mark.prove
def test_the_tests_run_on_the_pieces_and_failures_are_told_in_the_students_lines(pieces):
    root, found = pieces(WRONG)
    run = run_tests(root, ["forward"])
    assert run.count > 50 and 0 < len(run.failures) <= assemble.ENOUGH
    said = told_run(run, places(root, found))
    assert said.startswith("05.1: ") and "; the first is tests.core.test_forward." in said
    assert " ValueError: not added (" in said and "line 5)" in " ".join(said.split())
    assert said.splitlines()[-1].startswith(f"{run.count - len(run.failures)} of {run.count} tests")


@pytest.mark.prove
def test_with_right_pieces_all_pass(pieces, classroom):
    root, found = pieces(classroom.right)
    run = run_tests(root, ["calls"])
    assert run.failures == [] and told_run(run, places(root, found)).count("\n") == 0


@pytest.mark.prove
def test_a_package_that_is_not_imported_is_told_with_the_students_line(pieces):
    root, found = pieces("def add_tangents(x, y): return x\nadd_tangents.of = add_tangents.off\n")
    [failure] = run_tests(root, ["calls"]).failures
    assert failure.test == "import minijax" and "has no attribute 'off'" in failure.said


def test_blame_goes_to_the_innermost_line_of_a_students(pieces):
    root, found = pieces(WRONG)
    [place] = places(root, found)
    frames = [(place.module, place.first + 1), (place.module, place.last), (place.module, 1)]
    assert blamed(assemble.Failure("t", "", frames), [place]) == (place, 5)
    assert blamed(assemble.Failure("t", "", [("minijax/a.py", place.first)]), [place]) is None


def test_what_cannot_be_run_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(assemble, "find_spec", lambda name: None)
    with pytest.raises(Fault, match="The tests need pytest: .*-m pip install pytest"):
        run_tests(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(assemble, "ROOT", tmp_path)
    with pytest.raises(Fault, match="there is no folder tests/core"):
        run_tests(tmp_path)


def test_results_of_pytest_are_read():
    xml = """<testsuites><testsuite tests="2" time="1.5"><testcase classname="a" name="b"/>
<testcase classname="a" name="c"><failure>minijax/core/forward.py:7: in f
E   ValueError: no</failure></testcase></testsuite></testsuites>"""
    run = read_results(xml, "")
    assert (run.count, run.seconds) == (2, 1.5)
    assert run.failures == [("a.c", "ValueError: no", [("minijax/core/forward.py", 7)])]
