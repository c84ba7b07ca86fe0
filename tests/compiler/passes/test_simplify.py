"""Simplified programs: what is gone from them, what must stay, and that no bit changes."""

import math
import time
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from composition_meanings import STEPS, identity, loop
from minijax import lax
from minijax.compiler.passes import simplify as passes
from minijax.compiler.passes.rewriting import LIMIT
from minijax.compiler.passes.simplify import simplify
from minijax.core.extend import ClosedJaxpr, Effect, Primitive, check_jaxpr
from random_operations import OPERATIONS, next_instructions
from simplified_programs import FLOATS, bits, primitives, run, simplified, values
from test_random_programs import WITHOUT_DERIVATIVES, in_minijax, inputs_of, nestings, programs

pytestmark = pytest.mark.usefixtures("module_on_numpy")

def test_a_useless_multiplication_is_visibly_gone():
    closed = simplified(lambda x: 1.0 * jnp.sin(x), jnp.ones(3))
    assert str(closed) == "{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }"


# Identities: what is left of a function, for all values of each dtype.

USELESS = {
    "mul 1": lambda x: x * 1,
    "1 mul": lambda x: 1 * x,
    "mul ones": lambda x: x * jnp.ones_like(x),
    "sub 0": lambda x: lax.sub(x, jnp.zeros_like(x)),
    "max x": lambda x: lax.max(x, x),
    "min x": lambda x: lax.min(x, x),
    "neg neg": lambda x: lax.neg(lax.neg(x)),
    "pow 1": lambda x: lax.integer_pow(x, 1),
    "select": lambda x: jnp.where(True, x, x + 1),
    "select x": lambda x: lax.select(x > 0, x, x),
    "turned": lambda x: x.reshape(2, 5).T.T.reshape(10),
    "copy": lambda x: jnp.copy(lax.stop_gradient(x)),
    "expanded": lambda x: lax.squeeze(lax.expand_dims(x, (0, 2)), (0, 2)),
    "rev": lambda x: lax.rev(lax.rev(x, (0,)), (0,)),
    "slice": lambda x: lax.slice(x, (0,), (10,)),
    "concatenate": lambda x: lax.concatenate([x, x[:0]], 0),
    "dtype": lambda x: lax.convert_element_type(x, x.dtype),
    "mul ones, repeated twice": lambda x: (
        lax.broadcast_in_dim(jnp.ones_like(x), (1, 10), (1,)) * x.reshape(1, 10)
    ).reshape(10),
}


@pytest.mark.parametrize("dtype", [*FLOATS, "int8", "int32", "uint16"])
@pytest.mark.parametrize("name", USELESS)
def test_useless_operations_leave_nothing(name, dtype):
    with jax.enable_x64(True):
        assert primitives(simplified(USELESS[name], jnp.asarray(values(dtype)))) == []


@pytest.mark.parametrize("f, left", [
    (lambda x: x + -0.0, []),
    (lambda x: x / 1, []),
    (lambda x: lax.max(x, lax.full_like(x, -np.inf)), []),
    (lambda x: lax.min(lax.full_like(x, np.inf), x), []),
    (lambda x: x + -lax.sin(x), ["sin", "sub"]),
    (lambda x: -lax.sin(x) + x, ["sin", "sub"]),
    (lambda x: x - -lax.sin(x), ["sin", "add"]),
    (lambda x: x / 8, ["mul"]),
    (lambda x: x / -0.25, ["mul"]),
    (lambda x: lax.exp(x) + 0.0, ["exp"]),
    (lambda x: 0.0 + (x - 1.0), ["sub"]),
    (lambda x: (x + 2.0) + 0.0, ["add"]),
    (lambda x: lax.integer_pow(x, -2) + 0.0, ["integer_pow"]),
    (lambda x: (x > 0).astype(int).astype(x.dtype) + 0.0, ["gt", "convert_element_type"]),
    # What looks like them and is not.
    (lambda x: x + 0.0, ["add"]),
    (lambda x: lax.sin(x) + 0.0, ["sin", "add"]),
    (lambda x: lax.integer_pow(x, 3) + 0.0, ["integer_pow", "add"]),
    (lambda x: (x - lax.sin(x)) + 0.0, ["sin", "sub", "add"]),
    (lambda x: x - -0.0, ["sub"]),
    (lambda x: 0.0 - x, ["sub"]),
    (lambda x: x * 0.0, ["mul"]),
    (lambda x: x - x, ["sub"]),
    (lambda x: x / x, ["div"]),
    (lambda x: x / 3, ["div"]),
    (lambda x: x * 2.0 * 0.5, ["mul", "mul"]),
    (lambda x: lax.max(x, lax.full_like(x, np.inf)), ["max"]),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats(f, left, dtype):
    with jax.enable_x64(True):
        assert primitives(simplified(f, jnp.asarray(values(dtype)))) == left


def test_a_reciprocal_that_is_no_normal_number():
    for divisor in (2.0**-140, 2.0**127):
        assert primitives(simplified(lambda x, d=divisor: x / d, jnp.float32(3e-38))) == ["div"]


@pytest.mark.parametrize("f, left", [
    (lambda x: x * 0, ["broadcast_in_dim"]),
    (lambda x: x + 0, []),
    (lambda x: x & -1, []),
    (lambda x: x & 0, ["broadcast_in_dim"]),
    (lambda x: x | 0, []),
    (lambda x: x | -1, ["broadcast_in_dim"]),
    (lambda x: x ^ 0, []),
    (lambda x: (x & x) | (x | x), []),
    (lambda x: ~~x, []),
    (lambda x: x << 0, []),
    (lambda x: lax.max(x, np.int32(-(2**31))), []),
    (lambda x: x // x, None),
])  # fmt: skip
def test_integers(f, left):
    found = primitives(simplified(f, jnp.arange(-5, 5)))
    assert left is None or found == left


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_unsigned_quotients_by_powers_of_two_are_shifts(dtype):
    last = np.iinfo(dtype).max
    x = np.array([0, 1, 7, 8, 9, last - 1, last], dtype)
    with jax.enable_x64(True):
        for by in (1, 2, 8, last // 2 + 1, 3, 0, last):
            f = lambda x, by=by: lax.div(x, np.array(by, dtype))  # noqa: E731
            closed = simplified(f, x)
            shifts = [eqn.primitive.name for eqn in closed.eqns].count("shift_right_logical")
            assert shifts == (by in (2, 8, last // 2 + 1))
            assert bits(run(closed, x)) == bits([f(x)])
        signed = simplified(lambda x: lax.div(x, x.dtype.type(2)), x.astype(dtype[1:]))
        assert "shift" not in str(signed)


def test_bools():
    p, q = jnp.array([True, False, True, False]), jnp.array([True, True, False, False])
    assert primitives(simplified(lambda p, q: (p & True) | (q & False), p, q)) == []
    assert primitives(simplified(lambda p, q: (p | True) & ~~q, p, q)) == []
    assert primitives(simplified(lambda p: lax.ne(p, False), p)) == []


def test_complex_numbers_are_left_alone():
    x = jnp.array([1 + 2j, np.inf - 1j, -0.0 + 0j])
    assert primitives(simplified(lambda x: (x * 1) / 1 + 0, x)) == ["mul", "div", "add"]


# Computed once, and early.


def test_equal_equations_are_one():
    def f(x, y):
        return jnp.sin(x) + jnp.sin(x), jnp.sum(x * y), jnp.sum(x * y, 0)

    x = jnp.ones(3)
    assert primitives(simplified(f, x, x)) == ["sin", "add", "mul", "reduce_sum"]


def test_weak_and_strong_numbers_are_the_same():
    closed = simplified(lambda n: (n + 5, n + np.int32(5)), jnp.asarray(2))
    assert primitives(closed) == ["add", "convert_element_type"]  # which only changes the type


def test_zeros_of_two_signs_are_two():
    def f(x):
        return lax.copysign(x, 0.0) if hasattr(lax, "copysign") else (x * 0.0, x * -0.0)

    assert len(primitives(simplified(f, jnp.ones(3)))) == 2
    scaled_p = Primitive("scaled")
    scaled_p.def_impl(lambda x, *, by: x * by)
    scaled_p.def_abstract_eval(lambda x, *, by: x)
    both = simplified(lambda x: [scaled_p.bind(x, by=by) for by in (0.0, -0.0, 0.0)], jnp.ones(2))
    assert primitives(both) == ["scaled", "scaled"]


def test_parameters_that_no_dictionary_takes():
    listed_p = Primitive("listed")
    listed_p.def_impl(lambda x, *, by: x)
    listed_p.def_abstract_eval(lambda x, *, by: x)
    closed = simplified(lambda x: (listed_p.bind(x, by=[1]), listed_p.bind(x, by=[1])), 1.0)
    assert primitives(closed) == ["listed", "listed"]


def test_known_numbers_are_computed_now():
    table = jnp.arange(12.0).reshape(3, 4)
    closed = simplified(lambda x: x + jnp.sum(jnp.sin(table) @ jnp.ones(4)) * 2, jnp.ones(3))
    assert primitives(closed) == ["add"] and closed.consts == []
    closed = simplified(lambda x: x + jnp.sin(table), jnp.ones((3, 4)))
    assert primitives(closed) == ["add"] and len(closed.consts) == 1
    assert primitives(simplified(lambda: jnp.arange(3) * 2)) == []


def test_random_numbers_of_a_known_key_are_known():
    closed = simplified(lambda x: x + jax.random.normal(jax.random.key(3), (5,)), jnp.ones(5))
    assert primitives(closed) == ["add"] and closed.consts[0].shape == (5,)


def test_a_program_does_not_grow_by_its_constants():
    assert primitives(simplified(lambda: jnp.zeros(5))) == ["broadcast_in_dim"]
    assert primitives(simplified(lambda x: x + jnp.arange(9), jnp.ones(9, int))) == ["iota", "add"]
    size = LIMIT + 1
    many = simplified(lambda x: x + jax.random.normal(jax.random.key(3), (size,)), jnp.ones(size))
    assert "erf_inv" in primitives(many) and [x.size for x in many.consts] == [1]
    big = simplified(lambda x: x + jnp.sin(jnp.asarray(np.ones(size))), jnp.ones(size))
    assert primitives(big) == ["sin", "add"]


def test_what_cannot_be_computed_is_left_to_whoever_runs_it():
    never_p = Primitive("never")
    never_p.def_abstract_eval(lambda x: x)
    f = lambda p, x: lax.cond(p, lambda x: x + never_p.bind(1.0), lambda x: x, x)  # noqa: E731
    closed = simplified(f, False, 2.0)
    assert "never" in primitives(closed)
    with pytest.raises(NotImplementedError):
        run(closed, True, 2.0)


# Calls.


def test_calls_are_written_out():
    @jax.jit
    def inner(x):
        return jax.jit(jnp.sin)(x) * 2

    @jax.custom_jvp
    def f(x):
        return inner(x)

    f.defjvps(lambda t, ans, x: t)

    @jax.custom_vjp
    def g(x):
        return jnp.cos(f(x))

    g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct,))
    closed = simplified(lambda x: g(inner(x)), jnp.ones(3))
    assert primitives(closed) == ["sin", "mul", "sin", "mul", "cos"]


def test_constants_of_calls_come_along():
    table = jnp.asarray(np.linspace(0, 1, LIMIT + 5))
    inner = jax.jit(lambda x: x * table)
    closed = simplified(lambda x: inner(inner(x)), jnp.ones(LIMIT + 5))
    assert primitives(closed) == ["mul", "mul"] and len(closed.consts) == 1


def test_other_calls():
    vmapped = jax.custom_batching.custom_vmap(lambda x: jnp.sin(x))
    vmapped.def_vmap(lambda size, mapped, x: (jnp.sin(x), mapped[0]))
    assert primitives(simplified(lambda x: vmapped(x), jnp.ones(3))) == ["sin"]
    solve = simplified(lambda b: lax.custom_linear_solve(
        lambda x: x * 4, b, lambda _, b: b / 4, symmetric=True), jnp.ones(3))  # fmt: skip
    assert primitives(solve) == ["mul"]
    weak = simplified(lambda b: lax.custom_linear_solve(
        lambda x: x * 4, b, lambda _, b: b / jnp.float32(4), symmetric=True), 2.0)  # fmt: skip
    assert "custom_linear_solve" not in primitives(weak)


def test_a_choice_that_is_known():
    def f(x):
        index = jnp.argmax(jnp.array([1.0, 3.0, 2.0]))
        return lax.switch(index, [jnp.sin, jnp.cos, jnp.tan], x)

    assert primitives(simplified(f, 1.0)) == ["cos"]
    platform = simplified(lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos), 1.0)
    assert primitives(platform) == ["sin"]


def test_what_checkpoint_computes_again_stays():
    def block(x):
        return jnp.sin(jnp.sin(x)) * x

    def value_and_grad(f):
        def summed(x):
            return jnp.sum(f(x))

        return primitives(simplified(jax.value_and_grad(summed), jnp.ones(3))).count("sin")

    assert value_and_grad(block) == 2
    assert value_and_grad(jax.checkpoint(block)) == 4
    assert value_and_grad(jax.checkpoint(block, prevent_cse=False)) == 2
    twice = jax.checkpoint(jax.checkpoint(block))
    assert value_and_grad(twice) >= 4
    assert value_and_grad(lambda x: jax.checkpoint(block)(jax.checkpoint(block)(x))) == 8


def test_nothing_passes_a_barrier():
    def f(x):
        y, z = lax.optimization_barrier((x, 2.0))
        return jnp.sin(x) + jnp.sin(y) + jnp.sin(z), lax.optimization_barrier(x)

    found = primitives(simplified(f, jnp.ones(3)))
    assert found.count("sin") == 3 and found.count("optimization_barrier") == 3


def test_two_barriers_of_one_operand_are_two():
    barrier = lax.optimization_barrier
    found = primitives(simplified(lambda x: jnp.sin(barrier(x)) + jnp.sin(barrier(x)), jnp.ones(3)))
    assert found.count("sin") == 2 and found.count("optimization_barrier") == 2


# Loops and branches.


def test_branches_are_simplified():
    closed = simplified(lambda p, x: lax.cond(p, lambda x: x * 1, lambda x: jnp.sin(x) + -0.0, x),
                        True, 2.0)  # fmt: skip
    assert primitives(closed) == ["convert_element_type", "cond", "sin"]


# Effects, sources, results.


@dataclass(frozen=True)
class Log(Effect):
    name: str


book = []
log_p = Primitive("log_value")


@log_p.def_impl
def _log_impl(x, *, name):
    book.append((name, np.asarray(x).tolist()))
    return x


log_p.def_effectful_abstract_eval(lambda x, *, name: (x, frozenset([Log(name)])))


def test_effects_stay_in_order():
    def f(x):
        log_p.bind(2.0, name="a")
        lax.scan(lambda c, _: (c + 0 * log_p.bind(x, name="b"), None), x, None, length=2)
        log_p.bind(2.0, name="a")
        return jax.jit(lambda x: log_p.bind(x * 1, name="c"))(x)

    closed = jax.make_jaxpr(f)(3.0)
    book.clear()
    run(simplify(closed), 3.0)
    assert book == [("a", 2.0), ("b", 3.0), ("b", 3.0), ("a", 2.0), ("c", 3.0)]
    assert simplify(closed).effects == closed.effects


def test_equations_keep_their_lines():
    def f(x):
        y = jnp.sin(x) * 1.0
        return y / 4.0

    closed = jax.make_jaxpr(f)(jnp.ones(3))
    lines = {eqn.primitive.name: eqn.source_info.line for eqn in closed.eqns}
    sin, mul = simplify(closed).eqns
    assert sin.source_info.line == lines["sin"] and mul.source_info.line == lines["div"]


def test_results_keep_their_types():
    def f(x, n):
        weak = lax.convert_element_type(n, float) * 1
        return x * 1, n * 1, 2.0, jnp.zeros(2), weak + x * 0, [x, x + 0.0 * 1], jnp.float32(2) * 1

    simplified(f, jnp.float32(1.5), 2)
    f(jnp.float32(1.5), 2)
    closed = jax.make_jaxpr(lambda x: (x.astype(jnp.float32),) * 2)(1.0)
    assert closed.in_avals[0].weak_type
    smaller = simplify(closed)
    assert [aval.weak_type for aval in smaller.out_avals] == [False, False]
    check_jaxpr(smaller)


def test_the_program_given_is_not_changed():
    closed = jax.make_jaxpr(lambda x: jax.jit(lambda y: y * 1 + 2)(x))(1.0)
    text = str(closed)
    simplify(closed)
    assert str(closed) == text and simplify(closed) is simplify(closed)


@pytest.mark.parametrize("run_pass", [passes.inline, passes.simplify_inside, *passes.ROUND])
def test_each_pass_gives_a_program(run_pass):
    def f(w, x):
        y = jax.jit(jnp.sin)(x) * 1
        return lax.scan(lambda c, _: (c + jnp.sin(w), None), y + jnp.sin(x), None, length=2)[0]

    closed = jax.make_jaxpr(f)(jnp.ones(3), jnp.ones(3))
    after = run_pass(closed)
    assert isinstance(after, ClosedJaxpr)
    check_jaxpr(after)
    args = [jnp.arange(3.0), jnp.ones(3)]
    assert bits(run(after, *args)[0]) == bits(run(closed, *args)[0])


def test_what_as_many_equations_make_possible():
    """One equation goes and one comes out of the loop: only then are the two beside each other."""

    def f(x, y):
        negative = -y
        return negative, lax.fori_loop(0, 3, lambda i, c: c * (x + negative), x * 1)

    closed = simplified(f, 1.0, 2.0)
    assert primitives(closed) == ["neg", "sub", "scan", "mul"]


def test_the_rounds_are_bounded():
    """Of each level one round sees that its two values are one, once the level before is seen."""

    def f(x):
        y = x
        for _ in range(passes.MOST_ROUNDS + 10):
            x, y = lax.sin(x), lax.sin(lax.max(x, y))
        return x, y

    closed = jax.make_jaxpr(f)(jnp.ones(3))
    smaller, x = simplify(closed), jnp.asarray([-1.0, 0.5, 2.0])
    check_jaxpr(smaller)
    assert passes.MOST_ROUNDS < len(smaller.eqns) < len(closed.eqns) / 2
    assert list(map(bits, run(smaller, x))) == list(map(bits, run(closed, x)))


def test_empty_programs_and_arrays():
    assert str(simplified(lambda: ())) == "{ lambda ; . let  in () }"
    simplified(lambda x: (x * 1, jnp.sum(x + 0), x.reshape(0, 2).T), jnp.zeros((2, 0)))


def test_long_programs_take_little_time():
    def f(x):
        for _ in range(1250):
            x = (jnp.sin(x) * 1.5 + 0.25) / 8
        return x

    closed = jax.make_jaxpr(f)(jnp.ones(3))
    start = time.process_time()
    simplify(closed)
    assert time.process_time() - start < 1.0


# Random programs.

many = settings(
    max_examples=150, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@many
@given(programs(smooth=False), nestings(WITHOUT_DERIVATIVES, 2))
def test_random_programs(program, steps):
    with jax.enable_x64(True):
        simplified(in_minijax(program, steps), *map(jnp.asarray, inputs_of(program)))


@many
@given(programs(smooth=True), nestings(STEPS, 2))
def test_random_derivatives(program, steps):
    with jax.enable_x64(True):
        simplified(in_minijax(program, steps), *map(jnp.asarray, inputs_of(program)))


@st.composite
def operations(draw):
    """Names, operands and settings, in the order in which they run."""
    known = [draw(st.sampled_from([(), (3,), (2, 3)]))]
    shape, instructions = known[0], []
    for _ in range(draw(st.integers(1, 4))):
        choices = {}
        for instruction, after in next_instructions(known):
            choices.setdefault(instruction.name, []).append((instruction, after))
        name = draw(st.sampled_from(sorted(choices)))
        instruction, after = draw(st.sampled_from(choices[name]))
        instructions.append(instruction)
        known.append(after)
    return shape, tuple(instructions), draw(st.booleans())


@many
@given(operations())
def test_random_operations(drawn):
    shape, instructions, with_gradient = drawn

    def f(x):
        found = [x]
        for name, operands, setting in instructions:
            operation = OPERATIONS[name].function
            found.append(operation(jax, *(found[i] for i in operands), *setting))
        return jnp.sum(found[-1]) if with_gradient else found

    if with_gradient and all(OPERATIONS[name].gradient for name, *_ in instructions):
        f = jax.value_and_grad(f)
    with jax.enable_x64(True):
        x = np.linspace(-0.8, 0.9, math.prod(shape)).reshape(shape)
        simplified(f, jnp.asarray(x))


def test_the_meanings_are_those_of_the_compositions():
    assert {step.meaning for step in WITHOUT_DERIVATIVES} == {identity, loop}
