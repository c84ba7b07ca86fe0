"""Called functions: a heavy loop calls what others have inlined, for many numbers at once.

A function of maths/ becomes part of the loop that calls it. Some functions of float32 compute in
float64 on the way (sin, pow): with them, the whole loop has vectors of half the length. A heavy
loop with such a function calls its functions instead. Each is compiled once in a process, for
vectors of the lengths that loops ask for. The bits are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import cache
from threading import Lock

from minijax.compiler.native.expressions import Code
from minijax.compiler.native.scalars import NUMBERS, Type

LANES = (2, 4, 8, 16)  # the lengths of vectors
_PURE = "memory(none) nounwind willreturn"
_versions: dict[str, tuple[Code, int]] = {}  # by its name: of which function, of what length
_objects: dict[str, Future[bytes]] = {}
_choosing = Lock()
AT_ONCE = 6  # functions compiled in one go: each such go takes some 2 ms

# What a kernel's text says of a function.


def can_be_called(code: Code, types: Sequence[Type]) -> bool:
    """Whether all that a function is given, and its result, is float32, and it has no jumps."""
    jumps = any(" br " in text for text in code.texts.values())
    return {*types, code.result} == {NUMBERS["float32"]} and not jumps


def called(code: Code, types: Sequence[Type]) -> Code:
    """The function declared: for one number and, in an attribute that LLVM knows, for vectors."""
    lines, variants, one = list[str](), list[str](), _name(code.name, 1)
    for lanes in (1, *LANES):
        name = _name(code.name, lanes)
        head = f"{code.result.llvm} @{name}({', '.join(t.llvm for t in types)})"
        lines.append(f"declare {widened(head, lanes)} {_PURE}")
        variants.append(f"_ZGV_LLVM_N{lanes}{'v' * len(types)}_{one}({name})")
        _versions[name] = code, lanes
    lines[0] += f' "vector-function-abi-variant"="{",".join(variants[1:])}"'
    return Code(one, code.result, {one: "\n".join(lines)})


def _name(function: str, lanes: int) -> str:
    return f"minijax.{function}.x{lanes}"


def held(names: Iterable[str]) -> str:
    """What keeps LLVM from forgetting the versions that no line calls yet."""
    functions = [_versions[name][0].name for name in names if name in _versions]
    versions = [f"ptr @{_name(name, lanes)}" for name in functions for lanes in LANES]
    used = f"[{len(versions)} x ptr] [{', '.join(versions)}]"
    return f"@llvm.compiler.used = appending global {used}\n" if versions else ""


# From a function of numbers to one of vectors. It has no jumps, so each line becomes one.

_TOKEN = re.compile(
    r"""[%@][\w.]+ | (?P<type>\b(?:float|double|i\d+)\b)
    | (?<![\w.])(?P<constant>0x[0-9A-F]+|-?\d+(?:\.\d+)?|true|false)(?![\w.])""", re.VERBOSE,
)  # fmt: skip
_ADDRESS = re.compile(r"  (%[\w.]+) = (getelementptr inbounds \w+, ptr @\w+, )(.*)")
_LOAD = re.compile(r"  (%[\w.]+) = load (float|double), ptr (%[\w.]+)")
_ITEM = re.compile(r"(.* = (?:extract|insert)value .*)(, \d+)")
_SHORT = {"float": "f32", "double": "f64"}


def widened(line: str, lanes: int) -> str:
    """A line whose types and constants are vectors."""
    if lanes == 1:
        return line
    kind = ""

    def wide(token: re.Match) -> str:
        nonlocal kind
        if token["type"]:
            kind = token["type"]
            return f"<{lanes} x {kind}>"
        if token["constant"]:
            return f"splat ({kind} {token['constant']})"
        return re.sub(r"(@llvm\.\w+)\.f(\d+)", rf"\1.v{lanes}f\2", token[0])

    return _TOKEN.sub(wide, line)


@cache
def of_vectors(text: str, lanes: int) -> str:
    """A function, or a declaration, for vectors. What it reads in a table it gathers."""
    lines, addresses = list[str](), set[str]()
    for line in text.splitlines():
        if found := _ADDRESS.fullmatch(line):
            name, place, index = found.groups()
            addresses.add(name)
            line = f"  {name} = {place}{widened(index, lanes)}"
        elif (found := _LOAD.fullmatch(line)) and found[3] in addresses:
            line = f"  {found[1]} = call {gather(found[2], lanes, found[3])}"
        elif found := _ITEM.fullmatch(line):
            line = widened(found[1], lanes) + found[2]
        else:
            line = widened(line, lanes)
        lines.append(line)
    return "\n".join(lines) + "\n"


def gather(element: str, lanes: int, addresses: str = "") -> str:
    """LLVM's function that reads at many addresses: called or, without them, declared."""
    vector, mask = f"<{lanes} x {element}>", f"<{lanes} x i1>"
    name = f"{vector} @llvm.masked.gather.v{lanes}{_SHORT[element]}.v{lanes}p0"
    if not addresses:
        return f"declare {name}(<{lanes} x ptr>, i32, {mask}, {vector})\n"
    return f"{name}(<{lanes} x ptr> {addresses}, i32 4, {mask} splat (i1 true), {vector} poison)"


def versions(names: Sequence[str]) -> str:
    """The text of some versions of one length, with all that they call themselves."""
    texts, lanes = dict[str, str](), _versions[names[0]][1]
    for name in names:
        code = _versions[name][0]
        head = f"{code.result.llvm} @{code.name}("
        own = code.texts[code.name].replace(f"internal {head}", head, 1)
        own = own.replace(f"@{code.name}(", f"@{name}(", 1).replace(" alwaysinline", "", 1)
        texts |= {key: text for key, text in code.texts.items() if key != code.name}
        texts[name] = own
    if lanes == 1:
        return "\n".join(texts.values())
    wide = [text if text.startswith("@") else of_vectors(text, lanes) for text in texts.values()]
    return "\n".join([*wide, *(gather(element, lanes) for element in _SHORT)])


# Their machine code.


def is_version(name: str) -> bool:
    """Whether a name is one of ours."""
    return name in _versions


def objects(
    names: Iterable[str], code: bytes, compile_text: Callable[[str], bytes]
) -> list[bytes]:
    """The object files with those versions that a kernel's object file, `code`, asks for by name.

    What is missing is compiled, some versions of a length at once. What another thread has begun
    is its own: in the end it is waited for.
    """
    asked = [name for name in names if is_version(name) and name.encode() + b"\0" in code]
    found = dict[str, Future[bytes]]()
    for lanes in (1, *LANES):
        of_length = [name for name in asked if _versions[name][1] == lanes]
        while missing := begin(of_length, found):
            future = found[missing[0]]
            try:
                future.set_result(compile_text(versions(missing)))
            except BaseException as error:
                future.set_exception(error)
                for name in missing:  # who asks later tries again
                    del _objects[name]
                raise
    return [future.result() for future in dict.fromkeys(found.values())]


def begin(names: Sequence[str], found: dict[str, Future[bytes]]) -> list[str]:
    """Some of the versions that nobody has begun, which this thread begins. All begun are found."""
    with _choosing:
        missing = [name for name in names if name not in _objects][:AT_ONCE]
        _objects.update(dict.fromkeys(missing, Future[bytes]()))
        found |= {name: _objects[name] for name in names if name in _objects}
    return missing
