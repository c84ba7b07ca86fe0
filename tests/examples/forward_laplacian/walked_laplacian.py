"""The Laplacian in one forward pass, with JAX's public names alone, on JAX and on minijax.

A walk through the program of a function. Each variable has a triple: a value, its derivatives along
all directions, and its Laplacian; of a constant, the value and twice None. All equations go through
their JVP. On minijax: `python -m minijax walked_laplacian.py`.
"""

import jax
import jax.numpy as jnp


def walked_laplacian(fun):
    """The Laplacian of a function of an array whose result is an array of floats."""

    def laplacian_fun(x):
        start = (x, jnp.eye(x.size).reshape(-1, *x.shape), jnp.zeros_like(x))
        [(value, _, laplacian)] = walk(jax.make_jaxpr(fun)(x), [start])
        return jnp.zeros_like(value) if laplacian is None else laplacian

    return laplacian_fun


def walk(closed, triples):
    """The results of a program that is given triples. Programs inside are walked too."""
    constants = [(value, None, None) for value in closed.consts]
    variables = [*closed.jaxpr.constvars, *closed.jaxpr.invars]
    env = dict(zip(variables, [*constants, *triples], strict=True))

    def triple_of(atom):
        return (atom.val, None, None) if hasattr(atom, "val") else env[atom]

    for eqn in closed.jaxpr.eqns:
        operands = list(map(triple_of, eqn.invars))
        if eqn.primitive.name in ("jit", "custom_jvp_call"):
            out = walk(eqn.params.get("jaxpr") or eqn.params["call_jaxpr"], operands)
        else:
            out = one_equation(eqn, operands)
        env.update(zip(eqn.outvars, out, strict=True))
    return list(map(triple_of, closed.jaxpr.outvars))


def one_equation(eqn, operands):
    """An equation's results, as triples."""
    moving = [k for k, (_, tangents, _) in enumerate(operands) if tangents is not None]
    values = [value for value, _, _ in operands]
    xs, stacks, laplacians = (tuple(operands[k][part] for k in moving) for part in range(3))

    def results(*xs):
        args = list(values)
        for k, x in zip(moving, xs, strict=True):
            args[k] = x
        out = eqn.primitive.bind(*args, **eqn.params)
        return out if eqn.primitive.multiple_results else [out]

    def derivative(xs, along):  # of the results that are floats: others have none
        return [t for t in jax.jvp(results, xs, along)[1] if t.dtype != jax.dtypes.float0]

    def slope_and_bend(*along):
        return jax.jvp(lambda *xs: derivative(xs, along), xs, along)

    out = results(*xs)
    if not moving:
        return [(x, None, None) for x in out]
    tangents, bends = jax.vmap(slope_and_bend)(*stacks)
    drifts = derivative(xs, laplacians)
    sums = [drift + bend.sum(0) for drift, bend in zip(drifts, bends, strict=True)]
    found = iter(zip(tangents, sums, strict=True))
    floats = [jnp.issubdtype(x.dtype, jnp.floating) for x in out]
    return [(x, *next(found)) if is_float else (x, None, None)
            for x, is_float in zip(out, floats, strict=True)]  # fmt: skip


if __name__ == "__main__":
    at = jnp.linspace(-1, 1, 4)
    for name, fun in {"norm": jnp.linalg.norm, "softmax": lambda x: jax.nn.softmax(x)[0]}.items():
        pair = walked_laplacian(fun)(at), jnp.trace(jax.hessian(fun)(at))
        print(f"{name}: {pair[0]:.4f}, by the Hessian {pair[1]:.4f}")
