"""Printed jaxprs: layout, names, literals, constants, nested and repeated ones; and their parts."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)
"""
PRINTED = (
    # Layout: one equation, several, none; long lines; many variables.
    "show(lambda x: x, 1.0)",
    "show(lambda x: 1.0, 2.0)",
    "show(lambda: 1.0)",
    "show(lambda: ())",
    "show(lambda x: None, 1.0)",
    "show(lambda x: (x, x), F)",
    "show(lambda x, y: (y, x), F, 1)",
    "show(lambda x: x + 1, 1)",
    "show(lambda x: x + 1.5, F)",
    "show(lambda x: jnp.sin(jnp.sin(x)), 1.0)",
    "show(lambda x: [jnp.sin(x), {'a': jnp.cos(x)}], 1.0)",
    "show(lambda x, y, z: jnp.dot(x * y, z).sum(), M, M, M.T)",
    "show(lambda *xs: sum(xs), *range(8))",
    "show(lambda *xs: xs[::-1], *range(30))",
    "show(lambda *xs: xs[0] + xs[29], *[F] * 30)",
    "show(lambda x: functools.reduce(lambda a, _: jnp.sin(a), range(30), x), 1.0)",
    "show(lambda x: functools.reduce(lambda a, _: a * x, range(60), x), F)",
    "show(lambda x: lax.transpose(lax.broadcast_in_dim(x, (2, 3, 4), (1,)), (2, 0, 1)), F)",
    "show(lambda x: lax.slice(x, (0, 0, 0, 0), (1, 2, 3, 4), (1, 1, 2, 2)), jnp.ones((2, 3,"
    " 4, 5)))",
    "show(lambda x: lax.dot_general(x, x, (((0, 1), (0, 1)), ((), ()))), M)",
    "show(lambda: lax.broadcasted_iota('float32', (20, 30, 40), 1))",
    "show(lambda x: jnp.concatenate([x] * 12), F)",
    "show(lambda *xs: jnp.concatenate(xs), *[F] * 9)",
    # Results that are not used, used twice, or constants.
    "show(lambda x: (jnp.sin(x), x)[1], 1.0)",
    "def f(x):\n    jnp.sin(x)\n    return x * 2\nshow(f, F)",
    "def f(x):\n    y = x * 2\n    z = y + y\n    y - z\n    return z\nshow(f, F)",
    "show(lambda x: (x + 1, x + 1), F)",
    "show(lambda x: (2, 2.5, True, None, F, np.arange(2)), 1.0)",
    # Constants.
    "show(lambda x: F + x, 1.0)",
    "show(lambda x: F + F * x, F)",
    "show(lambda x: x + np.arange(3), F)",
    "show(lambda x: x + jnp.float32(2), F)",
    "show(lambda x: x + jnp.asarray(2), F)",
    "show(lambda x: (F, M, x), 1)",
    "show(lambda: F)",
    "show(lambda: F.sum())",
    "show(lambda x: jnp.zeros(3) + x, 1.0)",
    "show(lambda x: x * math.pi, 1.0)",
    "show(lambda x: x * math.nan + math.inf - -math.inf, F)",
    "show(lambda x: x * 1e-10 + 1e10 + 123456789.0, F)",
    "show(lambda x: x + 1j, F)",
    "show(lambda x: x + 0.1, jnp.ones(2, 'bfloat16'))",
    "show(lambda x: x + 0.1, jnp.ones(2, 'float16'))",
    "show(lambda x: x & True, F > 0)",
    "show(lambda x: x + 1, jnp.ones(2, 'uint8'))",
    "show(lambda x: jnp.where(x, 1, -0.0), F > 0)",
    # Inputs of every kind.
    "show(lambda *xs: xs, 1, 1.0, True, 1j, F, np.float64(1), np.int8(1), np.ones(2))",
    "show(lambda x: x, jnp.zeros((0, 2), 'bfloat16'))",
    "show(lambda d: {'r': d['a'] + d['b']}, {'b': 1.0, 'a': 2.0})",
    "show(lambda x: x * 2, jax.ShapeDtypeStruct((2, 3), jnp.float32))",
    "show(lambda x, n: x * n, F, 3, static_argnums=1)",
    "show(lambda n, x: x * n, 3, F, static_argnums=(0,))",
    "show(lambda x: {'a': x, 'b': (x, x)}, F, return_shape=True)[1]",
    "show(lambda x: lax.psum(x, 'i') + lax.axis_size('j'), F, axis_env=(('i', 3), ('j', 2)))",
    "jax.make_jaxpr(jax.grad(lambda x: lax.pmean(x, 'i')), (), [('i', 3)])(1.0)",
    # jit within.
    "show(jax.jit(lambda x: x + 1), 1)",
    "show(jax.jit(jnp.sin), F)",
    "def f(x):\n    return x * 2\nshow(jax.jit(f), F)",
    "show(lambda x: jax.jit(lambda y: y * x)(x), F)",
    "show(lambda x: jax.jit(lambda y: y * 2)(x) + 1, F)",
    "show(lambda x: jax.jit(lambda: x * 2)(), F)",
    "show(lambda x: jax.jit(lambda y: (y, 1.0))(x), F)",
    "show(lambda x: jax.jit(lambda y: (y, x))(x), F)",
    "show(lambda x: jax.jit(lambda y: F + y)(x), 1.0)",
    "show(lambda x: jax.jit(lambda y, z: z)(x, x), F)",
    "show(jax.jit(jax.jit(jnp.sin)), F)",
    "show(lambda x: jax.jit(lambda y: jax.jit(lambda z: z + 1)(y) * 2)(x), F)",
    "f = jax.jit(lambda x: x + 1)\nshow(lambda x: f(f(x)), F)",
    "f = jax.jit(lambda x: x + 1)\nshow(lambda x: (f(x), f(x[0])), F)",
    "@jax.jit\ndef step(x):\n    return jnp.sin(x) * 2\nshow(lambda x: step(step(step(x))), F)",
    "@jax.jit\ndef step(x):\n    return x * 2\nshow(lambda x: step(step(x)) + step(step(M))[0], F)",
    "@jax.jit\ndef long(x):\n    for _ in range(11):\n        x = jnp.sin(x)\n    return x\n"
    "show(long, F)",
    "@jax.jit\ndef long(x):\n    for _ in range(10):\n        x = jnp.sin(x)\n    return x\n"
    "show(long, F)",
    "@jax.jit\ndef f(x):\n    return x + 1\n@jax.jit\ndef g(x):\n    return f(x) * f(x)\n"
    "show(lambda x: g(g(x)), F)",
    "f = jax.jit(lambda x, y: x @ y)\nshow(f, M, M.T)",
    "f = jax.jit(lambda x: jnp.sin(x) * 2, inline=True)\nshow(lambda x: f(x) + 1, F)",
    "f = jax.jit(lambda x, n: x * n, static_argnums=1)\nshow(lambda x: f(x, 2) + f(x, 3), F)",
    "f = jax.jit(lambda x, *, n: x * n, static_argnames='n')\nshow(lambda x: f(x, n=2), F)",
    "f = jax.jit(lambda x, *, k: x * k)\nshow(lambda x: f(x, k=x), F)",
    "show(lambda x: jax.jit(lambda y: {'b': y, 'a': y * 2})(x)['a'], F)",
    "f = jax.jit(lambda x: x, keep_unused=True)\nshow(f, F)",
    "f = jax.jit(lambda x: x * 2, donate_argnums=0)\nshow(f, F)",
    # Library functions that are jitted inside.
    "show(lambda x: jnp.where(x > 0, x, 0.0), F)",
    "show(lambda x: jnp.where(x > 0, jnp.where(x > 1, 1.0, x), 0.0), F)",
    "show(lambda x: jnp.clip(x, 0, 1), F)",
    "show(lambda x: (jnp.where(x > 0, x, 0.0), jnp.where(x > 1, x, 1.0)), F)",
    # Transformed functions.
    "show(jax.grad(jnp.tanh), 1.0)",
    "show(jax.grad(jax.jit(lambda x: jnp.sin(x) * 2)), 1.0)",
    "show(jax.grad(jax.jit(lambda x, y: (x * F).sum() + y)), F, 2.0)",
    "show(jax.jit(jax.vmap(jax.grad(jax.jit(jnp.sin)))), F)",
    "f = jax.jit(jnp.tanh)\nshow(jax.grad(lambda x: f(f(x)) * f(x)), 1.0)",
    "def softmax(x):\n    e = jnp.exp(x - lax.stop_gradient(jnp.max(x, axis=-1, keepdims=True)))\n"
    "    return e / e.sum(-1, keepdims=True)\nshow(softmax, F), show(jax.vmap(softmax), M)",
    "def loss(w, x, y):\n    return -jnp.mean(jnp.log(lax.logistic(x @ w)) * y)\n"
    "show(jax.value_and_grad(loss), F, M, jnp.ones(2))",
    "show(jax.jvp, jnp.sin, (F,), (F,), static_argnums=0)",
    "show(jax.grad(lambda x: jax.jvp(jnp.tanh, (x,), (1.0,))[1]), 2.0)",
    "show(jax.vmap(jnp.dot, in_axes=(0, None)), M, F)",
    "show(jax.vmap(jnp.dot), M, M)",
    "show(jax.vmap(jnp.dot, (None, 0)), F, M)",
    "show(jax.vmap(jnp.dot, (1, None)), M, jnp.ones(2))",
    "show(lambda x: jax.jvp(jnp.sin, (x,), (x,)), F)",
    "show(jax.jit(jax.grad(lambda x: jnp.sum(x ** 2))), F)",
    "show(jax.grad(jax.jit(lambda x: jnp.sum(x ** 2))), F)",
    "show(jax.vmap(jax.jit(lambda x: x * 2)), M)",
    "show(jax.vmap(lambda x: jax.jit(lambda y: y + x)(1.0)), F)",
    "show(lambda x: jax.linearize(jnp.sin, x)[1](x), F)",
    "show(lambda x: jax.vjp(lambda y: y * y, x)[1](x), F)",
    "show(lambda x: jax.lax.stop_gradient(x) * x, F)",
    "show(lambda x: x.copy(), F)",
)
PARTS = (
    "j = show(lambda x: x, 3)\nj.in_avals, j.out_avals",
    "j = show(lambda x: F * x, 2.0)\nj.consts, len(j.eqns), [str(e.primitive) for e in j.eqns]",
    "j = show(lambda x: F * x, 2.0)\n[repr(v.aval) for v in j.jaxpr.constvars + j.jaxpr.invars]",
    "j = show(lambda x: x + 1, F)\ne = j.eqns[0]\n[str(v.aval) for v in e.outvars], e.params",
    "j = show(lambda x: x + 1, F)\ne = j.eqns[0]\ne.invars[1].val, repr(e.invars[1].aval)",
    "j = show(lambda x: jnp.sum(x, 0), M)\nj.eqns[0].params['axes'], j.eqns[0].primitive.name",
    "str(show(jnp.sin, 1.0).jaxpr), str(show(jnp.sin, 1.0)), repr(show(jnp.sin, 1.0))",
    "repr(show(jnp.sin, 1.0).jaxpr.eqns[0])",
    "j = show(jax.jit(lambda x: x + 1), F)\nj.eqns[0].params['jaxpr'], j.eqns[0].params['name']",
    "j = show(lambda x: (x, 1.0), F)\n[type(v).__name__ for v in j.jaxpr.outvars], j.out_avals",
    "j = show(lambda x, y: (x * y, F), 2.0, 3.0)\njax.core.eval_jaxpr(j.jaxpr, j.consts, 2.0, 3.0)",
    "j = show(lambda x: jax.jit(jnp.sin)(x) * F, 2.0)\njax.core.eval_jaxpr(j.jaxpr, j.consts, 2.0)",
    "j = show(lambda x: jnp.sin(x) * F, 2.0)\n"
    "show(lambda x: jax.core.eval_jaxpr(j.jaxpr, j.consts, x), 2.0)",
    "j = show(jnp.sin, 1.0)\ntype(j).__name__, type(j.jaxpr).__name__, type(j.eqns[0]).__name__",
    "j = show(lambda x: x * 2,"
    " 1.0)\n[type(v).__name__ for v in j.eqns[0].invars + j.eqns[0].outvars]",
    "jax.eval_shape(lambda x, y: {'a': x @ y, 'b': 1.0}, M, M.T)",
    "jax.eval_shape(lambda x: x * 2, jax.ShapeDtypeStruct((2, 3), 'int8'))",
    "s = jax.eval_shape(lambda x: x + 1, 2.0)\ns, s.shape, s.dtype, s.weak_type, s.ndim, s.size",
    "jax.ShapeDtypeStruct((2, 3), jnp.float32), jax.ShapeDtypeStruct((), 'int8')",
    "jax.ShapeDtypeStruct((2,), 'int8') == jax.ShapeDtypeStruct((2,), np.int8)",
    "len(jax.ShapeDtypeStruct((2, 3), 'int8')), hash(jax.ShapeDtypeStruct((2,), 'int8')) != 0",
    "len(jax.ShapeDtypeStruct((), 'int8'))",
    "a = jax.typeof(F)\na.shape, a.dtype, a.weak_type, a.ndim, a.size, str(a), a.str_short()",
    "jax.core.ShapedArray((2,), np.dtype('float32')), str(jax.core.ShapedArray((),"
    " np.dtype('int8')))",
    "jax.core.ShapedArray((2,), np.dtype('float32')) == jax.typeof(jnp.ones(2))",
    "jax.typeof(1.0) == jax.typeof(jnp.float32(1)), hash(jax.typeof(F)) == hash(jax.typeof(F + 1))",
    "f, consts = jax.closure_convert(lambda x: x * F.sum(), 2.0)\nf(3.0, *consts), len(consts)",
    "def g(y):\n    f, consts = jax.closure_convert(lambda x: x * y, 2.0)\n"
    "    return f(3.0, *consts)\n"
    "jax.grad(g)(5.0), jax.make_jaxpr(g)(5.0)",
    # A number that the program makes is a value of it, and a constant of a program inside.
    "def inner_constants(n):\n    return len(jax.make_jaxpr(lambda y: y * n)(1.0).consts)\n"
    "show(lambda x: x + inner_constants(jnp.int32(3)) + inner_constants(3), 1.0)",
    "show(lambda x: [jnp.asarray(2.0) + 1, jnp.array(3), lax.full((), 2, 'int8'), "
    "lax.convert_element_type(jnp.int32(3), 'float32')], 1.0)",
    "show(lambda x: isinstance(jnp.float32(1), jax.core.Tracer) + x, 1.0)",
    "show(lambda x: lax.fori_loop(0, jnp.int32(3), lambda i, x: x + 1, x), 1.0)",
)
REFUSED = (
    "jax.make_jaxpr(lambda x: 'text')(1.0)",
    "jax.make_jaxpr(lambda x: x)('text')",
    "jax.make_jaxpr(3)",
    "jax.eval_shape(lambda x: x @ x, M)",
    "jax.eval_shape(lambda x: x, 'text')",
    "jax.make_jaxpr(lambda x: x + jnp.ones(4))(F)",
    "jax.jit(lambda x: x if jnp.int32(3) > 2 else -x)(F)",
    "jax.jit(lambda x: jnp.zeros(jnp.int32(3)))(F)",
)

CASES = [*PRINTED, *PARTS, *REFUSED]
