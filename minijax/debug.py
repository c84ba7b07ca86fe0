"""Looking at values while a program runs, under the names of `jax.debug`."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.outside.breakpoints import breakpoint
from minijax.lax.outside.debugging import DebugEffect, OrderedDebugEffect
from minijax.lax.outside.debugging import debug_callback as callback
from minijax.lax.outside.debugging import debug_log as log
from minijax.lax.outside.debugging import debug_print as print
from minijax.lax.sharding.drawing import (
    inspect_array_sharding,
    visualize_array_sharding,
    visualize_sharding,
)

__all__ = [
    "DebugEffect", "OrderedDebugEffect", "breakpoint", "callback", "inspect_array_sharding", "log",
    "print", "visualize_array_sharding", "visualize_sharding",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
