"""Static indexing and `.at[...]`: integers, slices, ellipsis, new axes; values and what is refused.

Printed jaxprs only where JAX uses base primitives alone (slice, squeeze, reshape, broadcast).
"""

SETUP = "x = jnp.arange(24.0).reshape(2, 3, 4)\nm = x[0]\nv = jnp.arange(5)\n"

INDICES = (
    "x[0]",
    "x[-1]",
    "x[1, 2]",
    "x[1, 2, 3]",
    "x[0, -1]",
    "x[0:1]",
    "x[:, 1]",
    "x[:, :, -1]",
    "x[:, 1:, 2]",
    "x[..., 0]",
    "x[0, ..., 1]",
    "x[...]",
    "x[:]",
    "x[()]",
    "x[None]",
    "x[:, None, 0]",
    "x[..., None]",
    "x[:, ::2]",
    "x[:, 1::2, ::3]",
    "v[1:4]",
    "v[1:100]",
    "v[-2:]",
    "v[:-1]",
    "v[3:1]",
    "v[10:]",
    "v[::2]",
    "v[-100:2]",
    "v[1]",
    "v[np.int64(1)]",
    "m[1, 1:3]",
    "m[-1:, None]",
    "m[:0]",
    "v[0][()]",
    "v[0][None]",
    "v[0][...]",
)
# A negative stride is a `rev` in JAX and an index out of range a `gather`: values only.
VALUES = (
    "v[::-1]",
    "v[3:0:-1]",
    "m[::-1, ::-2]",
    "v[4:1:-2]",
    "v[True]",
    "v[None, ::-1]",
)
UPDATES = (
    "v.at[0].set(9)",
    "v.at[-1].set(9)",
    "v.at[1:3].set(7)",
    "v.at[1:3].set(jnp.array([7, 8]))",
    "v.at[::2].set(0)",
    "v.at[1].set(2.7)",
    "v.at[:].set(1)",
    "v.at[...].add(1)",
    "v.at[2].add(10)",
    "v.at[2:].add(10)",
    "v.at[1:].multiply(3)",
    "v.at[1].mul(3)",
    "v.at[1:3].min(0)",
    "v.at[1:3].max(2)",
    "v.at[0].get()",
    "v.at[1:3].get()",
    "m.at[0].set(1.5)",
    "m.at[:, 0].set(-1.0)",
    "m.at[1, 2].set(5)",
    "m.at[1].set(jnp.arange(4.0))",
    "m.at[:, 1:3].add(jnp.ones((3, 2)))",
    "m.at[0, 1:].divide(2.0)",
    "m.at[2, :2].power(2.0)",
    "m.at[..., -1].add(100.0)",
    "m.at[:2, :2].set(0.0)",
    "m.at[1].add(jnp.ones(4, 'float16'))",
    "x.at[0, :, 1].set(jnp.zeros(3))",
    "x.at[1, ..., 0].multiply(-1)",
    "jnp.zeros(3).at[1].set(1)",
    "jnp.zeros(3, 'bfloat16').at[1:].add(1.5)",
    "jnp.zeros((2, 2), bool).at[0].set(True)",
    "v",
)
DIFFERENTIATED = (
    "m[1].sum()",
    "(m[:, 1] * m[0, 0]).sum()",
    "(m[1:, ::2] ** 2).sum()",
    "(m[None, ..., 0] * 3.0).sum()",
    "m[2, 3]",
)
REFUSED = (
    "x[0, 0, 0, 0]",
    "x[..., ...]",
    "x['a']",
    "x[0.5]",
    "x[:0.5]",
    "x['a':]",
    "v[0, 0]",
    "v[0][0]",
    "x[[0, 1]]",
    "x[(0, 'a')]",
    "v[{}]",
    "v[::0]",
    "v.at[0, 0].set(1)",
    "v.at['a'].set(1)",
    "v.at[0.5].set(1)",
    "v.at[1:3].set(jnp.arange(3))",
    "v.at[0].set('text')",
    "v.at[0]",
    "v.at[0].nonsense(1)",
)
REPRS = ("repr(v[:2].at)", "repr(v[:2].at[0])")


def cases():
    for index in INDICES:
        array = index.partition("[")[0]
        yield f"f = lambda {array}: {index}\nf({array}), jax.make_jaxpr(f)({array})"
    yield from (*VALUES, *REFUSED, *REPRS)
    yield from UPDATES
    for loss in DIFFERENTIATED:
        yield f"f = lambda m: {loss}\njax.grad(f)(m), jax.make_jaxpr(f)(m)"
    yield "jax.vmap(lambda r: r[1])(m), jax.vmap(lambda r: r[1:3], 1, 1)(m)"
    yield "jax.make_jaxpr(jax.vmap(lambda r: (r[1], r[1:3])))(m)"
    yield "a, b, c = m\na, b, c, [r.shape for r in x]"
    yield "jax.make_jaxpr(lambda m: [r * 2 for r in m])(m)"
    yield "jax.make_jaxpr(lambda v: list(v))(v[:3])"


CASES = [*cases()]
