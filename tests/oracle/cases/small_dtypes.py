"""Numbers of fewer than 8 bits, and floats of up to 8: what is known of them, how they meet others,
what they hold, and what is computed with them. A value is told by its bits."""

INTEGERS = ("int2", "int4", "uint2", "uint4")
EIGHT = (
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz",
)  # fmt: skip
FLOATS = ("float4_e2m1fn", *EIGHT, "float8_e8m0fnu")
TYPES_ALONE = ("int1", "uint1", "float6_e2m3fn", "float6_e3m2fn")  # JAX makes no arrays of these
SETUP = f"""
import zlib
INTEGERS, FLOATS, EIGHT = {INTEGERS}, {FLOATS}, {EIGHT}
NAMES = (*INTEGERS, *FLOATS)
EVERY = (*NAMES, *{TYPES_ALONE})
OTHERS = ('bool', 'uint8', 'int8', 'int32', 'uint32', 'bfloat16', 'float16', 'float32',
          'complex64')

def outcome(f, *args):
    try:
        return shown(f(*args))
    except Exception as error:
        return type(error).__name__

def shown(x):
    if isinstance(x, (tuple, list)):
        return [shown(part) for part in x]
    if not hasattr(x, 'shape'):
        return str(x)
    name = str(x.dtype) + ('*' if getattr(x, 'weak_type', False) else '')
    return name + str(numbers(x)) if hasattr(x, '__array__') else name

def numbers(x):
    x = np.asarray(x)
    wide = x if x.dtype.kind in 'biu' else x.astype(complex if x.dtype.kind == 'c' else np.float64)
    return ' '.join(map(str, wide.ravel().tolist()))

def digest(x):
    wide = np.asarray(x).astype(np.float32)
    return zlib.crc32(np.where(np.isnan(wide), np.float32(np.nan), wide).tobytes())

def some(name):
    # Of integers, all pairs that they have; of floats, pairs at random, among them all numbers.
    dtype = getattr(ml_dtypes, name)
    if 'int' in name:
        info = jnp.iinfo(name)
        x, y = np.meshgrid(*[np.arange(info.min, info.max + 1)] * 2)
        return jnp.asarray(x.ravel().astype(dtype)), jnp.asarray(y.ravel().astype(dtype))
    count = 1 << jnp.finfo(name).bits
    x = np.tile(np.arange(count, dtype=np.uint8), 4)
    y = np.random.RandomState(0).randint(0, count, x.size).astype(np.uint8)
    return jnp.asarray(x.view(dtype)), jnp.asarray(y.view(dtype))

def table(f, names):
    return {{name: outcome(f, name) for name in names}}

def results(f, names):
    return {{name: [digest(part) for part in f(*some(name))] for name in names}}

ODD = np.float32([
    0, -0.0, 1, -1, .1, .3, 2.5, 3.5, -2.5, 5, 5.5, 6.5, 7, 7.5, 8, -8.5, 15, 15.5, 16, 17, 100,
    240, 248, 256, 448, 464, 465, 480, 1000, 57344, 61440, 65536, 1e9, -1e9, 1e-3, 1e-6, 1.5e-5,
    1e-38, 2**-10, 1.5 * 2**-10, np.inf, -np.inf])

def one(name):
    return jnp.ones(2, name)
"""
KNOWN = (
    "{n: (jnp.dtype(n).name, getattr(jnp, n).__name__, getattr(jnp, n) == getattr(ml_dtypes, n), "
    "jax.dtypes.itemsize_bits(n)) for n in EVERY}",
    "{n: repr(jnp.iinfo(n)) if 'int' in n else repr(jnp.finfo(n)) for n in EVERY}",
    "table(lambda n: jnp.finfo(n), INTEGERS), table(lambda n: jnp.iinfo(n), FLOATS)",
    "{n: [jnp.issubdtype(n, k) for k in (jnp.number, jnp.inexact, jnp.floating, jnp.integer, "
    "jnp.signedinteger, jnp.unsignedinteger, jnp.bool_, n, 'int8')] for n in EVERY}",
    "{n: [jnp.isdtype(n, k) for k in ('signed integer', 'unsigned integer', 'integral', "
    "'real floating', 'numeric', 'bool')] for n in EVERY}",
    "{n: jax.dtypes.scalar_type_of(one(n)).__name__ for n in NAMES}",
    "{n: (one(n).itemsize, one(n).nbytes) for n in NAMES}",
    "{n: repr(jax.typeof(one(n))) for n in NAMES}",
)
MEETING = (
    *(f"{{n: [outcome(jnp.promote_types, n, m) for m in {names}] for n in EVERY}}"
      for names in ("OTHERS", "EVERY", "(int, float, complex, bool)")),
    "with jax.enable_x64(True):\n    found = {n: [outcome(jnp.promote_types, n, m) for m in ("
    "'int64', 'uint64', 'float64')] for n in EVERY}\nfound",
    "with jax.numpy_dtype_promotion('strict'):\n    found = {n: [outcome(jnp.add, one(n), y) "
    "for y in (1, 2.5, True, np.int8(1), one(n))] for n in NAMES}\nfound",
    *(f"{{n: [outcome(lambda: jax.eval_shape({function}, one(n), y)) for y in "
      f"(1, 2.5, 2j, True, one(n), jnp.float32(1), jnp.int8(1), jnp.asarray(1))] for n in NAMES}}"
      for function in ("jnp.add", "jnp.multiply", "jnp.maximum", "jnp.equal", "jnp.less",
                       "lambda x, y: jnp.where(True, x, y)")),
    "{n: [outcome(jax.eval_shape, f, one(n)) for f in (lambda x: x / x, jnp.sin, jnp.mean, "
    "jnp.argmax, jnp.max, jnp.cumsum, lambda x: x @ x)] for n in (*FLOATS, 'int4', 'uint4')}",
)  # fmt: skip
HELD = (
    "table(lambda n: jnp.asarray(ODD).astype(n), NAMES)",
    "table(lambda n: jnp.asarray(ODD).astype('float16').astype(n), NAMES)",
    "table(lambda n: jnp.asarray(ODD).astype('bfloat16').astype(n), NAMES)",
    "table(lambda n: lax.convert_element_type(np.float32(np.nan), n), (*INTEGERS, *EIGHT))",
    "table(lambda n: jnp.arange(-130, 260, 7).astype(n), NAMES)",
    "table(lambda n: jnp.array([True, False]).astype(n), NAMES)",
    *(f"results(lambda x, y: [x.astype('{other}')], {names})"
      for other, names in (("float32", "NAMES"), ("bfloat16", "NAMES"), ("bool", "NAMES"),
                           ("int32", "(*INTEGERS, *EIGHT)"), ("uint8", "(*INTEGERS, *EIGHT)"),
                           ("int4", "(*INTEGERS, *EIGHT)"), ("uint2", "(*INTEGERS, *EIGHT)"),
                           ("float8_e4m3fn", "NAMES"), ("float8_e5m2", "NAMES"),
                           ("float8_e8m0fnu", "NAMES"))),
    "table(lambda n: [getattr(jnp, n)(v) for v in (1, 0, True, [1, 0])], NAMES)",
    *(f"table(lambda n: getattr(jnp, n)({value}), NAMES)"
      for value in ("3", "100", "-3", "1.5", "'1'", "2j")),
    "table(lambda n: jnp.full(2, 9, n), NAMES), table(lambda n: jnp.full(2, 9.3, n), NAMES)",
    "table(lambda n: jnp.arange(12, dtype=n), NAMES), table(lambda n: jnp.eye(2, dtype=n), NAMES)",
    "table(lambda n: lax.iota(n, 5), NAMES)",
    "table(lambda n: jnp.linspace(0, 1, 3, dtype=n), EIGHT)",
    "table(lambda n: jnp.zeros(2, n), ('float6_e2m3fn', 'float6_e3m2fn'))",
)  # fmt: skip
SHOWN = (
    "{n: repr(some(n)[0][:24]) for n in NAMES}",
    "{n: str(some(n)[0][:6]) for n in NAMES}",
    "{n: repr(one(n)[0]) for n in NAMES}",
    "{n: some(n)[1][:5].tolist() for n in INTEGERS}",
    "{n: str(jax.make_jaxpr(lambda x: x * 2 + x)(one(n))) for n in NAMES}",
    "{n: str(jax.make_jaxpr(lambda x: x.astype('float32').astype(n))(one(n))) for n in NAMES}",
    "{n: repr(jax.ShapeDtypeStruct((2,), n)) for n in EVERY}",
    "jax.make_jaxpr(lambda x: x[jnp.array([0, 1])] @ x)(one('float8_e4m3fn'))",
    "jax.make_jaxpr(lambda x: x.view('int8'))(jnp.ones(4, 'int4'))",
)
COMPUTED = (
    "results(lambda x, y: [lax.add(x, y), lax.sub(x, y), lax.mul(x, y)], NAMES[:-1])",
    "results(lambda x, y: [lax.div(x, y), lax.rem(x, y)], (*INTEGERS, *EIGHT))",
    "results(lambda x, y: [lax.max(x, y), lax.min(x, y), -x, x == y, x < y, x >= y], "
    "(*INTEGERS, *EIGHT))",
    "results(lambda x, y: [lax.bitwise_and(x, y), lax.bitwise_or(x, y), lax.bitwise_xor(x, y), "
    "lax.bitwise_not(x), lax.clz(x), lax.sign(x), lax.square(x), lax.integer_pow(x, 3)], INTEGERS)",
    "results(lambda x, y: [lax.shift_left(x, y), lax.shift_right_logical(x, y)], INTEGERS)",
    "results(lambda x, y: [lax.abs(x), lax.floor(x), lax.ceil(x), lax.sign(x), lax.is_finite(x), "
    "lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), lax.square(x)], EIGHT)",
    "results(lambda x, y: [lax.sqrt(x), lax.reduce_precision(x, 3, 2), "
    "lax.reduce_precision(x, 8, 23)], [n for n in EIGHT if 'm3' in n or 'm2' in n][1:])",
    "results(lambda x, y: [x + 1, 2 * x, x - True, jnp.where(x > y, x, 0)], (*INTEGERS, *EIGHT))",
    "results(lambda x, y: [x[3:9], x[::-1], jnp.roll(x, 1), x.reshape(2, -1).T, jnp.tile(x, 2), "
    "x[jnp.array([5, 2])], x.at[1].set(0), lax.concatenate([x, y], 0), jnp.pad(x, 2, "
    "constant_values=1), lax.select(y == y, x, y)], ('int4', 'uint4', *EIGHT))",
    "results(lambda x, y: [jnp.sort(y), jnp.argsort(y), jnp.max(x[:5]), jnp.argmax(x[:5]), "
    "lax.cummax(y[:7])], ('int4', 'uint4', 'float8_e4m3fn', 'float8_e5m2'))",
    "{n: [shown(jnp.dot(x, x, preferred_element_type=p)) for p in ('float32', 'bfloat16', None)] "
    "for n in ('float8_e4m3fn', 'float8_e5m2') for x in [jnp.array([1, 2, 1.5, -3], n)]}",
    "lax.dot(jnp.array([1, 2], 'float8_e4m3fn'), jnp.array([3, 4], 'float8_e5m2'), "
    "preferred_element_type='float32'), lax.dot(jnp.ones(2, 'int4'), jnp.ones(2, 'int4'))",
    "{n: shown(jax.jit(lambda x: (x + x).astype('float32') * 2)(jnp.array([1, 0.5], n))) "
    "for n in FLOATS}",
    "{n: shown(jax.vmap(lambda x: x * x + x)(jnp.array([1, 2], n))) for n in FLOATS}",
    "{n: shown(jax.grad(lambda x: (x * x).astype('float32').sum())(jnp.array([1, 2], n))) "
    "for n in FLOATS}",
    "{n: shown(jax.jvp(lambda x: x * x, (one(n),), (one(n),))) for n in FLOATS}",
    "{n: shown(lax.fori_loop(0, 2, lambda i, c: c + c, one(n))) for n in NAMES}",
    "{n: shown(lax.scan(lambda c, x: (c + x.astype('float32'), c), 0.0, one(n))) for n in NAMES}",
    "{n: shown(random.uniform(random.key(0), (3,), n)) for n in ('float8_e4m3fn', 'float8_e5m2')}",
    "{n: shown(random.randint(random.key(0), (5,), 0, 2, n)) for n in ('int4', 'uint4')}",
)
BITS = (
    "results(lambda x, y: [lax.bitcast_convert_type(x, 'uint8')], EIGHT)",
    "results(lambda x, y: [lax.bitcast_convert_type(x, 'int4'), x.view('uint4'), x.view('int16'), "
    "x.view('int2')], EIGHT)",
    "results(lambda x, y: [lax.bitcast_convert_type(x, 'int2'), x.view('uint8'), x.view('int16')], "
    "('int4', 'uint4', 'float4_e2m1fn'))",
    "table(lambda n: jnp.arange(8, dtype='uint8').view(n), NAMES)",
    "table(lambda n: lax.bitcast_convert_type(jnp.arange(3.0), n), ('int4', 'float4_e2m1fn', "
    "'float8_e5m2'))",
    "lax.bitcast_convert_type(jnp.ones(4, 'int4'), 'int8')",
    "lax.bitcast_convert_type(jnp.ones((2, 2), 'int4'), 'int8')",
    "lax.bitcast_convert_type(jnp.ones(4, 'float8_e5m2'), bool)",
    "jnp.ones(3, 'int4').view('int8')",
)
REFUSED = (
    "lax.abs(jnp.ones(2, 'int4'))",
    "abs(jnp.ones(2, 'int2'))",
    "jnp.sin(jnp.ones(2, 'int4')) + jnp.ones(2, 'int4')",
    "jnp.ones(2, 'float8_e4m3fn') + jnp.ones(2)",
    "jnp.ones(2, 'float8_e4m3fn') + jnp.ones(2, 'float8_e5m2')",
    "jnp.ones(2, 'int4') + jnp.ones(2, 'uint4')",
    "jnp.concatenate([jnp.ones(2, 'int4'), jnp.ones(2, 'int8')])",
    "lax.add(jnp.ones(2, 'int4'), jnp.ones(2, 'int8'))",
    "jnp.signbit(jnp.ones(2, 'float8_e5m2'))",
    "jnp.copysign(jnp.ones(2, 'float8_e5m2'), 1)",
    "jnp.spacing(jnp.ones(2, 'float8_e5m2'))",
    "lax.complex(jnp.ones(2, 'float8_e5m2'), jnp.ones(2, 'float8_e5m2'))",
    "jnp.linalg.inv(jnp.eye(2, dtype='float8_e5m2'))",
    "random.uniform(random.key(0), (2,), 'float4_e2m1fn')",
    "random.uniform(random.key(0), (2,), 'int4')",
    "random.bits(random.key(0), (2,), 'uint4')",
    "jax.grad(lambda x: x)(jnp.ones((), 'int4'))",
    "lax.rng_bit_generator(jnp.zeros(4, 'uint32'), (2,), 'uint4')",
    "jnp.float6_e2m3fn(1)",
    "jnp.iinfo('float8_e5m2')",
)
CASES = [*KNOWN, *MEETING, *HELD, *SHOWN, *COMPUTED, *BITS, *REFUSED]
