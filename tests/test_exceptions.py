"""An exception that leaves a traced function leaves the machine as it was."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.tracing import Tracer, trace_ctx


class Thrown(Exception):
    pass


def by_jit(f):
    return jax.jit(f)


def by_vmap(f):
    return lambda x: jax.vmap(f)(jnp.stack([x, x]))[0]


def by_jvp(f):
    return lambda x: jax.jvp(f, (x,), (x,))[1]


def by_linearize(f):
    return lambda x: jax.linearize(f, x)[1](x)


def by_grad(f):
    return lambda x: jax.grad(f)(x)


def by_vjp(f):
    return lambda x: jax.vjp(f, x)[1](x)[0]


def by_make_jaxpr(f):
    def g(x):
        jax.make_jaxpr(f)(x)
        return f(x)

    return g


def by_eval_shape(f):
    def g(x):
        jax.eval_shape(f, x)
        return f(x)

    return g


TRANSFORMATIONS = (by_jit, by_vmap, by_jvp, by_linearize, by_grad, by_vjp, by_make_jaxpr,
                   by_eval_shape)
NESTINGS = [fs for depth in (1, 2) for fs in itertools.product(TRANSFORMATIONS, repeat=depth)]
NESTINGS += [(by_grad, by_vmap, by_jit), (by_jit, by_jvp, by_vmap), (by_vmap, by_jit, by_vjp),
             (by_linearize, by_jit, by_linearize), (by_jit, by_jit, by_jit)]
nestings = pytest.mark.parametrize(
    "nesting", NESTINGS, ids=lambda fs: "(".join(f.__name__[3:] for f in fs))


def nested(nesting, f):
    for transformation in reversed(nesting):
        f = transformation(f)
    return f


def assert_clean():
    """The ground floor is current again, and every transformation works."""
    assert type(trace_ctx.trace).__name__ == "EvalTrace"
    f = jax.jit(lambda x: jnp.sin(x) * x)
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(np.zeros(2, np.float32)), 0.0)
    assert float(jnp.add(1.0, 2.0)) == 3.0


@nestings
def test_thrown_by_the_function(nesting):
    """Thrown at the first call, it comes out as it is; the same function works the next time."""
    healthy = False

    def f(x):
        y = jnp.sin(x) * 2.0
        if not healthy:
            raise Thrown("on purpose")
        return y

    g = nested(nesting, f)
    with pytest.raises(Thrown, match="on purpose"):
        g(jnp.asarray(0.5))
    assert_clean()
    healthy = True
    want = nested(nesting, lambda x: jnp.sin(x) * 2.0)(jnp.asarray(0.5))
    np.testing.assert_allclose(g(jnp.asarray(0.5)), want, rtol=1e-6)


@nestings
def test_thrown_and_caught_inside_the_function(nesting):
    """A function may catch what an inner traced function threw, and go on."""
    def inner(x):
        raise Thrown(str(x))

    def f(x):
        try:
            nested(nesting, inner)(x * 3.0)
        except Thrown:
            return jnp.sin(x)
        raise AssertionError("the exception was swallowed")

    value, slope = jax.value_and_grad(jax.jit(f))(jnp.asarray(0.5))
    np.testing.assert_allclose([value, slope], [np.sin(0.5), np.cos(0.5)], rtol=1e-6)
    assert_clean()


@nestings
def test_thrown_by_a_rule(nesting):
    """An error of the operations themselves: shapes that do not meet."""
    with pytest.raises(TypeError):
        nested(nesting, lambda x: jnp.sum(jnp.ones(3) * x + jnp.ones(4)))(jnp.asarray(0.5))
    assert_clean()


@nestings
def test_a_leaked_tracer_is_named(nesting):
    """Used after its trace has ended, a tracer raises, and then also no harm is left."""
    leaked = []

    def f(x):
        leaked.append(x * 2.0)
        return jnp.sin(x)

    nested(nesting, f)(jnp.asarray(0.5))
    tracers = [x for x in leaked if isinstance(x, Tracer)]
    for use in (lambda x: x + 1.0, jnp.sin, jax.jit(lambda x: x * 2.0)):
        with pytest.raises(jax.errors.UnexpectedTracerError):
            use(tracers[-1])
        assert_clean()


def test_a_tracer_of_a_finished_trace_used_inside_another():
    leaked = []
    jax.jit(lambda x: leaked.append(x) or x)(1.0)
    for transformation in TRANSFORMATIONS:
        with pytest.raises(jax.errors.UnexpectedTracerError):
            transformation(lambda x: x + leaked[0])(jnp.asarray(1.0))
        assert_clean()


@nestings
def test_a_leaked_tracer_is_found_while_tracing(nesting):
    """Nothing runs here: the tracer is refused when it is recorded."""
    leaked = []
    nested(nesting, lambda x: leaked.append(x * 2.0) or x)(jnp.asarray(0.5))
    [*_, tracer] = [x for x in leaked if isinstance(x, Tracer)]
    for trace in (jax.make_jaxpr, lambda f: lambda x: jax.eval_shape(f, x)):
        with pytest.raises(jax.errors.UnexpectedTracerError):
            trace(lambda x: x + tracer)(jnp.asarray(1.0))
        assert_clean()


@pytest.mark.parametrize("misuse, error", [
    (lambda x: 1.0 if x > 0 else x, "TracerBoolConversionError"),
    (lambda x: jnp.ones(3) * float(x), "ConcretizationTypeError"),
    (lambda x: np.sin(x) * x, "TracerArrayConversionError"),
    (lambda x: [1.0, 2.0][x.astype(int)], "TracerIntegerConversionError"),
], ids=["if", "float", "numpy", "list"])
@pytest.mark.parametrize("outer", [by_grad, by_vmap, by_jvp, by_jit], ids=lambda f: f.__name__)
def test_misuse_of_a_tracer(misuse, error, outer):
    with pytest.raises(getattr(jax.errors, error)):
        outer(jax.jit(misuse))(jnp.asarray(0.0))
    assert_clean()


def test_thrown_while_pulling_back():
    """The exception comes from the linear half, long after the function itself was traced."""
    _, pull = jax.vjp(lambda x: x * 2.0, jnp.ones(3))
    _, push = jax.linearize(lambda x: x * 2.0, jnp.ones(3))
    for wrong in (lambda: pull(jnp.ones(4)), lambda: push(jnp.ones(4)), lambda: jax.jit(pull)(1)):
        with pytest.raises((TypeError, ValueError)):
            wrong()
        assert_clean()
    np.testing.assert_array_equal(np.asarray(pull(jnp.ones(3))[0]), np.full(3, 2, np.float32))


def test_keyboard_interrupt_is_no_exception_to_the_rule():
    def f(x):
        raise KeyboardInterrupt

    for transformation in TRANSFORMATIONS:
        with pytest.raises(KeyboardInterrupt):
            transformation(transformation(f))(jnp.asarray(1.0))
        assert_clean()


def test_a_generator_closed_half_way():
    """A block left by an exception that is thrown from outside."""
    def steps():
        def f(x):
            for k in range(3):
                x = x * k + 1.0
            return x

        with jax.enable_x64(True):
            yield jax.jit(f)(1.0).dtype

    running = steps()
    assert next(running) == np.float64
    with pytest.raises(Thrown):
        running.throw(Thrown)
    assert jnp.asarray(1.0).dtype == np.float32
    assert_clean()
