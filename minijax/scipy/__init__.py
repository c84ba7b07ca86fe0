"""SciPy's functions under `jax.scipy`'s names."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.scipy.cluster": "", "minijax.scipy.fft": "", "minijax.scipy.integrate": "",
    "minijax.scipy.interpolate": "", "minijax.scipy.linalg": "", "minijax.scipy.ndimage": "",
    "minijax.scipy.optimize": "", "minijax.scipy.signal": "", "minijax.scipy.sparse": "",
    "minijax.scipy.spatial": "", "minijax.scipy.special": "", "minijax.scipy.stats": "",
})  # fmt: skip
