"""Every nesting of jit, vmap, grad and scan with a sharded jit, to depth three: one that says how
its arguments lie, or in which a constraint does. Values, and how the results lie."""

from itertools import product

SETUP = """\
import importlib
S = importlib.import_module(f'{jax.__name__}.sharding')
P = S.PartitionSpec
MESH = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(S.AxisType.Auto,) * 2)
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8

def named(*spec):
    return S.NamedSharding(MESH, P(*spec))

def scan(f):
    return lambda x: lax.scan(lambda c, _: (f(c), ()), x, (), length=2)[0]

def grad(f):
    return jax.grad(lambda x: f(x).sum())

def given(f):
    return jax.jit(f, in_shardings=named('x', 'y'))

def said(f):
    return jax.jit(lambda x: f(lax.with_sharding_constraint(x, named(('y', 'x')))))

def whole(x):
    return jnp.sin(x) * jnp.cos(x).sum() / x.size

WAYS = {'jit': jax.jit, 'vmap': jax.vmap, 'grad': grad, 'scan': scan}

def nested(sharded, outer, inner):
    f = plain = whole
    for way in reversed(inner):
        f, plain = WAYS[way](f), WAYS[way](plain)
    f = sharded(f)
    for way in reversed(outer):
        f, plain = WAYS[way](f), WAYS[way](plain)
    x = X
    for k in range(outer.count('vmap')):
        x = np.stack([x, x + 1])
    found = f(x)
    same = bool(jnp.allclose(found, plain(x), rtol=1e-4, atol=1e-5))
    return same, np.asarray(found), found.sharding
"""

_WAYS = ["jit", "vmap", "grad", "scan"]
NESTINGS = [
    (list(outer), list(inner))
    for depth in range(3)
    for split in range(depth + 1)
    for outer in product(_WAYS, repeat=split)
    for inner in product(_WAYS, repeat=depth - split)
]
# The first nine of both kinds; then, in turn, one of each.
KINDS = ("given", "said")
CASES = [
    f"nested({kind}, {outer}, {inner})"
    for k, (outer, inner) in enumerate(NESTINGS)
    for kind in (KINDS if k < 9 else KINDS[k % 2 :][:1])
]
