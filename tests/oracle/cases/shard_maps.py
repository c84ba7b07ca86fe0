"""shard_map on eight devices: each collective, its derivatives, and what it stands in and holds."""

SETUP = """\
import importlib, re
S = importlib.import_module(f'{jax.__name__}.sharding')
P, AxisType = S.PartitionSpec, S.AxisType
MESH = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(AxisType.Auto,) * 2)
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8
I = np.arange(16, dtype=np.int32).reshape(8, 2)
V = np.arange(48, dtype=np.float32).reshape(3, 8, 2) / 16
W = np.float32(1.5)
M = np.ones((2, 3), np.float32)
XY, X0, Y1, BOTH = P('x', 'y'), P('x'), P(None, 'y'), P(('x', 'y'))
C = jnp.arange(2.0)
RING = [(i, (i + 1) % 4) for i in range(4)]

def sm(f, i, o, **how):
    return jax.shard_map(f, mesh=MESH, in_specs=i, out_specs=o, **how)

LINE = S.Mesh(np.array(jax.devices()[:4]), 'i')

def sm4(f, i=P('i'), o=P('i')):
    return jax.shard_map(f, mesh=LINE, in_specs=i, out_specs=o)

def un(f, i, o):
    return sm(f, i, o, check_vma=False)

def back(f):
    return lambda *xs: jax.vjp(f, *xs)[1](jax.tree.map(jnp.sin, f(*xs)))

def text(f, *xs):
    # Sets have an order of their own, and a few parameters say what no rule sees.
    found = str(jax.make_jaxpr(f)(*xs))
    found = re.sub(r"frozenset\\(\\{([^}]*)\\}\\)", lambda m: str(sorted(m[1].split(', '))), found)
    found = re.sub(r"(sharding=)NamedSharding\\(.*?\\), device_kind.*?spec=P\\([^)]*\\)\\s*\\)",
                   r"\\1None", found, flags=re.S)
    found = re.sub(r"np\\.int64\\((\\d+)\\)", r"\\1", ' '.join(found.split()))
    return found.replace('[ ', '[').replace(' ]', ']')

def seen(f, *xs):
    return text(f, *xs), jax.tree.map(np.asarray, jax.jit(f)(*xs))

def nested(f, o, **how):
    return jax.shard_map(f, in_specs=Y1, out_specs=o, axis_names={'y'})

@jax.custom_jvp
def twice(x):
    return jnp.sin(x)

twice.defjvp(lambda p, t: (twice(*p), 2 * t[0]))

@jax.custom_vjp
def own(x, w):
    return jnp.sin(x) * w

own.defvjp(lambda x, w: (own(x, w), (x, w)),
           lambda r, ct: (2 * ct * r[1], lax.psum((ct * r[0]).sum(), ('x', 'y'))))
"""

# What each device does with its piece, and how the pieces of the result are put together.
COLLECTIVES = {
    "lambda x: lax.psum(x * x, 'x')": "Y1",
    "lambda x: lax.psum(jnp.sin(x), ('x', 'y'))": "P()",
    "lambda x: lax.psum(lax.psum(x, 'y') * 2, 'y') * x": "XY",
    "lambda x: lax.pmean(jnp.sin(x), 'y')": "X0",
    "lambda x: lax.all_gather(x, 'x') * 2": "P(None, 'x', 'y')",
    "lambda x: lax.all_gather(x * x, 'x', tiled=True)": "XY",
    "lambda x: lax.all_gather(x, ('x', 'y'), axis=1) * 2": "P('x', None, 'y')",
    "lambda x: lax.psum_scatter(x * x, 'y', tiled=True)": "BOTH",
    "lambda x: lax.psum_scatter(jnp.sin(x), 'y')": "BOTH",
    "lambda x: x * lax.ppermute(x, 'x', RING)": "XY",
    "lambda x: lax.ppermute(jnp.cos(x), 'x', [(0, 1), (2, 0)])": "XY",
    "lambda x: lax.pshuffle(x, 'x', [1, 2, 3, 0]) + x": "XY",
    "lambda x: lax.all_to_all(x * x, 'y', 0, 1, tiled=True)": "BOTH",
    "lambda x: lax.all_to_all(jnp.sin(x), 'y', 0, 1)": "BOTH",
    "lambda x: lax.pswapaxes(x * x, 'y', 0)": "BOTH",
    "lambda x: x * lax.axis_index('x') + lax.axis_index(('x', 'y'))": "XY",
    "lambda x: x * lax.axis_size('x')": "XY",
}

OTHERS = [
    "sm(lambda x: lax.pmax(x, 'x'), XY, Y1), X",
    "sm(lambda x: lax.pmin(-x, ('x', 'y')), XY, P()), X",
    "sm(lambda x: lax.pmax(x, ('x', 'y')), X0, X0), X",
    "jax.vmap(sm(lambda x: lax.pmax(x, 'x'), XY, Y1)), V",
    "sm(lambda x: x * 2 + jnp.ones(3)[0], XY, XY), X",
    "sm(lambda x: lax.pcast(x, 'x', to='varying'), Y1, XY), X",
    "sm(lambda x: lax.pcast(x, ('x', 'y'), to='varying'), P(), XY), X",
    "sm(lambda x: x + C, X0, X0), X",
    "sm(lambda x: (jnp.zeros_like(x) + 1, lax.full_like(x, 3), jnp.full_like(x, 2)), X0, X0), X",
    "sm(lambda x, w: lax.sort((x, w)), (X0, P()), X0), X, X[:2]",
    "sm(lambda x, w: lax.dynamic_update_slice(w, x, (0, 0)), (X0, P()), X0), X, X[:2]",
    "sm(lambda x, w: w.at[0].add(x[0]), (X0, P()), X0), X, X[:2]",
    "sm(lambda x, w: jnp.where(x > w, x, w), (X0, P()), X0), X, W",
    "back(sm(lambda x: jnp.sin(x) * 2, XY, XY)), X",
    "back(sm(lambda w, x: jnp.sin(w * x), (P(), XY), XY)), W, X",
    "lambda x: jax.linearize(sm(lambda x: jnp.sin(x) * 2, XY, XY), x)[1](x), X",
    # Transformations inside.
    "sm(lambda x: jax.jit(lambda x: lax.psum(jnp.sin(x), 'x'))(x), X0, P()), X",
    "back(sm(lambda x: jax.jit(lambda x: lax.psum(jnp.sin(x), 'x'))(x), X0, P())), X",
    "sm(lambda x: jax.vmap(lambda r: lax.psum(jnp.sin(r) * 2, 'x'))(x), X0, P()), X",
    "sm(lambda w, x: jax.grad(lambda w: jnp.sin(w * x).sum())(w), (P(), X0), P()), W, X",
    "sm(lambda w, x: jax.grad(lambda x: jnp.sin(w * x).sum())(x), (P(), X0), X0), W, X",
    "sm(lambda x: lax.scan(lambda c, a: (c + a, lax.psum(c, 'x')), x[0], x)[1], X0, P()), X",
    "back(sm(lambda x: lax.scan(lambda c, a: (jnp.sin(c) + a, lax.psum(c, 'x')), x[0], x)[1], X0, "
    "P())), X",
    "sm(lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, x), X0, X0), X",
    "sm(lambda x: lax.while_loop(lambda c: lax.psum(c.sum(), 'x') < 40, lambda c: c * 1.5, x), X0, "
    "X0), X",
    "sm(lambda x: lax.cond(x.sum() > 1, lambda x: x, lambda x: jnp.zeros_like(x), x), X0, X0), X",
    "sm(lambda x, y: lax.cond(y > 1, lambda x: jnp.ones((2, 2)), lambda x: jnp.zeros((2, 2)), x), "
    "(X0, P()), X0), X, W",
    "back(sm(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), XY, XY)), X",
    "back(sm(twice, XY, XY)), X",
    "sm(own, (XY, P()), XY), X, W",
    "back(sm(own, (XY, P()), XY)), X, W",
    # shard_map inside.
    "sm(lambda x: nested(lambda y: lax.psum(y * 2, 'y'), P())(x), X0, X0, axis_names={'x'}), X",
    "sm(lambda x: nested(lambda y: lax.psum(y * 2, ('x', 'y')), P())(x), X0, P(), "
    "axis_names={'x'}), X",
    "sm(lambda x: lax.psum(x * 2, 'y'), Y1, P(), axis_names={'y'}), X",
    "jax.vmap(sm(lambda x: lax.psum(jnp.sin(x), 'x'), X0, P()), in_axes=1, out_axes=1), "
    "np.moveaxis(V, 0, 1)",
    "jax.vmap(sm(lambda w, x: jnp.sin(w * x), (P(), XY), XY), in_axes=(0, None)), X[0], X",
    "jax.vmap(sm(lambda x: lax.psum(jnp.sin(x), 'x'), X0, P()), spmd_axis_name='y'), V[:2]",
    "lambda x: lax.scan(lambda c, _: (sm(lambda x: jnp.sin(x) + lax.psum(x, 'x'), XY, XY)(c), "
    "c.sum()), x, None, length=3), X",
    # Several arguments and results.
    "lambda x: sm(lambda d, z: {'a': d['w'] * z, 'b': (z,)}, ({'w': P('x')}, XY), "
    "{'a': XY, 'b': XY})({'w': x[:, :1]}, x), X",
    "lambda x: sm(lambda x, n: x * 3 if n is None else x, (XY, None), XY)(x, None), X",
    "sm(lambda x: (x.astype(int), x > 1), XY, XY), X",
    "lambda x: jax.vjp(lambda x: sm(lambda x, i: (jnp.sin(x) * i, i), (XY, XY), (XY, XY))(x, I)[0],"
    " x)[1](x), X",
    "lambda x, w: jax.jvp(lambda w: sm(lambda w, x: (w * x, x, w), (P(), XY), (XY, XY, P()))(w, x),"
    " (w,), (w,)), X, W",
    "sm(lambda a, b: lax.psum(a @ b, 'y'), (XY, P('y', None)), X0), X, M",
    "back(sm(lambda a, b: lax.psum(a @ b, 'y'), (XY, P('y', None)), X0)), X, M",
    "lambda x: sm(lambda x: x * random.normal(random.fold_in(random.key(0), lax.axis_index('x')), "
    "(2, 1)), XY, XY)(x), X",
    # Types that do not say what varies.
    "un(lambda x: lax.psum(x, 'y'), XY, X0), X",
    "back(un(lambda x: lax.psum(jnp.sin(x), 'y'), XY, X0)), X",
    "back(un(lambda w, x: jnp.sin(w * x), (P(), XY), XY)), W, X",
    "back(un(lambda x: lax.psum(jnp.sin(x).sum(), ('x', 'y')), XY, P())), X",
    "un(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [2, 3]]), XY, XY), X",
    "un(lambda x: lax.all_gather(x, 'x', axis_index_groups=[[0, 3], [2, 1]]), XY, P(None, *XY)), X",
    "un(lambda x: lax.pmax(x, 'x', axis_index_groups=[[0, 1], [2, 3]]), XY, XY), X",
    "un(lambda x: lax.scan(lambda c, a: (c + a, lax.psum(c, 'x')), 0 * x[0], x)[1], X0, P()), X",
    # A device for each example.
    "jax.pmap(lambda x, y=1.0: lax.psum(jnp.sin(x) * y, 'i'), axis_name='i'), X",
    "jax.pmap(lambda x, y: (x * y, y), in_axes=(1, None), out_axes=(1, None)), X, W",
]

RESULTS = [
    "y = sm(lambda x: lax.psum(x, 'x'), XY, Y1)(X)\ny, y.sharding, y.committed",
    "y = sm(lambda x: lax.psum(x, 'x'), X0, P(), axis_names={'x'})(X)\ny, y.sharding",
    "sm(lambda x: x * 2, XY, BOTH)(jax.device_put(X, S.NamedSharding(MESH, XY))).sharding",
    "y = jax.pmap(lambda x: x * 2)(X)\ny, y.sharding",
    "jax.pmap(lambda x: lax.psum(x, 'i'), axis_name='i', out_axes=None)(X)",
    "jax.pmap(lambda x, n: x * n, static_broadcasted_argnums=1)(X, 3)",
    "f = jax.pmap(lambda x, n, d: {'a': x * n + d['y']}, static_broadcasted_argnums=1, "
    "donate_argnums=0)\nl = f.lower(X, 3, {'y': X})\n"
    "str(l.args_info), l.in_tree, l.out_tree, l.compile()(X + 0, {'y': X})",
    "a, b = jax.pmap(jnp.sin)(X), jnp.sin(X)\n"
    "type(a) == type(b), type(b) == type(a), type(a) != type(b), type(b) != type(a), "
    "type(a) == type(1.0), type(a) == type(np.ones(2))",
    "f = jax.pmap(lambda x, n, d: (x * n, d['y'] + x), donate_argnums=(0, 2),"
    " static_broadcasted_argnums=1)\nxs = [(X + 0, X + 0), (X[:1], X[:1]),"
    " (jax.pmap(jnp.sin)(X), X + 0)]\n[(f(x, 3, {'y': y}), x.is_deleted(), y.is_deleted())"
    " for x, y in xs]",
    "jax.pmap(lambda x, y: x * y)(X, y=X)",
    "jax.pmap(lambda x: x, devices=jax.devices()[4:])(X[:4]).sharding.device_set == "
    "set(jax.devices()[4:])",
    "with jax.set_mesh(MESH):\n    f = jax.shard_map(lambda x: lax.psum(x, 'x'), in_specs=XY, "
    "out_specs=Y1)\n    found = text(f, X), f(X)\nfound",
    "jax.shard_map(out_specs=XY, in_specs=XY, mesh=MESH)(lambda x: x * 2)(X)",
    "seen = []\nsm(lambda x: seen.append(list(map(repr, map(jax.typeof, (x, lax.psum(x, 'x'), "
    "jnp.ones(3)))))) or x, XY, XY)(X)\nseen",
    "seen = []\nsm(lambda x: seen.append(S.get_abstract_mesh()) or x, XY, XY)(X)\nseen",
    # What is shown of a value in a body.
    *(
        f"seen = []\nsm4(lambda x: seen.append(str({f})) or x)(I[:4].reshape(8))\nseen"
        for f in (
            "x", "lax.psum(x, 'i')", "lax.all_gather(x, 'i')",
            "lax.ppermute(x, 'i', RING)",
            "lax.all_to_all(jnp.tile(x, 2), 'i', 0, 0, tiled=True)",
            "lax.psum_scatter(jnp.tile(x, 2), 'i', tiled=True)", "lax.axis_index('i')", "x[0] > 3",
        )
    ),
    # Products whose parts go round in a ring: a row of blocks is known, or a sum is wanted.
    "def f(a, b):\n    i = lax.axis_index('i')\n    total = jnp.zeros((2, 3)) * b[0, 0]\n"
    "    for k in range(4):\n"
    "        part = lax.dynamic_slice_in_dim(a, (i - k) % 4 * 2, 2, 1)\n"
    "        total, b = total + part @ b, lax.ppermute(b, 'i', RING)\n"
    "    return total\n"
    "A, B = jnp.sin(jnp.arange(64.0)).reshape(8, 8), jnp.cos(jnp.arange(24.0)).reshape(8, 3)\n"
    "g = sm4(f)\ng(A, B), jax.jit(g)(A, B), jax.jit(jax.grad(lambda a: g(a, B)[0, 0]))(A)",
    "def f(a, b):\n    i, total = lax.axis_index('i'), 0\n"
    "    for k in range(4):\n"
    "        part = lax.dynamic_slice_in_dim(a, (i - k - 1) % 4 * 2, 2, 0)\n"
    "        total = part @ b + (lax.ppermute(total, 'i', RING) if k else 0)\n"
    "    return total\n"
    "A, B = jnp.sin(jnp.arange(64.0)).reshape(8, 8), jnp.cos(jnp.arange(24.0)).reshape(8, 3)\n"
    "g = sm4(f, (P(None, 'i'), P('i')))\ng(A, B), jax.jit(g)(A, B)",
    # Mistakes, by class.
    "[raised(f) for f in (lambda: sm(lambda x: x, P('x', None, 'y'), X0)(X), "
    "lambda: sm(lambda x: x, X0, X0)(X[:3]), lambda: sm(lambda x: x, (X0, X0), X0)(X), "
    "lambda: sm(lambda x: (x, x), X0, (X0,))(X), lambda: sm(lambda x: x, P('z'), X0)(X), "
    "lambda: sm(lambda x: x, 'x', X0)(X), lambda: sm(lambda x: x, X0, None)(X), "
    "lambda: sm(lambda x: x, X0, P())(X), lambda: sm(lambda x: x.sum(), X0, X0)(X), "
    "lambda: sm(3, X0, X0), lambda: sm(lambda x: x, X0, X0)(3.0), "
    "lambda: sm(lambda x: x, X0, X0)('a'), lambda: sm(lambda x: 'a', X0, X0)(X))]",
    "[raised(f) for f in (lambda: jax.shard_map(lambda x: x, in_specs=X0, out_specs=X0)(X), "
    "lambda: jax.shard_map(lambda x: x, mesh=3, in_specs=X0, out_specs=X0)(X), "
    "lambda: jax.shard_map(lambda x: x, mesh=MESH, out_specs=X0)(X), "
    "lambda: sm(lambda x: x, X0, X0, axis_names={'z'})(X), "
    "lambda: sm(lambda x: x, X0, X0, axis_names='x')(X), "
    "lambda: sm(lambda x: x, X0, X0, axis_names={'y'})(X), "
    "lambda: sm(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [2, 3]]), X0, X0)(X), "
    "lambda: sm(lambda x: lax.pcast(x, 'x', to='varying'), X0, X0)(X), "
    "lambda: sm(lambda x: lax.pcast(x, 'y', to='a'), X0, X0)(X), "
    "lambda: sm(lambda x: lax.scan(lambda c, a: (c + a, c), jnp.zeros(2), x)[0], X0, X0)(X), "
    "lambda: sm(lambda x: lax.cond(True, lambda: x, lambda: jnp.zeros((2, 2))), X0, X0)(X), "
    "lambda: sm(lambda x: 1 / 0, X0, X0)(X))]",
    "[raised(f) for f in (lambda: jax.pmap(lambda x: x)(jnp.ones(9)), "
    "lambda: jax.pmap(lambda x, y: x)(jnp.ones(3), jnp.ones(2)), lambda: jax.pmap(lambda: 1)(), "
    "lambda: jax.pmap(lambda x: x)(1.0), lambda: jax.pmap(lambda x: x, in_axes='a'), "
    "lambda: jax.pmap(lambda x: x, in_axes=(0, 0))(X), "
    "lambda: jax.pmap(lambda x: x, axis_size=3)(X), lambda: jax.pmap(3), "
    "lambda: jax.pmap(lambda x, n: x, static_broadcasted_argnums=1)(X), "
    "lambda: jax.pmap(lambda x, n: x, static_broadcasted_argnums=1)(X, [1]))]",
]

LOOPED = "lambda x: lax.scan(lambda c, _: (c, ({})(c)), x, None, length=2)[1]"
CHOSEN = "lambda x, b: lax.cond(b > 1, lambda x: ({0})(x * 2), {0}, x)"


def cases():
    for f, out in COLLECTIVES.items():
        mapped = f"sm({f}, XY, {out})"
        yield f"seen({mapped}, X)"
        yield f"seen(back({mapped}), X)"
        yield f"seen(jax.vmap({mapped}), V)"
        yield f"seen(jax.jit(back(sm({LOOPED.format(f)}, XY, P(None, *{out})))), X)"
        yield f"seen(sm({CHOSEN.format(f)}, (XY, P()), {out}), X, 2.0)"
    for other in OTHERS:
        yield f"seen({other})"
    yield from RESULTS


CASES = [*cases()]
