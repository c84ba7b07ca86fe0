"""Calls of functions of pytrees: nothing is left on the functions, nothing is made of stand-ins."""

import functools
import gc

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import JaxprTrace, Tracer, debug_info, flatten_fun
from minijax.tree_util import register_pytree_node, tree_flatten, tree_structure

XS = np.ones((2, 3), np.float32)

TRANSFORMS = {
    "jit": lambda f: jax.jit(f)(XS), "vmap": lambda f: jax.vmap(f)(XS),
    "grad": lambda f: jax.grad(lambda x: jnp.sum(f(x)))(XS), "vjp": lambda f: jax.vjp(f, XS),
    "grad of it": lambda f: jax.grad(f)(1.0),
    "value_and_grad": lambda f: jax.value_and_grad(f)(1.0),
    "jvp": lambda f: jax.jvp(f, (XS,), (XS,)), "linearize": lambda f: jax.linearize(f, XS),
    "make_jaxpr": lambda f: jax.make_jaxpr(f)(XS), "eval_shape": lambda f: jax.eval_shape(f, XS),
    "jacfwd": lambda f: jax.jacfwd(f)(XS), "jacrev": lambda f: jax.jacrev(f)(XS),
    "jit(vmap)": lambda f: jax.jit(jax.vmap(f))(XS), "trace": lambda f: jax.jit(f).trace(XS),
}  # fmt: skip

# No state on the user's functions.


@pytest.mark.parametrize("name", ["call_info", "out_tree", "info", "aux", "cache", "__wrapped__x"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_attributes_of_functions_are_the_users(transform, name):
    def f(x):
        return lax.sin(x)

    setattr(f, name, 3)
    before = dict(vars(f))
    TRANSFORMS[transform](f)
    assert vars(f) == before


class Slots:
    """Callable, and nothing can be set on it."""

    __slots__ = ("scale", "__weakref__")

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return lax.mul(x, np.float32(self.scale))


class Bound:
    def method(self, x):
        return lax.sin(x)

    @staticmethod
    def static(x):
        return lax.sin(x)

    @classmethod
    def on_class(cls, x):
        return lax.sin(x)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_every_kind_of_callable(transform):
    for f in (Slots(2.0), Bound().method, Bound.static, Bound.on_class, lax.sin, jax.jit(lax.sin),
              functools.partial(lambda y, x: lax.sin(x) * y, np.float32(2)),
              jax.tree_util.Partial(lax.sin)):  # fmt: skip
        TRANSFORMS[transform](f)


def test_a_function_that_calls_itself_transformed():
    """Two calls of one function, one within the other, with results of different structure."""
    def f(x, depth=0):
        if depth == 2:
            return {"x": x}
        inner = jax.vmap(lambda y: f(y, depth + 1))(jnp.stack([x, x]))
        return (inner, x) if depth else [inner, x]

    for g in (f, jax.jit(f, static_argnums=1)):
        (inner, y), x = g(1.0)
        assert (inner["x"].shape, y.shape, x) == ((2, 2), (2,), 1.0)


def test_flatten_fun_has_the_tree_of_its_last_call():
    leaves, in_tree = tree_flatten((({"a": 1.0}, 2.0), {"k": 3.0}))
    flat_fun, out_tree = flatten_fun(lambda d, y, k: [d["a"] + y, (k,)], in_tree)
    assert flat_fun(*leaves) == [3.0, 3.0] and out_tree() == tree_structure([0, (0,)])


def test_what_a_message_calls_the_arguments():
    """The names are found when they are asked for, and nothing keeps the function alive."""
    def f(params, *rest, scale=1.0):
        return params

    info = debug_info("jit", f, ({"w": 1.0, "b": [2.0]}, 3.0, 4.0), {"scale": 5.0})
    names = [info.arg_name(i) for i in range(6)]
    assert names == ["params['b'][0]", "params['w']", "rest[0]", "rest[1]", "scale", None]
    assert "f at " in str(info) and "traced for jit" in str(info) and __file__ in str(info)
    del f
    gc.collect()
    assert info.arg_name(0) is None and info.func_name == "f"


@pytest.mark.parametrize("call", [
    lambda f: jax.jit(f)(z="text", a=1.0), lambda f: jax.jit(f)(a=1.0, z="text"),
    lambda f: jax.vmap(f, axis_size=1)(z="text", a=np.ones(1)),
])  # fmt: skip
def test_keywords_have_their_own_names_in_any_order(call):
    """The fault as it was found: the leaves came sorted, and their names as they were written."""
    with pytest.raises(TypeError, match="argument z: 'text'"):
        call(lambda a, z: a)


def test_names_where_python_does_not_know_the_parameters():
    info = debug_info("jit", max, ({"w": 1.0}, 2.0), {"key": 3.0})
    assert [info.arg_name(i) for i in range(3)] == ["args[0]['w']", "args[1]", "key"]

    def f(x, **options):
        return x

    info = debug_info("jit", f, (1.0,), {"scale": [2.0], "rate": 3.0})
    assert [info.arg_name(i) for i in range(3)] == ["x", "options['rate']", "options['scale'][0]"]
    info = debug_info("jit", f, (1.0, 2.0), {}, places=[1])
    assert info.arg_name(0) == "args[1]"


@pytest.mark.parametrize("call", [
    lambda f: jax.vmap(f)(1.0), lambda f: jax.vmap(f)("x"), lambda f: jax.grad(f)(1),
    lambda f: jax.grad(f)("x"), lambda f: jax.jit(f)("x"), lambda f: jax.jvp(f, ("x",), ("x",)),
    lambda f: jax.linearize(f, object()), lambda f: jax.vjp(f, object()),
])  # fmt: skip
def test_errors_look_at_no_attributes_of_the_function(call):
    """The fault as it was found: the message about the call took the user's for its own."""
    def f(x):
        return x

    f.call_info = 3
    with pytest.raises((TypeError, ValueError), match="f|x"):
        call(f)


# Nothing is unflattened with stand-ins.


class Checked:
    """Two arrays of one shape, or two equal axes: it looks whenever one is made."""

    def __init__(self, a, b):
        are_axes = type(a) is type(b) is int
        assert are_axes or all(isinstance(x, np.ndarray | jax.Array) for x in (a, b)), (a, b)
        assert (a, a) == (b, b) if are_axes else a.shape == b.shape, (a, b)
        self.a, self.b = a, b


register_pytree_node(Checked, lambda c: ((c.a, c.b), None), lambda aux, ab: Checked(*ab))


def add(c, y):
    assert isinstance(c.a, Tracer)
    return Checked(c.a + c.b * y, c.b)


Y = np.ones(2, np.float32)


@pytest.mark.parametrize("in_axes, y, axis", [
    (0, Y, 0), ((0, 0), Y, 0), ((0, None), Y[0], 0), ((1, None), Y[0], 1),
    ((Checked(0, 0), None), Y[0], 0), ((Checked(1, 1), None), Y[0], 1),
])  # fmt: skip
def test_a_class_that_asserts_may_stand_in_axes(in_axes, y, axis):
    for f in (add, jax.jit(add)):
        out = jax.vmap(f, in_axes)(Checked(XS, XS), y)
        np.testing.assert_array_equal(np.asarray(out.a), 2 * np.moveaxis(XS, axis, 0))


def test_and_in_out_axes():
    f = jax.vmap(lambda x: Checked(x, 2 * x), out_axes=Checked(1, 1))
    assert f(XS).a.shape == (3, 2)
    f = jax.vmap(lambda x: (Checked(x, 2 * x), x), out_axes=(1, 0))
    assert f(XS)[0].b.shape == (3, 2)


def test_under_every_transformation():
    c = Checked(jnp.ones(3), jnp.ones(3))
    for f in (add, jax.jit(add)):
        gradient = jax.grad(lambda c, f=f: jnp.sum(f(c, 2.0).a))(c)
        assert gradient.a.tolist() == [1.0] * 3 and gradient.b.tolist() == [2.0] * 3
        out, out_dot = jax.jvp(lambda c, f=f: f(c, 2.0), (c,), (c,))
        assert out.a.tolist() == out_dot.a.tolist() == [3.0] * 3
        assert jax.linearize(lambda c, f=f: f(c, 2.0), c)[1](c).b.tolist() == [1.0] * 3
    assert jax.jit(add).trace(c, 2.0).jaxpr.in_avals[0].shape == (3,)
    with jax.enable_x64(False):
        assert str(jax.make_jaxpr(add)(c, 2.0)).count("add") == 1


# Auxiliary data whose == says neither yes nor no.


class Table:
    """Keeps an array in the wrong place."""

    def __init__(self, x, table):
        self.x, self.table = x, table


register_pytree_node(Table, lambda t: ((t.x,), t.table), lambda table, x: Table(*x, table))


def table(*numbers):
    return Table(jnp.ones(2), np.array(numbers))


def call_both(s, t):
    f = jax.jit(lambda x: x)
    return f(s), f(t)


@pytest.mark.parametrize("compare", [
    lambda s, t: jax.tree.map(lambda x, y: x, s, t), call_both,
    lambda s, t: tree_structure(s) == tree_structure(t),
    lambda s, t: jax.jvp(lambda x: x, (s,), (t,)), lambda s, t: tree_structure(s).flatten_up_to(t),
])  # fmt: skip
def test_auxiliary_data_that_can_not_be_compared(compare):
    """The error names the class and says what to do: not NumPy's about a truth value alone."""
    with pytest.raises((TypeError, ValueError), match="pytree.*Table|Table.*pytree") as caught:
        compare(table(1, 2), table(1, 2))
    assert "make it a child" in str(caught.value)


def test_one_and_the_same_object_is_equal():
    t = table(1, 2)
    assert tree_structure(t) == tree_structure(t)
    f = jax.jit(lambda t: t.x * 2)
    assert f(t).tolist() == f(t).tolist() == [2.0, 2.0]


def test_a_trace_of_nothing():
    """No arguments, no results, no equations."""
    assert jax.jit(lambda: ())() == () and jax.vmap(lambda: None, axis_size=3)() is None
    assert jax.make_jaxpr(lambda: {})().eqns == [] and JaxprTrace().to_jaxpr([]).out_avals == []
