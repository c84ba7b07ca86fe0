"""Derivatives inside derivatives do not mistake each other's small changes for their own."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp


def by_grad(f, x):
    return jax.grad(f)(x)


def by_jvp(f, x):
    return jax.jvp(f, (x,), (jnp.ones_like(x),))[1]


def by_linearize(f, x):
    return jax.linearize(f, x)[1](jnp.ones_like(x))


def by_vjp(f, x):
    y, pull = jax.vjp(f, x)
    return pull(jnp.ones_like(y))[0]


SLOPES = (by_grad, by_jvp, by_linearize, by_vjp)


def plainly(f):
    return f


def under_jit(f):
    return jax.jit(f)


def under_vmap(f):
    return lambda x: jax.vmap(f)(jnp.stack([x, x + 1.0]))[0]


def under_vmap_of_another(f):
    """Batched over something that `f` doesn't look at: its closure is not batched."""
    return lambda x: jax.vmap(lambda x, _: f(x), in_axes=(None, 0))(x, jnp.arange(2.0))[1]


WRAPPERS = (plainly, under_jit, under_vmap, under_vmap_of_another)


@pytest.fixture(autouse=True)
def in_float64(every_jaxpr_typechecks):
    with jax.enable_x64(True):
        yield


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)


pairs = pytest.mark.parametrize(
    "outer, inner, wrap",
    [pytest.param(*case, id="-".join(f.__name__ for f in case))
     for case in itertools.product(SLOPES, SLOPES, WRAPPERS)],
)


@pairs
def test_the_inner_slope_of_a_sum_is_one(outer, inner, wrap):
    """d/dx [x d/dy (x + y)] = 1; who confuses the two answers 2."""
    def f(x):
        return x * inner(wrap(lambda y: x + y), jnp.asarray(1.0))

    close(outer(f, jnp.asarray(3.0)), 1.0)


@pairs
def test_the_inner_slope_keeps_the_outer_variable(outer, inner, wrap):
    """d/dx [x d/dy (x^2 y^3)] = 9 x^2 y^2, where y is a constant, and 15 x^4 where y is x."""
    def with_constant(x):
        return x * inner(wrap(lambda y: x**2 * y**3), jnp.asarray(2.0))

    def with_x_itself(x):
        return x * inner(wrap(lambda y: x**2 * y**3), x)

    close(outer(with_constant, jnp.asarray(0.5)), 9.0)
    close(outer(with_x_itself, jnp.asarray(0.5)), 15 * 0.5**4)


@pytest.mark.parametrize("slopes", list(itertools.product(SLOPES, repeat=3)),
                         ids=lambda fs: "-".join(f.__name__ for f in fs))
def test_three_closures_deep(slopes):
    """d/dx d/dy d/dz of x^3 y^2 z + x y z, each variable seen from inside the others."""
    dx, dy, dz = slopes

    def f(x):
        def g(y):
            def h(z):
                return x**3 * y**2 * z + jax.jit(lambda w: w * y * z)(x)

            return dz(h, x * y)

        return dy(jax.jit(g), x * x)

    # g(y) = x^3 y^2 + x y, so f(x) = 2 x^5 + x, taken at y = x^2.
    x = 0.75
    close(dx(f, jnp.asarray(x)), 10 * x**4 + 1)


@pytest.mark.parametrize("slope", SLOPES)
def test_a_closed_over_batch_is_not_the_inner_batch(slope):
    """Two vmaps: the inner function sees one number of each, and a closed-over row."""
    xs, ys = jnp.arange(1.0, 4.0), jnp.arange(2.0)

    def at(x):
        return jax.vmap(lambda y: slope(lambda z: z * x * jnp.sum(xs) + y * z**2, y))(ys)

    want = 6.0 * np.arange(1.0, 4.0)[:, None] + 2 * np.arange(2.0)[None, :] ** 2
    close(jax.vmap(at)(xs), want)


@pytest.mark.parametrize("slope", SLOPES)
def test_a_slope_taken_while_tracing_for_jit(slope):
    @jax.jit
    def f(x, y):
        def g(z):
            return jnp.sin(z) * x

        return slope(g, y) + slope(lambda z: g(z) * z, y)

    x, y = 0.5, 0.25
    want = x * np.cos(y) + x * np.cos(y) * y + x * np.sin(y)
    close(f(jnp.asarray(x), jnp.asarray(y)), want)
    close(slope(lambda x: f(x, jnp.asarray(y)), jnp.asarray(x)), want / x)


@pytest.mark.parametrize("outer, inner", list(itertools.product(SLOPES, SLOPES)))
def test_a_linear_function_may_be_used_under_another_derivative(outer, inner):
    """`linearize` and `vjp` answer functions; closed over by f, they are constants of f."""
    x = jnp.asarray(0.5)
    _, push = jax.linearize(lambda z: jnp.sin(z) * z, x)
    _, pull = jax.vjp(lambda z: jnp.sin(z) * z, x)
    slope = np.cos(0.5) * 0.5 + np.sin(0.5)

    def f(y):
        return inner(lambda z: push(z * y) * pull(y)[0], y)

    # f(y) = slope^2 y^2
    close(outer(f, jnp.asarray(3.0)), 6.0 * slope**2)
