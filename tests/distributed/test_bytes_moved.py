"""What explain says that each device gets, beside the bytes of the buffers that MPI is given."""

import pytest

from distributed.test_processes import PROGRAMS, needs_mpi, run

pytestmark = pytest.mark.prove

# MPI's calls of a group, and the bytes that each process gets by one, of n. A sum goes round in a
# ring: each process gets all parts but one while they are added up, and again when they are.
COUNTING = """
from minijax.lax.sharding.processes import Group, MPIWorld
GETS = {
    "Iallgather": lambda n, x, out: out.nbytes - x.nbytes,
    "Iallreduce": lambda n, x, out, *_: 2 * (x.nbytes - x.nbytes // n),
    "Ireduce_scatter_block": lambda n, x, out, *_: x.nbytes - out.nbytes,
    "Ialltoall": lambda n, x, out: x.nbytes - x.nbytes // n,
    "Irecv": lambda n, out, source: out.nbytes,
}
class Counting:
    total, of_values = 0, True
    def __init__(self, comm):
        self.comm = comm
    def __getattr__(self, name):
        call = getattr(self.comm, name)
        def counted(*buffers):
            if Counting.of_values:
                Counting.total += GETS[name](self.comm.size, *buffers)
            return call(*buffers)
        return counted if name in GETS else call
group, agree = MPIWorld.group, Group.agree
def counted_group(*args):
    made = group(*args)
    if not isinstance(made.comm, Counting):
        made.comm = Counting(made.comm)
    return made
def agree_uncounted(*args):
    Counting.of_values = False
    agree(*args)
    Counting.of_values = True
MPIWorld.group, Group.agree = counted_group, agree_uncounted
"""

TABLE = """
from minijax.stages.explaining_devices import explanation
def cut(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))
def step(total, row):
    return total + row.sum(), total * row
table = {
    "sum": (lambda x: x.sum(0), ("x", "y")),
    "sum of all": (lambda x: x.sum(), ("x", "y")),
    "sum of integers": (lambda x: x.astype(int).sum(1), ("x", "y")),
    "maximum": (lambda x: x.max(1), ("x", "y")),
    "maximum along both": (lambda x: x.max(0), (("x", "y"),)),
    "minimum of integers": (lambda x: x.astype(int).min(0), ("y",)),
    "product": (lambda x: x @ x, ("x", "y")),
    "product with a divided sum": (lambda x: x.T @ x, ("y",)),
    "the same, cut": (lambda x: cut(x.T @ x, "y"), ("y",)),
    "gathered": (lambda x: cut(x, None, None), ("x", "y")),
    "gathered along both": (lambda x: cut(x, None), (("x", "y"),)),
    "exchanged": (lambda x: cut(x, None, "y"), ("y",)),
    "transposed": (lambda x: cut(x, "y", "x"), ("x", "y")),
    "softmax": (lambda x: jax.nn.softmax(x, 1), ("x", "y")),
    "argmax": (lambda x: x.argmax(1), ("x", "y")),
    "sorted": (lambda x: jnp.sort(x, 1), ("x", "y")),
    "scan": (lambda x: jax.lax.scan(step, jnp.float32(0), x)[1], (None, "y")),
    "gradient": (jax.grad(lambda x: jnp.tanh(x @ x.T).sum()), ("x", "y")),
}
said_something = 0
for name, (f, spec) in table.items():
    x, f = on_mesh(*spec), jax.jit(f)
    moves = explanation(f.trace(x), [x]).part.moves
    said = sum(move.step.bytes * (8 if "scan" in move.loops else 1) for move in moves)
    f(x)  # groups are made by a first call
    Counting.total = 0
    f(x)
    assert Counting.total == said, (name, said, Counting.total, moves)
    said_something += said > 0
assert said_something >= len(table) // 2
print("all is well")
"""


@needs_mpi
@pytest.mark.parametrize("count", [2, 4])
def test_explain_says_how_many_bytes_each_device_gets(tmp_path, count):
    status, text = run(tmp_path, COUNTING + PROGRAMS + TABLE, count)
    assert status == 0 and text.count("all is well") == count, text
