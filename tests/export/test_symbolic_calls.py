"""Calls of functions that were exported with symbolic shapes, and what is known of dimensions."""

import copy
import json

import pytest

import minijax as jax
import minijax.numpy as jnp
from export.test_file_format import document, signed
from minijax import export, lax, nn
from minijax.export.dimensions import SymbolicScope, parse
from minijax.export.refining import refined, solved

S = jax.ShapeDtypeStruct


def exported(f, *shapes):
    return export.export(jax.jit(f))(*[S(shape, "float32") for shape in shapes])


def layer(x, w):
    return nn.relu(x @ w).mean(0) + x.shape[0]


def test_a_call_computes_what_the_function_does_and_so_does_its_gradient():
    b, h = export.symbolic_shape("b, h")
    exp = exported(layer, (b, 3), (3, 2 * h))
    assert str(exp.in_avals) == "(ShapedArray(float32[b,3]), ShapedArray(float32[3,2*h]))"
    assert str(exp.out_avals) == "(ShapedArray(float32[2*h]),)"
    for f in (exp.call, export.deserialize(exp.serialize(1)).call):
        for n, m in [(2, 4), (5, 2), (1, 6)]:
            x, w = jnp.linspace(-1, 1, 3 * n).reshape(n, 3), jnp.linspace(0, 1, 3 * m).reshape(3, m)
            assert jnp.array_equal(f(x, w), layer(x, w))
            assert jnp.array_equal(jax.jit(f)(x, w), jax.jit(layer)(x, w))
            got, want = (
                jax.grad(lambda x, w: g(x, w).sum(), (0, 1))(x, w)  # noqa: B023
                for g in (f, layer)
            )
            assert all(map(jnp.allclose, got, want))


def test_a_call_in_a_function_that_is_exported_too():
    b, n = export.symbolic_shape("b, n")
    inner = exported(lambda x: jnp.cumsum(x) * x.shape[0], (b,))
    outer = exported(lambda x: inner.call(x)[: x.shape[0] - 1], (2 * n + 1,))
    assert str(outer.out_avals) == "(ShapedArray(float32[2*n]),)"
    x = jnp.arange(5.0)
    assert jnp.array_equal(outer.call(x), (jnp.cumsum(x) * 5)[:4])
    rows = lax.scan(lambda c, row: (c, inner.call(row)), 0.0, jnp.ones((2, 3)))[1]
    assert rows.tolist() == [[3, 6, 9]] * 2


def test_results_that_are_integers_have_no_derivative():
    def f(x):
        return x * x, jnp.argsort(x), x.shape[0]

    exp = exported(f, export.symbolic_shape("b"))
    assert list(map(str, exp.vjp().in_avals[2:])) == ["float0[b]", "~float0[]"]
    x = jnp.array([3.0, 1.0, 2.0])
    assert [y.tolist() for y in exp.call(x)] == [[9, 1, 4], [1, 2, 0], 3]
    assert jax.grad(lambda x: exp.call(x)[0].sum())(x).tolist() == [6, 2, 4]


def test_one_program_is_made_for_the_same_sizes():
    b, c = export.symbolic_shape("b, c")
    exp = exported(lambda x, y: x.sum() + y, (b,), (c,))
    avals = [S((n,), "float32").aval for n in (2, 3, 4)]
    first = refined(exp.jaxpr, avals[:2])
    assert refined(exp.jaxpr, avals[:2]) is first is not refined(exp.jaxpr, avals[1:])


SOLVED = [
    ("a, b", (3, 4), {"a": 3, "b": 4}), ("2*a + 1, a + 3*b", (7, 9), {"a": 3, "b": 2}),
    ("a + b, a - b, b", (7, 3, 2), {"a": 5, "b": 2}), ("b - 5", (1,), {"b": 6}),
    ("a, a^2 - 1, floordiv(a, 2)", (3, 8, 1), {"a": 3}), ("- a + 4", (1,), {"a": 3}),
    ("a, max(a, 4), min(a, 2), mod(a, 2)", (3, 4, 2, 1), {"a": 3}),
]  # fmt: skip


@pytest.mark.parametrize("spec, shape, sizes", SOLVED)
def test_sizes_are_found_from_shapes(spec, shape, sizes):
    closed = jax.make_jaxpr(lambda x: x)(S(export.symbolic_shape(spec), "float32"))
    assert solved(closed, [shape]) == sizes


def test_equalities_stand_for_what_they_replace():
    a, b, c = export.symbolic_shape("a, b, c", constraints=("a*b == c + 1", "mod(b, 4) == 0"))
    assert [str(d) for d in (2 * b * a, b // 4 * 4, b % 4, a * b // 1)] == [
        "2*c + 2", "b", "0", "c + 1",
    ]  # fmt: skip
    exp = exported(lambda x, y: x.reshape(y.shape[0] + 1) * x.shape[0], (a, b), (c,))
    assert exp.call(jnp.ones((2, 4)), jnp.ones(7)).tolist() == [2.0] * 8
    for wrong in [((2, 4), (8,)), ((2, 3), (5,))]:
        with pytest.raises(ValueError, match="do not satisfy the constraint"):
            exp.call(*map(jnp.ones, wrong))
    again = export.deserialize(exp.serialize())
    assert again.call(jnp.ones((2, 4)), jnp.ones(7)).tolist() == [2.0] * 8


def test_dimensions_are_read_as_they_are_printed_and_are_copied():
    scope = SymbolicScope()
    texts = [
        "b", "2*b + 1", "- b + 4", "a*b^2 - 3*b", "floordiv(b, 2)", "mod(b + a, 4)", "max(b, 3)",
        "min(a, 3)*max(b + a, 2*b) - 7", "floordiv(max(b, 3), mod(a, 2) + 1)^2",
    ]  # fmt: skip
    dims = [parse(text, scope) for text in texts]
    assert [parse(str(dim), scope) for dim in dims] == dims
    assert {*dims} == {*map(copy.deepcopy, dims)}
    assert dims[0] != export.symbolic_shape("b")[0] and dims[0] not in (1, None, "b")


def test_what_is_deduced_has_an_end():
    names = [f"x{i}" for i in range(40)]
    triples = zip(names, names[1:], names[2:], strict=False)
    constraints = [f"{x} + {y} <= 9*{z}" for x, y, z in triples]
    dims = export.symbolic_shape(", ".join(names), constraints=constraints)
    with pytest.raises(jax.errors.InconclusiveDimensionOperation):
        bool(sum(dims) >= 9 * dims[3] * dims[4])


WRONG_TEXTS = [
    "", "b +", "b*b", "b^101", "b, b", "b, ", "(b)", "floordiv(b, 0)", "b" * 5000, 3, -1, {},
]  # fmt: skip


def test_wrong_dimensions_in_bytes_are_refused():
    exp = exported(lambda x: x * x.shape[0], export.symbolic_shape("b, 3"))
    texts, rest = document(exp.serialize()), b""
    again = export.deserialize(signed(texts, rest))
    assert again.call(jnp.ones((2, 3))).tolist() == [[2.0] * 3] * 2
    for text in WRONG_TEXTS:
        changed = json.loads(json.dumps(texts).replace('"b"', json.dumps(text)))
        with pytest.raises(ValueError, match="^deserialize"):
            export.deserialize(signed(changed, rest))
    for constraints in ([""], ["b"], ["b >= "], ["1 >= 2"], [3], "b >= 3", None, ["b == b", 1]):
        with pytest.raises(ValueError, match="^deserialize"):
            export.deserialize(signed({**texts, "constraints": constraints}, rest))
