"""SciPy's functions under `jax.scipy`'s names."""

from minijax.face.lazily import lazy_names

_MODULES = """
    cluster fft integrate interpolate ndimage optimize signal sparse spatial special stats"""
__getattr__, __dir__, __all__ = lazy_names(
    __name__, {f"minijax.scipy.{name}": "" for name in _MODULES.split()}
)
