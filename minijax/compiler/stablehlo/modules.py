"""A program as a module of StableHLO: the one door of this room."""

from __future__ import annotations

from collections.abc import Sequence

from minijax.compiler.stablehlo import (  # noqa: F401  (each fills the table)
    carried_programs, combining_operations, elementwise_operations, gpu_routines, matrix_routines,
    moving_operations, product_operations, random_operations,
)
from minijax.compiler.stablehlo.program_text import write_closed
from minijax.compiler.stablehlo.tensor_types import quoted, type_of
from minijax.compiler.stablehlo.text_builder import Builder, Module, Value
from minijax.core.staging import ClosedJaxpr


def module_text(
    closed: ClosedJaxpr, name: str = "program", *, kept: Sequence[bool] | None = None,
    debug_info: bool = False, arg_names: Sequence[str | None] = (),
    result_names: Sequence[str] = (), platform: str = "cpu",
) -> str:  # fmt: skip
    """The program as MLIR's text in the dialects stablehlo and chlo: a module with a function
    `main` of the program's arguments and results, and those that it calls.

    A key is two words, `tensor<2xui32>`; a float0 is a bool. `kept` marks the arguments that `main`
    has: the others must not be used. With `debug_info` each operation has the line of the user's
    code that it came from. Names of the arguments and the results are written where they are
    given. `platform` ("cpu", "cuda", "rocm", "tpu") says whose routines of linear algebra are
    called. NotImplementedError where a primitive has no text, which it names.

    >>> from minijax.core.primitives import sin
    >>> from minijax.core.staging import make_jaxpr
    >>> print(module_text(make_jaxpr(sin)(1.0), "jit_sin"))
    module @jit_sin attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
      func.func public @main(%arg0: tensor<f32>) -> (tensor<f32>) {
        %0 = stablehlo.sine %arg0 : tensor<f32>
        return %0 : tensor<f32>
      }
    }
    <BLANKLINE>
    """
    module = Module(debug_info, platform)
    kept = [True] * len(closed.invars) if kept is None else kept
    flags = list(zip(closed.invars, kept, strict=True))
    jaxpr = closed.jaxpr.replace(invars=[v for v, is_kept in flags if is_kept])
    types = [type_of(v.aval) for v in jaxpr.invars]
    program = ClosedJaxpr(jaxpr, closed.consts)

    def body(b: Builder, *args: Value) -> list[Value]:
        return write_closed(b, program, args)

    names = [n for n, is_kept in zip(arg_names, kept, strict=True) if is_kept] if arg_names else []
    notes = [f" loc({quoted(n)})" if n else "" for n in names]
    out_notes = [f" {{jax.result_info = {quoted(n)}}}" for n in result_names]
    module.function("main", types, body, "public", notes, out_notes)
    return module.text(name)
