"""Loops of rows: a loop whose rows know nothing of each other runs for some rows at a time.

A vmapped loop, or one over the points of a picture, goes through all rows in each of its turns. So
its arrays come from memory and go there turn after turn, in one thread. Where no row of what a body
computes depends on other rows, the loop may as well run for some rows from its first turn to its
last, then for the next ones. What it carries stays in the cache, and threads share out the rows.

The body is written anew for fewer rows, and a kernel runs that loop for strip after strip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.fallbacks import fall_back
from minijax.compiler.kernels.elements import START, Place, in_kernels
from minijax.compiler.kernels.fuse import Call, Step
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.kernels.whole_loops import LoopWriter, NotCompiled, kernel_of
from minijax.compiler.lowerings import lowerings
from minijax.compiler.special_cases.strips import as_one, strips_p
from minijax.core.primitives import dot_general_p
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Var

CACHED = 1 << 17  # bytes of a strip: all that a body computes, though most is in no array
LARGE = 1 << 22  # numbers that are computed in all turns: some tenths of a millisecond
STRIPS = 4  # at least: two for each of two threads
SOME = 64  # numbers of a strip of the widest array: fewer make no good loop
ROWS_OF_PRODUCT = 4  # of a strip that is multiplied by a whole matrix: that is read for each strip


class OfAllRows(Exception):
    """Something in a body that needs more than the row that it makes."""


# A program for fewer rows. Where an array has rows, one of its axes counts them.


class Rows:
    """Writes programs anew, in which arrays of `count` rows have `height` of them."""

    def __init__(self, count: int, height: int) -> None:
        self.count, self.height = count, height
        self.axes: dict[Var, int] = {}  # of each variable that has rows: which axis counts them
        self.fewer: dict[Var, Var] = {}

    def has(self, x: Atom) -> bool:
        return type(x) is Var and x in self.axes

    def atoms(self, xs: Sequence[Atom]) -> list[Any]:
        return [self.fewer[x] if self.has(x) else x for x in xs]

    def come_first(self, x: Atom) -> bool:
        """Whether an operand's, a result's or a carry's first axis may count rows."""
        return x.aval.shape[:1] == (self.count,)

    def shorter(self, shape: Sequence[int], axis: int) -> tuple[int, ...]:
        return (*shape[:axis], self.height, *shape[axis + 1 :])

    def cut(self, v: Var, axis: int = 0) -> Var:
        """The variable, of fewer rows."""
        if v not in self.fewer:
            self.axes[v] = axis
            self.fewer[v] = Var(v.aval.update(shape=self.shorter(v.aval.shape, axis)))
        return self.fewer[v]

    def program(self, closed: ClosedJaxpr) -> ClosedJaxpr:
        """The program. All its arguments that may have rows do."""
        jaxpr = closed.jaxpr
        for v in filter(self.come_first, jaxpr.invars):
            self.cut(v)
        eqns = list(map(self.equation, jaxpr.eqns))
        invars, outvars = self.atoms(jaxpr.invars), self.atoms(jaxpr.outvars)
        return ClosedJaxpr(jaxpr.replace(invars=invars, eqns=eqns, outvars=outvars), closed.consts)

    def equation(self, eqn: JaxprEqn) -> JaxprEqn:
        axes = [self.axes.get(x) if type(x) is Var else None for x in eqn.invars]
        axis = self.result_axis(eqn, axes)
        if axis is None:
            if any(axis is not None for axis in axes):
                raise OfAllRows(str(eqn.primitive))
            return eqn
        invars, outvars = self.atoms(eqn.invars), [self.cut(v, axis) for v in eqn.outvars]
        params = {name: self.shorter(value, axis) if name in SHAPES else value
                  for name, value in eqn.params.items()}  # fmt: skip
        return eqn._replace(invars=invars, outvars=outvars, params=params)

    def result_axis(self, eqn: JaxprEqn, axes: Axes) -> int | None:
        """Which axis of the results counts rows, each of which is made of that row of the operands
        that have rows, and of the others. None: no axis does."""
        if eqn.effects:
            return None
        if all(axis is None for axis in axes):
            return self.repeated(eqn)
        rule = next((rule for applies, rule in RULES if applies(eqn)), None)
        axis = rule(eqn, axes) if rule else None
        if rule is of_product and None in axes and self.height < ROWS_OF_PRODUCT:
            return None
        fits = axis is not None and all(v.aval.shape[axis] == self.count for v in eqn.outvars)
        return axis if fits else None

    def repeated(self, eqn: JaxprEqn) -> int | None:
        """The axis along which an array is repeated, as often as there are rows."""
        if lowerings[eqn.primitive].view is None or len(eqn.invars) != 1:
            return None
        places, shape = operand_places(eqn), eqn.outvars[0].aval.shape
        read = {place.axis for place in places or ()}
        is_free = (k for k, n in enumerate(shape) if n == self.count and k not in read)
        return next(is_free, None)


# The rules: of an equation, and the axes that count its operands' rows.

Axes = Sequence[int | None]
SHAPES = ("shape", "new_sizes", "limit_indices")  # say results' sizes, or up to where they reach


def of_elements(eqn: JaxprEqn, axes: Axes) -> int | None:
    [axis, *others] = {axis for axis in axes if axis is not None}
    shapes = [x.aval.shape for x, own in zip(eqn.invars, axes, strict=True) if own is None]
    is_for_all = all(shape[axis : axis + 1] in ((), (1,)) for shape in shapes)
    return axis if is_for_all and not others else None


def of_reduction(eqn: JaxprEqn, axes: Axes) -> int | None:
    if len(axes) > 1:  # by a function of the caller's
        return None
    [axis], summed = axes, eqn.params["axes"]
    return None if axis in summed else axis - sum(k < axis for k in summed)


def operand_places(eqn: JaxprEqn) -> Sequence[Place] | None:
    """Where a view finds the elements of its result."""
    [x], [v], params = eqn.invars, eqn.outvars, eqn.primitive.active(eqn.params)
    result = [Place(k) if n > 1 else START for k, n in enumerate(v.aval.shape)]
    return lowerings[eqn.primitive].view(result, x.aval.shape, **params)


def of_view(eqn: JaxprEqn, axes: Axes) -> int | None:
    [axis], places = axes, operand_places(eqn)
    found = places[axis] if places is not None else START
    is_alone = [place.axis for place in places or ()].count(found.axis) == 1
    return found.axis if is_alone and found == Place(found.axis) else None


def along_an_axis(eqn: JaxprEqn, axes: Axes) -> int | None:
    name, [axis, *others] = eqn.primitive.name, set(axes)
    along = eqn.params[ALONG[name]]
    if others or (along == axis and name != "stack"):
        return None
    moved = {"stack": along <= axis, "unstack": -(along < axis)}
    return axis + moved.get(name, 0)


def of_product(eqn: JaxprEqn, axes: Axes) -> int | None:
    (of_x, of_y), (batch_x, batch_y) = eqn.params["dimension_numbers"]
    (x, y), (axis_x, axis_y) = eqn.invars, axes
    free_x = [k for k in range(x.aval.ndim) if k not in (*of_x, *batch_x)]
    free_y = [k for k in range(y.aval.ndim) if k not in (*of_y, *batch_y)]
    pairs = [*zip(batch_x, batch_y, strict=True), *((k, None) for k in free_x),
             *((None, k) for k in free_y)]  # fmt: skip
    return pairs.index((axis_x, axis_y)) if (axis_x, axis_y) in pairs else None


def of_lookup(eqn: JaxprEqn, axes: Axes) -> int | None:
    steps = lowerings[eqn.primitive].rows(eqn) or ()
    return 0 if [0 if step else None for step in steps] == list(axes) else None


def has(field: str) -> Callable[[JaxprEqn], bool]:
    return lambda eqn: getattr(lowerings[eqn.primitive], field) is not None


# The parameter that says which axis is worked along, by primitives' names.
ALONG = {"stack": "axis", "unstack": "axis", "concatenate": "dimension", "sort": "dimension",
         **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin"), "axis")}  # fmt: skip
RULES: list[tuple[Callable, Callable]] = [
    (lambda eqn: eqn.primitive is dot_general_p, of_product),
    (lambda eqn: eqn.primitive.name in ALONG, along_an_axis),
    (has("start"), of_reduction), (has("template"), of_elements), (has("view"), of_view),
    (has("rows"), of_lookup),
]  # fmt: skip


# The same loop for fewer rows.


class RowLoop:
    """A loop and, as `smaller`, the one for a strip. Its operands are constants, what it carries,
    and a scan's stacks."""

    def __init__(self, eqn: JaxprEqn) -> None:
        names = lowerings[eqn.primitive].steps
        bodies = {name: eqn.params[name] for name, _ in names}
        num_consts = sum(eqn.params[number] for _, number in names)
        num_carry = eqn.params.get("num_carry", len(eqn.invars) - num_consts)
        stacks = num_consts + num_carry  # the number of the first
        carry = eqn.invars[num_consts:stacks]
        self.count = max((x.aval.shape[0] for x in carry if x.aval.shape), default=0)
        self.turns = eqn.params.get("length", 1)
        self.height = height_of(self.count, self.turns, list(bodies.values()))
        rows = Rows(self.count, self.height)
        programs = {name: rows.program(body) for name, body in bodies.items()}
        *_, last = bodies.values()
        self.results_of_rows = list(map(rows.has, last.jaxpr.outvars))
        axes = {rows.axes[v] for v in last.jaxpr.outvars if rows.has(v)}
        if axes != {0} or self.results_of_rows[:num_carry] != list(map(rows.come_first, carry)):
            raise OfAllRows("what is carried has rows at first, or at last")
        xs = last.jaxpr.invars[len(last.jaxpr.invars) - len(eqn.invars) + stacks :]
        of_rows = [*map(rows.come_first, eqn.invars[: stacks]), *map(rows.has, xs)]
        self.smaller = eqn._replace(
            invars=cut(rows, eqn.invars, of_rows, stacks),
            outvars=cut(rows, eqn.outvars, self.results_of_rows, num_carry),
            params={**eqn.params, **programs},
        )


def cut(rows: Rows, atoms: Sequence[Any], of_rows: Sequence[bool], stacks: int) -> list[Any]:
    """Operands or results for fewer rows. From the number `stacks` on, they are stacks: arrays with
    one for each turn. The same array may be both."""
    cut = list(atoms)
    for k, (x, has_rows) in enumerate(zip(atoms, of_rows, strict=True)):
        if has_rows:
            shape = rows.shorter(x.aval.shape, 0 if k < stacks else 1)
            cut[k] = Var(x.aval.update(shape=shape))
    return cut


def height_of(count: int, turns: int, bodies: Sequence[ClosedJaxpr]) -> int:
    """How many rows a strip has: a divisor of all, so that no strip is left with fewer."""
    made = {v for body in bodies for eqn in body.jaxpr.eqns for v in eqn.outvars}
    made |= {v for body in bodies for v in body.jaxpr.invars}
    arrays = [v.aval for v in made if count in v.aval.shape]
    if count < STRIPS or turns * sum(aval.size for aval in arrays) < LARGE:
        raise OfAllRows("few rows, or little to do")
    row_bytes = sum(aval.size * aval.dtype.itemsize for aval in arrays) // count
    most = min(CACHED // max(row_bytes, 1), count // STRIPS)
    height = next((n for n in range(most, 0, -1) if count % n == 0), 0)
    if height * max(aval.size for aval in arrays) < SOME * count:
        raise OfAllRows("no number of strips has some rows in each")
    return height


# The text.


class RowLoopWriter(LoopWriter):
    """Writes the smaller loop, once for each strip."""

    def __init__(self, loop: RowLoop) -> None:
        super().__init__()
        self.loop, self.is_inside = loop, False
        self.widths: dict[str, int] = {}  # of a stack, by its name: how many numbers a row has

    def run(self, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
        if self.is_inside:
            return super().run(eqn, args, outs)
        loop, self.is_inside = self.loop, True
        turns = self.independent(loop.count // loop.height)
        with self.block(f"for s in range({turns}):"):
            self.first = self.assign(f"s * {loop.height}", "a_")
            args = self.strip(args, eqn.invars, loop.smaller.invars)
            results = self.strip(outs, eqn.outvars, loop.smaller.outvars)
            without = [k for k, has_rows in enumerate(loop.results_of_rows) if not has_rows]
            for k in without:  # each strip computes all of it, in a place of its own
                results[k] = self.scratch(eqn.outvars[k].aval.size, eqn.outvars[k].aval.dtype)
            super().run(loop.smaller, args, results)
            for k in without:
                self.copy(results[k], outs[k], eqn.outvars[k].aval.size)
        self.cost *= max(loop.turns // 2, 1)  # (what was counted is one turn, or two)
        return None

    def strip(
        self, names: Sequence[str], atoms: Sequence[Atom], fewer: Sequence[Atom]
    ) -> list[str]:
        """The rows of a strip in arrays; of a stack all, where `slice` will find them."""
        found = list[str]()
        for name, x, y in zip(names, atoms, fewer, strict=True):
            if x.aval.shape == y.aval.shape:
                found.append(name)
            elif x.aval.shape[0] != y.aval.shape[0]:
                width = x.aval.size // self.loop.count
                found.append(self.assign(f"{name}[{self.first} * {width}:]", "r_"))
            else:
                self.widths[name] = y.aval.size // (y.aval.shape[0] * self.loop.height)
                found.append(name)
        return found

    def slice(self, array: str, counter: str, size: int) -> str:
        if array not in self.widths:
            return super().slice(array, counter, size)
        at = f"(({counter}) * {self.loop.count} + {self.first}) * {self.widths[array]}"
        return self.assign(f"{array}[{at}:{at} + {size}]", "r_")


def row_loop(eqn: JaxprEqn) -> Source | None:
    """The kernel of a loop, if it may run for some rows at a time, and is large enough."""
    if not lowerings[eqn.primitive].steps or eqn.effects:
        return None
    if not all(map(in_kernels, (*eqn.invars, *eqn.outvars))):
        return None
    try:
        return kernel_of(eqn, RowLoopWriter(RowLoop(eqn)))
    except OfAllRows as why:
        return fall_back("rows", why)
    except NotCompiled as why:
        return fall_back("loop", why)


def in_rows(steps: list[Step], jaxpr: Jaxpr) -> list[Step]:
    """The steps of a program, in which large loops of rows run so."""
    found: list[Step] = []
    for step in steps:
        source = row_loop(step.eqn) if isinstance(step, Call) else None
        found.append(step if source is None else as_one(strips_p, source, [step]))
    return found
