"""Programs of sharded arrays run where these lie: values, and how results lie."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from lax.sharding.partition_programs import PROGRAMS
from lax.sharding.partition_runs import array, function, shown
from minijax import lax
from minijax.lax.sharding.partitioned_calls import cut_of, spec_of
from minijax.sharding import AxisType, NamedSharding, SingleDeviceSharding, auto_axes, explicit_axes
from minijax.sharding import PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def sharding(*partitions):
    return NamedSharding(MESH, P(*partitions))


def put(text):
    values, cut = array(text)
    return jax.device_put(values, NamedSharding(MESH, spec_of(cut)))


def how(x):
    return shown(cut_of(x.sharding.spec, x.ndim))


def check(fun, *args):
    """fun gives what it does of arrays on one device; how its results lie."""
    out, wanted = fun(*args), fun(*map(np.asarray, args))
    for got, whole in zip(jax.tree.leaves(out), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(whole), rtol=2e-5, atol=2e-5)
        for shard in got.addressable_shards:
            np.testing.assert_array_equal(shard.data, np.asarray(got)[shard.index])
    return "; ".join(map(how, jax.tree.leaves(out)))


def test_programs_run_where_their_arguments_lie():
    for text, operands, wanted in PROGRAMS[5::40]:
        assert check(jax.jit(function(text)), *map(put, operands.split())) == wanted, text


@pytest.mark.prove
@pytest.mark.parametrize("first", range(6))
def test_all_programs_run_where_their_arguments_lie(first):
    for text, operands, wanted in PROGRAMS[first::6]:
        assert check(jax.jit(function(text)), *map(put, operands.split())) == wanted, text


def test_outside_of_jit_each_operation_runs_there():
    x, v = put("8,8:x,y"), put("8:y")
    assert check(lambda x: jnp.sin(x) @ x.T, x) == "x -"
    assert check(lambda x, v: (x * v)[::2].sum(1), x, v) == "x"
    assert check(lambda x: lax.scan(lambda c, r: (c + r, c), jnp.zeros(8), x), x) == "y; - y"
    assert check(lambda x: jax.grad(lambda x: (jnp.tanh(x) @ x).sum())(x), x) == "x y"
    assert check(jax.vmap(lambda r: r - r.max()), x) == "x y"


def test_what_lies_elsewhere_is_brought():
    x = put("8,8:x,y")
    for other in (np.ones((8, 8), np.float32), jnp.ones((8, 8)), 2.0, np.float32(3)):
        assert how(x + other) == "x y"
    turned = jax.make_mesh((2, 4), ("y", "x"), axis_types=(AxisType.Auto,) * 2)
    y = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(turned, P("x")))
    np.testing.assert_array_equal(x + y, np.asarray(x) + 1)
    elsewhere = jax.device_put(np.ones(8), jax.devices()[3])
    with pytest.raises(ValueError, match="different devices"):
        x + elsewhere


def test_keys_bits_and_whole_numbers():
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), sharding("x"))
    draws = jax.jit(jax.vmap(lambda key: jax.random.normal(key, (4,))))
    np.testing.assert_array_equal(draws(keys), draws(jax.random.split(jax.random.key(0), 8)))
    assert how(draws(keys)) == "x -"
    numbers = put("i8:x")
    assert check(lambda n: (n + 1, n > 2, n.sum(), n.astype(bool).any()), numbers) == "x; x; (); ()"


def test_what_is_shown_is_shown_once(capsys):
    x = put("8:x")

    def shows(x):
        jax.debug.print("sum {}", x.sum())
        return x * 2

    np.testing.assert_array_equal(jax.jit(shows)(x), np.asarray(x) * 2)
    jax.effects_barrier()
    assert capsys.readouterr().out.count("sum") == 1


def test_donated_arguments_are_gone():
    x = put("8,8:x,y")
    assert how(jax.jit(lambda x: x + 1, donate_argnums=0)(x)) == "x y"
    assert x.is_deleted()
    with pytest.raises(RuntimeError):
        x + 1
    assert how(jax.jit(lambda x, y: y + 1)(x, put("8,8:x,y"))) == "x y"  # x isn't needed


# What a program says of its values.


def test_a_constraint_is_kept_and_passed_on():
    x, plain = put("8,8:x,y"), jnp.ones((8, 8))

    def f(x):
        return lax.with_sharding_constraint(x * 2, sharding("y"))

    for fun in (f, jax.jit(f), jax.jit(lambda x: jnp.sin(f(x)))):
        for _ in range(3):
            assert how(fun(plain)) == how(fun(x)) == "y -"
    assert how(jax.jit(jax.grad(lambda x: f(x).sum()))(x)) == "y -"
    assert how(jax.jit(jax.vmap(f))(jnp.ones((3, 8, 8)))) == "- y -"
    loose = sharding(P.UNCONSTRAINED, "y")
    assert how(jax.jit(lambda x: lax.with_sharding_constraint(x, loose))(put("8,8:x,-"))) == "x y"
    both = jax.jit(lambda x: lax.with_sharding_constraint({"a": x, "b": [x]}, sharding("x")))(x)
    assert [how(each) for each in jax.tree.leaves(both)] == ["x -", "x -"]


def test_arrays_on_an_explicit_mesh_are_moved_by_reshard():
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    values = array("8,8:x,y")[0]
    x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
    rows = NamedSharding(mesh, P("y"))
    f = jax.jit(lambda x: jax.reshard(jnp.sin(x), rows) * 2)
    for out in (jax.reshard(x, rows), jax.reshard(jnp.ones((8, 8)), rows), f(x), f(values)):
        assert out.sharding.spec == P("y", None)
    np.testing.assert_allclose(f(x), np.sin(values) * 2, rtol=1e-6)
    assert (x @ np.ones((8, 8))).sharding.spec == P("x", None)
    assert x.sum().sharding.spec == P()
    assert "= reshard a" in str(jax.make_jaxpr(lambda x: jax.reshard(x, rows))(values))
    assert jax.vmap(f)(np.ones((3, 8, 8))).sharding.spec == P(None, "y", None)
    assert jax.grad(lambda x: f(x).sum())(x).shape == (8, 8)


def test_axes_are_auto_or_explicit_inside_a_function():
    x = array("8,8:x,y")[0]
    seen = []

    def f(x):
        seen.append(jax.sharding.get_abstract_mesh().axis_types)
        return x + x.T

    with jax.set_mesh(jax.make_mesh((4, 2), ("x", "y"))):
        for call in (auto_axes(f, out_sharding=P("x")), auto_axes(out_sharding=P("x"))(f)):
            out = call(jax.device_put(x, P("x", "y")))
            assert out.sharding.spec == P("x", None)
            np.testing.assert_array_equal(out, x + x.T)
        assert how(jax.jit(auto_axes(f, axes="y", out_sharding=P("x")))(x)) == "x -"
    with jax.set_mesh(MESH):
        out = jax.jit(explicit_axes(lambda x: (f(x * 0), x * 2)[1], in_sharding=P()))(x)
    np.testing.assert_array_equal(out, x * 2)
    auto, explicit = AxisType.Auto, AxisType.Explicit
    assert seen == [(auto, auto)] * 2 + [(explicit, auto), (explicit, explicit)]


def test_constraints_that_do_not_fit_are_refused():
    refused = lax.with_sharding_constraint
    for error, x, given in (
        (ValueError, jnp.ones(3), sharding("x")),
        (ValueError, jnp.ones(4), sharding("x", "y")),
        (RuntimeError, jnp.ones(4), P("x")),
        (TypeError, jnp.ones(4), "x"),
        (ValueError, {"a": jnp.ones(4)}, [sharding("x")]),
    ):
        with pytest.raises(error):
            refused(x, given)
    # Inside of jit an axis without equal parts is left whole.
    assert how(jax.jit(lambda x: refused(x, sharding("y")) + 1)(put("3,8:-,x"))) == "- -"


def test_shardings_of_arguments_and_results():
    plain, x = jnp.ones((8, 8)), put("8,8:y,-")
    f = jax.jit(lambda a: a * 2, in_shardings=sharding("y"), out_shardings=sharding(None, "x"))
    assert [how(f(each)) for each in (plain, x, plain, plain)] == ["- x"] * 4
    with pytest.raises(ValueError, match="device_put"):
        f(put("8,8:x,y"))
    assert how(jax.jit(lambda a: f(a) * 2)(plain)) == "- x"
    g = jax.jit(
        lambda n, a, b: {"sum": a + b, "all": n}, static_argnums=0,
        in_shardings=(sharding("x"), None), out_shardings={"sum": None, "all": sharding()},
    )  # fmt: skip
    assert how(g(3, plain, plain)["sum"]) == "x -"
    with jax.set_mesh(MESH):
        assert how(jax.jit(lambda a: a, in_shardings=P("x"))(plain)) == "x -"


def test_arguments_on_other_devices_are_moved_at_every_call():
    there, x = SingleDeviceSharding(jax.devices()[3]), jnp.arange(8.0)
    f = jax.jit(lambda a, b: a * b, in_shardings=(there, None))
    for first, second in ((x, x), (jax.device_put(x, jax.devices()[1]), x), (2.0, x), (x, x)):
        y = f(first, second)
        assert y.sharding == there
        np.testing.assert_array_equal(y, np.asarray(first) * np.asarray(x))
    np.testing.assert_array_equal(jax.grad(lambda a: f(a, a).sum())(x), 2 * x)


def test_shardings_that_do_not_fit_are_refused():
    def jitted(error, *args, fun=lambda a: a, **how):
        with pytest.raises(error):
            jax.jit(fun, **how)(*args)

    plain = jnp.ones(8)
    jitted(TypeError, plain, in_shardings="x")
    jitted(ValueError, plain, in_shardings=sharding("x"), backend="numpy")
    jitted(RuntimeError, plain, in_shardings=P("x"))
    jitted(ValueError, jnp.ones(3), out_shardings=sharding("x"))
    jitted(ValueError, plain, in_shardings=(sharding("x"), None))
    jitted(ValueError, plain, fun=lambda a: {"a": a}, out_shardings=[sharding("x")])
    with pytest.raises(ValueError, match="by name"):
        jax.jit(lambda a: a, in_shardings=sharding("x"))(a=plain)


# What is said of it.


def test_explain_says_how_values_are_cut_and_what_moves():
    x, w = put("8,8:x,y"), put("8,8:y,-")

    def layer(x, w):
        return jnp.sort(jnp.tanh(x @ w), 0), lax.scan(lambda c, r: (c + r, None), jnp.zeros(8), x)[
            0
        ]

    explained = jax.explain(layer)(x, w)
    assert "On 8 devices (x=4, y=2). Each gets" in str(explained)
    text = dict(explained.sections)["On each device"]
    lines = text.splitlines()
    assert lines[:4] == [
        "argument f32[8,8]: P('x', 'y')", "argument f32[8,8]: P('y',)",
        "result f32[8,8]: P('x',)", "result f32[8]: P('y',)",
    ]  # fmt: skip
    assert any(line.startswith("psum over y for dot_general") and "64 bytes" in line
               for line in lines)  # fmt: skip
    assert any(line.startswith("gather over x for sort") and "192 bytes" in line
               and line.endswith("it takes whole axes") for line in lines)  # fmt: skip
    assert "for lu at" in str(jax.explain(jnp.linalg.inv)(x))
    unknown = str(jax.explain(lambda x: lax.approx_max_k(x, 2))(x))
    assert "it takes whole arrays" in unknown
    shows = jax.explain(lambda x: jax.debug.print("{}", x))(x)
    assert "Not cut for devices, but run once: debug_print has an effect" in str(shows)
    placed = jax.explain(jax.jit(lambda a: a, out_shardings=sharding("y")))(jnp.ones(8))
    assert "result f32[8]: P('y',)" in str(placed)


def test_products_lie_as_out_sharding_says():
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    x = jax.device_put(array("8,8:-,x")[0], NamedSharding(mesh, P(None, "x")))
    rows = NamedSharding(mesh, P("x"))
    products = {
        "dot": lambda x, **how: jnp.dot(x, x.T, **how),
        "matmul": lambda x, **how: jnp.matmul(x, x.T, **how),
        "tensordot": lambda x, **how: jnp.tensordot(x, x, ((1,), (1,)), **how),
        "einsum": lambda x, **how: jnp.einsum("ij,kj->ik", x, x, **how),
    }
    for name, product in products.items():
        for _ in range(3):  # an eager path, were there one, would be taken
            for operand in (x, np.asarray(x)):
                out = product(operand, out_sharding=rows)
                assert out.sharding.spec == P("x", None), name
                np.testing.assert_allclose(out, np.asarray(x) @ np.asarray(x).T, rtol=1e-5)
        jitted = jax.jit(lambda x, product=product: product(x, out_sharding=rows))
        assert jitted(x).sharding.spec == P("x", None)
        with pytest.raises(TypeError, match="lax.dot_general takes shardings"):
            product(x, out_sharding="x")


def test_nans_are_found_and_no_tracer_is_kept():
    x = put("8,8:x,y")
    with jax.debug_nans(True):
        for fun in (lambda x: jnp.log(x - 1), jax.jit(lambda x: jnp.log(x - 1) * 2)):
            with pytest.raises(FloatingPointError, match="log gave NaN"):
                fun(x)
    with jax.checking_leaks():
        assert how(jax.jit(lambda x: jnp.sin(x) @ x)(x)) == "x y"


def test_placed_programs_are_compiled_ahead_of_time_and_exported():
    f = jax.jit(lambda x: x * 2, out_shardings=sharding("y"))
    lowered = f.lower(jnp.ones((8, 8)))
    assert how(lowered.compile()(np.ones((8, 8), np.float32))) == "y -"
    assert "stablehlo.multiply" in lowered.as_text()


def test_a_loop_for_each_row_is_run_once():
    """Its predicate has an axis: parts of the carry would meet the whole of it."""
    def halved(x):
        return jax.lax.while_loop(lambda x: x > 1, lambda x: x / 2, x)

    x = jnp.array([9.0, 1.0, 100.0, 3.0, 0.5, 17.0, 2.0, 64.0])
    mesh = jax.make_mesh((8,), "x", jax.sharding.AxisType.Auto)
    cut = jax.device_put(x, jax.NamedSharding(mesh, jax.P("x")))
    f = jax.jit(jax.vmap(halved))
    np.testing.assert_array_equal(f(cut), f(x))
    assert "while asks each row whether to go on" in str(jax.explain(f)(cut))
