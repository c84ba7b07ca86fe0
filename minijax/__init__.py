"""minijax: what a user calls as jax.X, they call as minijax.X."""

import minijax.core.programs  # it gives jit its rules
from minijax import core, dtypes, errors, lax, numpy, random, tree, tree_util
from minijax.api import closure_convert, hessian, jacfwd, jacrev
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import Array
from minijax.core.batching import vmap
from minijax.core.config import (
    checking_leaks,
    clear_caches,
    config,
    disable_jit,
    enable_checks,
    enable_x64,
    numpy_dtype_promotion,
    threefry_partitionable,
)
from minijax.core.forward import jvp
from minijax.core.jitting import jit
from minijax.core.linearization import linearize
from minijax.core.reverse import grad, value_and_grad, vjp
from minijax.core.staging import eval_jaxpr, eval_shape, make_jaxpr
from minijax.core.tracing import AbstractValue, ShapedArray, Trace, Tracer, named_scope, typeof
from minijax.placement import block_until_ready, default_backend, device_get, device_put, devices
from minijax.planned import missing_names

# As in JAX, `core` shows a few names itself. Its package imports none of its modules.
for _public in (AbstractValue, ShapedArray, Trace, Tracer, eval_jaxpr):
    setattr(core, _public.__name__, _public)

# A name that only JAX has so far: the error says that it is not here yet.
__getattr__ = missing_names(__name__)
for _module in (core, dtypes, errors, lax, numpy, random, tree, tree_util):
    _module.__getattr__ = missing_names(_module.__name__)

jacobian = jacrev
__version__ = "0.1.0"
