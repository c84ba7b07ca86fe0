"""A way that gives up says why: an unexpected reason is an error while the tests run."""

import ast
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler import fallbacks
from minijax.compiler.dispatch import eager, straight_line
from minijax.compiler.native import translate
from minijax.core.extend import CompileOptions, numpy_primitive
from tests.conftest import UnexpectedFallback

X = jnp.array([1.5, -2.0, 0.0])
PACKAGE = Path(jax.__file__).parent


def broken(*args, **kwargs):
    raise AttributeError("a fault of ours")


broken_p = numpy_primitive("broken", lambda x: x, broken)


def fault_in_a_path(patch):
    patch.setattr(eager, "write_path", broken)
    return jnp.sinh


def fault_in_a_call_of_a_path(patch):
    patch.setattr(straight_line, "straight_line", lambda *args: broken)
    return jnp.cosh


def fault_in_a_program_on_numpy(patch):
    patch.setattr(straight_line, "straight_line", lambda *args: broken)
    closed = jax.make_jaxpr(lambda x: x * 2)(X)
    with jax.enable_checks(False):
        return straight_line.StraightBackend().compile(closed, CompileOptions("f", ()))


def fault_in_the_translator(patch):
    patch.setattr(translate.Statements, "code", broken)
    patch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    return jax.jit(lambda x: x * 17 - x)


def fault_in_what_is_known(patch):
    return jax.jit(lambda x: jax.lax.cond(x[0] > 0, lambda: x, lambda: x + broken_p.bind(2.0)))


FAULTS = [fault_in_a_path, fault_in_a_call_of_a_path, fault_in_a_program_on_numpy,
          fault_in_the_translator, fault_in_what_is_known]  # fmt: skip


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_ours_is_seen(fault, monkeypatch):
    jax.clear_caches()
    with monkeypatch.context() as patch:
        fun = fault(patch)
        with pytest.raises(UnexpectedFallback, match="a fault of ours"):
            for _ in range(3):
                fun(X)
    jax.clear_caches()


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize("fault", FAULTS)
def test_without_the_watcher_it_costs_time_alone(fault, monkeypatch, told):
    jax.clear_caches()
    expected = [np.asarray(fun(X)) for fun in (jnp.sinh, jnp.cosh, lambda x: x * 2,
                                               lambda x: x * 17 - x, lambda x: x)]  # fmt: skip
    with monkeypatch.context() as patch:
        fun = fault(patch)
        outs = [fun(X) for _ in range(3)]
    for out in outs:
        [out] = jax.tree.leaves(out)
        np.testing.assert_allclose(out, expected[FAULTS.index(fault)], rtol=1e-6)
    assert told
    jax.clear_caches()


def test_a_wrong_call_is_no_fallback(told):
    for _ in range(3):
        with pytest.raises(ValueError):
            jnp.sum(X, axis=5)
        with pytest.raises(OverflowError):
            jnp.arange(3) + 2**40
    assert told == []


def test_the_list_is_short_and_gives_reasons():
    assert len(fallbacks.EXPECTED) < 12
    assert all(reason.endswith(".") for reason in fallbacks.EXPECTED.values())


# Whoever catches everything raises something, or says so.

ELSEWHERE = {
    "runtime_as_jax.py": 1,  # a script's error is printed
    "errors.py": 1,  # a value that is refused may not print
    "staging.py": 1,  # nor an equation
    "programs_seen.py": 2,  # nor a parameter of one that is watched
    "recorder.py": 1,  # nor its error
    "breakpoints.py": 1,  # nor a variable, at the prompt
    "device_threads.py": 1,  # a device's error ends the others
    "python_calls.py": 1,  # an error waits until the kernel has returned
    "sized_slices.py": 1,  # what has no size that compares is refused
}


def is_told(handler):
    """Whether a handler raises, tells `fall_back` or a user, or keeps the error for `instead`."""
    names = {node.id for node in ast.walk(handler) if isinstance(node, ast.Name)}
    raises = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
    return raises or bool(names & {"fall_back", "failed", "warn_of_release"})


def handlers_of(file, only_broad):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            name = ast.unparse(node.type) if node.type else "Exception"
            if name in ("Exception", "BaseException") or (not only_broad and name != "OSError"):
                yield node


def test_nothing_is_caught_in_silence():
    silent = {}
    for file in PACKAGE.rglob("*.py"):
        number = sum(not is_told(handler) for handler in handlers_of(file, only_broad=True))
        silent |= {file.name: number} if number else {}
    assert silent == ELSEWHERE


# Of the compiler's, all handlers. These catch one thing that they ask for.
ASKED = {
    "eager.py": 1, "caches.py": 4, "environment.py": 1, "translate.py": 1, "fallbacks.py": 1,
    "python_calls.py": 1, "written_in_place.py": 1,
}  # fmt: skip


def test_the_compiler_catches_nothing_in_silence():
    silent = {}
    for file in (PACKAGE / "compiler").rglob("*.py"):
        number = sum(not is_told(handler) for handler in handlers_of(file, only_broad=False))
        silent |= {file.name: number} if number else {}
    assert silent == ASKED
