"""Meshes, specs, shardings, and arrays that lie on eight devices."""

SETUP = """\
import importlib, pickle, warnings
S = importlib.import_module(f'{jax.__name__}.sharding')
P, Mesh, NamedSharding, AxisType = S.PartitionSpec, S.Mesh, S.NamedSharding, S.AxisType
D = np.array(jax.devices())
MESH = Mesh(D.reshape(4, 2), ('x', 'y'))
EXPLICIT = jax.make_mesh((4, 2), ('x', 'y'))
LINE = Mesh(D, 'i')
X = np.arange(16, dtype=np.float32).reshape(8, 2)

def named(*spec, mesh=MESH, **more):
    return NamedSharding(mesh, P(*spec, **more))

def typed(*spec):
    return named(*spec, mesh=MESH.abstract_mesh)

def under(f):
    with jax.set_mesh(MESH):
        return f()

def put(*spec, x=X):
    return jax.device_put(x, named(*spec))

def places(sharding, shape):
    return {d.id: index for d, index in sharding.devices_indices_map(shape).items()}

def ids(x):
    return sorted(d.id for d in (x.devices() if hasattr(x, 'devices') else x.device_set))

A, ROWS, ALL = put('x', 'y'), put('x'), put()
B = jax.device_put(X, D[3])
U = jnp.asarray(X)
PARTS = [jax.device_put(X[i:i + 1], D[i]) for i in range(8)]
"""

_SPECS = "P('x', 'y'), P(), P(None), P(('x', 'y')), P(('x',), None), P(P.UNCONSTRAINED), P(()), "
_SHARDINGS = "[named('x'), named(('y', 'x')), named('y', None), named(None, 'y'), named()]"

CASES = [
    # Devices and meshes.
    "[str(d) for d in D], [(d.id, d.platform, d.device_kind, d.process_index) for d in D[:2]]",
    "jax.device_count(), jax.local_device_count(), jax.devices('cpu') == list(D)",
    "[repr(m) for m in (MESH, EXPLICIT, LINE, Mesh(D[0], ()), Mesh(D[:0], 'x'))]",
    "[str(m) for m in (MESH, EXPLICIT, LINE, Mesh(D[0], ()), Mesh(D[:0], 'x'))]",
    "[(m.shape, m.shape_tuple, m.axis_sizes, m.axis_names, m.size, m.empty, m.is_scalar) "
    "for m in (MESH, LINE, Mesh(D[0], ()), Mesh(D[:0], 'x'))]",
    "MESH.device_ids, MESH.local_devices, MESH.devices.tolist(), MESH.devices.flags.writeable",
    "Mesh(D.reshape(4, 2), ['x', 'y']) is MESH, MESH == EXPLICIT, hash(MESH) == hash(MESH), "
    "MESH.update(axis_types=(AxisType.Explicit,) * 2) is EXPLICIT, "
    "MESH.update(axis_names=('a', 'b'))",
    "[m.abstract_mesh for m in (MESH, EXPLICIT, LINE)]",
    "M = EXPLICIT.abstract_mesh\n"
    "M.shape, M.size, M.abstract_device, M.update_axis_types({'x': AxisType.Manual}), "
    "M.update(axis_names=('a', 'b')), S.AbstractMesh((4, 2), ('x', 'y')), S.AbstractMesh((), ())",
    "M = MESH.abstract_mesh.update_axis_types({'x': AxisType.Manual})\n"
    "M.auto_axes, M.manual_axes, M.explicit_axes, M.are_all_axes_auto, M.are_all_axes_manual, "
    "MESH.are_all_axes_auto, EXPLICIT.are_all_axes_explicit",
    "[jax.make_mesh(*args) for args in (((2, 2), ('x', 'y')), ((8,), 'x'), ((), ()), "
    "((2,), ('x',), (AxisType.Auto,)))], jax.make_mesh((2,), ('x',), devices=D[3:5]).device_ids",
    "list(AxisType), [str(t) for t in AxisType]",
    "M = importlib.import_module(f'{jax.__name__}.experimental.mesh_utils').create_device_mesh\n"
    "[m.tolist() for m in (M((4, 2)), M([2, 2], D[:4]), M((8,), contiguous_submeshes=True))], "
    "[raised(M, s) for s in "
    "((2, 2), 8, ('a',), (-1, 2), ())]",
    "M = importlib.import_module(f'{jax.__name__}.experimental.multihost_utils')\n"
    "M.broadcast_one_to_all({'a': 1, 'b': [U]}), M.process_allgather([A, 1.5, np.float64(0.1)]), "
    "M.process_allgather([A, 1.5], tiled=True), M.sync_global_devices('a'), "
    "[raised(M.assert_equal, x) for x in (A, [1.5, X], np.nan, jnp.zeros((0, 2)), 'a', None)]",
    "M = importlib.import_module(f'{jax.__name__}.experimental.multihost_utils')\n"
    "F, G = M.host_local_array_to_global_array, M.global_array_to_host_local_array\n"
    "[(f([U, X], MESH, s)[1], [y.sharding for y in f([X, np.arange(8)], MESH, s)], "
    "f(np.zeros(4, jax.dtypes.float0), MESH, P('x')), f(None, MESH, None)) "
    "for f in (F, G) for s in (P('x'), [P('x'), P()])], "
    "F(random.key(0), MESH, P()).sharding, G(A, MESH, P()) is A, "
    "[raised(F, X, MESH, s) for s in (P('z'), P(None, 'x'), P('x', 'y', 'x'), 'x', [P('x')])]",
    # Specs.
    f"{_SPECS} P('x', ('y',)), P(['x', 'y']), P('x', None, unreduced={{'y'}}), "
    "P(reduced={'x'}), P(None, unreduced={'x'}), P(1)",
    "P('x') == ('x',), P(('x',)) is P('x'), P('x') == P('x', None), P() is P(), "
    "hash(P('x')) == hash(P(('x',))), isinstance(P('x'), tuple)",
    "list(P('x', None)), P('x', None)[0], P('x')[0:1], len(P('x', None)), P('x') + P('y'), "
    "P('x') + ('y',), ('y',) + P('x'), P('x', 'y').index('y'), P('x').count(('x',)), "
    "P('x').update(partitions=('y',)), P('x').partitions, P('x', unreduced={'y'}).unreduced",
    "tree_util.tree_structure(P('x')), pickle.loads(pickle.dumps(P('x', None))) is P('x', None), "
    "P('x', unreduced={'y'}).to_ct_spec()",
    # Shardings.
    f"{_SHARDINGS}, named('x', mesh=EXPLICIT), named('x', mesh=MESH.abstract_mesh), "
    "named(unreduced={'x'}, mesh=EXPLICIT), S.SingleDeviceSharding(D[3])",
    f"[s.shard_shape((8, 4)) for s in {_SHARDINGS}]",
    f"[places(s, (8, 4)) for s in {_SHARDINGS}]",
    "places(named(('x', 'y')), (8,)), places(S.SingleDeviceSharding(D[2]), (3, 4)), "
    "places(named(), ())",
    f"[(s.num_devices, s.memory_kind, s.is_fully_replicated, s.is_fully_addressable, "
    f"sorted(s.replicated_axes), ids(s)) for s in {_SHARDINGS}]",
    "named('y') == named('y'), hash(named('y')) == hash(named('y')), "
    "named('y') == named('y', None), named('y') == named('y', mesh=EXPLICIT)",
    "N = named('y')\n[N.is_equivalent_to(s, n) for s, n in ((named('y', None), 2), "
    "(named('y', mesh=EXPLICIT), 1), (S.SingleDeviceSharding(D[0]), 1), (named('x'), 1))]",
    "named().is_equivalent_to(named(mesh=LINE), 1), "
    "named(('x', 'y')).is_equivalent_to(named('i', mesh=LINE), 2), "
    "named(('y', 'x')).is_equivalent_to(named('i', mesh=LINE), 2), "
    "S.SingleDeviceSharding(D[0]).is_equivalent_to(named('a', mesh=Mesh(D[:1], 'a')), 1)",
    "named('x').update(spec=P('y')), named('x').update(spec=('y',)), named('x').update(mesh=LINE, "
    "spec=P('i')), named('x').with_memory_kind('device')",
    # Arrays.
    "A, ROWS, ALL, B, U",
    "[x.sharding for x in (A, ROWS, ALL, B, U)]",
    "[(ids(x), x.committed, x.is_fully_replicated, x.is_fully_addressable) "
    "for x in (A, ROWS, ALL, B, U)], A.device, B.device, U.device",
    "[isinstance(x, jax.Array) for x in (A, B, U, X)], type(U).__name__, "
    "[issubclass(type(x), jax.Array) for x in (A, B, U, X)]",
    "A.addressable_shards, B.addressable_shards",
    "[(s.device, s.index, s.replica_id, s.data, s.data.sharding) for s in ROWS.addressable_shards]",
    "[A.addressable_data(i) for i in (0, 3, -1)], ALL.addressable_data(5), U.addressable_data(0)",
    "jax.device_put(U) is U, jax.device_put(A) is A, jax.device_put(A, A.sharding) is A, "
    "jax.device_put(A, named('x', 'y')) is A",
    "ids(jax.device_put(A, D[2])), jax.device_put(A, named('y')).sharding, "
    "A.to_device(D[1]).sharding",
    "T = jax.device_put({'a': X, 'b': [X, 1]}, {'a': named('x'), 'b': D[2]})\n"
    "jax.tree.map(lambda x: x.sharding, T)",
    "[x.sharding for x in jax.device_put([X, X], [named('x'), None])]",
    "jax.device_put(3.0, named()), jax.device_put(1, D[1]).weak_type, jax.device_put(True, D[1])",
    "K = jax.device_put(random.split(random.key(0), 8), named('x'))\n"
    "K, K.sharding, K.addressable_shards[2].data, random.key_data(K)",
    "np.asarray(A), A.tolist()[1], jax.device_get(A), float(A[1, 1]), int(jax.device_put(3, "
    "D[1])), "
    "bool(jax.device_put(True, D[1])), [1, 2][jax.device_put(1, D[1])], len(A), list(A)[3]",
    "str(A), f'{B}', A.nbytes, A.itemsize, A.is_ready(), A.block_until_ready() is A, "
    "A.copy().sharding",
    "pickle.loads(pickle.dumps(A)).sharding, pickle.loads(pickle.dumps(A)), "
    "copy.deepcopy(A).sharding, copy.deepcopy(A)",
    "C = put('x')\nC.delete()\nC.is_deleted(), [raised(f) for f in (lambda: C + 1, lambda: str(C), "
    "lambda: np.asarray(C), lambda: C.addressable_shards)]",
    # Computing.
    "[ids(x) for x in (B + 1, B + U, U * B, jnp.sin(B), jax.jit(lambda x: x * 2)(B))], "
    "jnp.sin(B).committed, (B + X).sharding",
    "[x.sharding for x in (A + 1, A + X, A + U, A + ALL, A + ROWS, ROWS + A, jnp.sin(A), -ALL, A "
    "> 3, "
    "A.astype(int))]",
    "jnp.sum(A).sharding, (A ** 2).sharding, jnp.exp(A)",
    "A @ A.T, jnp.sum(A, 0), A.T, A[1:3], A[0], A[:, 1], A.at[0].set(1.0), jnp.sort(A, 0)[::-1]",
    "jnp.where(A > 1, A, 0), jnp.concatenate([A, A]), A.reshape(16)",
    "jax.jit(lambda x, y: x @ y.T)(A, U), jax.jit(lambda x: x.sum(0))(A), jax.jit(jnp.cumsum)(B)",
    "jax.grad(lambda x: (x ** 2).sum())(A), jax.vmap(lambda r: r.sum())(A), "
    "jax.value_and_grad(lambda x: jnp.sin(x).sum())(A)[0]",
    "jax.jvp(jnp.sin, (A,), (ROWS,)), jax.linearize(jnp.sin, A)[1](A)",
    "lax.scan(lambda c, r: (c + r, r * 2), jnp.zeros(2), A), lax.cond(A[0, 0] > 0, jnp.sin, "
    "jnp.cos, A)",
    "random.normal(jax.device_put(random.key(0), named()), (3,))",
    "jax.jit(lambda x: x + 1, donate_argnums=0)(put('x')), "
    "[raised(f) for f in (lambda: A + B, lambda: B + PARTS[2], lambda: jax.jit(jnp.add)(A, B), "
    "lambda: A + jax.device_put(X, named('i', mesh=Mesh(D[:4], 'i'))), lambda: jnp.stack([A, B]))]",
    "Z = put('x')\nY = jax.jit(lambda x: x + 1, donate_argnums=0)(Z)\nZ.is_deleted(), "
    "Y.is_deleted()",
    "jnp.zeros((8, 2), device=named('x')).sharding, ids(jnp.ones(2, device=D[2])), "
    "jnp.arange(8, device=named('x')), ids(jnp.linspace(0, 1, 8, device=D[3])), "
    "jnp.asarray(X, device=named('x')).sharding, ids(jnp.array(X, device=D[4])), "
    "jnp.eye(8, device=named('x')).sharding, jnp.full((8,), 2.0, device=named('x')).sharding",
    "jnp.zeros_like(A).sharding, jnp.ones_like(A, device=D[1]).sharding, "
    "jnp.full_like(A, 1.0).committed, jnp.zeros_like(A, shape=(3,)).sharding, "
    "ids(jnp.astype(U, int, device=D[5]))",
    # Assembling.
    "C = jax.make_array_from_callback((8, 2), named('x', 'y'), lambda i: X[i])\nC, C.sharding",
    "calls = []\nC = jax.make_array_from_callback((8, 2), named(), lambda i: calls.append(i) or "
    "X)\n"
    "C.is_fully_replicated, len(C.addressable_shards), set(map(repr, calls))",
    "C = jax.make_array_from_single_device_arrays((8, 2), named('i', mesh=LINE), PARTS)\n"
    "C, C.sharding, jax.make_array_from_single_device_arrays((8, 2), C.sharding, PARTS[::-1])",
    "C = jax.make_array_from_process_local_data(named('x'), X)\nC, C.sharding, "
    "jax.make_array_from_process_local_data(named('x'), {'a': X})['a'].sharding, "
    "jax.make_array_from_process_local_data(named('x'), X, (8, 2)).shape",
    "F = jax.make_array_from_process_local_data\n"
    "with jax.set_mesh(MESH):\n"
    "    C = F(P('x'), X)\n"
    "C, C.sharding, raised(F, P('x'), X)",
    # Where arrays are made, and the mesh that is set.
    "with jax.default_device(D[3]):\n"
    "    made = jnp.ones(3), jnp.asarray(X), jax.device_put(X), jnp.sin(U), jnp.arange(3) + 1\n"
    "    more = jax.jit(lambda x: x + 1)(X), jax.jit(lambda x: x + 1)(1.0), B + 1, A + 1\n"
    "[(ids(x), x.committed) for x in made], [ids(x) for x in more], ids(made[0] * 2), "
    "ids(jnp.ones(3))",
    "try:\n    jax.config.update('jax_default_device', D[2])\n"
    "    made = jnp.ones(3), jax.device_put(X), jnp.sin(U), jax.jit(lambda x: x + 1)(X), B * 2\n"
    "    with jax.default_device(D[4]):\n        inside = jnp.zeros(2)\n"
    "finally:\n    jax.config.update('jax_default_device', None)\n"
    "[ids(x) for x in made], ids(inside), ids(jnp.ones(3)), "
    "raised(lambda: jax.config.update('jax_default_device', 3))",
    "before = S.get_mesh()\nwith jax.set_mesh(MESH):\n"
    "    inside = S.get_mesh(), S.get_abstract_mesh(), jax.device_put(X, P('x')).sharding\n"
    "    with jax.set_mesh(LINE):\n        deeper = S.get_mesh()\n    again = S.get_mesh()\n"
    "before, inside, deeper, again, S.get_mesh()",
    "with S.use_abstract_mesh(MESH.abstract_mesh):\n    inside = S.get_abstract_mesh(), "
    "S.get_mesh()\n"
    "inside, S.get_abstract_mesh()",
    "with MESH as m:\n    pass\nm is MESH",
    "seen = []\njax.debug.inspect_array_sharding({'a': A, 'b': U}, callback=seen.append)\nseen",
    "[ids(x) for x in (jnp.where(B > 3, B, U), jnp.dot(B, U.T), U.at[0].set(B[0]), jnp.stack([B, "
    "B]), "
    "jax.nn.softmax(B), B[np.array([0, 1])], B.reshape(-1), jax.jit(lambda: B * 2)(), "
    "jax.jit(lambda x: x + B)(U), jax.grad(lambda w, x: (w * x).sum())(U, B), "
    "jax.linearize(jnp.sin, B)[1](U), jax.vmap(jnp.sum)(B), copy.copy(B), X + B, "
    "jax.jit(jnp.sin).lower(B).compile()(B), jnp.asarray(B), jnp.array(B))]",
    "lax.fori_loop(0, 3, lambda i, x: x + 1, A), lax.while_loop(lambda x: x.sum() < 999, "
    "lambda x: x * 2, A), jax.checkpoint(lambda x: x * 3)(A), jax.jacfwd(jnp.sum)(A), "
    "jnp.linalg.norm(A), jnp.nonzero(A > 12), np.add(A, 1), X + A, (A > 3).any(), sum(A)",
    "jax.make_jaxpr(lambda x: x + A)(1.0), jax.eval_shape(lambda x: x.T, A), "
    "jax.jit(lambda x: x.to_device(D[1]))(U)",
    # Mistakes, by class.
    "[raised(jax.jit(f), X) for f in (lambda x: x.devices(), lambda x: x.committed, "
    "lambda x: x.addressable_shards, lambda x: x.addressable_data(0), lambda x: x.sharding, "
    "lambda x: x.is_fully_replicated, lambda x: x.global_shards, lambda x: x.delete())]",
    "[raised(f) for f in (lambda: Mesh(D.reshape(4, 2), 'x'), lambda: Mesh(D, (None,)), "
    "lambda: Mesh(D, 'x', 'a'), lambda: Mesh(D, 'x', (AxisType.Auto,) * 2), "
    "lambda: jax.make_mesh((4, 3), ('x', 'y')), lambda: jax.make_mesh(8, 'x'), "
    "lambda: jax.make_mesh(('a',), 'x'), lambda: MESH.abstract_mesh.devices, "
    "lambda: setattr(MESH, 'devices', 3), lambda: pickle.dumps(MESH))]",
    "[raised(f) for f in (lambda: P('x').index('q'), lambda: P('x') + 1, lambda: 1 + P('x'), "
    "lambda: P('x', unreduced={'x'}), lambda: P('x', unreduced='y'), lambda: P(reduced={None}), "
    "lambda: P(unreduced={'x'})[0], lambda: list(P(reduced={'x'})), "
    "lambda: P(unreduced={'x'}) + ('y',))]",
    "[raised(f) for f in (lambda: named('z'), lambda: named('x', 'x'), lambda: named(('x', 'x')), "
    "lambda: named(P.UNCONSTRAINED, mesh=EXPLICIT), lambda: named(unreduced={'x'}), "
    "lambda: named('x').shard_shape((7, 2)), lambda: named('x', "
    "mesh=MESH.abstract_mesh).device_set, "
    "lambda: named('x', memory_kind='a'), lambda: named('x').check_compatible_aval(()))]",
    "[raised(f) for f in (lambda: put('x', x=X[:7]), lambda: put(None, 'x'), lambda: put('x', "
    "x=3.0), "
    "lambda: jax.device_put(X, P('x')), lambda: jax.device_put(X, 3), "
    "lambda: jax.device_put([X], (D[0],)), lambda: jax.device_put({'a': X, 'b': X}, {'a': D[0]}), "
    "lambda: jax.device_put(X, MESH), lambda: jax.device_put(X, named('x', "
    "mesh=MESH.abstract_mesh)), "
    "lambda: A.addressable_data(9), lambda: A.unsafe_buffer_pointer())]",
    "from_parts = jax.make_array_from_single_device_arrays\nL = named('i', mesh=LINE)\n"
    "[raised(f) for f in (lambda: jax.make_array_from_callback((8, 2), L, lambda i: X), "
    "lambda: jax.make_array_from_callback((8, 2), L, lambda i: X[i], dtype='int32'), "
    "lambda: jax.make_array_from_callback((8, 2), D[0], lambda i: X[i]), "
    "lambda: from_parts((8, 2), L, PARTS[:7]), lambda: from_parts((8, 3), L, PARTS), "
    "lambda: from_parts((8, 2), L, PARTS[:1] * 8), lambda: from_parts((8, 2), L, list(X)), "
    "lambda: from_parts((8, 2), L, A), lambda: from_parts((8, 2), L, PARTS, dtype='int32'), "
    "lambda: jax.make_array_from_process_local_data(L, X, (16, 2)))]",
    "[raised(f) for f in (lambda: jax.set_mesh(3), lambda: S.use_abstract_mesh(3), "
    "lambda: jax.jit(lambda x: jax.set_mesh(MESH))(1), lambda: jax.jit(lambda x: S.get_mesh())(1), "
    "lambda: jax.default_device(3), "
    "lambda: jax.devices('abacus'), lambda: jax.config.update('jax_num_cpu_devices', 5))]",
    # What jit's in_shardings say of the devices: who moves, and who may not.
    "LEFT, RIGHT = (Mesh(D[i:i + 2], 'x') for i in (0, 2))\n"
    "TO = [S.SingleDeviceSharding(D[2]), S.SingleDeviceSharding(D[1]), named('x'), named(), "
    "*(named(*s, mesh=m) for m in (LEFT, RIGHT) for s in (('x',), (None, 'x'), ()))]\n"
    "FROM = [U, B, ALL, A, *(jax.device_put(X, named(*s, mesh=LEFT)) for s in (('x',), ()))]\n"
    "def how(x, s):\n"
    "    try:\n"
    "        y = jax.jit(lambda x: x + 1, in_shardings=s)(x)\n"
    "        return ids(y), y.sharding.shard_shape(y.shape), y.committed\n"
    "    except ValueError:\n"
    "        return 'refused'\n"
    "[how(x, s) for x in FROM for s in TO]",
    "F = jax.jit(lambda x, n, y: x * n + y, static_argnums=1, "
    "in_shardings=(S.SingleDeviceSharding(D[2]), None))\n"
    "F(B, 2, 1.0), F(B, 2, 1.0).sharding, raised(F, B, 2, B), F(X, 2, jax.device_put(X, D[2]))",
    # How arrays lie in memory.
    "L = importlib.import_module(f'{jax.__name__}.experimental.layout')\n"
    "[x.format for x in (A, ALL, B, U, jnp.float32(1), jnp.ones(3, bool), jnp.ones(3, 'int4'))], "
    "A.format == L.Format(L.Layout((0, 1), ()), A.sharding), A.format == U.format, "
    "hash(A.format) == hash(ROWS.format), str(L.Layout.AUTO), L.Format(L.Layout.AUTO, A.sharding), "
    "[raised(f) for f in (lambda: random.key(0).format, lambda: jax.jit(lambda x: x.format)(U))], "
    "[(x.delete(), x.format) for x in (jnp.ones(3), put('x'))]",
    # The type of an array says that it lies on the mesh that is set; so a sharding may.
    "under(lambda: lax.with_sharding_constraint(jnp.ones(4), typed('x')).sharding.spec)",
    "raised(lambda: lax.with_sharding_constraint(U, typed('x')))",
    "raised(lambda: lax.with_sharding_constraint(U, NamedSharding(S.get_abstract_mesh(), P())))",
    "random.bernoulli(random.key(0), 0.5, (4,), out_sharding=typed(None))",
    "random.normal(random.key(0), (4,), out_sharding=jax.typeof(U).sharding)",
    "jax.pmap(lambda x: random.uniform(random.key(0), x.shape, "
    "out_sharding=jax.typeof(x).sharding) + x)(X)",
    "L = importlib.import_module(f'{jax.__name__}.experimental.layout')\n"
    "N, AUTO = named('x'), L.Layout.AUTO\n"
    "HOW = [U.format, A.format, L.Format(), L.Format(None, N), L.Format(AUTO), L.Format(AUTO, N), "
    "L.Format(L.Layout((0, 1)), N)]\n"
    "F = lambda x: x + 1\n"
    "[(jax.jit(F, in_shardings=s)(U).format, jax.jit(F, out_shardings=s)(U).format) for s in HOW], "
    "jax.jit(F, in_shardings=HOW[3], out_shardings=HOW[1]).lower(U).compile().output_formats, "
    "[jax.device_put(U, s).format for s in HOW[:4] + HOW[6:]], "
    "lax.with_sharding_constraint(U, A.format).format, "
    "[raised(f, L.Format(L.Layout((0,)), N)) for f in (lambda s: jax.device_put(U, s), "
    "lambda s: jax.jit(F, in_shardings=s)(U), lambda s: jax.jit(F, out_shardings=s)(U))], "
    "[raised(f) for f in (lambda: jax.device_put(U, HOW[4]), lambda: jax.device_put(U, "
    "HOW[5]), lambda: jax.device_put(U, AUTO), lambda: jax.jit(F, in_shardings=AUTO), "
    "lambda: jax.jit(F, in_shardings=HOW[4])(B), lambda: jax.jit(F, in_shardings=HOW[5])(A))]",
    "L = importlib.import_module(f'{jax.__name__}.experimental.layout')\n"
    "Y, N, W = L.Layout((0, 1)), L.Layout((1, 0)), L.with_layout_constraint\n"
    "W(U, Y), W([U, A], [Y, N]), W([U, {'a': A}], Y), jax.jit(lambda x: W(x, N))(U), "
    "jax.vmap(lambda x: W(x, L.Layout((0,))))(U), jax.grad(lambda x: W(x, N).sum())(U), "
    "[raised(W, x, s) for x, s in ((U, None), (U, L.Layout.AUTO), (U, L.Layout((0,))), "
    "(U, (0, 1)), (U, U.format), (X, Y), (1.0, L.Layout(())), ('a', Y))], "
    "raised(jax.jit(lambda x: W(x, L.Layout((0, 0)))), U)",
    # What a program has of device_put.
    "J = lambda f, *args: str(jax.make_jaxpr(f)(*args))\n"
    "D0, to = jax.devices()[0], jax.device_put\n"
    "WAYS = [((), {}), ((D0,), {}), ((jax.sharding.SingleDeviceSharding(D0),), {}), "
    "((), {'donate': True}), ((), {'may_alias': True}), ((), {'may_alias': False}), "
    "((), {'src': D0})]\n"
    "[J(lambda x: to(x, *args, **how), 1.0) for args, how in WAYS], "
    "J(jax.grad(lambda z: to((z['a'], z['b'], 2.0), D0)[0].sum()), {'a': 1.0, 'b': U}), "
    "J(jax.vmap(lambda z: to((z, 1), D0)), A), J(lambda: to(random.key(0))), "
    "J(lambda x: jax.jvp(lambda z: to((z, 2.0), D0), (x,), (x,)), 1.0), "
    "jax.jit(lambda x: to((x, x + 1, random.key(1)), D0))(U), "
    "jax.vmap(lambda x, y: to((x, y))[1], (0, None), None)(A, 1), "
    "raised(jax.grad(lambda z: to(z, donate=True)), 1.0), raised(jax.jit(lambda x: to(x, 3)), A)",
]
