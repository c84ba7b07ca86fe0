"""Orders and places: sorts, partitions, searches, histograms; pieces side by side."""

SETUP = """\
F = jnp.array([3.0, 1.0, 2.0])
M = jnp.arange(12.0).reshape(3, 4) * jnp.array([1.0, -1.0, 2.0, 0.5])
I = jnp.array([3, 1, 2])
C = F * (1 + 2j)
K = random.key(0)
N = jnp.array([[1.0, jnp.nan, 3.0, 2.0], [jnp.nan] * 4, [0.0, -0.0, -jnp.inf, jnp.inf]])
"""

# Programs.
JAXPRS = [
    "jax.make_jaxpr(jax.vmap(lambda a, x: lax.sort((a, x)), in_axes=(None, 1)))(F, M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.sort(x), in_axes=0))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.top_k(x, 2), in_axes=1))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.argmax(x, 0, 'int32'), in_axes=1))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.split(x, (1, 2)), in_axes=1))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.stack([x, x]), in_axes=1))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x, y: lax.stack([x, y], 1), in_axes=(1, None)))(M, F)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.unstack(x), in_axes=1))(M)",
    "jax.make_jaxpr(jax.vmap(lambda x: lax.tile(x, (2,)), in_axes=1))(M)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.stack([x, 2*x, F], 1).sum()))(F)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.unstack(x, 1)[0].sum()))(M)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.tile(x, (2, 3)).sum()))(M)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.split(x, (1, 2), 0)[1].sum()))(M)",
    "jax.make_jaxpr(jax.linearize, static_argnums=0)(lambda x: lax.cumsum(x, 0), F)",
    "jax.make_jaxpr(jax.jvp, static_argnums=0)(lambda x: lax.cumprod(x, 1), (M,), (M,))",
    "jax.make_jaxpr(jax.grad(lambda x: lax.sort(x).sum()))(F)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.sort((I, x), 0)[1][0].sum()))(F)",
    "jax.make_jaxpr(jax.grad(lambda x: lax.top_k(x, 2)[0][..., 0].sum()))(M)",
    "jax.make_jaxpr(lambda x: jnp.sort(x))(M)",
    "jax.make_jaxpr(lambda x: jnp.sort(x, axis=None))(M)",
    "jax.make_jaxpr(lambda x: jnp.sort(x, axis=0, descending=True, stable=False))(M)",
    "jax.make_jaxpr(lambda x: jnp.argsort(x, axis=0, descending=True))(M)",
    "jax.make_jaxpr(lambda x: jnp.argsort(x, axis=None, stable=False, descending=True, "
    "dtype='uint8'))(M)",
    "jax.make_jaxpr(jnp.lexsort)(M)",
    "jax.make_jaxpr(jnp.lexsort)((F, I))",
    "jax.make_jaxpr(jnp.sort_complex)(F)",
    "jax.make_jaxpr(lambda x: jnp.partition(x, 1, axis=0))(M)",
    "jax.make_jaxpr(lambda x: jnp.partition(x, 1))(I.astype('uint8'))",
    "jax.make_jaxpr(lambda x: jnp.nanargmin(x, axis=1, keepdims=True))(N)",
    "jax.make_jaxpr(jnp.nanargmin)(I)",
    "jax.make_jaxpr(lambda x: jnp.stack([x, x], 1))(F)",
    "jax.make_jaxpr(lambda x: jnp.stack([x, 2]))(1.)",
    "jax.make_jaxpr(lambda x: jnp.stack([x], dtype='int32'))(F)",
    "jax.make_jaxpr(lambda x: jnp.split(x, 2, axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.split(x, [1, 2], axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.split(x, [1, 5], axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.split(x, [-1], axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.split(x, [2, 1], axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.tile(x, 2))(F)",
    "jax.make_jaxpr(lambda x: jnp.tile(x, (2, 3)))(F)",
    "jax.make_jaxpr(lambda x: jnp.tile(x, 2))(M)",
    "jax.make_jaxpr(lambda x: jnp.tile(x, ()))(M)",
    "jax.make_jaxpr(lambda x: jnp.tile(x, 2))(1.)",
    "jax.make_jaxpr(lambda x: jnp.vstack([x, x]))(F)",
    "jax.make_jaxpr(lambda x: jnp.hstack([x, x]))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, 2.))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, side='right'))(M[0])",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, jnp.ones((2, 2))))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, method='scan_unrolled'))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, method='sort'))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, method='sort', side='right'))(I)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, method='compare_all'))(F)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, x, method='compare_all'))(C)",
    "jax.make_jaxpr(lambda x: jnp.searchsorted(x, 2))(I)",
    "jax.make_jaxpr(lambda x: jnp.digitize(x, jnp.arange(3.)))(F)",
    "jax.make_jaxpr(lambda x: jnp.bincount(x, length=4))(I)",
    "jax.make_jaxpr(lambda x: jnp.bincount(x, x*1.5, length=4))(I)",
    "jax.make_jaxpr(lambda x: jnp.histogram(x, 3))(F)",
    "jax.make_jaxpr(lambda x: jnp.histogram(x, jnp.arange(3.), density=True))(I)",
    "jax.make_jaxpr(lambda x: jnp.quantile(x, jnp.array([.5, .25]), axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.quantile(x, .5, axis=1, keepdims=True))(M)",
    "jax.make_jaxpr(lambda x: jnp.percentile(x, 50, method='nearest'))(I)",
    "jax.make_jaxpr(lambda x: jnp.nanquantile(x, jnp.array([.5, .25]), axis=1))(N)",
    "jax.make_jaxpr(lambda x: jnp.nanpercentile(x, 50, axis=0, keepdims=True))(N)",
    "jax.make_jaxpr(lambda x: jnp.argpartition(x, 1))(F)",
    "jax.make_jaxpr(lambda x: (x.sort(), x.real, x.imag, x.conj()))(C)",
]

# Values, dtypes, derivatives, and calls that are refused.
VALUES = [
    "lax.sort(jnp.float32(1.))",
    "lax.sort([])",
    "lax.sort([F], num_keys=2)",
    "lax.sort(F, num_keys=2)",
    "lax.sort((F, M))",
    "lax.sort(F, dimension=1)",
    "lax.sort(random.split(K, 3))",
    "lax.sort(np.array([3, 1]))",
    "lax.sort((F, F), num_keys=0)",
    "lax.sort(jnp.array([True, False]))",
    "lax.top_k(jnp.array([1., jnp.nan, 2., -0., 0., -jnp.nan]), 6)",
    "lax.top_k(jnp.array([-0., 0., -0.]), 3)",
    "lax.top_k(jnp.array([True, False, True]), 2)",
    "lax.top_k(F, 4)",
    "lax.top_k(F, -1)",
    "lax.top_k(F*1j, 1)",
    "lax.top_k(1., 1)",
    "lax.top_k(jnp.float32(1.), 1)",
    "lax.top_k(F, 1, axis=3)",
    "lax.top_k(F, 1.5)",
    "lax.top_k(jnp.array([3, 1, 2], 'uint8'), 2)",
    "lax.top_k(F, 0)",
    "lax.top_k([1., 2.], 1)",
    "lax.argmax(F, 1, np.int32)",
    "lax.argmax(F, -1, np.int32)",
    "lax.argmax(F, 0, np.float32)",
    "lax.argmax(F[:0], 0, np.int32)",
    "lax.argmax(F*1j, 0, np.int32)",
    "lax.argmax(F, 0, 'int8')",
    "lax.argmax(jnp.array([1., jnp.nan, jnp.nan]), 0, 'uint8')",
    "lax.argmin(jnp.array([True, False]), 0, 'int32')",
    "lax.argmax(F, None, int)",
    "lax.argmax(2., 0, int)",
    "lax.split(F, (1, 1))",
    "lax.split(F, (4, -1))",
    "lax.split(F, (1, 2), axis=1)",
    "lax.split(F, 3)",
    "lax.split(2., (1,))",
    "lax.split([1., 2.], (1, 1))",
    "lax.split(F, ())",
    "lax.split(F[:0], ())",
    "lax.stack([])",
    "lax.stack([F, M])",
    "lax.stack([F, F], 2)",
    "lax.stack([F, F], -1)",
    "lax.stack([F, F], -3)",
    "lax.stack(F)",
    "lax.stack([F, jnp.arange(3)])",
    "lax.stack([1., 2.])",
    "lax.unstack(F)",
    "lax.unstack(M, 1)",
    "lax.unstack(2.)",
    "lax.unstack(M, 2)",
    "lax.tile(F, (2,))",
    "lax.tile(M, (2,))",
    "lax.tile(F, (0,))",
    "lax.tile(2., ())",
    "[lax.sort(x) for x in (N, C, I, F>1, N.astype('bfloat16'), N.astype('float16'), F[:0], "
    "I.astype('uint8'))]",
    "[lax.sort((x, jnp.arange(x.size).reshape(x.shape)), 0) for x in (N, C, I, F>1, "
    "N.astype('bfloat16'), -I.astype('int8'))]",
    "lax.sort((jnp.array([1, 0, 1, 0]), jnp.array([3., jnp.nan, -1., 2.]), jnp.arange(4)), "
    "num_keys=2)",
    "lax.sort(jnp.array([complex(1, np.nan), complex(np.nan, 0), 1-1j, 1+1j, complex(-0., 0), "
    "complex(0, -0.)]))",
    "[lax.top_k(x, 2, axis=0) for x in (N, I, F>1, N.astype('bfloat16'), -I.astype('int8'), M)]",
    "[f(x, 0, 'int32') for f in (lax.argmax, lax.argmin) for x in (F, N, I, F>1, "
    "F.astype('bfloat16'), -I.astype('int8'), jnp.array([0., -0.]))]",
    "lax.sort(2*F, is_stable=False), lax.sort_key_val(F, I), lax.sort([F]), "
    "type(lax.sort((F, I))).__name__, type(lax.top_k(F, 1)).__name__, type(lax.split(F, (1, "
    "2))).__name__, type(lax.unstack(F)).__name__",
    "lax.stack(M), lax.stack([M, M], 1).shape, lax.tile(M, (2, 1)), lax.split(M, (1, 2)), "
    "lax.split(M, (1, 3), -1)",
    "lax.stack([I, I])[0].dtype, lax.stack([True, False]), lax.unstack(M, -1)",
    "jax.jit(lambda x: (lax.sort(x), lax.top_k(x, 1), lax.cumprod(x), lax.argmax(x, 0, "
    "'int32')))(F)",
    "jax.hessian(lambda x: (lax.sort(x)**3 * jnp.arange(3.)).sum())(F)",
    "jax.hessian(lambda x: (lax.top_k(x, 2)[0]**3 * jnp.arange(2.)).sum())(F)",
    "jax.jvp(lambda x: lax.sort((x, I, x**2), num_keys=2), (F,), (F,))",
    "jax.grad(lambda x: jnp.sort(x)[0])(jnp.array([1., 1., 0.5, 0.5]))",
    "jax.linearize(lambda x: lax.sort(x), F)[1](I*1.)",
    "jax.jvp(lambda x: lax.argmax(x, 0, 'int32'), (F,), (F,))",
    "[jnp.sort(x) for x in (N, N[:, :0], C, jnp.array([1+1j, 1-1j, jnp.nan, 0+jnp.nan*1j, "
    "2.]), I, F>1, I.astype('uint8'), N.astype('bfloat16'), N.astype('float16'))]",
    "[jnp.argsort(x) for x in (N, N[:, :0], C, I, F>1, I.astype('uint8'), "
    "N.astype('bfloat16'), N.astype('float16'))]",
    "[jnp.argsort(x, axis=0, descending=True) for x in (N, M, I, C)]",
    "[jnp.sort(x, axis=0, descending=True) for x in (N, M, I, C)]",
    "jnp.sort(2.)",
    "jnp.sort(2., axis=None)",
    "jnp.sort([1, 2])",
    "jnp.sort(F, kind='mergesort')",
    "jnp.sort(F, order='a')",
    "jnp.sort(F, axis=1)",
    "jnp.argsort(F, kind='stable')",
    "jnp.argsort(F, dtype='float32')",
    "jnp.argsort(F, order=1)",
    "jnp.lexsort((F, F[::-1])), jnp.lexsort(M), jnp.lexsort(M, axis=0), jnp.lexsort((1., "
    "2.)), jnp.lexsort([I, F, C])",
    "jnp.lexsort(M, axis=2)",
    "jnp.lexsort(())",
    "jnp.lexsort((F, M))",
    "jnp.lexsort(F)",
    "jnp.lexsort((F, 'a'))",
    "jnp.sort_complex(F), jnp.sort_complex(I), jnp.sort_complex(C[::-1]), "
    "jnp.sort_complex(F.astype('bfloat16'))",
    "jnp.sort_complex(1.)",
    "jnp.partition(F, 1), jnp.partition(M, 2), jnp.partition(M, -1, axis=0), "
    "jnp.partition(jnp.array([3, 0, 2, 0], 'uint8'), 1), jnp.partition(I, 0), jnp.partition(N, 1)",
    "jnp.partition(F, 3)",
    "jnp.partition(C, 1)",
    "jnp.partition(F, 1, axis=1)",
    "jnp.partition(F, 1.5)",
    "[f(N) for f in (jnp.nansum, jnp.nanprod, jnp.nanmax, jnp.nanmin, jnp.nanmean, "
    "jnp.nanvar, jnp.nanstd, jnp.nanargmax, jnp.nanargmin)]",
    "[f(N, axis=1) for f in (jnp.nansum, jnp.nanprod, jnp.nanmax, jnp.nanmin, jnp.nanmean, "
    "jnp.nanvar, jnp.nanstd, jnp.nanargmax, jnp.nanargmin)]",
    "[f(N, axis=0, keepdims=True) for f in (jnp.nansum, jnp.nanprod, jnp.nanmax, jnp.nanmin, "
    "jnp.nanmean, jnp.nanvar, jnp.nanstd, jnp.nanargmax, jnp.nanargmin)]",
    "[f(I) for f in (jnp.nansum, jnp.nanprod, jnp.nanmax, jnp.nanmin, jnp.nanmean, "
    "jnp.nanvar, jnp.nanstd, jnp.nanargmax, jnp.nanargmin)]",
    "jnp.nanargmax(C)",
    "jnp.nanargmax(F, axis=1)",
    "jnp.split(M, [1, 1]), jnp.split(M, []), jnp.split(M[:0], 2), jnp.split(M[:, :0], [1], axis=1)",
    "jnp.split(M, [2, 1])",
    "jnp.split(M, [-1])",
    "jnp.split(M, [9])",
    "jnp.split(M, 5)",
    "jnp.split(M, 0)",
    "jnp.tile(F, 0)",
    "[jnp.searchsorted(jnp.sort(N.ravel()), N, side=s, method=m) for s in ('left', "
    "'right') for m in ('scan', 'sort', 'compare_all')]",
    "[jnp.searchsorted(jnp.array([-1, 0, 0, 3]), jnp.array([-5, 0, 2, 9]), side=s, "
    "method=m) for s in ('left', 'right') for m in ('scan', 'sort', 'compare_all')]",
    "[jnp.searchsorted(jnp.sort(C), C, side=s, method=m) for s in ('left', "
    "'right') for m in ('scan', 'sort', 'compare_all')]",
    "jnp.searchsorted(F, 2., sorter=jnp.argsort(F)), jnp.searchsorted(F[:0], F), "
    "jnp.searchsorted(F, F[:0]), jnp.searchsorted(jnp.array([1, 2], 'uint8'), 1.5), "
    "jnp.searchsorted(F>5, True), jnp.searchsorted(F.astype('bfloat16'), 1.)",
    "jnp.searchsorted(M, 2.)",
    "jnp.searchsorted(F, 2., side='middle')",
    "jnp.searchsorted(F, 2., method='x')",
    "jnp.searchsorted([1, 2], 2.)",
    "jax.vmap(lambda v: jnp.searchsorted(jnp.arange(4.), v))(F)",
    "jax.vmap(lambda a, v: jnp.searchsorted(a, v))(jnp.sort(M), F)",
    "jax.jit(lambda a, v: jnp.searchsorted(a, v))(jnp.sort(F), 2)",
    "jnp.digitize(F, jnp.array([0, 1, 2.5])), jnp.digitize(F, jnp.array([3, 1, 0.]), "
    "right=True), jnp.digitize(F, F[:0]), jnp.digitize(N, jnp.arange(3)), jnp.digitize(I, "
    "jnp.arange(3), method='sort')",
    "jnp.digitize(F, M)",
    "jnp.bincount(I), jnp.bincount(I, minlength=7), jnp.bincount(jnp.array([-1, 0, 9]), "
    "length=3), jnp.bincount(F>1), jnp.bincount(I[:0]), jnp.bincount(I, F), "
    "jnp.bincount(I.astype('uint8')), jnp.bincount(I, weights=C)",
    "jnp.bincount(F)",
    "jnp.bincount(M.astype(int))",
    "jnp.bincount(I, F[:2])",
    "jax.jit(jnp.bincount)(I)",
    "jnp.bincount(I, minlength=1.5)",
    "jnp.bincount([1, 2])",
    "jnp.histogram(M, 4), jnp.histogram(F, 3, range=(0, 4)), jnp.histogram(I, jnp.array([0, "
    "2, 5])), jnp.histogram(F, 2, weights=I), jnp.histogram(F, 2, density=True), "
    "jnp.histogram(jnp.ones(3), 2)",
    "jnp.histogram(F, 'auto')",
    "jnp.histogram(F, 2, range=3)",
    "jnp.histogram(F, 2, weights=M)",
    "jnp.histogram_bin_edges(I, 2), jnp.histogram_bin_edges(F, jnp.arange(2)), "
    "jnp.histogram_bin_edges(F, 2, (1, 1))",
    "jnp.histogram_bin_edges(F, 2.5)",
    "[jnp.quantile(M, q, method=m, axis=a) for m in ('linear', 'lower', 'higher', "
    "'midpoint', 'nearest') for q in (0.3, 1., jnp.array([0., .2, .8])) for a in (None, 0, "
    "1, (0, 1))]",
    "[jnp.nanquantile(N, q, method=m, axis=a) for m in ('linear', 'lower', 'higher', "
    "'midpoint', 'nearest') for q in (0.3, 1., jnp.array([0., .2, .8])) for a in (None, 0, "
    "1, (0, 1))]",
    "[jnp.quantile(M.reshape(3, 2, 2), q, axis=a, keepdims=k) for k in (True, "
    "False) for q in (0.3, jnp.array([.2, .8])) for a in (None, 0, (0,), (0, 2), (2, 0))]",
    "[jnp.nanquantile(M.reshape(3, 2, 2), q, axis=a, keepdims=k) for k in (True, "
    "False) for q in (0.3, jnp.array([.2, .8])) for a in (None, 0, (0,), (0, 2), (2, 0))]",
    "jnp.median(N, axis=1), jnp.median(I), jnp.nanmedian(N, axis=1), jnp.median(F>1), "
    "jnp.median(F.astype('bfloat16')), jnp.percentile(I, [25., 50.][0]), jnp.median(M, "
    "axis=(0, 1), keepdims=True), jnp.median(2.)",
    "jnp.quantile(F, jnp.ones((2, 2)))",
    "jnp.quantile(F, 1)",
    "jnp.quantile(C, .5)",
    "jnp.quantile(F, .5, method='x')",
    "jnp.quantile(F, .5, axis=1)",
    "jnp.quantile(F, .5, overwrite_input=True)",
    "jnp.quantile([1, 2], .5)",
    "jnp.quantile(M, .5, axis=(0, 0))",
    "jax.grad(lambda x: jnp.quantile(x, .3))(F)",
    "jax.grad(lambda q: jnp.quantile(F, q))(.3)",
    "jnp.argpartition(F, 1), jnp.argpartition(M, 2), jnp.argpartition(M, -1, axis=0), "
    "jnp.argpartition(jnp.array([3, 0, 2, 0], 'uint8'), 1), jnp.argpartition(I, 0)",
    "M.sort(), M.sort(axis=0), M.argsort(axis=0), M.cumsum(), M.cumsum(axis=1), "
    "M.cumprod(axis=0), C.real, C.imag, F.real, I.imag, C.conj(), F.conjugate(), "
    "F.argpartition(1)",
    "jnp.arange(5.).searchsorted(F), jnp.arange(5.).searchsorted(F, side='right')",
    "M.ptp(axis=0), M.prod(axis=0, keepdims=True), M.argmax(axis=1, keepdims=True)",
    "F.sort(kind='x')",
]

CASES = [*JAXPRS, *VALUES]
