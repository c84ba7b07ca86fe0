"""What is said of compilations, donations and transfers, and what a report of a fault holds."""

import logging
import re
import threading

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.errors import JaxRuntimeError

F = jnp.arange(3.0)
N = np.ones(3, np.float32)


def lines(caplog):
    texts = [re.sub(r"\d\.\d{9}", "...", record.getMessage()) for record in caplog.records]
    caplog.clear()
    return texts


def tripled(x):
    return 3 * x


def test_a_compilation_is_told_with_its_types(caplog):
    jitted = jax.jit(lambda x: tripled(x))
    jitted.__name__ = "tripled"
    with jax.log_compiles():
        jitted(F)
    assert lines(caplog) == [
        "Finished tracing <lambda> for jit in ... sec",
        "Compiling jit(tripled) for arguments of the types [ShapedArray(float32[3])].",
        "Finished compilation of jit(tripled) in ... sec",
    ]


def test_nothing_is_told_twice_nor_when_the_option_is_off(caplog):
    jitted = jax.jit(lambda x: tripled(x))
    jitted(F)
    with jax.log_compiles():
        jitted(F + 1)
        with jax.log_compiles(False):
            jitted(F[:2])
    jitted(F > 1)
    assert lines(caplog) == []


def test_a_thread_that_did_not_ask_is_told_nothing(caplog):
    with jax.log_compiles():
        thread = threading.Thread(target=lambda: jax.jit(lambda x: tripled(x))(F))
        thread.start()
        thread.join()
    assert lines(caplog) == []


def test_why_a_function_is_traced_is_told_in_a_context(caplog):
    caplog.set_level(logging.WARNING, "minijax")
    jitted = jax.jit(lambda x: tripled(x))
    jitted(F)
    with jax.explain_cache_misses():
        jitted(F[:2])
    [text] = lines(caplog)
    assert "x is f32[2]; before: f32[3]." in text
    jitted(F[:1])
    assert lines(caplog) == []


@pytest.mark.parametrize("f, given, kept", [
    (lambda x: x.sum(), 1, "float32[3]"), (lambda x, y: x + y, 2, "float32[3]"),
    (lambda x: x[:2] * 1, 1, "float32[3]"), (lambda x: x + 1, 1, ""), (lambda x, y: y, 1, ""),
])  # fmt: skip
def test_an_unusable_donation_is_named_once(f, given, kept, recwarn):
    jitted = jax.jit(f, donate_argnums=tuple(range(given)))
    for _ in range(2):
        jitted(*[F + i for i in range(f.__code__.co_argcount)])
    texts = [str(warning.message) for warning in recwarn]
    assert [kept in text for text in texts] == [True] * bool(kept)
    assert all(warning.filename == __file__ for warning in recwarn)


def test_what_comes_from_the_host_is_named(caplog):
    with jax.transfer_guard_host_to_device("disallow"):
        with pytest.raises(JaxRuntimeError, match=r"cos was given array.* of the host, float32\[3"):
            jnp.cos(N)
        with pytest.raises(JaxRuntimeError, match="Use jax.device_put"):
            jax.jit(lambda x: x)(N)
        jnp.cos(jax.device_put(N)), jax.jit(lambda x: x + N)(F)
    with jax.transfer_guard("log"):
        jnp.cos(N)
    assert ["cos was given" in text for text in lines(caplog)] == [True]
    assert jnp.cos(N)[0] == np.cos(N)[0]


def test_a_thread_has_a_guard_of_its_own():
    out = []
    with jax.transfer_guard("disallow"):
        thread = threading.Thread(target=lambda: out.append(jnp.cos(N)))
        thread.start()
        thread.join()
    assert len(out) == 1


def test_an_array_that_was_deleted_is_neither_alive_nor_ready():
    x = jnp.ones((3, 5, 7)) * 2
    assert any(y is x for y in jax.live_arrays()) and x.is_ready()
    x.delete()
    assert not any(y is x for y in jax.live_arrays())
    with pytest.raises(RuntimeError, match="has been deleted"):
        x.is_ready()


def test_a_report_says_what_is_installed_and_set(monkeypatch, capsys):
    monkeypatch.setenv("JAX_LOG_COMPILES", "0")
    monkeypatch.setenv("PATH_TO_SECRETS", "secret")
    jax.print_environment_info()
    text = capsys.readouterr().out
    for words in (f"minijax: {jax.__version__}", f"numpy:  {np.__version__}", "numba: ",
                  "python: ", "process_count: 1", "platform: ", "JAX_LOG_COMPILES=0"):  # fmt: skip
        assert words in text
    assert "secret" not in text
