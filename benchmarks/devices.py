"""Two devices: the same program on both, each with half of the data, beside JAX with two devices.

Devices are made before anything else, so the group has a process of its own.

    XLA_FLAGS=--xla_force_host_platform_device_count=2 python -m benchmarks.devices
        prints its rows, as JSON
"""

import json
import os
import subprocess
import sys

from benchmarks.data import labels, normals
from benchmarks.libraries import NAMES, ROOT, load
from benchmarks.rows import Row
from benchmarks.training import cross_entropy, descent, make_mlp, mlp
from benchmarks.turns import Effort, compare

COUNT = 2
GROUP = "devices"


def mesh_of(lib):
    auto = lib.sharding.AxisType.Auto
    return lib.make_mesh((COUNT,), ("x",), (auto,))


def spread(lib, mesh, x, *spec):
    """An array on the mesh, cut as the spec says."""
    sharding = lib.sharding.NamedSharding(mesh, lib.sharding.PartitionSpec(*spec))
    return lib.device_put(x, sharding)


def elementwise(lib, size=1000):
    """Eight operations on `size` x 1000 numbers, whose rows are divided."""
    def f(x):
        y = lib.numpy.tanh(2 * x) * lib.numpy.exp(-x * x)
        return y / (1 + lib.numpy.abs(y)) + x

    return lib.jit(f), (spread(lib, mesh_of(lib), normals(lib, size, 1000), "x"),)


def reduction_over_devices(lib, size=1000):
    """The mean and variance of columns, whose rows are divided: sums of both devices."""
    def f(x):
        mean = lib.numpy.mean(x, 0)
        return mean, lib.numpy.mean((x - mean) ** 2, 0)

    return lib.jit(f), (spread(lib, mesh_of(lib), normals(lib, size, 1000), "x"),)


def product_with_a_divided_sum(lib, size=512):
    """A product whose summed axis is divided: each device has some of the terms."""
    mesh = mesh_of(lib)
    x, y = normals(lib, size, size), normals(lib, size, size, seed=1)
    return lib.jit(lambda x, y: x @ y), (spread(lib, mesh, x, None, "x"), spread(lib, mesh, y, "x"))


def data_parallel_training(lib, size=256):
    """A step of the perceptron 784-`size`-`size`-10, whose 256 examples are divided."""
    mesh = mesh_of(lib)
    def loss(layers, x, classes):
        return cross_entropy(lib, mlp(lib, layers, x), classes)

    layers = lib.tree.map(lambda x: spread(lib, mesh, x), make_mlp(lib, size))
    batch = normals(lib, 256, 784), labels(lib, 256, 10)
    return descent(lib, loss), (layers, *(spread(lib, mesh, x, "x") for x in batch))


def ring_attention(lib, size=512):
    """Attention of `size` places (Liu, Zaharia, Abbeel, 2023): keys and values go round a ring,
    and each device adds to its queries' softmax what is there."""
    jnp, lax = lib.numpy, lib.lax
    mesh, P = mesh_of(lib), lib.sharding.PartitionSpec
    q, k, v = (spread(lib, mesh, normals(lib, size, 64, seed=i), "x") for i in range(3))

    def device(q, k, v):
        # Adding zeros of q has them vary as q does.
        top, total, out = q[:, :1] * 0 - 1e30, q[:, :1] * 0, q * 0

        def turn(state, _):
            k, v, top, total, out = state
            scores = q @ k.T / 8
            new_top = jnp.maximum(top, scores.max(1, keepdims=True))
            weights, before = jnp.exp(scores - new_top), jnp.exp(top - new_top)
            total = total * before + weights.sum(1, keepdims=True)
            ring = [(i, (i + 1) % COUNT) for i in range(COUNT)]
            k, v = lax.ppermute(k, "x", ring), lax.ppermute(v, "x", ring)
            return (k, v, new_top, total, out * before + weights @ state[1]), None

        (_, _, _, total, out), _ = lax.scan(turn, (k, v, top, total, out), None, length=COUNT)
        return out / total

    rows = P("x")
    return lib.jit(lib.shard_map(device, mesh=mesh, in_specs=rows, out_specs=rows)), (q, k, v)


WORKLOADS = (
    elementwise, reduction_over_devices, product_with_a_divided_sum, data_parallel_training,
    ring_attention,
)  # fmt: skip


def rows(effort: Effort) -> list[Row]:
    libs = tuple(map(load, NAMES))
    for lib in libs:
        if lib.device_count() != COUNT:
            raise RuntimeError(f"{lib.__name__} has {lib.device_count()} devices: not {COUNT}")
    return [compare(GROUP, workload, libs, effort) for workload in WORKLOADS]


def measure(effort: Effort) -> list[Row]:
    """The rows, from a process with two devices."""
    flag = f"--xla_force_host_platform_device_count={COUNT}"
    command = [sys.executable, "-m", "benchmarks.devices", json.dumps(effort)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "XLA_FLAGS": flag, "JAX_PLATFORMS": "cpu"})
    if done.returncode:
        raise RuntimeError(f"python -m benchmarks.devices failed:\n{done.stderr}")
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


def main(effort: str = "") -> None:
    found = rows(Effort(*json.loads(effort)) if effort else Effort())
    print(json.dumps([{k: v for k, v in row.as_dict().items() if k != "ratio"} for row in found]))


if __name__ == "__main__":
    main(*sys.argv[1:])
