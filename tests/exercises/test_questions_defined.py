"""Questions are printed with the functions that stand in them."""

from pathlib import Path

from exercises.grading.questions import told
from exercises.grading.tasks import Chapter, Task


def test_what_questions_use_is_printed_before_them(tmp_path: Path):
    drawing = "def draw_77_3(rng):\n    yield 'What is twice(1)?', 'twice(1)'\n"
    (tmp_path / "questions.py").write_text(drawing)
    task = Task("77.3", "explain", "Twice", "Say it.", 1, "", questions=1,
                setup="def twice(x):\n    return 2 * x\n")  # fmt: skip
    text = told(Chapter("ch77", tmp_path, "", "", (task,)), task, "practice")
    assert text.index("def twice(x):") < text.index("1. What is twice(1)?")
