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
    (r"lax.ppermute", r"AssertionError", ASSERTION),
    (r"custom_(linear_solve|root)", r"^jaxpr", LITERAL),
]


def is_known(program, difference: str) -> str | None:
    """The reason why a program may differ so, or None."""
    for held, said, reason in KNOWN:
        if re.search(held, str(program)) and re.search(said, difference):
            return reason
    return None
