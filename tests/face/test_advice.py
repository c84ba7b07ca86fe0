"""What an error adds for whoever made a common mistake: what to write instead."""

import re

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import errors, lax
from minijax.face import advice


def raised_by(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


# What asks for the truth of a traced value.

ASKERS = {
    "if x > 0: pass": "`if`", "if x: pass": "`if`", "y = 1 if x else 0": "`if`",
    "y = not max(x, 0.0)": "jnp.maximum", "y = 1 if min(x, 0.0) else 2": "jnp.minimum",
    "if False: pass\n    elif x > 0: pass": "`if`", "y = [i for i in (1, 2) if i > x]": "`if`",
    "while x > 0: x = x - 1": "lax.while_loop", "while x: pass": "lax.while_loop",
    "y = x > 0 and x < 1": "(a) & (b)", "if x and x: pass": "(a) & (b)",
    "while x > 0 and x < 1: pass": "(a) & (b)", "y = x > 1 or x < 0": "(a) | (b)",
    "y = not x": "jnp.logical_not(a)", "if not x > 0: pass": "jnp.logical_not(a)",
    "y = 0 < x < 1": "(a < b) & (b < c)", "y = x in [1, 2]": "jnp.any(values == x)",
    "y = max(x, 0.0)": "jnp.maximum", "y = min([x, 0.0])": "jnp.minimum",
    "y = any(i > x for i in [1])": "jnp.any(values)", "y = all([x])": "jnp.all",
    "y = sorted([x, 1.0])": "jnp.sort", "assert x > 0": "`assert`", "y = bool(x)": "jnp.where",
}  # fmt: skip


def defined(body, tmp_path):
    """The function f of x with this body, from a file, as its source is looked at."""
    file, namespace = tmp_path / "asks.py", {}
    file.write_text(f"def f(x):\n    {body}\n    return x\n")
    exec(compile(file.read_text(), file, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("body", ASKERS)
def test_what_asks_for_a_truth_is_named_with_what_to_write_instead(body, tmp_path):
    error = raised_by(lambda: jax.jit(defined(body, tmp_path))(0.5))
    assert type(error) is errors.TracerBoolConversionError
    [instead] = [text for text in advice.INSTEAD.values() if ASKERS[body] in text]
    assert instead in " ".join(str(error).split())


def test_each_asker_is_tried():
    for text in advice.INSTEAD.values():
        assert any(words in text for words in ASKERS.values())


def test_without_source_the_choice_by_where_is_named():
    namespace = {}
    exec("def f(x):\n    while x > 0: x = x - 1", namespace)
    assert "In place of `if`" in str(raised_by(lambda: jax.jit(namespace["f"])(0.5)))


# Keywords that a function does not know.


@pytest.mark.parametrize("call, words", [
    (lambda: jax.nn.softmax(np.ones(3), dim=0), "'dim'. Did you mean axis?"),
    (lambda: jnp.sum(np.ones(3), dim=0), "'dim'. Did you mean axis?"),
    (lambda: jnp.sort(np.ones(3), z=3), "'z'. It takes a, axis"),
    (lambda: jnp.ones(3).sum(axs=0), "'axs'. Did you mean axis?"),
    (lambda: jnp.std(np.ones(3), keepdim=True), "'keepdim'. Did you mean keepdims?"),
    (lambda: jax.random.normal(jax.random.key(0), size=(3,)), "'size'. Did you mean shape?"),
    (lambda: jax.vmap(jnp.sin, in_axis=0), "'in_axis'. Did you mean in_axes?"),
    (lambda: jax.jit(jnp.sin, static=0), "'static'. Did you mean static_arg"),
    (lambda: lax.scan(jnp.add, 0, None, len=3), "'len'. Did you mean length?"),
    (lambda: jax.jit(lambda x, rate: x)(1.0, rat=1), "'rat'. Did you mean rate?"),
    (lambda: jnp.array(1, zzz=3), "'zzz'. It takes object, dtype, copy"),
])  # fmt: skip
def test_an_unknown_keyword_is_told_the_nearest_that_is_known(call, words):
    error = raised_by(call)
    said = re.sub(r"mean '(\w+)'", r"mean \1", str(error))  # as newer Pythons say it themselves
    assert type(error) is TypeError and words in said




# The function that was called, where the message tells of another one.


@pytest.mark.parametrize("call, name", [
    (lambda: jax.nn.softmax(jnp.ones(3), axis=3), "nn.softmax"),
    (lambda: lax.sin("a"), "lax.sin"),
    (lambda: jnp.add.accumulate(jnp.ones(3), axis=2), "jnp.ufunc.accumulate"),
    (lambda: jax.scipy.stats.norm.logcdf(1j * jnp.ones(3)), "scipy.stats.norm.logcdf"),
    (lambda: jnp.median(jnp.ones(3), axis=3), "jnp.median"),
])  # fmt: skip
def test_the_function_that_was_called_is_named_once(call, name):
    assert str(raised_by(call)).count(f"\n  in: {name}") == 1


def test_a_users_function_in_between_is_named_by_its_line():
    def f(x):
        return jnp.median(x, axis=5)

    for call in (lambda: jnp.vectorize(f, signature="(n)->()")(jnp.ones(3)),
                 lambda: jax.vmap(f)(jnp.ones((2, 3)))):  # fmt: skip
        message = str(raised_by(call))
        assert "\n  in: jnp.median" in message and "\n  here: " in message
        assert "vectorize" not in message and message.count("\n  in: ") == 1
    assert "\n  in: " not in str(raised_by(lambda: jnp.median("a")))
