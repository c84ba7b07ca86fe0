"""explain: every stage is there, is the compiler's own, and is right about what it says."""

import re

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.lowerings import lowerings
from minijax.core.tracing import Primitive
from minijax.stages.costs import count, size_text
from minijax.stages.instructions import busiest_loop, inner_loops, vector_instructions

M = jnp.ones((300, 200))
F = jnp.arange(3.0)


def network(x, w):
    return jax.nn.softmax(jnp.exp(x @ w) * 1)


@pytest.fixture(scope="module")
def explained():
    return jax.explain(network)(M, M.T)


def section(explanation, title):
    return next(text for name, text in explanation.sections if name.startswith(title))


# The stages.


def test_all_stages_in_order(explained):
    titles = [title for title, _ in explained.sections]
    assert [re.sub(r": .*| \d+", "", title) for title in titles] == [
        "Your lines", "The jaxpr", "Simplified", "In steps", "Kernels",
        "The busiest loop's instructions", "Left to NumPy", "The program", "Buffers",
        "These instructions, one by one",
    ]  # fmt: skip
    text = str(explained) + explained.instructions()
    assert text.startswith("What jit makes of network\n1 of ")
    assert all(body in text for _, body in explained.sections)


def test_jaxprs_before_and_after(explained):
    jaxpr = section(explained, "The jaxpr")
    without_notes = "\n".join(line for line in jaxpr.splitlines() if not line.lstrip()[:1] == "#")
    assert without_notes == str(jax.make_jaxpr(network)(M, M.T))
    assert "gone by an identity of mul: x * 1 is x" in jaxpr
    assert "mul" not in section(explained, "Simplified")
    before, after = (title for title, _ in explained.sections[1:3])
    assert int(re.search(r"\d+", before)[0]) > int(re.search(r"\d+", after)[0])


def test_steps_say_what_they_read_compute_and_write(explained):
    text = section(explained, "In 2 steps")
    assert text.splitlines()[:2] == ["0: NumPy: dot_general", "     reads a b, writes c"]
    assert "1: kernel0, a loop over 300 x 300" in text
    assert "d = exp c" in text
    assert text.splitlines()[-1] == "     reads c, writes k"


def test_names_are_those_of_the_program(explained):
    simplified, program = section(explained, "Simplified"), section(explained, "The program")
    result = re.search(r"in \((\w+),\)", simplified)[1]
    assert f"return [{result}_]" in program


def test_kernels_and_their_vector_instructions(explained):
    text = section(explained, "Kernels: 1")
    assert text.startswith("def kernel0(")
    assert "exp_f32" in text
    told = section(explained, "The busiest loop's")
    assert told.startswith("# kernel0\n# Compiled by the door 'direct'. ")


def test_without_native_code_there_are_no_instructions(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    explanation = jax.explain(lambda x: jnp.exp(x) * 31)(F)
    assert "Python runs it" in section(explanation, "The busiest loop's")
    assert explanation.instructions() == "none"


def test_some_stages_are_shown(explained):
    shown = explained.show("user", "kernels")
    assert [stage.title for stage in shown.stages] == ["Your lines", "Kernels: 1"]
    assert repr(shown).startswith("What jit makes of network\n1 of 2 steps")
    assert 'data-key="k3" data-kin="u1"' in shown._repr_html_()  # by stages that are not shown
    with pytest.raises(ValueError, match="show has no stage 'kernel'. Give some of 'user'"):
        explained.show("kernel")


def test_buffers_and_their_reuse():
    def chain(x):
        for _ in range(4):
            x = jnp.exp(x + x.T)
        return x

    text = section(jax.explain(chain)(M @ M.T), "Buffers")
    assert len(text.splitlines()) == 2
    assert ", then " in text
    assert "360 kB, temporary, from step 0" in text
    assert text.splitlines()[-1].endswith("to the end")


no_kernels_p = Primitive("no_kernels")
no_kernels_p.def_impl(lambda x: x)
no_kernels_p.def_abstract_eval(lambda x: x)


@pytest.mark.parametrize("f, args, reasons", [
    (lambda x: x @ x, (M @ M.T,), ["dot_general: it has no lowering"]),
    (lambda x: x * 2, (F.astype("bfloat16"),), ["nothing"]),
    (lambda x: no_kernels_p.bind(2 * x), (F.astype("float16"),),
     ["no_kernels: kernels don't compute with float16"]),
    (lambda x: x * 2, (F * 1j,), ["mul: kernels don't compute with complex64"]),
    (lambda x: jnp.exp(x).reshape(2, 3), (jnp.arange(6.0),), ["reshape: another way to read"]),
    (lambda x: lax.fori_loop(0, 5, lambda i, c: no_kernels_p.bind(c), x), (F,),
     ["scan: it is run step by step: no_kernels in its body is no kernel's"]),
    (lambda x: lax.fori_loop(0, 5, lambda i, c: c * 2, x), (F * 1j,),
     ["nothing"]),
    (lambda x: lax.fori_loop(0, 5, lambda i, c: no_kernels_p.bind(c), x), (F.astype("bfloat16"),),
     ["scan: it is run step by step: kernels don't hold bfloat16[3]"]),
    (lambda x: (x + 1) @ x, (M @ M.T,), ["dot_general: it has no lowering"]),
    (lambda x: lax.iota("float32", 500) @ x, (jnp.ones((500, 100)),),
     ["iota: numbers that are made where they are read", "dot_general: it has no"]),
    (lambda x: jnp.exp(x) + 1, (F,), ["nothing"]),
    (lambda x: lax.fori_loop(0, 5, lambda i, c: jnp.exp(c), x), (F,), ["nothing"]),
])
def test_what_is_left_to_numpy_and_why(f, args, reasons):
    explained = jax.explain(f)(*args)
    told = str(explained).splitlines()[1]
    assert all(reason == "nothing" or reason.split(":")[0] in told for reason in reasons), told
    lines = section(explained, "Left to NumPy").splitlines()
    assert len(lines) == len(reasons)
    assert all(reason in line for reason, line in zip(reasons, lines, strict=True))


@pytest.mark.parametrize("p", [lax.exp_p, lax.reduce_max_p])
def test_a_function_that_kernels_lack_is_named(p, monkeypatch):
    record = lowerings[p]._replace(template="maximum_{t}({0}, no_such_{t}({0}))")
    monkeypatch.setitem(lowerings, p, record)
    jax.clear_caches()
    told = jax.explain(lambda x: p.bind(x, **({} if p is lax.exp_p else {"axes": (0,)})))(F)
    name = str(p)
    assert told.on_numpy() == (
        f"step 0, {name}: kernels have no no_such_f32, which its lowering calls."
    )
    monkeypatch.undo()
    jax.clear_caches()


def test_a_program_without_steps():
    explained = jax.explain(lambda x: x)(F)
    assert section(explained, "In 0 steps") == "none"
    assert section(explained, "Kernels: 0") == "none"
    assert section(explained, "Buffers") == "none"


def test_jitted_functions_with_static_arguments_and_trees():
    jitted = jax.jit(lambda d, n: {"y": d["x"] * n}, static_argnums=1)
    text = str(jax.explain(jitted)({"x": F}, 3))
    assert "3.0" in section(jax.explain(jitted)({"x": F}, 3), "Kernels")
    assert text.startswith("What jit makes of <lambda> (")


def test_a_gradient_and_a_batch():
    f = jax.vmap(jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2)))
    assert "cos_f32" in section(jax.explain(f)(M), "Kernels")


def test_nothing_is_run_and_any_backend_may_be_chosen(on_numpy):
    called = []
    explained = jax.explain(lambda x: (jax.debug_key_reuse, called.append(1), x * 2)[2])(F)
    assert "kernel0" in str(explained)
    assert called == [1]


def test_a_traced_value_from_outside_is_refused():
    with pytest.raises(TypeError, match="Pass that value as an argument"):
        jax.grad(lambda y: jax.explain(lambda x: x * y)(2.0))(3.0)


# In a notebook.


def test_a_drawing_has_a_box_for_each_step(explained):
    drawing = explained.drawing()
    bundle = drawing._repr_mimebundle_()
    assert bundle["text/vnd.mermaid"] == repr(drawing)
    lines = repr(drawing).splitlines()
    assert lines[0] == "flowchart TD"
    assert '  s0("NumPy: dot_general")' in lines
    assert "  args -- a --> s0" in lines
    assert "  s0 -- c --> s1" in lines
    assert lines[-1].startswith("  s1 -- ")
    assert lines[-1].endswith(" --> out")


# Instructions, from texts of known loops.

X86 = """\
kernel:
	xorl	%eax, %eax
.LBB0_1:
	vmovups	(%rdi), %zmm0
.LBB0_2:
	vmulps	(%rdi,%rax), %zmm0, %zmm1
	vaddps	%zmm1, %zmm1, %zmm1
	vaddps	%xmm1, %xmm1, %xmm1
	vmulss	%xmm1, %xmm1, %xmm1
	addq	$64, %rax
	jne	.LBB0_2
	decq	%rcx
	jne	.LBB0_1
.LBB0_3:
	mulss	%xmm1, %xmm0
	jne	.LBB0_3
	jmp	.LBB0_4
.LBB0_4:
	retq
"""
ARM = """\
.LBB0_2:
	ldp	q0, q1, [x8]
	fmul	v0.4s, v0.4s, v2.4s
	fadd	s0, s0, s1
	b.ne	.LBB0_2
"""


def test_inner_loops_are_those_without_another_inside():
    loops = inner_loops(X86.splitlines())
    assert [len(loop) for loop in loops] == [6, 2]


def test_vector_instructions_are_counted_by_name():
    assert vector_instructions(busiest_loop(X86)) == {"vaddps": 2, "vmulps": 1}
    assert vector_instructions(busiest_loop(ARM)) == {"fmul": 1}
    assert not vector_instructions(busiest_loop("kernel:\n\tretq\n"))


def test_amounts_in_words():
    assert [count(1, "step"), count(0, "step")] == ["1 step", "0 steps"]
    assert [size_text(n) for n in (1, 999, 1500, 64 * 10**6, 3 * 10**9)] == [
        "1 byte", "999 bytes", "1.5 kB", "64 MB", "3 GB",
    ]  # fmt: skip
