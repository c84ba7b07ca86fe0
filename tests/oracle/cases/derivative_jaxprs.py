"""The jaxpr of each base primitive's derivative, in each of the ways of taking it."""

from . import elementwise, structural

SETUP = """\
def derivatives(f, *xs):
    ones = [jnp.ones_like(x) for x in xs]
    out = f(*xs)
    yield jax.make_jaxpr(lambda *xs: jax.jvp(f, xs, xs))(*xs)
    yield jax.make_jaxpr(lambda *xs: jax.vjp(f, *xs)[1](out))(*xs)
    yield jax.make_jaxpr(jax.linearize(f, *xs)[1])(*ones)
"""


def cases():
    for function, taken in elementwise.UNARY.items():
        if "float32" in taken:
            yield f"list(derivatives({function}, jnp.ones(3)))"
            yield f"jax.make_jaxpr(jax.grad({function}))(1.0)"
            yield f"jax.make_jaxpr(jax.grad(jax.grad({function})))(1.0)"
    for function in elementwise.SMOOTH_BINARY:
        yield f"list(derivatives({function}, jnp.ones(3), jnp.ones(3)))"
        yield f"list(derivatives({function}, jnp.ones(3), jnp.float32(2)))"
        yield f"list(derivatives(lambda x: {function}(x, 2.0), jnp.ones(3)))"
        yield f"list(derivatives(lambda x: {function}(2.0, x), jnp.ones(3)))"
        yield f"jax.make_jaxpr(jax.grad({function}, (0, 1)))(1.0, 2.0)"
    for inputs, function in structural.USES:
        # What JAX transposes these to (pad, split) are no base primitives.
        if "slice" in function or "concatenate([x, y" in function or "index_in" in function:
            continue
        yield f"list(derivatives({function}, *{inputs}))"


CASES = [*cases()]
