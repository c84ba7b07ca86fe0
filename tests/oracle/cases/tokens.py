"""Tokens, what counts as used, and operations that have a name and a program."""

SETUP = """\
F = jnp.arange(3.0)
T = lax.create_token
A = lax.after_all
partial = functools.partial

def show(f, *args):
    return jax.make_jaxpr(f)(*args)

def is_token(x):
    return type(x).__name__ == 'Token'

def sunk(x):
    lax.dce_sink((x * 2, {'a': jnp.sin(x)}))
    return x * 3

def looped(x):
    return lax.scan(lambda c, y: (sunk(c) * y, sunk(y)), x, F)

@partial(lax.composite, name='my.tan')
def tan(x):
    return lax.sin(x) / lax.cos(x)

@partial(lax.composite, name='my.norm', version=2)
def norm(x, scales, /, *, axis, eps=None, how=('a', 1), w=None):
    y = x / (jnp.sum(x * x, axis, keepdims=True) + (eps or 0.0))
    return {'y': y * scales['a'] + scales['b'], 'n': y.sum()}

PAIR = {'a': F, 'b': 2.0}
closed = lax.composite(lambda x: x * F + PAIR['b'], 'my.closed')
twice = lax.composite(lambda x: 2 * x, 'my.twice')
"""

CASES = (
    # Tokens.
    "show(T), show(A), show(lambda: A(T(), T(None), T(3)))",
    "show(lambda t: (t, A(t, t)), T()), str(jax.typeof(T())), jax.typeof(T()).str_short()",
    "[is_token(t) for t in (T(), A(T()), A(), jax.jit(T)(), jax.jit(A)(T(), T()))]",
    "T().block_until_ready(), is_token(jax.block_until_ready(T()))",
    "[raised(f) for f in (lambda: A(1.0), lambda: A(T(), F), lambda: A('a'), lambda: A(None),"
    " lambda: jax.jit(A)(F), lambda: show(A, F), lambda: T(1, 2), lambda: jnp.sin(T()))]",
    "show(jax.vmap(lambda x: (A(T()), x * 2)[1]), F), jax.vmap(lambda x: (A(T()), x * 2)[1])(F)",
    "show(jax.vmap(lambda t, x: (A(t), x + 1)[1], (None, 0)), T(), F)",
    "is_token(jax.vmap(lambda t, x: (A(t), x + 1), (None, 0), (None, 0))(T(), F)[0])",
    "raised(lambda: jax.vmap(lambda x: T())(F))",
    "jax.grad(lambda x: (A(T()), x * x)[1])(3.0),"
    " show(jax.grad(lambda x: (A(T()), x * x)[1]), 3.0)",
    "jax.grad(lambda x, t: (A(t), x * x)[1])(3.0, T())",
    "jax.grad(jax.jit(lambda x, t: (A(t), x * x)[1]))(3.0, T())",
    "jax.jvp(lambda x: (A(T()), x * x)[1], (3.0,), (1.0,))",
    # Sinks.
    "lax.dce_sink(F), lax.dce_sink({'a': 1.0, 'b': [F, None]}), lax.dce_sink(())",
    "show(lax.dce_sink, F), show(sunk, 1.0), show(jax.jit(sunk), 1.0)",
    "show(lambda x: lax.dce_sink(x * 2, prevent_mlir_dce=True), 1.0)",
    "sunk(F), jax.jit(sunk)(F), jax.jit(looped)(2.0), looped(2.0)",
    "show(jax.vmap(sunk), F), jax.vmap(sunk)(F)",
    "jax.grad(sunk)(2.0), jax.jit(jax.grad(sunk))(2.0), jax.jvp(sunk, (2.0,), (1.0,))",
    "show(lambda x: jax.jvp(sunk, (x,), (1.0,)), 2.0)",
    "jax.grad(lambda x: looped(x)[0])(2.0), jax.jacrev(lambda x: sunk(x) * x)(F)",
    "jax.linearize(sunk, 2.0)[1](3.0), jax.vjp(sunk, 2.0)[1](1.0)",
    "show(lambda x: lax.cond(x > 0, sunk, lambda x: x, x), 1.0)",
    "[raised(f) for f in (lambda: lax.dce_sink('a'), lambda: lax.dce_sink(F, True),"
    " lambda: lax.dce_sink(object()))]",
    # Composites.
    "tan(F), jax.jit(tan)(F), tan(0.5), show(tan, F), show(tan, 0.5)",
    "norm(F, PAIR, axis=0), show(lambda x: norm(x, PAIR, axis=0, eps=1e-3), F)",
    "show(lambda x: norm(x, {'a': x, 'b': 1}, axis=(0,), how={'k': [1, 'two']}), F)",
    "show(lambda x: norm(x, PAIR, axis=0, w=np.arange(3)), F)",
    "jax.jit(lambda x: norm(x, PAIR, axis=0)['y'] * 2)(F), tan.__name__, norm.__name__",
    "closed(F), show(closed, F), jax.jit(closed)(F), closed.__name__",
    "show(lax.composite(lambda: F + 1, 'nothing', 7)), lax.composite(lambda: F + 1, 'nothing')()",
    "show(lax.composite(lambda x: [tan(x), jax.jit(jnp.cos)(x)], 'outer'), F)",
    "lax.scan(lambda c, x: (tan(c) + x, tan(x)), 0.1, F)",
    "show(lambda x: lax.scan(lambda c, x: (tan(c), None), x, None, 3)[0], 0.1)",
    "[raised(f) for f in (lambda: jax.grad(tan)(1.0), lambda: jax.jvp(tan, (1.0,), (1.0,)),"
    " lambda: jax.vmap(tan)(F), lambda: jax.linearize(tan, 1.0),"
    " lambda: jax.jit(jax.grad(tan))(1.0), lambda: jax.jit(jax.vmap(tan))(F),"
    " lambda: jax.linear_transpose(twice, 1.0)(1.0))]",
    "[raised(lambda: jax.jit(lax.composite(jnp.sin, name))(F)) for name in ('a', 'a.', 'a.b', '',"
    " '1.a', 'a.1', 'a.b.c', 'a b.c', 'a.$', 'a.b ', 'My_1.x')]",
    "jax.grad(lambda x: tan(lax.stop_gradient(x)) * x)(1.0), jax.vmap(lambda x: x + tan(1.0))(F)",
    "[raised(f) for f in (lambda: tan('a'), lambda: tan(), lambda: norm(F, PAIR),"
    " lambda: jax.jit(lambda x: norm(F, PAIR, axis=0, eps=x))(1.0),"
    " lambda: jax.jit(lambda x: lax.composite(lambda y: x + y, 'c')(F))(1.0),"
    " lambda: jax.jit(lambda x: lax.composite(lambda y, *, k: y + k[0], 'c')(F, k=[x]))(1.0),"
    " lambda: lax.composite(3, 'c')(F), lambda: lax.composite(jnp.sin)(F))]",
    "@jax.custom_jvp\ndef f(x):\n    return tan(x)\n"
    "f.defjvps(lambda g, ans, x: g * (1 + ans * ans))\n"
    "jax.grad(f)(0.5), jax.jit(jax.grad(f))(0.5)",
    "jax.eval_shape(tan, F), jax.eval_shape(lambda x: norm(x, PAIR, axis=0), F)",
)
