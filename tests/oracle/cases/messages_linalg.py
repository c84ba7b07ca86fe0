"""A mistake for each `raise` of linear algebra."""

SETUP = """\
L, N = lax.linalg, jnp.linalg
S = __import__("importlib").import_module(jax.__name__ + ".scipy.linalg")
M, T, V = jnp.eye(3), jnp.ones((4, 3)), jnp.ones(3)
C, P = M * 1j, jnp.ones((2, 3, 3))
I = jnp.arange(3)
K = random.key(0)
"""
OF_LAX = {
    "cholesky(T)": "needs square matrices, and got float32[4,3]. Give (..., n, n).",
    "cholesky(T, symmetrize_input=False)": "needs square matrices, and got float32[4,3]. Give (...",
    "cholesky(M.astype('float16'))": "has no routine for float16. Convert with\nx.astype('float32'",
    "cholesky_update(P, P[0, :2])": "takes one matrix, and got float32[2,3,3]. Give shape (n, n).",
    "cholesky_update(M, V[:2])": "got a matrix float32[3,3] and a vector float32[2].\nGive the sha",
    "lu(V)": "got float32[3] as argument 0. Give an array with at least 2 axes.",
    "lu(I)": "takes floats, complex numbers, and got int32. Convert with\nx.astype(dtype).",
    "triangular_solve(M, C)": "needs one dtype, and got float32[3,3], complex64[3,3]. Use\nx.astyp",
    "triangular_solve(M, P)": "got stacks with different numbers of axes: float32[3,3],\nfloat32[2",
    "triangular_solve(P, jnp.ones((5, 3, 3)))": "got stacks of different sizes: float32[2,3,3],\nf",
    "triangular_solve(T, T)": "needs square matrices, and got float32[4,3]. Give (..., n,\nn).",
    "triangular_solve(M, T, left_side=True)": "of float32[3,3] got float32[4,3] as b. Give one wit",
    "lu_pivots_to_permutation(I, 2)": "got permutation_size 2 for pivots int32[3].\nGive at least ",
    "lu_pivots_to_permutation(I.astype('uint8'), 3)": "takes int32, and got uint8[3]. Convert with",
    "householder_product(T.T, V)": "got float32[3,4] and taus float32[3]. Give at least as\nmany r",
    "ormqr(T, V, M)": "of float32[4,3] got c float32[3,3]. Give one with 4 rows.",
    "eigh(M, subset_by_index=(0, 2))": "finds all eigenvalues. Leave subset_by_index out.",
    "eigh(M, subset_by_index=(2, 0))": "of float32[3,3] got subset_by_index (2, 0). Give (0, 3).",
    "eigh(M, implementation=L.EighImplementation.QDWH)":
        "has no EighImplementation.QDWH. Leave `implementation` out.",
    "tridiagonal(jnp.zeros((0, 0)))": "needs a matrix with a row, and got float32[0,0]. Give one.",
    "symmetric_product(T, M)": "got float32[4,3] and c_matrix float32[3,3]. Give the\nshapes (m, n",
    "eig(M, implementation=L.EigImplementation.MAGMA)":
        "has no EigImplementation.MAGMA on CPUs. Leave `implementation` out.",
    "schur(M, sort_eig_vals=True)": "does not sort eigenvalues. Leave sort_eig_vals out.",
    "hessenberg(jnp.zeros((2, 0, 0)))": "needs a matrix with a row, and got float32[2,0,0]. Give o",
    "svd(T, full_matrices=False, subset_by_index=(0, 2))":
        "finds all singular values. Leave subset_by_index out.",
    "svd(T, full_matrices=False, subset_by_index=(2, 0))":
        "of float32[4,3] got subset_by_index (2, 0). Give (0, 3).",
    "svd(T, subset_by_index=(0, 2))": "got subset_by_index and full_matrices. Give full_matrices=F",
    "svd(T, algorithm=L.SvdAlgorithm.POLAR)": "has no SvdAlgorithm.POLAR on CPUs. Leave `algorithm",
    "tridiagonal_solve(V, V, V[:2], M)": "got the diagonals float32[3], float32[3], float32[2]. Gi",
    "tridiagonal_solve(V, V, V, T)": "of diagonals float32[3] got b float32[4,3]. Give one with 3",
    "qdwh(T.T)": "takes a matrix of floats or complex numbers with at least as many rows\nas colum",
}
OF_NUMPY = {
    "inv([[1.0]])": "takes arrays and numbers, and argument a is [[1.0]].\nWrap it: jnp.array(...)",
    "inv(T)": "needs square matrices, and got float32[4,3]. Give shape (..., n, n).",
    "solve(M, jnp.ones(4))": "of float32[3,3] got b float32[4,1]. Give a vector (3,) or matrices\n",
    "solve(P, jnp.ones((5, 3, 1)))": "cannot broadcast the leading axes of float32[2,3,3] and\nflo",
    "lstsq(T, V)": "of float32[4,3] got b float32[3]. Give as many rows as `a` has.",
    "lstsq(P, P)": "takes one matrix and a vector or a matrix, and got float32[2,3,3] and\nfloat32",
    "pinv(M, rtol=0.1, rcond=0.1)": "takes one of rtol and rcond, and got both. Leave rcond out.",
    "pinv(V)": "needs matrices, and got float32[3]. Give shape (..., m, n).",
    "tensorinv(M, ind=0)": "takes an ind from 1 on, and got 0. Give one.",
    "tensorinv(T, ind=1)": "of float32[4,3] got ind 1. Give a number of axes with as many\nelement",
    "tensorsolve(T, V)": "got b of shape (3,), and `a`, its axes moved, of (4, 3). Give an\n`a` wh",
    "slogdet(M, method='x')": "has no method 'x'. Give 'lu' or 'qr'.",
    "slogdet(C, method='qr')": "of complex matrices has no method 'qr'. Leave it out.",
    "eigh(M, 'X')": "takes 'L', 'U' or None as UPLO, and got 'X'. Give one.",
    "qr(M, 'x')": "has no mode 'x'. Give 'reduced', 'complete', 'r' or 'raw'.",
    "norm(P, 1)": "goes along one axis or two, and got (0, 1, 2) of float32[2,3,3]. Name\nthem.",
    "norm(V, 'inf')": "of vectors knows no order 'inf'. Give a number: jnp.inf.",
    "norm(M, 3)": "of matrices knows no order 3. Give 'fro', 'nuc', 1, -1, 2, -2, jnp.inf\nor -jnp",
    "cond(V)": "got float32[3]. Give matrices, with rows and columns.",
    "cond(T, 1)": "with p 1 is of square matrices, and got float32[4,3]. Give p=2.",
    "matrix_rank(M, rtol=1.0, tol=1.0)": "got both rtol and tol. Leave rtol out.",
    "outer(M, V)": "takes vectors, and got float32[3,3] and float32[3]. Use jnp.ravel(x).",
    "cross(V[:2], V)": "takes vectors of three numbers, and got [2, 3] along -1. Give such.",
    "vecdot(T, T.T)": "sums along axis -1 of float32[4,3] and float32[3,4]. Give one size\nthere.",
    "matrix_power(M, 1.5)": "takes an integer as n, and got 1.5. Give an int.",
    "matrix_power(T, 2)": "needs square matrices, and got float32[4,3]. Give (..., m, m).",
    "multi_dot([T, V, M])": "takes two arrays or more: matrices, and the first and the last may\nb",
    "multi_dot([T, T])": "cannot multiply (4, 3), (4, 3) in turn. Give sizes that fit.",
}
OF_SCIPY = {
    "cholesky(V)": "got float32[3]. Give square matrices.",
    "lu(P)": "takes one matrix, and got float32[2,3,3]. Use jax.vmap for several.",
    "qr(M, mode='x')": "has no mode 'x'. Give 'full', 'r' or 'economic'.",
    "qr_multiply(M, M, mode='x')": "has no mode 'x'. Give 'left' or 'right'.",
    "qr_multiply(T, M)": "with the mode 'right' got float32[4,3], so Q is float32[4,3],\nand c flo",
    "solve_triangular(M, V, trans='X')": "has no trans 'X'. Give 0, 1, 2, 'N', 'T' or 'C'.",
    "solve_triangular(M, jnp.ones(4))": "got float32[3,3] and b float32[4]. Give square matrices\n",
    "lu_solve((M, I), V, trans=3)": "has no trans 3. Give 0, 1 or 2.",
    "solve(M, V, assume_a='x')": "has no assume_a 'x'. Give 'gen', 'sym', 'her' or 'pos'.",
    "solve_sylvester(M, M, T)": "got float32[3,3], float32[3,3] and C float32[4,3]. Give\nthe shap",
    "solve_sylvester(M, M, M, method='x')": "has no method 'x'. Give 'schur' or 'eigen'.",
    "eigh(M, M)": "takes no b here. Leave it out.",
    "eigh_tridiagonal(V, V[:2], eigvals_only=True, select='x')":
        "knows no select 'x'. Give 'a' or 'i'.",
    "eigh_tridiagonal(V, V[:2], eigvals_only=True, select='v', select_range=(0., 1.))":
        "selects no eigenvalues by size. Give select='a'.",
    "eigh_tridiagonal(V, V[:2], eigvals_only=True, select='i')":
        "with select='i' got no select_range. Give (first, last).",
    "eigh_tridiagonal(I, I[:2], eigvals_only=True)": "got int32[3] and int32[2]. Give floats of 32",
    "eigh_tridiagonal(V, V, eigvals_only=True)": "got d float32[3] and e float32[3]. Give vectors,",
    "polar(V)": "takes one matrix, and got float32[3]. Use jax.vmap for several.",
    "polar(M, side='x')": "has no side 'x'. Give 'right' or 'left'.",
    "polar(M, method='x')": "has no method 'x'. Give 'qdwh' or 'svd'.",
    "polar(T.T)": "of float32[3,4] has no method 'qdwh' for the side 'right'.\nGive method='svd'.",
    "schur(M, output='x')": "has no output 'x'. Give 'real' or 'complex'.",
    "rsf2csf(T, T)": "takes a square T, and got float32[4,3]. Give (..., n, n).",
    "rsf2csf(M, jnp.eye(4))": "of T float32[3,3] got Z float32[4,4]. Give one of T's shape.",
    "expm(T)": "needs square matrices, and got float32[4,3]. Give one.",
    "expm(M.astype('float16'))": "takes numbers of 32 or 64 bits, and got float16[3,3]. Use\nx.ast",
    "expm_frechet(T, T)": "takes a square matrix A, and got float32[4,3]. Give (n, n).",
    "expm_frechet(M, T)": "got float32[3,3] and E float32[4,3]. Give one shape.",
    "funm(T, jnp.exp)": "takes a square matrix, and got float32[4,3]. Give (n, n).",
    "sqrtm(M, 2)": "has no blocks here. Leave blocksize out.",
    "block_diag(P)": "got float32[2,3,3] as argument 0. Give a matrix.",
    "hankel(1.0)": "takes a column c, and got ~float32[]. Give one.",
    "convolution_matrix(V, 0)": "takes an n from 1 on, and got 0. Give one.",
    "convolution_matrix(V, 3, 'x')": "has no mode 'x'. Give 'full', 'same' or 'valid'.",
    "convolution_matrix(V[:0], 3)": "got an empty `a`. Give a number.",
    "companion(V[:1])": "got float32[1]. Give at least two numbers.",
    "leslie(V, V)": "of f float32[3] got s float32[3]. Give one number less.",
    "dft(3, 'x')": "has no scale 'x'. Give None, 'n' or 'sqrtn'.",
    "dft(3, dtype='float32')": "got the dtype float32. Give a complex one.",
    "hadamard(3)": "takes a power of 2 as n, and got 3. Give one.",
    "pascal(3, 'x')": "has no kind 'x'. Give 'symmetric', 'lower' or 'upper'.",
}
MESSAGES = {
    **{f"lax.linalg.{call}": words for call, words in OF_LAX.items()},
    **{f"jnp.linalg.{call}": words for call, words in OF_NUMPY.items()},
    **{f"S.{call}": words for call, words in OF_SCIPY.items()},
    "jax.grad(lambda x: L.eigh(x, subset_by_index=(0, 2))[1].sum())(M)":
        "of a part of the eigenvalues has no derivative. Leave",
    "jax.grad(lambda x: jnp.abs(L.eig(x)[1]).sum())(M)": "Pass enable_eigvec_derivs=True where",
    "jax.grad(lambda x: L.svd(x)[0].sum())(T)": "may turn. Give full_matrices=False.",
}
NAMES = {
    **{f"S.{call}": f"scipy.linalg.{call.partition('(')[0]}" for call in OF_SCIPY},
    **{case: "lax.linalg" for case in MESSAGES if case.startswith("jax.grad")},
}
# In JAX some of these are no mistakes, or it says so by another class of errors.
CASES = tuple(MESSAGES)
