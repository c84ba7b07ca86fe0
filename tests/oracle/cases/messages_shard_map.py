"""A mistake for each `raise` of shard_map, of pmap, and of collectives between devices."""

from oracle.cases.by_speaker import speakers_of, words_of

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P, Mesh, AxisType = S.PartitionSpec, S.Mesh, S.AxisType
D = np.array(jax.devices())
MESH = Mesh(D.reshape(4, 2), ('x', 'y'))
X = np.ones((8, 2), np.float32)
X0 = P('x')

def sm(f, i=X0, o=X0, mesh=MESH, **how):
    return jax.shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **how)

def sums(f, o):
    mesh = jax.make_mesh((8,), 'x')
    return sm(f, o=o, mesh=mesh)(jax.device_put(X, S.NamedSharding(mesh, X0)))

def on_pieces(f, **how):
    return sm(f, **how)(X)
"""

# By what speaks: the mistake, and words of what it says.
_MISTAKES: dict[str, dict[str, str]] = {
    "shard_map": {
        "sm(lambda x: x, mesh=None)(X)": "shard_map got no mesh, and none is set. Give mesh=, or",
        "sm(lambda x: x, mesh=3)(X)": "takes a Mesh as mesh, and got 3. Use jax.make_mesh.",
        "sm(lambda x: x, mesh=Mesh(D[:0], 'x'))(X)": "which has no devices. Give one that\nhas.",
        "with jax.set_mesh(MESH):\n    sm(lambda x: x, mesh=Mesh(D, 'x'))(X)\n0":
            "is set. Leave\n`mesh` out, so that it is that one.",
        "sm(lambda x: x, axis_names='x')(X)": "takes axis_names as a set, and got 'x'. Give {'x'}",
        "sm(lambda x: x, axis_names={'z'})(X)": "got axis_names {'z'}, and the mesh has the axes",
        "sm(lambda x: x, 'x')(X)": "shard_map's in_specs is 'x'. Give a PartitionSpec, such as",
        "sm(lambda x: x, P('z'))(X)": "is P('z',), and 'z' is none of the axes that it may name,",
        "jax.shard_map(lambda x: x, mesh=MESH, out_specs=X0)(X)":
            "got no in_specs, and the axes ('x', 'y') are not all Explicit. Give",
        "sm(lambda x: x, P('x', None, 'y'))(X)":
            "argument x: its in_spec P('x', None, 'y') speaks of 3 axes, and\nfloat32[8,2] has 2.",
        "sm(lambda x: x)(X[:3])":
            "argument x: its in_spec P('x',) cuts axis 0 of float32[3,2] into 4\npieces, and 3 has",
        "sm(lambda x: x.sum())(X)":
            "of type float32[]{V:x}: its out_spec P('x',) speaks of\n1 axes, and it has 0. Give a",
        "sm(lambda x: {'a': x}, o=P())(X)":
            "result['a'] of type float32[2,2]{V:x}: its out_spec P() leaves\nout 'x', along which",
        "with jax.set_mesh(jax.make_mesh((8,), 'i')):\n"
        "    jax.shard_map(lambda x: x, in_specs=P('i'), out_specs=P('i'))(X)\n0":
            "argument x: its in_spec is P('i',), and on Explicit axes it lies\nas P() says. Move",
        "sm(lambda x: x)(jax.device_put(X, D[3]))": "got float32[8,2] on cpu:3, and its mesh has",
        "with jax.set_mesh(Mesh(D[:4], 'x')):\n    sm(lambda x: x, mesh=Mesh(D[4:], 'x'))(X)\n0":
            "got a mesh of the devices [4, 5, 6, 7], and another, of [0, 1, 2,",
        "sm(lambda x: x, P('x', reduced={'y'}), axis_names={'x'})(X)":
            "and shard_map is over ('x',)\nalone of ('x', 'y'). Name all axes of the mesh",
        "sm(lambda x: x, P('x', reduced={'y'}))(X)":
            "and `unreduced` and `reduced` name axes\nthat are Explicit. Of ('x', 'y') these",
        "sums(lambda x: lax.all_gather(x, 'x', tiled=True, to='reduced'), P())":
            "its out_spec P() says\notherwise of the terms of sums. Name",
    },
    "pmap": {
        "jax.pmap(lambda x, n: x, static_broadcasted_argnums=1)(X)":
            "got static_broadcasted_argnums=(1,), and a call with 1 positional arguments. Pass",
        "jax.pmap(lambda: 1)()": "pmap needs an argument that is mapped, and got none. Give an arr",
        "jax.pmap(lambda x: x, in_axes=-1)(X)": "was to map axis -1 of float32[8,2]. Give one from",
        "jax.pmap(lambda x: x, axis_size=3)(X)": "got axis_size=3, and 8 slices. Leave it out.",
        "jax.pmap(lambda x, y: x)(X, X[:2])":
            "got mapped arguments float32[8,2],\nfloat32[2,2]. Give one size along their mapped",
        "jax.pmap(lambda x: x)(np.ones(9))":
            "got 9 slices, and there are 8 devices.",
    },
    "smap": {
        "jax.smap(lambda x: x, in_axes=0, out_axes=0, axis_name=('x',))":
            "smap takes one axis_name, and got ('x',). Give one name.",
    },
    "psum": {
        "on_pieces(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [2, 3]]))":
            "takes no axis_index_groups where check_vma=True: groups have sums of",
        "on_pieces(lambda x: lax.psum(x, ('x', 'y')))":
            "which along x, y is invarying and\nvarying. Name axes along which it is one",
        "on_pieces(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [3]]), check_vma=False)":
            "got the axis_index_groups ((0, 1), (3,)). Give lists that have each",
    },
    "pvary": {
        "sums(lambda x: lax.pcast(x, 'x', to='unreduced'), X0)":
            "got float32[1,2]{U:x}, which is unreduced or reduced along x. Use",
    },
    "all_gather": {
        "on_pieces(lambda x: lax.all_gather(x, 'x', to='a'))": "can't make x 'a'. Give to='var",
        "on_pieces(lambda x: lax.all_gather(x, 'y', to='reduced'))":
            "takes what varies along y, and got float32[2,2]{V:x}.",
        "sums(lambda x: lax.all_gather(x, 'x', to='reduced', axis_index_groups=[[*range(8)]]), X0)":
            "takes no axis_index_groups where more changes than what",
        "on_pieces(lambda x: lax.all_gather(x, 'x', axis_index_groups=[[0, 1, 2], [3]]))":
            "got the axis_index_groups ((0, 1, 2), (3,)). Give groups of one size.",
    },
    "lax.scan": {
        "on_pieces(lambda x: lax.scan(lambda c, a: (c + a, c), jnp.zeros(2), x)[0])":
            "c is float32[2] at the start,\nfloat32[2]{V:x} after a step.\nMake both vary alike",
    },
    "lax.cond": {
        "on_pieces(lambda x: lax.cond(True, lambda: x, lambda: jnp.zeros((2, 2))))":
            "Make both vary alike: lax.pcast(x, ('x',), to='varying').",
    },
    "pcast": {
        "on_pieces(lambda x: lax.pcast(x, 'y', to='a'))": "can't make x 'a'. Give to='varying', 'u",
        "on_pieces(lambda x: lax.pcast(x, 'x', to='varying'))":
            "which is varying along x, and can't be\nmade varying. Leave",
    },
}  # fmt: skip
# Where JAX says something else, or waits for ever.
_OURS: dict[str, dict[str, str]] = {
    "pbroadcast": {
        "on_pieces(lambda x: lax.pbroadcast(x, 'x', 4))": "got the source 4 along 'x'. Give a num",
    },
    "Devices": {
        "jax.jit(sm(lambda x: lax.cond(x.sum() > lax.axis_index('x') * 3, lambda: lax.psum(x, 'x'),"
        " lambda: x), check_vma=False))(X)":
            "Devices wait for each other, and none will go on: psum over",
    },
    "shard_map": {
        "f = jax.shard_map(lambda x: x, mesh=jax.make_mesh((8,), 'i'), out_specs=P('i'))\n"
        "jax.jit(lambda x: f(jnp.sin(x)))(X)":
            "got no in_specs, and how x lies is not known here. Give in_specs.",
    },
    "shard_map's body": {
        "from minijax.lax.sharding.shard_map import shard_map_p\n"
        "shard_map_p.abstract_eval(jax.typeof(X), jaxpr=jax.make_jaxpr(jnp.sin)(1.0), mesh=MESH, "
        "in_specs=(X0,), out_specs=(X0,), check_vma=False, newly_manual_axes=frozenset('x'))":
            "shard_map's body takes [ShapedArray(float32[], weak_type=True)], and is given",
    },
}  # fmt: skip
MESSAGES, OURS = words_of(_MISTAKES), words_of(_OURS)
NAMES = speakers_of(_MISTAKES, _OURS)
CASES = tuple(MESSAGES)
