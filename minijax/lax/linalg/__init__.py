"""Factorizations of matrices, and equations: JAX's `jax.lax.linalg`, by LAPACK's routines."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.lax.linalg.eigenvectors": """
        EigImplementation eig eig_p hessenberg hessenberg_p schur schur_p""",
    "minijax.lax.linalg.gaussian": """
        lu lu_p lu_pivots_to_permutation lu_pivots_to_permutation_p""",
    "minijax.lax.linalg.polar_iteration": "qdwh",
    "minijax.lax.linalg.positive_definite": """
        cholesky cholesky_p cholesky_update cholesky_update_p""",
    "minijax.lax.linalg.reflections": """
        householder_product householder_product_p ormqr ormqr_p qr qr_p""",
    "minijax.lax.linalg.singular_values": "SvdAlgorithm svd svd_p",
    "minijax.lax.linalg.symmetric": """
        EighImplementation eigh eigh_p symmetric_product symmetric_product_p tridiagonal
        tridiagonal_p""",
    "minijax.lax.linalg.triangular": "triangular_solve triangular_solve_p",
    "minijax.lax.linalg.tridiagonal_systems": "tridiagonal_solve tridiagonal_solve_p",
})  # fmt: skip
