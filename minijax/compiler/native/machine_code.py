"""Native code: LLVM makes it of its own text, it is put into memory, and Python calls it.

The text comes from translate.py, or from Numba, which is imported for that. What was compiled once
needs neither, and mostly not LLVM.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from minijax.compiler.native.objects import address_of, put_in_memory

# What a kernel's arguments are: the address of an array's first element, or a number.


def is_array(type_name: str) -> bool:
    return type_name.endswith("[::1]")


def element(type_name: str) -> str:
    """The dtype's name in an argument's type: float32 in "float32[::1]" and in "float32"."""
    return type_name.removesuffix("[::1]")


# Which Python values are numbers of a kind, and how C reads them.
_NUMBERS = {
    "i": ((int, np.integer), "i64", "PyLong_AsLongLong"),
    "u": ((int, np.integer), "i64", "PyLong_AsUnsignedLongLongMask"),
    "f": ((float, int, np.floating), "double", "PyFloat_AsDouble"),
    "b": ((bool, np.bool_), "i32", "PyObject_IsTrue"),
}


def check_arguments(name: str, signature: Sequence[str], args: Sequence[Any]) -> None:
    """TypeError where native code would read memory that the arguments don't have."""
    if len(args) != len(signature):
        raise TypeError(f"{name} takes {len(signature)} arguments; got {len(args)}.")
    for position, (type_name, arg) in enumerate(zip(signature, args, strict=True)):
        dtype = np.dtype(element(type_name))
        if is_array(type_name):
            fits = isinstance(arg, np.ndarray) and arg.dtype == dtype
            fits = fits and arg.flags.c_contiguous and arg.flags.aligned
        else:
            fits = isinstance(arg, _NUMBERS[dtype.kind][0])
        if not fits:
            raise TypeError(
                f"Argument {position} of {name} must be {type_name}; got {describe(arg)}. "
                "An array is passed as a NumPy array, contiguous and aligned, a size as an int."
            )


def describe(arg: Any) -> str:
    return f"an array of {arg.dtype}" if isinstance(arg, np.ndarray) else type(arg).__name__


# The entry: a C function that Python calls with its objects. It is written as LLVM's text.

_ENTRY = """
{declarations}
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
@_Py_NoneStruct = external global i8

define ptr @entry(ptr %self, ptr %args, i64 %count) {attributes} {{
  %result = alloca ptr
  %error = alloca ptr
{unpacked}
  %thread = call ptr @PyEval_SaveThread()
  call {result} @{kernel}({passed}) noinline
  call void @PyEval_RestoreThread(ptr %thread)
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
}}
"""
# NumPy's array object begins as every Python object does; then comes the address of its data.
_ARRAY = f"""  %data{{i}} = getelementptr i8, ptr %object{{i}}, i64 {object.__basicsize__}
  %x{{i}} = load ptr, ptr %data{{i}}"""


def _number_text(i: int, dtype: np.dtype) -> tuple[str, str]:
    """LLVM's name for a number's type, and the lines that read it from a Python object."""
    _, read_type, reader = _NUMBERS[dtype.kind]
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


def speed_level(signature: Sequence[str]) -> int:
    """How much LLVM does for a kernel to be fast: the number in -O3."""
    return 3 if len(signature) < MANY_ARGUMENTS else 1


def entry_text(kernel: str, signature: Sequence[str], by_numba: bool) -> str:
    """The entry to a function; one of Numba's also wants room for a result and an error."""
    passed = ["ptr %result", "ptr %error"] if by_numba else []
    unpacked, declared = [], set()
    for i, type_name in enumerate(signature):
        if is_array(type_name):
            llvm_type, text = "ptr", _ARRAY.format(i=i)
        else:
            dtype = np.dtype(type_name)
            declared.add(_NUMBERS[dtype.kind][1:])
            llvm_type, text = _number_text(i, dtype)
        unpacked += [f"  %slot{i} = getelementptr ptr, ptr %args, i64 {i}",
                     f"  %object{i} = load ptr, ptr %slot{i}", text]  # fmt: skip
        passed.append(f"{llvm_type} %x{i}")
    declarations = [f"declare {result} @{reader}(ptr)" for result, reader in sorted(declared)]
    if by_numba:
        types = [argument.split()[0] for argument in passed]
        declarations.append(f"declare i32 @{kernel}({', '.join(types)})")
    attributes = "noinline optnone" if speed_level(signature) < 3 else ""
    return _ENTRY.format(declarations="\n".join(declarations), unpacked="\n".join(unpacked),
                         result="i32" if by_numba else "void", kernel=kernel,
                         passed=", ".join(passed), attributes=attributes)  # fmt: skip


# From a function in Python to native code, by Numba.


@cache
def numba_context() -> tuple[Any, Any]:
    """Numba's two tables: the types of what may be called, and the code for it."""
    from numba.core.registry import cpu_target

    from minijax.compiler.native import numba_rules  # noqa: F401  (teaches Numba)

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return cpu_target.typing_context, cpu_target.target_context


def _numba_types(signature: Sequence[str]) -> tuple:
    """An array is an address to Numba: what it would look after besides is compiled by nobody."""
    from numba import types

    names = {"bool": "boolean"}
    scalars = [getattr(types, names.get(element(name), element(name))) for name in signature]
    return tuple(types.CPointer(scalar) if is_array(name) else scalar
                 for name, scalar in zip(signature, scalars, strict=True))  # fmt: skip


def _numba_flags(fastmath: frozenset) -> Any:
    """No wrappers of Numba's own; arrays don't overlap; a division by zero gives what NumPy's does.

    `no_compile` leaves the function as LLVM's text, to which the entry is added.
    """
    from numba.core.compiler import Flags

    flags = Flags()
    flags.error_model, flags.fastmath, flags.noalias = "numpy", set(fastmath), True
    flags.no_cpython_wrapper, flags.no_cfunc_wrapper, flags.no_compile = True, True, True
    return flags


def numba_library(fun: Callable, signature: Sequence[str], fastmath: frozenset) -> Any:
    """A Numba library with the kernel and its entry in it, optimised and compiled."""
    from llvmlite import binding as llvm
    from numba.core import types
    from numba.core.compiler import compile_extra
    from numba.core.compiler_lock import global_compiler_lock

    typing, target = numba_context()
    with global_compiler_lock:
        library = target.codegen().create_library(fun.__name__)
        library.enable_object_caching()
        compiled = compile_extra(typing, target, fun, _numba_types(signature), types.void,
                                 _numba_flags(fastmath), {}, library=library)  # fmt: skip
        entry = entry_text(compiled.fndesc.mangled_name, signature, True)
        library.add_llvm_module(llvm.parse_assembly(entry))
        library.finalize()
    return library


def numba_code(fun: Callable, signature: Sequence[str], fastmath: frozenset) -> tuple[str, bytes]:
    """The names that a kernel's code needs from the process, and the code: an object file."""
    library = numba_library(fun, signature, fastmath)
    return _needed(library._final_module), library._get_compiled_object()


def numba_assembly(fun: Callable, signature: Sequence[str], fastmath: frozenset) -> str:
    library = numba_library(fun, signature, fastmath)
    return library._codegen._tm.emit_assembly(library._final_module)


# From LLVM's text to native code: what Numba does behind its own translation.


@cache
def _llvm_target() -> Any:
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


def host_machine(level: int = 3) -> Any:
    """The processor that code is made for: this one, or what Numba's settings say."""
    from llvmlite import binding as llvm

    name = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:
        features = "" if name == "generic" else llvm.get_host_cpu_features().flatten()
    target = _llvm_target()
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc=reloc,
                                        codemodel="jitdefault", jit=True)  # fmt: skip


def unlocked(name: str) -> Callable | None:
    """A function of llvmlite's library, without the lock that lets one thread in at a time.

    Modules of different contexts have nothing in common: LLVM works on several at once. None, where
    llvmlite's library has no such function: the names are its own affair.
    """
    from llvmlite.binding import ffi

    function = getattr(ffi.lib, name, None)
    return getattr(function, "_cfn", function)


def optimized(text: str, machine: Any, level: int = 3) -> Any:
    """LLVM's module of a text, which its own passes have made better."""
    from llvmlite import binding as llvm

    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    module = llvm.parse_assembly(layout + text, llvm.create_context())
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = True, False
    passes = llvm.create_pass_builder(machine, options)
    manager, run = passes.getModulePassManager(), unlocked("LLVMPY_RunNewModulePassManager")
    run(manager, module, passes) if run else manager.run(module, passes)
    dispose_of(manager)
    return module


def dispose_of(manager: Any) -> None:
    """Frees a pass manager, up to 90 kB: as its class is put together, `close` frees nothing."""
    dispose = unlocked("LLVMPY_DisposeNewModulePassManger")
    if dispose:
        dispose(manager)
        manager.detach()  # else a version whose `close` does free it would do so once more


def emitted(machine: Any, module: Any) -> bytes:
    """What `machine.emit_object` gives."""
    from llvmlite.binding import ffi

    emit = unlocked("LLVMPY_TargetMachineEmitToMemory")
    if emit is None:
        return machine.emit_object(module)
    with ffi.OutputString() as error:
        memory = emit(machine, module, True, error)
        if not memory:
            raise RuntimeError(f"LLVM emits no object file: {error}")
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(memory), ffi.lib.LLVMPY_GetBufferSize(memory)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(memory)


def code_of_text(text: str, kernel: str, signature: Sequence[str]) -> tuple[str, bytes]:
    """What `numba_code` gives, of a kernel that is LLVM's text already."""
    level = speed_level(signature)
    machine = host_machine(level)
    module = optimized(text + entry_text(kernel, signature, False), machine, level)
    return _needed(module), emitted(machine, module)


def assembly_of_text(text: str, kernel: str, signature: Sequence[str]) -> str:
    level = speed_level(signature)
    machine = host_machine(level)
    text += entry_text(kernel, signature, False)
    return machine.emit_assembly(optimized(text, machine, level))


def _needed(module: Any) -> str:
    """The names of functions that a module lacks."""
    declared = [f.name for f in module.functions if f.is_declaration]
    return " ".join(name for name in declared if not name.startswith("llvm."))


# From native code to something that Python calls: by hand, or by LLVM.


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


def _are_there(names: Sequence[str]) -> bool:
    from llvmlite import binding as llvm

    return all(llvm.address_of_symbol(name) for name in names)


def load_by_llvm(needed: str, code: bytes) -> tuple[Any, int] | None:
    """The engine that holds the code, and where `entry` begins in it.

    None where the process lacks one of the names that the code needs: LLVM would end the process.
    """
    from llvmlite import binding as llvm

    machine = _llvm_target().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    if not _are_there(needed.split()):
        numba_context()  # brings the names of Numba's own library
        if not _are_there(needed.split()):
            return None
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address("entry")


def load(name: str, needed: str, code: bytes) -> Callable | None:
    """A builtin function that runs native code, without the lock of Python's interpreter.

    None where the process lacks something, or where this is no code: LLVM would end the process.
    The code's memory goes when the function goes.
    """
    if not code.startswith(_OBJECT_FILES):
        return None
    loaded = put_in_memory(code) if all(map(address_of, needed.split())) else None
    loaded = loaded or load_by_llvm(needed, code)
    if loaded is None:
        return None
    memory, address = loaded
    method = _MethodDef(name.encode(), address, _METH_FASTCALL, None)
    # Python reads it as long as it has the function: also between two collections of garbage, of
    # which the first has taken all that only the function needed.
    _keep_for_ever(method)
    return _new_function(ctypes.addressof(method), memory, None)
