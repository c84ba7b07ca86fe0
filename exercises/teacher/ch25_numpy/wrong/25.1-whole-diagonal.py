"""The diagonal is kept as it is."""

from minijax.lax.linalg.matrices import lower_part, product
from minijax.lax.linalg.positive_definite import cholesky_p
from minijax.lax.linalg.triangular import triangular_solve


def _cholesky_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    factor = lower_part(cholesky_p.bind(x))
    inner = triangular_solve(factor, x_dot, transpose_a=True, conjugate_a=True, lower=True)
    inner = lower_part(triangular_solve(factor, inner, left_side=True, lower=True))
    return factor, product(factor, inner)
