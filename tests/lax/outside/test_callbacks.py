"""Functions in Python that programs call: how often, in which order, and what errors say."""

import re

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.experimental import io_callback

NUMBER = jax.ShapeDtypeStruct((), "float32")
ROW = np.float32([4.0, 9.0, 16.0])


@pytest.fixture(params=["numba", "numpy"])
def backend(request):
    kept = jax.config.jit_backend
    jax.config.update("jit_backend", request.param)
    yield request.param
    jax.config.update("jit_backend", kept)


def noting(seen):
    def root(x):
        seen.append(float(x))
        return np.sqrt(x)

    return root


def test_an_io_callback_is_called_where_it_is_written(backend):
    seen = []

    @jax.jit
    def f(x):
        io_callback(noting(seen), NUMBER, x)
        y = lax.fori_loop(0, 3, lambda i, y: y + io_callback(noting(seen), NUMBER, y), x)
        return io_callback(noting(seen), NUMBER, x) + y

    assert not seen
    f(4.0)
    assert len(seen) == 5 and seen[0] == seen[1] == seen[-1] == 4.0
    f(9.0)
    assert len(seen) == 10


def test_a_pure_callback_is_called_while_a_program_runs_and_not_before(backend):
    seen = []
    f = jax.jit(lambda x: x * jax.pure_callback(noting(seen), NUMBER, 4.0))
    compiled = f.lower(1.0).compile()
    assert not seen
    assert [f(2.0), f(3.0), compiled(1.0)] == [4.0, 6.0, 2.0]
    assert seen == [4.0] * 3


def test_what_nobody_needs_of_a_pure_function_is_not_computed(backend):
    seen = []
    assert jax.jit(lambda x: (jax.pure_callback(noting(seen), NUMBER, x), x)[1])(3.0) == 3.0
    assert not seen


def test_equal_functions_are_equal_in_programs():
    root = noting([])
    fs = [lambda x: jax.pure_callback(root, NUMBER, x) for _ in range(2)]
    once, again = (jax.make_jaxpr(f)(1.0).eqns[0].params for f in fs)
    assert once is not again and once == again
    assert hash(once["callback"]) == hash(again["callback"])


def test_debug_calls_stay_in_their_places(backend, capsys):
    @jax.jit
    def f(x):
        jax.debug.print("first {}", x[0])
        y = x * 2 + 1
        jax.debug.print("then {y}", y=y.sum())
        return lax.scan(lambda c, x: (jax.debug.print("at {}", x), (c + x, c))[1], 0.0, y)[0]

    assert f(ROW) == 61.0
    assert capsys.readouterr().out.split("\n") == [
        "first 4.0", "then 61.0", "at 9.0", "at 19.0", "at 33.0", "",
    ]  # fmt: skip


def test_a_debug_print_changes_no_program_that_is_around_it(backend):
    def f(x, look):
        y = jnp.sin(x) * x
        if look:
            jax.debug.callback(lambda y: None, y)
        return (jnp.exp(y) + x).sum()

    for transform in (jax.jit, jax.grad, lambda f, **k: jax.vmap(lambda x: f(x, **k)), jax.hessian):
        with_it, without = (transform(lambda x, look=look: f(x, look))(ROW) for look in (1, 0))
        np.testing.assert_array_equal(with_it, without)


def test_a_cotangent_can_be_looked_at(capsys):
    @jax.custom_vjp
    def watched(x):
        return x

    watched.defvjp(lambda x: (x, None), lambda _, ct: (jax.debug.print("ct {}", ct), (ct,))[1])
    assert jax.jit(jax.grad(lambda x: watched(x) ** 2))(3.0) == 6.0
    assert capsys.readouterr().out == "ct 6.0\n"


def test_the_tangent_of_a_linear_program_can_be_looked_at(capsys):
    @jax.custom_jvp
    def watched(x):
        return x

    watched.defjvp(lambda x, t: (x[0], (jax.debug.print("dx {}", t[0]), t[0])[1]))
    assert jax.jvp(watched, (3.0,), (2.0,)) == (3.0, 2.0)
    assert capsys.readouterr().out == "dx 2.0\n"
    _, linear = jax.linearize(watched, 3.0)
    assert linear(5.0) == 5.0 and capsys.readouterr().out == "dx 5.0\n"
    assert jax.grad(watched)(3.0) == 1.0  # transposed, it has nothing to show


@pytest.mark.parametrize("call", [
    lambda f, x: jax.pure_callback(f, NUMBER, x), lambda f, x: io_callback(f, NUMBER, x),
    lambda f, x: (jax.debug.callback(f, x), x)[1],
])  # fmt: skip
def test_an_error_of_the_function_tells_where_it_was_raised(call, backend):
    def broken(x):
        raise LookupError("nothing there")

    with pytest.raises(jax.errors.JaxRuntimeError, match="broken raised LookupError: nothing") as e:
        jax.jit(lambda x: call(broken, x))(1.0)
    assert type(e.value.__cause__) is LookupError
    said = str(e.value)
    assert re.search(r"raised at: .*test_callbacks.py:\d+\n.*\n  here: .*callbacks.py", said)


def test_outside_of_programs_one_that_looks_raises_its_own_error():
    def broken(x):
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        jax.debug.callback(broken, 1.0)
    with pytest.raises(jax.errors.JaxRuntimeError, match="broken raised LookupError"):
        jax.pure_callback(broken, NUMBER, 1.0)


def test_a_function_may_compute_with_arrays():
    f = jax.jit(lambda x: jax.pure_callback(jax.jit(lambda x: jnp.cumsum(x)), x, x))
    assert f(ROW).tolist() == [4.0, 13.0, 29.0]
    assert jax.vmap(lambda x: io_callback(jnp.sqrt, NUMBER, x))(ROW).tolist() == [2.0, 3.0, 4.0]


def test_a_result_of_64_bits_is_of_32_where_these_are_all():
    assert jax.pure_callback(lambda: np.float64(1.5), NUMBER).dtype == "float32"
    with jax.enable_x64(True):
        wide = jax.pure_callback(lambda: 1.5, jax.ShapeDtypeStruct((), "float64"))
        assert wide.dtype == "float64"
        with pytest.raises(RuntimeError, match=r"returned float64\[\], and result_shape_dtypes"):
            jax.pure_callback(lambda: np.float64(1.5), NUMBER)
