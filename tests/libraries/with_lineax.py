"""Lineax: systems of equations by several methods, and derivatives through them."""

import jax
import jax.numpy as jnp
import lineax as lx

matrix = jax.random.normal(jax.random.key(0), (4, 4))
vector = jnp.arange(4.0)
operator = lx.MatrixLinearOperator(matrix)
print(lx.linear_solve(operator, vector).value)
print(lx.linear_solve(operator, vector, solver=lx.QR()).value)

positive = lx.MatrixLinearOperator(matrix @ matrix.T + jnp.eye(4), lx.positive_semidefinite_tag)
for solver in (lx.Cholesky(), lx.CG(rtol=1e-5, atol=1e-5), lx.AutoLinearSolver(well_posed=True)):
    solution = lx.linear_solve(positive, vector, solver)
    print(type(solver).__name__, solution.value)

tall = lx.MatrixLinearOperator(jax.random.normal(jax.random.key(1), (6, 3)))
print(lx.linear_solve(tall, jnp.ones(6), lx.AutoLinearSolver(well_posed=None)).value)
tridiagonal = lx.TridiagonalLinearOperator(jnp.full(4, 2.0), jnp.ones(3), jnp.ones(3))
print(lx.linear_solve(tridiagonal, vector).value)


@jax.jit
@jax.grad
def slope(scale):
    return lx.linear_solve(lx.MatrixLinearOperator(scale * matrix), vector).value.sum()


print(slope(2.0))
print(jax.vmap(lambda v: lx.linear_solve(operator, v).value)(jnp.eye(4)).round(4))
function = lx.FunctionLinearOperator(lambda x: 2.0 * x, jax.ShapeDtypeStruct((3,), jnp.float32))
print(function.as_matrix(), lx.is_symmetric(positive))
