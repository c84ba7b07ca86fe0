"""Threads of devices: whatever they wait for comes, or an error does."""

import random
import threading
import time

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.lax.collectives import meetings
from minijax.lax.sharding import device_threads
from minijax.lax.sharding.device_threads import meet, run_on_devices

P = jax.P
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8
XY = P("x", "y")


def shared(f, **how):
    """`f` on pieces of X, run by threads."""
    return jax.jit(jax.shard_map(f, mesh=MESH, in_specs=XY, out_specs=XY, **how))


def all_of(values):
    return [tuple(values)] * len(values)


def test_those_meet_that_differ_along_the_named_axes_alone():
    def program(i):
        columns = meet("a", ("x",), i, all_of)
        everybody = meet("b", ("y", "x"), i, all_of)
        pairs = meet("c", ("x",), i, all_of, groups=((0, 3), (1, 2)))
        return columns, everybody, pairs

    out = run_on_devices(program, {"x": 4, "y": 2}, [(i,) for i in range(8)])
    assert [columns for columns, _, _ in out] == [(0, 2, 4, 6), (1, 3, 5, 7)] * 4
    assert {everybody for _, everybody, _ in out} == {(0, 2, 4, 6, 1, 3, 5, 7)}
    pairs = [(0, 6), (1, 7), (2, 4), (3, 5)]
    assert [pair for *_, pair in out] == [*pairs, pairs[2], pairs[3], pairs[0], pairs[1]]


def test_a_run_inside_of_a_run_meets_along_the_outer_axes_too():
    def outer(i):
        inner = run_on_devices(lambda j: meet("a", ("x", "z"), (i, j), all_of), {"z": 2},
                               [(0,), (1,)])  # fmt: skip
        return inner, meet("b", ("x",), i, all_of)

    [(inner, after), _] = run_on_devices(outer, {"x": 2}, [(0,), (1,)])
    assert inner == [((0, 0), (0, 1), (1, 0), (1, 1))] * 2 and after == (0, 1)


def raise_on_three(i):
    if i == 3:
        raise OSError("device 3")
    return meet("a", ("x", "y"), i, all_of)


def in_another_order(i):
    return meet("a", ("x",) if i else ("y",), i, all_of)


def only_one_comes(i):
    return i or meet("a", ("x",), i, all_of)


def badly_combined(i):
    return meet("a", ("x",), i, lambda values: 1 / 0)


def inside(i):
    return run_on_devices(lambda j: raise_on_three(i), {"z": 2}, [(0,), (1,)])


@pytest.mark.parametrize("program, error, words", [
    (raise_on_three, OSError, "device 3"), (inside, OSError, "device 3"),
    (in_another_order, jax.errors.JaxRuntimeError, "none will go on: a over"),
    (only_one_comes, jax.errors.JaxRuntimeError, "3 of 4 missing"),
    (badly_combined, ZeroDivisionError, "division"),
])  # fmt: skip
def test_the_first_error_is_what_the_caller_sees_and_nobody_waits_for_ever(program, error, words):
    grid = {"x": 4, "y": 2}
    with pytest.raises(error, match=words):
        run_on_devices(program, grid, [(i,) for i in range(8)])
    assert run_on_devices(lambda i: i, grid, [(i,) for i in range(8)]) == list(range(8))


def test_a_body_that_fails_on_one_device_or_disagrees_with_others_is_an_error():
    def fails(x):
        def call(n):
            if n == 3:
                raise OSError("device 3")
            return np.float32(n)

        n = jax.pure_callback(call, jax.ShapeDtypeStruct((), "float32"), lax.axis_index("x"))
        return x + lax.psum(x, "y") + n

    with pytest.raises(jax.errors.JaxRuntimeError, match="raised OSError: device 3"):
        shared(fails)(X)
    by_device = shared(
        lambda x: lax.cond(x.sum() > 1, lambda: lax.psum(x, "x"), lambda: x), check_vma=False
    )
    with pytest.raises(jax.errors.JaxRuntimeError, match="All devices must come to the same"):
        by_device(X)
    assert shared(lambda x: lax.psum(x, "x") * x)(X).shape == (8, 2)


def test_settings_and_scopes_of_the_caller_hold_on_each_device():
    with jax.enable_x64(True):
        out = shared(lambda x: x.astype("float64") / 3)(X)
    assert out.dtype == "float64" and np.array_equal(out, X.astype("float64") / 3)
    kept = len(device_threads.threads.idle)
    shared(lambda x: x + 1)(X)
    assert len(device_threads.threads.idle) == kept >= 7  # they are kept, and no more are made


def program_of_collectives(x):
    y = lax.psum(x, "x") + lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)])
    z = lax.all_gather(y, "y", axis=1, tiled=True) @ jnp.ones((2, 1))
    w = lax.all_to_all(jnp.tile(z, (2, 1)), "y", 0, 1, tiled=True)
    return lax.psum_scatter(jnp.tile(w, (2, 1)), "y", tiled=True)[:, :1] * x


def run_in_threads(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    users = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for user in users:
        user.start()
    for user in users:
        user.join(60)
    assert not errors and not any(user.is_alive() for user in users)


def test_several_users_at_a_time_get_their_own_results():
    f = shared(lambda x: lax.psum(x, "x") * x + lax.axis_index("y"))
    blocks = np.tile(X.reshape(4, 2, 2).sum(0), (4, 1))

    def work(i):
        for k in range(5):
            scale = np.float32(i + k)
            out = f(X * scale)
            np.testing.assert_allclose(out, blocks * X * scale**2 + [0, 1], rtol=1e-5)

    run_in_threads(3, work)


@pytest.mark.prove
def test_200_runs_with_delays_in_every_collective_give_the_same_value(monkeypatch):
    f = shared(program_of_collectives)
    first = np.asarray(f(X))
    in_turn = jax.shard_map(program_of_collectives, mesh=MESH, in_specs=XY, out_specs=XY)
    np.testing.assert_allclose(first, in_turn(X), rtol=1e-5)
    chance = random.Random(0)

    def delayed(*args, **named):
        time.sleep(chance.random() * 2e-3)
        return meet(*args, **named)

    monkeypatch.setattr(meetings, "meet", delayed)

    def work(_):
        for _ in range(100):
            assert np.array_equal(f(X), first)

    run_in_threads(2, work)
