"""Arithmetic, element by element, beside the core's own: each primitive with all its rules."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.identities import same
from minijax.compiler.passes.rewriting import number_of
from minijax.compiler.special_cases.choice_identities import chosen, highest
from minijax.compiler.special_cases.scalar_templates import truncated_quotient
from minijax.core.arrays import Array, is_number
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.dtypes import canonicalize_dtype, extended, issubdtype, minimum
from minijax.core.errors import JaxRuntimeError, warn
from minijax.core.forward import (
    constant,
    defjvp,
    defjvp2,
    extreme_jvp,
    primitive_jvps,
    spread,
    zero_jvp,
)
from minijax.core.primitives import (
    add,
    binary,
    broadcasting_shape,
    cast,
    check_kind,
    convert_element_type_p,
    div,
    elementwise,
    eq,
    fill,
    integer_pow,
    log,
    mul,
    naryop,
    neg,
    numpy_primitive,
    select,
    sub,
    through_float32,
    to_bool,
    unary,
)
from minijax.core.printing import hide_none, pp_eqn_rules
from minijax.core.pytrees import tree_map
from minijax.core.reverse import deflinear
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.lax.elementwise.accuracies import with_accuracy

ordered = [np.bool_, np.integer, np.floating]
anything = [np.bool_, np.number, extended]

# Other dtypes, as the user asks for them; and what an error shows of a value.

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 40


def shown(x: Any) -> str:
    """A value as a message shows it, short and on one line: an array by its type.

    >>> shown(np.zeros((2, 3), np.float32)), shown("text"), shown(object())
    ('a NumPy array of float32[2,3]', "'text'", 'an object of class object')
    """
    if isinstance(x, Tracer):
        return f"a traced {x.aval}"
    if isinstance(x, Array):
        return f"an array of type {x.aval}"
    if isinstance(x, np.ndarray):
        return f"a NumPy array of {x.dtype}[{','.join(map(str, x.shape))}]"
    text = _repr.repr(x)
    return f"an object of class {type(x).__name__}" if " at 0x" in text or "\n" in text else text


def known_dtype(fun_name: str, dtype: Any) -> Any:
    """The dtype that `dtype` names, of 64 bits only where these are switched on.

    TypeError for what is none, ValueError for an array in its place or for None.
    """
    if dtype is None:
        raise ValueError(f"{fun_name} needs a dtype, and got None. Give one, as 'float32'.")
    try:
        return canonicalize_dtype(dtype)
    except TypeError as error:
        if isinstance(dtype, Array):
            raise ValueError(
                f"{fun_name} takes a dtype, and got {shown(dtype)}.\nGive its x.dtype."
            ) from error
        raise TypeError(
            f"{fun_name} knows no dtype {shown(dtype)}. Give bool or a dtype of numbers."
        ) from error


# Types without arrays: XLA has none of them on a CPU.
_WITHOUT_ARRAYS = dict.fromkeys(map(np.dtype, ["float6_e2m3fn", "float6_e3m2fn"]), JaxRuntimeError)
_WITHOUT_ARRAYS |= dict.fromkeys(map(np.dtype, ["int1", "uint1"]), ValueError)


def dtype_for(fun_name: str, dtype: Any) -> Any:
    """The dtype that an array gets where a function was asked for `dtype`; errors as of
    `known_dtype`, and that of JAX for a dtype of which there are no arrays."""
    found = known_dtype(fun_name, dtype)
    if found in _WITHOUT_ARRAYS:
        raise _WITHOUT_ARRAYS[found](
            f"{fun_name} was asked for {found}, of which there are no arrays, only types. Give a "
            f"dtype as 'int4' or 'float8_e4m3fn'."
        )
    return found



def convert_element_type(operand: Any, new_dtype: Any, weak_type: bool = False) -> Any:
    """The operand in another dtype; itself, when nothing changes.

    64 bits become 32 where they are not switched on. A ComplexWarning where an imaginary part is
    dropped.

    >>> convert_element_type(1.7, np.int32)
    Array(1, dtype=int32)
    """
    new_dtype = dtype_for("lax.convert_element_type", new_dtype)
    if type(operand) is int:
        operand = wrapped_integer(operand, new_dtype)
    old = typeof(operand).dtype
    if issubdtype(old, np.complexfloating) and not issubdtype(new_dtype, np.complexfloating):
        warn("The imaginary part is dropped.", np.exceptions.ComplexWarning)
    return cast_for_user(operand, new_dtype, weak_type)


def wrapped_integer(x: int, dtype: np.dtype) -> Any:
    """x; where the dtype of integers doesn't hold it, what the other dtype holds of it."""
    bounds = np.iinfo(canonicalize_dtype(np.int64))
    if bounds.min <= x <= bounds.max:
        return x
    if not issubdtype(dtype, np.integer):
        return float(x)
    return np.array(x).astype(dtype)[()] if -(2**63) <= x < 2**64 else x


def cast_for_user(x: Any, dtype: Any, weak_type: bool = False) -> Any:
    """Like `cast`, for a result: a number becomes an array, in a tracer too.

    To the function that is traced now it is still a number, as in JAX; to later ones it is not.
    """
    converted = cast(x, dtype, weak_type)
    if not (is_number(x) or converted is x and carries_input(x)):
        return converted
    return convert_element_type_p.bind(converted, new_dtype=dtype, weak_type=weak_type)


def carries_input(x: Any) -> bool:
    """Whether a tracer carries a number or a NumPy array, as the caller gave it."""
    value = x.to_concrete_value() if isinstance(x, Tracer) else None
    return value is not None and (is_number(value) or not isinstance(value, Array))


# Functions of floats and of complex numbers.


def float_function(
    name: str, numpy_fun: Callable, doc: str, template: str | None = None
) -> tuple[Primitive, Callable]:
    """A primitive, whose JVP rule is still to come, and the function that binds it.

    A kernel's text has the template, or else the function of vector maths with the same name.
    """
    primitive = naryop(name, [np.inexact], through_float32(numpy_fun), inert={"accuracy": None})
    defvectorized(primitive)
    register_lowering(primitive, template=template or f"{name}_{{t}}({{0}})")
    pp_eqn_rules[primitive] = hide_none("accuracy")
    return primitive, with_accuracy(primitive, doc)


def _tanh_jvp(g: Any, ans: Any, x: Any) -> Any:
    """g * (1 + ans) * (1 - ans), which keeps its precision where ans is near 1."""
    return mul(add(g, mul(g, ans)), sub(constant(x, 1), ans))


tanh_p, tanh = float_function(
    "tanh", np.tanh, "The hyperbolic tangent of floats or complex numbers."
)
defjvp2(tanh_p, _tanh_jvp)

sqrt_p, sqrt = float_function("sqrt", np.sqrt, "The square root; NaN below 0.", "np.sqrt({0})")
defjvp2(sqrt_p, lambda g, ans, x: mul(g, div(constant(x, 0.5), ans)))

rsqrt_p, rsqrt = float_function("rsqrt", lambda x: 1 / np.sqrt(x), "1 / sqrt(x).")
defjvp2(rsqrt_p, lambda g, ans, x: mul(g, mul(constant(x, -0.5), div(ans, x))))

logistic_p, logistic = float_function(
    "logistic", lambda x: 1 / (1 + np.exp(-x)), "1 / (1 + exp(-x)), the sigmoid."
)
defjvp2(logistic_p, lambda g, ans, x: mul(g, mul(ans, sub(constant(x, 1), ans))))

# Powers.

square_p = naryop("square", [np.number], np.square)
defjvp(square_p, lambda g, x: mul(g, mul(constant(x, 2), x)))
defvectorized(square_p)
register_lowering(square_p, template="{0} * {0}")
square = unary(square_p, "x * x.")


def reciprocal(x: Any) -> Any:
    """1 / x, for floats or complex numbers.

    >>> reciprocal(4.0)
    Array(0.25, dtype=float32, weak_type=True)
    """
    return integer_pow(x, -1)


def _unless_zero(x: Any) -> Any:
    """x, with 1 in place of 0."""
    return select(eq(x, constant(x, 0)), fill(typeof(x), 1), x)


def _pow_jvp_x(g: Any, ans: Any, x: Any, y: Any) -> Any:
    """x**0 has the slope 0, at x = 0 too, where the power is a whole number."""
    is_whole = issubdtype(typeof(y).dtype, np.integer)
    x, y = (cast(operand, typeof(ans).dtype) for operand in (x, y))
    if not is_whole:
        return mul(g, mul(y, pow(x, sub(y, fill(typeof(y), 1)))))
    y = spread(y, ans)
    is_zero, zero = eq(y, constant(y, 0)), fill(typeof(y), 0)
    slope = mul(_unless_zero(y), pow(x, sub(y, fill(typeof(y), 1))))
    return mul(g, select(is_zero, zero, slope))


def _pow_jvp_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    """0**y does not change with y."""
    return mul(g, mul(log(_unless_zero(x)), ans))


def _pow_rule(x: ShapedArray, y: ShapedArray) -> ShapedArray:
    check_kind("pow", [np.inexact], x.dtype)
    if x.dtype != y.dtype and not issubdtype(y.dtype, np.integer):
        raise TypeError(
            f"lax.pow takes a power of x's dtype, or an integer,\nand got {x.dtype} and {y.dtype}. "
            f"Use y.astype(x.dtype)."
        )
    shape = broadcasting_shape("pow", [x, y])
    return ShapedArray(shape, x.dtype, x.weak_type and y.weak_type)


def _numpy_pow(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.power(x, y.astype(x.dtype))


def _pow_template(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> str:
    power = "{1}" if in_dtypes[1] == out_dtype else f"{out_dtype}({{1}})"
    return f"pow_{{t}}({{0}}, {power})"


pow_p = numpy_primitive("pow", _pow_rule, through_float32(_numpy_pow))
elementwise.add(pow_p)
defjvp2(pow_p, _pow_jvp_x, _pow_jvp_y)
defbroadcasting(pow_p)
register_lowering(pow_p, template=_pow_template)
pow = binary(pow_p, "x to the power of y: floats or complex numbers of one dtype, or integers y.")

# Size and sign.


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of a complex number's parts; any other is its own.

    >>> real_dtype(np.dtype("complex64")), real_dtype(np.dtype("int8"))
    (dtype('float32'), dtype('int8'))
    """
    is_complex = issubdtype(dtype, np.complexfloating)
    return np.zeros(0, dtype).real.dtype if is_complex else dtype


def _abs_jvp(g: Any, ans: Any, x: Any) -> Any:
    dtype = typeof(x).dtype
    if issubdtype(dtype, np.complexfloating):  # the real part of g |x| / x
        return cast(mul(g, div(cast(ans, dtype), _unless_zero(x))), typeof(ans).dtype)
    return select(ge(x, constant(x, 0)), g, neg(g))


def _size_dtype(dtype: np.dtype) -> np.dtype:
    if dtype.itemsize == 1 and issubdtype(dtype, np.integer) and dtype != np.int8:
        raise TypeError(
            f"lax.abs takes no integers of fewer than 8 bits, and got {dtype}.\n"
            f"Try x.astype('int8')."
        )
    return real_dtype(dtype)


abs_p = naryop("abs", [np.signedinteger, np.inexact], np.abs, _size_dtype)
defjvp2(abs_p, _abs_jvp)
defvectorized(abs_p)
register_lowering(abs_p, template="abs({0})", on_halves="exact")
abs = unary(abs_p, "The absolute value; of complex numbers, a float.")


def _numpy_sign(x: np.ndarray) -> np.ndarray:
    """Keeps the sign of zero, as XLA does."""
    return np.copysign(np.sign(x), x) if issubdtype(x.dtype, np.floating) else np.sign(x)


sign_p = naryop("sign", [np.number], _numpy_sign)
primitive_jvps[sign_p] = partial(zero_jvp, sign_p)
defvectorized(sign_p)
register_lowering(
    sign_p, template=for_kinds("sign_{t}({0})", "1 if {0} > 0 else -1 if {0} < 0 else 0")
)
sign = unary(sign_p, "-1, 0 or 1; NaN of NaN.")

min_p = naryop("min", [np.bool_, np.number], minimum)
extreme_jvp(min_p)
defbroadcasting(min_p)
register_lowering(
    min_p, identity=partial(chosen, neutral=highest),
    template=for_kinds("minimum_{t}({0}, {1})", "min({0}, {1})", "{0} & {1}"),
    on_halves="exact",
)  # fmt: skip
min = binary(min_p, "The smaller of x and y, element by element; NaN where either is.")

# Comparing. The results change in jumps.


def _comparison(
    name: str, accepts: list, numpy_fun: Callable, sign: str
) -> tuple[Primitive, Callable]:  # fmt: skip
    primitive = naryop(name, accepts, numpy_fun, to_bool)
    primitive_jvps[primitive] = partial(zero_jvp, primitive)
    defbroadcasting(primitive)
    register_lowering(primitive, template=f"{{0}} {sign} {{1}}")
    return primitive, binary(primitive, f"Whether x {sign} y, element by element, as bools.")


ne_p, ne = _comparison("ne", anything, operator.ne, "!=")
register_lowering(
    ne_p, shortcut=lambda x, y: np.not_equal,
    identity=lambda draft, eqn: (  # p != False is p
        eqn.invars[0] if number_of(draft, eqn.invars[1]) is False else None
    ),
)  # fmt: skip
lt_p, lt = _comparison("lt", ordered, np.less, "<")
le_p, le = _comparison("le", ordered, np.less_equal, "<=")
ge_p, ge = _comparison("ge", ordered, np.greater_equal, ">=")

# Rounding, and what a division leaves over.


class RoundingMethod(IntEnum):
    """Which way a half goes."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _numpy_round(x: np.ndarray, rounding_method: RoundingMethod) -> np.ndarray:
    if rounding_method == RoundingMethod.TO_NEAREST_EVEN:
        return np.round(x)
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


def _round_template(in_dtypes: Any, out_dtype: np.dtype, rounding_method: RoundingMethod) -> str:
    to_even = rounding_method == RoundingMethod.TO_NEAREST_EVEN
    return "np.rint({0})" if to_even else "round_half_away_{t}({0})"


floor_p = naryop("floor", [np.floating], through_float32(np.floor))
primitive_jvps[floor_p] = partial(zero_jvp, floor_p)
defvectorized(floor_p)
register_lowering(floor_p, template="np.floor({0})")
floor = unary(floor_p, "The largest whole number that is not above x, as a float.")

round_p = naryop(
    "round", [np.floating], through_float32(_numpy_round), params=["rounding_method"]
)
primitive_jvps[round_p] = partial(zero_jvp, round_p)
defvectorized(round_p)
register_lowering(round_p, template=_round_template)


def round(x: Any, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Any:
    """The nearest whole number, as a float.

    >>> round(2.5), round(2.5, RoundingMethod.TO_NEAREST_EVEN)
    (Array(3., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True))
    """
    if rounding_method not in (0, 1):
        raise ValueError(
            f"lax.round knows no rounding_method {shown(rounding_method)}. Give one of\n"
            f"lax.RoundingMethod.AWAY_FROM_ZERO and lax.RoundingMethod.TO_NEAREST_EVEN."
        )
    return round_p.bind(x, rounding_method=RoundingMethod(rounding_method))


def _numpy_rem(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if not issubdtype(x.dtype, np.integer):
        return np.fmod(x, y)
    return np.where(y == 0, x, np.fmod(x, y))


def _rem_jvp_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    """rem is x - y * n, with a whole number n that changes only in jumps."""
    quotient = div(x, y)
    return mul(neg(g), mul(sign(quotient), floor(abs(quotient))))


def _rem_template(in_dtypes: Any, dtype: np.dtype) -> str:
    if issubdtype(dtype, np.floating):
        return "np.fmod({0}, {1})"
    if dtype == np.uint64:
        return "{0} if {1} == 0 else {0} % {1}"
    rest = f"int64({{0}}) - {truncated_quotient(dtype)} * int64({{1}})"
    if dtype == np.int64:
        rest = f"int64(0) if {{1}} == -1 else {rest}"
    return f"int64({{0}}) if {{1}} == 0 else {rest}"


rem_p = naryop("rem", [np.integer, np.floating], _numpy_rem)
defjvp2(rem_p, lambda g, ans, x, y: spread(g, ans), _rem_jvp_y)
defbroadcasting(rem_p)
register_lowering(
    rem_p, template=_rem_template,
    shortcut=lambda x, y: np.fmod if issubdtype(x.dtype, np.floating) else None,
)  # fmt: skip
rem = binary(rem_p, "What is left of x after division by y, with x's sign.")

# The same value again.

copy_p = naryop("copy", anything, np.copy)
deflinear(copy_p, lambda ct: [copy_p.bind(ct)])
defvectorized(copy_p)
register_lowering(copy_p, identity=same, template="{0}")

stop_gradient_p = naryop("stop_gradient", anything, lambda x: x)
primitive_jvps[stop_gradient_p] = partial(zero_jvp, stop_gradient_p)
defvectorized(stop_gradient_p)
register_lowering(stop_gradient_p, identity=same, template="{0}")


def _stop_gradient(x: Any) -> Any:
    typeof(x)  # raises a TypeError unless x is an array
    return stop_gradient_p.bind(x) if isinstance(x, Array) else x


def stop_gradient(x: Any) -> Any:
    """The same pytree of arrays, which derivatives take for constants.

    >>> stop_gradient({"w": 2.0})
    {'w': 2.0}
    """
    return tree_map(_stop_gradient, x)
