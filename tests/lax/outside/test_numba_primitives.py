"""numba_primitive: a function that Numba compiles is a primitive, eagerly, under jit, in loops."""

import threading
import time

import numba
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler import doors
from minijax.extend import numba_primitive

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="Numba compiles nothing")


@numba.njit
def heights(x):
    """The largest so far, of all elements in a row."""
    out, top = np.empty_like(x), -np.inf
    for k, value in enumerate(x.flat):
        top = max(top, value)
        out.flat[k] = top
    return out


@numba.njit
def mean_and_variance(x, scale):
    mean = x.sum() / x.size
    return mean * scale, ((x - mean) ** 2).sum() / x.size


heights_of = numba_primitive(heights, lambda x: x)
moments = numba_primitive(
    mean_and_variance, lambda x, _: (jax.ShapeDtypeStruct((), x.dtype),) * 2
)
X = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)


def running(x):
    return np.maximum.accumulate(x.reshape(-1)).reshape(x.shape)


@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2), (1,), (0, 4)])
@pytest.mark.parametrize("jitted", [False, True])
def test_it_gives_what_the_function_gives(shape, jitted):
    x = np.resize(X, shape)
    found = (jax.jit(heights_of) if jitted else heights_of)(x)
    assert (found.shape, found.dtype) == (shape, np.float32)
    np.testing.assert_array_equal(found, running(x))


def test_an_operand_in_another_order_comes_in_rows():
    np.testing.assert_array_equal(heights_of(jnp.asarray(X).T), running(np.ascontiguousarray(X.T)))


@pytest.mark.parametrize("jitted", [False, True])
def test_several_results_and_numbers(jitted):
    mean, variance = (jax.jit(moments) if jitted else moments)(X, 2.0)
    assert mean.dtype == variance.dtype == np.float32 and mean.shape == ()
    np.testing.assert_allclose([mean, variance], [2 * X.mean(), X.var()], rtol=1e-5)


LOOPS = {
    "fori": lambda x: lax.fori_loop(0, 3, lambda i, y: heights_of(y - 0.5) * 1.5, x),
    "scan": lambda x: lax.scan(lambda c, row: (c + moments(row, c)[0], heights_of(row)), 1.0, x),
    "while": lambda x: lax.while_loop(lambda y: y.min() < 1, lambda y: heights_of(y + 0.3), x),
    "cond": lambda x: lax.cond(x.sum() > 99, jnp.sin, heights_of, x),
}


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize("name", LOOPS)
def test_in_a_compiled_loop_it_is_a_call_in_the_kernel(name, monkeypatch):
    fun = LOOPS[name]
    compiled = jax.jit(fun).lower(X).compile()
    assert "@part" in compiled.as_text() and "users_function" in compiled.as_text()
    with jax.disable_jit():
        wanted = fun(jnp.asarray(X))
    for x, y in zip(jax.tree.leaves(compiled(X)), jax.tree.leaves(wanted), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-6)


@pytest.mark.usefixtures("on_numba")
def test_the_kernel_that_calls_it_is_numbas_and_in_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path))
    out = jax.jit(lambda x: lax.fori_loop(0, 2, lambda i, y: heights_of(y) + 17.25, x))(X)
    assert out.shape == X.shape
    [kernel] = [k for k in doors._kernels.values() if "17.25" in k.source]
    assert kernel.door == "numba"
    assert not [f for f in tmp_path.glob("**/*.py") if "17.25" in f.read_text()]


@pytest.mark.parametrize("axis", [0, 1])
def test_vmap_goes_from_example_to_example(axis):
    found = jax.vmap(heights_of, axis)(X)
    rows = X if axis == 0 else X.T
    np.testing.assert_array_equal(found, [running(row.copy()) for row in rows])
    both = jax.vmap(moments, (0, None))(X, 2.0)
    np.testing.assert_allclose(both[0], 2 * X.mean(1), rtol=1e-4, atol=1e-6)


def test_a_rule_of_its_own_gives_it_a_derivative():
    """Each height follows the place where it was reached first."""

    @jax.custom_vjp
    def f(x):
        return heights_of(x)

    f.defvjp(lambda x: (f(x), (x, f(x))), lambda kept, g: (jnp.where(kept[0] == kept[1], g, 0),))
    np.testing.assert_array_equal(jax.grad(lambda x: f(x).sum())(jnp.array([1.0, 3, 2])), [1, 1, 0])
    with pytest.raises(NotImplementedError, match="heights has no JVP rule"):
        jax.grad(lambda x: heights_of(x).sum())(jnp.ones(3))


def test_it_holds_no_lock():
    @numba.njit
    def count(n):
        total = np.uint64(0)
        for i in range(n):
            total ^= np.uint64(i * i)
        return np.full(1, total)

    long = numba_primitive(count, lambda n: jax.ShapeDtypeStruct((1,), "uint64"))
    with jax.enable_x64(True):
        n = jnp.asarray(300_000_000)
        long(jnp.asarray(1))  # compiled
        thread = threading.Thread(target=long, args=(n,))
        thread.start()
        turns = 0
        while thread.is_alive():
            time.sleep(0.001)
            turns += 1
    assert turns > 2


WRONG = {
    "a result of another shape": (lambda x: x[:1], "returned float32[1], and its result_types"),
    "of another dtype": (lambda x: x > 0, "returned bool[3], and its result_types say float32[3]"),
    "too many": (lambda x: (x, x), "returned float32[3], float32[3], and its result_types"),
    "what Numba can't": (lambda x: x.nope(), "Numba can't compile <lambda> for (float32[3]): "),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("jitted", [False, True])
def test_what_is_wrong_is_said(name, jitted):
    fun, sentence = WRONG[name]
    call = numba_primitive(fun, lambda x: x)
    with pytest.raises(TypeError) as caught:
        (jax.jit(call) if jitted else call)(jnp.ones(3))
    assert sentence in str(caught.value)


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize(("name", "sentence"), [
    ("a result of another shape", "returned an array of another shape than its result_types say"),
    ("what Numba can't", "Numba can't compile a kernel that calls <lambda>: "),
])  # fmt: skip
def test_what_is_wrong_is_said_in_a_loop(name, sentence):
    call = numba_primitive(WRONG[name][0], lambda x: x)
    with pytest.raises(TypeError, match=sentence):
        jax.jit(lambda x: lax.fori_loop(0, 2, lambda i, y: call(y), x))(jnp.ones(3))
