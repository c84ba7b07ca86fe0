"""What transformations make of their arguments: axes, static and donated ones, those of grad."""

from types import SimpleNamespace

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.arguments import (
    abstractify,
    call_by,
    check_scalar,
    chosen_args,
    differentiable,
    donated_leaves,
    flatten_axes,
    infer_args,
    mapped_size,
    partial_on,
    split_static,
    static_key,
    value_key,
    within,
)
from minijax.core.calls import debug_info
from minijax.tree_util import GetAttrKey, register_pytree_with_keys, tree_leaves, tree_structure

# Axes.

ARGS = ({"w": 1, "b": [2, None]}, 3)


@pytest.mark.parametrize("axes, flat", [
    (0, [0, 0, 0]), (None, [None, None, None]), ((0, None), [0, 0, None]),
    (({"b": 1, "w": None}, 2), [1, None, 2]), (({"w": 0, "b": [4, 5]}, 2), [4, 0, 2]),
])  # fmt: skip
def test_an_axis_stands_for_all_leaves_below(axes, flat):
    assert flatten_axes("in_axes", tree_structure(ARGS), axes) == flat


def test_where_none_is_no_leaf():
    assert flatten_axes("axes", tree_structure((1, None)), (0, None), is_leaf=None) == [0]
    assert flatten_axes("axes", tree_structure(((), {})), (0, 0)) == []


class Named:
    def __init__(self, x):
        self.x = x


register_pytree_with_keys(
    Named, lambda n: (((GetAttrKey("x"), n.x),), None), lambda aux, xs: Named(*xs)
)


@pytest.mark.parametrize("axes, sentence", [
    (((0, 1), 0), r"at \[0\]: expected dict, got tuple"),
    ((0,), "at the root: expected tuple of length 2, got tuple of length 1"),
    (({"w": 0}, 0), r"at \[0\]: expected dict with keys \('b', 'w'\), got .* \('w',\)"),
    (({"w": 0, "b": [0]}, 0), r"at \[0\]\['b'\]: expected list of length 2, got list of length 1"),
    ((0, [1]), r"at \[1\]: expected a leaf, got list"),
])  # fmt: skip
def test_axes_that_do_not_fit(axes, sentence):
    """What was expected is the tree that the axes are for; what was got is the axes."""
    with pytest.raises(ValueError, match=f"^vmap in_axes does not fit .* {sentence}"):
        flatten_axes("vmap in_axes", tree_structure(ARGS), axes)


def test_the_place_is_told_by_the_keys_of_the_class():
    with pytest.raises(ValueError, match=r"at \.x\[0\]: expected a leaf, got tuple"):
        flatten_axes("axes", tree_structure(Named([1])), Named([(0,)]))


def first(a, b):
    return a


def sizes(vals, axes, axis_size=None):
    return mapped_size(debug_info("vmap", first, tuple(vals), {}), axis_size, vals, axes)


def test_mapped_size():
    assert sizes([np.ones((2, 3)), np.ones(3)], [-1, 0]) == 3
    assert sizes([1.0, np.ones(3)], [None, 0], axis_size=3) == 3
    assert sizes([1.0, 2.0], [None, None], axis_size=5) == 5
    with pytest.raises(ValueError, match=r"2 \(axis 0 of a: .*\); 3 \(axis 0 of b: .*\)"):
        sizes([np.ones(2), np.ones(3)], [0, 0])
    with pytest.raises(ValueError, match=r"map axis 1 of b, which has the shape \(3,\)"):
        sizes([np.ones(2), np.ones(3)], [None, 1])


# What stands for an array.


def test_abstractify():
    struct = jax.ShapeDtypeStruct((2,), np.float32)
    assert abstractify(struct) is abstractify(np.ones(2, np.float32)) is struct.aval
    assert abstractify(SimpleNamespace(shape=[2], dtype="float32")) is struct.aval
    assert abstractify(2.0).weak_type and abstractify(jnp.ones(2)) is struct.aval
    assert abstractify(SimpleNamespace(shape=(), dtype="float32", weak_type=True)).weak_type
    with pytest.raises(TypeError, match="'a' of type str"):
        abstractify("a")


# Static arguments.


def power(x, n, mode="plus"):
    return x**n if mode == "plus" else -(x**n)


@pytest.mark.parametrize("nums, size, places", [
    ((0, -1), 3, [0, 2]), ((3, -4, 1), 3, [1]), ((), 2, []), ((0, -1), 0, []),
])  # fmt: skip
def test_positions_within_a_call(nums, size, places):
    assert within(nums, size) == places


def test_split_static():
    fun, args, kwargs, static = split_static(power, (2.0, 3), {"mode": "minus"}, [-1], ["mode"])
    assert (args, kwargs, static) == ((2.0,), {}, ((1, 3), ("mode", "minus")))
    assert fun(2.0) == -8.0 and fun.__name__ == "power"
    assert split_static(power, (2.0,), {}, [5], ["mode"]) == (power, (2.0,), {}, ())


def test_the_type_is_part_of_a_static_argument():
    keys = {static_key(((1, value),), power) for value in (1, 1.0, True, np.int32(1))}
    assert len(keys) == 4
    keys = {static_key(((1, (value, "a")),), power) for value in (0, 0.0, False, -0.0, 0j)}
    assert len(keys) == 5
    assert value_key(float("nan")) == value_key(np.nan) != value_key(-np.nan)
    with pytest.raises(ValueError, match=r"power's static argument 1 is \[3\]"):
        static_key(((0, 2), (1, [3])), power)


@pytest.mark.parametrize("argnums, argnames, expected", [
    (1, None, ((1,), ("n",))), (None, "n", ((1,), ("n",))), (-1, None, ((-1,), ("mode",))),
    ((0, 1), "mode", ((0, 1), ("mode",))), (None, None, ((), ())), ((), None, ((), ())),
])  # fmt: skip
def test_what_is_given_one_way_is_looked_up_the_other(argnums, argnames, expected):
    assert infer_args(power, argnums, argnames) == expected


@pytest.mark.parametrize("argnums, argnames, error, words", [
    (3, None, ValueError, r"\(3,\), and power has only: x, n, mode"),
    ((0, -4), "z", ValueError, r"\(-4, 'z'\)"), (None, 1, TypeError, r"strings, and got \(1,\)"),
])  # fmt: skip
def test_arguments_that_a_function_lacks(argnums, argnames, error, words):
    with pytest.raises(error, match=words):
        infer_args(power, argnums, argnames)


def test_functions_of_any_arguments():
    """Nothing can be looked up, and nothing is missed: of *args, **kwargs, and of builtins."""
    for fun in (lambda *args: args, lambda x, **kwargs: x, max):
        assert infer_args(fun, 5, None) == ((5,), ())
    with pytest.raises(TypeError, match="strings"):
        infer_args(max, None, 1)


# Donated arguments.


def test_donated_leaves():
    args, kwargs = (7, {"a": 1.0, "b": 2.0}, 3.0), {"z": (1.0, 2.0), "k": 1.0, "n": 3}
    leaves = tree_leaves(((args[1:]), {"z": kwargs["z"], "k": kwargs["k"]}))
    marks = donated_leaves(((1, 9), ("z",)), args, kwargs, ((0,), ("n",)), leaves)
    assert marks == (True, True, False, False, True, True)
    assert len(marks) == len(leaves)
    none = donated_leaves(((), ()), args, kwargs, ((0,), ("n",)), leaves)
    assert none == (False,) * len(leaves)


# Arguments that a gradient is taken by.


@pytest.mark.parametrize("argnums, places", [(0, (0,)), (-1, (2,)), ((2, 0), (2, 0))])
def test_chosen_args(argnums, places):
    assert chosen_args(argnums, (1.0, 2.0, 3.0), "grad") == places


@pytest.mark.parametrize("argnums, error", [
    ((), ValueError), (-4, ValueError), (3, TypeError), ((0, 0), TypeError), ((0, -3), TypeError),
])  # fmt: skip
def test_refused_argnums(argnums, error):
    with pytest.raises(error, match="^grad .* 3 positional"):
        chosen_args(argnums, (1.0, 2.0, 3.0), "grad")


def test_call_by():
    def f(a, b, c, k):
        return a, b, c, k

    fun, chosen, info = call_by(
        f, (2, 0), (1.0, "b", {"w": 3.0}), {"k": "k"}, "grad", differentiable(False)
    )
    assert chosen == ({"w": 3.0}, 1.0) and fun(30.0, 10.0) == (10.0, "b", 30.0, "k")
    assert [info.arg_name(i) for i in range(3)] == ["c['w']", "a", None]
    assert partial_on(f, (1,), (1, 2, 3), {"k": 4})(20) == (1, 20, 3, 4)
    with pytest.raises(TypeError, match=r"^grad can't differentiate by .*int32.* for b"):
        call_by(f, 1, (1.0, 2, 3.0), {"k": 1}, "grad", differentiable(False))
    assert call_by(f, 1, (1.0, 2, 3.0), {"k": 1}, "grad", differentiable(True))[1] == (2,)


@pytest.mark.parametrize("result, words", [
    ((1.0, 2.0), r"it returned PyTreeDef.*has_aux"), ([1.0], "it returned PyTreeDef"),
    (np.ones(3, np.float32), r"it returned float32\[3\].*Sum or average"),
    (2, "needs a float result.*int32.*astype"), (1j, "needs a float result.*complex64.*vjp"),
])  # fmt: skip
def test_a_gradient_is_of_one_number(result, words):
    with pytest.raises(TypeError, match=f"^grad .*{words}"):
        check_scalar(result, "grad")
    check_scalar(np.float32(1), "grad")
