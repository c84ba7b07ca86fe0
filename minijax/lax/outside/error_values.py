"""Errors as values: what checks have found wrong, carried by a program beside its results.

An error is a pytree. For each kind of finding it has a flag, a number that says which check it was,
and the arrays that its message shows. The rest of a message is known while tracing: the number
leads to it.

The primitive raises what an error holds. A pure program raises nothing, so there it has to be taken
out by checkify.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import as_array
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.forward import primitive_jvps
from minijax.core.jitting import as_runtime_value, running
from minijax.core.primitives import select_n, sub
from minijax.core.printing import pp_eqn_rules
from minijax.core.pytrees import (
    PyTreeDef,
    register_pytree_node,
    tree_flatten,
    tree_map,
    tree_unflatten,
)
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.control_flow.conditionals import harmless_effects
from minijax.lax.elementwise.bits import bitwise_or
from minijax.lax.indexing.dynamic_slicing import dynamic_index_in_dim
from minijax.lax.outside.findings import BatchedError, ErrorEffect, JaxException, JaxRuntimeError
from minijax.lax.reductions.argminmax import argmax
from minijax.lax.reductions.by_operation import reduce_or
from minijax.lax.shapes.axes import rev, zeros_of
from minijax.lax.sharding.sharded_arrays import takes_shards
from minijax.lax.typechecks import FLAG, TREE, def_typecheck

# What has been found.


@dataclass(frozen=True, eq=False, repr=False)
class Error:
    """What a checked function found wrong, if anything: its first result, a pytree.

    Of several findings the first in the program is told; of one in a loop, the first time.

    >>> from minijax.experimental import checkify
    >>> import minijax
    >>> f = minijax.jit(checkify.checkify(lambda x: 1 / x, errors=checkify.div_checks))
    >>> print(f(0.0)[0], f(2.0)[0])
    Error(division by zero) Error(None)
    """

    _pred: dict[ErrorEffect, Any]  # whether one was found
    _code: dict[ErrorEffect, Any]  # which one
    _metadata: dict[int, PyTreeDef]  # by code, the structure of the exception
    _payload: dict[ErrorEffect, list]  # its arrays

    def get(self) -> str | None:
        """The message; None where nothing was found. Of mapped errors, a line for each example."""
        error = self.get_exception()
        return None if error is None else str(error)

    def get_exception(self) -> JaxException | None:
        """What was found, as an exception; None for nothing."""
        shape = next((typeof(x).shape for x in self._pred.values()), ())
        if not shape:
            return self._first(())
        found = {index: self._first(index) for index in np.ndindex(*shape)}
        errors = {index: error for index, error in found.items() if error is not None}
        return BatchedError(errors) if errors else None

    def _first(self, index: tuple[int, ...]) -> JaxException | None:
        """What was found first, of an example."""
        def example(x: Any) -> Any:
            return x[index] if index else x

        found = [kind for kind, pred in self._pred.items() if bool(example(pred))]
        if not found:
            return None
        code, kind = min((int(example(self._code[kind])), kind) for kind in found)
        return tree_unflatten(self._metadata[code], map(example, self._payload[kind]))

    def throw(self) -> None:
        """Raises JaxRuntimeError with the message, where something was found.

        In a function that is checked itself, the finding becomes one of that function's.
        """
        bind_check(self)

    def __str__(self) -> str:
        return f"Error({self.get()})"

    __repr__ = __str__

    # How one is made: each step gives another error.

    def with_finding(
        self, kind: ErrorEffect, pred: Any, code: Any, metadata: dict, payload: Sequence
    ) -> Error:
        """With this finding too, if `pred` is true and there is none of its kind already."""
        if kind in self._pred:
            had = self._pred[kind]
            pred, code = bitwise_or(had, pred), select_n(had, code, self._code[kind])
            payload = [select_n(had, *pair)
                       for pair in zip(payload, self._payload[kind], strict=True)]  # fmt: skip
        return Error(
            {**self._pred, kind: pred}, {**self._code, kind: code},
            {**self._metadata, **metadata}, {**self._payload, kind: list(payload)},
        )  # fmt: skip

    def with_places(self, kinds: Iterable[ErrorEffect]) -> Error:
        """With room for findings of these kinds, of which there are none so far."""
        error = self
        for kind in sorted(set(kinds) - self._pred.keys()):
            nothing = [zeros_of(aval) for aval in kind.shape_dtypes]
            error = error.with_finding(kind, np.False_, np.int32(-1), {}, nothing)
        return error

    def with_metadata(self, metadata: dict[int, PyTreeDef]) -> Error:
        return replace(self, _metadata={**self._metadata, **metadata})


def _flatten_error(error: Error) -> tuple:
    return (error._pred, error._code, error._payload), error._metadata


def _unflatten_error(metadata: dict, children: Iterable) -> Error:
    pred, code, payload = children
    return Error(pred, code, metadata, payload)


register_pytree_node(Error, _flatten_error, _unflatten_error)
init_error = Error({}, {}, {}, {})
_next_code: Callable[[], int] = count(1).__next__


def assert_func(error: Error, failed: Any, finding: JaxException) -> Error:
    """The error with a finding too, if `failed` is true."""
    code = _next_code()
    leaves, tree = tree_flatten(finding)
    payload = [as_array(x) if isinstance(x, np.ndarray) else x for x in leaves]
    kind = finding.get_effect_type()
    return error.with_finding(kind, failed, np.int32(code), {code: tree}, payload)


# The primitive: an operation without results, of an error's leaves.

check_p = Primitive("check")
check_p.multiple_results = True
harmless_effects.append(ErrorEffect)
def_typecheck(check_p, err_tree=TREE, debug=FLAG)


@check_p.def_effectful_abstract_eval
def _check_rule(*avals: ShapedArray, err_tree: PyTreeDef, debug: bool) -> tuple:
    return [], frozenset(tree_unflatten(err_tree, avals)._pred)


@check_p.def_impl
def _check_impl(*operands: Any, err_tree: PyTreeDef, debug: bool) -> list:
    if debug:
        return []
    if running.inside_program:
        raise _not_checkified()
    error = tree_unflatten(err_tree, map(as_runtime_value, operands)).get_exception()
    if error is not None:
        raise JaxRuntimeError(str(error)) from error
    return []


def _not_checkified() -> ValueError:
    return ValueError(
        "A checkify.check is in a program (of jit, or of a loop or a choice of lax), and a program "
        "raises no errors. Call the function through checkify.checkify, which returns the error, "
        "or use checkify.debug_check."
    )


def _check_call(eqn: JaxprEqn) -> None:
    """No compiled program has a check, but for debugging: that one does nothing."""
    if not eqn.params["debug"]:
        raise _not_checkified()


register_lowering(check_p, call=_check_call)
takes_shards.add(check_p)  # an error of pmap's raises at once, as any other


def _check_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
    """The values are checked, and no tangents."""
    return check_p.bind(*primals, **params), []


def _check_batcher(
    args: Sequence[Any], dims: Sequence[Any], *, err_tree: PyTreeDef, debug: bool
) -> tuple:
    """One check of all examples."""
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    examples = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    bind_check(tree_unflatten(err_tree, examples), debug)
    return [], []


primitive_jvps[check_p] = _check_jvp
primitive_batchers[check_p] = _check_batcher
pp_eqn_rules[check_p] = lambda params: {"debug": params["debug"]}


def bind_check(error: Error, debug: bool = False) -> None:
    """Raises what was found, or hands it to whoever checks the function."""
    while any(typeof(pred).shape for pred in error._pred.values()):
        error = _of_one_example(error)
    operands, tree = tree_flatten(error)
    check_p.bind(*operands, err_tree=tree, debug=debug)


def _of_one_example(error: Error) -> Error:
    """Of mapped errors, for each kind that of the last example in which there is a finding."""
    found = {}
    for kind, pred in error._pred.items():
        last = _last_true(pred)
        found[kind] = tree_map(
            lambda x, last=last: dynamic_index_in_dim(x, last, 0, keepdims=False),
            (pred, error._code[kind], error._payload[kind]),
        )  # fmt: skip
    pred, code, payload = ({kind: x[i] for kind, x in found.items()} for i in range(3))
    return Error(pred, code, error._metadata, payload)


def _last_true(pred: Any) -> Any:
    """The last place along axis 0 with something true; the last of all, if there is nothing."""
    shape = typeof(pred).shape
    found = reduce_or(pred, range(1, len(shape)))
    return sub(np.int32(shape[0] - 1), argmax(rev(found, [0]), 0, np.int32))
