"""Linear algebra: lax.linalg's programs and results, and numpy.linalg."""

SETUP = """\
from functools import partial
L, N = lax.linalg, jnp.linalg
M = jnp.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
T = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0], [1.0, 0.0, 1.0]])
Q = jnp.array([[4.0, 1, 2, 0], [1, 3, 0, 1], [2, 0, 5, 1], [0, 2, 1, 6]])
V = jnp.array([1.0, 2.0, 3.0])
C = M * (1 + 0.5j)
H = M + 1j * jnp.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 2.0], [0.0, -2.0, 0.0]])
S = jnp.stack([M, M + jnp.eye(3)])
I = jnp.array([[2, 1], [1, 3]])
SINGULAR = jnp.array([[1.0, 2.0], [2.0, 4.0]])
NAN = jnp.array([[1.0, jnp.nan], [0.0, 1.0]])
EMPTY, NONE = jnp.zeros((0, 0)), jnp.zeros((0, 3, 3))
WEAK = lax.broadcast(2.0, (1, 1))

def many(f, *xs, in_axes=1):
    return jax.make_jaxpr(jax.vmap(f, in_axes))(*(jnp.stack([x, x], 1) for x in xs))
"""

# One call of each primitive, in each of its forms.
PRIMITIVES = [
    "L.cholesky(M)", "L.cholesky(M, symmetrize_input=False)", "L.cholesky(H)", "L.cholesky(S)",
    "L.triangular_solve(M, M)", "L.triangular_solve(M, V, left_side=True, lower=True)",
    "L.triangular_solve(C, C, left_side=True, transpose_a=True, conjugate_a=True)",
    "L.triangular_solve(M, M, lower=True, transpose_a=True, conjugate_a=True, unit_diagonal=True)",
    "L.triangular_solve(S, S)",
    "L.lu(M)", "L.lu(T)", "L.lu(T.T)", "L.lu(C)", "L.lu(S)",
    "L.lu_pivots_to_permutation(jnp.array([2, 2, 2]), 4)",
    "L.qr(T)", "L.qr(T, full_matrices=False)", "L.qr(T.T)", "L.qr(C)",
    "L.qr(T, pivoting=True)", "L.qr(T.T, pivoting=True, full_matrices=False)",
    "L.householder_product(T, V)", "L.ormqr(T, V, T)",
    "L.ormqr(T, V, T.T, left=False, transpose=True)",
    "L.eigh(M)", "L.eigh(H, lower=False, symmetrize_input=False, sort_eigenvalues=False)",
    "L.eigh(M, implementation=L.EighImplementation.QR)",
    "L.eig(M)", "L.eig(M, compute_left_eigenvectors=False, enable_eigvec_derivs=True)",
    "L.eig(C, compute_left_eigenvectors=False, compute_right_eigenvectors=False)",
    "L.svd(T)", "L.svd(T, full_matrices=False)", "L.svd(T.T, compute_uv=False)", "L.svd(C)",
    "L.svd(T, algorithm=L.SvdAlgorithm.QR, full_matrices=False, subset_by_index=(0, 3))",
    "L.schur(M)", "L.schur(C, compute_schur_vectors=False)",
    "L.hessenberg(Q)", "L.hessenberg(Q * (1 + 1j))",
    "L.tridiagonal(M)", "L.tridiagonal(H, lower=False)",
    "L.tridiagonal_solve(V, V + 3, V, M)",
    "L.cholesky_update(jnp.triu(M), V)",
    "L.symmetric_product(T, Q)",
    "L.symmetric_product(T, Q, alpha=2., beta=3., symmetrize_output=True)",
]  # fmt: skip

PROGRAMS = [
    *(f"jax.make_jaxpr(lambda: {call})()" for call in PRIMITIVES[:8]),
    *(f"many({call})" for call in [
        "L.cholesky, M", "L.lu, T", "L.qr, T", "L.svd, T", "L.eigh, M", "L.triangular_solve, M, M",
        "partial(L.triangular_solve, M), M", "L.tridiagonal_solve, V, V, V, M",
        "lambda b: L.tridiagonal_solve(V, V, V, b), M", "L.symmetric_product, T, Q",
        "partial(L.triangular_solve, M, left_side=True), T.T",
    ]),
    *(f"jax.make_jaxpr({function})({x})" for function, x in [
        ("L.lu", "T"), ("L.qr", "T"), ("L.eigh", "M"), ("L.eig", "M"), ("L.svd", "T"),
        ("L.schur", "M"), ("L.hessenberg", "M"), ("L.tridiagonal", "M"),
        ("lambda x: L.eigh(x, implementation=L.EighImplementation.QR)", "M"),
        ("lambda x: L.svd(x, algorithm=L.SvdAlgorithm.QR)", "T"),
        ("lambda x: L.lu_pivots_to_permutation(x, 4)", "jnp.arange(3)"),
        ("lambda x: L.cholesky_update(x, V)", "M"), ("lambda x: L.symmetric_product(x, Q)", "T"),
        ("lambda x: L.householder_product(x, V)", "T"), ("lambda x: L.ormqr(x, V, T)", "T"),
        ("L.cholesky", "M.astype('bfloat16')"),
        ("N.cholesky", "M"), ("lambda x: N.cholesky(x, upper=True)", "C"), ("N.cond", "M"),
        ("N.det", "M"), ("N.eig", "M"), ("N.eigh", "M"), ("N.eigvals", "M"), ("N.eigvalsh", "M"),
        ("N.svd", "T"), ("N.svdvals", "T"), ("N.qr", "T"), ("lambda x: N.qr(x, 'raw')", "T"),
        ("N.norm", "V"), ("lambda x: N.norm(x, jnp.inf)", "V"), ("lambda x: N.norm(x, 1)", "M"),
        ("lambda x: N.norm(x, 'nuc')", "M"), ("lambda x: N.norm(x, axis=1, keepdims=True)", "M"),
        ("N.matrix_norm", "M"), ("N.vector_norm", "V"), ("lambda x: N.matrix_power(x, 7)", "M"),
        ("lambda x: N.matrix_power(x, 0)", "M"), ("N.matrix_rank", "M"), ("N.trace", "M"),
        ("N.matrix_transpose", "T"), ("lambda x: N.outer(x, x)", "V"),
    ]),
]  # fmt: skip

# What is odd: no matrix, no numbers, no answer, numbers that are weak or of 16 bits.
ODD = [
    *(f"L.{call}" for call in [
        "cholesky(EMPTY)", "cholesky(NONE)", "cholesky(jnp.array([[-1.0]]))", "cholesky(SINGULAR)",
        "cholesky(jnp.stack([-M, M]))", "cholesky(I)", "cholesky(WEAK)", "cholesky(NAN)",
        "lu(EMPTY)", "lu(NONE)", "lu(jnp.zeros((0, 3)))", "lu(jnp.zeros((3, 0)))", "lu(SINGULAR)",
        "lu(WEAK)", "lu(NAN)", "lu(jnp.zeros((2, 2)))",
        "triangular_solve(EMPTY, EMPTY)", "triangular_solve(jnp.zeros((2, 2)), jnp.ones((2, 2)))",
        "triangular_solve(WEAK, WEAK)", "triangular_solve(jnp.array([[2.0]], 'bfloat16'), "
        "jnp.array([[3.0]], 'bfloat16'))",
        "qr(EMPTY)", "qr(NONE)", "qr(jnp.zeros((3, 0)))", "qr(jnp.zeros((0, 3)))",
        "qr(jnp.zeros((3, 0)), full_matrices=False)", "qr(WEAK, pivoting=True)",
        "svd(EMPTY)", "svd(NONE)", "svd(jnp.zeros((3, 0)))", "svd(jnp.zeros((0, 3)))",
        "svd(jnp.zeros((3, 0)), full_matrices=False)", "svd(NAN)", "svd(jnp.array([[-2.0]]))",
        "svd(WEAK, compute_uv=False)",
        "eigh(EMPTY)", "eigh(NONE)", "eigh(NAN)", "eigh(I)", "eigh(WEAK)",
        "eigh(jnp.zeros((2, 2)))",
        "eig(EMPTY)", "eig(NONE)", "eig(NAN)", "eig(WEAK)",
        "eig(jnp.array([[0.0, 1.0], [-1.0, 0.0]]))",
        "schur(EMPTY)", "schur(NONE)", "schur(NAN)", "schur(WEAK)",
        "hessenberg(NONE)", "hessenberg(jnp.ones((1, 1)))", "tridiagonal(NONE)",
        "tridiagonal(jnp.ones((1, 1)))", "householder_product(jnp.zeros((3, 0)), jnp.zeros(0))",
        "tridiagonal_solve(V[:1], V[:1], V[:1], M[:1])",
        "tridiagonal_solve(V[:2], V[:2], V[:2], M[:2])",
        "tridiagonal_solve(*3 * [jnp.ones(2)], jnp.ones((2, 1)))",
        "tridiagonal_solve(*3 * [jnp.ones(2)], jnp.ones((2, 1)), perturb_singular=True)",
        "tridiagonal_solve(*3 * [jnp.zeros(3)], M)",
        "cholesky_update(jnp.zeros((2, 2)), jnp.zeros(2))", "cholesky_update(*[jnp.ones((1, 1), "
        "'float16'), jnp.ones(1, 'float16')])",
        "symmetric_product(jnp.ones((2, 0)), jnp.ones((2, 2)))",
        "lu_pivots_to_permutation(jnp.zeros((2, 0), int), 2)",
        "lu_pivots_to_permutation(jnp.array([9, -1, 2]), 3)",
        "qdwh(EMPTY)[2:]", "qdwh(M)[0]", "qdwh(T)[1:]", "qdwh(jnp.zeros((2, 2)))",
    ]),
    "[list(kind) for kind in (L.SvdAlgorithm, L.EigImplementation, L.EighImplementation)]",
]  # fmt: skip

# Derivatives.
DERIVATIVES = [
    *(f"jax.jvp({function}, ({x},), ({x} * {x},))" for function, x in [
        ("L.cholesky", "M"), ("L.cholesky", "H"), ("L.lu", "T"), ("L.lu", "C"), ("L.qr", "M"),
        ("lambda x: L.qr(x, full_matrices=False)", "T"), ("L.eigh", "M / 4"),
        ("lambda x: L.svd(x, full_matrices=False)", "T"),
        ("lambda x: L.svd(x, compute_uv=False)", "T"),
        ("lambda x: L.triangular_solve(x, M)", "M"),
        ("lambda x: L.tridiagonal_solve(x, x + 3, x, M)", "V"),
        ("N.pinv", "M"), ("N.slogdet", "M"), ("N.inv", "M"), ("N.det", "Q"),
        ("lambda x: N.solve(M, x)", "V"), ("N.norm", "V"), ("lambda x: N.norm(x, 'nuc')", "M"),
    ]),
    *(f"jax.grad(lambda x: {call})({x})" for call, x in [
        ("N.det(x)", "M"), ("N.det(x)", "jnp.zeros((4, 4))"), ("N.det(x)", "SINGULAR"),
        ("N.det(x)", "jnp.diag(jnp.array([1.0, 2.0, 3.0, 0.0]))"), ("N.slogdet(x)[1]", "M"),
        ("N.norm(x)", "jnp.zeros(2)"), ("N.cond(x)", "M"), ("jnp.abs(N.eigvals(x)).sum()", "M"),
        ("N.matrix_power(x, -2).sum()", "M"), ("N.multi_dot([x, x, V]).sum()", "M"),
    ]),
    "jax.grad(N.det)(jnp.diag(jnp.array([0.0, 2.0, 3.0, 4.0])))",
    "jax.jvp(lambda x: L.qr(x, pivoting=True)[1], (T[:, ::-1].T,), (T.T,))",
    "jax.vjp(N.solve, C, V * (1 + 0j))[1](V * 1j)",
    "jax.vjp(lambda a: L.triangular_solve(a, M, lower=True, unit_diagonal=True), M)[1](M)",
]  # fmt: skip

# numpy.linalg: values, shapes, dtypes.
LIBRARY = [f"N.{call}" for call in [
    "cholesky(M)", "cholesky(H, upper=True)", "cholesky(I)",
    "cond(M)", "cond(M, -2)", "cond(M, 1)", "cond(M, 'fro')", "cond(SINGULAR, 1)", "cond(T)",
    "cond(S)", "cond(S, jnp.inf)", "cond(I, -1)", "cond(jnp.zeros((2, 2)))",
    "cross(V, V + M)", "cross(M, T[:3], axis=0)", "cross(jnp.array([1, 2, 3]), V)",
    "det(M)", "det(Q)", "det(S)", "det(I)", "det(C)", "det(EMPTY)", "det(WEAK)",
    "diagonal(T, offset=1)", "diagonal(S)",
    "eig(M)", "eig(I)", "eigh(M)", "eigh(H, 'U')", "eigh(T[:3], 'U', symmetrize_input=False)",
    "eigvals(I)", "eigvalsh(M)", "eigvalsh(T[:3], 'U', symmetrize_input=False)",
    "inv(M)", "inv(S)", "inv(I)", "inv(C)", "inv(jnp.zeros((2, 2)))", "inv(SINGULAR)",
    "inv(EMPTY)", "inv(NONE)",
    "lstsq(T, jnp.arange(4.0))[0]", "lstsq(T, jnp.ones((4, 2)))", "lstsq(T.T, V)[0]",
    "lstsq(T.T, V, numpy_resid=True)[1:3]", "lstsq(SINGULAR, V[:2], rcond=0.5)",
    "lstsq(jnp.zeros((2, 0)), jnp.ones((2, 3)))", "lstsq(jnp.zeros((0, 2)), jnp.zeros(0))",
    "matmul(M, V)", "matmul(I, I, preferred_element_type='float32')",
    "matrix_norm(S, ord='nuc')", "matrix_norm(S, ord=1, keepdims=True)", "matrix_norm(M, ord=-2)",
    "matrix_power(M, 0)", "matrix_power(I, 5)", "matrix_power(M, -2)", "matrix_power(S, 3)",
    "matrix_power(I, -1)", "matrix_power(M, 1)",
    "matrix_rank(M)", "matrix_rank(SINGULAR)", "matrix_rank(S)", "matrix_rank(V)",
    "matrix_rank(1.)",
    "matrix_rank(M, rtol=0.5)", "matrix_rank(M, tol=2.0)", "matrix_rank(M, hermitian=True)",
    "matrix_rank(S, rtol=jnp.array([0.1, 9.0]))", "matrix_rank(I)",
    "multi_dot([T, M, V])", "multi_dot([V, M, T.T])", "multi_dot([V, V])", "multi_dot([I, I, I])",
    *(f"norm(V, {order})" for order in "None 1 2 3 -1.5 0 jnp.inf -jnp.inf".split()),
    *(f"norm(M, {order})" for order in "None 1 -1 2 -2 'fro' 'nuc' jnp.inf -jnp.inf".split()),
    "norm(S)", "norm(S, keepdims=True)", "norm(S, 2, axis=(0, 2), keepdims=True)", "norm(C)",
    "norm(S, 1, axis=(2, 0))", "norm(S, axis=-1, keepdims=True)", "norm(C[0], 0)", "norm(I)",
    "norm(1.0)", "norm(jnp.zeros(0))", "norm(jnp.zeros(0), jnp.inf)", "norm(V.astype('bfloat16'))",
    "outer(V, V)", "outer(I[0], V)",
    "pinv(T)", "pinv(T.T)", "pinv(SINGULAR)", "pinv(M, 0.5)", "pinv(M, rcond=0.3)", "pinv(C)",
    "pinv(M, hermitian=True)", "pinv(S, rtol=jnp.array([0.1, 0.5]))", "pinv(jnp.zeros((0, 3)))",
    "qr(T)", "qr(T, 'complete')", "qr(T, 'r')", "qr(T, 'raw')", "qr(T, 'full')", "qr(I)",
    "slogdet(M)", "slogdet(-Q)", "slogdet(S)", "slogdet(C)", "slogdet(SINGULAR)", "slogdet(EMPTY)",
    "slogdet(I)", "slogdet(-M, method='qr')",
    "solve(M, V)", "solve(M, M)", "solve(S, V)", "solve(S, M)", "solve(M, S)", "solve(I, I)",
    "solve(C, V)", "solve(SINGULAR, V[:2])", "solve(EMPTY, jnp.zeros(0))",
    "svd(T)", "svd(T, full_matrices=False)", "svd(M - 3 * jnp.eye(3), hermitian=True)", "svd(I)",
    "svd(C, compute_uv=False, hermitian=True)", "svdvals(S)",
    "tensordot(S, M, axes=((1, 2), (0, 1)))", "tensorinv(2 * jnp.eye(6).reshape(2, 3, 6))",
    "tensorinv(2 * jnp.eye(4).reshape(4, 2, 2), ind=1)",
    "tensorsolve(2 * jnp.eye(6).reshape(2, 3, 2, 3), jnp.arange(6.0).reshape(2, 3))",
    "trace(S, offset=1)", "trace(I, dtype='float32')",
    "vecdot(C, C)", "vecdot(M, V)", "vecdot(M, M, axis=0)", "vecdot(I, I)",
    "vecdot(I, I, preferred_element_type='float32')",
    "vector_norm(M)", "vector_norm(M, axis=0, ord=1)", "vector_norm(M, keepdims=True)",
    "vector_norm(S, axis=(0, 2), ord=3, keepdims=True)", "vector_norm(I)",
]]  # fmt: skip

CASES = [*PRIMITIVES, *PROGRAMS, *ODD, *DERIVATIVES, *LIBRARY]
