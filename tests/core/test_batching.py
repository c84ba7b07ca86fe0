"""Batching: axes, their sizes and positions, and messages that name the argument."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.batching import (
    AxisData,
    bdim_at_front,
    broadcast_axis,
    fancy_primitive_batchers,
    matchaxis,
    moveaxis,
    primitive_batchers,
)
from minijax.core.tracing import Primitive, Tracer

X23 = np.arange(6, dtype=np.float32).reshape(2, 3)

# Axes.


@pytest.mark.parametrize("in_axis", [0, 1, 2, -1, -2, -3, np.int8(1).item()])
@pytest.mark.parametrize("out_axis", [0, 1, 2, -1, -3])
def test_any_axis_in_and_any_axis_out(in_axis, out_axis):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    got = jax.vmap(lambda x: x * 2.0 + 1.0, in_axes=in_axis, out_axes=out_axis)(x)
    np.testing.assert_array_equal(got, np.moveaxis(x, in_axis, out_axis) * 2 + 1)


@pytest.mark.parametrize("in_axes, args, want", [
    ((0, None), (X23, 2.0), X23 * 2), ([0, None], (X23, 2.0), X23 * 2),
    (({"a": 1, "b": None},), ({"a": X23, "b": np.float32(2)},), None),
    (((0, 1),), ((X23, X23.T),), X23 * X23), (-1, (X23.T, X23.T), X23 * X23),
    (((0, None),), ((X23, np.float32(3)),), X23 * 3),
])
def test_in_axes_is_a_prefix_of_the_arguments(in_axes, args, want):
    def f(*args):
        x, y = jax.tree.leaves(args)
        return x * y

    got = jax.vmap(f, in_axes=in_axes)(*args)
    np.testing.assert_array_equal(got, X23.T * 2 if want is None else want)


def test_out_axes_is_a_prefix_of_the_result():
    a, (b, c), d = jax.vmap(lambda x: (x, (x, x + 1.0), 5.0), out_axes=(1, 0, None))(X23)
    assert (a.shape, b.shape, c.shape, d) == ((3, 2), (2, 3), (2, 3), 5.0)
    spread = jax.vmap(lambda x: 5.0)(X23)
    assert spread.tolist() == [5.0, 5.0]
    assert jax.vmap(lambda x: jnp.ones(3), out_axes=-1)(X23).shape == (3, 2)


def test_keyword_arguments_are_mapped_along_their_first_axis():
    got = jax.vmap(lambda x, y: x * y, in_axes=1)(X23, y=np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(got, (X23 * np.arange(3)).T)


def test_axis_size():
    assert jax.vmap(lambda: jnp.ones(3), axis_size=4)().shape == (4, 3)
    assert jax.vmap(lambda x: x, in_axes=None, axis_size=4)(1.0).tolist() == [1.0] * 4
    assert jax.vmap(lambda x: x, axis_size=2)(X23).shape == (2, 3)


def test_an_axis_of_no_examples():
    assert jax.vmap(lambda x: jnp.sum(jnp.sin(x)))(np.zeros((0, 3))).shape == (0,)


ONES = {n: np.ones(n, np.float32) for n in (2, 3)}
REFUSED = {
    "no function": (lambda: jax.vmap(1), TypeError, "vmap takes a function.*got 1"),
    "text": (lambda: jax.vmap(max, in_axes="a")(ONES[2]), TypeError, "in_axes .*got 'a'"),
    "float": (lambda: jax.vmap(max, in_axes=0.0)(ONES[2]), TypeError, "in_axes .*got 0.0"),
    "too few": (lambda: jax.vmap(jnp.add, in_axes=(0,))(ONES[2], ONES[2]), ValueError,
                r"in_axes \(0,\) has 1 entries, .*2 positional"),
    "nothing mapped": (lambda: jax.vmap(jnp.sin, in_axes=None)(ONES[2]), ValueError,
                       "no axis to map: in_axes .*axis_size"),
    "no axis": (lambda: jax.vmap(lambda first, second: first, in_axes=(0, 1))(ONES[2], ONES[2]),
                ValueError, r"map axis 1 of second, .*\(2,\)"),
    "negative axis": (lambda: jax.vmap(lambda x: x, in_axes=-2)(ONES[2]), ValueError,
                      r"map axis -2 of x, .*\(2,\)"),
    "a number": (lambda: jax.vmap(lambda x: x)({"w": 1.0}), ValueError, r"axis 0 of x\['w'\]"),
    "two sizes": (lambda: jax.vmap(lambda a, b: a)(ONES[2], {"w": ONES[3]}), ValueError,
                  r"found 2 \(axis 0 of a: float32\[2\]\); 3 \(axis 0 of b\['w'\]: float32\[3\]\)"),
    "another axis_size": (lambda: jax.vmap(lambda a: a, axis_size=4)(ONES[3]), ValueError,
                          r"3 \(axis 0 of a: .*4 \(axis_size\)"),
    "in_axes tree": (lambda: jax.vmap(lambda d: d, in_axes=({"a": 0, "c": 0},))({"a": ONES[2]}),
                     ValueError, "vmap in_axes does not fit"),
    "out_axes tree": (lambda: jax.vmap(lambda x: (x, x), out_axes=(0, 0, 0))(ONES[2]),
                      ValueError, "vmap out_axes does not fit"),
    "out_axes None": (lambda: jax.vmap(lambda x: x, out_axes=None)(ONES[2]), ValueError,
                      "out_axes=None for a mapped result"),
    "a result that is none": (lambda: jax.vmap(lambda x: "a")(ONES[2]), TypeError, "'a' of type"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("axis", [1, -2, 5])
def test_an_axis_that_a_result_does_not_have_is_refused(axis):
    with pytest.raises(ValueError, match=f"no axis {axis}"):
        jax.vmap(lambda x: x, out_axes=axis)(ONES[2])


def test_out_axes_is_named_when_the_axis_is_not_there():
    with pytest.raises(ValueError, match="out_axes"):
        jax.vmap(lambda x: x, out_axes=1)(ONES[2])


@pytest.mark.parametrize("options, name", [
    ({"in_axes": True}, "in_axes"), ({"in_axes": (0, {"a": False})}, "in_axes"),
    ({"in_axes": {"a": 0}}, "in_axes"), ({"out_axes": 1.0}, "out_axes"),
    ({"out_axes": [0, True]}, "out_axes"),
])
def test_what_is_no_axis_is_refused_before_the_call(options, name):
    with pytest.raises(TypeError, match=f"vmap takes {name}"):
        jax.vmap(lambda x: x, **options)


def test_what_is_no_array_is_named():
    with pytest.raises(TypeError, match="second"):
        jax.vmap(lambda first, second: first)(X23, "text")


# What is computed.


@pytest.mark.parametrize("f, names", [
    (lambda x: x * 2.0 + 1.0, ["mul", "add"]), (lambda x: x + x, ["add"]),
    (lambda x: jnp.sin(np.float32(2.0)), ["sin", "broadcast_in_dim"]),
    (lambda x: lax.reduce_sum(x, (0,)), ["reduce_sum"]),
    (lambda x: lax.dot_general(x, x, (((0,), (0,)), ((), ()))), ["dot_general"]),
])
def test_one_operation_for_all_examples(f, names):
    closed = jax.make_jaxpr(jax.vmap(f))(X23)
    assert [eqn.primitive.name for eqn in closed.eqns] == names


def test_only_what_is_mapped_is_boxed_and_examples_have_their_own_type():
    seen = []

    def f(x, y):
        z = y * 2.0
        seen.append([isinstance(v, Tracer) for v in (x, y, z, x * y)])
        seen.append((x.shape, x.ndim, repr(x)))
        return x

    jax.vmap(f, in_axes=(1, None))(X23, ONES[2])
    assert seen[0] == [True, False, False, True]
    assert seen[1] == ((2,), 1, "VmapTracer(aval=float32[2], batched=float32[2,3])")


@pytest.mark.parametrize("f, args, in_axes", [
    (lambda x, v: lax.pad(x, v, [(1, -1, 1)]), (X23, np.float32([7, 8])), 0),
    (lambda x, v: lax.pad(x, v, [(1, -1, 1)]), (X23, np.float32(7)), (0, None)),
    (lambda x, v: lax.pad(x, v, [(2, 0, 0)]), (X23[0], np.float32([7, 8])), (None, 0)),
    (lambda w, x: lax.select_n(w, x, -x), (np.array([True, False]), X23), 0),
    (lambda w, x: lax.select_n(w, x, -x), (np.array([True, False]), X23[0]), (0, None)),
    (lambda w, x: lax.select_n(w, x, -x), (np.bool_(True), X23), (None, 1)),
    (lambda w, x: lax.select_n(w, x, -x), (X23 > 2, X23.T), (0, 1)),
    (lambda x, y: lax.concatenate([x, y], 0), (X23, X23[0]), (0, None)),
    (lambda x, y: lax.add(x, y), (ONES[2], np.ones((3, 4, 2), np.float32)), (0, 2)),
    (lambda x, y: lax.dot_general(x, y, (((0,), (1,)), ((), ()))), (X23, np.ones((4, 3, 2))),
     (0, 2)),
    (lambda x, y: lax.dot_general(x, y, (((0,), (1,)), ((), ()))), (X23[0], np.ones((4, 3, 2))),
     (None, 2)),
])
def test_awkward_combinations_of_axes(f, args, in_axes):
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * 2
    args = [np.asarray(x, np.float32) if np.asarray(x).dtype == float else x for x in args]
    size = next(np.shape(x)[a] for x, a in zip(args, axes, strict=True) if a is not None)
    rows = [f(*(x if a is None else np.take(x, i, a) for x, a in zip(args, axes, strict=True)))
            for i in range(size)]
    np.testing.assert_allclose(jax.vmap(f, in_axes)(*args), np.stack(rows))


# Rules.


def test_a_missing_rule_names_its_table():
    p = Primitive("bare")
    p.def_impl(lambda x: x)
    p.def_abstract_eval(lambda x: x)
    with pytest.raises(NotImplementedError) as caught:
        jax.vmap(p.bind)(X23)
    assert "bare has no batching rule" in str(caught.value)
    assert "primitive_batchers[bare_p] = rule" in str(caught.value)
    assert jax.vmap(lambda x: x * p.bind(2.0))(X23).shape == (2, 3)  # none is needed


def test_a_fancy_rule_is_told_the_axis_and_comes_first():
    p, seen = Primitive("fancy"), []
    p.def_impl(lambda x: x)
    p.def_abstract_eval(lambda x: x)

    def rule(axis_data, vals, dims):
        seen.append((axis_data, [isinstance(x, Tracer) for x in vals], dims))
        return vals[0], dims[0]

    def wrong(vals, dims):
        raise AssertionError("the plain rule was asked")

    fancy_primitive_batchers[p], primitive_batchers[p] = rule, wrong
    jax.vmap(p.bind, in_axes=1, axis_name="i")(X23)
    assert seen == [(AxisData("i", 3), [False], (1,))]


# Moving axes.


@pytest.mark.parametrize("source, destination", [(0, 2), (2, 0), (1, -1), (-1, 1), (1, 1)])
def test_moveaxis(source, destination):
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(moveaxis(x, source, destination),
                                  np.moveaxis(x, source, destination))


def test_axes_that_are_made():
    assert broadcast_axis(X23, 5, -1).shape == (2, 3, 5)
    assert bdim_at_front(X23, None, 5).shape == (5, 2, 3)
    assert bdim_at_front(X23, 1, 3).shape == (3, 2)
    assert matchaxis(5, None, 1, X23).shape == (2, 5, 3)
    assert matchaxis(2, 0, 1, X23).shape == (3, 2)
    assert matchaxis(2, 1, 1, X23) is X23
