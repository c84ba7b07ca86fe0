"""`dot_general` of operands of two dtypes, as JAX 0.10.2 has it: values, jaxprs, derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

INNER = (((0,), (0,)), ((), ()))


def dot(x, y):
    return lax.dot_general(x, y, INNER)


PAIRS = {
    ("int32", "float32"): "float32", ("bfloat16", "float32"): "float32", ("int8", "int32"): "int32",
    ("float32", "complex64"): "complex64", ("bool", "float32"): "float32",
    ("float16", "bfloat16"): "bfloat16", ("uint8", "int8"): "int8",
}  # fmt: skip


@pytest.mark.parametrize("dtypes", PAIRS, ids="-".join)
def test_values_and_dtypes(dtypes):
    x, y = (jnp.ones(3, dtype) for dtype in dtypes)
    for f in (dot, jax.jit(dot)):
        for out in (f(x, y), f(y, x)):
            assert (out.dtype, complex(out)) == (PAIRS[dtypes], 3)
    many = jax.vmap(dot, (None, 0))(x, jnp.stack([y, y]))
    assert (many.dtype, many.shape) == (PAIRS[dtypes], (2,))


def test_no_conversion_is_written():
    x, y = jnp.ones(3, jnp.int32), jnp.ones(3)
    assert str(jax.make_jaxpr(dot)(x, y)) == (
        "{ lambda ; a:i32[3] b:f32[3]. let\n"
        "    c:f32[] = dot_general[dimension_numbers=(([0], [0]), ([], []))] a b\n  in (c,) }"
    )


def test_derivatives_are_of_the_operands_dtypes():
    by_float = jax.grad(lambda y: dot(jnp.arange(3), y))(jnp.ones(3))
    assert by_float.dtype == np.float32 and by_float.tolist() == [0.0, 1.0, 2.0]
    both = 0, 1
    for g in (jax.grad(dot, both), jax.jit(jax.grad(dot, both)), jax.grad(jax.jit(dot), both)):
        by_x, by_y = g(jnp.ones(3, jnp.bfloat16), jnp.arange(3.0))
        assert (by_x.dtype, by_y.dtype) == ("bfloat16", "float32")
        assert np.asarray(by_x, np.float32).tolist() == [0.0, 1.0, 2.0]
        assert by_y.tolist() == [1.0, 1.0, 1.0]
    out, out_dot = jax.jvp(dot, (jnp.ones(3, jnp.bfloat16), jnp.ones(3)),
                           (jnp.ones(3, jnp.bfloat16), jnp.zeros(3)))  # fmt: skip
    assert out.dtype == out_dot.dtype == np.float32 and float(out_dot) == 3.0
