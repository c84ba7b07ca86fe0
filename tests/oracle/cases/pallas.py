"""Pallas in interpret form: grids, blocks, memory that nobody wrote, transformations, texts."""

SETUP = """\
import importlib
pl = importlib.import_module(f'{jax.__name__}.experimental.pallas')
S, B, E = jax.ShapeDtypeStruct, pl.BlockSpec, pl.Element
f32, i32 = jnp.float32, jnp.int32
X = jnp.arange(8.0)
M = jnp.arange(24.0).reshape(4, 6)

def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]

def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2

def sine(x_ref, o_ref):
    o_ref[...] = jnp.sin(x_ref[...])

def product(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * y_ref[...]

def places(o_ref, base=10):
    n = len(o_ref.shape)
    o_ref[...] = jnp.full(o_ref.shape, base * pl.program_id(0) + pl.program_id(1))

def place(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 10 * pl.program_id(0) + 100 * pl.num_programs(0)

def total(x_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...].sum(axis=1)

def matmul(x_ref, y_ref, z_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        z_ref[...] = jnp.zeros_like(z_ref)
    z_ref[...] += x_ref[...] @ y_ref[...]

def counting(o_ref, s_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        s_ref[...] = jnp.zeros(2, jnp.int32)
    s_ref[...] = s_ref[...] + 1
    o_ref[...] = s_ref[...]

def call(kernel, shape, dtype=f32, **how):
    return pl.pallas_call(kernel, S(shape, dtype), interpret=True, **how)

def blocks(kernel, n=4, **how):
    spec = B((n,), lambda i: (i,))
    return call(kernel, (8,), grid=(8 // n,), in_specs=[spec], out_specs=spec, **how)

def sized(kernel, n=4, more=()):
    spec = B((2,), lambda i, *_: (i,))
    return call(kernel, (8,), grid=(n, *more), in_specs=[spec], out_specs=spec)

def shown(shape, block, grid, index_map=lambda i, j: (i, j)):
    return call(places, shape, i32, grid=grid, in_specs=[], out_specs=B(block, index_map))()

def body(kernel):
    return lambda *args: call(kernel, (8,))(*args)
"""

VALUES = [
    "call(copy, (8,))(X)",
    "call(copy, ())(3.0)",
    "blocks(double)(X), blocks(double, 2)(X), jax.jit(blocks(double))(X)",
    "call(double, (8,), grid=(2,), in_specs=[B((4,), lambda i: 1 - i)], "
    "out_specs=B((4,), lambda i: i))(X)",
    "call(copy, (4, 6), grid=2, in_specs=[B((2, 6), lambda i: (i, 0))], "
    "out_specs=B((2, 6), lambda i: [i, 0]))(M)",
    "call(copy, (6, 4), grid=(2, 3), in_specs=[B((2, 2), lambda i, j: (i, j))], "
    "out_specs=B((2, 2), lambda i, j: (j, i)))(M)",
    "shown((8, 6), (2, 3), (4, 2))", "shown((7, 5), (2, 3), (4, 2))", "shown((1, 2), (2, 3), (1, 1))",  # noqa: E501
    "shown((8, 6), (2, 3), (4, 2), lambda i, j: (3 - i, 1 - j))",
    "shown((4, 4), None, (2, 3), None)", "shown((4, 4), (4, 4), (2, 3), None)",
    "shown((8, 6), (2, 3), (4, 2, 3), lambda i, j, k: (i, j))",
    "shown((8, 6), (2, 3), (4, 2), lambda i, j: (0, j))",
    "shown((8, 6), (E(2), E(3)), (4, 2), lambda i, j: (2 * i, 3 * j))",
    "shown((7, 7), (E(2, (1, 0)), E(3, (2, 0))), (4, 3), lambda i, j: (2 * i, 3 * j))",
    "shown((8, 6), (E(2), 3), (4, 2), lambda i, j: (2 * i, j))",
    "shown((8, 6), (pl.Blocked(2), pl.Blocked(3)), (4, 2))",
    "call(lambda o: o.__setitem__(..., jnp.full((2,), 10 * pl.program_id(1) + pl.program_id(0))), "
    "(3, 4), i32, out_specs=B((None, 2), lambda i, j: (i, j)), grid=(3, 2))()",
    "call(lambda x, o: o.__setitem__(..., x[...].sum()), (4,), grid=(4,), "
    "in_specs=[B((pl.squeezed, 6), lambda i: (i, 0))], out_specs=B((pl.Squeezed(),), lambda i: i))(M)",  # noqa: E501
    "call(copy, (4, 4), grid=(4,), in_specs=[B((E(4, (1, 2)),), lambda i: (i,))], "
    "out_specs=B((None, 4), lambda i: (i, 0)))(X[:4])",
    "call(copy, (10, 4), grid=(10,), in_specs=[B((E(4),), lambda i: (i,))], "
    "out_specs=B((None, 4), lambda i: (i, 0)))(X[:7])",
    "call(copy, (4, 4), grid=(4,), in_specs=[B((E(4),), lambda i: (i - 2,))], "
    "out_specs=B((None, 4), lambda i: (i, 0)))(X)",
    # Memory that nobody has written to, and what lies outside of an array.
    *(f"call(lambda x, o: None, (3,), '{t}')(X)"
      for t in ("float32", "float16", "bfloat16", "int32", "uint8", "int8", "bool")),
    *(f"call(copy, (8,), '{t}', grid=(2,), in_specs=[B((4,), lambda i: i)], "
      f"out_specs=B((4,), lambda i: i))(jnp.ones(5, '{t}'))"
      for t in ("float32", "bfloat16", "int32", "uint8", "bool")),
    "call(copy, (8,), grid=(1,), in_specs=[B((4,), lambda i: i)], out_specs=B((4,), lambda i: i))(X)",  # noqa: E501
    "call(copy, (3,), grid=(1,), in_specs=[B((4,), lambda i: i)], "
    "out_specs=B((4,), lambda i: i))(X[:3])",
    "call(copy, (8,), grid=(4,), in_specs=[B((4,), lambda i: i)], out_specs=B((4,), lambda i: i))(X)",  # noqa: E501
    "call(copy, (8,), grid=(2,), in_specs=[B((4,), lambda i: -i)], "
    "out_specs=B((4,), lambda i: i))(X)",
    "call(copy, (8,), grid=(0,))(X), call(copy, (8,), grid=(-2,))(X)",
    # What goes from one program to the next.
    "call(total, (4,), grid=(2, 3), in_specs=[B((2, 2), lambda i, k: (i, k))], "
    "out_specs=B((2,), lambda i, k: i))(M)",
    "call(matmul, (4, 4), grid=(2, 2, 3), in_specs=[B((2, 2), lambda i, j, k: (i, k)), "
    "B((2, 2), lambda i, j, k: (k, j))], out_specs=B((2, 2), lambda i, j, k: (i, j)))(M, M.T)",
    "call(matmul, (4, 4), grid=(1, 2, 3), in_specs=[B((4, 2), lambda i, j, k: (0, k)), "
    "B((2, 2), lambda i, j, k: (k, j))], out_specs=B((4, 2), lambda i, j, k: (0, j)))(M, M.T)",
    "call(counting, (8,), i32, out_specs=B((2,), lambda i: i), grid=(4,), "
    "scratch_shapes=[pl.ANY((2,), i32)])()",
    "def k(x, o):\n    o[...] = x[...]\n    x[...] = x[...] + 10\n"
    "call(k, (8,), grid=(2,), in_specs=[B((4,), lambda i: 0)], out_specs=B((4,), lambda i: i))(X), X",  # noqa: E501
    "call(lambda x, o: o.__setitem__(..., o[...] + x[...]), (4,), i32, grid=(2,), "
    "in_specs=[B((4,), lambda i: i)], out_specs=B((4,), lambda i: 0))(jnp.arange(8))",
    "call(lambda x, o: o.__setitem__(0, 7.0), (8,), input_output_aliases={0: 0})(X), X",
    "call(lambda x, o: o.__setitem__(..., o[...] + x[...]), (8,), grid=(4,), "
    "in_specs=[B((4,), lambda i: i % 2)], out_specs=B((4,), lambda i: i % 2), "
    "input_output_aliases={0: 0})(X)",
    # Trees, several outputs, scratch memory, specs in one object.
    "call(lambda x, o: o.__setitem__(..., x['a'][...]), (8,))({'a': X})",
    "pl.pallas_call(lambda x, o: o['a'].__setitem__(..., x[...]), {'a': S((8,), f32)}, "
    "interpret=True)(X)",
    "def k(x, o, p):\n    o[...] = x[...]\n    p[...] = x[...] + 1\n"
    "[pl.pallas_call(k, t((S((8,), f32), X)), interpret=True)(X) for t in (list, tuple)]",
    "call(lambda x, o: copy(x['a'], o), (8,), grid=(2,), in_specs=[{'a': B((4,), lambda i: i)}], "
    "out_specs=B((4,), lambda i: i))({'a': X})",
    "def k(x, o, *, s):\n    s[...] = x[...]\n    o[...] = s[...] + 1\n"
    "call(k, (8,), scratch_shapes={'s': pl.ANY((8,), f32)})(X)",
    "call(lambda x, o, s: o.__setitem__(..., s[...]), (3,), i32, "
    "scratch_shapes=[pl.MemorySpace.ANY((3,), i32)])(X)",
    "spec = pl.GridSpec(grid=(2,), in_specs=[B((4,), lambda i: i)], out_specs=B((4,), lambda i: i))\n"  # noqa: E501
    "call(double, (8,), grid_spec=spec)(X)",
    "call(copy, (8,), in_specs=[B(memory_space=pl.ANY)], out_specs=B(memory_space=pl.ANY))(X)",
    "call(copy, (8,), grid=(2,), out_specs=B((8,), lambda i: 0))(X)",
    # Loops, branches and calls in kernels.
    "def k(x, o):\n    o[0] = lax.fori_loop(0, 8, lambda i, c: c + x[i], 0.0)\n    o[1:] = x[1:]\n"
    "call(k, (8,))(X)",
    "def k(x, o):\n    def step(i):\n        o[i] = x[i] * 2\n        return i + 1\n"
    "    o[...] = jnp.zeros(8)\n    lax.while_loop(lambda i: i < 4, step, 0)\ncall(k, (8,))(X)",
    "def k(x, o):\n    o[...] = jnp.zeros(8)\n    @pl.loop(0, 8, step=3)\n    def _(i):\n"
    "        o[i] = x[i] * 2\ncall(k, (8,))(X)",
    "def k(x, o):\n    o[...] = jnp.zeros(8)\n    @pl.loop(0, pl.program_id(0) + 3)\n    def _(i):\n"  # noqa: E501
    "        o[i] = x[i] * 2\ncall(k, (8,), grid=(1,))(X)",
    "def k(x, o):\n    @pl.loop(0, 8, init_carry=0.0)\n    def t(i, c):\n        return c + x[i]\n"
    "    o[...] = jnp.full(8, t)\ncall(k, (8,))(X)",
    "call(lambda x, o: o.__setitem__(..., lax.cond(x[0] > 0, lambda: x[...], lambda: -x[...])), "
    "(8,))(X)",
    "call(lambda x, o: jax.jit(copy)(x, o), (8,))(X)",
    "def k(x, o):\n    def f(s):\n        s[...] = x[...]\n        o[...] = s[...] + 1\n"
    "    pl.run_scoped(f, pl.ANY((8,), f32))\ncall(k, (8,))(X)",
    "call(lambda x, o: o.__setitem__(..., x[pl.ds(pl.program_id(0) + 4, 6)]), (6,), grid=(1,))(X)",
    "call(lambda x, o: o.__setitem__(pl.ds(pl.program_id(0) + 4, 6), x[:6]), (8,), grid=(1,))(X)",
    "def k(x, o):\n    a, b = x.at[:4], x.at[4:]\n    o.at[:4][:2] = a[:2] + b[2:]\n"
    "    o.at[4:][...] = b[...]\n    o[2:4] = a[2:]\ncall(k, (8,))(X)",
    "call(lambda x, o: o.__setitem__(..., call(double, (8,))(x[...])), (8,))(X)",
    "call(lambda x, o: o.__setitem__(..., x[...] + jnp.float32(3)), (8,))(X)",
    # Grids of traced sizes.
    "[jax.jit(lambda x, n: sized(place, n)(x))(X, n) for n in (4, 3, 0)]",
    "jax.jit(lambda x, n: sized(place, 4, (n,))(x))(X, 2)",
    "sized(place, jnp.int32(4))(X)",
    "def f(refs):\n    a, b = refs\n    a[...] = a[...] + b[0]\n    b[1] = 7.0\n"
    "pl.run_state(f)((X, X * 2)), jax.jit(pl.run_state(f))((X, X * 2)), "
    "pl.run_state(lambda r: r['a'].__setitem__(0, 5.0))({'a': X})",
    "def k(x, o):\n    @pl.with_scoped(pl.ANY((8,), f32))\n    def f(x, s):\n        s[...] = x[...]\n"  # noqa: E501
    "        o[...] = s[...] + 1\n    f(x)\ncall(k, (8,))(X)",
    "call(copy, (8,), in_specs=[B((8,), pipeline_mode=pl.Buffered(1))])(X)",
    "def k(x, o):\n    pl.debug_check(False, 'no')\n    o[...] = x[...]\ncall(k, (8,))(X)",
]

TRANSFORMED = [
    "jax.vmap(blocks(place))(jnp.zeros((3, 8)))", "jax.vmap(blocks(place), 1, 1)(jnp.zeros((8, 3)))",  # noqa: E501
    "jax.vmap(jax.vmap(blocks(place)))(jnp.zeros((2, 1, 8)))",
    "jax.jit(jax.vmap(blocks(place)))(jnp.zeros((3, 8)))",
    "jax.vmap(call(product, (8,)), (0, None))(jnp.ones((3, 8)), X)",
    "jax.vmap(lambda x: call(product, (8,))(X, X) + x)(jnp.ones((3,)))",
    "jax.vmap(call(lambda x, o: o.__setitem__(0, 7.0), (8,), input_output_aliases={0: 0}), 1)"
    "(jnp.ones((8, 3)))",
    "jax.jvp(blocks(sine), (X,), (X + 1,))",
    "jax.jvp(jax.vmap(blocks(sine)), (jnp.ones((2, 8)),), (jnp.ones((2, 8)),))",
    "jax.vmap(lambda x: jax.jvp(blocks(sine), (x,), (X,)))(jnp.ones((2, 8)))",
    "jax.jit(lambda x, t: jax.jvp(blocks(sine), (x,), (t,)))(X, X)",
    "jax.jvp(call(product, (8,)), (X, X), (X, X))",
    "jax.jit(lambda x, n: jax.vmap(sized(place, n))(x))(jnp.ones((3, 8)), 3)",
    "jax.vmap(lambda x, n: sized(copy, n)(x))(jnp.ones((3, 8)), jnp.arange(3) + 2)",
    "raised(jax.jit(lambda x, n: jax.jvp(sized(sine, n), (x,), (x,))), X, 3)",
    "lax.scan(lambda c, _: (blocks(sine)(c), None), X, None, length=2)[0]",
    "lax.cond(True, blocks(double), lambda x: x, X)",
    "jax.eval_shape(blocks(double), X)",
    "raised(jax.grad(lambda x: blocks(sine)(x).sum()), X), raised(jax.linearize, blocks(sine), X)",
]

TEXTS = [
    "jax.make_jaxpr(call(double, (8,)))(X)", "jax.make_jaxpr(blocks(double))(X)",
    "jax.make_jaxpr(blocks(place))(X)", "jax.make_jaxpr(jax.vmap(blocks(place)))(jnp.zeros((2, 8)))",  # noqa: E501
    "jax.make_jaxpr(jax.vmap(call(product, (8,)), (0, None)))(jnp.ones((3, 8)), X)",
    "jax.make_jaxpr(lambda x, t: jax.jvp(blocks(sine), (x,), (t,)))(X, X)",
    "jax.make_jaxpr(call(lambda x, o: o.__setitem__(..., x[...].sum()), (4,), grid=(4,), "
    "in_specs=[B((None, 6), lambda i: (i, 0))], out_specs=B((None,), lambda i: i)))(M)",
    "jax.make_jaxpr(call(total, (4,), grid=(2, 3), in_specs=[B((2, 2), lambda i, k: (i, k))], "
    "out_specs=B((2,), lambda i, k: i)))(M)",
    "jax.make_jaxpr(call(copy, (8,), in_specs=[B(memory_space=pl.ANY)], "
    "out_specs=B(memory_space=pl.ANY), name='mine'))(X)",
    "jax.make_jaxpr(call(counting, (8,), i32, out_specs=B((2,), lambda i: i), grid=(4,), "
    "scratch_shapes=[pl.ANY((2,), i32)]))()",
    "jax.make_jaxpr(call(lambda x, o: o.__setitem__(0, 7.0), (8,), input_output_aliases={0: 0}))(X)",  # noqa: E501
    "jax.make_jaxpr(call(copy, (8,), cost_estimate=pl.CostEstimate(1, 2, 3)))(X)",
    "def k(x, o):\n    @pl.loop(0, 8, step=2)\n    def _(i):\n        o[i] = x[i] * 2\n"
    "jax.make_jaxpr(call(k, (8,)))(X)",
    "jax.make_jaxpr(call(copy, ()))(3.0)",
    "jax.make_jaxpr(lambda x, n: sized(double, n)(x))(X, 3)",
    "repr(pl.BlockSpec()), repr(pl.BlockSpec((None, pl.Blocked(3), pl.Element(2, (1, 0)))))",
    "pl.BlockSpec((4,)) == pl.BlockSpec((4,)), repr(pl.no_block_spec), repr(pl.squeezed)",
    "list(map(repr, pl.MemorySpace)), repr(pl.ANY((3,), f32)), str(pl.HOST)",
    "pl.GridSpec(grid=2).grid, pl.GridSpec((2, 3)).grid, repr(pl.CostEstimate(1, 2, 3))",
]

NUMBERS = [
    "[pl.cdiv(a, b) for a, b in ((7, 2), (8, 2), (-7, 2), (7, -2))]",
    "jax.make_jaxpr(lambda x: pl.cdiv(x, 2))(7), pl.cdiv(jnp.int32(7), 2)",
    "[pl.next_power_of_2(n) for n in (0, 1, 2, 3, 8, 9)], pl.align_to(7, 4), pl.align_to(8, 4)",
    "pl.strides_from_shape((2, 3, 4)), pl.strides_from_shape(())",
    "[repr(x) for x in (pl.ds(2, 3), pl.ds(2), pl.dslice(1, 2, 3), pl.ds(None), pl.Slice(1, 2))]",
    "ran = []\nfor c in (True, False, 1, 0, jnp.array(True), jnp.int32(0)):\n"
    "    pl.when(c)(lambda: ran.append(1))\nlen(ran) > 0",
    "pl.loop(0, 4, init_carry=1)(lambda i, c: c + i), pl.loop(0, 4)(lambda i: None)",
    "pl.loop(0, 4, step=-1)(lambda i: None), pl.loop(0, 4, unroll=2)(lambda i: None)",
    "jax.make_jaxpr(lambda: pl.loop(0, 8, init_carry=0)(lambda i, c: c + i))()",
    "jax.jit(lambda n, s: pl.loop(1, n, step=s, init_carry=0)(lambda i, c: c + i))(8, 3)",
    "pl.empty((3,), f32), pl.empty_like(X)",
    "pl.Buffered(2), pl.Buffered(2, True, pl.RevisitMode.ANY), list(pl.RevisitMode)",
    "pl.broadcast_to(X[:3], (2, 3)), pl.broadcast_to(f32(3), [2, 2]), "
    "raised(pl.broadcast_to, M, (3,))",
    "pl.ANY.from_type(jax.typeof(X)), pl.ANY((3,), f32).shape, pl.ANY((3,), f32).get_ref_aval()",
    "[str(x) for x in (E(3), E(3, (1, 2)), pl.Blocked(2), pl.BoundedSlice(2), pl.Indirect(4))]",
    "pl.estimate_cost(lambda a, b: jnp.sin(a @ b) + 1, M, M.T)",
    "pl.estimate_cost(lambda a: jax.nn.softmax(a) ** 3, S((3, 4), f32))",
    "pl.estimate_cost(lambda a, *, k: jax.jit(lambda b: -b / k)(a) ** 7, S((3, 4), 'bfloat16'), k=2)",  # noqa: E501
    "pl.estimate_cost(lambda t: (t['a'] > t['b'], jnp.einsum('i,i', *t.values())), {'a': X, 'b': X})",  # noqa: E501
    "isinstance(3, pl.CompilerParams)",
]

CASES = [*VALUES, *TRANSFORMED, *TEXTS, *NUMBERS]
