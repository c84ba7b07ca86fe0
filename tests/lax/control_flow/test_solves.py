"""custom_root and custom_linear_solve: derivatives of the equation, whatever solves it."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

A = np.array([[4.0, 1.0, 0.5], [0.5, 3.0, 1.0], [0.0, 1.0, 2.0]])
B = np.array([1.0, -2.0, 0.5])


@pytest.fixture(autouse=True)
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def jacobi(matvec, b):
    """A solver with no derivative in reverse mode: it stops when nothing changes any more."""
    diagonal = jnp.array(np.diag(A))

    def step(c):
        n, x, _ = c
        change = (b - matvec(x)) / diagonal
        return n + 1, x + change, jnp.abs(change).max()

    return lax.while_loop(lambda c: (c[0] < 200) & (c[2] > 1e-14), step, (0, b * 0.0, 1.0))[1]


def solve(a, b):
    return lax.custom_linear_solve(lambda x: a @ x, b, jacobi, transpose_solve=jacobi)


def newton(f, x):
    def step(c):
        n, x = c
        return n + 1, x - f(x) / jax.jvp(f, (x,), (jnp.ones_like(x),))[1]

    return lax.while_loop(lambda c: c[0] < 30, step, (0, x))[1]


def root(a, b):
    """The x of x ** 3 + a x = b, for a > 0."""
    return lax.custom_root(
        lambda x: x**3 + a * x - b, jnp.ones_like(b), newton, lambda g, y: y / g(jnp.ones_like(y))
    )


def slope(a, b):
    x = np.asarray(root(a, b))
    return np.array([-x, 1.0 + 0 * x]) / (3 * x**2 + a)


def test_a_solution_and_its_gradients():
    x = np.linalg.solve(A, B)
    np.testing.assert_allclose(solve(A, B), x, rtol=1e-12)
    w = np.array([1.0, 2.0, -1.0])
    for wrap in (lambda f: f, jax.jit):
        grad_a, grad_b = wrap(jax.grad(lambda a, b: w @ solve(a, b), (0, 1)))(A, B)
        y = np.linalg.solve(A.T, w)
        np.testing.assert_allclose(grad_b, y, rtol=1e-11)
        np.testing.assert_allclose(grad_a, -np.outer(y, x), rtol=1e-11)


def test_forward_and_second_derivatives():
    da, db = A / 3 + 0.1, B * 2
    x = np.linalg.solve(A, B)
    got = jax.jvp(solve, (A, B), (da, db))[1]
    np.testing.assert_allclose(got, np.linalg.solve(A, db - da @ x), rtol=1e-11)
    got = jax.linearize(solve, A, B)[1](da, db)
    np.testing.assert_allclose(got, np.linalg.solve(A, db - da @ x), rtol=1e-11)
    f = lambda t: (solve(A + t * da, B) ** 2).sum()  # noqa: E731
    plain = lambda t: (np.linalg.solve(A + t * da, B) ** 2).sum()  # noqa: E731
    h = 1e-3
    expected = (plain(h) - 2 * plain(0) + plain(-h)) / h**2
    for second in (jax.grad(jax.grad(f)), jax.jacfwd(jax.grad(f)), jax.jacfwd(jax.jacfwd(f))):
        np.testing.assert_allclose(second(0.0), expected, rtol=1e-5)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0), (None, 1), (2, 1)])
def test_batches_of_systems(axes):
    many_a, many_b = np.stack([A, A + 0.25, A * 0.9]), np.stack([B, B + 1, -B])
    args = [
        m if a is None else np.moveaxis(many, 0, a)
        for m, many, a in zip((A, B), (many_a, many_b), axes, strict=True)
    ]
    got = jax.vmap(solve, axes)(*args)
    grads = jax.vmap(jax.grad(lambda a, b: solve(a, b).sum()), axes)(*args)
    for k in range(3):
        a, b = (m if d is None else many[k] for m, many, d in
                zip((A, B), (many_a, many_b), axes, strict=True))  # fmt: skip
        x, y = np.linalg.solve(a, b), np.linalg.solve(a.T, np.ones(3))
        np.testing.assert_allclose(got[k], x, rtol=1e-11)
        np.testing.assert_allclose(grads[k], -np.outer(y, x), rtol=1e-9, atol=1e-12)
    nested = jax.vmap(lambda a: jax.vmap(lambda b: solve(a, b))(many_b))(many_a)
    np.testing.assert_allclose(nested[1, 2], np.linalg.solve(many_a[1], many_b[2]), rtol=1e-11)


def test_trees_and_what_is_known_beside():
    """A part of the right-hand side may be known, and a part of the system may not be moved."""

    def f(a):
        matvec = lambda x: {"u": a * x["u"], "v": 2 * x["v"]}  # noqa: E731
        inverse = lambda _, b: {"u": b["u"] / a, "v": b["v"] / 2}  # noqa: E731
        x = lax.custom_linear_solve(matvec, {"u": B, "v": 1.0}, inverse, inverse)
        return x["u"].sum() + x["v"]

    np.testing.assert_allclose(jax.grad(f)(2.0), -B.sum() / 4)
    np.testing.assert_allclose(jax.grad(jax.grad(f))(2.0), B.sum() / 4)


def test_symmetric_systems_need_one_solver_and_others_both():
    symmetric = (A + A.T) / 2
    f = lambda b: lax.custom_linear_solve(  # noqa: E731
        lambda x: symmetric @ x, b, jacobi, symmetric=True
    ).sum()
    np.testing.assert_allclose(jax.grad(f)(B), np.linalg.solve(symmetric, np.ones(3)), rtol=1e-11)
    with pytest.raises(TypeError, match="no transpose_solve"):
        jax.grad(lambda b: lax.custom_linear_solve(lambda x: A @ x, b, jacobi).sum())(B)


def test_what_a_solver_says_beside_is_handed_out():
    def noted(matvec, b):
        return jacobi(matvec, b), {"n": 7, "b": b.sum()}

    f = lambda b: lax.custom_linear_solve(  # noqa: E731
        lambda x: A @ x, b, noted, transpose_solve=noted, has_aux=True
    )
    x, aux = f(B)
    np.testing.assert_allclose(x, np.linalg.solve(A, B))
    assert int(aux["n"]) == 7 and float(aux["b"]) == B.sum()
    grad = jax.grad(lambda b: f(b)[0].sum())(B)
    np.testing.assert_allclose(grad, np.linalg.solve(A.T, np.ones(3)))
    np.testing.assert_allclose(jax.grad(lambda b: f(b)[1]["b"])(B), 0)
    assert jax.vmap(f)(np.stack([B, B]))[1]["b"].shape == (2,)
    g = lambda a: lax.custom_root(  # noqa: E731
        lambda x: x * x - a, 1.0, lambda f, x: (newton(f, x), {"n": 7}), lambda g, y: y / g(1.0),
        has_aux=True,
    )  # fmt: skip
    (x, aux), dot = jax.jvp(lambda a: g(a), (4.0,), (1.0,))
    assert (float(x), int(aux["n"]), float(dot[0])) == (2.0, 7, 0.25)
    value, _ = jax.grad(g, has_aux=True)(4.0)
    assert float(value) == 0.25


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_root_and_its_gradients(wrap):
    a, b = 2.0, 5.0
    x = float(wrap(root)(a, b))
    assert abs(x**3 + a * x - b) < 1e-12
    np.testing.assert_allclose(wrap(jax.grad(root, (0, 1)))(a, b), slope(a, b), rtol=1e-10)
    np.testing.assert_allclose(
        [wrap(jax.jacfwd(root, k))(a, b) for k in (0, 1)], slope(a, b), rtol=1e-10
    )
    for second in (jax.grad(jax.grad(root, 1), 1), jax.jacfwd(jax.grad(root, 1), 1),
                   jax.jacfwd(jax.jacfwd(root, 1), 1)):  # fmt: skip
        np.testing.assert_allclose(wrap(second)(a, b), -6 * x / (3 * x**2 + a) ** 3, rtol=1e-10)


def test_batches_of_roots():
    b = jnp.array([1.0, 5.0, -3.0])
    got = jax.vmap(jax.grad(root, 1), (None, 0))(2.0, b)
    np.testing.assert_allclose(got, [slope(2.0, x)[1] for x in b], rtol=1e-10)
    whole = jax.jacfwd(lambda b: root(2.0, b))(b)  # all roots at once, as one equation
    np.testing.assert_allclose(np.diag(whole), got, rtol=1e-10)


def test_a_root_that_depends_on_nothing_that_moves():
    f = lambda x: x * lax.custom_root(  # noqa: E731
        lambda y: y * y - 4.0, 1.0, newton, lambda g, y: y / g(1.0)
    )
    assert float(jax.grad(f)(3.0)) == 2.0


def test_another_structure_shape_or_dtype_is_refused():
    same = lambda f, x: x  # noqa: E731
    with pytest.raises(ValueError, match="solve must return .* float64\\[2\\]"):
        lax.custom_linear_solve(lambda x: x, B, lambda f, b: b[:2])
    with pytest.raises(TypeError, match="Return the same dtypes"):
        lax.custom_linear_solve(lambda x: x.astype("float32"), B, same)
    with pytest.raises(ValueError, match="f must return"):
        lax.custom_root(lambda x: B, 1.0, same, same)
    with pytest.raises(TypeError, match="not linear"):
        lax.custom_linear_solve(lambda x: x * x, B, same, same)
