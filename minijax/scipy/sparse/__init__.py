"""Linear equations whose matrix is known by its products alone."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"minijax.scipy.sparse.linalg": ""})
