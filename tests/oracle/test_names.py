"""What `minijax/face/planned.py` calls missing is what JAX has and minijax has not."""

import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax

import minijax
from minijax.numpy.array_methods import PLANNED

ROOT = Path(__file__).resolve().parents[2]
FACE = ROOT / "minijax" / "face"


def test_the_recorded_names_are_jax_names():
    """In a process of its own: an import of one of JAX's modules may add names to others."""
    script = ROOT / "tests" / "golden" / "record_names.py"
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (FACE / "jax_names.py").read_text(encoding="utf-8")


def test_the_planned_methods_are_those_that_only_jax_has():
    ours, theirs = (dir(package.numpy.ones(2)) for package in (minijax, jax))
    assert {name for name in theirs if not name.startswith("_")} - set(ours) == set(PLANNED)


def test_the_recorded_options_are_jax_options():
    """In a process of its own: an import of one of JAX's modules may add options."""
    script = ROOT / "tests" / "golden" / "record_options.py"
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (FACE / "jax_options.py").read_text(encoding="utf-8")
