"""Nestings of the transformations over a few functions: values, and the jaxpr that each makes."""

import itertools

SETUP = """\
C = jnp.array([0.5, -1.0, 2.0])
X = jnp.array([0.25, 1.5, -0.75])
ROWS = jnp.array([[1.0], [2.0]])
"""
# Each takes and gives one float32[3].
FUNCTIONS = (
    "lambda x: 2.0 * x + C",
    "lambda x: jnp.tanh(x) * x.sum()",
    "lambda x: jnp.where(x > 0, x * x, -x)",
    "lambda x: jax.jit(lambda y: y * jnp.sin(x))(C)",
    "lambda x: (x[:, None] * C) @ x",
    "lambda x: (jnp.cos(x), C * 3.0)[1]",
)
# Each makes a function of the same kind out of one.
TRANSFORMATIONS = {
    "jit": "lambda f: jax.jit(f)",
    "vmap": "lambda f: lambda x: jax.vmap(f)(x * ROWS).sum(0)",
    "jvp": "lambda f: lambda x: jax.jvp(f, (x,), (C,))[1]",
    "grad": "lambda f: jax.grad(lambda x: f(x).sum())",
    "vjp": "lambda f: lambda x: jax.vjp(f, x)[1](C)[0]",
    "linearize": "lambda f: lambda x: jax.linearize(f, x)[1](C)",
}


def cases():
    for function in FUNCTIONS:
        f = f"f = {function}\n"
        for name in TRANSFORMATIONS:
            yield f + f"g = {name}(f)\ng(X), jax.make_jaxpr(g)(X)"
        for outer, inner in itertools.product(TRANSFORMATIONS, repeat=2):
            yield f + f"g = {outer}({inner}(f))\ng(X), jax.make_jaxpr(g)(X)"


CASES = [*cases()]
SETUP += "".join(f"{name} = {source}\n" for name, source in TRANSFORMATIONS.items())
