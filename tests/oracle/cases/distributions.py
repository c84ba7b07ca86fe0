"""Distributions under SciPy's names: values, derivatives, programs."""

SETUP = """\
import importlib

norm = importlib.import_module(jax.__name__ + ".scipy.stats.norm")
F = jnp.array([-9.0, -3.0, -0.3, 0.0, 0.3, 3.0, 9.0])
"""

FUNCTIONS = ("norm.logpdf", "norm.pdf", "norm.cdf", "norm.sf")


def cases():
    for function in FUNCTIONS:
        yield f"{function}(F)"
        yield f"{function}(jnp.arange(3), jnp.float32(1), 2.0), {function}(0.5)"
        yield f"{function}(np.ones(2))"
        yield f"{function}(F, jnp.ones((2, 1)), 3.0)"
        yield f"{function}(F, scale=0.0), {function}(jnp.nan), {function}(jnp.inf)"
        if function in ("norm.logpdf", "norm.pdf"):
            yield f"{function}(F.astype('bfloat16')), {function}(F.astype('float16'), 1)"
        yield f"jax.vmap(jax.grad({function}, (0, 1, 2)), (0, None, None))(F / 3, 0.5, 2.0)"
        yield f"jax.vmap({function}, (0, None))(F, 1.0), jax.grad(jax.grad({function}))(0.5)"
        yield f"jax.make_jaxpr({function})(F)"
        yield f"jax.make_jaxpr({function})(F, 0.0, 2.0)"
        yield f"{function}('text')"
        yield f"{function}(None)"


CASES = [*cases()]
