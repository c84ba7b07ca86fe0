"""jit: static arguments, keywords, nesting, how often it traces, and jit switched off."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
traced = []

def counted(*args, **kwargs):
    traced.append(1)
    return [arg for arg in args if not isinstance(arg, str)], kwargs

def calls(f, *arguments):
    for args in arguments:
        f(*args)
    return len(traced)
"""
CALLED = (
    "jax.jit(lambda x, y: x + y)(1, 2.0)",
    "jax.jit(lambda x, y: x + y)(F, y=1)",
    "jax.jit(lambda x, *, k=2: x * k)(F)",
    "jax.jit(lambda x, *, k=2: x * k)(F, k=3)",
    "jax.jit(lambda x, n: x if n else -x, static_argnums=1)(F, True)",
    "jax.jit(lambda x, n: x if n else -x, static_argnums=-1)(F, False)",
    "jax.jit(lambda x, n: x if n else -x, static_argnames='n')(F, n=False)",
    "jax.jit(lambda x, n: x if n else -x, static_argnames=('n',))(F, False)",
    "jax.jit(lambda x, n: x if n else -x, static_argnums=1)(F, n=False)",
    "jax.jit(lambda n, x, m: x * n + m, static_argnums=(0, 2))(2, F, 3)",
    "jax.jit(lambda x, f: f(x), static_argnums=1)(F, jnp.sin)",
    "jax.jit(lambda x, s: x.reshape(s), static_argnums=1)(F, (3, 1))",
    "jax.jit(lambda x, mode='double': x * 2 if mode == 'double' else x, static_argnames='mode')(F)",
    "functools.partial(jax.jit, static_argnums=1)(lambda x, n: x ** n)(F, 3)",
    "@functools.partial(jax.jit, static_argnames='n')\ndef f(x, n):\n    return x * n\nf(F, n=2)",
    "@jax.jit\ndef f(x):\n    'Words.'\n    return x\nf.__name__, f.__doc__, f.__wrapped__(1)",
    "jax.jit(lambda *args, **kwargs: (args, kwargs))(1, 2.0, a=F)",
    "jax.jit(lambda: 1)()",
    "jax.jit(lambda x: None)(F)",
    "jax.jit(lambda x: (x, x, [x]))(2)",
    "jax.jit(lambda x: x)(np.arange(3)), jax.jit(lambda x: x)(np.float32(1))",
    "jax.jit(lambda x: F + x)(1.0), jax.jit(lambda x: np.arange(3) + x)(1)",
    "jax.jit(lambda x: 3)(1), jax.jit(lambda x: (F, 2.5, True))(1)",
    "jax.jit(jax.jit(lambda x: x + 1))(F)",
    "f = jax.jit(lambda x: x + 1)\njax.jit(lambda x: f(f(x)) * f(x[0]))(F)",
    "jax.jit(lambda x: jnp.where(x > 1, x, 0.0).sum())(F)",
    "jax.jit(lambda x: x[0] + x[1:].sum())(F)",
    "jax.jit(lambda x: x, donate_argnums=(0,))(F + 1)",
    "jax.jit(lambda x, y: x, donate_argnames='y')(F, F + 1)",
    "jax.jit(lambda x: x + 1, inline=True)(F)",
    "jax.jit(lambda x: x + 1, keep_unused=True)(F)",
    "class C:\n    def __init__(self): self.k = 2.0\n"
    "    @functools.partial(jax.jit, static_argnums=0)\n"
    "    def f(self, x): return x * self.k\nC().f(F)",
    "class C:\n    def f(self, x): return x * 2\njax.jit(C().f)(F)",
    "jax.jit(functools.partial(lambda x, y: x - y, y=1))(F)",
    "jax.jit(functools.partial(operator.add, 2))(F)",
    "jax.jit(lambda x: jax.jit(lambda y: y * x)(x + 1))(F)",
    "jax.jit(lambda d, t: {'a': d['a'] + t[0], 'b': t[1]})({'a': 1}, (2.0, None))",
)
COUNTED = (
    "f = jax.jit(counted)\ncalls(f, (1,), (2,), (3,))",
    "f = jax.jit(counted)\ncalls(f, (1,), (1.0,), (True,), (2,))",
    "f = jax.jit(counted)\ncalls(f, (F,), (F + 1,), (M,), (F.astype('int32'),))",
    "f = jax.jit(counted)\ncalls(f, (1.0,), (jnp.float32(1),), (jnp.asarray(1.0),),"
    " (np.float32(1),))",
    "f = jax.jit(counted)\ncalls(f, ([F, 1],), ((F, 1),), ({'a': F},), ({'b': F},), ([F, 2],))",
    "f = jax.jit(counted)\nf(1, 2)\nf(1, y=2)\nf(3, y=4)\nlen(traced)",
    "f = jax.jit(counted, static_argnums=0)\ncalls(f, (1, F), (2, F), (1, F), (1.0, F), (True, F))",
    "f = jax.jit(counted, static_argnums=0)\ncalls(f, ('a', F), ('b', F), ('a', F + 1))",
    "f = jax.jit(counted)\nf(F)\nwith jax.enable_x64(True):\n    f(F)\n    f(F)\nf(F)\nlen(traced)",
    "f = jax.jit(counted)\njax.jit(lambda x: (f(x), f(x + 1)))(F)\nlen(traced)",
    "f = jax.jit(counted)\nf(F)\njax.jit(f)(F)\njax.make_jaxpr(f)(F)\nlen(traced)",
    "f = jax.jit(counted)\nf(F)\njax.vmap(f)(M)\njax.vmap(f)(M)\nlen(traced)",
    "f = jax.jit(lambda x: (traced.append(1), x.sum())[1])\njax.grad(f)(F)\n"
    "jax.grad(f)(F + 1)\nf(F)\nlen(traced)",
    "f = jax.jit(counted)\njax.jit(counted)(F)\nf(F)\njax.jit(counted)(F)\nlen(traced)",
    "def f(x):\n    return jax.jit(lambda y: (traced.append(1), y)[1])(x)\nf(F)\nf(F)\nlen(traced)",
    "f = jax.jit(counted)\nwith jax.disable_jit():\n    f(F)\n    f(F)\nlen(traced)",
    "f = jax.jit(counted)\ng = jax.jit(lambda x: f(x)[0][0] * 2)\ng(F)\n"
    "jax.jvp(g, (F,), (F,))\nlen(traced)",
)
SWITCHED_OFF = (
    "with jax.disable_jit():\n    y = jax.jit(lambda x: x + 1 if x > 0 else x)(1.0)\ny",
    "with jax.disable_jit():\n    y = jax.jit(lambda x, n: x * n, static_argnums=1)(F, 2)\ny",
    "with jax.disable_jit():\n    y = jax.grad(jax.jit(lambda x: x ** 2 if x > 0 else x))(3.0)\ny",
    "with jax.disable_jit():\n    j = jax.make_jaxpr(jax.jit(lambda x: x + 1))(F)\nj",
    "with jax.disable_jit():\n    y = jax.vmap(jax.jit(lambda x: x + 1))(F)\ny",
    "with jax.disable_jit():\n    with jax.disable_jit(False):\n"
    "        y = raised(jax.jit(lambda x: bool(x)), 1.0)\ny",
    "with jax.disable_jit():\n    y = jax.jit(lambda x: [1, 2, 3][x])(1)\ny",
)

CASES = [*CALLED, *COUNTED, *SWITCHED_OFF]
