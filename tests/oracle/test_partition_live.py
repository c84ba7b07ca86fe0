"""Programs of sharded arrays beside JAX: the values, and how the compiler of each cuts results."""

import jax
import numpy as np
import pytest

import minijax
import minijax.numpy
from lax.sharding.partition_programs import PROGRAMS
from lax.sharding.partition_runs import array, function, shown
from minijax import lax
from minijax.lax.sharding.partitioned_calls import cut_of, spec_of


def mesh_of(package):
    automatic = (package.sharding.AxisType.Auto,) * 2
    return package.make_mesh((4, 2), ("x", "y"), axis_types=automatic)


def results(package, numpy, primitives, text, operands):
    """The values, and how each lies: an array that the program does not cut may be anywhere."""
    sharding, mesh = package.sharding, mesh_of(package)
    args = []
    for operand in operands.split():
        values, cut = array(operand)
        spec = sharding.PartitionSpec(*spec_of(cut))
        args.append(package.device_put(values, sharding.NamedSharding(mesh, spec)))
    out = package.tree.leaves(package.jit(function(text, package, numpy, primitives))(*args))
    specs = [getattr(x.sharding, "spec", ()) for x in out]
    cuts = [cut_of(minijax.P(*spec), x.ndim) for x, spec in zip(out, specs, strict=True)]
    return list(map(np.asarray, out)), "; ".join(map(shown, cuts))


@pytest.mark.parametrize("first", range(2))
def test_programs_beside_jax(first):
    different = {}
    for text, operands, recorded in PROGRAMS[first::4]:
        mine, how = results(minijax, minijax.numpy, lax, text, operands)
        theirs, theirs_how = results(jax, jax.numpy, jax.lax, text, operands)
        for x, y in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(x, y, rtol=3e-4, atol=3e-5, err_msg=text)
        if not how == theirs_how == recorded:
            different[text, operands] = how, theirs_how, recorded
    assert different == {}


# Types on a mesh with Explicit axes. JAX refuses many of these programs, and says of a few more
# than is said here: of axes that a reshape joins, and of cotangents and batches.
SAYS_MORE = ("reshape", "ravel", "jax.grad", "jax.vmap(jax.grad")


def types(package, numpy, primitives, text, operands):
    sharding, mesh = package.sharding, package.make_mesh((4, 2), ("x", "y"))
    args = []
    for operand in operands.split():
        values, cut = array(operand)
        spec = sharding.PartitionSpec(*spec_of(cut))
        args.append(package.device_put(values, sharding.NamedSharding(mesh, spec)))
    with package.set_mesh(mesh):
        closed = package.make_jaxpr(function(text, package, numpy, primitives))(*args)
    return list(map(str, closed.out_avals))


def test_types_beside_jax():
    same, different = 0, {}
    for text, operands, _ in PROGRAMS[::2]:
        try:
            theirs = types(jax, jax.numpy, jax.lax, text, operands)
        except Exception:
            continue
        mine = types(minijax, minijax.numpy, lax, text, operands)
        same += mine == theirs
        if mine != theirs and not any(word in text for word in SAYS_MORE):
            different[text, operands] = mine, theirs
    assert different == {} and same > 40
