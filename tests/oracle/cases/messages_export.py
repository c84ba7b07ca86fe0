"""A mistake for each `raise` of export."""

# For programs of any topic that has `export`, and an array F.
HELPERS = """\
Pair = collections.namedtuple('Pair', 'a b')

def exported(f, *args, **how):
    return export.export(jax.jit(f), **how)(*args)

def sine():
    return exported(jnp.sin, F)

def again(exported, order=0):
    return export.deserialize(exported.serialize(order))
"""
SETUP = HELPERS + """
import importlib
export = importlib.import_module(f'{jax.__name__}.export')
F, I = jnp.arange(3.0), jnp.arange(3)

def with_version(n):
    jax.config.update('jax_export_calling_convention_version', n)
    try:
        sine()
    finally:
        jax.config.update('jax_export_calling_convention_version', 10)

def callback(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((3,), 'float32'), x)

def with_jaxlib(f, *args, is_there=True):
    from minijax.stages import texts
    kept, texts.is_installed = texts.is_installed, lambda name: is_there
    try:
        f(*args)
    finally:
        texts.is_installed = kept

def by_jax(table):
    '''Bytes as JAX writes them, of these fields and a module.'''
    from minijax.export import flat_tables
    return flat_tables.written({13: b'ML\\xefRStableHLO_v1.0', **table})

def of_devices(number, *shape):
    S = importlib.import_module(f'{jax.__name__}.sharding')
    sharding = S.NamedSharding(mesh(number), S.PartitionSpec('i'))
    return jax.ShapeDtypeStruct(shape or (8,), 'float32', sharding=sharding)

def mesh(number, name='i'):
    S = importlib.import_module(f'{jax.__name__}.sharding')
    return S.Mesh(np.array(jax.devices()[:number]), name)

REGISTER = dict(serialize_auxdata=bytes, deserialize_auxdata=bytes)
"""

MESSAGES = {
    "export.export(3)": "jax.export.export takes what jax.jit returns, and got 3.\nGive",
    "exported(jnp.sin, F, platforms=3)": "takes names of platforms, and got 3. Give a list",
    "exported(jnp.sin, F, platforms=['gpu'])":
        "jax.export.export got the platform 'gpu', which is not one. Give 'cuda' or",
    "exported(jnp.sin, F, disabled_checks=3)":
        "jax.export.export got 3 as disabled_checks. Give a list, as",
    "with_version(8)":
        "the option\njax_export_calling_convention_version is 8. Give one of them.",
    "exported(callback, F)": "jax.export can't take along the primitive pure_callback: it calls a",
    "sine().call(F, F)": "and got PyTreeDef(((*, *), {})): at (args, kwargs)[0], expected tuple",
    "sine().call('a')": "Exported.call: sin got 'a' as x. Give an array or a number.",
    "sine().call(I)": "sin was exported for float32[3] as x, and got int32[3].\nGive",
    "exported(lax.cos, 1.0, platforms=['tpu']).call(1.0)":
        "cos was exported for the platforms ('tpu',), and is used on 'cpu'.\nGive",
    "jax.vmap(sine().call)(F)": "vmap can't map Exported.call: sin was exported for one example.",
    "again(sine()).vjp()": "was read from bytes without a derivative of this order, so",
    "sine().serialize('a')": "how many derivatives to write, and got 'a'. Give",
    "exported(lambda x: x, Pair(1, 2)).serialize()":
        "Pair'> in the arguments or results has no name for",
    "exported(lambda x: x, {1: 2}).serialize()":
        "Exported.serialize takes dicts whose keys are strings, and got the key 1. Use strings.",
    "exported(lambda x: x, collections.OrderedDict({1: 2})).serialize()":
        "Exported.serialize takes an OrderedDict whose keys are strings, and got",
    "export.register_namedtuple_serialization(dict, serialized_name='d')":
        "takes a class of named tuples, and got <class",
    "export.register_pytree_node_serialization(object, serialized_name='o', **REGISTER)":
        "<class 'object'> is no class of nodes. Call",
    "export.register_pytree_node_serialization(collections.OrderedDict, serialized_name='o', "
    "**REGISTER)":
        "<class 'collections.OrderedDict'> is registered",
    "export.register_namedtuple_serialization(Pair, serialized_name='collections.OrderedDict')":
        "the name 'collections.OrderedDict' is that of <class",
    "exported(jnp.sin, of_devices(4)).call(jnp.ones(8))":
        "sin was exported for 4 devices, and is called on 1.\nUse jax.device_put",
    "exported(jnp.sin, of_devices(4)).in_shardings_jax(mesh(2))":
        "Exported.in_shardings_jax got a mesh with the axes {'i': 2}",
    "exported(jnp.sin, of_devices(4)).in_shardings_jax(mesh(4, 'j'))":
        "and the function\nwas exported for {'i': 4}, (Auto,).\nGive a mesh with the same axes.",
    "exported(jnp.sin, of_devices(4, 6))": "has no 4 equal ones.",
    "exported(jnp.add, of_devices(4), of_devices(2))":
        "jax.export.export got a function that speaks of meshes of 2 and of 4 devices.",
    "export.deserialize(3)":
        "deserialize takes what Exported.serialize returned, and got 3. Give bytes",
}  # fmt: skip
# Where JAX has no error, or none of a class of its own.
OURS = {
    "exported(jnp.sin, of_devices(4)).in_shardings_jax(3)":
        "Exported.in_shardings_jax takes a mesh, and got 3. Give a Mesh.",
    "with_jaxlib(export.serialize_for_jax, exported(jnp.sin, of_devices(4)))":
        "serialize_for_jax writes a program for one device, and sin was",
    "exported(jnp.sin, F, platforms=[3])":
        "got 3 among the platforms. Give 'cpu', 'cuda', 'rocm' or 'tpu'",
    "export.export(jax.jit(jnp.sin), _override_lowering_rules=[3])":
        "takes no _override_lowering_rules: these are of MLIR",
    "exported(lambda x: lax.platform_dependent(x, cpu=jnp.sin), F, platforms=['tpu'])":
        "is exported for the platform 'tpu', and has branches",
    "f = lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos)\n"
    "exported(f, F, platforms=['cpu', 'tpu']).mlir_module()":
        "Exported.mlir_module: <lambda> has a branch for each of the",
    "from minijax.core.extend import numpy_primitive\n"
    "twice_p = numpy_primitive('twice', lambda x: x, lambda x: 2 * x)\n"
    "exported(twice_p.bind, F).serialize()":
        "knows the primitives of minijax, and not twice, which",
    "from minijax.export import value_format\nvalue_format.write_value(None, {1})":
        "has no form for {1}, which a parameter of an equation is.\nLeave",
    "exported(lambda x: lax.create_token(x), F).serialize()":
        "has no form for a value of the type AbstractToken",
    "export.register_pytree_node_serialization(Pair, serialized_name=str(id(Pair)), "
    "from_children=list, serialize_auxdata=lambda aux: 3, deserialize_auxdata=bytes)\n"
    "exported(lambda x: x, Pair(1, 2)).serialize()":
        "Pair'> returned 3. Return",
    "export.register_namedtuple_serialization(Pair, serialized_name='gone')\n"
    "blob = exported(lambda x: x, Pair(1, 2)).serialize()\n"
    "from minijax.export.tree_format import _by_name\ndel _by_name['gone']\n"
    "export.deserialize(blob)":
        "the class 'gone' of a container is not known",
    "with_jaxlib(export.serialize_for_jax, sine(), is_there=False)":
        "serialize_for_jax takes jaxlib, which can't be imported.",
    "with_jaxlib(export.serialize_for_jax, exported(jnp.sin, F, platforms=['cpu', 'tpu']))":
        "serialize_for_jax writes a program for one platform, and sin was",
    "with_jaxlib(export.deserialize, b'ML\\xefR StableHLO_v')":
        "deserialize: JAX has written the bytes, and they are damaged",
    "from minijax.export.flat_tables import Number\n"
    "with_jaxlib(export.deserialize, by_jax({18: Number('I', 2)}))":
        "deserialize: the function that JAX has written is for 2 devices, which",
    "with_jaxlib(export.deserialize, by_jax({19: [{1: ['b', '3']}]}))":
        "deserialize: the function that JAX has written has an argument",
    "export.register_namedtuple_serialization(Pair, serialized_name=3)":
        "takes a class, a name and functions, and got 3 for one",
    "export.deserialize(b'')":
        "deserialize reads what Exported.serialize has written, minijax's",
    "export.deserialize(sine().serialize()[:20])": "bytes are damaged: some are missing, or not",
    "export.deserialize(sine().serialize()[:-1])": "bytes are damaged: some are missing, or not",
    "blob = sine().serialize()\nblob[8] = 9\nexport.deserialize(blob)":
        "and the bytes say that they are of",
    "from minijax.export.file_format import HEAD, MAGIC\nimport hashlib\n"
    "export.deserialize(HEAD.pack(MAGIC, 1, 3, hashlib.sha256(b'NaN').digest()) + b'NaN')":
        "and what they hold is no program: ValueError, NaN is",
}  # fmt: skip

SPEAKERS = {
    "in_shardings_jax": "Exported.in_shardings_jax", "serialize_for_jax, exported(jnp.sin, of": (
        "serialize_for_jax"
    ), "of_devices(4)).call": "Exported.call",
    "with_version": "jax.export.export", "mlir_module": "Exported.mlir_module",
    "platform_dependent": "lax.platform_dependent",
    "register_namedtuple_serialization(dict": "register_namedtuple_serialization",
    "export.register_namedtuple_serialization(Pair, serialized_name=3":
        "register_namedtuple_serialization",
    "register_namedtuple_serialization(Pair, serialized_name='coll":
        "register_namedtuple_serialization",
    "export.register_pytree_node_serialization(o": "register_pytree_node_serialization",
    "export.register_pytree_node_serialization(coll": "register_pytree_node_serialization",
    "export.serialize_for_jax": "serialize_for_jax",
    "vjp()": "Exported.vjp", "vmap": "Exported.call", ".call(": "Exported.call",
    "export.deserialize": "deserialize", "serialize": "Exported.serialize",
    "write_value": "Exported.serialize",
}  # fmt: skip
NAMES = {
    case: next((name for call, name in SPEAKERS.items() if call in case), "jax.export")
    for case in {**MESSAGES, **OURS}
}  # fmt: skip
CASES = tuple(MESSAGES)
