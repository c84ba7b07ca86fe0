"""Names and methods whose modules are imported when they are asked for first."""

import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from types import FunctionType, ModuleType

import pytest

import minijax as jax
from minijax.face.boundaries import guarded
from minijax.face.lazily import lazy_names, put_lazily

PACKAGES = [
    "minijax", "minijax.core", "minijax.interpreters", "minijax.lax", "minijax.nn", "minijax.numpy",
    "minijax.random", "minijax.scipy", "minijax.scipy.cluster", "minijax.scipy.optimize",
    "minijax.scipy.signal", "minijax.scipy.sparse", "minijax.scipy.spatial",
    "minijax.scipy.special", "minijax.scipy.stats",
]  # fmt: skip
FACES = [
    "ad_checkpoint", "custom_batching", "custom_derivatives", "dtypes", "flatten_util", "image",
    "lax", "monitoring", "nn", "nn.initializers", "numpy", "numpy.fft", "random",
    "scipy.cluster.vq", "scipy.fft", "scipy.integrate", "scipy.ndimage", "scipy.optimize",
    "scipy.signal", "scipy.sparse.linalg", "scipy.special", "scipy.stats", "scipy.stats.beta",
    "scipy.stats.norm", "test_util", "tree", "tree_util",
]  # fmt: skip


def run(code: str) -> str:
    """What a program prints in a process of its own."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.fixture
def package(monkeypatch):
    """A package with a name of `fractions`, which is imported already, and one of `wave`."""
    import fractions  # noqa: F401

    monkeypatch.delitem(sys.modules, "wave", raising=False)
    module = ModuleType("minijax.lazy_package")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    homes = {"fractions": "Fraction", "wave": "open Error", "minijax.tree": ""}
    module.__getattr__, module.__dir__, module.__all__ = lazy_names(module.__name__, homes)
    return module


def test_what_is_imported_already_is_there_at_once(package):
    assert "Fraction" in vars(package) and "open" not in vars(package)
    assert package.__all__ == ["Fraction", "open", "Error"]
    assert {"Fraction", "open", "Error"} <= set(dir(package))
    assert "wave" not in sys.modules


def test_a_name_that_is_asked_for_comes_with_those_of_its_module(package):
    assert package.Error is import_module("wave").Error
    assert "open" in vars(package) and package.open.__wrapped__.__module__ == "wave"


def test_what_is_not_in_the_table_is_missing(package):
    with pytest.raises(AttributeError, match="module 'minijax.lazy_package' has no attribute 'x'"):
        _ = package.x
    assert "wave" not in sys.modules


def test_a_method_is_looked_up_once():
    class Number:
        pass

    made = []

    def make(fun):
        made.append(fun)
        return lambda self, *args: fun(3, *args)

    put_lazily(Number, "plus", "operator.add", make)
    put_lazily(Number, "__matmul__", "operator.mul", make)
    put_lazily(Number, "root", "math.sqrt", lambda fun: property(make(fun)))
    x = Number()
    assert made == []
    assert [x.plus(4), x.plus(5), x @ 2, x.root, x.root] == [7, 8, 6, 3**0.5, 3**0.5]
    assert len(made) == 3
    assert isinstance(Number.root, property) and isinstance(Number.plus, FunctionType)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_a_package_shows_is_there(package):
    module = import_module(package)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == [] and len(set(module.__all__)) == len(module.__all__)
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_is_that_of_another_module(package):
    """The import of a module puts it into its package, whatever had its name there."""
    module = import_module(package)
    for file in pkgutil.iter_modules(module.__path__):
        if file.name in module.__all__:
            assert getattr(module, file.name) is import_module(f"{package}.{file.name}")


@pytest.mark.parametrize("face", FACES)
def test_what_a_user_calls_has_a_boundary_and_can_be_pickled(face):
    module = import_module(f"minijax.{face}")
    shown = [getattr(module, name) for name in module.__all__]
    functions = [x for x in shown if isinstance(x, FunctionType)]
    assert functions and all(guarded(x) is x for x in functions)  # has one
    for x in functions:
        if hasattr(sys.modules[x.__module__], x.__name__):  # lax.bitwise_and goes by and_p's name
            assert pickle.loads(pickle.dumps(x)) is x


def test_all_names_at_once():
    code = "from minijax import *\nfrom minijax.numpy import *\nprint(jit(sinh)(0.0), nn.__name__)"
    assert run(code) == "0.0 minijax.nn"


def test_two_names_of_a_function_are_one():
    for code in ("jax.remat is jax.checkpoint", "jax.checkpoint is jax.remat"):
        assert run(f"import minijax as jax; print({code})") == "True"
    assert jax.jacobian is jax.jacrev
    assert jax.nn.tanh is jax.numpy.tanh and jax.nn.logsumexp is jax.scipy.special.logsumexp


@pytest.mark.parametrize("name", ["lax.fori_loop", "numpy.quantile", "random.gamma", "hessian"])
def test_a_function_is_pickled_by_its_name(name):
    code = f"import minijax as jax, pickle; print(pickle.dumps(jax.{name}, 0).hex())"
    fun = eval(f"jax.{name}")  # whoever asks first makes what all see from then on
    assert pickle.loads(bytes.fromhex(run(code))) is fun


def test_a_module_that_is_imported_while_a_function_is_traced_leaves_no_equation():
    code = """
import minijax as jax, pkgutil, sys
from importlib import import_module

def f(x):
    with jax.enable_x64(True), jax.checking_leaks():
        for module in pkgutil.walk_packages(jax.__path__, "minijax."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    return x

print(jax.make_jaxpr(jax.vmap(jax.grad(f)))(jax.numpy.ones(3)).jaxpr.eqns)
arrays = [
    name for module in list(sys.modules.values()) if module.__name__.startswith("minijax")
    for name, x in vars(module).items() if isinstance(x, jax.Array)
]
print(arrays, jax.numpy.ones(2).dtype)
"""
    assert run(code).splitlines()[1:] == ["[] float32"]


def test_threads_may_ask_at_the_same_time():
    code = """
import minijax as jax
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

packages = [jax.nn, jax.numpy, jax.random, jax.lax, jax.scipy.special, jax.nn, jax.numpy, jax.lax]
start = Barrier(len(packages))

def ask(package):
    start.wait()
    return [getattr(package, name) for name in reversed(package.__all__)]

with ThreadPoolExecutor(len(packages)) as pool:
    found = list(pool.map(ask, packages))
print(found[0] == found[5], found[1] == found[6], found[3] == found[7])
"""
    assert run(code) == "True True True"


@pytest.mark.parametrize(
    "code",
    [
        "x.sum()", "x.T.shape", "x[0]", "x @ x", "x % 2.0",
        "2.0 ** x", "divmod(x, 2.0)[0]", "round(x[0])", "x.at[0].set(5.0)", "x.reshape(1, 2)",
        "[*jax.jit(lambda x: [*x])(x)]", "jax.jit(lambda x: x.mean())(x)", "x // 1", "1 // x",
        "jax.Array.sum(x)", "jax.grad(lambda x: (x @ x) ** 2)(x)", "x.real", "x.round(1)",
    ],
)  # fmt: skip
def test_the_first_use_of_a_method_is_like_the_next(code):
    printed = run(f"import minijax as jax; x = jax.numpy.ones(2)\nfor _ in 1, 2: print({code!s})")
    lines = printed.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
