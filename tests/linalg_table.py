"""The primitives of lax.linalg as those of `primitive_table.py`: what each computes, said again by
NumPy and SciPy. They stand apart, for not every loop that holds one of them is compiled.

Eigenvectors and singular vectors of complex matrices have any phase, so the lines below multiply
them with their adjoints.
"""

from collections.abc import Callable

import numpy as np
import scipy.linalg

from minijax.lax import linalg
from primitive_table import Rule

DTYPES = ("float32", "float64", "complex64")
SQUARE, STACK, TALL, WIDE = ((3, 3),), ((2, 3, 3),), ((4, 3),), ((3, 4),)


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


def definite(x):
    """A positive definite matrix, made of any."""
    return x @ adjoint(x) + np.eye(x.shape[-1], dtype=x.dtype)


def spread(x):
    """A matrix with eigenvalues, or singular values, that are far from each other."""
    return x / 8 + np.diag(np.arange(1, x.shape[-1] + 1)).astype(x.dtype)[: x.shape[-2]]


def steep(x):
    """A matrix whose rows are exchanged as long as it changes little."""
    return x + 5 * np.eye(*x.shape[-2:], dtype=x.dtype)[::-1]


def weighted(vectors, others):
    """The sum of products of vectors, each times a number."""
    k = vectors.shape[-1]
    return (vectors * np.arange(1, k + 1).astype(vectors.dtype)) @ others[..., :k, :]


def of_lapack(name: str, *args) -> Callable:
    """One of SciPy's routines, its first result."""
    def routine(x):
        return scipy.linalg.get_lapack_funcs(name, dtype=x.dtype)(x, *args)[0]

    return routine


def lu(x):
    return scipy.linalg.lu_factor(x)[0] if x.ndim == 2 else np.stack(list(map(lu, x)))


def with_adjoint(x):
    return x, adjoint(x)


def order_of(pivots):
    """The rows 0 to 3 after all exchanges."""
    rows = [0, 1, 2, 3]
    for i, j in enumerate(pivots):
        rows[i], rows[j] = rows[j], rows[i]
    return np.array(rows, np.int32)


def reflections(x, taus):
    """The product of I - tau v v^H, where v has a one on x's diagonal, and below it x's numbers."""
    out = np.eye(4, dtype=x.dtype)
    for i, tau in enumerate(taus):
        v = np.concatenate([np.zeros(i), [1], x[i + 1 :, i]]).astype(x.dtype)
        out = out @ (np.eye(4, dtype=x.dtype) - tau * np.outer(v, v.conj()))
    return out


def tridiagonal(dl, d, du):
    return np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)


def triangular(**params) -> Rule:
    """A use of triangular_solve, and the equation in full."""
    left, lower = params.get("left_side", False), params.get("lower", False)

    def function(a, b):
        return linalg.triangular_solve(dominant(a), b, **params)

    def reference(a, b):
        a = (np.tril if lower else np.triu)(dominant(a))
        if params.get("unit_diagonal"):
            a = a - np.diag(np.diag(a)) + np.eye(3)
        a = a.T if params.get("transpose_a") else a
        a = a.conj() if params.get("conjugate_a") else a
        return (np.linalg.solve(a, b) if left else np.linalg.solve(a.T, b.T).T).astype(b.dtype)

    name = " ".join(["triangular_solve", *params])
    return Rule(name, function, reference, ((SQUARE[0], (3, 2) if left else (2, 3)),), DTYPES)


def dominant(a):
    return a + 3 * np.eye(3, dtype=a.dtype)


SOLVES = [triangular(**dict.fromkeys(names.split(), True)) for names in (
    "", "left_side", "lower", "left_side lower transpose_a", "left_side conjugate_a transpose_a",
    "left_side unit_diagonal", "lower conjugate_a unit_diagonal")]  # fmt: skip

LINALG = [
    *SOLVES,
    Rule("cholesky", lambda x: linalg.cholesky(definite(x)),
         lambda x: np.linalg.cholesky(definite(x)), (SQUARE, STACK), DTYPES),
    Rule("lu", lambda x: linalg.lu(steep(x))[0], lambda x: lu(steep(x)),
         (SQUARE, STACK, TALL, WIDE), DTYPES),
    Rule("lu_pivots_to_permutation",
         lambda x: linalg.lu_pivots_to_permutation((x % 3).astype("int32"), 4),
         lambda x: np.stack([order_of(row) for row in x % 3]), (((2, 3),),), ("int32",),
         smooth=False),
    *(Rule(f"qr, {name}", lambda x, n=n: linalg.qr(x, full_matrices=False)[n],
           lambda x, n=n: np.linalg.qr(x)[n], (SQUARE, STACK, TALL, WIDE), ("float64", "complex64"))
      for n, name in enumerate("QR")),
    Rule("qr, all of Q", lambda x: linalg.qr(x)[0], lambda x: np.linalg.qr(x, "complete")[0],
         (TALL,), ("float64", "complex64")),
    Rule("qr with pivoting", lambda x: linalg.qr(x, pivoting=True)[1],
         lambda x: scipy.linalg.qr(x, pivoting=True)[1], (SQUARE, TALL, WIDE),
         ("float64", "complex64")),
    Rule("eigh, vectors", lambda x: weighted(*with_adjoint(linalg.eigh(definite(spread(x)))[0])),
         lambda x: weighted(*with_adjoint(np.linalg.eigh(definite(spread(x)))[1])),
         (SQUARE, STACK), ("float64", "complex64")),
    Rule("eigh, values", lambda x: linalg.eigh(definite(x), lower=False)[1],
         lambda x: np.linalg.eigvalsh(definite(x)), (SQUARE,), ("float32", "float64")),
    Rule("eig, vectors",
         lambda x: linalg.eig(spread(x), compute_left_eigenvectors=False,
                              enable_eigvec_derivs=True)[1],
         lambda x: np.linalg.eig(spread(x) + 0j)[1], (SQUARE,), ("complex64",)),
    Rule("eig, values",
         lambda x: linalg.eig(spread(x), compute_left_eigenvectors=False,
                              enable_eigvec_derivs=True)[0].real,
         lambda x: np.linalg.eig(spread(x))[0].real, (SQUARE, STACK), ("float64",)),
    Rule("svd, vectors",
         lambda x: weighted(*linalg.svd(spread(x), full_matrices=False)[::2]),
         lambda x: weighted(*np.linalg.svd(spread(x), False)[::2]), (SQUARE, WIDE, STACK),
         ("float64", "complex64")),
    Rule("svd, values", lambda x: linalg.svd(x, compute_uv=False),
         lambda x: np.linalg.svd(x, compute_uv=False), (TALL,), ("float32", "float64")),
    Rule("tridiagonal_solve", lambda dl, d, du, b: linalg.tridiagonal_solve(dl, 5 + d, du, b),
         lambda dl, d, du, b: np.linalg.solve(tridiagonal(dl, 5 + d, du), b).astype(b.dtype),
         (((3,), (3,), (3,), (3, 2)),), DTYPES),
    Rule("schur", lambda x: linalg.schur(spread(x))[0],
         lambda x: scipy.linalg.schur(spread(x))[0], (SQUARE,), ("float32",), smooth=False),
    Rule("hessenberg", lambda x: linalg.hessenberg(spread(x))[0],
         lambda x: of_lapack("gehrd")(spread(x)), (SQUARE,), DTYPES, smooth=False),
    Rule("tridiagonal", lambda x: linalg.tridiagonal(definite(x))[1],
         lambda x: of_lapack("hetrd" if x.dtype.kind == "c" else "sytrd", 1)(definite(x))
         .diagonal().real, (SQUARE,), DTYPES, smooth=False),
    Rule("symmetric_product", lambda x, y: linalg.symmetric_product(x, y @ y.T, alpha=2, beta=3),
         lambda x, y: 2 * x @ x.T + 3 * y @ y.T, (((2, 3), (2, 2)),), ("float32", "float64"),
         smooth=False),
    Rule("householder_product", linalg.householder_product,
         lambda x, taus: reflections(x, taus)[:, :3], (((4, 3), (3,)),), DTYPES, smooth=False),
    Rule("ormqr", lambda x, taus, c: linalg.ormqr(x, taus, c, left=False, transpose=True),
         lambda x, taus, c: c @ adjoint(reflections(x, taus)), (((4, 3), (3,), (2, 4)),), DTYPES,
         smooth=False),
]
