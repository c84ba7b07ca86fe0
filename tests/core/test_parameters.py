"""Parameters of primitives: declared once; any other is refused; what is inert is only shown."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    Primitive,
    ShapedArray,
    check_jaxpr,
    custom_staging_rules,
    fancy_primitive_batchers,
    jit_p,
    numpy_primitive,
    primitive_batchers,
    primitive_jvps,
    primitive_linearizations,
    primitive_transposes,
)

XS = np.ones((2, 3), np.float32)

# A parameter that nobody declared.

MISSPELT = {
    "reshape": (lax.reshape, lambda p: p.bind(XS, new_size=(6,))),
    "reduce_sum": (None, lambda p: p.bind(XS, axis=(0,))),
    "sin": (None, lambda p: p.bind(XS, accurcy=None)),
    "add": (None, lambda p: p.bind(XS, XS, dtype=None)),
    "broadcast_in_dim": (None, lambda p: p.bind(XS, shape=(2, 2, 3), broadcast_dims=(1, 2))),
    "transpose": (None, lambda p: p.bind(XS, permutation=(1, 0), axes=())),
    "integer_pow": (None, lambda p: p.bind(XS, y=2, z=3)),
    "convert_element_type": (None, lambda p: p.bind(XS, new_dtype=np.dtype("int32"), weak=False)),
}  # fmt: skip


def primitive(name):
    return getattr(lax, f"{name}_p")


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, jax.vmap, jax.make_jaxpr, lambda f: lambda x: jax.jvp(f, (x,), (x,)),
])  # fmt: skip
@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_parameter_is_refused(name, transform):
    """By its name, whoever interprets; and the error says which there are."""
    p, call = primitive(name), MISSPELT[name][1]
    with pytest.raises(TypeError, match=f"{name} has no parameter .*its parameters are") as caught:
        transform(lambda x: call(p))(XS)
    for known in p.parameters:
        assert known in str(caught.value)


def test_a_parameter_that_is_missing_is_pythons_error():
    with pytest.raises(TypeError, match="new_sizes"):
        lax.reshape_p.bind(XS)


def test_jit_takes_its_own_alone():
    with pytest.raises(TypeError, match="jit has no parameter jaxp"):
        jit_p.bind(XS, jaxp=None)


def test_the_names_are_those_of_the_type_rule():
    p = Primitive("named", inert={"hint": None})
    p.def_abstract_eval(lambda x, y, *, axis, size=3: x)
    assert p.parameters == {"axis", "size", "hint"}
    q = Primitive("none")
    q.def_abstract_eval(lambda *avals: avals[0])
    assert q.parameters == frozenset()
    with pytest.raises(TypeError, match="its parameters are: none"):
        q.bind(XS, axis=0)


def test_a_rule_that_takes_any_is_asked_for_itself():
    p = Primitive("open")
    p.def_effectful_abstract_eval(lambda x, *, axis, **params: (x, frozenset()))
    p.def_impl(lambda x, **params: sorted(params))
    assert p.parameters is None
    with jax.enable_checks(False):
        assert p.bind(XS, axis=0, other=1) == ["axis", "other"]


# Parameters that mean nothing here: declared with the primitive, shown as in JAX, seen by no rule.

INERT = {
    "sin": ({"accuracy": None}, lambda x: lax.sin(x), "sin a"),
    "mul": ({"out_dtype": None}, lambda x: lax.mul(x, x), "mul a a"),
    "reshape": ({"dimensions": None, "sharding": None}, lambda x: lax.reshape(x, (6,)),
                "reshape[dimensions=None new_sizes=(6,) sharding=None] a"),
    "convert_element_type": (
        {"sharding": None}, lambda x: lax.convert_element_type(x, "int32"),
        "convert_element_type[new_dtype=int32 weak_type=False] a"),
    "broadcast_in_dim": ({"sharding": None}, lambda x: lax.broadcast(x, (4,)),
                         "broadcast_in_dim[broadcast_dimensions=(1, 2)] a"),
    "reduce_sum": ({"out_sharding": None}, lambda x: jnp.sum(x, 0),
                   "reduce_sum[axes=(0,) out_sharding=None] a"),
}  # fmt: skip


@pytest.mark.parametrize("name", INERT)
def test_inert_parameters_are_shown(name):
    inert, f, text = INERT[name]
    closed = jax.make_jaxpr(f)(XS)
    check_jaxpr(closed)
    (eqn,) = closed.eqns
    assert eqn.primitive is primitive(name)
    assert {key: eqn.params[key] for key in inert} == inert == dict(eqn.primitive.inert)
    assert f" = {text}" in str(closed)


RULES = []


def quiet_primitive(fancy=False, linearizes=False, stages=False):
    """Linear, with one parameter that means something; each rule notes what it is given."""
    inert = {"hint": None, "sharding": "any"}
    p = numpy_primitive(
        "quiet", lambda x, *, axis: note("types", axis=axis) or x,
        lambda x, **params: note("impl", **params) or 2 * x, inert=inert,
    )  # fmt: skip

    def jvp(primals, tangents, **params):
        note("jvp", **params)
        return p.bind(*primals, **params), p.bind(*tangents, **params)

    def batcher(args, dims, **params):
        note("batch", **params)
        return p.bind(*args, **params), dims[0]

    def transpose(ct, x, **params):
        note("transpose", **params)
        return [p.bind(ct, **params)]

    def linearize(nonzeros, x, **params):
        note("linearize", **params)
        return p.bind(x, **params), [True], [], lambda residuals, t: p.bind(t, **params)

    def staging(trace, args, params):
        RULES.append(("staging", dict(params)))
        return trace.record(p, args, params)

    primitive_jvps[p], primitive_transposes[p] = jvp, transpose
    primitive_batchers[p] = batcher
    if fancy:
        fancy_primitive_batchers[p] = lambda axis_data, *args, **params: batcher(*args, **params)
    if linearizes:
        primitive_linearizations[p] = linearize
    if stages:
        custom_staging_rules[p] = staging
    return p


def note(rule, **params):
    RULES.append((rule, params))


@pytest.mark.parametrize("given", [{}, {"hint": 3}, {"hint": 3, "sharding": None}])
@pytest.mark.parametrize("kind", [{}, {"fancy": True}, {"linearizes": True}])
def test_no_rule_sees_them(kind, given):
    """Whether they are given or not: they are in the equations."""
    RULES.clear()
    p = quiet_primitive(**kind)

    def f(x):
        return jnp.sum(p.bind(x, axis=1, **given))

    x = XS[0]
    for g in (f, jax.jit(f)):
        assert g(x) == 6
        np.testing.assert_array_equal(jax.grad(g)(x), 2 * np.ones(3))
        np.testing.assert_array_equal(jax.vmap(jax.grad(g))(XS), 2 * XS)
        assert jax.jvp(g, (x,), (x,))[1] == 6
    assert {rule for rule, _ in RULES} >= {"types", "impl", "jvp", "batch", "transpose"}
    assert all(params == {"axis": 1} for _, params in RULES)
    closed = jax.make_jaxpr(lambda x: p.bind(x, axis=1, **given))(x)
    check_jaxpr(closed)
    assert closed.eqns[0].params == {"axis": 1, "hint": None, "sharding": "any", **given}
    text = f"quiet[axis=1 hint={given.get('hint')} sharding={given.get('sharding', 'any')}]"
    assert text in str(closed)


def test_a_staging_rule_hands_on_what_it_got():
    RULES.clear()
    p = quiet_primitive(stages=True)
    (eqn,) = jax.make_jaxpr(lambda x: p.bind(x, axis=1, hint=2))(XS).eqns
    assert ("staging", {"axis": 1, "hint": 2}) in RULES
    assert eqn.params == {"axis": 1, "hint": 2, "sharding": "any"}


def test_they_come_through_what_is_done_to_a_program():
    p = quiet_primitive()
    closed = jax.make_jaxpr(jax.jit(lambda x: p.bind(x, axis=0, hint="kept")))(XS)
    (eqn,) = closed.eqns[0].params["jaxpr"].eqns
    assert eqn.params["hint"] == "kept"

    def again(x):
        return jax.vmap(lambda x: eval_eqn(eqn, x))(x)

    (batched,) = jax.make_jaxpr(again)(XS).eqns
    assert batched.params["axis"] == 0


def eval_eqn(eqn, x):
    return eqn.primitive.bind(x, **eqn.params)


def test_a_parameter_of_elementwise_primitives():
    """They are declared by name, and say nothing about types."""
    assert lax.integer_pow_p.parameters == {"y"} and lax.add_p.parameters == frozenset()
    assert lax.sin_p.parameters == {"accuracy"}
    aval = ShapedArray((2,), np.float32)
    assert lax.sin_p.out_avals([aval], {"accuracy": None}) == [aval]
