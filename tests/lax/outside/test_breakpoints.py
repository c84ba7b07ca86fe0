"""The prompt of a breakpoint, fed with commands: what it answers, and which values it knows."""

import io
import re

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.lax.outside import breakpoints


class Terminal:
    """Commands for a prompt, and its answers to each of them, so far."""

    def __init__(self, *commands: str) -> None:
        self.of_prompt = {"stdin": io.StringIO("\n".join(commands)), "stdout": io.StringIO()}

    def answers(self) -> list[str]:
        return [x.rstrip("\n") for x in self.of_prompt["stdout"].getvalue().split("(jdb) ")]


@pytest.fixture
def stopped():
    """What the commands answer in a program that is called by another one, after going on."""

    def run(*commands, wrap=jax.jit, **how):
        terminal = Terminal(*commands, "c")

        def inner(w, scale=10):
            v = w + 1
            jax.debug.breakpoint(**terminal.of_prompt, **how)
            return v * scale

        def outer(x):
            pair = {"twice": 2 * x, "text": "is static"}
            return inner(pair["twice"])

        assert wrap(outer)(1.0) == 30.0
        first, *answers = terminal.answers()
        assert first == "Entering jdb:" and answers[-1] == ""
        return answers[:-1]

    return run


@pytest.mark.parametrize("wrap", [
    jax.jit, lambda f: f, lambda f: lambda x: lax.cond(x > 0, f, lambda x: x, x),
    lambda f: lambda x: jax.jvp(f, (x,), (1.0,))[0],
    lambda f: lambda x: lax.scan(lambda c, _: (f(c), None), jnp.float32(x), None, length=1)[0],
])  # fmt: skip
def test_values_are_those_of_the_running_program(stopped, wrap):
    commands = "p float(v)", "np.shape(v)", "up", "p pair['text'], float(pair['twice'])"
    found = stopped(*commands, wrap=wrap)
    assert found[:2] == ["3.0", "()"] and found[-1] == "('is static', 2.0)"


@pytest.mark.parametrize("commands, last", [
    (["args"], "w = Array(2., dtype=float32)\nscale = 10"),
    (["p scale"], "10"), (["pp {'a': scale}"], "{'a': 10}"), (["re.sub('a', 'b', 'a')"], "'b'"),
    (["p nothing"], "*** NameError: name 'nothing' is not defined"),
    (["p 1 +"], "*** SyntaxError: invalid syntax"), (["p exit(3)"], "*** SystemExit: 3"),
    (["p v", ""], "Array(3., dtype=float32)"),
    (["help p"], "p EXPRESSION: its value."),
])  # fmt: skip
def test_a_command_is_answered(stopped, commands, last):
    assert stopped(*commands)[-1] == last


def test_lines_are_shown_around_the_frames(stopped):
    up, where, below, listed = stopped("u", "bt", "d", "l")
    marked = [re.findall("^->  (.*)", x, re.M) for x in (up, below, listed)]
    assert [x.strip() for [x] in marked] == [
        'return inner(pair["twice"])', "jax.debug.breakpoint(**terminal.of_prompt, **how)",
        "jax.debug.breakpoint(**terminal.of_prompt, **how)",
    ]  # fmt: skip
    assert re.match(rf"> {re.escape(__file__)}\(\d+\)\n", up)
    assert below.splitlines()[1].strip() == "def inner(w, scale=10):"
    assert len(below.splitlines()) == 6 and len(stopped("u", "u", "l")[-1].splitlines()) > 9
    assert where.startswith("Traceback:\n") and where.splitlines()[-1] == (
        "    jax.debug.breakpoint(**terminal.of_prompt, **how)"
    )
    assert where.splitlines()[-3].strip() == 'return inner(pair["twice"])'


def test_there_is_no_frame_beyond_the_ends(stopped):
    down, up = stopped("d", "u", num_frames=1)
    assert down.startswith("At bottommost frame.\n>") and up.startswith("At topmost frame.\n>")
    assert stopped("p 1 + 1", "w", num_frames=0)[:2] == ["2", 'Traceback:\n  File "<no frame>", '
                                                         "line 0\n    <no source>"]  # fmt: skip


def test_our_own_frames_are_left_out_unless_asked_for(stopped):
    files = [re.findall('File ".*/(.*)"', x) for x in (
        stopped("w")[0], stopped("w", filter_frames=False)[0])]  # fmt: skip
    assert "staging.py" not in files[0] and "staging.py" in files[1]


def test_code_without_a_file_is_shown_without_lines():
    terminal = Terminal("u", "c")
    exec("def f():\n    stop()\nf()", {"stop": lambda: jax.debug.breakpoint(**terminal.of_prompt)})
    assert terminal.answers()[1] == "> <string>(2)"


def test_it_stops_for_each_example_and_in_each_step():
    terminal = Terminal(*["p int(x)", "c"] * 6)

    def f(x):
        jax.debug.breakpoint(**terminal.of_prompt, ordered=True)
        return x

    jax.vmap(f)(jnp.arange(3))
    jax.jit(lambda x: lax.map(f, x))(jnp.arange(3, 6))
    assert [x for x in terminal.answers() if x.isdigit()] == list("012345")


def test_a_derivative_stops_with_the_values():
    terminal = Terminal("p float(x)", "c")

    def f(x):
        jax.debug.breakpoint(**terminal.of_prompt)
        return x * x

    assert jax.jit(jax.grad(f))(3.0) == 6.0
    assert terminal.answers()[1] == "3.0"


def test_a_token_is_given_back_after_the_prompt():
    terminal = Terminal("p float(y['a'])", "c")

    def f(x):
        y = {"a": x * 2}
        y = jax.debug.breakpoint(token=y, **terminal.of_prompt)
        return y["a"] * 3

    assert jax.jit(f)(3.0) == 18.0
    assert terminal.answers()[1] == "6.0"
    assert not jax.jit(lambda x: (jax.debug.breakpoint(token=x), x)[1])(3.0) == 0  # nobody needs it


@pytest.mark.parametrize("commands", [["q"], ["quit"], ["exit"], []])
def test_the_program_can_be_ended(commands):
    terminal = Terminal(*commands)
    with pytest.raises(SystemExit):
        jax.jit(lambda x: (jax.debug.breakpoint(**terminal.of_prompt), x)[1])(1.0)


def test_ctrl_c_leaves_the_line_alone(monkeypatch, capsys):
    shown = iter([KeyboardInterrupt, None])

    def do_p(self, arg):
        error = next(shown)
        if error:
            raise error

    monkeypatch.setattr(breakpoints.Prompt, "do_p", do_p)
    terminal = Terminal("p 1", "p 1", "c")
    jax.debug.breakpoint(**terminal.of_prompt)
    assert capsys.readouterr().out == "--KeyboardInterrupt--\n"
    assert terminal.answers()[1] == "Entering jdb:"


def test_what_cannot_be_taken_apart_or_has_ended_is_there_all_the_same():
    class Odd:
        pass

    def fail(odd):
        raise ValueError

    jax.tree_util.register_pytree_node(Odd, fail, fail)
    terminal, kept = Terminal("p odd", "p kept", "c"), []
    jax.jit(lambda x: kept.append(x))(1.0)

    def f(x):
        odd = Odd()
        jax.debug.breakpoint(**terminal.of_prompt)
        return x if odd else kept

    assert jax.jit(f)(2.0) == 2.0
    _, odd, leaked, _ = terminal.answers()
    assert odd == "<cant_flatten>" and "JitTracer" in leaked


def test_a_tracer_that_several_frames_have_is_one_operand():
    def f(x, depth):
        if depth:
            return f(x, depth - 1)
        jax.debug.breakpoint()
        return x

    (eqn,) = jax.make_jaxpr(lambda x: f(x, 5))(1.0).eqns
    assert len(eqn.invars) == 1


def test_a_record_of_logging_has_the_users_line(caplog):
    def f(x):
        jax.debug.log("is {:.1f} of {name}", x, name="x")
        return x

    with caplog.at_level("INFO"):
        jax.jit(f)(1.5)
        jax.vmap(f)(np.float32([2.5, 3.5]))
    records = [r for r in caplog.records if r.name.startswith("minijax")]
    assert [r.getMessage() for r in records] == [f"is {x} of x" for x in (1.5, 2.5, 3.5)]
    assert {(r.levelname, r.pathname, r.lineno) for r in records} == {
        ("INFO", __file__, f.__code__.co_firstlineno + 1)
    }
