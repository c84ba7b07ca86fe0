"""Linear functions with transposes of the user's, and ShapeDtypeStructs that lie somewhere."""

SETUP = """\
import importlib

def module(name):
    return importlib.import_module(f'{jax.__name__}.{name}')

call = module('custom_derivatives').linear_call
S = module('sharding').SingleDeviceSharding(jax.devices()[0])
F = jnp.arange(3.0)

def over(r, x):
    return call(lambda r, x: x / r, lambda r, ct: ct / r, r, x)

def marked(x):
    return call(lambda _, x: x, lambda _, ct: 7.0, (), x)

def transposed(f):
    return lambda y: jax.linear_transpose(f, 1.0)(y)[0]

def struct(shape=(2,), **kwargs):
    return jax.ShapeDtypeStruct(shape, 'float32', **kwargs)
"""
CALLS = (
    "over(3.0, 6.0), over(F + 1, F)",
    "over({'a': 2.0}['a'], jnp.ones(2))",
    "jax.make_jaxpr(lambda x: over(3.0, x))(1.0)",
    "jax.make_jaxpr(lambda r, x: jax.jit(over)(r, x))(F, F)",
    "jax.make_jaxpr(jax.grad(lambda x: over(4.0, x)))(1.0)",
    "jax.make_jaxpr(lambda x: call(lambda r, x: x * F, lambda r, ct: ct * F, (), x))(F)",
    "jax.jvp(lambda x: over(3.0, x), (1.0,), (2.0,))",
    "jax.jvp(lambda x, y: call(lambda r, xs: xs[0] + xs[1], lambda r, ct: (ct, ct), (), (x, y)),"
    " (1.0, 2.0), (1.0, 1.0))",
    "jax.grad(lambda x: over(4.0, x))(1.0)",
    "jax.grad(lambda x: call(lambda r, x: x * r, lambda r, ct: 10 * ct * r, F, x).sum())(F)",
    "jax.grad(lambda x: call(lambda r, x: (x, 2 * x), lambda r, ct: ct[0] + ct[1], (), x)[0])(1.0)",
    "jax.jvp(jax.grad(lambda x: call(lambda r, x: x * r, lambda r, ct: 10 * ct * r, F, x).sum()),"
    " (F,), (F,))",
    "f = marked\nout = []\nfor _ in range(3):\n    f = transposed(f)\n    out.append(f(1.0))\n"
    "list(map(float, out))",
    "jax.grad(lambda x: lax.scan(lambda c, y: (over(y, c), c), x, F + 1)[0])(1.0)",
    "jax.jit(jax.grad(lambda x: lax.cond(x > 0, lambda x: over(2.0, x), lambda x: x, x)))(1.0)",
    "jax.grad(jax.checkpoint(lambda x: over(2.0, jnp.sin(x))))(1.0)",
    "jax.eval_shape(lambda x: over(2.0, x), F)",
    "[raised(f) for f in (lambda: call(3, 3, (), 1.0), lambda: call(marked, marked, (), 'a'),"
    " lambda: call(lambda x: x, marked, (), 1.0), lambda: jax.grad(over)(1.0, 3.0))]",
    "[raised(lambda: jax.grad(lambda x: call(lambda r, x: x, back, (), x))(1.0)) for back in ("
    "lambda r, ct: (ct,), lambda r, ct: jnp.ones(3))]",
)
STRUCTS = (
    "struct(sharding=S), struct(sharding=S).sharding, struct().sharding, struct(sharding=None)",
    "struct(sharding=S, weak_type=True)",
    "struct(sharding=S) == struct(sharding=S), struct(sharding=S) == struct(), "
    "hash(struct(sharding=S)) == hash(struct(sharding=S))",
    "struct(sharding=S).update(shape=(3,)), struct(sharding=S).update(sharding=None), "
    "struct().update(sharding=S)",
    "type(struct()).like(struct(sharding=S)), type(struct()).like(F)",
    "jax.eval_shape(lambda x: x, struct(sharding=S))",
    "jax.jit(lambda x: x + 1).lower(struct(sharding=S)).out_info",
    "jax.make_jaxpr(lambda x: x + 1)(struct(sharding=S))",
    "jnp.zeros_like(struct(sharding=S))",
    "[raised(lambda: struct(sharding=s)) for s in (3, 'a', jax.devices()[0])]",
    "raised(lambda: struct().update(sharding=3))",
)
CASES = CALLS + STRUCTS
