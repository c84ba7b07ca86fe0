"""A mistake for each `raise` outside the core, and words of what minijax says to it.

`tests/test_messages.py` reads the messages; here, as in every topic, it is the classes that count.
"""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
C = jnp.ones(2, 'complex64')
K = random.key(0)
KS = random.split(K, 3)
PAIR = tree_util.tree_structure((0, 0))

def along(f, x=F):
    return jax.vmap(f, axis_name='i')(x)

def traced(f):
    return jax.jit(f)(1)

@dataclasses.dataclass
class Layer:
    w: float
    b: float
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "F + jnp.ones(2)": "jnp.add",
    "M - F[:2]": "jnp.subtract",
    "F * K": "jnp.multiply",
    "-(F > 1)": "jnp.negative",
    "~F": "jnp.invert",
    "abs(K)": "jnp.abs",
    "F | 1.0": "jnp.bitwise_or",
    "F < 1j": "jnp.less",
    "F == K": "jnp.equal",
    "F == [1.0, 2.0]": "An array",
    "F % C": "jnp.remainder",
    "M @ 2": "jnp.matmul",
    "M @ M": "jnp.matmul",
    "M.reshape(4)": "jnp.reshape",
    "M.squeeze(0)": "jnp.squeeze",
    "M.sum(5)": "jnp.sum",
    "traced(lambda n: n.item())": "x.item()",
    "traced(lambda n: n.tolist())": "x.tolist()",
    "traced(lambda n: list(n))": "Iteration",
    "traced(lambda n: F[: n])": "A slice",
    "along(lambda x: lax.psum(x, 'j'))": "No axis is named 'j'",
    "along(lambda x: lax.psum(x, {'a': 1}))": "A named axis",
    "lax.full_like(F, F)": "lax.full_like",
    "lax.iota(bool, 3)": "lax.iota",
    "jnp.amax(M, axis=2)": "jnp.max",
    "jnp.full((2,), -(2**70))": "The integer",
    "jnp.zeros((), int).at[()].set(2**40)": "The integer",
}

LAX = {
    # Dtypes and bits.
    "lax.convert_element_type(F, None)": "needs a dtype, and got None. Give one",
    "lax.convert_element_type(F, F)": "takes a dtype, and got an array of type float32[3].\nGive",
    "lax.convert_element_type(F, 'float33')": "knows no dtype 'float33'",
    "lax.iota('text', 3)": "knows no dtype 'text'",
    "lax.bitcast_convert_type(K, 'uint32')": "takes numbers, and got key<fry> and uint32",
    "lax.bitcast_convert_type(F, bool)": "takes integers and floats, and got bool",
    "lax.bitcast_convert_type(jnp.ones(3, 'int8'), 'int32')":
        "makes one int32 of 4 int8, and got the shape (3,)",
    "lax.round(F, 7)": "knows no rounding_method 7. Give one of",
    # Named axes.
    "along(lambda x: lax.psum(x, 'j'))": "vmap(f, axis_name='j')",
    "along(lambda x: lax.psum(x, {'a': 1}))": "this is {'a': 1}. Give a string",
    "along(lambda x: lax.psum_scatter(x, 'i', tiled=True), jnp.ones((3, 4)))":
        "can't cut axis 0 of float32[4] into 3 equal parts",
    "along(lambda x: lax.all_to_all(x, 'i', 0, 0), jnp.ones((3, 4)))": "or pass tiled=True",
    "along(lambda x: lax.ppermute(x, 'i', [(0, 1), (0, 2)]))": "from 0 to 2",
    "along(lambda x: lax.ppermute(x, 'i', [0, 1]))": "and got [0, 1].\nGive a list",
    "along(lambda x: lax.all_gather(x, 'i', axis=5))": "found no axis 5 among 1",
    # Products.
    "lax.dot(F, F, precision='most')": "knows no precision 'most'",
    "lax.dot_general(F, F, (0, 0))": "Give ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch))",
    "lax.dot_general(F, F, (((0,), (0,)), ((), ())), 'most')": "knows no precision 'most'",
    "lax.dot(M, M)": "got float32[2,3] and float32[2,3]",
    # Shapes and axes.
    "traced(lambda n: lax.index_in_dim(F, 0, n))":
        "needs axis to be known while tracing.\nMark it static (jit's static_argnums).",
    "lax.slice_in_dim(F, 0.5, 1)": "takes an integer as start_index, and got 0.5. Give an int.",
    "lax.slice(F, 0, 1)": "takes integers as start_indices, and got 0. Give a tuple of ints.",
    "lax.squeeze(M, 'ab')": "takes integers as dimensions, and got 'ab'",
    "traced(lambda n: lax.full((n,), 0.0))": "Mark the argument that it comes from static",
    "lax.full((2.5,), 0.0)": "takes a shape of integers, and got (2.5,). Give a tuple of ints.",
    "lax.iota(int, -3)": "takes a shape without negative sizes, and got (-3,)",
    "lax.broadcast(F, (-2,))": "takes a shape without negative sizes, and got (-2,)",
    "lax.broadcasted_iota(int, (2, 3), 2)": "found no axis 2 among 2. Give one from -2 to 1.",
    "lax.slice_in_dim(1.0 * F[0], 0, 1)": "found no axis 0 among 0. Give an array that has one.",
    "lax.full((2,), F)": "takes one number as fill_value, and got float32[3]",
    "lax.full_like(F, F)": "takes one number as fill_value, and got float32[3]",
    "lax.iota(bool, 3)": "counts, which bools cannot. Ask for another dtype",
    "lax.squeeze(M, (0,))": "removes axes of size 1, and got (0,) of the shape (2, 3)",
    "lax.squeeze(jnp.ones((1, 1)), (0, 0))": "was given an axis twice: (0, 0)",
    "lax.rev(M, (0, 0))": "and got (0, 0).\nName each once.",
    # Parts.
    "lax.slice(F, (0,), (5,))": "from (0,) to (5,) by (1,) does not lie in float32[3]",
    "lax.index_in_dim(M, 7)": "found no part 7 along axis 0 of float32[2,3].\nGive an index from",
    "lax.concatenate([F, M], 0)": "along axis 0 got float32[3], float32[2,3].\nGive operands",
    "lax.concatenate(3, 0)": "takes a list of arrays, and got 3. Give [x, y].",
    "lax.concatenate([], 0)": "got no operands. Give at least one.",
    "lax.pad(M, 0.0, ((0, 0, 0),))": "Give a scalar and, for each of the 2 axes,",
    "lax.pad(F, 0, ((0, 0, 0),))": "got a padding_value of int32. Give one of float32.",
    "lax.pad(F, 0.0, ((-5, 0, 0),))": "Cut off no more than there is",
    "lax.pad(F, 0.0, 3)": "and got\n3. Give a tuple of tuples.",
}

NUMPY = {
    # Operands.
    "jnp.sin([1.0, 2.0])": "argument 0 is [1.0, 2.0].\nWrap it: jnp.array(...).",
    "jnp.sum('text')": "argument 0 is 'text'.\nGive one of these.",
    "jnp.exp(np.array(['a']))": "argument 0 is a NumPy array of <U1[1].\nConvert it to numbers.",
    "jnp.clip(F, 'low')": "argument min is 'low'",
    "F + jnp.ones(2)": "got the shapes (3,), (2,), which do not broadcast",
    "M - F[:2]": "got the shapes (2, 3), (2,), which do not broadcast",
    "jnp.where(F > 1, F, jnp.ones(2))": "got the shapes (3,), (3,), (2,), which do not broadcast",
    "jnp.sum(M, where=jnp.ones(2) > 0)": "got the shapes (2, 3), (2,), which do not broadcast",
    "jnp.broadcast_arrays(F, jnp.ones(2))": "got the shapes (3,), (2,), which do not broadcast",
    "jnp.broadcast_shapes((3,), (2,))": "got the shapes (3,), (2,), which do not broadcast",
    "jnp.mod(M, jnp.ones((2, 2)))": "got the shapes (2, 3), (2, 2), which do not broadcast",
    "jnp.allclose(M, jnp.ones((2, 2)))": "got the shapes (2, 3), (2, 2), which do not broadcast",
    "F * K": "takes numbers, and got key<fry>[].\nDraw numbers from a key, as by random.bits.",
    "jnp.sqrt(K)": "takes numbers, and got key<fry>[]",
    "jnp.mean(K)": "takes numbers, and got key<fry>[]",
    "abs(K)": "takes numbers, and got key<fry>[]",
    "jnp.where(True, K, 1.0)": "got key<fry>[], ~float32[]. Give numbers alone, or keys alone.",
    "jnp.array([K, 1.0])": "got key<fry>[], ~float32[]. Give numbers alone, or keys alone.",
    "-(F > 1)": "takes integers, floats, complex numbers, and got bool. Convert with",
    "~F": "takes bools, integers, and got float32. Convert with x.astype(dtype).",
    "F | 1.0": "takes bools, integers, and got float32",
    "jnp.right_shift(F, 1)": "takes bools, integers, and got float32",
    "jnp.sign(F > 1)": "takes integers, floats, complex numbers, and got bool",
    "F == K": "compares keys with keys alone, and got float32[3], key<fry>[].\nGive two keys",
    "F == [1.0, 2.0]": "float32[3], is compared with [1.0, 2.0]. Make that an array first.",
    "jnp.logical_not(K)": "takes numbers, and got key<fry>[]",
    "jnp.where(K, 1, 2)": "got key<fry>[], and a key is neither true nor false. Compare it",
    "jnp.clip(C, 0, 1)": "needs an order, which complex numbers lack, and got complex64[2].",
    "jnp.argmax(C)": "needs an order, which complex numbers lack, and got complex64[2].",
    "jnp.floor(C)": "needs an order, which complex numbers lack, and got complex64[2].",
    "F % C": "got the shapes (3,), (2,), which do not broadcast",
    "jnp.floor_divide(C, 2)": "takes real numbers, and got complex64[2]. Give integers or floats.",
    "jnp.power(jnp.arange(3), -1)": "of int32[3] to -1: the results are no integers. Convert x",
    "jnp.round(F > 1)": "takes numbers, and got bool[3]. Convert it to integers.",
    # Dtypes.
    "jnp.zeros(2, 'float33')": "knows no dtype 'float33'. Give bool or a dtype of numbers.",
    "jnp.zeros(2, F)": "takes a dtype, and got an array of type float32[3].\nGive its x.dtype.",
    "jnp.concatenate([F], dtype='text')": "knows no dtype 'text'",
    "jnp.result_type()": "got nothing. Give an array, a number or a dtype.",
    "jnp.result_type([1, 2])": "takes arrays, numbers and dtypes, and got [1, 2]. Give these.",
    "jnp.promote_types('text', 'int8')": "knows no dtype 'text'",
    # Shapes and axes.
    "jnp.zeros('text')": "takes a shape of integers, and got 'text'. Give a tuple of ints.",
    "jnp.zeros(-1)": "takes a shape without negative sizes, and got (-1,). Give sizes from 0.",
    "jnp.zeros(2**70)": "got the shape (1180591620717411303424,). Give sizes that fit in 64 bits.",
    "traced(lambda n: jnp.zeros(n))": "needs its shape to be known while tracing, and got a traced",
    "traced(lambda n: jnp.arange(n))": "needs start to be known while tracing.\nMark it static",
    "M.sum(5)": "found no axis 5 among 2. Give one from -2 to 1.",
    "jnp.sum(M, axis=1.5)": "takes an integer as axis, and got 1.5. Give an int.",
    "jnp.argmax(M, axis=2)": "found no axis 2 among 2",
    "jnp.amax(M, axis=2)": "found no axis 2 among 2",
    "jnp.linspace(0, 1, 5, axis=3)": "found no axis 3 among 1",
    "jnp.sum(M, axis=(0, 0))": "was given an axis twice: (0, 0). Name each once.",
    "jnp.full((2,), -(2**70))": "does not fit in 64 bits. Make it a float.",
    "M.reshape(4)": "of shape (2, 3) to (4,): there are 6 elements, and not 4.\nGive sizes whose",
    "jnp.reshape(M, (4, -1))": "there are 6 elements, and not a multiple of 4.",
    "jnp.reshape(M, (-1, -1))": "got the shape (-1, -1). Give sizes from 0; one may be -1.",
    "jnp.reshape(M, -1, 'Z')": "knows no order 'Z'. Give 'C' or 'F'.",
    "jnp.ravel(M, 'K')": "which asks how an array lies in memory.\nUse 'C' or 'F'.",
    "M.squeeze(0)": "removes axes of size 1, and got 0 of float32[2,3].\nName such axes alone.",
    "jnp.transpose(M, 1)": "takes 2 axes, and got 1. Give a tuple.",
    "jnp.transpose(M, (0, 0))": "of float32[2,3] got the axes (0, 0). Name each axis once.",
    "jnp.matrix_transpose(F)": "swaps the last two axes, and got float32[3]. Give a matrix.",
    "jnp.swapaxes(M, 0, 5)": "found no axes 0 and 5 among 2. Give two of these.",
    "jnp.moveaxis(M, None, 0)": "takes integers as axes, and got None. Give ints.",
    "jnp.moveaxis(M, 0, (0, 1))": "cannot move 1 axes to 2 places. Give as many.",
    "jnp.broadcast_to(F, (2, 2))": "cannot repeat the shape (3,) to the shape (2, 2).\nGive",
    "jnp.full((2,), F)": "cannot repeat the shape (3,) to the shape (2,).\nGive a shape",
    # New arrays.
    "jnp.array([1, None])": "takes numbers, arrays and lists of them, and got None.\nGive these.",
    "jnp.array('3')": "and got '3'.\nGive a dtype to read it in.",
    "jnp.array({'a': 1.0})": "and got {'a': 1.0}.\nGive these.",
    "jnp.array(np.array([None]))": "a NumPy array of object[1].\nConvert it: x.astype(dtype).",
    "jnp.array([300], 'int8')": "cannot make int8 of [300].\nA number does not fit. Choose another",
    "jnp.array(float('nan'), int)": "cannot make int32 of nan.\nGive no NaN for integers",
    "jnp.array(1j, float)": "as complex numbers. Choose another dtype.",
    "jnp.array([[1, 2], [3]])": "got a list with parts of the shapes (2,), (1,).\nGive lists whose",
    "jnp.array([F, jnp.ones(2)])": "got a list with parts of the shapes (3,), (2,).\nGive lists",
    "jnp.array(F, ndmin=1.5)": "takes an integer as ndmin, and got 1.5. Give an int.",
    "jnp.array(K, float)": "cannot make float32 of key<fry>[]: keys are no numbers.\nUse random.",
    "jnp.eye(3, k=F)": "takes one integer as k, and got an array of type float32[3]. Give an int.",
    "jnp.eye(-3)": "was asked for the sizes (-3, -3). Give sizes from 0.",
    "jnp.identity('text')": "takes a shape of integers, and got ('text', 'text')",
    "jnp.arange(3, dtype=bool)": "counts, which bools cannot. Ask for another dtype, as int.",
    "jnp.arange(0, 1, 0)": "cannot count from 0 to 1 in steps of 0. Give finite ones.",
    "jnp.arange(F)": "takes one real number as start, and got float32[3]. Give an int or a float.",
    "jnp.linspace(0, 1, -5)": "was asked for -5 values. Give a num from 0.",
    # Indices.
    "F[0, 1]": "x[0, 1] has more entries, 2, than x has axes, 1. Leave some out.",
    "M[..., ...]": "x[..., ...] has more than one Ellipsis (...). Give one.",
    "F[[0, 1]]": "x[[0, 1]]: a list is no index. Give a tuple, axis by axis.",
    "F['w']": "x['w']: an array has no names to index by.\nGive integers",
    "F[{0}]": "x[...] got {0} as an index.\nGive integers and slices",
    "F[1.5]": "x[...] got 1.5 as an index.\nGive integers and slices",
    "traced(lambda n: F[F > n])": "The mask is a traced bool[3]",
    "traced(lambda n: F[: n])": "x[:a traced ~int32[]]. Mark the bound static",
    "F['a':]": "x[...] got a slice of axis 0 with other bounds than integers:\n'a', None, None.",
    "jnp.ones((0, 3))[0]": "x[...] takes an element along an axis that has none, of float32[0,3].",
    "traced(lambda n: list(n))": "over ~int32[], which has no axes. Give it one: x[None].",
    "traced(lambda n: n.item())": "needs the number itself.\nCall it outside",
    "traced(lambda n: n.tolist())": "needs the numbers.\nCall it outside the traced function.",
    "F.at[0].apply(lambda x: x > 0)": "x.at[...].apply was given a function that returned",
    "F.at[0].set(1.0, mode='wrong')": "x.at[...] knows no mode 'wrong'. Give one of\nNone, 'drop'",
    "F.at[0].set(1.0, colour=3)": "x.at[...] has no option colour. Give some of\nmode,",
    "M.at[0].set(jnp.ones(2))": "x.at[...] got values of the shape (2,) for a place of (3,).",
    # Joining and parting.
    "jnp.stack(3)": "takes a list of arrays, and got 3. Give [x, y].",
    "jnp.hstack([F, 'a'])": "argument 1 is 'a'",
    "jnp.concatenate([])": "got no arrays. Give at least one.",
    "jnp.concatenate([1.0, 2.0])": "joins arrays along an axis, and numbers have none. Use",
    "jnp.concatenate([M, jnp.ones((2, 2))])": "along axis 0 got the shapes (2, 3), (2, 2).\nGive",
    "jnp.vstack([M, jnp.ones((2, 2))])": "along axis 0 got the shapes (2, 3), (2, 2).\nGive arrays",
    "jnp.stack([F, M])": "got the shapes (3,), (2, 3).\nGive arrays of one shape.",
    "jnp.split(F, 2)": "cannot cut an axis of 3 into 2 equal parts.\nGive a number that divides 3",
    "jnp.split(F, [2, 1])": "got the places [2, 1]. Give growing ones, from 0 to 3.",
    "jnp.repeat(F, -1)": "was asked for -1 times each element. Give 0 or more.",
    # Products.
    "jnp.dot(M, M)": "sums over axis 1 of the shape (2, 3) and axis 0 of (2, 3).\nGive axes of one",
    "M @ M": "sums over axis 1 of the shape (2, 3) and axis 0 of (2, 3).\nGive axes of one size.",
    "M @ 2": "and argument 1 is a number, ~int32[].\nMultiply with * instead.",
    "jnp.matmul(jnp.ones((2, 3, 3)), jnp.ones((4, 3, 3)))": "cannot broadcast the leading axes",
    "jnp.tensordot(M, M, 5)": "cannot sum over 5 axes of arrays with 2 and 2.\nGive a number from",
    "jnp.tensordot(M, M, 'ab')": "cannot sum over the axes 'ab'.\nGive a number of axes, or",
    # Reductions.
    "jnp.sum(F, out=F)": "returns its result, and fills no array. Leave `out` out.",
    "jnp.sum(F, where=F)": "takes bools as where, and got float32[3]. Compare: where != 0.",
    "jnp.sum(F, initial=F)": "takes one number as initial, and got float32[3]. Give a scalar.",
    "jnp.std(F, dtype=int)": "gives floats, as roots are, and not int32. Ask for floats.",
    "jnp.max(jnp.ones(0))": "of no numbers, shape (0,). Give `initial` to start from.",
    "jnp.min(F, where=F > 1)": "with `where`, which may leave no numbers. Give `initial`",
    "jnp.argmin(jnp.ones(0))": "of no numbers: axis 0 of float32[0] is empty. Give some numbers.",
}

OTHERS = {
    # Random numbers.
    "random.key(0, impl='threefry2x32', dtype=K.dtype)": "got both impl and dtype, which say",
    "random.key(0, impl='none')": "knows no generator 'none' as impl. Give 'threefry2x32'",
    "random.PRNGKey(2**64)": "takes a seed of up to 64 bits, and got 18446744073709551616.\nGive a",
    "random.key('text')": "takes an integer as its seed, and got 'text'. Give an int.",
    "random.key(F)": "takes one integer as its seed, and got float32[3]. Use vmap for many.",
    "random.key(1.5)": "takes an integer as its seed, and got ~float32[]. Give an int.",
    "random.split(3)": "takes keys, or their words uint32[..., 2], and got\n3. Make a key:",
    "random.bits(F)": "takes keys, or their words uint32[..., 2], and got\nan array of type",
    "random.normal(KS)": "takes one key, and got an array of them, key<fry>[3].\nUse vmap: vmap(",
    "random.fold_in(K, F)": "takes one integer, and got an array of type float32[3].\nUse vmap",
    "random.fold_in(K, -1)": "from 0 to 2**32 - 1, and got -1.\nGive x % 2**32",
    "random.bits(K, (2,), int)": "gives unsigned integers, and was asked for int32. Give such",
    "random.clone('text')": "takes arrays and numbers, and argument 0 is 'text'.",
    "random.uniform(K, (2,), float, F)": "(2,), and got minval of the shape (3,).\nGive one that",
    "random.uniform(K, (2,), int)": "gives floats, and was asked for int32. Give a dtype",
    "random.uniform(K, (2,), float, K)": "takes numbers, and got key<fry>[]",
    "random.normal(K, (2,), int)": "gives floats or complex numbers, and was asked for int32.",
    "random.bernoulli(K, 0.5, (2,), 'mid')": "knows no mode 'mid'. Give 'low' or 'high'.",
    "random.bernoulli(K, 1)": "takes floats as the probability p, and got 1. Give a float.",
    "random.randint(K, (2,), 0, 9, float)": "gives integers, and was asked for float32. Give an",
    # Trees.
    "tree_util.tree_reduce(max, [])": "got a tree without leaves. Pass an initializer to return.",
    "tree_util.tree_transpose(3, PAIR, [1])": "takes a PyTreeDef as outer_treedef, and got 3.\nUse",
    "tree_util.tree_transpose(tree_util.tree_structure([]), None, [])": "Pass inner_treedef.",
    "tree_util.tree_transpose(PAIR, PAIR, [1, 2, 3])": "with 3 leaves: PyTreeDef([*, *, *]).\nGive",
    "tree_util.register_dataclass(Layer, ['w', 'b'], ['b'])": "['b'] are in both\ndata_fields",
    "tree_util.register_dataclass(Layer, ['w'], [])": "missing: ['b'], unexpected: [].",
    "tree_util.register_dataclass(Layer, ['w'])": "and meta_fields=None.\nGive both or neither.",
    "tree_util.register_dataclass(dict)": "got <class 'dict'>, which is no dataclass.\nDecorate it",
    "tree_util.tree_flatten(collections.defaultdict(int, {1: 1, 'a': 2}))": "Use keys of one type",
    # Devices, and functions of functions.
    "jax.devices('abacus')": "knows no backend 'abacus'. Give 'cpu', the only one.",
    "jax.device_put(F, 3)": "takes a device, and got 3. Give one of minijax.devices().",
    "jax.device_put({'w': 'text'})": "takes arrays and numbers, and argument x is 'text'.",
    "jax.closure_convert(3, F)": "takes a function as its first argument, and got 3",
    "jax.lax.no_such_name": "module 'minijax.lax' has no attribute 'no_such_name'",
}

MESSAGES = {**LAX, **NUMPY, **OTHERS}
CASES = list(MESSAGES)
