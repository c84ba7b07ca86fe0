"""A mistake for each `raise` that a user can reach, and words of what minijax says to it.

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

def primitive():
    return __import__(f'{jax.__name__}.extend.core', fromlist=['']).Primitive('p')

@dataclasses.dataclass
class Layer:
    w: float
    b: float
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind='x')": "SingleDeviceSharding",
    "jax.custom_jvp(jnp.sin).rule": "custom_jvp",
    "random.wrap_key_data(random.key_data(K), impl='threefry2x32', dtype=K.dtype)":
        "random.wrap_key_data",
    "p = primitive()\np.def_abstract_eval(lambda x: (x, x))\njax.make_jaxpr(p.bind)(F)":
        "The rule for types of p",
    "p = primitive()\np.multiple_results = True\np.def_abstract_eval(lambda x: x)\n"
    "jax.make_jaxpr(p.bind)(F)": "The rule for types of p",
    "p = primitive()\np.def_abstract_eval(lambda x: 3)\njax.make_jaxpr(p.bind)(F)":
        "The rule for types of p",
    "F + jnp.ones(2)": "jnp.add",
    "M - F[:2]": "jnp.subtract",
    "F * K": "jnp.multiply",
    "-(F > 1)": "jnp.negative",
    "~F": "jnp.invert",
    "abs(K)": "jnp.abs",
    "F | 1.0": "jnp.bitwise_or",
    "lax.lt(F, 1j)": "lt needs one dtype, and got float32, complex64",
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
    "jax.vmap(lambda x: 'text')(F)": "<lambda>",
    "jax.jit(lambda x: x, static_argnums=0)(F)": "<lambda>",
    "jax.jit(lambda x: x, static_argnums=0)([1])": "<lambda>",
    "jax.jit(lambda x: x + 1, donate_argnums=0)(F)\nF.tolist()": "This Array",
    "jax.linearize(lambda x: x, F)[1](M)": "the linear function",
    "jax.linearize(lambda x: x, F)[1](F, F)": "The linear function",
    "traced(lambda n: 1 if n else 2)": "bool()",
    "jax.jit(jax.vmap(jax.grad(lambda x: x if x > 0 else -x)))(F)": "traced for vmap",
    "jax.jit(lambda x: bool(x))(F)": "bool()",
    "traced(lambda n: int(n))": "int()",
    "traced(lambda n: float(n))": "float()",
    "traced(lambda n: complex(n))": "complex()",
    "traced(lambda n: np.sin(n))": "NumPy",
    "traced(lambda n: [1, 2, 3][n])": "Python needs an integer here",
    "traced(lambda n: len(n))": "len()",
    "leak = []\njax.jit(lambda x: leak.append(x))(1.0)\nleak[0] + 1": "A tracer outlived its trace",
    "leak = []\nwith jax.checking_leaks():\n    jax.jit(lambda x: leak.append(x * 2))(1.0)\n0":
        "traced for jit",
    "bool(F)": "bool()",
    "float(F)": "float()",
    "int(C[0])": "int()",
    "range(F[0])": "index",
    "list(F[0])": "Iteration",
    "len(F[0])": "len()",
    "F.__setitem__(0, 1.0)": "Arrays are immutable",
    "np.asarray(K)": "An array of key<fry>",
    "jax.jit(lambda x: x)(2**40)": "The integer",
    "jnp.add(np.ma.array([1.0, 2.0], mask=[0, 1]), 1)": "A masked array",
    "jnp.concatenate([KS, F])": "promotes",
    "with jax.numpy_dtype_promotion('strict'):\n    F + jnp.arange(3)\n0": "Strict promotion",
    "jax.config.update('jax_enable_x46', True)": "option",
    "jax.config.update('jax_numpy_dtype_promotion', 'loose')": "jax_numpy_dtype_promotion",
    "jax.config.__setattr__('jax_enable_x64', True)": "option",
    "lax.convert_element_type(K, 'float32')": "convert",
    "jax.jit(lambda d: 1)({1: 1, 'a': 2})": "dict",
    "lax.reshape(F, (1.5, 2))": "A shape",
    "lax.reshape(F, (-1,))": "A shape",
    "traced(lambda n: lax.reshape(F, (n,)))": "A shape",
    "lax.expand_dims(F, (5,))": "axis",
    "jax.jit(jax.vmap(jax.grad(lambda n: n * 1.0)))(jnp.arange(3))": "grad",
    "tree_util.register_pytree_node(Layer, lambda x: 3, Layer)\ntree_util.tree_leaves(Layer(1, 2))":
        "The flatten function",
    "tree_util.tree_unflatten(PAIR, [1])": "PyTreeDef.unflatten",
    "tree_util.tree_leaves([1, 2], is_leaf=lambda x: 1)": "is_leaf",
    "tree_util.register_pytree_node(Layer, lambda x: ((), jnp.ones(3)), Layer)\n"
    "tree_util.tree_map(max, Layer(1, 2), Layer(1, 2))":
        "The auxiliary data",
    "PAIR.flatten_up_to([1, 2])": "PyTreeDef.flatten_up_to",
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
    "lax.dot_general(C, C, (((0,), (0,)), ((), ())), None, 'int8')": "and complex64 has no room",
    "lax.pow(F, 2j)": "and got float32 and complex64. Use y.astype",
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
    "lax.broadcasted_iota(int, (2, 3), 2)": "found no axis 2 in the shape (2, 3). Count from 0.",
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
    "traced(lambda n: jnp.arange(n))": "needs stop to be known while tracing.\nMark it static",
    "M.sum(5)": "found no axis 5 among 2. Give one from -2 to 1.",
    "jnp.sum(M, axis=1.5)": "takes an integer as axis, and got 1.5. Give an int.",
    "jnp.argmax(M, axis=2)": "found no axis 2 among 2",
    "jnp.amax(M, axis=2)": "found no axis 2 among 2",
    "jnp.linspace(0, 1, 5, axis=3)": "found no axis 3 among 1",
    "jnp.sum(M, axis=(0, 0))": "was given an axis twice: (0, 0). Name each once.",
    "jnp.full((2,), -(2**70))": "does not fit in 64 bits. Make it a float.",
    "M.reshape(4)": "of shape (2, 3) to (4,):\nthere are 6 elements, and not 4.\nGive sizes whose",
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
    "jnp.arange(F)": "takes one real number as stop, and got float32[3]. Give an int or a float.",
    "jnp.linspace(0, 1, -5)": "was asked for -5 values. Give a num from 0.",
    # Indices.
    "F[0, 1]": "x[0, 1] has more entries, 2, than x has axes, 1. Leave some out.",
    "M[..., ...]": "x[..., ...] has more than one Ellipsis (...). Give one.",
    "traced(lambda n: F[F > n])": "The mask is a traced bool[3]",
    "F['a':]": "x[...] got a slice of axis 0 with other bounds than integers:\n'a', None, None.",
    "traced(lambda n: list(n))": "over ~int32[], which has no axes. Give it one: x[None].",
    "traced(lambda n: n.item())": "needs the number itself.\nCall it outside",
    "traced(lambda n: n.tolist())": "needs the numbers.\nCall it outside the traced function.",
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
    "random.wrap_key_data(random.key_data(K), impl='threefry2x32', dtype=K.dtype)":
        "random.wrap_key_data got impl and dtype, which say the same. Leave one out.",
    "jax.local_devices(1)": "local_devices knows no process 1. Give a number from 0 to 0.",
    "jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind='x')":
        "SingleDeviceSharding knows no memory_kind 'x'. Leave it out.",
    "jax.fwd_and_bwd(jnp.add, 2)[0](F, F)": "fwd_and_bwd has argnums 2, and fwd was called with 2",
    "jax.custom_jvp(jnp.sin).rule": "'custom_jvp' object has no attribute 'rule'",
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
    "random.randint(K, (2,), 0, 9, float)": "gives integers, and was asked for float32. Give a",
    # Trees.
    "tree_util.tree_reduce(max, [])": "got a tree without leaves. Pass an initializer to return.",
    "tree_util.tree_transpose(3, PAIR, [1])": "takes a PyTreeDef as outer_treedef, and got 3.\nUse",
    "tree_util.tree_transpose(tree_util.tree_structure([]), None, [])": "Pass inner_treedef.",
    "tree_util.tree_transpose(PAIR, PAIR, [1, 2, 3])": "with 3 leaves: PyTreeDef([*, *, *]).\nGive",
    "tree_util.register_dataclass(Layer, ['w', 'b'], ['b'])": "['b'] are in both\ndata_fields",
    "tree_util.register_dataclass(Layer, ['w'], [])": "missing: ['b'], unexpected: [].",
    "tree_util.register_dataclass(Layer, ['w'])": "and meta_fields=None.\nGive both or neither.",
    "tree_util.register_dataclass(dict)": "got <class 'dict'>, which is no dataclass.\nDecorate it",
    "tree_util.tree_flatten(collections.defaultdict(int, {1: 1, 'a': 2}))": "Use keys of one",
    # Devices, and functions of functions.
    "jax.devices('abacus')": "Unknown backend 'abacus' for devices. Give 'cpu', the only one.",
    "jax.device_put(F, 3)": "takes a device or a sharding, and got 3. Give one",
    "jax.device_put({'w': 'text'})": "takes arrays and numbers, and argument x is 'text'.",
    "jax.closure_convert(lambda x: x, F)[0]((F,))": "of the structure PyTreeDef((*,)),\nand got",
    "jnp.ndarray((1, 1))": "takes a NumPy array, and got a tuple",
    "jax.closure_convert(3, F)": "takes a function as its first argument, and got 3",
    "jax.lax.no_such_name": "module 'minijax.lax' has no attribute 'no_such_name'",
}

CORE = {
    # Which arguments are mapped.
    "jax.vmap(3)": "vmap takes a function as its first argument, and got 3. Give the function",
    "jax.vmap(F.sum())": "got an array of float32[]. Give the\nfunction itself: f, and not f(x).",
    "jax.vmap(lambda x: x)(1.0)": "axis 0 of x, which has the shape (). Give the argument more",
    "jax.vmap(lambda x, y: x)(F, jnp.ones(4))": "3 (axis 0 of x: float32[3]); 4 (axis 0 of",
    "jax.vmap(lambda x: x, axis_size=4)(F)": "4\n(axis_size). Give axes of one size, or None in",
    "jax.vmap(lambda x: x, in_axes=None)(F)": "in_axes maps no array. Give one, or axis_size.",
    "jax.vmap(lambda x: x, in_axes='a')": "got 'a'. Give one of these.",
    "jax.vmap(lambda x, y: x, in_axes=(0,))(F, F)":
        "has 1 entries, for 2 positional arguments. Give one for each, or an",
    "jax.vmap(lambda d: d['a'], in_axes=({'b': 0},))({'a': F})":
        "vmap in_axes does not fit the tree that it describes at [0]: expected dict with keys",
    "jax.vmap(lambda x: x, out_axes=(0, 0))(F)": "vmap out_axes does not fit the tree",
    "jax.vmap(lambda x: x, out_axes=None)(F)": "for a mapped result. Give it an axis.",
    "jax.vmap(lambda x: x, out_axes=1)(F)": "no axis 1 among 1 of a result. Give one from -1 to 0.",
    "jax.vmap(lambda x: 'text')(F)": "returned 'text' of type str where an array or a number is",
    "jax.vmap(lambda x: x)('text')": "vmap(<lambda>), argument x: 'text' of type str is not an",
    # Which are static, and which donated.
    "jax.jit(lambda x: x, static_argnums=3)": "arguments (3,), and <lambda> has only: x. Count",
    "jax.jit(lambda x: x, static_argnums='x')": "jit takes ints as argnums, and got ('x',). Count",
    "jax.jit(lambda x: x, static_argnums=0.5)": "jit takes ints as argnums, and got (0.5,). Count",
    "jax.make_jaxpr(lambda x: x, static_argnums='x')(F)": "make_jaxpr takes ints as argnums, and",
    "jax.jit(lambda x: x, static_argnames=3)": "as strings, and got (3,). Give positions as",
    "jax.jit(lambda x: x, static_argnums=0)(F)":
        "argument 0 is an array of float32[3], which can't be hashed. Give",
    "jax.jit(lambda x: x, static_argnums=0)([1])": "static argument 0 is [1], which can't be",
    "jax.jit(lambda x: x, static_argnums=0, donate_argnums=0)": "donate what is static. Name [0]",
    "jax.jit(lambda x, y: x + y, donate_argnums=0)(*[jnp.ones(2)] * 2)":
        "one array of type float32[2] twice, once to\ndonate it. Donate a copy: x.copy().",
    "jax.jit(lambda x: x + 1, donate_argnums=0)(F)\nF.tolist()":
        "float32[3] has been deleted, by x.delete(), or as a donated\nargument of jit. Keep a copy",
    "x, f = F + 1, jax.jit(lambda x: x + 1, donate_argnums=0)\nf(x), f(x)":
        "got, for x, an Array of type float32[3] that was donated to an earlier\ncall, and so",
    # What a gradient is taken by, and of.
    "jax.grad(lambda x: x * 2)(3)": "grad can't differentiate by ~int32[] for x. Give 3.0, or pass",
    "jax.grad(lambda x: x * 2)(True)": "grad can't differentiate by bool[] for x. Give 1.0, or",
    "jax.grad(lambda x: x.sum())(jnp.arange(3))": "for x. Convert it with x.astype(float), or pass",
    "jax.jit(jax.vmap(jax.grad(lambda n: n * 1.0)))(jnp.arange(3))": "by int32[] for n. Convert it",
    "jax.grad(lambda p: p['w'])({'w': 3, 'b': 1.0})": "by ~int32[] for p['w']. Give 3.0, or pass",
    "jax.grad(lambda x: 1.0)(K)": "by key<fry>[] for x. Choose by argnums what is no key, or pass",
    "jax.jacfwd(lambda x: x)(1j)": "by ~complex64[] for x. Give real numbers, or use jvp.",
    "jax.jacfwd(lambda x: x)(3)": "by ~int32[] for x. Give 3.0, or use jvp.",
    "jax.grad(lambda x, y: x, argnums=2)(1.0, 2.0)": "the arguments (2,) of a call with 2",
    "jax.grad(lambda x, y: x, argnums=-3)(1.0, 2.0)": "got (-3,). Give one at least, and count",
    "jax.grad(lambda x, y: x, argnums='x')(1.0, 2.0)": "grad takes ints as argnums, and got ('x',)",
    "jax.grad(lambda x: x, holomorphic=True)(3.0)": "Give complex numbers, or leave out",
    "jax.grad(lambda x: (x, x))(3.0)": "returned PyTreeDef((*, *)).\nWith extra results, return a",
    "jax.grad(lambda x: None)(3.0)": "and it returned None. Give it a",
    "jax.grad(lambda x: x)(F)": "and it returned float32[3]. Sum or",
    "jax.grad(lambda x: 1)(3.0)": "the function returned ~int32[]. Convert it:\nx.astype(float).",
    "jax.grad(lambda x: x * 1j)(3.0)": "returned ~complex64[]. Use vjp or jvp",
    "jax.grad(lambda x: x, has_aux=True)(3.0)": "it returned\n~float32[]. Return the pair, or",
    # Tangents and cotangents.
    "jax.jvp(lambda x: x, 1.0, 1.0)": "got float and float. Give\n(x,) and (t,).",
    "jax.jvp(lambda x: x, (1.0,), (1.0, 2.0))": "tangents of PyTreeDef((*, *)).\nGive each primal",
    "jax.jvp(lambda x: x, (1.0,), (1,))": "Give jvp a tangent of type float32[] for a primal of",
    "jax.jvp(lambda x: x, (F,), (1.0,))": "of type float32[3]; it got one of\ntype ~float32[].",
    "jax.jvp(lambda x: x, (1,), (1,))": "Make it with np.zeros(shape, jax.dtypes.float0).",
    "jax.jvp(lambda x: x, (1.0,), ('text',))": "jvp(<lambda>), argument x: 'text' of type str is",
    "jax.linearize(lambda x: x, F)[1](M)": "must have the type float32[3]. Give it",
    "jax.linearize(lambda x: x, F)[1](F, F)": "of the primals, PyTreeDef((*,)),\nand got",
    "jax.vjp(lambda x: x, F)[1](M)": "A cotangent given to the vjp function must have the type",
    "jax.vjp(lambda x: x, F)[1](F, F)": "of the result PyTreeDef(*), and\ngot 2. Give one.",
    "jax.vjp(lambda x: (x, x), F)[1](F)": "PyTreeDef((*, *)),\nand got PyTreeDef(*). Give it that",
    # Tracers.
    "traced(lambda n: 1 if n else 2)": "In place of `if`, choose with\njnp.where(condition, a, b)",
    "jax.jit(jax.vmap(jax.grad(lambda x: x if x > 0 else -x)))(F)": "It was\ngiven a traced bool[]",
    "jax.jit(lambda x: bool(x))(F)": "bool() needs one value, and got a traced float32[3]",
    "traced(lambda n: int(n))": "int() needs a number; try x.astype(int). It was given a\ntraced",
    "traced(lambda n: float(n))": "float() would lose the trace; try x.astype(float).",
    "traced(lambda n: complex(n))": "try x.astype(complex).",
    "traced(lambda n: np.sin(n))": "Call the function of the same name in minijax.numpy instead.",
    "traced(lambda n: [1, 2, 3][n])": "Mark the argument static (jit's"
    "\nstatic_argnums), or choose with jnp.where(i == 0, a, b).",
    "traced(lambda n: len(n))": "got an Array of type ~int32[]. Give it one:\nx[None].",
    "leak = []\njax.jit(lambda x: leak.append(x))(1.0)\nleak[0] + 1":
        "Return the value from the function instead.",
    "leak = []\njax.vmap(lambda x: leak.append(x))(F)\njax.jit(lambda y: y + leak[0])(1.0)":
        "Return the value from the function instead.\n  made by: an argument at",
    "leak = []\nwith jax.checking_leaks():\n    jax.jit(lambda x: leak.append(x * 2))(1.0)\n0":
        "has ended, and 1 of its tracers are still held by\nsomething. Return",
    "jax.jit(lambda x: x)(object())": "mark it static or close over it.",
    # Arrays as Python's values, and dtypes.
    "bool(F)": "the truth of 3 values at once is not defined. Use x.any() or",
    "float(F)": "float() takes an array with no dimensions, and got float32[3]. Try x[0].",
    "int(C[0])": "int() takes a real number, and got complex64[]. Try abs(x).",
    "range(F[0])": "no dimensions is an index; got float32[]. Try x[0] or int(x).",
    "list(F[0])": "Iteration over float32[]: it has no dimensions. Try x[None].",
    "len(F[0])": "got an Array of type float32[]. Give it one:",
    "F.__setitem__(0, 1.0)": "so x[0] = ... is not possible on float32[3]. Write\nx =",
    "np.asarray(K)": "An array of key<fry> holds no numbers. Use minijax.random.key_data(x).",
    "jax.jit(lambda x: x)(2**40)": "does not fit in int32. Make it a float, or switch on",
    "jnp.add(np.ma.array([1.0, 2.0], mask=[0, 1]), 1)": "lose its mask. Choose values for what is",
    "jnp.concatenate([KS, F])": "key<fry>[3] promotes to no other dtype, and key<fry>[3] and",
    "with jax.numpy_dtype_promotion('strict'):\n    F + jnp.arange(3)\n0":
        "['float32', 'int32'], which would become float32. Convert one of them",
    "jax.jit(lambda x: x)(np.array(['a']))": "No array has the dtype <U1: arrays hold bools",
    "class Like: shape, dtype = (2,), 'text'\njax.eval_shape(lambda x: x, Like())":
        "argument x: 'text' is not a dtype. Give one such as 'float32' or",
    "jax.ShapeDtypeStruct((3,), None)": "got None as its dtype. Give one, such as 'float32'.",
    # Options.
    "jax.config.update('jax_enable_x46', True)": "no option 'jax_enable_x46'. Give one of",
    "jax.config.update('jax_numpy_dtype_promotion', 'loose')": "; got 'loose'. Give one.",
    "jax.config.__setattr__('jax_enable_x64', True)": "Use config.update('jax_enable_x64', True).",
    # Primitives.
    "lax.add(F, 1)": "add needs one dtype, and got float32, int32. Use x.astype(dtype).",
    "lax.add(F, jnp.ones(4))": "add got (3,), (4,). Give equal shapes",
    "lax.sin(3)": "sin takes floats, complex numbers, and got int32. Convert with x.astype(dtype).",
    "lax.add(K, K)": "got key<fry>. Draw numbers from a key,\nas by random.bits.",
    "lax.integer_pow(3, -1)": "of ~int32[] to -1 needs a float. Try",
    "lax.select_n(F, F, F)": "chooses by a bool or an integer, and `which` is float32. Compare",
    "lax.select_n(True)": "select_n chooses among cases, and got none. Give some.",
    "lax.select_n(True, F, F, F)": "select_n by a bool got 3 cases. Give two",
    "lax.select_n(True, F, M)": "needs cases of one type, and got float32[3], float32[2,3]. Use",
    "lax.select_n(F[:2] > 1, F, F)": "of shape (2,). Give it () or the cases' (3,).",
    "lax.convert_element_type(K, 'float32')": "no way to convert key<fry> to float32. Use",
    "lax.reshape(F, (1.5, 2))": "known while tracing, and got (1.5, 2). Give a tuple",
    "lax.reshape(F, (-1,))": "A shape has no negative sizes; got (-1,). Give sizes from 0.",
    "traced(lambda n: lax.reshape(F, (n,)))": "Mark the argument that it comes from static",
    "lax.broadcast_in_dim(F, (2, 2), (0,))": "along the axes (0,), in order, of the shape",
    "lax.transpose(M, (0, 0))": "transpose got (0, 0). Name each of 2 axes once.",
    "lax.expand_dims(F, (5,))": "There is no axis 5 in an array of 2 dimensions. Give one from",
    "lax.expand_dims(F, (0, 0))": "expand_dims was given an axis twice: (0, 0). Name each once.",
    "lax.reduce_sum(F, (1,))": "reduce_sum got axes (1,) of (3,). Name axes",
    "lax.dot_general(F, F, (((1,), (0,)), ((), ())))": "no such axes to contract: (1,) of (3,),",
    "lax.dot_general(M, M, (((0,), (1,)), ((), ())))": "with axes (1,) of (2, 3). Give",
    "lax.dot_general(M, M, (((0, 0), (0, 0)), ((), ())))": "takes each axis once, and got (((0,",
    "p = primitive()\np.def_abstract_eval(lambda x: (x, x))\njax.make_jaxpr(p.bind)(F)":
        "as multiple_results is False.",
    "p = primitive()\np.multiple_results = True\np.def_abstract_eval(lambda x: x)\n"
    "jax.make_jaxpr(p.bind)(F)": "Give several, as a tuple or list",
    "p = primitive()\np.def_abstract_eval(lambda x: 3)\njax.make_jaxpr(p.bind)(F)":
        "The rule for types of p gave 3, which is no type.",
    "jnp.issubdtype('text', float)": "knows no dtype 'text'. Give one as",
    # Trees.
    "jax.jit(lambda d: 1)({1: 1, 'a': 2})": "can be sorted, got the keys [1, 'a']. Use keys of one",
    "tree_util.register_pytree_node(Layer, lambda x: 3, Layer)\ntree_util.tree_leaves(Layer(1, 2))":
        "of the children, which\ncan be iterated over, and the auxiliary data, got 3. Return",
    "tree_util.register_pytree_node(Layer, 3, 4)": "and got 3 and 4. Give\nboth.",
    "tree_util.register_pytree_node(list, list, list)": "<class 'list'> is registered already. Do",
    "tree_util.tree_unflatten(PAIR, [1])": "got 1 leaves. Give 2 for PyTreeDef((*, *)).",
    "tree_util.tree_leaves([1, 2], is_leaf=lambda x: 1)": "or None, got 1. Use bool(...).",
    "tree_util.tree_map(lambda x, y: x, [1, 2], [1])": "got list\nof length 1. Give it the same",
    "PAIR.flatten_up_to([1, 2])": "this form at the root: expected tuple,\ngot list. Give it the",
    "tree_util.register_pytree_node(Layer, lambda x: ((), jnp.ones(3)), Layer)\n"
    "tree_util.tree_map(max, Layer(1, 2), Layer(1, 2))":
        "`==` of ArrayImpl and\nArrayImpl is neither True nor",
}

MESSAGES = {**LAX, **NUMPY, **OTHERS, **CORE}
CASES = list(MESSAGES)
