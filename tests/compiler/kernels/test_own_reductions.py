"""Reductions of the user's: their totals may be tuples, and need not be combined as numbers are."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler import doors, kernel_functions
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.core.arrays import as_array
from minijax.core.config import config
from minijax.core.tracing import Primitive
from minijax.extend import register_kernel_function

pytestmark = [
    pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python"),
    pytest.mark.usefixtures("on_numba"),
]
RANDOM = np.random.default_rng(0)


def welford(total, x):
    count, mean, squares = total
    next_mean = mean + (x - mean) / (count + 1)
    return count + 1, next_mean, squares + (x - mean) * (x - next_mean)


def mean_square(total):
    return total[2] / total[0]


def larger(total, x):
    best, at, count = total
    return (x, count, count + 1) if x > best else (best, at, count + 1)


def second(total):
    return total[1]


def reduction(name, implementation, result_dtype=None, **lowering):
    primitive = Primitive(name)

    def type_rule(x, *, axes):
        shape = [n for d, n in enumerate(x.shape) if d not in axes]
        return x.update(shape=shape, dtype=np.dtype(result_dtype or x.dtype))

    primitive.def_abstract_eval(type_rule)
    primitive.def_impl(lambda x, axes: as_array(implementation(np.asarray(x), axes)))
    register_lowering(primitive, **lowering)
    return primitive


@pytest.fixture(scope="module")
def reductions():
    before = dict(kernel_functions.registered)
    for fun in (welford, mean_square, larger, second):
        register_kernel_function(fun)
    found = {
        "variance": reduction(
            "variance", np.var, start=lambda dtype: (dtype.type(0),) * 3,
            template="welford_{t}({0}, {1})", finish="mean_square_{t}({0})"),
        "first_best": reduction(
            "first_best", lambda x, axes: np.argmax(x, *axes).astype(np.int32), np.int32,
            start=lambda dtype: (np.float64(-np.inf), np.int64(0), np.int64(0)),
            template="larger({0}, float64({1}))", finish="second({0})"),
    }  # fmt: skip
    found["norm"] = reduction(
        "norm", lambda x, axes: np.sum(x * x, axes), start=lambda dtype: 0,
        template="{0} + {1} * {1}",
    )
    yield found
    for primitive in found.values():
        lowerings.pop(primitive)
    kernel_functions.registered.clear()
    kernel_functions.registered.update(before)
    kernel_functions.kernel_names.cache_clear()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["variance", "first_best"])
def test_rows_are_one_kernel_with_what_comes_before_and_after(reductions, name, dtype):
    primitive = reductions[name]

    def f(x):
        y = x * x
        return y + primitive.bind(y, axes=(1,))[:, None]

    with jax.enable_x64(True):
        x = jnp.asarray(RANDOM.normal(size=(4, 37)), dtype)
        told = jax.explain(f)(x)
        assert "1 step, and nothing is left to NumPy" in str(told)
        np.testing.assert_allclose(jax.jit(f)(x), f(x), rtol=1e-5)


@pytest.mark.parametrize("shape", [(3, 1), (1, 1), (1 << 20,), (4, 1 << 18)])
@pytest.mark.parametrize("axis", [0, -1])
def test_a_total_that_is_no_number_to_take_in(reductions, shape, axis):
    def norm(x):
        return reductions["norm"].bind(x, axes=(axis % x.ndim,)) + 1

    x = np.full(shape, 3, np.float32)
    np.testing.assert_array_equal(jax.jit(norm)(x), 9 * shape[axis] + 1)
    two = jnp.arange(2, dtype=np.float32)
    looped = jax.jit(lambda x: jax.lax.fori_loop(0, 2, lambda i, x: norm(x[:, None].T), x))
    if axis == 0:
        np.testing.assert_array_equal(looped(two), [2, 5])


@pytest.mark.parametrize("door", ["direct", "numba"])
@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (5,), (2, 3, 4), (2, 0)])
def test_each_door_and_shape(reductions, shape, door):
    primitive, x = reductions["variance"], RANDOM.normal(size=shape).astype(np.float32)
    with config.override("jit_kernels", door), np.errstate(invalid="ignore"):
        got = jax.jit(lambda x: primitive.bind(x, axes=(x.ndim - 1,)))(x)
        want = x.var(-1) if x.size else np.full(2, np.nan)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-7)


def test_columns_are_rows_of_the_transposed_operand(reductions):
    primitive = reductions["variance"]
    x = RANDOM.normal(size=(6, 4)).astype(np.float32)
    f = jax.jit(lambda x: primitive.bind(x, axes=(0,)))
    assert jax.explain(f)(x).on_numpy() == "nothing"
    np.testing.assert_allclose(f(x), x.var(0), rtol=1e-6)


def test_a_large_one_is_in_one_block(reductions):
    x = np.arange(1 << 20, dtype=np.float32) / (1 << 20)
    f = jax.jit(lambda x: reductions["variance"].bind(x, axes=(0,)))
    np.testing.assert_allclose(f(x), x.astype(np.float64).var(), rtol=1e-2)


def test_in_a_compiled_loop(reductions):
    primitive = reductions["variance"]

    def step(i, x):
        return x + primitive.bind(x, axes=(0,))

    x = np.arange(4, dtype=np.float32)
    want = x
    for _ in range(3):
        want = want + want.var()
    np.testing.assert_allclose(jax.lax.fori_loop(0, 3, step, x), want, rtol=1e-5)
