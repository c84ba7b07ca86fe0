"""What `dot_general` is told beside its axes: the dtype of the result, and a precision."""

import numpy as np
import pytest

import minijax as jax
from minijax import lax

X = np.arange(4, dtype=np.float32).reshape(2, 2)
NUMBERS = ((1,), (0,)), ((), ())


@pytest.mark.parametrize("other, want", [
    ("int32", "float32"), ("float16", "float32"), ("bool", "float32"), ("complex64", "complex64"),
])
def test_operands_of_two_dtypes_meet(other, want):
    y = X.astype(other)
    for out in (lax.dot_general(X, y, NUMBERS), lax.dot(X, y)):
        assert out.dtype == want
        np.testing.assert_allclose(out, X @ y.astype(want))


def test_the_dtype_of_the_result_is_cut_to_32_bits():
    assert lax.dot(X, X, preferred_element_type="float64").dtype == np.float32
    with jax.enable_x64():
        assert lax.dot(X, X, preferred_element_type="float64").dtype == np.float64


@pytest.mark.parametrize("precision, shown", [
    (None, None), ("highest", ("HIGHEST", "HIGHEST")), (lax.Precision.HIGH, ("HIGH", "HIGH")),
    (("default", "float32"), ("DEFAULT", "HIGHEST")),
])
def test_equations_show_the_precision(precision, shown):
    closed = jax.make_jaxpr(lambda x: lax.dot(x, x, precision=precision))(X)
    pair = shown and tuple(lax.Precision[name] for name in shown)
    assert closed.eqns[0].params["precision"] == pair
    text = shown and f"precision=(Precision.{shown[0]}, Precision.{shown[1]})"
    assert text is None or text in str(closed)
    np.testing.assert_array_equal(lax.dot(X, X, precision), X @ X)


@pytest.mark.parametrize("precision", ["most", 5, ("high",), ("high", "high", "high"),
                                       (None, "high")])
def test_what_is_no_precision_is_refused(precision):
    with pytest.raises(ValueError, match="lax.dot knows no precision"):
        lax.dot(X, X, precision)
