"""scan beside the loop written out: nestings, what a step captures, effects, memory, transposes."""

import itertools
import tracemalloc

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import Effect, Primitive, check_jaxpr, dce_jaxpr, defvectorized
from minijax.core.staging import ClosedJaxpr
from minijax.errors import UnexpectedTracerError
from minijax.lax.control_flow import long_scans, scan
from minijax.lax.control_flow.long_scans import LONG
from minijax.lax.control_flow.scan import fixed_point

XS = jnp.array([0.3, -0.7, 1.1, 0.5])


def loop(f, init, xs, reverse=False):
    """What scan does, written out."""
    carry, ys = init, [None] * len(xs)
    for i in reversed(range(len(xs))) if reverse else range(len(xs)):
        carry, ys[i] = f(carry, xs[i])
    return carry, jax.tree.map(lambda *ys: jnp.stack(ys), *ys)


def close(got, expected, tolerance=2e-4):
    got, expected = jax.tree.leaves(got), jax.tree.leaves(expected)
    for x, y in zip(got, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


# Functions of one number, with their loop: what is carried, sliced and captured differs.


def rnn(run):
    def f(x):
        def step(c, v):
            a, b, n = c
            return (jnp.sin(a * x) + b * v, a, n + 1), a * v * n

        (a, b, n), ys = run(step, (x, 0 * x + 0.5, 0), XS)
        return a + b * n + jnp.sum(ys)

    return f


def with_invariants(run):
    def f(x):
        def step(c, v):
            return c * jnp.exp(jnp.sin(x)) + v, (c, jnp.cos(x))

        c, ys = run(step, x * 0 + 1, XS)
        return c + jnp.sum(ys[0] * ys[1])

    return f


def nested(run):
    def f(x):
        def outer(c, v):
            d, ys = run(lambda d, u: (d * jnp.cos(u * c), d + u), x * v, XS)
            return c + d, jnp.sum(ys)

        c, ys = run(outer, x, XS[:2])
        return c * jnp.sum(ys)

    return f


def backwards(run):
    return lambda x: sum(map(jnp.sum, run(lambda c, v: (c * v + x, c * c), x, XS, reverse=True)))


TRANSFORMATIONS = {
    "jit": jax.jit,
    "grad": jax.grad,
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1],
    "vmap": lambda f: lambda x: jnp.sum(jax.vmap(f)(jnp.stack([x, x * 2]))),
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](jnp.ones_like(x)),
}


@pytest.mark.parametrize("program", [rnn, with_invariants, nested, backwards])
@pytest.mark.parametrize("names", [*itertools.product(TRANSFORMATIONS, repeat=2)], ids="-".join)
def test_nested_in_two_transformations(program, names):
    ours, expected = program(lax.scan), program(loop)
    for name in names:
        ours, expected = TRANSFORMATIONS[name](ours), TRANSFORMATIONS[name](expected)
    close(ours(jnp.float32(0.7)), expected(jnp.float32(0.7)))


@pytest.mark.parametrize("names", [*itertools.permutations(TRANSFORMATIONS, 3)], ids="-".join)
def test_nested_in_three_transformations(names):
    ours, expected = rnn(lax.scan), rnn(loop)
    for name in names:
        ours, expected = TRANSFORMATIONS[name](ours), TRANSFORMATIONS[name](expected)
    close(ours(jnp.float32(0.7)), expected(jnp.float32(0.7)), 2e-3)


@pytest.mark.parametrize("program", [rnn, with_invariants, nested, backwards])
def test_first_and_second_derivatives_beside_numerical_differences(program):
    with jax.enable_x64(True):
        f, x, h = program(lax.scan), np.float64(0.7), 1e-4
        first = (f(x + h) - f(x - h)) / (2 * h)
        second = (f(x + h) - 2 * f(x) + f(x - h)) / h**2
        close(jax.grad(f)(x), first, 1e-5)
        close(jax.grad(jax.grad(f))(x), second, 1e-4)
        close(jax.jvp(jax.grad(f), (x,), (x / x,))[1], second, 1e-4)


@pytest.mark.parametrize("program", [rnn, with_invariants, nested, backwards])
def test_every_jaxpr_is_well_typed(program):
    f = program(lax.scan)
    for g in (f, jax.grad(f), jax.grad(jax.grad(f))):
        check_jaxpr(jax.make_jaxpr(g)(0.7))
        check_jaxpr(jax.make_jaxpr(jax.vmap(g))(XS))


# What a step captures.


def test_a_captured_array_may_change_afterwards():
    w = np.ones(3, np.float32)
    c, pull = jax.vjp(lambda c: lax.scan(lambda c, x: (c * w * x, None), c, XS[:2])[0], jnp.ones(3))
    before = pull(jnp.ones(3))
    w[:] = 100
    close(pull(jnp.ones(3)), before)


def test_slices_of_an_array_that_changes_afterwards():
    xs = np.array([2.0, 3.0], np.float32)
    _, pull = jax.vjp(lambda c: lax.scan(lambda c, x: (c * x, c), c, xs)[0], jnp.float32(1.0))
    xs[:] = 100
    close(pull(jnp.float32(1.0)), [6.0])


def test_tracers_of_all_kinds_are_captured_at_once():
    def f(a, b, c, d):
        return lax.scan(lambda s, x: (s * a + b * x, s * c * d), a, XS)

    def total(a, b, c, d):
        return sum(map(jnp.sum, f(a, b, c, d)))

    def all_kinds(total):
        return jax.jit(lambda a: jax.vmap(lambda b: jax.grad(
            lambda c: jax.jvp(lambda d: total(a, b, c, d), (a,), (b,))[1])(0.3))(XS))  # fmt: skip

    def written_out(a, b, c, d):
        return sum(map(jnp.sum, loop(lambda s, x: (s * a + b * x, s * c * d), a, XS)))

    close(all_kinds(total)(0.4), all_kinds(written_out)(0.4))


def test_a_tracer_of_the_step_does_not_outlive_it():
    kept = []
    lax.scan(lambda c, x: (kept.append(c) or c + x, None), 0.0, XS)
    with pytest.raises(UnexpectedTracerError, match="outlived its trace"):
        kept[0] + 1


def test_a_function_is_traced_once():
    traced = []

    def step(c, x):
        traced.append(1)
        return c + x, c

    for _ in range(3):
        lax.scan(step, jnp.float32(0.0), XS)
        jax.grad(lambda c: lax.scan(step, c, XS)[0])(jnp.float32(1.0))
    assert len(traced) == 1


def test_what_depends_on_constants_alone_is_computed_once(on_numpy):
    count = Primitive("count")
    calls = []
    count.def_impl(lambda x: calls.append(1) or jnp.sin(x))
    count.def_abstract_eval(lambda x: x)
    jax.core.extend.defjvp(count, lambda g, x: g * jnp.cos(x))

    def f(w):
        return lax.scan(lambda c, x: (c * count.bind(w) + x, None), 1.0, XS)[0]

    jax.grad(f)(0.5)
    assert len(calls) == 1
    f(0.5)
    assert len(calls) == 1 + len(XS)


# Effects.


class Noted(Effect):
    pass


NOTES = []
note = Primitive("note")
note.def_impl(lambda x: NOTES.append(float(x)) or x)
note.def_effectful_abstract_eval(lambda x: (x, frozenset([Noted()])))
jax.core.extend.defjvp(note, lambda g, x: g)
defvectorized(note)


def noted(c, x):
    note.bind(x)
    return c * x, c


def test_effects_happen_in_every_step_in_order():
    NOTES.clear()
    lax.scan(noted, 1.0, XS)
    lax.scan(noted, 1.0, XS, reverse=True)
    close(NOTES, [*XS, *XS[::-1]])


def test_an_effect_is_kept_where_nobody_uses_the_results():
    closed = jax.make_jaxpr(lambda c: lax.scan(noted, c, XS))(1.0)
    assert {type(effect) for effect in closed.effects} == {Noted}
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [False, False])
    NOTES.clear()
    jax.core.eval_jaxpr(jaxpr, closed.consts, *[1.0] * len(jaxpr.invars))
    close(NOTES, XS.tolist())


def test_effects_of_a_differentiated_step_happen_once():
    NOTES.clear()
    jax.grad(lambda c: lax.scan(noted, c, XS)[0])(1.0)
    close(NOTES, XS.tolist())


# Parts that nobody needs.


def test_unused_carries_and_ys_go():
    def f(a, b, c):
        def step(s, x):
            p, q, r = s
            return (p * x, q + p, jnp.sin(r)), (p, r * x)

        (p, q, r), (ys, zs) = lax.scan(step, (a, b, c), XS)
        return p, q, r, ys, zs

    closed = jax.make_jaxpr(f)(1.0, 2.0, 3.0)
    sizes = []
    for used in itertools.product([False, True], repeat=5):
        jaxpr, used_inputs = dce_jaxpr(closed.jaxpr, used)
        check_jaxpr(jaxpr)
        args = [x for x, use in zip((1.0, 2.0, 3.0), used_inputs, strict=True) if use]
        expected = [y for y, use in zip(f(1.0, 2.0, 3.0), used, strict=True) if use]
        close(jax.core.eval_jaxpr(jaxpr, closed.consts, *args), expected)
        sizes.append([eqn.params["num_carry"] for eqn in jaxpr.eqns])
    # none; zs: r; ys: p; ... : q needs p.
    assert sizes[0] == [] and sizes[1] == [1] and sizes[2] == [1] and sizes[8] == [2]


def test_the_gradient_of_an_unused_result_is_zero():
    close(jax.grad(lambda c: 0.0 * lax.scan(noted, c, XS)[0] + 1.0)(2.0), 0.0)


# Linear in a part only.


def tangent_by_loop(weight):
    """A function with a derivative that is computed by a loop over the tangent."""

    @jax.custom_jvp
    def f(x):
        return x**3

    @f.defjvp
    def f_jvp(primals, tangents):
        (x,), (t,) = primals, tangents
        return x**3, weight(x, t)

    return f


@pytest.mark.parametrize("weight, expected", [
    (lambda x, t: lax.fori_loop(0, 4, lambda i, c: c + x * t * i, 0 * t), lambda x: 6 * x),
    (lambda x, t: lax.fori_loop(1, 4, lambda i, c: c * i * x, t), lambda x: 6 * x**3),
    (lambda x, t: lax.scan(lambda c, v: ((c[0] * 2, c[1] + c[0] * v * t), None), (x, 0 * t),
                           jnp.arange(3.0))[0][1], lambda x: 10 * x),
    (lambda x, t: lax.scan(lambda c, v: ((c[0] * x, c[1] * c[0]), c[1] * c[0]), (x, t),
                           None, length=3)[1].sum(), lambda x: x + x**3 + x**6),
])  # fmt: skip
def test_a_scan_that_is_linear_in_a_part_of_its_carry(weight, expected):
    f = tangent_by_loop(weight)
    for wrap in (lambda f: f, jax.jit):
        close(wrap(jax.grad(f))(1.3), expected(1.3))
    close(jax.vmap(jax.grad(f))(XS), expected(XS))
    close(jax.grad(jax.grad(f))(1.3), jax.grad(expected)(1.3))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_linear_scan_that_counts_is_transposed(reverse):
    """The counter depends on nothing linear: it runs forwards first."""

    def f(t):
        step = lambda c, x: ((c[0] + 1, c[1] * c[0] + t * x), c[1] * x)  # noqa: E731
        (_, total), ys = lax.scan(step, (jnp.float32(2), t), XS, reverse=reverse)
        return total, ys

    t = jnp.float32(1.5)
    out, cts = f(t), (jnp.float32(3), jnp.arange(float(len(XS))))
    expected = sum(jnp.sum(y * ct) for y, ct in zip(out, cts, strict=True)) / t
    for wrap in (lambda f: f, jax.jit):
        close(wrap(jax.linear_transpose(f, t))(cts)[0], expected)


def test_integers_have_no_cotangent():
    f = lambda n, x: lax.scan(lambda c, v: ((c[0] + 1, c[1] * v * c[0]), c[0]), (n, x), XS)  # noqa: E731
    y, pull = jax.vjp(f, 1, 2.0)
    ct = jax.tree.map(lambda x: np.zeros(x.shape, jax.dtypes.float0)
                      if jnp.issubdtype(x.dtype, jnp.integer) else jnp.ones_like(x), y)  # fmt: skip
    n_ct, x_ct = pull(ct)
    assert n_ct.dtype == jax.dtypes.float0
    close(x_ct, np.prod(XS) * 24)


# Running.


@pytest.mark.parametrize("of", ["value", "gradient"])
def test_memory_is_that_of_the_residuals(of):
    """Each step leaves one array behind, and nothing else."""
    n, size = 1200, 200

    def f(c, xs):
        return jnp.sum(lax.scan(lambda c, x: (jnp.sin(c) * x, None), c, xs)[0])

    run = jax.grad(f) if of == "gradient" else f
    c, xs = jnp.ones(size), jnp.ones((n, size))
    with jax.enable_checks(False):
        run(c, xs[:2])
        tracemalloc.start()
        run(c, xs)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    residuals = n * size * 4
    assert peak < (2 * residuals if of == "gradient" else residuals / 4)


def test_results_cannot_be_written_to():
    c, ys = lax.scan(lambda c, x: (c + x, c), 0.0, XS)
    for x in (c, ys):
        assert not np.asarray(x._value).flags.writeable


def test_donation_in_a_step_deletes_nothing():
    c = jnp.ones(3)
    double = jax.jit(lambda x: 2 * x, donate_argnums=0)
    close(lax.scan(lambda c, _: (double(c), None), c, None, length=2)[0], jnp.full(3, 4.0))
    close(c, jnp.ones(3))


def test_without_jit_the_function_sees_values():
    seen = []
    with jax.disable_jit():
        c, ys = lax.scan(lambda c, x: (c + float(x), seen.append(float(c))), 0.0, XS)
    assert len(seen) == len(XS) and ys is None
    close(c, jnp.sum(XS))


def test_a_fresh_scan_for_each_structure():
    def f(c, x):
        return jax.tree.map(lambda a: a + x, c), None

    close(lax.scan(f, {"a": 1.0}, XS)[0], {"a": 2.2})
    close(lax.scan(f, [1.0, jnp.ones(2)], XS)[0], [2.2, 2.2 * jnp.ones(2)])


def test_a_step_that_only_hands_on_has_no_scan_of_it():
    closed = jax.make_jaxpr(lambda c, xs: lax.scan(lambda c, x: (c, x), c, xs))(1.0, XS)
    (eqn,) = closed.eqns
    assert isinstance(eqn.params["jaxpr"], ClosedJaxpr) and eqn.outvars == []
    assert closed.outvars == closed.invars


def test_a_fixed_point_takes_no_mark_away():
    def derive(marks, carry):
        assert carry == marks[1:3]
        return "program", (False, marks[1], True)  # each carry gives its mark to the next

    marks, result = fixed_point(derive, (False, True, False, False), 1, 2)
    assert marks == (False, True, True, False)
    assert result == ("program", (False, True, True))


@pytest.mark.parametrize(
    "f, init, xs",
    [(lambda c, _: (c + 1, None), 0, None),
     (lambda k, x: (jax.random.split(k)[0], jax.random.uniform(k) * x), jax.random.key(0),
      np.arange(LONG, dtype=np.float32)),
     (lambda c, x: (jnp.sin(c) + x, c), jnp.ones(2), np.linspace(0, 1, LONG, dtype=np.float32))],
    ids=["a number", "keys", "arrays"],
)  # fmt: skip
def test_a_long_scan_is_one_loop(f, init, xs, monkeypatch):
    ran, by_steps = [], scan.by_steps

    def counted(*operands, **params):
        ran.append(1)
        return by_steps(*operands, **params)

    monkeypatch.setattr(scan, "by_steps", counted)
    whole = lax.scan(f, init, xs, length=LONG)
    assert not ran
    monkeypatch.setattr(long_scans, "LONG", LONG + 1)
    steps = lax.scan(f, init, xs, length=LONG)
    assert ran
    assert jax.tree.map(jnp.shape, whole) == jax.tree.map(jnp.shape, steps)
    for x, y in zip(*map(jax.tree.leaves, (whole, steps)), strict=True):
        assert x.aval == y.aval
        if not jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
            np.testing.assert_allclose(x, y, rtol=1e-5)


def test_a_long_scan_that_prints_does_it_step_by_step(capsys):
    def step(c, _):
        jax.debug.print("{}", c)
        return c + 1, None

    assert lax.scan(step, 0, None, length=LONG)[0] == LONG
    jax.effects_barrier()
    assert capsys.readouterr().out.split() == [str(i) for i in range(LONG)]
