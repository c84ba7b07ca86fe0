"""jaxlib computes from our StableHLO each line of the primitives' table, and whole programs."""

import os

import jax as real_jax
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from composition_meanings import STEPS
from core.test_numeric_rules import Trial
from linalg_table import LINALG
from minijax.compiler.stablehlo.modules import module_text
from minijax.compiler.stablehlo.xla_programs import parsed
from minijax.experimental.xla_metadata import set_xla_metadata
from oracle.xla_programs_table import PROGRAMS
from oracle.xla_runs import assert_alike, be_quick, on_numpy, on_xla
from primitive_table import RULES
from random_programs import LARGEST, inputs_of, is_defined, programs, transformed

# Of the programs every sixth, or with ORACLE_CASES=all each.
NAMES = list(PROGRAMS)[:: 1 if os.environ.get("ORACLE_CASES") == "all" else 6]
RANDOM = int(os.environ.get("XLA_PROGRAMS", "10"))


@pytest.fixture(autouse=True, scope="module")
def quick():
    be_quick()
    yield
    jax.clear_caches()
    real_jax.clear_caches()


@pytest.mark.parametrize("rule", [*RULES, *LINALG], ids=lambda rule: rule.name)
def test_each_line_of_the_table(rule):
    """All dtypes of it, and all shapes, in one program."""
    with jax.enable_x64():
        trials = [Trial(rule, rule.shapes[i % len(rule.shapes)], rule.dtypes[i % len(rule.dtypes)])
                  for i in range(max(len(rule.shapes), len(rule.dtypes)))]  # fmt: skip
        args = [[jnp.asarray(x) for x in trial.args()] for trial in trials]
        flat = [x for xs in args for x in xs]

        def all_of_them(*flat):
            given, found = iter(flat), []
            for trial in trials:
                found.append(rule.function(*(next(given) for _ in trial.shapes)))
            return found

        closed = jax.make_jaxpr(all_of_them)(*flat)
        assert_alike(on_xla(closed, flat), on_numpy(closed, flat))


def test_xla_reads_what_it_is_told_of_operations():
    """Of some of the table's lines, and of all that are written in a form of their own."""
    odd = ("conv", "reduce_window", "cholesky", "scan", "while", "cond", "sort", "rng")
    with jax.enable_x64():
        for i, rule in enumerate((*RULES, *LINALG)):
            if i % 5 == 0 or any(word in rule.name for word in odd):
                args = map(jnp.asarray, Trial(rule, rule.shapes[0], rule.dtypes[0]).args())
                told = set_xla_metadata(a=True)(rule.function)
                closed = jax.make_jaxpr(lambda *xs: set_xla_metadata(told(*xs), **{"b c": '"'}))  # noqa: B023
                text = module_text(closed(*args), debug_info=i % 2 == 0)
                assert ("mhlo.frontend_attributes" in text) == ("mhlo.fr" in str(parsed(text)))


@pytest.mark.parametrize("name", NAMES)
def test_programs(name):
    with jax.enable_x64(name.endswith("x64")):
        f, args = PROGRAMS[name]()
        leaves, tree = jax.tree.flatten(args)
        leaves = list(map(jnp.asarray, leaves))
        flat = lambda *xs: jax.tree.leaves(f(*jax.tree.unflatten(tree, xs)))  # noqa: E731
        closed = jax.make_jaxpr(flat)(*leaves)
        assert_alike(on_xla(closed, leaves), on_numpy(closed, leaves))


@settings(
    max_examples=RANDOM, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(programs(), st.lists(st.sampled_from(STEPS), max_size=3).map(tuple))
def agree(program, steps):
    assume(is_defined(program, steps))
    with jax.enable_x64():
        inputs = list(map(jnp.asarray, inputs_of(program)))
        closed = jax.make_jaxpr(transformed(program, steps, jax))(*inputs)
        want = on_numpy(closed, inputs)
        assume(all(np.all(np.abs(np.asarray(y)) < LARGEST) for y in want))
        assert_alike(on_xla(closed, inputs), want)


def test_random_programs():
    """Under nestings of transformations; XLA_PROGRAMS=1000 runs more of them."""
    seed(0)(agree)()
