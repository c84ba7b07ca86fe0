"""Functions in Python that programs call: to show values, and to compute some."""

SETUP = """\
import contextlib
import io
import re
import importlib
io_callback = importlib.import_module(f'{jax.__name__}.experimental').io_callback
F = jnp.array([1.5, -2.0, 3.0])
KEY = random.key(7)
SHAPE = jax.ShapeDtypeStruct
NUMBER = SHAPE((), 'float32')

def shown(f, *args):
    '''What a call returns, and what it prints.'''
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        out = f(*args)
        jax.effects_barrier()
    return out, text.getvalue()

def show(x, *rest, **named):
    jax.debug.print('{} ' * (1 + len(rest)), x, *rest, ordered=True, **named)
    return x

def square(x):
    return show(x) ** 2

def program(f, *args):
    return re.sub(r' at 0x\\w+', '', str(jax.make_jaxpr(f)(*args)))

def stopped(commands, wrap=jax.jit, **how):
    '''What the prompt of a breakpoint answers, in a function that another one calls.'''
    out = io.StringIO()
    def inner(w):
        v = w + 1
        jax.debug.breakpoint(
            stdin=io.StringIO('\\n'.join([*commands, 'c'] * 4)), stdout=out, num_frames=2, **how)
        return v
    def outer(x):
        y = {'a': x * 2, 'b': 'text'}
        return inner(y['a'])
    wrap(outer)(F[0])
    jax.effects_barrier()
    return out.getvalue()

def effects(f):
    return sorted(map(str, jax.make_jaxpr(f)(F).effects))

def halved(x, method=None):
    return jax.pure_callback(lambda x: np.asarray(x) / 2, SHAPE(np.shape(x), 'float32'), x,
                             vmap_method=method)

def added(x, y, method=None):
    return jax.pure_callback(lambda x, y: np.asarray(x) + np.asarray(y), NUMBER, x, y,
                             vmap_method=method)
"""

PRINTS = [
    "shown(square, 1.5), shown(jax.jit(square), F), shown(jax.vmap(square), F)",
    "shown(jax.grad(square), 2.0), shown(jax.jvp, square, (2.0,), (1.0,)), "
    "shown(jax.value_and_grad(jax.jit(square)), 3.0)",
    "shown(jax.vmap(jax.grad(jax.jit(square))), F), shown(jax.jit(jax.vmap(square)), F)",
    "shown(jax.linearize, square, 2.0)[1], shown(jax.hessian(square), 3.0)",
    "shown(lambda: lax.scan(lambda c, x: (show(c + x, 'step'), x), 0.0, F))",
    "shown(jax.grad(lambda a: lax.scan(lambda c, x: (show(c) * x, None), a, F)[0]), 1.0)",
    "shown(lambda: lax.fori_loop(0, 3, lambda i, x: show(x) * 2, 1))",
    "shown(lambda: lax.while_loop(lambda x: show(x) < 4, lambda x: x + 2, 0))",
    "shown(jax.jit(lambda p, x: lax.cond(p, square, jnp.sin, x)), True, 2.0)",
    "shown(jax.jit(lambda p, x: lax.cond(p, square, jnp.sin, x)), False, 0.0)",
    "f = lambda p, x: lax.cond(p, square, lambda x: -show(x, 'no'), x)\n"
    "shown(jax.vmap(f), F > 0, F)[0]",
    "shown(jax.grad(jax.checkpoint(lambda x: jnp.sin(square(x)))), 2.0)",
    "f = jax.checkpoint(square, policy=jax.checkpoint_policies.everything_saveable)\n"
    "shown(jax.value_and_grad(jax.jit(f)), 2.0)[0]",
    "f = jax.custom_jvp(square)\nf.defjvp(lambda p, t: (f(*p), show(t[0], 'tangent')))\n"
    "shown(jax.jit(f), 2.0), shown(jax.grad(lambda x: f(x) * 1.0), 2.0)[0]",
    "f = jax.custom_vjp(square)\nf.defvjp(lambda x: (f(x), x), lambda x, ct: (show(ct * x),))\n"
    "shown(jax.grad(f), 2.0), shown(jax.jit(f), 2.0)",
    "shown(jax.jit(lambda x: show(x, random.key_data(KEY))), F[1])",
    "shown(lambda: jax.debug.print('{x[b]} {y}', x={'0': 1, 'b': F}, y=(F, 1j)))",
    "shown(lambda: jax.debug.print('{x:.2f}|{:>6}|{}', 3, 'text', x=0.129)), "
    "shown(lambda: jax.debug.print('plain')), shown(lambda: jax.debug.print('{{}} {}', 2))",
    "shown(lambda: jax.debug.print(ordered=True)('{} {y}', 1, y=KEY))",
    "with jnp.printoptions(precision=2):\n    f = jax.jit(lambda x: show(x / 3))\n"
    "    y = shown(f, F)\ny[1]",
    "program(lambda x: show(x, 'text', 2), F), program(jax.vmap(square), F[:2])",
    "program(jax.grad(square), 2.0), program(jax.jit(square), 2.0)",
]

CALLS = [
    "seen = []\njax.debug.callback(seen.append, F)\n"
    "jax.debug.callback(lambda *a, **k: seen.append((a, k)), 1, 'x', None, a={'b': True})\nseen",
    "seen = []\nf = jax.jit(lambda x: (jax.debug.callback(ordered=True)(seen.append, x), 2 * x)[1])"
    "\nf(F), jax.vmap(f)(F), jax.grad(f)(F[1]), seen",
    "halved(F), jax.jit(halved)(F), jax.pure_callback(lambda: 1.5, NUMBER)",
    "jax.pure_callback(lambda x, y=0: {'a': x, 'b': (y, 2)}, {'a': F, 'b': (NUMBER, "
    "SHAPE((), 'int32'))}, F, y=0.5)",
    "[jax.vmap(lambda x: halved(x, m))(F) for m in ('sequential', 'sequential_unrolled', "
    "'expand_dims', 'broadcast_all', 'legacy_vectorized')]",
    "[jax.vmap(lambda x, y: added(x, y, m), (0, None))(F, 2.0) for m in ('sequential', "
    "'sequential_unrolled', 'expand_dims', 'broadcast_all', 'legacy_vectorized')]",
    "[jax.vmap(jax.vmap(lambda x, y: added(x, y, m), (None, 0)), (0, None))(F, F[:2]) for m in "
    "('sequential', 'expand_dims', 'broadcast_all')]",
    "lax.scan(lambda c, x: (c + halved(x), halved(c)), 0.0, F), "
    "jax.grad(lambda x: x * halved(lax.stop_gradient(x)))(3.0)",
    "seen = []\nf = lambda x: io_callback(lambda x: (seen.append(x), np.sqrt(x))[1], NUMBER, x)\n"
    "f(4.0), jax.jit(lambda x: (f(x), x)[1])(9.0), lax.map(f, F ** 2), seen",
    "f = lambda x: io_callback(lambda x: np.abs(x), NUMBER, x)\njax.vmap(f)(F)",
    "io_callback(lambda x: None, None, F), jax.grad(lambda x: (io_callback(lambda: None, None), "
    "x * x)[1])(3.0)",
    "halved(F, None).sharding == F.sharding, jax.pure_callback(np.sin, NUMBER, 0.0, "
    "sharding=F.sharding)",
    *(f"re.sub('<lambda>', 'f', program({f}))" for f in (
        "halved, F", "jax.vmap(lambda x: halved(x, 'sequential')), F",
        "jax.vmap(lambda x, y: added(x, y, 'expand_dims'), (0, None)), F, 1.0",
        "lambda x: io_callback(np.shape, None, x, ordered=True), F",
    )),
    "SHAPE.like(F), SHAPE.like(2.0), SHAPE.like(KEY), SHAPE.like(np.ones((2, 3), 'int8')), "
    "SHAPE.like(SHAPE((1,), 'bool'))",
]  # fmt: skip

STOPS = [
    "stopped(['p v', 'u', 'p y', 'y[\\'a\\'] + 1', 'bt', 'd', 'd', 'u', 'u', 'l'])",
    "stopped(['pp {\\'v\\': (v, w)}', '', 'p nothing', 'p 1 +', 'v.shape', 'w'], lambda f: f)",
    "stopped(['float(v)'], lambda f: lambda x: jax.vmap(f)(jnp.stack([x, 2 * x])), ordered=True)",
    "stopped(['float(v)'], jax.grad), stopped(['float(v)'], jax.checkpoint, backend='cli')",
    "stopped(['float(v)'], lambda f: lambda x: lax.map(f, F))",
    "shown(lambda: jax.debug.print('{}', F, partitioned=True)), "
    "program(lambda x: jax.debug.print('{}', x, partitioned=True), F)",
    "effects(show), effects(lambda x: jax.debug.print('{}', x)), "
    "effects(lambda x: lax.map(lambda x: io_callback(np.sin, NUMBER, x), x)), "
    "effects(jax.jit(lambda x: io_callback(np.sin, x, x, ordered=True))), effects(halved)",
    "seen = []\nf = jax.jit(lambda x: jax.debug.callback(lambda *xs: seen.append(xs), x, 2, 3.0))\n"
    "f(1.0)\njax.effects_barrier()\nseen",
]  # fmt: skip

CASES = PRINTS + CALLS + STOPS
