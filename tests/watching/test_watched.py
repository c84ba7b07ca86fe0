"""What a recording has: who was asked, of what, by which rule, what came of it, and which line."""

import gc
import inspect
import json
import threading
import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core import reverse
from minijax.core.extend import Primitive, Trace, Tracer, new_trace, trace_ctx
from minijax.core.forward import primitive_jvps
from minijax.core.primitives import sin
from minijax.watching.boxes import Boxes
from minijax.watching.records import Box
from minijax.watching.traces_seen import TracesSeen
from minijax.watching.watched_binds import REPLACED, has_mark, watching

X = jnp.array([1.0, 2.0])
MACHINES_OWN = {(owner, name): vars(owner)[name] for owner, name, _ in REPLACED}


def f(x):
    return jnp.sin(x) * x


def total(x):
    return jnp.sum(f(x))


@pytest.fixture(autouse=True)
def everything_is_put_back():
    yield
    assert not watching.recorders and not watching.before
    for (owner, name), fun in MACHINES_OWN.items():
        assert vars(owner)[name] is fun


def kinds(w):
    """The steps, indented, with the class of the trace that was asked."""
    depth = []
    for step in w:
        depth.append(0 if step.parent is None else depth[step.parent] + 1)
    pairs = zip(depth, w, strict=True)
    return ["  " * d + f"{s.primitive} {w.traces[s.trace].kind}" for d, s in pairs]


def text(box):
    """A box, with all that it holds."""
    held = ", ".join(f"{name}={text(part)}" for name, part in box.parts)
    return f"{box.kind}({held})" if held else box.text


# What is recorded.


def test_an_operation_under_vmap_and_jvp():
    w = jax.watch(lambda x: jax.vmap(lambda y: jax.jvp(sin, (y,), (2.0,)))(x))(X)
    assert kinds(w) == [
        "sin JVPTrace", "  sin BatchTrace", "    sin EvalTrace", "  cos BatchTrace",
        "    cos EvalTrace", "  mul BatchTrace", "    mul EvalTrace",
    ]  # fmt: skip
    first, batched = w.steps[:2]
    assert list(map(text, first.operands)) == [
        "JVPTracer(primal=BatchTracer(value=f32[2] [1. 2.], axis=0), tangent=2.)"
    ]
    assert [w.traces[i].kind for i in first.stack] == ["JVPTrace", "BatchTrace", "EvalTrace"]
    assert text(batched.results[0]) == "BatchTracer(value=f32[2] [0.8415 0.9093], axis=0)"
    assert w.traces[first.trace].role == "for jvp(sin)" and w.traces[0].parent is None
    assert first.rule.name == "sin's JVP rule" and first.rule.where.startswith("core/forward.py")
    assert w.steps[2].rule == ("sin's implementation", "numpy: sin")
    np.testing.assert_array_equal(w.result[0], np.sin(X))


def test_a_gradient_and_the_programs_that_grow():
    w = jax.watch(jax.grad(total))(X)
    transposed = [step for step in w if step.transposed]
    assert [step.primitive for step in transposed] == ["reduce_sum", "add_any", *["mul"] * 3]
    assert transposed[2].rule.name == "mul's transpose rule"
    inner = w.steps.index(transposed[2]) + 1
    assert w.steps[inner].parent == inner - 1 and w.steps[inner].primitive == "mul"
    tangents, backward = w.programs
    assert (tangents.kind, tangents.of) == ("linear program", "total")
    assert tangents.head == "{ lambda a:f32[2] b:f32[2] c:f32[2]; d:f32[2]. let"
    assert tangents.equations[:2] == ["e:f32[2] = mul d a", "f:f32[2] = mul e b"]
    assert tangents.tail == "in (i,) }"
    assert (backward.kind, len(backward.equations)) == ("backward pass", len(transposed))
    assert backward.equations[-1] == "ct_d:f32[2] += transpose(mul) ct_e a"
    assert backward.tail == "in (ct_d,) }"
    for k, program in enumerate(w.programs):  # each equation was written by one step, in order
        grown = [place for step in w for place in step.grows if place[0] == k]
        assert grown == [(k, i) for i in range(len(program.equations))]
    np.testing.assert_array_equal(w.result, jax.grad(total)(X))


def test_a_jitted_function_is_traced_anew_and_runs_as_one():
    calls = []

    @jax.jit
    def jitted(x):
        calls.append(1)
        return jax.vmap(jax.grad(f))(x)

    for _ in range(3):
        plain = jitted(X)
    for _ in range(2):
        w = jax.watch(jitted)(X)
        assert kinds(w)[-1] == "jit EvalTrace" and w.find("cos")
        np.testing.assert_array_equal(w.result, plain)
    assert len(calls) == 3
    jitted(X)
    assert len(calls) == 3  # what was known before is known still
    [program] = [p for p in w.programs if p.kind == "program"]
    assert program.equations == jaxpr_lines(jax.make_jaxpr(jitted._fun)(X))


def jaxpr_lines(closed):
    """The equations of a jaxpr, as it is printed."""
    return [line.strip() for line in str(closed).split("\n")[1:-1]]


def test_within_a_watch_too_each_call_is_bound():
    jitted = jax.jit(f)
    w = jax.watch(lambda x: [jitted(x) + x for _ in range(4)])(X)
    every = ["jit EvalTrace", "add EvalTrace"] * 4
    assert kinds(w) == ["sin JaxprTrace", "mul JaxprTrace", *every]


def test_the_librarys_functions_outside_of_transformations():
    w = jax.watch(lambda x: (jnp.maximum(x, 0), x[0], x.at[0].add(1), -x, jnp.mean(x)))(X)
    names = {step.primitive for step in w if w.traces[step.trace].kind == "EvalTrace"}
    assert {"max", "squeeze", "scatter-add", "neg", "div"} <= names
    assert [y.tolist() for y in w.result] == [[1, 2], 1, [2, 2], [-1, -2], 1.5]


def test_loops_and_choices():
    def g(c, xs):
        c, ys = lax.scan(lambda c, x: (c * x, jnp.sin(c)), c, xs)
        return lax.cond(c > 0, jnp.sum, jnp.min, ys)

    w = jax.watch(jax.grad(g))(2.0, X)
    asked, handed_on, ran, written, transposed, backwards = w.find("scan")
    assert asked.rule.name == "scan's linearization rule" and asked.parent is None
    assert handed_on.rule.name == "handed on as it is, since no operand is a tangent"
    assert ran.rule.name == "scan's implementation" and written.grows
    assert transposed.rule.name == "scan's transpose rule"
    assert w.steps[backwards.parent] is transposed
    assert {p.kind for p in w.programs} == {
        "program", "forward program", "linear program", "backward pass", "backward program",
    }  # fmt: skip


def test_who_waits():
    waiting = jax.watch(jax.grad(lambda x: jnp.sum(jax.jit(f)(x))))(X)
    first = waiting.steps[0]
    assert waiting.traces[first.trace].kind == "JaxprTrace" and first.stack == [first.trace]
    assert [waiting.traces[i].kind for i in first.waiting] == ["LinearizeTrace"]
    assert "writes the linear program of <lambda>" in {trace.role for trace in waiting.traces}


def test_the_users_lines():
    w = jax.watch(jax.grad(total))(X)
    lines, first = inspect.getsourcelines(f)
    sine = w.find("sin")[0]
    source = w.sources[sine.line[0]]
    assert (source.name, source.first) == ("test_watched.py", first)
    assert source.lines == [line.rstrip("\n") for line in lines]
    assert source.lines[sine.line[1] - first] == "    return jnp.sin(x) * x"
    made = {}
    exec("def g(x):\n    return x * 3", made)
    w = jax.watch(made["g"])(X)
    assert w.sources[0].lines == [] and w.steps[0].line == (0, 2)


def test_an_exception_arrives_and_the_steps_until_then_are_there():
    def wrong(x):
        return jnp.sin(x) @ jnp.ones(3)

    watched = jax.watch(jax.vmap(wrong))
    with pytest.raises(TypeError, match="jnp.matmul sums over"):
        watched(jnp.ones((2, 2)))
    w = watched.recording
    assert kinds(w)[:2] == ["sin BatchTrace", "  sin EvalTrace"]
    assert w.error.startswith("TypeError: ") and "then TypeError: " in str(w)
    with pytest.raises(RuntimeError, match=r"vmap\(wrong\) was watched and has no result"):
        w.result  # noqa: B018

    p = Primitive("no_rule")
    watched = jax.watch(jax.jit(lambda x: p.bind(jnp.sin(x))))
    with pytest.raises(NotImplementedError):
        watched(X)
    assert watched.recording.steps[-1].error.startswith("NotImplementedError: no_rule has no rule")
    assert watched.recording.programs[0].equations == ["b:f32[2] = sin a"]
    assert watched.recording.programs[0].tail == ""


def test_traces_and_tracers_of_a_users_own():
    class Tagged(Tracer):
        __slots__ = ("inner", "tag")
        aval = property(lambda self: jax.typeof(self.inner))

        def __init__(self, trace, inner, tag):
            super().__init__(trace)
            self.inner, self.tag = inner, tag

    class TagTrace(Trace):
        def __init__(self, parent):
            self.parent = parent

        def process_primitive(self, primitive, args, params):
            return Tagged(self, primitive.bind(*(x.inner for x in args), **params), object())

    def tagged(x):
        with new_trace(TagTrace(trace_ctx.trace)) as trace:
            return sin(Tagged(trace, x, "a tag")).inner

    w = jax.watch(tagged)(X)
    assert kinds(w) == ["sin TagTrace", "  sin EvalTrace"]
    assert text(w.steps[0].operands[0]) == "Tagged(inner=f32[2] [1. 2.], tag='a tag')"
    assert w.steps[0].rule.name == "TagTrace's process_primitive"
    assert w.steps[0].rule.where == "test_watched.py: process_primitive"


def test_a_rule_of_a_users():
    p = Primitive("twice")
    p.def_impl(lambda x: 2 * x)
    primitive_jvps[p] = lambda primals, tangents: (p.bind(*primals), p.bind(*tangents))
    line = inspect.currentframe().f_lineno - 1
    w = jax.watch(lambda x: jax.jvp(p.bind, (x,), (x,)))(X)
    assert w.steps[0].rule == ("twice's JVP rule", f"test_watched.py: line {line}")


# Texts.


def test_the_outline():
    mapped = jax.jit(jax.vmap(f))
    w = jax.watch(jax.grad(lambda x: jnp.sum(mapped(x))))(X)
    lines = str(w).split("\n")
    assert lines[0] == f"grad(<lambda>): {len(w)} steps"
    assert lines[3] == "   1    sin                 J1     a:f32[2] -> writes b:f32[2] = sin a"
    assert lines[2].split()[:3] == ["0", "sin", "B1"]
    assert "B1, a BatchTrace for vmap(f)" in lines
    assert max(map(len, lines)) <= 120
    assert repr(w) == str(w) and repr(w[:2]).split("\n")[1:] == [
        "   0  sin        B1     B1(J1.a:f32[2], axis 0) -> B1(J1.b:f32[2], axis 0)",
        "   1    sin      J1     a:f32[2] -> writes b:f32[2] = sin a",
    ]
    assert w[0] is w.steps[0] and w[-1] is w.steps[-1]
    assert jax.watch(jax.grad(jax.jit(jax.vmap(f)))).__name__ == "f"
    many = jax.watch(lambda x: [x + 1 for _ in range(300)])(X)
    assert len(str(many).split("\n")) > 300 > len(repr(many).split("\n"))
    assert "and 200 more: print(w) shows all, w.at(100) the next one." in repr(many)


def test_a_step_in_words():
    w = jax.watch(jax.grad(total))(X)
    assert repr(w.at(0)) == w.at(0) == str(w.at(-len(w)))
    who, what, rule, out, line = w.at(0).split("\n")
    assert who == (
        "Step 0: sin is asked of L1, a LinearizeTrace for grad(total); meanwhile S1, a "
        "SplitTrace that hands tangents on to J1, is in charge, above E."
    )
    assert what == "Its operand is L1's box with primal f32[2] [1. 2.] and tangent J1.d:f32[2]."
    assert rule.startswith("sin's JVP rule runs (core/forward.py), ")
    assert rule.endswith(", and asks for sin (step 1), cos (step 3) and mul (step 5).")
    assert out == "Out comes L1(f32[2] [0.8415 0.9093], J1.e:f32[2])."
    assert line.startswith("Your line: test_watched.py, line ") and "jnp.sin(x) * x" in line
    assert w.at(1).split("\n")[2:4] == [
        "It is handed on as it is, since no operand is a tangent: sin (step 2).",
        "Out comes f32[2] [0.8415 0.9093].",
    ]
    written = jax.watch(jax.make_jaxpr(f))(X).at(0)
    assert "\nIt is written down as an equation: b:f32[2] = sin a.\nYour line: " in written
    first = next(i for i, step in enumerate(w) if step.transposed)
    assert " is transposed, while E, an EvalTrace, is in charge." in w.at(first)
    assert "It is given, cotangents first, f32[] 1." in w.at(first)


def test_steps_are_found_by_their_primitive():
    w = jax.watch(jax.grad(total))(X)
    assert {step.primitive for step in w.find("mul")} == {"mul"} and not w.find("tan")
    assert len(w.find("mul")[1:]) == len(w.find("mul")) - 1
    assert len(repr(w.find("mul")).split("\n")) == 1 + len(w.find("mul"))


def test_the_data_is_json():
    w = jax.watch(jax.grad(lambda x: jnp.sum(jax.jit(f)(x))))(X)
    data = w.as_data()
    assert json.loads(json.dumps(data)) == data
    assert set(data) == {
        "title", "sources", "traces", "steps", "programs", "left_out", "error", "marks",
    }  # fmt: skip
    for step in data["steps"]:
        assert step["stack"][0] == step["trace"]
        assert all(k < len(data["programs"][i]["equations"]) for i, k in step["grows"])
        assert step["line"] is None or step["line"][0] < len(data["sources"])


@pytest.mark.parametrize(
    "fun, title",
    [
        (jax.grad(jax.jit(jax.vmap(f))), "grad(jit(vmap(f)))"),
        (jax.value_and_grad(jax.custom_jvp(f)), "value_and_grad(custom_jvp(f))"),
        (jax.checkpoint(jax.jacfwd(f)), "checkpoint(jacfwd(f))"), (jnp.sin, "sin"),
    ],
)  # fmt: skip
def test_the_title_is_what_the_user_called(fun, title):
    assert repr(jax.watch(fun)) == f"<watch of {title}>"


# Values.


@pytest.mark.parametrize(
    "value, shown",
    [
        (2.0, "2."), (3, "3"), (True, "True"), (1j, "0+1j"), (np.float32(0.1), "0.1"),
        (np.arange(3), "i32[3] [0 1 2]"), (jnp.ones((2, 2)), "f32[2,2] [1. 1. 1. 1.]"),
        (jnp.zeros((0, 3)), "f32[0,3] []"), (jnp.float32(1e-9), "f32[] 1e-09"),
        (jnp.ones(3, jnp.bfloat16), "bf16[3] [1. 1. 1.]"), (np.array(True), "bool[] True"),
        (jnp.array([1 + 2j]), "c64[1] [1+2j]"), (jnp.array([np.nan, np.inf]), "f32[2] [nan inf]"),
        (jax.random.key(0), "key<fry>[]"),
        (jnp.arange(1000.0) / 7, "f32[1000] [0. 0.1429 0.2857 0.4286 ...]"),
    ],
)  # fmt: skip
def test_values_in_short(value, shown):
    box = Boxes(TracesSeen()).box(value)
    assert box == Box(box.kind, shown) and len(shown) <= 40


# Bounds.


def test_steps_beyond_the_limit_are_counted():
    w = jax.watch(jax.jit(lambda x: sum(jnp.sin(x) for _ in range(10))), limit=4)(X)
    assert len(w) == 4 and w.left_out == 17
    assert len(w.programs[0].equations) == 4
    assert w.programs[0].tail.startswith("... 16 more equations ... in (")
    assert "17 steps beyond the limit were left out." in str(w)


def test_nothing_is_kept_alive():
    kept = []

    def g(x):
        y = jnp.sin(x)
        kept.append(weakref.ref(y))
        return jax.grad(lambda v: jnp.sum(jnp.cos(v) * y))(x).sum()

    watched = jax.watch(jax.jit(g))
    w = watched(X)
    gc.collect()
    assert w.steps and not any(ref() for ref in kept)
    with jax.checking_leaks():
        assert len(jax.watch(jax.grad(jax.jit(total)))(X))


def test_caches_have_nothing_of_a_watch():
    from minijax.core.config import _owners

    jitted = jax.jit(jax.grad(total))
    jitted(X)
    before = dict(jitted._cache)
    seen = []
    w = jax.watch(lambda x: seen.append(jax.config.trace_key()) or jitted(x) + x)(X)
    mark = seen[0][-1]
    assert type(mark) is object and dict(jitted._cache) == before and w.find("jit")
    assert not any(has_mark(key, mark) for owner in list(_owners) for key in owner.derived)


def test_what_is_put_round_it_meanwhile_stays_and_is_not_recorded_twice(monkeypatch):
    monkeypatch.setattr(reverse, "transpose_eqn", reverse.transpose_eqn)  # puts it back

    def rounds(x):
        of_the_watch = reverse.transpose_eqn
        reverse.transpose_eqn = lambda *args: of_the_watch(*args)
        return jax.grad(jnp.sin)(x)

    jax.watch(rounds)(1.0)
    assert [step.transposed for step in jax.watch(jax.grad(jnp.sin))(1.0)].count(True) == 1
    monkeypatch.undo()


def test_other_threads_are_not_recorded():
    inside, go_on, found = threading.Event(), threading.Event(), []

    def waits(x):
        inside.set()
        go_on.wait(10)
        return jnp.sin(x)

    def other():
        inside.wait(10)
        found.append(jnp.tan(X))
        go_on.set()

    thread = threading.Thread(target=other)
    thread.start()
    w = jax.watch(waits)(X)
    thread.join()
    assert kinds(w) == ["sin EvalTrace"] and len(found) == 1


def test_two_threads_watch_at_once():
    together, found = threading.Barrier(2), {}

    def run(fun):
        together.wait(10)
        found[fun] = kinds(jax.watch(lambda x: [fun(x) for _ in range(50)])(X))

    threads = [threading.Thread(target=run, args=(fun,)) for fun in (jnp.sin, jnp.cos)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {jnp.sin: ["sin EvalTrace"] * 50, jnp.cos: ["cos EvalTrace"] * 50}


def test_a_watch_inside_a_watch():
    inner = []

    def outer(x):
        inner.append(jax.watch(jnp.sin)(x))
        return jnp.cos(inner[0].result)

    w = jax.watch(outer)(X)
    assert [step.primitive for step in w] == ["sin", "cos"]
    assert [step.primitive for step in inner[0]] == ["sin"]


def test_a_repr_that_computes_or_raises_is_not_seen():
    class Odd:
        def __repr__(self):
            jnp.sin(X)
            raise ValueError

    p = Primitive("p")
    p.def_impl(lambda x, **params: x)
    w = jax.watch(lambda x: p.bind(x, odd=Odd()))(X)
    assert kinds(w) == ["p EvalTrace"]
    assert w.steps[0].params == "odd=an object of class Odd"
