"""minijax: what a user calls as jax.X, they call as minijax.X."""

import sys

import minijax.compiler.engine_room  # jit gets its compiler, and all its faster ways
import minijax.core.programs  # it gives jit its rules
import minijax.face.advice  # it adds to errors what to write instead
import minijax.face.cache_misses  # it says why a function is traced, if asked to
import minijax.face.donations  # it says which deleted arguments are refused, and how
import minijax.face.options  # it reads what the environment says
from minijax import core, errors, lax, numpy, tree_util
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import Array, ArrayConversions
from minijax.core.batching import vmap
from minijax.core.config import clear_caches, config, disable_jit
from minijax.core.forward import jvp
from minijax.core.jitting import JitFunction, Traced, jit
from minijax.core.linearization import VJP, linearize
from minijax.core.pytrees import PyTreeDef
from minijax.core.reverse import grad, value_and_grad, vjp
from minijax.core.staging import eval_jaxpr, eval_shape, make_jaxpr
from minijax.core.tracing import (
    AbstractValue,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    TracerConversions,
    Typed,
    named_scope,
    typeof,
)
from minijax.face.boundaries import guard
from minijax.face.lazily import lazy_names, put_lazily
from minijax.face.option_contexts import (
    checking_leaks,
    enable_checks,
    enable_x64,
    numpy_dtype_promotion,
    threefry_partitionable,
)
from minijax.face.planned import MissingMethod
from minijax.lax.custom.derivatives import custom_jvp, custom_vjp
from minijax.lax.sharding.current_mesh import set_mesh
from minijax.lax.sharding.meshes import make_mesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.shardings import NamedSharding
from minijax.placement import (
    Device,
    block_until_ready,
    default_backend,
    device_count,
    device_get,
    device_put,
    devices,
    effects_barrier,
    live_arrays,
    local_device_count,
    local_devices,
    process_count,
    process_index,
    process_indices,
)

# What is not needed to begin with is imported when it is asked for.
__getattr__, __dir__, _shown = lazy_names(__name__, {
    "minijax.ad": "",
    "minijax.ad_checkpoint": "remat",
    "minijax.api": """
        closure_convert ensure_compile_time_eval fwd_and_bwd hessian jacfwd jacobian jacrev
        linear_transpose named_call""",
    "minijax.api_util": "",
    "minijax.custom_batching": "",
    "minijax.custom_derivatives": "custom_gradient",
    "minijax.debug": "",
    "minijax.distributed": "",
    "minijax.dlpack": "",
    "minijax.dtypes": "",
    "minijax.environment": "print_environment_info",
    "minijax.experimental": "",
    "minijax.export": "",
    "minijax.face.option_contexts": """
        allow_f16_reductions array_garbage_collection_guard auto_pcast check_tracer_leaks debug_infs
        debug_nans default_matmul_precision default_prng_impl enable_custom_prng
        explain_cache_misses jax2tf_associative_scan_reductions legacy_prng_key log_compiles
        no_execution no_tracing numpy_rank_promotion remove_size_one_mesh_axis_from_type
        softmax_custom_jvp thread_guard transfer_guard transfer_guard_device_to_device
        transfer_guard_device_to_host transfer_guard_host_to_device""",
    "minijax.face.runtime_as_jax": "install_as_jax",
    "minijax.flatten_util": "",
    "minijax.image": "",
    "minijax.interpreters": "",
    "minijax.lax.custom.checkpoint": "checkpoint",
    "minijax.lax.custom.checkpoint_policies": "checkpoint_policies",
    "minijax.lax.outside.callbacks": "pure_callback",
    "minijax.lax.references.operations": "empty_ref free_ref freeze new_ref",
    "minijax.lax.references.types": "Ref",
    "minijax.lax.sharding.assembling": """
        make_array_from_callback make_array_from_process_local_data
        make_array_from_single_device_arrays""",
    "minijax.lax.sharding.default_device": "default_device",
    "minijax.lax.sharding.resharding": "reshard",
    "minijax.lax.sharding.sharded_arrays": "Shard",
    "minijax.monitoring": "",
    "minijax.nn": "",
    "minijax.lax.indexing.sized_slices": "ds",
    "minijax.ops": "",
    "minijax.lax.sharding.mapped_devices": "pmap smap",
    "minijax.lax.sharding.shard_map_calls": "shard_map",
    "minijax.profiler": "",
    "minijax.random": "",
    "minijax.random.key_reuse": "debug_key_reuse",
    "minijax.ref": "",
    "minijax.scipy": "",
    "minijax.sharding": "",
    "minijax.stages": "explain",
    "minijax.test_util": "",
    "minijax.tree": "",
    "minijax.typing": "",
    "minijax.watching.watched": "watch",
})  # fmt: skip

# So do the stages of a jitted function, which give its classes methods.
put_lazily(JitFunction, "lower", "minijax.stages.lower", lambda method: method)
put_lazily(JitFunction, "_cache_size", "minijax.stages.cache_size", lambda method: method)
put_lazily(JitFunction, "eval_shape", "minijax.stages.eval_shape", lambda method: method)
put_lazily(JitFunction, "__signature__", "minijax.stages.signature", property)
put_lazily(VJP, "with_refs", "minijax.lax.references.gradients.with_refs", lambda method: method)
put_lazily(ShapeDtypeStruct, "like", "minijax.stages.struct_like", classmethod)
put_lazily(Traced, "lower", "minijax.stages.lower_traced", lambda method: method)
put_lazily(ShapeDtypeStruct, "update", "minijax.stages.updated_struct", lambda method: method)
for _name in ("bind_with_trace", "get_bind_params"):
    put_lazily(
        Primitive, _name, f"minijax.extend.core.calls_with_rules.{_name}", lambda method: method
    )
for _name in ("args_info", "donate_argnums", "fun_name", "in_avals", "out_avals"):
    put_lazily(Traced, _name, f"minijax.stages.{_name}", property)

# As in JAX, `core` shows a few names itself. Its package imports none of its modules.
core.__getattr__, core.__dir__, core.__all__ = lazy_names("minijax.core", {
    "minijax.api": "ensure_compile_time_eval",
    "minijax.core.staging": "Atom eval_jaxpr",
    "minijax.core.tracing": "AbstractValue ShapedArray Trace Tracer",
    "minijax.lax.shapes.sizes": "max_dim min_dim",
})  # fmt: skip

# What a user calls lets out no frames of ours when it raises.
guard(
    sys.modules[__name__], core, lax, numpy, tree_util, custom_jvp, custom_vjp, JitFunction,
    ShapeDtypeStruct, MissingMethod,
)  # fmt: skip
# But for what each operation or call does.
guard(
    Array, ArrayConversions, Tracer, TracerConversions, Typed, type(config),
    but={"__init__", "trace_key"},
)  # fmt: skip
guard(PyTreeDef, but={"__init__", "__eq__", "__hash__"})
guard(NamedSharding, P, set_mesh, but={"__eq__", "__hash__"})

__all__ = [*_shown, *"""
    Array Device NamedSharding P ShapeDtypeStruct block_until_ready checking_leaks clear_caches
    config core custom_derivatives custom_jvp custom_vjp default_backend device_count device_get
    device_put devices disable_jit effects_barrier enable_checks enable_x64 errors eval_shape
    grad jit jvp lax linearize live_arrays local_device_count local_devices make_jaxpr make_mesh
    named_scope numpy numpy_dtype_promotion process_count process_index process_indices set_mesh
    stages threefry_partitionable tree_util typeof value_and_grad vjp vmap
""".split()]  # fmt: skip
__version__ = "0.1.0"
__version_info__ = tuple(map(int, __version__.split(".")))

minijax.face.options.read_environment()  # now that whatever watches an option is there
