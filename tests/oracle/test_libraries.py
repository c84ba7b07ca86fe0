"""Three libraries written for JAX, as they come from the package index, on minijax: their first
examples beside what these print under JAX, and a part of their own tests.

`make libraries` runs all libraries, and more of their tests (tools/libraries.py).
"""

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from libraries import EXAMPLES, LIBRARIES, expected_of, is_near

ROOT = Path(__file__).resolve().parents[2]
# Files of the installed packages that ask for much of JAX in little time.
OWN_TESTS = {
    "einops": ["tests/test_ops.py", "tests/test_packing.py", "tests/test_einsum.py"],
    "optax": [
        "_src/transform_test.py", "losses/_regression_test.py", "projections/_projections_test.py",
        "schedules/_inject_test.py", "transforms/_clipping_test.py",
        "transforms/_combining_test.py", "transforms/_conditionality_test.py",
        "tree_utils/_state_utils_test.py", "tree_utils/_tree_math_test.py",
    ],
}  # fmt: skip
LEAST = {"einops": 20, "optax": 100}  # so many pass


def run(*command, **variables):
    env = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        [sys.executable, "-m", "minijax", *map(str, command)],
        capture_output=True, text=True, env=env,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["einops", "equinox", "optax"])
def test_a_first_example_prints_what_it_prints_under_jax(name):
    done = run(EXAMPLES / f"with_{name}.py")
    assert done.returncode == 0, done.stderr
    assert is_near(done.stdout, expected_of(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", OWN_TESTS)
def test_its_own_tests_pass(name, tmp_path):
    package = Path(find_spec(name).origin).parent
    files = [package / file for file in OWN_TESTS[name]]
    done = run(
        EXAMPLES / "run_suite.py", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", *files,
        **dict(LIBRARIES[name].variables),
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= LEAST[name]


def test_the_versions_are_those_of_the_table():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(x.split("==") for x in project["optional-dependencies"]["oracle"] if "==" in x)
    del pins["jax"]
    assert pins == {name: LIBRARIES[name].version for name in pins}
