"""How arrays lie on devices, by the names of `jax.sharding`. There is one device."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.placement import SingleDeviceSharding

__all__ = ["SingleDeviceSharding"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
