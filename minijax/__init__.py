"""minijax: what a user calls as jax.X, they call as minijax.X."""

import sys

import minijax.compiler.backend  # it gives jit its compiler
import minijax.compiler.call_paths  # it makes calls of jitted functions short
import minijax.core.programs  # it gives jit its rules
from minijax import (
    ad_checkpoint,
    core,
    custom_batching,
    custom_derivatives,
    dtypes,
    errors,
    flatten_util,
    interpreters,
    lax,
    nn,
    numpy,
    random,
    scipy,
    test_util,
    tree,
    tree_util,
)
from minijax.api import (
    closure_convert,
    ensure_compile_time_eval,
    hessian,
    jacfwd,
    jacrev,
    linear_transpose,
    named_call,
)
from minijax.boundaries import guard
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import Array, ArrayConversions
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
from minijax.core.jitting import JitFunction, jit
from minijax.core.linearization import linearize
from minijax.core.pytrees import PyTreeDef
from minijax.core.reverse import grad, value_and_grad, vjp
from minijax.core.staging import eval_jaxpr, eval_shape, make_jaxpr
from minijax.core.tracing import (
    AbstractValue,
    ShapedArray,
    Trace,
    Tracer,
    TracerConversions,
    Typed,
    named_scope,
    typeof,
)
from minijax.custom_derivatives import custom_gradient, custom_jvp, custom_vjp
from minijax.lax.checkpoint import checkpoint
from minijax.lax.checkpoint_policies import checkpoint_policies
from minijax.numpy.updates import _IndexUpdateHelper, _IndexUpdateRef
from minijax.placement import block_until_ready, default_backend, device_get, device_put, devices
from minijax.planned import MissingMethod, missing_names
from minijax.random.keys import debug_key_reuse
from minijax.runtime_as_jax import install_as_jax

jacobian = jacrev
remat = checkpoint

# A name that only JAX has so far: the error says that it is not here yet.
__getattr__ = missing_names(__name__)
_faces = (
    ad_checkpoint, core, custom_batching, custom_derivatives, dtypes, errors, flatten_util, lax,
    nn, nn.initializers, numpy, random, scipy, scipy.special, test_util, tree, tree_util,
)  # fmt: skip
for _module in _faces:
    if _module is not random:  # which asks for its samplers first
        _module.__getattr__ = missing_names(_module.__name__)

# What a user calls lets out no frames of ours when it raises.
guard(
    sys.modules[__name__], *_faces, custom_jvp, custom_vjp, custom_batching.custom_vmap,
    JitFunction, ShapeDtypeStruct, type(numpy.float32), _IndexUpdateHelper, _IndexUpdateRef,
    MissingMethod,
)  # fmt: skip
# But for what each operation or call does.
guard(
    Array, ArrayConversions, Tracer, TracerConversions, Typed, type(config),
    but={"__init__", "trace_key"},
)  # fmt: skip
guard(PyTreeDef, but={"__init__", "__eq__", "__hash__"})

# As in JAX, `core` shows a few names itself. Its package imports none of its modules.
for _public in (
    AbstractValue, ShapedArray, Trace, Tracer, ensure_compile_time_eval, eval_jaxpr
):  # fmt: skip
    setattr(core, _public.__name__, _public)

__version__ = "0.1.0"
