"""Unreduced sums and reduced arrays inside of a shard_map: types, values, programs and mistakes."""

SETUP = """\
import importlib, re
S = importlib.import_module(f'{jax.__name__}.sharding')
P = S.PartitionSpec
MESH, AUTO = jax.make_mesh((4, 2), ('x', 'y')), jax.make_mesh((8,), 'x', S.AxisType.Auto)
XS = np.arange(32, dtype=np.float32).reshape(8, 4) / 32

def put(x, *spec, **sums):
    return jax.device_put(np.asarray(x), S.NamedSharding(MESH, P(*spec, **sums)))

X, W, R = put(XS, 'x'), put(XS[1]), put(XS[1], None, reduced={'x'})
U1, R1, R2 = P(unreduced={'x'}), P(None, reduced={'x'}), P(reduced={'x'})

def sm(f, i, o, **how):
    return jax.shard_map(f, mesh=MESH, in_specs=i, out_specs=o, **how)

def told(f, i, o, *xs, jit=True):
    # The type inside; the type, how the result lies, and what each device has.
    types = []
    def body(*xs):
        out = f(*xs)
        types.append(str(jax.typeof(out)))
        return out
    mapped = sm(body, i, o)
    out = (jax.jit(mapped) if jit else mapped)(*xs)
    parts = np.stack([np.asarray(s.data) for s in out.addressable_shards])
    return types[0], str(jax.typeof(out)), out.sharding.spec, parts

def eagerly(*args):
    return told(*args, jit=False)

def term(x):
    return lax.pcast(x.sum(0), 'x', to='unreduced')

def inside(f, *xs):
    # The types alone, of what f makes in the body.
    found = []
    def body(*xs):
        found.append(f(*xs))
        return jnp.zeros(())
    jax.eval_shape(sm(body, tuple(jax.typeof(x).sharding.spec for x in xs), P()), *xs)
    return [str(jax.typeof(x)) for x in jax.tree.leaves(found)]

def text(f, *xs):
    with jax.set_mesh(MESH):
        found = str(jax.make_jaxpr(f)(*xs))
    found = re.sub(r"sharding=NamedSharding\\(.*?\\)\\)", "sharding=None", found, flags=re.S)
    found = re.sub(r"frozenset\\(\\{([^}]*)\\}\\)", lambda m: str(sorted(m[1].split(', '))), found)
    found = re.sub(r"np\\.int64\\((\\d+)\\)", r"\\1", found)
    return re.sub(r"mesh=.*?(?=newly)", "", ''.join(found.split()))

def summed(x):
    return sm(lambda x: lax.psum(term(x), 'x'), P('x'), P())(x)

def gathered(x):
    return sm(lambda x: lax.all_gather(x, 'x', tiled=True, to='invarying'), P('x'), P())(x)

def added(f, x):
    with jax.set_mesh(MESH):
        return np.asarray(jax.jit(lambda x: jax.reshard(f(x), P()) * 2)(x))

def weighted(w, x, **how):
    return sm(lambda w, x: jnp.sin(w) * x, (R1, P('x')), P('x'), **how)(w, x)

def grad_of(loss, *xs, jit=True):
    g = jax.grad(lambda *xs: (loss(*xs) ** 2).sum())
    with jax.set_mesh(MESH):
        out = (jax.jit(g) if jit else g)(*xs)
        return str(jax.typeof(out)), np.asarray(jax.reshard(out, P()))

def slope(w, x):
    return jax.grad(lambda w: (jnp.sin(w) * x).sum())(lax.pcast(w, 'x', to='reduced'))
"""
_CASES = """\
told(term, P("x"), U1, X)
eagerly(term, P("x"), U1, X)
told(lambda x: x.sum(0), P("x"), U1, X)
told(lambda x: lax.psum(term(x), "x"), P("x"), P(), X)
eagerly(lambda x: lax.psum(term(x) + term(x), "x"), P("x"), P(), X)
told(lambda x: lax.psum_scatter(term(x), "x", tiled=True), P("x"), P("x"), X)
told(lambda w: lax.pcast(w, "x", to="reduced"), P(), R2, W)
told(lambda w: jnp.sin(w), R1, R1, R)
told(lambda w, x: w * x, (R1, P("x")), P("x"), R, X)
eagerly(lambda w, x: w * x, (R1, P("x")), P("x"), R, X)
told(lambda w, x: term(x) * w, (R1, P("x")), U1, R, X)
told(lambda x: lax.all_gather(x, "x", tiled=True, to="reduced"), P("x"), R2, X)
told(lambda x: lax.all_gather(x, "x", axis=1, to="invarying"), P("x"), P(), X)
told(lambda u: lax.psum(u + u, "x"), U1, P(), jax.jit(sm(term, P("x"), U1))(X))
eagerly(lambda u: lax.psum(u + u, "x"), U1, P(), sm(term, P("x"), U1)(X))
told(slope, (P(), P("x")), U1, W, X)
told(lambda w, x: lax.psum(jax.jit(slope)(w, x), "x"), (P(), P("x")), P(), W, X)
added(lambda x: sm(term, P("x"), U1)(x), X)
grad_of(weighted, R, X)
grad_of(weighted, R, X, jit=False)
grad_of(lambda w, x: weighted(w, x, check_vma=False), R, X)
grad_of(summed, X)
text(jax.grad(lambda x: summed(x).sum()), X)
text(sm(lambda x: lax.psum_scatter(term(x), "x", tiled=True), P("x"), P("x")), X)
text(sm(lambda x: lax.all_gather(x, "x", tiled=True, to="reduced"), P("x"), R2), X)
text(jax.grad(lambda x: gathered(x).sum()), X)
inside(lambda x: [f(term(x)) for f in (jnp.sum, lambda u: u.reshape(2, 2))], X)
inside(lambda x: [f(term(x)) for f in (lambda u: u.T, lambda u: u[:2], lambda u: jnp.pad(u, 1))], X)
inside(lambda x: [jnp.stack([term(x), term(x)]), lax.split(term(x), (2, 2))], X)
inside(lambda w: [w[None], w.sum(), w @ w, w * w, jnp.where(w > w, w, w), w.astype(int)], R)
inside(lambda w: [lax.cond(True, lambda c: c, lambda c: c, w), lax.dynamic_slice(w, (0,), (2,))], R)
inside(lambda w: lax.fori_loop(0, 2, lambda i, c: c * c, w), R)
inside(lambda w: w * 2, R)
inside(lambda x: jnp.sin(term(x)), X)
inside(lambda x: term(x) + 1, X)
inside(lambda x: term(x) @ x.sum(0), X)
inside(lambda x: lax.pmax(term(x), "x"), X)
inside(lambda w: lax.psum(w, "x"), R)
inside(lambda w: lax.all_gather(w, "x"), R)
inside(lambda w: lax.ppermute(w, "x", [(0, 1)]), R)
inside(lambda x: lax.all_gather(x, "y", to="reduced"), X)
inside(lambda x: lax.all_gather(x, "x", to="a"), X)
inside(lambda x: lax.pcast(x, "y", to="unreduced"), X)
inside(lambda x: lax.pcast(x, "x", to="reduced"), X)
inside(lambda x: lax.psum(x, ("x", "y")), X)
sm(term, P("x"), P())(X)
sm(term, P("x"), P("x"))(X)
sm(lambda w: w, R1, P())(R)
sm(lambda w: w, P(), P())(R)
sm(lambda w: w, R1, R1)(W)
sm(lambda x: x, P("x"), U1, axis_names={"x"})(X)
jax.shard_map(lambda x: x, mesh=AUTO, in_specs=P("x"), out_specs=U1)(XS)
"""
CASES = [line for line in _CASES.splitlines() if line]
