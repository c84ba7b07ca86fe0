"""What XLA is told of operations, under the name of `jax.experimental.xla_metadata`."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.outside.xla_metadata import set_xla_metadata

__all__ = ["set_xla_metadata"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
