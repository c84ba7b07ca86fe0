"""Numbers at their edges: signs of zeros and of NaN, Python's numbers, integers as powers."""

SETUP = """\
F = jnp.array([1.5, 2.5])
C = jnp.array([1 + 1j, complex(np.nan, 1), 2, complex(1, np.nan)])
D = jnp.array([1 + 2j, 3, complex(1, np.nan), 4])
ZEROS = jnp.array([[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [0.0, 0.0]])
INNER = (((0,), (0,)), ((), ()))
ODD = np.array([np.nan, -np.nan, -2.0, 2.0, np.inf, -np.inf, -1.0])

def both(f, *args):
    return f(*args), jax.jit(f)(*args)

W, N = lax.broadcast(0.5, (3,)), lax.broadcast(2, (3,))

def weak_types(f):
    # Of what f gives for weak arguments, scalars and arrays; None where it refuses them.
    found = []
    for args in ((W,), (0.5,), (N,), (2,), (W, -1), (W, W), (N, 2)):
        try:
            leaves = jax.tree.leaves(f(*args))
            found.append([x.weak_type for x in leaves if hasattr(x, "weak_type")])
        except Exception:
            found.append(None)
    return found

def signs(x):
    return jnp.signbit(jnp.asarray(x)).astype(int)
"""

PRODUCTS = (
    *(f"both(lambda x: lax.dot_general(x, x, INNER, preferred_element_type='{dtype}'), {x})"
      for x in ("F", "F.astype('bfloat16')", "jnp.array([100, 3], 'int8')", "jnp.array([100, 3])",
                "jnp.array([1 + 1j, 2.5])", "jnp.array([True, True])")
      for dtype in ("int8", "int32", "uint32", "bool", "float16", "float32", "complex64")),
    "lax.dot_general(jnp.array([100, 3], 'int8'), F, INNER, preferred_element_type='int32')",
    "jax.grad(lambda x: lax.dot_general(x, x, INNER, preferred_element_type='int32').astype("
    "float))(F)",
)  # fmt: skip

POWERS = (
    "both(lax.pow, F, 3), both(lax.pow, 2.0, 3), both(lax.pow, F, jnp.array([2, -1], 'int8'))",
    "both(lax.pow, jnp.array([-2.0, 0.0]), jnp.array([3, 0])), lax.pow(2.0, np.uint8(2))",
    "jax.make_jaxpr(lax.pow)(F, 3), jax.make_jaxpr(jax.grad(lax.pow))(2.0, 3)",
    "jax.make_jaxpr(jax.vmap(lax.pow, (0, None)))(F, 3)",
    "lax.pow(2, 3)", "lax.pow(2.0, True)", "lax.pow(2.0, 2j)",
    "lax.pow(F, jnp.ones(2, 'bfloat16'))",
    "jax.grad(lax.pow)(0.0, 0), jax.grad(lax.pow)(0.0, 1), jax.grad(lax.pow)(jnp.nan, 0)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.pow(x, jnp.array([5])).sum()))(F)",
    "lax.argmax(jnp.ones((2, 3)), -2, 'float32')",
    "[random.dirichlet(random.key(0), jnp.ones(shape)) for shape in (0, (2, 0))]",
    "both(lambda x: [lax.integer_pow(x, n) for n in (-1, 2)], jnp.array([complex(np.inf, 1), 1]))",
    "lax.argmax(jnp.ones((2, 3)), 0, 'float32')",
    *(f"both(jnp.{name}, {x}, {y})" for name in ("power", "pow")
      for x, y in [("jnp.nan", "0"), ("jnp.nan", "0.0"), ("1.0", "jnp.nan"), ("0.0", "-1"),
                   ("-0.0", "-1"), ("-1.0", "jnp.inf"), ("F", "jnp.array([2, 0])")]),
    "np.float64(2.0) ** jnp.arange(3), np.array([2.0]) ** jnp.arange(3), 2.0 ** jnp.arange(3)",
    "both(jnp.power, 2, 2), both(jnp.power, True, 2), 2 ** jnp.array([True, False])",
    "jax.make_jaxpr(jnp.power)(jnp.ones((2, 3)), jnp.arange(3))",
)  # fmt: skip

COMPLEX = (
    *(f"both(jnp.{name}, C, D), both(jnp.{name}, D, 1 + 1j)"
      for name in ("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax",
                   "fmin")),
    "C < D, C >= 1, 2j > C", "lax.lt(C, C)", "jax.make_jaxpr(jnp.less)(C, 1j)",
    "both(lax.max, C, D), both(lax.min, C, D)",
    "both(lax.clamp, 1j, jnp.array([1j, 3 + 2j, 1 + 5j]), 2 + 1j)",
    "jax.jvp(lambda x: lax.clamp(1j, x, 2j), (C,), (C,))",
)  # fmt: skip

SIGNS_OF_ZERO = (
    *(f"signs(jnp.array(both({f}, ZEROS[:, 0].astype('{dtype}'), ZEROS[:, 1].astype('{dtype}'))))"
      for f in ("lax.max", "lax.min", "jnp.fmax", "lambda x, y: lax.clamp(x, y, x)")
      for dtype in ("float32", "float16", "bfloat16")),
    *(f"signs(jnp.array(both(lambda x: {f}, ZEROS)))"
      for f in ("jnp.maximum(x, 0.0)", "jnp.maximum(-0.0, x)", "jnp.minimum(x, -0.0)",
                "jnp.minimum(0.0, x)", "jax.nn.relu(x)", "jax.nn.relu6(x)", "jnp.clip(x, 0.0, 1.0)",
                "jnp.max(x, 1)", "jnp.min(x, 1)", "jnp.max(x.astype('bfloat16'), 1)",
                "lax.cummax(x, 1)", "lax.cummin(x, 1)", "jnp.nanmax(x, 1)",
                "x.at[0].max(x[1])", "x.at[jnp.array([0, 0])].min(x[1:3])")),
    "jnp.argmax(ZEROS, 1), jnp.argmin(ZEROS, 1), jnp.sort(ZEROS)",
)  # fmt: skip

# What is compiled gives NaN the sign that it has in XLA's programs, of numbers and of NaN. README
# names what is missing here: in erfc, lgamma and others XLA's own sign changes with the position.
SIGNED_ALIKE = (
    "".join(f"lax.{name}, " for name in
            "abs acos asin atan bessel_i0e cbrt ceil cos cosh erf exp exp2 expm1 floor log1p "
            "logistic neg reciprocal round rsqrt sign sin sinh sqrt square tan tanh".split())
    + "".join(f"jax.nn.{name}, " for name in
              "celu elu gelu hard_silu hard_tanh leaky_relu log1mexp mish relu relu6 selu "
              "soft_sign softplus sparse_plus squareplus".split())
    + "".join(f"lambda x: x[:, None] {operator} x, " for operator in "+-*/%")
)  # fmt: skip
SIGNED_IN_DOUBLE = (
    "lax.acosh, lax.asinh, lax.atanh, lax.digamma, lax.erf_inv, lax.lgamma, lax.log, jnp.log2"
)

# A log of float32 is -NaN, which comes first where numbers are sorted downwards from the end.
SIGNS_OF_NAN = (
    "signs(jax.jit(jnp.log)(jnp.array([-1.0, -jnp.inf, jnp.nan, 1.0])))",
    "signs(jax.jit(jnp.log2)(-F)), signs(jax.jit(jnp.log10)(-F)), signs(jax.jit(jnp.log1p)(-F))",
    "jax.jit(lambda x: lax.top_k(jnp.log(x), 3))(jnp.array([-1.0, 2.0, 1.0]))",
    "both(lambda x: lax.top_k(jnp.log(x), 3)[1], jnp.array([-1.0, 2.0, 1.0]))",
    *(f"signs(jnp.array(both(jnp.{name}, jnp.array([2.0, jnp.nan]))))"
      for name in ("arcsin", "arccos")),
    *(f"signs(jax.jit(jnp.{name})(jnp.array([-jnp.inf, jnp.nan])))"
      for name in ("sin", "cos", "tan", "sqrt", "arcsinh")),
    *("with jax.enable_x64(True):\n"
      f"    y = jax.jit(lambda x: [signs(f(x)) for f in ({of})])(ODD.astype('{dtype}'))\ny"
      for dtype, of in [("float32", SIGNED_ALIKE), ("float64", SIGNED_ALIKE + SIGNED_IN_DOUBLE)]),
)  # fmt: skip

NUMBERS = (
    *(f"both({f}, {x})" for x in ("0.5", "3", "True")
      for f in ("jnp.max", "jnp.min", "jnp.cumsum", "jnp.cumprod", "jnp.nanmin", "jnp.nanmax",
                "jnp.sum", "jnp.prod", "jnp.sort", "jnp.ravel", "jnp.all", "jnp.floor", "jnp.ceil",
                "jnp.trunc", "jnp.angle", "jnp.nancumsum")),
    *(f"both(lambda x: lax.{name}(x, ()), 3)" for name in
      ("reduce_and", "reduce_or", "reduce_xor", "reduce_max", "reduce_min", "reduce_sum")),
    "both(jnp.logical_xor, 3, 4), both(jnp.logical_xor, True, False)",
    "jnp.choose(1, [0.5, 1.5]), jnp.choose(1, [2, 3])",
    "both(jnp.isclose, -7, np.uint32(5)), both(jnp.isclose, -7, jnp.array([5], 'uint32'))",
    *(f"jnp.{name}({x}, axis={axis})"
      for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")
      for x, axis in [("3.0", 0), ("3", -1), ("True", 0), ("np.float32(3)", 0), ("3.0", 1),
                      ("jnp.array(3.0, 'float32')", 0), ("jnp.float32(3)", None)]),
    *(f"jnp.{name}({x}, keepdims=True)"
      for name in ("median", "nanmedian") for x in ("3.0", "jnp.float32(3)", "F")),
    "jnp.quantile(3.0, jnp.array([0.3, 0.5]), keepdims=True), jnp.quantile(3.0, 0.5, axis=())",
    "jax.grad(lambda q: jnp.quantile(jnp.array([1, 2, 5]), q))(0.3)",
    "jax.grad(lambda q: jnp.nanpercentile(jnp.array([1, 2, 5]), q))(30.0)",
    *(f"jnp.angle({x})" for x in ("1j", "jnp.float16(1)", "jnp.ones(1, 'float16')", "-1",
                                 "jnp.array([1j])", "jnp.ones(1, 'int8')")),
)  # fmt: skip

EMPTY = (
    *(f"lax.{name}(jnp.zeros((3, 4)), jnp.zeros({indices}, int), jnp.ones({updates}), "
      f"lax.ScatterDimensionNumbers({dims}))"
      for name in ("scatter", "scatter_add", "scatter_max")
      for indices, updates, dims in [
          ("(2, 0)", "(2, 3, 4)", "(1, 2), (), ()"), ("(0,)", "(3, 4)", "(0, 1), (), ()"),
          ("(2, 1)", "(2, 0)", "(1,), (0,), (0,)"), ("(2, 1)", "(2, 1, 0)", "(1, 2), (), (0,)"),
          ("(0, 1)", "(0, 4)", "(1,), (0,), (0,)")]),
    *(f"jnp.take(jnp.zeros({shape}), jnp.array([], int), mode={mode!r})"
      for shape in ("2", "0") for mode in ("clip", "wrap", "fill", None)),
    "jnp.take(jnp.zeros((0, 3)), jnp.array([], int), axis=0, mode='clip')",
)  # fmt: skip

X64 = tuple(
    f"with jax.enable_x64(True):\n    y = {case}\ny"
    for case in (
        "jnp.array(True) ** 2, True ** jnp.int32(2), jnp.power(True, True)",
        "divmod(jnp.array(True), True), jnp.floor_divide(True, True), jnp.mod(True, True)",
        "jnp.square(True), jnp.left_shift(True, True), jnp.fmod(True, True), jnp.prod(True)",
        "jnp.angle(jnp.float32(1)), jnp.angle(jnp.ones(1, 'float32')), jnp.angle(1j)",
        "both(jnp.max, 0.5), both(jnp.cumsum, 0.5), jnp.array([2.0]) ** jnp.arange(2)",
        "signs(jax.jit(jnp.log)(jnp.array([-1.0, jnp.nan])))",
    )
)

WIDE = (
    *(f"jnp.full((), {number}, {dtype!r})" for number in ("2**63", "2**31", "2**60 + 2**36 + 1")
      for dtype in ("bfloat16", "float32", "complex64", "bool")),
    *(f"jnp.tri(3, k={k})" for k in ("1", "-1", "True", "1.5", "np.int64(1)", "jnp.int32(1)")),
)  # fmt: skip

LIBRARY = """
    abs absolute acos acosh add all amax amin angle any append arange arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere asarray asin asinh atan atan2
    atanh atleast_1d atleast_2d average bincount bitwise_and bitwise_count bitwise_not
    bitwise_or bitwise_xor broadcast_arrays cbrt ceil choose clip compress conj conjugate copy
    copysign cos cosh count_nonzero cumprod cumsum cumulative_prod cumulative_sum deg2rad
    degrees delete diag diag_indices diagflat diff digitize divide divmod dot ediff1d empty
    empty_like equal exp exp2 expand_dims expm1 extract eye fabs flatnonzero flip floor
    floor_divide fmax fmin fmod full full_like greater greater_equal histogram
    histogram_bin_edges hstack identity imag indices inner intersect1d invert isclose isfinite
    isin isinf isnan ix_ left_shift less less_equal lexsort linspace log log10 log1p log2
    logaddexp logaddexp2 logical_and logical_not logical_or logical_xor matmul max maximum mean
    median min minimum mod multiply nanargmax nanargmin nancumprod nancumsum nanmax nanmean
    nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar negative nextafter
    nonzero not_equal ones ones_like outer percentile positive pow power prod ptp quantile
    rad2deg radians ravel real reciprocal remainder repeat reshape right_shift rint roll round
    searchsorted select setdiff1d setxor1d sign signbit sin sinh sort sort_complex sqrt square
    squeeze stack std subtract sum take tan tanh tile transpose trapezoid tri tril_indices
    triu_indices true_divide trunc union1d unique unique_all unique_counts unique_inverse
    unique_values unravel_index var vdot vstack where zeros zeros_like
""".split()
WEAK_TYPES = tuple(
    f"{LIBRARY[i : i + 10]}, [weak_types(getattr(jnp, name)) for name in {LIBRARY[i : i + 10]}]"
    for i in range(0, len(LIBRARY), 10)
)

CASES = (
    *WEAK_TYPES, *WIDE, *PRODUCTS, *POWERS, *COMPLEX, *SIGNS_OF_ZERO, *SIGNS_OF_NAN,
    *NUMBERS, *EMPTY, *X64,
)  # fmt: skip
