"""Arrays joined, cut, turned and laid on grids; dtypes by kind; arrays from bytes and functions."""

SETUP = """\
F = jnp.array([-2.5, 0.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
C = F * 1j + 1
B = F > 0
T = jnp.arange(24.0).reshape(2, 3, 4)
Z = jnp.array([0, 0, 1, 2, 0, 3, 0])

def shapes(xs):
    return [x.shape for x in xs]
"""

JAXPRS = [
    "jax.make_jaxpr(jnp.atleast_3d)(F), jax.make_jaxpr(jnp.atleast_3d)(M)",
    "jax.make_jaxpr(lambda x: jnp.array_split(x, 2))(F)",
    "jax.make_jaxpr(lambda x: jnp.hsplit(x, 2))(M)",
    "jax.make_jaxpr(lambda x: jnp.dstack([x, x]))(F)",
    "jax.make_jaxpr(lambda x: jnp.column_stack([x, x]))(F)",
    "jax.make_jaxpr(lambda x: jnp.column_stack([x, x[:, 0]]))(M)",
    "jax.make_jaxpr(lambda x: jnp.concat([x, x], axis=0))(F)",
    "jax.make_jaxpr(lambda x: jnp.block([[x, x], [x, x]]))(M)",
    "jax.make_jaxpr(lambda x: jnp.block([x, x]))(F), jax.make_jaxpr(lambda x: jnp.block(x))(F)",
    "jax.make_jaxpr(jnp.fliplr)(M), jax.make_jaxpr(jnp.flipud)(M)",
    "jax.make_jaxpr(jnp.rot90)(M)",
    "jax.make_jaxpr(lambda x: jnp.rot90(x, 2))(M)",
    "jax.make_jaxpr(lambda x: jnp.rot90(x, 3, (1, 0)))(M)",
    "jax.make_jaxpr(lambda x: jnp.rot90(x, 4))(M)",
    "jax.make_jaxpr(lambda x: jnp.rollaxis(x, 2))(T)",
    "jax.make_jaxpr(lambda x: jnp.rollaxis(x, 0, 3))(T)",
    "jax.make_jaxpr(lambda x: jnp.permute_dims(x, (1, 0)))(M)",
    "jax.make_jaxpr(lambda x: jnp.resize(x, (2, 3)))(M)",
    "jax.make_jaxpr(lambda x: jnp.resize(x, (2, 7)))(M)",
    "jax.make_jaxpr(lambda x: jnp.resize(x, (3, 4)))(M)",
    "jax.make_jaxpr(jnp.unstack)(M), jax.make_jaxpr(lambda x: jnp.unstack(x, axis=1))(M)",
    "jax.make_jaxpr(lambda x, y: jnp.meshgrid(x, y))(F, I)",
    "jax.make_jaxpr(lambda x, y: jnp.meshgrid(x, y, sparse=True, indexing='ij'))(F, I)",
    "jax.make_jaxpr(lambda x, y: jnp.meshgrid(x, y, x))(F, I)",
    "jax.make_jaxpr(lambda: jnp.mgrid[0:3, 0:2])()",
    "jax.make_jaxpr(lambda: jnp.ogrid[0:3, 0:2.])()",
    "jax.make_jaxpr(lambda x: jnp.r_[x, 1, 0:3])(F)",
    "jax.make_jaxpr(lambda x: jnp.c_[x, x])(F)",
    "jax.make_jaxpr(lambda: jnp.fromfunction(lambda i, j: i + j, (2, 3)))()",
    "jax.make_jaxpr(lambda a, b: jnp.geomspace(a, b, 4))(1., 8.)",
    "jax.make_jaxpr(lambda a, b: jnp.logspace(a, b, 4))(1., 8.)",
    "jax.make_jaxpr(lambda a, b: jnp.logspace(a, b, 4, base=b))(1., 8.)",
    "jax.make_jaxpr(lambda: jnp.bartlett(5))()",
    "jax.make_jaxpr(lambda: jnp.blackman(5))()",
    "jax.make_jaxpr(lambda: jnp.hamming(5))()",
    "jax.make_jaxpr(lambda: jnp.hanning(5))()",
    "jax.make_jaxpr(lambda b: jnp.kaiser(5, b))(2.)",
    "jax.make_jaxpr(lambda x: jnp.isscalar(x))(2.)",
    "jax.make_jaxpr(lambda x: x.view('int32'))(F)",
    "jax.make_jaxpr(lambda x: x.view('int16'))(F)",
    "jax.make_jaxpr(lambda x: x.view('complex64'))(M)",
    "jax.make_jaxpr(lambda x: x.view('float32'))(C)",
    "jax.make_jaxpr(lambda x: x.view('int8'))(B)",
    "jax.make_jaxpr(lambda x: x.view('bool'))(I)",
    "jax.make_jaxpr(lambda x: x.view('float32'))(F)",
]

VALUES = [
    "jnp.reshape(np.arange(6.), (2, -1)), jnp.reshape(np.arange(6.), (2, 3), 'F').dtype, "
    "type(jnp.reshape(np.float32(1), (1, 1))).__name__, type(jnp.positive(np.ones(2))).__name__",
    "[shapes(jnp.array_split(M, n, 1)) for n in (1, 2, 3, 5)], jnp.array_split(F, [1])",
    "jnp.hsplit(F, 3), jnp.vsplit(F, [1]), shapes(jnp.dsplit(T, 2)), shapes(jnp.hsplit(T, 3))",
    "jnp.column_stack([1, 2]), jnp.column_stack(M), jnp.dstack(M), jnp.dstack([1, 2], "
    "dtype='int8'), jnp.column_stack([F, I]), jnp.column_stack([T, T]).shape",
    "jnp.concat([F, I]), jnp.concat([M, M], axis=None), jnp.concat([M, M], axis=-1)",
    "jnp.block([[1, 2], [3, 4]]), jnp.block(2), jnp.block([1, F]), jnp.block([[F], [I]]), "
    "jnp.block([[[1]]]), jnp.block([[jnp.ones((2, 2)), jnp.zeros((2, 1))], [I]])",
    "[jnp.rot90(M, k, axes) for k in (-1, 0, 1, 2, 5) for axes in ((0, 1), (1, 0))]",
    "[jnp.rollaxis(T, a, s).shape for a in (-1, 0, 1, 2) for s in (-3, -2, -1, 0, 1, 2, 3)]",
    "jnp.fliplr(M), jnp.flipud(M), jnp.flipud(F), jnp.permute_dims(T, (2, 0, 1)).shape",
    "jnp.resize(F, 5), jnp.resize(2, (2,)), jnp.resize(F[:0], (2,)), jnp.resize(F, (0,)), "
    "jnp.resize(I, (2, 2))",
    "jnp.unstack(F), jnp.unstack(M, axis=-1), jnp.unstack(F[:0])",
    "jnp.meshgrid(), jnp.meshgrid(F), jnp.meshgrid(F, I), shapes(jnp.meshgrid(F, I, F[:2], "
    "sparse=True)), shapes(jnp.meshgrid(F, I[:2], indexing='ij'))",
    "jnp.trim_zeros(Z), jnp.trim_zeros(Z, 'f'), jnp.trim_zeros(Z, 'B'), jnp.trim_zeros(0. * F), "
    "jnp.trim_zeros(2.)",
    "[jnp.trim_zeros(jnp.array([[0, 0, 0], [0, 1, 0]]), axis=a) for a in (None, 1, 0, (0, 1))]",
    "jnp.apply_over_axes(jnp.sum, T, [0, 2]), jnp.apply_over_axes(jnp.cumsum, F, (0,)), "
    "jnp.apply_over_axes(lambda x, a: x.sum(a), T, [-1])",
    "jnp.mask_indices(3, jnp.triu), jnp.mask_indices(3, np.triu, 1), "
    "jnp.mask_indices(3, jnp.tril, size=2)",
    "jnp.mgrid[0:3], jnp.mgrid[0:3, 0:2], jnp.mgrid[0:1:3j], jnp.mgrid[0:3:0.5], jnp.mgrid[:3], "
    "jnp.mgrid[0:3.], jnp.mgrid[0:3, 0:1:2j]",
    "jnp.ogrid[0:3], jnp.ogrid[0:3, 0:2], jnp.ogrid[0:1:3j, 0:2]",
    "jnp.r_[1, 2, 3], jnp.r_[F, 0., F], jnp.r_[0:3], jnp.r_[0:1:3j], jnp.r_[0:3, 5, F], jnp.r_[M], "
    "jnp.r_[3], jnp.r_[[1, 2], [3]], jnp.r_[F, 1j], jnp.r_[:3], jnp.r_[1:]",
    "[jnp.r_[d, F, F] for d in ('-1', '0,2', '0,2,0', '1,2,0', 'r', 'c')], jnp.r_['0,2', 1, 2], "
    "jnp.r_['-1', M, M], jnp.r_['0,3,-2', M, M].shape, jnp.r_['1,3,1', F, F].shape",
    "jnp.c_[F, F], jnp.c_[1:3, 4:6], jnp.c_[M, F], jnp.c_[1, 2], jnp.c_['r', F, F], "
    "jnp.c_['0,2', F, F]",
    "jnp.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int), jnp.fromfunction(lambda i, k: "
    "i * k, (2,), k=3), jnp.fromfunction(lambda i: i, 3), jnp.fromfunction(lambda i, j: (i, j), "
    "(2, 2))",
    "jnp.geomspace(1, 8, 4), jnp.geomspace(1, 100, 3, dtype=int), jnp.geomspace(1., 8., 4, "
    "endpoint=False), jnp.geomspace(M[1] + 1, M[2], 3, axis=-1), jnp.geomspace(-1, -8, 4), "
    "jnp.geomspace(1, -8, 4), jnp.geomspace(1, 8, 0), jnp.geomspace(1, 8, 1)",
    "jnp.logspace(0, 2, 3), jnp.logspace(0, 2, 3, base=2), jnp.logspace(0, 2, 3, dtype=int), "
    "jnp.logspace(0., 2., 3, False), jnp.logspace(F, I, 3, axis=1), jnp.logspace(0, 2, 0)",
    "[f(n) for f in (jnp.bartlett, jnp.blackman, jnp.hamming, jnp.hanning) for n in (0, 1, 2, 5)]",
    "jnp.kaiser(5, 2.), jnp.kaiser(1, 2.), jnp.kaiser(4, F[2]), jnp.kaiser(3, 0)",
    "jax.grad(lambda b: jnp.kaiser(5, b).sum())(2.)",
    "[jnp.isdtype(d, k) for d in ('bool', 'int8', 'uint8', 'bfloat16', 'complex64', jnp.float16) "
    "for k in ('bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', "
    "'complex floating', 'numeric', 'int8', jnp.float16, ('bool', 'integral'))]",
    "jnp.isdtype(float, jnp.float64), jnp.isdtype('float32', float), jnp.isdtype(bool, 'bool')",
    "[jnp.isscalar(x) for x in (2, 'a', b'a', None, [1], True, F, F[0], np.float32(1), "
    "np.array(1))], jnp.iterable(F), jnp.iterable(2)",
    "jnp.can_cast('int8', 'int16'), jnp.bool is jnp.bool_, jnp.single is jnp.float32, "
    "jnp.double is jnp.float64, jnp.csingle is jnp.complex64, jnp.cdouble is jnp.complex128",
    "jnp.frombuffer(b'\\x01\\x02', 'uint8', 1, 1), jnp.fromstring('1 2 3', sep=' '), "
    "jnp.fromstring('1,2', int, sep=','), jnp.from_dlpack(np.arange(3., dtype='float32')), "
    "jnp.from_dlpack(F)",
    "jnp.array_str(F), jnp.__array_api_version__, F.__array_namespace__() is jnp",
    "[jnp.__array_namespace_info__().capabilities(), "
    "jnp.__array_namespace_info__().default_device()]",
    "[{k: str(v) for k, v in sorted(d.items())} for d in (jnp.__array_namespace_info__()"
    ".default_dtypes(), jnp.__array_namespace_info__().dtypes(), jnp.__array_namespace_info__()"
    ".dtypes(kind='integral'), jnp.__array_namespace_info__().dtypes(kind=('bool', "
    "'complex floating')))]",
    "F.view('int32'), F.view(jnp.float32), F.view('int16'), F.view('uint8'), M.view('complex64'), "
    "B.view('int8'), F.view(None), jnp.arange(4, dtype='int8').view('bool'), F[0].view('int32'), "
    "C.view('float32'), F.view('int16').view('float32'), F.view()",
    "jax.grad(lambda x: (x.view('complex64') * (1 + 2j)).real.sum())(M)",
    "I.byteswap(), F.tobytes(), F.clone()",
    "jax.vmap(jnp.rot90)(T), jax.vmap(lambda x: jnp.block([[x, x], [x, x]]), 1)(M), "
    "jax.vmap(lambda x: jnp.resize(x, 5), 1)(M), jax.vmap(lambda x: jnp.c_[x, x])(M)",
]

REFUSED = [
    "jnp.reshape(np.arange(6.), (4,))",
    "jnp.reshape(np.arange(6.), (-1, -1))",
    "jnp.array_split(F, 0)",
    "jnp.array_split(F, -1)",
    "jnp.array_split(F, [2, 1, 7])",
    "jnp.hsplit(2., 1)",
    "jnp.dsplit(M, 2)",
    "jnp.column_stack([])",
    "jnp.column_stack(2)",
    "jnp.dstack([])",
    "jnp.concat([F], 0)",
    "jnp.block([])",
    "jnp.block((1, 2))",
    "jnp.block([[1], 2])",
    "jnp.block([[1], []])",
    "jnp.block([M, F])",
    "jnp.fliplr(F)",
    "jnp.flipud(2.)",
    "jnp.rot90(F)",
    "jnp.rot90(M, axes=(0, 0))",
    "jnp.rot90(M, axes=(0, 1, 2))",
    "jnp.rot90(M, axes=(0, -2))",
    "jnp.rollaxis(T, 5)",
    "jnp.rollaxis(T, 0, 5)",
    "jnp.permute_dims(M)",
    "jnp.resize(F, -1)",
    "jnp.unstack(2.)",
    "jnp.unstack(F, axis=3)",
    "jnp.meshgrid(M)",
    "jnp.meshgrid(1, 2)",
    "jnp.meshgrid(F, F, copy=False)",
    "jnp.meshgrid(F, F, indexing='a')",
    "jax.jit(jnp.trim_zeros)(F)",
    "jnp.trim_zeros([0, 1])",
    "jnp.apply_over_axes(lambda x, a: x.sum(), T, [0, 2])",
    "jnp.mgrid[3]",
    "jnp.r_['x', F]",
    "jnp.r_['a,b', F]",
    "jnp.fromfunction(lambda i: i, (3, 4))",
    "jnp.geomspace(1, 2, 1.5)",
    "jnp.logspace(0, 2, 1.5)",
    "jnp.bartlett(-1)",
    "jnp.kaiser(5, F)",
    "[jnp.isdtype(x, k) for x in (F, jnp.arange(2)) for k in ('integral', 'float32', x)], "
    "jax.jit(lambda x: jnp.isdtype(x, 'real floating') * x)(2.0)",
    "jnp.isdtype('int8', 'x')",
    "jnp.isdtype('int8', 3)",
    "jnp.isdtype('zzz', 'bool')",
    "jnp.isdtype('int8', ('x',))",
    "jnp.fromstring('1 2')",
    "jnp.fromiter([1, 2], int)",
    "jnp.fromfile('a')",
    "jnp.from_dlpack(3)",
    "jnp.__array_namespace_info__().dtypes(kind='x')",
    "F.view('complex64')",
    "F[0].view('int8')",
    "F.view(type=np.ndarray)",
    "F.view('zz')",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
