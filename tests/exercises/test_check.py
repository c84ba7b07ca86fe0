"""`exercises check` and `questions`: what a student is told, and what never."""

import dataclasses
import json
import shutil

import pytest

from exercises.grading import check as checking
from exercises.grading import questions
from exercises.grading.check import check_chapter
from exercises.grading.feedback import first_difference, place, report, told_miss
from exercises.grading.home import NoFile, read_record
from exercises.grading.judge import Line
from exercises.grading.tasks import UnknownTask

pytestmark = pytest.mark.prove

ANSWERS = "answers_05_3 = [{}, 'float32']\n"


@pytest.fixture
def told(classroom, capsys):
    """What is printed of a student's text, line by line."""

    def tell(text=None, ids=(), hints=0):
        if text is not None:
            classroom.hand_in(text)
        passed = check_chapter(classroom.chapter, classroom.folder, ids, hints)
        lines = capsys.readouterr().out.splitlines()
        assert passed == (lines[-1] == "visible checks passed")
        return lines

    return tell


def right_number(classroom):
    task = classroom.chapter.task("05.3")
    return questions.draws.right_answers(classroom.chapter, task, questions.draws.PRACTICE)[0]


def rows(lines):
    return [line for line in lines if line[:1] in "✓✗+-" and line]


# What passes.


def test_all_that_is_right_ends_in_visible_checks_passed_and_no_more(classroom, told):
    lines = told(classroom.right + ANSWERS.format(right_number(classroom)))
    assert [row.split()[:2] for row in rows(lines)] == [
        ["✓", "05.1"], ["✓", "05.2"], ["✓", "05.3"]
    ]  # fmt: skip
    assert lines[-1] == "visible checks passed"
    assert lines[0].startswith("ch05: ") and lines[0].endswith("ch05_forward/exercise.py")


def test_it_says_the_same_without_the_teachers_part(classroom, told):
    text = classroom.right + ANSWERS.format(right_number(classroom))
    before = told(text)
    shutil.rmtree(classroom.root / "teacher")
    assert told(text) == before


def test_stubs_are_not_written_yet(told):
    lines = told()
    assert lines[-1] == "0 of 3 tasks pass their visible checks"
    assert "      not written yet: 05.2 twice (exercise.py, line 22)" in lines
    assert "      question 1 has no answer yet" in lines
    assert not any("hint" in line for line in lines)


def test_one_task_alone(classroom, told):
    lines = told(classroom.right, ids=["05.2"])
    assert len(rows(lines)) == 1 and lines[-1] == "visible checks passed"


# What does not.


def test_a_miss_says_called_with_what_what_was_expected_and_what_came(told):
    lines = told("def twice(x):\n    return x * 3\n", ids=["05.2"])
    assert lines[3:5] == [
        "      twice(three): expected 6.0, came 9.0 (exercise.py, line 1)",
        "      and 2 more of 4 visible cases",
    ]


TWO = """
def helper(x):
    return written_second(x)
both = lambda x: (helper(x), written_first)
"""


@pytest.mark.parametrize("case, line", [
    ("written_first(1)", " (exercise.py, line 1)"), ("helper(1)", " (exercise.py, line 5)"),
    ("Third().method()", " (exercise.py, line 10)"), ("both(1)", " (exercise.py, line 1)"),
    ("jax.jit(lambda x: x)(1)", ""),
])  # fmt: skip
def test_the_line_is_that_of_what_the_case_calls(classroom, case, line):
    names = ("written_first", "written_second", "Third.method")
    task = dataclasses.replace(classroom.chapter.task("05.2"), defines=names, setup=TWO)
    text = ("def written_first(x):\n    return x\n\n\ndef written_second(x):\n    return x\n"
            "\n\nclass Third:\n    def method(self):\n        return 1\n")  # fmt: skip
    assert place(task, text, case) == line


def test_the_example_is_a_case_too(told):
    lines = told("def twice(x): return 5 if type(x) is int else x + x\n", ids=["05.2"])
    assert lines[3] == "      twice(2): expected 4, came 5 (exercise.py, line 1)"


def test_a_stub_that_the_file_itself_calls_is_not_written_yet_either(told):
    lines = told("def twice(x): raise NotImplementedError('05.2 twice')\n\n\ntwice(1)\n",
                 ids=["05.2"])  # fmt: skip
    assert lines[3] == "      not written yet: 05.2 twice (exercise.py, line 1)"


def test_an_exception_is_told_with_the_line_that_raised_it(told):
    lines = told("def twice(x):\n    y = x\n    return y + None\n", ids=["05.2"])
    assert lines[3].startswith("      twice(three)") and "came" in "".join(lines[3:6])
    assert "(exercise.py, line 3)" in "".join(lines[3:6])


def test_a_value_that_prints_alike_says_how_it_differs(told):
    lines = told("import numpy as np\ndef twice(x): return np.asarray(x + x)[()]\n", ids=["05.2"])
    assert "kind" in "".join(lines) or "dtype" in "".join(lines)


@pytest.mark.parametrize("text, said", [
    ("x = (", "exercise.py is no Python in line 1: '(' was never closed"),
    ("", "exercise.py does not define twice"),
    ("from os import twice", "exercise.py imports twice, and does not define it"),
    ("raise_ = 1 / 0\ndef twice(x): return raise_", "ZeroDivisionError: division by zero "
     "(exercise.py, line 1)"),
    ("def twice(x):\n    import os\n    os._exit(3)", "the process ended before it had a result"),
])  # fmt: skip
def test_what_stops_it_is_said_in_a_line(told, text, said):
    assert told(text, ids=["05.2"])[3] == f"      {said}"


def test_answers_are_right_or_wrong_on_the_practice_questions(classroom, told):
    lines = told(ANSWERS.format(right_number(classroom) + 1), ids=["05.3"])
    assert lines[3] == "      1 of 2 answers are right; question 1 is not answered right"
    lines = told("answers_05_3 = [-1, 'int8']", ids=["05.3"])
    assert lines[3].endswith("0 of 2 answers are right; questions 1 and 2 are not answered right")
    lines = told("answers_05_3 = [-1]", ids=["05.3"])
    assert lines[3].endswith("question 1 is not answered right; question 2 is not answered yet")
    lines = told("answers_05_3 = [1 + 1, None]", ids=["05.3"])
    assert "is to be a list of plain values" in lines[3]


def test_hints_are_given_on_request_and_only_where_something_misses(told):
    assert "      hint 1: It is the sum of x and x." in told(hints=1)
    two = told("def twice(x): return x + x", ids=["05.1", "05.2"], hints=2)
    assert "      hint 2: `add_jaxvals` adds the others." in two
    assert not any("Return x + x." in line for line in two)


WARNS = """import numpy as np

def twice(x): return (x + x){} if np.log(0.0 * np.ones(1)) < 0 else None
"""


@pytest.mark.parametrize("factor, passes", [("", True), (" * 2", False)])
def test_a_warning_is_told_once_and_costs_nothing(factor, passes, told):
    lines = told(WARNS.format(factor), ids=["05.2"])
    said = " ".join(" ".join(lines).split())
    assert said.count("RuntimeWarning") == 1 and "{" not in said
    assert ("it warned, which costs nothing: RuntimeWarning: divide by zero encountered in log "
            "(exercise.py, line 3)") in said  # fmt: skip
    assert (lines[-1] == "visible checks passed") is passes


def test_what_it_prints_is_shown(told):
    lines = told("def twice(x):\n    print('x is', x)\n    return x + x\n", ids=["05.2"])
    assert lines[3:5] == ["      it printed:", "      x is 3.0"]
    assert lines[-1] == "visible checks passed"


def test_a_file_that_is_not_there(classroom, told):
    (classroom.folder / "ch05_forward/exercise.py").unlink()
    with pytest.raises(NoFile, match="what you write for ch05 goes there"):
        told()


# A seed of one's own.


@pytest.fixture
def own_seed(classroom):
    classroom.write("student/student.json", json.dumps({"student": "Ada", "seed": "12ab"}))


@pytest.mark.parametrize("answers, said", [
    ("[None, 'int8']", "question 1 has no answer yet"),
    ("['3', 'int8']", "question 1 asks for a number, and its answer is a text"),
    ("[3]", "the list has 1 answers, and 2 are asked for"),
])  # fmt: skip
def test_with_ones_own_questions_only_the_form_is_looked_at(told, own_seed, answers, said):
    assert told(f"answers_05_3 = {answers}", ids=["05.3"])[3] == f"      {said}"


def test_a_wrong_answer_to_ones_own_question_is_only_there(told, own_seed):
    lines = told("answers_05_3 = [-1, 'wrong']", ids=["05.3"])
    assert lines[2].endswith("answered") and lines[-1] == "visible checks passed"


def test_the_questions_are_printed(classroom, own_seed):
    task = classroom.chapter.task("05.3")
    mine, practice = (questions.told(classroom.chapter, task, seed)
                      for seed in ("12ab", questions.draws.PRACTICE))  # fmt: skip
    assert "The questions are yours; the answers go into the list answers_05_3." in mine
    assert "the same for everybody" in practice and "\n\n2. Which dtype?" in practice


# Words.


def test_long_values_stand_below_each_other_and_texts_differ_in_a_line():
    long = Line("f(1)", "x" * 90, "y" * 90)
    assert told_miss(long, " (exercise.py, line 1)") == [
        "f(1) (exercise.py, line 1):", "  expected  " + "x" * 90, "  came      " + "y" * 90,
    ]  # fmt: skip
    texts = Line("str(j)", r"'{ a\n  b }'", r"'{ a\n  c }'")
    assert told_miss(texts, "") == ["str(j):", "  line 2 expected  b }", "  line 2 came      c }"]
    assert first_difference("a\nb", "a")[1] == "  line 2 came      nothing"


def test_a_terminal_without_ticks_has_plus_and_minus(classroom, monkeypatch):
    class Old:
        encoding = "ascii"

    monkeypatch.setattr("exercises.grading.feedback.sys.stdout", Old())
    task = classroom.chapter.task("05.2")
    results = checking.check(classroom.chapter, [task], "", "practice")
    assert report(task, next(results), "", 0).startswith("- 05.2")


def test_which_tasks_are_chosen(classroom):
    chapters = [classroom.chapter]
    assert checking.chosen(chapters, []) == [(classroom.chapter, [])]
    assert checking.chosen(chapters, ["05.2"]) == [(classroom.chapter, ["05.2"])]
    with pytest.raises(UnknownTask, match="ch05 has no task '05.7'; it has 05.1, 05.2, 05.3"):
        checking.chosen(chapters, ["05.7"])


def test_it_writes_down_what_passed(classroom, told):
    told("def twice(x): return x + x\n")
    noted = read_record(classroom.folder)["ch05_forward"]
    assert {id: each["passed"] for id, each in noted.items()} == {
        "05.1": False, "05.2": True, "05.3": False
    }  # fmt: skip
    assert noted["05.2"]["points"] == 4
