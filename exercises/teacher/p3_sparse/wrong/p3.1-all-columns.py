"""One push for each argument, summed afterwards: nothing is saved."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import Literal, jit_p

moves = {
    lax.slice_p, lax.squeeze_p, lax.reshape_p, lax.transpose_p, lax.broadcast_in_dim_p,
    lax.concatenate_p, lax.rev_p,
}  # fmt: skip
elementwise = {
    lax.add_p, lax.sub_p, lax.mul_p, lax.div_p, lax.neg_p, lax.exp_p, lax.log_p, lax.sin_p,
    lax.cos_p, lax.tanh_p, lax.logistic_p, lax.max_p, lax.min_p, lax.integer_pow_p, lax.square_p,
    lax.sqrt_p, lax.select_n_p, lax.gt_p, lax.lt_p, lax.ge_p, lax.le_p, lax.eq_p, lax.abs_p,
    lax.sign_p, lax.convert_element_type_p, lax.stop_gradient_p,
}  # fmt: skip


def walk(jaxpr, operands, n):
    known = dict(zip(jaxpr.invars, operands, strict=True))

    def read(x):
        return known.get(x, np.zeros((*x.aval.shape, n), bool))

    for eqn in jaxpr.eqns:
        deps = [np.zeros((*x.aval.shape, n), bool) if isinstance(x, Literal) else read(x)
                for x in eqn.invars]  # fmt: skip
        known.update(zip(eqn.outvars, dependencies(eqn, deps, n), strict=True))
    return [np.zeros((*x.aval.shape, n), bool) if isinstance(x, Literal) else read(x)
            for x in jaxpr.outvars]  # fmt: skip


def dependencies(eqn, deps, n):
    if eqn.primitive is jit_p:
        return walk(eqn.params["jaxpr"].jaxpr, deps, n)
    shapes = [v.aval.shape for v in eqn.outvars]
    if eqn.primitive in elementwise:
        union = np.zeros((*shapes[0], n), bool)
        for d in deps:
            union = union | d
        return [union]
    if eqn.primitive in moves:
        params = {k: x for k, x in eqn.params.items() if k != "sharding"}
        move = jax.vmap(lambda *d: eqn.primitive.bind(*d, **params), -1, -1)
        return [np.asarray(move(*map(jnp.asarray, deps)))]
    if eqn.primitive is lax.reduce_sum_p:
        return [deps[0].any(axis=tuple(eqn.params["axes"]))]
    every = np.zeros(n, bool)
    for d in deps:
        every = every | d.reshape(-1, n).any(axis=0)
    return [np.broadcast_to(every, (*shape, n)) for shape in shapes]


def sparsity(fun, n):
    """Which results may depend on which of the n arguments: bools, (m, n)."""
    jaxpr = jax.make_jaxpr(fun)(jax.ShapeDtypeStruct((n,), jnp.float32)).jaxpr
    return np.array(walk(jaxpr, [np.eye(n, dtype=bool)], n)[0])


def colours(pattern):
    """A colour for each column; columns of one colour share no row."""
    rows_of = []  # of each colour, the rows that are taken
    found = []
    for column in np.asarray(pattern).T:
        free = (k for k, rows in enumerate(rows_of) if not np.any(rows & column))
        k = next(free, len(rows_of))
        if k == len(rows_of):
            rows_of.append(np.zeros_like(column))
        rows_of[k] = rows_of[k] | column
        found.append(k)
    return found


def compressed(fun, x, colours):
    """The sums of the Jacobian's columns of each colour: (m, number of colours)."""
    seeds = np.arange(max(colours) + 1)[:, None] == np.asarray(colours)
    push = jax.vmap(lambda v: jax.jvp(fun, (x,), (v,))[1], out_axes=1)
    return push(jnp.eye(len(x), dtype=x.dtype)) @ jnp.asarray(seeds, x.dtype).T


def sparse_jacobian(fun, x, pattern):
    """The Jacobian of fun at x, which is zero where the pattern is False: (m, n)."""
    chosen = colours(pattern)
    return jnp.where(jnp.asarray(pattern), compressed(fun, x, chosen)[:, np.array(chosen)], 0.0)
