"""jax.export beside JAX: what an Exported knows of itself, how it prints, and what it computes."""

import os

import jax
import jax.export
import numpy as np
import pytest

import minijax
from minijax import export
from oracle import facts
from oracle.xla_programs_table import PROGRAMS
from oracle.xla_runs import assert_alike, on_numpy

SETUP = """\
import importlib
export = importlib.import_module(f'{jax.__name__}.export')
F, M, I, K = jnp.arange(3.0), jnp.ones((2, 3)), jnp.arange(3), random.key(1)
SPEC = jax.ShapeDtypeStruct

class Pair(typing.NamedTuple):
    a: typing.Any
    b: typing.Any

pair_name = globals().get('PAIR', f'{jax.__name__}{id(Pair)}')
export.register_namedtuple_serialization(Pair, serialized_name=pair_name)

def exported(f, *args, **how):
    return export.export(jax.jit(f), **how)(*args)

def again(exp, order=0):
    return export.deserialize(exp.serialize(order))

def known(exp):
    '''What it knows of itself.'''
    return [
        exp.fun_name, str(exp.in_tree), exp.in_avals, str(exp.out_tree), exp.out_avals,
        exp.in_shardings_hlo, exp.out_shardings_hlo, exp.in_shardings_jax(None),
        exp.out_shardings_jax(None), exp.nr_devices, exp.platforms, exp.ordered_effects,
        exp.unordered_effects, exp.disabled_safety_checks, exp.calling_convention_version,
        exp.module_kept_var_idx, exp.uses_global_constants, exp.has_vjp(), str(exp),
    ]

def avals(exp):
    return str([exp.fun_name, exp.in_avals, exp.out_avals, exp.module_kept_var_idx])

def main_line(exp):
    [line] = [x for x in exp.mlir_module().splitlines() if '@main' in x]
    return line

def fun(params, x, *, scale=2.0, unused=None):
    return {'y': jnp.sin(x) * scale + params[0], 'z': (params[1], None)}

@jax.custom_jvp
def hundred(x):
    return x * 2

hundred.defjvp(lambda primals, tangents: (hundred(*primals), tangents[0] * 100))
TPU, HERE = {'platforms': ['tpu']}, {'platforms': ['cpu', 'tpu']}
UNCHECKED = {'platforms': ['tpu'], 'disabled_checks': [export.DisabledSafetyCheck.platform()]}
"""
# Exported functions, as JAX's and ours make them.
EXPORTED = (
    "exported(jnp.sin, 1.0)", "exported(jnp.sin, F)", "exported(fun, [F, I], 3.0)",
    "export.export(jax.jit(fun))((F, I), SPEC((3,), 'float32'), scale=F, unused=F)",
    "exported(lambda x, y, z: y, F, M, I)", "exported(lambda p: p.a @ p.b, Pair(M, F))",
    "export.export(jax.jit(lambda x, n: x[:n], static_argnums=1))(F, 2)",
    "export.export(jax.jit(lambda x, y: y, keep_unused=True))(F, M)",
    "exported(lambda k: random.normal(k, (2,)), K)", "exported(lambda: (F, 1.0))",
    "exported(lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x), F)",
    "exported(lambda x, i: (x * i, i > 0), 2.0, 3)", "exported(hundred, F)",
    "exported(lambda x: x.astype('bfloat16'), F)", "exported(jnp.cos, 1.0, **TPU)",
    "exported(jnp.cos, 1.0, **UNCHECKED)",
    "exported(exported(jnp.cos, F).call, F)", "export.export(jnp.cos)(F)",
)  # fmt: skip
OF_EACH = (
    "known(EXPORTED)", "known(again(EXPORTED))", "avals(EXPORTED.vjp())", "main_line(EXPORTED)",
    "avals(again(EXPORTED, 2).vjp().vjp())",
)  # fmt: skip
CALLS = (
    "again(exported(fun, [F, I], 3.0)).call([F, I], 4.0)", "exported(hundred, F).call(F)",
    "jax.grad(lambda x: again(exported(hundred, F), 1).call(x).sum())(F)",
    "jax.grad(exported(lambda x: 7 * x * x * x, 1.0).call)(0.1)",
    "again(exported(lambda x, i: (x * i, i > 0), 2.0, 3)).call(3.0, 4)",
    "jax.grad(lambda x: again(exported(lambda x, i: x * i, 2.0, 3), 1).call(x, 4))(5.0)",
    "jax.vjp(exported(lambda x, i: (x * i, i + 1), 2.0, 3).call, 2.0, 3)[0]",
    "lax.scan(lambda c, x: (exported(jnp.sin, 1.0).call(c + x), c), 0.0, F)",
    "again(exported(lambda k: random.normal(k, (2,)), K)).call(K)",
    "known(again(exported(jnp.cos, 1.0, **HERE)))",
    "exported(jnp.cos, 1.0, **UNCHECKED).call(1.0)", "exported(jnp.cos, 1.0, **HERE).call(1.0)",
    "str(jax.make_jaxpr(exported(jnp.sin, 1.0).call)(1.0))",
    "str(jax.make_jaxpr(jax.grad(lambda x: exported(jnp.sin, F).call(x).sum()))(F))",
    "str(jax.make_jaxpr(exported(fun, [F, I], 3.0).call)([F, I], 1.0))",
    "jax.vmap(lambda y: exported(jnp.sin, F).call(F) + y)(F)",
    "export.default_export_platform()", "export.minimum_supported_calling_convention_version",
    "str([export.DisabledSafetyCheck.platform(), export.DisabledSafetyCheck.custom_call('f')])",
    "export.DisabledSafetyCheck.custom_call('f') == export.DisabledSafetyCheck('custom_call:f')",
    "export.DisabledSafetyCheck.platform().is_custom_call()",
)  # fmt: skip


def case_of(exp: str) -> str:
    return f"EXPORTED = {exp}\n[{', '.join(OF_EACH)}]"


@pytest.mark.parametrize("case", [*map(case_of, EXPORTED), *CALLS])
def test_export_is_jaxs(case):
    text = f"{SETUP}\n{case}"
    got, want = (facts.evaluated(text, facts.namespace(package)) for package in ("minijax", "jax"))
    found = facts.difference(got, want)
    assert not found, f"\n{case}\n\n{found}"
    assert "raises" not in want, want


# JAX's own bytes.

JAXS = (
    "exported(fun, [F, I], 3.0)", "exported(lambda x, y, z: y, F, M, I)", "exported(lambda: F)",
    "exported(lambda p: p.a @ p.b, Pair(M, F))", "exported(lambda k: random.normal(k, (2,)), K)",
    "exported(lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x), F)",
    "exported(lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(2)), M)",
    "exported(lambda x, i: (x.astype('bfloat16'), i > 0, x * 1j), 2.0, 3)",
    "exported(lambda x: jax.scipy.special.erf(x) + lax.top_k(x, 2)[0].sum(), F, **HERE)",
    "exported(lambda x: {'a': None, 'b': (x, [x])}, collections.OrderedDict(u=F, v=I))",
    "exported(exported(jnp.cos, F).call, F)", "exported(hundred, F)",
)  # fmt: skip
ARGUMENTS = """
def ones(aval):
    key = 'key' in str(aval.dtype)
    return random.key(3) if key else jnp.asarray(np.ones(aval.shape, aval.dtype) * 2)

def run(exp):
    args, kwargs = tree_util.tree_unflatten(exp.in_tree, [ones(aval) for aval in exp.in_avals])
    return tree_util.tree_leaves(exp.call(*args, **kwargs))
"""


def namespaces(pair: str) -> list[dict]:
    """Ours and JAX's, in which a class of containers has the same name in bytes."""
    both = [{**facts.namespace(package), "PAIR": pair} for package in ("minijax", "jax")]
    for names in both:
        exec(SETUP + ARGUMENTS, names)
    return both


def alike(got: list, want: list) -> bool:
    return len(got) == len(want) and all(
        x.shape == y.shape and str(x.dtype) == str(y.dtype)
        and ("key" in str(x.dtype) or np.allclose(
            np.asarray(x, complex), np.asarray(y, complex), rtol=1e-5, atol=1e-5
        ))
        for x, y in zip(got, want, strict=True)
    )  # fmt: skip


@pytest.mark.parametrize("case", JAXS)
def test_each_reads_what_the_other_has_written(case):
    ours, jaxs = namespaces(case)
    mine, theirs = eval(case, ours), eval(case, jaxs)
    read_here = ours["export"].deserialize(theirs.serialize())
    assert alike(ours["run"](read_here), jaxs["run"](theirs))
    assert read_here.in_tree == mine.in_tree and read_here.out_tree == mine.out_tree
    if len(mine.platforms) == 1:
        read_there = jaxs["export"].deserialize(ours["export"].serialize_for_jax(mine))
        assert read_there.in_tree == theirs.in_tree and read_there.out_tree == theirs.out_tree
        assert alike(jaxs["run"](read_there), ours["run"](mine))
        back = jaxs["export"].deserialize(ours["export"].serialize_for_jax(read_here))
        assert alike(jaxs["run"](back), jaxs["run"](theirs))


# Every fifteenth of the whole programs, or with ORACLE_CASES=all each.
NAMES = [name for name in PROGRAMS if not name.endswith("x64")]
NAMES = NAMES[:: 1 if os.environ.get("ORACLE_CASES") == "all" else 15]


@pytest.mark.parametrize("name", NAMES)
def test_jax_runs_programs_that_were_written_for_it(name):
    f, args = PROGRAMS[name]()
    exp = export.export(minijax.jit(lambda args: minijax.tree.leaves(f(*args))))(args)
    written = export.serialize_for_jax(exp)
    given = jax.tree.map(to_jax, minijax.tree.leaves(args))
    tree = jax.export.deserialize(written).in_tree
    (args_there,), _ = jax.tree.unflatten(tree, given)
    out = jax.export.deserialize(written).call(args_there)
    leaves = list(map(minijax.numpy.asarray, minijax.tree.leaves(args)))
    assert_alike(list(map(from_jax, out)), on_numpy(exp.jaxpr, leaves))


def to_jax(x):
    is_key = "key" in str(getattr(x, "dtype", ""))
    return jax.random.wrap_key_data(words_of(x)) if is_key else np.asarray(x)


def words_of(x):
    return np.asarray(minijax.random.key_data(x))


def from_jax(x):
    if "key" in str(x.dtype):
        return minijax.random.wrap_key_data(np.asarray(jax.random.key_data(x)))
    return minijax.numpy.asarray(np.asarray(x))
