"""jit(in_shardings=, out_shardings=): a function whose arguments and results lie as said.

Its program begins and ends with constraints, which the partitioner reads, and which stay where the
function is differentiated or mapped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from minijax.core.arguments import flatten_axes, within
from minijax.core.arrays import is_array_like, raw_value
from minijax.core.jitting import JitFunction
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_leaves, tree_unflatten
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.constraints import check_divides, constrained, known_sharding
from minijax.lax.sharding.layouts import AutoLayout, Format, check_no_bare_layout, without_layout
from minijax.lax.sharding.meshes import first_device
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.sharded_arrays import ShardedArray, place
from minijax.lax.sharding.shardings import Sharding, SingleDeviceSharding, in_short, same_parts


def on_shardings(in_shardings: Any, out_shardings: Any, backend: Any, device: Any) -> Callable:
    """What makes a jitted function of such arguments and results, or one on this device.

    TypeError for what is no sharding, no spec, no Format and not None; ValueError beside a backend,
    for both a device and shardings, and for a Layout.
    """
    if device is not None:
        if in_shardings is not None or out_shardings is not None:
            raise ValueError("jit got a device and shardings. Give shardings alone.")
        in_shardings = out_shardings = SingleDeviceSharding(device)
    if backend is not None:
        raise ValueError(
            f"jit got backend {shown(backend)} and shardings, which say where it runs. Leave the "
            f"backend out."
        )
    for name, tree in (("in_shardings", in_shardings), ("out_shardings", out_shardings)):
        for leaf in tree_leaves(tree):
            check_no_bare_layout("jit", leaf)
            if not isinstance(leaf, P | Sharding | Format):
                raise TypeError(
                    f"jit's {name} are shardings, specs or None, and {shown(leaf)} is none of "
                    f"these. Give P(...) or a NamedSharding."
                )
    return partial(PlacedFunction, in_shardings, out_shardings)


class PlacedFunction(JitFunction):
    """A jitted function with shardings of its arguments, of its results, or of both."""

    def __init__(
        self, ins: Any, outs: Any, fun: Callable, static: tuple, donate: tuple, params: dict
    ) -> None:
        @wraps(fun)
        def placed_fun(*args: Any, **kwargs: Any) -> Any:
            if ins is not None:
                traced, put_back = _traced(args, static)
                args = put_back(_placed("in_shardings", traced, ins))
            out = fun(*args, **kwargs)
            return out if outs is None else _placed("out_shardings", out, outs)

        super().__init__(placed_fun, static, donate, params)
        self._ins, self._outs = ins, outs

    def places(self, in_tree: PyTreeDef, out_tree: PyTreeDef) -> tuple[list, list]:
        """For each leaf of the arguments, and of the results, its sharding, or None."""
        args, _ = tree_unflatten(in_tree, range(in_tree.num_leaves))
        out = tree_unflatten(out_tree, range(out_tree.num_leaves))
        pairs = [
            [(x, None) for x in tree_leaves(tree)] if given is None else _pairs(name, tree, given)
            for name, tree, given in (
                ("in_shardings", args, self._ins), ("out_shardings", out, self._outs)
            )
        ]  # fmt: skip
        ins, outs = ([place for _, place in each] for each in pairs)
        return ins + [None] * (in_tree.num_leaves - len(ins)), outs

    def cache_miss(self, args: tuple, kwargs: dict) -> Any:
        """ValueError for a committed argument that is divided otherwise. One that is divided so,
        on other devices, goes to those of its sharding."""
        if self._ins is not None:
            args = self._moved(args, kwargs)
        return super().cache_miss(args, kwargs)

    def _moved(self, args: tuple, kwargs: dict) -> tuple:
        if kwargs:
            raise ValueError(
                f"jit({self.__name__}) has in_shardings, which are of positional arguments, and "
                f"got {', '.join(map(str, kwargs))} by name. Give it in its place."
            )
        traced, put_back = _traced(args, self._static)
        pairs = _as_given("in_shardings", traced, self._ins)
        moved = [self._at(given, x) for x, given in pairs]
        return put_back(tree_unflatten(tree_flatten(traced)[1], moved))

    def _at(self, given: Any, x: Any) -> Any:
        """The argument, on the devices of its sharding where it is not there already."""
        sharding, is_committed = _known(given), type(x) is ShardedArray and x.committed
        if is_committed and isinstance(getattr(given, "layout", None), AutoLayout):
            raise ValueError(
                f"jit({self.__name__}) is to choose how {x.aval} lies, and got it where somebody "
                f"has put it. Give Format(None, sharding), or an array that nobody has put."
            )
        if sharding is None:
            return x
        if is_committed:
            if x.sharding.is_equivalent_to(sharding, x.ndim):
                return x
            all_alike = x.sharding.is_fully_replicated and sharding.is_fully_replicated
            if not (all_alike or same_parts(x.sharding, sharding, x.ndim)):
                raise ValueError(
                    f"jit({self.__name__}) takes {x.aval} as {in_short(sharding)}, and got it as "
                    f"{in_short(x.sharding)}. Use jax.device_put(x, sharding)."
                )
        elif isinstance(x, Tracer) or not isinstance(sharding, SingleDeviceSharding):
            return x  # a program puts it there
        elif sharding.device_assignment == (first_device,) or not is_array_like(x):
            return x
        return place(raw_value(x), sharding, typeof(x))


def _traced(args: tuple, static: tuple) -> tuple[tuple, Callable]:
    """The arguments that are not static; and what puts others in their place."""
    fixed = within(static[0], len(args))
    places = [i for i in range(len(args)) if i not in fixed]

    def put_back(new: tuple) -> tuple:
        values = dict(zip(places, new, strict=True))
        return tuple(values.get(i, x) for i, x in enumerate(args))

    return tuple(args[i] for i in places), put_back


def _as_given(name: str, tree: Any, shardings: Any) -> list[tuple[Any, Any]]:
    """Each leaf with what is said of it: a sharding, a spec, a Format or None."""
    leaves, treedef = tree_flatten(tree)
    shardings = tuple(shardings) if isinstance(shardings, list) else shardings
    return list(zip(leaves, flatten_axes(f"jit's {name}", treedef, shardings), strict=True))


def _known(given: Any) -> Sharding | None:
    given = given.sharding if isinstance(given, Format) else given
    return None if given is None else known_sharding("jit", given)


def _pairs(name: str, tree: Any, shardings: Any) -> list[tuple[Any, Sharding | None]]:
    """Each leaf with its sharding, or None where nothing is said."""
    return [(leaf, _known(given)) for leaf, given in _as_given(name, tree, shardings)]


def _placed(name: str, tree: Any, shardings: Any) -> Any:
    """The tree with constraints. IndivisibleError, a ValueError, for axes without equal parts."""
    leaves = []
    for x, given in _as_given(name, tree, shardings):
        sharding = _known(without_layout(f"jit's {name}", given, typeof(x).ndim))
        if sharding is not None:
            check_divides(f"jit's {name}", sharding, typeof(x).shape)
            x = constrained(x, sharding)
        leaves.append(x)
    return tree_unflatten(tree_flatten(tree)[1], leaves)
