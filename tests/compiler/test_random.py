"""Keys in compiled programs: words move in their place, and bits are computed one by one."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import on_backend
from minijax import lax, random
from minijax.compiler.kernels.fuse import Kernel, fuse
from minijax.compiler.kernels.loop_nests import kernel_source
from minijax.compiler.kernels.whole_loops import loop_source
from minijax.compiler.passes.simplify import simplify
from minijax.compiler.special_cases.key_words import has_keys, is_key, threefry_p, without_keys
from minijax.core.staging import check_jaxpr, jaxpr_as_fun

KEY, OTHER = random.key(3), random.key(9)


def step(carry, x):
    key, total = carry
    key, sub = random.split(key)
    return (key, total + random.uniform(sub, (3,))), random.bits(sub)


PROGRAMS = {
    "split": lambda k: (random.split(k), random.split(k, 1), random.split(k, (2, 3))),
    "none": lambda k: (random.split(k, 0), random.bits(k, (0,)), random.bits(k, (2, 0))),
    "fold_in": lambda k: (random.fold_in(k, 3), random.fold_in(k, np.int32(-1))),
    "bits": lambda k: [random.bits(k, (2, 3), f"uint{n}") for n in (8, 16, 32)],
    "a scalar": lambda k: random.bits(k),
    "raw": lambda k: random.split(random.key_data(k)),
    "seed": lambda k: random.split(random.key(lax.convert_element_type(random.bits(k), int))),
    "clone, constant, argument": lambda k: (random.clone(k), OTHER, k),
    "constant": lambda k: random.bits(OTHER, (2,)) + random.bits(k, (2,)),
    "equal": lambda k: (random.split(k)[0] == k, k == k),  # noqa: PLR0124
    "equal in a loop": lambda k: lax.map(lambda other: k == other, jnp.stack([OTHER, k])),
    "moved": lambda k: (random.split(k, (2, 3)).T.reshape(6)[::-1], random.split(k, 5)[1:3]),
    "joined": lambda k: jnp.concatenate([random.split(k, 2), random.split(k, 3)]),
    "chosen": lambda k: jnp.where(jnp.array([True, False]), random.split(k), k),
    "indexed": lambda k: random.bits(random.split(k, 9)[random.randint(k, (), 0, 9)]),
    "gathered": lambda k: random.split(k, 4)[jnp.array([7, 1])],
    "scattered": lambda k: random.split(k, 4).at[1].set(k),
    "vmap of bits": lambda k: jax.vmap(lambda k: random.bits(k, (2, 2)))(random.split(k, 3)),
    "vmap of split": lambda k: jax.vmap(jax.vmap(random.split))(random.split(k, (2, 3))),
    "vmap along 1": lambda k: jax.vmap(jax.vmap(random.split), 1, 1)(random.split(k, (2, 3))),
    "vmap of data": lambda k: jax.vmap(random.fold_in, (None, 0))(k, jnp.arange(3)),
    "vmap of keys": lambda k: jax.vmap(random.fold_in, (0, None))(random.split(k), 7),
    "vmap of both": lambda k: jax.vmap(random.fold_in)(random.split(k), jnp.arange(2)),
    "scan": lambda k: lax.scan(step, (k, jnp.zeros(3)), None, length=4),
    "scan of keys": lambda k: lax.scan(lambda c, k: (c, random.bits(k)), 0, random.split(k, 3)),
    "fori": lambda k: lax.fori_loop(0, 3, lambda i, c: c + random.bits(random.fold_in(k, i)),
                                    jnp.uint32(0)),
    "while": lambda k: lax.while_loop(lambda k: random.uniform(k) < 0.7,
                                      lambda k: random.split(k)[0], k),
    "cond": lambda k: lax.cond(random.uniform(k) < 0.5, random.split, lambda k: random.split(k), k),
    "jit in scan": lambda k: lax.scan(jax.jit(step), (k, jnp.zeros(3)), None, length=2),
    "checkpoint": lambda k: jax.checkpoint(lambda k: random.bits(k, (2,)))(k),
    "permutation": lambda k: random.permutation(k, 10),
    "gamma": lambda k: random.gamma(k, 2.0, (2,)),
    "gamma in a loop": lambda k: lax.scan(
        lambda k, a: (random.split(k)[0], (random.gamma(k, a, (3,)), random.loggamma(k, a))), k,
        jnp.array([0.05, 1.0, 0.7, 30.0])),
}  # fmt: skip


def closed_of(f, *args):
    return jax.jit(f).trace(*args).jaxpr


def arrays(out):
    """The leaves as NumPy's arrays; of keys, the words."""
    return [np.asarray(random.key_data(x) if is_key(x) else x) for x in jax.tree.leaves(out)]


def assert_equal(got, want):
    for a, b in zip(arrays(got), arrays(want), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)


# The program of words.


@pytest.mark.parametrize("partitionable", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_words_gives_what_the_program_of_keys_does(name, partitionable):
    with jax.threefry_partitionable(partitionable):
        closed = closed_of(lambda k: PROGRAMS[name](k), KEY)
        words = without_keys(closed)
        check_jaxpr(words)
        assert [str(x) for x in words.out_avals] == [str(x) for x in closed.out_avals]
        assert_equal(jaxpr_as_fun(words)(KEY), jaxpr_as_fun(closed)(KEY))


@pytest.mark.parametrize("name", ["scan", "cond", "while", "moved", "vmap of split", "indexed"])
def test_there_are_keys_only_at_the_borders(name):
    words = without_keys(closed_of(PROGRAMS[name], KEY))
    borders = {"random_wrap", "random_unwrap"}
    inner = [eqn for eqn in words.eqns if str(eqn.primitive) not in borders]
    assert not any(is_key(x) for eqn in inner for x in (*eqn.invars, *eqn.outvars))
    assert not has_keys(words.jaxpr.replace(invars=[], outvars=[], eqns=inner))


@pytest.mark.parametrize("dtype", "int8 uint8 int16 uint32 int32 int64 uint64".split())
def test_keys_of_seeds_in_a_loop(on_numba, dtype):
    with jax.enable_x64(True):
        info = np.iinfo(dtype)
        seeds = jnp.array([0, info.min, info.max, info.max // 3], dtype)

        def f(seeds):
            return lax.map(random.key, seeds), jax.vmap(random.key)(seeds)

        assert_equal(jax.jit(f)(seeds), [jnp.stack(list(map(random.key, seeds)))] * 2)
        inside = jax.jit(f).lower(seeds).compile().as_text()
        assert "random_seed" not in inside and "scan_" not in inside


def test_a_program_without_keys_is_left_alone():
    closed = closed_of(lambda x: x + 1, 2.0)
    assert without_keys(closed) is closed


def test_bits_of_64_places(on_numpy):
    with jax.enable_x64(True):
        closed = closed_of(lambda k: (random.bits(k, (3,)), random.normal(k, (2,))), KEY)
        assert_equal(jaxpr_as_fun(without_keys(closed))(KEY), jaxpr_as_fun(closed)(KEY))


# Kernels.


def steps_of(f, *args):
    return fuse(simplify(without_keys(closed_of(f, *args))).jaxpr)


@pytest.mark.parametrize("shape", [(1000,), (100, 10), (10, 1, 10, 10)])
def test_normal_is_one_loop(shape):
    unwrap, kernel = steps_of(lambda k: random.normal(k, shape), KEY)
    assert isinstance(kernel, Kernel)
    assert threefry_p in {eqn.primitive for eqn in kernel.eqns}
    source = kernel_source(kernel, kernel.eqns[-1].outvars)
    assert source.text.count("for ") == 1
    assert source.turns == 1000


def test_many_keys_are_read_outside_of_the_inner_loop():
    _, kernel = steps_of(jax.vmap(lambda k: random.bits(k, (5, 20))), random.split(KEY, 7))
    text = kernel_source(kernel, kernel.eqns[-1].outvars).text
    assert text.count("for ") == 2
    assert text.index("x0[1 + i0 * 2]") < text.index("for i1")


@pytest.mark.parametrize("name", ["scan", "scan of keys", "fori", "while", "equal in a loop",
                                  "gamma in a loop"])  # fmt: skip
def test_a_loop_that_draws_is_one_kernel(name):
    steps = steps_of(PROGRAMS[name], KEY)
    [loop] = [s for s in steps if not isinstance(s, Kernel) and str(s.eqn.primitive) in
              ("scan", "while")]  # fmt: skip
    assert loop_source(loop.eqn) is not None


# Compiled, to the bit.


def test_compiled_bits(on_numba):
    def f(k):
        keys = random.split(k, 3)
        bits = [random.bits(k, (5,), f"uint{n}") for n in (8, 16, 32)]
        return bits, keys, random.fold_in(k, 5), jax.vmap(lambda k: random.bits(k, (2, 3)))(keys)

    assert_equal(jax.jit(f)(KEY), jaxpr_as_fun(closed_of(f, KEY))(KEY))


def test_compiled_bits_of_64_places(on_numba):
    with jax.enable_x64(True):
        def f(k):
            return random.bits(k, (5,)), random.uniform(k, (4,))

        assert_equal(jax.jit(f)(KEY), jaxpr_as_fun(closed_of(f, KEY))(KEY))


@pytest.mark.parametrize("sampler", [random.uniform, random.normal])
def test_compiled_floats(on_numba, sampler):
    """Uniform ones are exact; the inverse of erf may differ in its last places."""
    def f(k):
        return sampler(k, (20_000,))

    got, want = np.asarray(jax.jit(f)(KEY)), np.asarray(jaxpr_as_fun(closed_of(f, KEY))(KEY)[0])
    ulps = 0 if sampler is random.uniform else 4
    np.testing.assert_array_max_ulp(got, want, ulps)


@pytest.mark.parametrize("name", ["scan", "gamma in a loop"])
def test_a_compiled_loop_carries_keys(on_numba, name):
    f = PROGRAMS[name]
    assert_equal(jax.jit(f)(KEY), jaxpr_as_fun(closed_of(f, KEY))(KEY))


def test_eager_calls_are_compiled_too(on_numba):
    got = random.split(KEY, 3), random.fold_in(KEY, 2), random.bits(KEY, (4,))
    with on_backend("numpy"):
        assert_equal(got, (random.split(KEY, 3), random.fold_in(KEY, 2), random.bits(KEY, (4,))))
    assert "jit" not in str(jax.make_jaxpr(random.split)(KEY))
