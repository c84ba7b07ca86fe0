"""A chapter of the tests' own, so that no change of a real task changes what they hold."""

import textwrap

import pytest

from exercises.grading import expected, fresh, home, sandbox, tasks
from exercises.grading.stubs import stubs

TASKS = '''
notebook = "05-forward.ipynb"
imports = """
from minijax import lax
import numpy as np
"""

[[task]]
id = "05.1"
kind = "rebuild"
title = "Sums of tangents"
minutes = 5
place = "Rules"
module = "minijax/core/forward.py"
defines = ["add_tangents"]
goal = "Add two tangents."
example = "jax.jvp(lambda x: x + x, (3.0,), (1.0,))[1]"
hints = ["A zero adds nothing.", "`add_jaxvals` adds the others."]
visible = [
  "jax.jvp(lambda x: x + x, (3.0,), (1.0,))[1]",
  "str(jax.make_jaxpr(lambda t: add_tangents(t, t))(1.0))",
]

[[task]]
id = "05.2"
kind = "extend"
title = "Twice"
points = 4
minutes = 10
place = "Rules"
defines = ["twice"]
goal = "Twice x."
stub = """
def twice(x):
    raise NotImplementedError("05.2 twice")
"""
setup = "three = 3.0"
example = "twice(2)"
hints = ["It is the sum of x and x.", "Return x + x."]
visible = ["twice(three)", "raised(twice)", "twice(np.arange(2))"]

[[task]]
id = "05.3"
kind = "explain"
title = "Foretell"
points = 3
minutes = 5
place = "Rules"
questions = 2
goal = "Say what comes."
hints = ["Count.", "Count again."]
'''
QUESTIONS = '''
def draw_05_3(rng):
    a = int(rng.integers(2, 9))
    yield f"What is {a} + 1?", f"{a} + 1"
    yield "Which dtype?", "str(jnp.ones(2).dtype)"
'''
HIDDEN = '''
["05.2"]
misconception = "None."
[["05.2".property]]
name = "is linear"
cases = ["twice(1.0) + twice(2.0)"]
'''
RIGHT = '''
def add_tangents(x, y):
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else add_jaxvals(x, y)


def twice(x):
    return x + x
'''


class Class:
    """The chapter's folder, and one for a student's files."""

    right = RIGHT

    def __init__(self, root):
        self.root, self.folder = root / "tasks", root / "student"
        self.write("tasks/ch05_forward/tasks.toml", TASKS)
        self.write("tasks/ch05_forward/questions.py", QUESTIONS)
        self.write("tasks/teacher/ch05_forward/hidden.toml", HIDDEN)
        self.write("tasks/teacher/ch05_forward/solution.py", RIGHT)
        self.hand_in(stubs(self.chapter))

    @property
    def chapter(self):
        return tasks.read_chapter(self.root / "ch05_forward")

    def write(self, name, text):
        file = self.root.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def hand_in(self, text):
        self.write("student/ch05_forward/exercise.py", textwrap.dedent(text))


@pytest.fixture(params=["bubblewrap", "limits"])
def isolated(request):
    """With each of the two ways to keep a student's code from the rest."""
    if request.param == "bubblewrap" and not sandbox.bubblewrap():
        pytest.skip(sandbox.why_not())
    return request.param == "bubblewrap"


@pytest.fixture(scope="session")
def facts(tmp_path_factory):
    """expected.json of that chapter: a child makes it once."""
    made = Class(tmp_path_factory.mktemp("reference"))
    return expected.facts_text(expected.ask_reference(made.chapter))


@pytest.fixture
def classroom(tmp_path, facts, monkeypatch):
    made = Class(tmp_path)
    made.write("tasks/ch05_forward/expected.json", facts)
    monkeypatch.setattr(home, "EXERCISES", made.root)
    monkeypatch.setattr(fresh, "EXERCISES", made.root)
    return made
