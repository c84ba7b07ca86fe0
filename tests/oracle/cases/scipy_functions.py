"""What stands beside scipy's special functions: samples, interpolation, images, signals, rotations,
minima, solvers; and `image` and `monitoring`. What JAX refuses is in tests/scipy too, with ours."""

SETUP = """\
import importlib

def module(name):
    return importlib.import_module(f'{jax.__name__}.{name}')

stats, signal, image = module('scipy.stats'), module('scipy.signal'), module('image')
k = random.key(0)
X = jnp.array([[2.0, 1, 2, 5, 1, 1], [3.0, 3, 4, 4, 4, 0]])
N = jnp.array([1.0, math.nan, 1.0, math.nan, math.nan])
A, B = jnp.array([[4.0, 1], [1, 3]]), jnp.array([1.0, 2])
W = jnp.sin(1.7 * jnp.arange(40.0))
V = jnp.cos(jnp.arange(80.0)).reshape(2, 40)
I = jnp.array([[2.0, 1, 2, 5], [3.0, 3, 4, 0], [7, 8, 1, 2.0]])

def close(x):
    leaves = jax.tree.leaves(jax.tree.map(lambda leaf: (jnp.real(leaf), jnp.imag(leaf)), x))
    return [jnp.round(leaf * 1e3) + 0 for leaf in leaves]

def quaternions(rotation):
    return jnp.round(rotation.quat * 1e4) + 0.0
"""
STATS = (
    "stats.mode(X), stats.mode(X, axis=1), stats.mode(X, axis=None), stats.mode(N)",
    "stats.mode(X, axis=1, keepdims=True), stats.mode(X, axis=None, keepdims=True)",
    "stats.mode(jnp.array([1, 2, 2])), stats.mode(jnp.array([True, False, True])), stats.mode(1.0)",
    "stats.mode(jnp.zeros(0)), stats.mode(jnp.zeros((0, 3))), stats.mode(jnp.array([1j, 2, 2]))",
    "[raised(stats.mode, *args) for args in (([1, 2],), (X, 5), (X, 0, 'omit'), (X, 0, 'raise'),"
    " (X, 0, 'x'))]",
    *(f"stats.rankdata(X, '{method}'), stats.rankdata(X, '{method}', axis=1),"
      f" stats.rankdata(N, '{method}'), stats.rankdata(jnp.array([3, 1, 1]), '{method}')"
      for method in ("average", "min", "max", "dense", "ordinal")),
    "stats.rankdata(jnp.zeros(0)), stats.rankdata(1.0)",
    "[raised(stats.rankdata, *args) for args in ((X, 'x'), ([1, 2],))],"
    " raised(stats.rankdata, X, axis=4), raised(stats.rankdata, X, nan_policy='omit')",
    "stats.sem(X), stats.sem(X, axis=1), stats.sem(X, axis=None), stats.sem(N)",
    "stats.sem(X, 1, 0, keepdims=True), stats.sem(N, nan_policy='omit'), stats.sem(jnp.arange(3))",
    "stats.sem(X.astype('bfloat16'), 1), [raised(stats.sem, *args) for args in (([1],), (X, 0, 1,"
    " 'raise'))]",
    "jax.grad(lambda x: stats.sem(x).sum())(X)",
    "f = module('scipy.integrate').trapezoid\nf(X), f(X, X, axis=0), f(X, dx=0.5), raised(f,"
    " [1.0])",
)
INTERPOLATION = (
    "vq = module('scipy.cluster.vq').vq\nO, C = jnp.array([[0.0, 0], [1, 1], [5, 5]]), jnp.array("
    "[[0.0, 1], [4, 4]])\nvq(O, C), vq(O[:, 0], C[:, 0]), vq(O.astype(int), C), [raised(vq, *args)"
    " for args in ((O, C[:, 0]), (O[None], C[None]), ([1.0], C), (O[0, 0], C[0, 0]))]",
    *(f"R = module('scipy.interpolate').RegularGridInterpolator\n"
      f"points, values = (jnp.array([0.0, 1, 3]), jnp.array([0.0, 2])),"
      f" jnp.arange(6.0).reshape(3, 2)\n"
      f"xi = jnp.array([[0.5, 0.5], [2.0, 1.0], [5, 1], [-1, 0]])\n{case}"
      for case in (
          "R(points, values)(xi), R(points, values, fill_value=None)(xi), R(points, values,"
          " 'nearest')(xi)",
          "R(points, values, fill_value=7)(xi), R(points, values)(xi, method='nearest')",
          "R(points[:1], values)(jnp.array([0.5, 2.5])), R(points, values)((xi[:, 0], 0.5))",
          "R(points, values)(jnp.ones(2)), R(points, jnp.arange(12.0).reshape(3, 2, 2))(xi[:2])",
          "R(points, values.astype(int))(xi[:1]), R(points, values)(xi.reshape(2, 2, 2))",
          "jax.grad(lambda x: R(points, values)(x).sum())(xi[:1])",
          "jax.jit(lambda points, xi: R(points, values)(xi))(points, xi)",
          "raised(R, points, values, 'cubic'), raised(R, points, values, bounds_error=True)",
          "raised(R, (*points, points[0]), values), raised(R(points, values), jnp.ones((2, 3)))",
          "raised(R(points, values), xi, method='z')")),
    *(f"f = module('scipy.ndimage').map_coordinates\n"
      f"c = [jnp.array([0.3, 1.5, -1.2, 4.7, -6.0, 2.5]), jnp.array([0.5, 2.5, 1, -2.3, 9.0,"
      f" 3.0])]\n{case}"
      for case in (
          *(f"f(I, c, 0, '{mode}', 9.0), f(I, c, 1, '{mode}', 9.0)"
            for mode in ("constant", "nearest", "wrap", "mirror", "reflect")),
          "f(I.astype(int), c, 0), f(I.astype(int), c, 1, cval=9.7), f(I.astype('uint8'), c, 1)",
          "f(I, jnp.stack(c), 1), f(I, [jnp.array([1, 5]), jnp.array([2, 2])], 1), f(I > 1, c, 1)",
          "f(I, [jnp.zeros((2, 1)), jnp.zeros(2)], 1), f(I, [1.5, 0.5], 1),"
          " f(I.astype('float16'), c, 1)",
          "jax.grad(lambda x: f(x, c, 1).sum())(I), jax.grad(lambda c: f(I, c, 1,"
          " 'wrap').sum())(c)",
          "[raised(f, *args) for args in ((I, c, 2), (I, c[:1], 1), (I, c, 1, 'x'))]")),
)
IMAGES = (
    *(f"image.resize(I, (5, 3), '{method}'), image.resize(I, (2, 7), '{method}', antialias=False),"
      f" image.resize(I, (2, 2), '{method}')"
      for method in ("nearest", "linear", "bilinear", "triangle", "cubic", "bicubic", "lanczos3",
                     "lanczos5", "cubic-pytorch", "area")),
    "image.resize(I.astype(int), (5, 3), 'linear'), image.resize(I.astype(int), (5, 3), 'nearest')",
    "image.resize(I, (3, 4), 'linear'), image.resize(I, (2, 4), image.ResizeMethod.LINEAR)",
    "image.resize(jnp.stack([I, I]), (2, 2, 2), 'linear'), image.resize(I, (0, 4), 'linear')",
    "image.resize(I.astype('uint8'), (2, 4), 'linear'), jax.grad(lambda x: image.resize(x, (2,"
    " 3), 'cubic').sum())(I)",
    "[raised(image.resize, *args) for args in ((I, (3,), 'linear'), (I, (2, 2), 'x'))]",
    "[str(method) for method in image.ResizeMethod], image.ResizeMethod.from_string('area').value",
    *(f"s, t = jnp.array([1.5, 0.5]), jnp.array([0.3, -0.2])\nf = image.scale_and_translate\n{case}"
      for case in (
          "f(I, (4, 3), (0, 1), s, t, 'linear'), f(I, (4, 3), (0, 1), s, t, 'cubic',"
          " antialias=False)",
          "f(I, (4, 4), (0,), s[:1], t[:1], 'lanczos3'), f(I, (4, 3), (-2, -1), s, t, 'area')",
          "jax.grad(lambda s, t: f(I, (4, 3), (0, 1), s, t, 'linear').sum(), (0, 1))(s, t)",
          "[raised(f, *args) for args in ((I, (4, 3), (0, 1), s, t, 'nearest'), (I, (4, 3), (0,"
          " 1), s[:1],"
          " t, 'linear'), (I, (4, 3), (0, 3), s, t, 'linear'), (I, (4,), (0, 1), s, t,"
          " 'linear'))]")),
    "M = module('monitoring')\ntold = []\ndef hear(*args, **named):\n    told.append((args,"
    " named))\n"
    "M.register_event_listener(hear)\nM.record_event('e')\nM.record_event('e', x=1)\n"
    "M.register_event_duration_secs_listener(hear)\nM.record_event_duration_secs('d', 1.5, k=2)\n"
    "M.register_event_time_span_listener(hear)\nM.record_event_time_span('t', 1.0, 2.0)\n"
    "M.register_scalar_listener(hear)\nM.record_scalar('s', 3)\nM.unregister_event_listener(hear)\n"
    "M.unregister_event_duration_listener(hear)\nM.unregister_event_time_span_listener(hear)\n"
    "M.unregister_scalar_listener(hear)\nM.record_event('e')\n"
    "told, raised(M.unregister_event_listener, hear)",
)
OPTIMIZE = (
    *(f"O = module('scipy.optimize')\n{case}" for case in (
        "r = O.minimize(lambda x, a: jnp.sum((x - a) ** 2), jnp.zeros(2), (3.0,), method='BFGS')\n"
        "close((r.x, r.fun, r.jac)), r.success, r.status, type(r).__name__, r._fields",
        "jax.jit(lambda x: O.minimize(lambda x: jnp.sum((x - 3) ** 2), x,"
        " method='BFGS').success)(B)",
        "O.minimize(lambda x: jnp.sum(x**2), jnp.zeros(2), method='BFGS').nit + 0",
        "[raised(O.minimize, jnp.sum, B, method=m) for m in ('CG', 'x')]",
        "raised(O.minimize, jnp.sum, B, 3.0, method='BFGS'), raised(O.minimize, jnp.sin, B,"
        " method='BFGS')",
        "raised(O.minimize, jnp.sum, B, method='BFGS', options={'foo': 1}),"
        " raised(O.minimize, jnp.sum, jnp.arange(2), method='BFGS')")),
    *(f"solve = module('scipy.sparse.linalg').{solver}\n{case}"
      for solver in ("cg", "bicgstab", "gmres") for case in (
          "close(solve(A, B)), close(solve(lambda x: A @ x, B, x0=jnp.ones(2), M=lambda x: x / 3))",
          "close(solve(lambda x: {'a': 2 * x['a'], 'b': 3 * x['b']}, {'a': B,"
          " 'b': jnp.float32(6)}))",
          "close(jax.grad(lambda A, B: solve(A, B)[0].sum(), (0, 1))(A, B))",
          "close(jax.vmap(lambda b: solve(A, b)[0])(jnp.stack([B, 2 * B]))), solve(A,"
          " jnp.zeros(2))",
          "[raised(solve, *args) for args in ((A[:1], B), (3, B), (lambda x: x[:1], B))],"
          " raised(solve, A, B, M=3)")),
    "gmres = module('scipy.sparse.linalg').gmres\nclose(gmres(A, B, solve_method='incremental')),"
    " close(gmres(A, B, restart=1, maxiter=2)), raised(gmres, A, B, solve_method='x')",
)
ROTATIONS = tuple(
    f"R = module('scipy.spatial.transform').Rotation\nq = jnp.array([1.0, 2, 3, 4])\n"
    f"Q = jnp.array([[1.0, 2, 3, 4], [0, 0, 1, -1], [0.5, -0.5, 0.5, 0.5]])\n"
    f"r, rs = R.from_quat(q), R.from_quat(Q)\nv, vs = jnp.array([1.0, 2, 3]), jnp.arange(1.0,"
    f" 10).reshape(3, 3)\n{case}"
    for case in (
        "type(r).__name__, r._fields, r.single, rs.single, len(rs)",
        *(f"close((r.{name}(), rs.{name}()))" for name in
          ("as_matrix", "as_mrp", "as_rotvec", "as_quat", "magnitude")),
        "close(rs.as_quat(canonical=True)), close(rs.as_quat(scalar_first=True))",
        "quaternions(r.inv()), close(r.as_rotvec(degrees=True))",
        *(f"close((r.as_euler('{seq}'), rs[:2].as_euler('{seq}', degrees=True)))"
          for seq in ("xyz", "XYZ", "zxz", "ZYX")),
        *(f"quaternions(R.from_euler('{seq}', jnp.array([0.1, 0.2, 0.3])[:{len(seq)}])),"
          f" quaternions(R.from_euler('{seq}', 10 * vs[:2, :{len(seq)}], degrees=True))"
          for seq in ("xyz", "XYZ", "zxz", "ZYX", "zy")),
        "quaternions(R.from_euler('x', 0.1)), [raised(R.from_euler, seq, v) for seq in"
        " ('xYz', 'abc', 'xyzx', 'xxy')], [raised(r.as_euler, seq) for seq in ('x', 'xYz')]",
        "quaternions(R.from_matrix(jnp.eye(3))), quaternions(R.from_matrix(rs.as_matrix()[2:]))",
        "quaternions(R.from_mrp(vs / 10)), quaternions(R.from_rotvec(vs / 10))",
        "quaternions(R.from_rotvec(10 * v, degrees=True)), quaternions(R.identity())",
        "close((r.apply(v), r.apply(vs), rs.apply(v), rs.apply(vs), rs.apply(vs, inverse=True)))",
        "raised(rs.apply, vs[:2]), raised(len, r), raised(lambda: r[0]), quaternions(rs[0])",
        "quaternions(r * r), quaternions(r * rs), quaternions(rs * rs)",
        "quaternions(R.concatenate([rs, rs])), quaternions(rs.mean()), quaternions(rs.mean(v))",
        "close(jax.vmap(lambda q: R.from_quat(q).apply(v))(Q)), close(jax.jit(R.apply)(r, v))",
        "close(jax.grad(lambda q: R.from_quat(q).apply(v).sum())(q))",
        "S = module('scipy.spatial.transform').Slerp\ns = S.init(jnp.array([0.0, 1, 3]), rs)\n"
        "type(s).__name__, s._fields, quaternions(s(0.5)), quaternions(s(jnp.array([0.5, 2.0])))",
        "S = module('scipy.spatial.transform').Slerp\n[raised(S.init, *args) for args in ((v[:2],"
        " rs),"
        " (v[:1], rs[:1]), (v, r))], raised(S.init(v, rs), jnp.ones((2, 2)))")
)
SIGNALS = (
    *(f"signal.fftconvolve(I, I[:2, :3], '{mode}'), signal.fftconvolve(W, W[:7], '{mode}')"
      for mode in ("full", "same", "valid")),
    "signal.fftconvolve(I, I[:, :2], axes=1), signal.fftconvolve(I[:2, :3], I, 'same'),"
    " signal.fftconvolve(2.0, 3.0)",
    "signal.fftconvolve(W * 1j, W[:3]), close(signal.fftconvolve(jnp.arange(3), jnp.arange(3)))",
    "[raised(signal.fftconvolve, *args) for args in ((I, I, 'x'), (I, W), ([1.0], W), (I, I[:2],"
    " 'full', (1,)),"
    " (I, I, 'full', (5,)))]",
    "close(signal.detrend(V)), close(signal.detrend(V, 0)), close(signal.detrend(V,"
    " type='constant'))",
    "close(signal.detrend(W, bp=20)), close(signal.detrend(V, bp=[10, 30]))",
    "[raised(signal.detrend, W, **named) for named in ({'type': 'x'}, {'bp': 50}, {'bp': -3},"
    " {'overwrite_data': True})]",
    *(f"close(signal.stft({case}))" for case in (
        "W, nperseg=16", "V, fs=10.0, nperseg=16, noverlap=4, nfft=20", "V.T, nperseg=16, axis=0",
        "W, nperseg=16, window='boxcar', boundary=None,"
        " padded=False", "W, nperseg=16, boundary='even'",
        "W, nperseg=16, boundary='odd'", "W, nperseg=16, boundary='constant'", "W * 1j, nperseg=16",
        "W, nperseg=16, return_onesided=False", "W, nperseg=16, detrend='linear'", "W, nperseg=100",
        "W, nperseg=16, window=('tukey', 0.5)", "W, nperseg=16, window=jnp.arange(1.0, 17)")),
    "[raised(signal.stft, W, **named) for named in ({'nperseg': 16, 'noverlap': 16},"
    " {'nperseg': 16, 'nfft': 8},"
    " {'window': 'x'}, {'boundary': 'x'}, {'nperseg': 0}, {'nperseg': 16, 'window': jnp.ones(8)})]",
    *(f"Z = signal.stft(W, nperseg=16)[2]\nclose(signal.istft({case}))" for case in (
        "Z, nperseg=16", "Z, fs=2.0", "Z, nperseg=16, noverlap=4", "Z, boundary=False")),
    "Z = signal.stft(V, nperseg=16)[2]\nclose(signal.istft(Z)[1]),"
    " close(signal.istft(jnp.swapaxes(Z, 1, 2), time_axis=1, freq_axis=2)[1])",
    "Z = signal.stft(W, nperseg=16, return_onesided=False)[2]\nclose(jnp.real(signal.istft(Z,"
    " input_onesided=False)[1]))",
    "Z = signal.stft(W, nperseg=16)[2]\n[raised(signal.istft, Z,"
    " **named) for named in ({'nperseg': 40},"
    " {'time_axis': 0, 'freq_axis': 0}, {'nfft': 8}, {'nperseg': 16, 'noverlap': 20})],"
    " raised(signal.istft, Z[0])",
    *(f"close(signal.welch({case}))" for case in (
        "W, nperseg=16", "V, fs=3.0, nperseg=16, scaling='spectrum', average='median'", "W",
        "W, nperseg=16, detrend=False", "W, nperseg=16, detrend='linear'",
        "V.T, nperseg=16, axis=0", "W, nperseg=16, return_onesided=False",
        "W, nperseg=16, window='hamming'")),
    "signal.welch(W[:0]), [raised(signal.welch, W, nperseg=16,"
    " **named) for named in ({'scaling': 'x'}, {'average': 'x'})]",
    *(f"close(signal.csd({case}))" for case in (
        "W, V[0], nperseg=16", "W, None, nperseg=16", "W, V[0, :30], nperseg=16",
        "W, V[0], nperseg=16, average='median'")),
    "raised(signal.csd, V, W, nperseg=16)",
    "jax.grad(lambda x: signal.welch(x, nperseg=16)[1].sum())(W),"
    " jax.grad(lambda x: signal.fftconvolve(x, W[:5]).sum())(W)",
)

DENSITIES = tuple(
    f"G, x = stats.gaussian_kde, jnp.array([1.0, 2, 4, 4.5, 7])\n"
    f"X = jnp.array([[1.0, 2, 4, 4.5, 7], [2.0, 1, 0, 3, 5]])\n"
    f"g, g2, at = G(x), G(X), jnp.array([0.0, 3])\n{case}"
    for case in (
        "[(h.d, h.n, h.neff, h.covariance, h.weights, h.dataset) for h in (g, g2)]",
        "close((g.inv_cov, g2.inv_cov)), g(at), g2(jnp.stack([at, at])), g(2.0), g2(at + 1)",
        "g.logpdf(at), g.pdf(at), G(jnp.arange(5)).evaluate(at)",
        "[G(x, bw).covariance for bw in ('scott', 'silverman', 0.3, lambda k: k.n * 0.1)]",
        "G(x, weights=jnp.array([1.0, 2, 0, 1, 1])).evaluate(at)",
        "g.integrate_gaussian(1.0, 2.0), g2.integrate_gaussian(jnp.ones(2), jnp.eye(2))",
        "g.integrate_box_1d(0.0, 3.0), g.integrate_kde(G(x[:3])), g2.integrate_kde(g2)",
        "g.resample(k), g.resample(k, (3,)), g2.resample(k, (3,)), g2.resample(k)",
        "jax.jit(lambda x: G(x)(at))(x), jax.jit(lambda g, p: g(p))(g, x)",
        "jax.grad(lambda x: G(x)(at).sum())(x)",
        "[raised(G, *args) for args in ((x, 'z'), (x, [1.0]), (x, None, at), (x[:1],), (x * 1j,),"
        " ([1.0, 2.0],))]",
        "raised(g2, jnp.ones((3, 2))), raised(g2.integrate_gaussian, 1.0, 2.0),"
        " raised(g2.integrate_box_1d, 0.0, 1.0), raised(g.integrate_kde, g2),"
        " raised(g.integrate_box, 0.0, 1.0), raised(g.set_bandwidth, 0.3)")
)
CONVOLUTIONS = tuple(
    f"a, b = jnp.arange(12.0).reshape(3, 4), jnp.array([[1.0, 2], [0, -1]])\n"
    f"f = signal.{name}\n{case}"
    for name in ("convolve", "correlate", "convolve2d", "correlate2d") for case in (
        "[f(a, b, mode) for mode in ('full', 'same', 'valid')]",
        "[f(b, a, mode) for mode in ('full', 'same', 'valid')]",
        "f(a.astype(int), b.astype(int)), f(a * 1j, b + 1j), f(a.astype('bfloat16'), b.astype("
        "'bfloat16'))",
        "[raised(f, *args) for args in ((a, b, 'x'), (a, b[0]), (a, b[:0]), (a, jnp.ones((4, 2)),"
        " 'valid'))]",
        "jax.grad(lambda a, b: (f(a, b) ** 2).sum(), (0, 1))(a, b), jax.vmap(f)(a[None], b[None])",
        *(["close(f(a, b, method='fft')), f(a, b, method='direct'), f(a[0], b[0]),"
           " raised(f, a, b, method='x')"] if "2" not in name else
          ["raised(f, a, b, boundary='wrap'), raised(f, a, b, fillvalue=1)"]))
)

CASES = (
    *STATS, *INTERPOLATION, *IMAGES, *OPTIMIZE, *ROTATIONS, *SIGNALS, *DENSITIES, *CONVOLUTIONS
)  # fmt: skip
