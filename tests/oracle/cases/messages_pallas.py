"""A mistake for each `raise` of Pallas."""

from .by_speaker import speakers_of, words_of

SETUP = """\
import importlib
pl = importlib.import_module(f'{jax.__name__}.experimental.pallas')
S, B = jax.ShapeDtypeStruct, pl.BlockSpec
X, f32 = jnp.arange(8.0), jnp.float32
HALF = B((4,), lambda i: (i,))

def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]

def call(kernel=copy, shape=(8,), dtype=jnp.float32, x=X, interpret=True, **how):
    return pl.pallas_call(kernel, S(shape, dtype), interpret=interpret, **how)(x)

def halves(in_spec=HALF, out_spec=HALF, **how):
    return call(grid=(2,), in_specs=[in_spec], out_specs=out_spec, **how)

def out(shape):
    return pl.pallas_call(copy, shape, interpret=True)(X)
"""

BY_NAME = {
    "pallas_call": {
        # Kernels.
        "call(3)": "pallas_call takes a function",
        "call(lambda x, o: x[...])": "returned a traced float32[8]. Write it into a reference,\no_re",  # noqa: E501
        "call(lambda x, o: x)": "returned a traced Ref<default>{float32[8]}. Write it into",
        "call(lambda x, o: o.__setitem__(..., x[...] + X))": "are none of its arguments: float32[8]",  # noqa: E501
        "call(lambda x, o: o.__setitem__(..., x[...] + np.arange(8, dtype='float32')))":
            "uses arrays that are none of its arguments: float32[8].\nGive",
        "jax.jit(lambda y: call(lambda x, o: o.__setitem__(..., x[...] + y)))(1.0)":
            "are none of its arguments: ~float32[].\nGive",
        "call(lambda x, o, p: None)": "is called with 1 inputs, 1 outputs: missing a\nrequired",
        "call(lambda x: None)": "takes (x), and is called with 1 inputs, 1 outputs",
        "call(copy, scratch_shapes={'s': pl.ANY((3,), f32)})": "an unexpected keyword argument 's'",  # noqa: E501
        "call(x='a')": "pallas_call",
        # Grids.
        "call(grid='ab')": "got the grid 'ab'. Give a tuple of integers.",
        "call(grid=(2.0,))": "got the grid (2.0,). Give a tuple of integers.",
        "pl.GridSpec(grid=(2.5,))": "got the grid (2.5,). Give a tuple of integers.",
        "call(grid=(2,), grid_spec=pl.GridSpec(grid=(2,)))": "got a grid_spec, and grid too. Give o",  # noqa: E501
        "call(in_specs=[HALF], grid_spec=pl.GridSpec(grid=(2,)))": "and in_specs too. Give one.",
        "call(scratch_shapes=[pl.ANY((2,), f32)], grid_spec=pl.GridSpec())": "scratch_shapes too.",
        # Blocks.
        "halves(B((4, 2), lambda i: (i, 0)))": "the block_shape (4, 2) for args[0], which is float",  # noqa: E501
        "halves(HALF, B((4, 2), lambda i: (i, 0)))": "block_shape (4, 2) for outputs, which is flo",  # noqa: E501
        "halves(B(('a',), lambda i: i))": "got 'a' in a block_shape. Give integers, None, pl.Blocke",  # noqa: E501
        "halves(B((-4,), lambda i: i))": "got a block of the size -4. Give one from 1.",
        "halves(B((0,), lambda i: i))": "got a block of the size 0. Give one from 1.",
        "halves(B((pl.BoundedSlice(4),), lambda i: i))": "got BoundedSlice(4) in a block_shape. Giv",  # noqa: E501
        "halves(B(4, lambda i: i))": "got the block_shape 4 for args[0]. Give a tuple.",
        # Index maps.
        "halves(B((4,), lambda i: (i, 0)))": "index_map of args[0] returns 2 values, and a block ha",  # noqa: E501
        "halves(B((4,), lambda i: i * 1.0))": "returns a value of type ~float32[]. Return integers.",  # noqa: E501
        "halves(B((4,), lambda i: (jnp.ones(3, int),)))": "a value of type int32[3]. Return integer",  # noqa: E501
        "halves(B((4,), lambda i: X.astype(int)[0] * i))": "uses arrays besides its arguments",
        "halves(B((4,), lambda i, j: (i,)))": "index_map of args[0] takes (i, j), and is called wit",  # noqa: E501
        "halves(HALF, B((4,), lambda: (0,)))": "index_map of outputs takes (), and is called with 1",  # noqa: E501
        "halves(B((4,), 3))": "pallas_call's index_map of args[0] is 3. Give a function, or nothing",  # noqa: E501
        # Trees of specs and outputs.
        "call(in_specs=[])": "got in_specs of the structure PyTreeDef(()), and the arguments of\nPy",  # noqa: E501
        "call(in_specs=[HALF, HALF])": "Give a pl.BlockSpec for each array.",
        "call(in_specs=[None])": "of the structure PyTreeDef((None,)), and the arguments of\nPyTree",  # noqa: E501
        "call(in_specs=HALF)": "got in_specs=BlockSpec(block_sh...pipeline_mode=None). Give a list of",  # noqa: E501
        "call(out_specs=[B()])": "got out_specs of the structure PyTreeDef((*,)), and out_shape of",  # noqa: E501
        "out((8,))": "got 8 in out_shape. Give a jax.ShapeDtypeStruct(shape, dtype).",
        "out('f')": "got 'f' in out_shape. Give a jax.ShapeDtypeStruct(shape, dtype).",
        # The rest.
        "call(shape=(7,), input_output_aliases={0: 0})": "has input 0, float32[8], start output 0,",  # noqa: E501
        "call(input_output_aliases={1: 0})": "names the input 1, and there are 1. Count from 0.",
        "call(input_output_aliases={0: 1})": "names the output 1, and there are 1. Count from 0.",
        "call(scratch_shapes=pl.ANY((3,), f32))": "got scratch_shapes=MemoryRef(inner_av...ySpace.ANY: 'any'>). Give a list or",  # noqa: E501
        "call(name=3)": "got the name 3. Give a string.",
        "jax.grad(lambda x: call(x=x).sum())(X)": "has no derivative in reverse mode (jax.grad, jax",  # noqa: E501
        "jax.jvp(lambda x: call(x=x, input_output_aliases={0: 0}), (X,), (X,))":
            "has no derivative with input_output_aliases. Leave them out, or",
        "jax.jit(lambda n: jax.jvp(lambda x: call(x=x, grid=(n,)), (X,), (X,)))(2)":
            "has no derivative with a grid of traced sizes. Give integers, or",
    },
    "swap": {
        "call(dtype='int32')": "swap got a value of float32 for a Ref<default>{int32[8]}. Convert",
        "call(shape=(7,))": "swap got a value of the shape (8,) for a part of the shape (7,)",
    },
    "program_id": {
        "call(lambda x, o: o.__setitem__(..., x[...] + pl.program_id(1)), grid=(2,))":
            "program_id got the axis 1, and the grid is (2,). Give",
        "call(lambda x, o: o.__setitem__(..., x[...] + pl.program_id(0.5)), grid=(2,))":
            "program_id takes an axis; got 0.5. Give an integer.",
    },
    "num_programs": {
        "call(lambda x, o: o.__setitem__(..., x[...] + pl.num_programs(2)), grid=(2,))":
            "num_programs got the axis 2, and the grid is (2,). Give",
    },
    "CostEstimate": {
        "pl.CostEstimate(flops='a', transcendentals=2, bytes_accessed=3)": "got flops='a'. Give an",  # noqa: E501
    },
    "run_state": {"pl.run_state(lambda r: r[0])(X)": "function returned an array of type float32[]"},  # noqa: E501
    "broadcast_to": {"pl.broadcast_to(X, (2, 3))": "got float32[8] for the shape (2, 3). Give one it "},  # noqa: E501
    "empty_ref_like": {"pl.empty_ref_like(X)": "got an array of type float32[8]. Give a jax.ShapeDty"},  # noqa: E501
    "next_power_of_2": {"pl.next_power_of_2(-1)": "next_power_of_2 got -1. Give a number from 0."},
}  # fmt: skip

# What JAX has no error for, or one of Python's own of something inside.
OURS_BY_NAME = {
    "pallas_call": {
        "jax.jit(lambda n: call(grid=(n,)))(2.0)": "got the grid (JitTracer(~float32[]),). Give a t",  # noqa: E501
        "call(grid_spec=3)": "got 3 as grid_spec. Give a pl.GridSpec.",
        "call(input_output_aliases=[0])": "got input_output_aliases=[0]. Give a dict from an input'",  # noqa: E501
        "call(in_specs=[3])": "got 3 for args[0]. Give a pl.BlockSpec.",
        "call(out_specs=3)": "got 3 for outputs. Give a pl.BlockSpec.",
        "call(copy, scratch_shapes=[3])": "got 3 in scratch_shapes. Give pl.ANY(shape, dtype).",
        "call(lambda x, o: None, dtype=random.key(0).dtype)": "can't make memory of key<fry>. Give",  # noqa: E501
        "halves(B((4,), lambda i: None))": "index_map of args[0] returns 0 values, and a block has ",  # noqa: E501
        "p = jax.make_jaxpr(lambda x: call(x=x))(X).eqns[0].params\n"
        "jax.make_jaxpr(lambda x: pl.pallas_call_p.bind(x, **p))(X[1:])":
            "pallas_call takes [ShapedArray(float32[8])], and is given\n[ShapedArray(float32[7])].",  # noqa: E501
    },
    "program_id": {
        "pl.program_id(0)": "program_id is for kernels. Call it in the function given to pallas_cal",  # noqa: E501
        "from minijax.lax.pallas.kernels import program_id_p\nprogram_id_p.bind(axis=0)":
            "program_id runs in a kernel, and this program is in none. Use",
    },
    "num_programs": {"pl.num_programs(0)": "num_programs is for kernels. Call it in the function"},
    "run_scoped": {"pl.run_scoped(lambda s: None, 3)": "run_scoped got the type 3. Give pl.ANY"},
}  # fmt: skip

MESSAGES, OURS = words_of(BY_NAME), words_of(OURS_BY_NAME)
NAMES = speakers_of(BY_NAME, OURS_BY_NAME)
CASES = tuple(MESSAGES)
