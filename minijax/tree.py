"""Functions over pytrees, under the short names of `jax.tree`."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.tree_util import static as static
from minijax.tree_util import tree_all as all
from minijax.tree_util import tree_broadcast as broadcast
from minijax.tree_util import tree_flatten as flatten
from minijax.tree_util import tree_flatten_with_path as flatten_with_path
from minijax.tree_util import tree_leaves as leaves
from minijax.tree_util import tree_leaves_with_path as leaves_with_path
from minijax.tree_util import tree_map as map
from minijax.tree_util import tree_map_with_path as map_with_path
from minijax.tree_util import tree_reduce as reduce
from minijax.tree_util import tree_reduce_associative as reduce_associative
from minijax.tree_util import tree_structure as structure
from minijax.tree_util import tree_transpose as transpose
from minijax.tree_util import tree_unflatten as unflatten

__all__ = [
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "static",
    "structure",
    "transpose",
    "unflatten",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
