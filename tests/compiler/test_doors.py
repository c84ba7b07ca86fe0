"""Doors: whose functions a kernel may call, and what is there without sources, or without Numba."""

import linecache
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
from minijax.compiler import doors
from minijax.compiler.lowerings import scalar_rules
from minijax.compiler.maths import elementary, precisions
from minijax.compiler.native import environment, translate
from minijax.core.extend import numpy_primitive

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python")


# A function that is not the package's.


def given(monkeypatch, text):
    """A program whose kernel calls a user's own function, which has this text."""
    names = {"__name__": "users"}
    lines = ["def own(x):\n", f"    return {text}\n"]
    linecache.cache["<users>"] = (1, None, lines, "<users>")
    exec(compile("".join(lines), "<users>", "exec"), names)
    monkeypatch.setattr(elementary, "own_f32", precisions.inlined(names["own"]), raising=False)
    doors.kernel_names.cache_clear()
    own_p = numpy_primitive("own", lambda x: x, lambda x: names["own"](x).astype(x.dtype))
    monkeypatch.setitem(scalar_rules, own_p, "own_{t}({0})")
    return jax.jit(lambda x: own_p.bind(x) - 1)


@pytest.fixture
def functions(monkeypatch):
    doors.kernel_names()  # imports all of them
    known = list(precisions.functions)
    yield
    precisions.functions[:] = known
    monkeypatch.undo()
    doors.kernel_names.cache_clear()


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
