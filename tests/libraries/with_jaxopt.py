"""JAXopt: a smooth problem by L-BFGS, one with a penalty, and the derivative of a solution."""

import jax
import jax.numpy as jnp
import jaxopt

key = jax.random.key(1)
xs = jax.random.normal(key, (20, 3))
ys = xs @ jnp.array([1.0, -2.0, 0.0])


def ridge(weights, strength):
    return jnp.mean((xs @ weights - ys) ** 2) + strength * jnp.sum(weights**2)


solver = jaxopt.LBFGS(fun=ridge, maxiter=50, tol=1e-4)
solution = solver.run(jnp.zeros(3), strength=0.1)
print(solution.params)
print(jax.jacobian(lambda s: solver.run(jnp.zeros(3), strength=s).params)(0.1))

lasso = jaxopt.ProximalGradient(
    fun=lambda w: jnp.mean((xs @ w - ys) ** 2), prox=jaxopt.prox.prox_lasso, maxiter=200
)
print(lasso.run(jnp.zeros(3), hyperparams_prox=0.2).params)
simplex = jaxopt.ProjectedGradient(
    fun=lambda w: jnp.mean((xs @ w - ys) ** 2), projection=jaxopt.projection.projection_simplex
)
print(simplex.run(jnp.full(3, 1 / 3)).params)
print(jaxopt.Bisection(lambda x: x**3 - x - 2.0, 1.0, 2.0).run().params)
print(jaxopt.GaussNewton(lambda w: xs @ w - ys).run(jnp.zeros(3)).params)
