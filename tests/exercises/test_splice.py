"""`exercises/grading/splice.py`: which of a student's statements go into a module, and where."""

import ast

import pytest

from exercises.grading.source import parse
from exercises.grading.splice import Missing, splice

MODULE = '''"""A module."""

from __future__ import annotations

import math

from a import b

table = {}


def helper(x):
    return x


def f(x):
    return helper(x)


table["f"] = f(1)


class C:
    """A class."""

    size = 1

    def one(self):
        return 1

    @property
    def two(self):
        return 2


def last():
    return f(2)
'''


def text_of(lines):
    return "".join(line.text + "\n" for line in lines)


def run(student, defines, others=(), module=MODULE):
    """The names of a spliced module, once it has run."""
    names = {"b": 1}
    text = text_of(splice(module, student, defines, others)).replace("from a import b", "")
    exec(compile(text, "module", "exec"), names)
    return names


# What replaces what.


def test_a_function_takes_the_place_of_its_namesake():
    lines = splice(MODULE, "def f(x):\n    return 7\n", ["f"])
    before, after = MODULE.splitlines(), [line.text for line in lines]
    place = before.index("def f(x):")
    assert after == [*before[:place], "def f(x):", "    return 7", *before[place + 2 :]]
    assert run("def f(x): return 7", ["f"])["table"] == {"f": 7}


def test_a_method_alone_is_replaced():
    student = "class C:\n    size = 9\n\n    def one(self):\n        return 11\n"
    made = run(student, ["C.one"])["C"]()
    assert (made.one(), made.two, made.size) == (11, 2, 1)


def test_a_class_is_replaced_as_a_whole():
    made = run("class C:\n    def one(self): return 11\n", ["C"])["C"]
    assert made().one() == 11 and not hasattr(made, "size")


def test_decorators_are_part_of_a_definition():
    student = "class C:\n    @property\n    def two(self):\n        return 22\n"
    text = text_of(splice(MODULE, student, ["C.two"]))
    assert text.count("@property") == 1 and run(student, ["C.two"])["C"]().two == 22


def test_two_pieces_of_a_module():
    student = "class C:\n    def one(self): return 11\ndef f(x): return 8\n"
    names = run(student, ["f", "C.one"])
    assert names["table"] == {"f": 8} and names["C"]().one() == 11


def test_of_two_definitions_the_last_counts():
    assert run("def f(x): return 1\ndef f(x): return 2\n", ["f"])["table"] == {"f": 2}


# What goes with them.


def test_helpers_and_what_helpers_use_go_with_a_piece():
    student = "K = 5\ndef g(x): return K * x\ndef f(x): return g(x)\ndef unused(): pass\n"
    names = run(student, ["f"])
    assert names["table"] == {"f": 5} and "unused" not in names


def test_a_helper_with_a_name_of_the_modules_replaces_it():
    student = "def helper(x): return 3\ndef f(x): return helper(x)\n"
    lines = splice(MODULE, student, ["f"])
    assert text_of(lines).count("def helper") == 1
    assert run(student, ["f"])["table"] == {"f": 3}


def test_what_is_done_with_a_piece_is_done():
    student = "def new(x): return 2\nrules = {}\nrules['new'] = new\nnew.name = 'n'\n"
    names = run(student, ["new"], module="")
    assert names["rules"] == {"new": names["new"]} and names["new"].name == "n"


@pytest.mark.parametrize("loop", [
    "for name in 'ab':\n    rules[name] = new\n",
    "for name, rule in zip('ab', [new, new]):\n    if rule:\n        rules[name] = rule\n",
    "rules |= {name: new for name in 'ab'}\n",
    "if rules == {}:\n    rules.update(a=new, b=new)\n",
    "with nothing():\n    rules['a'] = rules['b'] = new\n",
])  # fmt: skip
def test_a_table_that_a_piece_uses_is_filled(loop):
    student = "from contextlib import nullcontext as nothing\nrules = {}\ndef new(x): return 2\n"
    student += loop + "def f(x): return rules[x](x)\n"
    names = run(student, ["f"], module="")
    assert names["rules"] == {"a": names["new"], "b": names["new"]}


def test_what_a_decorator_does_with_a_piece_is_done():
    student = """
class Primitive:
    def def_impl(self, function):
        self.impl = function


new_p = Primitive()


@new_p.def_impl
def _impl(x):
    return 2 * x
"""
    assert run(student, ["new_p"], module="")["new_p"].impl(3) == 6


def test_imports_that_a_piece_uses_are_taken_and_others_not():
    student = "import math\nimport json\nimport re\ndef f(x): return json.dumps(math.pi)\n"
    text = text_of(splice(MODULE, student, ["f"]))
    assert text.count("import math") == 1 and "import json" in text and "import re" not in text


def test_what_only_prints_or_runs_as_a_program_stays_out():
    student = "def f(x): return 1\nif __name__ == '__main__':\n    f(1)\nprint('hello')\n"
    text = text_of(splice(MODULE, student, ["f"]))
    assert "__main__" not in text and "hello" not in text


def test_other_tasks_names_are_kept_out():
    student = "def helper(x): return 'mine'\ndef f(x): return helper(x)\n"
    assert run(student, ["f"], others=["helper"])["table"] == {"f": 1}


def test_what_is_new_comes_last_and_beside_replacements_after_the_imports():
    alone = splice(MODULE, "def new(): return last()\n", ["new"])
    assert alone[-1].text == "def new(): return last()"
    beside = [line.text for line in splice(MODULE, "k = 2\ndef f(x): return k\n", ["f"])]
    assert beside[beside.index("from a import b") + 1] == "k = 2"


def test_what_needs_a_replaced_definition_comes_after_it():
    student = """
def last():
    return later()


def later():
    return aliases


aliases = [last]
table["last"] = last


@aliases.append
def another():
    return last
"""
    names = run(student, ["last"])
    assert names["table"]["last"] is names["last"] and names["last"]()[0] is names["last"]
    assert len(names["aliases"]) == 2


def test_the_students_future_import_comes_first():
    student = "from __future__ import annotations\ndef new(x: Unknown): return 1\n"
    lines = splice("", student, ["new"])
    assert [line.text for line in lines] == student.splitlines()
    into = text_of(splice('"""Text."""\nimport math\n', student, ["new"]))
    assert into.startswith('"""Text."""\nfrom __future__ import annotations\nimport math\n')
    assert text_of(splice(MODULE, student, ["new"])).count("__future__") == 1
    assert run(student, ["new"], module="")["new"](0) == 1


# What is refused.


@pytest.mark.parametrize("student, defines, said", [
    ("", ["f"], "exercise.py does not define f"),
    ("from a import f", ["f"], "exercise.py imports f, and does not define it"),
    ("import f", ["f"], "exercise.py imports f, and does not define it"),
    ("class C: pass", ["C.one"], "the class C of exercise.py does not define one"),
    ("def one(): pass", ["C.one"], "exercise.py does not define C"),
    ("if True:\n    def f(x): pass", ["f"], "exercise.py does not define f"),
])  # fmt: skip
def test_a_missing_definition_is_a_miss(student, defines, said):
    with pytest.raises(Missing, match=said):
        splice(MODULE, student, defines)


def test_a_syntax_error_has_its_line():
    with pytest.raises(SyntaxError) as caught:
        splice(MODULE, "x = 1\n\ndef f(:\n", ["f"])
    assert caught.value.lineno == 3


# Lines.


@pytest.mark.parametrize("defines", [["f"], ["C.one"], ["new"], ["f", "C.one", "new"]])
def test_each_line_remembers_where_it_came_from(defines):
    student = """import json


def new():
    return json, K


K = 1


def f(x):
    return K


class C:
    @staticmethod
    def one():
        return K
"""
    theirs, module = student.splitlines(), MODULE.splitlines()
    lines = splice(MODULE, student, defines)
    own = [line for line in lines if line.number]
    assert own and all(line.text == theirs[line.number - 1] for line in own)
    assert all(line.text in module for line in lines if line.number is None)
    ast.parse(text_of(lines))


# What Python counts as lines, what of a file is Python, and how deep it stands.


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_where_python_says_so(odd):
    student = f"a = 'x{odd}y'  # {odd}\ndef helper(x): return a\ndef f(x): return helper(x)\n"
    assert run(student, ["f"])["table"] == {"f": f"x{odd}y"}
    module = f"# {odd}\n{MODULE}"
    assert run("def f(x): return 7", ["f"], module=module)["table"] == {"f": 7}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_end_of_a_line_is_one(end):
    student = "K = 7\n\n\ndef f(x):\n    return K\n".replace("\n", end)
    assert run(student, ["f"])["table"] == {"f": 7}


BROKEN = [
    "def g(:\n    pass\n", "k = (1,\n2,\n", "def g():\n  if True:\n return 1\n", "x = 'open\n",
    '"""open\n', "@\n", "class D:\n", "def g():\n\tif 1:\n        return 2\n", "\0\n",
]  # fmt: skip


@pytest.mark.parametrize("slip", BROKEN)
def test_a_slip_costs_no_piece_but_its_own(slip):
    one = "@dec\ndef f(x):\n    '''A text\nthat goes on.\n'''\n    return K\n"
    rest = "def dec(f): return f\nif True:\n    K = 6\nelse:\n    K = 5\nK = 7\n"
    for text in (f"{slip}\n{one}\n{rest}", f"{one}\n{slip}\n{rest}", f"{rest}\n{one}\n{slip}"):
        assert run(text, ["f"])["table"] == {"f": 7}
        lines = [line for line in splice(MODULE, text, ["f"]) if line.number]
        assert all(line.text == text.split("\n")[line.number - 1] for line in lines)


def test_a_text_of_which_nothing_is_python_is_soon_given_up():
    for hostile in ("(\n" * 30_000, "x = (\n" * 400, "'''\n" * 499):
        assert parse(hostile).body is not None


def test_an_import_from_the_future_that_never_came_is_left_out():
    student = "from __future__ import braces\nfrom __future__ import annotations\n"
    assert run(f"{student}def f(x): return 7\n", ["f"], module="def f(x): pass\n")["f"](1) == 7


@pytest.mark.parametrize("margin", ["\t", " ", "  ", "        ", " \t"])
def test_a_method_is_put_in_at_the_classs_own_margin(margin):
    body = f'def one(self):\n{margin}if True:\n{margin}{margin}return """a\n{margin}b"""'
    student = "class C:\n" + "\n".join(margin + line for line in body.split("\n")) + "\n"
    alone = {}
    exec(student, alone)
    assert run(student, ["C.one"])["C"]().one() == alone["C"]().one()
