"""One random program (tests/program_texts.py) in JAX and in minijax: what differs, and shrunk.

    .venv-oracle/bin/python -m oracle.program_runs FIRST LAST    from the folder tests
"""

import collections
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

import minijax
from oracle import facts
from oracle.known_programs import is_known
from program_texts import SETUP, Maker, Oracle, Program

PACKAGES = {"jax": jax, "minijax": minijax}
# Of a result, beyond what moving each value by its last digit changes.
RELATIVE = {"bfloat16": 3e-2, "float16": 4e-3, "float32": 1e-5, "float64": 1e-11}
NUDGE = """
def nudge(tree, sign):
    def moved(x):
        if not hasattr(x, "dtype") or not is_float(x):
            return x
        signs = sign * (-1) ** jnp.arange(x.size).reshape(x.shape)
        return x * (1 + jnp.finfo(x.dtype).eps * signs).astype(x.dtype)
    return jax.tree.map(moved, tree)
"""


def fresh(package: str) -> dict[str, Any]:
    names = facts.namespace(package)
    exec(SETUP + NUDGE, names)
    return names


class Outcome:
    """What a program comes to: an exception, or a structure with leaves."""

    def __init__(self, error: Exception | None = None, tree: Any = None, leaves: Any = ()):
        self.error, self.tree, self.leaves = error, tree, leaves


class Runner:
    def __init__(self):
        self.names = {package: fresh(package) for package in PACKAGES}
        self.oracle = Oracle(facts.namespace)

    def make(self, seed: int) -> Program:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Maker(seed, self.oracle).make()

    def run_in_jax(self, program: Program) -> Outcome:
        """In one compilation where that can be: operation by operation it takes thrice the time."""
        if program.steps or program.seed % 8:
            outcome = self.run(program._replace(steps=("jit", *program.steps)), "jax")
            if not outcome.error:
                return outcome
        return self.run(program, "jax")

    def run(self, program: Program, package: str) -> Outcome:
        with warnings.catch_warnings(), PACKAGES[package].enable_x64(program.x64):
            warnings.simplefilter("ignore")
            try:
                out = facts.evaluate(program.text(), dict(self.names[package]))
                leaves, tree = PACKAGES[package].tree.flatten(out)
                return Outcome(None, str(tree), [read(x) for x in leaves])
            except Exception as error:
                return Outcome(error.with_traceback(None))

    def difference(self, program: Program) -> str | None:
        want, got = self.run_in_jax(program), self.run(program, "minijax")
        found = self.compared(program, got, want)
        if found:
            want = self.run(program, "jax")
            found = self.compared(program, got, want)
        if found is None and got.error is None:
            again = self.compared(program, self.run(program, "minijax"), want)
            found = again and f"second call: {again}"
            found = found or self.jaxpr_difference(program)
        return found

    def jaxpr_difference(self, program: Program) -> str | None:
        """Of programs of lax and operators alone; the library's jaxprs are other tests'."""
        text = " ".join(text for _, text in program.statements)
        if program.steps or re.search(r"jax\.|random\.|jnp\.(?!array|zeros)", text):
            return None
        of_text = program._replace(steps=("text_of",))
        want, got = self.run(of_text, "jax"), self.run(of_text, "minijax")
        if got.error or want.error:
            return None
        ours, theirs = (with_python_integers(x.leaves[0][3]) for x in (got, want))
        return None if ours.split() == theirs.split() else f"jaxpr: {ours}\nexpected {theirs}"

    def compared(self, program: Program, got: Outcome, want: Outcome) -> str | None:
        if got.error or want.error:
            return errors_difference(got.error, want.error)
        if got.tree != want.tree:
            return f"structure: {got.tree}, expected {want.tree}"
        pairs = list(zip(got.leaves, want.leaves, strict=True))
        for a, b in pairs:
            if a[:3] != b[:3]:
                return f"type: {a[:3]}, expected {b[:3]}"
        if not any(leaf_difference(a[3], b[3], program.exact) for a, b in pairs):
            return None
        return self.beyond_conditioning(program, got, want)

    def beyond_conditioning(self, program: Program, got: Outcome, want: Outcome) -> str | None:
        moved = [self.run_in_jax(nudged(program, sign)) for sign in (1, -1)]
        for i, (a, b) in enumerate(zip(got.leaves, want.leaves, strict=True)):
            others = [m.leaves[i][3] for m in moved if not m.error]
            if leaf_difference(a[3], b[3], program.exact, others):
                return f"values: {shown(a[3])}, expected {shown(b[3])}"
        return None

    def shrunk(self, program: Program) -> Program:
        """A smaller program that differs in the same way, as far as that is easily found."""
        found = self.difference(program)
        sort = found and found.split(":")[0]
        smaller = True
        while smaller:
            smaller = False
            for candidate in candidates(program):
                difference = self.difference(candidate)
                if difference and difference.split(":")[0] == sort:
                    program, smaller = candidate, True
                    break
        return program


def with_python_integers(text: str) -> str:
    """Some of JAX's batching rules leave NumPy's integers in parameters, which lengthen lines."""
    text = re.sub(r"np\.int\d+\((-?\d+)\)", r"\1", text)
    return re.sub(r"\[\s*([^\[\]]*?)\s*\]", r"[\1]", text)


def read(x: Any) -> tuple:
    weak = bool(getattr(x, "weak_type", False))
    if hasattr(x, "dtype") and str(x.dtype).startswith("key"):
        return (str(x.dtype), x.shape, weak, str(x))
    if isinstance(x, str):
        return ("str", (), None, x)
    array = np.asarray(x)
    return (array.dtype.name if array.dtype.names is None else "float0", array.shape, weak, array)


def errors_difference(got: Exception | None, want: Exception | None) -> str | None:
    a, b = (facts.lineage(type(e)) if e else "no exception" for e in (got, want))
    if a == b:
        return None
    return f"exception: {a} {str(got)[:300]!r}, expected {b} {str(want)[:300]!r}"


def leaf_difference(got: Any, want: Any, exact: bool, moved: Any = ()) -> bool:
    if isinstance(want, str):
        return got != want
    if want.dtype.kind == "V" and want.dtype.name == "void":  # float0
        return False
    if want.dtype.kind in "biu":
        differs = got != want
        for other in moved:
            differs = differs & (other == want)
        return bool(np.any(differs))
    if exact and not moved:
        return bits(got) != bits(want)
    if want.dtype.kind == "c":
        if parts_close(got, want, moved):
            return False
        pairs = [(x.real, x.imag) for x in (got, want, *moved)]
        return any(leaf_difference(p[0], p[1], False, p[2:]) for p in zip(*pairs, strict=True))
    relative = RELATIVE[want.dtype.name]
    tiny = 4 * float(ml_tiny(want.dtype))
    a, b, *others = (np.asarray(x, "float64") for x in (got, want, *moved))
    with np.errstate(all="ignore"):
        spread = sum((np.abs(o - b) for o in others), np.zeros_like(b))
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | ~np.isfinite(spread)
        near = np.abs(a - b) <= relative * np.abs(b) + 16 * spread + tiny
        return not np.all(same | near)


def parts_close(got: Any, want: Any, moved: Any) -> bool:
    """Whether complex numbers are near each other as points, where all are finite."""
    part = "float32" if want.dtype.name == "complex64" else "float64"
    a, b, *others = (np.asarray(x, "complex128") for x in (got, want, *moved))
    with np.errstate(all="ignore"):
        spread = sum((np.abs(o - b) for o in others), np.zeros(b.shape))
        near = np.abs(a - b) <= RELATIVE[part] * np.abs(b) + 16 * spread + 4 * np.finfo(part).tiny
        both_nan = [np.isnan(x.real) & np.isnan(x.imag) for x in (a, b)]
        return bool(np.all(near | (both_nan[0] & both_nan[1])))


def ml_tiny(dtype: Any) -> float:
    return minijax.numpy.finfo(dtype).tiny


def bits(x: np.ndarray) -> bytes:
    """The bits of an array, with one NaN for all."""
    return np.where(x != x, np.asarray(np.nan, x.dtype), x).astype(x.dtype).tobytes()


def shown(x: Any) -> str:
    return repr(x.tolist() if hasattr(x, "tolist") else x)[:400]


def nudged(program: Program, sign: int) -> Program:
    """The program with each of its values moved by the last digit."""
    return program._replace(
        inputs=[(name, f"nudge({text}, {sign})") for name, text in program.inputs],
        statements=[(n, f"nudge({text}, {sign})") for n, text in program.statements],
    )


def candidates(program: Program) -> Iterator[Program]:
    for i in range(len(program.steps)):
        yield program._replace(steps=program.steps[:i] + program.steps[i + 1 :])
    if len(program.outputs) > 1:
        for name in program.outputs:
            yield program._replace(outputs=[name])
    for i, (names, _) in enumerate(program.statements):
        rest = program.statements[:i] + program.statements[i + 1 :]
        after = " ".join(text for _, text in rest[i:]) + " " + " ".join(program.outputs)
        if not any(uses(after, name) for name in names.rstrip(",").split(", ")):
            yield program._replace(statements=rest)
    body = " ".join(text for _, text in program.statements) + " " + " ".join(program.outputs)
    for i, (name, _) in enumerate(program.inputs):
        if not uses(body, name) and len(program.inputs) > 1:
            yield program._replace(inputs=program.inputs[:i] + program.inputs[i + 1 :])
    last = program.statements[-1:] and program.statements[-1]
    if len(program.statements) > 1 and last:
        yield program._replace(
            statements=program.statements[:-1],
            outputs=program.statements[-2][0].rstrip(",").split(", "),
        )


def uses(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){name}\b", text) is not None


def main(first: int, last: int) -> None:
    runner, found, known, start = Runner(), 0, collections.Counter(), time.monotonic()
    for seed in range(first, last):
        if seed % 100 == 0:
            jax.clear_caches()
            minijax.clear_caches()
            print(f"{seed - first} programs, {found} differ", file=sys.stderr, flush=True)
        try:
            program = runner.make(seed)
            difference = runner.difference(program)
        except Exception as error:
            print(f"# program {seed}: {type(error).__name__}: {error}", flush=True)
            raise
        if difference:
            reason = is_known(program, difference)
            if reason:
                known[reason] += 1
                continue
            found += 1
            small = runner.shrunk(program)
            print(f"{small}\n## {runner.difference(small)}\n", flush=True)
    seconds = time.monotonic() - start
    print(f"{last - first} programs, {found} differ, known {dict(known)}, {seconds:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
