"""Space: its rotations."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"minijax.scipy.spatial.transform": ""})
