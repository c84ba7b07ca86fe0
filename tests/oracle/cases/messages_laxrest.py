"""A mistake for each `raise` of generators, approximate orders, products in groups and of scaled
operands, tokens, composites, matrices."""

SETUP = """\
k = random.key(0)
F = jnp.array([3.0, 1.0, 2.0])
M = jnp.ones((2, 2))
S = jnp.array([1, 2, 3, 4], 'uint32')
X, W, G = jnp.ones((5, 3)), jnp.ones((2, 3, 4)), jnp.array([2, 3])

def numbers(ragged, group):
    return lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), ragged, group)

@functools.partial(lax.composite, name='my.tan')
def tan(x, *, k=None):
    return lax.tan(x)

X8, S2, B3 = jnp.ones((3, 8)), jnp.ones((3, 2)), jnp.ones((2, 3, 8))
FORMATS = [jax.nn.get_scaled_dot_general_config('mxfp8')] * 3

def scaled(lhs, rhs, lhs_scale, rhs_scale, contract=((1,), (1,))):
    return lax.scaled_dot(lhs, rhs, lhs_scale=lhs_scale, rhs_scale=rhs_scale,
                          dimension_numbers=(contract, ((), ())))

BY_BATCH = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((0,), (0,))), [0], [])
"""

# What a case is called by in its message, where that isn't the function that it calls first.
_RAGGED, _SCALED = "lax.ragged_dot_general", "lax.scaled_dot"
NAMES = {
    "lax.ragged_dot(X, W, jnp.ones(2))": _RAGGED,
    "lax.ragged_dot(X, W, jnp.array([1, 2, 2]))": _RAGGED,
    "lax.ragged_dot(X, W, G, group_offset=0)": _RAGGED,
    "lax.ragged_dot_general(X, W, G, numbers([0, 1], [0]))": _RAGGED,
    "lax.ragged_dot_general(X, W, G, numbers([0], []))": _RAGGED,
    "jax.grad(lambda x: lax.ragged_dot_general(x, X, G, BY_BATCH).sum())(X)": _RAGGED,
    "jax.vmap(lambda x: lax.pshuffle(x, 'i', (0, 0)), axis_name='i')(M)": "lax.pshuffle",
    "jax.typeof(lax.create_token()).shape": "A token",
    "jax.jit(lax.composite(jnp.sin, 'sine'))(F)": "A composite",
    "jax.jit(lax.composite(jnp.sin, 3))(F)": "lax.composite",
    "jax.grad(tan)(1.0)": "The composite 'my.tan'",
    "jax.jit(lambda x: tan(F, k=x))(1.0)": "An attribute of the composite 'my.tan'",
    "scaled(X8, X8, S2, S2[0])": _SCALED,
    "scaled(X8, X8, S2[:2], S2)": _SCALED,
    "scaled(X8, X8, S2, X8)": _SCALED,
    "scaled(X8, X8, S2, S2, ((1,), (0,)))": _SCALED,
    "jax.nn.get_scaled_dot_general_config('fp8')": "nn.get_scaled_dot_general_config",
    "jax.nn.scaled_matmul(B3, B3, B3, X8)": "nn.scaled_matmul",
    "jax.nn.scaled_matmul(B3, B3, B3, B3)": "nn.scaled_matmul",
    "jax.nn.scaled_dot_general(B3, B3, (((2,), (2,)), ((0,), (0,))), 'int32', FORMATS)":
        "nn.scaled_dot_general",
    "B = jnp.ones((2, 3, 64))\n"
    "jax.nn.scaled_dot_general(B, B, (((2,), (2,)), ((0,), (0,))), configs=FORMATS)":
        "nn.scaled_dot_general",
    "jax.api_util.rebase_donate_argnums((0, 1), (0,))": "rebase_donate_argnums",
    "jax.api_util.safe_map(lambda x, y: x, [1, 2], [3])": "safe_map",
    "jax.nn.initializers.orthogonal()(k, (3,))": "nn.initializers.orthogonal",
    "jax.nn.initializers.delta_orthogonal()(k, (3, 3, 2))": "nn.initializers.delta_orthogonal",
}
MESSAGES = {
    "lax.approx_max_k(F, 4)":
        "cannot give 4 of the 3 elements along axis -1 of float32[3].\nGive k from 1 to 3.",
    "lax.approx_min_k(F, 0)": "lax.approx_min_k cannot give 0 of the 3 elements",
    "lax.approx_max_k(1.0, 1)": "needs an axis, and got ~float32[]. Give an array that has one.",
    "lax.approx_max_k(S, 1)": "takes floats, and got uint32[4]. Convert it, or use lax.top_k.",
    "lax.approx_max_k(F, 1, recall_target=2.0)":
        "got the recall_target 2.0. Give a share, above 0\nand up to 1.",
    "lax.approx_max_k(jnp.ones(2000), 2, -1, 0.9, 2, False)":
        "got the reduction_input_size_override 2, and the\naxis has the size 2000.\nGive",
    "lax.rng_bit_generator(S, (2,), 'int32')":
        "gives unsigned integers, and was asked for int32.\nGive uint8, uint16, uint32 or uint64.",
    "lax.rng_uniform(0, 1.0, (2,))":
        "takes two numbers of one dtype, and got ~int32[] and ~float32[].\nConvert one of them, or",
    "lax.rng_uniform(1j, 2j, (2,))":
        "draws floats and integers, and got ~complex64[].\nConvert it.",
    "lax.ragged_dot(X, W, jnp.ones(2))":
        "takes group_sizes of integers, and got float32[2].\nConvert",
    "lax.ragged_dot(X, W, jnp.array([1, 2, 2]))":
        "got group_sizes int32[3] for lhs float32[5,3] and rhs\nfloat32[2,3,4].\nGive",
    "lax.ragged_dot(X, W, G, group_offset=0)": "has no group_offset. Give the sizes of all groups",
    "lax.ragged_dot_general(X, W, G, numbers([0, 1], [0]))":
        "got the lhs_ragged_dimensions (0, 1) of lhs float32[5,3].\nName one axis of lhs.",
    "lax.ragged_dot_general(X, W, G, numbers([0], []))":
        "got the rhs_group_dimensions () of rhs float32[2,3,4].\nName one axis of rhs where",
    "jax.grad(lambda x: lax.ragged_dot_general(x, X, G, BY_BATCH).sum())(X)":
        "is not differentiated where the ragged axis of lhs is a\nbatch axis.\nUse",
    "lax.after_all(F)": "takes tokens, and got float32[3]. Make one by lax.create_token().",
    "jax.typeof(lax.create_token()).shape":
        "A token has no shape: there is nothing in it. Give an array.",
    "jax.jit(lax.composite(jnp.sin, 'sine'))(F)":
        "the name 'sine' can't be compiled. Give it one of two parts",
    "jax.jit(lax.composite(jnp.sin, 3))(F)": "got the name 3. Give a str.",
    "jax.grad(tan)(1.0)": "has no derivative. Call it in a function with a",
    "jax.jit(lambda x: tan(F, k=x))(1.0)": "is a traced ~float32[]",
    "lax.Tolerance(None)": "got atol None. Give a number from 0 on.",
    "lax.Tolerance(rtol=-1.0)": "got rtol -1.0. Give a number from 0 on.",
    "lax.Tolerance()": "got no tolerance. Give atol, rtol or ulps above 0.",
    "lax.exp(F, accuracy=3)": "got the accuracy 3. Give a lax.Tolerance, a lax.AccuracyMode or",
    "lax.scaled_dot(F, F)": "got lhs float32[3]. Give matrices, or stacks of them.",
    "scaled(X8, X8, S2, S2[0])": "rhs_scale\nfloat32[2].\nGive all as many axes.",
    "scaled(X8, X8, S2[:2], S2)": "axis 0 is not\ncontracted.\nGive the scale the size 3 along it.",
    "scaled(X8, X8, S2, X8)": "is no multiple, at least twice",
    "scaled(X8, X8, S2, S2, ((1,), (0,)))":
        "cannot contract the axes (1,) of lhs float32[3,8] with the axes (0,) of",
    "jax.nn.get_scaled_dot_general_config('fp8')": "knows no mode 'fp8'. Give 'nvfp4' or 'mxfp8'.",
    "jax.nn.scaled_matmul(B3, B3, B3, X8)": "Give the shapes (B, M, K), (B, N, K), (B, M, S) and",
    "jax.nn.scaled_matmul(B3, B3, B3, B3)": "is an operation of a GPU's, which a CPU has not.",
    "jax.nn.scaled_dot_general(B3, B3, (((2,), (2,)), ((0,), (0,))), 'int32', FORMATS)":
        "got the preferred_element_type 'int32'. Give float32,",
    "B = jnp.ones((2, 3, 64))\n"
    "jax.nn.scaled_dot_general(B, B, (((2,), (2,)), ((0,), (0,))), configs=FORMATS)":
        "multiplies in these formats on a GPU only. Leave configs",
    "random.multivariate_normal(k, F[:2], M, method='qr')":
        "has no method 'qr'. Choose 'cholesky', 'eigh' or 'svd'.",
    "random.multivariate_normal(k, F, M)":
        "got a mean of the shape (3,) and a cov of the shape (2, 2).\nGive a mean (..., n) and a",
    "random.orthogonal(k, -1)": "was asked for matrices (-1, -1). Give sizes from 0 on.",
    "jax.nn.initializers.orthogonal()(k, (3,))":
        "needs two axes, and got the shape (3,).\nGive a matrix's shape.",
    "jax.nn.initializers.delta_orthogonal()(k, (3, 3, 2))":
        "got the shape (3, 3, 2).\nGive one to three axes of space, then the inputs, and at least",
    "lax.axis_size(3)": "lax.axis_size takes names of axes, and got 3, which none has here.",
    "jax.vmap(lambda x: lax.pshuffle(x, 'i', (0, 0)), axis_name='i')(M)":
        "got the perm (0, 0).\nGive each number from 0 on once.",
    "jax.api_util.rebase_donate_argnums((0, 1), (0,))":
        "got the arguments [0] as donated and as static ones.\nGive each once.",
    "jax.api_util.safe_map(lambda x, y: x, [1, 2], [3])":
        "got arguments of 2, 1 elements.\nGive as many of each.",
    "lax.dot(M, M, precision='nope')": "lax.dot knows no precision 'nope'.\nGive None, one of",
}

CASES = tuple(MESSAGES)
