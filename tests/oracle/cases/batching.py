"""vmap: axes in and out as trees, sizes, unbatched values, nesting, and what it does to jaxprs."""

SETUP = """\
F = jnp.array([0.5, -1.25, 2.0])
M = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]])
A = jnp.arange(24.0).reshape(2, 3, 4)
"""
AXES = (
    "jax.vmap(lambda x: x + 1)(M)",
    "jax.vmap(lambda x: x.sum())(M), jax.vmap(lambda x: x.sum(), 1)(M), jax.vmap(jnp.sum, -1)(A)",
    "jax.vmap(lambda x: x * 2, 1, 1)(M), jax.vmap(lambda x: x * 2, 1, 0)(M),"
    " jax.vmap(lambda x: x, 0, 1)(M)",
    "jax.vmap(lambda x: x, 2, -1)(A).shape, jax.vmap(lambda x: x, -2, 2)(A).shape",
    "jax.vmap(lambda x, y: x + y, (0, None))(M, F), jax.vmap(lambda x, y: x + y, (None, 0))(F, M)",
    "jax.vmap(lambda x, y: x + y, (1, 0))(M, F), jax.vmap(lambda x, y: x * y, [0, 1])(M, M.T)",
    "jax.vmap(lambda x, y: (x, y), (0, None))(F, 2.0)",
    "jax.vmap(lambda x, y: (x, y), (0, None), (0, None))(F, 2.0)",
    "jax.vmap(lambda x: 3.0)(F), jax.vmap(lambda x: (x, 3))(F), jax.vmap(lambda x: F)(M)",
    "jax.vmap(lambda x: F, out_axes=1)(M), jax.vmap(lambda x: None)(M)",
    "jax.vmap(lambda x: (x, 3), out_axes=(0, None))(F)",
    "jax.vmap(lambda d: d['a'] + d['b'])({'a': F, 'b': F})",
    "jax.vmap(lambda d: d['a'] + d['b'], ({'a': 0, 'b': None},))({'a': F, 'b': 1.0})",
    "jax.vmap(lambda t, x: t[0] * t[1][0] + x, ((0, [None]), 0))((F, [2.0]), F)",
    "jax.vmap(lambda t: t[0] + t[1], (0,))((F, F)), jax.vmap(lambda t: t[0], ((0, None),))((F, M))",
    "jax.vmap(lambda x: {'a': x, 'b': (x, x)}, out_axes={'a': 0, 'b': (1, 0)})(M)",
    "jax.vmap(lambda x: {'a': x, 'b': (x, x)}, out_axes=1)(M)",
    "jax.vmap(lambda x, *, k: x * k)(F, k=F)",
    "jax.vmap(lambda x, k=2.0: x * k)(F), jax.vmap(lambda *xs: sum(xs))(F, F, F)",
    "jax.vmap(lambda: 1.0, axis_size=3)(), jax.vmap(lambda x: x, None, axis_size=2)(F)",
    "jax.vmap(lambda x: x, axis_size=3)(F)",
    "jax.vmap(lambda x: x, axis_name='i')(F), jax.vmap(lambda x: x, axis_name='i', axis_size=3)(F)",
    "jax.vmap(lambda x: x * 2)(np.arange(3)), jax.vmap(lambda x: x)([F, F])",
    "jax.vmap(lambda x: x + 1)(jnp.zeros((0, 3))), jax.vmap(lambda x: x + 1)(jnp.zeros((3, 0)))",
    "jax.vmap(lambda x, n: x * n, (0, None))(F, 2), jax.vmap(lambda x, n: x * n)(F, jnp.arange(3))",
    "jax.vmap(lambda x, n: x ** n)(F * F, F), jax.vmap(lambda x: x ** 3)(jnp.arange(3))",
    "jax.vmap(lambda x: x)(jnp.asarray([1.0, 2.0])), jax.vmap(lambda x: x * jnp.asarray(2.0))(F)",
    "jax.vmap(lambda x: jnp.asarray(2.0))(F), jax.vmap(lambda x: x * 2)(jnp.arange(3)).weak_type",
    "y = jax.vmap(lambda x: x + 1)(jnp.full((2,), 3.0))\ny, y.weak_type",
)
NESTED = (
    "jax.vmap(jax.vmap(lambda x: x * 2))(M), jax.vmap(jax.vmap(jnp.sum, 1), 0)(A)",
    "jax.vmap(jax.vmap(lambda x, y: x * y, (None, 0)), (0, None))(F, F)",
    "jax.vmap(lambda x: jax.vmap(lambda y: x * y)(F))(F)",
    "jax.vmap(lambda x: jax.vmap(lambda y: x @ y, 1)(M))(M @ M.T)",
    "jax.vmap(jax.vmap(jnp.dot, (0, None)), (None, 1))(M, M.T)",
    "jax.vmap(jax.grad(lambda x: x ** 2))(F), jax.vmap(jax.value_and_grad(jnp.tanh))(F)",
    "jax.vmap(jax.grad(lambda w, x: (w * x).sum()), (None, 0))(F, M)",
    "jax.grad(lambda x: jax.vmap(lambda y: y ** 2)(x).sum())(F)",
    "jax.grad(lambda w: jax.vmap(lambda x: jnp.tanh(w @ x))(M).sum())(F)",
    "jax.jvp(jax.vmap(jnp.sin), (F,), (F,)), jax.vmap(lambda x: jax.jvp(jnp.sin, (x,), (x,)))(F)",
    "jax.vmap(lambda x, t: jax.jvp(jnp.sin, (x,), (t,)), (None, 0))(2.0, F)",
    "jax.vmap(jax.jit(lambda x: x + 1))(F), jax.jit(jax.vmap(lambda x: x + 1))(F)",
    "jax.vmap(lambda x: jax.jit(lambda y: y * x)(2.0))(F)",
    "jax.vmap(jax.hessian(lambda x: x ** 3))(F), jax.vmap(jax.jacrev(jnp.sin))(M)",
    "jax.vmap(lambda x: jax.vjp(jnp.sin, x)[1](x))(F)",
    "jax.vmap(lambda x: jax.linearize(jnp.sin, x)[1](1.0))(F)",
    "jax.vmap(jax.vmap(jax.grad(jnp.tanh)))(M)",
)
FUNCTIONS = (
    "x * 2",
    "x + F",
    "F - x",
    "jnp.sin(x) + 1",
    "x.sum()",
    "x.mean()",
    "x.max()",
    "x[0]",
    "x[1:]",
    "x[None]",
    "x.reshape(1, 3)",
    "x @ x",
    "x @ F",
    "M @ x",
    "x[:, None] * x",
    "jnp.concatenate([x, F])",
    "jnp.concatenate([x, x[:1]])",
    "jnp.where(x > 0, x, 0.0)",
    "jnp.where(x.sum() > 0, x, F)",
    "jnp.broadcast_to(x, (2, 3))",
    "jnp.zeros(3) + x",
    "x * x[0]",
    "x - x.mean()",
    "jnp.exp(x) / jnp.exp(x).sum()",
    "(x, F, 1.0)",
    "x ** 2",
    "x ** x[0]",
    "x.astype('int32')",
    "jnp.clip(x, 0, 1)",
    "jax.jit(lambda y: y + x)(F)",
)


def cases():
    yield from AXES
    yield from NESTED
    for function in FUNCTIONS:
        yield f"f = jax.vmap(lambda x: ({function}))\nf(M), jax.make_jaxpr(f)(M)"
        yield f"f = jax.vmap(lambda x: ({function}), 1)\nf(M.T), jax.make_jaxpr(f)(M.T)"


CASES = [*cases()]
