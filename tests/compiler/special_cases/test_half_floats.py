"""bfloat16 and float16 in kernels: every bit pattern, every primitive, loops, and what is left."""

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import interpreted, mapped_by_scan
from minijax import lax
from minijax.compiler.doors import compile_source
from minijax.compiler.executable import FLAGS, Executable
from minijax.compiler.special_cases.half_floats import is_half, without_halves
from minijax.compiler.special_cases.other_types import occurs
from minijax.core.jitting import CompileOptions
from minijax.core.tracing import Primitive
from primitive_table import COMPILED, RULES

HALVES = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "float16": np.dtype(np.float16)}
TEXT = """def kernel(x0, y0, n0):
    for i in range(n0):
        y0[i] = {}(x0[i])
"""


def run(function, dtype, x, out_dtype, door="direct"):
    signature = (f"{x.dtype}[::1]", f"{out_dtype}[::1]", "int64")
    out = np.empty(x.shape, out_dtype)
    text = TEXT.format(f"{function}_{dtype}")
    compile_source(text, "kernel", signature, FLAGS, door)(x, out, x.size)
    return out


def assert_same_bits(got, wanted):
    """All NaNs count as one."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    is_float = got.dtype.kind == "f" or got.dtype in HALVES.values()
    with np.errstate(all="ignore"):
        x, y = (a.astype("f") if is_float else a for a in (got, wanted))
        different = x != y
        if is_float:
            different |= np.signbit(x) != np.signbit(y)
            different &= ~(np.isnan(x) & np.isnan(y))
    assert not np.any(different), (got[different][:5], wanted[different][:5])


# Numbers and bits.


@pytest.mark.parametrize("door", ["direct", "numba", "python"])
@pytest.mark.parametrize("dtype", HALVES)
def test_every_half_is_read_and_written(dtype, door):
    bits = np.arange(1 << 16, dtype=np.uint16)[:: 1 if door == "direct" else 37]
    with np.errstate(all="ignore"):
        numbers = run("from", dtype, bits.copy(), np.dtype(np.float32), door)
        again = run("to", dtype, numbers, bits.dtype, door).view(HALVES[dtype])
    wanted = bits.view(HALVES[dtype])
    assert_same_bits(numbers, wanted.astype(np.float32))
    assert_same_bits(again.view(np.uint16), bits)  # NaNs' too


@pytest.mark.parametrize("dtype", HALVES)
def test_numbers_are_rounded_to_the_nearest_half_and_of_two_to_the_even_one(dtype):
    rng = np.random.default_rng(0)
    halves = np.arange(1 << 16, dtype=np.uint16).view(HALVES[dtype]).astype(np.float32)
    halves = np.sort(halves[np.isfinite(halves)])
    between = (halves[1:] + (halves[:-1] - halves[1:]) / 2).astype(np.float32)
    anything = rng.integers(0, 1 << 32, 1 << 18, dtype=np.uint32).view(np.float32)
    near = [np.nextafter(between, np.float32(end)) for end in (-np.inf, np.inf)]
    with np.errstate(all="ignore"):
        x = np.concatenate([halves, between, *near, anything])
        wanted = x.astype(HALVES[dtype]).astype(np.float32)
    assert_same_bits(run("as", dtype, x, np.dtype(np.float32)), wanted)


# Programs.

no_kernel_p = Primitive("no_kernel")
no_kernel_p.def_impl(lambda x: x)
no_kernel_p.def_abstract_eval(lambda x: x)


def both(f, *args):
    """The compiled program, its results and the interpreter's."""
    closed = jax.make_jaxpr(f)(*args)
    program, leaves = Executable(closed, CompileOptions("f", ())), jax.tree.leaves(args)
    return program, list(map(np.asarray, program(*leaves))), interpreted(closed, *leaves)


def left_to_numpy(program):
    steps = zip(program.steps, program.sources, strict=True)
    return {step.eqn.primitive.name for step, source in steps if source is None}


TABLE = [(rule, dtype) for rule in RULES for dtype in HALVES if dtype in rule.dtypes]


@pytest.mark.parametrize("place", ["alone", "in a loop"])
@pytest.mark.parametrize("rule, dtype", TABLE, ids=[f"{r.name}-{t}" for r, t in TABLE])
def test_every_primitive_gives_what_the_interpreter_gives(rule, dtype, place):
    rng = np.random.default_rng(0)
    args = [jnp.asarray(rng.uniform(*rule.domain, (2, *shape))).astype(dtype)
            for shape in rule.shapes[-1]]  # fmt: skip
    if place == "alone":
        _, got, wanted = both(rule.function, *[x[0] for x in args])
    else:
        program, got, wanted = both(mapped_by_scan(rule.function), *args)
        assert ("scan" in left_to_numpy(program)) == (rule not in COMPILED)
    for x, y in zip(got, wanted, strict=True):
        assert_same_bits(x, y)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.filterwarnings("ignore")
def test_every_half_has_its_neighbours_and_its_shorter_digits(dtype):
    x = np.arange(1 << 16, dtype=np.uint16).view(HALVES[dtype])
    edges = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1], HALVES[dtype])
    ends = [x, -x, x[::-1], *(np.full_like(x, end) for end in edges)]
    sizes = [(e, m) for e in (1, 2, 4, 5, 6, 8, 9) for m in (0, 1, 6, 7, 9, 10, 23)]
    for f, *args in (
        (lax.nextafter, np.tile(x, len(ends)), np.concatenate(ends)),
        (lax.nextafter, x, edges[2]), (lax.nextafter, edges[5], x),
        (lambda x: [lax.reduce_precision(x, *size) for size in sizes], x),
    ):
        program, got, wanted = both(f, *map(jnp.asarray, args))
        assert left_to_numpy(program) <= {"bits_of_half", "half_of_bits"}
        for a, b in zip(got, wanted, strict=True):
            assert_same_bits(a, b)


def network(w, x):
    """Products, sums, a loop whose carry is of 16 bits, and a branch."""
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return lax.cond(h.sum() > 0, lambda: h, lambda: -h), h.max()

    h, largest = lax.scan(step, x[0], x)
    return h, largest, jnp.mean(h * h), jnp.argmax(h), h.astype("float32"), h > 0


@pytest.mark.parametrize("dtype", HALVES)
def test_programs_are_compiled_whole(dtype):
    rng = np.random.default_rng(0)
    w, x = (jnp.asarray(rng.normal(size=shape)).astype(dtype) for shape in ((5, 5), (7, 5)))
    _, got, wanted = both(network, w, x)
    for a, b in zip(got, wanted, strict=True):
        assert a.dtype == b.dtype
        # A product's terms are added in another order.
        eps = float(ml_dtypes.finfo(dtype).eps)
        np.testing.assert_allclose(a.astype("f"), b.astype("f"), rtol=4 * eps, atol=4 * eps)
    for f in (network, jax.grad(lambda w, x: network(w, x)[2].astype("float32"))):
        explained = jax.explain(f)(w, x)
        assert "scan" in explained.steps() and "NumPy: scan" not in explained.steps()
        assert "half" not in explained.headline()


def test_inside_are_no_halves_but_for_what_has_no_kernel():
    x = jnp.ones(3, jnp.bfloat16)
    f = lambda x: no_kernel_p.bind(x * 2) + jnp.arange(3, dtype=x.dtype) * x[0] + 0.1  # noqa: E731
    closed = without_halves(jax.make_jaxpr(f)(x))
    inner = [eqn for eqn in closed.eqns if any(map(is_half, eqn.invars + eqn.outvars))]
    names = {eqn.primitive.name for eqn in inner}
    assert names == {"bits_of_half", "half_of_bits", "no_kernel"}
    moves = jax.make_jaxpr(lambda x: x[::-1].reshape(3, 1))(x)
    assert without_halves(moves) is moves and occurs(moves.jaxpr, is_half)


def test_what_only_passes_through_is_not_made_anew():
    x = jnp.ones(3, jnp.float16)
    program, got, _ = both(lambda x, y: (x, x + y, no_kernel_p.bind(no_kernel_p.bind(x))), x, x)
    text = program.as_text()
    assert text.count("to_float16(") == 1 and text.count("half_of_bits") == 1
    assert_same_bits(got[0], np.asarray(x))


def test_a_large_constant_is_not_copied_as_numbers():
    big = jnp.ones((100, 100), jnp.bfloat16)
    closed = without_halves(jax.make_jaxpr(lambda x: x + big)(big))
    assert [x.dtype for x in closed.consts] == [big.dtype]


def test_a_row_is_written_in_its_place():
    """Of a carry of 16 bits no step makes a copy."""
    x = jnp.zeros((50, 3), jnp.bfloat16)
    turn = lambda i, x: x.at[i].set(x[i] + i.astype(x.dtype))  # noqa: E731
    program, [got], [wanted] = both(lambda x: lax.fori_loop(0, 50, turn, x), x)
    assert_same_bits(got, wanted)
    [loop] = [source.text for source in program.sources if source and "# scan" in source.text]
    assert "150)" in loop.partition("for i_0")[0]  # the array, before the first step
    assert "150)" not in loop.partition("for i_0")[2]
