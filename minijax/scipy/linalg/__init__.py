"""SciPy's linear algebra under `jax.scipy.linalg`'s names.

Options that say how SciPy is to treat memory and odd numbers (`overwrite_a`, `check_finite`, ...)
are taken, and mean nothing: arrays are never written over, and of what is not finite comes NaN.
"""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.linalg.eigenvalues": """
        eigh eigh_tridiagonal hessenberg polar rsf2csf schur svd""",
    "minijax.scipy.linalg.factors": """
        cho_factor cholesky lu lu_factor qr qr_multiply""",
    "minijax.scipy.linalg.matrix_functions": "expm expm_frechet funm sqrtm",
    "minijax.scipy.linalg.special_matrices": """
        block_diag circulant companion convolution_matrix dft fiedler fiedler_companion hadamard
        hankel helmert hilbert invhilbert invpascal leslie pascal toeplitz""",
    "minijax.scipy.linalg.systems": """
        cho_solve det inv lu_solve solve solve_sylvester solve_triangular""",
})  # fmt: skip
