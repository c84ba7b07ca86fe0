"""`minijax/as_jax/`: which of our names answer to JAX's inner ones, and what is refused."""

import sys
from importlib.metadata import Distribution

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.api_util import flatten_fun
from minijax.as_jax import linear_util, literals, mlir, threefry, tracebacks, traces, tree_errors
from minijax.as_jax.backends import MadeBackends
from minijax.as_jax.hijax import HiPrimitive
from minijax.as_jax.inner_modules import INNER_NAMES, find_distributions, make_module
from minijax.core import errors
from minijax.extend.core import Primitive
from minijax.interpreters import batching
from minijax.lax.sharding.meshes import all_devices


@pytest.mark.parametrize("name", INNER_NAMES)
def test_what_answers_is_there(name):
    module = make_module(name)
    assert all(hasattr(module, inner) for inner in module.__all__)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match=r"^jax._src.core.nothing is inside of the real JAX"):
        make_module("jax._src.core").nothing  # noqa: B018


def test_distributions():
    found: list[Distribution] = list(find_distributions(None))
    assert [(each.metadata["Name"], each.version) for each in found] == [
        ("jax", "0.10.2"), ("jaxlib", "0.10.2"),
    ]  # fmt: skip
    assert list(find_distributions("numpy")) == []


@pytest.mark.parametrize(
    "dtypes, expected",
    [("bool int8 uint32 float16 bfloat16 float32 complex64", "complex64"),
     ("int64 uint64 float64 complex128", "complex128")],
)  # fmt: skip
def test_complex_numbers_that_hold_numbers(dtypes, expected):
    to_complex_dtype = make_module("jax._src.dtypes").to_complex_dtype
    assert {str(to_complex_dtype(jnp.dtype(name))) for name in dtypes.split()} == {expected}


def test_numbers_that_are_close():
    check_close = make_module("jax._src.public_test_util").check_close
    x = np.ones(2, np.float32)
    check_close({"a": x}, {"a": x + 1e-4}, rtol={"float32": 1e-3})
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check_close(x, x + 1e-4, atol=1e-6, rtol=1e-6)
    with pytest.raises(AssertionError, match="shape"):
        check_close(x, x[0])


def test_a_flat_function_is_called_as_a_wrapped_one():
    in_tree = jax.tree.structure(((), {"x": 1}))
    flat, out_tree = flatten_fun(linear_util.wrap_init(lambda x: [x, 2 * x]), in_tree)
    assert str(jax.make_jaxpr(flat.call_wrapped)(3)).count("mul") == 1
    assert flat(3) == [3, 6] and out_tree() == jax.tree.structure([1, 1])


def test_transformations_of_wrapped_functions():
    @linear_util.transformation_with_aux
    def counting(factor, *args):
        out = yield [factor * x for x in args], {}
        yield out + 1, len(args)

    fun, count = counting(linear_util.wrap_init(lambda x, y, z=0: x + y + z, {"z": 5}), 10)
    with pytest.raises(linear_util.StoreException):
        count()
    assert fun.call_wrapped(1, 2) == 10 + 20 + 5 + 1
    _, other = counting(linear_util.wrap_init(abs), 1)
    assert count() == 2 and linear_util.merge_linear_aux(count, other) == (True, 2)
    with pytest.raises(linear_util.StoreException):
        fun(1, 2)


def make_primitive(lowering):
    """Twice its operand; the implementation notes how often it is asked."""
    twice_p, asked = Primitive("twice"), []
    twice_p.def_impl(lambda x: asked.append(x) or 2 * x)
    twice_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(twice_p, lowering)
    return twice_p, asked


@pytest.mark.parametrize("lowering, runs", [
    (mlir.lower_fun(lambda x: x + x, multiple_results=False), 0),
    (mlir.lower_fun(lambda x: [x + x]), 0),
    (lambda ctx, x: [x], 1),  # it would write MLIR
])  # fmt: skip
def test_a_function_is_a_lowering(lowering, runs):
    twice_p, asked = make_primitive(lowering)
    assert jax.jit(lambda x: twice_p.bind(x) + 1)(jnp.arange(3.0)).tolist() == [1, 3, 5]
    assert len(asked) == runs


def test_a_batching_rule_of_the_older_kind():
    size_p = Primitive("size")
    size_p.def_abstract_eval(lambda x: x)

    def rule(size, name, trace_type, vals, dims):
        return vals[0] + size, dims[0]

    batching.axis_primitive_batchers[size_p] = rule
    assert jax.vmap(size_p.bind, axis_name="i")(jnp.zeros(3)).tolist() == [3, 3, 3]


SENTENCE = "what a library says" + ", and what it says" * 10


def complain(x):
    raise ValueError(SENTENCE)


def test_a_file_that_is_not_the_users(monkeypatch):
    monkeypatch.setattr(errors, "_excluded", {"minijax": False})
    frame = sys._getframe()
    assert tracebacks.include_frame(frame)
    tracebacks.register_exclusion(__file__)
    try:
        assert not tracebacks.include_frame(frame)
        with pytest.raises(ValueError, match=f"^{SENTENCE}$"):
            jax.jit(complain)(1)
    finally:
        errors._is_excluded.cache_clear()


def test_backends_that_are_made():
    all_devices()
    made = MadeBackends()
    assert list(made) == ["cpu"] and made["cpu"] == all_devices() and made.get("gpu") is None


def test_a_librarys_trace_is_asked_by_its_method_for_a_function_with_a_rule():
    from minijax.core.tracing import eval_trace, set_current_trace, trace_ctx

    asked = []

    class Doubling(traces.Trace):
        parent = eval_trace

        def process_primitive(self, primitive, args, params):
            asked.append(primitive.name)
            with set_current_trace(self.parent):
                return primitive.bind(*args, **params)

        def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
            asked.append("by its method")
            params = {"subfuns": (fun, jvp), "symbolic_zeros": symbolic_zeros}
            avals = list(map(jax.typeof, tracers))
            return primitive.bind_with_trace(self.parent, tuple(tracers), avals, params)

    with set_current_trace(Doubling()):
        assert jax.nn.relu(jnp.float32(2.0) + 1) == 3
        assert type(trace_ctx.trace) is Doubling
    assert asked.count("by its method") == 1 and "custom_jvp_call" not in asked


def test_numbers_with_a_dtype():
    number = literals.TypedFloat(3, np.dtype("float16"))
    assert number == 3.0 and repr(number) == "TypedFloat(3.0, dtype=float16)"
    assert str(jax.typeof(number)) == "~float16[]" == str(number.aval)
    assert jax.jit(lambda x: x * 2)(number).dtype == "float16"
    assert jnp.asarray(literals.TypedInt(2, "int8")).dtype == "int8"
    assert repr(literals.TypedComplex(3j, "complex64")) == "TypedComplex(3j, dtype=complex64)"


def test_threefrys_words():
    words = threefry.threefry_seed(jnp.asarray(3))
    key = jax.random.key(3)
    assert words.tolist() == jax.random.key_data(key).tolist()
    new = jax.random.key_data(jax.random.split(key, 2)).tolist()
    assert threefry.threefry_split(words, (2,)).tolist() == new
    bits = jax.random.bits(key, (3,), "uint16")
    assert threefry.threefry_random_bits(words, 16, (3,)).tolist() == bits.tolist()


@pytest.mark.parametrize(
    ("prefix", "full", "places"),
    [
        (1, (1, 2), []),
        ((1, 2), (1,), [""]),
        ([1], (1,), [""]),
        ({"a": 1}, {"b": 1}, [""]),
        ((1, (2, 3)), (1, 2), ["[1]"]),
        (((1,), {"x": (2,)}), ((1, 2), {"x": (1, 2)}), ["[0]", "[1]['x']"]),
    ],
)
def test_where_a_prefix_differs(prefix, full, places):
    found = [str(error("in_axes")) for error in tree_errors.prefix_errors(prefix, full)]
    assert [text.split(" does ")[0] for text in found] == [f"in_axes{place}" for place in places]


def test_what_is_marked_as_a_leaf_is_no_prefix():
    assert tree_errors.prefix_errors(((1, 2),), (3,), lambda x: x == (1, 2)) == []


def test_operations_of_hijax_run_where_nothing_is_traced():
    class Twice(HiPrimitive):
        def impl(self, x, *, times):
            return x * 2 * times

    twice = Twice("twice")
    assert twice.bind(3.0, times=2) == 12.0
    with pytest.raises(NotImplementedError, match="twice is of hijax"):
        jax.grad(lambda x: twice.bind(x, times=1))(1.0)
