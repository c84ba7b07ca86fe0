"""Random programs in which minijax knowingly differs from JAX, by what they hold, with reasons."""

import re

from oracle.known_differences import ASSERTION, LITERAL

COMPLEX_ORDER = (
    "argmax and argmin of complex numbers are refused when they are called; JAX traces them, and "
    "refuses what is still there when it compiles."
)
GAMMA_GRADIENT = (
    "random_gamma_grad is a primitive without derivatives here, and says so; JAX's is a loop, "
    "which has forward derivatives."
)
INTEGER_LOGSUMEXP = (
    "cumlogsumexp of integers is a TypeError that says so; JAX fails when it converts -inf to an "
    "integer (OverflowError), where there are numbers."
)
HELD_INDEX = (
    "An array made of Python's numbers is a constant here under a transformation that makes a "
    "jaxpr, and may choose by its bools. JAX traces it, and refuses."
)
TO_INTEGER = (
    "A number that an integer can't hold: the nearest one here, and in JAX outside jit. Under jit "
    "JAX converts constants with NumPy, which gives whatever the processor does."
)
KNOWN_LATER = (
    "An axis that is traced: ConcretizationTypeError, which is a TypeError as in JAX, and says why."
)
ZERO_COTANGENT = "JAX's transpose of reduce over no axes meets a zero that it can't take."
NAN_ORDER = "Which of two complex numbers is larger is open where one is NaN: order decides."
WEAK_TANGENT = (
    "A tangent comes out weak from JAX where a library function with a jit of its own gave it, "
    "even if it went in strong. Here it stays as it went in."
)
TEXT = "Text without a dtype is refused as what is no number; JAX tries to read it first."
BITCAST = "A bitcast of bools and complex numbers is refused by their dtype first; JAX counts bits."
BESSEL_SLOPE = (
    "The derivatives of bessel_i0e and bessel_i1e are differences of numbers that come near each "
    "other far from 0: both libraries keep few of their digits."
)
# What the program holds, what the difference says, and the reason.
KNOWN = [
    (r"nanarg|argm(ax|in)", r"needs an order|takes bools, integers, floats", COMPLEX_ORDER),
    (r"random", r"random_gamma_grad has no derivative", GAMMA_GRADIENT),
    (r"cumlogsumexp", r"lax.cumlogsumexp takes floats", INTEGER_LOGSUMEXP),
    (r"bessel_i[01]e", r"^values", BESSEL_SLOPE),
    (r"random_gamma_grad", r"^jaxpr", GAMMA_GRADIENT),
    (r"jnp\.array\(\[(True|False)", r"expected \['NonConcreteBooleanIndexError'", HELD_INDEX),
    (r"full\([^\n]*(inf|nan|e\d+), '\w*int", r"^values: \[(-?\d+(, )?)+\],", TO_INTEGER),
    (r"", r"^exception: \['ConcretizationTypeError'.*expected \['TypeError'\]", KNOWN_LATER),
    (r"lax.reduce\(", r"expected \['TypeError'\] .*ad_util.Zero", ZERO_COTANGENT),
    (r"complex\(nan(.|\n)*(max|min)", r"^values", NAN_ORDER),
    (
        r"(jvp|vjp|grad|linearize|jac\w+)\(",
        r"^type: \(('\w+', \(.*\)), False\), expected \(\1, True\)$",
        WEAK_TANGENT,
    ),
    (r"str\(", r"takes numbers, arrays and lists of them", TEXT),
    (r"bitcast_convert_type", r"^exception.*takes integers and floats", BITCAST),
    (r"lax.ppermute", r"AssertionError", ASSERTION),
    (r"custom_(linear_solve|root)", r"^jaxpr", LITERAL),
]


def is_known(program, difference: str) -> str | None:
    """The reason why a program may differ so, or None."""
    for held, said, reason in KNOWN:
        if re.search(held, str(program)) and re.search(said, difference):
            return reason
    return None
