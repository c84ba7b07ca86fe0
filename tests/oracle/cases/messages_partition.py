"""A mistake for each `raise` of what partitions programs."""

from oracle.cases.by_speaker import speakers_of, words_of

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P, NamedSharding, AxisType = S.PartitionSpec, S.NamedSharding, S.AxisType
MESH = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(AxisType.Auto,) * 2)
EXPLICIT = NamedSharding(jax.make_mesh((4, 2), ('x', 'y')), P('x'))
ROWS, COLUMNS = NamedSharding(MESH, P('x')), NamedSharding(MESH, P(None, 'y'))
X = np.ones((8, 2), np.float32)
SQUARE = np.ones((8, 8), np.float32)

def put(*spec, **sums):
    whole = jax.device_put(SQUARE, NamedSharding(EXPLICIT.mesh, P()))
    return jax.device_put(whole, NamedSharding(EXPLICIT.mesh, P(*spec, **sums)))

R, C, Y, W = put('x'), put(None, 'x'), put('y'), put()
U, RD, I = put(unreduced={'x'}), put(reduced={'x'}), put('x')[:, 0].astype(int)

def traced(f, *args):
    with jax.set_mesh(EXPLICIT.mesh):
        return jax.make_jaxpr(f)(*args)

def on(sizes, names, f):
    def within(x):
        mesh = S.AbstractMesh(sizes, names, (AxisType.Explicit,) * len(sizes))
        with S.use_abstract_mesh(mesh):
            return f(x)
    return within

def unfitting():
    thirds = on((3, 2), ('r', 's'), lambda y: jax.reshard(y, P('r')))
    halves = on((2, 3), ('p', 'q'), lambda x: thirds(jax.reshard(x, P('p'))))
    with jax.set_mesh(jax.make_mesh((6,), 'x')):
        return jax.jit(halves)(np.ones(6))
A = jax.device_put(X, ROWS)
constrain = jax.lax.with_sharding_constraint
"""

_MISTAKES: dict[str, dict[str, str]] = {
    "lax.with_sharding_constraint": {
        "jax.shard_map(lambda x: constrain(x, P('x')), mesh=MESH, in_specs=P('x'), "
        "out_specs=P('x'))(X)":
            "inside of a shard_map,\nwhere devices have pieces along x. Leave that out",
        "constrain(X, P('x'))": "got P('x',), and no mesh is set. Give a NamedSharding",
        "constrain(X, 'x')": "takes shardings, and got 'x'. Give a P(...).",
        "constrain({'a': X}, [ROWS])": "'s shardings does not fit the tree that it describes at",
        "constrain(X[:3], ROWS)": "divides axis 0",
        "jax.jit(lambda x: constrain(x, ROWS))(X[0, 0])": "speaks of 1 axes, and an array",
    },
    "reshard": {
        "jax.reshard(X, P('x'))": "reshard got P('x',), and no mesh is set. Give a NamedSharding",
        "jax.reshard(X, 'x')": "reshard takes shardings, and got 'x'. Give a P(...).",
        "jax.reshard(X, ROWS)": "and moves arrays along axes that are Explicit.",
        "constrain(X, EXPLICIT)": "along axes that are Explicit a program says how arrays lie, not",
    },
    "add": {
        "traced(jnp.add, R, C)": "would cut its result twice. Say how with",
        "traced(jnp.add, R, Y)": "along one axis, one is cut by 'x' and another cut by 'y'. Use",
        "traced(jnp.add, U, W)": "all of them are unreduced sums over the same names.",
        "traced(jnp.add, RD, W)": "is reduced over 'x', and another isn't. Use jax.reshard",
    },
    "dot_general": {
        "traced(jnp.dot, C, R)": "both are cut by 'x' along an axis that is summed over, and the",
        "traced(jnp.dot, U, RD)": "an operand is an unreduced sum. Use jax.reshard(x, P(...))",
        "traced(lambda a, b: jnp.dot(a, b, out_sharding=P(unreduced={'y'})), C, R)":
            "and is to be an unreduced sum over 'y': the axes that are summed over",
    },
    "mul": {"traced(jnp.multiply, U, W)": "only an array that is reduced over 'x' multiplies it."},
    "sin": {"traced(jnp.sin, U)": "and takes no unreduced sum. Use"},
    "slice": {"traced(lambda a: a[:6], R)": "in its result has no 4 equal parts."},
    "cumsum": {"traced(jnp.cumsum, R[:, 0])": "0 of float32[8@x], which is cut. Use"},
    "gather": {
        "traced(lambda a, i: a[i], R, I)": "looks for places along axis 0 of float32[8@x,8], which",
        "traced(lambda a, i: a[i], W, I)": "indices, int32[8@x,1], are cut. Say how the result",
    },
    "scatter": {
        "traced(lambda a, u: a.at[:, 0].set(u), W, R[:, 0])":
            "got updates float32[8@x] for float32[8,8], which is whole along the same axis.",
    },
    "reshape": {
        "traced(lambda a: a.reshape(4, 16), R)":
            "(8, 8), cut so, can't become such of (4, 16). Say how with",
    },
    "conv_general_dilated": {
        "traced(lambda a: lax.conv(a[None, None], a[None, None], (1, 1), 'SAME'), R)":
            "the kernel, float32[1,1,8@x,8], is cut. Use jax.reshard on an operand",
        "traced(lambda a, k: lax.conv(a[None], k, (1, 1), 'SAME'), put('x')[..., None], "
        "np.ones((1, 8, 1, 1), np.float32))": "is cut along its features, which are summed over.",
    },
    "unstack": {"traced(jnp.unstack, R)": "0 of float32[8@x,8], which is cut. Use"},
    "scan": {
        "traced(lambda a: lax.scan(lambda c, x: (c, x), 0.0, a), R)":
            "scan got xs of type float32[8@x,8], whose first axis, that of the steps, is cut.",
    },
    "sub": {
        "traced(lambda a: on((8,), 'A', lambda a: jax.reshard(a, P('A')))(a) - a, R)":
            "sub got float32[8@A,8] on {'A': 8} and float32[8@x,8] on {'x': 4, 'y': 2}. Use",
    },
    "NamedSharding": {
        "U.sharding.devices_indices_map((8, 8))": "has devices hold terms of a sum, and no",
    },
    "sums": {"np.asarray(U)": "The values of float32[8,8]{U:x} are sums, of which devices have"},
    "jit": {
        "jax.jit(lambda x: x, in_shardings='x')": "in_shardings are shardings, specs or None, and",
        "jax.jit(lambda x: x, out_shardings=[3])": "out_shardings are shardings, specs or None,",
        "jax.jit(lambda x: x, in_shardings=ROWS)(x=X)":
            "has in_shardings, which are of positional arguments, and got",
        "jax.jit(lambda x: x, in_shardings=COLUMNS)(A)":
            "takes float32[8,2] as NamedSharding(..., P(None, 'y'))",
        "jax.jit(lambda x: x, out_shardings=ROWS)(X[:3])": "jit's out_shardings:",
        "jax.jit(lambda x: x, in_shardings=P('x'))(X)": "got P('x',), and no mesh is set.",
    },
}  # fmt: skip
# Where JAX has no error, or one of another class, or does what is not here yet.
_OURS: dict[str, dict[str, str]] = {
    "lax.with_sharding_constraint": {
        "constrain(X, NamedSharding(MESH.abstract_mesh, P('x')))":
            "which is on no devices.",
    },
    "auto_axes": {
        "S.auto_axes(lambda x: x)(X)": "auto_axes needs out_sharding, and got none. Give it",
        "S.auto_axes(lambda x: x, axes='z', out_sharding=P())(X)": "auto_axes got axes 'z', and",
    },
    "explicit_axes": {
        "S.explicit_axes(lambda x: x)(X)": "explicit_axes needs in_sharding, and got none. Give it",
    },
    "program": {
        "unfitting()": "A program speaks of the meshes",
    },
    "jit": {
        "jax.jit(lambda x: x, out_shardings=NamedSharding(EXPLICIT.mesh, P(unreduced={'y'})))(X)":
            "arrays of unreduced sums are not",
        "jax.jit(lambda x: x, backend='cpu', in_shardings=ROWS)":
            "got backend 'cpu' and shardings, which say where it runs. Leave the",
        "jax.jit(lambda x: x, device=jax.devices()[0], out_shardings=ROWS)":
            "jit got a device and shardings. Give shardings alone.",
    },
    "reshard": {
        "jax.reshard(X[:3], EXPLICIT)": "reshard: NamedSharding(..., P('x',)) divides",
        "jax.reshard(X, NamedSharding(EXPLICIT.mesh.abstract_mesh, P('x')))":
            "which is on no devices.",
    },
}  # fmt: skip
MESSAGES, OURS = words_of(_MISTAKES), words_of(_OURS)
NAMES = speakers_of(_MISTAKES, _OURS)
CASES = tuple(MESSAGES)
