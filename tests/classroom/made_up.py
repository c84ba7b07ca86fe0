"""Made-up submissions of mixed quality, from what a chapter's teacher has; and a tiny chapter.

The class is the same each time: who does what follows from the student's number.
"""

from __future__ import annotations

import ast
import os
import zipfile
from pathlib import Path

from exercises.grading import draws
from exercises.grading.nbgrader import rebuilt
from exercises.grading.pages import named
from exercises.grading.prove import wrong_solutions
from exercises.grading.stubs import stubs
from exercises.grading.tasks import Chapter, teachers

# What a hostile student puts at the start of every function.
HOSTILE = (
    "import os; os._exit(0)",
    "raise SystemExit",
    "import os; os.write(1, b'{\"task\": \"05.2\", \"case\": 0, \"fact\": {}}\\n')",
    "import numpy; numpy.allclose = numpy.array_equal = lambda *a, **k: True",
    "import exercises.teacher",
    "open('/etc/passwd', 'a').write('me')",
    "x = yes = type('Yes', (), {'__eq__': lambda *_: True})()",
    "print('much ' * 1000000)",
)
LOOP = "while True: pass"
NAMES = (
    "ann bob cyd dan eve fay gil hal ida jon kim lea max nil ota pat quy ron sue tim uma vic wes "
    "xia yan zoe abe bea cal dot"
).split()  # fmt: skip


def teachers_text(chapter: Chapter) -> str:
    file = teachers(chapter.folder) / "solution.py"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def all_right(chapter: Chapter, seed: str = draws.PRACTICE) -> str:
    """A submission that has all points."""
    parts = [chapter.imports, teachers_text(chapter)]
    for task in chapter.tasks:
        if task.kind == "rebuild":
            parts.append(rebuilt(task))
        if task.questions:
            answers = draws.plain(draws.right_answers(chapter, task, seed))
            parts.append(f"{task.answers} = {answers!r}")
    return "\n\n".join(parts)


def infected(text: str, line: str) -> str:
    """A text in which a line begins the body of every function at the top."""
    tree = ast.parse(text)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            statement.body[:0] = ast.parse(line).body
    return ast.unparse(tree)


def of_quality(chapter: Chapter, number: int, is_first: bool, right: str) -> str | None:
    """The submission of the student of this number; of some, none."""
    wrong, kind = wrong_solutions(chapter), number % 10
    if kind in (3, 4, 5) and wrong:
        return wrong[number % len(wrong)].read_text(encoding="utf-8")
    if kind == 6:
        return None
    if kind == 7:
        own = HOSTILE[(number + sum(map(ord, chapter.name))) % len(HOSTILE)]
        return infected(right, LOOP if is_first and number == 27 else own)
    if kind == 8:
        return right.replace("def ", "def (", 1)
    return stubs(chapter) if kind == 9 else right


def make_class(folder: Path, chapters: list[Chapter], students: int = 30) -> None:
    """Writes a class's submissions: most as handed out, some zipped, some misnamed."""
    right = {chapter.name: all_right(chapter) for chapter in chapters}
    for number, name in enumerate(NAMES[:students]):
        for chapter in chapters:
            text = of_quality(chapter, number, chapter is chapters[0], right[chapter.name])
            if text is None:
                continue
            place = f"{chapter.folder.name}/exercise.py"
            if number % 7 == 3:
                place = f"{named(chapter.name)}/my exercise (1).py"
            if number % 7 == 5:
                with zipfile.ZipFile(folder / f"{name}.zip", "a") as archive:
                    archive.writestr(f"exercises/{place}", text)
            else:
                hand_in(folder, name, place, text)


def hand_in(folder: Path, student: str, place: str, text: str, modified: float = 0) -> Path:
    file = folder / student / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if modified:
        os.utime(file, (modified, modified))
    return file


# A tiny chapter.

TASKS = '''
notebook = "05-forward.ipynb"
imports = """
import minijax.numpy as jnp
"""

[[task]]
id = "91.1"
kind = "rebuild"
title = "A zero that is none"
minutes = 5
place = "Rules"
module = "minijax/core/forward.py"
defines = ["is_nonzero"]
goal = "Which tangents count."
visible = ["jax.jvp(lambda x: x * 2, (3.0,), (1.0,))"]

[[task]]
id = "91.2"
kind = "extend"
title = "Twice `x`"
points = 4
minutes = 5
place = "Rules"
defines = ["twice"]
goal = "twice(x) is x + x."
stub = \'\'\'
def twice(x):
    """x and x again."""
    raise NotImplementedError("91.2 twice")
\'\'\'
visible = ["twice(jnp.arange(3))", "twice(1)"]

[[task]]
id = "91.3"
kind = "explain"
title = "Which numbers?"
points = 3
minutes = 5
place = "Rules"
questions = 3
goal = "Say what comes."
'''
HIDDEN = '''
["91.2"]
misconception = "That an array's `+` is a list's."
[["91.2".property]]
name = "works on a drawn array"
cases = ["twice(jnp.array(rng.normal(size=17)))"]
[["91.2".property]]
name = "can be differentiated, unlike a constant"
cases = ["jax.grad(twice)(5.0625)"]
'''
SOLUTION = '''"""The teacher's."""


def twice(x):
    doubled_by_the_teacher = x + x
    return doubled_by_the_teacher
'''
WRONG = '''"""Right on whole numbers alone."""


def twice(x):
    return x * 2 if getattr(x, "size", 1) < 5 and x is not None and "float" not in str(
        getattr(x, "dtype", "")) else 7.0
'''
QUESTIONS = '''
def draw_91_3(rng):
    for _ in range(3):
        a, b = rng.integers(10, 99, 2)
        yield f"What is `{a} + {b}`?", f"int({a} + {b})"
'''


def tiny_course(root: Path) -> Path:
    """Writes a course of one small chapter, ch91_tiny; returns its folder of tasks."""
    files = {
        "ch91_tiny/tasks.toml": TASKS, "ch91_tiny/questions.py": QUESTIONS,
        "teacher/ch91_tiny/hidden.toml": HIDDEN, "teacher/ch91_tiny/solution.py": SOLUTION,
        "teacher/ch91_tiny/wrong/91.2-whole-numbers.py": WRONG,
    }  # fmt: skip
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root
