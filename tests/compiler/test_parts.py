"""Parts: what is no loop over single numbers, inside of loops that are compiled whole."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import OPTIONS, interpreted, loops_left_to_python, mapped_by_scan
from minijax import lax
from minijax.compiler import doors
from minijax.compiler.executable import Executable
from minijax.compiler.native import caches
from minijax.core.config import config
from minijax.lax import GatherDimensionNumbers, ScatterDimensionNumbers
from primitive_table import BETWEEN_KERNELS, COMPILED, RULES

DTYPES = ["float32", "float64", "int8", "int32", "uint8", "uint64", "bool"]
# A kernel's text for the others differs in their names alone.
SOME_DTYPES = [
    pytest.param(dtype, marks=[pytest.mark.prove] * (dtype in ("float64", "int32", "uint8")))
    for dtype in DTYPES
]


@pytest.fixture(autouse=True)
def wide_and_without_cache(monkeypatch):
    monkeypatch.setenv("MINIJAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setattr(caches, "by_numba", None)  # our translator does them all
    with jax.enable_x64(True):
        yield


@pytest.fixture(params=["direct", pytest.param("numba", marks=pytest.mark.prove), "python"])
def door(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(doors, "_kernels", {})
    with config.override("jit_kernels", request.param.replace("python", "direct")):
        yield request.param


def assert_one_kernel(f, *args):
    """Compiled whole, with the interpreter's results to the bit; returns the program."""
    closed = jax.make_jaxpr(f)(*args)
    executable = Executable(closed, OPTIONS)
    assert loops_left_to_python(executable) == []
    arrays = list(map(jnp.asarray, args))
    got = executable(*arrays)
    for x, y in zip(got, interpreted(closed, *arrays), strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))
        if x.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(x), np.signbit(y))
    return executable


def numbers(shape, dtype="float32", seed=0):
    x = np.random.default_rng(seed).integers(-9, 10, shape)
    if np.dtype(dtype).kind == "f":
        return (x / 8).astype(dtype)
    return (x % 2 == 0) if dtype == "bool" else (abs(x) if dtype[0] == "u" else x).astype(dtype)


def turns(f, length=5):
    """A loop in which f gets what is carried and a counter from -3 on."""
    return lambda x: lax.fori_loop(-3, length - 3, lambda i, x: f(x, i.astype(np.int32)), x)


# One step each, from x and a counter, to the same shape.

V, M = GatherDimensionNumbers((), (0,), (0,)), ScatterDimensionNumbers((), (0,), (0,))
ROWS = ScatterDimensionNumbers((1,), (0,), (0,))


def at(i):
    return jnp.stack([i, 2 * i, jnp.int32(1)]).reshape(3, 1)


def read(x, i, mode, fill_value=None):
    return x + lax.gather(x, at(i), GatherDimensionNumbers((1,), (0,), (0,)), (1, x.shape[1]),
                          mode=mode, fill_value=fill_value)[:1]  # fmt: skip


BODIES = {
    "element": lambda x, i: x + x[i, 0],
    "element of row": lambda x, i: x * x[0][i],
    "row": lambda x, i: x - x[i],
    "dynamic_slice": lambda x, i: x + lax.dynamic_slice(x, (i, 2 * i), (3, 1)),
    "constant start": lambda x, i: x + lax.dynamic_slice(x, (i, jnp.int32(1)), (2, 2))[:1, :1],
    "update": lambda x, i: lax.dynamic_update_slice(x, x[:2, 1:] + x[1:], (i, 1 - i)),
    "update all": lambda x, i: lax.dynamic_update_slice(x, x[::-1], (i, i)),
    "gather clip": lambda x, i: read(x, i, "clip"),
    "gather fill": lambda x, i: read(x, i, "fill", 7),
    "gather promise": lambda x, i: read(x, jnp.clip(i, 0, 1), "promise_in_bounds"),
    "gather rows": lambda x, i: x + x[jnp.array([0, 2, -1]) + i],
    "gather pairs": lambda x, i: x + x[jnp.array([0, 2]), jnp.array([1, 1]) + i].max(),
    "gather columns": lambda x, i: x.at[:].add(x[:, jnp.array([1, 0])]),
    "take": lambda x, i: jnp.take(x, jnp.array([2, 5, 1]), axis=0, mode="clip"),
    "take_along_axis": lambda x, i: jnp.take_along_axis(x, jnp.argsort(x, 0), 0),
    "set": lambda x, i: x.at[i].set(x[0]),
    "set element": lambda x, i: x.at[i, 1].set(x[0, 0]),
    "add": lambda x, i: x.at[i].add(x[-1]),
    "add several": lambda x, i: x.at[jnp.array([0, 1, 0]) + i].add(x),
    "subtract": lambda x, i: x.at[i, 0].subtract(x[0, 1]),
    "multiply": lambda x, i: x.at[:, i].multiply(x[:, 0]),
    "min": lambda x, i: x.at[jnp.array([0, 0, 2])].min(x),
    "max": lambda x, i: x.at[i].max(x[i - 1]),
    "scatter clip": lambda x, i: lax.scatter(x, at(i), x, ROWS, mode="clip"),
    "scatter drop": lambda x, i: lax.scatter_add(x, at(i), x, ROWS, mode="drop"),
    "scatter promise": lambda x, i: lax.scatter_add(x, at(i), x, ROWS, mode="promise_in_bounds"),
    "apply": lambda x, i: x.at[jnp.array([0, 1, 0]) + i].apply(lambda x: 2 * x + 1),
    "apply columns": lambda x, i: x.at[:, i].apply(lambda x: -x, mode="clip"),
    "mulhi": lambda x, i: x + lax.mulhi(x, x[::-1] * 5) if x.dtype.kind in "iu" else x + 1,
    "concatenate": lambda x, i: jnp.concatenate([x[1:], x[:1]]),
    "concatenate columns": lambda x, i: jnp.concatenate([x[:, 1:], x[:, :0], x[:, :1]], 1),
    "stack": lambda x, i: jnp.stack([x[:, 1], x[:, 0]], 1),
    "stack rows": lambda x, i: jnp.stack([x[2], x[0], x[1]]),
    "tile": lambda x, i: jnp.tile(x[:1, :1], (3, 2)),
    "tile pairs": lambda x, i: lax.tile(x[:, :1], (1, 2)),
    "roll": lambda x, i: jnp.roll(x, 1, 0),
    "pad": lambda x, i: lax.pad(x, x[0, 0], [(1, -1, 0), (-1, 1, 0)]),
    "pad between": lambda x, i: lax.pad(x[:2, :1], x[0, 0], [(0, 0, 1), (1, 0, 3)]),
    "pad and cut": lambda x, i: lax.pad(x, x[2, 1], [(-1, -1, 1), (-1, 1, 0)]),
    "pad with nothing": lambda x, i: lax.pad(x, x[2, 1], [(-5, 5, 0), (4, -4, 0)]),
    "reshape": lambda x, i: x.reshape(6)[::-1].reshape(2, 3).T,
    "reversed": lambda x, i: x[::-1, ::-1],
    "cumsum": lambda x, i: lax.cumsum(x, 0),
    "cumsum back": lambda x, i: lax.cumsum(x, 1, reverse=True),
    "cumprod": lambda x, i: lax.cumprod(x, 1),
    "cummax": lambda x, i: lax.cummax(x, 0, reverse=True),
    "cummin": lambda x, i: lax.cummin(x, 1),
    "argmax": lambda x, i: x.at[lax.argmax(x, 0, np.int32)].set(x[:2]),
    "argmin": lambda x, i: x[lax.argmin(x, 0, np.int8)[:1]].repeat(3, 0),
    "sort": lambda x, i: lax.sort(x, 0),
    "sort rows": lambda x, i: lax.sort(x * (1 - i).astype(x.dtype), 1),
    "argsort": lambda x, i: x[jnp.argsort(x[:, 0])],
    "top_k": lambda x, i: lax.top_k(x.T, 2)[0].reshape(2, 2).repeat(3, 0)[::2],
    "top_k places": lambda x, i: x[lax.top_k(x, 1, axis=0)[1][0, 0]] + x,
    "sort by two": lambda x, i: jnp.stack(lax.sort([x[:, 1], x[:, 0], x[:, 1]], num_keys=2)[:2], 1),
}  # fmt: skip


def takes(name, dtype):
    return dtype != "bool" or name in {
        "set", "set element", "scatter clip", "concatenate", "concatenate columns", "stack",
        "stack rows", "tile", "tile pairs", "roll", "pad", "pad between", "pad and cut",
        "pad with nothing", "reshape", "reversed", "argmax", "argmin", "sort", "argsort",
        "sort by two", "min", "max", "update all", "take", "take_along_axis",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", SOME_DTYPES)
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_of_it_is_one_kernel(name, dtype):
    if takes(name, dtype):
        assert_one_kernel(turns(BODIES[name]), numbers((3, 2), dtype))


# Random bodies: several arrays that are read, updated, swapped, copied and passed on.


def random_body(rng, size):
    """A step from (i, arrays) to as many arrays, as a function of Python's numbers."""
    names = [f"x{k}" for k in range(size)]
    lines = []

    def some():
        return str(rng.choice(names))

    def index():
        return rng.choice(["i", "i - 1", f"{some()}[i] % 5", str(rng.integers(-5, 5)), "-i"])

    def update(x):
        kind = rng.choice(["set", "add", "max", "multiply"])
        value = rng.choice([f"{some()}[{index()}]", "i", f"{some()}.max()"])
        return f"{x}.at[{index()}].{kind}({value})"

    for k in range(rng.integers(1, 6)):
        new = str(rng.choice([some(), f"v{k}"]))
        x = some()
        forms = [update(x), update(x), update(x), f"{x} + {some()}", f"{x}[::-1]", x,
                 f"lax.cond({some()}[i] > 2, lambda x: {update('x')}, lambda x: x, {x})",
                 f"lax.cond(i > 1, lambda x: {update('x')}, lambda x: {update('x')}, {x})",
                 f"lax.cond(i > 0, lambda x, y: (x, y), lambda x, y: (y, {update('x')}), {x}, "
                 f"{some()})[{rng.integers(2)}]",
                 f"lax.fori_loop(0, 2, lambda i, x: {update('x')}, {x})",
                 f"lax.fori_loop(0, 3, lambda i, x: {update('x')} + 1, {x})",
                 "lax.while_loop(lambda c: c[0] < 2, "
                 f"lambda c: (c[0] + 1, (lambda x: {update('x')})(c[1])), (0, {x}))[1]",
                 f"lax.dynamic_update_slice({x}, {some()}[:2], (i,))",
                 f"jnp.roll({x}, 1)", f"jnp.concatenate([{x}[2:], {some()}[:2]])"]  # fmt: skip
        lines.append(f"{new} = {rng.choice(forms)}")
        names = list(dict.fromkeys([*names, new]))
    out = [some() if rng.random() < 0.3 else f"x{k}" for k in range(size)]
    text = "\n    ".join(["def body(i, xs):", f"{', '.join(f'x{k}' for k in range(size))}, = xs",
                          *lines, f"return ({', '.join(out)},)"])  # fmt: skip
    found = {"lax": lax, "jnp": jnp, "w": jnp.arange(5)}
    exec(text, found)
    return found["body"]


@pytest.mark.parametrize("seed", range(12))
def test_a_random_loop_gives_what_the_interpreter_gives(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))
    body = random_body(rng, size)
    xs = tuple(numbers(5, "int32", k) for k in range(size))
    how = rng.integers(3)

    def loop(*xs):
        if how == 0:
            return lax.fori_loop(-1, 4, lambda i, xs: body(jnp.int32(i), xs), xs)
        if how == 1:
            indices = jnp.arange(-1, 4, dtype="int32")
            return lax.scan(lambda xs, i: (body(i, xs), xs[0]), xs, indices)
        return lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, body(c[0], c[1])),
                              (jnp.int32(-1), xs))  # fmt: skip

    f = loop
    if rng.random() < 0.3:
        xs = [np.stack([x, x[::-1]]) for x in xs]
        f = jax.vmap(loop)
    assert_one_kernel(lambda *xs: jax.tree.leaves(f(*xs)), *xs)


@pytest.mark.prove
@pytest.mark.parametrize(("first", "dtype"), list(enumerate(["float32", "uint64", "bool"])))
def test_by_every_door(door, first, dtype):
    """Numba is slow: of the bodies for each dtype, it has others than for the dtype before."""
    start, step = {"python": (0, 1), "direct": (0, 3), "numba": (3 * first, 6)}[door]
    names = [name for name in BODIES if takes(name, dtype)][start::step]

    def f(x):
        return lax.fori_loop(-2, 3, lambda i, xs: tuple(
            BODIES[name](x, i.astype(np.int32)) for name, x in zip(names, xs, strict=True)
        ), (x,) * len(names))  # fmt: skip

    assert_one_kernel(f, numbers((3, 2), dtype))


# In place: a loop of n updates of n numbers copies them once.


def prefix(x):
    return lax.fori_loop(1, x.size, lambda i, x: x.at[i].add(x[i - 1]), x)


def two(x):
    """Each of two arrays is read by the other's update: the updates come last."""
    def step(i, c):
        return c[0].at[i].set(c[1][i - 1]), c[1].at[i].set(c[0][i - 1])

    return lax.fori_loop(1, x.size, step, (x, x))


def counted(x):
    def step(c):
        return c[0] + 1, c[1].at[c[0]].set(0.0).reshape(4, 25).at[1, 3].add(1.0).reshape(100)

    return lax.while_loop(lambda c: c[0] < 9, step, (0, x))


def sorted_by_exchange(x):
    def exchange(j, x):
        a, b = x[j], x[j + 1]
        return x.at[j].set(jnp.minimum(a, b)).at[j + 1].set(jnp.maximum(a, b))

    return lax.fori_loop(0, 3, lambda _, x: lax.fori_loop(0, 99, exchange, x), x)


def sometimes(x):
    return lax.fori_loop(0, 9, lambda i, x: lax.cond(
        x[i] > 0, lambda x: x.at[i].set(3.0), lambda x: x, x), x)  # fmt: skip


def switched(x):
    def step(i, x):
        return lax.switch(i, [lambda x: x, lambda x: x.at[i].add(1.0),
                              lambda x: lax.dynamic_update_slice(x, x[:2] * 2, (i,))], x)

    return lax.fori_loop(0, 9, step, x)


def unchanged(x):
    return lax.fori_loop(0, 9, lambda i, c: (c[0] + c[1][i], c[1]), (0.0, x))


def with_rows(x):
    return lax.scan(lambda x, row: (x.at[3].set(row[0]), x[2]), x, x.reshape(4, 25))


@pytest.mark.parametrize(
    "f", [prefix, two, counted, sorted_by_exchange, sometimes, switched, unchanged, with_rows]
)
def test_updates_copy_nothing(f):
    text = assert_one_kernel(f, numbers(100)).as_text()
    _, _, loop = text.partition("for i_" if "for i_" in text else "while True")
    assert text.count(", 100)\n") == (f is two) + (f is not unchanged)
    assert ", 100)\n" not in loop


KEPT_VALUES = {
    "the old value is a result": lambda i, x, y: (x.at[i].add(1), x),
    "and of two updates": lambda i, x, y: (x.at[i].add(1), x.at[i].add(2)),
    "it updates itself": lambda i, x, y: (lax.dynamic_update_slice(x, x, (i,)), y),
    "swapped": lambda i, x, y: (y, x),
    "swapped and updated": lambda i, x, y: (y.at[i].set(x[0]), x.at[0].set(y[i])),
    "one twice": lambda i, x, y: (x.at[i].add(1),) * 2,
    "the other twice": lambda i, x, y: (y, y),
    "read by what follows from it": lambda i, x, y: (x.at[i].set(y[0]), x * x.at[i].set(y[0])[0]),
    "updated by its own row": lambda i, x, y: (x.at[x % 3].add(x), y),
    "a choice of both": lambda i, x, y: lax.cond(
        i > 1, lambda x, y: (y, x), lambda x, y: (x, y.at[0].set(x[i])), x, y),
    "one for both": lambda i, x, y: lax.cond(
        i > 1, lambda x: (x, x), lambda x: (x, x.at[0].set(x[i])), x),
    "a loop that starts from both": lambda i, x, y: lax.fori_loop(
        0, 2, lambda j, c: (c[0].at[j].add(c[1][i]), c[1]), (x, x)),
    "a loop that reads its start": lambda i, x, y: (lax.fori_loop(
        0, 2, lambda j, z: z.at[j].add(x[j]), x), y),
    "a number": lambda i, x, y: (x, y.at[i].set(lax.fori_loop(0, 3, lambda j, k: k + j, i))),
}  # fmt: skip


@pytest.mark.parametrize("how", ["fori", "scan", "while", "vmap"])
@pytest.mark.parametrize("name", KEPT_VALUES)
def test_what_is_needed_is_not_written_over(name, how):
    def step(i, c):
        return KEPT_VALUES[name](i.astype(np.int32), *c)

    def loop(x, y):
        if how == "scan":
            return lax.scan(lambda c, i: (step(i, c), c), (x, y), jnp.arange(5))
        if how == "while":
            return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, step(c[0], c[1])),
                                  (jnp.int32(0), (x, y)))  # fmt: skip
        return lax.fori_loop(0, 5, step, (x, y))

    x, y = numbers(5, "int32"), numbers(5, "int32", 1)
    if how == "vmap":
        assert_one_kernel(jax.vmap(loop), np.stack([x, y]), np.stack([y, x]))
    else:
        assert_one_kernel(loop, x, y)


def test_a_while_loop_for_each_example():
    """Those that have ended stay as they are, so nothing is written over."""
    def loop(n, x):
        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1].at[c[0]].add(x[-1])),
                              (0, x))  # fmt: skip

    assert_one_kernel(jax.vmap(loop), np.array([3, 0, 5, 9]), numbers((4, 6)))


# Places outside, and of any dtype.


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_indices_far_outside(mode, dtype):
    indices = far_outside(dtype)
    if mode == "promise_in_bounds":
        indices = indices[2:4]
    assert_one_kernel(*read_and_written(mode, indices))


@pytest.mark.parametrize("dtype", ["int8", "uint64"])
def test_indices_far_outside_by_every_door(dtype, door):
    assert_one_kernel(*read_and_written("fill", far_outside(dtype)))


def far_outside(dtype):
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, 0, 2, 3, info.max // 2], dtype)


def read_and_written(mode, indices):
    def f(x, indices):
        def step(x, i):
            rows = lax.gather(x, i[None, None], V, (1,), mode=mode, fill_value=5)
            part = lax.dynamic_slice(x, (i,), (2,)).sum()
            x = lax.dynamic_update_slice(x, x[1:2] + 1, (i,))
            return lax.scatter_add(x, i[None, None], rows, M, mode=mode), (rows, part)

        return lax.scan(step, x, indices)

    return f, numbers(3), indices


EMPTY = {
    "slice": (lambda x, i: lax.dynamic_slice(x, (i, i), (0, 2)), (0, 2)),
    "update": (lambda x, i: lax.dynamic_update_slice(x, x[:0], (i, i)), (3, 2)),
    "gather": (lambda x, i: x[jnp.zeros(0, int)], (0, 2)),
    "scatter": (lambda x, i: x.at[jnp.zeros(0, int)].set(1), (3, 2)),
    "concatenate": (lambda x, i: jnp.concatenate([x, x]), (0, 2)),
    "pad": (lambda x, i: lax.pad(x[:0], x[0, 0], [(3, 0, 2), (0, 0, 1)])[:, :2], (3, 2)),
    "cumsum": (lambda x, i: lax.cumsum(x, 1), (0, 2)),
    "argmax": (lambda x, i: x + lax.argmax(x, 1, np.int32)[:, None], (0, 2)),
    "sort": (lambda x, i: lax.sort(x, 0), (0, 2)),
    "reshape": (lambda x, i: x.reshape(2, 0).T, (0, 2)),
    "tile": (lambda x, i: jnp.tile(x, (2, 1)), (0, 2)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_arrays(name):
    f, shape = EMPTY[name]
    assert_one_kernel(turns(f), numbers(shape, "float64"))


# Numbers that have no order.


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_and_zeros(dtype):
    x = np.array([1, np.nan, -0.0, 0.0, np.inf, np.nan, -np.inf, 2], dtype)

    def f(x):
        def step(x, i):
            y = jnp.roll(x, i)
            found = [lax.argmax(y, 0, np.int32), lax.argmin(y[1:], 0, np.int8)]
            running = lax.cummax(y[2:5]), lax.cummin(y[:3]), lax.cumsum(jnp.roll(x[2:4], i))
            return x, (lax.sort(y), lax.top_k(y, 3), jnp.searchsorted(x[6:], y), running, found)

        return lax.scan(step, x, jnp.arange(4))

    assert_one_kernel(f, x)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 33, 100])
def test_sorts_of_any_length(n):
    x = numbers((3, n), "int32")

    def f(x):
        def step(c, row):
            order = lax.sort([row, row[::-1], jnp.arange(n)], num_keys=2)
            return c, (order, lax.sort(row[::-1]), jnp.argsort(-row), lax.top_k(row, n // 2))

        return lax.scan(step, 0, x)

    assert_one_kernel(f, x)


# Bits.

PARTS = ["int8", "uint8", "int16", "uint16", "bfloat16", "float16", "int32", "uint32", "float32",
         "int64", "uint64", "float64"]  # fmt: skip


@pytest.mark.parametrize("old", PARTS)
def test_bits_are_read_as_numbers_of_any_size(old):
    """By steps of a loop; NaNs keep their bits."""
    words = np.random.default_rng(0).integers(0, 2**64, (3, 2), np.uint64)
    words[0] = 0x7F817F81FF81FF81, 0x7FF07C017E01FE01  # NaNs of all sizes
    x = np.asarray(lax.bitcast_convert_type(words, old) if old != "uint64" else words)
    x = x.reshape(3, 2, -1)

    def f(x):
        def read(row, dtype):
            size = np.dtype(dtype).itemsize // row.dtype.itemsize
            row = row.reshape(-1, size) if size > 1 else row
            new = lax.bitcast_convert_type(row, dtype)
            return lax.bitcast_convert_type(new, f"uint{8 * new.dtype.itemsize}")

        return lax.map(lambda row: [read(row, dtype) for dtype in PARTS], x)

    assert_one_kernel(f, x)


def test_bits_by_every_door(door):
    def turn(x, i):
        halves = lax.bitcast_convert_type(x, "int16")
        whole = lax.bitcast_convert_type(lax.bitcast_convert_type(x, "uint8"), "float32")
        return x + halves[..., 1] + lax.bitcast_convert_type(halves, "float32") - whole

    assert_one_kernel(turns(turn), numbers((3, 2)))


# Barriers.


BARRIERS = {
    "of one": lambda x, i: lax.optimization_barrier(x * 2) + 1,
    "of what is carried": lambda x, i: lax.optimization_barrier(x),
    "of several": lambda x, i: sum(lax.optimization_barrier((x, x[::-1], x.at[i].set(x[0])))),
    "of a number": lambda x, i: x * lax.optimization_barrier(np.array(2, x.dtype)),
    "of what is updated": lambda x, i: lax.optimization_barrier(x).at[i].add(x[0]) + x,
    "before an update": lambda x, i: lax.optimization_barrier(x.at[i].set(x[1])).at[0].set(x[i]),
    "in a branch": lambda x, i: lax.cond(
        i > 0, lambda x: lax.optimization_barrier(x), lambda x: x * 2, x),
    "of keys": lambda x, i: x + jax.random.bits(lax.optimization_barrier(
        (jax.random.key(3), x))[0], x.shape, "uint8").astype(x.dtype),
    "of nothing": lambda x, i: (lax.optimization_barrier(()), x + 1)[1],
}  # fmt: skip


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128", "bfloat16", "float16"])
def test_barriers_in_loops_are_their_operands(dtype):
    for name, body in BARRIERS.items():
        if dtype != "bool" or name in ("of what is carried", "before an update"):
            x = numbers((3, 2), "float32" if dtype not in DTYPES else dtype).astype(dtype)
            assert "optimization_barrier" not in assert_one_kernel(turns(body), x).as_text()


def test_the_gradient_of_a_checkpoint_in_a_loop_is_compiled_and_copies_no_weights():
    def f(w, xs):
        step = jax.checkpoint(lambda c, x: (jnp.maximum(w @ c, x), None))
        return jnp.sum(lax.scan(step, xs[0], xs)[0])

    text = assert_one_kernel(jax.grad(f), numbers((6, 6)), numbers((5, 6))).as_text()
    assert text.rpartition("for i_")[2].count(", 36)\n") == 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64"])
def test_a_barrier_between_kernels_is_a_name(dtype):
    """Nothing is converted for it, and nothing behind it is computed before it."""
    x = jnp.arange(4).astype(dtype)
    passed = Executable(jax.make_jaxpr(lax.optimization_barrier)(x), OPTIONS)
    assert [str(step) for step in passed.steps] == ["call: optimization_barrier"]
    f = lambda x: jnp.square(x) + jnp.square(lax.optimization_barrier((x, 1))[0])  # noqa: E731
    program = Executable(jax.make_jaxpr(f)(x), OPTIONS)
    squares = [str(step).count("square") + str(step).count("mul") for step in program.steps]
    assert max(squares) > 0 and squares[0] < sum(squares)
    assert program(x)[0].tolist() == (2 * jnp.square(x)).tolist()


# The approximate largest few, and products in groups of rows.


HALVES = ["bfloat16", "float16"]


@pytest.mark.parametrize("dtype", ["float32", "float64", *HALVES])
def test_an_approximate_order_in_a_loop(dtype):
    odd = np.array([1, np.nan, -0.0, 2, np.inf, 0, -np.inf, 2, np.nan, 1], "float32")
    x = np.stack([np.roll(odd, k) for k in range(6)]).reshape(2, 3, 10)
    long = numbers((2, 3, 140), "float32")

    def f(x, long):
        found = [find(x, k, axis) for find in (lax.approx_max_k, lax.approx_min_k)
                 for k, axis in ((1, -1), (1, 0), (3, 1), (10, -1))]  # fmt: skip
        found += [lax.approx_max_k(long, 40), lax.approx_max_k(long, 1, aggregate_to_topk=False)]
        wide = "float64" if dtype == "float64" else "float32"  # in which NaN equals NaN
        return [z for values, places in found for z in (values.astype(wide), places)]

    assert_one_kernel(mapped_by_scan(f), jnp.asarray(x, dtype), jnp.asarray(long, dtype))


PRODUCT = (((1,), (1,)), ((), ()))
GROUPS = {
    "rows": (PRODUCT, [0], [0], (5, 3), (3, 3, 4)),
    "sums": ((((0,), (0,)), ((), ())), [0], [], (5, 3), (5, 4)),
    "crossed": ((((2, 0), (3, 2)), ((), ())), [1], [1], (2, 5, 3), (4, 3, 2, 3)),
    "sums of pairs": ((((1, 2), (0, 1)), ((), ())), [2], [], (2, 3, 5), (3, 5, 2)),
    "batches": ((((2,), (2,)), ((0,), (1,))), [1], [0], (2, 5, 3), (3, 2, 3, 4)),
    "a batch axis": ((((2,), (1,)), ((0,), (0,))), [0], [], (5, 2, 3), (5, 3, 2)),
    "nothing": (PRODUCT, [0], [0], (5, 0), (3, 0, 4)),
}


@pytest.mark.parametrize("dtype", [*SOME_DTYPES, *HALVES, "complex64", "complex128"])
def test_a_product_in_groups_in_a_loop(dtype):
    sizes = np.array([[2, 3, 0], [0, 1, 2], [5, 5, 5], [3, -2, 2]], "int32")

    def given(shape, seed):
        x = numbers((len(sizes), *shape), dtype if dtype in DTYPES else "float32", seed)
        return jnp.asarray(x * (1 + 1j) if dtype[0] == "c" else x, dtype)

    xs, ys = ([given(case[k], k) for case in GROUPS.values()] for k in (3, 4))

    def f(xs, ys, sizes):
        both = zip(xs, ys, GROUPS.values(), strict=True)
        out = [lax.ragged_dot_general(x, y, sizes, lax.RaggedDotDimensionNumbers(*case[:3]))
               for x, y, case in both]  # fmt: skip
        own = jnp.stack([sizes, sizes[::-1]])
        return [*out, jax.vmap(lax.ragged_dot)(*map(jnp.stack, ([xs[0]] * 2, [ys[0]] * 2)), own)]

    def loop(sizes, *operands):
        return mapped_by_scan(lambda n, *zs: f(zs[: len(xs)], zs[len(xs) :], n))(sizes, *operands)

    assert_one_kernel(loop, sizes, *xs, *ys)


def test_a_product_in_groups_of_other_types_in_a_loop():
    x, y = numbers((2, 4, 3), "int8"), numbers((2, 2, 3, 4), "float32")

    def f(x, y):
        rows = lax.ragged_dot(x, x[None, :3], np.array([3]), preferred_element_type="int32")
        return rows, *(lax.ragged_dot(x, y, np.array([1, 2], n)) for n in ("uint8", "uint64"))

    assert_one_kernel(mapped_by_scan(f), x, y)


# What needs them as its results, by any way round.


def test_derivatives_of_loops_with_updates():
    def f(x):
        return jnp.sum(prefix(x) ** 2)

    x = numbers(6, "float64")
    assert_one_kernel(jax.grad(f), x)
    assert_one_kernel(jax.jacfwd(prefix), x)
    assert_one_kernel(jax.vmap(jax.grad(f)), np.stack([x, 2 * x]))


@pytest.mark.parametrize("dtype", [
    "float32", pytest.param("float64", marks=pytest.mark.prove), "complex64", "int32",
    pytest.param("uint64", marks=pytest.mark.prove), "bool",
])  # fmt: skip
def test_a_loop_of_any_primitive_is_compiled(dtype):
    """As the compiler's README has it. (16 bits: test_half_floats.py.) Also of dtypes that the
    table of primitives has not, where the primitive takes them."""
    for rule in COMPILED:
        xs = [jnp.full((2, *shape), 0.5).astype(dtype) for shape in rule.shapes[-1]]
        try:
            closed = jax.make_jaxpr(mapped_by_scan(rule.function))(*xs)
        except (TypeError, ValueError):
            assert dtype not in rule.dtypes, rule.name
            continue
        with config.override("jax_optimization_level", "O0"):  # none is run
            assert loops_left_to_python(Executable(closed, OPTIONS)) == [], rule.name


def test_loops_of_a_librarys_primitives_are_run_step_by_step():
    """Which they are, the compiler's README says. (LAPACK's: tests/lax/linalg/test_routines.py.)"""
    others = [rule for rule in RULES if rule not in COMPILED]
    assert {rule.name.split()[0] for rule in others} == set(BETWEEN_KERNELS)
    for rule in others:
        xs = [jnp.full((2, *shape), 0.5).astype(rule.dtypes[0]) for shape in rule.shapes[-1]]
        closed = jax.make_jaxpr(mapped_by_scan(rule.function))(*xs)
        executable = Executable(closed, OPTIONS)
        assert loops_left_to_python(executable) == ["scan"]
        for x, y in zip(executable(*xs), interpreted(closed, *xs), strict=True):
            np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


@pytest.mark.parametrize("dtype", ["int4", "float8_e5m2"])
def test_a_loop_with_numbers_of_up_to_8_bits_is_run_step_by_step(dtype):
    """Kernels don't know them, and NumPy does what the interpreter does: each primitive's bits."""
    tried = 0
    for rule in RULES:
        xs = [jnp.full((2, *shape), 1.5).astype(dtype) for shape in rule.shapes[-1]]
        try:
            closed = jax.make_jaxpr(mapped_by_scan(rule.function))(*xs)
            expected = interpreted(closed, *xs)
        except (TypeError, ValueError, NotImplementedError, OverflowError):
            continue  # it refuses the dtype, or the table's numbers don't fit
        executable = Executable(closed, OPTIONS)
        assert not xs or loops_left_to_python(executable)[:1] == ["scan"], rule.name
        for x, y in zip(executable(*xs), expected, strict=True):
            assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), rule.name
        tried += 1
    assert tried > 60


def larger(a, b):
    """Of two pairs that with the larger number; a function of the caller's."""
    return tuple(jnp.where(a[0] >= b[0], x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("dimensions", [[0], [2, 0], [1, 2, 0], []])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8])
def test_a_reduction_by_any_function_is_compiled(n, dimensions):
    def reduced(x, i):
        places = lax.iota(np.int32, x.size).reshape(x.shape)
        starts = np.array(-np.inf, x.dtype), np.int32(-1)
        return lax.reduce((x + i, places), starts, larger, dimensions)

    x = numbers((n, 2, 3))
    assert_one_kernel(turns(lambda x, i: x + sum(reduced(x, i)).sum(), 3), x)


@pytest.mark.parametrize("reduce", [lax.reduce_sum, lax.reduce_max, lax.reduce_prod])
def test_a_reduction_along_any_axes_is_compiled(reduce):
    """Also along the last axis and another one, with some between them."""
    axes = [k for n in range(1, 5) for k in itertools.combinations(range(4), n)]
    f = lambda x, i: x + sum(reduce(x + i, k).max() for k in axes)  # noqa: E731
    assert_one_kernel(turns(f, 2), numbers((2, 3, 2, 3), "int32"))


@pytest.mark.parametrize("length", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_loop_holds_its_step_at_most_twice(length, reverse):
    """Of an odd number of steps the last one was written down once more, and compiled."""

    def f(x):
        def step(carry, k):
            carry = 0.5 * carry + k
            return carry, carry[0]

        return lax.scan(step, x, jnp.arange(length, dtype="float32"), reverse=reverse)

    text = assert_one_kernel(f, numbers(10)).as_text()
    assert text.rpartition("def kernel")[2].count("part1(") <= 2
