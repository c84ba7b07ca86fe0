"""jax.export beside JAX: what an Exported knows of itself, how it prints, and what it computes."""

import pytest

from oracle import facts

SETUP = """\
import importlib
export = importlib.import_module(f'{jax.__name__}.export')
F, M, I, K = jnp.arange(3.0), jnp.ones((2, 3)), jnp.arange(3), random.key(1)
SPEC = jax.ShapeDtypeStruct

class Pair(typing.NamedTuple):
    a: typing.Any
    b: typing.Any

export.register_namedtuple_serialization(Pair, serialized_name=f'{jax.__name__}{id(Pair)}')

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
