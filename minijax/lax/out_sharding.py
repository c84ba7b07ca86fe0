"""out_sharding: how a result is to lie on the devices of a mesh, said where it is made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from minijax.face.boundaries import unquote_annotations
from minijax.face.lazily import call_lazily

_auto_axes = call_lazily("minijax.lax.sharding.axis_modes.auto_axes")
_known = call_lazily("minijax.lax.sharding.resharding.known_target")
_moved = call_lazily("minijax.lax.sharding.resharding.moved")


def says_nothing(sharding: Any) -> bool:
    """Whether none is given, or the one that an array's type has where it is on no mesh."""
    return sharding is None or getattr(getattr(sharding, "mesh", None), "empty", False)


def _names_no_axis(sharding: Any) -> bool:
    """Whether it is that of an array's type, and the mesh has no axes of which types say more."""
    mesh, spec = getattr(sharding, "mesh", None), getattr(sharding, "spec", None)
    if mesh is None or hasattr(mesh, "flat_devices") or mesh.explicit_axes:
        return False
    return all(names is None for names in spec.partitions)


def takes_out_sharding(fun: Callable) -> Callable:
    """The function with one keyword more: it computes as the compiler likes, and its result then
    lies as `out_sharding` says. A spec is for the mesh that is set."""

    @wraps(fun)
    def placing(*args: Any, out_sharding: Any = None, **kwargs: Any) -> Any:
        if says_nothing(out_sharding) or _names_no_axis(out_sharding):
            return fun(*args, **kwargs)
        return _auto_axes(fun, out_sharding=out_sharding)(*args, **kwargs)

    unquote_annotations(fun)
    signature = inspect.signature(fun)
    keyword = inspect.Parameter("out_sharding", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = list(signature.parameters.values())
    last = parameters.pop() if parameters[-1].kind is inspect.Parameter.VAR_KEYWORD else None
    placing.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*parameters, keyword, *([last] if last else [])]
    )
    return placing


def said(fun_name: str, out_sharding: Any, name: str = "out_sharding") -> dict[str, Any]:
    """The parameter of a primitive that says how its result lies, if anything does."""
    return {} if out_sharding is None else {name: _known(fun_name, out_sharding, abstract=True)}


def lying(fun_name: str, x: Any, out_sharding: Any) -> Any:
    """A result that lies on devices as `out_sharding` says, if anything."""
    return x if out_sharding is None else _moved(fun_name, x, out_sharding)


def with_axes(out_sharding: Any, axes: Sequence[int]) -> Any:
    """How an array lies that has these axes of one that is to lie so."""
    spec = getattr(out_sharding, "spec", out_sharding)
    partitions = getattr(spec, "partitions", None)
    if partitions is None:
        return out_sharding  # None, or nothing that is known
    of_axes = [partitions[d] if d < len(partitions) else None for d in axes]
    spec = spec.update(partitions=of_axes)
    return out_sharding.update(spec=spec) if hasattr(out_sharding, "spec") else spec
