"""What tests/oracle/cases/sharding.py can't say: memory, repeated calls, threads, pictures."""

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.arrays import ArrayImpl
from minijax.lax.sharding.meshes import all_devices, interned
from minijax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

ROOT = Path(__file__).resolve().parents[3]
P = PartitionSpec
X = np.arange(16, dtype=np.float32).reshape(8, 2)


def on_mesh(*spec):
    devices = np.array(all_devices()).reshape(4, 2)
    return NamedSharding(Mesh(devices, ("x", "y")), P(*spec))


def test_nobody_writes_to_a_part_and_equal_parts_are_one():
    original = X.copy()
    x = jax.device_put(original, on_mesh("x"))
    original[:] = 7
    assert np.array_equal(x, X)
    for part in (*x.shards(), np.asarray(x), np.asarray(x.addressable_shards[3].data)):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 7
    assert x.shards()[0] is x.shards()[1] and x.shards()[0] is not x.shards()[2]
    again = jax.device_put(x, on_mesh())
    assert again.shards()[0] is again.shards()[7] and np.array_equal(again, X)


def test_parts_and_equal_objects_go_when_nobody_has_them():
    x = jax.device_put(X, on_mesh("x", "y"))
    watched = [weakref.ref(x), weakref.ref(P("x", "no such axis")), weakref.ref(
        AbstractMesh((2, 2), ("one", "two")))]  # fmt: skip
    del x
    gc.collect()
    assert [ref() for ref in watched] == [None] * 3
    assert interned(P, partitions=("x",), unreduced=frozenset(), reduced=frozenset()) is P("x")


@pytest.mark.parametrize("call", [jax.jit(lambda x, y: x * 2 + y), lambda x, y: x * 2 + y],
                         ids=["jit", "eager"])  # fmt: skip
def test_calls_again_and_again_of_arrays_here_and_elsewhere(call):
    """Quick ways that are made for arrays on the first device are not taken for others."""
    plain, elsewhere = jnp.asarray(X), jax.device_put(X, all_devices()[3])
    divided = jax.device_put(X, on_mesh("x"))
    for x, place in [(x, x.devices()) for _ in range(5) for x in (plain, elsewhere, divided)]:
        out = call(x, 1.0)
        assert np.array_equal(out, X * 2 + 1) and out.devices() == place
        assert (type(out) is ArrayImpl) == (x is plain)
        assert call(plain, x).devices() == place


def test_a_program_is_traced_once_wherever_its_arguments_are():
    traced = []
    f = jax.jit(lambda x: traced.append(1) or jnp.sin(x))
    for place in (None, all_devices()[2], on_mesh("x"), on_mesh(), None):
        x = jax.device_put(X, place)
        np.testing.assert_allclose(f(x), np.sin(X), rtol=1e-6)
    assert len(traced) == 1


def test_a_compiled_program_runs_where_its_arguments_are():
    compiled = jax.jit(lambda x: x + 1).lower(X).compile()
    assert compiled(jax.device_put(X, all_devices()[3])).devices() == {all_devices()[3]}


def test_the_default_device_and_the_mesh_are_of_a_thread():
    seen, mesh = [], on_mesh().mesh

    def look():
        seen.append((jnp.ones(2).devices(), jax.sharding.get_mesh() is mesh))

    with jax.default_device(all_devices()[5]), jax.set_mesh(mesh):
        look()
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    look()
    here = {all_devices()[0]}
    assert seen == [({all_devices()[5]}, True), (here, False), (here, False)]


def test_programs_are_traced_anew_under_another_mesh():
    traced = []
    f = jax.jit(lambda x: traced.append(jax.sharding.get_abstract_mesh()) or x)
    mesh = on_mesh().mesh
    for _ in range(2):
        f(1.0)
        with jax.set_mesh(mesh):
            f(1.0)
            f(1.0)
    assert [m.axis_names for m in traced] == [(), ("x", "y")]


# What JAX prints with rich 15.
PICTURES = {
    (8, ("x",), 1.0): """\
┌───────┬───────┬───────┬───────┐
│CPU 0,1│CPU 2,3│CPU 4,5│CPU 6,7│
└───────┴───────┴───────┴───────┘
""",
    ((8, 8), ("y", "x"), 1.0): """\
┌───────┬───────┬───────┬───────┐
│       │       │       │       │
│ CPU 0 │ CPU 2 │ CPU 4 │ CPU 6 │
│       │       │       │       │
│       │       │       │       │
├───────┼───────┼───────┼───────┤
│       │       │       │       │
│ CPU 1 │ CPU 3 │ CPU 5 │ CPU 7 │
│       │       │       │       │
│       │       │       │       │
└───────┴───────┴───────┴───────┘
""",
    ((8, 8), ("x",), 0.3): """\
┌───────┐
│CPU 0,1│
├───────┤
│CPU 2,3│
├───────┤
│CPU 4,5│
├───────┤
│CPU 6,7│
└───────┘
""",
}


def test_how_an_array_lies_is_drawn(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for (shape, spec, scale), picture in PICTURES.items():
        x = jax.device_put(np.zeros(shape), on_mesh(*spec))
        jax.debug.visualize_array_sharding(x, scale=scale)
        assert capsys.readouterr().out == picture
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    jax.debug.visualize_sharding((8,), on_mesh("x"))
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("\033[38;2;255;255;255;48;2;57;59;121m CPU 0,1 \033[0m")
    assert first.count("\033[0m") == second.count("\033[0m") == 4 and "CPU" not in second
    jax.debug.visualize_sharding((8,), on_mesh("x"), use_color=False)
    assert "\033" not in capsys.readouterr().out


@pytest.mark.prove
@pytest.mark.parametrize("setting, count", [
    ({"XLA_FLAGS": "--xla_a=b --xla_force_host_platform_device_count=3"}, 3),
    ({"JAX_NUM_CPU_DEVICES": "2", "XLA_FLAGS": "--xla_force_host_platform_device_count=3"}, 2),
    ({}, 1),
], ids=["flag", "option", "none"])  # fmt: skip
def test_how_many_devices_there_are(setting, count):
    program = (
        "import minijax as jax\n"
        "x = jax.numpy.ones(3)\n"  # needs no device to be counted
        "print(jax.device_count(), x.devices(), x.sharding)\n"
        "jax.config.update('jax_num_cpu_devices', jax.device_count())\n"
        "try:\n    jax.config.update('jax_num_cpu_devices', 7)\n"
        "except RuntimeError as error:\n    print('too late' in str(error))\n"
        "d = jax.device_put(1.0, jax.devices()[-1])\n"
        "print(type(d).__name__, d.devices() == {jax.devices()[-1]})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={"PATH": "", "PYTHONPATH": str(ROOT), **setting},
    )  # fmt: skip
    kind = "ShardedArray" if count > 1 else "ArrayImpl"
    sharding = "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)"
    assert done.stdout.splitlines() == [
        f"{count} {{CpuDevice(id=0)}} {sharding}", "True", f"{kind} True",
    ], done.stderr  # fmt: skip
