"""Calls of Python under every nesting of the transformations to depth two: how often, in which
order, and with what result; or the class of the error. Of calls without an order, which JAX makes
in any, the order is not looked at.
"""

import itertools

SETUP = """\
import contextlib
import importlib
import io
io_callback = importlib.import_module(f'{jax.__name__}.experimental').io_callback
X = jnp.array([0.5, -0.25])

def customized_jvp(f):
    g = jax.custom_jvp(f)
    g.defjvp(lambda x, t: (f(*x), t[0] * x[0]))
    return g

def customized_vjp(f):
    g = jax.custom_vjp(f)
    g.defvjp(lambda x: (f(x), x), lambda x, ct: (ct * x,))
    return g

WRAP = {
    'as it is': lambda f: f,
    'jit': jax.jit,
    'vmap': lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x + 1])).sum(0),
    'grad': lambda f: jax.grad(lambda x: f(x).sum()),
    'jvp': lambda f: lambda x: jax.jvp(f, (x,), (x,))[1],
    'vjp': lambda f: lambda x: jax.vjp(f, x)[1](x)[0],
    'linearize': lambda f: lambda x: jax.linearize(f, x)[1](x),
    'scan': lambda f: lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0],
    'while': lambda f: lambda x: lax.while_loop(
        lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1])), (0, x))[1],
    'cond': lambda f: lambda x: lax.cond(x.sum() > 0, f, lambda x: x + 1, x),
    'checkpoint': jax.checkpoint,
    'custom_jvp': customized_jvp,
    'custom_vjp': customized_vjp,
}

def noting(seen, tag):
    def note(x):
        seen.append(tag + ' ' + ' '.join(f'{float(v):.4f}' for v in np.ravel(x)))
    return note

def rooting(seen):
    def root(x):
        noting(seen, 'called')(x)
        return np.asarray(x) / 2
    return root

def debugged(seen):
    def f(x):
        y = jnp.sin(x)
        jax.debug.print('any {:.4f} {:.4f}', y[0], x[1])
        jax.debug.callback(noting(seen['any callback'], 'at'), y)
        jax.debug.callback(noting(seen['ordered callback'], 'before'), x, ordered=True)
        y = y * 2
        jax.debug.print('then {:.4f}', y[0], ordered=True)
        jax.debug.callback(noting(seen['ordered callback'], 'after'), y, ordered=True)
        return y * x
    return f

def pure(seen, stop=lambda x: x):
    return lambda x: x * jax.pure_callback(
        rooting(seen['pure']), jax.ShapeDtypeStruct(x.shape, x.dtype), stop(x),
        vmap_method='sequential')

def impure(seen, ordered, stop=lambda x: x):
    name = 'ordered io' if ordered else 'any io'

    def f(x):
        like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        y = io_callback(rooting(seen[name]), like, stop(x), ordered=ordered)
        return x * io_callback(rooting(seen[name]), like, y, ordered=ordered)
    return f

FUNCTIONS = {
    'debug': debugged,
    'pure': pure,
    'pure of a constant': lambda seen: pure(seen, lax.stop_gradient),
    'io': lambda seen: impure(seen, False),
    'io of a constant': lambda seen: impure(seen, False, lax.stop_gradient),
    'ordered io of a constant': lambda seen: impure(seen, True, lax.stop_gradient),
}

def called(f, seen):
    '''The result, and what was called; or the class of the error.'''
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            out = f(X)
            jax.effects_barrier()
    except Exception as error:
        return type(error).__name__
    lines = text.getvalue().splitlines()
    seen |= {'any print': [x for x in lines if x.startswith('any')],
             'ordered print': [x for x in lines if not x.startswith('any')]}
    return out, {name: xs if 'ordered' in name else sorted(xs) for name, xs in seen.items()}

def calls(outer, inner, *functions):
    '''What comes of each function in two transformations.'''
    found = {}
    for function in functions:
        seen = collections.defaultdict(list)
        found[function] = called(WRAP[outer](WRAP[inner](FUNCTIONS[function](seen))), seen)
    return found
"""
NAMES = (
    "as it is", "jit", "vmap", "grad", "jvp", "vjp", "linearize", "scan", "while", "cond",
    "checkpoint", "custom_jvp", "custom_vjp",
)  # fmt: skip
EVERYWHERE = ("debug", "pure of a constant", "io of a constant", "ordered io of a constant")
OF_A_VARIABLE = ("pure", "io")  # derivatives refuse these
CASES = [
    f"calls({', '.join(map(repr, (outer, inner, *EVERYWHERE)))}"
    + (f", {', '.join(map(repr, OF_A_VARIABLE))})" if "jit" in (outer, inner) else ")")
    for outer, inner in itertools.product(NAMES, NAMES)
    if outer != "as it is" or inner in ("as it is", "jit")
]
