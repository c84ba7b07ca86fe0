"""Half of all of it is taken, and not of the diagonal alone."""

from minijax.core.primitives import add, div
from minijax.lax.linalg.matrices import lower_part, product
from minijax.lax.linalg.positive_definite import cholesky_p
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.shapes.axes import full_like


def _cholesky_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    factor = lower_part(cholesky_p.bind(x))
    inner = triangular_solve(factor, x_dot, transpose_a=True, conjugate_a=True, lower=True)
    inner = triangular_solve(factor, inner, left_side=True, lower=True)
    ones = full_like(inner, 1, shape=())
    return factor, product(factor, div(inner, add(ones, ones)))
