"""Words of the glossary that an explanation uses: a package has no notebooks beside it.

notebooks/glossary.md is where they are written; tests/stages/test_explaining_page.py compares.
"""

from __future__ import annotations

WORDS: dict[str, str] = {
    "buffer": "a piece of memory in which an executable keeps one array after the other.",
    "collective": "an operation over all examples along a named axis, such as their sum.",
    "door": (
        "one of the two ways from a kernel's text to native code, our own translator's or "
        "Numba's."
    ),
    "equation": (
        "a line of a jaxpr: a primitive with its params, the atoms that it reads, and the "
        "variables that are its results."
    ),
    "inline": "to put a program's equations in the place of its call.",
    "jaxpr": "a function as data: inputs, equations that each apply a primitive, and results.",
    "kernel":
        "a step of a compiled program that is one nest of loops, run as native code; by hand, a "
        "function of references that runs over a grid.",
    "literal": "a number that stands in an equation itself.",
    "llvm": (
        "the compiler behind Numba and our own translator, which makes vector instructions of a "
        "kernel's loops."
    ),
    "lowering": (
        "the step from a primitive to what a compiler writes for it, and the rule that says so."
    ),
    "mesh": "an array of devices, whose axes have names.",
    "native code": "instructions that the processor runs by itself, with no Python between.",
    "numba": (
        "a compiler for Python functions on arrays, which compiles kernels, by `jit_kernels`, and "
        "what our own translator refuses."
    ),
    "part": "a step of a loop's body, as a function that the loop's kernel calls.",
    "pass": (
        "a stage of a compiler that takes a program and returns a program; in a kernel, one run "
        "along a row."
    ),
    "primitive": (
        "an operation that a trace can be asked for; transformations have a rule for each."
    ),
    "reduction": "an operation that makes axes disappear, such as a sum or a maximum along them.",
    "step": (
        "a piece of a compiled program, which is a kernel, or one equation that is left to NumPy; "
        "also what a loop does in each turn."
    ),
    "view": (
        "an operation that only changes where an element is found, such as a transpose, so that "
        "nothing need be computed."
    ),
}
