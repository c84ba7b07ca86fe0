"""A mistake for each `raise` of transforms, attention, images, and what scipy has."""

SETUP = """\
import importlib

def module(name):
    return importlib.import_module(f'{jax.__name__}.{name}')

fft, S, sfft = jnp.fft, jax.scipy.special, module('scipy.fft')
stats, signal, image = module('scipy.stats'), module('scipy.signal'), module('image')
monitoring, optimize, solvers = (
    module('monitoring'), module('scipy.optimize'), module('scipy.sparse.linalg'))
vq, image_at = module('scipy.cluster.vq').vq, module('scipy.ndimage').map_coordinates
Grid = module('scipy.interpolate').RegularGridInterpolator
Rotation, Slerp = (getattr(module('scipy.spatial.transform'), n) for n in ('Rotation', 'Slerp'))
attend = jax.nn.dot_product_attention
D = jnp.array([[1.0, 2, 4, 4.5], [2.0, 1, 0, 3]])
F, M, Z = jnp.arange(3.0), jnp.ones((2, 3)), jnp.ones(3) * 1j
A, B = jnp.eye(2), jnp.ones(2)
Q, K = jnp.ones((2, 3, 4, 5)), jnp.ones((2, 6, 2, 5))
R = Rotation.from_rotvec(jnp.ones((3, 3)))
grid = (jnp.array([0.0, 1.0]), jnp.array([0.0, 1.0, 2.0]))

def hear(*args, **named):
    pass
"""
BFGS = "method='BFGS'"
WITH_JAX = {
    "lax.fft": {
        "lax.fft(Z, 'FFT', (1, 3))": "along the last axes, and got fft_lengths (1, 3) for",
        "lax.fft(Z, 'RFFT', (3,))": "of the type RFFT takes float32 or float64, and got complex64[",
        "lax.fft(Z, 'FFT', (4,))": "takes the last sizes (4,), and got",
        "lax.fft(F, 'x', (3,))": "knows no fft_type 'x'. Give one of FFT, IFFT, RFFT, IRFFT, or",
    },
    "jnp.fft.fft": {
        "fft.fft(F, norm='x')": "knows no norm 'x'. Give one of 'backward', 'ortho' and 'forward'.",
        "fft.fft(F, 0)": "got the sizes (0,). Give sizes from 1.",
        "fft.fft(F, axis=(0,))": "goes along one axis, and got (0,). Give one, or use",
        "fft.fft(F, 1.5)": "takes an integer as n, and got 1.5. Give an int.",
    },
    "jnp.fft.fftn": {"fft.fftn(M, (4,), (0, 1))": "got the sizes (4,) for 2 axes. Give as many."},
    "jnp.fft.fft2": {"fft.fft2(M, axes=(0,))": "goes along two axes, and got (0,). Use jnp.fft.ff"},
    "jnp.fft.fftfreq": {
        "fft.fftfreq(4, [1.0, 2.0])": "takes one number as d, and got [1.0, 2.0]. Give a float.",
        "fft.fftfreq([4])": "takes an integer as n, and got [4]. Give an int.",
    },
    "scipy.fft.dct": {
        "sfft.dct(F, 3)": "is of type 2, and got type 3. Leave it out.",
        "sfft.dct(F, norm='x')": "knows no norm 'x'. Give 'ortho' or leave it out.",
        "sfft.dct(F, n=0)": "needs numbers along its axes, and got 0. Give sizes from 1.",
    },
    "scipy.special.log_ndtr": {
        "S.log_ndtr(F, 31)": "takes a series_order from 0 to 30, and got 31. Leave it",
        "S.log_ndtr(1)": "takes float32 or float64, and got int32. Convert with",
    },
    "scipy.special.entr": {"S.entr(1j)": "takes real numbers, and got complex64. Give floats."},
    "scipy.special.sph_harm_y": {
        "I = jnp.ones(1, int)\nS.sph_harm_y(I, I, F[:1], F[:1], 1)": "returns no derivatives. Leav",
        "S.sph_harm_y(F[:1], jnp.ones(1, int), F[:1], F[:1])": "takes integers as n, and got an ar",
    },
    "scipy.special.factorial": {"S.factorial(3, exact=True)": "counts in floats. Leave `exact` ou"},
    "scipy.special.bernoulli": {"S.bernoulli(-1)": "takes an n from 0, and got -1. Give another."},
    "scipy.special.polygamma": {"S.polygamma(1.5, F)": "takes integers as n, and got 1.5. Convert"},
    "scipy.special.zeta": {"S.zeta(2.0)": "is Hurwitz', which needs q. Give q=1 for Riemann's."},
    "scipy.stats.mode": {
        "stats.mode(F, nan_policy='x')": "knows no nan_policy 'x'. Give one of 'propagate', 'omit'",
        "stats.mode(F, nan_policy='omit')": "doesn't ask whether there are NaNs. Leave nan_policy",
    },
    "scipy.stats.rankdata": {"stats.rankdata(F, 'x')": "knows no method 'x'. Give one of 'average"},
    "scipy.stats.sem": {"stats.sem(F, nan_policy='raise')": "knows no nan_policy 'raise'. Give 'p"},
    "scipy.cluster.vq.vq": {"vq(M, F)": "takes two matrices, or two vectors, and got the shapes ("},
    "RegularGridInterpolator": {
        "Grid(grid, M, bounds_error=True)": "has fill_value instead. Leave bounds_error out.",
        "Grid((*grid, F), M)": "got coordinates of 3 axes for values of 2. Leave some out.",
        "Grid(grid, M)(jnp.ones((2, 3)))": "has 2 axes, and got points of the shape (2, 3). Give",
        "Grid(grid, M, 'x')": "knows no method 'x'. Give 'linear' or 'nearest'.",
    },
    "scipy.ndimage.map_coordinates": {
        "image_at(F, [F], 1, 'x')": "has no mode 'x'. Give one of 'constant',",
        "image_at(F, [F], 2)": "has no order 2. Give 0 or 1.",
        "image_at(M, [F], 1)": "got 1 coordinates for 2 axes. Give one for each.",
    },
    "scipy.optimize.minimize": {
        f"optimize.minimize(jnp.sum, F, 3.0, {BFGS})": "takes a tuple as args, and got 3.0. Put it",
        "optimize.minimize(jnp.sum, F, method='x')": "knows no method 'x'. Give 'BFGS'.",
        f"optimize.minimize(jnp.sum, F, options={{'x': 1}}, {BFGS})": "has no option 'x'. Leave it",
        f"optimize.minimize(jnp.sum, jnp.arange(3), {BFGS})": "takes a vector of floats as x0, and",
    },
    "scipy.sparse.linalg.gmres": {
        "solvers.gmres(A, B, solve_method='x')": "knows no solve_method 'x'. Give 'batched' or",
    },
    "scipy.sparse.linalg.cg": {
        "solvers.cg(3, B)": "takes a matrix or a function as A, and got 3. Give one of these.",
        "solvers.cg(M, B)": "takes a square matrix as A, and got the shape (2, 3). Give one.",
        "solvers.cg(A, jnp.ones(2, int))": "takes floats as b, and got int32[2]. Convert with",
        "solvers.cg(A, B, F)": "got float32[2] as b, and float32[3] as x0. Give x0 b's shape.",
        "solvers.cg(A, B, jnp.ones(2, int))": "got float32[2] as b, and int32[2] as x0. Give x0 b'",
    },
    "Rotation": {
        "R[0][0]": "A single Rotation has no index. Make an array: quat[None].",
        "len(R[0])": "A single Rotation has no length. Make an array: quat[None].",
        "R.apply(jnp.ones(4))": "Rotation.apply got an array of the shape (4,). Give one that ends",
        "R.as_euler('x')": "Rotation.as_euler takes three axes, and got 'x'. Give such as 'xyz'.",
        "R.as_euler('abc')": "Rotation.as_euler takes names of axes, and got 'abc'. Give letters o",
        "Rotation.from_euler('xx', B)": "got an axis twice in a row: 'xx'. Give each once there.",
    },
    "Slerp": {
        "Slerp.init(F[:1], R[:1])": "Slerp.init takes two rotations or more. Give a Rotation of as",
        "Slerp.init(B, R)": "Slerp.init got times of the shape (2,) for 3 rotations. Give as many.",
        "Slerp.init(F, R)(M)": "takes a time or a row of them, and got an array of the shape (2, 3",
    },
    "scipy.signal.convolve": {
        "signal.convolve(F, F, method='x')": "knows no method 'x'. Give one of 'auto', 'direct' an",
        "signal.convolve(F, M)": "takes arrays of as many axes, and got 1 axes and 2.",
        "signal.convolve(F, F[:0])": "takes some numbers, and got the shapes (3,) and (0,). Give s",
    },
    "scipy.signal.convolve2d": {
        "signal.convolve2d(M, M, fillvalue=1)": "has zeros beyond its ends. Leave boundary out.",
        "signal.convolve2d(M, F)": "takes two matrices, and got the shapes (2, 3) and (3,). Give",
    },
    "gaussian_kde": {
        "stats.gaussian_kde(Z)": "takes floats, and got complex64. Convert them.",
        "stats.gaussian_kde(F[:1])": "takes several points, and got (1, 1). Give more.",
        "stats.gaussian_kde(F, weights=B)": "got weights of the shape (2,) for 3 points. Give a ro",
        "stats.gaussian_kde(F, 'x')": "knows no bw_method 'x'. Give 'scott', 'silverman', a number",
        "stats.gaussian_kde(F)(jnp.ones((2, 3)))": "got points of the shape (2, 3) for 1 dimension",
        "stats.gaussian_kde(F).integrate_gaussian(B, A)": "integrate_gaussian got the shapes (2,)",
        "stats.gaussian_kde(D).integrate_box_1d(0, 1)": "is for one dimension, and has 2. Leave ro",
        "stats.gaussian_kde(F).integrate_kde(stats.gaussian_kde(D))": "got one of 2 dimensions, an",
        "stats.gaussian_kde(F).integrate_box(0, 1)": "integrate_box is not here. Use integrate_box",
        "stats.gaussian_kde(F).set_bandwidth(1)": "would change it. Make a new one, with bw_method",
    },
    "scipy.signal.fftconvolve": {
        "signal.fftconvolve(F, F, 'x')": "knows no mode 'x'. Give one of 'full', 'same' and 'valid",
        "signal.fftconvolve(F, M)": "takes arrays of as many axes, and got 1 axes and 2.",
        "signal.fftconvolve(M, M[:1].repeat(3, 0), axes=(1,))": "got the shapes (2, 3) and (3, 3),",
    },
    "scipy.signal.detrend": {
        "signal.detrend(F, overwrite_data=True)": "makes a new array. Leave overwrite_data out.",
        "signal.detrend(F, type='x')": "knows no type 'x'. Give 'linear' or 'constant'.",
        "signal.detrend(F, bp=5)": "got the places 5 for 3 numbers. Give some of these.",
    },
    "scipy.signal.stft": {
        "signal.stft(F, nperseg=0)": "takes an nperseg from 1, and got 0. Give another.",
        "signal.stft(F, window=F, nperseg=2)": "got a window of the shape (3,) for 3 numbers and n",
        "signal.stft(F, nperseg=3, nfft=2)": "got nfft 2 for nperseg 3. Give as many, or more.",
        "signal.stft(F, nperseg=3, noverlap=3)": "got noverlap 3 for nperseg 3. Give a smaller one",
        "signal.stft(F, 1.0, 'x', 3)": "knows no window 'x'. Give one of SciPy's names, or its num",
        "signal.stft(F, nperseg=3, boundary='x')": "knows no boundary 'x'. Give one of 'zeros', 'c",
    },
    "scipy.signal.istft": {
        "signal.istft(Z)": "takes frequencies and times, and got an array of the shape (3,).",
        "signal.istft(Z[None], time_axis=0, freq_axis=0)": "got axis 0 for both times and frequenc",
    },
    "scipy.signal.welch": {
        "signal.welch(F, nperseg=2, scaling='x')": "knows no scaling 'x'. Give 'density' or 'spect",
        "signal.welch(F, nperseg=2, average='x')": "knows no average 'x'. Give 'mean' or 'median'.",
    },
    "scipy.signal.csd": {
        "signal.csd(F, M, nperseg=2)": "takes signals of as many axes, and got 1 axes and 2. Give",
    },
    "image.resize": {
        "image.resize(M, (2, 2), 'x')": "knows no method 'x'. Give one of 'linear', 'bilinear', 't",
        "image.resize(M, (2,), 'linear')": "got the shape (2,) for 2 axes. Give as many sizes.",
    },
    "image.scale_and_translate": {
        "image.scale_and_translate(M, (2, 2), (0,), F[1:2], F[:1], 'nearest')":
            "has no method 'nearest",
        "image.scale_and_translate(M, (2, 2), (0,), F, F[:1], 'linear')":
            "got a scale of the shape (3,) f",
    },
    "monitoring.unregister_event_listener": {
        "monitoring.unregister_event_listener(hear)": "which does\nnot listen. Give a function tha",
    },
    "nn.dot_product_attention": {
        "attend(Q, K, K, implementation='cudnn')": "runs on the CPU, without cuDNN. Leave implemen",
        "attend(Q, K, K, implementation='x')": "knows no implementation 'x'. Leave it out.",
        "attend(Q, K.astype('bfloat16'), K)": "got a query of float32 and a key of bfloat16. Give",
        "attend(Q, K, K[:, :3])": "got the shapes (2, 3, 4, 5), (2, 6, 2, 5) and (2, 3, 2, 5).\nGi",
        "attend(Q[:, :, :3], K, K)": "got 3 heads of the query and 2 of the key. Give a multiple.",
        "attend(Q, K, K, query_seq_lengths=B / 2)": "takes 2 integers as query_seq_lengths, and go",
        "attend(Q, K, K, mask=jnp.ones((1, 1, 1, 1)))": "takes bools as mask, and got float32. Com",
    },
}
WITH_JAX |= {
    "dirichlet.logpdf": {
        "stats.dirichlet.logpdf(F, Z)": "takes real numbers, and got complex64. Give floats.",
        "stats.dirichlet.logpdf(F, 2.0)": "takes a row as alpha, and got one of the shape (). Use",
        "stats.dirichlet.logpdf(jnp.ones(5), F)": "got x of the shape (5,) for 3 numbers of alpha.",
    },
    "multivariate_normal.logpdf": {
        "stats.multivariate_normal.logpdf(F, F, jnp.eye(3), allow_singular=True)":
            "takes no singular cov. Leave allow_singular out.",
        "stats.multivariate_normal.logpdf(F, F, A)": "got cov of the shape (2, 2) for a mean of 3",
    },
    "multinomial.logpmf": {"stats.multinomial.logpmf(F, 3, F)": "counts with integers, and got fl"},
}
# What JAX lets through, answers for with an error of another class, or fails to see.
OURS_BY_NAME = {
    "scipy.fft.dctn": {"sfft.dctn(M, s=(4,), axes=(0, 1))": "got 1 sizes for 2 axes. Give as many"},
    "scipy.special.bessel_jn": {"S.bessel_jn(F, v=-1)": "takes a v from 0, and got -1. Give anoth"},
    "scipy.special.multigammaln": {"S.multigammaln(F, 1.5)": "takes an integer as d, and got 1.5."},
    "scipy.cluster.vq.vq": {"vq(M, M[:, :2])": "got rows of the lengths 3 and 2. Give equal ones."},
    "RegularGridInterpolator": {
        "Grid(grid, M.T)": "got coordinates of the shape (2,) along axis 0 of (3, 2). Give",
        "Grid(grid, M, fill_value=F)": "takes one fill_value, and got an array of type float32[3].",
        "Grid((B, grid[1]), M)": "got coordinates along axis 0 that neither rise nor fall. Give",
    },
    "Rotation": {"Rotation.from_euler('xy', F)": "got angles of the shape (3,) for 2 axes. Give a"},
    "scipy.signal.fftconvolve": {
        "signal.fftconvolve(M, M[:1].repeat(3, 0)[:, :2], 'valid')": "got the shapes (2, 3) and (3",
    },
    "monitoring.register_event_listener": {
        "monitoring.register_event_listener(3)": "takes a function, and got 3. Give one.",
    },
    "nn.dot_product_attention": {
        "attend(Q[0, 0], K[0, 0], K[0, 0])": "takes three axes or four, and got an array of the sh",
        "attend(*[x.astype(int) for x in (Q, K, K)])": "takes floats, and got int32. Convert them.",
        "attend(Q, K, K, jnp.ones((2, 4, 2, 6)))": "takes a bias of the shape (2, 4, 3, 6), and go",
    },
}

MESSAGES = {case: words for cases in WITH_JAX.values() for case, words in cases.items()}
OURS = {case: words for cases in OURS_BY_NAME.values() for case, words in cases.items()}
NAMES = {
    case: name for table in (WITH_JAX, OURS_BY_NAME) for name, cases in table.items()
    for case in cases
}  # fmt: skip
CASES = tuple(MESSAGES)
