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
names = ["jax.ffi", "jax.experimental.sparse", "jax.api", "jax.core.tracing"]
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
        "jax.experimental.sparse is not here yet. dir() of jax.experimental lists what is.",
        "JAX has no module jax.api. dir() of jax lists what is.",
        "JAX has no module jax.core.tracing. dir() of jax.core lists what is.",
        f"__main__ {tmp_path}/script.py ['a', '-b'] {tmp_path} 1.0",
    ]


@pytest.mark.parametrize("text, complaint", [
    ("import jax.experimental.ode", "1: jax.experimental.ode is not here yet. dir() of jax.experi"),
    ("from jax.experimental import sparse", "1: jax.experimental.sparse is not here yet. dir() of"),
    ("\nfrom jax import pmap", "2: jax.pmap is not here yet. Until then, use jax.vmap, on one"),
    ("import jax\njax.pmap", "2: jax.pmap is not here yet. Until then, use jax.vmap, on one"),
    ("import jax as j\nj.pmap(abs)", "2: j.pmap is not here yet. Until then, use jax.vmap"),
    ("import jax\njax.lax.psend", "2: jax.lax.psend is not here yet. dir() of the module"),
    ("import jaxlib", "1: jaxlib is inside of the real JAX, which is not here. Use JAX's public"),
    ("from jax._src import core", "1: jax._src is inside of the real JAX, which is not here. Use"),
    ("import objax.nn", "1: objax is not installed. It is written for JAX: pip's --no-deps"),
])  # fmt: skip
def test_what_is_missing_is_said_in_one_line(run, text, complaint):
    status, out, complaints = run(text)
    assert (status, out) == (1, "")
    assert complaints.startswith(f"script.py:{complaint}") and complaints.count("\n") == 1


NEEDY = """\
import jax, jaxlib, objax
import jax.numpy as jnp
from jax import lax as L, pmap, vmap
import jax.experimental.ode
import helper
from jax.sharding import ManualAxisType
raise RuntimeError("nothing is run")
L.pcast(jnp.sin(1)); jax.lax.pcast(L.precv(1))
L.pcast(L.psend, jax.nosuch)
"""


def test_a_check_lists_all_that_is_missing_and_runs_nothing(run, tmp_path):
    (tmp_path / "helper.py").write_text("import script\nfrom jax import lax as la\nla.stage(1)\n")
    status, out, complaints = run(NEEDY, before=("-m", "minijax", "--check"))
    assert (status, complaints) == (1, "")
    lines = [line.partition(". ")[0] for line in out.splitlines()]
    assert lines == [
        "script.py:1: jaxlib is inside of the real JAX, which is not here",
        "script.py:1: objax is not installed",
        "script.py:3: jax.pmap is not here yet",
        "script.py:4: jax.experimental.ode is not here yet",
        "script.py:6: jax.sharding.ManualAxisType is not here yet",
        "script.py:8, 9: L.pcast is not here yet",
        "script.py:8: jax.lax.pcast is not here yet",
        "script.py:8: L.precv is not here yet",
        "script.py:9: L.psend is not here yet",
        "script.py:9: jax.nosuch: minijax has no such name, nor has JAX.",
        "helper.py:3: la.stage is not here yet",
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
