"""A name that JAX has and minijax has not yet: the error says so, and `hasattr` is False."""

import functools
import inspect
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core import errors
from minijax.face.jax_names import JAX_NAMES
from minijax.face.stand_ins import FOR_ACCELERATORS, STAND_INS
from minijax.numpy.array_methods import PLANNED

MODULES = {name: import_module(name) for name in JAX_NAMES}


def sentence(get) -> str:
    with pytest.raises(AttributeError) as caught:
        get()
    return str(caught.value).partition("\n  here: ")[0]  # where x is traced


def printed(expression: str) -> str:
    """The last line that Python prints of an error, where it may suggest a name."""
    code = f"import minijax as jax\n{expression}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return result.stderr.splitlines()[-1]


# What Tab shows beside JAX's names: what only we have, modules that JAX has under another name, and
# what JAX has somewhere else.
OURS = {
    "minijax": "explain flatten_util install_as_jax test_util watch",
    "minijax.numpy": "Array",
    "minijax.scipy": "optimize spatial",
    "minijax.ad_checkpoint": "saved_residuals", "minijax.errors": "TypePromotionError",
    "minijax.export": "serialize_for_jax",
    "minijax.lax": "add_any_p pbroadcast_p reduce_scatter_p", "minijax.profiler": "report",
    "minijax.extend.core.primitives": """
        add_any_p dce_sink_p mulhi_p optimization_barrier_p pbroadcast_p reduce_scatter_p
        scatter_sub_p split_p stack_p tile_p unstack_p""",
}  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
def test_tab_shows_the_public_names_and_no_helper_of_ours(module):
    shown = {name for name in dir(MODULES[module]) if not name.startswith("_")}
    assert shown - set(JAX_NAMES[module].split()) == set(OURS.get(module, "").split())
    assert shown >= {name for name in JAX_NAMES[module].split() if hasattr(MODULES[module], name)}


def test_modules_whose_names_are_not_recorded_show_theirs_alone():
    for name in ("stages", "extend"):
        module = import_module(f"minijax.{name}")
        assert [name for name in dir(module) if name[0] != "_"] == sorted(module.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_every_name_is_here_or_said_to_be_missing(module, monkeypatch):
    monkeypatch.setattr(errors, "WIDTH", 99)
    names = JAX_NAMES[module].split()
    missing = [name for name in names if not hasattr(MODULES[module], name)]
    assert len(missing) < len(names)
    for name in missing:
        said = sentence(lambda name=name: getattr(MODULES[module], name))
        purpose = FOR_ACCELERATORS.get(module, {}).get(name, "is not here yet.")
        assert said.replace("\n", " ").startswith(f"{module}.{name} {purpose}")
        assert max(map(len, said.splitlines())) < 100


@pytest.mark.parametrize("module", MODULES)
def test_a_name_that_jax_has_not_either_gets_pythons_own_error(module):
    said = sentence(lambda: MODULES[module].no_such_name)
    assert said == f"module '{module}' has no attribute 'no_such_name'"


def test_python_suggests_a_name_for_a_misspelt_one_alone():
    assert printed("jax.numpy.maximmum").endswith("Did you mean: 'maximum'?")
    assert printed("jax.float0").endswith("Until then, use jax.dtypes.float0.")


@pytest.mark.parametrize("name", PLANNED)
def test_methods_of_arrays_and_tracers(name):
    seen = []

    def f(x):
        seen.append(sentence(lambda: getattr(x, name)))
        return x

    x = jax.jit(f)(jnp.ones(3))
    said = f"x.{name} is not here yet. dir() of the array lists what is."
    assert seen == [said] == [sentence(lambda: getattr(x, name))]
    assert not hasattr(type(x), name) and name not in dir(x)


def test_dir_of_an_array_lists_what_is_here():
    x = jnp.ones(3)
    assert {"sum", "at", "T", "shape"} <= set(dir(x))


def test_the_names_are_not_read_before_they_are_asked_for():
    code = "import minijax, sys; print('minijax.face.jax_names' in sys.modules)"
    code += "; hasattr(minijax, 'ffi'); print('minijax.face.jax_names' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.split() == ["False", "True"]


def test_importing_a_missing_name_says_so_too():
    with pytest.raises(ImportError, match=r"minijax\.float0 is not here yet\. Until then, use jax"):
        from minijax import float0  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name 'maximmum'"):
        from minijax.numpy import maximmum  # noqa: F401


def test_a_missing_name_is_named_as_the_user_wrote_it():
    other = jax
    said = sentence(lambda: other.copy_to_host_async(1))
    assert said.startswith("other.copy_to_host_async is not here yet.")
    assert sentence(lambda: jax.lax.psend).startswith("jax.lax.psend is not here yet.")


NAMESPACE = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np, "functools": functools}


def test_what_is_for_accelerators_is_a_name_of_jax_and_not_here():
    for module, purposes in FOR_ACCELERATORS.items():
        assert purposes.keys() <= set(JAX_NAMES[module].split())
        assert not any(hasattr(MODULES[module], name) for name in purposes)


@pytest.mark.parametrize("module", STAND_INS)
def test_what_does_the_job_is_here_and_the_name_is_not(module):
    for name, stand_in in STAND_INS[module].items():
        assert name in JAX_NAMES[module].split() and not hasattr(MODULES[module], name), name
        for written in re.findall(r"\b(?:jax|jnp|lax|np|functools)(?:\.\w+)+", stand_in):
            eval(written, NAMESPACE)


INSIDES = [["interpreters"], ["extend"], ["errors"]]


# Not of `interpreters` and `extend`, for who writes a transformation, nor of classes to catch.
@pytest.mark.parametrize("module", [m for m in MODULES if m.split(".")[1:2] not in INSIDES])
def test_signatures_show_no_quoted_annotations(module):
    for name in MODULES[module].__all__:
        x = getattr(MODULES[module], name)
        if callable(x) and (getattr(x, "__module__", None) or "").startswith("minijax"):
            try:
                shown = str(inspect.signature(x))
            except (TypeError, ValueError):
                continue  # a class without one
            assert not re.search(r"(: |-> )'", shown), (name, shown)
