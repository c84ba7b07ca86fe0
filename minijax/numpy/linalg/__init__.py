"""NumPy's linear algebra under `jax.numpy.linalg`'s names: plain functions over `lax.linalg`."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.numpy.linalg.decompositions": """
        cholesky eig eigh eigvals eigvalsh qr svd svdvals""",
    "minijax.numpy.linalg.determinants": "det slogdet",
    "minijax.numpy.linalg.equations": "inv lstsq pinv solve tensorinv tensorsolve",
    "minijax.numpy.linalg.matrix_products": """
        cross diagonal matmul matrix_power matrix_transpose multi_dot outer tensordot trace
        vecdot""",
    "minijax.numpy.linalg.norms": "cond matrix_norm matrix_rank norm vector_norm",
})  # fmt: skip
