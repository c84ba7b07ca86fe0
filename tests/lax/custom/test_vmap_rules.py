"""A rule for vmap: when it is asked, what it is told, and its derivative."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.custom_batching import custom_vmap, sequential_vmap

X = np.array([0.5, -1.0, 2.0], np.float32)
asked = []


@custom_vmap
def product(x, y):
    return jnp.sin(x) * y


@product.def_vmap
def product_rule(axis_size, in_batched, x, y):
    asked.append((axis_size, in_batched))
    return 10 * jnp.sin(x) * y, in_batched[0] or in_batched[1]


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
@pytest.mark.parametrize("around", [lambda f: f, jax.jit])
def test_the_rule_is_told_what_is_mapped(axes, around):
    asked.clear()
    xs = [X if axis == 0 else X[1] for axis in axes]
    got = around(jax.vmap(product, axes))(*xs)
    np.testing.assert_allclose(got, 10 * np.sin(xs[0]) * xs[1], rtol=1e-6)
    assert asked == [(3, [axis == 0 for axis in axes])]
    assert product(0.5, 2.0) == jnp.sin(0.5) * 2


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_its_derivative_is_that_of_the_rule(axes):
    xs = [X if axis == 0 else X[1] for axis in axes]
    ts = [np.ones_like(x) for x in xs]
    expected = 10 * (np.cos(xs[0]) * xs[1] + np.sin(xs[0]))
    mapped = jax.vmap(product, axes)
    np.testing.assert_allclose(jax.jvp(mapped, xs, ts)[1], expected, rtol=1e-5)
    inside = jax.vmap(lambda *xs: jax.jvp(product, xs, (1.0, 1.0))[1], axes)
    np.testing.assert_allclose(inside(*xs), expected, rtol=1e-5)
    slope = jax.grad(lambda x: mapped(x, xs[1]).sum())(xs[0])
    np.testing.assert_allclose(np.sum(slope), np.sum(10 * np.cos(xs[0]) * xs[1] + 0 * X), rtol=1e-5)


def test_two_axes_ask_the_rule_for_the_inner_one():
    asked.clear()
    got = jax.vmap(jax.vmap(product, (0, None)), (None, 0))(X, X)
    np.testing.assert_allclose(got, 10 * np.sin(X) * X[:, None], rtol=1e-6)
    assert asked == [(3, [True, False])]


def test_integers_have_no_tangent():
    f = custom_vmap(lambda n, x: (n + 1, n * x))
    f.def_vmap(lambda size, mapped, n, x: ((n + 1, n * x), (mapped[0], True)))
    out, dots = jax.jvp(lambda x: f(3, x)[1], (2.0,), (1.0,))
    assert (out, dots) == (6.0, 3.0)
    np.testing.assert_array_equal(jax.vmap(f)(np.arange(3), X)[1], np.arange(3) * X)


def test_sequential_vmap_is_a_loop_of_calls():
    shapes = []
    f = sequential_vmap(lambda x, y: (shapes.append(x.shape), x * y)[1])
    np.testing.assert_array_equal(jax.vmap(f, (0, None))(X, 2.0), 2 * X)
    np.testing.assert_array_equal(jax.vmap(jax.vmap(f, (0, None)), (None, 0))(X, X), np.outer(X, X))
    assert set(shapes) == {()}


@pytest.mark.parametrize("axes", [*itertools.product((0, None), repeat=4)])
def test_the_derivative_of_a_rule_is_told_only_what_is_mapped(axes):
    """A primal whose tangent alone is mapped is none that is: the rule sees one example."""
    marks = []
    f = custom_vmap(lambda x, y: (x * y, y))

    @f.def_vmap
    def rule(size, mapped, x, y):
        marks.append(mapped)
        return (x * y, y), (mapped[0] or mapped[1], mapped[1])

    def derivative(fun):
        one = lambda x, y, x_dot, y_dot: jax.jvp(fun, (x, y), (x_dot, y_dot))  # noqa: E731
        return jax.vmap(one, axes)(*(X + i if a == 0 else 2.0 + i for i, a in enumerate(axes)))

    if axes != (None,) * 4:
        want = derivative(lambda x, y: (x * y, y))
        jax.tree.map(np.testing.assert_allclose, derivative(f), want)
        together = any(axes[i] == axes[i + 2] == 0 for i in range(2))
        assert together or marks == [[False, False]]
