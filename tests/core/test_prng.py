"""Keys: the bits that follow from them, and how they go through every transformation."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random
from minijax.core import prng
from minijax.core.errors import JaxprTypeError
from minijax.core.staging import check_jaxpr, eval_jaxpr

KEY = random.key(7)
KEYS = random.split(KEY, (2, 3))
both_settings = pytest.mark.parametrize("partitionable", [True, False])


def words(keys):
    return np.asarray(random.key_data(keys))


def assert_same_keys(got, want):
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_array_equal(words(got), words(want))


# The generator.


@pytest.mark.parametrize("key, counter, expected", [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((2**32 - 1,) * 2, (2**32 - 1,) * 2, (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
])
def test_known_answers(key, counter, expected):
    """Those that come with the authors' own program, for 20 rounds: kat_vectors of Random123."""
    operands = [np.uint32(word) for word in (*key, *counter)]
    assert tuple(map(int, prng.threefry_numpy(*operands))) == expected
    assert tuple(map(int, prng.threefry2x32_p.bind(*operands))) == expected


def test_the_generator_under_vmap_is_a_loop():
    x, y = jnp.arange(6, dtype="uint32"), jnp.arange(100, 106, dtype="uint32")

    def mix(a, b):
        return prng.threefry2x32_p.bind(a, b, b, a)

    for axes in [(0, 0), (0, None), (None, 0)]:
        got = jax.vmap(mix, in_axes=axes)(x, y)
        if axes == (0, 0):
            rows = [mix(x[i], y[i]) for i in range(6)]
        else:
            rows = [mix(x[i], y) if axes[0] == 0 else mix(x, y[i]) for i in range(6)]
        for word, column in zip(got, zip(*rows, strict=True), strict=True):
            np.testing.assert_array_equal(word, np.stack(column))


def test_scalars_wrap_round_without_a_warning():
    ones = [np.uint32(0xFFFFFFFF)] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = prng.threefry_numpy(*ones)
    assert [(int(word), word.shape) for word in words] == [(0x1CB996FC, ()), (0xBB002BE7, ())]


def test_the_generator_takes_words():
    x = jnp.arange(2, dtype="uint32")
    with pytest.raises(TypeError, match=r"four arrays of uint32.*float32\[2\]"):
        prng.threefry2x32_p.bind(x, x, x, jnp.zeros(2))
    with pytest.raises(TypeError, match="four arrays"):
        jax.make_jaxpr(lambda x: prng.threefry2x32_p.bind(x, x))(x)
    with pytest.raises(TypeError, match=r"\(2,\), \(3,\)"):
        prng.threefry2x32_p.bind(x, x, jnp.arange(3, dtype="uint32"), x)


# Whole arrays of keys against a loop over single ones.

SHAPES = [(), (0,), (1,), (2,), (5,), (2, 3), (3, 1, 3), (2, 0), (64,)]


def in_a_loop(function, keys):
    """The function on each key of uint32[..., 2] by itself."""
    rows = [np.asarray(function(key)) for key in keys.reshape(-1, 2)]
    return np.stack(rows).reshape(*keys.shape[:-1], *rows[0].shape)


@both_settings
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_of_many_keys(shape, partitionable):
    keys = words(KEYS)
    for width in (8, 16, 32, 64):
        got = prng.bits_numpy(keys, width, shape, partitionable)
        assert (got.shape, got.dtype) == ((2, 3, *shape), np.dtype(f"uint{width}"))
        want = in_a_loop(lambda key, w=width: prng.bits_numpy(key, w, shape, partitionable), keys)
        np.testing.assert_array_equal(got, want)


@both_settings
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_splitting_many_keys(shape, partitionable):
    keys = words(KEYS)
    got = prng.split_numpy(keys, shape, partitionable)
    assert (got.shape, got.dtype) == ((2, 3, *shape, 2), np.dtype(np.uint32))
    want = in_a_loop(lambda key: prng.split_numpy(key, shape, partitionable), keys)
    np.testing.assert_array_equal(got, want)


@both_settings
def test_one_element_at_a_time_is_the_definition(partitionable):
    """Where counting is by place, an element is the mix of its number alone."""
    key = words(KEY)
    for i, word in enumerate(np.asarray(prng.bits_numpy(key, 32, (9,), partitionable))):
        x1, x2 = prng.threefry_numpy(*key, np.uint32(0), np.uint32(i))
        if partitionable:
            assert word == x1 ^ x2
        else:  # the first half of the numbers goes in with the second, and an odd one with 0
            pair = (i, i + 5) if i < 5 else (i - 5, i)
            mixed = prng.threefry_numpy(*key, *(np.uint32(n if n < 9 else 0) for n in pair))
            assert word == mixed[i >= 5]


def test_places_alone_decide():
    long, short = random.bits(KEY, (100,)), random.bits(KEY, (7,))
    np.testing.assert_array_equal(long[:7], short)
    np.testing.assert_array_equal(random.bits(KEY, (10, 10)), np.asarray(long).reshape(10, 10))
    assert_same_keys(random.split(KEY, 9)[:4], random.split(KEY, 4))


def test_no_key_and_no_word_comes_twice():
    keys = words(random.split(KEY, 2000)).astype(np.uint64)
    assert len(set(keys[:, 0] << 32 | keys[:, 1])) == 2000
    folded = words(jax.vmap(random.fold_in, in_axes=(None, 0))(KEY, jnp.arange(2000)))
    assert len({tuple(row) for row in folded.tolist()}) == 2000
    with jax.enable_x64():
        assert len(set(np.asarray(random.bits(KEY, (2000,))).tolist())) == 2000


@both_settings
def test_half_of_the_bits_are_set(partitionable):
    with jax.threefry_partitionable(partitionable), jax.enable_x64():
        for dtype in ("uint8", "uint16", "uint32", "uint64"):
            x = np.asarray(random.bits(KEY, (4000,), dtype))
            places = np.unpackbits(x.view(np.uint8).reshape(4000, -1), axis=1).mean(axis=0)
            assert abs(places - 0.5).max() < 5 * 0.5 / 4000**0.5


@pytest.mark.parametrize("seed", [0, 1, -1, 2**31, -(2**31), 2**40 + 3, 2**63 - 1, -(2**63)])
def test_a_seed_is_its_bits(seed):
    assert int(words(random.key(seed))[1]) == seed % 2**32
    assert int(words(random.key(seed))[0]) == 0
    with jax.enable_x64():
        high, low = map(int, words(random.key(seed)))
        assert high << 32 | low == seed % 2**64


# The setting belongs to a program from when it is traced.

PROGRAMS = {
    "bits": lambda key: random.bits(key, (3,)),
    "split": lambda key: random.key_data(random.split(key, 3)),
    "bits in jit": jax.jit(lambda key: random.bits(key, (3,), "uint8")),
    "of many keys": lambda key: jax.vmap(random.bits)(random.split(key)),
}


@both_settings
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_keeps_the_setting_that_it_was_traced_under(program, partitionable):
    with jax.threefry_partitionable(partitionable):
        want = np.asarray(program(KEY))
        closed = jax.make_jaxpr(program)(KEY)
        check_jaxpr(closed)
    with jax.threefry_partitionable(not partitionable):
        assert (np.asarray(program(KEY)) != want).any()
        [got] = eval_jaxpr(closed.jaxpr, closed.consts, KEY)
        np.testing.assert_array_equal(got, want)
        [jitted] = jax.jit(lambda key: eval_jaxpr(closed.jaxpr, closed.consts, key))(KEY)
        np.testing.assert_array_equal(jitted, want)
        [mapped] = jax.vmap(lambda key: eval_jaxpr(closed.jaxpr, closed.consts, key))(KEY[None])
        np.testing.assert_array_equal(mapped[0], want)
    assert "partitionable" not in str(closed)


def test_fold_in_is_the_same_under_both_settings():
    with jax.threefry_partitionable(False):
        assert_same_keys(random.fold_in(KEY, 3), random.fold_in(random.key(7), 3))
        old = random.fold_in(KEY, 3)
    assert_same_keys(old, random.fold_in(KEY, 3))


# Keys under the transformations.


def test_keys_under_jit():
    assert_same_keys(jax.jit(lambda key: key)(KEY), KEY)
    assert_same_keys(jax.jit(random.split)(KEY), random.split(KEY))
    assert_same_keys(jax.jit(lambda: KEYS[1])(), KEYS[1])
    assert_same_keys(jax.jit(random.key)(3), random.key(3))
    with jax.disable_jit():
        assert_same_keys(jax.jit(random.split)(KEY), random.split(KEY))


def test_a_key_is_never_a_literal():
    assert str(jax.make_jaxpr(lambda: KEY)()) == "{ lambda a:key<fry>[]; . let  in (a,) }"


@pytest.mark.parametrize("function", [
    lambda key: key, random.split, random.clone, lambda key: random.split(key, (2, 1)),
    lambda key: random.fold_in(key, 5), lambda key: random.wrap_key_data(random.key_data(key)),
    lambda key: jnp.stack([key, KEY]), lambda key: jnp.where(key == KEYS[0, 1], KEY, key),
    lambda key: key[None].reshape(1, 1),
])  # fmt: skip
def test_vmap_is_a_loop(function):
    for in_axis in (0, 1, -1):
        rows = [[function(key) for key in row] for row in KEYS]
        f = jax.vmap(jax.vmap(function), in_axes=in_axis)
        got = f(KEYS)
        want = np.stack([np.stack([words(key) for key in row]) for row in rows])
        want = want if in_axis == 0 else want.swapaxes(0, 1)
        np.testing.assert_array_equal(words(got), want)
        check_jaxpr(jax.make_jaxpr(f)(KEYS))


def test_vmap_over_raw_words_wherever_their_axis_is():
    data = words(KEYS[0])
    for axis in (0, 1, -1):
        stacked = np.moveaxis(data, 0, axis)
        got = jax.vmap(random.wrap_key_data, in_axes=axis)(stacked)
        assert_same_keys(got, KEYS[0])
    outside = jax.vmap(random.key_data, out_axes=1)(KEYS[0])
    np.testing.assert_array_equal(outside, data.T)


def test_vmap_over_one_of_two_operands():
    keys, data = KEYS[0], jnp.arange(3)
    both = jax.vmap(random.fold_in)(keys, data)
    assert_same_keys(both, jnp.stack([random.fold_in(keys[i], i) for i in range(3)]))
    one_key = jax.vmap(random.fold_in, in_axes=(None, 0))(KEY, data)
    assert_same_keys(one_key, jnp.stack([random.fold_in(KEY, i) for i in range(3)]))
    one_integer = jax.vmap(random.fold_in, in_axes=(0, None))(keys, 4)
    assert_same_keys(one_integer, jnp.stack([random.fold_in(keys[i], 4) for i in range(3)]))


def test_keys_have_no_derivatives():
    def scaled(x, key):
        return x * random.bits(key).astype(float)

    _, pull = jax.vjp(scaled, 2.0, KEYS[0, 0])
    x_ct, key_ct = pull(1.0)
    np.testing.assert_allclose(x_ct, float(random.bits(KEYS[0, 0])), rtol=1e-6)
    assert (key_ct.shape, key_ct.dtype) == ((), jax.dtypes.float0)
    np.testing.assert_array_equal(jax.grad(scaled)(2.0, KEYS[0, 0]), x_ct)
    raw_ct = jax.grad(scaled, argnums=1, allow_int=True)(2.0, random.PRNGKey(3))
    assert (raw_ct.shape, raw_ct.dtype) == ((2,), jax.dtypes.float0)
    y, dot = jax.jvp(random.split, (KEY,), (np.zeros((), jax.dtypes.float0),))
    assert_same_keys(y, random.split(KEY))
    assert (dot.shape, dot.dtype) == ((2,), jax.dtypes.float0)
    with pytest.raises(TypeError, match=r"key<fry>\[\]"):
        jax.grad(lambda key: 1.0)(KEY)


# Keys as elements of arrays.


def test_parts_and_shapes():
    data = words(KEYS)
    assert_same_keys(KEYS[1, 2], random.wrap_key_data(data[1, 2]))
    assert_same_keys(KEYS[:, ::2], random.wrap_key_data(data[:, ::2]))
    assert_same_keys(KEYS[::-1], random.wrap_key_data(data[::-1]))
    assert_same_keys(KEYS.T, random.wrap_key_data(data.transpose(1, 0, 2)))
    assert_same_keys(KEYS.reshape(3, 2), random.wrap_key_data(data.reshape(3, 2, 2)))
    assert_same_keys(jnp.concatenate([KEYS, KEYS]), random.wrap_key_data(np.tile(data, (2, 1, 1))))
    assert_same_keys(jnp.flip(KEYS, 1), random.wrap_key_data(data[:, ::-1]))
    for row, row_data in zip(KEYS, data, strict=True):
        assert_same_keys(row, random.wrap_key_data(row_data))
    assert [key.shape for key in KEYS[0]] == [(), (), ()]
    a, b = random.split(KEY)
    assert not a == b


def test_keys_compare_as_wholes():
    flipped = words(KEYS).copy()
    flipped[0, 0, 1] ^= 1  # one bit of one word
    assert (np.asarray(KEYS == random.wrap_key_data(flipped)) == [[0, 1, 1], [1, 1, 1]]).all()
    assert bool(jnp.array_equal(KEYS, KEYS)) and not jnp.array_equal(KEYS, KEYS[::-1])


def test_new_arrays_of_keys():
    zero = random.wrap_key_data(np.zeros((2, 2), np.uint32))
    for made in (jnp.zeros_like(KEYS[0, :2]), jnp.zeros(2, KEY.dtype), jnp.zeros_like(zero)):
        assert_same_keys(made, zero)
    assert_same_keys(jnp.full((2,), KEY), jnp.stack([KEY, KEY]))
    assert jax.vmap(jnp.zeros_like)(KEYS).shape == (2, 3)


def test_keys_in_trees():
    tree = {"a": KEY, "b": [KEYS]}
    assert [leaf.shape for leaf in jax.tree.leaves(tree)] == [(), (2, 3)]
    doubled = jax.jit(lambda tree: jax.tree.map(random.split, tree))({"a": KEY})
    assert_same_keys(doubled["a"], random.split(KEY))
    got = jax.device_get(tree)
    assert got["a"] is KEY


@pytest.mark.parametrize("copied", [
    copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), jnp.array, jnp.copy,
    jax.device_put,
])  # fmt: skip
def test_copies(copied):
    for keys in (KEY, KEYS, KEYS[:0]):
        got = copied(keys)
        assert_same_keys(got, keys)
        assert got.dtype is KEY.dtype  # there is one dtype of keys, also in another process
        assert repr(got) == repr(keys)


def test_a_key_of_another_process():
    data = pickle.dumps({"dtype": KEY.dtype, "aval": KEYS.aval, "keys": KEYS})
    read = pickle.loads(data)
    assert read["dtype"] is prng.key_fry and read["aval"] is KEYS.aval


def test_keys_are_never_written_to():
    for keys in (KEYS, KEYS.T, KEYS[0], random.wrap_key_data(np.zeros((2, 2), np.uint32))):
        assert not keys._value.flags.writeable
    source = np.zeros((2, 2), np.uint32)
    keys = random.wrap_key_data(source)
    source += 1
    assert not words(keys).any()
    with pytest.raises(TypeError, match="immutable"):
        KEYS[0] = KEY


def test_raw_keys_are_the_same_keys():
    raw = random.PRNGKey(7)
    assert (raw.shape, raw.dtype) == ((2,), np.uint32)
    for f in (random.split, random.bits, lambda key: random.fold_in(key, 3), random.key_data):
        typed = f(KEY)
        data = words(typed) if jnp.issubdtype(typed.dtype, jax.dtypes.prng_key) else typed
        np.testing.assert_array_equal(f(raw), data)
        np.testing.assert_array_equal(f(np.asarray(raw)), data)


def test_deleted_keys():
    key = random.key(3)
    key.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        random.split(key)


# Dtypes.


def test_the_dtype_of_keys():
    dtypes = jax.dtypes
    for issubdtype in (dtypes.issubdtype, jnp.issubdtype):
        assert issubdtype(KEY.dtype, dtypes.prng_key) and issubdtype(KEY.dtype, dtypes.extended)
        assert issubdtype(dtypes.prng_key, dtypes.extended)
        assert not issubdtype(KEY.dtype, np.integer) and not issubdtype(np.uint32, dtypes.prng_key)
    assert random.key_dtype() is KEY.dtype is random.key_dtype("threefry2x32")
    assert KEYS.nbytes == 48 and not KEY.aval.weak_type
    assert jnp.result_type(KEY, KEYS) is KEY.dtype


# What is refused, and what the message says.


@pytest.mark.parametrize("call, error, says", [
    (lambda: random.key(1.5), TypeError, r"key takes an integer.*float32"),
    (lambda: random.PRNGKey("a"), TypeError, "PRNGKey takes an integer.*'a'"),
    (lambda: random.key(None), ValueError, "None"),
    (lambda: random.key(2**63), OverflowError, "64 bits.*9223372036854775808"),
    (lambda: random.key(jnp.arange(3)), TypeError, r"int32\[3\].*vmap"),
    (lambda: random.key(KEY), TypeError, "key<fry>"),
    (lambda: random.key(0, impl="rbg"), ValueError, "'rbg'.*'threefry2x32'"),
    (lambda: random.key(0, impl=3), TypeError, "3"),
    (lambda: random.key(0, impl="threefry2x32", dtype=KEY.dtype), ValueError, "impl and dtype"),
    (lambda: random.split(3), TypeError, "split takes keys, .* got\n3"),
    (lambda: random.split(jnp.zeros(2)), TypeError, r"uint32\[..., 2\].*float32\[2\]"),
    (lambda: random.split(KEYS[0]), ValueError, r"split takes one key.*\[3\].\nUse vmap"),
    (lambda: random.bits(words(KEYS[0])), ValueError, r"bits takes one key.*\nUse vmap"),
    (lambda: random.split(KEY, 2.5), TypeError, "2.5"),
    (lambda: random.split(KEY, -1), TypeError, "-1"),
    (lambda: jax.jit(random.split)(KEY, 3), TypeError, "static"),
    (lambda: random.fold_in(KEY, -1), OverflowError, r"(?s)-1.*x % 2\*\*32"),
    (lambda: random.fold_in(KEY, "a"), ValueError, "'a'"),
    (lambda: random.fold_in(KEY, 1j), TypeError, "1j"),
    (lambda: random.fold_in(KEY, jnp.arange(2)), TypeError, "vmap"),
    (lambda: random.bits(KEY, (2,), "int32"), ValueError, "unsigned.*int32"),
    (lambda: random.wrap_key_data(jnp.arange(2)), TypeError, r"uint32\[..., 2\].*int32\[2\]"),
    (lambda: random.wrap_key_data([1, 2]), TypeError, r"wrap_key_data.*\[1, 2\]"),
    (lambda: random.key_data(1.0), TypeError, "key_data.*1.0"),
    (lambda: random.key_impl(None), TypeError, "key_impl.*None"),
    (lambda: prng.random_split_p.bind(jnp.zeros(2), shape=(), partitionable=True), TypeError,
     r"float32\[2\]"),
    (lambda: prng.random_unwrap_p.bind(1.0), TypeError, "random_unwrap takes keys.*float32"),
    (lambda: prng.random_fold_in_p.bind(KEY, 1), TypeError, "int32.*uint32"),
    (lambda: KEY + 1, TypeError, "jnp.add takes numbers, and got key<fry>"),
    (lambda: -KEY, TypeError, "neg.*key<fry>"),
    (lambda: KEY < KEY, TypeError, "jnp.less takes numbers, and got key<fry>"),
    (lambda: KEY == 0, TypeError, "eq.*key<fry>.*int32"),
    (lambda: jnp.sin(KEY), TypeError, "key<fry>"),
    (lambda: jnp.floor(KEY), TypeError, "key<fry>"),
    (lambda: jnp.mean(KEYS), TypeError, "key<fry>"),
    (lambda: jnp.where(KEY, 1, 2), TypeError, "key<fry>.*x == y"),
    (lambda: jnp.where(True, KEY, 0), ValueError, "key<fry>.*int32"),
    (lambda: jnp.array(KEYS, dtype="uint32"), ValueError, "cannot make uint32 of key<fry>"),
    (lambda: np.asarray(KEY), TypeError, "key_data"),
    (lambda: float(KEY), TypeError, "key_data"),
    (lambda: bool(KEY), TypeError, "key_data"),
    (lambda: KEY.item(), TypeError, "key_data"),
    (lambda: hash(KEY), TypeError, "unhashable"),
    (lambda: list(KEY), TypeError, "dimension"),
    (lambda: KEY[0], IndexError, "x has axes, 0"),
])
def test_refused(call, error, says):
    with pytest.raises(error, match=f"(?s){says}"):
        call()


def test_a_program_of_the_wrong_types_is_found():
    closed = jax.make_jaxpr(lambda key: random.bits(key, (2,)))(KEY)
    eqn = closed.eqns[0]
    wrong = closed.jaxpr.replace(eqns=[eqn._replace(params={**eqn.params, "bit_width": 8})])
    with pytest.raises(JaxprTypeError, match="random_bits"):
        check_jaxpr(wrong)
