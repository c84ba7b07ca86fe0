"""What stages show of a program: as StableHLO, as XLA's HLO, as a jaxpr, as steps and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.fallbacks import has_numba, is_installed
from minijax.core.errors import keystr
from minijax.core.jitting import Traced
from minijax.core.pytrees import PyTreeDef, flatten_with_path, tree_unflatten
from minijax.core.staging import ClosedJaxpr, dce_jaxpr
from minijax.lax.elementwise.arithmetic import shown

OF_XLA = (None, "stablehlo", "hlo")
OURS = ("minijax", "jaxpr")


def text_of_lowered(lowered: Any, dialect: str | None, debug_info: bool = False) -> str:
    check_dialect(dialect)
    if dialect == "hlo":
        return hlo_text(lowered, debug_info)
    if dialect in OF_XLA:
        return stablehlo_text(lowered._traced, debug_info)
    program = str(lowered._program)
    if dialect == "jaxpr":
        return program
    return f"{first_line(lowered._traced)}\n{program}{steps(lowered)}"


def check_dialect(dialect: Any) -> None:
    if not isinstance(dialect, str | None) or dialect not in (*OF_XLA, *OURS):
        raise ValueError(
            f"A program can't be shown as {shown(dialect)}. Give None, 'stablehlo', 'hlo', "
            f"'minijax' or 'jaxpr'."
        )


def first_line(traced: Traced) -> str:
    """The function with the types of its arguments and results."""
    closed = traced.jaxpr
    info = closed.jaxpr.debug_info
    args = ", ".join(f"{info.arg_name(i)}: {short(x)}" for i, x in enumerate(closed.in_avals))
    out = ", ".join(map(short, closed.out_avals))
    out = out if len(closed.out_avals) == 1 else f"({out})"
    return f"# {traced.fun_name}({args}) -> {out}".replace("\n", " ")


def short(aval: Any) -> str:
    return aval.str_short(short_dtypes=True)


def steps(lowered: Any) -> str:
    """The steps that a compiled program will take, if it is to be compiled."""
    if lowered._backend.name != "numba" or not has_numba():
        return ""
    from minijax.compiler.kernels.fuse import fuse

    lines = "".join(f"\n  {step}" for step in fuse(lowered._program.jaxpr))
    return f"\nsteps:{lines or ' none'}"


def text_of_compiled(compiled: Any) -> str:
    executable = compiled.runtime_executable()
    if hasattr(executable, "hlo_text"):
        return executable.hlo_text()
    program = compiled._plan.text or str(compiled._traced.jaxpr)
    return f"{first_line(compiled._traced)}\n{program}"


# As XLA takes it.


def stablehlo_text(traced: Traced, debug_info: bool = False) -> str:
    """A module whose `main` has the arguments that the program uses, or all with keep_unused."""
    from minijax.compiler import stablehlo

    closed, names = on_values(traced), leaf_names("result", traced.out_tree)
    others = [""] * (len(closed.outvars) - len(names))
    arg_name, places = closed.jaxpr.debug_info.arg_name, range(len(closed.invars))
    return stablehlo.module_text(
        pruned(closed), f"jit_{traced.fun_name}", kept=kept_arguments(traced, closed),
        arg_names=list(map(arg_name, places)) if debug_info else (),
        result_names=[*names, *others], debug_info=debug_info,
    )  # fmt: skip


def on_values(traced: Traced) -> ClosedJaxpr:
    """The program, in which what is in a reference is an argument, and one more result."""
    from minijax.lax.references.discharge import discharge, has_references

    program = traced.staged.program
    return discharge(program) if has_references(program.jaxpr) else traced.jaxpr


def leaf_names(name: str, tree: PyTreeDef) -> list[str]:
    """What the leaves of a structure are called: result, or result['a'][0].

    >>> from minijax.core.pytrees import tree_structure
    >>> leaf_names("result", tree_structure({"a": [0], "b": 0}))
    ["result['a'][0]", "result['b']"]
    """
    paths: list[Any] = []
    flatten_with_path(tree_unflatten(tree, range(tree.num_leaves)), (), paths)
    return [name + keystr(path) for path, _ in paths]


def kept_arguments(traced: Traced, closed: ClosedJaxpr) -> Sequence[bool]:
    if traced.fun._params["keep_unused"]:
        return [True] * len(closed.in_avals)
    return dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars))[1]


def pruned(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program without what nobody uses, with all its arguments."""
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars), instantiate=True)
    return ClosedJaxpr(jaxpr, closed.consts)


def object_of_lowered(lowered: Any, dialect: str | None) -> Any:
    check_dialect(dialect)
    if dialect in OURS:
        return lowered._program
    check_jaxlib("HLO, or a module as an object,", "call lowered.as_text(), for StableHLO")
    from minijax.compiler import stablehlo

    if dialect == "hlo":
        return stablehlo.computation(stablehlo_text(lowered._traced))
    return stablehlo.parsed(stablehlo_text(lowered._traced))


def hlo_text(lowered: Any, debug_info: bool) -> str:
    """As XLA takes it in: operations are called as the primitives are that they came from."""
    check_jaxlib("HLO, or a module as an object,", "call lowered.as_text(), for StableHLO")
    from minijax.compiler import stablehlo

    return stablehlo.hlo_text(stablehlo_text(lowered._traced, debug_info=True), debug_info)


def check_jaxlib(doing: str, instead: str) -> None:
    if not is_installed("jaxlib"):
        raise ImportError(
            f"{doing} takes jaxlib, which can't be imported.\nCall pip install jaxlib, or "
            f"{instead}."
        )
