"""`python -m minijax SCRIPT.py` and `install_as_jax`: what says `import jax` runs on minijax."""

import subprocess
import sys

import pytest

from minijax.face.jax_names import JAX_MODULES


@pytest.fixture
def run(tmp_path):
    """Runs the text as a script, and returns its status, what it printed, and its complaints."""

    def run_text(text, *args, before=("-m", "minijax")):
        script = tmp_path / "script.py"
        script.write_text(text)
        command = [sys.executable, *before, str(script), *args]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr.replace(f"{script.parent}/", "")

    return run_text


ALIASES = """\
import pickle, sys
import jax, jax.numpy as jnp
import jax.random
import jax.tree_util as tu
from jax import grad, lax, random
from jax.tree_util import tree_map
import helper
import minijax
assert jax is minijax and jnp is minijax.numpy is helper.jnp and tu is minijax.tree_util
assert jnp.__name__ == jnp.__spec__.name == "minijax.numpy"
assert isinstance(pickle.loads(pickle.dumps(jnp.ones(2))), minijax.Array)
class Mine: pass
assert type(pickle.loads(pickle.dumps(Mine()))) is Mine
from importlib.metadata import version
from jax.interpreters import mlir
import jax._src.core
import jax.extend.linear_util as lu
assert version("jax") == version("jaxlib") == jax.__version__ == "0.10.2"
assert jax._src.pjit.jit_p is jax.extend.core.primitives.jit_p
assert mlir.__name__ == "jax.interpreters.mlir" and lu.__name__ == "jax.extend.linear_util"
names = ["jax.ffi", "jax.experimental.jet", "jax.api", "jax.core.tracing"]
for name in names:
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
print(__name__, __file__, sys.argv[1:], sys.path[0], grad(jnp.sin)(0.0))
sys.exit(5)
"""


def test_a_script_runs_as_under_jax(run, tmp_path):
    (tmp_path / "helper.py").write_text("import jax.numpy as jnp\n")
    status, out, complaints = run(ALIASES, "a", "-b")
    assert (status, complaints) == (5, "")
    assert out.splitlines() == [
        "jax.ffi is not here yet. dir() of jax lists what is.",
        "jax.experimental.jet is not here yet. dir() of jax.experimental lists what is.",
        "JAX has no module jax.api. dir() of jax lists what is.",
        "JAX has no module jax.core.tracing. dir() of jax.core lists what is.",
        f"__main__ {tmp_path}/script.py ['a', '-b'] {tmp_path} 1.0",
    ]


@pytest.mark.parametrize("text, complaint", [
    ("import jax.experimental.ode", "1: jax.experimental.ode is not here yet. dir() of jax.experi"),
    ("from jax.experimental import jet", "1: jax.experimental.jet is not here yet. dir() of"),
    ("\nfrom jax import float0", "2: jax.float0 is not here yet. Until then, use jax.dtypes.flo"),
    ("import jax\njax.float0", "2: jax.float0 is not here yet. Until then, use jax.dtypes.float"),
    ("import jax as j\nj.float0(abs)", "2: j.float0 is not here yet. Until then, use jax.dt"),
    ("import jax\njax.lax.psend", "2: jax.lax.psend is not here yet. dir() of the module"),
    ("import jaxlib", "1: jaxlib is inside of the real JAX, which is not here. Use JAX's public"),
    ("from jax._src import cloud_tpu", "1: jax._src.cloud_tpu is inside of the real JAX, which is"),
    ("import jax._src.core as c\nc.A", "2: jax._src.core.A is inside of the real JAX, which is no"),
    ("import objax.nn", "1: objax is not installed. It is written for JAX: pip's --no-deps"),
])  # fmt: skip
def test_what_is_missing_is_said_in_one_line(run, text, complaint):
    status, out, complaints = run(text)
    assert (status, out) == (1, "")
    assert complaints.startswith(f"script.py:{complaint}") and complaints.count("\n") == 1


NEEDY = """\
import jax, jaxlib, objax
import jax.numpy as jnp
from jax import lax as L, float0, vmap
import jax.experimental.ode
import helper
from jax.interpreters import pxla
raise RuntimeError("nothing is run")
L.stage(jnp.sin(1)); jax.lax.stage(L.precv(1))
L.stage(L.psend, jax.nosuch)
"""


def test_a_check_lists_all_that_is_missing_and_runs_nothing(run, tmp_path):
    (tmp_path / "helper.py").write_text("import script\nfrom jax import lax as la\nla.stage(1)\n")
    status, out, complaints = run(NEEDY, before=("-m", "minijax", "--check"))
    assert (status, complaints) == (1, "")
    lines = [line.partition(". ")[0] for line in out.splitlines()]
    assert lines == [
        "script.py:1: jaxlib is inside of the real JAX, which is not here",
        "script.py:1: objax is not installed",
        "script.py:3: jax.float0 is not here yet",
        "script.py:4: jax.experimental.ode is not here yet",
        "script.py:6: jax.interpreters.pxla is not here yet",
        "script.py:8, 9: L.stage is not here yet",
        "script.py:8: jax.lax.stage is not here yet",
        "script.py:8: L.precv is not here yet",
        "script.py:9: L.psend is not here yet",
        "script.py:9: jax.nosuch: minijax has no such name, nor has JAX.",
        "helper.py:3: la.stage is not here yet",
    ]


UNIMPORTED = """\
from jax.example_libraries import optimizers
from jax.experimental.sparse import BCSR
optimizers.adam, optimizers.nosuch
"""


def test_a_check_knows_of_modules_that_nothing_has_imported_yet(run):
    status, out, complaints = run(UNIMPORTED, before=("-m", "minijax", "--check"))
    assert (status, complaints) == (1, "")
    assert [line.partition(". ")[0] for line in out.splitlines()] == [
        "script.py:2: jax.experimental.sparse.BCSR is not here yet",
        "script.py:3: optimizers.nosuch: minijax.example_libraries.optimizers has no such name, "
        "nor has JAX.",
    ]


def test_a_check_of_a_script_that_lacks_nothing(run):
    checked = ("-m", "minijax", "--check")
    text = "import jax\njax.jit(jax.numpy.sin)(1.0).view"
    status, out, complaints = run(text, before=checked)
    assert (status, complaints) == (0, "") and out.endswith("asks of JAX by name is here.\n")
    assert run("x = = 1", before=checked) == (2, "", "script.py:1: invalid syntax\n")


def test_an_error_shows_the_frames_of_the_script(run):
    text = "import jax\ndef f(x):\n    return 1 / 0\njax.jit(f)(1.0)\n"
    status, _, complaints = run(text)
    assert status == 1
    assert [line for line in complaints.splitlines() if line.startswith("  File")] == [
        '  File "script.py", line 4, in <module>', '  File "script.py", line 3, in f',
    ]  # fmt: skip
    assert complaints.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize("argument, complaint", [
    ("-", "usage: python -m minijax [--check] SCRIPT.py [ARGUMENTS]"),
    ("none.py", "python -m minijax none.py: No such file or directory"),
])  # fmt: skip
def test_no_script(argument, complaint, tmp_path):
    command = [sys.executable, "-m", "minijax", argument]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{complaint}\n")


def test_the_name_is_left_to_a_jax_that_is_there(run, tmp_path):
    (tmp_path / "jax.py").write_text("")
    text = (
        "import jax, minijax\ntry:\n    minijax.install_as_jax()\n"
        "except RuntimeError as error:\n    print(error)\nprint(jax.__file__)"
    )
    status, out, _ = run(text, before=())
    assert status == 0
    assert out.startswith("install_as_jax can't take JAX's name")
    assert out.endswith(f"{tmp_path}/jax.py\n")


def test_the_modules_that_jax_has():
    assert {"numpy", "nn", "scipy.special", "experimental.sparse"} < set(JAX_MODULES.split())
    assert not any(name.split(".")[-1].startswith("_") for name in JAX_MODULES.split())
