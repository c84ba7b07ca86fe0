"""Derivatives of holomorphic functions: a complex gradient, and what is refused."""

SETUP = """\
C = jnp.array([1 + 2j, -0.5j])
h = {'holomorphic': True}

def product(p):
    return p['a'] * p['b']
"""

CASES = """
jax.grad(jnp.sin, **h)(3 + 4j)
jax.grad(jnp.conj, **h)(3 + 4j)
jax.value_and_grad(lambda z: jnp.sum(z * z), **h)(C)
jax.value_and_grad(lambda z: (jnp.sum(z * z), z), has_aux=True, **h)(C)
jax.grad(jax.grad(jnp.sin, **h), **h)(3 + 4j)
jax.vmap(jax.grad(jnp.sin, **h))(C)
jax.jit(jax.grad(jnp.sin, **h))(1j)
jax.grad(product, **h)({'a': 1j, 'b': 2j})
jax.jacfwd(jnp.sin, **h)(C)
jax.jacrev(jnp.sin, **h)(C)
jax.jacrev(lambda x, z: x * z, 1, **h)(2.0, C)
jax.hessian(lambda z: jnp.sum(z**3), **h)(C)
jax.make_jaxpr(jax.grad(jnp.sin, **h))(3 + 4j)
jax.grad(jnp.sin, **h)(3.0)
jax.grad(jnp.sin, **h)(3)
jax.grad(jnp.sin, allow_int=True, **h)(3)
jax.grad(jnp.abs, **h)(3 + 4j)
jax.grad(lambda z: z.real, **h)(3 + 4j)
jax.grad(jnp.sin, **h)(C)
jax.grad(product, **h)({'a': 1j, 'b': 2})
jax.jacfwd(jnp.sin, **h)(3.0)
jax.jacrev(jnp.sin, **h)(3.0)
jax.jacfwd(jnp.abs, **h)(C)
jax.jacrev(jnp.abs, **h)(C)
jax.grad(jnp.sin)(3 + 4j)
jax.jacfwd(jnp.sin)(3 + 4j)
jax.jacrev(jnp.sin)(3 + 4j)
""".strip().splitlines()
