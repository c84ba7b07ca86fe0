"""StableHLO: a program as text that XLA, and whatever else reads MLIR, can run."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.compiler.stablehlo.modules": "module_text",
    "minijax.compiler.stablehlo.xla_programs": "XlaProgram computation hlo_text parsed",
})  # fmt: skip
