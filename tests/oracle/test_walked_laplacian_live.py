"""Chapter 29's walk, in JAX's public names alone: the same file on JAX and on minijax.

And what the chapter says of JAX's names is so.
"""

import importlib
import re
import runpy
import sys
from pathlib import Path

import jax
import jax.numpy
import numpy as np
import pytest

import minijax
import minijax.numpy
from examples.forward_laplacian.forward_laplacian import laplacian

CHAPTER = Path(__file__).parents[2] / "notebooks" / "29-own-transformation.ipynb"
FILE = Path(__file__).parents[1] / "examples" / "forward_laplacian" / "walked_laplacian.py"
X = np.array([0.4, -0.7, 1.1], np.float32)
PROGRAMS = {
    "network": lambda p, x: p.numpy.sum(p.numpy.tanh(p.numpy.outer(x, x) @ x)),
    "softmax": lambda p, x: p.jit(lambda x: p.nn.softmax(x * x)[0] / (2 + x[1]))(x),
    "jumps": lambda p, x: p.numpy.sort(x)[1] ** 2 * p.numpy.where(x > 0, x**3, x).sum(),
    "own rule": lambda p, x: p.nn.relu(x)[0] ** 3 * p.numpy.linalg.norm(x),
    "scan": lambda p, x: p.lax.scan(lambda c, y: (p.numpy.sin(c) * y, c), x, x)[1].sum(),
    "cond": lambda p, x: p.lax.cond(x[0] > 0, lambda x: x @ x, lambda x: x[0], x),
    "constant": lambda p, x: p.numpy.ones(2).sum(),
}


def walked(package, monkeypatch):
    """The file's walk, with this package in the place of jax."""
    monkeypatch.setitem(sys.modules, "jax", package)
    monkeypatch.setitem(sys.modules, "jax.numpy", package.numpy)
    return runpy.run_path(str(FILE))["walked_laplacian"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_walk_runs_on_both(name, monkeypatch):
    fun = PROGRAMS[name]
    wanted = jax.numpy.trace(jax.hessian(lambda x: fun(jax, x))(X))
    on_each = [walked(p, monkeypatch)(lambda x, p=p: fun(p, x))(X) for p in (jax, minijax)]
    ours = laplacian(lambda x: fun(minijax, x))(X)
    np.testing.assert_allclose([*on_each, ours], [wanted] * 3, rtol=2e-4, atol=1e-5)


def test_what_the_chapter_says_is_jaxs_is_there():
    text = CHAPTER.read_text(encoding="utf-8")
    said = text[text.index("## What of it runs on JAX?") : text.index("JAX recommends the other")]
    sentence = said[said.index("`Primitive`") : said.index("the current trace are in")]
    names = {f"jax.extend.core.{name}" for name in re.findall(r"`(\w+)`", sentence)}
    names |= set(re.findall(r"`(jax\.(?:core\.)?[\w]+)`", said)) - {"jax.extend"}
    names.add("jax.extend.source_info_util.register_exclusion")
    assert len(names) >= 10
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_jits_parameters_are_six_more():
    programs = [package.make_jaxpr(package.jit(lambda x: x))(X) for package in (jax, minijax)]
    theirs, ours = (set(program.eqns[0].params) for program in programs)
    assert ours < theirs and len(theirs - ours) == 6
