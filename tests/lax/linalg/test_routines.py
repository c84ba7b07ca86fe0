"""LAPACK's routines as primitives: what the table of rules doesn't try. (tests/linalg_table.py has
values, derivatives and batching, tests/oracle/cases/linalg.py JAX's answers.)"""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import OPTIONS, interpreted, loops_left_to_python, mapped_by_scan
from linalg_table import LINALG
from minijax import lax
from minijax.compiler import doors
from minijax.compiler.executable import Executable
from minijax.core.config import config
from minijax.lax import linalg
from minijax.lax.linalg.routines import over_stack

RANDOM = np.random.default_rng(0)
DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def matrices(dtype, *shape):
    x = RANDOM.normal(size=shape)
    return (x + 1j * RANDOM.normal(size=shape) if "complex" in dtype else x).astype(dtype)


def adjoint(x):
    return np.asarray(x).swapaxes(-1, -2).conj()


def assert_close(x, y):
    """But for some roundings of the less exact of the two."""
    kinds = [np.asarray(value).dtype for value in (x, y)]
    tolerance = 200 * max(np.finfo(kind).eps if kind.kind in "fc" else 0 for kind in kinds)
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


# The factors make the matrix again.


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (2, 3, 4), (1, 1), (2, 0, 3, 3), (0, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_any_shape(dtype, shape):
    x = matrices(dtype, *shape)
    k = min(shape[-2:])
    for full in (True, False):
        q, r = linalg.qr(x, full_matrices=full)
        assert_close(q @ r, x)
        u, s, vh = linalg.svd(x, full_matrices=full)
        assert_close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x)
        q, r, order = linalg.qr(x, pivoting=True, full_matrices=full)
        assert_close(q @ r, np.take_along_axis(x, np.asarray(order)[..., None, :], -1))
        unit = adjoint(q) @ q
        assert_close(unit, np.broadcast_to(np.eye(q.shape[-1]), unit.shape))
    factors, _, order = linalg.lu(x)
    lower = np.tril(factors, -1)[..., :k] + np.eye(shape[-2], k)
    assert_close(lower @ np.triu(factors)[..., :k, :],
                 np.take_along_axis(x, np.asarray(order)[..., None], -2))  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1), (0, 3, 3), (0, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvectors_and_forms(dtype, shape):
    x = matrices(dtype, *shape)
    w, left, right = linalg.eig(x)
    assert_close(x @ right, right * w[..., None, :])
    assert_close(adjoint(left) @ x, w[..., None] * adjoint(left))
    symmetric = x + adjoint(x)
    for lower, half in ((True, np.tril), (False, np.triu)):
        v, w = linalg.eigh(half(symmetric), lower=lower, symmetrize_input=False)
        assert_close(symmetric @ v, v * w[..., None, :])
    t, z = linalg.schur(x)
    assert_close(z @ t @ adjoint(z), x)
    definite = x @ adjoint(x) + np.eye(shape[-1])
    lower = linalg.cholesky(definite.astype(dtype))
    assert_close(lower @ adjoint(lower), definite)
    if not shape[-1]:
        return
    form, taus = linalg.hessenberg(x)
    rest = linalg.householder_product(form[..., 1:, :-1], taus)
    h, q = np.triu(form, -1), np.zeros_like(x)
    q[..., :1, :1], q[..., 1:, 1:] = 1, rest
    assert_close(q @ h @ adjoint(q), x)
    _, d, e, _ = linalg.tridiagonal(symmetric)
    for made, row in zip(np.ndindex(shape[:-2]), np.ndindex(shape[:-2]), strict=True):
        t = np.diag(d[made]) + np.diag(e[made], 1) + np.diag(e[made], -1)
        assert_close(np.linalg.eigvalsh(t), np.linalg.eigvalsh(symmetric[row]))


def test_an_update_of_cholesky_keeps_its_factor_triangular():
    for dtype in ("float32", "float64"):
        x, w = matrices(dtype, 5, 5), matrices(dtype, 5)
        a = x @ x.T + np.eye(5, dtype=dtype)
        r = linalg.cholesky_update(linalg.cholesky(a).T, w)
        assert_close(r.T @ r, a + np.outer(w, w))
        np.testing.assert_array_equal(np.tril(r, -1), 0)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_product_of_reflections_may_stay_unmade(dtype, n):
    a, taus, c = matrices(dtype, 6, n), matrices(dtype, n), matrices(dtype, 6, 3)
    q = np.eye(6, dtype=dtype)
    for i, tau in enumerate(taus):
        v = np.concatenate([np.zeros(i), [1], a[i + 1 :, i]])
        q = q @ (np.eye(6) - tau * np.outer(v, v.conj()))
    assert_close(linalg.householder_product(a, taus), q[:, :n].astype(dtype))
    assert_close(linalg.ormqr(a, taus, c), (q @ c).astype(dtype))
    assert_close(linalg.ormqr(a, taus, c, transpose=True), (adjoint(q) @ c).astype(dtype))
    assert_close(linalg.ormqr(a, taus, c.T, left=False), (c.T @ q).astype(dtype))


def test_routines_leave_their_operands_as_they_are():
    """One number is in order for C and for Fortran: a routine may be given the memory itself."""
    for shape in ((1, 1), (3, 1), (3, 3)):
        x = jnp.asarray(np.asfortranarray(matrices("float64", *shape)))
        before = np.array(x)
        linalg.ormqr(x, x[0], x), linalg.qr(x), linalg.svd(x), linalg.lu(x)
        if shape[0] == shape[1]:
            linalg.eigh(x), linalg.eig(x), linalg.schur(x), linalg.cholesky(x)
            linalg.hessenberg(x), linalg.tridiagonal(x), linalg.triangular_solve(x, x)
        np.testing.assert_array_equal(x, before)


# No answer is NaN, and the other matrices of a stack have theirs.


def test_what_has_no_answer_is_nan():
    good, bad = np.diag([1.0, 2.0]), np.diag([1.0, -1.0])
    found = np.asarray(linalg.cholesky(np.stack([good, bad, good])))
    assert np.isnan(found).any((1, 2)).tolist() == [False, True, False]
    nan = np.full((2, 2), np.nan)
    for f in (linalg.eigh, linalg.eig, linalg.svd, linalg.schur):
        for x in f(np.stack([good, nan])):
            assert np.isfinite(x[0]).all() and np.isnan(x[1]).any()
    zeros = np.zeros((2, 2))
    assert not np.isfinite(linalg.triangular_solve(zeros, good)).any()
    assert linalg.lu(zeros)[1].tolist() == [0, 1]
    d = np.zeros(3)
    assert np.isnan(linalg.tridiagonal_solve(d, d, d, np.ones((3, 1)))).all()
    assert np.isfinite(
        linalg.tridiagonal_solve(d, d, d, np.zeros((3, 1)), perturb_singular=True)
    ).all()


# Under transformations and in compiled programs.


# What loops leave to SciPy: these, and complex matrices.
STEP_BY_STEP = ("eig", "schur", "hessenberg", "tridiagonal", "ormqr")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_loop_of_any_routine_is_compiled(dtype):
    """To what SciPy gives, but for roundings: it may have another release of the library."""
    for rule in LINALG:
        shapes, is_left = rule.shapes[-1], rule.name.split(",")[0] in STEP_BY_STEP
        if dtype not in rule.dtypes:
            continue
        xs = [jnp.asarray(matrices(dtype, 2, *shape)) for shape in shapes]
        closed = jax.make_jaxpr(mapped_by_scan(rule.function))(*xs)
        executable = Executable(closed, OPTIONS)
        assert loops_left_to_python(executable) == ["scan"] * is_left, rule.name
        for x, y in zip(executable(*xs), interpreted(closed, *xs), strict=True):
            assert_close(x, y)


def test_a_loop_of_complex_matrices_runs_step_by_step():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, x: linalg.cholesky(x @ x.conj().T + jnp.eye(3)), x)

    x = jnp.asarray(matrices("complex128", 3, 3))
    expected = np.asarray(x)
    for _ in range(3):
        expected = np.linalg.cholesky(expected @ adjoint(expected) + np.eye(3))
    assert_close(jax.jit(f)(x), expected)
    assert "kernels don't hold complex128" in jax.explain(f)(x).on_numpy()


@pytest.mark.parametrize(
    "door", ["direct", pytest.param("numba", marks=pytest.mark.prove), "python"]
)
def test_parts_give_what_routines_give(door, monkeypatch):
    """Of any shape, on stacks and alone, where there is nothing to be found too."""
    if door == "python":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(doors, "_kernels", {})
    others = [(2, 3, 3), (5, 2), (2, 5), (1, 1), (2, 4, 3), (70, 70), (0, 2, 2)]
    with config.override("jit_kernels", door.replace("python", "direct")):
        for shape in [(3, 3), *others * (door == "direct")]:
            x = matrices("float64", *shape)
            for f in list(parts_of(shape))[:: 1 if door == "direct" else 3]:
                closed = jax.make_jaxpr(f)(x)
                got = Executable(closed, OPTIONS)(jnp.asarray(x))
                for y, z in zip(got, interpreted(closed, x), strict=True):
                    assert_close(y, z)


def parts_of(shape):
    """The functions of lax.linalg that have parts, and their parameters."""
    both = (True, False)
    yield linalg.lu
    yield lambda x: linalg.svd(x, compute_uv=False)
    for full in both:
        yield lambda x, full=full: linalg.svd(x, full_matrices=full)
        for pivoting in both:
            yield lambda x, full=full, pivoting=pivoting: linalg.qr(
                x, full_matrices=full, pivoting=pivoting
            )
    if shape[-2] >= shape[-1]:
        yield lambda x: linalg.householder_product(x, x[..., 0, :])
    if shape[-2] != shape[-1]:
        return
    definite = lambda x: x @ x.mT + 3 * jnp.eye(shape[-1])  # noqa: E731
    yield lambda x: linalg.cholesky(definite(x))
    yield lambda x: linalg.cholesky(-definite(x))
    yield lambda x: linalg.tridiagonal_solve(x[..., 0, :], 9 + x[..., 0, :], x[..., 1, :], x)
    for lower in both:
        yield lambda x, lower=lower: linalg.eigh(definite(x), lower=lower, symmetrize_input=False)
        for left, transposed, unit in itertools.product(both, both, both):
            yield lambda x, how=(left, lower, transposed, unit): linalg.triangular_solve(
                definite(x), x, **dict(zip(HOW, how, strict=True))
            )


HOW = ("left_side", "lower", "transpose_a", "unit_diagonal")


def test_halves_have_no_routine_but_programs():
    for dtype in ("float16", "bfloat16"):
        x = jnp.eye(2, dtype=dtype)
        assert jax.eval_shape(linalg.cholesky, x).dtype == dtype
        for run in (linalg.cholesky, jax.jit(linalg.cholesky)):
            with pytest.raises(NotImplementedError, match="has no routine for"):
                run(x)
        assert_close(linalg.triangular_solve(2 * x, x).astype("float32"), np.eye(2) / 2)


def test_what_has_no_derivative_in_jax_has_none():
    x, v = np.eye(3), np.ones(3)
    for f in (linalg.schur, linalg.hessenberg, linalg.tridiagonal,
              lambda x: linalg.cholesky_update(x, v), lambda x: linalg.ormqr(x, v, x)):  # fmt: skip
        with pytest.raises(NotImplementedError, match="has no JVP rule"):
            jax.jvp(f, (x,), (x,))
    with pytest.raises(NotImplementedError, match="no batching rule"):
        jax.vmap(linalg.cholesky_update)(np.ones((2, 3, 3)), np.ones((2, 3)))


def test_the_derivative_of_a_wide_r_with_pivoting_is_that_of_differences():
    x, v = matrices("complex128", 3, 4), matrices("complex128", 3, 4)
    r = lambda x: linalg.qr(x, pivoting=True)[1]  # noqa: E731
    difference = (r(x + 1e-6 * v) - r(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(jax.jvp(r, (x,), (v,))[1], difference, atol=1e-7)


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (1, 1), (4, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_polar_iteration(dtype, shape):
    x = matrices(dtype, *shape)
    u, h, steps, is_converged = linalg.qdwh(x)
    assert_close(u @ h, x)
    assert_close(adjoint(u) @ u, np.eye(shape[1], dtype=dtype))
    assert is_converged and steps < 10
    padded = np.pad(x, [(0, 2), (0, 1)], constant_values=7)
    u_padded, h_padded, *_ = linalg.qdwh(padded, dynamic_shape=shape)
    assert_close(u_padded[: shape[0], : shape[1]], u)
    assert_close(h_padded[: shape[1], : shape[1]], h)


# Running over stacks.


def test_over_stack_gives_shapes_where_there_is_nothing():
    def routine(x, y):
        return x @ y, x.sum(), x.shape[0] * np.ones(2, np.int8)

    for stack in ((), (2,), (0,), (2, 0), (2, 3)):
        x, y = np.ones((*stack, 2, 3)), np.ones((*stack, 3))
        product, total, other = over_stack(routine, x, y, ranks=(2, 1))
        assert (product.shape, total.shape, other.shape) == ((*stack, 2), stack, (*stack, 2))
        assert other.dtype == np.int8 and (product == 3).all() and (total == 6).all()
