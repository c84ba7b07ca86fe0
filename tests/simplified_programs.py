"""Simplified programs, checked: their types, their bits, and that nothing is left to simplify."""

import numpy as np

import minijax as jax
from minijax.compiler.passes.simplify import simplify
from minijax.core.extend import as_array, check_jaxpr, eval_jaxpr, jaxprs_in_params

FLOATS = ("float32", "float64", "bfloat16", "float16")
ODD = [0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, 0.1]


def values(dtype):
    with np.errstate(all="ignore"):
        return np.array(ODD).astype(dtype) if dtype in FLOATS else np.arange(-5, 5).astype(dtype)


def bits(x):
    """What no two different numbers share; all NaN are one."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        return x.shape, x.dtype, x.tobytes()
    return x.shape, x.dtype, np.where(np.isnan(x), np.nan, x).astype(x.dtype).tobytes()


def primitives(jaxpr):
    """The names of a program's primitives, those inside of others too."""
    names = []
    for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        names.append(eqn.primitive.name)
        for inner in jaxprs_in_params(eqn.params):
            names += primitives(inner)
    return names


def inner_programs(jaxpr):
    """All the programs inside of a program."""
    inner = [x for eqn in jaxpr.eqns for x in jaxprs_in_params(eqn.params)]
    return inner + [y for x in inner for y in inner_programs(x)]


def run(closed, *args):
    return eval_jaxpr(closed.jaxpr, closed.consts, *map(as_array, jax.tree.leaves(args)))


def simplified(f, *args):
    """The simplified program of f, which types, and computes the same bits at these arguments."""
    closed = jax.make_jaxpr(f)(*args)
    smaller = simplify(closed)
    check_jaxpr(smaller)
    assert str(simplify(smaller)) == str(smaller)  # nothing is left to do
    assert smaller.out_avals == closed.out_avals and smaller.in_avals == closed.in_avals
    for x, y in zip(run(smaller, *args), run(closed, *args), strict=True):
        assert bits(x) == bits(y)
    return smaller
