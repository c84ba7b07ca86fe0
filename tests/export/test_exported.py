"""export: what is exported is the function, in this process and in another."""

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import export, lax, nn, random
from minijax.export.exported import Exported

F = jnp.linspace(-1.0, 2.0, 5)
SPEC = jax.ShapeDtypeStruct((5,), "float32")


def exported(f, *args, **kwargs) -> Exported:
    return export.export(jax.jit(f))(*args, **kwargs)


def again(exp: Exported, vjp_order: int = 0) -> Exported:
    return export.deserialize(exp.serialize(vjp_order))


def same_bits(x, y) -> bool:
    pairs = zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True)
    return all((a.dtype, a.shape, bytes_of(a)) == (b.dtype, b.shape, bytes_of(b)) for a, b in pairs)


def bytes_of(x) -> bytes:
    return np.asarray(random.key_data(x) if "key" in str(x.dtype) else x).tobytes()


def poly(x):
    return 7 * x * x * x


# What is known of it.


def test_its_fields():
    exp = exported(lambda p, *, n: {"a": p[0] + n, "b": (p[1],)}, (SPEC, 1.0), n=3)
    assert str(exp.in_tree) == "PyTreeDef((((*, *),), {'n': *}))"
    assert str(exp.out_tree) == "PyTreeDef({'a': *, 'b': (*,)})"
    assert list(map(str, exp.in_avals)) == ["float32[5]", "~float32[]", "~int32[]"]
    assert list(map(str, exp.out_avals)) == ["float32[5]", "~float32[]"]
    assert (exp.fun_name, exp.platforms, exp.nr_devices) == ("<lambda>", ("cpu",), 1)
    assert exp.calling_convention_version == export.maximum_supported_calling_convention_version
    assert exp.module_kept_var_idx == (0, 1, 2)
    assert exp.in_shardings_jax(None) == exp.in_shardings_hlo == (None, None, None)
    assert exp.out_shardings_jax(None) == exp.out_shardings_hlo == (None, None)
    assert exp.ordered_effects == exp.unordered_effects == exp.disabled_safety_checks == ()
    assert repr(exp) == "Exported(fun_name=<lambda>, ...)" and not exp.uses_global_constants
    read = again(exp)
    assert [getattr(read, name) == getattr(exp, name) for name in (
        "fun_name", "in_tree", "out_tree", "platforms", "module_kept_var_idx",
        "disabled_safety_checks", "calling_convention_version")] == [True] * 7  # fmt: skip
    assert list(map(str, read.in_avals)) == ["float32[5]", "float32[]", "int32[]"]


def test_arguments_that_are_not_used_are_no_arguments_of_the_module():
    exp = exported(lambda x, y, z: y + 1, F, F, F)
    assert exp.module_kept_var_idx == (1,)
    assert exp.mlir_module().count("%arg0: tensor<5xf32>") == 1
    assert "%arg1" not in exp.mlir_module() and b"stablehlo.add" in exp.mlir_module_serialized
    kept = export.export(jax.jit(lambda x, y: y, keep_unused=True))(F, F)
    assert kept.module_kept_var_idx == (0, 1)


def test_static_arguments_are_part_of_the_program():
    exp = export.export(jax.jit(lambda x, n: x * n, static_argnums=1))(F, 3)
    assert same_bits(exp.call(F), F * 3)


# How it is called.


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, lambda f: lambda x: lax.scan(lambda c, _: (f(c), c), x, None, 2),
    lambda f: lambda x: lax.cond(x[0] > 0, f, lambda y: y, x),
    lambda f: jax.checkpoint(lambda x: f(f(x))), lambda f: lambda x: jax.vjp(f, x)[1](x),
    lambda f: jax.grad(lambda x: f(x).sum()), lambda f: jax.grad(lambda x: jax.jit(f)(x).sum()),
    lambda f: jax.grad(lambda x: jax.grad(lambda x: f(x).sum())(x).sum()),
    lambda f: lambda x: jax.eval_shape(f, x) and f(x), lambda f: exported(f, SPEC).call,
])  # fmt: skip
def test_a_call_does_what_the_function_does(transform):
    for exp in (exported(poly, SPEC), again(exported(poly, SPEC), 2)):
        got, want = transform(exp.call)(F), transform(poly)(F)
        jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-6), got, want)


def test_arguments_are_checked_without_the_machines_own_checks():
    exp = exported(jnp.sin, SPEC)
    with jax.enable_checks(False):
        for x in (F[:2], jnp.arange(5), jnp.ones((5, 1)), 1.0):
            with pytest.raises(
                ValueError, match=r"sin was exported for float32\[5\] as x, and got"
            ):
                exp.call(x)
        assert same_bits(exp.call(np.arange(5.0)), jax.jit(jnp.sin)(np.arange(5.0)))


def test_as_an_equation_it_prints_as_in_jax():
    text = str(jax.make_jaxpr(exported(jnp.sin, 1.0).call)(1.0))
    assert "custom_vjp_call[\n" in text and "name=f_flat\n" in text and "bwd=f_flat_vjp_bwd" in text
    assert "call_exported[exported=Exported(fun_name=sin, ...)] " in text


def test_derivatives_as_far_as_they_were_written():
    read = again(exported(poly, 1.0), 3)
    f, want = read.call, [0.007, 0.21, 4.2, 42.0]
    for value in want:
        np.testing.assert_allclose(f(0.1), value, rtol=1e-5)
        f = jax.grad(f)
    with pytest.raises(ValueError, match="was read from bytes without a derivative of this order"):
        f(0.1)
    assert read.has_vjp() and not read.vjp().vjp().vjp().has_vjp()
    assert str(read.vjp().in_avals) == "(ShapedArray(float32[]), ShapedArray(float32[]))"


def test_under_vmap_it_may_be_called_of_what_is_not_mapped():
    call = exported(poly, SPEC).call
    assert same_bits(jax.vmap(lambda y: call(F) + y)(F), call(F) + F[:, None])
    with pytest.raises(NotImplementedError, match="sin was exported for one example"):
        jax.vmap(exported(jnp.sin, 1.0).call)(F)


def test_what_was_read_has_no_weak_types():
    exp = exported(lambda x: x * 2, 1.0)
    assert exp.call(1.0).weak_type and not again(exp).call(1.0).weak_type
    assert not jax.jit(again(exp).call)(1.0).weak_type
    assert not jax.eval_shape(again(exp).call, 1.0).weak_type


def test_rules_for_derivatives_are_those_of_the_function():
    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)

    f.defjvp(lambda primals, tangents: (f(*primals), 100 * tangents[0]))
    assert jax.grad(again(exported(f, 1.0), 1).call)(1.0) == 100
    g = jax.checkpoint(lambda x, n: (nn.relu(x) * n, n + 1), policy=lambda *args, **params: True)
    read = again(exported(g, 1.0, 3), 1)
    assert jax.grad(lambda x: read.call(x, 3)[0])(2.0) == 3
    assert jax.grad(read.call, 1, has_aux=True, allow_int=True)(2.0, 3)[0].shape == ()


def test_keys_and_other_dtypes():
    for x in (random.key(3), jnp.ones(3, "bfloat16"), jnp.arange(3, dtype="int4"), F > 0, F * 1j):
        f = (lambda k: random.split(k)) if "key" in str(x.dtype) else (lambda x: x[::-1])  # noqa
        exp = exported(f, x)
        assert same_bits(again(exp).call(x), f(x)) and same_bits(exp.call(x), f(x))


def test_for_another_platform():
    here = "was exported for the platforms ('tpu',), and is used on 'cpu'"
    exp = export.export(jax.jit(lax.cos), platforms=["tpu"])(1.0)
    assert "stablehlo.cosine" in exp.mlir_module()
    for call in (exp.call, again(exp).call, jax.jit(exp.call), lambda x: exported(exp.call, x)):
        with pytest.raises(ValueError) as caught:
            call(1.0)
        assert here in str(caught.value)
    nested = export.export(jax.jit(exp.call), platforms=["tpu"])(1.0)
    assert nested.platforms == ("tpu",) and "cosine" in nested.mlir_module()
    unchecked = export.export(jax.jit(lax.cos), platforms=["tpu"], disabled_checks=[
        export.DisabledSafetyCheck.platform()])(1.0)  # fmt: skip
    several = export.export(jax.jit(lax.cos), platforms=["tpu", "cpu", "cuda"])(1.0)
    assert unchecked.call(1.0) == again(unchecked).call(1.0) == several.call(1.0) == jnp.cos(1.0)


def test_a_choice_by_platform_is_made_when_the_platform_is_known():
    def f(x):
        return lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x * 2)

    assert "stablehlo.multiply" in export.export(jax.jit(f), platforms=["tpu"])(1.0).mlir_module()
    assert exported(f, 3.0).call(3.0) == again(exported(f, 3.0)).call(3.0) == 4
    both = export.export(jax.jit(f), platforms=["tpu", "cpu"])(3.0)
    assert again(both).call(3.0) == 4
    with pytest.raises(NotImplementedError, match="has branches for"):
        export.export(jax.jit(f), platforms=["cuda"])(1.0)


# Containers.


class Point(NamedTuple):
    x: jax.Array
    y: jax.Array


class Box:
    def __init__(self, content, label):
        self.content, self.label = content, label


jax.tree_util.register_pytree_node(
    Box, lambda b: ((b.content,), b.label), lambda label, xs: Box(*xs, label)
)


def test_classes_of_containers_have_names():
    def swap(p, b):
        return {"box": Box(p.x, b.label), "point": Point(b.content, p.y), "none": None, "list": [p]}

    args = Point(F, 1.0), Box(F[:2], "left")
    with pytest.raises(ValueError, match="has no name for other processes"):
        exported(swap, *args).serialize()
    assert export.register_namedtuple_serialization(Point, serialized_name="Point") is Point
    export.register_pytree_node_serialization(
        Box, serialized_name="Box", serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode
    )
    read = again(exported(swap, *args))
    out = read.call(*args)
    assert type(out["point"]) is Point and out["box"].label == "left" and out["none"] is None
    assert read.in_tree == jax.tree.structure((args, {}))
    with pytest.raises(ValueError, match=r"at \(args, kwargs\)\[0\]\[1\], expected Box with auxil"):
        read.call(args[0], Box(F[:2], "right"))


# Elsewhere.

WRITER = """
import minijax as jax, numpy as np, sys
import minijax.numpy as jnp
from minijax import export, lax, nn, random

def f(params, x, key):
    x = nn.gelu(x @ params["w"] + jnp.linspace(0.0, 1.0, 4).astype(params["w"].dtype))
    carry, _ = lax.scan(lambda c, row: (jnp.tanh(c + row), None), x[0], x)
    return {"out": carry + random.normal(key, (4,)), "order": jnp.argsort(carry)}

args = {"w": jnp.arange(12.0).reshape(3, 4) / 7}, jnp.ones((5, 3)), random.key(1)
"""


def test_in_another_process_it_gives_the_same_bits(tmp_path):
    names: dict = {}
    exec(WRITER, names)
    exp, args = exported(names["f"], *names["args"]), names["args"]
    (tmp_path / "f.bin").write_bytes(exp.serialize())
    reader = WRITER[: WRITER.index("def f")] + WRITER[WRITER.index("args =") :] + (
        "f = export.deserialize(open(sys.argv[1], 'rb').read()).call\n"
        "for x in jax.tree.leaves(f(*args)): print(np.asarray(x).tobytes().hex())\n"
    )  # fmt: skip
    command = [sys.executable, "-c", reader, str(tmp_path / "f.bin")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert out == [bytes_of(x).hex() for x in jax.tree.leaves(exp.call(*args))]


def test_derivatives_of_what_returns_or_takes_whole_numbers_for_any_size():
    """Their cotangents hold nothing, and have sizes that are not known yet."""
    b = export.symbolic_shape("b")
    types = [jax.ShapeDtypeStruct(b, dtype) for dtype in ("float32", "int32")]
    exported = export.export(jax.jit(lambda x, n: (jnp.sin(x) * n, n + 1)))(*types)
    loaded = again(exported, vjp_order=2)
    assert [str(aval) for aval in loaded.vjp().vjp().out_avals] == [
        f"{dtype}[b]" for dtype in ("float32", "float0", "float32", "float0")]
    x, n = np.array([0.5, 1.0, 2.0], np.float32), np.array([1, 2, 3], np.int32)
    slope = jax.grad(lambda x: loaded.call(x, n)[0].sum())
    np.testing.assert_allclose(slope(x), np.cos(x) * n, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: slope(x).sum())(x), -np.sin(x) * n, rtol=1e-6)
