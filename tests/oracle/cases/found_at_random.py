"""What random programs (tests/program_texts.py) have found: a few cases for each cause."""

SETUP = """\
B = jnp.array([True, False, True])
E = jnp.zeros((0, 3))
ROWS = lax.ScatterDimensionNumbers((1,), (0,), (0,))

def put(op, ids, mode):
    places = jnp.array(ids, 'int32')[:, None]
    return lambda x, u: op(x, places, u, ROWS, mode=mode)

def x64(f, *args):
    with jax.enable_x64(True):
        return f(*args)
"""
CASES = [
    *(f"x64(lambda: (jnp.{name}(B, B | True), jnp.{name}(True, True)))"
      for name in ("left_shift", "right_shift", "floor_divide", "remainder", "fmod", "divmod")),
    "x64(lambda: (B << B, B >> True, B // (B | True), jnp.square(B), jnp.bitwise_count(B)))",
    *(f"put(lax.{name}, {ids}, '{mode}')(E, jnp.ones(({len(ids)}, 3)))"
      for name in ("scatter", "scatter_add", "scatter_mul", "scatter_min")
      for ids, mode in (([0, -1], "drop"), ([5], "clip"), ([0], "promise_in_bounds"))),
    "jax.jit(put(lax.scatter_add, [0, 5], 'clip'))(E, jnp.ones((2, 3)))",
    "jax.vmap(put(lax.scatter_add, [0, 5], 'clip'))(jnp.zeros((2, 0, 3)), jnp.ones((2, 2, 3)))",
    "lax.gather(E, jnp.array([[0]]), lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 3))",
    "lax.broadcasted_iota('float32', (2, 3), -1)",
    "lax.broadcasted_iota('float32', (2, 3), 2)",
    "jax.make_jaxpr(lambda x: jnp.where(x > 0, x, 0.0))(E)",
    "jnp.where(E > 0, E, 0), jnp.where(E > 0, 1, E.astype('int8'))",
    "jax.make_jaxpr(lambda x: x.at[jnp.array([-1, 0])].add(1))(jnp.zeros((0, 3), 'uint8'))",
]  # fmt: skip
