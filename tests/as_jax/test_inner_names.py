"""`minijax/as_jax/`: which of our names answer to JAX's inner ones, and what is refused."""

import sys
from importlib.metadata import Distribution

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.api_util import flatten_fun
from minijax.as_jax import linear_util, mlir, tracebacks
from minijax.as_jax.backends import MadeBackends
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


def test_a_file_that_is_not_the_users(monkeypatch):
    monkeypatch.setattr(errors, "_excluded", ["minijax"])
    frame = sys._getframe()
    assert tracebacks.include_frame(frame)
    tracebacks.register_exclusion(__file__)
    try:
        assert not tracebacks.include_frame(frame)
    finally:
        errors._is_excluded.cache_clear()


def test_backends_that_are_made():
    all_devices()
    made = MadeBackends()
    assert list(made) == ["cpu"] and made["cpu"] == all_devices() and made.get("gpu") is None
