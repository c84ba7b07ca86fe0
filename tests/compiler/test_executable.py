"""Executables: which threads compile their kernels, and that it makes no difference."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler import doors
from minijax.compiler import executable as compiled
from minijax.compiler.executable import Executable
from minijax.compiler.lowerings import lowerings
from minijax.compiler.maths import blas
from minijax.compiler.native import caches, machine_code
from minijax.core.config import clear_caches
from minijax.core.jitting import CompileOptions
from minijax.core.primitives import dot_general_p
from minijax.core.staging import ClosedJaxpr, Var

KERNELS = 6

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path))
    clear_caches()
    yield tmp_path
    clear_caches()


IDENTITY = np.eye(300, dtype=np.float32)


def several(x):
    """A kernel for each step, with a product between two of them, which is none."""
    for k in range(KERNELS):
        x = jnp.sin(IDENTITY @ x) + float(k)
    return x


def executable_of(fun, *args):
    return Executable(jax.make_jaxpr(fun)(*args), CompileOptions("f", ()))


@pytest.fixture
def compilers(monkeypatch):
    """The threads that kernels were compiled in, by text."""
    found, original = {}, machine_code.native_code

    def native_code(source, *rest):
        assert source not in found
        found[source] = threading.current_thread().name
        return original(source, *rest)

    monkeypatch.setattr(machine_code, "native_code", native_code)
    return found


@pytest.mark.parametrize("count", [1, 2, 5])
def test_kernels_are_the_same_whoever_compiles_them(count, monkeypatch, compilers):
    with ThreadPoolExecutor(count) as pool:
        monkeypatch.setattr(compiled, "workers", lambda: (count, pool))
        check_kernels(compilers)


def check_kernels(compilers):
    x = jnp.linspace(0.0, 1.0, 300)
    executable = executable_of(several, x)
    assert len(compilers) == KERNELS == len(executable.program.distinct())
    with jax.disable_jit():
        expected = several(x)
    np.testing.assert_allclose(executable(x)[0], expected, rtol=1e-5)


def test_what_is_kept_is_loaded_by_this_thread(monkeypatch):
    x = jnp.linspace(0.0, 1.0, 300)
    first = executable_of(several, x)(x)[0]
    clear_caches()
    monkeypatch.setattr(compiled, "workers", None)
    second = executable_of(several, x)(x)[0]
    np.testing.assert_array_equal(first, second)


def test_what_other_threads_cannot_compile_this_one_does_or_says(monkeypatch):
    def compile_source(source, *rest):
        if threading.current_thread() is not threading.main_thread() or refused in source:
            raise RuntimeError("no such kernel")
        return original(source, *rest)

    original, x, refused = compiled.compile_source, jnp.linspace(0.0, 1.0, 300), "nothing"
    for module in (compiled, caches):
        monkeypatch.setattr(module, "compile_source", compile_source)
    assert np.isfinite(executable_of(several, x)(x)[0]).all()
    refused = f"({KERNELS - 1}.0)"
    with pytest.raises(RuntimeError, match="no such kernel"):
        executable_of(several, x)


def test_threads_that_compile_programs_at_once(compilers):
    x, results = jnp.linspace(0.0, 1.0, 300), {}
    start = threading.Barrier(4)

    def work(k):
        start.wait()
        results[k] = executable_of(several, x)(x)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(results) == 4
    assert all(np.array_equal(results[0], result) for result in results.values())


def test_other_releases_of_llvmlite_have_other_names(monkeypatch):
    monkeypatch.setattr(machine_code, "unlocked", lambda: None)
    x = np.linspace(0, 1, 7, dtype=np.float32)
    np.testing.assert_allclose(jax.jit(lambda x: x * 3.0 - 2.0)(x), x * 3 - 2, atol=1e-6)


def test_this_release_of_llvmlite_has_the_names_that_we_know():
    """Else kernels are compiled one after the other, and a pass manager's memory is lost."""
    assert machine_code.unlocked() is not None


def test_a_numpy_whose_library_is_elsewhere(monkeypatch):
    blas.numpys_library.cache_clear()
    blas.function_of.cache_clear()
    monkeypatch.setitem(sys.modules, "numpy._core", None)
    with pytest.warns(UserWarning, match="numpy .* lacks numpy._core._multiarray_umath"):
        assert blas.function_of("gemm", np.dtype(np.float64)) is None
    blas.numpys_library.cache_clear()
    blas.function_of.cache_clear()


@pytest.fixture
def blas_threads(monkeypatch):
    """The number of BLAS's threads, which nobody else changes."""
    state = {"now": 8, "written": []}

    def write(number):
        state["now"] = number
        state["written"].append(number)

    monkeypatch.setattr(blas, "thread_counts", lambda: (partial(state.get, "now"), write))
    return state


def test_a_product_by_one_thread(blas_threads):
    seen = []
    product = blas.by_one_thread(lambda x, y: seen.append(blas_threads["now"]) or x * y)
    assert product(3, 5) == 15
    with blas.shared_among(2):
        assert product(2, 2) == 4
        seen.append(blas_threads["now"])
        assert blas.by_one_thread(product)(2, 3) == 6
    assert seen == [1, 1, 4, 1] and blas_threads["now"] == 8
    with pytest.raises(TypeError):
        product(3, None)
    assert blas_threads["now"] == 8


@pytest.mark.parametrize(
    "x, y, batch, threads",
    [((64, 64), (64, 64), 0, 1), ((32, 9), (9, 8), 0, 8), ((256, 128), (128, 256), 0, 8),
     ((900, 4, 64), (900, 64, 4), 1, 8), ((2, 96, 64), (2, 64, 96), 1, 1)],
)  # fmt: skip
def test_which_products_take_one_thread(x, y, batch, threads, blas_threads, monkeypatch):
    seen, matmul = [], np.matmul
    monkeypatch.setattr(np, "matmul", lambda *xs: seen.append(blas_threads["now"]) or matmul(*xs))
    numbers = ((batch + 1,), (batch,)), ((0,) * batch, (0,) * batch)
    x, y = (np.ones(shape, np.float32) for shape in (x, y))
    multiply = lowerings[dot_general_p].shortcut(
        jax.typeof(x), jax.typeof(y), dimension_numbers=numbers, preferred_element_type=None
    )
    np.testing.assert_array_equal(multiply(x, y), matmul(x, y))
    assert seen == [threads]


@pytest.mark.parametrize("size, threads", [(96, 1), (24, 8), (256, 8)])
def test_which_loops_take_one_thread(size, threads, blas_threads):
    weights = jnp.full((size, size), 1 / size)

    def step(h, _):
        return jnp.tanh(h @ weights), None

    kernels = executable_of(lambda h: lax.scan(step, h, None, length=3)[0], weights)
    [source] = [s for s in kernels.sources if s and "for " in s.text]
    seen = []
    cost = blas.largest_product(source.text)
    blas.by_size(lambda *_: seen.append(blas_threads["now"]), cost)(0)
    assert seen == [threads] and blas_threads["now"] == 8
    blas_threads["written"].clear()
    np.testing.assert_allclose(kernels(weights)[0][0, 0], np.tanh(np.tanh(np.tanh(1 / size))), 1e-5)
    assert set(blas_threads["written"]) == ({1, 8} if threads == 1 else set())


def test_a_name_that_llvmlite_lacks(monkeypatch):
    machine_code.unlocked.cache_clear()
    monkeypatch.setattr(machine_code, "_UNLOCKED", ["LLVMPY_OfAnotherRelease"])
    with pytest.warns(UserWarning, match="lacks LLVMPY_OfAnotherRelease, .*pip install 'llvmlite<"):
        assert machine_code.unlocked() is None
    machine_code.unlocked.cache_clear()


def scaled(x):
    """Results as large as x; each is made of the one before."""
    results = []
    for _ in range(4):
        x = x / (2.0 + jnp.sum(x, axis=0))
        results.append(x)
    return results


@pytest.mark.parametrize("fun", [
    scaled,
    lambda x: (jnp.cumsum(scaled(x)[0], axis=1) + x, x * 2.0),
    lambda x: (scaled(x)[-1], scaled(3.0 * x)[-1], scaled(x + 1.0)[-1]),
])  # fmt: skip
def test_memory_that_is_used_again_is_nobody_elses(fun):
    x = jnp.sin(jnp.arange(2.0 * compiled.SMALL)).reshape(-1, 128)
    found = executable_of(fun, x)(x)
    with jax.disable_jit():
        expected = fun(x)
    for y, z in zip(found, expected, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-3, atol=1e-4)


def test_large_arrays_take_turns():
    executable = executable_of(lambda x: scaled(x)[-1], jnp.ones((compiled.SMALL // 64, 64)))
    assert len(executable.program.taken) == 2


@pytest.mark.parametrize("read, taken", [
    (lambda y: jnp.sin(y[jnp.arange(256) % 7]) + 1.0, 1), (lambda y: y + y[::-1], 0),
    (lambda y: y + jnp.roll(y, 1, 1), 0), (lambda y: y * y.T, 0),
])  # fmt: skip
def test_a_result_is_written_over_what_ends_there(read, taken):
    """But not over what is read from another place, too."""
    x = jnp.sin(jnp.arange(256.0 * 256)).reshape(256, 256)
    executable = executable_of(lambda x: read(jnp.sin(x) + 1.0), x)
    assert len(executable.program.taken) == taken
    with jax.disable_jit():
        np.testing.assert_allclose(executable(x)[0], read(jnp.sin(x) + 1.0), rtol=1e-5)


def test_what_a_pass_leaves_unread_is_not_computed(monkeypatch):
    def unread(closed):
        eqn = closed.eqns[0]
        lost = eqn._replace(outvars=[Var(eqn.outvars[0].aval)])
        return ClosedJaxpr(closed.jaxpr.replace(eqns=[lost, *closed.eqns]), closed.consts)

    monkeypatch.setattr(compiled, "PASSES", [*compiled.PASSES, unread])
    x = jnp.linspace(0.0, 1.0, 300)
    executable = executable_of(several, x)
    assert len(executable.program.distinct()) == KERNELS
    assert all(source is None or source.writes for source in executable.sources)
