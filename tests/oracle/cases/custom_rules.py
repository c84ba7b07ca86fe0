"""custom_jvp, custom_vjp, custom_gradient, custom_vmap: rules under every transformation, wrong ones.

Each rule's derivative is not the true one, so that a rule that is passed over shows.
"""
# ruff: noqa: E501  (a case is one text)

SETUP = """\
show = jax.make_jaxpr
X = jnp.array([0.5, -1.0, 2.0])
M = jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]])
from_derivatives = jax.custom_derivatives

def with_jvp(fun, rule, **options):
    f = jax.custom_jvp(fun, **{k: v for k, v in options.items() if k != 'symbolic_zeros'})
    f.defjvp(rule, symbolic_zeros=options.get('symbolic_zeros', False))
    return f

def with_vjp(fun, fwd, bwd, symbolic_zeros=False, **options):
    f = jax.custom_vjp(fun, **options)
    f.defvjp(fwd, bwd, symbolic_zeros=symbolic_zeros)
    return f

@jax.custom_jvp
def sine(x):
    return jnp.sin(x)

@sine.defjvp
def sine_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return sine(x), 10 * jnp.cos(x) * t

@jax.custom_jvp
def branching(x):
    return x * 2 if x > 0 else x * 3

@branching.defjvp
def branching_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return branching(x), t * (20 if x > 0 else 30)

product = jax.custom_jvp(lambda x, y: x * y)
product.defjvps(lambda t, ans, x, y: t * y * 10, lambda t, ans, x, y: t * x * 100 + 0 * ans)

@jax.custom_jvp
def pair(tree):
    return {'s': jnp.sin(tree['a']), 'p': tree['a'] * tree['b']}

@pair.defjvp
def pair_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return pair(x), {'s': t['a'] * 10, 'p': t['a'] * x['b'] + 100 * x['a'] * t['b']}

@jax.custom_vjp
def clipped(x):
    return jnp.cos(x)

def clipped_fwd(x):
    return clipped(x), (jnp.sin(x), x)

def clipped_bwd(res, ct):
    s, x = res
    return (10 * ct * s + x,)

clipped.defvjp(clipped_fwd, clipped_bwd)

@jax.custom_vjp
def mixed(tree, n):
    return tree['a'] * tree['b'], n

def mixed_fwd(tree, n):
    return mixed(tree, n), tree

def mixed_bwd(tree, cts):
    ct, _ = cts
    return {'a': 10 * ct * tree['b'], 'b': 100 * ct * tree['a']}, None

mixed.defvjp(mixed_fwd, mixed_bwd)

@jax.custom_vjp
def branching_vjp(x):
    return x * 2 if x > 0 else x * 3

branching_vjp.defvjp(lambda x: (branching_vjp(x), None), lambda _, ct: (7 * ct,))

@jax.custom_gradient
def square(x):
    return x ** 2, lambda ct: 10 * ct * x

def scalar(f):
    return lambda *xs: sum(jnp.sum(y) for y in tree_util.tree_leaves(f(*xs)))
"""

UNARY = ("sine", "clipped", "square")
FORMS = (
    "f(X), f(0.5), f(jnp.float16(0.5)), show(f)(X), show(f)(0.5)",
    "jax.jit(f)(X), show(jax.jit(f))(X)",
    "jax.vmap(f)(M), show(jax.vmap(f))(M), jax.vmap(f, 1, 1)(M), show(jax.vmap(f, 1, 1))(M)",
    "jax.grad(scalar(f))(X), show(jax.grad(scalar(f)))(X)",
    "jax.grad(scalar(jax.jit(f)))(X), show(jax.grad(scalar(jax.jit(f))))(X)",
    "jax.jit(jax.grad(scalar(f)))(X), show(jax.value_and_grad(f))(0.5)",
    "jax.grad(jax.grad(f))(0.5), show(jax.grad(jax.grad(f)))(0.5)",
    "jax.grad(jax.grad(jax.jit(f)))(0.5), jax.grad(jax.jit(jax.grad(f)))(0.5)",
    "jax.vmap(jax.grad(f))(X), show(jax.vmap(jax.grad(f)))(X)",
    "jax.grad(scalar(jax.vmap(f)))(X), show(jax.grad(scalar(jax.vmap(f))))(X)",
    "jax.grad(scalar(jax.jit(jax.vmap(f))))(X), jax.grad(scalar(jax.vmap(jax.jit(f))))(X)",
    "jax.vmap(jax.vmap(f))(M), jax.vmap(jax.vmap(jax.grad(f)))(M)",
    "jax.jit(jax.vmap(jax.vmap(jax.grad(f))))(M), show(jax.vmap(jax.vmap(f)))(M)",
    "y, pull = jax.vjp(f, X)\ny, pull(X), show(pull)(X)",
    "jax.jvp(f, (X,), (X,))",
    "jax.jvp(jax.jit(f), (X,), (X,))",
    "show(lambda x, t: jax.jvp(f, (x,), (t,)))(X, X)",
    "y, f_jvp = jax.linearize(f, X)\ny",
    "y, f_jvp = jax.linearize(f, X)\nf_jvp(X)",
    "show(lambda x: jax.linearize(f, x)[1](x))(X)",
    "jax.jacrev(f)(X)",
    "jax.jacfwd(f)(X)",
    "jax.hessian(f)(0.5)",
    "j = show(f)(X)\njax.core.eval_jaxpr(j.jaxpr, j.consts, X + 1)",
    "j = show(f)(0.5)\ng = lambda x: jax.core.eval_jaxpr(j.jaxpr, j.consts, x)[0]\n"
    "jax.grad(g)(0.25), show(jax.grad(g))(0.25), show(g)(0.25)",
    "g = lambda xs: lax.scan(lambda c, x: (c + f(x), f(c)), 0.5, xs)\n"
    "g(X), jax.grad(scalar(g))(X)",
    "f(X.astype('bfloat16')), jax.grad(scalar(f))(X.astype('float16'))",
    "with jax.enable_x64(True):\n    y = jax.grad(f)(np.float64(0.5))\ny",
    "jax.grad(f)(1)",
    "f('text')",
    "f()",
    "f(X, X)",
    "f(x=X), jax.grad(lambda x: f(x=x))(0.5)",
    "show(f)(X).eqns[0].primitive.name, 'call_jaxpr' in show(f)(X).eqns[0].params",
    "f.__name__",
    "str(show(f)(X).effects)",
    "jax.eval_shape(f, X), jax.vmap(f)(jnp.zeros((2, 0)))",
)


def form_cases():
    for name in UNARY:
        for form in FORMS:
            if not ("str(show" in form or "__name__" in form and name == "square"):
                yield f"f = {name}\n{form}"


JVPS = (
    "branching(1.0), branching(-1.0), jax.grad(branching)(1.0), jax.grad(branching)(-1.0)",
    "jax.jvp(branching, (-1.0,), (1.0,)), jax.value_and_grad(branching)(2.0)",
    "jax.jit(branching)(1.0)",
    "jax.vmap(branching)(X)",
    "show(branching)(1.0)",
    "jax.grad(jax.grad(branching))(1.0)",
    "product(2.0, 3.0), jax.grad(product, (0, 1))(2.0, 3.0), show(jax.grad(product, 1))(2.0, 3.0)",
    "jax.vmap(product, (0, None))(X, 2.0), show(jax.vmap(product, (0, None)))(X, 2.0)",
    "jax.grad(scalar(jax.vmap(product, (0, None))), (0, 1))(X, 2.0)",
    "jax.grad(scalar(jax.jit(jax.vmap(product, (None, 0)))), (0, 1))(2.0, X)",
    "show(jax.grad(scalar(jax.vmap(product, (0, None))), (0, 1)))(X, 2.0)",
    "jax.jvp(lambda x: product(x, 2.0), (3.0,), (1.0,)), jax.grad(lambda x: product(2.0, x))(3.0)",
    "pair({'a': X, 'b': 2.0}), show(pair)({'a': X, 'b': 2.0})",
    "jax.grad(scalar(pair))({'a': X, 'b': 2.0}), jax.grad(scalar(jax.jit(pair)))({'a': X, 'b': 2.0})",
    "jax.jvp(pair, ({'a': 1.0, 'b': 2.0},), ({'a': 1.0, 'b': 0.0},))",
    "show(jax.jvp)(pair, ({'a': 1.0, 'b': 2.0},), ({'a': 1.0, 'b': 0.0},))",
    "jax.vmap(pair)({'a': X, 'b': X})",
    # What nobody uses of a call is left out.
    "show(lambda x: jax.jit(lambda x: pair({'a': x, 'b': x})['s'])(x))(0.5)",
    "jax.grad(lambda x: jax.jit(lambda x: pair({'a': x, 'b': x}))(x)['s'])(0.5)",
    "show(jax.grad(lambda x: jax.jit(lambda x: pair({'a': x, 'b': x}))(x)['s']))(0.5)",
    "g = jax.grad(lambda x: lax.scan(lambda c, y: (pair({'a': c, 'b': y})['p'], None), x, X)[0])\ng(jnp.float32(2.0))",
    # Arguments that are not differentiated.
    "f = with_jvp(lambda g, x: g(x), lambda g, p, t: (g(*p), 10 * t[0]), nondiff_argnums=(0,))\n"
    "f(jnp.sin, 1.0), jax.grad(f, 1)(jnp.sin, 1.0), show(lambda x: f(jnp.sin, x))(1.0)",
    "f = with_jvp(lambda x, n: x * n, lambda n, p, t: (p[0] * n, 10 * t[0]), nondiff_argnums=(1,))\n"
    "f(2.0, 3), jax.grad(f)(2.0, 3), f(x=2.0, n=4), jax.vmap(lambda x: f(x, 3))(X)",
    "f = with_jvp(lambda x, n: x * n, lambda n, p, t: (p[0] * n, 10 * t[0]), nondiff_argnums=(1,))\n"
    "jax.grad(f, (0, 1))(2.0, 3.0), show(jax.grad(f))(2.0, 3.0), jax.jit(f)(2.0, 3.0)",
    "f = with_jvp(lambda x, n: x * n, lambda n, p, t: (p[0] * n, t[0]), nondiff_argnames=('n',))\n"
    "f.nondiff_argnums, f(2.0, 3), jax.grad(f)(2.0, n=3)",
    "f = with_jvp(lambda x, n: x, lambda p, t: (p[0], t[0]), nondiff_argnames='n')\nf.nondiff_argnums",
    "f = with_jvp(lambda x, n=3: x * n, lambda p, t: (p[0] * p[1], t[0]))\nf(2.0), f(2.0, 4.0), f(2.0, n=1)",
    "f = with_jvp(lambda x, *, n=3: x * n, lambda p, t: (p[0] * 3, t[0]))\nf(2.0), jax.grad(f)(2.0)",
    "f = with_jvp(lambda x, *, n=3: x * n, lambda p, t: (p[0] * 3, t[0]))\nf(2.0, n=3)",
    "f = with_jvp(lambda x: x, lambda p, t: (p[0], t[0]), nondiff_argnums=(2,))\nf(1.0)",
    "jax.custom_jvp(lambda x: x, nondiff_argnums=1)",
    "jax.custom_jvp(lambda x, y: x, nondiff_argnums=(1,)).defjvps(None)",
    "f = jax.custom_jvp(lambda x, y: x * y)\nf.defjvps(lambda t, a, x, y: t)\njax.grad(f)(1.0, 2.0)",
    "f = jax.custom_jvp(lambda x, y: x * y)\nf.defjvps(None, lambda t, a, x, y: 5 * t)\n"
    "jax.grad(f, (0, 1))(1.0, 2.0), show(jax.grad(f, 1))(1.0, 2.0)",
    # Symbolic zeros.
    "seen = []\ndef rule(p, t):\n    seen.append([type(x).__name__ for x in t])\n"
    "    t = [0.0 if type(x) is from_derivatives.SymbolicZero else x for x in t]\n"
    "    return p[0] * p[1], t[0] * p[1] + p[0] * t[1]\n"
    "f = with_jvp(lambda x, y: x * y, rule, symbolic_zeros=True)\n"
    "jax.grad(f)(2.0, 3.0), jax.grad(f, 1)(2.0, 3.0), jax.jit(jax.grad(f))(2.0, 3.0),"
    " jax.grad(jax.jit(f))(2.0, 3.0), [s.count('SymbolicZero') for s in seen]",
    "seen = []\ndef rule(p, t):\n    seen.append((t[1].shape, t[1].dtype.name, str(t[1].aval)))\n"
    "    return p[0] * p[1], t[0] * p[1]\n"
    "f = with_jvp(lambda x, y: x * y, rule, symbolic_zeros=True)\n"
    "jax.grad(scalar(f))(X, X), jax.vmap(jax.grad(f), (0, None))(X, 2.0),"
    " jax.vmap(jax.grad(f))(X, X), jax.grad(scalar(jax.vmap(f)))(X, X), seen",
    "f = with_jvp(lambda x, y: (x, y), lambda p, t: (p, t), symbolic_zeros=True)\n"
    "jax.jvp(lambda x: f(x, 2.0), (1.0,), (1.0,)), show(jax.grad(scalar(f)))(1.0, 2.0)",
    "f = with_jvp(lambda x, y: x * y, lambda p, t: (p[0] * p[1], t[0]), symbolic_zeros=True)\n"
    "show(f)(1.0, 2.0)",
    # Integers, constants, tracers that are closed over, nothing at all.
    "f = with_jvp(lambda x, n: x * n, lambda p, t: (p[0] * p[1], t[0]))\n"
    "jax.grad(f)(2.0, 3), jax.grad(jax.jit(f))(2.0, 3), jax.jvp(lambda x: f(x, 3), (2.0,), (1.0,))",
    "f = with_jvp(lambda x: (x * 2, 3), lambda p, t: ((p[0] * 2, 3), (t[0], np.zeros((), jax.dtypes.float0))))\n"
    "f(1.0), jax.jvp(f, (1.0,), (1.0,))[0], jax.jit(f)(1.0), jax.grad(lambda x: f(x)[0])(1.0)",
    "f = with_jvp(lambda x: (x * 2, 3), lambda p, t: ((p[0] * 2, 3), (t[0], 1)))\njax.grad(lambda x: f(x)[0])(1.0)",
    "f = with_jvp(lambda x: 2.0, lambda p, t: (2.0, t[0]))\nf(1.0), jax.grad(f)(1.0), jax.jit(f)(1.0)",
    "f = with_jvp(lambda: 2.0, lambda p, t: (2.0, 0.0))\nf(), show(f)(), jax.jit(f)()",
    "f = with_jvp(lambda x: None, lambda p, t: (None, None))\nf(1.0)",
    "f = with_jvp(lambda x, y: x, lambda p, t: (p[0], t[0]))\nf(1.0, None), jax.grad(f)(1.0, None)",
    "f = with_jvp(lambda x: x * X, lambda p, t: (p[0] * X, t[0] * X * 10))\n"
    "f(2.0), show(f)(2.0), jax.grad(scalar(f))(2.0), jax.grad(scalar(jax.jit(f)))(2.0)",
    "def outer(w, x):\n    f = with_jvp(lambda x: x * w, lambda p, t: (p[0] * w, 10 * t[0] * w))\n"
    "    return f(x)\n"
    "show(outer)(2.0, 3.0), jax.vmap(outer)(X, X), jax.vmap(outer, (0, None))(X, 2.0),"
    " jax.jit(outer)(2.0, 3.0)",
    "def outer(w, x):\n    f = with_jvp(lambda x: x * w, lambda p, t: (p[0] * w, 10 * t[0] * w))\n"
    "    return f(x)\n"
    "jax.vmap(lambda w: jax.grad(outer, 1)(w, 2.0))(X), jax.grad(outer, 1)(2.0, 3.0),"
    " jax.jit(jax.vmap(outer))(X, X), jax.grad(lambda x: jax.vmap(lambda w: outer(w, x))(X).sum())(1.0)",
    "def outer(w, x):\n    f = with_jvp(lambda x: x * w, lambda p, t: (p[0] * w, 10 * t[0] * w))\n"
    "    return f(x)\njax.grad(outer)(2.0, 3.0)",
    "f = with_jvp(lambda x: x - lax.pmean(x, 'i'), lambda p, t: (f(*p), 10 * t[0]))\n"
    "jax.vmap(f, axis_name='i')(X), show(jax.vmap(f, axis_name='i'))(X),"
    " jax.vmap(jax.grad(f), axis_name='i')(X)",
    "f = with_jvp(lambda x: x - lax.psum(x, 'i'), lambda p, t: (f(*p), 10 * t[0]))\n"
    "g = lambda x: jax.vmap(f, axis_name='i')(x).sum()\njax.grad(g)(X), jax.grad(jax.jit(g))(X)",
    "f = with_jvp(lambda x, y: y * 2, lambda p, t: (p[1] * 2, t[1] * 2))\n"
    "jax.vmap(f, (0, None), None)(X, 1.0), show(jax.vmap(f, (0, None), None))(X, 1.0)",
    "f = with_jvp(lambda x, y: y * 2, lambda p, t: (p[1] * 2, t[1] * 2 + 0 * t[0]))\n"
    "g = jax.vmap(f, (0, None))\njax.jvp(lambda y: g(X, y), (1.0,), (1.0,))",
    "f = with_jvp(lambda x, y: y * 2, lambda p, t: (p[1] * 2, t[1] * 2 + 0 * t[0]))\n"
    "g = jax.jit(jax.vmap(f, (0, None)))\njax.jvp(lambda y: g(X, y), (1.0,), (1.0,))",
    "f = with_jvp(lambda x: x.T, lambda p, t: (p[0].T, 10 * t[0].T))\n"
    "A = jnp.ones((2, 3, 4))\njax.vmap(f, 2)(A).shape, jax.jvp(jax.vmap(f, 2), (A,), (A,))[1].shape,"
    " show(jax.vmap(f, 2))(A)",
    # A rule that calls programs.
    "f = with_jvp(jnp.sin, lambda p, t: jax.jvp(jax.jit(lambda x: jnp.sin(x) * x), p, t))\n"
    "jax.value_and_grad(f)(1.0), show(jax.value_and_grad(f))(1.0), jax.grad(jax.grad(f))(1.0)",
    "f = with_jvp(jnp.sin, lambda p, t: jax.jit(lambda x, t: (jnp.sin(x), t * jnp.cos(x)))(*p, *t))\n"
    "jax.value_and_grad(f)(1.0), show(jax.value_and_grad(f))(1.0), jax.grad(jax.grad(f))(1.0)",
    "def g(x):\n    return lax.scan(lambda c, _: (jnp.sin(c) * 2, c), x, None, length=3)\n"
    "f = with_jvp(g, lambda p, t: jax.jvp(g, p, t))\n"
    "jax.grad(scalar(f))(1.0), jax.grad(scalar(g))(1.0), jax.grad(scalar(jax.jit(f)))(1.0)",
    "f = with_jvp(jnp.sin, lambda p, t: (jnp.sin(p[0]), jax.vmap(lambda y: y * t[0])(X).sum()))\n"
    "jax.value_and_grad(f)(1.0)",
    "f = with_jvp(sine, lambda p, t: jax.jvp(sine, p, t))\njax.value_and_grad(f)(1.0), jax.grad(jax.grad(f))(1.0)",
    "f = with_jvp(lambda x: sine(x) * 2, lambda p, t: (sine(*p) * 2, 3 * jax.jvp(sine, p, t)[1]))\n"
    "show(f)(1.0), jax.grad(f)(1.0), jax.jit(jax.grad(jax.grad(f)))(1.0)",
    "f = with_jvp(functools.partial(lambda a, x: a * x, 2.0), functools.partial(lambda a, p, t:"
    " (a * p[0], 10 * t[0]), 2.0))\nf(1.0), jax.grad(f)(1.0)",
    # Wrong rules.
    "jax.custom_jvp(lambda x: x)(1.0)",
    "jax.jit(jax.custom_jvp(lambda x: x))(1.0)",
    "with_jvp(lambda x: x, 3)(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: p[0]))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], t[0], 1)))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: None))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: [p[0], t[0]]))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p, t[0])))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p, t)))(1.0)",
    "jax.grad(jax.jit(with_jvp(lambda x: x, lambda p, t: (p, t))))(1.0)",
    "jax.grad(jax.jit(with_jvp(lambda x: x, lambda p, t: (X * p[0], X * t[0]))))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], X)))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], 1)))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], t[0].astype('float16'))))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], 'text')))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: ('text', t[0])))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], None)))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p: (p[0], None)))(1.0)",
    "jax.grad(with_jvp(lambda x: x, lambda p, t: (p[0], 3.0)))(1.0)",
    "with_jvp(lambda x: 'text', lambda p, t: (p[0], t[0]))(1.0)",
)

VJPS = (
    "branching_vjp(1.0), branching_vjp(-1.0), jax.grad(branching_vjp)(-1.0), jax.value_and_grad(branching_vjp)(1.)",
    "jax.jit(branching_vjp)(1.0)",
    "t = {'a': 2.0, 'b': 3.0}\nmixed(t, 5), jax.grad(lambda t: mixed(t, 5)[0])(t), show(mixed)(t, 5)",
    "t = {'a': X, 'b': X}\njax.grad(scalar(lambda t: mixed(t, 5)[0]))(t), jax.vmap(mixed, (0, None))(t, 5)",
    "t = {'a': X, 'b': X}\njax.vmap(jax.grad(lambda t, n: mixed(t, n)[0]), (0, None))(t, 5)",
    "t = {'a': X, 'b': 2.0}\ng = lambda t: jax.vmap(lambda a: mixed({'a': a, 'b': t['b']}, 5)[0])(t['a'])\n"
    "jax.grad(scalar(g))(t), show(jax.grad(scalar(g)))(t), jax.grad(scalar(jax.jit(g)))(t)",
    "t = {'a': 2.0, 'b': 3.0}\nshow(jax.grad(lambda t: mixed(t, 5)[0]))(t), show(jax.jit(jax.grad(lambda t: mixed(t, 5)[0])))(t)",
    "t = {'a': X, 'b': X}\ny, pull = jax.vjp(lambda t: mixed(t, X), t)\ny, pull((X, X))",
    "t = {'a': 2.0, 'b': 3.0}\nshow(jax.grad(lambda t: jax.jit(mixed)(t, 5.0)[0]))(t)",
    "t = {'a': 2.0, 'b': 3.0}\njax.jit(lambda t: mixed(t, 5.0)[1])(t), show(jax.jit(lambda t: mixed(t, 5.0)[1]))(t)",
    "f = with_vjp(lambda g, x: g(x), lambda g, x: (g(x), x), lambda g, x, ct: (10 * ct * g(x),), nondiff_argnums=(0,))\n"
    "f(jnp.sin, 1.0), jax.grad(f, 1)(jnp.sin, 1.0), show(lambda x: f(jnp.sin, x))(1.0),"
    " jax.vmap(lambda x: f(jnp.sin, x))(X)",
    "f = with_vjp(lambda x, n: x * n, lambda x, n: (x * n, None), lambda n, _, ct: (10 * ct * n,), nondiff_argnums=(1,))\n"
    "f(2.0, 3), jax.grad(f)(2.0, 3), f(2.0, n=3), jax.grad(jax.jit(f, static_argnums=1))(2.0, 3)",
    "f = with_vjp(lambda x, n: x * n, lambda x, n: (x * n, None), lambda n, _, ct: (ct * n,), nondiff_argnums=(1,))\n"
    "jax.jit(f)(2.0, 3)",
    "f = with_vjp(lambda x, n: x * n, lambda x, n: (x * n, None), lambda n, _, ct: (ct * n,), nondiff_argnums=(1,))\n"
    "jax.grad(f, 1)(2.0, 3.0)",
    "f = with_vjp(lambda x, n: x, lambda x, n: (x, None), lambda n, _, ct: (ct,), nondiff_argnames=('n',))\n"
    "f.nondiff_argnums, jax.grad(f)(1.0, n=2)",
    # Symbolic zeros.
    "seen = []\ndef fwd(x, y):\n    seen.append((x.perturbed, y.perturbed))\n    return x.value * y.value, (x.value, y.value)\n"
    "f = with_vjp(lambda x, y: x * y, fwd, lambda r, ct: (10 * ct * r[1], None), symbolic_zeros=True)\n"
    "jax.grad(f)(2.0, 3.0), jax.grad(f, 1)(2.0, 3.0), jax.grad(jax.jit(f))(2.0, 3.0), jax.vmap(jax.grad(f))(X, X), seen",
    "seen = []\ndef bwd(r, cts):\n    seen.append([type(c).__name__ == 'SymbolicZero' for c in cts])\n    return (5.0,)\n"
    "f = with_vjp(lambda x: (x, x), lambda x: ((x.value, x.value), None), bwd, symbolic_zeros=True)\n"
    "jax.grad(lambda x: f(x)[0])(2.0), jax.grad(lambda x: sum(f(x)))(2.0), jax.grad(jax.jit(lambda x: f(x)[1]))(2.0), seen",
    "P = from_derivatives.CustomVJPPrimal\nfrom_derivatives.custom_vjp_primal_tree_values({'a': P(1, True), 'b': [P(2, False)]})",
    "from_derivatives.custom_vjp_primal_tree_values({'a': 1})",
    "f = with_vjp(lambda x, y: x * y, lambda x, y: (x.value * y.value, None), lambda r, ct:"
    " (from_derivatives.SymbolicZero(jax.typeof(1.0)), ct), symbolic_zeros=True)\n"
    "jax.grad(f, (0, 1))(1.0, 2.0)",
    "f = with_vjp(lambda x: x, lambda x: (x.value, None), lambda r, ct: (ct,), symbolic_zeros=True)\nshow(f)(1.0)",
    # Integers, constants, tracers that are closed over, residuals of all sorts.
    "f = with_vjp(lambda x, n: x * n, lambda x, n: (x * n, n), lambda n, ct: (10 * ct * n, None))\n"
    "jax.grad(f)(2.0, 3), jax.grad(jax.jit(f))(2.0, 3), jax.vmap(jax.grad(f), (0, None))(X, 3)",
    "f = with_vjp(lambda x, n: x * n, lambda x, n: (x * n, n), lambda n, ct: (10 * ct * n, np.zeros((), jax.dtypes.float0)))\n"
    "jax.grad(f)(2.0, 3), jax.grad(f, (0, 1), allow_int=True)(2.0, 3)[0]",
    "f = with_vjp(lambda x: (x, 3), lambda x: ((x, 3), ()), lambda _, cts: (cts[0] * 10,))\n"
    "f(1.0), jax.grad(lambda x: f(x)[0])(1.0), jax.jit(f)(1.0), show(jax.grad(lambda x: f(x)[0]))(1.0)",
    "f = with_vjp(lambda x: x * X, lambda x: (x * X, None), lambda _, ct: ((ct * X).sum() * 10,))\n"
    "f(2.0), show(f)(2.0), jax.grad(scalar(f))(2.0), jax.grad(scalar(jax.jit(f)))(2.0), jax.vmap(jax.grad(scalar(f)))(X)",
    "def outer(w, x):\n    f = with_vjp(lambda x: x * w, lambda x: (x * w, w), lambda w, ct: (10 * ct * w,))\n    return f(x)\n"
    "show(outer)(2.0, 3.0), jax.vmap(outer)(X, X), jax.vmap(outer, (0, None))(X, 2.0), jax.jit(outer)(2.0, 3.0)",
    "def outer(w, x):\n    f = with_vjp(lambda x: x * w, lambda x: (x * w, w), lambda w, ct: (10 * ct * w,))\n    return f(x)\n"
    "jax.vmap(lambda w: jax.grad(outer, 1)(w, 2.0))(X), jax.grad(outer, 1)(2.0, 3.0),"
    " jax.jit(jax.vmap(outer))(X, X), jax.grad(lambda x: jax.vmap(lambda w: outer(w, x))(X).sum())(1.0)",
    "def outer(w, x):\n    f = with_vjp(lambda x: x * w, lambda x: (x * w, w), lambda w, ct: (10 * ct * w,))\n    return f(x)\n"
    "jax.grad(outer)(2.0, 3.0)",
    "def outer(w, x):\n    f = with_vjp(lambda x: x * w, lambda x: (x * w, w), lambda w, ct: (10 * ct * w,))\n    return f(x)\n"
    "jax.grad(jax.jit(outer))(2.0, 3.0)",
    "f = with_vjp(lambda x: x - lax.pmean(x, 'i'), lambda x: (f(x), None), lambda _, ct: (lax.psum(ct, 'i'),))\n"
    "jax.vmap(f, axis_name='i')(X), jax.vmap(jax.grad(f), axis_name='i')(X),"
    " jax.grad(lambda x: jax.vmap(f, axis_name='i')(x).sum())(X)",
    "f = with_vjp(lambda x: x * 2, lambda x: (x * 2, {'n': 3, 'x': [x, None, (x > 0,)]}), lambda r, ct: (ct * r['n'],))\n"
    "jax.grad(f)(1.0), jax.grad(jax.jit(f))(1.0), jax.vmap(jax.grad(f))(X), show(jax.grad(f))(1.0)",
    "f = with_vjp(lambda x, y: x * y, lambda x, y: (x * y, y), lambda y, ct: [10 * ct * y, None])\n"
    "jax.grad(f, (0, 1))(2.0, 3.0)",
    "f = with_vjp(lambda t: t['a'] * t['b'], lambda t: (t['a'] * t['b'], None), lambda _, ct: ({'a': ct, 'b': None},))\n"
    "jax.grad(f)({'a': 1.0, 'b': 2.0})",
    "f = with_vjp(lambda t: t['a'] * t['b'], lambda t: (t['a'] * t['b'], None), lambda _, ct: (ct,))\n"
    "jax.grad(f)({'a': 1.0, 'b': 2.0})",
    "f = with_vjp(lambda t: t[0] * t[1], lambda t: (t[0] * t[1], None), lambda _, ct: ((ct, ct, ct),))\n"
    "jax.grad(f)((1.0, 2.0))",
    "f = with_vjp(lambda x, y: x, lambda x, y: (x, None), lambda _, ct: (ct, None))\njax.grad(f)(1.0, None), f(1.0, None)",
    "f = with_vjp(lambda: 2.0, lambda: (2.0, None), lambda _, ct: ())\nf(), show(f)()",
    "f = with_vjp(lambda x: x * 2, lambda x: (x * 2, None), lambda _, ct: (jax.grad(clipped)(ct),))\n"
    "jax.grad(f)(1.0), jax.grad(lambda x: jax.grad(f)(x) * x)(1.0)",
    "f = with_vjp(lambda x: x.T, lambda x: (x.T, None), lambda _, ct: (10 * ct.T,))\n"
    "A = jnp.ones((2, 3, 4))\njax.vmap(f, 2)(A).shape, show(jax.vmap(f, 2))(A), jax.grad(scalar(jax.vmap(f, 2)))(A).shape",
    "f = jax.custom_vjp(lambda x: x * 2)\nf.defvjp(lambda x: (x * 2, None), lambda _, ct: (ct,), optimize_remat=True)\n"
    "f(1.0), jax.grad(f)(1.0)",
    "jax.custom_vjp(lambda x: x).defvjp(lambda x: x, lambda x: x, symbolic_zeros=True, optimize_remat=True)",
    # Wrong rules.
    "jax.custom_vjp(lambda x: x)(1.0)",
    "with_vjp(lambda x: x, 3, 4)(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: x, lambda _, ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None, 1), lambda _, ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: ((x, x), None), lambda _, ct: (ct,)))(1.0)",
    "jax.grad(jax.jit(with_vjp(lambda x: x, lambda x: ((x, x), None), lambda _, ct: (ct,))))(1.0)",
    "jax.grad(jax.jit(with_vjp(lambda x: x, lambda x: (x * X, None), lambda _, ct: (ct,))))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: ct))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: (ct, ct)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: ()))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: None))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: (X,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda _, ct: ('text',)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, None), lambda ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: (x, 'text'), lambda _, ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda: (1.0, None), lambda _, ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x: x, lambda x: ('text', None), lambda _, ct: (ct,)))(1.0)",
    "jax.grad(with_vjp(lambda x, y: x * y, lambda x, y: (x * y, None), lambda _, ct: (ct,)))(1.0, 2.0)",
    "with_vjp(lambda x: 'text', lambda x: (x, None), lambda _, ct: (ct,))(1.0)",
)

GRADIENTS = (
    "f = jax.custom_gradient(lambda x, y: (x * y, lambda ct: (10 * ct * y, 100 * ct * x)))\n"
    "f(2.0, 3.0), jax.grad(f, (0, 1))(2.0, 3.0), jax.vmap(jax.grad(f))(X, X), jax.grad(jax.jit(f))(2.0, 3.0)",
    "f = jax.custom_gradient(lambda x: ({'a': x, 'b': 2 * x}, lambda ct: ct['a'] * 10 + ct['b'] * x))\n"
    "f(2.0), jax.grad(lambda x: f(x)['b'])(2.0)",
    "f = jax.custom_gradient(lambda x: (x, lambda ct: (ct, ct)))\njax.grad(f)(1.0)",
    "f = jax.custom_gradient(lambda x: x)\nf(1.0)",
    "f = jax.custom_gradient(lambda x: (x ** 2, lambda ct: ct if x > 0 else -ct))\njax.grad(f)(2.0)",
    "from_derivatives.zero_from_primal(X), from_derivatives.zero_from_primal(1.0)",
    "type(from_derivatives.zero_from_primal(X, symbolic_zeros=True)).__name__",
    "from_derivatives.custom_jvp is jax.custom_jvp, from_derivatives.closure_convert is jax.closure_convert",
)

VMAPS = tuple(
    "f = jax.custom_batching.custom_vmap(lambda x, y: jnp.sin(x) * y)\n"
    "f.def_vmap(lambda n, b, x, y: (n * jnp.sin(x) * y, b[0] or b[1]))\n" + use
    for use in (
        "f(1.0, 2.0), jax.jit(f)(1.0, 2.0), jax.vmap(f)(X, X), jax.vmap(f, (0, None))(X, 2.0)",
        "show(jax.vmap(f, (None, 0)))(2.0, X), jax.vmap(jax.vmap(f, (0, None)), (None, 0))(X, X)",
        "jax.jvp(f, (1.0, 2.0), (1.0, 0.0)), jax.jvp(jax.vmap(f), (X, X), (X, X))",
        "jax.vmap(lambda x: jax.jvp(f, (x, 2.0), (x, 1.0)))(X)",
        "jax.grad(lambda x: jax.vmap(f, (0, None))(x, 2.0).sum())(X)",
        "jax.grad(f)(1.0, 2.0)",
        "jax.vmap(f, 1, 1)(M, M), jax.jit(jax.vmap(jax.jit(f)))(X, X), f(x=1.0, y=2.0)",
        "jax.vmap(f)(X, 'text')",
    )
) + (
    "f = jax.custom_batching.sequential_vmap(lambda x, t: {'a': x * t['a'], 'b': t['b']})\n"
    "t = {'a': X, 'b': X}\njax.vmap(f)(X, t), jax.vmap(f, (0, None))(X, {'a': 2.0, 'b': 3.0})",
    "f = jax.custom_batching.sequential_vmap(jnp.sin)\njax.vmap(jax.vmap(f))(M), jax.jvp(jax.vmap(f), (X,), (X,))",
    "f = jax.custom_batching.custom_vmap(lambda x: x)\nf(1.0)",
    # What the rule is told where a leaf is mapped and another isn't.
    *(
        "f, seen = jax.custom_batching.custom_vmap(lambda d, y: d['a'] * d['b'] + y), []\n"
        "@f.def_vmap\ndef rule(n, marks, d, y):\n    seen.append((n, marks, d['a'].shape, np.shape(d['b']), np.shape(y)))\n"
        "    return d['a'] * d['b'] + y, True\n" + use + ", seen"
        for use in (
            "jax.vmap(f, ({'a': 0, 'b': None}, None))({'a': X, 'b': 2.0}, 1.0)",
            "jax.vmap(f, ({'a': 0, 'b': None}, 0))({'a': X, 'b': 2.0}, X)",
            "jax.vmap(lambda x: jax.jvp(lambda a: f({'a': a, 'b': 2.0}, 1.0), (x,), (x,)))(X)",
            "jax.jvp(lambda x: jax.vmap(f, ({'a': 0, 'b': None}, None))({'a': x, 'b': 2.0}, 1.0), (X,), (X,))",
        )
    ),
    # A rule may return another dtype than the function.
    *(
        f"f = jax.custom_batching.custom_vmap(lambda x: {fun})\nf.def_vmap(lambda n, b, x: ({rule}, True))\n{use}"
        for fun, rule in (("x > 1", "x * 2"), ("x", "x.astype(int)"), ("x", "x.astype('float16')"))
        for use in (
            "jax.vmap(f)(X), f(1.0)", "show(jax.vmap(f))(X)", "jax.jit(jax.vmap(f))(X)",
            "jax.vmap(lambda x: f(x) * 2)(X)", "jax.vmap(jax.vmap(f))(M)", "jax.jvp(jax.vmap(f), (X,), (X,))",
        )
    ),
    "f = jax.custom_batching.custom_vmap(lambda x, y: x * y)\nf.def_vmap(lambda n, b, x, y: (x * y, b[0] or b[1]))\n"
    "jax.vmap(lambda x: jax.jvp(f, (x, 2.0), (x, x)))(X)",
)

# The forward rule gives ten times the function's value, so that it shows which of the two has run.
REMATS = tuple(
    "def optimized(fwd, bwd, fun=lambda x: x * 3, **options):\n"
    "    f = jax.custom_vjp(fun, **options)\n    f.defvjp(fwd, bwd, optimize_remat=True)\n    return f\n"
    "none = optimized(lambda x: (x * 30, None), lambda _, ct: (ct,))\n"
    "given = optimized(lambda x: (x * 30, x), lambda x, ct: (ct * x,))\n"
    "made = optimized(lambda x: (x * 30, x * x), lambda r, ct: (ct * r,))\n"
    "ck, both = jax.checkpoint, jax.value_and_grad\n" + use
    for use in (
        *(f"{use.format(f)}" for f in ("none", "given", "made") for use in (
            "both({0})(2.0), both(ck({0}))(2.0), jax.jit(both({0}))(2.0), both(jax.jit({0}))(2.0)",
            "both(lambda x: {0}({0}(x)))(2.0), both(ck(lambda x: {0}({0}(x))))(2.0)",
            "jax.vmap(both({0}))(X), jax.vmap(both(ck({0})))(X), both(scalar(ck(jax.vmap({0}))))(X)",
            "jax.jvp(both({0}), (2.0,), (1.0,)), jax.jvp(both(ck({0})), (2.0,), (1.0,))",
            "jax.jit(lambda x: jax.jvp(both({0}), (x,), (1.0,)))(2.0), jax.hessian({0})(2.0)",
            "jax.grad(jax.grad({0}))(2.0)",
            "jax.grad(jax.grad(ck({0})))(2.0)",
            "show(both({0}))(2.0)",
            "show(both(ck({0})))(2.0)",
            "show(lambda x: jax.jvp(jax.grad({0}), (x,), (1.0,)))(2.0)",
            "show(scalar(jax.vmap(jax.grad({0}))))(X)",
        )),
        "both(scalar(lambda x: lax.scan(lambda c, x: (c + made(x), x), 0.0, x)[0]))(X)",
        "both(ck(lambda x: lax.scan(lambda c, x: (c + given(x), x), 0.0, x)[0]))(X)",
        "both(ck(lambda x: lax.cond(x > 0, made, given, x)))(2.0), jax.jit(both(ck(lambda x: lax.cond(x > 0, given, made, x))))(2.0)",
        "show(both(ck(made, policy=jax.checkpoint_policies.everything_saveable)))(2.0)",
        "f = optimized(lambda x: (x * X * 30, X), lambda r, ct: (ct * r,), lambda x: x * X)\nshow(both(scalar(ck(f))))(X), both(scalar(ck(f)))(X)",
        "f = optimized(lambda x: (x * 30, (x, 3.0)), lambda r, ct: (ct * r[1],))\nshow(both(ck(f)))(2.0)",
        "f = optimized(lambda x, n: (x * n * 10, (n, n + 1, x * x)), lambda r, ct: (ct * r[0] * r[2], None), lambda x, n: x * n)\n"
        "both(ck(f))(2.0, 3), jax.jvp(lambda x: both(f)(x, 3), (2.0,), (1.0,))",
        "f = optimized(lambda n, x: (x * n * 10, x), lambda n, x, ct: (ct * x * n,), lambda n, x: x * n, nondiff_argnums=(0,))\n"
        "both(ck(f, static_argnums=0), 1)(3, 2.0)",
        "f = optimized(lambda x, y: ((x * y * 10, y), (y, x * x)), lambda r, cts: (cts[0] * r[0], cts[1] * r[1]), lambda x, y: (x * y, y))\n"
        "jax.vmap(lambda x: jax.vjp(ck(f), x, 2.0)[0])(X), show(jax.grad(ck(lambda x: f(x, 2.0)[0])))(1.0)",
        "def outer(w, x):\n    return ck(optimized(lambda x: (x * w * 10, (w, x)), lambda r, ct: (ct * r[0] * r[1],), lambda x: x * w))(x)\n"
        "jax.vmap(lambda w: both(outer, 1)(w, 2.0))(X), jax.jvp(lambda w: both(outer, 1)(w, 2.0), (3.0,), (1.0,)), jax.jit(both(outer, 1))(3.0, 2.0)",
        "f = optimized(lambda x: ((x - lax.pmean(x, 'i')) * 10, x), lambda r, ct: (ct * r,), lambda x: x - lax.pmean(x, 'i'))\n"
        "jax.vmap(both(ck(f)), axis_name='i')(X), jax.vmap(jax.jit(both(f)), axis_name='i')(X)",
        "both(optimized(lambda x: (x * 30, x) if x > 0 else (x, x), lambda r, ct: (ct,)))(2.0)",
        "both(optimized(lambda x: (x * 30, x), lambda r, ct: (ct,), lambda x: x * 3 if x > 0 else x))(2.0)",
        "both(ck(optimized(lambda x: (x * 30, x), lambda r, ct: (ct,), lambda x: x * 3 if x > 0 else x)))(2.0)",
        "both(optimized(lambda x: x, lambda r, ct: (ct,)))(2.0)",
        "both(optimized(lambda x: (x, 'text'), lambda r, ct: (ct,)))(2.0)",
        "jax.jvp(made, (2.0,), (1.0,))",
    )
)

CASES = [*form_cases(), *JVPS, *VJPS, *GRADIENTS, *VMAPS, *REMATS]
