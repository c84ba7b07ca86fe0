"""Machine code: LLVM makes it of a kernel's text, llvmlite loads it, and Python calls it.

What was compiled once needs no translation, and of LLVM only what loads it.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from minijax.compiler.kernel_functions import kernel_names
from minijax.compiler.native.argument_checks import is_array
from minijax.compiler.native.called_functions import is_version, objects
from minijax.compiler.native.debug_lines import DebugLines
from minijax.compiler.native.environment import warn_of_release
from minijax.compiler.native.expressions import FMOD
from minijax.compiler.native.loop_hints import without_masks
from minijax.compiler.native.scalars import Refused
from minijax.compiler.native.translate import HEAVY, translate
from minijax.compiler.native.wrong_merges import is_compiled_wrongly
from minijax.core.config import config

# From a kernel's text to machine code.


def native_code(
    source: str, name: str, signature: tuple, fastmath: frozenset,
    own: tuple[list[str], bytes] | None = None,
) -> tuple[str, bytes]:  # fmt: skip
    """The names that a kernel's code needs from the process, and the code: object files.

    `own` is its `own_code`, where that is there already. Refused where the text is Numba's to
    compile.
    """
    with collector_at_rest():
        declared, code = own or own_code(source, name, signature, fastmath)
        needed = [function for function in declared if not is_version(function)]
        return " ".join(needed), joined([code, *objects(declared, code, _object_file)])


def own_code(
    source: str, name: str, signature: tuple, fastmath: frozenset
) -> tuple[list[str], bytes]:
    """The functions that a kernel's object file lacks, and the file."""
    module, machine = module_of(source, name, signature, fastmath)
    return _declared(module), emitted(machine, module)


def _object_file(text: str) -> bytes:
    machine = host_machine()
    module = optimized(text, machine)
    if is_compiled_wrongly(module):
        raise Refused("functions that LLVM compiles wrongly")
    return emitted(machine, module)


def assembly(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    """The instructions of a kernel, as a text. They are made anew, whatever the caches hold."""
    module, machine = module_of(source, name, signature, fastmath)
    return machine.emit_assembly(module)


def assembly_with_lines(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    """The same with directives that say which line of the kernel's text instructions are for."""
    module, machine = module_of(source, name, signature, fastmath, DebugLines)
    return machine.emit_assembly(module)


def module_of(
    source: str, name: str, signature: tuple, fastmath: frozenset,
    debug: Callable[[], DebugLines | None] = lambda: None,
) -> tuple[Any, Any]:  # fmt: skip
    """LLVM's module of a kernel and its entry, after the passes, and the processor it is for."""
    level = speed_level(signature)
    machine = host_machine(level)
    for heavy in (HEAVY, math.inf):  # vectors that functions are called with need one processor
        text = translate(source, name, signature, fastmath, kernel_names(), heavy, debug())
        text = text if has_masks() else without_masks(text)
        module = optimized(text + entry_text(name, signature), machine, level)
        if not is_compiled_wrongly(module):
            return module, machine
    return module, host_machine(level, "-avx512f")


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Python's garbage collector rests: a compiler's many objects would keep it busy."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _declared(module: Any) -> list[str]:
    """The names of functions that a module lacks."""
    declared = [f.name for f in module.functions if f.is_declaration]
    return [name for name in declared if not name.startswith("llvm.")]


def joined(files: Sequence[bytes]) -> bytes:
    """Several files as one: before each, its size."""
    return b"".join(len(file).to_bytes(8, "little") + file for file in files)


def parts(code: bytes) -> Iterator[bytes]:
    """The files that were joined."""
    while code:
        end = 8 + int.from_bytes(code[:8], "little")
        yield code[8:end]
        code = code[end:]


# The entry: a C function that Python calls with its objects. It is written as LLVM's text.

_ENTRY = """
{declarations}
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
@_Py_NoneStruct = external global i8

define ptr @entry(ptr %self, ptr %args, i64 %count) {attributes} {{
{unpacked}
  %thread = call ptr @PyEval_SaveThread()
  call void @{kernel}({passed}) noinline
  call void @PyEval_RestoreThread(ptr %thread)
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
}}
"""
# How C reads a number from a Python object, by its kind.
_READERS = {"i": ("i64", "PyLong_AsLongLong"), "u": ("i64", "PyLong_AsUnsignedLongLongMask"),
            "f": ("double", "PyFloat_AsDouble"), "b": ("i32", "PyObject_IsTrue")}  # fmt: skip
# NumPy's array object begins as every Python object does; then comes the address of its data.
_ARRAY = f"""  %data{{i}} = getelementptr i8, ptr %object{{i}}, i64 {object.__basicsize__}
  %x{{i}} = load ptr, ptr %data{{i}}"""


def _number_text(i: int, dtype: np.dtype) -> tuple[str, str]:
    """LLVM's name for a number's type, and the lines that read it from a Python object."""
    read_type, reader = _READERS[dtype.kind]
    bits = 8 * dtype.itemsize
    llvm_type = {32: "float", 64: "double"}[bits] if dtype.kind == "f" else f"i{bits}"
    name = "x" if llvm_type == read_type else "wide"
    text = f"  %{name}{i} = call {read_type} @{reader}(ptr %object{i})"
    if name == "wide":
        shorten = "fptrunc" if dtype.kind == "f" else "trunc"
        text += f"\n  %x{i} = {shorten} {read_type} %wide{i} to {llvm_type}"
    return llvm_type, text


# The entry's block is as long as its arguments are many, and a loop's with a part for each of them.
# LLVM's last scheduler takes the square of a block's length, and its search for what is written and
# never read a large multiple: from so many on, both are left out.
MANY_ARGUMENTS = 100


def has_many(signature: Sequence[str]) -> bool:
    return len(signature) >= MANY_ARGUMENTS


# What the option jax_optimization_level asks for.
_LEVELS = {"O0": 0, "O1": 1, "O2": 2, "O3": 3, "UNKNOWN": 3}


def asked_level() -> int:
    """How much LLVM is to do for kernels to be fast: the number in -O3."""
    return _LEVELS[config.jax_optimization_level]


def speed_level(signature: Sequence[str]) -> int:
    """How much LLVM does for a kernel of this signature."""
    return min(asked_level(), 1) if has_many(signature) else asked_level()


def entry_text(kernel: str, signature: Sequence[str]) -> str:
    """The entry to a kernel."""
    passed, unpacked, declared = [], [], set()
    for i, type_name in enumerate(signature):
        if is_array(type_name):
            llvm_type, text = "ptr", _ARRAY.format(i=i)
        else:
            dtype = np.dtype(type_name)
            declared.add(_READERS[dtype.kind])
            llvm_type, text = _number_text(i, dtype)
        unpacked += [f"  %slot{i} = getelementptr ptr, ptr %args, i64 {i}",
                     f"  %object{i} = load ptr, ptr %slot{i}", text]  # fmt: skip
        passed.append(f"{llvm_type} %x{i}")
    declarations = [f"declare {result} @{reader}(ptr)" for result, reader in sorted(declared)]
    attributes = "noinline optnone" if has_many(signature) else ""
    return _ENTRY.format(
        declarations="\n".join(declarations), unpacked="\n".join(unpacked), kernel=kernel,
        passed=", ".join(passed), attributes=attributes,
    )  # fmt: skip


# LLVM: the processor, the passes, the object file.


@cache
def _llvm_target() -> Any:
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


def _processor() -> tuple[str, str]:
    """The name and the features of the processor: this one's, or what Numba's settings say."""
    from llvmlite import binding as llvm

    name = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:
        features = "" if name == "generic" else llvm.get_host_cpu_features().flatten()
    return name, features


def has_masks() -> bool:
    """Whether the processor reads and writes parts of vectors, of any type: with AVX-512."""
    return "+avx512bw" in _processor()[1].split(",")


def host_machine(level: int = 3, less: str = "") -> Any:
    """What code is made for; `less` is a feature that it is not to have, of x86."""
    name, features = _processor()
    target = _llvm_target()
    if target.name.startswith("x86"):
        # For many processors LLVM makes vectors of half the size that they have: Intel's first
        # ones with AVX-512 ran slower while they used it. Elementwise kernels gain a third.
        whole = "-prefer-256-bit" if has_masks() else ""
        features = ",".join(filter(None, (features, whole, less)))
    if level == 0:
        # LLVM's quickest way to choose instructions has none for a product and a sum: results would
        # have other last bits than at other levels. The option is the process's, for this level.
        from llvmlite import binding as llvm

        llvm.set_option("", "-fast-isel=false")
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc=reloc,
                                        codemodel="jitdefault", jit=True)  # fmt: skip


# What llvmlite calls under a lock. Modules of different contexts have nothing in common: LLVM works
# on several at once.
_UNLOCKED = """LLVMPY_RunNewModulePassManager LLVMPY_DisposeNewModulePassManger
LLVMPY_TargetMachineEmitToMemory LLVMPY_GetBufferStart LLVMPY_GetBufferSize
LLVMPY_DisposeMemoryBuffer""".split()


@cache
def unlocked() -> SimpleNamespace | None:
    """Functions of llvmlite's library without the lock that lets one thread in at a time.

    None, after a warning, where the library lacks one of them: their names are llvmlite's own
    affair, and nothing else here knows them. `make numbas` tries the releases that pyproject.toml
    allows.
    """
    from llvmlite.binding import ffi

    found = [getattr(ffi.lib, name, None) for name in _UNLOCKED]
    if None in found:
        lacks = ", ".join(x for x, fun in zip(_UNLOCKED, found, strict=True) if fun is None)
        warn_of_release("llvmlite", lacks, "Kernels are compiled one after the other.")
        return None
    run, dispose, emit, start, size, dispose_buffer = (getattr(f, "_cfn", f) for f in found)
    return SimpleNamespace(run=run, dispose=dispose, emit=emit, start=start, size=size,
                           dispose_buffer=dispose_buffer)  # fmt: skip


def optimized(text: str, machine: Any, level: int = 3) -> Any:
    """LLVM's module of a text, which its own passes have made better."""
    from llvmlite import binding as llvm

    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    module = llvm.parse_assembly(layout + text, llvm.create_context())
    module.verify()
    # At 0, it is the choice of instructions and registers that is hurried. Without passes, it takes
    # hardly less time, and the code is many times as slow.
    options = llvm.create_pipeline_tuning_options(speed_level=max(level, 1))
    options.loop_vectorization = options.slp_vectorization = asked_level() > 1
    passes = llvm.create_pass_builder(machine, options)
    manager, library = passes.getModulePassManager(), unlocked()
    if library is None:
        manager.run(module, passes)
        return module
    library.run(manager, module, passes)
    # Up to 90 kB: as the manager's class is put together, its `close` frees nothing.
    library.dispose(manager)
    manager.detach()  # else a version whose `close` does free it would do so once more
    return module


def emitted(machine: Any, module: Any) -> bytes:
    """What `machine.emit_object` gives."""
    library = unlocked()
    if library is None:
        return machine.emit_object(module)
    error = ctypes.c_char_p()
    memory = library.emit(machine, module, True, ctypes.byref(error))
    if not memory:
        raise RuntimeError(f"LLVM emits no object file: {error.value}")
    try:
        return ctypes.string_at(library.start(memory), library.size(memory))
    finally:
        library.dispose_buffer(memory)


# From machine code to something that Python calls.


class _MethodDef(ctypes.Structure):
    """PyMethodDef, by which Python knows a function written in C."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]  # fmt: skip


# How the object files of Linux, macOS and Windows begin.
_OBJECT_FILES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")
_METH_FASTCALL = 0x80  # called as function(self, address of the arguments, their count)
_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
_keep_for_ever = ctypes.pythonapi.Py_IncRef
_keep_for_ever.argtypes = (ctypes.py_object,)


# Our names for functions of C's library, and C's.
_OF_C = {f"{FMOD}.f32": "fmodf", f"{FMOD}.f64": "fmod"}


def _library_of(name: str) -> Any:
    """Where a function of the process is looked for that LLVM is to be told of."""
    if name.startswith("call_python"):
        from minijax.compiler.special_cases.python_calls import c_functions

        return c_functions()
    if not name.endswith(("64_", "ILP64")):  # as BLAS's and LAPACK's do, in maths/
        return ctypes.pythonapi
    from minijax.compiler.maths.blas import numpys_library

    return numpys_library()


def _are_there(names: Sequence[str]) -> bool:
    """Whether LLVM finds these names; it is told those of Python's functions, of
    BLAS and LAPACK, and of calls of Python."""
    from llvmlite import binding as llvm

    for name in names:
        function = getattr(_library_of(name), _OF_C.get(name, name), None)
        if function is not None:
            llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
        elif not llvm.address_of_symbol(name):
            return False
    return True


def load(name: str, needed: str, code: bytes) -> Callable | None:
    """A builtin function that runs machine code, without the lock of Python's interpreter.

    None where the process lacks one of the names needed, or where this is no code: LLVM would end
    the process. The code's memory goes when the function goes.
    """
    from llvmlite import binding as llvm

    files = list(parts(code))
    if not all(file.startswith(_OBJECT_FILES) for file in files) or not files:
        return None
    if not _are_there(needed.split()):
        return None
    machine = _llvm_target().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    for file in files:
        engine.add_object_file(llvm.ObjectFileRef.from_data(file))
    engine.finalize_object()
    method = _MethodDef(name.encode(), engine.get_function_address("entry"), _METH_FASTCALL, None)
    # Python reads it as long as it has the function: also between two collections of garbage, of
    # which the first has taken all that only the function needed.
    _keep_for_ever(method)
    return _new_function(ctypes.addressof(method), engine, None)
