"""Followed passes: what each pass did to a program's equations, and by which rule.

The passes run once more, and the programs before and behind each are compared, equation by
equation. An equation is the same as long as its result is the same variable.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from minijax.compiler.executable import PASSES
from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.passes.simplify import (
    RULES,
    by_primitive,
    inline,
    prune,
    rewrite,
    rewrite_eqn,
    rounds,
    share,
    simplify,
    simplify_inside,
)
from minijax.core.errors import SourceInfo
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Var
from minijax.stages.printed_equations import all_equations


class Change(NamedTuple):
    """What became of an equation, by which pass or rule, and why that is right."""

    what: str  # "gone", "changed", "new", or "written out", of a call
    rule: str
    why: str

    def __str__(self) -> str:
        return f"{self.what} by {self.rule}: {self.why}"


# What passes and rules do to an equation, by their names; of others, their own first lines say it.
_WHY = {
    "prune": "nobody needs its result any more",
    "share": "the same was computed already",
    "inline": "the equations of the program that it calls stand in its place",
    "fold": "what it is applied to is known, so that it was computed at once",
    "undone": "it undoes what the one before it did: -(-x) is x",
    "same": "it gives back what it is given",
    "one_broadcast": "two broadcasts one after the other are one",
    "one_transpose": "two transposes one after the other are one, or none",
    "reshaped": "it only counts the axes anew, and so did the one before it",
    "direct_conversion": "the dtype is the same, or the conversion before it lost nothing",
    "known_choice": "which one is chosen is known, or makes no difference",
    "chosen_update": "between an array and an update of it, what is written is chosen",
    "chosen": "one operand is the result, whatever the other is: max(x, -inf) is x",
    "sum_of_one": "a sum over axes of size 1 is its operand plus 0.0, with which sums begin",
    "on_scalars": "where numbers are repeated, one of them is computed with",
    "in_rows": "a transpose before it brings the axes that it sums side by side",
    "hoist": "each turn of the loop computes the same, so that it stands before the loop",
    "lift": "constants of branches are operands, which all branches take",
    "turned": "a product can read its operands, or be read, with axes in another order",
    "numbers_first": "single numbers that others wait for stand first",
    "in_blocks": "a product is computed block by block",
    "with_blocks": "a large sum is a sum of sums, which threads share",
    "without_complex": "complex numbers are computed with as pairs of real ones",
    "without_halves": "floats of 16 bits are computed with as float32",
    "without_keys": "random keys are computed with as the words that they are made of",
}


def first_sentence(fun: Any) -> str:
    """What a pass or a rule says of itself.

    >>> first_sentence(prune)
    'Without equations and constants on which no result and no effect depends'
    """
    text = " ".join((fun.__doc__ or "").split())
    return text.partition(". ")[0].rstrip(".")


def passes_of(closed: ClosedJaxpr) -> Iterator[tuple[Callable, ClosedJaxpr]]:
    """Each pass that an executable's program goes through, and the program that it gives."""
    for run_pass in PASSES:
        if run_pass is not simplify:
            closed = run_pass(closed)
            yield run_pass, closed
            continue
        for first in (prune, inline, simplify_inside):
            closed = first(closed)
            yield first, closed
        for inner, closed in rounds(closed):  # noqa: B020
            yield inner, closed
    yield prune, prune(closed)


# Where an equation comes from.


class Origins:
    """Finds, for an equation that some pass has made, those of the first program it comes from.

    What copies or changes an equation leaves it one of these at least: a result, the parameters, or
    the record of the line that it came from.
    """

    def __init__(self, eqns: Iterable[JaxprEqn]) -> None:
        self.eqns = list(eqns)
        self.by_result: dict[Var, list[JaxprEqn]] = {}
        self.by_params: dict[int, list[JaxprEqn]] = {}
        self.by_source: dict[SourceInfo, list[JaxprEqn]] = {}
        for eqn in self.eqns:
            for v in eqn.outvars:
                self.by_result.setdefault(v, []).append(eqn)
            self.by_params.setdefault(id(eqn.params), []).append(eqn)
            self.by_source.setdefault(eqn.source_info, []).append(eqn)

    def of(self, eqn: JaxprEqn) -> list[JaxprEqn]:
        for v in eqn.outvars:
            if v in self.by_result:
                return self.by_result[v]
        if id(eqn.params) in self.by_params:
            return self.by_params[id(eqn.params)]
        found = self.by_source.get(eqn.source_info, [])
        return [old for old in found if old.primitive is eqn.primitive] or found

    def remember(self, eqn: JaxprEqn, origins: list[JaxprEqn]) -> None:
        for v in eqn.outvars:
            self.by_result[v] = origins


class Followed:
    """The way of a program through the passes.

    `origins` has the first program's equations for each of the last one's, by id; `changes` what
    became of one, of the first program's or of the last one's, by id too.
    """

    def __init__(self, first: ClosedJaxpr, given: ClosedJaxpr, last: ClosedJaxpr) -> None:
        """Of what was traced, what is given to the compiler (the same, or one device's part), and
        what the compiler made of that."""
        self.known = Origins(all_equations(first.jaxpr))
        self.origins: dict[int, list[JaxprEqn]] = {}
        self.changes: dict[int, Change] = {}
        self.of_result: dict[Var, Change] = {}
        for eqn in given.eqns:
            self.known.remember(eqn, self.known.of(eqn))
        before = given
        for run_pass, after in passes_of(given):
            if after is not before:
                self.follow(run_pass, before, after)
            before = after
        self.arrive(before, last)

    def origins_of(self, eqn: JaxprEqn) -> list[JaxprEqn]:
        """The first program's equations that one of the last program comes from, or one that was
        made of it later."""
        return self.origins.get(id(eqn)) or self.known.of(eqn)

    def follow(self, run_pass: Callable, before: ClosedJaxpr, after: ClosedJaxpr) -> None:
        made = {v: eqn for eqn in after.eqns for v in eqn.outvars}
        old = {v for eqn in before.eqns for v in eqn.outvars}
        stands_for = replacements(before, after)
        rules = rules_asked(before) if run_pass is rewrite else {}
        for eqn in before.eqns:
            here = [v for v in eqn.outvars if v in made]
            change = rules.get(eqn.outvars[0]) if eqn.outvars else None
            if eqn.outvars and not here:
                self.leave(eqn, change or told(run_pass, "gone"))
                self.take_over(run_pass, eqn, stands_for)
            elif here and is_changed(eqn, made[here[0]], stands_for):
                self.of_result[here[0]] = change or told(run_pass, "changed")
        for eqn, call in zip(after.eqns, calls_inlined(before, after, run_pass), strict=True):
            if eqn.outvars and old.isdisjoint(eqn.outvars):
                origins = self.known.of(eqn) + (self.known.of(call) if call else [])
                self.known.remember(eqn, origins)
                if run_pass is not inline:
                    self.of_result[eqn.outvars[0]] = told(run_pass, "new")

    def leave(self, eqn: JaxprEqn, change: Change) -> None:
        """An equation is no more."""
        what = "written out" if change.rule == inline.__name__ else "gone"
        for origin in self.known.of(eqn):
            self.changes[id(origin)] = change._replace(what=what)

    def take_over(self, run_pass: Callable, eqn: JaxprEqn, stands_for: dict[Any, Atom]) -> None:
        """Who computes the same comes from both. Of two copies of an equation, one is left."""
        for v in eqn.outvars if run_pass is share else ():
            other = stands_for.get(v)
            if other not in self.known.by_result:
                continue
            own = {id(x): x for x in self.known.by_result[other]}
            more = {id(x): x for x in self.known.of(eqn)}
            for key in own.keys() & more.keys():
                self.changes.pop(key, None)
            self.known.by_result[other] = list((own | more).values())

    def arrive(self, followed: ClosedJaxpr, last: ClosedJaxpr) -> None:
        """The program that was compiled is the one that was followed, of other variables. What
        lives on in another form isn't gone; what was shared is, though another comes from it."""
        pairs = list(zip(followed.eqns, last.eqns, strict=False))
        is_same = len(followed.eqns) == len(last.eqns) and all(
            x.primitive is y.primitive for x, y in pairs
        )
        for x, y in pairs if is_same else ():
            self.known.remember(y, self.known.of(x))
            for v in x.outvars:
                if v in self.of_result:
                    self.changes[id(y)] = self.of_result[v]
        for eqn in all_equations(last.jaxpr):
            self.origins[id(eqn)] = self.known.of(eqn)
        alive = {id(x) for found in self.origins.values() for x in found}
        for eqn in self.known.eqns:
            change = self.changes.get(id(eqn))
            is_gone = change and change.what == "gone" and change.rule != share.__name__
            if is_gone and id(eqn) in alive:
                del self.changes[id(eqn)]


def calls_inlined(
    before: ClosedJaxpr, after: ClosedJaxpr, run_pass: Callable
) -> list[JaxprEqn | None]:
    """For each equation of the program behind a pass, the call in whose place it stands."""
    if run_pass is not inline:
        return [None] * len(after.eqns)
    found: list[JaxprEqn | None] = []
    for eqn in before.eqns:
        call = lowerings[eqn.primitive].call
        called = call(eqn) if call else None
        found += [None] if called is None else [eqn] * len(inline(called[0]).eqns)
    return found


def told(run_pass: Callable, what: str) -> Change:
    return Change(what, name_of(run_pass), why(run_pass, what))


def name_of(fun: Any) -> str:
    return str(getattr(fun, "__name__", fun)).strip("_")


def why(fun: Any, what: str = "") -> str:
    if fun is prune and what == "changed":
        return "it gives and takes less, for nobody needs the rest"
    return _WHY.get(name_of(fun)) or first_sentence(fun) or "there is another way to the same bits"


def replacements(before: ClosedJaxpr, after: ClosedJaxpr) -> dict[Any, Atom]:
    """What stands for each variable that is no more, where somebody reads it."""
    made = {eqn.outvars[0]: eqn for eqn in after.eqns if eqn.outvars}
    pairs = [(eqn.invars, made[eqn.outvars[0]].invars) for eqn in before.eqns
             if eqn.outvars and eqn.outvars[0] in made]  # fmt: skip
    pairs.append((before.outvars, after.outvars))
    return {x: y for xs, ys in pairs if len(xs) == len(ys)
            for x, y in zip(xs, ys, strict=True) if x is not y and type(x) is Var}  # fmt: skip


def is_changed(old: JaxprEqn, new: JaxprEqn, stands_for: dict[Any, Atom]) -> bool:
    """Whether it computes its result in another way, and not only of what is called otherwise."""
    operands = [stands_for.get(x, x) if type(x) is Var else x for x in old.invars]
    same = len(operands) == len(new.invars) and all(
        x is y or x == y for x, y in zip(operands, new.invars, strict=True)
    )
    return new is not old and (old.primitive is not new.primitive or not same)


# Which rule it was.


def rules_asked(closed: ClosedJaxpr) -> dict[Var, Change]:
    """For each equation that `rewrite` finds another way for, by its result: which rule did."""
    found: dict[Var, Change] = {}

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        atoms = rewrite_eqn(draft, eqn)
        is_kept = atoms is eqn.outvars and bool(draft.eqns) and draft.eqns[-1] is eqn
        if not is_kept and eqn.outvars:
            found[eqn.outvars[0]] = rule_of(draft, eqn)
        return atoms

    forward(closed, visit)
    return found


def rule_of(draft: Draft, eqn: JaxprEqn) -> Change:
    """The first rule with an answer. It may write into its draft, and is given another."""
    for rule in RULES:
        other = copy.copy(draft)
        vars(other).update({name: copy.copy(x) for name, x in vars(draft).items()})
        if rule(other, eqn) is not None:
            identity = identity_of(rule, eqn)
            of = f"an identity of {eqn.primitive}" if rule is by_primitive else name_of(rule)
            return Change("changed", of, why(identity))
    return told(rewrite, "changed")


def identity_of(rule: Any, eqn: JaxprEqn) -> Any:
    """The function that answers for a rule: of the table's, or the equation's own."""
    found = lowerings[eqn.primitive].identity if rule is by_primitive else rule
    return found.func if isinstance(found, partial) else found
