"""Types that vary along axes of a mesh, and bodies that run operation by operation."""

import pickle

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import float0
from minijax.core.staging import check_jaxpr
from minijax.lax.sharding.placed_types import PlacedArray, with_vma

P = jax.P
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8
XY, X0 = P("x", "y"), P("x")


def mapped(f, i=XY, o=XY, **how):
    return jax.shard_map(f, mesh=MESH, in_specs=i, out_specs=o, **how)


def test_equal_types_are_one_and_keep_along_what_they_vary():
    names = ("x", "y")
    aval = PlacedArray((2, 1), np.float32, True, vma=("y", "x"), names=names)
    assert aval is PlacedArray((2, 1), "float32", True, vma={"x", "y"}, names=names)
    assert str(aval) == "~float32[2,1]{V:(x,y)}" and aval.vma == {"x", "y"}
    assert pickle.loads(pickle.dumps(aval)) is aval
    assert str(aval.strip_weak_type().update(shape=(3,))) == "float32[3]{V:(x,y)}"
    assert aval.to_tangent_aval() is aval
    plain = jax.core.ShapedArray((2, 1), np.float32, True)
    assert with_vma(aval, (), names) is plain and plain.vma == frozenset()
    assert type(aval.update(dtype=float0)) is jax.core.ShapedArray
    assert aval.manual_axis_type.varying == {"x", "y"}
    assert plain.manual_axis_type.varying == frozenset()


def test_a_value_in_a_body_shows_what_each_device_has():
    shown = []
    mapped(lambda x: shown.append(str(lax.psum(x, "y")[0])) or x)(X)
    first = "On cpu:0 at mesh coordinates (x, y,) = (0, 0):\n[0.125]\n"
    last = "On cpu:7 at mesh coordinates (x, y,) = (3, 1):\n[3.125]\n"
    assert shown[0].startswith(first) and shown[0].endswith(last)


def test_a_body_may_ask_for_what_all_devices_have_alike_and_for_nothing_else():
    def f(x):
        return x * 2 if lax.psum(x.sum(), ("x", "y")) > 3 else x

    assert np.array_equal(mapped(f)(X), X * 2)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        mapped(lambda x: x * 2 if x.sum() > 3 else x)(X)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        mapped(f, check_vma=False)(X)


@jax.custom_vjp
def own(x):
    return jnp.sin(x)


own.defvjp(lambda x: (own(x), x), lambda x, ct: (ct * jnp.cos(x),))

BODIES = {
    "collectives": lambda x: lax.psum(x, "x") * lax.axis_index("y") + lax.pmax(x, ("x", "y")),
    "jit": lambda x: jax.jit(lambda x: x - lax.pmean(x, "x"))(x),
    "scan": lambda x: lax.scan(lambda c, _: (c + lax.psum(jnp.sin(c), "y"), 0), x, (), length=2)[0],
    "cond": lambda x: lax.cond(lax.psum(x.sum(), ("x", "y")) > 3, lambda: lax.psum(x, "x") * x,
                               lambda: x),
    "grad": lambda x: jax.grad(lambda x: (lax.psum(x, "x") * own(x)).sum())(x),
    "vmap": lambda x: jax.vmap(lambda row: lax.psum(row, "x") * row)(x),
    "callback": lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct.like(x), x) * x,
    "checkpoint": lambda x: jax.grad(lambda x: jax.checkpoint(own)(x).sum())(x),
    "indices": lambda x: lax.ppermute(x, "x", [(0, 2), (2, 0)]).at[0].set(x[1]),
    "in it": lambda x: jax.jit(lambda x: lax.all_gather(x, "y", axis=1, tiled=True))(x)[:, :1],
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_threads_compute_what_the_devices_compute_in_turn(name):
    f = mapped(BODIES[name], check_vma=name not in ("callback", "in it"))
    in_turn, compiled = f(X), jax.jit(f)(X)
    np.testing.assert_allclose(compiled, in_turn, rtol=2e-5)
    assert in_turn.sharding.spec == XY
    check_jaxpr(jax.make_jaxpr(f)(X))


def test_pieces_that_lie_right_are_taken_as_they_are():
    placed = jax.device_put(X, jax.NamedSharding(MESH, XY))
    seen = []
    mapped(lambda x: seen.append(x.vals) or x)(placed)
    shards = [shard.data for shard in placed.addressable_shards]
    assert all(np.shares_memory(a, b) for a, b in zip(seen[0], shards, strict=True))


def test_a_transformed_body_is_checked_with_the_axes_it_names():
    f = mapped(lambda w, x: lax.psum(jnp.sin(w * x).sum(), ("x", "y")), (P(), XY), P())
    closed = jax.make_jaxpr(jax.vmap(jax.grad(f, argnums=(0, 1)), in_axes=(0, None)))(X[0], X)
    check_jaxpr(closed)
    assert "psum_invariant[axes=('x', 'y')]" in str(closed) and not closed.effects


def test_explain_says_why_devices_run_the_body():
    text = str(jax.explain(jax.jit(mapped(lambda x: x * 2)))(X))
    assert "On 8 devices (x=4, y=2). Each gets 0 bytes by 0 collectives." in text
