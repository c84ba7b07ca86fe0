"""A mistake for each `raise` of shard_map, of pmap, and of collectives between devices."""

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
        "sm(lambda x: sm(lambda y: y, P(), P(), None, axis_names={'x'})(x), axis_names={'x'})(X)":
            "got axis_names {'x'}, which are manual already. Give one that is not.",
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
            "got 9 slices, and there are 8 devices.\nUse vmap, or more devices:",
    },
    "smap": {
        "jax.smap(lambda x: x, in_axes=0, out_axes=0, axis_name=('x',))":
            "smap takes one axis_name, and got ('x',). Give one name.",
    },
    "psum": {
        "on_pieces(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [2, 3]]))":
            "takes no axis_index_groups where check_vma=True: groups have sums of",
        "on_pieces(lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1], [3]]), check_vma=False)":
            "got the axis_index_groups ((0, 1), (3,)). Give lists that have each",
    },
    "all_gather": {
        "on_pieces(lambda x: lax.all_gather(x, 'x', axis_index_groups=[[0, 1, 2], [3]]))":
            "got the axis_index_groups ((0, 1, 2), (3,)). Give groups of one size.",
    },
    "pcast": {
        "on_pieces(lambda x: lax.pcast(x, 'y', to='a'))": "can't make x 'a'. Give to='varying'.",
        "on_pieces(lambda x: lax.pcast(x, 'x', to='varying'))":
            "got a value of type float32[2,2]{V:x}, which varies along x already. Leave",
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
        "jax.jit(jax.shard_map(lambda x: x, mesh=jax.make_mesh((8,), 'i'), out_specs=P('i')))(X)":
            "got no in_specs, and how x lies is not known here. Give in_specs.",
    },
    "shard_map's body": {
        "from minijax.lax.sharding.shard_map import shard_map_p\n"
        "shard_map_p.abstract_eval(jax.typeof(X), jaxpr=jax.make_jaxpr(jnp.sin)(1.0), mesh=MESH, "
        "in_specs=(X0,), out_specs=(X0,), check_vma=False, newly_manual_axes=frozenset('x'))":
            "shard_map's body takes [ShapedArray(float32[], weak_type=True)], and is given",
    },
}  # fmt: skip
MESSAGES = {case: words for cases in _MISTAKES.values() for case, words in cases.items()}
OURS = {case: words for cases in _OURS.values() for case, words in cases.items()}
NAMES = {
    case: name
    for table in (_MISTAKES, _OURS)
    for name, cases in table.items()
    for case in cases
}  # fmt: skip
CASES = tuple(MESSAGES)
