"""Units, carried by a trace of one's own, are right under and around every transformation."""

import inspect

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from examples.unit_trace import UnitError, with_units
from minijax import lax
from minijax.errors import UnexpectedTracerError

M, S, KG = {"m": 1}, {"s": 1}, {"kg": 1}
XS = np.array([0.5, 1.0, 2.0], np.float32)


def cube(x):
    """In cubic metres, of metres: through a jit that closes over x."""
    area = jax.jit(lambda y: y * x)(x)
    return jnp.sin(0.3) * area * x + 0.0


def cube_plain(x):
    return np.sin(0.3) * x**3


# Each maps a function of a number to another one, and says by how much the power of m changes.


def by_nothing(f):
    return f


def by_jit(f):
    return jax.jit(f)


def by_grad(f):
    return jax.grad(f)


def by_vmap(f):
    """Both ways: mapped arguments, and an axis that the function makes itself."""
    return lambda x: jnp.sum(jax.vmap(lambda y, z: f(y * z), (0, None))(jnp.array([0.5, 1.5]), x))


def by_jvp(f):
    return lambda x: jax.jvp(f, (x,), (1.0,))[1]


def by_linearize(f):
    return lambda x: jax.linearize(f, x)[1](1.0)


LOSES_A_METRE = {by_grad, by_jvp, by_linearize}
STEPS = [by_nothing, by_jit, by_grad, by_vmap, by_jvp, by_linearize]
NESTINGS = [
    (by_nothing,), (by_jit,), (by_grad,), (by_vmap,), (by_jvp,), (by_linearize,),
    (by_jit, by_grad), (by_grad, by_jit), (by_grad, by_grad), (by_vmap, by_grad),
    (by_grad, by_vmap), (by_jit, by_vmap), (by_vmap, by_jit), (by_jit, by_grad, by_jit, by_grad),
    (by_jvp, by_grad), (by_grad, by_jvp), (by_jit, by_grad, by_vmap), (by_vmap, by_grad, by_jit),
    (by_linearize, by_jit, by_vmap),
]  # fmt: skip


def nested(steps, f):
    for step in reversed(steps):
        f = step(f)
    return f


def names(steps):
    return "(".join(step.__name__[3:] for step in steps)


@pytest.mark.parametrize("inside", NESTINGS, ids=names)
def test_units_of_transformed_functions(inside):
    out, units = with_units(nested(inside, cube), M)(1.3)
    np.testing.assert_allclose(out, nested(inside, cube_plain)(1.3), rtol=1e-5)
    assert units == [{"m": 3 - sum(step in LOSES_A_METRE for step in inside)}]


@pytest.mark.parametrize("outside", NESTINGS, ids=names)
@pytest.mark.parametrize("inside", [(by_nothing,), (by_jit,), (by_grad, by_jit)], ids=names)
def test_transformations_around_units(inside, outside):
    """The transformations outside don't know of units, and inside they are as ever."""
    seen = []

    def f(x):
        out, units = with_units(nested(inside, cube), M)(x)
        seen.append(units)
        return out

    got, want = nested(outside, f)(1.3), nested(outside + inside, cube_plain)(1.3)
    np.testing.assert_allclose(got, want, rtol=1e-4)
    assert seen and all(units == [{"m": 3 - (by_grad in inside)}] for units in seen)


def test_arguments_and_results_are_pytrees():
    def energy(mass, state):
        return {"kinetic": 0.5 * mass * state["v"] * state["v"], "ratio": mass / mass}

    out, units = with_units(energy, KG, {"m": 1, "s": -1})(XS, {"v": XS})
    np.testing.assert_allclose(out["kinetic"], 0.5 * XS**3)
    assert units == [{"kg": 1, "m": 2, "s": -2}, {}]


def test_vmap_of_gradients_by_each_argument():
    def work(force, way):
        return jax.jit(jnp.dot)(force, way)

    gradients = jax.vmap(jax.grad(work, (0, 1)), in_axes=(0, None))
    (of_force, of_way), units = with_units(gradients, {"N": 1}, M)(np.stack([XS, 2 * XS]), XS)
    np.testing.assert_allclose(of_force, np.stack([XS, XS]))
    np.testing.assert_allclose(of_way, np.stack([XS, 2 * XS]))
    assert units == [{"m": 1}, {"N": 1}]


def test_roots_choices_and_zeros():
    """A zero that nobody gave a unit fits every unit, in the derivatives' rules too."""
    def f(x):
        y = jnp.where(x > 0, x, 0.0)
        return jnp.sum(jnp.sqrt(lax.mul(y, y)) + lax.max(x, lax.full_like(x, 0)) + jnp.abs(x))

    for g in (f, jax.jit(f)):
        assert with_units(g, M)(XS)[1] == [{"m": 1}]
        out, units = with_units(jax.grad(g), M)(XS)
        np.testing.assert_allclose(out, np.full(3, 3.0))
        assert units == [{}]


# Closures.


def test_an_inner_function_closes_over_an_outer_tracer():
    def f(x, t):
        def speed(y):
            return jax.jit(lambda z: jax.jit(lambda w: w * z / t)(y))(y)

        return jax.grad(jax.jit(lambda y: speed(y) + x * x / t))(x), speed(x)

    (slope, value), units = with_units(f, M, S)(3.0, 2.0)
    assert (float(slope), float(value)) == (3.0, 4.5)
    assert units == [{"m": 1, "s": -1}, {"m": 2, "s": -1}]


def test_units_within_units():
    """To the inner trace the outer one's values are plain: each carries what it was given."""
    seen = []

    def f(x):
        def inner(y):
            return jax.jit(lambda z: z * x)(y)

        out, units = with_units(inner, S)(2.0 * x)
        seen.append(units)
        return out

    out, units = with_units(f, M)(3.0)
    assert float(out) == 18.0 and units == [{"m": 2}] and seen == [[{"s": 1}]]


def test_the_units_are_part_of_what_a_program_is_remembered_for():
    f = jax.jit(lambda x: x * x)
    assert [with_units(f, unit)(2.0)[1] for unit in (M, S, M, {})] == [
        [{"m": 2}], [{"s": 2}], [{"m": 2}], [{}]
    ]  # fmt: skip


def test_a_value_may_be_asked_where_it_is_known():
    assert with_units(lambda x: x * x if x > 1.0 * x / 2 else x, M)(3.0)[1] == [{"m": 2}]
    assert with_units(lambda x: int(x) * x, M)(3.0)[1] == [{"m": 1}]


# Wrong units.


def wrong(x, t):
    distance = 2.0 * x
    return distance + t


def wrong_by_kind(x, t):
    ratio = x / t
    return jnp.exp(ratio)


def line_of(fun, text):
    lines, start = inspect.getsourcelines(fun)
    (number,) = [start + i for i, line in enumerate(lines) if text in line]
    return f"test_unit_trace.py:{number} in {fun.__name__}"


def by_sum_of_vmap(f):
    return lambda x, t: jnp.sum(jax.vmap(f, (0, None))(jnp.stack([x, x]), t))


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, lambda f: jax.jit(jax.jit(f)), jax.grad, lambda f: jax.grad(jax.jit(f)),
    lambda f: jax.jit(jax.grad(f)), by_sum_of_vmap, lambda f: by_sum_of_vmap(jax.jit(f)),
    lambda f: jax.jit(jax.grad(by_sum_of_vmap(jax.jit(f)))),
])  # fmt: skip
def test_a_wrong_unit_names_the_users_line(transform):
    with pytest.raises(UnitError) as caught:
        with_units(transform(wrong), M, S)(1.0, 2.0)
    assert line_of(wrong, "distance + t") in str(caught.value)
    assert "m**1" in str(caught.value) and "s**1" in str(caught.value)
    with pytest.raises(UnitError, match="exp takes plain numbers") as caught:
        with_units(transform(wrong_by_kind), M, S)(1.0, 2.0)
    assert line_of(wrong_by_kind, "exp(ratio)") in str(caught.value)


@pytest.mark.parametrize("transform", [
    jax.jit, jax.grad, lambda f: jax.jit(jax.grad(f)), lambda f: lambda x: jax.vmap(f)(XS),
])  # fmt: skip
def test_a_wrong_unit_inside_a_transformation_names_the_line_too(transform):
    with pytest.raises(UnitError) as caught:
        transform(lambda x: with_units(jax.jit(wrong), M, S)(x, 2.0)[0])(1.0)
    assert line_of(wrong, "distance + t") in str(caught.value)


def test_equations_come_from_the_users_lines():
    def f(x):
        return with_units(wrong, M, M)(x, x)[0]

    sources = [str(eqn.source_info) for eqn in jax.make_jaxpr(f)(1.0).eqns]
    assert [source.endswith(line_of(wrong, text)) for source, text in
            zip(sources, ["2.0 * x", "distance + t"], strict=True)] == [True, True]  # fmt: skip


def test_after_an_error_all_is_as_before():
    for _ in range(2):
        with pytest.raises(UnitError):
            with_units(jax.jit(wrong), M, S)(1.0, 2.0)
        assert with_units(jax.jit(wrong), M, M)(1.0, 2.0)[1] == [{"m": 1}]


def test_a_tracer_that_outlives_its_trace_is_refused():
    kept = []
    with_units(lambda x: kept.append(x) or x, M)(1.0)
    for use in (lambda: kept[0] + 1.0, lambda: jax.jit(lambda: kept[0] + 1.0)()):
        with pytest.raises(UnexpectedTracerError):
            use()
