"""Takes the last of several uses of the argument, and undoes that one."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import Literal, jit_p


def odd_root(y, params):
    if params["y"] % 2 == 0:
        raise NotImplementedError("integer_pow with an even power can't be undone")
    return jnp.sign(y) * jnp.abs(y) ** (1 / params["y"])


# Of the result, the operands' values (None: the wanted one), the wanted operand's type, parameters.
rules = {
    lax.neg_p: lambda y, a, aval, params: -y,
    lax.exp_p: lambda y, a, aval, params: jnp.log(y),
    lax.log_p: lambda y, a, aval, params: jnp.exp(y),
    lax.log1p_p: lambda y, a, aval, params: jnp.expm1(y),
    lax.expm1_p: lambda y, a, aval, params: jnp.log1p(y),
    lax.tanh_p: lambda y, a, aval, params: jnp.arctanh(y),
    lax.logistic_p: lambda y, a, aval, params: jnp.log(y) - jnp.log(1 - y),
    lax.sqrt_p: lambda y, a, aval, params: y * y,
    lax.square_p: lambda y, a, aval, params: odd_root(y, {"y": 2}),
    lax.integer_pow_p: lambda y, a, aval, params: odd_root(y, params),
    lax.add_p: lambda y, a, aval, params: y - (a[1] if a[0] is None else a[0]),
    lax.mul_p: lambda y, a, aval, params: y / (a[1] if a[0] is None else a[0]),
    lax.sub_p: lambda y, a, aval, params: y + a[1] if a[0] is None else a[0] - y,
    lax.div_p: lambda y, a, aval, params: y * a[1] if a[0] is None else a[0] / y,
    lax.reshape_p: lambda y, a, aval, params: y.reshape(aval.shape),
    lax.transpose_p: lambda y, a, aval, params: jnp.transpose(
        y, tuple(int(k) for k in np.argsort(params["permutation"]))
    ),
    lax.convert_element_type_p: lambda y, a, aval, params: y.astype(aval.dtype),
}


def chain_of(jaxpr, consts):
    """The equations that lead from the argument to the result, and the values beside them."""
    values = dict(zip(jaxpr.constvars, consts, strict=True))
    (wanted,), chain = jaxpr.invars, []
    for eqn in jaxpr.eqns:
        operands = [x.val if isinstance(x, Literal) else values.get(x) for x in eqn.invars]
        uses = [x is wanted for x in eqn.invars].count(True)
        if uses == 0 and all(x is not None for x in operands):
            out = eqn.primitive.bind(*operands, **eqn.params)
            values.update(zip(eqn.outvars, out if eqn.primitive.multiple_results else [out],
                              strict=True))  # fmt: skip
            continue
        operands = [0.0 if x is None and k else x for k, x in enumerate(operands)]
        if eqn.primitive is not jit_p and eqn.primitive not in rules:
            raise NotImplementedError(f"{eqn.primitive} has no rule to undo it")
        if eqn.primitive is lax.integer_pow_p:
            odd_root(1.0, eqn.params)
        if eqn.primitive is lax.square_p:
            raise NotImplementedError("square can't be undone")
        (wanted,) = eqn.outvars
        chain.append((eqn, operands))
    if jaxpr.outvars[0] is not wanted or not chain and jaxpr.outvars[0] is not jaxpr.invars[0]:
        raise ValueError("the result does not depend on the argument")
    return chain


def undo(jaxpr, consts, y):
    for eqn, operands in reversed(chain_of(jaxpr, consts)):
        k = operands.index(None)
        if eqn.primitive is jit_p:
            y = undo_call(eqn.params["jaxpr"], operands, k, y)
        else:
            y = rules[eqn.primitive](y, operands, eqn.invars[k].aval, eqn.params)
    return y


def undo_call(closed, operands, k, y):
    """A call is a function of its k-th operand, the others being constants."""
    others = [x for j, x in enumerate(operands) if j != k]
    inner = closed.jaxpr
    jaxpr = inner.replace(
        invars=[inner.invars[k]],
        constvars=[*inner.constvars, *(v for j, v in enumerate(inner.invars) if j != k)],
    )
    return undo(jaxpr, [*closed.consts, *others], y)


def inverse(fun):
    """The function g with g(fun(x)) == x, for a chain of steps that can be undone."""

    def g(y):
        closed = jax.make_jaxpr(fun)(y)
        return undo(closed.jaxpr, closed.consts, y)

    return g
