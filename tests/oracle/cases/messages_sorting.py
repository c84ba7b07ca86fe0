"""A mistake for each `raise` of sorts, reductions, searches, sets and parts of numbers."""

SETUP = """\
F = jnp.array([3.0, 1.0, 2.0])
M = jnp.ones((2, 3))
I = jnp.array([3, 1, 2])
C = F * 1j
H = F.astype('float16')
K = random.split(random.key(0), 3)

def plus(x, y):
    return x + y

def closed_over(y):
    return lax.reduce(F, 1.0, lambda a, b: a * b * y, (0,))
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "lax.complex(H, H)": "Complex numbers",
    "jax.jit(jnp.unique)(F)": "jnp.unique",
    "jax.jit(jnp.setdiff1d)(F, F)": "jnp.setdiff1d",
    "jax.jit(jnp.bincount)(I)": "jnp.bincount",
    "jax.jit(closed_over)(1.0)": "lax.reduce",
    "jax.grad(lambda i: lax.reduce(F, i, lambda a, b: a * b, (0,)))(1.0)": "lax.reduce",
    "jax.vmap(lambda i: lax.reduce(F, i, lambda a, b: a * b, (0,)))(F)": "lax.reduce",
    "jnp.histogram(F, 2, range=3)": "jnp.histogram_bin_edges",
    "jnp.histogram_bin_edges(F, 'auto')": "jnp.histogram_bin_edges",
    "jnp.unique_all([1, 2])": "jnp.unique_all",
    "F.sort(kind='quicksort')": "jnp.sort",
}

LAX = {
    "lax.sort([])": "lax.sort got no operands. Give at least one.",
    "lax.sort((F, M))": "lax.sort got the shapes (3,), (2, 3).\nGive arrays of one shape.",
    "lax.sort(F, num_keys=2)": "has 1 operands, and got num_keys 2.\nGive a number from 1 to 1.",
    "lax.sort(F, dimension=1)": "lax.sort found no axis 1 among 1. Give one from -1 to 0.",
    "lax.sort(K)": "lax.sort needs an order, which key<fry>[3] has not. Give numbers as keys.",
    "lax.top_k(C, 1)": "lax.top_k needs an order, which complex64[3] has not. Try abs(x).",
    "lax.top_k(F, 4)": "cannot give 4 of the 3 elements along axis 0 of float32[3].\nGive k from 0",
    "lax.top_k(F, 'a')": "lax.top_k takes an integer as k, and got 'a'. Give an int.",
    "lax.top_k(F, 1, axis=2)": "lax.top_k found no axis 2 among 1. Give one from -1 to 0.",
    "lax.cumsum(F, -1)": "lax.cumsum found no axis -1 in float32[3]. Count axes from 0, and not",
    "lax.cumprod(F > 1)": "lax.cumprod takes integers, floats, complex numbers, and got bool.",
    "lax.argmax(F, 1, 'int32')": "lax.argmax finds nothing along axis 1 of float32[3].\nName an",
    "lax.argmin(F[:0], 0, 'int32')": "lax.argmin finds nothing along axis 0 of float32[0].\nName",
    "lax.argmax(F, 0, 'float32')": "gives an index, and no float32. Give an index_dtype of",
    "lax.argmax(C, 0, 'int32')": "lax.argmax takes bools, integers, floats, and got complex64.",
    "lax.reduce_prod(F > 1, (0,))": "lax.reduce_prod takes integers, floats, complex numbers, and",
    "lax.reduce_and(F, (0,))": "lax.reduce_and takes bools, integers, and got float32. Convert",
    "lax.reduce_prod(F, (0, 0))": "lax.reduce_prod got axes (0, 0) of (3,). Name axes from 0",
    "lax.reduce(F, jnp.ones(2), plus, (0,))":
        "lax.reduce starts from single numbers, and got init_values float32[2]. Give scalars.",
    "lax.reduce(F, 1, plus, (0,))":
        "lax.reduce of float32[3] got init_values of other dtypes,\n~int32[]. Convert them with",
    "lax.reduce((F, M), (1.0, 2.0), lambda a, b: (a[0] + b[0], a[1] + b[1]), (0,))":
        "operands of the shapes (3,), (2, 3).\nGive operands of one shape.",
    "lax.reduce(F, 2.0, lambda a, b: a > b, (0,))":
        "a computation that gives scalars like its init_values,\n~float32[], and it gave ~bool[].",
    "lax.reduce((F, F), (1.0,), plus, (0,))":
        "got operands of the structure PyTreeDef((*, *)), and init_values of",
    "lax.reduce(F, 1.0, plus, 0)": "takes integers as dimensions, and got 0. Give a tuple of ints.",
    "jax.jit(closed_over)(1.0)": "uses no traced values but its arguments.\nGive such values as",
    "jax.grad(lambda i: lax.reduce(F, i, lambda a, b: a * b, (0,)))(1.0)":
        "has no derivative in its init_values.\nGive constants, and combine the result",
    "jax.vmap(lambda i: lax.reduce(F, i, lambda a, b: a * b, (0,)))(F)":
        "Give the same for all, and combine the results",
    "lax.split(F, (1, 1))": "lax.split cannot cut axis 0 of float32[3] into pieces of the sizes (1",
    "lax.split(F, (1, 2), axis=1)": "lax.split found no axis 1 among 1. Give one from -1 to 0.",
    "lax.split(F, 3)": "lax.split takes integers as sizes, and got 3. Give a tuple of ints.",
    "lax.stack([])": "lax.stack got no operands. Give at least one.",
    "lax.stack([F, M])": "lax.stack got the shapes (3,), (2, 3).\nGive arrays of one shape.",
    "lax.stack([F, I])": "lax.stack got the dtypes float32, int32.\nGive arrays of one dtype: x.as",
    "lax.stack(3)": "lax.stack takes a list of arrays, and got 3. Give [x, y].",
    "lax.unstack(M, 2)": "lax.unstack found no axis 2 among 2. Give one from -2 to 1.",
    "lax.tile(M, (2,))": "lax.tile of float32[2,3] got reps (2,). Give a number from 0 for each of",
    "lax.clamp(0, F, 1)": "lax.clamp needs one dtype, and got int32, float32, int32.\nUse x.astype",
    "lax.clamp(0.0, F, M)": "of float32[3] got limits of the shapes () and (2, 3).\nGive numbers, ",
    "lax.complex(H, H)": "Complex numbers have parts of 32 or 64 bits, and not float16.\nConvert",
    "lax.reduce_precision(I, 5, 10)": "takes floats, and got int32[3]. Try x.astype(float).",
    "lax.reduce_precision(F, 0, 10)": "got exponent_bits 0, mantissa_bits 10.\nGive from 1 of the",
    "lax.reduce_precision(F, 1.5, 3)": "takes an integer as exponent_bits, and got 1.5. Give an",
}  # fmt: skip
# Where lax's functions bind primitives, these speak.
CORE = {
    "lax.ceil(C)": "ceil takes floats, and got complex64. Convert with x.astype(dtype).",
    "lax.real(F)": "real takes complex numbers, and got float32. Convert with x.astype(dtype).",
    "lax.mulhi(F, F)": "mulhi takes integers, and got float32. Convert with x.astype(dtype).",
    "lax.atan2(F, I)": "atan2 needs one dtype, and got float32, int32. Use x.astype(dtype).",
    "lax.cbrt(1j)": "cbrt takes floats, and got complex64. Convert with x.astype(dtype).",
}
NUMPY = {
    "jnp.sort(F, kind='mergesort')": "jnp.sort has one way of sorting, and got kind 'mergesort'.\n",
    "jnp.argsort(F, order='a')": "sorts numbers, which have no fields, and got order 'a'.\nLeave",
    "F.sort(kind='quicksort')": "Give stable=True or stable=False instead.",
    "jnp.sort(F, axis=1)": "jnp.sort found no axis 1 among 1. Give one from -1 to 0.",
    "jnp.lexsort(())": "jnp.lexsort needs keys, and got none. Give a list of arrays.",
    "jnp.lexsort((F, M))": "jnp.lexsort got keys of the shapes (3,), (2, 3).\nGive keys of one",
    "jnp.partition(F, 3)": "jnp.partition has no place 3 along axis 0 of float32[3].\nGive kth fro",
    "jnp.argpartition(C, 1)": "of complex numbers, complex64[3], is not here. Use jnp.sort",
    "jnp.cumulative_sum(M)": "goes along one axis, and got float32[2,3] with axis None.\nGive the",
    "jnp.cumulative_prod(2.0)": "goes along one axis, and got ~float32[] with axis None.\nGive an",
    "jnp.cumsum(F, axis=1)": "jnp.cumsum found no axis 1 among 1. Give one from -1 to 0.",
    "jnp.var(C, dtype='float32')": "is computed with complex numbers, and not as float32.\nLeave",
    "jnp.average(M, weights=F[:2])": "along None got weights of the shape (2,).\nGive one for each",
    "jnp.diff(F, n=-1)": "jnp.diff got n = -1 and float32[3]. Give n from 0, and an array that has",
    "jnp.diff(2.0)": "jnp.diff got n = 1 and ~float32[]. Give n from 0, and an array that has an",
    "jnp.quantile(F, 0.5, method='x')": "knows no method 'x'.\nGive one of linear, lower, higher,",
    "jnp.median(F, overwrite_input=True)": "returns its result, and writes into no array. Leave",
    "jnp.quantile(F, 0.5, weights=F)": "takes weights with the method 'inverted_cdf' alone, and",
    "jnp.quantile(F, 0.5, method='inverted_cdf', weights=F[:2])": "got weights of the shape (2,) f",
    "jnp.quantile(F, 0.5, method='inverted_cdf', weights=F * 1j)": "jnp.quantile's weights",
    "jnp.quantile(F, jnp.ones((2, 2)))": "takes one q or a row of them, and got float32[2,2]. Use",
    "jnp.quantile(F, 1)": "jnp.quantile's q takes floats, and got int32. Convert with x.astype(",
    "jnp.quantile(C, 0.5)": "jnp.quantile needs an order, which complex numbers lack, and got",
    "jnp.searchsorted(F, 2.0, side='middle')": "got side 'middle', method 'scan'.\nGive the side",
    "jnp.searchsorted(M, 2.0)": "looks into a row, and got float32[2,3]. Use jnp.ravel(a).",
    "jnp.digitize(F, M)": "jnp.digitize takes a row of bins, and got float32[2,3]. Use jnp.ravel(x",
    "jnp.bincount(M.astype(int))": "jnp.bincount counts in a row, and got int32[2,3]. Use jnp.rave",
    "jnp.bincount(I, F[:2])": "of int32[3] got weights float32[2]. Give one for each element.",
    "jnp.bincount(F)": "jnp.bincount takes integers, and got float32. Convert with x.astype(dtype)",
    "jax.jit(jnp.bincount)(I)": "jnp.bincount needs x, or `length`, to be known while",
    "jnp.histogram_bin_edges(F, 'auto')": "chooses no bins by a name, and got 'auto'. Give their",
    "jnp.histogram(F, 2, range=3)": "got the range 3. Give two numbers, (low, high).",
    "jnp.histogram(F, 2, weights=M)": "of float32[3] got weights float32[2,3]. Give one for each",
    "jnp.unique(F[:0], size=2)": "jnp.unique of nothing cannot give 2 values. Give a fill_value.",
    "jnp.unique(M, axis=2)": "jnp.unique found no axis 2 among 2. Give one from -2 to 1.",
    "jnp.unique_all([1, 2])": "jnp.unique_all takes arrays and numbers, and argument 0 is [1, 2].",
    "jax.jit(jnp.unique)(F)": "jnp.unique needs its arrays, or `size`, to be known",
    "jax.jit(jnp.setdiff1d)(F, F)": "jnp.setdiff1d needs its arrays, or `size`, to be",
    "jnp.isin(F, F, method='x')": "knows no method 'x'.\nGive one of auto, compare_all, binary_se",
    "jnp.ceil(C)": "jnp.ceil needs an order, which complex numbers lack, and got complex64[3].",
    "jnp.signbit(C)": "jnp.signbit needs an order, which complex numbers lack, and got complex64[",
}
MESSAGES = {**LAX, **CORE, **NUMPY}
CASES = tuple(MESSAGES)
