"""Arrays as sets."""

from .sorting import SETUP  # noqa: F401

# Programs.
JAXPRS = [
    "jax.make_jaxpr(lambda x: jnp.unique(x, size=3))(F)",
    "jax.make_jaxpr(lambda x: jnp.unique(x, size=3, axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.unique(x, size=3, return_index=True, return_inverse=True, "
    "return_counts=True, fill_value=0))(F)",
    "jax.make_jaxpr(lambda x: jnp.unique(x, size=3))(C)",
    "jax.make_jaxpr(lambda x: jnp.unique(x, size=3, equal_nan=False))(M)",
    "jax.make_jaxpr(lambda x: jnp.isin(x, x))(M)",
    "jax.make_jaxpr(lambda x: jnp.isin(x, x, invert=True))(M)",
    "jax.make_jaxpr(lambda x: jnp.isin(x, x, method='binary_search'))(F)",
    "jax.make_jaxpr(lambda x: jnp.isin(x, x, method='sort'))(F)",
    "jax.make_jaxpr(lambda x: jnp.isin(x, x, method='sort', assume_unique=True))(F)",
    "jax.make_jaxpr(lambda x: jnp.union1d(x, x, size=4))(F)",
    "jax.make_jaxpr(lambda x: jnp.setdiff1d(x, x, size=4))(F)",
    "jax.make_jaxpr(lambda x: jnp.setdiff1d(x, x, size=2, assume_unique=True, fill_value=2))(F)",
    "jax.make_jaxpr(lambda x: jnp.intersect1d(x, x, size=4))(F)",
    "jax.make_jaxpr(lambda x: jnp.intersect1d(x, x, size=4, return_indices=True, fill_value=3))(F)",
    "jax.make_jaxpr(lambda x: jnp.intersect1d(x, x, size=2, return_indices=True, "
    "assume_unique=True))(F)",
    "jax.make_jaxpr(lambda x: jnp.setxor1d(x, x, size=4))(F)",
]

# Values, and calls that are refused.
VALUES = [
    "D=jnp.array([3, 1, 3, 2, 1])\njnp.unique(D), jnp.unique(D, True), jnp.unique(D, True, "
    "True, True), jnp.unique(D, size=5), jnp.unique(D, True, True, True, size=5, "
    "fill_value=-1), jnp.unique(D, size=2), jnp.unique(D, True, True, True, size=2), "
    "jnp.unique(D.reshape(1, 5), return_inverse=True)",
    "jnp.unique(N), jnp.unique(N, equal_nan=False), jnp.unique(N, True, True, True), "
    "jnp.unique(C), jnp.unique(F>1), jnp.unique(F[:0]), jnp.unique(F[:0], True, True, True), "
    "jnp.unique(2.), jnp.unique(F[:0], size=2, fill_value=1)",
    "jnp.unique(M, axis=0), jnp.unique(jnp.array([[1, 2], [0, 1], [1, 2]]), True, True, "
    "True, axis=0), jnp.unique(jnp.array([[1, 1], [0, 0], [1, 1]]), True, True, True, "
    "axis=1), jnp.unique(M[:, :0], axis=0), jnp.unique(M[:, :0], True, True, True, axis=0), "
    "jnp.unique(M[:0], axis=0), jnp.unique(jnp.array([[1, 2], [0, 1], [1, 2]]), axis=0, "
    "size=4, fill_value=7)",
    "jnp.unique(F[:0], size=2)",
    "jnp.unique(M, axis=2)",
    "jnp.unique([1, 2])",
    "jax.jit(jnp.unique)(F)",
    "jax.jit(lambda x: jnp.unique(x, size=2))(F)",
    "jnp.unique(F, size='a')",
    "tuple(jnp.unique_all(N)), tuple(jnp.unique_counts(N)), tuple(jnp.unique_inverse(N)), "
    "jnp.unique_values(N), jnp.unique_values(I, size=4, fill_value=0)",
    "type(jnp.unique_all(F)).__name__, jnp.unique_all(F)._fields, "
    "jnp.unique_counts(F)._fields, jnp.unique_inverse(F)._fields",
    "jax.jit(jnp.unique_all)(F)",
    "[jnp.isin(M.astype(int), I, invert=i, method=m) for i in (True, "
    "False) for m in ('auto', 'compare_all', 'binary_search', 'sort')], jnp.isin(F, I), "
    "jnp.isin(2, I), jnp.isin(F[:0], I), jnp.isin(F, I[:0]), jnp.isin(F, I[:0], invert=True)",
    "jnp.isin(F, F, method='x')",
    "jnp.isin([1], F)",
    "jnp.union1d(F, I), jnp.union1d(M, F), jnp.union1d(I, I, size=2), jnp.union1d(I, F, "
    "size=5, fill_value=9), jnp.union1d(F[:0], I)",
    "jax.jit(jnp.union1d)(F, F)",
    "jnp.union1d([1], F)",
    "jnp.setdiff1d(I, I[:1]), jnp.setdiff1d(M, F), jnp.setdiff1d(I, F[:1], size=4), "
    "jnp.setdiff1d(I, I[:1], size=1), jnp.setdiff1d(I[:0], I, size=2, fill_value=5), "
    "jnp.setdiff1d(I[:0], I), jnp.setdiff1d(jnp.array([3, 3, 1]), I[1:2], "
    "assume_unique=True), jnp.setdiff1d(M, jnp.arange(3.), size=12, fill_value=-7), "
    "jnp.setdiff1d(I, I, size=3)",
    "jax.jit(jnp.setdiff1d)(F, F)",
    "A=jnp.array([5, 3, 3, 1, 9])\nB=jnp.array([9, 3, 2, 2, 5])\njnp.intersect1d(A, B), "
    "jnp.intersect1d(A, B, return_indices=True), jnp.intersect1d(A, B, size=5), "
    "jnp.intersect1d(A, B, size=2, return_indices=True), jnp.intersect1d(A, B, size=5, "
    "return_indices=True, fill_value=-1), jnp.intersect1d(I, I[::-1], assume_unique=True, "
    "return_indices=True), jnp.intersect1d(I, I[::-1], assume_unique=True, "
    "return_indices=True, size=4), jnp.intersect1d(A, F), jnp.intersect1d(A[:0], B), "
    "jnp.intersect1d(A[:0], B[:0], size=2), jnp.intersect1d(M, N)",
    "jax.jit(jnp.intersect1d)(F, F)",
    "A=jnp.array([5, 3, 3, 1, 9])\nB=jnp.array([9, 3, 2, 2, 5])\njnp.setxor1d(A, B), "
    "jnp.setxor1d(A, B, size=4), jnp.setxor1d(A, B, size=1), jnp.setxor1d(A, B, size=4, "
    "fill_value=-1), jnp.setxor1d(I, I+1, assume_unique=True), jnp.setxor1d(I, I+1, "
    "assume_unique=True, size=3), jnp.setxor1d(A[:0], B[:0]), jnp.setxor1d(A[:0], B[:0], "
    "size=2, fill_value=0), jnp.setxor1d(A, F)",
    "jax.jit(jnp.setxor1d)(F, F)",
]

CASES = [*JAXPRS, *VALUES]
