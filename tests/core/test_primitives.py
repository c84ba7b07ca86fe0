"""Primitives: what each refuses, in which words, and the values at the edges of the dtypes."""

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax import lax as lax_all
from minijax.compiler.maths.bounds import dtype_bounds
from minijax.core.arrays import as_array, to_numpy
from minijax.core.primitives import (
    canonicalize_axis,
    canonicalize_shape,
    numpy_primitive,
    remaining,
)
from minijax.core.tracing import ShapedArray, typeof

bfloat16 = np.dtype(ml_dtypes.bfloat16)
F32, F16, I32, BOOL, C64 = (np.dtype(x) for x in ("f4", "f2", "i4", "?", "c8"))


def zeros(*shape, dtype=F32):
    return np.zeros(shape, dtype)


# What the shape rules refuse.

NO_AXES = ((), ())
REFUSED = {
    "sin of ints": (lax.sin, [zeros(2, dtype=I32)], TypeError, "sin takes floats, complex.*int32"),
    "neg of bools": (lax.neg, [True], TypeError, "neg takes .*got bool"),
    "abs of unsigned": (lax.abs, [np.uint8(1)], TypeError, "abs takes .*got uint8"),
    "floor of complex": (lax.floor, [1j], TypeError, "floor takes floats, .*complex64"),
    "not of floats": (lax.bitwise_not, [1.0], TypeError,
                      "not takes bools, integers, and got float32"),
    "lt of complex": (lax.lt, [1j, 2j], TypeError, "lt takes .*got complex64"),
    "two dtypes": (lax.add, [zeros(2), zeros(2, dtype=I32)], TypeError,
                   "add needs one dtype, and got float32, int32"),
    "two shapes": (lax.mul, [zeros(2), zeros(3)], TypeError, r"mul got \(2,\), \(3,\). Give equal"),
    "two ranks": (lax.sub, [zeros(2, 1), zeros(2)], TypeError, r"sub got \(2, 1\), \(2,\). Give"),
    "negative power": (lambda x: lax.integer_pow(x, -1), [zeros(2, dtype=I32)], TypeError,
                       "int32.* to -1 needs a float"),
    "select by float": (lax.select_n, [1.0, 1.0, 2.0], TypeError, "`which` is float32"),
    "select nothing": (lax.select_n, [True], ValueError, "got none"),
    "select of three": (lax.select_n, [True, 1.0, 2.0, 3.0], TypeError, "got 3 cases. Give two"),
    "select of two types": (lax.select_n, [True, 1.0, 2], TypeError, "one type, .*float32.*int32"),
    "select of two shapes": (lax.select_n, [True, zeros(2), zeros(3)], TypeError,
                             r"one type, .*float32\[2\], float32\[3\]"),
    "select by shape": (lax.select_n, [zeros(3, dtype=BOOL), zeros(2), zeros(2)], TypeError,
                        r"\(3,\). Give it \(\) or the cases. \(2,\)"),
    "broadcast to less": (lambda x: lax.broadcast_in_dim(x, (3,), (0,)), [zeros(2)], TypeError,
                          r"cannot lay \(2,\) along .*\(0,\), in order, of the shape \(3,\)"),
    "broadcast past the end": (lambda x: lax.broadcast_in_dim(x, (2,), (1,)), [zeros(2)],
                               TypeError, r"the axes \(1,\), in order, of the shape \(2,\)"),
    "broadcast twice": (lambda x: lax.broadcast_in_dim(x, (3, 3), (0, 0)), [zeros(3, 3)],
                        TypeError, r"along the axes \(0, 0\)"),
    "broadcast from the end": (lambda x: lax.broadcast_in_dim(x, (3, 3), (-1,)), [zeros(3)],
                               TypeError, r"along the axes \(-1,\)"),
    "broadcast without axes": (lambda x: lax.broadcast_in_dim(x, (2, 2), ()), [zeros(2)],
                               TypeError, r"along the axes \(\)"),
    "reshape": (lambda x: lax.reshape(x, (4,)), [zeros(2, 3)], TypeError,
                r"\(2, 3\), size 6, to \(4,\), size 4"),
    "negative size": (lambda x: lax.reshape(x, (-1,)), [zeros(2)], TypeError, r"got \(-1,\)"),
    "float size": (lambda x: lax.reshape(x, (2.0,)), [zeros(2)], TypeError, r"got \(2.0,\)"),
    "squeeze": (lambda x: lax.squeeze(x, (0,)), [zeros(2, 1)], ValueError,
                r"got \(0,\) of the shape \(2, 1\)"),
    "squeeze no axis": (lambda x: lax.squeeze(x, (2,)), [zeros(2, 1)], ValueError,
                        "lax.squeeze found no axis 2 among 2"),
    "transpose": (lambda x: lax.transpose(x, (0, 0)), [zeros(2, 1)], TypeError,
                  r"transpose got \(0, 0\). Name each of 2"),
    "dot axis twice": (lambda x: lax.dot_general(x, x, (((0, 0), (0, 0)), NO_AXES)), [zeros(2)],
                       TypeError, "takes each axis once"),
    "dot batch axis": (lambda x: lax.dot_general(x, x, (((0,), (0,)), ((0,), (0,)))), [zeros(2)],
                       TypeError, "takes each axis once"),
    "concatenate ranks": (lambda x: lax.concatenate([x, 1.0], 0), [zeros(2)], TypeError, "alike"),
    "half a power": (lambda x: lax.integer_pow(x, 0.5), [zeros(2)], TypeError, "integer"),
    "an endless power": (lambda x: lax.integer_pow(x, np.inf), [zeros(2)], TypeError, "integer"),
    "new axis far out": (lambda x: lax.expand_dims(x, (7,)), [zeros(2)], ValueError, "no axis 7"),
    "rev twice": (lambda x: lax.rev(x, (0, 0)), [zeros(2)], TypeError, r"got \(0, 0\)"),
    "rev no axis": (lambda x: lax.rev(x, (1,)), [zeros(2)], TypeError, r"got \(1,\)"),
    "iota of bools": (lambda: lax.broadcasted_iota(bool, (2,), 0), [], TypeError, "int32"),
    "iota no axis": (lambda: lax.broadcasted_iota(int, (2,), 1), [], ValueError, "no axis 1"),
    "iota rule": (lambda: lax.iota_p.bind(dtype=I32, shape=(2,), dimension=1, sharding=None), [],
                  ValueError, "got axis 1"),
    "concatenate nothing": (lambda: lax.concatenate([], 0), [], ValueError, "got no operands"),
    "concatenate shapes": (lambda *xs: lax.concatenate(xs, 0), [zeros(2, 3), zeros(2, 4)],
                           TypeError, r"axis 0 .*float32\[2,3\], float32\[2,4\]"),
    "concatenate dtypes": (lambda *xs: lax.concatenate(xs, 0), [zeros(2), zeros(2, dtype=I32)],
                           TypeError, r"float32\[2\], int32\[2\]"),
    "concatenate no axis": (lambda *xs: lax.concatenate(xs, 1), [zeros(2), zeros(2)], TypeError,
                            "along axis 1"),
    "slice past the end": (lambda x: lax.slice(x, (1,), (4,)), [zeros(3)], TypeError,
                           r"\(1,\) to \(4,\) by \(1,\) .*float32\[3\]"),
    "slice backwards": (lambda x: lax.slice(x, (2,), (1,)), [zeros(3)], TypeError, r"\(2,\) to"),
    "slice before": (lambda x: lax.slice(x, (-1,), (2,)), [zeros(3)], TypeError, r"\(-1,\) to"),
    "slice standing still": (lambda x: lax.slice(x, (0,), (2,), (0,)), [zeros(3)], TypeError,
                             r"by \(0,\)"),
    "slice too few axes": (lambda x: lax.slice(x, (0,), (2,)), [zeros(3, 3)], TypeError,
                           r"lie in float32\[3,3\]"),
    "pad dtype": (lambda *xs: lax.pad(*xs, [(0, 0, 0)]), [zeros(2), np.int32(0)], TypeError,
                  "pad of float32.*got a padding_value of int32"),
    "pad axes": (lambda *xs: lax.pad(*xs, [(1, 2, 3)]), [zeros(2, 2), 0.0], ValueError,
                 r"(?s)\(\(1, 2, 3\),\)\..*the 2 axes"),
    "pad with many": (lambda *xs: lax.pad(*xs, [(0, 0, 0)]), [zeros(2), zeros(1)], ValueError,
                      r"(?s)padding_value float32\[1\].*a scalar"),
    "sum of bools": (lambda x: lax.reduce_sum(x, (0,)), [zeros(2, dtype=BOOL)], TypeError,
                     "reduce_sum takes .*got bool"),
    "sum no axis": (lambda x: lax.reduce_sum(x, (1,)), [zeros(2)], ValueError, r"got axes \(1,\)"),
    "max twice": (lambda x: lax.reduce_max(x, (0, 0)), [zeros(2)], ValueError,
                  r"reduce_max got axes \(0, 0\)"),
    "dot sizes": (lambda *xs: lax.dot_general(*xs, (((0,), (0,)), NO_AXES)), [zeros(2), zeros(3)],
                  TypeError, r"contract axes \(0,\) of \(2,\) with axes \(0,\) of \(3,\)"),
    "dot batch sizes": (lambda *xs: lax.dot_general(*xs, (NO_AXES, ((0,), (0,)))),
                        [zeros(2), zeros(3)], TypeError, "cannot batch axes"),
    "dot no axis": (lambda *xs: lax.dot_general(*xs, (((1,), (0,)), NO_AXES)),
                    [zeros(2), zeros(2)], TypeError, r"no such axes to contract: \(1,\)"),
    "a string": (lax.neg, ["text"], TypeError, "'text' of type str is not an array"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_misfits_are_refused_with_what_was_got(case):
    """In the same words while running and while tracing."""
    fun, args, error, words = REFUSED[case]
    with pytest.raises(error, match=words) as caught:
        fun(*args)
    assert caught.type is error
    if case != "a string":
        with pytest.raises(error, match=words):
            jax.eval_shape(fun, *args)


def test_a_product_takes_no_negative_axes():
    with pytest.raises(TypeError, match="dot_general"):
        lax.dot_general(zeros(3), zeros(3), (((-1,), (-1,)), ((), ())))


@pytest.mark.parametrize("shapes, out", [
    ([(2, 3), (2, 3)], (2, 3)), ([(), (2,)], (2,)), ([(2, 1), (1, 3)], (2, 3)), ([(), ()], ()),
    ([(0,), (1,)], (0,)), ([(1, 1), (1, 1)], (1, 1)),
])
def test_shapes_that_meet(shapes, out):
    assert lax.add(*[np.ones(shape, F32) for shape in shapes]).shape == out


# Integer arithmetic at its edges, as in XLA.

DIVISIONS = [  # dtype, x, y, quotient (towards zero), remainder (x's sign)
    ("int32", 7, 2, 3, 1), ("int32", -7, 2, -3, -1), ("int32", 7, -2, -3, 1),
    ("int32", -7, -2, 3, -1), ("int32", 7, 0, -1, 7), ("int32", -7, 0, -1, -7),
    ("int32", 0, 0, -1, 0), ("int32", -(2**31), -1, -(2**31), 0),
    ("int32", -(2**31), 2, -(2**30), 0), ("int32", -(2**31), 1, -(2**31), 0),
    ("int8", -128, -1, -128, 0), ("int8", -128, 3, -42, -2), ("int8", 127, 0, -1, 127),
    ("uint8", 255, 2, 127, 1), ("uint8", 7, 0, 255, 7), ("uint32", 2**32 - 1, 0, 2**32 - 1,
                                                        2**32 - 1),
]


@pytest.mark.parametrize("dtype, x, y, quotient, remainder", DIVISIONS)
@pytest.mark.filterwarnings("error")
def test_integer_division(dtype, x, y, quotient, remainder):
    x, y = np.array(x, dtype), np.array(y, dtype)
    for shape in ((), (3,)):
        operands = np.broadcast_to(x, shape), np.broadcast_to(y, shape)
        got = lax.div(*operands), lax.rem(*operands)
        assert [g.dtype for g in got] == [np.dtype(dtype)] * 2
        assert [set(np.ravel(g).tolist()) for g in map(to_numpy, got)] == [{quotient}, {remainder}]


@pytest.mark.parametrize("x, y, quotient, remainder", [
    (1.0, 0.0, np.inf, np.nan), (-1.0, 0.0, -np.inf, np.nan), (0.0, 0.0, np.nan, np.nan),
    (5.5, -2.0, -2.75, 1.5), (-5.5, 2.0, -2.75, -1.5), (1.0, np.inf, 0.0, 1.0),
])
def test_float_division(x, y, quotient, remainder):
    np.testing.assert_array_equal([lax.div(x, y), lax.rem(x, y)], [quotient, remainder])


@pytest.mark.parametrize("fun, x, want", [
    (lax.neg, np.int32(-(2**31)), -(2**31)), (lax.abs, np.int8(-128), -128),
    (lax.neg, np.uint8(1), 255), (lambda x: lax.add(x, x), np.int8(100), -56),
    (lambda x: lax.mul(x, x), np.int32(2**16), 0), (lambda x: lax.sub(x, x), np.uint8(3), 0),
    (lax.square, np.uint8(16), 0), (lambda x: lax.integer_pow(x, 3), np.int32(-3), -27),
    (lambda x: lax.integer_pow(x, 0), np.int32(0), 1), (lax.sign, np.int8(-128), -1),
    (lambda x: lax.integer_pow(x, 40), np.int32(3), 689956897),
    (lax.bitwise_not, np.int32(0), -1), (lax.bitwise_not, np.bool_(True), False),
])
@pytest.mark.filterwarnings("error")
def test_integers_wrap_around(fun, x, want):
    got = fun(x)
    assert got.dtype == x.dtype and got.item() == want


# Conversions.


@pytest.mark.parametrize("x, dtype, want", [
    (np.float32("nan"), "int32", 0), (np.float32("inf"), "int32", 2**31 - 1),
    (np.float32("-inf"), "int32", -(2**31)), (np.float32(3e9), "int32", 2**31 - 1),
    (np.float32(-3e9), "int32", -(2**31)), (np.float32(-1.9), "int32", -1),
    (np.float32(300), "int8", 127), (np.float32(-300), "int8", -128), (np.float32(-1), "uint8", 0),
    (np.float32(256), "uint8", 255), (np.float32(255.9), "uint8", 255),
    (np.float32(5e9), "uint32", 2**32 - 1), (np.float16("nan"), "uint8", 0),
    (bfloat16.type(1e30), "int32", 2**31 - 1), (np.float32(2**31), "int32", 2**31 - 1),
    (np.int32(300), "int8", 44), (np.int32(-1), "uint8", 255), (np.int32(-1), "uint32", 2**32 - 1),
    (np.float32("nan"), "bool", True), (np.float32(-0.0), "bool", False),
    (np.float32(0.1), "bool", True), (np.int32(256), "bool", True), (np.bool_(True), "int8", 1),
    (np.float32(1e30), "float16", np.inf), (np.float32(3), "complex64", 3 + 0j),
    (np.int32(2**24 + 1), "float32", 2.0**24), (np.float32(1.00390625), bfloat16, 1.0),
], ids=str)
@pytest.mark.filterwarnings("error")
def test_conversions_saturate_and_nan_is_zero(x, dtype, want):
    for value in (x, np.full(3, x), as_array(x)):
        got = lax.convert_element_type(value, dtype)
        assert got.dtype == np.dtype(dtype) and got.shape == np.shape(value)
        assert set(np.ravel(to_numpy(got)).tolist()) == {want}


@pytest.mark.parametrize("value, dtype, want", [
    (float("nan"), "int32", 0), (float("inf"), "int32", 2**31 - 1), (1.7, "int32", 1),
    (300.0, "int8", 127), (True, "float32", 1.0), (1e300, "float32", np.inf),
])
def test_conversions_of_python_numbers(value, dtype, want):
    got = lax.convert_element_type(value, dtype)
    assert (got.aval, got.item()) == (ShapedArray((), dtype), want)


def test_select_n_by_a_number_out_of_range():
    """The nearest case, as in XLA."""
    which, cases = np.array([-1, 0, 1, 2], np.int32), [zeros(4) + i for i in range(3)]
    assert lax.select_n(which, *cases).tolist() == [0.0, 0.0, 1.0, 2.0]
    assert lax.select_n(which, *cases[:2]).tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("fun", [
    lambda n: lax.rev(zeros(2), (n,)), lambda n: lax.reduce_sum(zeros(2), (n,)),
    lambda n: lax.slice(zeros(2), (n,), (2,)), lambda n: lax.concatenate([zeros(2), zeros(2)], n),
    lambda n: lax.dot_general(zeros(2), zeros(2), (((n,), (n,)), NO_AXES)),
    lambda n: lax.pad(zeros(2), np.float32(0), [(n, 0, 0)]),
])
def test_parameters_are_no_tracers(fun):
    with pytest.raises(jax.errors.TracerIntegerConversionError, match="test_primitives.py"):
        jax.jit(fun)(0)


@pytest.mark.parametrize("method, values", [
    (lax_all.RoundingMethod.AWAY_FROM_ZERO, [-3.0, -2.0, -0.0, 0.0, 1.0, 2.0, 3.0, np.inf]),
    (lax_all.RoundingMethod.TO_NEAREST_EVEN, [-2.0, -2.0, -0.0, 0.0, 0.0, 2.0, 2.0, np.inf]),
])
def test_where_a_half_goes(method, values):
    x = np.array([-2.5, -1.5, -0.49999997, 0.0, 0.5, 1.5, 2.5, np.inf], np.float32)
    out = np.asarray(lax_all.round(x, method))
    np.testing.assert_array_equal(out, values)
    assert np.signbit(out).tolist() == np.signbit(values).tolist()
    with pytest.raises(ValueError, match="7"):
        lax_all.round(x, 7)


@pytest.mark.parametrize("shift, x, results", [  # by -1, 0, 1, 31 and 40
    (lax_all.shift_left, np.int32(5), [0, 5, 10, -(2**31), 0]),
    (lax_all.shift_right_logical, np.int32(-8), [0, -8, 2**31 - 4, 1, 0]),
    (lax_all.shift_right_arithmetic, np.int32(-8), [-1, -8, -4, -1, -1]),
    (lax_all.shift_right_arithmetic, np.int32(8), [0, 8, 4, 0, 0]),
])
def test_shifts_by_any_count(shift, x, results):
    counts = np.array([-1, 0, 1, 31, 40], np.int32)
    assert shift(x, counts).tolist() == results


def test_python_integers_have_32_bits_before_they_get_another_dtype():
    assert lax.convert_element_type(300, np.int8).item() == 300 - 256
    assert lax.convert_element_type(2**32, F32) == 2.0**32
    for use in [lambda n: jnp.float32(1) + n, lambda n: lax.add(n, 1), jnp.sqrt,
                jax.make_jaxpr(lambda x: x), jax.typeof]:  # fmt: skip
        use(2**31 - 1), use(-(2**31))
        for n in [2**31, -(2**31) - 1, 10**30]:
            with pytest.raises(OverflowError, match=f"{n} does not fit in int32"):
                use(n)
    with jax.enable_x64(True), pytest.raises(OverflowError, match="does not fit in int64"):
        jax.typeof(2**63)


def test_conversion_drops_an_imaginary_part_with_a_warning():
    with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
        assert lax.convert_element_type(np.complex64(1 + 2j), F32).item() == 1.0


def test_a_conversion_that_changes_nothing_is_none():
    x = as_array(np.arange(3.0))
    assert lax.convert_element_type(x, F32) is x
    closed = jax.make_jaxpr(lambda x: lax.convert_element_type(x, F32))(x)
    assert closed.eqns == []
    assert lax.convert_element_type(x, F32, weak_type=True).weak_type


# Padding with negative edges and between elements.


@pytest.mark.parametrize("config, want", [
    ((0, 0, 0), [1, 2, 3, 4]), ((1, 2, 0), [9, 1, 2, 3, 4, 9, 9]), ((-1, 0, 0), [2, 3, 4]),
    ((0, -1, 0), [1, 2, 3]), ((-1, -2, 0), [2]), ((-2, -2, 0), []), ((-3, 2, 0), [4, 9, 9]),
    ((2, -3, 0), [9, 9, 1]), ((0, 0, 1), [1, 9, 2, 9, 3, 9, 4]), ((-1, -1, 1), [9, 2, 9, 3, 9]),
    ((-6, 0, 1), [4]), ((1, -1, 2), [9, 1, 9, 9, 2, 9, 9, 3, 9, 9]),
])
def test_pad(config, want):
    x = np.arange(1, 5, dtype=np.int32)
    got = lax.pad(x, np.int32(9), [config])
    assert got.tolist() == want and got.shape == (len(want),)
    both = lax.pad(np.stack([x, x]), np.int32(9), [(-1, 1, 0), config])
    assert both.tolist() == [want, [9] * len(want)]


@pytest.mark.parametrize("config, want", [
    ((1, 1, 0), [9, 9]), ((0, 0, 3), []), ((2, -1, 0), [9]),
])
def test_pad_of_nothing(config, want):
    assert lax.pad(np.zeros(0, np.int32), np.int32(9), [config]).tolist() == want


@pytest.mark.parametrize("config", [(-3, -3, 0), (-5, 0, 0), (2, -8, 0), (-4, -4, 1)])
def test_padding_away_more_than_there_is(config):
    with pytest.raises(ValueError, match="pad"):
        lax.pad(np.arange(4.0), 0.0, [config])


# Products: the type that is accumulated in.


@pytest.mark.parametrize("dtype, preferred, values, want", [
    ("int8", "int32", [100, 100, 100], 30000), ("int8", None, [100, 100], 32),
    ("uint8", "uint32", [255, 255], 130050), ("int8", "float32", [100, 100], 20000.0),
    (bfloat16, "float32", [1.0, 0.0625, 0.0625], 1.0078125),
    ("float16", "float32", [300.0, 300.0], 180000.0),
    (bfloat16, None, [1.0, 0.0625, 0.0625], 1.0078125), ("int32", None, [2**16, 1], 1),
], ids=str)
def test_dot_general_accumulates_in_the_type_that_is_preferred(dtype, preferred, values, want):
    x = np.array(values).astype(dtype)
    dims = (((0,), (0,)), ((), ()))
    for f in (lax.dot_general, jax.jit(lax.dot_general, static_argnums=(2, 4))):
        got = f(x, x, dims, None, preferred)
        assert got.dtype == np.dtype(preferred or dtype) and got.item() == want


@pytest.mark.filterwarnings("error")
def test_a_product_too_large_for_its_type_is_infinite_in_silence():
    x = np.array([300.0, 300.0], np.float16)
    assert lax.dot_general(x, x, (((0,), (0,)), ((), ()))).item() == np.inf


@pytest.mark.parametrize("x, y, dims, einsum", [
    ((2, 3), (3, 4), (((1,), (0,)), ((), ())), "ab,bc->ac"),
    ((5, 2, 3), (3, 5, 4), (((2,), (0,)), ((0,), (1,))), "abc,cad->abd"),
    ((2, 3, 4), (4, 3), (((1, 2), (1, 0)), ((), ())), "abc,cb->a"),
    ((2,), (3,), (((), ()), ((), ())), "a,b->ab"), ((2, 0), (0, 3), (((1,), (0,)), ((), ())),
                                                   "ab,bc->ac"),
    ((2, 3), (3, 2), (((), ()), ((0, 1), (1, 0))), "ab,ba->ab"), ((), (2,), (((), ()), ((), ())),
                                                                 ",a->a"),
])
def test_dot_general_orders_its_axes(x, y, dims, einsum):
    """Batch axes, then the first operand's others, then the second's."""
    x, y = (np.arange(np.prod(s), dtype=F32).reshape(s) + 1 for s in (x, y))
    np.testing.assert_array_equal(lax.dot_general(x, y, dims), np.einsum(einsum, x, y))


# Special values.


@pytest.mark.parametrize("fun, args, want", [
    (lax.log, [0.0], -np.inf), (lax.log, [-1.0], np.nan), (lax.sqrt, [-1.0], np.nan),
    (lax.rsqrt, [0.0], np.inf), (lax.exp, [1000.0], np.inf), (lax.exp, [-1000.0], 0.0),
    (lax.logistic, [-1000.0], 0.0), (lax.logistic, [1000.0], 1.0), (lax.tanh, [1000.0], 1.0),
    (lax.sign, [np.nan], np.nan), (lax.sign, [-0.0], -0.0), (lax.max, [np.nan, 1.0], np.nan),
    (lax.min, [1.0, np.nan], np.nan), (lax.eq, [np.nan, np.nan], False), (lax.pow, [0.0, 0.0], 1.0),
    (lambda x: lax.integer_pow(x, -1), [0.0], np.inf), (lax.floor, [-0.5], -1.0),
    (lambda x: lax.reduce_max(x, (0,)), [zeros(0)], -np.inf),
    (lambda x: lax.reduce_min(x, (0,)), [zeros(0, dtype=np.int8)], 127),
    (lambda x: lax.reduce_max(x, (0,)), [zeros(0, dtype=I32)], -(2**31)),
    (lambda x: lax.reduce_min(x, (0,)), [zeros(0, dtype=BOOL)], True),
    (lambda x: lax.reduce_sum(x, (0,)), [zeros(0)], 0.0),
    (lambda x: lax.reduce_max(x, (0,)), [np.array([1, np.nan], F32)], np.nan),
])
@pytest.mark.filterwarnings("error")
def test_special_values(fun, args, want):
    got = to_numpy(fun(*args))
    np.testing.assert_array_equal(got, want)
    assert np.signbit(np.float64(got)) == np.signbit(np.float64(want)) or np.isnan(want)


@pytest.mark.parametrize("which, want", [(-1, 10), (0, 10), (2, 30), (3, 30)])
def test_a_choice_beyond_the_cases_is_the_nearest(which, want):
    assert lax.select_n(np.int32(which), 10, 20, 30).item() == want


# Types: weak where all operands are.


@pytest.mark.parametrize("fun, weak", [
    (lambda: lax.add(1.0, 2.0), True), (lambda: lax.add(1.0, np.float32(2)), False),
    (lambda: lax.lt(1.0, 2.0), True), (lambda: lax.neg(1.0), True),
    (lambda: lax.full((2,), 1.0), True), (lambda: lax.full((2,), 1.0, F32), False),
    (lambda: lax.full_like(np.float32(1), 2), False), (lambda: lax.select(True, 1.0, 2.0), True),
    (lambda: lax.reduce_sum(lax.full((2,), 1.0), (0,)), True),
    (lambda: lax.broadcasted_iota(int, (2,), 0), False),
    (lambda: lax.concatenate([lax.full((2,), 1.0), zeros(1)], 0), False),
])
def test_weak_types(fun, weak):
    assert fun().weak_type is jax.eval_shape(fun).weak_type is weak


def test_a_type_rule_is_asked_once_for_the_same_types_and_params():
    asked = []

    def rule(x, *, by):
        asked.append((x, by))
        return x

    times_p = numpy_primitive("times", rule, lambda x, by: x * by)
    for x, by in [(1.0, 2), (3.0, 2), (np.float32(1), 2), (1.0, 3)]:
        times_p.out_avals([typeof(x)], {"by": by})
        times_p.bind(x, by=by)
    weak, strong = ShapedArray((), F32, weak_type=True), ShapedArray((), F32)
    assert asked == [(weak, 2), (strong, 2), (weak, 3)]


# Wrappers that find nothing to do.


@pytest.mark.parametrize("fun", [
    lambda x: lax.reshape(x, (2, 1)), lambda x: lax.squeeze(x, ()),
    lambda x: lax.transpose(x, (0, 1)), lambda x: lax.broadcast_in_dim(x, (2, 1), (0, 1)),
    lambda x: lax.concatenate([x], 0),
], ids=range(5))
def test_nothing_to_do_for_an_array(fun):
    x = as_array(zeros(2, 1))
    assert fun(x) is x
    assert len(jax.make_jaxpr(lambda x: lax.neg(lax.reshape(x, (2, 1))))(zeros(1, 2)).eqns) == 2


def test_helpers():
    assert remaining(4, [1], [3]) == [0, 2]
    assert [canonicalize_axis(d, 3) for d in (-3, -1, 0, np.int8(2))] == [0, 2, 0, 2]
    for bad in (-4, 3):
        with pytest.raises(ValueError, match=f"no axis {bad} in an array of 3"):
            canonicalize_axis(bad, 3)
    with pytest.raises(TypeError):
        canonicalize_axis(1.0, 3)
    assert canonicalize_shape(3) == (3,) and canonicalize_shape((np.int8(2), 1)) == (2, 1)
    with pytest.raises(TypeError, match="static_argnums"):
        jax.jit(lambda n: lax.full((n,), 1.0))(3)
    x = np.arange(6.0).reshape(2, 3)
    assert lax.slice_in_dim(x, 0, 3, 2, axis=-1).tolist() == [[0.0, 2.0], [3.0, 5.0]]
    assert lax.expand_dims(x, (0, -1)).shape == (1, 2, 3, 1)
    assert lax.reshape(x, (6,), (1, 0)).tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    assert [dtype_bounds(np.dtype(d)) for d in ("i1", "?", "f4", "c8")] == [
        (-128, 127), (False, True), (-np.inf, np.inf), (-np.inf, np.inf)]
    for run in (lambda f: f, jax.jit):  # without infinities
        none = np.zeros(0, "float8_e4m3fn")
        assert [float(run(lambda x, f=f: f(x, (0,)))(none))
                for f in (lax.reduce_max, lax.reduce_min)] == [-448, 448]  # fmt: skip
