"""JAX's options: what is taken, refused or without a use, and what the environment says."""

import os
import subprocess
import sys
import threading
import warnings
from types import SimpleNamespace

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random
from minijax.core.extend import config
from minijax.face.jax_options import JAX_OPTIONS
from minijax.face.options import INERT, LIMITS, read_environment

NAMES = [name for names in JAX_OPTIONS.values() for name in names.split()]
OTHER = {  # a value that JAX takes and minijax does not
    "jax_allow_f16_reductions": False,
    "jax_default_prng_impl": "rbg", "jax_error_checking_behavior_divide": "raise",
    "jax_error_checking_behavior_nan": "raise", "jax_error_checking_behavior_oob": "raise",
    "jax_explicit_x64_dtypes": "allow",
}  # fmt: skip


@pytest.fixture
def restored():
    before = {name: getattr(config, name) for name in NAMES}
    yield
    for name, value in before.items():
        jax.config.update(name, value)


def test_each_option_of_jax_is_known_and_takes_its_default(restored):
    assert len(NAMES) > 130
    for (kind, default), names in JAX_OPTIONS.items():
        for name in names.split():
            jax.config.update(name, default)
            assert getattr(jax.config, name) == default
            if kind == "bool" and name not in LIMITS:
                jax.config.update(name, not default)
                jax.config.update(name, default)


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_that_would_change_results_is_refused_by_name(name, restored):
    other = OTHER.get(name, True)
    with pytest.raises(NotImplementedError, match=f"{name} = {other!r} is not here yet: "):
        jax.config.update(name, other)
    with pytest.raises(NotImplementedError, match=name):
        with config.override(name, other):
            pass
    assert getattr(config, name) in LIMITS[name][0]


# What does something here.
EFFECTIVE = """
    jax_check_tracer_leaks jax_compilation_cache_dir jax_compilation_cache_max_size jax_debug_infs
    jax_debug_key_reuse jax_debug_nans jax_default_device jax_default_matmul_precision
    jax_disable_jit jax_disallow_mesh_context_manager
    jax_enable_checks jax_enable_custom_prng jax_enable_x64 jax_explain_cache_misses
    jax_export_calling_convention_version jax_high_dynamic_range_gumbel jax_legacy_prng_key
    jax_log_compiles jax_no_tracing jax_num_cpu_devices
    jax_numpy_dtype_promotion jax_numpy_rank_promotion jax_optimization_level jax_random_seed_offset
    jax_platforms jax_threefry_partitionable jax_traceback_filtering jax_transfer_guard
    jax_transfer_guard_host_to_device
""".split()


def test_each_option_is_of_one_kind():
    inert = [name for names in INERT.values() for name in names.split()]
    assert sorted([*EFFECTIVE, *LIMITS, *inert]) == sorted(NAMES)


WRONG = {
    "jax_numpy_dtype_promotion": (TypeError, 3), "jax_legacy_prng_key": (TypeError, None),
    "jax_explicit_x64_dtypes": (ValueError, "no"), "jax_numpy_rank_promotion": (ValueError, 3),
    "jax_random_seed_offset": (ValueError, 1.5), "jax_default_device": None,
    "jax_memory_fitting_effort": (ValueError, "x"), "jax_platforms": (ValueError, 3),
    "jax_default_matmul_precision": (ValueError, "no"),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, wrong in WRONG.items() if wrong])
def test_a_wrong_value_is_refused_and_nothing_is_set(name, restored):
    before, (error, value) = getattr(config, name), WRONG[name]
    with pytest.raises(error, match=name):
        jax.config.update(name, value)
    assert getattr(config, name) == before


def test_contexts():
    with jax.default_matmul_precision("high"):
        assert "Precision.HIGH" in str(jax.make_jaxpr(jnp.matmul)(jnp.ones(2), jnp.ones(2)))
    with jax.enable_custom_prng():
        assert random.PRNGKey(0).dtype == random.key(0).dtype
    with jax.debug_nans(False), jax.log_compiles(), jax.default_device(jax.devices()[0]):
        pass
    with jax.transfer_guard("allow"):
        assert config.jax_transfer_guard_device_to_host == "allow"
    assert config.jax_transfer_guard_device_to_host is None
    for mistake, error in [(lambda: jax.no_execution(True), NotImplementedError),
                           (lambda: jax.default_matmul_precision("no"), ValueError),
                           (lambda: jax.numpy_dtype_promotion(3), TypeError),
                           (lambda: jax.transfer_guard("no"), ValueError),
                           (lambda: jax.numpy_rank_promotion(), TypeError),
                           (lambda: jax.default_matmul_precision(), TypeError)]:  # fmt: skip
        with pytest.raises(error):  # refused here, not at the `with`
            mistake()


CONTEXTS = [("enable_x64", True), ("debug_nans", True), ("numpy_rank_promotion", "raise"),
            ("numpy_dtype_promotion", "strict"), ("threefry_partitionable", False),
            ("no_tracing", True), ("default_matmul_precision", "high")]  # fmt: skip


@pytest.mark.parametrize("name, value", CONTEXTS)
def test_a_context_is_entered_again_decorates_and_is_of_its_thread(name, value):
    before = getattr(config, f"jax_{name}")
    block, seen = getattr(jax, name)(value), []
    for _ in range(2):
        with block, block:
            seen.append(getattr(config, f"jax_{name}"))
            thread = threading.Thread(target=lambda: seen.append(getattr(config, f"jax_{name}")))
            thread.start()
            thread.join()
    assert seen == [value, before] * 2
    assert block(lambda: getattr(config, f"jax_{name}"))() == value
    with pytest.raises(KeyError), block:
        raise KeyError
    assert getattr(config, f"jax_{name}") == before


def test_what_config_answers(restored, monkeypatch):
    assert jax.config.values["jax_enable_x64"] is jax.config.x64_enabled is False
    assert jax.config.read("jax_platforms") is None
    with pytest.raises(AttributeError, match="no option 'x'. Give one of"):
        jax.config.read("x")
    monkeypatch.setattr(sys, "argv", ["a", "--jax_enable_x64", "b", "--jax_random_seed_offset=3",
                                      "--jaxx=1", "--", "--jax_enable_checks=no"])  # fmt: skip
    checks = config.jax_enable_checks
    jax.config.parse_flags_with_absl()
    assert (config.jax_enable_x64, config.jax_random_seed_offset) == (True, 3)
    assert config.jax_enable_checks is checks
    monkeypatch.setattr(sys, "argv", ["a", "--jax_enable_x64=2"])
    with pytest.raises(ValueError, match="argument --jax_enable_x64 is '2'"):
        jax.config.parse_flags_with_absl()


def test_flags_of_absl(restored, monkeypatch):
    defined, waiting = {}, []

    def define(kind):
        return lambda name, default, *told: defined.update({name: (kind, default, *told[:-1])})

    kinds = ("bool", "integer", "float", "string", "enum")
    given = {"jax_enable_x64": True, "jax_numpy_rank_promotion": "warn"}
    flags = SimpleNamespace(FLAGS={}, **{f"DEFINE_{kind}": define(kind) for kind in kinds})
    app = SimpleNamespace(call_after_init=waiting.append)
    package = SimpleNamespace(app=app, flags=flags)
    for name, module in {"absl": package, "absl.app": app, "absl.flags": flags}.items():
        monkeypatch.setitem(sys.modules, name, module)
    jax.config.config_with_absl()
    assert defined["jax_enable_x64"] == ("bool", False)
    assert defined["jax_random_seed_offset"] == ("integer", 0)
    assert defined["jax_numpy_rank_promotion"] == ("enum", "allow", ["allow", "warn", "raise"])
    assert defined["jax_platforms"] == ("string", None)
    flags.FLAGS.update({
        name: SimpleNamespace(present=name in given, value=given.get(name)) for name in defined
    })  # fmt: skip
    [take] = waiting
    take()
    assert config.jax_enable_x64 and config.jax_numpy_rank_promotion == "warn"
    for name in ("absl", "absl.app", "absl.flags"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="and absl is not installed.\nCall pip install absl-py"):
        jax.config.config_with_absl()


# Options that do something.


def test_ranks_that_meet():
    with jax.numpy_rank_promotion("raise"):
        for call in (lambda: jnp.ones((2, 3)) + jnp.ones(3), lambda: jnp.ones(3) + 1 * jnp.eye(3),
                     lambda: jnp.vectorize(jnp.hypot)(jnp.ones((2, 3)), jnp.ones(3)),
                     jax.jit(lambda: jnp.maximum(jnp.ones((2, 3)), jnp.ones(3)))):  # fmt: skip
            for _ in range(3):  # on no path
                with pytest.raises(ValueError, match="of several ranks"):
                    call()
        jnp.ones(3) + 1.0, jnp.ones(3) * jnp.float32(2), jnp.ones((2, 3)) + jnp.ones((1, 3))
    with jax.numpy_rank_promotion("warn"):
        for types in ("float32", "int32"):
            jax.clear_caches()
            x, y = jnp.ones((2, 3), types), jnp.ones(3, types)
            with pytest.warns(UserWarning, match=rf"jnp.add got {types}\[2,3\], {types}\[3\]"):
                x + y
            with warnings.catch_warnings():  # once for the same types
                warnings.simplefilter("error")
                x + y, jnp.add(x, y), jax.jit(jnp.add)(x, y)


def test_raw_keys():
    raw = random.PRNGKey(0)
    random.normal(raw), random.normal(raw)
    with jax.legacy_prng_key("error"):
        for _ in range(3):
            with pytest.raises(ValueError, match="random.normal got a raw key"):
                random.normal(raw)
        random.normal(random.key(0))
    with jax.legacy_prng_key("warn"):
        for _ in range(3):
            with pytest.warns(UserWarning, match="random.split got a raw key"):
                random.split(raw)


def test_nothing_is_traced_anew():
    f = jax.jit(lambda x: x + 1)
    f(1.0)
    with jax.no_tracing():
        assert f(2.0) == 3.0
        jnp.sin(jnp.ones(7))
        with pytest.raises(RuntimeError, match="jax_no_tracing is on"):
            f(jnp.ones(2))
    f(jnp.ones(2))


def test_what_a_key_holds_of_them(restored):
    keys = {config.trace_key()}
    for name, value in [("jax_default_matmul_precision", "high"), ("jax_random_seed_offset", 1),
                        ("jax_high_dynamic_range_gumbel", True),
                        ("jax_enable_custom_prng", True)]:  # fmt: skip
        with config.override(name, value):
            keys.add(config.trace_key())
    assert len(keys) == 5


# The environment.

SPELLINGS = {
    **dict.fromkeys(("y", "Yes", "t", "TRUE", "on", "1"), True),
    **dict.fromkeys(("n", "No", "f", "FALSE", "off", "0"), False),
}


def test_the_environment_as_it_changes(monkeypatch, restored):
    for text, value in SPELLINGS.items():
        monkeypatch.setenv("JAX_ENABLE_X64", text)
        read_environment()
        assert config.jax_enable_x64 is value
    for text in ("", "2", " 1", "none"):
        monkeypatch.setenv("JAX_ENABLE_X64", text)
        with pytest.raises(ValueError, match="JAX_ENABLE_X64 of the environment"):
            read_environment()
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    for name, text, value in [("JAX_RANDOM_SEED_OFFSET", "-3", -3), ("JAX_PLATFORMS", "a", "a"),
                              ("JAX_NUMPY_DTYPE_PROMOTION", "strict", "strict"),
                              ("JAX_MEMORY_FITTING_EFFORT", "0.5", 0.5)]:  # fmt: skip
        monkeypatch.setenv(name, text)
        read_environment()
        assert getattr(config, name.lower()) == value
    jax.config.update("jax_enable_x64", False)
    read_environment()
    assert not config.jax_enable_x64  # nothing has changed in the environment since
    for name in os.environ:
        if name.startswith("JAX_"):
            monkeypatch.delenv(name)
    read_environment()
    assert config.jax_random_seed_offset == 0 and config.jax_platforms is None
    for name, text in [("JAX_RANDOM_SEED_OFFSET", "x"), ("JAX_NUMPY_RANK_PROMOTION", "x"),
                       ("JAX_MEMORY_FITTING_EFFORT", "")]:  # fmt: skip
        with monkeypatch.context() as inner, pytest.raises(ValueError, match=f"(?i){name}"):
            inner.setenv(name, text)
            read_environment()
    monkeypatch.setenv("JAX_DEBUG_NANS", "1")
    read_environment()
    with pytest.raises(FloatingPointError):
        jnp.log(jnp.float32(-1))
    monkeypatch.setenv("JAX_NO_EXECUTION", "1")
    with pytest.raises(NotImplementedError, match="jax_no_execution"):
        read_environment()


SCRIPT = """\
import os
{before}
import {jax} as jax, {jax}.numpy as jnp
print(jax.config.jax_enable_x64, jnp.arange(3).sum() * 2**40, jnp.ones(2).dtype)
"""


@pytest.mark.parametrize("name", ["minijax", "jax"])
@pytest.mark.parametrize("before, outside", [
    ("", "True"), ("os.environ['JAX_ENABLE_X64'] = 'yes'", None),
    ("os.environ['JAX_ENABLE_X64'] = 'yes'", "0"),
])  # fmt: skip
def test_a_script_that_counts_on_64_bits(tmp_path, name, before, outside):
    """Set before the process, or by the script before its import, which of JAX comes after ours."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(before=before, jax=name))
    env = {k: v for k, v in os.environ.items() if k != "JAX_ENABLE_X64"}
    if outside is not None:
        env["JAX_ENABLE_X64"] = outside
    runner = ["-m", "minijax"] if name == "jax" else []
    done = subprocess.run(
        [sys.executable, *runner, str(script)], capture_output=True, text=True, env=env
    )
    assert (done.returncode, done.stdout) == (0, f"True {3 * 2**40} float64\n"), done.stderr


def test_what_watches_an_option_hears_of_the_environment():
    program = "from minijax import random\nk = random.key(0)\nrandom.bits(k), random.bits(k)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "JAX_DEBUG_KEY_REUSE": "1"})  # fmt: skip
    assert "KeyReuseError: random_bits got a key" in done.stderr
