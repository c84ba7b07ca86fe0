"""check_jaxpr refuses equations that carry programs, where anything about them is not as it was."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    ClosedJaxpr,
    Effect,
    Jaxpr,
    JaxprTypeError,
    Literal,
    ShapedArray,
    Var,
    check_jaxpr,
    trace_to_jaxpr,
)
from minijax.custom_derivatives import linear_call
from minijax.lax.control_flow.solves import _LinearSolveTuple

F = jnp.arange(3.0)
X = jnp.float32(0.5)
OTHER = ShapedArray((7,), np.complex64)


@jax.custom_jvp
def with_jvp(x):
    return lax.sin(x)


with_jvp.defjvp(lambda primals, tangents: (with_jvp(*primals), tangents[0]))


@jax.custom_vjp
def with_vjp(x):
    return lax.sin(x)


with_vjp.defvjp(lambda x: (with_vjp(x), x), lambda x, ct: (ct * x,))


@jax.custom_batching.custom_vmap
def with_vmap(x):
    return lax.sin(x)


with_vmap.def_vmap(lambda size, mapped, x: (lax.sin(x), mapped[0]))


def scanned(x, xs):
    return lax.scan(lambda c, y: (c * lax.sin(y) + x, c), x, xs)


def counted(x, n):
    return lax.while_loop(lambda c: c[1] < n, lambda c: (c[0] * x, c[1] + 1), (x, 0))


def switched(i, x):
    return lax.switch(i, [lax.sin, lambda x: x * X, lambda x: x + F[0]], x)


def solved(x):
    return lax.custom_linear_solve(
        lambda y: 2.0 * y, x, lambda mv, b: b / 2.0, lambda mv, b: b / 2.0
    )


def divided(x, y):
    return linear_call(lambda r, y: y / r, lambda r, ct: ct / r, x, y)


PROGRAMS = {
    "jit": (jax.jit(lambda x, y: (x * y, y)), X, F),
    "scan": (scanned, X, F),
    "while": (counted, X, 5),
    "cond": (switched, 1, X),
    "remat2": (jax.checkpoint(lambda x, y: lax.sin(x * y)), X, F),
    "custom_jvp_call": (with_jvp, F),
    "custom_vjp_call": (with_vjp, F),
    "custom_vmap_call": (with_vmap, F),
    "custom_linear_solve": (solved, F),
    "linear_call": (divided, X, F),
    "composite": (lax.composite(lambda x: lax.sin(x) * F, "own"), X),
}
# Parameters of which another value makes another program that is sound.
FREE = {
    "scan": {"reverse", "unroll"}, "jit": {"keep_unused", "inline", "name", "donated_invars"},
    "remat2": {"prevent_cse", "differentiated", "policy"},
    "custom_jvp_call": {"symbolic_zeros", "jvp_jaxpr_fun", "num_consts"},
    "custom_vjp_call": {"symbolic_zeros", "fwd_jaxpr_thunk", "bwd", "num_consts"},
    "custom_vmap_call": {"rule", "in_tree", "out_tree"},
    "composite": {"name", "version", "attributes"},
    "linear_call": {"transpose_thunk", "num_callee_consts", "num_res"},
}  # fmt: skip


def other_programs(closed):
    """The program with one thing about it changed."""
    jaxpr, made = closed.jaxpr, []
    constant = trace_to_jaxpr(lambda x: [x + F], [F.aval])
    for at, v in enumerate(jaxpr.invars):
        rest = [*jaxpr.invars]
        made.append(jaxpr.replace(invars=[*rest[:at], *rest[at + 1 :]]))
        rest[at] = Var(OTHER)
        made.append(jaxpr.replace(invars=rest))
        made.append(jaxpr.replace(invars=[*jaxpr.invars, v]))
    for at in range(len(jaxpr.outvars)):
        rest = [*jaxpr.outvars]
        made.append(jaxpr.replace(outvars=[*rest[:at], *rest[at + 1 :]]))
        rest[at] = Var(OTHER)
        made.append(jaxpr.replace(outvars=rest))
        made.append(jaxpr.replace(outvars=[*rest[:at], Literal(1j), *rest[at + 1 :]]))
    made.append(jaxpr.replace(invars=[*jaxpr.invars, Var(OTHER)]))
    made += [jaxpr.replace(eqns=jaxpr.eqns[:-1])] * bool(jaxpr.eqns)
    yield from (ClosedJaxpr(j, closed.consts) for j in made)
    yield ClosedJaxpr(jaxpr, [*closed.consts, F])
    yield ClosedJaxpr(constant.jaxpr, [])
    yield jaxpr


def other_values(value, free):
    """Values in the place of a parameter: of other kinds, and others of its kind."""
    yield from (x for x in (object(), "no", -3, 10**9, 1.5, ()) if not (free and fits(value, x)))
    if isinstance(value, ClosedJaxpr):
        yield from other_programs(value)
    elif isinstance(value, _LinearSolveTuple):
        for name, part in value._asdict().items():
            yield from (value._replace(**{name: x}) for x in other_values(part, free))
    elif isinstance(value, tuple) and not free:
        for i, part in enumerate(value):
            yield from ((*value[:i], x, *value[i + 1 :]) for x in other_values(part, free))
            yield (*value[:i], *value[i + 1 :]) if not isinstance(part, ClosedJaxpr) else (None,)
    elif type(value) is int and not free:
        yield from (value + 1, value - 1, bool(value))


def fits(value, x):
    """Whether x is of a kind that a free parameter may have."""
    return type(x) is type(value) or (type(value) is int and x == 10**9)


def find(name):
    fun, *args = PROGRAMS[name]
    closed = jax.make_jaxpr(fun)(*args)
    (at,) = (i for i, eqn in enumerate(closed.eqns) if eqn.primitive.name == name)
    return closed, at, closed.eqns[at]


def refused(closed, at, eqn):
    eqns = [*closed.eqns]
    eqns[at] = eqn
    try:
        check_jaxpr(ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts))
    except JaxprTypeError as error:
        return f"Equation {at}" in str(error)
    return False


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_parameter_is_held_to_its_kind(name):
    closed, at, eqn = find(name)
    check_jaxpr(closed)
    changes = [
        (key, value)
        for key, old in eqn.params.items()
        for value in other_values(old, key in FREE.get(name, ()))
    ]
    params = [{**eqn.params, key: value} for key, value in changes]
    params += [{k: v for k, v in eqn.params.items() if k != key} for key in eqn.params]
    params += [{**eqn.params, "another": 1}]
    missed = [p for p in params if not refused(closed, at, eqn._replace(params=p))]
    assert len(params) > 10 and not missed, missed


@pytest.mark.parametrize("name", PROGRAMS)
def test_operands_results_and_effects_are_those_of_the_rule(name):
    closed, at, eqn = find(name)
    changes = [{"effects": frozenset([Effect()])}]
    for field in ("invars", "outvars"):
        old = list(getattr(eqn, field))
        for i in range(len(old)):
            others = (Var(OTHER), Literal(1j), 3, None)
            changes += [{field: [*old[:i], x, *old[i + 1 :]]} for x in others]
            changes += [{field: [*old[:i], *old[i + 1 :]]}, {field: [*old, old[i]]}]
        changes += [{field: [*old, Var(OTHER)]}]
    missed = [c for c in changes if not refused(closed, at, eqn._replace(**c))]
    assert not missed, missed


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_jaxpr_that_was_sound_and_is_changed_is_looked_at_again(name):
    closed, at, eqn = find(name)
    closed = ClosedJaxpr(closed.jaxpr.replace(eqns=[*closed.eqns]), closed.consts)
    check_jaxpr(closed)
    closed.eqns[at] = eqn._replace(outvars=[Var(OTHER) for _ in eqn.outvars])
    with pytest.raises(JaxprTypeError, match=f"Equation {at}"):
        check_jaxpr(closed)


def test_a_program_that_occurs_twice_is_looked_at_once():
    """Twenty levels, each twice in the next: a million, were each looked at anew."""
    jaxpr = jax.make_jaxpr(jax.jit(lax.sin))(X)
    for _ in range(20):
        eqn = jaxpr.eqns[0]
        inner = {**eqn.params, "jaxpr": jaxpr}
        out = [Var(X.aval), Var(X.aval)]
        first = eqn._replace(invars=jaxpr.invars, outvars=out[:1], params=inner)
        second = eqn._replace(invars=out[:1], outvars=out[1:], params=inner)
        jaxpr = ClosedJaxpr(Jaxpr([], jaxpr.invars, out[1:], [first, second]), [])
    check_jaxpr(jaxpr)
