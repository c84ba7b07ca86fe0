"""`jax.ds`: indices that say a start, which may be traced, and a size."""

SETUP = """\
ds = jax.ds
X, Y, I = jnp.arange(10), jnp.arange(24).reshape(4, 6), np.array([0, 2])

def show(f, *args):
    return jax.make_jaxpr(f)(*args)
"""
CASES = (
    "ds(4, 2), ds(4), ds(None), ds(None, 2), ds(1, 2, 3)",
    "ds(1, 2) == ds(1, 2), ds(1, 2) == ds(1, 3), ds(1, 2) == 3",
    "x = ds(1, X, 2)\nx.start, x.size, x.stride, x.is_dynamic_start, x.is_dynamic_size",
    "[jax.tree.leaves(x) for x in (ds(1, 2), ds(X, 2), ds(jnp.int32(1), 2), ds(True, X))]",
    "jax.tree.map(lambda x: x, ds(X, 2, 3)), jax.tree.structure(ds(1, 2)).num_leaves",
    "[raised(f) for f in (lambda: ds(1, 2, -1), lambda: ds(1, 2, 1.5), lambda: hash(ds(1, 2)),"
    " lambda: ds(1, 2, 'a'))]",
    "[X[ds(*args)] for args in ((4, 2), (9, 4), (-3, 2), (-13, 2), (12, 2), (1, 0), (3,))]",
    "[X[ds(*args)] for args in ((4, 2, 3), (-3, 2, 2), (8, 3, 2), (2, 2, 0), (True, 2))]",
    "X[ds(jnp.int32(2), 2)], X[ds(2, jnp.int32(2))]",
    "[raised(lambda: X[ds(*args)]) for args in ((1, 11), (1, -1), (1.5, 2), (0, 2.5))]",
    "raised(lambda: X[ds(X, 2)])",
    "Y[ds(1, 2), ds(2, 3)], Y[ds(1, 2), None, 3], Y[..., ds(2, 3)]",
    "Y[ds(1, 2), ::2], Y[ds(1, 2), ::-1], Y[ds(1, 2, 2), ::-2]",
    "Y[ds(1, 2), I], Y[I, ds(1, 2)], Y[I, None, ds(1, 2)], Y[ds(1, 2), True]",
    "raised(lambda: Y[ds(0, 2), ds(0, 2), 0])",
    "raised(lambda: X[[ds(1, 2)]]), raised(lambda: jnp.take(X, ds(1, 2)))",
    "jnp.index_exp[ds(1, 2)]",
    "show(lambda x, i: x[ds(i, 2)], X, 2)",
    "show(lambda x, i: x[ds(i, 2, 2)], X, 2)",
    "show(lambda x, i: x[ds(i, 2), 1], Y, 2)",
    "show(lambda x: x[ds(1, 2), 1], Y)",
    "show(lambda x, i: x[ds(i, 2), I], Y, 2)",
    "[jax.jit(lambda x, i: x[ds(i, 2)])(X, i) for i in (2, -2, 12)]",
    "raised(lambda: jax.jit(lambda x, i: x[ds(2, i)])(X, 2))",
    "jax.vmap(lambda i: X[ds(i, 2)])(jnp.arange(3))",
    "[X.at[ds(*args)].set(0) for args in ((2, 3), (8, 3), (-1, 2))], X.at[ds(2, 3, 2)].add(1)",
    "X.at[ds(2, 3)].get(), X.at[ds(8, 3)].get(mode='fill'), X.at[ds(8, 3)].get(mode='clip')",
    "Y.at[ds(2, 2), 1].set(7)",
    "show(lambda x, i: x.at[ds(i, 2)].set(0), X, 2)",
    "show(lambda x, i: x.at[ds(i, 2), 1].add(5), Y, 2)",
    "jax.grad(lambda x: x[ds(1, 2)].sum())(jnp.ones(3))",
)
