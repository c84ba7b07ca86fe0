"""The base primitives that move, combine and reduce: values, derivatives, batches, jaxprs, errors.

One line per use: its inputs, and the function. Each is put through every transformation.
"""

A = "jnp.arange(24.).reshape(2, 3, 4)"
B = "jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]])"
V = "jnp.array([1.5, -2.0, 0.25])"

USES = [
    (f"({V},)", "lambda x: lax.broadcast_in_dim(x, (2, 3), (1,))"),
    (f"({V},)", "lambda x: lax.broadcast_in_dim(x, (3, 2), (0,))"),
    (f"({V}[0],)", "lambda x: lax.broadcast_in_dim(x, (2,), ())"),
    (f"({B}[:1],)", "lambda x: lax.broadcast_in_dim(x, (2, 3), (0, 1))"),
    (f"({V},)", "lambda x: lax.broadcast(x, (2, 1))"),
    (f"({V},)", "lambda x: lax.expand_dims(x, (0, 2))"),
    (f"({B},)", "lambda x: lax.reshape(x, (3, 2))"),
    (f"({B},)", "lambda x: lax.reshape(x, (6,))"),
    (f"({B},)", "lambda x: lax.reshape(x, (2, 1, 3))"),
    (f"({B},)", "lambda x: lax.reshape(x, (3, 2), dimensions=(1, 0))"),
    (f"({V}[:1],)", "lambda x: lax.reshape(x, ())"),
    (f"({A}[:1],)", "lambda x: lax.squeeze(x, (0,))"),
    (f"({A}[:1, :, :1],)", "lambda x: lax.squeeze(x, (0, -1))"),
    (f"({B},)", "lambda x: lax.transpose(x, (1, 0))"),
    (f"({A},)", "lambda x: lax.transpose(x, (2, 0, 1))"),
    (f"({A},)", "lambda x: lax.reduce_sum(x, (0,))"),
    (f"({A},)", "lambda x: lax.reduce_sum(x, (1, 2))"),
    (f"({B},)", "lambda x: lax.reduce_sum(x, (0, 1))"),
    (f"({B},)", "lambda x: lax.reduce_sum(x, ())"),
    (f"({B},)", "lambda x: lax.reduce_max(x, (1,))"),
    (f"({B},)", "lambda x: lax.reduce_max(x, (0, 1))"),
    (f"({B},)", "lambda x: lax.reduce_min(x, (0,))"),
    ("(jnp.array([[2.0, 2.0, 1.0], [0.0, 0.0, 0.0]]),)", "lambda x: lax.reduce_max(x, (1,))"),
    ("(jnp.array([[2.0, 1.0, 1.0], [0.0, 0.0, 0.0]]),)", "lambda x: lax.reduce_min(x, (1,))"),
    (f"({B}, {B}.T)", "lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())))"),
    (f"({B}, {V})", "lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())))"),
    (f"({V}, {B})", "lambda x, y: lax.dot_general(x, y, (((0,), (1,)), ((), ())))"),
    (f"({V}, {V})", "lambda x, y: lax.dot_general(x, y, (((0,), (0,)), ((), ())))"),
    (f"({V}, {V})", "lambda x, y: lax.dot_general(x, y, (((), ()), ((), ())))"),
    (f"({A}, {A})", "lambda x, y: lax.dot_general(x, y, (((2,), (2,)), ((0,), (0,))))"),
    (f"({A}, {A})", "lambda x, y: lax.dot_general(x, y, (((2, 0), (2, 0)), ((), ())))"),
    (f"({A}, {B})", "lambda x, y: lax.dot_general(x, y, (((), ()), ((1, 0), (1, 0))))"),
    (f"({B}, {B}.T)", "lax.dot"),
    (f"({V}, {V})", "lax.dot"),
    (f"({B}, {B})", "lambda x, y: lax.concatenate([x, y], 0)"),
    (f"({B}, {B})", "lambda x, y: lax.concatenate([x, y, x], 1)"),
    (f"({V},)", "lambda x: lax.concatenate([x], 0)"),
    (f"({B},)", "lambda x: lax.slice(x, (0, 1), (2, 3))"),
    (f"({B},)", "lambda x: lax.slice(x, (0, 0), (1, 3), (1, 2))"),
    (f"({A},)", "lambda x: lax.slice(x, (1, 0, 1), (2, 3, 4), (1, 2, 3))"),
    (f"({A},)", "lambda x: lax.slice_in_dim(x, 1, 3, axis=2)"),
    (f"({A},)", "lambda x: lax.index_in_dim(x, 1, 0, keepdims=False)"),
    (f"({V}, 2 * {V})", "lambda x, y: lax.select(jnp.array([True, False, True]), x, y)"),
    (f"({V}, 2 * {V})", "lambda x, y: lax.select_n(jnp.array([True, False, True]), x, y)"),
    (f"({V}, 2 * {V}, {V})", "lambda x, y, z: lax.select_n(jnp.array([2, 0, 1]), x, y, z)"),
    (f"({B}, 2 * {B})", "lambda x, y: lax.select_n(x[0, 0] > 0, x, y)"),
    (f"({V},)", "lambda x: lax.convert_element_type(x, 'float16')"),
    (f"({V},)", "lambda x: lax.convert_element_type(x, 'bfloat16')"),
    (f"({V},)", "lambda x: lax.convert_element_type(x, 'complex64')"),
    (f"({V},)", "lambda x: x.copy()"),
]


def use_cases():
    for inputs, function in USES:
        setup = f"f = {function}\nxs = {inputs}\n"
        yield setup + "f(*xs), jax.make_jaxpr(f)(*xs)"
        yield setup + "ts = tuple(x * x + 1 for x in xs)\njax.jvp(f, xs, ts)"
        yield setup + "y, pull = jax.vjp(f, *xs)\ny, pull(y)"
        for axis in (0, "-1"):
            yield setup + (
                f"bs = tuple(jnp.stack([x, x + 1.0], {axis}) for x in xs)\n"
                f"g = jax.vmap(f, {axis}, {axis})\ng(*bs), jax.make_jaxpr(g)(*bs)"
            )
    for inputs, function in USES:
        if ", " in function.partition(":")[0] or function == "lax.dot":
            # The second argument alone is batched, or moves.
            yield (
                f"f = {function}\nx, y, *rest = {inputs}\nbs = jnp.stack([y, y + 1.0], y.ndim)\n"
                "g = jax.vmap(lambda y: f(x, y, *rest), y.ndim, 0)\n"
                "g(bs), jax.make_jaxpr(g)(bs)"
            )
            yield (
                f"f = {function}\nx, y, *rest = {inputs}\n"
                "jax.jvp(lambda y: f(x, y, *rest), (y,), (y,)),"
                " jax.vjp(lambda y: f(x, y, *rest), y)[1](f(x, y, *rest))"
            )


def dtype_cases():
    dtypes = ("bool", "int8", "uint8", "int32", "uint32", "float16", "bfloat16", "float32")
    for old in dtypes:
        values = "[True, False]" if old == "bool" else "[1.75, 0.0]"
        yield f"x = jnp.array({values}).astype('{old}')\n" + (
            f"[lax.convert_element_type(x, new) for new in {(*dtypes, 'complex64')}]"
        )
    # JAX warns of the imaginary part that is lost.
    for new in ("complex64", "float32", "int32", "bool"):
        yield f"lax.convert_element_type(jnp.array([1+2j, 0.5]), '{new}')"
    for dtype in dtypes:
        ones = f"x = jnp.ones((2, 3), '{dtype}')\n"
        yield ones + "lax.reduce_max(x, (0,)), lax.reduce_min(x, (1,)), x[0:2, 1:3]"
        yield ones + "lax.dot_general(x, x, (((1,), (1,)), ((), ())))"
        yield ones + "jax.make_jaxpr(lambda x: lax.dot(x, x.T))(x)"
        yield f"lax.iota('{dtype}', 4)"
        yield f"lax.broadcasted_iota('{dtype}', (2, 3), 1)"
        yield ones + "lax.concatenate([x, x[:0], x], 0)"
        yield ones + "lax.select(x > x, x, x), lax.broadcast_in_dim(x, (1, 2, 3), (1, 2))"
        yield ones[:-1] + "[:0]\nlax.transpose(x, (1, 0)), lax.reshape(x, (0,)), lax.squeeze(x, ())"
    for dtype in dtypes[1:]:
        yield f"[lax.reduce_sum(jnp.ones((n, 2), '{dtype}'), (0,)) for n in (0, 3)]"
    yield "lax.reduce_max(jnp.zeros((2, 3)), (0,)), lax.reduce_max(jnp.zeros((0, 2)), (0,))"
    yield "lax.reduce_min(jnp.zeros((0, 2), 'int32'), (0,))"
    yield "lax.reduce_max(jnp.zeros((0,), bool), (0,))"
    yield "lax.reduce_max(jnp.array([1.0, math.nan, 2.0]), (0,))"
    yield "lax.dot_general(jnp.ones((2, 0)), jnp.ones((0, 3)), (((1,), (0,)), ((), ())))"
    yield "x = jnp.ones((2, 2), 'int8')\nlax.dot(x, x, preferred_element_type='int32')"
    yield "x = jnp.ones((2, 2), 'float16')\nlax.dot(x, x, preferred_element_type='float32')"


SMALL = [
    "lax.full((2,), 3)",
    "lax.full((2,), 3.0, 'int32')",
    "lax.full_like(jnp.ones(2), 3)",
    "lax.full_like(jnp.ones(2, 'int32'), 3.5)",
    "jax.make_jaxpr(lambda: lax.full((2, 3), 1.0))()",
    "jax.make_jaxpr(lambda: lax.iota('int32', 3))()",
    "jax.make_jaxpr(lambda: lax.broadcasted_iota('float32', (2, 3), 1))()",
    "jax.make_jaxpr(lambda x: lax.convert_element_type(x, 'float32'))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.convert_element_type(x, 'float32'))(1.0)",
    "jax.make_jaxpr(lambda x: lax.convert_element_type(x, 'int32'))(jnp.ones(2))",
    "lax.convert_element_type(1.0, 'float32'), lax.convert_element_type(1, float)",
    "jax.make_jaxpr(lambda x: lax.reshape(x, (2,)))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.transpose(x, (0, 1)))(jnp.ones((2, 2)))",
    "jax.make_jaxpr(lambda x: lax.broadcast_in_dim(x, (2,), (0,)))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.squeeze(x, ()))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.slice(x, (0,), (2,)))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.slice(x, (0,), (2,), (1,)))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.concatenate([x], 0))(jnp.ones(2))",
    "jax.make_jaxpr(lambda x: lax.reduce_sum(x, ()))(jnp.ones(2))",
    "lax.reciprocal(jnp.array([1.0, 2.0])), lax.square(jnp.array([1.0, -2.0]))",
    "[str(p) for p in (lax.sin_p, lax.add_p, lax.reduce_sum_p, lax.dot_general_p, lax.and_p)]",
    "[repr(p) for p in (lax.select_n_p, lax.convert_element_type_p, lax.broadcast_in_dim_p)]",
]

ERRORS = [
    "lax.broadcast_in_dim(jnp.ones(3), (2, 2), (1,))",
    "lax.broadcast_in_dim(jnp.ones(3), (2, 3), (2,))",
    "lax.broadcast_in_dim(jnp.ones((2, 3)), (2, 3), (1, 0))",
    "lax.broadcast_in_dim(jnp.ones(3), (2, 3), ())",
    "lax.reshape(jnp.ones(4), (-2, -2))",
    "lax.squeeze(jnp.ones((1, 2)), (1,))",
    "lax.squeeze(jnp.ones((1, 2)), (2,))",
    "lax.squeeze(jnp.ones((1, 2)), (0, 0))",
    "lax.transpose(jnp.ones((2, 3)), (0,))",
    "lax.transpose(jnp.ones((2, 3)), (0, 0))",
    "lax.reduce_sum(jnp.ones((2, 3)), (2,))",
    "lax.reduce_sum(jnp.ones((2, 3)), (0, 0))",
    "lax.dot_general(jnp.ones((2, 3)), jnp.ones((2, 3)), (((1,), (0,)), ((), ())))",
    "lax.dot_general(jnp.ones((2, 3)), jnp.ones((3, 3)), (((), ()), ((0,), (0,))))",
    "lax.dot_general(jnp.ones((2, 3)), jnp.ones((3, 3)), (((2,), (0,)), ((), ())))",
    "lax.dot(jnp.ones((2, 3)), jnp.ones((2, 3)))",
    "lax.concatenate([], 0)",
    "lax.concatenate([jnp.ones(2), jnp.ones((2, 2))], 0)",
    "lax.concatenate([jnp.ones((2, 2)), jnp.ones((2, 3))], 0)",
    "lax.concatenate([jnp.ones(2), jnp.ones(2, 'int32')], 0)",
    "lax.concatenate([jnp.ones(2), jnp.ones(2)], 1)",
    "lax.slice(jnp.ones(3), (0,), (4,))",
    "lax.slice(jnp.ones(3), (2,), (1,))",
    "lax.select(jnp.array([True, False]), jnp.ones(3), jnp.ones(3))",
    "lax.select(jnp.array([True, False]), jnp.ones(2), jnp.ones(3))",
    "lax.select(jnp.array([True, False]), jnp.ones(2), jnp.ones(2, 'int32'))",
    "lax.select(jnp.ones(2), jnp.ones(2), jnp.ones(2))",
    "lax.select_n(jnp.array([0, 1]))",
    "lax.select_n(jnp.array([True, False]), *[jnp.ones(2)] * 3)",
    "lax.iota('float32', -1)",
    "lax.iota('bool', 2)",
    "lax.broadcasted_iota('int32', (2, 3), 2)",
    "lax.convert_element_type(jnp.ones(2), 'nonsense')",
    "lax.integer_pow(jnp.ones(2, 'int32'), -1)",
]

CASES = [*use_cases(), *dtype_cases(), *SMALL, *ERRORS]
