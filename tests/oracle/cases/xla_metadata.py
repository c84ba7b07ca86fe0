"""What XLA is told of operations: in a program's text, and under transformations."""

SETUP = """\
import importlib
tell = importlib.import_module(f'{jax.__name__}.experimental.xla_metadata').set_xla_metadata
F = jnp.arange(3.0)

def told(f, *args):
    '''The operations of which something is told, and what.'''
    lines = (f if hasattr(f, 'lower') else jax.jit(f)).lower(*args).as_text().splitlines()
    found = [re.search(r'= "?(?:func[.])?([a-z][a-z_.]*).*frontend_attributes = ({[^}]*})', line)
             for line in lines]
    return sorted(each.groups() for each in found if each)

def block(f, **names):
    def inside(*args):
        with tell(**names or {'a': 1}):
            return f(*args)
    return inside

inner = jax.jit(lambda x: lax.sin(x) * 2)
square = lambda x: lax.sin(x) * x
value = lambda x: tell(lax.sin(x) * x, a=1)
"""

CASES = [
    "told(block(square), F), told(value, F)",
    "told(lambda x: tell(x, a=1) * 2, F), told(lambda x: x * tell(2.0, a=1), F)",
    "told(lambda x: tell({'p': x * 2, 'q': (lax.cos(x), None)}, a=1, b='c'), F)",
    "told(block(lambda x: tell(lax.sin(x), b=2, a=3)), F)",
    "[told(block(block(lax.sin, **names), a=1), F) for names in ({'b': 2}, {'a': 2}, "
    "{'a': None}, {'a': None, 'b': True})]",
    "told(block(lax.sin, a=True, b=1.5, c='x y', d=None), F), told(block(lax.sin, a=None), F)",
    "told(block(lax.sin, **{'a b': 3}), F)",
    "told(block(lambda x: inner(x) + 1), F), told(lambda x: block(inner)(x) + inner(x), F)",
    "told(lambda x: lax.scan(lambda c, y: (c * y, block(lax.sin)(c)), 1.0, x), F)",
    "told(block(lambda x: lax.while_loop(lambda v: v < 3.0, lambda v: v * 2, x)), 1.0)",
    "told(block(lambda x: lax.cond(x > 0, lax.sin, lax.cos, x)), 1.0)",
    "[told(block(f), F) for f in (jnp.sum, lambda x: x @ x, jax.nn.relu)]",
    "[told(jax.grad(f), 1.0) for f in (block(square), value, jax.checkpoint(block(square)))]",
    "[told(jax.vmap(f), F) for f in (block(square), value)]",
    "[told(lambda x: jax.jvp(f, (x,), (x,)), F) for f in (block(square), value)]",
    "told(lambda x: jax.linearize(block(lax.sin), x)[1](x), F)",
    "told(tell(a=1)(jax.jit(square)), F), told(tell(a=1)(inner), F), told(inner, F)",
    "block(lambda: told(square, F))(), told(square, F), tell(a=1)(inner).__name__",
    "tell(F, a=1), tell({'x': 2}, a=1), tell(a=1)(inner)(F), block(square)(F), tell(F)",
    "[show(f, F) for f in (value, block(square))], show(jax.grad(lambda x: value(x)), 1.0)",
    "raised(tell, 'text', a=1), raised(told, lambda x: tell(x, a=[1]), F)",
    "raised(told, block(lax.sin, a=[1]), F), raised(lambda: tell(a=1)(3)(2))",
]
