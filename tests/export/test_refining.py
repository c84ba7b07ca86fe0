"""Programs with symbolic dimensions, written and read: at all sizes they compute the same."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from export import symbolic_programs
from export.tracing_programs import function, structs
from minijax import export
from minijax.core.staging import jaxpr_as_fun
from minijax.export.dimensions import symbolic_shape
from minijax.export.refining import refined


def arguments(in_avals, sizes):
    draw = np.random.default_rng(0)
    for aval in in_avals:
        shape = [n if isinstance(n, int) else eval(str(n), {}, sizes) for n in aval.shape]
        if aval.dtype == np.int32:
            yield jnp.array(draw.integers(-2, 2, shape), "int32")
        else:
            yield jnp.array(draw.uniform(-1, 1, shape), aval.dtype)


@pytest.mark.parametrize("kind", symbolic_programs.PROGRAMS)
def test_exported_programs_compute_what_functions_do(kind):
    for specs, text in symbolic_programs.PROGRAMS[kind]:
        fun, args = function("minijax", text), structs("minijax", symbolic_shape, specs)
        written = export.export(jax.jit(fun))(*args).serialize()
        closed = export.deserialize(written).jaxpr
        for sizes in symbolic_programs.SIZES:
            values = list(arguments(closed.in_avals, sizes))
            program = refined(closed, [x.aval for x in values])
            got = jaxpr_as_fun(program)(*values)
            want = jax.tree.leaves(fun(*values))
            for x, y in zip(got, want, strict=True):
                np.testing.assert_allclose(x, y, 1e-5, 1e-6, err_msg=f"{text} at {sizes}")
