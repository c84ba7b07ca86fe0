"""Normal vectors with covariances, orthogonal matrices, and the initializers of these."""

SETUP = """\
k = random.key(0)
mean, cov = jnp.arange(2.0), jnp.array([[2.0, 0.5], [0.5, 1.0]])
M, Q = random.multivariate_normal, random.orthogonal
orthogonal = jax.nn.initializers.orthogonal
delta = jax.nn.initializers.delta_orthogonal

def show(f, *args):
    return jax.make_jaxpr(f)(*args)
"""
METHODS = ("cholesky", "eigh", "svd")

CASES = (
    *(f"M(k, mean, cov, method='{m}'), M(k, mean, cov, (3,), method='{m}')" for m in METHODS),
    *(f"show(lambda k: M(k, mean, cov, (4, 3), method='{m}'), k)" for m in METHODS),
    "M(k, jnp.ones((3, 2)), cov[None, None]), M(k, mean, cov[None], (4, 3))",
    "show(lambda k: M(k, jnp.ones((3, 2)), cov[None, None]), k)",
    "M(k, jnp.arange(2), cov.astype(int)), M(k, mean, -cov), M(k, jnp.zeros(0), jnp.zeros((0, 0)))",
    "M(k, mean, cov, 3), M(k, mean, cov, (0,)), M(k, mean.astype('float16'), cov)",
    "with jax.enable_x64(True):\n    out = M(k, mean, cov), M(k, np.arange(2.0), cov),"
    " Q(k, 2)\nout",
    "jax.grad(lambda m: M(k, m, cov, (3,)).sum())(mean)",
    "jax.grad(lambda c: M(k, mean, c, (3,)).sum())(cov)",
    "jax.vmap(lambda m: M(k, m, cov, (3,)))(jnp.ones((2, 2)))",
    "jax.vmap(lambda k, c: M(k, mean, c))(random.split(k), jnp.stack([cov, 2 * cov]))",
    "jax.jit(M, static_argnums=3)(k, mean, cov, (2,))",
    "Q(k, 2), Q(k, 2, (3,)), Q(k, 2, m=3), Q(k, 3, m=2), Q(k, 3, (2,), m=2)",
    "Q(k, 0), Q(k, 0, m=2), Q(k, 2, (0,)), Q(k, 1), Q(k, 2, (), 'complex64')",
    "show(lambda k: Q(k, 2, (3,)), k), show(lambda k: Q(k, 2, (3,), 'complex64', 3), k)",
    "jax.vmap(lambda k: Q(k, 2))(random.split(k)), jax.jit(lambda k: Q(k, 2))(k)",
    *(f"orthogonal(2.0, {axis})(k, (3, 2, 2)), delta(2.0, {axis})(k, (4, 2, 2))"
      for axis in (0, 1, -1)),
    "orthogonal()(k, (2, 3)), orthogonal()(k, [3, 2], 'complex64'), orthogonal()(k, (0, 2)),"
    " orthogonal()(k, (2, 0)), orthogonal(dtype='float32')(k, (1, 1))",
    "delta()(k, (3, 2, 3)), delta()(k, (3, 4, 2, 2)), delta()(k, (3, 1, 2, 2, 2), 'complex64')",
    "[raised(f) for f in (lambda: M(k, 1.0, cov), lambda: M(k, mean, mean),"
    " lambda: M(k, mean, jnp.ones((2, 3))), lambda: M(k, mean, cov, (3,), 'int32'),"
    " lambda: M(k, mean, cov, method='a'), lambda: M(k, mean, cov, method=3),"
    " lambda: M(k, jnp.ones((3, 2)), cov, (4,)), lambda: M(k, [0.0, 1.0], cov),"
    " lambda: M(k, mean * 1j, cov), lambda: M(k, mean, cov, -1), lambda: M('a', mean, cov),"
    " lambda: M(k, jnp.ones((3, 2)), jnp.ones((4, 2, 2))),"
    " lambda: M(k, mean.astype('float16'), cov.astype('float16')))]",
    "[raised(f) for f in (lambda: Q(k, -1), lambda: Q(k, 2, dtype='int32'), lambda: Q(k, 2.5),"
    " lambda: Q(k, 2, (-1,)), lambda: Q(k, 2, m=-1), lambda: Q(k, 2, dtype='float16'),"
    " lambda: Q(random.split(k), 2), lambda: Q(k, 2, m=2.0))]",
    "[raised(f) for f in (lambda: orthogonal()(k, (3,)), lambda: orthogonal()(k, (3, 2), 'int32'),"
    " lambda: orthogonal(column_axis=5)(k, (2, 2)), lambda: orthogonal()(k, (2, -1)),"
    " lambda: orthogonal('a')(k, (3, 2)), lambda: orthogonal(column_axis=1.5)(k, (2, 2)),"
    " lambda: orthogonal()(k, (3, 2), 'float16'))]",
    "[raised(f) for f in (lambda: delta()(k, (3, 2)), lambda: delta()(k, (3, 3, 2)),"
    " lambda: delta()(k, (3, 3, 2, 2, 2, 2)), lambda: delta()(k, (3, 2, 2), 'int32'),"
    " lambda: delta(column_axis=-3)(k, (3, 2, 2)))]",
)
