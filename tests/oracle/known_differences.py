"""Cases in which minijax knowingly differs from JAX, each with the reason.

A case listed here must differ: one that has come to agree fails, and is to be taken off the list.
"""

PIVOTED = (
    "The derivative of a wide R with pivoting has the tangent's columns in the new order, as "
    "differences have; JAX's has them in the old one."
)
ADJUGATE = (
    "Jacobi's formula holds wherever a singular matrix has its zero pivot; JAX's derivative is 0 "
    "where that is not the last one."
)
NO_SUBSET = (
    "A subset of eigenvalues that ends before it begins is a ValueError; JAX fails as it compiles."
)
NO_METHOD = (
    "A method that neither SciPy nor JAX knows is a ValueError, as in SciPy; JAX takes another one."
)
LITERAL = (
    "Scalar constants are literals in every jaxpr (a scalar constant becomes a Literal); JAX "
    "keeps those that were computed before as constvars."
)
WEAK_TANGENT = (
    "A tangent keeps its own weakness; JAX gives it that of its primal."
)
MIXED_TANGENT = (
    "Where a primal is mapped, and another is not but its tangent is, a custom_vmap rule is told "
    "that both are, and the derivative has the function's shape; JAX's has the axis twice."
)
NO_ZEROS = (
    "A derivative known to be zero is no equation here; JAX writes zeros that nobody reads."
)
RESHAPE = (
    "`dimensions` is written as a transpose before the reshape, not as its parameter; values "
    "agree."
)
SELECT_N = (
    "The transpose of select_n with three cases selects by the same index; JAX compares the "
    "index with each case first."
)
NO_WARNING = (
    "Numbers that overflow to infinity do so silently, as they do inside jnp.array."
)
NDARRAY = (
    "An ndarray comes back as it is, float64; JAX's subclass of ndarray is float32."
)
LITERAL_VALUE = (
    "The value of a literal is an Array, which keeps its dtype; JAX's is a number or an ndarray "
    "that carries one."
)
ORDER = (
    "The same equations and constvars; JAX meets the captured array inside an inlined jit and "
    "numbers it second."
)
FLOAT_SEED = (
    "A seed that is no integer is refused while tracing; JAX refuses it when the program runs."
)
SETTING = (
    "Which way random bits are counted is a parameter that is not printed; JAX keeps it in the "
    "equation's context."
)
NO_NUMBERS = (
    "Keys lie in the same class of arrays as numbers: what asks them for numbers is a TypeError "
    "that names key_data."
)
ASSERTION = (
    "What does not fit is a ValueError that says what would; JAX asserts."
)
DTYPE_OF_SOLUTION = (
    "A solution of another dtype than the right-hand side is a TypeError; JAX returns it, and says "
    "while tracing that it has the dtype of the right-hand side."
)
BOOL_BEHIND_NONE = (
    "A bool behind None takes no axis, as in NumPy; JAX counts None as an axis of the array, and "
    "reads another part."
)
STRIDE_0 = (
    "A stride of 0 is refused; JAX divides by it, and warns."
)
TOO_FEW = (
    "Strides for fewer axes than there are are refused; JAX leaves the others out of the shape."
)
ALL_ROWS = (
    "Each row of counts is summed by itself, as in SciPy; JAX sums all rows, and calls each -inf."
)
WEAK_ARRAY = (
    "A result of weak arguments is weak; JAX's formulas have constants that are not, where an "
    "argument is an array."
)
REAL_ONLY = (
    "A distribution's functions take real numbers; JAX lets complex ones through where its formula "
    "doesn't compare."
)
HAS_SLOPE = (
    "The derivatives of Gumbel's distributions are there; JAX's are a TypeError for float0."
)
ACCURACY = (
    "Rules are not told of an accuracy, which changes nothing, and what they make has none; JAX "
    "hands it on."
)

NO_TRANSFER = (
    "A transfer is a value of the user's that comes from the host. What a function or an index "
    "makes for itself, and a predicate that chooses at once, is none here."
)
LEAK = (
    "A tracer that outlives its trace is reported by grad too; JAX reports it by jit and vmap."
)
KNOWN_DIFFERENCES: dict[str, str] = {
    "def f():\n    return jnp.float32(1)\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return jnp.eye(2)\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return jnp.linspace(0, 1, 3)\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return float(F[0])\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return F[0]\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return F[1:]\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return F[I]\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return F.at[0].set(1.0)\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return jax.grad(lambda x: x * x)(F[0])\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    "def f():\n    return lax.cond(True, jnp.sin, jnp.cos, F)\nunder(jax.transfer_guard_host_to_device('disallow'), f)": NO_TRANSFER,  # noqa: E501
    'under(jax.checking_leaks(), jax.grad(leaking), 1.0)': LEAK,
    "show(jax.vmap(lambda x: lax.exp(x, accuracy=M.HIGHEST)), F)": ACCURACY,
    "show(lambda x: jax.jvp(lambda x: lax.sin(x, accuracy=M.DEFAULT), (x,), (x,)), 0.5)": ACCURACY,
    'y, lin = jax.linearize(lambda x: x * x * 3, 2.0)\njax.make_jaxpr(lin)(1.0), jax.vmap(lin)(F)': LITERAL,  # noqa: E501
    'jax.vmap(lambda x, t: jax.jvp(jnp.sin, (x,), (t,)), (None, 0))(2.0, F)': WEAK_TANGENT,
    'list(derivatives(lambda x: lax.integer_pow(x, 0), jnp.ones(3)))': NO_ZEROS,
    'list(derivatives(lambda x: lax.reshape(x, (3, 2), dimensions=(1, 0)), *(jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]]),)))': RESHAPE,  # noqa: E501
    'f = lambda x: lax.reshape(x, (3, 2), dimensions=(1, 0))\nxs = (jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]]),)\nf(*xs), jax.make_jaxpr(f)(*xs)': RESHAPE,  # noqa: E501
    'f = lambda x: lax.reshape(x, (3, 2), dimensions=(1, 0))\nxs = (jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]]),)\nbs = tuple(jnp.stack([x, x + 1.0], 0) for x in xs)\ng = jax.vmap(f, 0, 0)\ng(*bs), jax.make_jaxpr(g)(*bs)': RESHAPE,  # noqa: E501
    'f = lambda x: lax.reshape(x, (3, 2), dimensions=(1, 0))\nxs = (jnp.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.5]]),)\nbs = tuple(jnp.stack([x, x + 1.0], -1) for x in xs)\ng = jax.vmap(f, -1, -1)\ng(*bs), jax.make_jaxpr(g)(*bs)': RESHAPE,  # noqa: E501
    'list(derivatives(lambda x, y, z: lax.select_n(jnp.array([2, 0, 1]), x, y, z), *(jnp.array([1.5, -2.0, 0.25]), 2 * jnp.array([1.5, -2.0, 0.25]), jnp.array([1.5, -2.0, 0.25]))))': SELECT_N,  # noqa: E501
    'jnp.float16(70000.0)': NO_WARNING,
    'f = lax.stop_gradient\n[jax.make_jaxpr(f)(2.0), f(2.0), f(np.full(2, 2.0))]': NDARRAY,
    'j = show(lambda x: x + 1, F)\ne = j.eqns[0]\ne.invars[1].val, repr(e.invars[1].aval)': LITERAL_VALUE,  # noqa: E501
    'f = lambda x: 2.0 * x + C\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,
    'f = lambda x: jnp.tanh(x) * x.sum()\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,
    'f = lambda x: jnp.where(x > 0, x * x, -x)\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,  # noqa: E501
    'f = lambda x: jax.jit(lambda y: y * jnp.sin(x))(C)\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,  # noqa: E501
    'f = lambda x: (x[:, None] * C) @ x\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,
    'f = lambda x: (jnp.cos(x), C * 3.0)[1]\ng = jvp(vmap(f))\ng(X), jax.make_jaxpr(g)(X)': ORDER,
    'jax.eval_shape(random.key, 1.5), show(random.key, 1.5)': FLOAT_SEED,
    '[{n: str(v) for n, v in show(f, x).eqns[0].params.items()} for f, x in ((random.key, 0), (random.split, k), (random.bits, k), (random.key_data, k))]': SETTING,  # noqa: E501
    '[raised(lambda: ks.tolist()), raised(lambda: k.item())]': NO_NUMBERS,
    "along(lambda x: lax.psum_scatter(x, 'i', tiled=True), jnp.ones((3, 4)))": ASSERTION,
    "along(lambda x: lax.ppermute(x, 'i', [(0, 1), (0, 2)]))": ASSERTION,
    "lax.custom_linear_solve(doubled, F, lambda f, b: b.astype('float16'))": DTYPE_OF_SOLUTION,
    'lax.dynamic_update_index_in_dim(M, 1.0, 0, 0)': ASSERTION,
    "read(mode='one_hot')": ASSERTION,
    "gathered(F, F, lax.lt_p)": ASSERTION,
    "lax.padtype_to_pads((4,), (2,), (0,), 'SAME')": STRIDE_0,
    "conv(x, w, (0, 1), none)": STRIDE_0,
    "lax.conv_shape_tuple((2, 3, 7, 8), (4, 3, 2, 3), (1,), none)": TOO_FEW,
    "x[None, True]": BOOL_BEHIND_NONE,
    "f = jax.custom_batching.custom_vmap(lambda x, y: x * y)\nf.def_vmap(lambda n, b, x, y: (x * y, b[0] or b[1]))\njax.vmap(lambda x: jax.jvp(f, (x, 2.0), (x, x)))(X)": MIXED_TANGENT,  # noqa: E501
    "jax.grad(N.det)(jnp.diag(jnp.array([0.0, 2.0, 3.0, 4.0])))": ADJUGATE,
    "jax.jvp(lambda x: L.qr(x, pivoting=True)[1], (T[:, ::-1].T,), (T.T,))": PIVOTED,
    "lax.linalg.eigh(M, subset_by_index=(2, 0))": NO_SUBSET,
    "lax.linalg.svd(T, full_matrices=False, subset_by_index=(2, 0))": NO_SUBSET,
    "lax.linalg.hessenberg(jnp.zeros((2, 0, 0)))": ASSERTION,
    "S.expm_frechet(M, M, method='x')": NO_METHOD,
    "module('multinomial').logpmf(jnp.array([[1, 2, 1], [0, 0, 4]]), 4, S[0] / 1.3)": ALL_ROWS,
    "module('t').logpdf(jnp.arange(3), 3.3)": WEAK_ARRAY,
    "[raised(module('cauchy').pdf, 1j), raised(module('beta').cdf, 1j, 1, 1)]": REAL_ONLY,
    "[raised(jax.grad(module('gumbel_r').logpdf, 2), 1.0, 0.0, 1.5)]": HAS_SLOPE,
}
