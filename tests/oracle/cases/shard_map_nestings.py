"""Every nesting of jit, vmap, grad and scan with shard_map, to depth three."""

from itertools import product

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P = S.PartitionSpec
MESH = jax.make_mesh((4,), ('x',), axis_types=(S.AxisType.Auto,))
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8

def scan(f):
    return lambda x: lax.scan(lambda c, _: (f(c), ()), x, (), length=2)[0]

def grad(f):
    return jax.grad(lambda x: f(x).sum())

def shard_map(f):
    return jax.shard_map(f, mesh=MESH, in_specs=P('x'), out_specs=P('x'))

def piece(x):
    return jnp.sin(x) * lax.psum(jnp.cos(x), 'x')

def whole(x):
    return jnp.sin(x) * jnp.tile(jnp.cos(x).reshape(4, 2, 2).sum(0), (4, 1))

WAYS = {'jit': jax.jit, 'vmap': jax.vmap, 'grad': grad, 'scan': scan}

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

_WAYS = ["jit", "vmap", "grad", "scan"]
NESTINGS = [
    (list(outer), list(inner))
    for depth in range(3)
    for split in range(depth + 1)
    for outer in product(_WAYS, repeat=split)
    for inner in product(_WAYS, repeat=depth - split)
]
CASES = [f"nested({outer}, {inner})" for outer, inner in NESTINGS]
