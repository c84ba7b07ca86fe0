"""Settings: by JAX's names, for the process or for a thread; rules read none of them."""

import threading

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.config import Config
from minijax.core.extend import ShapedArray, cast, config, fill, zeros

OPTIONS = {
    "jax_enable_x64": False, "jax_numpy_dtype_promotion": "standard",
    "jax_threefry_partitionable": True, "jax_check_tracer_leaks": False,
    "jax_disable_jit": False, "jax_debug_key_reuse": False,
    "jax_traceback_filtering": "auto", "jax_compilation_cache_dir": None,
    "jax_compilation_cache_max_size": None,
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_options_and_their_defaults(name):
    assert getattr(jax.config, name) == OPTIONS[name]


def test_checks_are_off_where_nobody_asks():
    """conftest.py asks, for all tests."""
    assert jax.config is config and type(jax.config.jax_enable_checks) is bool
    assert Config.jax_enable_checks == config.jax_enable_checks


def test_update_and_back():
    try:
        jax.config.update("jax_enable_x64", True)
        assert jax.config.jax_enable_x64 is True and jnp.ones(2).dtype == np.float64
    finally:
        jax.config.update("jax_enable_x64", False)
    assert jnp.ones(2).dtype == np.float32


@pytest.mark.parametrize("name", ["jax_enable_x65", "enable_x64", "update", "trace_key"])
def test_an_unknown_option_is_refused(name):
    with pytest.raises(AttributeError, match="no option"):
        jax.config.update(name, True)


def test_an_option_is_not_set_by_assignment():
    with pytest.raises(AttributeError, match="config.update"):
        jax.config.jax_enable_x64 = True


@pytest.mark.parametrize("name", ["jax_numpy_dtype_promotion", "jax_traceback_filtering"])
def test_a_word_that_is_none_of_the_options(name):
    with pytest.raises(ValueError, match="is one of"):
        jax.config.update(name, "sometimes")
    assert getattr(jax.config, name) == OPTIONS[name]


CONTEXTS = {
    "jax_enable_x64": (jax.enable_x64, True), "jax_disable_jit": (jax.disable_jit, True),
    "jax_threefry_partitionable": (jax.threefry_partitionable, False),
    "jax_numpy_dtype_promotion": (jax.numpy_dtype_promotion, "strict"),
    "jax_enable_checks": (jax.enable_checks, True),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTEXTS)
def test_contexts_nest_and_end_with_an_exception(name):
    context, value = CONTEXTS[name]
    other = getattr(config, name) if getattr(config, name) != value else not value
    before = getattr(config, name)
    with pytest.raises(ZeroDivisionError):
        with context(value):
            assert getattr(config, name) == value
            if isinstance(value, bool):
                with context(other):
                    assert getattr(config, name) == other
            assert getattr(config, name) == value
            raise ZeroDivisionError
    assert getattr(config, name) == before


def test_a_context_is_its_threads_own():
    seen = []
    with jax.enable_x64():
        thread = threading.Thread(target=lambda: seen.append(jnp.ones(1).dtype))
        thread.start()
        thread.join()
        assert jnp.ones(1).dtype == np.float64
    assert seen == [np.float32]


def test_an_update_is_for_every_thread_that_has_no_context():
    seen = []

    def work():
        seen.append(config.jax_enable_x64)
        with jax.enable_x64(False):
            seen.append(config.jax_enable_x64)

    jax.config.update("jax_enable_x64", True)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        jax.config.update("jax_enable_x64", False)
    assert seen == [True, False]


def test_what_a_key_holds():
    """Whatever tracing depends on; not what shows only when something fails."""
    keys = {config.trace_key()}
    for context in (jax.enable_x64(True), jax.numpy_dtype_promotion("strict"),
                    jax.threefry_partitionable(False), jax.checking_leaks(),
                    jax.disable_jit()):  # fmt: skip
        with context:
            keys.add(config.trace_key())
    assert len(keys) == 6
    with config.override("jax_traceback_filtering", "off"):
        assert config.trace_key() in keys
    assert hash(config.trace_key()) is not None


def test_disable_jit():
    values = []
    f = jax.jit(lambda x: values.append(x) or lax.sin(x))
    with jax.disable_jit():
        f(1.0), f(1.0)
        assert values == [1.0, 1.0]
    f(1.0), f(1.0)
    assert len(values) == 3


# Rules read no setting: an array of 64 bits may be met where 64 bits are off.


@pytest.fixture
def wide():
    with jax.enable_x64():
        return jnp.arange(1.0, 5.0)


stop = lax.stop_gradient
# What JAX 0.10.2 says of each, outside enable_x64.
WIDE = {
    "sin": (jnp.sin, "float64"), "add": (lambda w: w + w, "float64"),
    "index": (lambda w: w[1:], "float64"), "power": (lambda w: w**2, "float64"),
    "dot": (lambda w: w @ w, "float64"), "zeros_like": (jnp.zeros_like, "float64"),
    "lax.mul": (lambda w: lax.mul(w, w), "float64"),
    "lax.reduce_max": (lambda w: lax.reduce_max(w, (0,)), "float64"),
    "float32": (lambda w: w + jnp.ones(4), "float32"),
    "jvp": (lambda w: jax.jvp(jnp.sin, (w,), (w,))[1], "float64"),
    "grad of slice": (jax.grad(lambda w: jnp.sum(w[1:])), "float64"),
    "grad of mean": (jax.grad(lambda w: jnp.mean(w * w)), "float64"),
    "grad of max": (jax.grad(lambda w: jnp.max(w * w)), "float64"),
    "grad of power": (jax.grad(lambda w: jnp.sum(w**3)), "float64"),
    "grad of pad": (
        jax.grad(lambda w: jnp.sum(lax.pad(w, stop(lax.reduce_max(w, (0,))), [(1, 2, 1)]))),
        "float64",
    ),
    "grad of select": (jax.grad(lambda w: jnp.sum(jnp.where(w > 2, w, -w))), "float64"),
    "grad of concatenate": (jax.grad(lambda w: jnp.sum(lax.concatenate([w, w], 0))), "float64"),
    "hessian": (jax.hessian(lambda w: jnp.sum(w**3)), "float64"),
    "vmap of grad": (jax.vmap(jax.grad(lambda w: w * w)), "float64"),
    "jit of grad": (jax.jit(jax.grad(lambda w: jnp.sum(lax.mul(w, w)))), "float64"),
    "grad of jit": (jax.grad(jax.jit(lambda w: jnp.sum(lax.mul(w, w)[1:]))), "float64"),
    "abs": (jax.grad(lambda w: jnp.sum(lax.abs(w))), "float64"),
}  # fmt: skip


@pytest.mark.parametrize("case", WIDE)
def test_64_bits_where_they_are_off(wide, case):
    fun, dtype = WIDE[case]
    got = fun(wide)
    assert got.dtype == dtype
    with jax.enable_x64():
        want = fun(wide)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_the_gradient_by_a_slice_of_64_bits(wide):
    """The fault as it was found."""
    got = jax.grad(lambda x: jnp.sum(x[1:]))(wide)
    np.testing.assert_array_equal(got, [0.0, 1.0, 1.0, 1.0])
    assert got.dtype == np.float64


def test_what_rules_use_does_what_it_says():
    """cast and fill and zeros make 64 bits, whether or not a user could."""
    for dtype in ("float64", "int64", "complex128", "float32"):
        aval = ShapedArray((2,), dtype)
        assert zeros(aval).dtype == fill(aval, 1).dtype == dtype
        assert cast(1, np.dtype(dtype)).dtype == dtype
        assert cast(jnp.ones(2), np.dtype(dtype)).dtype == dtype
    assert lax.convert_element_type(1, "float64").dtype == "float32"


def test_32_bits_under_64(wide):
    narrow = jnp.arange(1.0, 5.0)
    with jax.enable_x64():
        for case, (fun, _) in WIDE.items():
            assert fun(narrow).dtype == (np.float64 if case == "float32" else np.float32)
