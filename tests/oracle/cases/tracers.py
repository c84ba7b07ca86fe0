"""What a tracer prints as, and what it knows, under each transformation and nesting."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
seen = []

def look(x):
    kind = type(x).__name__ if isinstance(x, jax.core.Tracer) else 'no tracer'
    seen.append((kind, repr(x), str(x * 2), repr(jax.typeof(x)), x.shape, str(x.dtype)))
    return (x * x).sum()
"""
ENTERED = (
    "jax.jit(look)(F)",
    "jax.jit(look)(3)",
    "jax.jit(look)(2.5)",
    "jax.vmap(look)(M)",
    "jax.vmap(look, in_axes=1)(M)",
    "jax.vmap(look)(F)",
    "jax.grad(look)(2.0)",
    "jax.grad(look)(F)",
    "jax.jvp(look, (F,), (F,))",
    "jax.jvp(look, (2.0,), (1.0,))",
    "jax.vjp(look, F)",
    "jax.linearize(look, F)",
    "jax.make_jaxpr(look)(3)",
    "jax.make_jaxpr(look)(F)",
    "jax.eval_shape(look, F)",
    "jax.value_and_grad(look)(F)",
    "jax.jacfwd(look)(2.0)",
    "jax.jacrev(look)(2.0)",
    "jax.hessian(look)(2.0)",
    "jax.jit(jax.vmap(look))(M)",
    "jax.vmap(jax.jit(look))(M)",
    "jax.jit(jax.grad(look))(F)",
    "jax.grad(jax.jit(look))(F)",
    "jax.vmap(jax.grad(look))(F)",
    "jax.grad(lambda x: jax.vmap(look)(x).sum())(F)",
    "jax.grad(jax.grad(look))(2.0)",
    "jax.jvp(jax.grad(look), (2.0,), (1.0,))",
    "jax.grad(lambda x: jax.jvp(look, (x,), (1.0,))[1])(2.0)",
    "jax.jvp(lambda x: jax.jvp(look, (x,), (1.0,))[1], (2.0,), (1.0,))",
    "jax.vmap(jax.vmap(look))(M)",
    "jax.vmap(lambda x: jax.jvp(look, (x,), (x,)))(F)",
    "jax.jvp(jax.vmap(look), (F,), (F,))",
    "jax.jit(jax.vmap(jax.grad(look)))(F)",
    "jax.linearize(jax.vmap(look), F)",
    "jax.grad(lambda x, y: look(x) + look(y))(F, F)",
    "jax.vmap(lambda x, y: look(x) + look(y), (0, None))(F, F)",
    "with jax.disable_jit():\n    jax.jit(look)(F)",
)
FACTS = (
    "jax.jit(lambda x: x.shape[0] * x.ndim + x.size + len(x))(M)",
    "seen = []\njax.jit(lambda x: seen.append(isinstance(x, jax.Array)))(F)\nseen",
    "seen = []\njax.jit(lambda x: seen.append(isinstance(x, jax.core.Tracer)))(F)\nseen",
    "seen = []\njax.vmap(lambda x: seen.append((x.aval, x.weak_type)) or x)(F)\nrepr(seen)",
    "seen = []\njax.jit(lambda x: seen.append((x.aval, x.weak_type)) or x)(2)\nrepr(seen)",
    "seen = []\njax.jit(lambda x: seen.extend([a.shape for a in x]))(M)\nseen",
    "jax.jit(lambda x: sum(x))(F), jax.jit(lambda x: [*x][0])(M)",
    "seen = []\njax.jit(lambda x: seen.append(f'{x}'))(F)\nseen",
    "seen = []\njax.grad(lambda x: (seen.append(x > 1), x)[1] if x > 1 else -x)(2.0), repr(seen)",
    "jax.grad(lambda x: x if x > 3 else -x)(2.0), jax.jvp(lambda x: float(2.0) * x, (2.0,),"
    " (1.0,))",
    "seen = []\njax.grad(lambda x: (seen.append((bool(x), [1, 2][int(x > 1)])), x)[1])(2.0)\nseen",
    "jax.jit(lambda x: x.T.sum() + x.mean() + x.max())(M)",
)

# What a tracer carries of a caller's number or NumPy array comes out as an array, once it has been
# converted, and as it is from a function that does nothing.
CONVERTED = (
    "jnp.asarray", "jnp.array", "jnp.float32", "lambda x: jnp.array(x, copy=False)",
    "lambda x: jnp.asarray(x, 'float32')", "lambda x: jnp.astype(x, 'float32')",
    "lambda x: lax.convert_element_type(x, 'float32')", "lambda x: lax.full_like(x, x)",
    "lambda x: jnp.asarray(jnp.asarray(x))", "lambda x: jnp.array([x])",
    "lambda x: jnp.full((2,), x)", "lambda x: jax.tree.map(jnp.asarray, [x])", "lambda x: x",
)
BY = (
    "jax.jvp(f, (1.0,), (2.0,))", "jax.vjp(f, 1.0)[0]", "jax.linearize(f, 1.0)[0]",
    "jax.jvp(f, (np.float32(1),), (np.float32(2),))", "jax.vjp(f, np.ones(2, 'float32'))[0]",
    "jax.jvp(lambda x: jax.jvp(f, (x,), (2.0,)), (1.0,), (3.0,))", "jax.jit(f)(1.0)", "f(1.0)",
    "jax.vmap(f)(jnp.ones(2))", "jax.vmap(lambda _, x: f(x), (0, None))(F, 1.0)",
)
WRITTEN = (
    "jax.make_jaxpr(lambda x: jax.jvp(f, (x,), (2.0,)))(1.0)", "jax.make_jaxpr(jax.grad("
    "lambda x: jnp.sum(jax.tree.leaves(f(x))[0])))(1.0)",
)


def is_array(fun, use):
    return f"f = {fun}\n[isinstance(x, jax.Array) or str(x) for x in jax.tree.leaves({use})]"


CONVERSIONS = [is_array(fun, use) for fun in CONVERTED for use in (*BY, *WRITTEN)]
CONVERSIONS += [is_array("jax.device_put", use) for use in BY if "vmap" not in use]
CASES = [*CONVERSIONS, *(f"{entered}\nseen" for entered in ENTERED), *FACTS]
