"""jax.scipy.linalg beside SciPy: values, stacks, derivatives, and compiled."""

import numpy as np
import pytest
import scipy.linalg

import minijax as jax
import minijax.numpy as jnp
from minijax.scipy import linalg
from numerics import directional

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def numbers(shape, dtype="float64"):
    x = RANDOM.normal(size=shape)
    return (x + 1j * RANDOM.normal(size=shape) if "complex" in dtype else x).astype(dtype)


def adjoint(x):
    return np.asarray(x).swapaxes(-1, -2).conj()


def assert_close(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10)


# A pattern: arguments. The same in SciPy, to the bit.
PATTERNS = [
    ("block_diag", np.ones((2, 1)), np.arange(3.0), 7.0), ("block_diag",),
    ("circulant", np.arange(4)),
    ("companion", np.array([2.0, 3, 4, 5])), ("convolution_matrix", np.arange(1.0, 4), 5),
    *(("convolution_matrix", np.arange(1.0, m), n, mode) for m in (2, 3, 4, 6) for n in (1, 2, 3, 5)
      for mode in ("same", "valid")),
    *(("dft", n, scale) for n in (1, 2, 5, 8) for scale in (None, "n", "sqrtn")),
    ("fiedler", np.arange(4.0) ** 2),
    *(("fiedler_companion", np.arange(1.0, n)) for n in range(3, 9)),
    *(("hadamard", n) for n in (1, 2, 8)), ("hankel", np.arange(3)),
    ("hankel", np.arange(3), np.arange(2, 6)), *(("helmert", n, full) for n in (1, 2, 5)
                                                 for full in (False, True)),
    *(("hilbert", n) for n in (1, 4)), *(("invhilbert", n) for n in (1, 2, 6)),
    *((name, n, kind) for name in ("pascal", "invpascal") for n in (1, 2, 5)
      for kind in ("symmetric", "lower", "upper")),
    ("leslie", np.arange(1.0, 5), np.arange(1.0, 4)), ("toeplitz", np.arange(3)),
    ("toeplitz", np.arange(3) * 1j), ("toeplitz", np.arange(3), np.arange(5)),
]  # fmt: skip


@pytest.mark.parametrize("case", PATTERNS, ids=lambda case: f"{case[0]} {len(case)}")
def test_patterns(case):
    name, *args = case
    got, want = (getattr(module, name)(*args) for module in (linalg, scipy.linalg))
    np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name, args", [
    ("circulant", (3,)), ("companion", (4,)), ("fiedler", (4,)), ("fiedler_companion", (5,)),
    ("toeplitz", (3,)), ("hankel", (3,)), ("leslie", (4,)),
])  # fmt: skip
def test_patterns_of_stacks(name, args):
    x = 1 + numbers((2, 3, *args)) ** 2
    rest = [x[..., 1:]] if name == "leslie" else []
    many = getattr(linalg, name)(x, *rest)
    for i in np.ndindex(2, 3):
        assert_close(many[i], getattr(scipy.linalg, name)(x[i], *(r[i] for r in rest)))


# Factors make the matrix again.


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors(dtype):
    x, tall = numbers((4, 4), dtype), numbers((5, 3), dtype)
    a = x @ adjoint(x) + np.eye(4)
    for lower in (False, True):
        factor, _ = linalg.cho_factor(a, lower)
        assert_close(factor @ adjoint(factor) if lower else adjoint(factor) @ factor, a)
        assert_close(linalg.cho_solve((factor, lower), x), np.linalg.solve(a, x))
    for matrix in (x, tall, tall.T):
        p, low, up = linalg.lu(matrix)
        assert_close(p @ low @ up, matrix)
        assert_close(linalg.lu(matrix, permute_l=True)[0], p @ low)
        for mode in ("full", "economic"):
            q, r, order = linalg.qr(matrix, mode=mode, pivoting=True)
            assert_close(q @ r, matrix[:, order])
    for trans, y in enumerate((x, x.T, adjoint(x))):
        assert_close(linalg.lu_solve(linalg.lu_factor(x), a, trans), np.linalg.solve(y, a))
        got, want = (m.solve_triangular(x, a, trans) for m in (linalg, scipy.linalg))
        assert_close(got, want)
    for output in ("real", "complex"):
        t, z = linalg.schur(x, output)
        assert_close(z @ t @ adjoint(z), x)
    t, z = linalg.rsf2csf(*linalg.schur(x))
    assert_close(z @ t @ adjoint(z), x)
    np.testing.assert_array_equal(np.tril(np.diag(np.diag(t, -1), -1), 0), 0)
    h, q = linalg.hessenberg(x, calc_q=True)
    assert_close(q @ h @ adjoint(q), x)
    for matrix, side, method in ((tall, "right", "qdwh"), (tall.T, "left", "qdwh"),
                                 (tall.T, "right", "svd"), (tall, "left", "svd")):  # fmt: skip
        u, p = linalg.polar(matrix, side, method=method)
        want = scipy.linalg.polar(matrix, side)
        assert_close(u @ p if side == "right" else p @ u, matrix)
        if (matrix.shape[0] >= matrix.shape[1]) == (side == "right"):
            assert_close(u, want[0])
        assert_close(p, want[1])


@pytest.mark.parametrize("mode, c", [
    ("right", (2, 5)), ("left", (3, 2)), ("right", (5,)), ("left", (3,)),
])  # fmt: skip
@pytest.mark.parametrize("conjugate", [False, True])
@pytest.mark.parametrize("pivoting", [False, True])
def test_qr_multiply(mode, c, conjugate, pivoting):
    a, c = numbers((5, 3), "complex128"), numbers(c, "complex128")
    options = {"mode": mode, "conjugate": conjugate, "pivoting": pivoting}
    got, want = (m.qr_multiply(a, c, **options) for m in (linalg, scipy.linalg))
    assert_close(got[0], want[0])
    assert_close(got[1], want[1])


def test_tridiagonal_matrices():
    d, e = numbers(5), numbers(4)
    values, vectors = linalg.eigh_tridiagonal(d, e)
    assert_close(values, scipy.linalg.eigh_tridiagonal(d, e)[0])
    a = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    assert_close(a @ vectors, vectors * values)
    few = linalg.eigh_tridiagonal(d, e, eigvals_only=True, select="i", select_range=(1, 3))
    assert_close(few, values[1:4])


@pytest.mark.parametrize("method", ["schur", "eigen"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_sylvester(method, dtype):
    a, b, c = numbers((4, 4), dtype), numbers((3, 3), dtype), numbers((4, 3), dtype)
    x = linalg.solve_sylvester(a, b, c, method=method)
    assert_close(a @ x + x @ b, c)
    assert x.dtype == dtype and np.isnan(linalg.solve_sylvester(a, -a, a, method=method)).all()


# Functions of matrices.


@pytest.mark.parametrize("size", [0, 1e-8, 1e-3, 0.3, 1, 5, 30])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_exponentials(size, dtype):
    x = (size * numbers((2, 4, 4), dtype)).astype(dtype)
    got, want = linalg.expm(x), scipy.linalg.expm(x.astype(np.result_type(x, "float64")))
    scale = np.abs(want).max()
    np.testing.assert_allclose(got, want, atol=scale * (1e-11 if dtype != "float32" else 2e-4))
    upper = np.triu(x)
    want = scipy.linalg.expm(upper.astype(np.result_type(x, "float64")))
    np.testing.assert_allclose(
        linalg.expm(upper, upper_triangular=True), want,
        atol=np.abs(want).max() * (1e-11 if dtype != "float32" else 2e-4),
    )  # fmt: skip


def test_exponentials_that_need_too_many_squarings_are_nan():
    x = 40 * np.eye(2)
    assert np.isnan(linalg.expm(x, max_squarings=2)).all()
    assert_close(linalg.expm(x, max_squarings=3), np.exp(40) * np.eye(2))


def test_the_derivative_of_an_exponential():
    a, e = numbers((4, 4)), numbers((4, 4))
    for method in (None, "SPS", "blockEnlarge"):
        got, want = linalg.expm_frechet(a, e, method=method), scipy.linalg.expm_frechet(a, e)
        assert_close(got[0], want[0])
        assert_close(got[1], want[1])
    assert_close(linalg.expm_frechet(a, e, compute_expm=False), want[1])
    ct = numbers((4, 4))
    grad = jax.grad(lambda x: (linalg.expm(x) * ct).sum())(a)
    assert_close((grad * e).sum(), (want[1] * ct).sum())


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_functions_by_triangular_forms(dtype):
    x = numbers((4, 4), dtype)
    assert_close(linalg.funm(x, jnp.exp), scipy.linalg.expm(x))
    root = linalg.sqrtm(x)
    assert_close(root @ root, x)
    assert_close(root, scipy.linalg.sqrtm(x))
    many = linalg.sqrtm(np.stack([x, 4 * x]))
    assert_close(many[1], 2 * root)
    out, error = linalg.funm(x, jnp.exp, disp=False)
    assert np.abs(out - scipy.linalg.expm(x)).max() < 1e3 * error * np.abs(out).max()
    np.testing.assert_array_equal(linalg.sqrtm(np.zeros((2, 2))), np.zeros((2, 2)))


# Compiled, differentiated, mapped.

USES = {
    "cho_solve": (lambda la, x, y: la.cho_solve(la.cho_factor(x @ x.T + np.eye(3)), y), 2),
    "cholesky": (lambda la, x: la.cholesky(x @ x.T + np.eye(3)), 1),
    "circulant": (lambda la, x: la.circulant(x[0]), 1),
    "companion": (lambda la, x: la.companion(2 + x[0]), 1),
    "det": (lambda la, x: la.det(x), 1), "eigh": (lambda la, x: la.eigh(x + x.T)[0], 1),
    "expm": (lambda la, x: la.expm(x), 1), "fiedler": (lambda la, x: la.fiedler(x[0]), 1),
    "inv": (lambda la, x: la.inv(x), 1), "lu": (lambda la, x: la.lu(x)[1], 1),
    "lu_solve": (lambda la, x, y: la.lu_solve(la.lu_factor(x), y, trans=1), 2),
    "qr": (lambda la, x: la.qr(x)[0], 1), "solve": (lambda la, x, y: la.solve(x, y), 2),
    "solve, positive definite":
        (lambda la, x, y: la.solve(x @ x.T + np.eye(3), y, assume_a="pos"), 2),
    "solve_triangular": (lambda la, x, y: la.solve_triangular(x + 3 * np.eye(3), y, 1), 2),
    "svd": (lambda la, x: la.svd(x, compute_uv=False), 1),
    "toeplitz": (lambda la, x, y: la.toeplitz(x[0], y[1]), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
def test_jit_and_vmap_and_derivatives(name):
    use, count = USES[name]
    f, plain = (lambda *xs, la=la: use(la, *xs) for la in (linalg, scipy.linalg))
    xs, vs = [[numbers((3, 3)) for _ in range(count)] for _ in range(2)]
    assert_close(jax.jit(f)(*xs), plain(*xs))
    stacked = [np.stack([x, y], 1) for x, y in zip(xs, vs, strict=True)]
    assert_close(jax.vmap(f, 1)(*stacked), np.stack([plain(*xs), plain(*vs)]))
    slope = directional(plain, xs, vs)
    out, dot = jax.jvp(f, tuple(map(jnp.asarray, xs)), tuple(map(jnp.asarray, vs)))
    np.testing.assert_allclose(dot, slope, atol=1e-7 * (1 + np.abs(slope).max()))
    ct = numbers(out.shape)
    pulled = jax.vjp(f, *map(jnp.asarray, xs))[1](jnp.asarray(ct))
    total = sum((g * v).sum() for g, v in zip(pulled, vs, strict=True))
    np.testing.assert_allclose(total, (ct * slope).sum(), rtol=1e-6)
