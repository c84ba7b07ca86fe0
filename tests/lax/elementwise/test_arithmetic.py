"""Numbers as constants and as results of conversions; the functions that bind no own primitive."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


def test_reciprocal():
    np.testing.assert_allclose(lax.reciprocal(np.array([1.0, 4.0], np.float32)), [1, 0.25])


MAKERS = {
    "convert_element_type": lambda: lax.convert_element_type(2, "float32"),
    "full": lambda: lax.full((), 2.0, "float32"),
    "full_like": lambda: lax.full_like(np.float32(1), 2),
    "array": lambda: jnp.array(2, "float32"),
    "asarray": lambda: jnp.asarray(np.float32(2)),
    "float32": lambda: jnp.float32(2),
    "zeros": lambda: jnp.zeros(()) + 2.0,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_was_made_before_is_an_array_to_the_function(make):
    made, one = make(), np.float32(1)
    text = "{ lambda a:f32[]; b:f32[]. let c:f32[] = mul b a in (c,) }"
    assert str(jax.make_jaxpr(lambda x: lax.mul(x, made))(one)) == text


@pytest.mark.parametrize("make", [f for name, f in MAKERS.items() if name != "zeros"])
def test_what_the_function_makes_is_a_number(make):
    text = "{ lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }"
    assert str(jax.make_jaxpr(lambda x: lax.mul(x, make()))(np.float32(1))) == text


def test_a_number_keeps_the_digits_that_it_was_written_with():
    closed = jax.make_jaxpr(lambda x: (jnp.asarray(0.3), jnp.float32(0.7)))(1.0)
    assert str(closed) == "{ lambda ; a:f32[]. let  in (0.3:f32[], 0.699999988079071:f32[]) }"


def test_64_bits_are_there_where_they_are_switched_on():
    assert lax.convert_element_type(1, "float64").dtype == np.float32
    with jax.enable_x64():
        assert lax.convert_element_type(1, "float64").dtype == np.float64


def test_a_dropped_imaginary_part_is_told():
    with pytest.warns(np.exceptions.ComplexWarning):
        assert lax.convert_element_type(1 + 2j, "float32") == 1.0
