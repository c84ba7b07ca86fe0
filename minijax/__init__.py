"""minijax: what a user calls as jax.X, they call as minijax.X."""

from minijax import core, dtypes, errors, lax, numpy, tree, tree_util
from minijax.api import closure_convert, hessian, jacfwd, jacrev
from minijax.core.arrays import Array, Device, config, devices, enable_x64, numpy_dtype_promotion
from minijax.core.batching import vmap
from minijax.core.forward import jvp
from minijax.core.jitting import disable_jit, jit
from minijax.core.linearization import linearize
from minijax.core.reverse import grad, value_and_grad, vjp
from minijax.core.staging import ShapeDtypeStruct, eval_shape, make_jaxpr
from minijax.core.tracing import typeof
from minijax.placement import block_until_ready, default_backend, device_get, device_put

jacobian = jacrev
__version__ = "0.1.0"
