"""A mistake for each `raise` of NumPy's further functions, of ufuncs and of small modules."""

SETUP = """\
F = jnp.array([0.5, -1.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
C = F * 1j
B = F > 1
T = jnp.ones((2, 3, 4))
P = jnp.array([0, 0, 2])
K = random.split(random.key(0), 3)
ops = jax.ops

def join(a, b):
    return f'({a}{b})'
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "F.flat": "flat",
    "jnp.bitwise_and.reduce(F)": "jnp.ufunc.reduce",
    "F.view(type=np.ndarray)": "x.view",
    "F[0].view('int8')": "x.view",
    "F.view('complex64')": "x.view",
    "ops.segment_sum(F, F)": "ops.segment_sum",
    "ops.segment_sum(B, I)": "ops.segment_sum",
    "ops.segment_sum(F, I, -1)": "ops.segment_sum",
    "F.to_device(jax.devices()[0], stream=3)": "x.to_device",
}

NUMPY = {
    "jnp.add(F, F, out=F)": "jnp.add fills no array, and computes all elements. Leave `out`",
    "jax.jit(lambda x: x.tobytes())(F)": "x.tobytes() needs the numbers.\nCall it outside the tr",
    "jnp.packbits(F)": "jnp.packbits takes integers or bools, and got float32[3]. Compare: x !=",
    "jnp.unpackbits(I)": "jnp.unpackbits takes bytes, and got int32[3]. Use x.astype('uint8').",
    "jnp.packbits(I, bitorder='x')": "jnp.packbits knows no bitorder 'x'. Give 'big' or 'little",
    "jnp.convolve(1., F)": "jnp.convolve takes two rows with elements, and got the shapes () an",
    "jnp.convolve(F, F, 'x')": "jnp.convolve knows no mode 'x'. Give 'full', 'same' or 'valid'.",
    "jnp.convolve(F, F, preferred_element_type='float16')":
        "jnp.convolve of float32 has no room in the preferred_element_type float16.\nConvert t",
    "jnp.isdtype('int8', 3)": "jnp.isdtype takes a kind, or a dtype, and got 3. Give its name.",
    "jnp.isdtype('int8', 'x')": "jnp.isdtype knows no kind 'x'. Give a dtype, or one of\nbool, s",
    "jnp.einsum('ij,jk,kl->il', M, M.T, M, optimize=[(0, 1, 2)])":
        "jnp.einsum brings two operands together at a time, and optimize asks for 3.\nGive pai",
    "jnp.einsum('ij,jk', M, M)": "jnp.einsum got 'ij,jk' for arrays of shapes [(3, 4), (3, 4)], ",
    "jnp.unwrap(2.)": "jnp.unwrap goes along an axis, and got a number. Give a row.",
    "jnp.ldexp(F, F)": "jnp.ldexp takes real numbers and integers, and got float32[3] and float",
    "jnp.gcd(F, 1)": "jnp.gcd takes integers, and got float32[3]. Use x.astype(int).",
    "jnp.fromstring('1 2', int, 99, sep='x')": "jnp.fromstring cannot read '1 2' so. Give anoth",
    "jnp.fromiter([1, 2], int)": "jnp.fromiter would read something else at each call, which no",
    "jnp.from_dlpack(3)": "jnp.from_dlpack takes an array with __dlpack__ and __dlpack_device__",
    "jnp.meshgrid(M)": "jnp.meshgrid takes rows, and got the shapes [(3, 4)]. Use jnp.ravel(x).",
    "jnp.meshgrid(F, F, copy=False)": "jnp.meshgrid makes new arrays, and got copy=False. Leave",
    "jnp.meshgrid(F, F, indexing='a')": "jnp.meshgrid knows no indexing 'a'. Give 'xy' or 'ij'.",
    "jnp.mgrid[3, 0:2]": "jnp.mgrid takes slices, and got 3. Give start:stop:step.",
    "jnp.mgrid[3]": "jnp.mgrid takes slices, and got 3. Give start:stop:step.",
    "jnp.r_['x', F]": "jnp.r_ cannot read 'x'. Give 'r', 'c', or up to three integers, as '0,2,",
    "jnp.r_[F, 'r']": "jnp.r_ got 'r' behind another part. Put it in front.",
    "jnp.piecewise(F, [F < 1], [1, 2, 3])": "jnp.piecewise got 3 functions for 1 conditions. Gi",
    "jnp.piecewise(F, [], [1])": "jnp.piecewise got no conditions. Give one at least.",
    "jnp.interp(1., F, F, left='x')": "jnp.interp got left='x'. Give a number, or \"extrapolate\"",
    "jnp.interp(1., F, F[:2])": "jnp.interp takes rows of one size as xp and fp, and got the sh",
    "jnp.interp(1., F[:0], F[:0])": "jnp.interp got no known values. Give one at least.",
    "jnp.interp(C, F, F)": "jnp.interp takes real places, and got complex64[3]. Use jnp.real.",
    "jnp.interp(1., F, F, period=F)": "jnp.interp takes one number as period, and got float32[3",
    "F.flat": "`flat` is not offered, since arrays don't change. Use x.ravel().",
    "jnp.pad(F, 1, 'x')": "jnp.pad knows no mode 'x'. Give one of\nconstant, empty, edge, wrap, ",
    "jnp.pad(F, 1, 'edge', constant_values=1)": "jnp.pad with the mode 'edge' takes no constant",
    "jnp.pad(F, 2, 'mean', stat_length=0)": "jnp.pad of a stat_length of 0 has no numbers. Give",
    "jnp.pad(F, 2, 'reflect', reflect_type='x')": "jnp.pad knows no reflect_type 'x'. Give 'eve",
    "jnp.pad(F, 1.5)": "jnp.pad takes integers as pad_width, and got 1.5. Give ints.",
    "jnp.pad(F, -1)": "jnp.pad takes a pad_width from 0, and got -1. Give such.",
    "jnp.pad(2., ())": "jnp.pad got a pad_width of the shape (0,) for 0 axes.\nGive one number, ",
    "jnp.pad(F[:0], 1, 'edge')": "jnp.pad has no element along axis 0 to go by in the mode 'edg",
    "jnp.polyval(1., 2.)": "jnp.polyval takes rows of coefficients, and got ~float32[]. Give a ",
    "jnp.vander(M)": "jnp.vander takes a row, and got float32[3,4]. Use jnp.ravel(x).",
    "jnp.vander(F, -1)": "jnp.vander was asked for -1 powers. Give N from 0.",
    "jnp.polyadd(M, F)": "jnp.polyadd got the shapes (3, 4) and (3,). Give two rows of coeffici",
    "jnp.polydiv(M, F)": "jnp.polydiv takes rows, and got float32[3,4] and float32[3]. Give row",
    "jnp.polydiv(F, F[:0])": "jnp.polydiv got no coefficients to divide by. Give one at least.",
    "jnp.polyder(F, -1)": "jnp.polyder was asked for m = -1. Give m from 0; see jnp.polyint.",
    "jnp.polyint(F, -1)": "jnp.polyint was asked for m = -1. Give m from 0; see jnp.polyder.",
    "jnp.polyint(F, 2, k=F)": "jnp.polyint got float32[3] as k. Give one number, or a row of 2.",
    "jnp.polyder(M)": "jnp.polyder takes a row of coefficients, and got float32[3,4]. Give a ro",
    "jnp.poly(T)": "jnp.poly takes a row of zeros or a square matrix, and got float32[2,3,4]. G",
    "jnp.roots(M)": "jnp.roots takes a row of coefficients, and got float32[3,4]. Give a row.",
    "jnp.polyfit(F, F, 2, cov=True)": "jnp.polyfit with cov=True needs more than 3 points, and ",
    "jnp.polyfit(F, F, -1)": "jnp.polyfit was asked for the degree -1. Give deg from 0.",
    "jnp.polyfit(M, F, 1)": "jnp.polyfit takes a row of places x, and got float32[3,4]. Give a ",
    "jnp.polyfit(F, F[:2], 1)": "jnp.polyfit got float32[2] as y for 3 places. Give a value, or",
    "jnp.polyfit(F, F, 1, w=F[:2])": "jnp.polyfit got a traced float32[2] as w. Give a weight f",
    "jnp.vecdot(M, F)": "jnp.vecdot got vectors of 4 and 3 elements. Give as many.",
    "jnp.matvec(M, F)": "jnp.matvec got float32[3,4] and float32[3], which do not fit.\nGive 2 a",
    "jnp.cross(M, M)": "jnp.cross got vectors of 4 and 4 numbers. Give two or three each.",
    "jnp.logspace(0, 2, -1)": "jnp.logspace was asked for -1 values. Give a num from 0.",
    "jnp.histogram2d(M, M)": "jnp.histogram2d takes two rows, and got float32[3,4]. Use jnp.rav",
    "jnp.histogram2d(F, F[:2])": "jnp.histogram2d got float32[3] and float32[2]. Give rows of o",
    "jnp.histogramdd(F)": "jnp.histogramdd takes points as rows, and got float32[3]. Give two a",
    "jnp.histogramdd(M, 2, weights=M)": "jnp.histogramdd of 3 points got weights float32[3,4]. ",
    "jnp.histogramdd(M, 2, range=[[0, 1]])": "jnp.histogramdd got the range [[0, 1]] for 4 axes",
    "jnp.histogramdd(M, [2, 3])": "jnp.histogramdd got 2 bins for 4 axes. Give one for each.",
    "jnp.cov(T)": "jnp.cov takes a matrix as m, and got float32[2,3,4]. Give one.",
    "jnp.cov(M, F)": "jnp.cov got float32[3,4] and float32[3]. Give as many observations of eac",
    "jnp.cov(M, fweights=F)": "jnp.cov of 4 observations got the fweights float32[3]. Give one ",
    "jnp.cov(M, fweights=jnp.ones(4))": "jnp.cov takes integers as fweights, and got float32[4]",
    "jnp.gradient(F, edge_order=1)": "jnp.gradient has no edge_order. Leave it out.",
    "jnp.gradient(M, 1, 2, 3)": "jnp.gradient got 3 distances for 2 axes. Give one, or one for ",
    "jnp.gradient(F[:1])": "jnp.gradient of 1 elements along axis 0 has no neighbours. Give two",
    "jnp.gradient(F, M)": "jnp.gradient got the distances float32[3,4] for an axis of 3 element",
    "jnp.resize(F, -1)": "jnp.resize got the shape (-1,). Give sizes from 0.",
    "jnp.apply_over_axes(lambda x, a: x.sum(), T, [0, 2])":
        "jnp.apply_over_axes of float32[2,3,4] got float32[] from the function. Return an arr",
    "jnp.block((1, 2))": "jnp.block takes lists of arrays, and got a tuple. Make it a list.",
    "jnp.block([])": "jnp.block got an empty list. Leave it out.",
    "jnp.block([[1], 2])": "jnp.block got lists in one another 1, 0 times side by side.\nGive li",
    "jnp.array_split(F, 0)": "jnp.array_split cannot cut an axis of 3 into 0 equal parts.\nGive ",
    "jnp.array_split(F, [2, 1, 7])": "jnp.array_split got the places [2, 1, 7]. Give growing on",
    "jnp.rot90(T, axes=(0, 1, 2))": "jnp.rot90 turns from one axis to another, and got (0, 1, 2",
    "jnp.rollaxis(T, 0, 5)": "jnp.rollaxis got start=5. Give one from -3 to 3.",
    "jnp.negative.reduce(F)": "jnp.negative.reduce is of functions with two operands and one re",
    "jnp.subtract.reduce(F, where=F > 0)": "jnp.subtract.reduce has no identity to stand in for",
    "jnp.subtract.reduce(M, axis=(0, 1))": "jnp.subtract.reduce goes along one axis, and got (0",
    "jnp.subtract.reduce(F[:0])": "jnp.subtract.reduce of no elements has no result. Give `init",
    "jnp.bitwise_and.reduce(F)": "jnp.ufunc.reduce of bits got float32[3]. Use x.astype(int).",
    "jnp.subtract.accumulate(M, axis=None)": "jnp.subtract.accumulate goes along one axis, and ",
    "jnp.add.reduceat(M, P, out=M)": "jnp.add.reduceat fills no array, but returns one. Leave `",
    "jnp.add.reduceat(F, F)": "jnp.add.reduceat got float32[3] as indices. Give a row of intege",
    "jnp.add.reduceat(M, P, axis=None)": "jnp.add.reduceat of float32[3,4] goes along one axis,",
    "jnp.add.at(F, 0, 1.)": "jnp.add.at fills no array, since arrays don't change. Give inplace",
    "jnp.add.at(F, 0, inplace=False)": "jnp.add.at needs a second operand. Give it behind the i",
    "jnp.frompyfunc(3, 1, 1)": "jnp.frompyfunc takes a function, and got 3. Give one.",
    "jnp.vectorize(3)(2.)": "jnp.vectorize takes a function, and got 3. Give one.",
    "jnp.vectorize(lambda x, y: x + y)(F, y=I)": "jnp.vectorize maps over arguments that are gi",
    "jnp.vectorize(lambda x: x, excluded={1.5})(F)": "jnp.vectorize got excluded={1.5}. Give a ",
    "jnp.vectorize(lambda x: x, excluded={-1})(F)": "jnp.vectorize counts positions from 0, and",
    "jnp.vectorize(lambda x: x, signature=3)(2.)": "jnp.vectorize got the signature 3. Give a t",
    "jnp.vectorize(lambda x: x, signature='(n->()')(M)": "jnp.vectorize cannot read the signature ",
    "jnp.vectorize(lambda x: x, signature='(n),(n)->()')(M)":
        "jnp.vectorize has a signature for 2 arrays, and got 1. Give as many.",
    "jnp.vectorize(lambda x: x, signature='(n)->(n)')(2.)":
        "jnp.vectorize maps argument 0 with the axes (n), and got ~float32[].\nGive at least a",
    "jnp.vectorize(lambda x, y: x, signature='(n),(n)->(n)')(M, F)":
        "jnp.vectorize: argument 1 has the size 3 for n, which is 4. Give that.",
    "jnp.vectorize(lambda x: x, signature='(n)->(n),()')(M)":
        "jnp.vectorize has a signature with 2 results, and the function returned a traced\nflo",
    "jnp.vectorize(lambda x: (x,), signature='(n)->(n),()')(M)":
        "jnp.vectorize has a signature with 2 results, and the function returned 1. Return as",
    "jnp.vectorize(lambda x: x, signature='(n)->()')(M)":
        "jnp.vectorize has a signature with () for result 0, and the function returned the sh",
    "F.view(type=np.ndarray)": "x.view takes a dtype, and no type. Leave `type` out.",
    "F[0].view('int8')": "x.view of float32[] cannot be int8, which has another size: there is ",
    "F.view('complex64')": "x.view of float32[3] cannot be complex64: the last axis has no whol",
    "jnp.bartlett(-1)": "jnp.bartlett was asked for -1 elements. Give M from 0.",
    "jnp.kaiser(5, F)": "jnp.kaiser takes one number as beta, and got float32[3]. Give one.",
}
OTHERS = {
    "jax.dlpack.is_supported_dtype('zz')": "dlpack.is_supported_dtype knows no dtype 'zz'. Give",
    "jax.dtypes.itemsize_bits(None)": "dtypes.itemsize_bits takes a dtype, and got None. Give o",
    "jax.dtypes.scalar_type_of(None)": "dtypes.scalar_type_of got None. Give an array or a numb",
    "jax.dtypes.scalar_type_of(K)": "dtypes.scalar_type_of got key<fry>[3]. Give numbers.",
    "lax.batch_matmul(F, F)": "lax.batch_matmul got float32[3] and float32[3].\nGive two stacks ",
    "lax.broadcast_shapes(3, 4)": "lax.broadcast_shapes takes shapes, and got 3. Give tuples.",
    "lax.broadcast_shapes((3,), (4,))": "lax.broadcast_shapes got (3,), (4,), which do not broa",
    "lax.broadcast_like(M, F)": "lax.broadcast_like cannot repeat float32[3,4] to the shape (3,",
    "lax.collapse(T, 2, 1)": "lax.collapse of float32[2,3,4] got the axes from 2 up to 1.\nGive ",
    "lax.dtype(None)": "lax.dtype takes an array or a number, and got None. Give one.",
    "ops.segment_sum(F, F)": "ops.segment_sum got float32[3] as segment_ids. Give integers.",
    "ops.segment_sum(B, I)": "ops.segment_sum takes numbers, and got bool[3]. Use x.astype(int)",
    "ops.segment_sum(F, I, -1)": "ops.segment_sum was asked for -1 segments. Give num_segments ",
    "F.to_device(jax.devices()[0], stream=3)": "x.to_device knows no streams. Leave `stream` ou",
    "tree_util.tree_reduce_associative(join, [])": "tree_reduce_associative got a tree without ",
}
MESSAGES = {**NUMPY, **OTHERS}
CASES = tuple(MESSAGES)
