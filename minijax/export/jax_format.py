"""JAX's own bytes of exported functions: written for JAX's `deserialize`, and read.

They hold what minijax's own do, and in place of the program a module of StableHLO in MLIR's
portable form. That is jaxlib's to write and to read, so it takes jaxlib.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.dtypes import dtype_registry
from minijax.core.errors import api_boundary
from minijax.core.pytrees import PyTreeDef
from minijax.core.tracing import ShapedArray
from minijax.export.call_checks import check_vjp_order
from minijax.export.flat_tables import Number, Numbers, Table, root_table, written
from minijax.export.jax_modules import JaxModule
from minijax.export.safety_checks import DisabledSafetyCheck
from minijax.export.tree_format import UnknownName, read_tree, write_tree
from minijax.export.value_format import dtype_named, need
from minijax.stages.texts import check_jaxlib

# The numbers of a table's fields, by their names in JAX's schema.
EXPORTED = {name: i for i, name in enumerate("""
    serialization_version function_name in_tree in_avals out_tree out_avals nr_devices_short
    in_shardings out_shardings platforms ordered_effects unordered_effects disabled_checks
    mlir_module_serialized calling_convention_version module_kept_var_idx uses_global_constants vjp
    nr_devices unique_avals unique_abstract_meshes unique_named_shardings in_avals_idxs
    out_avals_idxs in_shardings_idxs out_shardings_idxs""".split())}  # fmt: skip
TREE = {"kind": 0, "children": 1, "children_names": 2, "custom_name": 3, "custom_auxdata": 4}
KINDS = ("*", None, "tuple", "list", "dict", "custom")  # of nodes of trees, by their numbers
AVAL = {"kind": 0, "shape": 1, "dtype": 2, "memory_space": 3}
# The dtypes by their numbers, under the short names of jaxprs.
DTYPES = """
    bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128 bf16 i4 u4 f8_e4m3b11fnuz f8_e4m3fn
    f8_e4m3fnuz f8_e5m2 f8_e5m2fnuz float0 f8_e4m3 f8_e3m4 f8_e8m0fnu f4_e2m1fn key<fry>
""".split()
OLDEST = 3  # the version that JAX itself writes, for the sake of older readers
OUR_BYTES = "keep the function as minijax's own bytes: Exported.serialize"

# Writing.


@api_boundary
def serialize_for_jax(exported: Any, vjp_order: int = 0) -> bytearray:
    """The function as bytes that JAX's own `jax.export.deserialize` takes, with its first
    `vjp_order` derivatives. ImportError where jaxlib is not there; NotImplementedError where the
    program has no StableHLO, or is for several platforms."""
    check_jaxlib("serialize_for_jax", OUR_BYTES)
    check_vjp_order(vjp_order)
    return written(_written(exported, vjp_order))


def _written(exported: Any, vjp_order: int) -> dict[int, Any]:
    from minijax.compiler.stablehlo.xla_programs import portable

    if len(exported.platforms) > 1:
        raise NotImplementedError(
            f"serialize_for_jax writes a program for one platform, and {exported.fun_name} was "
            f"exported for {exported.platforms}. Give export one of platforms=[...]."
        )
    if exported.nr_devices > 1:
        raise NotImplementedError(
            f"serialize_for_jax writes a program for one device, and {exported.fun_name} was "
            f"exported for {exported.nr_devices}. Use Exported.serialize."
        )
    avals = list(dict.fromkeys((*exported.in_avals, *exported.out_avals)))
    fields = {
        "serialization_version": Number("H", OLDEST), "function_name": exported.fun_name,
        "in_tree": _write_node(write_tree(exported.in_tree)),
        "out_tree": _write_node(write_tree(exported.out_tree)),
        "platforms": list(exported.platforms), "ordered_effects": [], "unordered_effects": [],
        "disabled_checks": list(map(_write_check, exported.disabled_safety_checks)),
        "mlir_module_serialized": portable(exported.mlir_module()),
        "calling_convention_version": Number("H", exported.calling_convention_version),
        "module_kept_var_idx": Numbers("H", exported.module_kept_var_idx),
        "uses_global_constants": Number("B", False), "nr_devices": Number("I", 1),
        "unique_avals": list(map(_write_aval, avals)),
        "unique_abstract_meshes": [], "unique_named_shardings": [],
        "in_avals_idxs": Numbers("I", list(map(avals.index, exported.in_avals))),
        "out_avals_idxs": Numbers("I", list(map(avals.index, exported.out_avals))),
        "in_shardings_idxs": Numbers("I", [0] * len(exported.in_avals)),
        "out_shardings_idxs": Numbers("I", [0] * len(exported.out_avals)),
    }  # fmt: skip
    if vjp_order > 0:
        fields["vjp"] = _written(exported.vjp(), vjp_order - 1)
    return {EXPORTED[name]: value for name, value in fields.items()}


def _write_node(data: Any) -> dict[int, Any]:
    """A structure, from the JSON that tree_format.py makes of it."""
    kind, inside = (data, []) if data in ("*", None) else next(iter(data.items()))
    fields: dict[str, Any] = {"kind": Number("b", KINDS.index(kind))}
    children = inside
    if kind == "dict":
        fields["children_names"] = [key for key, _ in children]
        children = [child for _, child in children]
    elif kind == "custom":
        fields["custom_name"], digits, children = inside
        fields["custom_auxdata"] = bytes.fromhex(digits)
    fields["children"] = list(map(_write_node, children))
    return {TREE[name]: value for name, value in fields.items()}


def _write_aval(aval: ShapedArray) -> dict[int, Any]:
    name = dtype_registry[aval.dtype].short_name
    return {
        AVAL["kind"]: Number("b", 0), AVAL["shape"]: list(map(str, aval.shape)),
        AVAL["dtype"]: Number("b", DTYPES.index(name)), AVAL["memory_space"]: Number("b", 1),
    }  # fmt: skip


def _write_check(check: DisabledSafetyCheck) -> dict[int, Any]:
    target = check.is_custom_call()
    return {0: Number("b", 0)} if target is None else {0: Number("b", 1), 1: target}


# Reading.


def read_functions(data: bytes, check: Callable[[list], None]) -> list[dict[str, Any]]:
    """The fields of each function in JAX's bytes, as file_format.read_functions has them.

    ImportError where jaxlib is not there; NotImplementedError for sizes that are not numbers, for
    effects, and for more than one device; ValueError for bytes that are not whole, or whose
    functions `check` refuses. The module itself jaxlib reads, which trusts whoever wrote it.
    """
    check_jaxlib("deserialize, of JAX's bytes,", OUR_BYTES)
    try:
        found, rest = list[dict[str, Any]](), [root_table(data)]
        for table in rest:
            found.append(_read_function(table))
            rest += filter(None, [table.table(EXPORTED["vjp"])])
        check(found)
        return found
    except (NotImplementedError, UnknownName):
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:200].rstrip(".")
        raise ValueError(
            f"deserialize: JAX has written the bytes, and they are damaged: {words}.\nGive all "
            f"that JAX's Exported.serialize returned."
        ) from error


def is_written_by_jax(data: bytes) -> bool:
    """Whether there is MLIR's bytecode in it, with StableHLO."""
    return b"ML\xefR" in data and b"StableHLO_v" in data


def _read_function(table: Table) -> dict[str, Any]:
    avals = table.each(EXPORTED["unique_avals"], _read_aval)
    in_avals, out_avals = (
        tuple(avals[i] for i in table.numbers(EXPORTED[f"{which}_avals_idxs"], "I"))
        or tuple(table.each(EXPORTED[f"{which}_avals"], _read_aval))
        for which in ("in", "out")
    )
    _refuse_what_is_not_here(table)
    module = JaxModule(
        table.bytes(EXPORTED["mlir_module_serialized"]), table.text(EXPORTED["function_name"]),
        in_avals, out_avals, table.numbers(EXPORTED["module_kept_var_idx"], "H"),
        tuple(table.texts(EXPORTED["platforms"])),
    )  # fmt: skip
    checks = table.each(EXPORTED["disabled_checks"], _read_check)
    return {
        "fun_name": module.name, "in_avals": in_avals, "out_avals": out_avals,
        "in_tree": _read_tree(table, "in_tree", in_avals),
        "out_tree": _read_tree(table, "out_tree", out_avals),
        "platforms": module.platforms, "disabled_safety_checks": tuple(checks),
        "module_kept_var_idx": module.kept, "jaxpr": module.as_program(),
        "arg_names": (None,) * len(in_avals),
        "calling_convention_version": table.number(EXPORTED["calling_convention_version"], "H"),
    }  # fmt: skip


def _refuse_what_is_not_here(table: Table) -> None:
    effects = [table.each(EXPORTED[name], id) for name in ("ordered_effects", "unordered_effects")]
    devices = table.number(EXPORTED["nr_devices"], "I") or (
        table.number(EXPORTED["nr_devices_short"], "h")
    )
    if any(effects) or devices != 1:
        what = "has effects beside its results" if any(effects) else f"is for {devices} devices"
        raise NotImplementedError(
            f"deserialize: the function that JAX has written {what}, which can't be here. Use JAX."
        )


def _read_aval(table: Table) -> ShapedArray:
    sizes = table.texts(AVAL["shape"])
    if not all(size.isascii() and size.isdigit() for size in sizes):
        raise NotImplementedError(
            f"deserialize: the function that JAX has written has an argument or a result of the "
            f"shape ({', '.join(sizes)}). Give one that was exported for known sizes."
        )
    number = table.number(AVAL["dtype"], "b")
    need(0 <= number < len(DTYPES), f"it has a dtype of the number {number}")
    return ShapedArray(tuple(map(int, sizes)), dtype_named(DTYPES[number]))


def _read_check(table: Table) -> DisabledSafetyCheck:
    if table.number(0, "b") == 1:
        return DisabledSafetyCheck.custom_call(table.text(1))
    return DisabledSafetyCheck.platform()


def _read_tree(table: Table, name: str, avals: Sequence[Any]) -> PyTreeDef:
    node = table.table(EXPORTED[name])
    need(node is not None, f"it has no {name}")
    return read_tree(_read_node(node), avals)


def _read_node(node: Any, depth: int = 0) -> Any:
    """A structure, as the JSON that tree_format.py reads."""
    need(depth < 100, "a structure is too deep")
    number = node.number(TREE["kind"], "b")
    need(0 <= number < len(KINDS), f"a node has a kind of the number {number}")
    kind = KINDS[number]
    children = node.each(TREE["children"], lambda child: _read_node(child, depth + 1))
    if kind in ("*", None):
        return kind
    if kind == "dict":
        return {kind: list(zip(node.texts(TREE["children_names"]), children, strict=True))}
    if kind == "custom":
        data = node.bytes(TREE["custom_auxdata"]).hex()
        return {kind: [node.text(TREE["custom_name"]), data, children]}
    return {kind: children}
