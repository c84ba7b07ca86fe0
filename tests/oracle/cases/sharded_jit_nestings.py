"""Every nesting of jit, vmap, grad and scan with a sharded jit, to depth three: one that says how
its arguments lie, or in which a constraint does. Values, and how the results lie."""

from oracle.cases import device_nestings

SETUP = device_nestings.SETUP + """\
MESH = jax.make_mesh((4, 2), ('x', 'y'), axis_types=(S.AxisType.Auto,) * 2)

def named(*spec):
    return S.NamedSharding(MESH, P(*spec))

def given(f):
    return jax.jit(f, in_shardings=named('x', 'y'))

def said(f):
    return jax.jit(lambda x: f(lax.with_sharding_constraint(x, named(('y', 'x')))))

def whole(x):
    return jnp.sin(x) * jnp.cos(x).sum() / x.size

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

# The first nine of both kinds; then, in turn, one of each.
KINDS = ("given", "said")
CASES = [
    f"nested({kind}, {outer}, {inner})"
    for k, (outer, inner) in enumerate(device_nestings.NESTINGS)
    for kind in (KINDS if k < 9 else KINDS[k % 2 :][:1])
]
