"""minimize, and the solvers that ask for products alone."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy.optimize import OptimizeResults, minimize
from minijax.scipy.sparse.linalg import bicgstab, cg, gmres

# Loops in kernels: tests/compiler and tests/lax/control_flow.
pytestmark = pytest.mark.usefixtures("module_on_numpy")


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("fun, start", [
    (rosenbrock, [0.0, 0.0]), (rosenbrock, [-1.2, 1.0, 2.0]), (himmelblau, [1.0, 1.0]),
    (lambda x: jnp.sum(jnp.cosh(x - 3)), [0.0, 9.0]), (lambda x: jnp.sum((x - 1) ** 4), [5.0]),
])  # fmt: skip
def test_a_minimum_is_found(fun, start, wide):
    with jax.enable_x64(wide):
        found = minimize(fun, jnp.array(start), method="BFGS", tol=1e-6 if wide else 1e-2)
        assert isinstance(found, OptimizeResults) and found.success and found.status == 0
        slope = jax.grad(fun)(found.x)
        assert np.max(np.abs(slope)) <= (1e-6 if wide else 1e-2)
        np.testing.assert_allclose(found.jac, slope, atol=1e-3)
        np.testing.assert_allclose(found.fun, fun(found.x), atol=1e-6)
        assert found.nfev == found.njev >= found.nit


def test_where_there_is_none_it_stops():
    endless = minimize(lambda x: -x[0], jnp.zeros(1), method="BFGS", options={"maxiter": 3})
    assert not endless.success and endless.status in (1, 3)
    few = minimize(rosenbrock, jnp.zeros(2), method="BFGS", options={"maxiter": 2})
    assert few.status == 1 and few.nit == 2
    nan = minimize(lambda x: jnp.sum(x) * jnp.nan, jnp.ones(2), method="BFGS")
    assert nan.status == 3 and not nan.success


def test_minima_are_jitted_and_mapped():
    def solve(a):
        return minimize(lambda x: jnp.sum((x - a) ** 2), jnp.zeros(2), method="BFGS").x

    a = jnp.array([[1.0, 2], [3, -4], [0, 0]])
    np.testing.assert_allclose(jax.jit(jax.vmap(solve))(a), a, atol=1e-4)


def matrix(kind, n=12, dtype=float):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(n, n)).astype(dtype)
    if dtype is complex:
        a = a + 1j * rng.normal(size=(n, n))
    return a @ a.conj().T + n * np.eye(n) if kind == "definite" else a + 2 * n**0.5 * np.eye(n)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("solver, kind", [
    (cg, "definite"), (bicgstab, "any"), (gmres, "any"), (bicgstab, "definite"),
])  # fmt: skip
def test_the_solution_is_numpys(solver, kind, dtype):
    with jax.enable_x64(True):
        a, b = matrix(kind, dtype=dtype), np.arange(12.0).astype(dtype)
        want = np.linalg.solve(a, b)
        near = np.diag(1 / np.diag(a))
        x, _ = solver(a, b, np.ones(12).astype(dtype), tol=1e-10, M=near)
        np.testing.assert_allclose(x, want, rtol=1e-7, atol=1e-9)
        x, _ = jax.jit(lambda b: solver(lambda x: jnp.asarray(a) @ x, b, tol=1e-10))(b)
        np.testing.assert_allclose(x, want, rtol=1e-7, atol=1e-9)


def test_gmres_begins_anew():
    with jax.enable_x64(True):
        a, b = matrix("any"), np.arange(12.0)
        x, info = gmres(a, b, tol=1e-9, restart=3)
        np.testing.assert_allclose(a @ x, b, atol=1e-6)
        assert info == 0
        one, _ = gmres(a, b, tol=1e-9, restart=12, maxiter=1)
        np.testing.assert_allclose(a @ one, b, atol=1e-6)


@pytest.mark.parametrize("solver", [cg, bicgstab, gmres])
def test_derivatives_are_those_of_the_equation(solver):
    a = matrix("definite", 2)

    @jax.jit
    def solve(a, b):
        return solver((a + a.T) / 2, b, tol=1e-13)[0]

    check_derivatives(solve, [a, np.arange(1.0, 3)])


@pytest.mark.parametrize("solver", [cg, bicgstab, gmres])
def test_trees_batches_and_zeros(solver):
    b = {"a": jnp.array([1.0, 2]), "b": jnp.float32(6)}
    x, _ = solver(lambda x: {"a": 2 * x["a"], "b": 3 * x["b"]}, b)
    np.testing.assert_allclose(x["a"], [0.5, 1], rtol=1e-5)
    np.testing.assert_allclose(x["b"], 2, rtol=1e-5)
    a, bs = jnp.asarray(matrix("definite", 3)), jnp.eye(3)
    got = jax.vmap(lambda b: solver(a, b)[0])(bs)
    np.testing.assert_allclose(got, np.linalg.inv(np.asarray(a)), atol=1e-4)
    np.testing.assert_array_equal(solver(a, jnp.zeros(3))[0], np.zeros(3))
