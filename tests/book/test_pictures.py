"""notebooks/pictures.py: labels that Mermaid shows whole, and graphs in the letters of the text."""

import re
import runpy
from pathlib import Path

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler import executable as compiled
from minijax.compiler.kernels.fuse import fuse
from minijax.compiler.passes.simplify import simplify
from minijax.core.jitting import CompileOptions
from minijax.core.tracing import eval_trace, trace_ctx

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = runpy.run_path(str(ROOT / "notebooks" / "pictures.py"))
jaxpr_graph, trace_stack = PICTURES["jaxpr_graph"], PICTURES["trace_stack"]
watched_stack, lives = PICTURES["watched_stack"], PICTURES["lives"]
BOX = re.compile(r'(\w+)(?:\(\[|\[)"([^"]*)"\]')
ARROW = re.compile(r"^  (\w+) (?:-- (\w+) )?--> (\w+)$", re.MULTILINE)


def f(x):
    return jnp.sin(x) * x


def test_a_lambda_keeps_its_name():
    pictures = []

    def watched(x):
        return [pictures.append(trace_stack(trace_ctx.trace)), f(x)][1]

    jax.jvp(lambda x: jax.vmap(watched)(x), (jnp.ones(2),), (jnp.ones(2),))
    [picture] = pictures
    assert picture.text.split("\n")[1].strip() == "JVPTrace of <lambda>"
    assert BOX.findall(picture.mermaid)[1] == ("t1_0", "JVPTrace of #60;lambda#62;")


def test_what_mermaid_would_read_is_escaped():
    picture = trace_stack(eval_trace, label=lambda trace: 'a "b" & <c> #1;')
    assert BOX.findall(picture.mermaid) == [("t0_0", "a #34;b#34; #38; #60;c#62; #35;1;")]
    assert picture.text == 'current -> a "b" & <c> #1;'


def test_a_graph_has_the_letters_of_the_text():
    """The inputs, constants first, stand in one frame in their order."""
    linear = jax.make_jaxpr(jax.linearize(f, jnp.ones(2))[1])(jnp.ones(2))
    picture = jaxpr_graph(linear)
    assert picture.text == str(linear)
    assert BOX.findall(picture.mermaid) == [
        ("inputs", " "),
        *((f"in{i}", f"{letter}:f32[2]") for i, letter in enumerate("abcd")),
        ("e0", "e = mul d a"),
        ("e1", "f = mul e b"),
        ("e2", "g = mul c d"),
        ("e3", "h = add_any f g"),
        ("out", "out: h"),
    ]
    assert ARROW.findall(picture.mermaid) == [
        *(("inputs", letter, "e0") for letter in "da"),
        ("e0", "", "e1"),
        ("inputs", "b", "e1"),
        *(("inputs", letter, "e2") for letter in "cd"),
        ("e1", "", "e3"),
        ("e2", "", "e3"),
        ("e3", "", "out"),
    ]


def test_each_step_has_a_frame_around_its_equations():
    """A view is in no step; a step that is a call has one equation."""
    closed = jax.make_jaxpr(lambda x: jnp.sort(x / jnp.sum(x, axis=0)))(jnp.ones((2, 3)))
    jaxpr = simplify(closed).jaxpr
    mermaid = jaxpr_graph(jaxpr, fuse(jaxpr)).mermaid
    frames = dict(re.findall(r'subgraph (s\d)\["step \d"\]\n +(.*)', mermaid))
    boxes = dict(BOX.findall(mermaid))
    named = [[boxes[box].split()[2] for box in frames[f"s{k}"].split(" & ")] for k in range(3)]
    assert named == [["reduce_sum"], ["div"], ["sort"]]
    assert any("broadcast_in_dim" in label for label in boxes.values())


def two_results(x, y):
    return jax.jit(lambda x, y: (x * y, y))(y, x)


PROGRAMS = {
    "one input": lambda x, y: f(x) * 2.0,
    "inner letters": lambda x, y: jnp.cos(jax.jit(f)(x)) * jnp.sin(jax.jit(f)(y)),
    "two results": two_results,
    "no equation": lambda x, y: (y, 1.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_box_and_each_use_is_drawn(name):
    jaxpr = jax.make_jaxpr(PROGRAMS[name])(1.0, 2.0)
    mermaid = jaxpr_graph(jaxpr).mermaid
    boxes = dict(BOX.findall(mermaid))
    lines = str(jaxpr).replace("\n", " ")
    for i, eqn in enumerate(jaxpr.eqns):
        outs, call = boxes[f"e{i}"].split(" = ")
        primitive, *operands = call.split(" ")
        typed = " ".join(f"{letter}:f32[]" for letter in outs.split(" "))
        assert f"{typed} = {primitive}" in lines
        assert len(operands) == len(eqn.invars) and primitive == eqn.primitive.name
    assert boxes["out"].removeprefix("out: ").replace(" ", ", ") in lines.rpartition(" in (")[2]
    arrows = ARROW.findall(mermaid)
    atoms = [x for eqn in jaxpr.eqns for x in eqn.invars] + jaxpr.jaxpr.outvars
    assert len(arrows) == sum(not hasattr(x, "val") for x in atoms)
    assert {name for start, _, end in arrows for name in (start, end)} <= {*boxes}


def test_one_input_needs_no_frame():
    assert jaxpr_graph(jax.make_jaxpr(f)(1.0)).mermaid == "\n".join(
        [
            "flowchart TD",
            '  in0(["a:f32[]"])',
            '  e0["b = sin a"]',
            "  in0 --> e0",
            '  e1["c = mul b a"]',
            "  e0 --> e1",
            "  in0 --> e1",
            '  out(["out: c"])',
            "  e1 --> out",
        ]
    )


def test_equations_that_go_have_dashed_frames():
    jaxpr = jax.make_jaxpr(lambda x: (jnp.sin(x), jnp.cos(x)))(1.0).jaxpr
    dashes = re.findall(r"style (\w+) stroke", jaxpr_graph(jaxpr, kept=jaxpr.eqns[:1]).mermaid)
    assert dashes == ["e1"] and "style" not in jaxpr_graph(jaxpr).mermaid


def test_the_stack_at_a_step_that_was_watched():
    recording = jax.watch(jax.grad(jax.jit(f)))(3.0)
    assert str(watched_stack(recording, 0)).split("\n") == [
        "current -> J1: JaxprTrace writes the program of jit(f)",
        "waiting -> L1: LinearizeTrace for grad(f)",
        "           S1: SplitTrace",
        "           E: EvalTrace   and   J2: JaxprTrace writes the linear program of f",
    ]


def test_lives_of_what_kernels_write():
    def halves(x):
        for _ in range(3):
            x = x / (1 + jnp.sum(x, axis=0))
        return x

    closed = jax.make_jaxpr(halves)(jnp.ones((200, 200)))
    executable = compiled.Executable(closed, CompileOptions("halves", ()))
    found = lives(executable, compiled.last_reads, compiled.SMALL)
    assert found == [[("e", 2, 4)], [("i", 4, 6), ("m", 6, 6)]]


def test_a_kernels_passes_end_where_a_total_is_needed():
    x = jnp.ones((4, 5))

    def scaled(x):
        total = jnp.sum(x, axis=1, keepdims=True)
        return x / total, total * 2.0

    [kernel] = fuse(simplify(jax.make_jaxpr(scaled)(x)).jaxpr)
    picture = PICTURES["kernel_passes"](kernel)
    assert picture.text.split("\n") == [
        "each of 4 rows:",
        "    pass 0, over its 5 numbers: reduce_sum (0,)",
        "    once, after pass 0: broadcast_in_dim (0, None), mul (0, None)",
        "    pass 1, over its 5 numbers: div (0, 1)",
    ]
    assert ARROW.findall(picture.mermaid) == [("e0", "", "e1"), ("e1", "", "e2"), ("e1", "", "e3")]
