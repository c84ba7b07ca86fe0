"""Tracing: types, the current trace, and messages that say which value, of which function."""

import gc
import inspect
import pickle
import threading

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import bfloat16, dtype_registry, float0, issubdtype
from minijax.core.errors import DebugInfo, JAXTypeError
from minijax.core.tracing import (
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    eval_trace,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
    unzip2,
)

ONE = np.float32(1.0)

# Types.


def test_equal_types_are_one_object():
    a = ShapedArray((2, 3), np.float32)
    assert a is ShapedArray([np.int64(2), 3], "float32", False)
    assert a is pickle.loads(pickle.dumps(a))
    assert a is a.update(weak_type=True).update(weak_type=False)
    others = [a.update(shape=(3, 2)), a.update(dtype=np.int32), a.update(weak_type=True)]
    assert len({a, *others}) == 4


def test_interning_from_many_threads():
    shape, start, found = (7, 1, 9, 4), threading.Barrier(8), []

    def work():
        start.wait(timeout=30)
        found.extend(ShapedArray((n, *shape), np.int16) for n in range(200))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1600 and len(set(map(id, found))) == 200


@pytest.mark.parametrize("aval, text, long, size", [
    (ShapedArray((), np.float32), "float32[]", "ShapedArray(float32[])", 1),
    (ShapedArray((2, 3), np.int8, True), "~int8[2,3]", "ShapedArray(int8[2,3], weak_type=True)", 6),
    (ShapedArray((0, 4), bfloat16), "bfloat16[0,4]", "ShapedArray(bfloat16[0,4])", 0),
    (ShapedArray((2,), float0), "float0[2]", "ShapedArray(float0[2])", 2),
])
def test_types_as_text(aval, text, long, size):
    assert (str(aval), repr(aval), aval.size, aval.ndim) == (text, long, size, len(aval.shape))


@pytest.mark.parametrize("dtype, kind, short, tangent", [
    (np.bool_, np.bool_, "bool", float0), (np.int32, np.signedinteger, "i32", float0),
    (np.uint8, np.unsignedinteger, "u8", float0), (np.float16, np.floating, "f16", np.float16),
    (bfloat16, np.floating, "bf16", bfloat16), (float0, np.void, "float0", float0),
    (np.complex64, np.complexfloating, "c64", np.complex64),
])
def test_kinds_names_and_tangents_of_dtypes(dtype, kind, short, tangent):
    dtype = np.dtype(dtype)
    assert dtype_registry[dtype][:2] == (kind, short)
    kinds = [np.bool_, np.signedinteger, np.unsignedinteger, np.floating, np.complexfloating,
             np.void]  # fmt: skip
    assert [k for k in kinds if issubdtype(dtype, k)] == [kind]
    assert ShapedArray((2,), dtype).str_short(short_dtypes=True) == f"{short}[2]"
    assert ShapedArray((2,), dtype).to_tangent_aval() is ShapedArray((2,), tangent)


@pytest.mark.parametrize("value", ["text", None, [1.0], object()],
                         ids=["str", "None", "list", "object"])
def test_what_has_no_type_is_named(value):
    with pytest.raises(TypeError, match=f"{type(value).__name__} is not an array or a number"):
        typeof(value)


def test_unzip2():
    assert unzip2(iter([(1, "a"), (2, "b")])) == ([1, 2], ["a", "b"])
    assert unzip2([]) == ([], [])


# The current trace.


def test_a_trace_is_current_inside_its_block_only():
    outer, inner = Trace(), Trace()
    with set_current_trace(outer) as entered:
        assert entered is outer is trace_ctx.trace
        with pytest.raises(KeyError), set_current_trace(inner):
            assert trace_ctx.trace is inner
            raise KeyError
        assert trace_ctx.trace is outer
    assert trace_ctx.trace is eval_trace
    assert not outer.ended and not inner.ended  # it may become current again


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_a_new_trace_has_ended_afterwards(error):
    trace = Trace()
    try:
        with new_trace(trace):
            assert trace_ctx.trace is trace and not trace.ended
            if error:
                raise error
    except (ValueError, KeyboardInterrupt) as caught:
        assert type(caught) is error
    assert trace.ended and trace_ctx.trace is eval_trace


def test_each_thread_has_a_current_trace_of_its_own():
    seen = []
    with set_current_trace(Trace()):
        thread = threading.Thread(target=lambda: seen.append(trace_ctx.trace))
        thread.start()
        thread.join()
    assert seen == [eval_trace]


def test_bind_hands_everything_to_the_current_trace():
    class Recorder(Trace):
        def process_primitive(self, primitive, args, params):
            return primitive, args, params

    p = Primitive("p")
    assert repr(p) == "p" and p.multiple_results is False
    with set_current_trace(Recorder()):
        assert p.bind(1, "x", k=2) == (p, (1, "x"), {"k": 2})


def test_a_scope_decorates_a_function_that_calls_itself():
    @jax.named_scope("again")
    def sines(x, n):
        return sines(lax.sin(x), n - 1) if n else x

    jaxpr = jax.make_jaxpr(lambda x: lax.cos(sines(x, 2)))(1.0)
    assert sines.__name__ == "sines"
    assert [eqn.source_info.name_stack for eqn in jaxpr.eqns] == [("again",), ("again",) * 2, ()]


@pytest.mark.parametrize("trace, words", [
    (eval_trace, "q has no implementation. Give it one: q_p.def_impl"),
    (Trace(), "Trace does not say what q means"),
], ids=["eval", "abstract"])
def test_what_a_trace_cannot_do_is_named(trace, words):
    with set_current_trace(trace), pytest.raises(NotImplementedError, match=words):
        Primitive("q").bind(1)


# Misuse of tracers: the message names the function, the argument and the place.


def use_bool(first, second):
    return 1.0 if second > 0 else first


def use_while(first, second):
    while second:
        return first


def use_float(first, second):
    return first * float(second)


def use_int(first, second):
    return first * int(second)


def use_complex(first, second):
    return first * complex(second)


def use_index(first, second):
    return [1.0, 2.0][second.astype(int)]


def use_range(first, second):
    return [first for _ in range(second.astype(int))]


def use_numpy(first, second):
    return first * np.sin(second)


def use_mask(first, second):
    return jnp.arange(3.0)[jnp.arange(3.0) > second] * first


MISUSES = [
    (use_bool, "TracerBoolConversionError", "jnp.where"),
    (use_while, "TracerBoolConversionError", "lax.while_loop("),
    (use_float, "ConcretizationTypeError", "x.astype(float)"),
    (use_int, "ConcretizationTypeError", "x.astype(int)"),
    (use_complex, "ConcretizationTypeError", "x.astype(complex)"),
    (use_index, "TracerIntegerConversionError", "static_argnums"),
    (use_range, "TracerIntegerConversionError", "static_argnums"),
    (use_numpy, "TracerArrayConversionError", "minijax.numpy"),
    (use_mask, "NonConcreteBooleanIndexError", "jnp.where"),
]
misuses = pytest.mark.parametrize("misuse, error, way_out", MISUSES, ids=lambda x: getattr(
    x, "__name__", None))


def line_of(function, offset=1):
    """file:line of a line in the function's body."""
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno + offset} in {function.__name__}"


def message_of(error, call):
    with pytest.raises(getattr(jax.errors, error)) as caught:
        call()
    assert type(caught.value).__name__ == error
    assert isinstance(caught.value, JAXTypeError | IndexError)
    return str(caught.value)


@misuses
def test_misuse_under_jit_names_the_argument(misuse, error, way_out):
    message = message_of(error, lambda: jax.jit(misuse)(ONE, ONE))
    assert way_out in message
    assert f"here: {line_of(misuse)}" in message
    assert f"traced: {misuse.__name__} at {misuse.__code__.co_filename}:" in message
    assert message.endswith("traced for jit\n  it depends on: second")


@misuses
def test_misuse_under_vmap_names_the_function(misuse, error, way_out):
    xs = np.ones(2, np.float32)
    message = message_of(error, lambda: jax.vmap(misuse, in_axes=(None, 0))(xs[0], xs))
    assert way_out in message and "BatchTracer" in message
    assert f"here: {line_of(misuse)}" in message and message.endswith("traced for vmap")


@pytest.mark.parametrize("misuse, error", [
    (use_float, "ConcretizationTypeError"), (use_numpy, "TracerArrayConversionError"),
])
@pytest.mark.parametrize("transformation, tracer", [("grad", "LinearizeTracer"),
                                                    ("jvp", "JVPTracer")])
def test_misuse_under_derivatives_names_the_function(misuse, error, transformation, tracer):
    calls = {"grad": lambda: jax.grad(misuse, argnums=1)(ONE, ONE),
             "jvp": lambda: jax.jvp(misuse, (ONE, ONE), (ONE, ONE))}
    message = message_of(error, calls[transformation])
    assert tracer in message and f"here: {line_of(misuse)}" in message
    assert f"traced: {misuse.__name__} at {misuse.__code__.co_filename}:" in message


def test_a_derivative_knows_its_value_so_it_may_choose():
    assert float(jax.grad(use_bool)(ONE, ONE)) == 0.0
    assert float(jax.grad(use_bool)(ONE, -ONE)) == 1.0
    assert float(jax.grad(use_int)(ONE, 2.5 * ONE)) == 2.0
    assert float(jax.jvp(use_int, (ONE, 2.5 * ONE), (ONE, ONE))[1]) == 2.0
    message_of("TracerBoolConversionError", lambda: jax.jit(jax.grad(use_bool, 1))(ONE, ONE))


def test_only_the_arguments_that_the_value_came_from_are_named():
    def f(params, x, *rest, scale):
        hidden = params["W"] * x
        return bool(hidden.sum() > rest[1])

    args = ({"W": ONE, "b": ONE}, ONE, ONE, ONE)
    message = message_of("TracerBoolConversionError", lambda: jax.jit(f)(*args, scale=ONE))
    assert message.endswith("it depends on: params['W'], x, rest[1]")


def test_static_arguments_shift_no_names():
    f = jax.jit(lambda first, second, third: bool(third), static_argnums=1)
    message = message_of("TracerBoolConversionError", lambda: f(ONE, "static", ONE))
    assert message.endswith("it depends on: third")


def test_a_constant_of_the_function_depends_on_no_argument():
    f = jax.jit(lambda x: bool(jnp.asarray(1.0) > 0.0) or x)
    message = message_of("TracerBoolConversionError", lambda: f(ONE))
    assert "depends on" not in message and message.endswith("traced for jit")


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)])
def test_bool_of_many_values_is_refused_before_tracing_matters(shape):
    with pytest.raises(ValueError, match="bool.. needs one value"):
        jax.jit(bool)(np.ones(shape, np.float32))


def test_len_of_a_tracer():
    assert jax.eval_shape(lambda x: len(x) * x, np.ones((3, 2), np.float32)).shape == (3, 2)
    with pytest.raises(TypeError, match="at least one dimension"):
        jax.jit(len)(ONE)


# Leaked tracers.


def test_a_leaked_tracer_says_where_it_was_made():
    leaked = []

    def leaks(x, y):
        unrelated = x * 3.0
        leaked.append(jnp.sin(y))
        return unrelated

    jax.jit(leaks)(ONE, ONE)
    message = message_of("UnexpectedTracerError", lambda: leaked[0] + 1.0)
    assert f"made by: sin at {line_of(leaks, 2)}" in message
    here = inspect.currentframe().f_lineno - 2
    assert f"here: {__file__}:{here} in <lambda>" in message
    assert "traced: leaks" in message and message.endswith("it depends on: y")


def test_a_leaked_argument_was_made_by_no_operation():
    leaked = []
    f = jax.jit(lambda x, y: leaked.append(y))
    f(ONE, ONE)
    message = message_of("UnexpectedTracerError", lambda: leaked[0] + 1.0)
    assert "made by" not in message and message.endswith("it depends on: y")


TRANSFORMED = {
    "vmap": lambda f: jax.vmap(f)(np.ones(2)), "jvp": lambda f: jax.jvp(f, (1.0,), (1.0,)),
    "linearize": lambda f: jax.linearize(f, 1.0), "vjp": lambda f: jax.vjp(f, 1.0),
    "make_jaxpr": lambda f: jax.make_jaxpr(f)(1.0), "eval_shape": lambda f: jax.eval_shape(f, 1.0),
    "closure_convert": lambda f: jax.closure_convert(f, 1.0),
    "grad": lambda f: jax.grad(f)(1.0), "value_and_grad": lambda f: jax.value_and_grad(f)(1.0),
    "jacfwd": lambda f: jax.jacfwd(f)(1.0), "jacrev": lambda f: jax.jacrev(f)(1.0),
}


@pytest.mark.parametrize("transformation", TRANSFORMED)
def test_a_leaked_tracer_names_its_function_and_transformation(transformation):
    leaked = []

    def leaks(x):
        leaked.append(x * 2.0)
        return x

    TRANSFORMED[transformation](leaks)
    message = message_of("UnexpectedTracerError", lambda: leaked[0] + 1.0)
    code = leaks.__code__
    place = f"traced: leaks at {code.co_filename}:{code.co_firstlineno}"
    assert f"{place}, traced for {transformation}" in message


def test_debug_info_keeps_no_function_alive():
    def f(x):
        return x

    info, line = DebugInfo("jit", f, lambda fun: [fun.__name__]), f.__code__.co_firstlineno
    assert (info.arg_name(0), info.arg_name(1)) == ("f", None)
    del f
    gc.collect()
    assert info.arg_name(0) is None
    assert str(info) == f"f at {__file__}:{line}, traced for jit"


# Tracers as values.


def test_tracers_are_unhashable_and_print_their_type():
    texts = []

    def f(x):
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
        assert isinstance(x, Tracer) and isinstance(x, jax.Array)
        texts.append((repr(x), f"{x}", f"{x:>40}"))
        return x

    jax.jit(f)(np.ones((2, 3), np.float32))
    assert texts == [("JitTracer(float32[2,3])",) * 3]


def test_a_bare_tracer_says_that_it_has_no_type():
    with pytest.raises(NotImplementedError, match="Tracer does not know its type"):
        Tracer(Trace()).aval  # noqa: B018
