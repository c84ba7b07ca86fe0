"""How the programs of `symbolic_programs` are read and traced, here and in JAX."""

import functools

from export import symbolic_programs
from oracle import facts


@functools.cache
def names_of(package):
    names = facts.namespace(package)
    exec(symbolic_programs.SETUP, names)
    return names


def function(package, text):
    return eval(text, names_of(package))


def structs(package, symbolic_shape, specs):
    """ShapeDtypeStructs with the shapes, all of one scope, and dtypes of `specs`."""
    texts = [spec.strip().partition(":") for spec in specs.split(";")]
    everything = ", ".join(shape for shape, _, _ in texts)
    dims, struct = symbolic_shape(everything), names_of(package)["jax"].ShapeDtypeStruct
    out = []
    for shape, _, dtype in texts:
        ndim = len(shape.split(","))
        out.append(struct(dims[:ndim], dtype or "float32"))
        dims = dims[ndim:]
    return out


def result_shapes(package, symbolic_shape, specs, text):
    """The types of the results, as text; the class of the error, where there is one."""
    jax = names_of(package)["jax"]
    try:
        out = jax.eval_shape(function(package, text), *structs(package, symbolic_shape, specs))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return [f"{x.dtype}{tuple(x.shape)}" for x in jax.tree.leaves(out)]
