"""Derivatives as JAX's signatures give them: structures, dtypes, auxiliary values, constants."""

SETUP = """\
F = jnp.array([0.5, -1.25, 2.0])
M = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]])
f = lambda x: jnp.sum(jnp.sin(x) * x)
g = lambda x, y: jnp.sum(x * y + jnp.tanh(y))
zero = np.zeros((), jax.dtypes.float0)
"""
CASES = [
    # grad and value_and_grad.
    "jax.grad(f)(F), jax.grad(f)(2.0), jax.grad(f)(M)",
    "jax.value_and_grad(f)(F), jax.value_and_grad(f)(np.ones(2))",
    "jax.grad(g)(F, F), jax.grad(g, 1)(F, M), jax.grad(g, -1)(F, F)",
    "jax.grad(g, (0, 1))(F, F), jax.grad(g, (1,))(F, F), jax.grad(g, (1, 0))(F, M)",
    "jax.grad(g, [0, 1])(F, F)",
    "jax.grad(lambda x, *, k: f(x) * k)(F, k=3.0)",
    "jax.grad(lambda x: (f(x), {'aux': x * 2, 'n': 3}), has_aux=True)(F)",
    "jax.value_and_grad(lambda x: (f(x), x), has_aux=True)(F)",
    "jax.value_and_grad(lambda x: (f(x), 'text'), has_aux=True)(F)",
    "jax.value_and_grad(lambda x: (f(x), jnp.sum(x)), argnums=(0,), has_aux=True)(F)",
    "jax.grad(lambda d: f(d['a']) * d['b'][0])({'a': F, 'b': [2.0, None]})",
    "jax.grad(lambda t: t[0] * t[1][0])((2.0, [3.0, 4.0]))",
    "jax.grad(lambda x, n: x * n)(2.0, 3), jax.grad(lambda n, x: x * n, 1)(3, 2.0)",
    "jax.grad(lambda x: 3.0)(2.0), jax.grad(lambda x, y: y)(2.0, 3.0), jax.grad(lambda x: f(F))(M)",
    "jax.grad(lambda x: x)(2.0), jax.grad(lambda x: jnp.float32(1))(2.0)",
    "jax.grad(lambda x: f(x.astype('float16').astype('float32')))(F)",
    "jax.grad(lambda x: (x * jnp.arange(3)).sum())(F)",
    "jax.grad(lambda x: jnp.sum(x.astype('int32') * 1.0))(F)",
    "jax.grad(lambda x: lax.stop_gradient(x) * x)(3.0),"
    " jax.grad(lambda x: lax.stop_gradient(x))(3.0)",
    "jax.grad(lambda x: (x ** 3 + x ** 2.0 + 2.0 ** x))(2.0)",
    "jax.grad(lambda x: x ** 0)(2.0), jax.grad(lambda x: x ** 0.0)(0.0),"
    " jax.grad(lambda x: x ** 1)(0.0)",
    "jax.grad(lambda x: x ** 2)(0.0), jax.grad(lambda x: x ** 0.5)(4.0), jax.grad(jnp.sqrt)(0.0)",
    "jax.grad(jnp.log)(0.0), jax.grad(lambda x: x / x)(0.0), jax.grad(lambda x: 1 / x)(2.0)",
    "jax.grad(jnp.abs)(0.0), jax.grad(jnp.sign)(2.0), jax.grad(lambda x: jnp.maximum(x, x))(1.0)",
    "jax.grad(lambda x: jnp.where(x > 0, x, jnp.nan))(2.0)",
    "jax.grad(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))(0.0)",
    "jax.grad(jax.grad(jax.grad(lambda x: x ** 4)))(2.0), jax.grad(jax.grad(jnp.tanh))(0.5)",
    "jax.grad(lambda x: jax.grad(lambda y: x * y * y)(3.0))(2.0)",
    "jax.grad(lambda x: x * jax.grad(lambda y: x + y)(1.0))(1.0)",
    "jax.grad(lambda x: jax.jvp(lambda y: x * y, (1.0,), (1.0,))[1])(2.0)",
    "jax.grad(lambda x: jnp.dot(M @ x, M @ x))(F), jax.grad(lambda m: jnp.sum((m @ F) ** 2))(M)",
    "jax.grad(lambda x: x[0] * x[1] + x[-1] ** 2)(F)",
    "jax.grad(lambda x: sum(r.sum() * k for k, r in enumerate(x)))(M)",
    "jax.grad(lambda x: jnp.concatenate([x, x * 2])[1:5].sum())(F)",
    "jax.grad(lambda x: (x[:, None] * x[None, :]).sum())(F)",
    "jax.grad(lambda x: x.reshape(3, 2).T.sum(0)[0])(M), jax.grad(lambda x: x.max())(M)",
    "jax.grad(lambda x: jnp.sum(x), allow_int=True)(jnp.arange(3))",
    "jax.grad(lambda n, x: x * 2.0, argnums=(0, 1), allow_int=True)(3, 2.0)",
    "jax.grad(f)(F.astype('bfloat16')), jax.grad(f)(F.astype('float16'))",
    "with jax.enable_x64(True):\n    y = jax.grad(f)(np.array([0.5, -1.25]))\ny",
    # jvp.
    "jax.jvp(f, (F,), (F,)), jax.jvp(g, (F, F), (F, -F)), jax.jvp(f, [F], [F])",
    "jax.jvp(lambda x: x, (1.0,), (2.0,)), jax.jvp(lambda x: 3.0, (1.0,), (2.0,))",
    "jax.jvp(lambda x: (x, {'a': x * x}, None), (3.0,), (1.0,))",
    "jax.jvp(lambda d: d['a'] * d['b'], ({'a': 2.0, 'b': 3.0},), ({'a': 1.0, 'b': 0.0},))",
    "jax.jvp(lambda x, n: x * n, (2.0, 3), (1.0, zero))",
    "jax.jvp(lambda n: n + 1, (3,), (zero,))[0], jax.jvp(lambda n: n + 1, (3,), (zero,))[1].dtype",
    "jax.jvp(lambda x: x > 1, (2.0,), (1.0,))",
    "jax.jvp(lambda x: x.astype('int32'), (F,), (F,))",
    "jax.jvp(lambda x: (x * 2, jnp.arange(3)), (F,), (F,))",
    "jax.jvp(lambda x: (f(x), x), (F,), (F,), has_aux=True)",
    "jax.jvp(jax.grad(f), (F,), (jnp.ones(3),)), jax.jvp(jax.jit(f), (F,), (F,))",
    "jax.jvp(lambda x: F * x, (2.0,), (1.0,)), jax.jvp(lambda x: x, (np.ones(3,"
    " 'float32'),), (F,))",
    # vjp.
    "y, pull = jax.vjp(g, F, M)\ny, pull(1.0), pull(jnp.float32(2))",
    "y, pull = jax.vjp(lambda x: (x * 2, jnp.sin(x)), F)\ny, pull((F, F))",
    "y, pull = jax.vjp(lambda x: {'a': x[0], 'b': [x[1]]}, (F, 2.0))\n"
    "y, pull({'a': F, 'b': [1.0]})",
    "y, pull, aux = jax.vjp(lambda x: (f(x), (x, 3)), F, has_aux=True)\ny, pull(1.0), aux",
    "y, pull = jax.vjp(lambda x, n: x * n, 2.0, 3)\ny, pull(1.0)",
    "y, pull = jax.vjp(lambda x, y: x, F, M)\npull(F)",
    "y, pull = jax.vjp(lambda x: 3.0, F)\ny, pull(1.0)",
    "y, pull = jax.vjp(lambda x: x.astype('float16'), F)\ny, pull(y)",
    "y, pull = jax.vjp(lambda x: (x > 0, x), F)\ny, pull((np.zeros(3, jax.dtypes.float0), F))",
    "y, pull = jax.vjp(jax.jit(f), F)\ny, pull(1.0)",
    "y, pull = jax.vjp(jnp.sin, F)\njax.vmap(pull)(jnp.eye(3)), jax.jit(pull)(F)",
    "y, pull = jax.vjp(lambda x: x, 2.0)\npull(3.0), pull(jnp.asarray(3.0))",
    # linearize.
    "y, lin = jax.linearize(f, F)\ny, lin(F), lin(-F)",
    "y, lin = jax.linearize(g, F, M)\ny, lin(F, M)",
    "y, lin = jax.linearize(lambda d: {'r': d['a'] * d['b']}, {'a': 2.0, 'b': 3.0})\n"
    "y, lin({'a': 1.0, 'b': 0.0})",
    "y, lin, aux = jax.linearize(lambda x: (f(x), x), F, has_aux=True)\ny, lin(F), aux",
    "y, lin = jax.linearize(lambda x: 3.0, F)\ny, lin(F)",
    "y, lin = jax.linearize(jnp.sin, F)\njax.make_jaxpr(lin)(F)",
    "y, lin = jax.linearize(lambda x: x * x * 3, 2.0)\njax.make_jaxpr(lin)(1.0), jax.vmap(lin)(F)",
    # Jacobians.
    "jax.jacfwd(jnp.sin)(F), jax.jacrev(jnp.sin)(F)",
    "jax.jacfwd(lambda x: M @ x)(F), jax.jacrev(lambda x: M @ x)(F)",
    "jax.jacfwd(f)(F), jax.jacrev(f)(F), jax.jacobian(f)(F)",
    "jax.jacfwd(lambda x: x ** 2)(2.0), jax.jacrev(lambda x: x ** 2)(2.0)",
    "jax.jacfwd(lambda x: (x, {'a': x.sum()}))(F)",
    "jax.jacrev(lambda x: (x, {'a': x.sum()}))(F)",
    "jax.jacfwd(lambda d: d['a'] * d['b'])({'a': F, 'b': 2.0})",
    "jax.jacrev(lambda d: d['a'] * d['b'])({'a': F, 'b': 2.0})",
    "jax.jacfwd(lambda x, y: x * y, (0, 1))(F, F), jax.jacrev(lambda x, y: x * y, 1)(F, F)",
    "jax.jacfwd(lambda x: (x * 2, x), has_aux=True)(F), jax.jacrev(lambda x: (x, 3),"
    " has_aux=True)(F)",
    "jax.hessian(f)(F), jax.hessian(lambda x: x ** 3)(2.0)",
    "jax.hessian(lambda x: jnp.sum(jnp.tanh(0.25 * (M @ x))))(F)",
    "jax.hessian(lambda d: d['a'] ** 2 * d['b'])({'a': 2.0, 'b': 3.0})",
    "jax.hessian(g, argnums=(0, 1))(F[:2], F[1:])",
    "jax.jacfwd(jax.jacrev(f))(F), jax.jacrev(jax.jacfwd(f))(F)",
    # (+ 0.0: the sign of a compiled zero depends on how the compiler simplifies)
    "jax.jit(jax.hessian(f))(F) + 0.0, jax.vmap(jax.hessian(f))(M) + 0.0",
]
