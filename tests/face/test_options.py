"""JAX's options: what is taken, refused or without a use, and what the environment says."""

import os
import subprocess
import sys

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random
from minijax.core.extend import config
from minijax.face.jax_options import JAX_OPTIONS
from minijax.face.options import LIMITS, read_environment

NAMES = [name for names in JAX_OPTIONS.values() for name in names.split()]
OTHER = {  # a value that JAX takes and minijax does not
    "jax_allow_f16_reductions": False,
    "jax_default_prng_impl": "rbg", "jax_error_checking_behavior_divide": "raise",
    "jax_error_checking_behavior_nan": "raise", "jax_error_checking_behavior_oob": "raise",
    "jax_explicit_x64_dtypes": "allow", "jax_legacy_prng_key": "error", "jax_num_cpu_devices": 8,
    "jax_numpy_rank_promotion": "raise",
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


def test_contexts():
    with jax.default_matmul_precision("high"):
        assert "Precision.HIGH" in str(jax.make_jaxpr(jnp.matmul)(jnp.ones(2), jnp.ones(2)))
    with jax.enable_custom_prng():
        assert random.PRNGKey(0).dtype == random.key(0).dtype
    with jax.debug_nans(False), jax.log_compiles(), jax.default_device(jax.devices()[0]):
        pass
    for mistake, error in [(lambda: jax.debug_nans(True), NotImplementedError),
                           (lambda: jax.default_matmul_precision("no"), ValueError),
                           (lambda: jax.default_matmul_precision(), TypeError)]:  # fmt: skip
        with pytest.raises(error):  # refused here, not at the `with`
            mistake()


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
    with pytest.raises(NotImplementedError, match="jax_debug_nans"):
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
