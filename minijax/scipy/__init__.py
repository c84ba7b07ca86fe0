"""SciPy's functions under `jax.scipy`'s names."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    f"minijax.scipy.{name}": ""
    for name in """
        cluster fft integrate interpolate ndimage optimize sparse spatial special stats""".split()
})  # fmt: skip
