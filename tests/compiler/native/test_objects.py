"""Object files put into memory by hand do what they do when LLVM loads them."""

import ctypes
import gc
import platform
import struct
import sys
import weakref

import numpy as np
import pytest

from minijax.compiler.native import doors, machine_code, objects
from minijax.compiler.native.objects import put_in_memory

FLAGS = frozenset({"contract", "nsz"})
SIGNATURE = ("float32[::1]", "float32[::1]", "int64")
TEXT = """def kernel(x0, y0, n0):
    for i in range(n0):
        y0[i] = {}
"""
EXPRESSIONS = [
    "x0[i]", "x0[i] * float32(2.5)", "sin_f32(x0[i]) + exp_f32(x0[i])", "float32(cos_f64(x0[i]))",
    "pow_f32(abs(x0[i]), float32(0.3))", "float32(i) % float32(3.0)", "erf_f32(x0[i])",
]  # fmt: skip

is_here = sys.platform == "linux" and platform.machine() == "x86_64"
needs_this = pytest.mark.skipif(not is_here, reason="LLVM loads all files here")


def file_of(text):
    """The names that are needed, and the object file."""
    machine = machine_code.host_machine()
    module = machine_code.optimized(text, machine)
    return machine_code._needed(module), machine_code.emitted(machine, module)


def kernel_file(expression):
    return doors.native_code(TEXT.format(expression), "kernel", SIGNATURE, FLAGS, "<kernel>")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_same_as_by_llvm(expression, monkeypatch, told):
    needed, code = kernel_file(expression)
    x, results = np.linspace(-3, 3, 37, dtype=np.float32), []
    for by_hand in (True, False):
        if not by_hand:
            monkeypatch.setattr(machine_code, "put_in_memory", lambda code: None)
        y = np.zeros_like(x)
        machine_code.load("kernel", needed, code)(x, y, len(x))
        results.append(y.tobytes())
    assert results[0] == results[1]
    assert not is_here or put_in_memory(code) is not None


@needs_this
def test_a_table_of_constants():
    needed, code = file_of(
        "@table = private constant [3 x i64] [i64 7, i64 11, i64 13]\n"
        "define i64 @entry(i64 %i) {\n  %p = getelementptr i64, ptr @table, i64 %i\n"
        "  %x = load i64, ptr %p\n  ret i64 %x\n}\n")  # fmt: skip
    memory, address = put_in_memory(code)
    read = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)
    assert [read(i) for i in range(3)] == [7, 11, 13] and needed == "" and len(memory) > 24


@needs_this
def test_what_is_not_simple_is_left_to_llvm():
    """A variable that is written to, a name that nobody has, a hole of another kind."""
    counts = ("@count = global i64 5\ndefine i64 @entry() {\n  %x = load i64, ptr @count\n"
              "  %y = add i64 %x, 1\n  store i64 %y, ptr @count\n  ret i64 %y\n}\n")  # fmt: skip
    calls = ("declare i64 @nobody_has_this()\ndefine i64 @entry() {\n"
             "  %x = call i64 @nobody_has_this()\n  ret i64 %x\n}\n")  # fmt: skip
    assert put_in_memory(file_of(counts)[1]) is None
    assert put_in_memory(file_of(calls)[1]) is None
    _, code = kernel_file("sin_f32(x0[i])")
    assert put_in_memory(code) is not None
    places, _ = objects.layout(sections := objects.sections_of(code))
    [holes] = [s for s in sections if s.kind == 4 and s.info in places and s.size]
    other = bytearray(code)
    struct.pack_into("<I", other, holes.offset + 8, 2)
    assert put_in_memory(bytes(other)) is None


@pytest.mark.parametrize("place", [0, 4, 5, 18])
def test_other_files_are_not_ours(place):
    """Other marks, 32 bits, the other order of bytes, another processor; and nothing at all."""
    code = bytearray(kernel_file("x0[i]")[1])
    code[place] ^= 0x17
    assert put_in_memory(bytes(code)) is None
    assert put_in_memory(b"") is None and put_in_memory(b"\x7fELF") is None


def test_memory_goes_with_the_function():
    kernel = machine_code.load("kernel", *kernel_file("x0[i]"))
    memory = weakref.ref(kernel.__self__)
    assert memory() is not None
    del kernel
    gc.collect()
    assert memory() is None


@needs_this
def test_memory_that_may_not_be_run_is_left_to_llvm(monkeypatch):
    class Refusing:
        def __getattr__(self, name):
            return (lambda *args: -1) if name == "mprotect" else getattr(library, name)

    library = objects.ctypes.pythonapi
    code = kernel_file("x0[i]")[1]
    monkeypatch.setattr(objects, "address_of", lambda name: 1)
    monkeypatch.setattr(objects.ctypes, "pythonapi", Refusing())
    assert put_in_memory(code) is None


def test_the_processor_is_told_without_llvm(monkeypatch):
    facts = doors.processor()
    assert facts == doors.processor() and facts
    if is_here:
        assert facts[0] == "x86_64" and any(line.startswith("flags") for line in facts[2])
        assert not any("MHz" in line for line in facts[2])
    monkeypatch.setattr("builtins.open", lambda *args, **kwargs: (_ for _ in ()).throw(OSError()))
    name, features = doors.processor()
    assert name and "," in features


def test_what_python_reads_of_a_function_outlives_it(monkeypatch):
    """It is read once more while the function is collected, when its other parts may be gone."""
    seen, make = [], machine_code._new_function

    def spy(definition, *args):
        seen.append(definition)
        return make(definition, *args)

    monkeypatch.setattr(machine_code, "_new_function", spy)
    kernel = machine_code.load("kernel", *kernel_file("x0[i] + 1.5"))
    before = ctypes.string_at(seen[0], 32)
    del kernel
    gc.collect()
    others = [ctypes.create_string_buffer(b"\xff" * 31) for _ in range(1000)]
    assert ctypes.string_at(seen[0], 32) == before and others
