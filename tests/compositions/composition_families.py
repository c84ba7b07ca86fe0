"""More functions for every nesting of transformations: of `lax`'s families, and random numbers.

Written as those of `composition_functions.py` are, over a namespace `m`. What a namespace adds
here: loops and branches that take functions, indices that are values, orders, rules of one's own.
"""

from types import SimpleNamespace

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from composition_functions import MINIJAX, NUMPY, PAIR, Case, X, Y
from composition_meanings import forward, identity, loop, reverse
from minijax import lax, random

TRIPLE = np.array([0.7, -0.4, 0.2])
COUNT = np.array(1)
PLACES = np.array([2, 0, 2])

# minijax's side of what is added.


@jax.custom_jvp
def squashed(x):
    return x / (1 + jnp.exp(-x))


@squashed.defjvp
def squashed_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    s = 1 / (1 + jnp.exp(-x))
    return squashed(x), (s + squashed(x) * (1 - s)) * t


@jax.custom_vjp
def scaled_sine(x, y):
    return jnp.sin(x) * y


def scaled_sine_fwd(x, y):
    return jnp.sin(x) * y, (jnp.cos(x) * y, jnp.sin(x))


def scaled_sine_bwd(residuals, ct):
    by_x, by_y = residuals
    return ct * by_x, ct * by_y


scaled_sine.defvjp(scaled_sine_fwd, scaled_sine_bwd)


def noise(n, shape):
    return random.normal(random.fold_in(random.key(3), n), shape, "float64")


FAMILIES = SimpleNamespace(
    **vars(MINIJAX),
    add_at=lambda x, i, y: x.at[i].add(y),
    argsort=lambda x: lax.sort((x, lax.iota(int, len(x))), num_keys=1)[1],
    associative_scan=lax.associative_scan,
    checkpoint=jax.checkpoint,
    cond=lax.cond,
    convolved=lambda x, y: lax.conv(x[None, None], y[None, None], (1,), "SAME")[0, 0],
    cumprod=lax.cumprod,
    cumsum=lax.cumsum,
    cyclic=lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(y), 3),
    dynamic_slice=lax.dynamic_slice,
    dynamic_update_slice=lax.dynamic_update_slice,
    fori_loop=lax.fori_loop,
    largest_of_two=lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2,)),
    map=lax.map,
    multiply_at=lambda x, i, y: x.at[i].multiply(y),
    noise=noise,
    scaled_sine=scaled_sine,
    scan=lax.scan,
    set_at=lambda x, i, y: x.at[i].set(y),
    sort=lax.sort,
    squashed=squashed,
    sums_of_two=lambda x: lax.reduce_window(x, 0.0, lax.add, (2,)),
    switch=lax.switch,
    while_loop=lax.while_loop,
)

# NumPy's: loops are loops, branches are branches.


def noise_as_numbers(n, shape):
    with jax.enable_x64(True):
        return np.asarray(noise(int(n), shape))


def _stacked(rows):
    if isinstance(rows[0], tuple):
        return tuple(_stacked(column) for column in zip(*rows, strict=True))
    return None if rows[0] is None else np.stack(rows)


def _scan(f, carry, xs, length=None, reverse=False):
    steps = range(len(xs) if length is None else length)
    rows = []
    for i in steps[::-1] if reverse else steps:
        carry, y = f(carry, None if xs is None else xs[i])
        rows.append(y)
    return carry, _stacked(rows[::-1] if reverse else rows)


def _while_loop(cond_fun, body_fun, val):
    while cond_fun(val):
        val = body_fun(val)
    return val


def _fori_loop(lower, upper, body_fun, val):
    for i in range(lower, upper):
        val = body_fun(i, val)
    return val


def _updated(x, i, change):
    out = np.array(x, np.result_type(x, np.float64))
    change(out, i)
    return out


def _dynamic_update_slice(x, part, starts):
    start = min(max(int(starts[0]), 0), len(x) - len(part))
    return _updated(x, slice(start, start + len(part)), lambda out, i: out.__setitem__(i, part))


def _dynamic_slice(x, starts, sizes):
    start = min(max(int(starts[0]), 0), len(x) - sizes[0])
    return x[start : start + sizes[0]]


def _associative_scan(f, xs):
    rows = [xs[0]]
    for x in xs[1:]:
        rows.append(f(rows[-1], x))
    return np.stack(rows)


REFERENCE = SimpleNamespace(
    **vars(NUMPY),
    add_at=lambda x, i, y: _updated(x, i, lambda out, i: np.add.at(out, i, y)),
    argsort=np.argsort,
    associative_scan=_associative_scan,
    checkpoint=lambda f: f,
    cond=lambda pred, true_fun, false_fun, *xs: (true_fun if pred else false_fun)(*xs),
    convolved=lambda x, y: np.correlate(x, y, "same"),
    cumprod=np.cumprod,
    cumsum=np.cumsum,
    cyclic=lambda x, y: np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(y), 3),
    dynamic_slice=_dynamic_slice,
    dynamic_update_slice=_dynamic_update_slice,
    fori_loop=_fori_loop,
    largest_of_two=lambda x: np.maximum(x[:-1], x[1:]),
    map=lambda f, xs: np.stack([f(x) for x in xs]),
    multiply_at=lambda x, i, y: _updated(x, i, lambda out, i: np.multiply.at(out, i, y)),
    noise=noise_as_numbers,
    scaled_sine=lambda x, y: np.sin(x) * y,
    scan=_scan,
    set_at=lambda x, i, y: _updated(x, i, lambda out, i: out.__setitem__(i, y)),
    sort=np.sort,
    squashed=lambda x: x / (1 + np.exp(-x)),
    sums_of_two=lambda x: x[:-1] + x[1:],
    switch=lambda i, funs, *xs: funs[min(max(int(i), 0), len(funs) - 1)](*xs),
    while_loop=_while_loop,
)

# Loops and branches.


def scan_of_pairs(m, x, ys):
    def step(carry, y):
        a, b = carry
        return (m.sin(a) * y + b, 0.5 * b * x[0]), a * b

    (a, b), products = m.scan(step, (x[1], x[0]), ys)
    return a + b, products


def scan_backwards_with_a_counter(m, x, n):
    def step(carry, x_i):
        count, total = carry
        return (count + 1, total * m.cos(x_i) + 0.1 * m.float64(count)), (count, total)

    (_, total), (counts, totals) = m.scan(step, (n, x[0] * x[1]), x, reverse=True)
    return total, counts, totals


def scan_in_scan(m, x, ys):
    def inner(carry, y):
        return 0.7 * carry + y * m.tanh(carry), None

    def outer(carry, y):
        last, _ = m.scan(inner, carry * y, ys)
        return last, last * carry

    return m.scan(outer, x, ys)


def a_loop_with_static_bounds(m, x, y):
    return m.fori_loop(0, 3, lambda i, z: z * m.cos(y) + i * x, x)


def an_associative_scan(m, x):
    return m.associative_scan(lambda a, b: a * m.exp(-b) + b, x)[-1] + m.map(m.sin, x)


def a_branch(m, x, y):
    return m.cond(x[0] > 0.0, lambda a, b: m.sin(a) * b, lambda a, b: a - b * x[1], y, x)


def a_branch_that_closes_over(m, x, n):
    scale = m.exp(x[1])
    return m.cond(n > 1, lambda: x * scale, lambda: m.sin(x)), n


def one_of_three(m, x, n):
    branches = [lambda z: z * z, lambda z: m.cos(z) * x, lambda z: 0.3 * z]
    return m.switch(n, branches, x + 0.5)


def a_while_loop_of_integers(m, x, n):
    count, power = m.while_loop(lambda c: c[1] < 20, lambda c: (c[0] + 1, c[1] * 3), (n, n + 1))
    return x * m.float64(count) + m.sin(x / m.float64(power)), count


def a_while_loop(m, x, y):
    return m.while_loop(lambda z: m.sum(z * z) < 4.0, lambda z: 1.5 * z + y * m.sin(z), x)


def a_branch_in_a_scan(m, x, ys):
    def step(carry, y):
        carry = m.cond(y > 0.0, lambda c: m.sin(c) * y, lambda c: c + y * x, carry)
        return carry, carry

    return m.scan(step, x, ys)


# Indices that are values.


def gathered(m, x, y, n):
    return x[PLACES] * y[n - 1] + x[n - 1]


def scattered(m, x, y, n):
    z = m.add_at(x, PLACES, y * y)
    return m.multiply_at(m.set_at(z, n - 1, m.sum(y)), 1, m.sin(y[0]))


def slices_that_move(m, x, y, n):
    part = m.dynamic_slice(x, (n,), (2,))
    return m.dynamic_update_slice(x * x, part * y, (n - 1,))


# Orders and running totals.


def sorted_values(m, x, y):
    order = m.argsort(x)
    return m.sort(x * 2.0) * y + x[order]


def running(m, x, y):
    return m.cumsum(x * y) + m.cumprod(m.cos(x))


# Windows.


def windows(m, x, y):
    return m.largest_of_two(m.convolved(x * x, y)) * m.sums_of_two(m.sin(y))


# Waves.


def in_waves(m, x, y):
    return m.cyclic(x * x, y) * m.sin(m.cyclic(y, x))


# Rules of one's own, and memory saved.


def a_custom_jvp(m, x, y):
    return m.squashed(x * y) + m.squashed(m.squashed(y))


def a_custom_vjp(m, x, y):
    return m.scaled_sine(x * y, y) + m.scaled_sine(y, x)


def a_custom_jvp_in_a_scan(m, x, ys):
    return m.scan(lambda c, y: (m.squashed(c * y), m.squashed(c)), x, ys)


def checkpointed(m, x, y):
    block = m.checkpoint(lambda a, b: m.sin(m.sin(a) * b))
    return block(x, block(y, x))


def a_checkpointed_scan(m, x, ys):
    step = m.checkpoint(lambda c, y: (m.sin(c * y) + x, m.cos(c)))
    return m.scan(step, x * 0.5, ys)


def with_noise(m, x, n):
    return m.sin(x + 0.2 * m.noise(n, (2,))) * x


FORWARD_ONLY, REVERSE_FIRST = {a_while_loop.__name__}, {a_custom_vjp.__name__}


def is_defined(case: Case, meanings: tuple) -> bool:
    """Whether a nesting, outermost step first, has a meaning for a case.

    Not the gradient of a loop whose length is not known; and of a function with a rule for
    cotangents alone, the first derivative must be taken backwards.
    """
    derivatives = [m for m in meanings if m not in (identity, loop)]
    if case.name in FORWARD_ONLY:
        return reverse not in derivatives
    return case.name not in REVERSE_FIRST or not derivatives or derivatives[-1] is not forward


FAMILY_CASES = [
    Case(scan_of_pairs, (PAIR, TRIPLE)),
    Case(scan_backwards_with_a_counter, (PAIR, COUNT)),
    Case(scan_in_scan, (X, PAIR)),
    Case(a_loop_with_static_bounds, (X, Y)),
    Case(an_associative_scan, (TRIPLE,)),
    Case(a_branch, (np.array([-0.1, 0.6]), PAIR)),
    Case(a_branch_that_closes_over, (PAIR, COUNT)),
    Case(one_of_three, (PAIR, COUNT)),
    Case(a_while_loop_of_integers, (PAIR, COUNT)),
    Case(a_while_loop, (PAIR, Y)),
    Case(a_branch_in_a_scan, (X, TRIPLE)),
    Case(gathered, (TRIPLE, TRIPLE[::-1].copy(), COUNT - 1)),
    Case(scattered, (TRIPLE, TRIPLE[::-1].copy(), COUNT - 1)),
    Case(slices_that_move, (TRIPLE, PAIR, COUNT)),
    Case(sorted_values, (TRIPLE, TRIPLE[::-1].copy())),
    Case(running, (TRIPLE, TRIPLE[::-1].copy())),
    Case(windows, (TRIPLE, TRIPLE[::-1].copy())),
    Case(in_waves, (TRIPLE, TRIPLE[::-1].copy())),
    Case(a_custom_jvp, (PAIR, Y)),
    Case(a_custom_vjp, (PAIR, PAIR[::-1].copy())),
    Case(a_custom_jvp_in_a_scan, (X, TRIPLE)),
    Case(checkpointed, (PAIR, Y)),
    Case(a_checkpointed_scan, (X, TRIPLE)),
    Case(with_noise, (PAIR, COUNT)),
]
