"""Kin: which line of the user's became which equation, kernel line and instruction."""

import re

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.doors import FLAGS
from minijax.compiler.native.debug_lines import lines_of_instructions
from minijax.compiler.native.machine_code import assembly, assembly_with_lines
from minijax.core.printing import jaxprs_in_params, readable
from minijax.stages.followed_passes import Followed, passes_of
from minijax.stages.kin import Line, kin_of, users_lines

ROW, MATRIX = jnp.arange(6.0), jnp.ones((300, 200))


def twice(x):
    first = jnp.sin(x)
    return jnp.sin(first)


def simplified(x):
    kept = jnp.exp(x) * 1
    return kept - (-x)


def softmax(x):
    top = jnp.max(x, axis=1, keepdims=True)
    shifted = jnp.exp(x - top)
    return shifted / shifted.sum(axis=1, keepdims=True)


def columns(x):
    y = jnp.exp(x)
    return y.sum(axis=0) + 1


def loop(x):
    def step(carry, y):
        carry = jnp.tanh(carry + y)
        return carry, jnp.sin(carry)

    return lax.scan(step, 0.0, x)


def choice(x):
    y = jnp.exp(x)
    return lax.cond(
        y[0] > 3,
        lambda v: jnp.sin(v),
        lambda v: jnp.cos(v),
        y,
    )


@jax.jit
def inner(x):
    return jnp.sin(x) * 2


def calls(x):
    y = inner(x)
    return jnp.cos(y)


def pieces(x):
    rolled = jnp.roll(x, 1)
    return jnp.exp(rolled) + x


def complex_numbers(x):
    z = x + 1j
    return jnp.abs(z * z)


def of_the_library(x):
    y = jnp.clip(x, 0, 1)
    return jnp.cos(x) + jnp.clip(y, 0, 2)


def loss(w, x):
    hidden = jnp.tanh(x * w)
    return jnp.sum(hidden**2)


def updated(x):
    y = jnp.sin(x)
    return y.at[2].add(1.0)


def printing(x):
    def body(i, c):
        jax.debug.print("{}", c)
        return jnp.sin(c)

    return lax.fori_loop(0, 3, body, x)


# A function and its arguments, and of lines of its kernels the user's lines that they come from.
PROGRAMS = {
    "one primitive in two lines": (twice, (ROW,), {
        "v3 = sin_f32(v2)": ["first = jnp.sin(x)"], "v4 = sin_f32(v3)": ["return jnp.sin(first)"],
    }),
    "what a pass made": (simplified, (ROW,), {
        "exp_f32": ["kept = jnp.exp(x) * 1"], "# add": ["return kept - (-x)"],
    }),
    "rows": (softmax, (MATRIX,), {
        "# reduce_max": ["top = "], "exp_f32": ["shifted = "], "# reduce_sum": ["return shifted"],
        "# div": ["return shifted"],
    }),
    "columns": (columns, (MATRIX,), {"exp_f32": ["y = "], "# reduce_sum": ["return y.sum"]}),
    "a loop's body": (loop, (ROW,), {"tanh_f32": ["carry = jnp"], "sin_f32": ["return carry, "]}),
    "branches": (choice, (ROW,), {
        "sin_f32": ["lambda v: jnp.sin"], "cos_f32": ["lambda v: jnp.cos"],
        "exp_f32": ["y = jnp.exp"],
    }),
    "a call": (calls, (ROW,), {"sin_f32": ["return jnp.sin(x) * 2", "y = inner(x)"],
                               "cos_f32": ["return jnp.cos(y)"]}),
    "pieces": (pieces, (jnp.ones(1000),), {"exp_f32": ["return jnp.exp(rolled)"]}),
    "complex numbers": (complex_numbers, (ROW,), {"# sub": ["return jnp.abs(z * z)"]}),
    "a jitted function of the package": (of_the_library, (ROW,), {
        "minimum_f32(float32(1.0)": ["y = jnp.clip"],
        "minimum_f32(float32(2.0)": ["return jnp.cos"],
    }),
    "a gradient": (jax.grad(loss), (2.0, ROW), {"tanh_f32": ["hidden ="]}),
    "a map over rows": (jax.vmap(loop), (MATRIX,), {"tanh_f32": ["carry = jnp"]}),
    "an update": (updated, (ROW,), {
        "sin_f32": ["y = jnp.sin"], "# scatter_add": ["return y.at[2]"],
    }),
    "calls of Python": (printing, (ROW,), {"sin_f32": ["return jnp.sin(c)"],
                                           "# debug_print": ["jax.debug.print"]}),
}  # fmt: skip


@pytest.fixture(params=PROGRAMS)
def program(request):
    fun, args, wanted = PROGRAMS[request.param]
    return jax.explain(fun)(*args), wanted


def equations_shown(explanation):
    """The equations of a simplified line, by the line: those inside of it too."""
    lines = {}
    for stage, jaxpr in ((explanation.of_simplified, explanation.executable.jaxpr.jaxpr),
                         (explanation.of_jaxpr, explanation.traced.jaxpr.jaxpr)):  # fmt: skip
        todo = list(jaxpr.eqns)
        for eqn in todo:  # the list grows
            todo += [x for j in jaxprs_in_params(eqn.params) for x in j.eqns]
            if id(eqn) in stage.line_of:
                lines.setdefault(stage.line_of[id(eqn)], []).append(eqn)
    return lines


def test_kin_are_right(program):
    explanation, wanted = program
    users = {line.number: line.text for line in explanation.of_user.lines}
    shown = equations_shown(explanation)
    for line in explanation.of_kernels.lines:
        _, found, name = line.text.rpartition("  # ")
        if found and not line.holds:  # an equation of this primitive computes it
            assert line.comes_from, line.text
            for kin in line.comes_from:
                assert name in [readable(eqn.primitive.name) for eqn in shown[kin]], line.text
    for part, texts in wanted.items():
        lines = [line for line in explanation.of_kernels.lines if part in line.text]
        assert lines, (part, explanation.kernels())
        for line in lines:
            come_from = [users[n] for n in users_lines(line)]
            assert all(any(text in known for known in come_from) for text in texts), line.text
            assert len(come_from) == len(texts), (line.text, come_from)


def test_each_equation_has_a_line_of_the_users(program):
    explanation, _ = program
    own = [explanation.of_jaxpr.line_of[id(eqn)] for eqn in explanation.traced.jaxpr.eqns]
    assert all(map(users_lines, (*own, *explanation.of_simplified.line_of.values())))


def test_the_passes_are_those_that_were_followed(program):
    explanation, _ = program
    *_, (_, last) = passes_of(explanation.given)
    made = explanation.executable.jaxpr
    assert [x.primitive for x in last.eqns] == [x.primitive for x in made.eqns]


def test_what_a_pass_changed_is_marked_with_the_rule():
    explanation = jax.explain(simplified)(ROW)
    notes = {line.text.split(" = ")[1]: (line.mark, line.note)
             for line in explanation.of_jaxpr.lines if line.note}  # fmt: skip
    assert notes["mul b 1.0:f32[]"] == (
        "gone", "gone by an identity of mul: x * 1 is x; of integers, x * 0 is 0"
    )  # fmt: skip
    assert notes["neg a"][0] == "gone"
    [changed] = [line for line in explanation.of_simplified.lines if line.mark]
    assert changed.text.strip() == "c:f32[6] = add b a"
    assert "x - (-y) is x + y" in changed.note


def test_of_two_equations_that_compute_the_same_both_are_kin():
    explanation = jax.explain(lambda x: (jnp.sin(x), jnp.sin(x)))(ROW)
    [line] = [x for x in explanation.of_kernels.lines if "sin_f32" in x.text]
    assert len(line.comes_from[0].comes_from) == 2
    assert "gone by share: the same was computed already" in explanation.jaxpr()


def test_nothing_to_simplify_is_said_once():
    explanation = jax.explain(twice)(ROW)
    assert explanation.of_simplified.title == "Simplified: nothing to simplify"
    assert "sin" not in explanation.simplified()


@pytest.mark.parametrize("fun, note", [
    (lambda x: jnp.sin(x) + 0.0, "-0.0 + 0.0 is 0.0"),
    (lambda x: jax.grad(lambda a: jnp.sum(a * x))(2.0), "the result's type is weak"),
    (lambda x: jnp.exp(x) * 0.0, "infinity times 0.0 is nan"),
])  # fmt: skip
def test_what_looks_idle_and_stays_says_why(fun, note):
    assert note in jax.explain(fun)(ROW).simplified()


def test_a_step_shows_parameters():
    assert "= reduce_sum[axes=(0,)]" in jax.explain(columns)(MATRIX).steps()


# Instructions.


def test_instructions_are_for_lines_of_their_kernel():
    explanation = jax.explain(lambda x: jnp.exp(x) * x)(jnp.ones(1000))
    of_line = {}
    for line in explanation.of_instructions.lines:
        for kin in line.comes_from:
            of_line.setdefault(kin.text.strip(), []).append(line.text.split()[0])
    [times] = [names for text, names in of_line.items() if text.endswith("# mul")]
    [exp] = [names for text, names in of_line.items() if text.endswith("# exp")]
    assert {name for name in times if "mul" in name}
    assert len(exp) > len(times)  # what is inlined is for the line that calls it
    assert "exp_f32" in explanation.of_loops.text


def test_debug_lines_change_no_instruction():
    for fun, args in ((softmax, MATRIX), (columns, MATRIX), (loop, ROW)):
        for source in jax.explain(fun)(args).program.distinct():
            of_kernel = source.text, "kernel", source.signature, FLAGS
            plain, _ = lines_of_instructions(assembly(*of_kernel))
            lines, numbers = lines_of_instructions(assembly_with_lines(*of_kernel))
            is_code = re.compile(r"\s+[a-z]")
            assert list(filter(is_code.match, lines)) == list(filter(is_code.match, plain))
            assert {*numbers} - {None} <= set(range(1, source.text.count("\n") + 1))


# The graph itself.


def test_kin_are_what_it_comes_from_and_what_comes_of_it():
    mine, other = Line("a"), Line("b")
    sine, cosine = Line("sin", [mine]), Line("cos", [other])
    step = Line("step", [sine, cosine], holds=True)
    for_loop = Line("for", [step], holds=True)
    first, second = Line("1", [sine]), Line("2", [cosine])
    kin = kin_of([mine, other, sine, cosine, step, for_loop, first, second])
    assert kin[mine] == [mine, sine, step, first]
    assert kin[first] == [mine, sine, first]
    assert kin[step] == [mine, other, sine, cosine, step, for_loop]
    assert kin[for_loop] == [mine, other, sine, cosine, step, for_loop]
    assert users_lines(first) == []
    assert kin_of([mine, first])[mine] == [mine, first]  # by lines that are not among them


def test_a_program_that_cannot_be_followed_keeps_the_lines():
    explanation = jax.explain(twice)(ROW)
    other = jax.make_jaxpr(lambda x: x)(ROW)
    followed = Followed(explanation.traced.jaxpr, other, explanation.executable.jaxpr)
    found = [followed.origins_of(eqn) for eqn in explanation.executable.jaxpr.eqns]
    assert [x.primitive.name for eqns in found for x in eqns] == ["sin", "sin"]
