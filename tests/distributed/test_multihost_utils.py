"""From values of each process to arrays that processes share, and back."""

import numpy as np
import pytest

import minijax as jax
from distributed.test_processes import needs_mpi, run
from minijax.experimental import multihost_utils
from minijax.sharding import Mesh
from minijax.sharding import PartitionSpec as P


@pytest.mark.prove
@needs_mpi
def test_two_processes_of_two_devices(tmp_path):
    status, text = run(tmp_path, """
from jax.experimental import multihost_utils as m
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
def same(x, y):
    np.testing.assert_array_equal(x, y)
    assert type(x) is np.ndarray
def refused(f, kind, words):
    try:
        f()
    except kind as e:
        assert words in " ".join(str(e).split()), str(e)
    else:
        raise AssertionError(words)
line = Mesh(jax.devices(), "i")
grid = Mesh(np.array(jax.devices()).reshape(2, 2), ("p", "d"))
crossed = Mesh(np.array(jax.devices())[[0, 2, 1, 3]], "i")  # of one process, and of the other
row = np.arange(4, dtype="float32")
x, rows = row + 10 * me, np.concatenate([row, row + 10])

same(m.broadcast_one_to_all({"a": x})["a"], row)
same(m.broadcast_one_to_all([x if me else x * np.nan], is_source=me == 1)[0], row + 10)
same(m.broadcast_one_to_all(np.array(me == 1), is_source=me == 1), True)
same(m.process_allgather(x), [row, row + 10])
same(m.process_allgather(x, tiled=True), rows)
same(m.process_allgather(me, tiled=True), [0, 1])
m.sync_global_devices("here")
m.assert_equal([x - 10 * me, 0.1])
refused(lambda: m.sync_global_devices(f"at {me}"), AssertionError, f"got the name 'at {me}'")
refused(lambda: m.assert_equal([me, row], "seeds"), AssertionError, "seeds: assert_equal: process")

shared = m.host_local_array_to_global_array(x, line, P("i"))
assert shared.shape == (8,) and shared.sharding == NamedSharding(line, P("i"))
assert m.host_local_array_to_global_array(shared, line, P()) is shared
same(m.process_allgather(jax.jit(lambda x: 2 * x)(shared), tiled=True), 2 * rows)
refused(lambda: m.process_allgather(shared), ValueError, "tiled=True")
refused(lambda: m.assert_equal(shared), AssertionError, "and another has")
m.assert_equal(m.host_local_array_to_global_array(row, line, P()))
apart = m.host_local_array_to_global_array(x, crossed, P("i"))
same(m.process_allgather(apart, tiled=True), rows[[0, 1, 4, 5, 2, 3, 6, 7]])
same(np.asarray(m.global_array_to_host_local_array(apart, crossed, P("i"))), x)
keys = jax.random.split(jax.random.key(me), 2)
assert m.host_local_array_to_global_array(keys, grid, P("p")).shape == (4,)
tree = m.host_local_array_to_global_array({"r": x, "c": x}, grid, {"r": P("p"), "c": P("d")})
assert tree["r"].shape == (8,) and tree["r"].addressable_data(0).shape == (4,)
assert tree["c"].shape == (4,) and tree["c"].addressable_data(0).shape == (2,)

back = m.global_array_to_host_local_array(shared, line, P("i"))
assert back.shape == (4,) and back.is_fully_addressable and len(back.devices()) == 2
assert m.global_array_to_host_local_array(back, line, P("i")) is back
same(np.asarray(back), x)
same(np.asarray(m.global_array_to_host_local_array(shared, line, P())), rows)
same(np.asarray(m.global_array_to_host_local_array(rows, line, P("i"))), x)
refused(lambda: jax.jit(lambda x: m.host_local_array_to_global_array(x, line, P("i")))(x),
        NotImplementedError, "got a traced float32[4]")
print("all is well")
""", 2, environment={"XLA_FLAGS": "--xla_force_host_platform_device_count=2"})  # fmt: skip
    assert status == 0 and text.count("all is well") == 2, text


@pytest.mark.parametrize("name", [
    "host_local_array_to_global_array", "global_array_to_host_local_array",
])  # fmt: skip
def test_a_process_alone_traces_them(name):
    """Where there is nobody to share with, they leave a traced value as it is."""
    x, mesh = np.arange(4.0, dtype="float32"), Mesh(jax.devices()[:1], "i")

    def doubled(x):
        return 2 * getattr(multihost_utils, name)(x, mesh, P("i"))

    np.testing.assert_array_equal(jax.jit(doubled)(x), 2 * x)
    np.testing.assert_array_equal(jax.grad(lambda x: doubled(x).sum())(x), [2, 2, 2, 2])


def test_equal_values_of_a_process_alone():
    """NaN equals nothing."""
    multihost_utils.assert_equal({"a": np.arange(3), "b": 1.5, "c": np.zeros((0, 2))})
    with pytest.raises(AssertionError, match="seeds: assert_equal: process 0 has"):
        multihost_utils.assert_equal([1, np.nan], "seeds")
