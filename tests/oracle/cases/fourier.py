"""Fourier and cosine transforms: values, types, programs, derivatives and refusals."""

SETUP = """\
import importlib

fft = jnp.fft
sfft = importlib.import_module(jax.__name__ + ".scipy.fft")
X = jnp.array([[0.5, -1.0, 2.0, 3.0], [1.0, 0.0, -2.5, 0.25], [4.0, 1.5, 0.0, -1.0]])
Z = X + 1j * X[::-1]
I = jnp.arange(6).reshape(2, 3)
k = random.key(0)

def show(f, *args):
    return jax.make_jaxpr(f)(*args)

def rounded(x):
    return jnp.round(x * 1e3) + 0

def weighted(f):
    def total(x):
        y = f(x)
        return jnp.sum(jnp.real(y) * jnp.cos(jnp.arange(y.size)).reshape(y.shape)) + (
            jnp.sum(jnp.imag(y) * jnp.sin(jnp.arange(y.size)).reshape(y.shape)))
    return total
"""
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
OF_REALS = ("rfft", "ihfft", "rfft2", "rfftn")


def operand(name: str) -> str:
    return "X" if name in OF_REALS else "Z"


LAX = (
    "lax.fft(Z, 'FFT', (4,)), lax.fft(Z, lax.FftType.IFFT, (3, 4)), lax.fft(X, 'fft', (4,))",
    "lax.fft(X, 'RFFT', (4,)), lax.fft(X[:, :3], 'RFFT', (3, 3)), lax.fft(I, 'RFFT', (3,))",
    "lax.fft(Z, 'IRFFT', (6,)), lax.fft(Z, 'IRFFT', (7,)), lax.fft(Z, 'IRFFT', (3, 6))",
    "with jax.enable_x64(True):\n    out = lax.fft(X.astype('float64'), 'RFFT', (4,))\nout",
    "lax.fft(X, 'FFT', ()), lax.fft(X.astype('float16'), 'FFT', (4,)), lax.fft(I > 2, 'FFT', (3,))",
    "[str(kind) for kind in lax.FftType], lax.FftType.RFFT == 2",
    "show(lambda x: lax.fft(x, 'RFFT', (4,)), X), show(lambda x: lax.fft(x, 'FFT', (4,)), X)",
    "show(jax.vmap(lambda x: lax.fft(x, 'RFFT', (3,)), 1), X)",
    "show(lambda x: lax.fft(x, 'IRFFT', (3, 6)), Z)",
    *(f"jax.grad(weighted(lambda x: lax.fft(x, 'RFFT', {n})))(X)" for n in ((4,), (3, 4))),
    "jax.grad(weighted(lambda x: lax.fft(x, 'RFFT', (3,))))(X[:, :3])",
    *(f"jax.grad(weighted(lambda x: lax.fft(x, '{kind}', {n})))(Z)"
      for kind in ("FFT", "IFFT") for n in ((4,), (3, 4))),
    *(f"jax.grad(weighted(lambda x: lax.fft(x, 'IRFFT', {n})))(Z)" for n in ((6,), (7,), (3, 6))),
    "jax.jvp(lambda x: lax.fft(x, 'RFFT', (4,)), (X,), (X[::-1],))",
    "jax.linear_transpose(lambda x: lax.fft(x, 'FFT', (4,)), Z)(Z)",
    "jax.vmap(lambda x: lax.fft(x, 'IFFT', (3,)), 1, 1)(Z)",
    "jax.jit(lambda x: lax.fft(lax.fft(x, 'RFFT', (4,)), 'IRFFT', (4,)))(X)",
    "[raised(lax.fft, *args) for args in ((X, 'x', (4,)), (X, 2, (4,)), (Z, 'RFFT', (4,)),"
    " (Z, 'FFT', (5,)), (X, 'RFFT', (1, 3, 4)), (X.astype('float16'), 'RFFT', (4,)),"
    " (1.0, 'FFT', (1,)), (X, 'RFFT', [4]))]",
    "lax.fft_p.bind(X, fft_type=lax.FftType.FFT, fft_lengths=(4,))",
)
NUMPY = (
    *(f"[fft.{name}({operand(name)}, n, axis, norm) for n, axis, norm in ((None, -1, None),"
      f" (3, 0, 'ortho'), (6, 1, 'forward'), (2, -2, 'backward'))]" for name in ONE),
    *(f"[fft.{name}({operand(name)}, s, axes, norm) for s, axes, norm in ((None, (-2, -1), None),"
      f" ((4, 3), (0, 1), 'ortho'), ((2, 6), (1, 0), 'forward'))]" for name in SEVERAL),
    *(f"fft.{name}({operand(name)}), fft.{name}({operand(name)}, (5,)),"
      f" fft.{name}({operand(name)}, axes=(0,))" for name in SEVERAL if name.endswith("n")),
    "fft.fft(I), fft.rfft(I > 2), fft.fft(X.astype('float16')), fft.ifft(np.ones(3)), fft.fft(X,"
    " 0 + 2)",
    "fft.fft(jnp.zeros((0, 3))), fft.fft(jnp.zeros(0)), fft.irfft(Z[:, :1]), fft.fftn(X, axes=())",
    "T = jnp.arange(24.0).reshape(2, 3, 2, 2)\nfft.fftn(T), fft.rfftn(T), fft.irfftn(T)",
    "show(fft.fft, X), show(fft.rfft, X), show(fft.irfft, X), show(fft.fftn, X)",
    "jax.vmap(fft.rfft, 1)(X), jax.vmap(lambda x: fft.fft(x, 2), 1, 1)(X)",
    *(f"jax.grad(weighted(fft.{name}))({operand(name)})" for name in (*ONE, *SEVERAL)),
    "[fft.fftfreq(n) for n in (0, 1, 4, 5)], fft.fftfreq(5, 2), fft.fftfreq(4, jnp.array([0.5]))",
    "[fft.rfftfreq(n) for n in (1, 4, 5)], fft.rfftfreq(5, 0.1), jax.jit(fft.rfftfreq,"
    " static_argnums=0)(4, 2.0)",
    "fft.fftfreq(5, dtype='bfloat16'), fft.rfftfreq(4, dtype='complex64'), fft.fftfreq(4.0)",
    "fft.fftshift(I), fft.ifftshift(I), fft.fftshift(X, 0), fft.ifftshift(X, (0, -1)),"
    " fft.fftshift(1.0)",
    *(f"[raised(fft.{name}, *args) for args in (('a',), (1.0,), (X, 0), (X, -1), (X, 1.5),"
      f" (X, None, 5), (X, None, 0, 'x'))]" for name in ONE if name != "ihfft"),
    *(f"[raised(fft.{name}, *args) for args in (([1.0],), (X, (4,), (0, 1)), (X, None, (0, 0)),"
      f" (X, None, (0, 5)), (X, (0, 1)), (X, None, (0, 1), 'x'))]" for name in SEVERAL),
    "[raised(fft.fft2, *args) for args in ((X[0],), (X, None, (0,)), (X, None, (0, 1, 1)))]",
    "[raised(fft.rfft, x) for x in (Z, X.astype('float16'), X.astype('bfloat16'))]",
    "[raised(fft.fftfreq, *args) for args in (([4],), (4, [1.0, 2.0]))]",
    "[raised(fft.fftshift, *args) for args in (([1.0],), (k,))]",
)
SCIPY = (
    *(f"[sfft.{name}(X, 2, n, axis, norm) for n, axis, norm in ((None, -1, None), (3, 0, 'ortho'),"
      f" (6, 1, None), (5, -1, 'backward'))]" for name in ("dct", "idct")),
    *(f"[rounded(sfft.{name}(X, 2, s, axes, norm)) for s, axes, norm in ((None, None, None),"
      f" ((4, 3), None, 'ortho'), ((2,), (0,), None), (None, (1, 0), None), (None, (), None))]"
      for name in ("dctn", "idctn")),
    "sfft.dct(I), sfft.dct(X.astype('float16')), sfft.idct(Z)",
    "jax.grad(weighted(sfft.dct))(X), jax.grad(weighted(sfft.idct))(X), jax.vmap(sfft.dct, 1)(X)",
    *(f"[raised(sfft.{name}, *args) for args in ((X, 3), (X, 2, None, 5), (X, 2, None, 0, 'x'),"
      f" ([1.0],), (X, 2, 0))]" for name in ("dct", "idct")),
    "[raised(sfft.dctn, *args) for args in ((X, 1), (X, 2, None, (0, 0)), (X, 2, None, (5,)))]",
)

CASES = (*LAX, *NUMPY, *SCIPY)
