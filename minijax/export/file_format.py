"""The bytes that an exported function is kept in: a head, JSON, and arrays of numbers.

    8 bytes    "minijax\\n"
    4          the version of this format, an unsigned integer, as all of them little-endian
    8          how many bytes of JSON there are, n
    32         the SHA-256 of all that follows
    n          JSON, in UTF-8: "functions", "types", "arrays", "programs" and "constraints"
    the rest   the numbers of the arrays, one array after the other, in rows

`functions` has the function and behind it its derivatives, each the pullback of the one before:
objects with the keys of `FIELDS`, and for several devices those of `FIELDS_ON_DEVICES`.
program_format.py says what programs are, value_format.py what their equations' parameters are,
tree_format.py what structures are; `constraints` are those of `symbolic_shape`, as text.

There is no pickle, and nothing is imported or called by a name in the file but what these modules
list, and what the user has registered. To read is to check: no program is run, and none is accepted
that could not have been traced. What a program that is run computes, and for how long, is its
author's matter.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any

from minijax.core.errors import typematch
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import ShapedArray
from minijax.export import jax_format
from minijax.export.logical_devices import count
from minijax.export.program_format import ProgramReader, ProgramWriter, read_natural
from minijax.export.refining import check_solvable
from minijax.export.safety_checks import DisabledSafetyCheck
from minijax.export.tree_format import UnknownName, read_tree, write_tree
from minijax.export.value_format import need, write_value
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.shardings import NamedSharding

MAGIC, VERSION = b"minijax\n", 1
HEAD = struct.Struct("<8sIQ32s")
FIELDS = """
    fun_name in_tree in_avals out_tree out_avals platforms disabled_safety_checks
    module_kept_var_idx arg_names calling_convention_version program
""".split()
FIELDS_ON_DEVICES = ["nr_devices", "in_shardings", "out_shardings"]  # of several

# Writing.


def written_functions(functions: Sequence[Any]) -> bytearray:
    """The bytes of exported functions, each the pullback of the one before."""
    writer = ProgramWriter()
    texts = {
        "functions": [_written(writer, exported) for exported in functions],
        "types": writer.listed_types(),
        "arrays": writer.arrays, "programs": writer.programs,
        "constraints": list(writer.constraints),
    }  # fmt: skip
    text = json.dumps(texts, separators=(",", ":")).encode()
    body = b"".join([text, *writer.array_bytes])
    digest = hashlib.sha256(body).digest()
    return bytearray(HEAD.pack(MAGIC, VERSION, len(text), digest) + body)


def _written(writer: ProgramWriter, exported: Any) -> dict[str, Any]:
    return {
        "fun_name": exported.fun_name,
        "in_tree": write_tree(exported.in_tree), "out_tree": write_tree(exported.out_tree),
        "in_avals": [writer.type(strong(aval)) for aval in exported.in_avals],
        "out_avals": [writer.type(strong(aval)) for aval in exported.out_avals],
        "platforms": list(exported.platforms),
        "disabled_safety_checks": list(map(str, exported.disabled_safety_checks)),
        "module_kept_var_idx": list(exported.module_kept_var_idx),
        "arg_names": list(exported.arg_names),
        "calling_convention_version": exported.calling_convention_version,
        "program": writer.program(exported.jaxpr), **_written_devices(writer, exported),
    }  # fmt: skip


def strong(aval: Any) -> Any:
    """The type that isn't weak, of what has one."""
    return aval.update(weak_type=False) if isinstance(aval, ShapedArray) else aval


def _written_devices(writer: ProgramWriter, exported: Any) -> dict[str, Any]:
    if exported.nr_devices == 1:
        return {}
    return {
        "nr_devices": exported.nr_devices,
        "in_shardings": [write_value(writer, s) for s in exported._in_named_shardings],
        "out_shardings": [write_value(writer, s) for s in exported._out_named_shardings],
    }


# Reading.


def read_functions(blob: Any) -> list[dict[str, Any]]:
    """The fields of each function; ValueError, which says what is wrong, for other bytes."""
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise TypeError(
            f"deserialize takes what Exported.serialize returned, and got {shown(blob)}. Give "
            f"bytes or a bytearray."
        )
    data = bytes(blob)
    if not data.startswith(MAGIC) and jax_format.is_written_by_jax(data):
        return jax_format.read_functions(data, _check_pullbacks)
    text, rest = _parts(data)
    try:
        return _read(rest, **json.loads(text, parse_constant=_no_constant))
    except UnknownName as error:
        raise ValueError(*error.args) from error
    except Exception as error:  # the checks of a program's parts are those of all its primitives
        raise ValueError(
            f"deserialize: the bytes are whole, and what they hold is no program: "
            f"{_reason(error)}.\nGive bytes that Exported.serialize returned."
        ) from error


def _parts(data: bytes) -> tuple[bytes, bytes]:
    """The JSON and the arrays, once it is certain that they are as they were written."""
    if not data.startswith(MAGIC):
        raise ValueError(
            "deserialize reads what Exported.serialize has written, minijax's or JAX's, and the "
            "bytes are of something else.\nGive a bytearray that it returned."
        )
    if len(data) < HEAD.size:
        raise _damaged()
    _, version, size, digest = HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(
            f"deserialize reads version {VERSION} of minijax's format, and the bytes say that they "
            f"are of version {version}. Use the minijax that wrote them."
        )
    body = data[HEAD.size :]
    if hashlib.sha256(body).digest() != digest or size > len(body):
        raise _damaged()
    return body[:size], body[size:]


def _damaged() -> ValueError:
    return ValueError(
        "deserialize: the bytes are damaged: some are missing, or not what was written. Give all "
        "that Exported.serialize returned."
    )


def _reason(error: Exception) -> str:
    """The error in a few words, on one line."""
    words = " ".join(str(error).split()) or "there is something missing"
    return f"{type(error).__name__}, {words[:200].rstrip('.')}"


def _no_constant(name: str) -> None:
    need(False, f"{name} is no number")


def _read(
    rest: bytes, functions: list, types: list, arrays: list, programs: list, constraints: list
) -> list[dict[str, Any]]:
    reader = ProgramReader(types, arrays, rest, programs, constraints)
    found = [_read_function(reader, fields) for fields in functions]
    need(found, "there is no function")
    _check_pullbacks(found)
    return found


def _check_pullbacks(found: list[dict[str, Any]]) -> None:
    for outer, pullback in zip(found, found[1:], strict=False):
        of_args, of_results = (
            [aval.to_tangent_aval() for aval in outer[key]] for key in ("in_avals", "out_avals")
        )
        takes = _match([*outer["in_avals"], *of_results], pullback["in_avals"])
        need(takes and _match(of_args, pullback["out_avals"]), "a pullback has other types")


def _match(xs: Sequence[Any], ys: Sequence[Any]) -> bool:
    return len(xs) == len(ys) and all(map(typematch, xs, ys))


def _read_function(reader: ProgramReader, fields: dict[str, Any]) -> dict[str, Any]:
    names = [*FIELDS, *FIELDS_ON_DEVICES] if "nr_devices" in fields else FIELDS
    need(sorted(fields) == sorted(names), f"a function has the fields {sorted(fields)}")
    in_avals = tuple(map(reader.type, fields["in_avals"]))
    out_avals = tuple(map(reader.type, fields["out_avals"]))
    closed = reader.program(fields["program"])
    is_its = _match(closed.in_avals, in_avals) and _match(closed.out_avals, out_avals)
    need(is_its, "a function has other types than its program")
    need(not closed.effects, "a function names an axis that no mesh has")
    check_solvable(closed)
    kept = tuple(map(read_natural, fields["module_kept_var_idx"]))
    unused = [v for i, v in enumerate(closed.invars) if i not in kept]
    is_kept = list(kept) == sorted({*kept}) and len(kept) + len(unused) == len(in_avals)
    need(is_kept and _used(closed).isdisjoint(unused), f"it is not the arguments {kept} it uses")
    need(len(fields["arg_names"]) == len(in_avals), "there is not a name for each argument")
    return {
        "fun_name": _read_text(fields["fun_name"]), "in_avals": in_avals, "out_avals": out_avals,
        "in_tree": read_tree(fields["in_tree"], in_avals),
        "out_tree": read_tree(fields["out_tree"], out_avals),
        "platforms": tuple(map(_read_text, fields["platforms"])),
        "disabled_safety_checks": tuple(
            DisabledSafetyCheck(_read_text(text)) for text in fields["disabled_safety_checks"]
        ),
        "module_kept_var_idx": kept, "jaxpr": closed,
        "arg_names": tuple(None if n is None else _read_text(n) for n in fields["arg_names"]),
        "calling_convention_version": read_natural(fields["calling_convention_version"]),
        **_read_devices(reader, fields, in_avals, out_avals, closed),
    }  # fmt: skip


def _read_devices(
    reader: ProgramReader, fields: dict[str, Any], in_avals: Sequence[Any],
    out_avals: Sequence[Any], closed: ClosedJaxpr,
) -> dict[str, Any]:  # fmt: skip
    """For how many devices it is, and how arguments and results lie on them."""
    ins, outs = (tuple(map(reader.value, fields.get(key, ()))) for key in FIELDS_ON_DEVICES[1:])
    places = (*ins, *outs)
    number = count(closed, places)
    need(number == fields.get("nr_devices", 1), f"it is not for {number} devices")
    if number > 1:
        for place, aval in zip(places, (*in_avals, *out_avals), strict=True):
            need(place is None or isinstance(place, NamedSharding), f"{place!r} is no sharding")
            if place is not None:
                place.check_compatible_aval(aval.shape)
    return {"nr_devices": number, "_in_named_shardings": ins, "_out_named_shardings": outs}


def _used(closed: ClosedJaxpr) -> set:
    return {x for eqn in closed.eqns for x in eqn.invars}.union(closed.outvars)


def _read_text(x: Any) -> str:
    need(type(x) is str, f"{x!r} is no text")
    return x
