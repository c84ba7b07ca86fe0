"""SciPy's linear algebra."""

SETUP = """\
S = __import__("importlib").import_module(jax.__name__ + ".scipy.linalg")
M = jnp.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
B = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
T = jnp.concatenate([B, jnp.array([[1.0, 0.0, 1.0]])])
G = jnp.array([[1.0, 2, 0, 1], [-2, 1, 3, 0], [0, 1, 2, 1], [1, 0, -1, 3]])
V, U = jnp.array([1.0, 2.0, 3.0]), jnp.triu(M)
C = (B + 1j * M) / 4
H = C @ C.conj().T + jnp.eye(3)
P = jnp.stack([M, M + jnp.eye(3)])
I, W = jnp.array([[2, 1], [1, 3]]), jnp.array([1, 2, 3])
"""

PATTERNS = [
    "block_diag(T, V, I)", "block_diag()", "block_diag(1.0, M)", "block_diag(jnp.zeros((0, 2)), I)",
    "circulant(V)", "circulant(M)", "circulant(W)", "circulant(1.0)", "companion(V)",
    "companion(M)", "companion(W)", "convolution_matrix(V, 4)", "convolution_matrix(V, 4, 'same')",
    "convolution_matrix(V, 4, mode='valid')", "convolution_matrix(V, 2, mode='valid')",
    "convolution_matrix(V, 2, mode='same')", "convolution_matrix(M, 2)", "dft(4)", "dft(3, 'n')",
    "dft(3, 'sqrtn')", "dft(0)", "dft(3, dtype='complex64')", "fiedler(V)", "fiedler(M)",
    "fiedler(W)", "fiedler(V[:1])", "fiedler_companion(V)", "fiedler_companion(jnp.arange(1.0, 7))",
    "fiedler_companion(V[:2])", "fiedler_companion(V[:1])", "hadamard(4)", "hadamard(4, 'float32')",
    "hadamard(1)", "hankel(V)", "hankel(V, jnp.array([7.0, 8, 9, 10]))", "hankel(W)",
    "hankel(M, M)",
    "helmert(4)", "helmert(4, full=True)", "helmert(1)", "hilbert(3)", "hilbert(0)",
    "invhilbert(3)", "invhilbert(0)", "invpascal(3)", "invpascal(0)", "leslie(V, V[:2])",
    "leslie(W, V[:2])", "pascal(4)", "pascal(4, 'lower')", "pascal(4, 'upper')", "pascal(0)",
    "toeplitz(V)", "toeplitz(V, jnp.array([7.0, 8, 9, 10]))", "toeplitz(V * 1j)", "toeplitz(W)",
    "toeplitz(M, M)", "toeplitz(1.0, V)", "toeplitz(jnp.zeros(0))",
]  # fmt: skip
FACTORS = [
    "cho_factor(M)", "cho_factor(H, lower=True)", "cho_factor(P)", "cho_factor(I)", "cholesky(B)",
    "cholesky(M, lower=True)", "eigh(M)", "eigh(M, eigvals_only=True)",
    "eigh_tridiagonal(V, V[:2], eigvals_only=True)",
    "eigh_tridiagonal(V, V[:2], eigvals_only=True, select='i', select_range=(0, 1))",
    "eigh_tridiagonal(V + 0j, V[:2] * 1j, eigvals_only=True)",
    "eigh_tridiagonal(V[:1], V[:0], eigvals_only=True)", "hessenberg(G)",
    "hessenberg(G, calc_q=True)", "hessenberg(P, calc_q=True)", "lu(B)", "lu(T)", "lu(T.T)",
    "lu(T, permute_l=True)", "lu(I)", "lu_factor(T)", "lu_factor(P)", "polar(T)",
    "polar(T.T, side='left')", "polar(T, method='svd')", "polar(T.T, method='svd', side='left')",
    "qr(T)", "qr(T, mode='economic')", "qr(T, mode='r')", "qr(T, mode='full', pivoting=True)",
    "qr(T, mode='r', pivoting=True)", "qr(I)", "qr_multiply(T, jnp.arange(4.0))",
    "qr_multiply(T, V, mode='left')", "qr_multiply(T, M, mode='left')", "qr_multiply(T, T.T)",
    "qr_multiply(T, T.T, pivoting=True)[1:]", "qr_multiply(C, H, conjugate=True)",
    "qr_multiply(C, H, mode='left', conjugate=True)", "qr_multiply(T.T, M)",
    "rsf2csf(U, jnp.eye(3))", "schur(M)", "svd(T, full_matrices=False)", "svd(T, compute_uv=False)",
]  # fmt: skip
SYSTEMS = [
    "cho_solve(S.cho_factor(M), V)", "cho_solve((jnp.tril(M), True), M)",
    "cho_solve(S.cho_factor(H), H)", "det(M)", "inv(M)", "lu_solve(S.lu_factor(B), V)",
    "lu_solve(S.lu_factor(B), M)", "lu_solve(S.lu_factor(B), V, trans=1)",
    "lu_solve(S.lu_factor(C), H, trans=2)", "lu_solve(S.lu_factor(P), P)",
    "lu_solve(S.lu_factor(P), P[:, 0])", "solve(B, V)", "solve(M, V, assume_a='pos')",
    "solve(M, M, assume_a='sym')", "solve(U, V, lower=False, assume_a='pos')",
    "solve(H, H[0], assume_a='pos')", "solve(I, I)",
    "solve_sylvester(M, B, M)", "solve_sylvester(M, I, jnp.ones((3, 2)))",
    "solve_sylvester(M, -M, M)", "solve_sylvester(C, H, C)", "solve_triangular(U, V)",
    "solve_triangular(U, V, lower=True)", "solve_triangular(U, V, trans=1)",
    "solve_triangular(U, V, trans='T')", "solve_triangular(C, V, trans='C')",
    "solve_triangular(C, V, trans=2)", "solve_triangular(U, M, unit_diagonal=True)",
    "solve_triangular(P, P[:, 0])", "solve_triangular(P, P)", "solve_triangular(I, I)",
]  # fmt: skip
FUNCTIONS = [
    "expm(M / 4)", "expm(U / 2, upper_triangular=True)", "expm(P / 4)", "expm(C / 4)",
    "expm(I / 4)",
    "expm(jnp.zeros((0, 0)))", "expm(100 * M, max_squarings=2)", "expm(jnp.zeros((2, 2)))",
    "expm_frechet(B / 4, M)", "expm_frechet(B / 4, M, compute_expm=False, method='SPS')",
    "funm(U, jnp.sqrt)", "funm(U, lambda x: x)", "sqrtm(U)", "sqrtm(jnp.zeros((2, 2)))",
]  # fmt: skip

CASES = [
    *(f"S.{call}" for call in [*PATTERNS, *FACTORS, *SYSTEMS, *FUNCTIONS]),
    "jax.grad(lambda x: S.expm(x).sum())(M / 4)",
    "jax.grad(lambda a: S.solve(a, V, assume_a='pos').sum())(M)",
    "jax.grad(lambda c: (S.toeplitz(c) ** 2).sum())(V)",
]
