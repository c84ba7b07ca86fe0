"""Policies of checkpoint: functions that say which operations' results may be kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.identities import same
from minijax.core.arrays import as_array
from minijax.core.batching import defvectorized
from minijax.core.forward import primitive_jvps
from minijax.core.primitives import dot_general_p
from minijax.core.pytrees import tree_map
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.arithmetic import shown

# A value with a name, for policies to go by.

name_p = Primitive("name")
name_p.def_impl(lambda x, *, name: as_array(x))
name_p.def_abstract_eval(lambda x, *, name: x)
defvectorized(name_p)
register_lowering(name_p, identity=same)


def _name_jvp(primals, tangents, *, name):
    """Only the value has the name: its tangent is recomputed or kept as others are."""
    return name_p.bind(*primals, name=name), tangents[0]


primitive_jvps[name_p] = _name_jvp


def checkpoint_name(x: Any, name: str) -> Any:
    """The pytree of arrays x, unchanged, with a name for the policies of `checkpoint`.

    >>> checkpoint_name(as_array(2.0), "hidden")
    Array(2., dtype=float32, weak_type=True)
    """
    return tree_map(lambda leaf: name_p.bind(leaf, name=name), x)


# Answers of a policy beside True and False.


class RecomputeType:
    """The answer of a policy that has a value computed again: as False."""

    def __repr__(self) -> str:
        return "Recompute"


class SaveableType:
    """The answer of a policy that lets a value be kept: as True."""

    def __repr__(self) -> str:
        return "Saveable"


Recompute, Saveable = RecomputeType(), SaveableType()


class Offloadable(NamedTuple):
    """The answer of a policy that has a value kept in another memory, `dst`. A CPU has one memory,
    so it is as Saveable here."""

    src: str
    dst: str


# The policies: (primitive, *types of the operands, **params) -> whether its results are kept.


def everything_saveable(*_: Any, **__: Any) -> bool:
    """All is kept, as without `checkpoint`."""
    return True


def nothing_saveable(*_: Any, **__: Any) -> bool:
    """All is computed again from the arguments, as where no policy is given."""
    return False


convolutions: set[Primitive] = set()  # they are products too


@dataclass(frozen=True)
class DotsSaveable:
    """Keeps products of matrices: they take longest to compute, and are not many."""

    only_if_no_batch_dims: bool

    def __call__(self, primitive: Primitive, *_: Any, **params: Any) -> bool:
        if primitive is not dot_general_p:
            return primitive in convolutions and not self.only_if_no_batch_dims
        _, batch_dims = params["dimension_numbers"]
        return not (self.only_if_no_batch_dims and any(batch_dims))


dots_saveable = DotsSaveable(False)
dots_with_no_batch_dims_saveable = DotsSaveable(True)


@dataclass(frozen=True)
class SaveOnlyTheseNames:
    saveable_names: frozenset

    def __call__(self, primitive: Primitive, *_: Any, **params: Any) -> bool:
        return primitive is name_p and params["name"] in self.saveable_names


@dataclass(frozen=True)
class SaveAnyNamesButThese:
    names: frozenset

    def __call__(self, primitive: Primitive, *_: Any, **params: Any) -> bool:
        return primitive is name_p and params["name"] not in self.names


def save_only_these_names(*names: str) -> Callable:
    """Keeps what `checkpoint_name` has given one of these names."""
    return SaveOnlyTheseNames(frozenset(names))


def save_any_names_but_these(*names: str) -> Callable:
    """Keeps what `checkpoint_name` has given any other name."""
    return SaveAnyNamesButThese(frozenset(names))


def save_anything_except_these_names(*names: str) -> Callable:
    """Keeps all: what a name was given to is kept under its operation, as in JAX."""
    return lambda *_, **__: True


def save_from_both_policies(policy_1: Callable, policy_2: Callable) -> Callable:
    """Keeps what either policy keeps. ValueError where one answers with no bool."""

    def policy(primitive: Primitive, *avals: Any, **params: Any) -> bool:
        answers = [rule(primitive, *avals, **params) for rule in (policy_1, policy_2)]
        if not all(isinstance(answer, bool) for answer in answers):
            raise ValueError(
                f"save_from_both_policies takes policies that answer True or False; of {primitive} "
                f"they said {answers}. Write one policy instead."
            )
        return any(answers)

    return policy


def save_and_offload_only_these_names(
    *, names_which_can_be_saved: Sequence[str], names_which_can_be_offloaded: Sequence[str],
    offload_src: str, offload_dst: str,
) -> Callable:  # fmt: skip
    """Keeps what `checkpoint_name` has given one of these names, some of it in another memory.
    ValueError where a name is in both lists."""
    saved, offloaded = map(frozenset, (names_which_can_be_saved, names_which_can_be_offloaded))
    if both := saved & offloaded:
        raise ValueError(
            f"save_and_offload_only_these_names got {sorted(both)} as names to save and to "
            f"offload.\nGive each name once."
        )

    def policy(primitive: Primitive, *_: Any, **params: Any) -> Any:
        name = params["name"] if primitive is name_p else None
        if name in offloaded:
            return Offloadable(offload_src, offload_dst)
        return Saveable if name in saved else Recompute

    return policy


def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> Callable:
    """Keeps products of matrices without batch dimensions, in another memory."""

    def policy(primitive: Primitive, *avals: Any, **params: Any) -> Any:
        keeps = dots_with_no_batch_dims_saveable(primitive, *avals, **params)
        return Offloadable(offload_src, offload_dst) if keeps else Recompute

    return policy


checkpoint_policies = SimpleNamespace(
    everything_saveable=everything_saveable,
    nothing_saveable=nothing_saveable,
    dots_saveable=dots_saveable,
    checkpoint_dots=dots_saveable,
    dots_with_no_batch_dims_saveable=dots_with_no_batch_dims_saveable,
    checkpoint_dots_with_no_batch_dims=dots_with_no_batch_dims_saveable,
    save_only_these_names=save_only_these_names,
    save_any_names_but_these=save_any_names_but_these,
    save_anything_except_these_names=save_anything_except_these_names,
    save_from_both_policies=save_from_both_policies,
    save_and_offload_only_these_names=save_and_offload_only_these_names,
    offload_dot_with_no_batch_dims=offload_dot_with_no_batch_dims,
)

# Who asks a policy.


def is_saved(policy: Callable | None, eqn: Any) -> bool:
    """Whether a policy lets the results of an equation be kept; TypeError for another answer."""
    if policy is None:
        return False
    if not callable(policy):
        raise TypeError(
            f"checkpoint takes as its policy a function, and got {shown(policy)}. Give one of "
            f"jax.checkpoint_policies, or None."
        )
    answer = policy(eqn.primitive, *(x.aval for x in eqn.invars), **eqn.params)
    if answer in (True, Saveable) or answer in (False, Recompute):
        return answer is True or answer is Saveable
    if isinstance(answer, Offloadable):
        return True
    raise TypeError(
        f"checkpoint asked its policy of {eqn.primitive}, and got {shown(answer)}. Return True "
        f"to keep a value, False to compute it again."
    )
