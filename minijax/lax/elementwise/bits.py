"""The bits of numbers. They change in jumps, so nothing here has a derivative."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.identities import Found, undone
from minijax.compiler.passes.rewriting import Draft, changed, number_of
from minijax.compiler.passes.simplify import RULES
from minijax.compiler.special_cases.choice_identities import chosen
from minijax.core.arrays import Array
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.dtypes import issubdtype
from minijax.core.forward import primitive_jvps, zero_jvp
from minijax.core.primitives import binary, div_p, naryop, unary
from minijax.core.staging import JaxprEqn, Literal
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.number_sizes import bits_of, signed_numbers, words_of

# Each bit for itself.

not_p = naryop("not", [np.bool_, np.integer], np.invert)
primitive_jvps[not_p] = partial(zero_jvp, not_p)
defvectorized(not_p)
register_lowering(not_p, identity=undone, template=for_kinds(None, "~{0}", "not {0}"))
bitwise_not = unary(not_p, "Every bit of bools or integers turned over.")


def _bit_function(
    name: str, accepts: list, numpy_fun: Callable, doc: str, **rules: Any
) -> tuple[Primitive, Callable]:
    """A primitive of two operands, with the rules of its lowering, and the function."""
    primitive = naryop(name, accepts, numpy_fun)
    primitive_jvps[primitive] = partial(zero_jvp, primitive)
    defbroadcasting(primitive)
    register_lowering(primitive, **rules)
    return primitive, binary(primitive, doc)


def _no_bits(dtype: Any) -> Any:
    return dtype.type(0)


def _all_bits(dtype: Any) -> Any:
    return ~dtype.type(0)


def by_zero(draft: Draft, eqn: JaxprEqn) -> Found:
    """x ^ 0 and x << 0 are x."""
    return eqn.invars[0] if number_of(draft, eqn.invars[1]) == 0 else None


_binary_bits = partial(_bit_function, accepts=[np.bool_, np.integer])

and_p, bitwise_and = _binary_bits(
    "and", numpy_fun=np.bitwise_and, doc="The bits that are set in both.", template="{0} & {1}",
    identity=partial(chosen, neutral=_all_bits, absorbing=_no_bits),
)  # fmt: skip
or_p, bitwise_or = _binary_bits(
    "or", numpy_fun=np.bitwise_or, doc="The bits that are set in either.", template="{0} | {1}",
    identity=partial(chosen, neutral=_no_bits, absorbing=_all_bits),
)  # fmt: skip
xor_p, bitwise_xor = _binary_bits(
    "xor", numpy_fun=np.bitwise_xor, doc="The bits that are set in exactly one.",
    template="{0} ^ {1}", identity=by_zero,
)  # fmt: skip

# Shifts. A number is shifted by 0 up to one less than its bits; by any other count, all of them
# are shifted out.


def _counts(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
    """Which counts are in range, and the greatest that is."""
    last = bits_of(x.dtype) - 1
    return (y >= 0) & (y <= last), last


def _numpy_shift_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    in_range, _ = _counts(x, y)
    return np.where(in_range, x << np.where(in_range, y, 0), 0)


def _numpy_shift_right_logical(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Zeros come in on the left."""
    in_range, _ = _counts(x, y)
    words = words_of(x)
    shifted = words >> np.where(in_range, y, 0).astype(words.dtype)
    return np.where(in_range, shifted, 0).astype(x.dtype)


def _numpy_shift_right_arithmetic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Copies of the sign come in on the left."""
    in_range, last = _counts(x, y)
    signed = signed_numbers(x)
    return (signed >> np.where(in_range, y, last).astype(signed.dtype)).astype(x.dtype)


def _in_range(dtype: np.dtype) -> str:
    """Whether the count is: below zero, it is a large unsigned number."""
    return f"uint64({{1}}) < uint64({8 * dtype.itemsize})"


def _left_template(in_dtypes: Any, dtype: np.dtype) -> str:
    return f"{{0}} << {{1}} if {_in_range(dtype)} else {dtype}(0)"


def _logical_template(in_dtypes: Any, dtype: np.dtype) -> str:
    unsigned = f"uint{8 * dtype.itemsize}"
    return f"{unsigned}({{0}}) >> {unsigned}({{1}}) if {_in_range(dtype)} else {unsigned}(0)"


def _arithmetic_template(in_dtypes: Any, dtype: np.dtype) -> str:
    signed = f"int{8 * dtype.itemsize}"
    count = f"({signed}({{1}}) if {_in_range(dtype)} else {signed}({8 * dtype.itemsize - 1}))"
    return f"{signed}({{0}}) >> {count}"


_shift = partial(_bit_function, accepts=[np.integer], identity=by_zero)

shift_left_p, shift_left = _shift(
    "shift_left", numpy_fun=_numpy_shift_left, template=_left_template,
    doc="The bits of x, y places to the left: x * 2**y.",
)  # fmt: skip
shift_right_logical_p, shift_right_logical = _shift(
    "shift_right_logical", numpy_fun=_numpy_shift_right_logical, template=_logical_template,
    doc="The bits of x, y places to the right; zeros follow.",
)  # fmt: skip
shift_right_arithmetic_p, shift_right_arithmetic = _shift(
    "shift_right_arithmetic", numpy_fun=_numpy_shift_right_arithmetic,
    template=_arithmetic_template,
    doc="The bits of x, y places to the right; copies of the first follow.",
)  # fmt: skip


def _shifted_quotient(draft: Draft, eqn: JaxprEqn) -> Found:
    """An unsigned number divided by a power of two: its bits, some places to the right."""
    if eqn.primitive is not div_p or not issubdtype(eqn.invars[0].aval.dtype, np.unsignedinteger):
        return None
    (x, y), number = eqn.invars, number_of(draft, eqn.invars[1])
    if not number or number & (number - 1):
        return None
    places = Literal(Array(np.array(number.bit_length() - 1, y.aval.dtype)))
    return changed(eqn, shift_right_logical_p, x, places)


RULES.append(_shifted_quotient)

# Counted, and the upper half of a product.


def _count_function(name: str, numpy_fun: Callable, doc: str) -> tuple[Primitive, Callable]:
    primitive = naryop(name, [np.integer], numpy_fun)
    defvectorized(primitive)
    return primitive, unary(primitive, doc)


def _numpy_clz(x: np.ndarray) -> np.ndarray:
    """All bits below the first are set, by doubling; then those that are not are counted."""
    x, size = words_of(x), bits_of(x.dtype)
    for shift in (1, 2, 4, 8, 16, 32):
        x = x | (x >> x.dtype.type(shift)) if shift < size else x
    return size - np.bitwise_count(x)


def _numpy_mulhi(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """With Python's integers, which have any size."""
    product = np.asarray(x.astype(object) * y.astype(object))
    return np.asarray(product >> bits_of(x.dtype)).astype(x.dtype)


def _bits_template(dtype: np.dtype) -> str:
    """The bits as an unsigned number of 64."""
    return f"uint64(uint{8 * dtype.itemsize}({{0}}))"


def _population_count_template(in_dtypes: Any, dtype: np.dtype) -> str:
    """The counts of two, of four, of eight neighbours; a product adds up the last in its top byte.

    Warren, Hacker's Delight, 5-1.
    """

    def constant(byte: int) -> str:
        return f"uint64({byte * 0x0101010101010101})"

    def shifted(x: str, count: int) -> str:
        return f"({x} >> uint64({count}))"

    x = _bits_template(dtype)
    twos = f"({x} - ({shifted(x, 1)} & {constant(0x55)}))"
    fours = f"(({twos} & {constant(0x33)}) + ({shifted(twos, 2)} & {constant(0x33)}))"
    eights = f"(({fours} + {shifted(fours, 4)}) & {constant(0x0F)})"
    return shifted(f"({eights} * {constant(1)})", 56)


def _clz_template(in_dtypes: Any, dtype: np.dtype) -> str:
    """By the exponent of the float64, which begins with bit 52 and is 1023 more than that of 2.

    With no two neighbouring bits at the top, the number isn't rounded up to the next power of 2.
    """
    x = _bits_template(dtype)
    exponent = f"(float64({x} & ~({x} >> uint64(1))).view(int64) >> 52)"
    return f"{8 * dtype.itemsize} - max({exponent} - 1022, 0)"


def _mulhi_template(in_dtypes: Any, dtype: np.dtype) -> str:
    """Where 64 bits hold the product, by that; else by products of halves (Hacker's Delight, 8-2),
    of unsigned numbers, from which those that are negative are 2**64 away."""
    size = 8 * dtype.itemsize
    if size < 64:
        wide = f"{'u' if dtype.kind == 'u' else ''}int64"
        return f"({wide}({{0}}) * {wide}({{1}})) >> {wide}({size})"
    (x_low, x_high), (y_low, y_high) = (
        (f"(uint64({{{k}}}) & uint64(4294967295))", f"(uint64({{{k}}}) >> uint64(32))")
        for k in (0, 1)
    )
    middle = f"({x_high} * {y_low} + (({x_low} * {y_low}) >> uint64(32)))"
    other = f"(({middle} & uint64(4294967295)) + {x_low} * {y_high})"
    high = f"({x_high} * {y_high} + ({middle} >> uint64(32)) + ({other} >> uint64(32)))"
    if dtype.kind == "u":
        return high
    signs = "({1} if {0} < 0 else 0) - ({0} if {1} < 0 else 0)"
    return f"int64({high}) - {signs}"


population_count_p, population_count = _count_function(
    "population_count", lambda x: np.bitwise_count(words_of(x)), "How many bits of x are set."
)
clz_p, clz = _count_function("clz", _numpy_clz, "How many bits of x are zero before the first one.")
mulhi_p, mulhi = _bit_function(
    "mulhi", [np.integer], _numpy_mulhi, "The upper half of the bits of the product of x and y.",
    template=_mulhi_template,
)  # fmt: skip
register_lowering(population_count_p, template=_population_count_template)
register_lowering(clz_p, template=_clz_template)
