"""Exports for several devices: what they know, where they run, and what is refused."""

SETUP = """\
import importlib
export, S = (importlib.import_module(f'{jax.__name__}.{name}') for name in ('export', 'sharding'))
P, Mesh, NamedSharding, AbstractMesh = S.PartitionSpec, S.Mesh, S.NamedSharding, S.AbstractMesh
D = np.array(jax.devices())
FOUR, BACK, EIGHT = Mesh(D[:4], 'a'), Mesh(D[7:3:-1], 'a'), Mesh(D, 'a')
GRID, ELSEWHERE = Mesh(D[:4].reshape(2, 2), ('x', 'y')), Mesh(D[2:6].reshape(2, 2), ('b', 'c'))
X, ROWS = np.arange(32, dtype='float32').reshape(8, 4), P('a')

def spec(*cut, shape=(8, 4), mesh=FOUR):
    return jax.ShapeDtypeStruct(shape, 'float32', sharding=NamedSharding(mesh, P(*cut)))

def put(*cut, x=X, mesh=BACK):
    return jax.device_put(x, NamedSharding(mesh, P(*cut)))

def parts(x):
    return [(s.device.id, s.index, np.round(s.data, 2).tolist()) for s in x.addressable_shards[:2]]

def fun(x, y):
    return {'s': x * 2 @ y, 't': x.sum(0)}

def exported(f=fun, *args, again=False, order=0, **how):
    exp = export.export(jax.jit(f, **how))(*(args or (spec('a'), spec(shape=(4, 8)))))
    return export.deserialize(exp.serialize(order)) if again else exp

def known(exp, mesh):
    return exp.nr_devices, exp.in_shardings_jax(mesh), exp.out_shardings_jax(mesh)

def double(x):
    return jnp.sin(x) * 2

def mapped(f, ins, outs, mesh=FOUR, **how):
    return jax.shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs, **how)

def within(x):
    return lax.with_sharding_constraint(x * 2, NamedSharding(GRID, P('x', P.UNCONSTRAINED)))
"""

CASES = [
    # What they know.
    "exp = exported()\n*known(exp, FOUR), exp.in_shardings_hlo, exp.out_shardings_hlo, "
    "exp.in_avals, exp.out_avals, exp.in_shardings_jax(None)",
    "known(exported(fun, spec('a'), jax.ShapeDtypeStruct((4, 2), 'float32')), BACK)",
    "known(exported(fun, X, X.T, in_shardings=(NamedSharding(GRID, P('x', 'y')), None), "
    "out_shardings=NamedSharding(GRID, P())), GRID)",
    "known(exported(fun, X, X.T, out_shardings={'s': NamedSharding(GRID, P('x')), 't': None}), "
    "GRID)",
    "known(exported(within, X), GRID)",
    "known(exported(double, put('x', mesh=GRID)), GRID)",
    "known(exported(double, X), GRID)",
    "known(exported(lambda x, y: x * 2, spec('a'), spec('a')), FOUR)",
    "known(exported(double, spec('a', mesh=Mesh(D[:1], 'a'))), Mesh(D[:1], 'a'))",
    "known(exported(double, spec('a', mesh=AbstractMesh((4,), 'a'))), AbstractMesh((4,), 'a'))",
    "mesh = jax.make_mesh((4,), 'a')\nknown(exported(double, spec('a', mesh=mesh)), mesh)",
    "known(exported(double, spec('a')).vjp(), FOUR)",
    # What has no axes is on each device; what was put on one device is on a mesh without axes.
    "exp = exported(lambda x, y: x + y, spec('a'), 2.0)\nknown(exp, FOUR), known("
    "export.deserialize(exp.serialize()), FOUR)",
    "known(exported(lambda x, y: x, spec('a'), 2.0), FOUR)",
    "known(exported(double, 2.0, out_shardings=NamedSharding(FOUR, P())), FOUR)",
    "known(exported(double, jax.device_put(X, D[1])), AbstractMesh((), ()))",
    "known(exported(double, X, in_shardings=S.SingleDeviceSharding(D[0])), FOUR)",
    "exported(lambda x, y: x + y, put('a'), jax.device_put(X, D[0]))",
    # Where they run.
    "parts(exported().call(put('a', mesh=FOUR), X.T)['s'])",
    "parts(exported().call(put('a'), X.T)['s'])",
    "parts(exported().call(put(), X.T)['s'])",
    "parts(exported().call(put('b', 'c', mesh=ELSEWHERE), X.T)['s'])",
    "parts(exported(double, X, out_shardings=NamedSharding(FOUR, P(None, 'a'))).call(put('a')))",
    "exp = exported()\nparts(jax.jit(lambda x, y: exp.call(x, y)['s'] * 2)(put('a'), X.T))",
    "exp = exported()\nf = lambda x, y: exp.call(x, y)['s'] * 2\n"
    "parts(jax.jit(f, in_shardings=(NamedSharding(BACK, P('a')), None))(X, X.T))",
    "exp = exported()\nf = jax.jit(lambda x, y: exp.call(x, y)['s'] * 2)\n"
    "np.asarray(f(put('c', mesh=ELSEWHERE), X.T))",
    "exp = exported()\nwith jax.set_mesh(FOUR):\n    out = exp.call(X, X.T)\nparts(out['s'])",
    "exp = exported()\nwith jax.set_mesh(FOUR):\n    out = jax.jit(exp.call)(X, X.T)\n"
    "parts(out['s'])",
    "exp = exported(double, spec('a'))\nparts(jax.grad(lambda x: exp.call(x).sum())(put('a')))",
    "exp = exported(double, spec('a'))\n"
    "parts(jax.jit(jax.grad(lambda x: exp.call(x).sum()))(put('a')))",
    "exp = exported(jnp.cos, X)\nexp.nr_devices, parts(exp.call(put('a')))",
    "exp = exported()\nouter = exported(lambda x, y: exp.call(x, y)['s'] * 2, spec('a'), "
    "spec(shape=(4, 8)))\nouter.nr_devices, parts(outer.call(put('a'), X.T))",
    # A program for each device: a shard_map goes along, and its pullback too, read back or not.
    "exp = exported(mapped(lambda a: a * 2 + lax.psum(a.sum(), 'a'), ROWS, ROWS), X, again=True)\n"
    "known(exp, FOUR), parts(exp.call(put('a')))",
    "exp = exported(mapped(lambda a: lax.psum(a, 'a'), ROWS, P()), X)\nparts(exp.call(put('a')))",
    "def f(a):\n    moved = lax.ppermute(a, 'a', [(0, 1), (1, 2), (2, 3), (3, 0)])\n"
    "    return lax.all_gather(a, 'a', tiled=True).sum() + lax.axis_index('a') * moved\n"
    "parts(exported(mapped(f, ROWS, ROWS, check_vma=False), X, again=True).call(put('a')))",
    "def f(a):\n    a = lax.all_to_all(a, 'a', 1, 0, tiled=True)\n"
    "    return lax.psum_scatter(a, 'a', tiled=True)\n"
    "parts(exported(mapped(f, ROWS, P(None, 'a')), X, again=True).call(put('a')))",
    "def f(a):\n    return lax.scan(lambda c, x: (c + lax.pmax(x, 'x'), c), a[0], a)[1]\n"
    "f = mapped(f, P('x'), P(), mesh=GRID, check_vma=False, axis_names={'x'})\n"
    "np.asarray(exported(f, X, again=True).call(put(mesh=GRID)))",
    "f = mapped(lambda a: lax.pmean(jnp.sin(a), ('x', 'y')), P('x', 'y'), P(), mesh=GRID)\n"
    "exp = exported(lambda x: f(x * 2), X, again=True, order=1)\n"
    "np.asarray(jax.grad(lambda x: exp.call(x)[0, 0])(put('x', mesh=GRID))).round(5)",
    "exported(mapped(lambda a: lax.psum(a, 'a'), ROWS, P()), X).call(X)",
    # Read back.
    "exp = exported(again=True, out_shardings=NamedSharding(FOUR, P()))\n"
    "parts(exp.call(put('a'), X.T)['s']), known(exp, AbstractMesh((4,), ('a',)))",
    "exp = exported(within, X, again=True)\nexp.nr_devices, np.asarray("
    "exp.call(put('c', mesh=ELSEWHERE)))",
    "exp = exported(double, spec('a'), again=True, order=1)\n"
    "parts(jax.grad(lambda x: exp.call(x).sum())(put('a')))",
    # Along Explicit axes, which types speak of.
    "mesh = jax.make_mesh((4,), 'a')\nx = put('a', mesh=mesh)\n"
    "exp = exported(double, x, again=True, order=1)\n"
    "str(exp.in_avals + exp.out_avals), parts(exp.call(x)), parts(exp.vjp().call(x, x)[0])",
    "mesh = jax.make_mesh((2, 2), ('x', 'y'))\nx, y = put('x', mesh=mesh), "
    "put(None, 'y', x=X.T, mesh=mesh)\nexp = exported(fun, x, y, again=True, order=1)\n"
    "exp.in_shardings_jax(mesh), str(exp.in_avals + exp.out_avals), "
    "parts(jax.jit(exp.call)(x, y)['s'])",
    # Refused.
    "exp = exported()\n[raised(exp.in_shardings_jax, mesh) for mesh in (GRID, EIGHT)]",
    "exp = exported()\n[raised(f, *args) for f in (exp.call, jax.jit(exp.call)) for args in "
    "((put('a', mesh=EIGHT), X.T), (X, X.T), (jax.device_put(X, D[1]), X.T))]",
    "raised(exported(again=True).call, put('a', mesh=EIGHT), X.T)",
    "exp = exported()\nraised(exported, lambda x, y: exp.call(x, y), X, X.T)",
    "raised(exported, lambda x, y: (x, y), spec('a'), spec('a', mesh=EIGHT))",
    "raised(exported, double, spec('a', shape=(6, 4)))",
]
