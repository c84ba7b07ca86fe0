"""A mistake for each `raise` of meshes, specs, shardings and arrays on many devices."""

from oracle.cases.by_speaker import speakers_of, words_of

SETUP = """\
import importlib, pickle
S = importlib.import_module(f'{jax.__name__}.sharding')
P, Mesh, NamedSharding, AxisType = S.PartitionSpec, S.Mesh, S.NamedSharding, S.AxisType
D = np.array(jax.devices())
MESH = Mesh(D.reshape(4, 2), ('x', 'y'))
EXPLICIT = jax.make_mesh((4, 2), ('x', 'y'))
ABSTRACT = MESH.abstract_mesh
X = np.ones((8, 2), np.float32)
ROWS = NamedSharding(MESH, P('x'))
A, B = jax.device_put(X, ROWS), jax.device_put(X, D[3])
HALF = NamedSharding(Mesh(D[4:], 'x'), P('x'))
PARTS = [jax.device_put(X[:1], d) for d in D]
LINE = NamedSharding(Mesh(D, 'i'), P('i'))
MESHES, HOSTS, L = (importlib.import_module(f'{jax.__name__}.experimental.{name}')
                    for name in ('mesh_utils', 'multihost_utils', 'layout'))
from_callback = jax.make_array_from_callback
from_arrays = jax.make_array_from_single_device_arrays
"""

# By what speaks: the mistake, and words of what it says.
_MISTAKES: dict[str, dict[str, str]] = {
    "<lambda>": {
        "jax.jit(lambda x: jax.device_put(x, HALF))(A)":
            "can't run on several sets of devices at once: its arguments and meshes, and",
        "jax.jit(lambda x: lax.with_sharding_constraint(x, HALF), in_shardings=ROWS)(X)":
            "are on the devices 0, 1, 2, 3, 4, 5, 6, 7; 4, 5, 6, 7.",
        "with jax.set_mesh(HALF.mesh):\n    jax.jit(lambda x: x + 1)(A)\n0":
            "can't run on several sets of devices",
    },
    "Mesh": {
        "Mesh(D.reshape(4, 2), 'x')":
            "got 1 axis_names, ('x',), for devices of shape (4, 2). Give a name for",
        "Mesh(D, (None,))": "got axis_names (None,). An axis is not called None. Give names.",
        "Mesh(D, 'x', 'a')": "got axis_types 'a'. Give an AxisType of jax.sharding for each",
        "Mesh(D, 'x', (AxisType.Auto,) * 2)": "got 2 axis_types, (Auto, Auto), for the axes ('x',)",
        "MESH.abstract_mesh.devices": "An AbstractMesh has no devices: it has names and sizes. Use",
        "MESH.size = 3\n0": "A Mesh never changes: size can't be set. Use its `update`.",
        "S.AbstractMesh((4,), ('x', 'y'))":
            "AbstractMesh got 1 axis_sizes, (4,), and 2 axis_names, ('x', 'y'). Give one each.",
    },
    "CpuDevice(id=0)": {
        "pickle.dumps(D[0])": "is this process's own, and can't be pickled. Keep its id.",
    },
    "create_device_mesh": {
        "MESHES.create_device_mesh((2,))":
            "create_device_mesh got 8 devices for a grid of the sizes (2,). Give",
    },
    "make_mesh": {
        "jax.make_mesh((4, 3), 'xy')": "needs 12 devices for the sizes (4, 3), and there are 8.",
        "jax.make_mesh(('a',), 'x')": "takes sizes, and got ('a',). Give positive integers.",
    },
    "jax_num_cpu_devices": {
        "jax.config.update('jax_num_cpu_devices', 5)":
            "= 5 comes too late: there are 8 devices already. Call",
    },
    "P(": {
        "list(P(unreduced={'x'}))": "P(unreduced={'x'}) says more than its axes do. Use its `.part",
        "P('x') + 1": "P('x',) + 1: give another PartitionSpec, or a tuple. Use P(1).",
        "P(reduced={'x'}) + ('y',)": "and the tuple ('y',) don't add up. Make it a P(...) first.",
        "NamedSharding(MESH, P('z'))": "P('z',) names an axis 'z', which Mesh('x': 4, 'y': 2, axis",
        "NamedSharding(MESH, P('x', 'x'))": "P('x', 'x') names the axis 'x' more than",
        "NamedSharding(EXPLICIT, P(P.UNCONSTRAINED))":
            "leaves an axis to the compiler, and\nMesh('x': 4, 'y': 2, axis_types=(Explicit, Expl",
        "NamedSharding(MESH, P(unreduced={'x'}))": "says of 'x' that it is unreduced or reduced,",
    },
    "PartitionSpec": {
        "type('Q', (P,), {})": "PartitionSpec has no subclasses. Call P(...) instead.",
        "P(unreduced='x')": "unreduced of PartitionSpec is 'x'. Give a set of names of axes.",
        "P(unreduced={None})": "unreduced of PartitionSpec has None. Give names of a mesh's axes.",
        "P('x', unreduced={'x'})": "PartitionSpec names 'x' twice, as dividing, unreduced",
    },
    "NamedSharding": {
        "ROWS.shard_shape((7, 2))": "into 4 parts, and its size 7 has no 4 equal ones. Make it a",
        "NamedSharding(ABSTRACT, P('x')).device_set":
            "NamedSharding(..., P('x',)) is on no devices. Give it a Mesh",
        "ROWS.check_compatible_aval(())": "speaks of 1 axes, and an array of shape () has 0. Give",
    },
    "Sharding": {
        "S.Sharding().device_set": "Sharding does not say on which devices it is. Use a NamedShard",
        "S.Sharding().with_memory_kind('device')": "Sharding does not say how its memory is cha",
    },
    "get_mesh": {
        "jax.jit(lambda: S.get_mesh())()":
            "get_mesh was called inside a traced function. Use jax.sharding.get_abstract_mesh().",
    },
    "set_mesh": {
        "jax.set_mesh(3)": "takes a Mesh, and got 3. jax.make_mesh makes one. Use that.",
        "jax.set_mesh(MESH.update(axis_types=(AxisType.Manual,) * 2))":
            "which has Manual axes.\nGive one without.",
    },
    "use_abstract_mesh": {
        "S.use_abstract_mesh(MESH)": "takes an AbstractMesh, and got Mesh(",
        "with S.use_abstract_mesh(ABSTRACT):\n"
        "    S.use_abstract_mesh(S.AbstractMesh((2,), 'x')).__enter__()\n0":
            "one of 8 is set,\n{'x': 4, 'y': 2}. Give one",
    },
    "mesh": {
        "jax.config.update('jax_disallow_mesh_context_manager', True)\ntry:\n    MESH.__enter__()\n"
        "finally:\n    jax.config.update('jax_disallow_mesh_context_manager', False)\n0":
            "jax_disallow_mesh_context_manager is on. Use `with jax.set_mesh(mesh)`.",
    },
    "addressable_data": {
        "A.addressable_data(8)": "x.addressable_data(8): the array is on 8 devices. Give a number",
    },
    "unsafe_buffer_pointer": {
        "A.unsafe_buffer_pointer()": "the array is on 8 devices. Ask one of\nx.addressable_shards",
    },
    "x.devices": {
        "jax.jit(lambda x: x.devices())(X)":
            "x.devices is of arrays: where this one will be, nobody\nknows yet.",
    },
    "add": {
        "A + jax.device_put(X, NamedSharding(EXPLICIT, P('x')))":
            "on Mesh('x': 4, 'y': 2, axis_types=(Explicit, Explicit)). Beside Explicit axes all is",
        "jax.device_put(X, NamedSharding(EXPLICIT, P())) + A":
            "add got float32[8,2] on Mesh('x': 4, 'y': 2, axis_types=(Explicit, Explicit)) and\nfl",
        "A + B": "add got arrays on different devices: float32[8,2] on devices 0, 1, 2, 3, 4, 5,",
    },
    "device_put": {
        "jax.device_put(X, P('x'))": "got P('x',), and no mesh is set. Give a NamedSharding,",
        "jax.device_put(X, NamedSharding(ABSTRACT, P('x')))":
            "got P('x',) for an abstract mesh. Give a Mesh of devices.",
        "jax.device_put(X, L.Format(L.Layout.AUTO, ROWS))":
            "and only jit can choose a layout. Leave it out",
    },
    "jit": {
        "jax.jit(lambda x: x, in_shardings=L.Layout.AUTO)(X)": "jit takes a Format, and got AUTO.",
        "jax.jit(lambda x: x, in_shardings=L.Format(L.Layout.AUTO))(B)":
            "is to choose how float32[8,2] lies, and got it where somebody has put it.",
        "jax.jit(lambda x: x, in_shardings=L.Format(L.Layout((0,)), ROWS))(X)":
            "jit's in_shardings got a layout of the axes (0,), and the array has 2",
    },
    "with_layout_constraint": {
        "L.with_layout_constraint(A, L.Layout.AUTO)": "takes layouts, and got AUTO. Give a Layout.",
        "L.with_layout_constraint(X, L.Layout((0, 1)))": "takes arrays, and got a NumPy array of",
        "L.with_layout_constraint(A, L.Layout((0,)))": "got a layout of the axes (0,), and the",
    },
    "x.format": {
        "random.key(0).format": "x.format: key<fry>[] holds no numbers. Give random.key_data(x).",
    },
    "sync_global_devices": {
        "HOSTS.sync_global_devices(3)": "takes a string as name, got 3. Give one.",
    },
    "assert_equal": {
        "HOSTS.assert_equal({'a': np.nan}, 'seeds')":
            "seeds: assert_equal: process 0 has {'a': nan}, and another has other values.",
    },
    "host_local_array_to_global_array": {
        "HOSTS.host_local_array_to_global_array(X, 3, P('x'))": "takes a Mesh, and got 3. Make one",
        "HOSTS.host_local_array_to_global_array(X, MESH, [None])":
            "does not fit the tree that it describes",
        "HOSTS.host_local_array_to_global_array([X, X], MESH, [P(), None])":
            "takes specs, and got None. Give jax.P(...); by P() all\nhave all.",
        "HOSTS.host_local_array_to_global_array(X, MESH, 'x')": "takes specs, and got 'x'. Give",
    },
    "default_device": {
        "jax.default_device(3)": "takes a device, and got 3. Give one of minijax.devices().",
    },
    "make_array_from_callback": {
        "from_callback((8, 2), D[0], lambda i: X[i])": "takes a sharding, and got CpuDevice(id=0).",
        "from_callback((8, 2), LINE, lambda i: X)": "got a part of shape (8, 2), and NamedShard",
        "from_callback((8, 2), LINE, lambda i: X[i], 'int32')":
            "got parts of float32, and dtype=int32. Give",
        "from_callback((8, 2), LINE, lambda i: X[i].astype('int8') if i[0].start else X[i])":
            "got parts of float32 and of int8. Give all one dtype.",
    },
    "make_array_from_single_device_arrays": {
        "from_arrays((8, 2), LINE, A)": "takes a list of arrays, and got an array of type\nfloat32",
        "from_arrays((8, 2), LINE, list(X))": "takes arrays, and got a NumPy array of float32[2].",
        "from_arrays((8, 2), LINE, PARTS[:7])": "takes an array on each of the devices",
    },
    "make_array_from_process_local_data": {
        "jax.make_array_from_process_local_data(LINE, X, (16, 2))":
            "got data of shape (8, 2), and this process's part of",
    },
}  # fmt: skip
# Where JAX has no error, or one of another class, or does what is not here yet.
_OURS: dict[str, dict[str, str]] = {
    "device_put": {
        "jax.device_put(X, L.Format(L.Layout((1, 0)), ROWS))":
            "device_put got a layout of the axes (1, 0), and arrays lie row after row here.",
        "jax.device_put(X, L.Format(L.Layout((0, 1), ((2, 1),)), ROWS))":
            "got a layout of the axes (0, 1) in tiles of ((2, 1),), and arrays",
    },
    "Mesh": {
        "Mesh(D.reshape(4, 2), ('x', 'x'))": "got two axes called 'x'. Give each its own name.",
        "Mesh([3], 'x')": "takes devices, and got 3. Give some of minijax.devices().",
        "Mesh([D[0], D[0]], 'x')": "got cpu:0 twice. Give each device one place.",
        "NamedSharding(3, P('x'))": "takes a Mesh, and got 3. jax.make_mesh makes one. Use that.",
    },
    "NamedSharding": {
        "NamedSharding(MESH, 'x')": "NamedSharding takes a spec, and got 'x'. Give jax.P: P('x').",
        "NamedSharding(MESH, P('x'), memory_kind='pinned_host')":
            "NamedSharding knows no memory_kind 'pinned_host'. Leave it out.",
    },
    "Sharding": {
        "S.Sharding().shard_shape((3,))": "Sharding does not say what each device has. Use a Named",
    },
    "jax_num_cpu_devices": {
        "jax.config.update('jax_num_cpu_devices', 0)": "= 0 leaves no device. Give 1 or more.",
    },
    "visualize_sharding": {
        "jax.debug.visualize_sharding((8, 8, 8), ROWS)":
            "draws arrays with one or two axes, not empty, and got the shape (8,\n8, 8). Make it",
    },
    "inspect_array_sharding": {
        "jax.jit(lambda x: jax.debug.inspect_array_sharding(x, callback=print))(X)":
            "of a traced float32[8,2] is not here yet. Call it on",
        "jax.debug.inspect_array_sharding(3, callback=print)": "takes arrays, and got 3. Make it",
    },
}  # fmt: skip
MESSAGES, OURS = words_of(_MISTAKES), words_of(_OURS)
NAMES = speakers_of(_MISTAKES, _OURS)
CASES = tuple(MESSAGES)
