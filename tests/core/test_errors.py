"""Errors: their classes, tracebacks with the user's lines alone, and tracers that leaked."""

import inspect
import traceback

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import errors, lax
from minijax.core.extend import (
    JaxprTypeError,
    Primitive,
    UnexpectedTracerError,
    api_boundary,
    check_jaxpr,
    config,
    primitive_jvps,
    primitive_transposes,
)

# The classes have one home, and JAX's bases.

BASES = {
    "ConcretizationTypeError": TypeError, "TracerBoolConversionError": TypeError,
    "TracerArrayConversionError": TypeError, "TracerIntegerConversionError": TypeError,
    "UnexpectedTracerError": TypeError, "NonConcreteBooleanIndexError": IndexError,
    "JaxRuntimeError": RuntimeError, "JaxprTypeError": TypeError, "TypePromotionError": ValueError,
}  # fmt: skip


@pytest.mark.parametrize("name", BASES)
def test_classes(name):
    cls = getattr(errors, name)
    assert issubclass(cls, BASES[name]) and cls.__module__ == "minijax.core.errors"
    assert cls.__doc__


def test_the_more_special_is_caught_as_the_more_general():
    assert issubclass(errors.TracerBoolConversionError, errors.ConcretizationTypeError)
    with pytest.raises(errors.ConcretizationTypeError):
        jax.jit(lambda x: 1 if x else 2)(True)


# Tracebacks.

XS = np.ones(3, np.float32)


def wrong_shapes(x):
    y = lax.sin(x)
    return helper(y)


def helper(y):
    return lax.add(jnp.ones(3), jnp.ones(4) * y)  # wrong


def traced_bool(x):
    if x > 0:
        return x
    return -x


def callers_error(x):
    return x + int("one")


TRANSFORMS = {
    "jit(vmap(grad))": lambda f: lambda: jax.jit(jax.vmap(jax.grad(f)))(XS),
    "jit": lambda f: lambda: jax.jit(f)(1.0),
    "grad": lambda f: lambda: jax.grad(f)(1.0),
    "vmap": lambda f: lambda: jax.vmap(f)(XS),
    "jvp": lambda f: lambda: jax.jvp(f, (1.0,), (1.0,)),
    "grad(jit)": lambda f: lambda: jax.grad(jax.jit(f))(1.0),
    "vmap(jit(jit))": lambda f: lambda: jax.vmap(jax.jit(jax.jit(f)))(XS),
    "vjp": lambda f: lambda: jax.vjp(jax.jit(f), 1.0),
    "linearize": lambda f: lambda: jax.linearize(jax.jit(f), 1.0),
    "make_jaxpr": lambda f: lambda: jax.make_jaxpr(jax.grad(f))(1.0),
    "eval_shape": lambda f: lambda: jax.eval_shape(f, 1.0),
    "jit.trace": lambda f: lambda: jax.jit(f).trace(1.0),
    "hessian": lambda f: lambda: jax.hessian(f)(1.0),
    "value_and_grad": lambda f: lambda: jax.value_and_grad(f)(1.0),
    "jacrev": lambda f: lambda: jax.jacrev(jax.jit(f))(XS),
}


def raised_by(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def frames(error):
    """(file, function) of each line of the traceback, ours by their modules."""
    return [(frame.f_globals["__name__"].split(".")[0], frame.f_code.co_name)
            for frame, _ in traceback.walk_tb(error.__traceback__)]  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("fun", [wrong_shapes, callers_error])
def test_a_traceback_shows_the_users_lines_alone(name, fun):
    error = raised_by(TRANSFORMS[name](fun))
    assert type(error) is (TypeError if fun is wrong_shapes else ValueError)
    assert "minijax" not in {module for module, _ in frames(error)}
    functions = [function for _, function in frames(error)]
    inner = ["wrong_shapes", "helper"] if fun is wrong_shapes else ["callers_error"]
    assert functions == ["raised_by", "<lambda>", *inner]
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert last.line.endswith("# wrong" if fun is wrong_shapes else 'int("one")')


@pytest.mark.parametrize("name", ["jit(vmap(grad))", "grad(jit)", "vmap(jit(jit))"])
def test_what_is_printed_names_no_file_of_ours(name):
    """Nor does what comes before it: no error of our own is shown as its cause or context."""
    for fun in (wrong_shapes, callers_error):
        error = raised_by(TRANSFORMS[name](fun))
        text = "".join(traceback.format_exception(error))
        assert "minijax/core" not in text and "During handling" not in text, text


failing_p = Primitive("failing")
failing_p.def_impl(lambda x: x)
failing_p.def_abstract_eval(lambda x: x)
primitive_jvps[failing_p] = lambda primals, tangents: (primals[0], failing_p.bind(tangents[0]))


def failing_transpose(ct, x):
    raise ZeroDivisionError


primitive_transposes[failing_p] = failing_transpose


@pytest.mark.parametrize("transform", [
    jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
    lambda f: lambda x: jax.vjp(jax.jit(f), x)[1](x),
])  # fmt: skip
def test_errors_of_the_backward_pass_too(transform):
    error = raised_by(lambda: transform(lambda x: failing_p.bind(x))(1.0))
    names = [function for _, function in frames(error) if function != "<lambda>"]
    assert names == ["raised_by", "failing_transpose"]
    text = "".join(traceback.format_exception(error))
    assert "minijax/core" not in text and "During handling" not in text, text


@pytest.mark.parametrize("call", [
    lambda: jax.jit(lambda x: x)("one"), lambda: jax.grad(lambda x: x)([None, "one"]),
    lambda: jax.jit(lambda x: x, static_argnums=0)([]), lambda: jax.vmap(lambda x: x)(object()),
    lambda: jax.jit(lambda x: (x, "one"))(1.0), lambda: jax.jit(lambda d: d)({1: 1, "a": 2}),
])  # fmt: skip
def test_causes_show_no_frames_of_ours_either(call):
    text = "".join(traceback.format_exception(raised_by(call)))
    assert "minijax/core" not in text, text


def filtering(value):
    return config.override("jax_traceback_filtering", value)


def test_filtering_can_be_switched_off():
    with filtering("off"):
        error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    modules = [module for module, _ in frames(error)]
    assert modules.count("minijax") > 10
    assert "".join(traceback.format_exception(error)).count("minijax/core") > 10


@pytest.mark.parametrize("value", ["auto", "remove_frames", "quiet_remove_frames",
                                   "tracebackhide"])  # fmt: skip
def test_the_ways_to_filter(value):
    with filtering(value):
        error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    assert "minijax" not in {module for module, _ in frames(error)}
    notes = getattr(error, "__notes__", [])
    assert len(notes) == (value == "remove_frames")
    assert all("jax_traceback_filtering" in note for note in notes)


def test_in_a_notebook():
    """IPython shows the traceback that the error carries."""
    ultratb = pytest.importorskip("IPython.core.ultratb")
    error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    lines = ultratb.AutoFormattedTB(mode="Context", theme_name="nocolor").text(
        type(error), error, error.__traceback__
    )
    assert "minijax/core" not in lines and "helper" in lines and "# wrong" in lines


def test_a_boundary_returns_and_raises_as_its_function_does():
    @api_boundary
    def f(x, *, y=2):
        """A docstring."""
        if x is None:
            raise KeyError("x") from ZeroDivisionError("cause")
        return x + y

    assert f(1) == 3 and f(1, y=3) == 4
    assert (f.__name__, f.__doc__) == ("f", "A docstring.")
    with pytest.raises(KeyError) as caught:
        f(None)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


# Leaks: a tracer that outlives its trace.


def line_of(fun, text):
    lines, start = inspect.getsourcelines(fun)
    (number,) = [start + i for i, line in enumerate(lines) if text in line]
    return number


LEAKING = {
    "jit": lambda f: jax.jit(f)(1.0), "grad": lambda f: jax.grad(f)(1.0),
    "vmap": lambda f: jax.vmap(f)(XS), "jvp": lambda f: jax.jvp(f, (1.0,), (1.0,)),
    "linearize": lambda f: jax.linearize(f, 1.0), "vjp": lambda f: jax.vjp(f, 1.0),
    "jit(grad)": lambda f: jax.jit(jax.grad(f))(1.0),
    "grad(jit)": lambda f: jax.grad(jax.jit(f))(1.0),
    "vmap(grad)": lambda f: jax.vmap(jax.grad(f))(XS),
    "eval_shape": lambda f: jax.eval_shape(f, 1.0),
    "make_jaxpr": lambda f: jax.make_jaxpr(f)(1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKING)
def test_a_leak_names_the_operation_and_its_line(name):
    kept = []

    def f(x):
        y = lax.sin(x)
        kept.append(lax.mul(y, y))
        return y

    LEAKING[name](f)
    line = f"{__file__}:{line_of(f, 'lax.mul')} in f"
    for use in (
        lambda: kept[0] + 1.0, lambda: jax.jit(lambda x: x * kept[0])(1.0),
        lambda: jax.grad(lambda x: x * kept[0])(1.0), lambda: jnp.sum(kept[0]),
    ):  # fmt: skip
        with pytest.raises(UnexpectedTracerError, match="made by: mul at") as caught:
            use()
        assert line in str(caught.value) and "traced: f" in str(caught.value)


@pytest.mark.parametrize("name", LEAKING)
def test_a_leaked_argument_is_called_one(name):
    kept = []
    LEAKING[name](lambda x: kept.append(x) or lax.sin(x))
    with pytest.raises(UnexpectedTracerError) as caught:
        kept[0] + 1.0
    assert "made by: mul" not in str(caught.value) and "sin" not in str(caught.value)


@pytest.mark.parametrize("name", LEAKING)
def test_checking_leaks_finds_one(name):
    kept = []

    def f(x):
        y = lax.sin(x)
        kept.append(lax.mul(y, y))
        return y

    LEAKING[name](f)  # traced before anybody looked
    kept.clear()
    with jax.checking_leaks():
        with pytest.raises(Exception, match="made by: mul at") as caught:
            LEAKING[name](f)
    assert f":{line_of(f, 'lax.mul')} in f" in str(caught.value)
    assert "still held" in str(caught.value)
    kept.clear()
    LEAKING[name](lambda x: kept.append(x) or x * 1.0)


class Model:
    """Keeps what it was called with while it is called."""

    def __call__(self, x):
        self.hidden = lax.sin(x)
        out = self.hidden * x
        del self.hidden
        return out


def harmless(x):
    """Holds on to tracers in many ways, and lets go of all of them."""
    try:
        raise ValueError(x)
    except ValueError as error:
        y = error.args[0] * 2.0
    cycle = [y]
    cycle.append(cycle)
    z = jax.jit(lambda u: jax.grad(jax.jit(lambda v: jax.vmap(lambda w: w * v)(XS)[0] * y))(u))(x)
    return Model()(y) + z * cycle[0] * jnp.sum(XS)


@pytest.mark.parametrize("name", LEAKING)
def test_checking_leaks_finds_none_where_there_is_none(name):
    with jax.checking_leaks():
        LEAKING[name](harmless)


def test_checking_leaks_passes_on_what_is_raised_inside():
    with jax.checking_leaks(), pytest.raises(ValueError, match="invalid literal"):
        jax.jit(jax.grad(callers_error))(1.0)


def test_results_are_no_leak():
    with jax.checking_leaks():
        y, f_vjp = jax.vjp(jax.jit(lambda x: lax.sin(x) * x), 1.0)
        f_jvp = jax.linearize(lambda x: lax.sin(x) * x, 1.0)[1]
        np.testing.assert_allclose(f_vjp(1.0)[0], f_jvp(1.0))
        out, aux = jax.grad(lambda x: (lax.sin(x), {"y": x * 2.0}), has_aux=True)(1.0)
        assert float(aux["y"]) == 2.0


# The checker names the equation.


def test_a_jaxpr_type_error_is_a_type_error():
    closed = jax.make_jaxpr(lambda x: lax.sin(x))(1.0)
    with pytest.raises(JaxprTypeError):
        check_jaxpr(closed.jaxpr.replace(invars=[]))
