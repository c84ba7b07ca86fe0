"""Every nesting of jit, vmap, grad and scan with shard_map, to depth three."""

from oracle.cases import device_nestings

SETUP = device_nestings.SETUP + """\
MESH = jax.make_mesh((4,), ('x',), axis_types=(S.AxisType.Auto,))

def shard_map(f):
    return jax.shard_map(f, mesh=MESH, in_specs=P('x'), out_specs=P('x'))

def piece(x):
    return jnp.sin(x) * lax.psum(jnp.cos(x), 'x')

def whole(x):
    return jnp.sin(x) * jnp.tile(jnp.cos(x).reshape(4, 2, 2).sum(0), (4, 1))

def nested(outer, inner):
    # Element by element, vmap of the pieces comes to the same as none.
    f, plain = piece, whole
    for way in reversed(inner):
        f, plain = WAYS[way](f), plain if way == 'vmap' else WAYS[way](plain)
    f = shard_map(f)
    for way in reversed(outer):
        f, plain = WAYS[way](f), WAYS[way](plain)
    x = X
    for k in range(outer.count('vmap')):
        x = np.stack([x, x + 1])
    found = f(x)
    return bool(jnp.allclose(found, plain(x), rtol=1e-4, atol=1e-5)), np.asarray(found)
"""

CASES = [f"nested({outer}, {inner})" for outer, inner in device_nestings.NESTINGS]
