"""What traces are there for, and what happens between operations: what ends, what is run."""

from pathlib import Path

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.watching.roles import WRITTEN_BY

X = jnp.array([1.0, 2.0])


def f(x):
    return jnp.sin(x) * x


def total(x):
    return jnp.sum(f(x))


def test_each_trace_has_a_role():
    w = jax.watch(jax.grad(jax.jit(total)))(X)
    assert {trace.label: trace.role for trace in w.traces if trace.role} == {
        "J1": "writes the program of jit(total)", "J2": "writes the linear program of total",
        "L1": "for grad(total)", "J3": "writes the forward program of jit(total)",
        "J4": "writes the linear program of jit(total)", "L2": "for the program of jit(total)",
        "J5": "writes the backward program of jit(total)",
    }  # fmt: skip
    mapped = jax.watch(lambda x: jax.vmap(jax.jit(f))(jax.jvp(jax.jit(f), (x,), (x,))[1]))(X)
    assert [trace.role for trace in mapped.traces if trace.kind == "JaxprTrace"] == [
        "writes the program of jit(f)", "writes the JVP program of jit(f)",
        "writes the program of jit(f)", "writes the batched program of jit(f)",
    ]  # fmt: skip
    assert jax.watch(jax.make_jaxpr(f))(X).traces[1].role == "writes the program of make_jaxpr(f)"


def test_the_tables_functions_are_there():
    texts = [path.read_text() for path in Path(jax.__file__).parent.rglob("*.py")]
    code = "\n".join(text for text in texts if "trace_to_jaxpr(" in text or "_with_aux(" in text)
    assert [name for name in WRITTEN_BY if f"def {name}(" not in code] == []


def test_what_happens_between_operations():
    w = jax.watch(jax.grad(jax.jit(total)))(X)
    texts = [mark.text for mark in w.marks]
    assert texts == [
        "J1 ends, with the program of jit(total): 3 equations", "L2 ends",
        "J4 ends, with the linear program of jit(total): 5 equations",
        "J3 ends, with the forward program of jit(total): 4 equations",
        "a compiled program of jit(total) runs: 4 equations", "L1 ends",
        "J2 ends, with the linear program of total: 1 equation",
        *["the backward pass of total begins: its linear program, last equation first"] * 2,
        "J5 ends, with the backward program of jit(total): 5 equations",
        "a compiled program of jit(total) runs: 5 equations, simplified to 4",
    ]  # fmt: skip
    lines, ran = str(w).split("\n"), w.marks[4]
    above = lines[lines.index(next(line for line in lines if texts[4] in line)) - 1]
    assert above.split()[:3] == [str(ran.before - 1), "jit", "E"] and ran.parent == ran.before - 1
    assert f"Within it: {texts[4]}." in w.at(ran.parent)
    assert f"Before it: {texts[0]}." in w.at(w.marks[0].before)
    assert w.at(-1).count("compiled") == 1 and len(w[2:4]) == 2


def test_a_loop_is_one_mark_and_errors_end_traces_too():
    w = jax.watch(lambda x: lax.fori_loop(0, 9, lambda i, c: jnp.sin(c), x))(X)
    assert len(w.marks) == 2 and w.marks[-1].text.endswith(", 9 times")
    watched = jax.watch(jax.jit(lambda x: jnp.sin(x).reshape(7)))
    with pytest.raises(TypeError):
        watched(X)
    [mark] = watched.recording.marks
    assert mark.text == "J1 ends before the program of jit(<lambda>) is complete"


def test_a_program_that_numpy_computes_is_not_called_compiled(on_numpy):
    [mark] = [mark.text for mark in jax.watch(jax.jit(f))(X).marks if "runs" in mark.text]
    assert mark == "a program of jit(f) runs: 2 equations"
