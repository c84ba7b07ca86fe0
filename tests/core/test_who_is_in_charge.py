"""Who is in charge: while a trace works its parent is, in every rule and under every nesting.

A spy is a primitive that looks, in each of its rules, at the current trace. It says that values
are right *and* that they were computed, recorded or batched by whoever should.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.batching import BatchTrace
from minijax.core.extend import (
    JaxprTrace,
    Primitive,
    Trace,
    Tracer,
    Zero,
    as_array,
    custom_staging_rules,
    eval_trace,
    fancy_primitive_batchers,
    new_trace,
    primitive_batchers,
    primitive_jvps,
    primitive_linearizations,
    primitive_transposes,
    set_current_trace,
    trace_ctx,
)

working: list[Trace] = []  # the traces at work, the innermost last
backwards: list[Trace] = []  # who was in charge where a backward pass was started
seen: set[tuple[str, str]] = set()  # (rule, the trace at work)
throw_in: set[str] = set()  # rules that throw


class Thrown(Exception):
    pass


@pytest.fixture(autouse=True)
def fresh():
    jax.clear_caches()
    for record in (working, backwards, seen, throw_in):
        record.clear()
    yield
    assert trace_ctx.trace is eval_trace


def parent(at_work):
    return at_work.parent or eval_trace


def look(rule, expected=parent):
    """In a rule that a trace has called: its parent is in charge. (Of what is done later, in
    `linearized`, the trace of the linear program is.)"""
    if not working:  # a jaxpr is checked, or a backward pass runs
        return
    at_work = working[-1]
    assert trace_ctx.trace is expected(at_work), f"{rule} of {at_work} runs under {trace_ctx.trace}"
    seen.add((rule, type(at_work).__name__))
    if rule in throw_in:
        raise Thrown(rule)


class Spy(Primitive):
    """Doubles a number. It knows which trace it was handed to, and looks around in each rule."""

    def bind(self, *args, **params):
        at_work = trace_ctx.trace
        working.append(at_work)
        try:
            return super().bind(*args, **params)
        finally:
            working.pop()
            assert trace_ctx.trace is at_work

    def __init__(self, name):
        super().__init__(name)
        self.def_impl(self.spying_impl)
        self.def_abstract_eval(self.spying_types)
        primitive_jvps[self] = self.jvp
        primitive_batchers[self] = self.batcher
        primitive_transposes[self] = self.transpose

    def spying_impl(self, x):
        look("impl")
        return as_array(2 * np.asarray(x))

    def spying_types(self, x):
        look("types")
        return x

    def jvp(self, primals, tangents):
        look("jvp")
        return self.bind(*primals), self.bind(*tangents)

    def batcher(self, args, dims):
        look("batching")
        return self.bind(*args), dims[0]

    def fancy_batcher(self, axis_data, args, dims):
        look("fancy batching")
        return self.bind(*args), dims[0]

    def linearize(self, nonzeros, x):
        look("linearize")

        def linearized(residuals, tangent):
            look("linearized", lambda at_work: at_work.parent.tangent_trace)
            return tangent if type(tangent) is Zero else self.bind(tangent)

        return self.bind(x), nonzeros[0], [], linearized

    def staging(self, trace, args, params):
        look("staging")
        return trace.record(self, args, params)

    def transpose(self, ct, x):
        """A backward pass is no trace's work: whoever was in charge where it began still is.
        That of a program is written down: the cotangent is an argument of what is written."""
        in_charge = trace_ctx.trace
        if in_charge is not backwards[-1]:
            assert type(in_charge) is JaxprTrace and ct._trace is in_charge
        seen.add(("transpose", type(trace_ctx.trace).__name__))
        if "transpose" in throw_in:
            raise Thrown("transpose")
        return [self.bind(ct)]


plain_p, fancy_p, linearizing_p, staging_p = map(Spy, ["plain", "fancy", "linearizing", "staging"])
fancy_primitive_batchers[fancy_p] = fancy_p.fancy_batcher
primitive_linearizations[linearizing_p] = linearizing_p.linearize
custom_staging_rules[staging_p] = staging_p.staging
SPIES = [plain_p, fancy_p, linearizing_p, staging_p]

# Constants too go through each trace's hands, where a wrong trace in charge changes no value.


def spy_on(x):
    for spy in SPIES:
        x = spy.bind(x) + jnp.sum(jax.vmap(spy.bind)(np.ones(3, np.float32))) + spy.bind(1.0)
    return x


def without_spies(x):
    for _ in SPIES:
        x = 2 * x + 8.0
    return x


def by_jit(f):
    return jax.jit(f)


def by_vmap(f):
    return lambda x: jnp.sum(jax.vmap(f)(jnp.stack([x, 3 * x])))


def by_jvp(f):
    return lambda x: sum(jax.jvp(f, (x,), (x,)))


def by_linearize(f):
    return lambda x: jax.linearize(f, x)[1](x)


def by_vjp(f):
    """grad, with a note of who is in charge where the backward pass begins."""
    def g(x):
        y, f_vjp = jax.vjp(f, x)
        backwards.append(trace_ctx.trace)
        try:
            return f_vjp(x)[0] + y
        finally:
            backwards.pop()

    return g


def by_make_jaxpr(f):
    def g(x):
        jax.make_jaxpr(f)(x)
        return f(x)

    return g


STEPS = (by_jit, by_vmap, by_jvp, by_linearize, by_vjp, by_make_jaxpr)
NESTINGS = [s for depth in range(4) for s in itertools.product(STEPS, repeat=depth)]


def names(steps):
    return "(".join(step.__name__[3:] for step in steps) or "plain"


def nested(steps, f):
    for step in reversed(steps):
        f = step(f)
    return f


@pytest.mark.parametrize("steps", NESTINGS, ids=names)
def test_in_every_rule_the_parent_of_the_trace_at_work(steps):
    x = jnp.asarray(0.5)
    got, want = nested(steps, spy_on)(x), nested(steps, without_spies)(x)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_every_rule_was_seen_under_every_trace():
    """The spies are asked for all that they know: else the test above says little."""
    for steps in NESTINGS:
        if len(steps) < 3:
            nested(steps, spy_on)(jnp.asarray(0.5))
    assert seen >= {
        ("impl", "EvalTrace"), ("jvp", "JVPTrace"), ("jvp", "LinearizeTrace"),
        ("batching", "BatchTrace"), ("fancy batching", "BatchTrace"),
        ("linearize", "LinearizeTrace"), ("linearized", "LinearizeTrace"),
        ("staging", "JaxprTrace"), ("types", "JaxprTrace"),
        ("transpose", "EvalTrace"), ("transpose", "JaxprTrace"), ("transpose", "BatchTrace"),
        ("transpose", "JVPTrace"), ("transpose", "LinearizeTrace"),
    }  # fmt: skip


# After an exception.

THROWING = [
    ("impl", ()), ("types", (by_jit,)), ("staging", (by_jit,)), ("jvp", (by_jvp,)),
    ("jvp", (by_vjp,)), ("batching", (by_vmap,)), ("fancy batching", (by_vmap,)),
    ("linearize", (by_vjp,)), ("linearized", (by_linearize,)), ("transpose", (by_vjp,)),
]  # fmt: skip


@pytest.mark.parametrize("outside", [s for s in NESTINGS if len(s) < 3], ids=names)
@pytest.mark.parametrize("rule, inside", THROWING,
                         ids=lambda x: x if isinstance(x, str) else names(x))
def test_restored_after_an_exception(rule, inside, outside):
    """Spy.bind looks after each bind; so do we, in the function that catches what was thrown."""
    caught = []

    def f(x):
        before = trace_ctx.trace
        throw_in.add(rule)
        try:
            nested(inside, spy_on)(jnp.asarray(0.5))
        except Thrown as error:
            caught.append(error)
        finally:
            throw_in.clear()
        assert trace_ctx.trace is before
        return spy_on(x)

    x = jnp.asarray(0.5)
    got, want = nested(outside, f)(x), nested(outside, without_spies)(x)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert all(error.args == (rule,) for error in caught)
    assert caught or (rule == "impl" and by_jit in outside)  # nothing runs while jit traces
    throw_in.add(rule)
    with pytest.raises(Thrown):
        nested(outside, lambda x: nested(inside, spy_on)(x + 1.0))(x)
    throw_in.clear()
    assert trace_ctx.trace is eval_trace and not working


# What the spies see, the values don't show.


def holds_tracer(x, trace):
    while isinstance(x, Tracer):
        if x._trace is trace:
            return True
        x = getattr(x, "val", None) if hasattr(x, "val") else x.primal
    return False


def under_the_ground_floor(trace, vals):
    """Evaluates at once what holds no tracer."""
    return trace.parent if any(isinstance(x, Tracer) for x in vals) else eval_trace


def under_the_parents_parent(trace, vals):
    """Leaves the parent out where none of its tracers is among the operands."""
    parent = trace.parent
    mine = any(holds_tracer(x, parent) for x in vals)
    return parent if mine or parent.parent is None else parent.parent


def wrong_batch_trace(monkeypatch, choose_trace):
    right = BatchTrace.process_primitive

    def wrong(self, primitive, args, params):
        with set_current_trace(choose_trace(self, [self.to_batch_info(x)[0] for x in args])):
            return right(self, primitive, args, params)

    monkeypatch.setattr(BatchTrace, "process_primitive", wrong)


WRONG = [(under_the_ground_floor, (by_jit,)), (under_the_ground_floor, (by_jvp, by_vmap)),
         (under_the_parents_parent, (by_jvp,)), (under_the_parents_parent, (by_vjp, by_vmap))]


@pytest.mark.parametrize("choose_trace, steps", WRONG)
def test_a_batch_trace_that_runs_rules_under_the_wrong_trace_is_found(
    monkeypatch, choose_trace, steps
):
    """Its values are right all the same."""
    wrong_batch_trace(monkeypatch, choose_trace)
    x = jnp.asarray(0.5)

    def f(x):
        return x * jnp.sum(jax.vmap(lambda y: jnp.sin(y) * 2.0)(np.ones(3, np.float32)))

    got, want = nested(steps, f)(x), nested(steps, lambda x: x * 6 * np.sin(np.float32(1)))(x)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    with pytest.raises(AssertionError, match="runs under"):
        nested(steps, spy_on)(x)


# A reader's first traces: they hand on what they see, without a `with`.


class CountTrace(Trace):
    """Counts what it is asked, and hands it on."""

    def __init__(self, parent):
        self.parent, self.counts = parent, Counter()

    def process_primitive(self, primitive, args, params):
        self.counts[primitive.name] += 1
        return primitive.bind(*args, **params)


def count(fun, *args):
    with new_trace(CountTrace(trace_ctx.trace)) as trace:
        fun(*args)
    return dict(trace.counts)


@pytest.mark.parametrize("inline", [False, True])
def test_a_first_trace_counts_each_operation_once(inline):
    inner = jax.jit(lambda x: jax.lax.sin(x) + 1.0, inline=inline)
    x = jnp.asarray(1.0)
    assert count(lambda: inner(x)) == {"jit": 1}
    counts = []
    jax.make_jaxpr(lambda x: counts.append(count(lambda: inner(x))) or x)(x)
    assert counts == [{"jit": 1}]
    assert count(lambda: jax.lax.sin(jax.lax.cos(x))) == {"sin": 1, "cos": 1}


def test_first_traces_within_one_another():
    """Each is asked once; none is in charge while it works, so none recurses."""
    x, outer = jnp.asarray(1.0), []
    assert count(lambda: outer.append(count(lambda: jax.lax.sin(x)))) == {"sin": 1}
    assert outer == [{"sin": 1}]
    inside = []
    jax.vmap(lambda y: inside.append(count(lambda: jax.lax.sin(y))) or y)(jnp.ones(3))
    jax.grad(lambda y: inside.append(count(lambda: jax.lax.sin(y))) or y)(x)
    assert inside == [{"sin": 1}] * 2
