"""Types that say how arrays lie on a mesh with Explicit axes."""

import pickle

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from lax.sharding.partition_programs import PROGRAMS
from lax.sharding.partition_runs import array, function
from minijax import lax
from minijax.lax.sharding.axes_alike import cut_of
from minijax.lax.sharding.explicit_rules import ShardingTypeError
from minijax.lax.sharding.partitioned_calls import spec_of
from minijax.sharding import AxisType, NamedSharding
from minijax.sharding import PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"))


def put(text, mesh=MESH):
    values, cut = array(text)
    return jax.device_put(values, NamedSharding(mesh, spec_of(cut)))


def test_a_type_says_how_an_array_is_cut():
    x = put("8,8:x,y")
    aval = jax.typeof(x)
    assert str(aval) == "float32[8@x,8@y]" and repr(aval) == "ShapedArray(float32[8@x,8@y])"
    assert aval.sharding == NamedSharding(MESH.abstract_mesh, P("x", "y"))
    assert str(jax.typeof(put("16,8:xy,-"))) == "float32[16@(x,y),8]"
    assert str(jax.typeof(put("8,8:-,-"))) == "float32[8,8]"
    assert jax.typeof(jnp.ones((2, 3))).sharding.spec == P(None, None)
    automatic = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    assert str(jax.typeof(put("8,8:x,y", automatic))) == "float32[8,8]"
    assert jax.typeof(x) is aval and pickle.loads(pickle.dumps(aval)) is aval
    assert jax.typeof(x.astype("int32")).sharding.spec == P("x", "y")
    assert aval.update(weak_type=True).cut == aval.cut and not hasattr(
        aval.update(shape=(8,)), "cut"
    )


def test_what_operations_give():
    x, r = put("8,8:x,y"), put("8,8:-,-")

    def given(fun, *args):
        typed = [str(aval) for aval in jax.make_jaxpr(fun)(*args).out_avals]
        assert [str(jax.typeof(y)) for y in jax.tree.leaves(fun(*args))] == typed
        return " ".join(typed)

    assert given(lambda x: x.T, x) == "float32[8@y,8@x]"
    assert given(lambda x, r: (x + r, r * 2), x, r) == "float32[8@x,8@y] float32[8,8]"
    assert given(lambda x: (x.sum(), x.max(0), x[None]), x) == (
        "float32[] float32[8@y] float32[1,8@x,8@y]"
    )
    assert given(lambda x, r: x @ r, x, r) == "float32[8@x,8]"
    assert given(lambda x: jax.reshard(x, NamedSharding(MESH, P("y"))) > 1, x) == "bool[8@y,8]"
    text = str(jax.make_jaxpr(jax.jit(lambda x: jnp.sin(x) * 2))(x))
    assert text.count("f32[8@x,8@y]") == 5


def test_types_that_say_more_match_types_that_say_less():
    x = put("8,8:x,y")
    for fun in (
        lambda x: lax.scan(lambda c, _: (jnp.sin(c) / 8, None), x, None, length=2)[0],
        lambda x: lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: jnp.zeros_like(x), x),
        lambda x: lax.while_loop(lambda c: c.sum() < 0, lambda c: c + 1, jnp.zeros((8, 8)) + x),
        jax.grad(lambda x: (jnp.tanh(x @ jnp.ones((8, 8))) * x.sum(1, keepdims=True)).sum()),
        lambda x: jax.jvp(jnp.sin, (x,), (jnp.ones((8, 8)),)),
        jax.vmap(lambda r: jnp.cos(r) * r),
        jax.checkpoint(lambda x: jnp.sin(x) @ jnp.ones((8, 4))),
    ):
        for run in (fun, jax.jit(fun)):
            pairs = zip(jax.tree.leaves(run(x)), jax.tree.leaves(fun(np.asarray(x))), strict=True)
            for got, wanted in pairs:
                np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)


@pytest.mark.prove
@pytest.mark.parametrize("first", range(4))
def test_programs_on_an_explicit_mesh(first):
    """They give what they give elsewhere, cut as their types say; or their types are refused."""
    refused = 0
    for text, operands, _ in PROGRAMS[first::4]:
        fun, args = function(text), list(map(put, operands.split()))
        try:
            typed = jax.make_jaxpr(fun)(*args).out_avals
        except (ShardingTypeError, TypeError, ValueError):
            refused += 1
            continue
        plain = [jnp.asarray(np.asarray(x)) for x in args]
        outs = jax.tree.leaves(jax.jit(fun)(*args))
        for got, aval, wanted in zip(outs, typed, jax.tree.leaves(fun(*plain)), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=3e-5, atol=3e-5, err_msg=text)
            assert cut_of(got.sharding.spec, got.ndim) == getattr(
                aval, "cut", ((),) * got.ndim
            ), text
    assert refused < len(PROGRAMS[first::4]) * 0.6


@pytest.mark.parametrize("cut", ["x,y", "-,y", "-,-"])
def test_references_hold_arrays_that_are_cut(cut):
    x = put(f"8,8:{cut}")

    def step(ref, x):
        ref[...] = 2 * ref[...] + x
        ref[0:4] *= 1.0
        return ref[...].sum()

    with jax.set_mesh(MESH):
        ref = jax.new_ref(x)
        assert str(jax.typeof(ref)) == f"Ref{{{jax.typeof(x)}}}"
        for times in (3, 7):  # by a program, then on a path of its own
            assert jax.jit(step)(ref, x) == np.float32((times * np.asarray(x)).sum())
            assert jax.typeof(ref[...]) is jax.typeof(x) and len(ref.sharding.device_set) == 8
        assert step(ref, x) == (15 * np.asarray(x)).sum()
        ref[...] = jnp.zeros((8, 8))
    assert jax.typeof(jax.freeze(ref)) is jax.typeof(x)


def test_references_are_written_to_in_loops():
    def fill(ref, x):
        def body(i, total):
            ref[...] += i * x
            return total + ref[...].sum()

        return lax.fori_loop(0, 3, body, 0.0)

    x = put("8,8:x,y")
    with jax.set_mesh(MESH):
        for fun in (fill, jax.jit(fill)):
            ref = jax.new_ref(jnp.zeros_like(x))
            assert fun(ref, x) == np.float32(4 * np.asarray(x).sum())
            np.testing.assert_array_equal(ref[...], 3 * np.asarray(x))
