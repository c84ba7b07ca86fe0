"""e**(x ln 10): what the product loses, the exponential makes as large as the result."""

from minijax.compiler.maths.elementary import exp
from minijax.compiler.maths.precisions import both

ln_ten = 2.302585092994046


@both
def exp10(x):
    return exp(x * ln_ten)
