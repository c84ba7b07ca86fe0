"""XLA runs a program: jaxlib compiles its text. jaxlib is imported when the first one is compiled.

Programs run on the CPU, which jaxlib can do alone. For a GPU or a TPU it takes a plugin, and JAX
knows where that is: where JAX is installed too (pip install "jax[cuda13]"), it is asked for the
platform that is wanted, or else for its default one.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.fallbacks import is_installed
from minijax.compiler.passes.simplify import prune
from minijax.compiler.stablehlo.modules import module_text
from minijax.compiler.stablehlo.tensor_types import is_key, numpy_of
from minijax.core.arrays import Array
from minijax.core.config import config
from minijax.core.dtypes import float0
from minijax.core.prng import keys_of
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import ShapedArray, typeof

_lock = threading.Lock()


class XlaModule:
    """A module that XLA has compiled, by the types of its `main`: called with arrays, it returns a
    list of arrays."""

    binds = False  # it runs no primitive of ours

    def __init__(
        self, text: str, avals: Sequence[Any], out_avals: Sequence[Any],
        platform: str | None = None,
    ) -> None:  # fmt: skip
        self.text, self.avals, self.out_avals = text, avals, out_avals
        self.runtime = runtime(platform)
        self.loaded = self.runtime.compile(text)

    def __call__(self, *args: Any) -> list[Any]:
        given = [
            self.runtime.put(np.ascontiguousarray(numpy_of(x, aval)).reshape(type_shape(x, aval)))
            for x, aval in zip(args, self.avals, strict=True)
        ]
        results = self.loaded.execute(given)
        return [array_of(x, aval) for x, aval in zip(results, self.out_avals, strict=True)]

    run = __call__

    def as_text(self) -> str:
        """The program's StableHLO."""
        return self.text

    def hlo_text(self) -> str:
        """What XLA made of it."""
        return self.loaded.hlo_modules()[0].to_string()


class XlaProgram(XlaModule):
    """A program that XLA has compiled, for a platform: "cpu", "gpu", "cuda", "rocm", "tpu".

    NotImplementedError where it has a primitive that StableHLO lacks, such as a callback, or takes
    or gives a token. RuntimeError where XLA can't have the platform.
    """

    def __init__(self, closed: ClosedJaxpr, name: str, platform: str | None = None) -> None:
        self.name, avals, out_avals = name, closed.in_avals, closed.out_avals
        if not all(isinstance(aval, ShapedArray) for aval in (*avals, *out_avals)):
            raise NotImplementedError(
                f"{name} takes or gives a token, which XLA's programs hand to nobody.\nLeave it "
                f"out of the arguments and results, or run it on the backend 'numba'."
            )
        text = module_text(prune(closed), f"jit_{name}", platform=runtime(platform).platform)
        super().__init__(text, avals, out_avals, platform)


def type_shape(x: Any, aval: Any) -> tuple[int, ...]:
    """(np.ascontiguousarray makes an axis of none.)"""
    return (*typeof(x).shape, 2) if is_key(aval) else typeof(x).shape


def array_of(x: Any, aval: Any) -> Any:
    """A result of XLA's as an array of this type."""
    if aval.dtype == float0:
        return np.zeros(aval.shape, float0)
    value = np.array(x._single_device_array_to_np_array_did_copy()[0])  # (XLA's memory is its own)
    return Array(keys_of(value) if is_key(aval) else value, aval)


# jaxlib.


class BufferType(NamedTuple):
    """What jaxlib asks of the type of an array that it is given."""

    shape: tuple[int, ...]
    dtype: np.dtype
    weak_type: bool = False


class Runtime:
    """A client of jaxlib's for a platform, by default JAX's or the CPU's, and its first device."""

    def __init__(self, platform: str | None = None) -> None:
        from jaxlib import xla_client

        self.xla_client = xla_client
        self.client = client_of(platform) or xla_client.make_cpu_client()
        self.platform = platform_of(self.client)
        self.device = device = self.client.local_devices()[0]
        self.options, self.has_lapack = xla_client.CompileOptions(), False

        class OnDevice(xla_client.SingleDeviceSharding):
            """An array lies on one device."""

            memory_kind = None
            _device_assignment = (device,)

            def _to_xla_hlo_sharding(self, ndim: int) -> Any:
                return xla_client.HloSharding.replicate()

        self.sharding = OnDevice(device)

    def put(self, x: np.ndarray) -> Any:
        """The array in XLA's memory."""
        aval = BufferType(x.shape, x.dtype)
        return self.xla_client.batched_device_put(
            aval, self.sharding, [x], [self.device], enable_x64=True
        )

    def compile(self, text: str) -> Any:
        with _lock:
            if "stablehlo.custom_call @" in text and not self.has_lapack:
                self.register_lapack()
        return self.client.compile_and_load(text, [self.device], self.options)

    def register_lapack(self) -> None:
        """Tells XLA of LAPACK's routines, as JAX does when it is imported."""
        from jaxlib import gpu_solver, lapack

        lapack._lapack.initialize()
        gpu_solver.initialize_hybrid_kernels()  # (nothing, without a GPU's plugin)
        if "jax._src.lax.linalg" not in sys.modules:
            for platform, targets in lapack.registrations().items():
                for name, function, version in targets:
                    self.xla_client.register_custom_call_target(
                        name, function, platform=platform, api_version=version
                    )
        self.has_lapack = True


def runtime(platform: str | None = None) -> Runtime:
    """For a platform, by default the first of the option `jax_platforms`."""
    return _runtime(platform or (config.jax_platforms or "").partition(",")[0] or None)


_runtime = cache(Runtime)


def client_of(platform: str | None) -> Any:
    """JAX's client for the platform, or its default one; None for jaxlib's own, where JAX itself is
    not installed, or is minijax under its name. RuntimeError where there is no such platform."""
    backend = _backends_of_jax()
    if backend is None and platform in (None, "cpu"):
        return None
    try:
        if backend is None:
            raise RuntimeError("jaxlib alone has the CPU.")
        return backend.get_backend(platform)
    except RuntimeError as error:
        raise RuntimeError(
            f"XLA can't run programs on {platform}: {error}\nInstall JAX for it (for "
            f"NVIDIA's GPUs, pip install 'jax[cuda13]'), or choose 'xla'."
        ) from error


def _backends_of_jax() -> Any:
    if not is_installed("jax"):
        return None
    import jax

    if jax.__name__ != "jax":
        return None
    from jax.extend import backend

    return backend


def platform_of(client: Any) -> str:
    """"cpu", "cuda", "rocm" or "tpu"."""
    if client.platform != "gpu":
        return client.platform
    return "rocm" if "rocm" in client.platform_version.lower() else "cuda"


# A module as jaxlib's objects.


def parsed(text: str) -> Any:
    """The module, of the class that jaxlib's bindings of MLIR have."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    context, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    for dialect in (chlo, sdy, stablehlo):
        dialect.register_dialect(context)
    context.load_all_available_dialects()
    with context:
        return ir.Module.parse(text)


def computation(text: str) -> Any:
    """XLA's own computation, which shows itself as HLO."""
    from jaxlib import xla_client

    convert = xla_client._xla.mlir.mlir_module_to_xla_computation
    return convert(text, use_tuple_args=False, return_tuple=False)


def hlo_text(text: str, metadata: bool) -> str:
    """The module as HLO, short; with `metadata`, with the lines that operations came from."""
    from jaxlib import _hlo as hlo

    options = hlo.HloPrintOptions.short_parsable()
    options.print_metadata = metadata
    return computation(text).get_hlo_module().to_string(options)


# As bytes that later releases take too.


def portable(text: str) -> bytes:
    """A module as MLIR's bytecode, which releases of jaxlib from four weeks ago on can read."""
    from jaxlib import _jax
    from jaxlib.mlir.dialects import stablehlo

    since = stablehlo.StablehloCompatibilityRequirement.WEEK_4
    version = stablehlo.get_version_from_compatibility_requirement(since)
    return _jax.mlir.serialize_portable_artifact(parsed(text), version)


def read_portable(data: bytes) -> tuple[str, list[str], list[str]]:
    """The text of a module that is such bytes, and the types of `main`'s arguments and results."""
    from jaxlib import _jax
    from jaxlib.mlir import ir

    module = _jax.mlir.deserialize_portable_artifact(data, parsed("module {}").context)
    all_attributes = [op.operation.attributes for op in module.body.operations]
    [main] = [each for each in all_attributes if str(each["sym_name"]) == '"main"']
    of_main = ir.FunctionType(ir.TypeAttr(main["function_type"]).value)
    return str(module), list(map(str, of_main.inputs)), list(map(str, of_main.results))
