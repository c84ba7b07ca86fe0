"""Random keys: how they print, join, compare and move through transformations; and their bits."""

SETUP = """\
k = random.key(0)
ks = random.split(k, 3)
kk = random.split(k, (2, 3))
r = random.PRNGKey(0)
rs = random.split(r, 3)
I = jnp.arange(3)
F = jnp.arange(3.0)

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)
"""
# Seeds: both settings of x64, negative ones, ones that are too large, NumPy's types.
SEEDS = "(0, 1, -1, 7, 2**31 - 1, 2**31, -2**31, 2**32 - 1, 2**32 + 5, 2**63 - 1, -2**63, True)"
SMALL = (
    "(np.int8(-3), np.uint8(200), np.int16(-3), np.int32(-3), np.uint32(2**32 - 1), np.int64(-3))"
)
SEEDING = (
    f"[random.PRNGKey(s) for s in {SEEDS}]",
    f"[random.PRNGKey(s) for s in {SMALL}]",
    f"with jax.enable_x64(True):\n    out = [random.PRNGKey(s) for s in {SEEDS}]\nout",
    f"with jax.enable_x64(True):\n    out = [random.PRNGKey(s) for s in {SMALL}]\nout",
    "[random.key(s) for s in (0, -1, 2**40, np.int64(2**40 + 3), np.array(7), jnp.int8(-1))]",
    "random.key(seed=3), random.key(0, impl='threefry2x32'), random.key(0, impl=k.dtype)",
    "random.PRNGKey(seed=3), random.PRNGKey(0, impl='threefry2x32'), random.key(0, impl=None)",
    "random.key(0, impl=random.key_impl(k)), random.key(1, dtype=k.dtype)",
    "jax.jit(random.key)(5), jax.jit(random.PRNGKey)(np.uint32(2**32 - 1)),"
    " jax.jit(random.key)(-1)",
    "with jax.enable_x64(True):\n    out = jax.jit(random.PRNGKey)(2**40),"
    " jax.vmap(random.key)(I)\nout",
    "jax.vmap(random.key)(I), jax.vmap(random.PRNGKey)(I), jax.vmap(random.key, out_axes=0)(I - 2)",
    "jax.eval_shape(random.key, 0), jax.eval_shape(random.PRNGKey, 0)",
    "jax.eval_shape(random.key, 1.5), show(random.key, 1.5)",
    "show(random.key, 0), show(random.PRNGKey, 0), show(random.key, np.uint8(5))",
    "show(lambda: random.key(0)), show(lambda: random.PRNGKey(-1)),"
    " show(lambda: random.key(2**40))",
    "show(jax.vmap(random.key), I), show(jax.vmap(random.PRNGKey), I)",
    "with jax.enable_x64(True):\n    out = show(random.key, 0), show(lambda: random.key(3))\nout",
)
PRINTED = (
    "k",
    "ks",
    "kk",
    "r, rs",
    "str(k), f'{ks}', repr(random.split(k, 0)), repr(random.split(k, (0, 2)))",
    "repr(k.dtype), str(k.dtype), k.dtype.name, k.dtype.itemsize, k.dtype == kk.dtype",
    "k.dtype == 'key<fry>', k.dtype == np.dtype('uint32'), hash(k.dtype) == hash(ks.dtype)",
    "k.shape, k.ndim, k.size, k.itemsize, k.nbytes, kk.shape, kk.ndim, kk.size, kk.nbytes",
    "str(k.aval), repr(ks.aval), ks.aval.str_short(), repr(jax.typeof(kk)), k.aval.weak_type",
    "isinstance(k, jax.Array), isinstance(k, jnp.ndarray), jax.typeof(k) == jax.typeof(ks[0])",
    "[jnp.issubdtype(d, jax.dtypes.prng_key) for d in (k.dtype, r.dtype, F.dtype)]",
    "jnp.issubdtype(k.dtype, jax.dtypes.extended), jnp.issubdtype(k.dtype, np.integer)",
    "jnp.issubdtype(k.dtype, jnp.uint32), jnp.issubdtype(k.dtype, jnp.floating)",
    "jax.ShapeDtypeStruct((2,), k.dtype), repr(jnp.result_type(k, ks))",
    "repr(k.devices()), k.is_deleted(), jax.block_until_ready(ks), k.block_until_ready()",
    "random.key_impl(k), random.key_impl(ks), random.key_impl(r), random.key_impl(rs)",
)
# Keys as elements of arrays.
PARTS = (
    "ks[0], ks[-1], ks[1:], ks[::2], ks[None], ks[...], k[None], k[...]",
    "kk[1], kk[0, 1], kk[:, 1], kk[..., -1], kk[1:, None, :2]",
    "list(ks), len(ks), [x.shape for x in kk]",
    "a, b = random.split(k)\na, b",
    "ks.reshape(3, 1), ks.reshape(1, 3), ks.reshape(-1), kk.reshape((3, 2)), k.reshape(1, 1)",
    "kk.ravel(), kk.flatten(), kk.T, kk.transpose(), kk.swapaxes(0, 1), ks[None].squeeze(0)",
    "jnp.reshape(kk, 6), jnp.ravel(k), jnp.expand_dims(k, 0), jnp.squeeze(ks[:1]), jnp.flip(ks)",
    "jnp.nan_to_num(ks)",
    "jnp.transpose(kk), jnp.swapaxes(kk, 0, 1), jnp.moveaxis(kk, 0, 1), jnp.broadcast_to(k, (2,"
    " 2))",
    "jnp.stack([k, ks[1]]), jnp.stack([ks, ks], 1), jnp.concatenate([ks, ks[:1]])",
    "jnp.vstack([ks, ks]), jnp.hstack([ks, ks[:1]]), jnp.concatenate([kk, kk], axis=1).shape",
    "jnp.atleast_1d(k), jnp.atleast_2d(ks), jnp.tile(k, 2), jnp.repeat(ks, 2), jnp.split(ks, 3)",
    "jnp.where(I > 0, ks, k), jnp.where(True, k, ks[0]), jnp.where(I[:, None] > 0, ks, k).shape",
    "lax.select(I > 1, ks, ks[::-1]), lax.select(False, k, ks[0])",
    "lax.slice(ks, (1,), (3,)), lax.rev(ks, (0,)), lax.broadcast_in_dim(k, (2,), ()),"
    " lax.squeeze(ks[:1], (0,))",
    "jnp.array(ks), jnp.asarray(k), jnp.array([k, ks[0]]), jnp.asarray(k) is k, jnp.copy(ks)",
    "jnp.zeros_like(ks), jnp.zeros(2, k.dtype), jnp.ones_like(ks), jnp.empty(2, k.dtype).shape,"
    " jnp.full((2,), k), jnp.full_like(ks, k), jnp.empty_like(ks).shape",
    "lax.full((2,), 3, k.dtype), lax.full_like(ks, 1), lax.full_like(ks, k)",
    "lax.full((2,), k, k.dtype)",
    "show(lambda x: (lax.full((2,), 3, x.dtype), lax.full_like(x, 1)), ks)",
    "jax.device_put(ks), jax.device_get([ks, k]), lax.stop_gradient(ks), lax.full((2,), k)",
    "jnp.shape(ks), jnp.ndim(kk), jnp.size(kk), np.shape(kk), np.ndim(k)",
    "copy.copy(k), copy.deepcopy([ks]), ks.copy()",
    "import pickle\npickle.loads(pickle.dumps(k)), pickle.loads(pickle.dumps({'a': kk}))",
    "show(lambda x: (x[0], x[1:], x[None], x[..., None]), ks)",
    "show(lambda x: [y for y in x], ks), show(lambda x: x[1, :2], kk)",
    "show(lambda x: x.reshape(3, 1), ks), show(lambda x: x.T, kk), show(lambda x: jnp.flip(x), ks)",
    "show(lambda x, y: jnp.concatenate([x, y]), ks, ks), show(lambda x: jnp.array([x, x]), k)",
    "show(lambda x: jnp.broadcast_to(x, (2,)), k), show(lambda x: jnp.squeeze(x[None]), ks)",
    "show(lambda p, x, y: jnp.where(p, x, y), True, k, k), show(lambda x, y: jnp.where(I > 0, x,"
    " y), ks, k)",
)
COMPARED = (
    "k == k, k == random.key(1), ks == k, ks == ks[::-1], k != k, ks != ks[1], kk == ks",
    "jnp.equal(ks, ks), lax.eq(k, k), lax.ne(ks, ks), jnp.array_equal(ks, ks), jnp.all(ks == ks)",
    "k == None, k == 'text', k != None, [k == x for x in (None, 'a')]",
    "show(lambda x, y: (x == y, x != y), ks, k), jax.jit(lambda x: x == k)(ks)",
    "jax.vmap(lambda x: x == k)(ks), show(jax.vmap(lambda x, y: x == y, (0, None)), ks, k)",
)
TREES = (
    "jax.tree.leaves([k, {'a': ks}]), str(jax.tree.structure([k, {'a': ks}]))",
    "jax.tree.map(lambda x: x.shape, [k, ks]), jax.tree.map(random.key_data, {'a': k})",
    "jax.tree.map(lambda x, y: x == y, [k, ks], [k, ks]), jax.tree.leaves(k)[0] is k",
    "jax.tree.map(lambda *xs: jnp.stack(xs), {'a': k}, {'a': ks[0]}), jax.tree.flatten(k)[0]",
)
WRAPPED = (
    "random.key_data(k), random.key_data(kk), random.key_data(r), random.key_data(np.zeros(2,"
    " 'uint32'))",
    "random.wrap_key_data(r), random.wrap_key_data(rs), random.wrap_key_data(np.ones((2, 1, 2),"
    " 'uint32'))",
    "random.wrap_key_data(jnp.zeros((0, 2), 'uint32')), random.wrap_key_data(r,"
    " impl='threefry2x32') == k",
    "random.clone(k), random.clone(ks) == ks, random.clone(r), random.clone(1.0)",
    "show(random.key_data, k), show(random.key_data, r), show(random.key_data, ks)",
    "show(random.wrap_key_data, r), show(lambda x: random.wrap_key_data(random.key_data(x)), kk)",
    "show(random.clone, k), show(random.clone, r), show(jax.vmap(random.clone), ks)",
    "show(jax.vmap(random.key_data), ks), show(jax.vmap(random.key_data, 1, 2), kk)",
    "show(jax.vmap(random.wrap_key_data), rs), show(jax.vmap(random.wrap_key_data, in_axes=1),"
    " rs.T)",
    "f = jax.vmap(random.wrap_key_data, out_axes=-1)\nf(random.key_data(kk)), show(f,"
    " random.key_data(kk))",
    "jax.vmap(random.key_data, 1, 2)(kk), jax.vmap(random.wrap_key_data, in_axes=1)(rs.T)",
)
SPLIT = (
    *(f"random.split({key}{num})"
      for key in ("k", "r") for num in ("", ", 5", ", (2, 3)", ", ()", ", 1")),
    "random.split(k, num=2), random.split(key=k), random.split(k, [2, 1]), random.split(k,"
    " np.int32(3))",
    "random.split(random.key(-7), 4), random.split(random.fold_in(k, 3))",
    *(f"with jax.threefry_partitionable({setting}):\n"
      "    out = [random.split(k, n) for n in (1, 2, 3, 4, (2, 3), ())], random.split(r, 3),"
      " jax.vmap(random.split)(ks)\nout" for setting in (True, False)),
    "show(random.split, k), show(random.split, r), show(lambda x: random.split(x, (2, 3)), k)",
    "show(lambda x: random.split(x, ()), k), show(lambda x: random.split(x, [2, 3]), r)",
    "f = jax.vmap(random.split)\nf(ks), f(rs), show(f, ks), show(f, rs)",
    "f = jax.vmap(lambda x: random.split(x, 2), out_axes=1)\nf(ks), show(f, ks)",
    "f = jax.vmap(jax.vmap(lambda x: random.split(x, 3)))\nf(kk), show(f, kk)",
    "f = jax.vmap(jax.vmap(random.split, in_axes=0), in_axes=1)\nf(kk), show(f, kk)",
    "f = jax.vmap(lambda x, y: random.split(x), in_axes=(None, 0))\nf(k, F), show(f, k, F)",
    "f = jax.jit(random.split)\nf(k), f(r), show(f, k)",
    "f = jax.jit(random.split, static_argnums=1)\nf(k, 3), f(k, (1, 2))",
)
FOLD_IN = (
    "random.fold_in(k, 1), random.fold_in(r, 1), random.fold_in(r, 2**32 - 1), random.fold_in(r,"
    " 0)",
    "random.fold_in(r, np.int32(-1)), random.fold_in(r, jnp.int32(-1)), random.fold_in(r, True)",
    "random.fold_in(r, np.int64(2**32 + 1)), random.fold_in(r, 1.5), random.fold_in(r,"
    " np.uint8(9))",
    "with jax.threefry_partitionable(False):\n    out = random.fold_in(k, 1), random.fold_in(r,"
    " 2**31)\nout",
    "show(random.fold_in, k, 1), show(random.fold_in, r, 1), show(random.fold_in, k, np.uint32(3))",
    "show(lambda x: random.fold_in(x, 7), k), show(lambda x: random.fold_in(x, np.int8(7)), r)",
    "f = jax.vmap(random.fold_in)\nf(ks, I), f(rs, I), show(f, ks, I)",
    "f = jax.vmap(random.fold_in, in_axes=(None, 0))\nf(k, I), show(f, k, I), show(f, r, I)",
    "f = jax.vmap(random.fold_in, in_axes=(0, None))\nf(ks, 5), show(f, ks, 5), show(f, rs, 5)",
    "f = jax.vmap(jax.vmap(random.fold_in, (None, 0)), (0, None))\nf(ks, I[:2]), show(f, ks,"
    " I[:2])",
    "f = jax.vmap(jax.vmap(random.fold_in, (0, None)), (None, 0))\nf(ks, I[:2]), show(f, ks,"
    " I[:2])",
    "jax.jit(random.fold_in)(k, 5), jax.jit(random.fold_in)(r, -1), jax.jit(random.fold_in)(k,"
    " I[1])",
)
SHAPES = "((), (0,), (1,), (5,), (2, 3), (3, 1, 3), (2, 0))"
BITS = (
    "random.bits(k), random.bits(r), random.bits(k, (3,)), random.bits(k, 2), random.bits(k, [2,"
    " 1])",
    *(f"with jax.threefry_partitionable({setting}):\n"
      f"    out = [random.bits(k, shape, '{dtype}') for shape in {SHAPES}]\nout"
      for setting in (True, False) for dtype in ("uint8", "uint16", "uint32")),
    *(f"with jax.enable_x64(True), jax.threefry_partitionable({setting}):\n"
      f"    out = [random.bits(k, shape) for shape in {SHAPES}], random.bits(k, (3,), 'uint16')\n"
      f"out"
      for setting in (True, False)),
    *(f"with jax.threefry_partitionable({setting}):\n"
      "    out = [jax.vmap(jax.vmap(lambda x: random.bits(x, (3,), d)))(kk)"
      " for d in ('uint8', 'uint16', 'uint32')]\nout" for setting in (True, False)),
    "random.bits(k, (2,), 'uint64')",
    "random.bits(k, shape=(2,), dtype=jnp.uint8), random.bits(k, (2,), np.uint16), random.bits(k,"
    " (np.int32(2),))",
    "show(random.bits, k), show(random.bits, r), show(lambda x: random.bits(x, (3,), 'uint8'), k)",
    "with jax.enable_x64(True):\n    out = show(random.bits, k), show(lambda x: random.bits(x, 2,"
    " 'uint16'), r)\nout",
    "f = jax.vmap(random.bits)\nf(ks), f(rs), show(f, ks), show(f, rs)",
    "f = jax.vmap(lambda x: random.bits(x, (2,)), out_axes=1)\nf(ks), show(f, ks)",
    "f = jax.jit(lambda x: random.bits(x, (2,)))\nf(k), show(f, k)",
    # The setting is part of what a jitted function was traced for, and of an equation.
    "f = jax.jit(lambda x: random.bits(x, (3,)))\na = f(k)\n"
    "with jax.threefry_partitionable(False):\n"
    "    b = f(k)\na, b, f(k)",
    "with jax.threefry_partitionable(False):\n    j = show(lambda x: random.bits(x, (3,)), k)\n"
    "jax.core.eval_jaxpr(j.jaxpr, j.consts, k)",
    "with jax.threefry_partitionable(False):\n    out = jax.config.jax_threefry_partitionable\n"
    "out, jax.config.jax_threefry_partitionable",
    "jax.config.update('jax_threefry_partitionable', False)\ntry:\n    out = random.split(k)\n"
    "finally:\n"
    "    jax.config.update('jax_threefry_partitionable', True)\nout, random.split(k)",
)
TRANSFORMED = (
    "jax.jit(lambda x: x)(k), jax.jit(lambda: k)(), jax.jit(lambda x: {'a': x[0]})(ks)",
    "jax.vmap(lambda x: x)(ks), jax.vmap(lambda x: k)(ks), jax.vmap(lambda x, y: x, (None, 0))(k,"
    " F)",
    "jax.vmap(lambda x, y: x, (None, 0), None)(k, F), jax.vmap(lambda x: x, 1, 0)(kk)",
    "show(lambda: k), show(lambda: (k, ks)), show(lambda x: x, k),"
    " show(lambda x: random.split(k)[0], 1.0)",
    "show(lambda x: x * random.bits(k), I), show(jax.jit(lambda x: x * random.bits(k)), I)",
    "j = show(lambda: ks)\nj.consts, repr(j.out_avals), repr(j.jaxpr.constvars[0].aval)",
    "j = show(lambda x: random.bits(x, (2,)), k)\njax.core.eval_jaxpr(j.jaxpr, j.consts, k)",
    "show(lambda x: random.bits(x, (2,)), jax.ShapeDtypeStruct((), k.dtype))",
    "jax.eval_shape(lambda x: (x, random.split(x, 4), random.bits(x, (2,))), k)",
    "seen = []\njax.jit(lambda x: seen.append((repr(x), x.shape, x.ndim, x.size,"
    " repr(x.dtype))))(ks)\nseen",
    "seen = []\njax.vmap(lambda x: seen.append((repr(x), x.shape, repr(x.dtype))))(ks)\nseen",
    "seen = []\njax.jit(lambda x: seen.append((isinstance(x, jax.Array), jnp.issubdtype(x.dtype,"
    " jax.dtypes.prng_key))))(k)\nseen",
    "jax.jvp(lambda x, y: (x, y * 2), (k, 2.0), (np.zeros((), jax.dtypes.float0), 1.0))",
    "jax.vjp(lambda x, y: (random.bits(x), y * 2), k, 2.0)[0]",
    "jax.grad(lambda x, y: y * 2, argnums=1)(k, 2.0), jax.linearize(lambda y: (k, y * 2), 2.0)[0]",
    "with jax.disable_jit():\n    out = random.split(k), jax.jit(lambda x: random.bits(x))(k)\nout",
    "[{n: str(v) for n, v in show(f, x).eqns[0].params.items()}"
    " for f, x in ((random.key, 0), (random.split, k), (random.bits, k), (random.key_data, k))]",
    "[show(f, *a).eqns[0].primitive.name for f, a in ((random.key_data, (k,)),"
    " (random.wrap_key_data,"
    " (r,)), (random.clone, (k,)), (random.fold_in, (k, np.uint32(1))))]",
)
# What raises: the class of each exception, with its bases, is the fact.


def each_raises(call, arguments):
    """One case: the call with each of the arguments in the place of the braces."""
    return f"[{', '.join(f'raised(lambda: {call.format(x)})' for x in arguments)}]"


WRONG_SEEDS = (
    "2**63", "-2**63 - 1", "1.5", "jnp.float32(1)", "np.bool_(True)", "1j", "'text'", "None",
    "[1]", "I", "np.arange(3)", "k", "",
)  # fmt: skip
WRONG_KEYS = ("ks", "rs", "1", "2.5", "F", "jnp.zeros(2)", "[0, 0]", "None", "'a'")
WRONG_DATA = ("I[:2]", "jnp.zeros(3, 'uint32')", "jnp.uint32(1)", "[1, 2]", "3", "k")
REFUSED = (
    *(each_raises(f"random.{name}({{}})", WRONG_SEEDS) for name in ("key", "PRNGKey")),
    "jax.jit(random.key)(1.5)",
    "jax.jit(random.key)(2**40)",
    "jax.vmap(random.key)(F)",
    each_raises("random.key(0, {})", ("impl='nothing'", "impl=3", "'threefry2x32'", "kind=1")),
    each_raises("random.key(0, impl={}, dtype=k.dtype)", ("'threefry2x32'", "k.dtype")),
    *(each_raises(f"random.{call}", WRONG_KEYS)
      for call in ("split({})", "fold_in({}, 1)", "bits({})")),
    each_raises("random.key_data({})", ("1.0", "F", "[0, 1]", "None", "jnp.zeros(2)", "I[:2]")),
    each_raises("random.key_impl({})", ("1.0", "F", "[0, 1]", "None")),
    each_raises("random.wrap_key_data({})", (*WRONG_DATA, "r, impl='nothing'", "r, impl=3")),
    each_raises("jax.jit(random.wrap_key_data)({})", ("jnp.zeros(3, 'uint32')", "I[:2]", "3")),
    each_raises("random.clone({})", ("'a'", "None", "[k]")),
    each_raises("random.split(k, {})", ("2.0", "'a'", "None", "(2.5,)")),
    "jax.jit(random.split)(k, 2)",
    each_raises("random.fold_in(k, {})",
                ("-1", "2**32", "I", "[1, 2]", "[]", "'a'", "None", "k", "1j")),
    each_raises("random.bits(k, (2,), {})", ("'int32'", "'float32'", "bool", "int", "'nothing'")),
    each_raises("random.bits(k, {})", ("(1.5,)", "'a'", "None", "(F[0],)", "2.0")),
    "jax.jit(lambda x, n: random.bits(x, (n,)))(k, 2)",
    each_raises("{}", ("k + 1", "1 + k", "k + k", "k - 1", "-k", "~k", "k * 2", "k / 2",
                       "k // k", "k % 2", "k & 1", "k | k", "k << 1", "k ** 2", "abs(k)",
                       "round(k)", "k @ k")),
    each_raises("{}", ("k < k", "k <= k", "k > 1", "k >= k", "k == 0", "0 == k", "k != 1.5",
                       "k == r", "ks == rs", "ks == kk[:, :2]")),
    each_raises("{}", ("lax.add(k, k)", "lax.neg(k)", "lax.lt(k, k)", "lax.max(k, k)",
                       "lax.convert_element_type(k, 'uint32')", "lax.reduce_sum(ks, (0,))",
                       "lax.convert_element_type(1, k.dtype)", "lax.select(True, k, r)")),
    each_raises("{}", ("jnp.sin(k)", "jnp.add(k, k)", "jnp.sum(ks)", "jnp.where(True, k, 0)",
                       "jnp.result_type(k, 1.0)", "jnp.array(ks, 'uint32')", "jnp.maximum(k, k)",
                       "jnp.concatenate([ks, I])", "jnp.stack([k, r])", "jnp.where(k, 1, 2)")),
    each_raises("{}", ("np.asarray(k)", "np.array(ks)", "np.sin(k)", "np.add(k, 1)",
                       "np.dtype(k.dtype)", "float(k)", "int(k)", "bool(k)", "complex(k)",
                       "hash(k)", "{k: 1}", "range(k)", "len(k)", "list(k)",
                       "[1, 2][k]", "operator.index(k)", "1 if k else 2")),
    each_raises("{}", ("k[0]", "ks[0.5]", "ks['a']", "ks[0, 0]", "ks.__setitem__(0, k)",
                       "k.nothing")),
    each_raises("{}", ("ks.tolist()", "k.item()")),
    each_raises("{}", ("ks.reshape(2, 2)", "ks.reshape(4)", "ks.reshape(-1, 2)", "ks.reshape('a')",
                       "jnp.reshape(ks, 2)", "kk.transpose(0)", "jnp.squeeze(ks, 0)",
                       "jnp.broadcast_to(ks, (2,))", "jnp.expand_dims(k, 3)")),
    each_raises("jax.jit(lambda x: {})(ks[0])",
                ("float(x)", "int(x)", "bool(x)", "np.asarray(x)", "x + 1", "-x", "x.astype(int)",
                 "hash(x)", "len(x)", "x[0]", "list(x)")),
    each_raises("jax.vmap({})", ("lambda x: x)(k", "lambda x, y: x)(ks, F[:2]",
                                 "random.split, in_axes=1)(kk", "lambda x: x + 1)(ks")),
    each_raises("{}", ("jax.grad(lambda x: 1.0)(k)", "jax.grad(lambda x: x)(k)",
                       "jax.grad(lambda x: random.key(0))(1.0)", "jax.jvp(lambda x: x, (k,), (k,))",
                       "jax.jacfwd(lambda x: x)(k)", "jax.value_and_grad(lambda x: 1.0)(ks)")),
    "leak = []\njax.jit(lambda x: leak.append(x))(k)\nrandom.split(leak[0])",
)  # fmt: skip

CASES = [
    *SEEDING, *PRINTED, *PARTS, *COMPARED, *TREES, *WRAPPED, *SPLIT, *FOLD_IN, *BITS, *TRANSFORMED,
    *REFUSED,
]
