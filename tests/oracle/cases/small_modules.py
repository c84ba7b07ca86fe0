"""jax.ops, jax.dlpack, jax.typing, and small names of jax.lax, jax.dtypes and jax.tree_util."""

SETUP = """\
F = jnp.array([0.5, -1.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([0, 0, 2])
B = F > 0
C = F * 1j
T = jnp.ones((2, 3, 4))
ops = jax.ops

def join(a, b):
    return f'({a}{b})'
"""

JAXPRS = [
    "jax.make_jaxpr(lax.batch_matmul)(T, jnp.ones((2, 4, 5)))",
    "jax.make_jaxpr(lambda x: lax.batch_matmul(x, x, 'highest'))(jnp.ones((2, 2)))",
    "jax.make_jaxpr(lax.broadcast_like)(F, M[:, :3]), jax.make_jaxpr(lax.broadcast_like)(2., M)",
    "jax.make_jaxpr(lambda x: lax.broadcast_to_rank(x, 3))(F)",
    "jax.make_jaxpr(lambda x: lax.broadcast_to_rank(x, 1))(F)",
    "jax.make_jaxpr(lambda x: lax.collapse(x, 1))(T)",
    "jax.make_jaxpr(lambda x: lax.collapse(x, 0, 2))(T)",
    "jax.make_jaxpr(lambda x, i: ops.segment_sum(x, i, 3))(F, I)",
    "jax.make_jaxpr(lambda x, i: ops.segment_max(x, i, 3))(F, I)",
    "jax.make_jaxpr(lambda x, i: ops.segment_prod(x, i, 3, indices_are_sorted=True, "
    "unique_indices=True))(F, I)",
    "jax.make_jaxpr(lambda x, i: ops.segment_sum(x, i, 3, mode='clip'))(F, I)",
]

VALUES = [
    "lax.batch_matmul(M, M.T), lax.batch_matmul(T, jnp.ones((2, 4, 5))).shape",
    "lax.broadcast_like(F[:, None], M), lax.broadcast_like(1, M)",
    "lax.broadcast_shapes((3, 1), (4,)), lax.broadcast_shapes((3,)), lax.broadcast_shapes((2, 3), "
    "(3,), ())",
    "lax.broadcast_to_rank(M, 1), lax.broadcast_to_rank(2., 2), lax.broadcast_to_rank(F, 2)",
    "[lax.collapse(T, *a).shape for a in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 3), (-2,), (0, -1),"
    " (1, None), (1, 1), (0, 0), (3,), (0, 9))]",
    "[str(lax.dtype(x)) for x in (2., F, 2, np.int8(1), np.ones(2), True, 1j, jnp.float16)]",
    "[str(lax.dtype(x)) for x in ('int8', np.dtype('bool'), float, F.dtype, np.int16)]",
    "lax.empty((2,), 'int8').shape, lax.shape_as_value((2, 3)), "
    "lax.shape_as_value(())",
    "ops.segment_sum(F, I), ops.segment_sum(F, I, 5), ops.segment_prod(F, I), ops.segment_max(F, I)"
    ", ops.segment_min(I, I), ops.segment_sum(M, I), ops.segment_max(M, I, 4)",
    "ops.segment_sum(F, I - 1, 3), ops.segment_sum(F, I * 9 - 1, 3, mode='clip'), "
    "ops.segment_max(B, I), ops.segment_min(B, I), ops.segment_sum(C, I), ops.segment_max(C, I), "
    "ops.segment_prod(I.astype('int8'), I), ops.segment_max(F.astype('float16'), I, 4)",
    "[f(F, jnp.array([0, 1, 1]), bucket_size=2) for f in (ops.segment_sum, ops.segment_prod, "
    "ops.segment_max, ops.segment_min)], ops.segment_sum(I, I, bucket_size=2)",
    "jax.grad(lambda x: (ops.segment_sum(x, I, 3)**2).sum())(F), jax.grad(lambda x: "
    "ops.segment_max(x, I, 3)[0])(F), jax.grad(lambda x: ops.segment_prod(x, I, 3)[0])(F)",
    "jax.vmap(lambda x: ops.segment_sum(x, I, 3), 1)(M), jax.jit(ops.segment_sum, "
    "static_argnums=2)(F, I, 3)",
    "[jax.dtypes.itemsize_bits(d) for d in ('int8', 'float32', bool, 'int4', 'complex64', "
    "'bfloat16', float)]",
    "[jax.dtypes.scalar_type_of(x).__name__ for x in (2, 2., F, I, B, C, True, 1j, np.int8(3), "
    "F.astype('bfloat16'))]",
    "tree_util.tree_reduce_associative(join, list('abcde')), tree_util.tree_reduce_associative("
    "join, list('abcdefg')), tree_util.tree_reduce_associative(join, [], identity='z'), "
    "tree_util.tree_reduce_associative(join, ['a'], identity='z'), jax.tree.reduce_associative("
    "operator.add, [1, (2, 3)])",
    "[(r.flatten_one_level(x), r.flatten([x]), r.flatten_with_path((x,))) for r in [tree_util."
    "default_registry] for x in ([1, 2], (1,), {'b': 1, 'a': 2}, None, 3)], "
    "tree_util.default_registry.flatten_one_level_with_keys({'b': 1, 'a': 2})",
    "jax.dlpack.from_dlpack(np.arange(3, dtype='float32')), [jax.dlpack.is_supported_dtype(d) for "
    "d in ('float32', 'float64', 'bfloat16', bool, 'int8', 'uint64', 'complex64', 'int4', "
    "'float8_e4m3fn')]",
    "isinstance(F, jax.typing.ArrayLike), isinstance(3.0, jax.typing.ArrayLike), isinstance('a', "
    "jax.typing.ArrayLike), isinstance(np.ones(2), jax.typing.ArrayLike)",
]

REFUSED = [
    "lax.batch_matmul(F, F)",
    "lax.batch_matmul(T, M)",
    "lax.batch_matmul(T, jnp.ones((3, 4, 5)))",
    "lax.broadcast_like(M, F)",
    "lax.broadcast_like(F, M)",
    "lax.broadcast_like([1], M)",
    "lax.broadcast_shapes((3,), (4,))",
    "lax.broadcast_shapes(3, 4)",
    "lax.broadcast_to_rank(F, 1.5)",
    "lax.collapse(T, 2, 1)",
    "lax.collapse(T, 1.5)",
    "lax.dtype([1])",
    "lax.dtype(None)",
    "lax.empty((2,))",
    "ops.segment_sum(F, I[:2])",
    "ops.segment_sum(F, F)",
    "ops.segment_sum([1], [0])",
    "ops.segment_sum(F, I, -1)",
    "ops.segment_sum(F, I, 1.5)",
    "jax.jit(ops.segment_sum)(F, I)",
    "ops.segment_sum(B, I)",
    "ops.segment_sum(F[:0], I[:0])",
    "jax.dtypes.itemsize_bits(None)",
    "jax.dtypes.itemsize_bits('zz')",
    "jax.dtypes.scalar_type_of(None)",
    "tree_util.tree_reduce_associative(join, [])",
    "jax.dlpack.from_dlpack(3)",
    "jax.dlpack.is_supported_dtype('zz')",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
