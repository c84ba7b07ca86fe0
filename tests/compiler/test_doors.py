"""Doors: whose functions a kernel may call, and what is there without sources, or without Numba."""

import linecache

import numpy as np
import pytest

import minijax as jax
from minijax.compiler import doors, precisions, vector_math
from minijax.compiler.lowering import scalar_rules
from minijax.core.extend import numpy_primitive

pytestmark = pytest.mark.skipif(doors.is_jit_disabled(), reason="kernels run as Python")


# A function that is not the package's.


def given(monkeypatch, text):
    """A program whose kernel calls a user's own function, which has this text."""
    names = {"__name__": "users"}
    lines = ["def own(x):\n", f"    return {text}\n"]
    linecache.cache["<users>"] = (1, None, lines, "<users>")
    exec(compile("".join(lines), "<users>", "exec"), names)
    monkeypatch.setattr(vector_math, "own_f32", precisions.inlined(names["own"]), raising=False)
    doors.kernel_names.cache_clear()
    own_p = numpy_primitive("own", lambda x: x, lambda x: names["own"](x).astype(x.dtype))
    monkeypatch.setitem(scalar_rules, own_p, "own_{t}({0})")
    return jax.jit(lambda x: own_p.bind(x) - 1)


@pytest.fixture
def functions(monkeypatch):
    known = list(precisions.functions)
    yield
    precisions.functions[:] = known
    monkeypatch.undo()
    doors.kernel_names.cache_clear()


def test_a_users_function_is_not_kept(monkeypatch, tmp_path, functions):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", str(tmp_path))
    f, x = given(monkeypatch, "x * x"), jax.numpy.arange(3.0)
    with pytest.raises(NotImplementedError, match="users.own, which is not one of minijax's own"):
        f(x)
    assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(jax.jit(lambda x: jax.numpy.exp(x) * 0 + x)(x), x)


def test_a_users_function_that_was_changed_gives_what_it_now_gives(monkeypatch, functions):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    x = jax.numpy.arange(3.0)
    for text, wanted in (("x * x", [-1, 0, 3]), ("x + x", [-1, 1, 3]), ("x * x", [-1, 0, 3])):
        np.testing.assert_array_equal(given(monkeypatch, text)(x), wanted)
