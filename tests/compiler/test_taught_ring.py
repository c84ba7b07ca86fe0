"""The compiler that the book builds runs without the engine room, and gives the same."""

import ast
import subprocess
import sys

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from book import MIRRORED_FAMILIES, TAUGHT_RING
from minijax import lax
from minijax.compiler import doors, kernel_functions
from minijax.compiler import executable as compiled
from minijax.compiler.backend import NumbaBackend
from minijax.compiler.kernels import fuse
from minijax.compiler.lowerings import Lowering, lowerings
from minijax.compiler.named_in_text import with_plain_numbers
from minijax.compiler.passes import simplify as passes
from minijax.compiler.passes.sum_blocks import with_blocks
from minijax.core.config import config
from minijax.core.jitting import CompileOptions
from test_layering import ROOT, imports_of, modules_below

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python")

MODULES = modules_below(ROOT)
TAUGHT = {path.removesuffix(".py").replace("/", ".") for path in TAUGHT_RING}


def engine_rooms(module):
    """The modules of the engine room that a module imports."""
    names = {name for name, _ in imports_of(module, MODULES)} - TAUGHT
    return {name for name in names if name.startswith("minijax.compiler.")
            and MODULES[name].name != "__init__.py"}  # fmt: skip


@pytest.mark.parametrize("module", sorted(TAUGHT))
def test_the_taught_ring_imports_none_of_the_engine_room(module):
    assert engine_rooms(module) == set()


def test_an_import_of_the_engine_room_is_found():
    assert "minijax.compiler.native.translate" in engine_rooms(
        "minijax.compiler.native.machine_code"
    )


def test_what_is_called_taught_is_there():
    assert [path for path in TAUGHT_RING if not (ROOT / path).is_file()] == []
    assert not set(TAUGHT_RING) & set(MIRRORED_FAMILIES)


# The same programs.

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)
PROGRAMS = {
    "softmax": lambda x: jax.nn.softmax(x * 2.0),
    "layer norm": lambda x: (x - x.mean(1, keepdims=True)) / (x.var(1, keepdims=True) + 0.1),
    "columns": lambda x: jnp.exp(x) / jnp.exp(x).sum(axis=0),
    "gradient": jax.grad(lambda x: jnp.sum(jnp.tanh(x @ x.T))),
    "second derivative": jax.grad(lambda x: jnp.sum(jax.grad(lambda y: jnp.sum(y**3))(x) ** 2)),
    "integers": lambda x: (x * 100).astype("int8") // 3 % 5,
    "comparisons": lambda x: jnp.where(x > 0.3, x, -x) > 1,
    "scan": lambda x: lax.scan(lambda c, y: (c * y + 1.0, c.sum()), x[0], x),
    "while": lambda x: lax.while_loop(lambda c: jnp.abs(c).sum() < 50, lambda c: c * 1.5, x),
    "cond": lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x),
    "updates": lambda x: lax.fori_loop(0, 4, lambda i, x: x.at[i, i].add(1.0), x),
    "products in a loop": lambda x: lax.fori_loop(0, 3, lambda i, y: 0.1 * (x @ x.T) @ y, x),
    "random": lambda x: x + jax.random.normal(jax.random.key(3), x.shape),
    "a large sum": lambda x: jnp.sum(jnp.ones((1024, 1024), "float32") * x[0, 0], axis=0)[:3],
    "sorted": lambda x: jnp.sort(x, axis=1) * 2.0,
}  # fmt: skip


def is_added(rule):
    """Whether a function of the engine room's is a rule, or makes one."""
    return "special_cases" in getattr(getattr(rule, "func", rule), "__module__", "")


def without_engine_room(monkeypatch):
    """The tables of the taught ring as it fills them itself."""
    monkeypatch.setattr(kernel_functions, "function_modules", kernel_functions.function_modules[:1])
    kernel_functions.kernel_names.cache_clear()
    monkeypatch.setattr(compiled, "PASSES", [with_plain_numbers, passes.simplify, with_blocks])
    monkeypatch.setattr(passes, "RULES", [passes.fold, passes.by_primitive])
    taught_passes = [passes.rewrite, passes.share, passes.prune, passes.inline]
    monkeypatch.setattr(passes, "ROUND", taught_passes)
    monkeypatch.setattr(fuse, "WAYS", [fuse.join, fuse.begin])
    for primitive, record in list(lowerings.items()):
        taught = {kind: rule for kind, rule in record._asdict().items() if not is_added(rule)}
        monkeypatch.setitem(lowerings, primitive, Lowering(**taught))
    jax.clear_caches()
    monkeypatch.setattr(doors, "doors", {"numba": doors.doors["numba"]})
    monkeypatch.setattr(doors, "_kernels", {})


@pytest.fixture
def all_names_again():
    yield
    kernel_functions.kernel_names.cache_clear()


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_without_the_engine_room(name, all_names_again, monkeypatch):
    fun = PROGRAMS[name]
    with_all = jax.tree.leaves(jax.jit(fun)(X))
    closed = jax.make_jaxpr(fun)(X)
    without_engine_room(monkeypatch)
    executable = NumbaBackend("direct").compile(closed, CompileOptions(name, ()))
    assert {kernel.door for kernel in doors._kernels.values()} <= {"numba"}
    found = executable(jnp.asarray(X))
    assert len(found) == len(with_all)
    for x, y in zip(found, with_all, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        if x.dtype.kind == "f":  # a product and a sum may be one instruction here, and two there
            np.testing.assert_allclose(x, y, rtol=2e-6, atol=2e-6)
        else:
            np.testing.assert_array_equal(x, y)


# The option.


@pytest.mark.usefixtures("on_numba")
def test_a_jitted_function_takes_the_door_that_is_named():
    f = jax.jit(lambda x: jnp.exp(x) * 41.5)
    x = jnp.arange(3.0)
    direct = f(x)
    before = config.jit_kernels
    config.update("jit_kernels", "numba")
    try:
        np.testing.assert_allclose(f(x), direct, rtol=1e-6)
        assert "# Compiled by the door 'numba'." in str(jax.explain(f)(x))
    finally:
        config.update("jit_kernels", before)
    assert {k.door for k in doors._kernels.values() if "41.5" in k.source} == {"direct", "numba"}


def test_another_door_is_refused_by_name():
    with pytest.raises(ValueError, match="jit_kernels is one of 'direct', 'numba'; got 'llvm'"):
        config.update("jit_kernels", "llvm")


def private_imports(tree):
    """The modules of Numba's that a text imports, other than those its manual describes."""
    public = {"numba", "numba.types", "numba.extending"}
    found = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    found += [x.name for node in ast.walk(tree) if isinstance(node, ast.Import) for x in node.names]
    return {name for name in found if name and name.split(".")[0] == "numba"} - public


def test_numba_is_asked_by_its_public_names_alone():
    assert private_imports(ast.parse("from numba.core import compiler"))
    for module, file in MODULES.items():
        assert not private_imports(ast.parse(file.read_text(encoding="utf-8"))), module


FRESH = """
import sys
import minijax as jax, minijax.numpy as jnp
print(jax.jit(lambda x: jnp.sum(jnp.exp(x)))(jnp.zeros(4)))
print(any(name.startswith("minijax.compiler.native") for name in sys.modules))
"""


def test_numbas_door_needs_no_native_room():
    command = [sys.executable, "-c", FRESH]
    env = {"MINIJAX_JIT_KERNELS": "numba", "MINIJAX_COMPILATION_CACHE_DIR": "", "PATH": ""}
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.stdout.split() == ["4.0", "False"], done.stderr
