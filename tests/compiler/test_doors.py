"""Doors: whose functions a kernel may call, and what is there without sources, or without Numba."""

import linecache
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numba
import numpy as np
import pytest

import minijax as jax
from minijax.compiler import doors, kernel_functions
from minijax.compiler.executable import Executable
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths import elementary, precisions
from minijax.compiler.native import environment, function_texts, translate
from minijax.core.config import config
from minijax.core.extend import numpy_primitive
from minijax.core.jitting import CompileOptions
from minijax.extend import register_kernel_function

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python")


# A function that is not the package's.


def given(monkeypatch, text):
    """A program whose kernel calls a user's own function, which has this text."""
    names = {"__name__": "users"}
    lines = ["def own(x):\n", f"    return {text}\n"]
    linecache.cache["<users>"] = (1, None, lines, "<users>")
    exec(compile("".join(lines), "<users>", "exec"), names)
    monkeypatch.setattr(elementary, "own_f32", precisions.inlined(names["own"]), raising=False)
    kernel_functions.kernel_names.cache_clear()
    own_p = numpy_primitive("own", lambda x: x, lambda x: names["own"](x).astype(x.dtype))
    register_lowering(own_p, template="own_{t}({0})")
    return jax.jit(lambda x: own_p.bind(x) - 1)


@pytest.fixture
def functions(monkeypatch):
    kernel_functions.kernel_names()  # imports all of them
    known = list(precisions.functions)
    yield
    precisions.functions[:] = known
    monkeypatch.undo()
    kernel_functions.kernel_names.cache_clear()


def test_a_users_function_is_not_kept(monkeypatch, tmp_path, functions):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path))
    f, x = given(monkeypatch, "x * x"), jax.numpy.arange(3.0)
    np.testing.assert_array_equal(f(x), [-1, 0, 3])
    assert not list(tmp_path.glob("**/*.*"))
    np.testing.assert_array_equal(jax.jit(lambda x: jax.numpy.exp(x) * 0 + x)(x), x)


def test_a_users_function_that_was_changed_gives_what_it_now_gives(monkeypatch, functions):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    x = jax.numpy.arange(3.0)
    for text, wanted in (("x * x", [-1, 0, 3]), ("x + x", [-1, 1, 3]), ("x * x", [-1, 0, 3])):
        np.testing.assert_array_equal(given(monkeypatch, text)(x), wanted)


# Sources that can't be read, or are in an archive.

PROGRAM = """
import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.native import caches, environment

assert {archive!r} in jax.__file__
if {archive!r} == "sources.zip":
    caches.by_numba = None  # our translator does it
print(jax.jit(lambda x: jnp.sum(jnp.exp(x) + jnp.tan(x)))(jnp.zeros(3)))
print(len(environment.own_texts()))
"""


@pytest.mark.prove
def test_from_an_archive(tmp_path):
    """With sources our translator reads them; without, Numba reads the bytecode."""
    package = Path(jax.__file__).parent
    with zipfile.PyZipFile(tmp_path / "bytecode.zip", "w") as archive:
        archive.writepy(str(package))
    with zipfile.ZipFile(tmp_path / "sources.zip", "w") as archive:
        for file in package.rglob("*.py"):
            archive.write(file, file.relative_to(package.parent))
    for name, texts in (("sources.zip", len(environment._FILES)), ("bytecode.zip", 1)):
        env = {**os.environ, "PYTHONPATH": str(tmp_path / name),
               "MINIJAX_COMPILATION_CACHE_DIR": str(tmp_path / "kernels")}  # fmt: skip
        command = [sys.executable, "-P", "-c", PROGRAM.format(archive=name)]
        run = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert run.stdout.split() == ["3.0", str(texts)], run.stderr


def test_without_sources_numba_does_it(monkeypatch, told):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setattr(linecache, "getlines", lambda *_: [])
    translate.helper.cache_clear()
    function_texts.tree_of.cache_clear()
    x = np.linspace(-1, 1, 7, dtype="float32")
    np.testing.assert_allclose(jax.jit(lambda x: jax.numpy.exp(x) - 7)(x), np.exp(x) - 7, 1e-6)


WITHOUT_NUMBA = """
import sys, warnings
sys.modules["numba"] = None
import minijax as jax
import minijax.numpy as jnp

warnings.simplefilter("ignore")
f = jax.jit(jax.grad(lambda x: jnp.sum(jnp.sin(x))))
lowered, x = f.lower(jnp.zeros(3)), jnp.zeros(3)
compiled = lowered.compile()
print(f(x), compiled(x))
for part in (lowered.as_text, lowered.cost_analysis, compiled.as_text, compiled.cost_analysis,
             compiled.memory_analysis):
    assert part() is not None, part
try:
    jax.explain(f)(x)
except ImportError as error:
    print("ImportError:", str(error).partition(",")[0])
"""


def test_without_numba():
    run = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True)
    assert run.stdout.splitlines() == [
        "[1. 1. 1.] [1. 1. 1.]", "ImportError: minijax.explain shows what the compiler makes",
    ], run.stderr  # fmt: skip


# Functions that are registered.


def softsign_p(template, fun):
    primitive = numpy_primitive("softsign", lambda x: x, lambda x: fun(x).astype(x.dtype))
    register_lowering(primitive, template=template)
    return primitive


@pytest.fixture
def registering(functions):
    before = dict(kernel_functions.registered)
    yield
    kernel_functions.registered.clear()
    kernel_functions.registered.update(before)
    kernel_functions.kernel_names.cache_clear()


def softsign(x):
    return x / (1.0 + abs(x))


@pytest.mark.parametrize("template", ["softsign_{t}({0})", "softsign({0})"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("door", ["direct", "numba"])
def test_a_registered_function_is_called_by_kernels(template, dtype, door, registering):
    assert register_kernel_function(softsign) is softsign
    primitive = softsign_p(template, softsign)
    with jax.enable_x64(True), config.override("jit_kernels", door):
        x = np.linspace(-2, 2, 9, dtype=dtype)
        closed = jax.make_jaxpr(lambda x: primitive.bind(x) * 2)(x)
        executable = Executable(closed, CompileOptions("f", ()))
        assert not executable.binds and "softsign" in executable.as_text()
        [found] = executable(jax.numpy.asarray(x))
    np.testing.assert_allclose(found, 2 * softsign(x), rtol=1e-6)


def test_what_the_translator_does_not_know_numba_compiles(registering):
    def binary_digits(x):
        total = 0.0
        for c in (1.0, 0.5, 0.25):
            while x >= c:
                x, total = x - c, total + 1.0
        return total

    register_kernel_function(numba.njit(binary_digits))
    primitive = softsign_p("binary_digits({0})", np.vectorize(binary_digits))
    x = np.array([0.3, 1.8, 2.25], np.float32)
    np.testing.assert_array_equal(jax.jit(lambda x: primitive.bind(x) + 0.5)(x), [1.5, 3.5, 3.5])


@pytest.mark.usefixtures("on_numba")
def test_a_function_that_is_registered_again_is_the_new_one(registering):
    primitive = softsign_p("twice({0})", lambda x: x)
    f = jax.jit(lambda x: primitive.bind(x) + 0.0)
    register_kernel_function(lambda x: x * 2, "twice")
    np.testing.assert_array_equal(f(np.float32([1, 2])), [2, 4])
    register_kernel_function(lambda x: x * 3, "twice")
    np.testing.assert_array_equal(f(np.float32([1, 2])), [3, 6])


@pytest.mark.parametrize(("name", "error"), [
    ("exp_f32", ValueError), ("x0", ValueError), ("lo", ValueError), ("part3", ValueError),
    ("a b", ValueError), ("exec(1)", ValueError), ("lambda", ValueError), ("f\n", ValueError),
    ("i0_1", ValueError), ("float32", ValueError),
])  # fmt: skip
def test_a_name_that_kernels_can_not_use_is_refused(name, error, registering):
    with pytest.raises(error, match="register_kernel_function"):
        register_kernel_function(softsign, name)
    assert name not in kernel_functions.registered


def test_what_is_no_function_of_pythons_is_refused():
    with pytest.raises(TypeError, match="takes a function written in Python, and got ufunc"):
        register_kernel_function(np.exp)


# Kernels that are called by hand.


@pytest.mark.parametrize("out, error", [
    (np.zeros(3), TypeError), (np.zeros(6, "float32")[::2], TypeError),
    (np.zeros((2, 3), "float32").T, ValueError),
])  # fmt: skip
def test_numba_refuses_what_its_kernel_was_not_compiled_for(out, error):
    text = "def kernel(x0, y0, n):\n    for i in range(n):\n        y0[i] = x0[i]\n"
    signature = ("float32[::1]", "float32[::1]", "int64")
    kernel = doors.compile_source(text, "kernel", signature, doors.FLAGS, "numba")
    with pytest.raises(error):
        kernel(np.ones(3, np.float32), out, 3)
    assert not out.any()
