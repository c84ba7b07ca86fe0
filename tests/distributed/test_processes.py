"""Several processes of one world, as MPI starts them on one machine."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from minijax import distributed
from minijax.distributed.__main__ import main

DIGITS = Path(__file__).resolve().parents[2] / "notebooks/data/digits.csv.gz"
needs_mpi = pytest.mark.usefixtures("mpi")
pytestmark = pytest.mark.prove


BEGINNING = """
import os, sys, time
import numpy as np
import jax
jax.distributed.initialize()
from minijax.lax.sharding.processes import current
me, count = jax.process_index(), jax.process_count()
"""


def run(tmp_path, script, count=2, timeout=100, beginning=BEGINNING, arguments=(),
        environment=None):  # fmt: skip
    """The exit status, and what all processes print, of a script that several run."""
    file = tmp_path / "script.py"
    file.write_text(beginning + script)
    command = [sys.executable, "-m", "minijax.distributed", "-n", str(count), str(file)]
    command += map(str, arguments)
    env = {**os.environ, **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env)
    return done.returncode, done.stdout + done.stderr


@needs_mpi
@pytest.mark.parametrize("count", [2, 4])
def test_devices_are_those_of_all_processes(tmp_path, count):
    status, text = run(tmp_path, """
ids = [2048 * process for process in range(count)]
assert [d.id for d in jax.devices()] == ids and jax.device_count() == count
assert [d.id for d in jax.local_devices()] == [2048 * me] and jax.local_device_count() == 1
assert jax.local_devices(1) == jax.devices()[1:2] and jax.process_indices() == list(range(count))
assert jax.numpy.ones(3).devices() == {jax.local_devices()[0]}
print("all is well")
""", count)  # fmt: skip
    assert status == 0 and text.count("all is well") == count, text


@needs_mpi
def test_values_go_between_processes(tmp_path):
    status, text = run(tmp_path, """
group, x = current.world.group(range(count)), np.arange(4.0) + me
def same(x, y):
    np.testing.assert_array_equal(x, y)
    assert x.dtype == np.asarray(y).dtype
same(group.gathered("g", x[1:2]), [[1.0], [2.0], [3.0], [4.0]])
same(group.reduced("r", x, np.add), [6.0, 10.0, 14.0, 18.0])
same(group.reduced("r", x, np.maximum), [3.0, 4.0, 5.0, 6.0])
same(group.reduced("r", np.array([me != 2]), np.minimum), [False])
same(group.reduced("r", x.astype(np.float16), np.add), np.float16([6, 10, 14, 18]))
nan = np.where(me == 1, np.nan, x)
assert np.isnan(group.reduced("r", nan, np.maximum)).all()
same(group.scattered("s", np.arange(8).reshape(4, 2) * (me + 1), np.add), [20 * me, 20 * me + 10])
same(group.exchanged("e", np.arange(4) + 10 * me), [me, me + 10, me + 20, me + 30])
sources = [[1.0, 2, 3, 4], [0.0, 1, 2, 3], [3.0, 4, 5, 6], [0.0] * 4]
same(group.permuted("p", x, [(0, 1), (1, 0), (3, 2)]), sources[me])
same(group.reduced("r", x[::2], np.add), [6.0, 14.0])
pair = current.world.group([me // 2 * 2, me // 2 * 2 + 1])
same(pair.gathered("g", np.array(me)), [me // 2 * 2, me // 2 * 2 + 1])
print("all is well")
""", 4)  # fmt: skip
    assert status == 0 and text.count("all is well") == 4, text


# What goes wrong ends all processes, with a sentence, and soon.

MISTAKES = {
    "if me: raise ValueError('oh')":
        "process 1 of 2 has ended with ValueError, and ends the others",
    "if me: os.kill(os.getpid(), 9)": "EXIT CODE: 9",
    "if me: sys.exit(3)": "Process 1 of 2 has ended its script, and process 0 waits for it in",
    "if me: sys.exit()": "Process 1 of 2 has ended its script, and process 0 waits for it in",
    "if me: x = x[:2]": r"Process \d has come to psum of float64\[3\], and process \d to psum of "
        r"float64\[2\]|psum of float64\[2\], and process \d to psum of float64\[3\]",
    "if me: x = x.astype(int)": r"psum of int64\[3\]",
    "if me: what = 'pmax'": r"has come to (psum|pmax) of float64\[3\], and process \d to",
}  # fmt: skip


@needs_mpi
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_one_process_ends_all(tmp_path, mistake):
    began = time.monotonic()
    status, text = run(tmp_path, f"""
x, what = np.ones(3), "psum"
{mistake}
print(current.world.group(range(count)).reduced(what, x, np.add))
""")  # fmt: skip
    assert status and re.search(MISTAKES[mistake], text), text
    assert time.monotonic() - began < 30  # of which most is the start of Python, on a busy machine


@needs_mpi
def test_a_process_that_is_done_waits_for_the_others(tmp_path):
    status, text = run(tmp_path, "time.sleep(0.5 * me); print(f'done {me}')")
    assert status == 0 and "done 1" in text


@needs_mpi
@pytest.mark.parametrize(("call", "words"), [
    ("jax.distributed.initialize()", "RuntimeError: distributed.initialize was called in"),
    ("jax.distributed.shutdown(); jax.devices(); jax.distributed.initialize()", "comes too late"),
])  # fmt: skip
def test_calls_that_come_too_late(tmp_path, call, words):
    status, text = run(tmp_path, call, 1)
    assert status and words in text, text


@needs_mpi
@pytest.mark.parametrize("given", ["num_processes=3", "process_id=7"])
def test_other_numbers_than_mpis_are_refused(tmp_path, given):
    script = f"import jax; jax.distributed.initialize({given})"
    status, text = run(tmp_path, script, 1, beginning="")
    assert status and re.search(rf"ValueError: .*got {given}, and MPI\s+has", text), text


# Without MPI.


def test_a_process_that_mpi_did_not_start(monkeypatch):
    for name in distributed._STARTED:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="python -m minijax.distributed -n 4"):
        distributed.initialize()
    assert not distributed.is_initialized()
    distributed.shutdown()


@pytest.mark.parametrize("argv, words", [
    (["SCRIPT.py"], "-n"), (["-n", "0", "SCRIPT.py"], "at least 1 process, not 0"),
    (["-n", "many", "SCRIPT.py"], "many"), (["-n", "2", "no_such_script.py"], "there is no file"),
])  # fmt: skip
def test_wrong_commands(argv, words, capsys):
    with pytest.raises(SystemExit) as error:
        main(argv)
    assert error.value.code == 2 and words in capsys.readouterr().err


# Programs of all devices: the same answers as one process has.

PROGRAMS = """
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((count // 2, 2), ("x", "y"), (jax.sharding.AxisType.Auto,) * 2)
whole = np.arange(64, dtype="float32").reshape(8, 8) / 8
def on_mesh(*spec):
    return jax.device_put(whole, NamedSharding(mesh, P(*spec)))
def check(found, expected):
    for shard in found.addressable_shards:
        np.testing.assert_allclose(shard.data, np.asarray(expected)[shard.index], rtol=1e-5)
"""


@needs_mpi
@pytest.mark.parametrize(("count", "devices"), [(2, 1), (4, 1), (2, 2)])
def test_partitioned_programs(tmp_path, count, devices, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", f"--xla_force_host_platform_device_count={devices}")
    status, text = run(tmp_path, PROGRAMS.replace("count //", "jax.device_count() //") + """
def softmax_products(x):
    return jax.nn.softmax(x @ x.T / 64, 0) @ jnp.sin(x)
def loop(x):
    return jax.lax.scan(lambda c, r: (c + r.sum(), c * r), jnp.float32(0), x)[1]
functions = [softmax_products, jax.grad(lambda x: (x.T @ x).max()), loop,
             lambda x: x[::2].argmax(1), lambda x: x.reshape(2, 32).sum(1) * x.mean()]
for spec in [("x", "y"), (None, ("y", "x"))]:
    check(jnp.cumsum(on_mesh(*spec), 0) + 1, whole.cumsum(0) + 1)
    for f in functions:
        check(jax.jit(f)(on_mesh(*spec)), f(jnp.asarray(whole)))
print("all is well")
""", count)  # fmt: skip
    assert status == 0 and text.count("all is well") == count, text


@needs_mpi
@pytest.mark.parametrize(("count", "devices"), [(2, 1), (4, 1), (2, 2)])
def test_collectives_over_one_axis_and_several(tmp_path, count, devices, monkeypatch):
    """Beside the same in one process, whose devices are as many."""
    monkeypatch.setenv("XLA_FLAGS", f"--xla_force_host_platform_device_count={devices}")
    program = """
import jax.lax as lax
from minijax.lax.sharding.shard_map_calls import shard_map
table = [
    lambda x: lax.psum(x, "x"), lambda x: lax.pmean(x, ("x", "y")), lambda x: lax.pmax(x, "y"),
    lambda x: lax.pmin(x, ("y", "x")), lambda x: lax.all_gather(x, "y", axis=1, tiled=True),
    lambda x: lax.psum_scatter(x, "y", tiled=True),
    lambda x: lax.all_to_all(x, "y", 0, 1, tiled=True),
    lambda x: lax.ppermute(x, "y", [(0, 1)]), lambda x: lax.axis_index("y") * x,
    lambda x: lax.scan(lambda c, _: (lax.psum(c, "y") / 2, c.sum()), x, None, length=3)[1],
    jax.grad(lambda x: lax.psum(jnp.sin(x), ("x", "y")).sum()),
]
for k, f in enumerate(table):
    found = shard_map(lambda x: jnp.atleast_1d(f(x)), mesh=mesh, in_specs=P("x", "y"),
                          out_specs=P(("x", "y")), check_vma=False)(on_mesh("x", "y"))
    for shard in found.addressable_shards:
        rows = np.asarray(shard.data).round(4).ravel().tolist()
        open(f"{sys.argv[1]}.{me}", "a").write(f"{k} {shard.index[0].start} {rows}\\n")
"""  # fmt: skip
    n = count * devices
    program = PROGRAMS.replace("count //", f"{n} //") + program
    status, text = run(tmp_path, program, count, arguments=[tmp_path / "several"])
    assert status == 0, text
    monkeypatch.setenv("XLA_FLAGS", f"--xla_force_host_platform_device_count={n}")
    status, text = run(tmp_path, program, 1, arguments=[tmp_path / "alone"])
    assert status == 0, text
    several, alone = (
        sorted("".join(f.read_text() for f in tmp_path.glob(f"{name}.*")).splitlines())
        for name in ("several", "alone")
    )
    assert several == alone and len(alone) == 11 * n


TRAINING = """
import json, pathlib
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
digits = np.loadtxt(sys.argv[1], delimiter=",", max_rows=256)
images, labels = digits[:, :64].astype("float32") / 16, digits[:, 64]
mesh = jax.make_mesh((jax.device_count(),), ("batch",), (jax.sharding.AxisType.Auto,))
rows, everywhere = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
mine = slice(me * 256 // count, (me + 1) * 256 // count)
x = jax.make_array_from_process_local_data(rows, images[mine])
y = jax.make_array_from_process_local_data(rows, labels[mine].astype("int32"))
def init(key):
    keys = zip(jax.random.split(key), [(64, 32), (32, 10)])
    return [(0.2 * jax.random.normal(key, sizes), jnp.zeros(sizes[1])) for key, sizes in keys]
def loss(params, x, y):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    logits = x @ params[-1][0] + params[-1][1]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()
@jax.jit
def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.5 * g, params, grads), value
params, losses = jax.device_put(init(jax.random.key(0)), everywhere), []
for _ in range(10):
    params, value = step(params, x, y)
    losses.append(float(value))
if me == 0:
    print("losses", json.dumps(losses))
"""


@needs_mpi
def test_training_has_the_losses_of_one_device(tmp_path):
    found = []
    for count in (1, 2, 4):
        status, text = run(tmp_path, TRAINING, count, arguments=[DIGITS])
        assert status == 0, text
        found.append(json.loads(re.search("losses (.*)", text)[1]))
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-5)
    assert found[0][-1] < 0.7 * found[0][0]


@needs_mpi
def test_what_processes_can_not_do(tmp_path):
    status, text = run(tmp_path, PROGRAMS.replace("count //", "jax.device_count() //") + """
x = on_mesh("x", "y")
assert repr(x) == str(x) == "Array(shape=(8, 8), dtype=float32)"
def refused(f, error, words):
    try:
        f()
    except error as e:
        assert words in " ".join(str(e).split()), str(e)
    else:
        raise AssertionError(words)
refused(lambda: np.asarray(x), RuntimeError, "on devices of other processes too")
def along_x(f):
    return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
inner = jax.shard_map(lambda x: 2 * x, in_specs=P(None, "y"), out_specs=P(None, "y"),
                      axis_names={"y"})
refused(lambda: along_x(inner)(x), NotImplementedError, "Name all its axes")
ragged = jax.sharding.Mesh(mesh.devices.ravel()[[0, 2, 3, 1]].reshape(2, 2), ("x", "y"))
assert mesh.local_mesh.devices.size == 2 and len(mesh.local_devices) == 2
refused(lambda: ragged.local_mesh, ValueError, "are no grid")
print("all is well")
""", 2, environment={"XLA_FLAGS": "--xla_force_host_platform_device_count=2"})  # fmt: skip
    assert status == 0 and text.count("all is well") == 2, text


@needs_mpi
@pytest.mark.parametrize(("count", "devices"), [(4, 1), (2, 2)])
def test_a_shard_map_over_some_axes(tmp_path, count, devices, monkeypatch):
    """Its arguments lie along others too, and come to be whole there."""
    monkeypatch.setenv("XLA_FLAGS", f"--xla_force_host_platform_device_count={devices}")
    status, text = run(tmp_path, PROGRAMS.replace("count //", "jax.device_count() //") + """
def over(name, f, spec):
    return jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec, axis_names={name})
rows = over("x", lambda x: x * jax.lax.psum(x, "x"), P("x"))
columns = over("y", lambda x: x - jax.lax.ppermute(x, "y", [(0, 1), (1, 0)]), P(None, "y"))
halves, sides = whole.reshape(2, 4, 8), whole.reshape(8, 2, 4)
by_rows, by_columns = (halves * halves.sum(0)).reshape(8, 8), (sides - sides[:, ::-1]).reshape(8, 8)
for spec in [("x", "y"), ("y", "x"), (None, ("y", "x")), ()]:
    x = on_mesh(*spec)
    for run in (lambda f: f, jax.jit):
        check(run(rows)(x), by_rows)
        check(run(columns)(x), by_columns)
    check(jax.jit(lambda x: jnp.sin(rows(x)).T)(x), np.sin(by_rows).T)
    check(jax.grad(lambda x: rows(x).sum())(x), 2 * np.tile(halves.sum(0), (2, 1)))
print("all is well")
""", count)  # fmt: skip
    assert status == 0 and text.count("all is well") == count, text


@needs_mpi
def test_arrays_are_made_of_the_parts_that_a_process_has(tmp_path):
    status, text = run(tmp_path, PROGRAMS.replace("count //", "jax.device_count() //") + """
line = jax.make_mesh((4,), ("i",), (jax.sharding.AxisType.Auto,))
rows, asked = NamedSharding(line, P("i")), []
def part(index):
    asked.append(index[0].start)
    return whole[index]
check(jax.make_array_from_callback((8, 8), rows, part), whole)
assert asked == [4 * me, 4 * me + 2], asked
mine = [jax.device_put(whole[start:start + 2], d)
        for start, d in zip(asked, jax.local_devices(), strict=True)]
x = jax.make_array_from_single_device_arrays((8, 8), rows, mine[::-1])
check(x, whole)
check(jax.jit(lambda x: x.sum(0))(x), whole.sum(0))
def refused(f, words):
    try:
        f()
    except ValueError as e:
        assert words in " ".join(str(e).split()), str(e)
    else:
        raise AssertionError(words)
refused(lambda: jax.make_array_from_single_device_arrays((8, 8), rows, mine[:1]), "on each of")
first = NamedSharding(jax.sharding.Mesh(jax.local_devices(0), "i"), P("i"))
if me == 1:
    refused(lambda: jax.make_array_from_callback((8, 8), first, part), "Give a dtype")
    x = jax.make_array_from_callback((8, 8), first, part, dtype="float32")
    y = jax.make_array_from_single_device_arrays((8, 8), first, [], dtype="float32")
    assert len(asked) == 2 and x.addressable_shards == y.addressable_shards == []
    assert x.shape == y.shape == (8, 8) and x.dtype == y.dtype == np.float32
print("all is well")
""", 2, environment={"XLA_FLAGS": "--xla_force_host_platform_device_count=2"})  # fmt: skip
    assert status == 0 and text.count("all is well") == 2, text
