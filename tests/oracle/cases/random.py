"""Random numbers: uniform, normal, bernoulli and randint, their jaxprs, derivatives and errors."""

SETUP = """\
k = random.key(0)
ks = random.split(random.key(3), 3)
r = random.PRNGKey(0)
rs = random.split(r, 3)
F = jnp.arange(3.0)
I = jnp.arange(3)

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)
"""
SHAPES = "((), (0,), (4,), (2, 3))"
SAMPLERS = {  # one call of each, with a place for the key
    "uniform": "random.uniform({}, (3,))",
    "normal": "random.normal({}, (3,))",
    "bernoulli": "random.bernoulli({}, 0.4, (3,))",
    "randint": "random.randint({}, (3,), -5, 50)",
}
FLOATS = (
    *(f"with jax.threefry_partitionable({setting}):\n"
      f"    out = [random.{name}(k, shape, '{dtype}') for shape in {SHAPES}]\nout"
      for name in ("uniform", "normal") for setting in (True, False)
      for dtype in ("float32", "float16", "bfloat16")),
    *(f"with jax.enable_x64(True), jax.threefry_partitionable({setting}):\n"
      f"    out = [random.{name}(k, shape) for shape in {SHAPES}], random.{name}(k, 2, 'float32')\n"
      f"out"
      for name in ("uniform", "normal") for setting in (True, False)),
    "random.uniform(k), random.uniform(r), random.uniform(k, 2), random.uniform(k, [1, 2]),"
    " random.uniform(k, (2,), float), random.uniform(key=k, shape=(1,), dtype=jnp.bfloat16)",
    "random.uniform(k, (3,), minval=-1, maxval=2), random.uniform(k, (3,), minval=3.0, maxval=1.0)",
    "random.uniform(k, (2, 3), minval=F, maxval=jnp.array([[5.0], [7.0]])),"
    " random.uniform(k, (3,), 'bfloat16', F, 4), random.uniform(k, (3,), minval=True, maxval=2)",
    "random.uniform(k, (2,), 'float16', -np.float32(1), I[2]), random.uniform(k, (2,),"
    " maxval=-1e30)",
    "random.normal(k), random.normal(r), random.normal(k, 2), random.normal(key=k, shape=[1, 2])",
    "x = random.normal(k, (5000,))\nround(float(x.mean()), 4), round(float(x.std()), 4), x.max()",
    "random.normal(k, (3,), 'complex64'), random.normal(k, (), complex), random.normal(r, 1, 'c8')",
    "with jax.enable_x64(True):\n    out = random.normal(k, (2,), complex)\nout",
    "random.uniform(k, (2,), 'float64'), random.normal(k, (2,), 'complex128')",
)
BOOLS = (
    *(f"with jax.threefry_partitionable({setting}):\n"
      "    out = random.bernoulli(k), random.bernoulli(k, 0.3, (20,)),"
      " random.bernoulli(k, 0.3, (20,), 'high')\nout" for setting in (True, False)),
    "with jax.enable_x64(True):\n    out = random.bernoulli(k, 0.3, (20,)),"
    " random.bernoulli(k, np.float32(0.3), (20,), mode='high')\nout",
    "random.bernoulli(k, jnp.array([0.0, 1.0, 0.5])), random.bernoulli(k, F / 3, (3, 3)),"
    " random.bernoulli(r, 0.3, (0,)), random.bernoulli(r, 0.6, 4), random.bernoulli(k, shape=[2])",
    "random.bernoulli(k, np.float16(0.5), (8,)), random.bernoulli(k, jnp.bfloat16(0.5), (8,)),"
    " random.bernoulli(k, 2.0), random.bernoulli(k, -1.0), random.bernoulli(k, math.nan)",
    "random.bernoulli(k, 1e-9, (50,)).sum(), random.bernoulli(k, 1e-9, (50,), mode='high').sum()",
)
RANGES = (
    "((0, 10), (-3, 3), (5, 6), (5, 5), (5, 2), (-2**31, 2**31 - 1), (0, 2**31 - 1), (0, 65537))"
)
NARROW = {
    "int8": "((0, 10), (-128, 128), (-1000, 1000), (100, 300), (127, 127))",
    "uint8": "((0, 10), (0, 256), (0, 300), (-5, 5), (300, 400))",
    "int16": "((-10, 10), (-2**15, 2**15), (0, 2**20))",
    "uint16": "((0, 1000), (0, 2**16), (-7, 2**20))",
    "uint32": "((0, 10), (0, 2**31 - 1), (0, np.uint32(2**32 - 1)), (-4, 4), (7, 7))",
}
INTEGERS = (
    *(f"with jax.threefry_partitionable({setting}):\n"
      f"    out = [random.randint(k, (4,), a, b) for a, b in {RANGES}]\nout"
      for setting in (True, False)),
    *(f"[random.randint(k, (4,), a, b, '{dtype}') for a, b in {ranges}]"
      for dtype, ranges in NARROW.items()),
    "with jax.enable_x64(True):\n    out = [random.randint(k, (4,), a, b) for a, b in ((0, 10),"
    " (0, 2**40), (0, 2**63 - 1), (-2**63, 2**63 - 1), (3, 3))]\nout",
    "with jax.enable_x64(True):\n    out = [random.randint(k, (4,), 0, b, d) for b, d in ((2**31,"
    " 'int32'), (2**40, 'int32'), (2**32, 'uint32'), (2**63 - 1, 'uint64'), (300, 'uint8'))]\nout",
    f"[random.randint(k, shape, 0, 100) for shape in {SHAPES}], random.randint(r, 2, 0, 100),"
    " random.randint(k, [1, 2], minval=0, maxval=9), random.randint(k, (2,), 0, 10, int)",
    "random.randint(k, (3,), I, 10), random.randint(k, (2, 3), 0, jnp.array([[5], [50]])),"
    " random.randint(k, (3,), I - 5, I + 5, 'int8'), random.randint(k, (2, 3), I, 10 * I[:,"
    " None][:2])",
    "random.randint(k, (3,), np.uint32(5), np.int8(10)), random.randint(k, (3,), 0.5, 10.9),"
    " random.randint(k, (3,), True, 10), random.randint(k, (3,), 0, np.uint32(2**31))",
    "random.randint(k, (2,), 0, 10, 'int64')",
    "x = random.randint(k, (600,), 0, 6)\n[(x == i).sum() for i in range(6)]",
)
JAXPRS = (
    *(f"show(lambda x: {call.format('x')}, {key})" for call in SAMPLERS.values() for key in "kr"),
    *(f"f = jax.vmap(lambda x: {call.format('x')})\nf(ks), f(rs), show(f, ks)"
      for call in SAMPLERS.values()),
    *(f"f = jax.vmap(lambda x, y: {call.format('x')}, in_axes=(None, 0))\nf(k, F), show(f, k, F)"
      for call in SAMPLERS.values()),
    *(f"f = jax.jit(lambda x: {call.format('x')})\nf(k), f(r), show(f, k)"
      for call in SAMPLERS.values()),
    *(f"with jax.enable_x64(True):\n    out = show(lambda x: {call.format('x')}, k)\nout"
      for call in SAMPLERS.values()),
    *(f"f = jax.vmap(jax.vmap(lambda x: {call.format('x')}), in_axes=1)\n"
      "f(random.split(k, (2, 3))).shape, show(f, random.split(k, (2, 3)))"
      for call in ("random.uniform({}, (2,))", "random.normal({})")),
    "show(random.uniform, k), show(random.uniform, r), show(lambda x: random.uniform(x, (2, 3)),"
    " k)",
    "show(lambda x: random.uniform(x, (2,), minval=-1, maxval=2), k),"
    " show(lambda x, a: random.uniform(x, (2,), minval=a), k, 0.5)",
    "show(lambda x, a, b: random.uniform(x, (2, 3), minval=a, maxval=b), k, F, jnp.ones((2, 1)))",
    *(f"show(lambda x: random.{name}(x, (2,), '{dtype}'), k)"
      for name in ("uniform", "normal") for dtype in ("bfloat16", "float16")),
    "f = jax.vmap(lambda x, a: random.uniform(x, (2,), minval=a))\nf(ks, F), show(f, ks, F)",
    "f = jax.vmap(lambda x, a: random.uniform(x, (2,), minval=a), in_axes=(None, 0))\n"
    "f(k, F), show(f, k, F)",
    "f = jax.vmap(lambda x, a: random.uniform(x, (2,), maxval=a), in_axes=(0, None))\n"
    "f(ks, 5.0), show(f, ks, 5.0)",
    "show(random.normal, k), show(lambda x: random.normal(x, (2,), 'complex64'), k)",
    "show(random.bernoulli, k), show(lambda x, p: random.bernoulli(x, p), r, F)",
    "show(lambda x: random.bernoulli(x, F, (2, 3)), k),"
    " show(lambda x: random.bernoulli(x, 0.3, (2,), mode='high'), k)",
    "f = jax.vmap(random.bernoulli)\nf(ks, F / 2), show(f, ks, F), show(f, ks)",
    "f = jax.vmap(random.bernoulli, in_axes=(None, 0))\nf(k, F / 2), show(f, k, F)",
    *(f"show(lambda x: random.randint(x, (), 0, 10, '{dtype}'), k)"
      for dtype in ("int32", "uint8", "int16", "uint32")),
    "show(lambda x: random.randint(x, (2,), 0.5, 10.5), k)",
    "show(lambda x, a, b: random.randint(x, (2, 3), a, b), k, I, 10)",
    "f = jax.vmap(lambda x, b: random.randint(x, (2,), 0, b))\nf(ks, 9 * I), show(f, ks, I)",
    "f = jax.vmap(lambda x, b: random.randint(x, (), 0, b), in_axes=(None, 0))\n"
    "f(k, 9 * I), show(f, k, I)",
    "show(lambda x: x * random.uniform(k), F), show(jax.jit(lambda x: x * random.uniform(k)), F)",
    "show(lambda x, y: (random.uniform(x), random.uniform(y)), k, r),"
    " show(lambda x: [random.normal(y, (2,)) for y in random.split(x)], k)",
)
DERIVATIVES = (
    "jax.grad(lambda a: random.uniform(k, minval=a))(0.0),"
    " jax.grad(lambda b: random.uniform(k, (3,), maxval=b).sum())(1.0)",
    "jax.jvp(lambda a, b: random.uniform(k, (2,), minval=a, maxval=b), (0.0, 1.0), (1.0, 3.0))",
    "show(jax.grad(lambda a: random.uniform(k, minval=a)), 0.0)",
    "show(lambda a, t: jax.jvp(lambda a: random.uniform(k, (2,), minval=a), (a,), (t,)), 0.0, 1.0)",
    "show(jax.linearize(lambda a: random.uniform(k, (2,), minval=a), 0.0)[1], 1.0)",
    "jax.grad(lambda m, s: (m + s * random.normal(k, (3,))).sum(), (0, 1))(1.0, 2.0)",
    "show(jax.grad(lambda m: (m * random.normal(k, (3,))).sum()), 2.0)",
    "jax.vmap(jax.grad(lambda s, x: s * random.normal(x)), (None, 0))(2.0, ks)",
    "jax.jit(jax.value_and_grad(lambda s, x: s * random.uniform(x)))(2.0, k)",
    "jax.grad(lambda x, s: random.uniform(x) * s, argnums=1)(k, 2.0)",
    "jax.jvp(random.uniform, (k,), (np.zeros((), jax.dtypes.float0),))",
    "jax.jvp(lambda s, x: s * random.normal(x), (2.0, k), (1.0, np.zeros((), jax.dtypes.float0)))",
    "jax.vjp(lambda x, s: random.uniform(x) * s, k, 2.0)[0],"
    " jax.vjp(lambda x, s: random.uniform(x) * s, k, 2.0)[1](1.0)[1]",
    "jax.grad(lambda p: jnp.where(random.bernoulli(k, p), 1.0, 2.0) * p)(0.5),"
    " jax.grad(lambda x: random.randint(k, (), 0, 10) * x)(2.0)",
    "jax.jacfwd(lambda s: s * random.normal(k, (3,)))(2.0), jax.hessian(lambda s: s**2 *"
    " random.uniform(k))(2.0)",
    "j = show(lambda x: random.normal(x, (2,)), k)\njax.core.eval_jaxpr(j.jaxpr, j.consts, k)",
    "with jax.disable_jit():\n    out = random.uniform(k, (2,)), random.normal(r, (2,)),"
    " random.randint(k, (2,), 0, 10), random.bernoulli(k)\nout",
    "jax.eval_shape(lambda x: (random.uniform(x, (2,)), random.randint(x, (), 0, 9, 'int8')), k)",
    *(f"f = jax.jit(lambda x: {call.format('x')})\na = f(k)\n"
      "with jax.threefry_partitionable(False):\n    b = f(k)\na, b, f(k)"
      for call in SAMPLERS.values()),
)
# The two primitives of `lax` that these need.
PRIMITIVES = (
    "lax.bitcast_convert_type(1.0, 'uint32'), lax.bitcast_convert_type(F, jnp.int32),"
    " lax.bitcast_convert_type(jnp.uint32(0x3F800000), 'float32'), lax.bitcast_convert_type(1,"
    " 'float32')",
    "lax.bitcast_convert_type(F, 'uint8'), lax.bitcast_convert_type(F[1], 'uint16'),"
    " lax.bitcast_convert_type(jnp.arange(8, dtype='uint8').reshape(2, 4), 'int32'),"
    " lax.bitcast_convert_type(jnp.zeros((0, 2), 'uint16'), 'float32')",
    "lax.bitcast_convert_type(jnp.ones(2, 'bfloat16'), 'uint16'), lax.bitcast_convert_type("
    "jnp.uint16(0x3C00), 'float16'), lax.bitcast_convert_type(F, 'float32'),"
    " lax.bitcast_convert_type(F > 1, bool), lax.bitcast_convert_type(jnp.array([1j]),"
    " 'complex64')",
    "[raised(lax.bitcast_convert_type, *a) for a in ((jnp.uint8(3), 'float32'), (jnp.zeros(3,"
    " 'uint8'), 'float32'), (F, 'bool'), (F > 1, 'uint8'), (F + 1j, 'float32'), ('a', 'uint32'),"
    " (F, 'nothing'), (k, 'uint32'))]",
    "f = lambda x: lax.bitcast_convert_type(x, 'uint32')\nshow(f, F), show(f, 1.0),"
    " show(jax.vmap(f),"
    " F)",
    "f = jax.vmap(lambda x: lax.bitcast_convert_type(x, 'uint8'), in_axes=1, out_axes=1)\n"
    "f(jnp.ones((2, 3))), show(f, jnp.ones((2, 3)))",
    "jax.grad(lambda x: lax.bitcast_convert_type(x, 'float32'))(1.0),"
    " jax.jvp(lambda x: lax.bitcast_convert_type(x, 'uint32'), (1.0,), (1.0,))[0],"
    " jax.jit(lambda x: lax.bitcast_convert_type(x, 'int32'))(F)",
    "lax.erf_inv(0.5), lax.erf_inv(jnp.linspace(-1, 1, 9)), lax.erf_inv(jnp.array([2.0, -1.5,"
    " math.nan, -0.0])), lax.erf_inv(jnp.array([0.5, -0.999], 'bfloat16')),"
    " lax.erf_inv(jnp.float16(0.3))",
    "with jax.enable_x64(True):\n    out = lax.erf_inv(jnp.linspace(-1.0, 1.0, 21)), lax.erf_inv("
    "1 - 2.0 ** -jnp.arange(1.0, 54.0))\nout",
    "[raised(lax.erf_inv, x) for x in (1, True, 1j, 'a', k, None)]",
    "show(lax.erf_inv, F), show(jax.vmap(lax.erf_inv), F), show(jax.grad(lax.erf_inv), 0.5),"
    " show(lambda x, t: jax.jvp(lax.erf_inv, (x,), (t,)), F, F)",
    "jax.grad(lax.erf_inv)(0.5), jax.grad(jax.grad(lax.erf_inv))(0.5), jax.grad(lax.erf_inv)(1.0),"
    " jax.vmap(jax.grad(lax.erf_inv))(F / 4), show(jax.linearize(lax.erf_inv, 0.5)[1], 1.0)",
    "show(lambda x: lax.reshape(x, ()), 1.0), show(lambda x: jnp.reshape(x, ()), 1.0)",
)


def each_raises(call, arguments):
    """One case: the call with each of the arguments in the place of the braces."""
    return f"[{', '.join(f'raised(lambda: {call.format(x)})' for x in arguments)}]"


WRONG_KEYS = ("ks", "rs", "0", "F", "jnp.zeros(2)", "[0, 0]", "None")
WRONG_SHAPES = ("(2.5,)", "'ab'", "None", "(F[0],)", "2.0")
REFUSED = (
    *(each_raises(call, WRONG_KEYS) for call in SAMPLERS.values()),
    *(each_raises(call, WRONG_SHAPES) for call in (
        "random.uniform(k, {})", "random.normal(k, {})", "random.randint(k, {}, 0, 10)")),
    each_raises("random.bernoulli(k, 0.5, {})", ("(2.5,)", "'ab'", "(F[0],)", "2.0")),
    each_raises("random.uniform(k, (2,), {})", ("int", "'int32'", "bool", "'complex64'", "'no'")),
    each_raises("random.uniform(k, (2,), minval={})", ("I", "jnp.ones((2, 2))", "'a'", "k")),
    each_raises("random.normal(k, (2,), {})", ("int", "'uint8'", "bool", "'no'")),
    each_raises("random.randint(k, (2,), 0, 10, {})",
                ("float", "'float32'", "bool", "'no'", "complex")),
    each_raises("random.randint(k, {})",
                ("(2,), I, 10", "(), I, 10", "(2,), 0, 'a'", "(2,), None, 10", "(2,), 0",
                 "(2,), 0, 2**31", "(2,), -2**40, 0", "(2,), k, 1")),
    each_raises("random.bernoulli(k, {})",
                ("1", "True", "I", "0.5j", "'text'", "[0.5]", "k", "0.5, (2,), 'mid'", "F, (2,)",
                 "F, ()", "F, (3, 2)")),
    each_raises("random.normal(k, {})", ("minval=0", "(2,), float, 1")),
    "jax.jit(lambda x, n: random.uniform(x, (n,)))(k, 2)",
    "jax.grad(random.uniform)(k)",
    "jax.grad(lambda x: random.normal(k, x))(2.0)",
    "leak = []\njax.jit(lambda x: leak.append(x))(k)\nrandom.uniform(leak[0])",
)  # fmt: skip

CASES = [*FLOATS, *BOOLS, *INTEGERS, *JAXPRS, *DERIVATIVES, *PRIMITIVES, *REFUSED]
