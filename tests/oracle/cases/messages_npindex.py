"""Mistakes with indices, and with NumPy's functions of them, and words of what minijax says."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
I = jnp.array([0, 1])
N = jnp.array([0, 1], 'int8')
K = random.key(0)
KS = random.split(K, 3)

def traced(f):
    return jax.jit(f)(1)
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "jnp.take_along_axis(M, M.astype(int), 1, mode='wrong')": "GatherScatterMode",
    "M[jnp.array([0, 1]), jnp.array([0, 1, 2])]": "jnp.broadcast_arrays",
    "traced(lambda n: jnp.delete(F, n))": "jnp.delete",
    "F.at[0].apply(lambda x: x > 0)": "lax.scatter_apply",
}

MESSAGES = {
    # Reading and writing.
    "F[jnp.array([0.5])]": "x[an array of type float32[1]]: it is no index.\nGive integers",
    "F[np.array(['a'])]": "x[a NumPy array of <U1[1]]: it is no index.\nGive integers, slices",
    "F[K]": "x[an array of type key<fry>[]]: it is no index.\nGive integers",
    "F[[0, 1]]": "x[[0, 1]]: a list is no index. Give a tuple, axis by axis, or an array.",
    "F['w']": "x['w']: an array has no names to index by.\nGive integers",
    "F[{0}]": "x[{0}]: it is no index.\nGive integers",
    "F[1.5]": "x[1.5]: it is no index.\nGive integers",
    "jax.ds(1, 2, -1)": "ds got the stride -1. Give one from 0, and reverse: x[::-1].",
    "jax.ds(1, 2, 1.5)": "ds takes a known integer as its stride, and got 1.5.",
    "F[jax.ds(0, 4)]": "x[jax.ds(0, 4)]: axis 0 has 3 elements. Give an integer as the start, and",
    "F[::0]": "x[::0] has a slice with step 0. Give 1 or -1.",
    "F[np.array([True])]": "x[...] got a mask of the shape (1,) as entry 0, for axes of the sizes",
    "traced(lambda n: F[: n])": "x[:a traced ~int32[]]. Mark the bound static",
    "jnp.ones((0, 3))[0]": "x[...] takes an element along axis 0, which has none, of the shape",
    "jnp.ones((0, 3))[..., 0:1, jnp.int32(0)][0]": "x[...] takes an element along axis 0",
    "jnp.arange(200)[N]": "x[...] got indices of int8 for an axis of 200 elements",
    "F.at[0].get(mode='fill', fill_value=F)": "x.at[...].get got a fill_value of the shape (3,).",
    "F.at[9].get(mode='fill', fill_value={})": "x.at[...].get got {} as fill_value. Give a number.",
    "traced(lambda n: F.at[I].get(fill_value=n))": "x.at[...].get needs its fill_value while",
    "M.at[0].set(jnp.ones(2))": "x.at[...] got values of the shape (2,) for a place of (3,).",
    "F.at[0].set(1.0, colour=3)": "x.at[...] has no option colour. Give some of\nfill_value",
    "KS.at[0].set(1)": "x.at[...] puts ~int32[] among key<fry>. Give one of these.",
    # Taking.
    "jnp.take(F, I, mode='raise')": "cannot raise an error of an index. Give mode",
    "jnp.take(F, I, mode='wrong')": "knows no mode 'wrong'. Give",
    "jnp.take(F, 1.5)": "takes integers as indices, and got ~float32[]. Convert them:",
    "jnp.take(jnp.ones(0), I)": "found nothing along axis 0 of float32[0]. Give no indices.",
    "jnp.take_along_axis(M, M, 1)": "takes integers as indices, and got float32[2,3].",
    "jnp.take_along_axis(M, I, 1)": "takes indices with as many axes as there are, 2, and got",
    "jnp.select([F > 1], [F, F])": "got 1 conditions and 2 choices. Give as many, at least one.",
    "jnp.choose(F, [F, F])": "takes integers, and got float32[3]. Use a.astype(int).",
    "jnp.choose(I, [I])": "got an index beyond 1. Give the mode",
    "jnp.choose(I, [I], mode='wrong')": "knows no mode 'wrong'. Give one of\nraise, wrap, clip.",
    "jnp.compress(M, M)": "takes a row as condition, and got float32[2,3]. Give one axis.",
    "jnp.compress(np.array([False, True]), jnp.ones(1))": "got a condition of 2 for 1 parts. Give",
    "jnp.compress(F > 1, F, size=9)": "was asked for 9 of 3 parts. Give a size up to that.",
    # Putting.
    "jnp.put(F, 0, 1.0)": "returns a new array: an array is never changed. Give inplace=False.",
    "jnp.put(F, 0, 1.0, mode='raise', inplace=False)": "cannot raise an error of an index. Give",
    "jnp.put(F, 0, 1.0, mode='wrong', inplace=False)": "knows no mode 'wrong'. Give",
    "jnp.place(F, I, 1.0, inplace=False)": "got a mask of 2 elements for 3. Give as many.",
    "jnp.place(F, F, jnp.ones(0), inplace=False)": "got no values. Give at least one.",
    "jnp.fill_diagonal(M, 1.0)": "returns a new array, with one diagonal. Give inplace=False",
    "jnp.fill_diagonal(F, 1.0, inplace=False)": "got float32[3]. Give a matrix, or more axes of",
    # Places.
    "jnp.where(F > 1, F)": "takes arrays and numbers, and argument 2 is None.\nGive one of these.",
    "jnp.where(F > 1, F, 0.0, size=2)": "of three arguments has the size of these. Leave size and",
    "jnp.nonzero(3.0)": "of ~float32[], which has no axes. Use jnp.atleast_1d(x).",
    "jnp.nonzero(F, size=-1)": "was asked for -1 places. Give a size from 0.",
    "jnp.nonzero(F, size=3, fill_value=(1, 2))": "got the fill_value (1, 2). Give one number, or",
    "jax.jit(jnp.nonzero)(F)": "jnp.nonzero needs size to be known while tracing.\nMark it static",
    "jnp.diag_indices(-1)": "got n -1 and ndim 2. Give numbers from 0.",
    "jnp.diag_indices_from(M)": "got the shape (2, 3). Give two axes or more, of one size.",
    "jnp.tril_indices(-1)": "was asked for the sizes -1 and -1. Give sizes from 0.",
    "jnp.triu_indices_from(F)": "takes a matrix, and got the shape (3,). Give two axes.",
    "jnp.unravel_index(I, ((2,), 3))": "takes integers as shape. Give one, or a tuple of them.",
    "jnp.ravel_multi_index((I,), (2, 3))": "got 1 arrays of indices for 2 axes. Give one each.",
    "jnp.ravel_multi_index((I, I), (2, 3), order='K')": "got the order 'K'. Give",
    "jnp.ravel_multi_index((F, F), (3, 3), dtype=int)": "takes integers, and got float32[3]. Use",
    "jnp.ravel_multi_index((I, I), (2, 3), dtype=float)": "counts in integers, not in float32.",
    "jnp.ravel_multi_index((I, I), (99, 99), dtype='int8')": "cannot count (99, 99) in int8. Give",
    "jnp.ix_(M)": "takes rows, and got float32[2,3]. Give arrays of one axis.",
    "jnp.ix_(F > 1)": "takes no masks. Give jnp.nonzero(mask)[0].",
    # Triangles and diagonals.
    "jnp.tril(F)": "takes matrices, and got float32[3]. Give two axes or more.",
    "jnp.diag(jnp.ones((1, 1, 1)))": "takes a row or a matrix, and got float32[1,1,1]. Give one.",
    "jnp.diagonal(F)": "takes matrices, and got float32[3]. Give two axes.",
    "jnp.diagonal(M, 0, 1, 1)": "got one axis twice: 1, 1. Name two.",
    "jnp.trace(M, 0, 1, 1)": "got one axis twice: 1, 1. Name two.",
    # Left out, put between, moved, repeated.
    "jnp.delete(F, np.array([True]))": "got a mask of the shape (1,) for 3 parts. Give a row of",
    "jnp.delete(F, np.array([7]))": "got an index beyond 3 parts: a NumPy array of int64[1]. Give",
    "jnp.delete(F, 0.5)": "takes integers or bools as obj, and got a NumPy array of float64[].",
    "traced(lambda n: jnp.delete(F, n))": "jnp.delete needs obj to be known while tracing.\nMark",
    "jnp.insert(F, M.astype(int), 1.0)": "takes an integer or a row of them, and got int32[2,3].",
    "jnp.insert(F, 0.5, 1.0)": "takes integers as obj, and got ~float32[]. Convert them.",
    "jnp.roll(F, jnp.ones((1, 1)), 0)": "got shifts of the shape (1, 1). Give one, or a row of",
    "jnp.repeat(F, F)": "takes integers as repeats, and got float32[3]. Convert them.",
    "jnp.repeat(F, -1)": "was asked for -1 times each element. Give 0 or more.",
    "jnp.repeat(F, I)": "cannot repeat the shape (2,) to the shape (3,).\nGive a shape that ends",
}

CASES = tuple(MESSAGES)
