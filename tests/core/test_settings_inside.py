"""Settings that change inside a transformation: numbers keep the types that they came in with."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


def cubed():
    f = jax.custom_vjp(lambda x: x * x * x)
    f.defvjp(lambda x: (x * x * x, x), lambda x, ct: (3 * x * x * ct,))
    return f


def sine_forward():
    f = jax.custom_jvp(lambda x: jnp.sin(x))
    f.defjvp(lambda xs, ts: (jnp.sin(xs[0]), jnp.cos(xs[0]) * ts[0]))
    return f


FUNCTIONS = {
    "sin": jnp.sin, "jit": jax.jit(jnp.sin), "custom_vjp": cubed(), "custom_jvp": sine_forward(),
    "checkpoint": jax.checkpoint(jnp.sin), "twice": lambda x: 2 * x, "square": lambda x: x * x,
    "cond": lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x), "cubes": lambda x: x**3,
    "loop": lambda x: lax.fori_loop(0, 3, lambda i, c: 2 * c, x),
}  # fmt: skip
CALLS = {
    "grad": lambda f, x: jax.grad(f)(x), "value": lambda f, x: jax.value_and_grad(f)(x)[0] * 1.0,
    "vjp": lambda f, x: jax.vjp(f, x)[1](jnp.float32(1))[0],
    "linearize": lambda f, x: jax.linearize(f, x)[1](x),
    "jvp": lambda f, x: jax.jvp(f, (x,), (x,))[1],
    "jvp's value": lambda f, x: jax.jvp(f, (x,), (x,))[0],
    "vmap": lambda f, x: jax.vmap(f)(np.full(2, x, np.result_type(type(x))))[1],
    "jit": lambda f, x: jax.jit(f)(x),
    "twice": lambda f, x: jax.grad(jax.grad(f))(x),
    "jit of grad": lambda f, x: jax.jit(jax.grad(f))(x),
    "vmap of grad": lambda f, x: jax.vmap(jax.grad(f))(jnp.asarray(x)[None])[0],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [0.5, np.float64(0.5), np.float32(0.5)], ids=["float", "64", "32"])
def test_64_bits_within_a_function_of_32(name, x):
    """JAX says float32 too, where it has an answer."""

    def inside(y):
        with jax.enable_x64(True):
            return FUNCTIONS[name](y)

    for call, run in CALLS.items():
        if name == "custom_vjp" and call in ("linearize", "jvp", "jvp's value"):
            continue  # it has no derivative forwards
        got, expected = run(inside, x), run(FUNCTIONS[name], np.float32(x))
        assert jnp.asarray(got).dtype == np.float32, call
        np.testing.assert_allclose(got, expected, rtol=1e-6, err_msg=call)


def test_a_number_is_handed_on_as_it_is():
    assert type(jax.vjp(lambda x: x, 1.5)[0]) is float
    assert jax.value_and_grad(lambda x: x)(2.0)[0] == 2.0
