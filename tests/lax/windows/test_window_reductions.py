"""Windows reduced: beyond what the oracle's cases and the table of primitives hold."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from numerics import directional

RANDOM = np.random.default_rng(2)


@pytest.mark.parametrize("size", [1, 2, 63, 100])
def test_a_wide_window_of_any_operation(size):
    """Above some places it is no program that the compiler writes out."""
    x = RANDOM.normal(size=(2, 120)).astype(np.float32)
    f = lambda x: lax.reduce_window(x, 0.0, lambda a, b: a + b, (1, size), (1, 7))  # noqa: E731
    want = np.lib.stride_tricks.sliding_window_view(x, size, 1)[:, ::7].sum(-1)
    np.testing.assert_allclose(f(x), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(jax.jit(f)(x), want, rtol=1e-4, atol=1e-5)


def test_a_companion_that_has_no_derivative():
    """The place of the largest goes along; tangents are those of the floats alone."""
    x, v = jnp.array([1.0, 4.0, 2.0, 3.0]), jnp.array([0.5, -1.0, 2.0, 8.0])

    def largest(x):
        def keep(a, b):
            first = a[0] >= b[0]
            return lax.select(first, a[0], b[0]), lax.select(first, a[1], b[1])

        return lax.reduce_window((x, jnp.arange(4)), (-jnp.inf, -1), keep, (2,))

    (value, place), (slope, _) = jax.jvp(largest, (x,), (v,))
    np.testing.assert_array_equal(value, [4, 4, 3])
    np.testing.assert_array_equal(place, [1, 1, 3])
    np.testing.assert_array_equal(slope, [-1, -1, 8])


def test_forward_derivatives_of_any_operation_to_second_order():
    with jax.enable_x64(True):
        x, v = RANDOM.uniform(0.5, 2, (2, 3, 4)), RANDOM.normal(size=(2, 3, 4))

        def f(x):
            return lax.reduce_window(x, 1.0, lambda a, b: a * b, (1, 2, 3), (1, 1, 1), "SAME")

        along = lambda x: jax.jvp(f, (x,), (v,))[1]  # noqa: E731
        np.testing.assert_allclose(along(x), directional(f, [x], [v]), atol=1e-7)
        second = jax.jvp(along, (x,), (v,))[1]
        np.testing.assert_allclose(second, directional(along, [x], [v]), atol=1e-6)
        each = np.stack([f(one[None])[0] for one in x])
        np.testing.assert_allclose(jax.vmap(lambda x: f(x[None])[0])(x), each)


def test_the_operation_and_its_start_choose_the_primitive():
    def name(fun, start, x=jnp.zeros(3)):  # noqa: B008
        jaxpr = jax.make_jaxpr(lambda x: lax.reduce_window(x, start, fun, (2,)))(x)
        return jaxpr.eqns[0].primitive.name

    assert name(lax.add, 0.0) == "reduce_window_sum"
    assert name(lax.max, -np.inf) == "reduce_window_max"
    assert name(lax.max, 0.0) == "reduce_window"
    assert name(lax.min, np.uint8(255), jnp.zeros(3, "uint8")) == "reduce_window_min"
    assert name(lax.add, 1.0) == name(jnp.add, 0.0) == name(lax.mul, 1.0) == "reduce_window"


def test_sixteen_bits_are_added_up_in_thirty_two():
    x = jnp.ones(3000, jnp.float16)
    assert float(lax.reduce_window(x, 0.0, lax.add, (3000,))[0]) == 3000


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("fun, start", [(lax.max, -np.inf), (lax.min, np.inf)])
def test_extremes_of_complex_numbers_in_a_compiled_loop(fun, start, padding):
    """By the real parts, then by the imaginary ones; NaN as in a window outside of loops."""
    x = (RANDOM.integers(-2, 3, (6, 9)) + 1j * RANDOM.integers(-2, 3, (6, 9))).astype("complex64")
    x[0, 3], x[1, 4] = complex(np.nan, 1), complex(1, np.nan)

    def row(x):
        return lax.reduce_window(x, complex(start, 0), fun, (3,), (2,), padding)

    def rows(x):
        return lax.scan(lambda c, x: (c, row(x)), 0, x)[1]

    np.testing.assert_array_equal(jax.jit(rows)(x), np.stack([row(one) for one in x]))
    assert jax.explain(rows)(x).on_numpy() == "nothing"
