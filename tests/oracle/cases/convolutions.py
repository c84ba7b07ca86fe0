"""Convolutions: their forms, programs, derivatives and batches, and the functions about them."""

SETUP = """\
def numbers(*shape, start=0):
    return (jnp.arange(math.prod(shape), dtype='float32') * 7 % 13 - 5 + start).reshape(shape) / 4

x, w = numbers(2, 3, 5, 4), numbers(4, 3, 2, 3, start=1)
w3, wg = numbers(6, 1, 2, 3), numbers(6, 3, 2, 3)
xl, wl = numbers(2, 5, 4, 3), numbers(2, 3, 3, 4)
first, last = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC")
patches, local = lax.conv_general_dilated_patches, lax.conv_general_dilated_local
C = lax.conv_general_dilated

def conv(x, w, *how, **more):
    return C(x, w, *(how or ((2, 1), "SAME")), **more)

def wild(x, w, **more):
    return C(x, w, (2, 1), ((1, 2), (-1, 3)), (1, 2), (2, 1), **more)

def by_features(x, w): return conv(x, w, feature_group_count=3)
def by_batch(x, w): return conv(x, w, batch_group_count=2)
def channels_last(x, w): return conv(x, w, dimension_numbers=last)
def odd(x, w): return wild(x, w, dimension_numbers=('HCNW', 'WIHO', 'CWNH'))

def grads(f, *xs):
    return jax.grad(lambda *xs: (f(*xs) ** 2).sum(), (0, 1))(*xs)

def second(f, *xs):
    ts = tuple(x[::-1] for x in xs)
    return jax.jvp(lambda *xs: jax.grad(lambda *xs: (f(*xs) ** 2).sum(), (0, 1))(*xs), xs, ts)[1]

def stacked(f, axes, x, w, n=2):
    def many(a, d): return a if d is None else jnp.stack([a * (k + 1) for k in range(n)], d)
    return jax.vmap(f, axes)(many(x, axes[0]), many(w, axes[1]))

def show(f, *xs): return jax.make_jaxpr(f)(*xs)
"""

_PAIRS = {
    "conv": "x, w", "wild": "x, w", "by_features": "x, w3", "by_batch": "x, wg",
    "channels_last": "xl, wl", "odd": "numbers(5, 3, 2, 4), numbers(3, 3, 2, 4)",
}  # fmt: skip
_AXES = ["(0, None)", "(None, 0)", "(0, 0)", "(2, 1)", "(4, 3)"]

VALUES = [
    *(f"{f}({pair})" for f, pair in _PAIRS.items()),
    *(f"grads({f}, {pair})" for f, pair in _PAIRS.items()),
    *(f"second({f}, {pair})" for f, pair in _PAIRS.items()),
    *(f"stacked({f}, {axes}, {pair})" for f, pair in _PAIRS.items() for axes in _AXES),
    *(f"C(numbers(2, 3, {ns}), numbers(2, 3, {ks}), {strides}, 'SAME')" for ns, ks, strides in (
        ("5", "2", "(2,)"), ("5, 4, 3", "2, 3, 1", "(1, 2, 1)"), ("2, 3, 2, 4", "1, 2, 2, 2",
        "(1, 1, 1, 2)"))),
    "C(numbers(2, 3), numbers(4, 3), (), [])",
    "grads(lambda x, w: C(x, w, (), 'SAME'), numbers(2, 3), numbers(4, 3))",
    *(f"conv(x, w, (1, 2), {padding})" for padding in (
        "'VALID'", "'SAME_LOWER'", "'same'", "((0, -1), (-2, 0))", "np.array([[1, 0], [0, 1]])")),
    *(f"conv((x * 4).astype('{d}'), (w * 4).astype('{d}'))" for d in (
        "int8", "uint8", "int32", "float16", "bfloat16", "bool")),
    "conv(x + 1j * x[::-1], w - 2j * w[::-1])",
    "jax.grad(lambda *xs: conv(*xs).real.sum() + conv(*xs).imag.sum(), (0, 1))(x * 1j, w + 1j)",
    *(f"conv((x * 4).astype('{d}'), (w * 4).astype('{d}'), preferred_element_type='{p}')"
      for d, p in (("int8", "int32"), ("uint8", "int32"), ("int32", "float32"),
                   ("float16", "float32"), ("bool", "int32"))),
    "grads(lambda x, w: conv(x, w, preferred_element_type='float32'), x.astype('bfloat16'), "
    "w.astype('bfloat16'))",
    "C(-jnp.zeros((1, 1, 2)), jnp.ones((1, 1, 1)), (1,), 'VALID')",
    "C(lax.full((1, 1, 1), 1.0), lax.full((1, 1, 1), 1.0), (1,), 'VALID')",
    "C(lax.full((1, 1, 1), 1.0), jnp.ones((1, 1, 1)), (1,), 'VALID')",
    "C(jnp.ones((2, 3, 0, 8)), w, (1, 1), 'SAME'), C(jnp.ones((2, 3, 1, 8)), w, (1, 1), 'VALID')",
    "C(jnp.ones((0, 3, 5, 8)), w, (1, 1), 'VALID')",
    "C(jnp.ones((1, 0, 3)), jnp.ones((2, 0, 2)), (1,), 'VALID')",
    "grads(lambda x, w: C(x, w, (1, 1), 'VALID'), jnp.ones((0, 3, 7, 8)), w)",
    "grads(lambda x, w: C(x, w, (1, 1), 'VALID'), jnp.ones((1, 3, 1, 8)), w)",
    "jax.vmap(lambda x, w: C(x, w, (1,), 'VALID'))(jnp.ones((0, 1, 1, 3)), jnp.ones((0, 1, 1, 2)))",
    "lax.conv(x, w, (2, 2), 'SAME')",
    "lax.conv_with_general_padding(x, w, (2, 1), ((1, 0), (0, 2)), (1, 2), None)",
    *(f"lax.conv_transpose(numbers(1, 4, 2), numbers({k}, 2, 3), ({s},), {p})"
      for k in (1, 2, 3, 5) for s in (1, 2, 3) for p in ("'SAME'", "'VALID'", "((1, 2),)")),
    "lax.conv_transpose(xl, numbers(3, 2, 3, 2), (2, 3), 'SAME', (2, 1))",
    "lax.conv_transpose(xl, numbers(3, 2, 3, 2), (2, 1), ((1, 0), (2, 1)), (2, 1), "
    "use_consistent_padding=True)",
    "lax.conv_transpose(x, numbers(3, 4, 2, 3), (2, 1), 'VALID', None, first, True)",
    "lax.conv_transpose(numbers(2, 8), numbers(8, 4), (), 'SAME')",
    "lax.conv_transpose(numbers(1, 2, 3, 2, 1), numbers(2, 2, 1, 1, 2), (1, 2, 1), 'SAME')",
    "patches(x, (2, 3), (1, 2), 'SAME')",
    "patches(xl, (2, 3), (1, 1), 'VALID', dimension_numbers=last)",
    "patches(x.astype(int), (2, 3), (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1))",
    "patches(numbers(1, 2, 5), (2,), (1,), 'VALID')",
    "local(x, numbers(4, 18, 4, 2), (1, 1), 'VALID', (2, 3))",
    "local(xl, numbers(4, 2, 18, 4), (1, 1), 'VALID', (2, 3), "
    "dimension_numbers=last)",
    "jax.grad(lambda x, w: local(x, w, (1, 1), 'VALID', (2, 3)).sum(), (0, 1))"
    "(x, numbers(4, 18, 4, 2))",
]  # fmt: skip

JAXPRS = [
    *(f"show({f}, {pair})" for f, pair in _PAIRS.items()),
    *(f"show(lambda x, w: jax.jvp({f}, (x, w), (x, w)), {pair})" for f, pair in _PAIRS.items()),
    *(f"show(lambda x, w: grads({f}, x, w), {_PAIRS[f]})"
      for f in ("conv", "wild", "channels_last", "odd")),
    *(f"show(lambda x, w: stacked({f}, {axes}, x, w), {_PAIRS[f]})"
      for f in ("conv", "by_features") for axes in _AXES[:1]),
    "show(jax.vmap(conv, (None, 0)), x, w[None])",
    "show(jax.vmap(by_batch), x[None], wg[None])",
    "show(lambda x, w: conv(x, w, precision='highest', preferred_element_type='float32'), x, w)",
    "show(lambda x, w: grads(lambda x, w: conv(x, w, precision=('high', 'default')), x, w), x, w)",
    *(f"show(jax.grad(lambda x, w: conv(x, w, preferred_element_type='float32').sum(), {k}), "
      "x.astype('bfloat16'), w.astype('bfloat16'))" for k in (0, 1)),
    "show(lambda x: patches(x, (2, 3), (1, 1), 'VALID'), x)",
    "show(lambda x: patches(x, (2, 3), (1, 1), 'VALID', dimension_numbers=last, "
    "precision=lax.Precision.HIGH), xl)",
    "show(lambda x, w: local(x, w, (1, 1), 'VALID', (2, 3)), x, "
    "numbers(4, 18, 4, 2))",
    "show(lambda x, w: local(x, w, (1, 1), 'VALID', (2, 3), None, None, last, "
    "'highest'), xl, numbers(4, 2, 18, 4))",
    "show(lambda x, w: lax.conv_transpose(x, w, (2, 2), 'SAME'), xl, wl)",
    "show(lambda x, w: lax.conv_transpose(x, w, (2, 2), 'VALID', None, first, True), "
    "x, numbers(3, 4, 2, 3))",
    "show(lambda x, w: lax.conv(x, w, (2, 2), 'SAME', 'highest', 'float32'), x, w)",
    "show(lambda x, w: lax.conv_with_general_padding(x, w, (2, 2), 'SAME', None, (1, 2)), x, w)",
]  # fmt: skip

_DIMS = "lax.conv_dimension_numbers((2, 7, 8, 3), (2, 3, 3, 4), {})"
ABOUT = [
    *(_DIMS.format(d) for d in (
        "('NHWC', 'HWIO', 'NHWC')", "None", "['NHWC', 'HWIO', 'NCWH']", "('NHWC', 'HWIO')",
        "('NHWCD', 'HWIO', 'NHWC')", "('NHWC', (3, 2, 0, 1), 'NHWC')", "3", "'NHWC'",
        "lax.ConvDimensionNumbers((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))")),
    "lax.conv_dimension_numbers((2, 7, 8, 3), (2, 3, 3), None)",
    *(f"lax.conv_general_permutations({d})" for d in (
        "('NHWC', 'HWIO', 'NHWC')", "('NCHW', 'OIWH', 'NWHC')", "('NCAB', 'OIAB', 'NBAC')",
        "('NC12', 'OI12', 'NC12')", "('NCHW', 'OIHW', 'NHW')", "('NCHH', 'OIHW', 'NHWC')",
        "('NCHD', 'OIHW', 'NHWC')", "('ACHW', 'OIHW', 'NHWC')")),
    *(f"tuple(map(int, lax.conv_shape_tuple((2, 3, 7, 8), {how})))" for how in (
        "(4, 3, 2, 3), (2, 1), ((0, 0), (0, 0))", "(4, 3, 2, 3), (2, 1), 'SAME'",
        "(4, 3, 2, 3), (2, 1), ((0, 1), (-2, 0)), 2", "(4, 3, 9, 3), (2, 1), 'VALID'",
        "(4, 3, 2, 3), (2, 1), ((0, -9), (0, 0))", "(4, 3, 2, 3), (2, 1), ((0, 0),)")),
    *(f"tuple(map(int, lax.conv_general_shape_tuple((2, 7, 8, 3), (2, 3, 3, 4), (2, 1), {how})))"
      for how in ("'SAME', last", "'VALID', ('NHWC', 'HWIO', 'NCHW')", "((1, 1), (0, 2)), last")),
    *(f"tuple(map(int, lax.conv_transpose_shape_tuple((2, 7, 8, 3), (2, 3, 3, 4), (2, 3), {how})))"
      for how in ("'SAME', last", "'VALID', last", "((1, 1), (0, 2)), last")),
]  # fmt: skip

REFUSED = [
    *(f"C(x, w, {how})" for how in (
        "(1,), 'SAME'", "(-1, 1), ((0, 0), (0, 0))",
        "(1, 1), ((0, 0), (0, 0)), None, (0, 1)", "(1, 1), ((0, 0), (0, 0)), (0, 1)",
        "(1, 1), ((0, 0), (0, 0)), (1,)", "(1, 1), ((0, 0), (0, 0)), None, (1,)",
        "(1, 1), ((0, 0),)", "(1, 1), ((0, -9), (-2, 0))", "(1, 1), 'FOO'", "(1, 1), 3",
        "(1, 1), ((0, 0, 0), (0, 0, 0))", "(1, 1), ((0.5, 0), (0, 0))", "(1.5, 1), 'SAME'",
        "1, ((0, 0), (0, 0))", "(1, 1), 'SAME', (1, 2)", "(1, 1), 'VALID', (1, 2)",
        "(1, 1), 'SAME', dimension_numbers=('NCHW', 'OIHW')",
        "(1, 1), 'SAME', dimension_numbers='NCHW'",
        "(1, 1), 'SAME', feature_group_count=0", "(1, 1), 'SAME', batch_group_count=0",
        "(1, 1), 'SAME', batch_group_count=3", "(1, 1), 'SAME', precision='foo'",
        "(1, 1), 'SAME', preferred_element_type='foo'",
        "(1, 1), 'SAME', preferred_element_type='float16'",
        "(1, 1), 'SAME', preferred_element_type='int32'")),
    "C(x, numbers(4, 2, 2, 3), (1, 1), 'SAME')",
    "C(x, numbers(4, 1, 2, 3), (1, 1), 'SAME', feature_group_count=3)",
    "C(x, w3, (1, 1), 'SAME', batch_group_count=2, feature_group_count=3)",
    "C(x, numbers(3, 3, 2, 3), (1, 1), 'SAME', batch_group_count=2)",
    "C(x, w[0], (1, 1), 'SAME')",
    "C(x.astype(int), w, (1, 1), 'SAME')",
    "C(x.astype('int8'), w.astype('int8'), (1, 1), 'SAME', preferred_element_type='uint32')",
    "C(x, jnp.ones((4, 3, 0, 3)), (1, 1), 'VALID')",
    "k = random.split(random.key(0), 3)[None, None]\nC(k, k, (1,), 'SAME')",
    "lax.conv_transpose(x, numbers(2, 3, 8, 4), (2, 2), 'FOO')",
    "lax.conv_transpose(xl, wl, (2, 2), 'FOO')",
    "lax.conv_transpose(xl, wl, (2, 2), ((1, 1),))",
    "lax.conv_transpose(numbers(2, 5, 5, 5, 5, 8), numbers(3, 3, 3, 3, 8, 4), (1,) * 4, 'SAME')",
    "patches(x, (2,), (1, 1), 'SAME')",
    "local(x, numbers(4, 18, 4, 1), (1, 1), 'VALID', (2, 3))",
]  # fmt: skip

CASES = [*VALUES, *JAXPRS, *ABOUT, *REFUSED]
