"""Which axes of an equation's operands and results are one and the same: its letters.

As in an einsum, `ij,jk->ik`: a letter that stands in several arrays is one axis of the
computation, and if it is cut into parts, each device can do its part. The rule of a primitive says
the letters of an equation, and what has no letter can't be cut. Most rules are made by kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minijax.compiler.lowerings import lowerings
from minijax.core.primitives import (
    broadcast_in_dim_p, convert_element_type_p, dot_general_p, reduce_sum_p, remaining, reshape_p,
    select_n_p, transpose_p,
)
from minijax.core.prng import (
    random_bits_p, random_clone_p, random_seed_p, random_split_p, random_unwrap_p, random_wrap_p,
    threefry2x32_p,
)
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive

Letter = Any
# For each axis of an array its letters, the outermost first. An axis has one, but where a reshape
# cuts it or joins it to others; and none, if no other array has it.
Axes = tuple[tuple[Letter, ...], ...]


class Factors(NamedTuple):
    """The letters of an equation, and what it does along them."""

    operands: tuple[Axes, ...]
    results: tuple[Axes, ...]
    whole: frozenset = frozenset()  # along these each device needs all, though results have them
    sums: dict[Letter, str] = {}  # of a letter that no result has: what joins the devices' results
    sizes: dict[str, Axes] = {}  # parameters that hold a size for each of these axes
    lengths: dict[Letter, int] = {}  # of letters that share an axis
    counts: Letter = None  # the result's numbers count along it

    def __str__(self) -> str:
        """As in an einsum, for readers: an axis without a letter is a dot.

        >>> print(Factors(((("r",), ()),), ((("r",),),), sums={"c": "psum"}))
        i . -> i  psum over j
        """
        names: dict[Letter, str] = defaultdict(lambda: chr(ord("i") + len(names)))

        def spell(axes: Axes) -> str:
            return " ".join("".join(names[x] for x in letters) or "." for letters in axes)

        takes, gives = (", ".join(map(spell, arrays)) for arrays in (self.operands, self.results))
        notes = [f"{kind} over {names[x]}" for x, kind in self.sums.items()]
        notes += sorted(f"{names[x]} whole" for x in self.whole)
        return f"{takes} -> {gives}  {', '.join(notes)}".rstrip()


# The rules; one may know nothing of an equation. `carried` is for equations that carry programs.

Rule = Callable[[JaxprEqn], Factors | None]
factors: dict[Primitive, Rule] = {}

# Of primitives that say how their result is cut: for each axis the names, or None where the
# compiler may choose; None for equations that say nothing. Each gives its operand as it is.
placed: dict[Primitive, Callable[[JaxprEqn], tuple | None]] = {}


class Inside(NamedTuple):
    """An equation that is a program of one device already: how operands and results are cut."""

    operands: Sequence[tuple]
    results: Sequence[tuple]
    program: Callable[..., Sequence[Any]]  # from the parts of operands to those of results


# Of primitives that are such programs: (equation, mesh) -> Inside; or None, for another mesh.
on_devices: dict[Primitive, Callable[[JaxprEqn, Any], Inside | None]] = {}


class Carried(NamedTuple):
    """An equation's programs. What must lie alike (an operand, what a program takes for it, what it
    returns for it, a result) has one number, its slot."""

    operands: Sequence[int]
    results: Sequence[int]
    programs: Sequence[tuple]  # of (a closed jaxpr, slots of its arguments, slots of its results)
    with_programs: Callable[..., dict]  # other programs in their places -> the parameters
    stacked: frozenset = frozenset()  # slots whose first axis, the steps, the programs don't see

    def inside(self, slot: int, of_axes: tuple) -> tuple:
        """What is said of each axis outside, as the programs see it."""
        return of_axes[slot in self.stacked :]

    def outside(self, slot: int, cut: tuple) -> tuple:
        """A cut inside as one outside: that of steps is whole."""
        return ((), *cut) if slot in self.stacked else cut


carried: dict[Primitive, Callable[[JaxprEqn], Carried]] = {}


def letters_of(eqn: JaxprEqn) -> Factors | None:
    """The letters of an equation; None where nothing is known of it."""
    if eqn.primitive in factors:
        return factors[eqn.primitive](eqn)
    lowering = lowerings[eqn.primitive]
    if lowering.template is None:
        return None
    return reduction(eqn) if lowering.start is not None else elementwise(eqn)


# Kinds of primitives.


def numbered(x: Any) -> Axes:
    """Each axis its own number for a letter."""
    return tuple((d,) for d in range(len(x.aval.shape)))


def elementwise(eqn: JaxprEqn) -> Factors | None:
    """Operands of the results' shape, or of no axes, or of size 1 where they are repeated."""
    shape = eqn.outvars[0].aval.shape

    def letters(x: Any) -> Axes:
        return tuple((d,) if n == shape[d] else () for d, n in enumerate(x.aval.shape))

    def fits(x: Any) -> bool:
        sizes = x.aval.shape
        return not sizes or all(map(lambda n, m: n in (1, m), sizes, shape))

    if len({v.aval.shape for v in eqn.outvars}) > 1 or not all(map(fits, eqn.invars)):
        return None
    return Factors(tuple(map(letters, eqn.invars)), tuple(map(letters, eqn.outvars)))


def along(*params: str) -> Rule:
    """Operands and results have the same axes; along those in a parameter they are needed whole."""

    def rule(eqn: JaxprEqn) -> Factors:
        named = (eqn.params[name] for name in params)
        axes = {d for value in named for d in (value if isinstance(value, tuple) else (value,))}
        return same_axes(eqn, axes)

    return rule


def same_axes(eqn: JaxprEqn, whole: Any, **more: Any) -> Factors:
    """Results have the operands' axes, some of which are needed whole."""
    atoms = tuple(map(numbered, eqn.invars)), tuple(map(numbered, eqn.outvars))
    return Factors(*atoms, frozenset(whole), **more)


def leading(core: int) -> Rule:
    """A routine of the first operand's last `core` axes, for each place of those before."""

    def rule(eqn: JaxprEqn) -> Factors:
        count = len(eqn.invars[0].aval.shape) - core

        def batch(x: Any) -> Axes:
            return tuple((d,) if d < count else () for d in range(len(x.aval.shape)))

        return Factors(tuple(map(batch, eqn.invars)), tuple(map(batch, eqn.outvars)))

    return rule


def reduction(eqn: JaxprEqn, joined_by: str | None = None) -> Factors:
    """`ij->i`: a letter is missing in the result, and if it was cut, results are joined."""
    letters, axes = numbered(eqn.invars[0]), eqn.params["axes"]
    kept = tuple(letters[d] for d in remaining(len(letters), axes))
    operands, results = (letters,) * len(eqn.invars), (kept,) * len(eqn.outvars)
    if joined_by is None:
        return Factors(operands, results, frozenset(axes))
    return Factors(operands, results, sums=dict.fromkeys(axes, joined_by))


def joined_by(collective: str) -> Rule:
    """A reduction whose results a collective of this name joins."""
    return lambda eqn: reduction(eqn, collective)


# The core's own primitives.


def _broadcast(eqn: JaxprEqn) -> Factors:
    x, (v,) = eqn.invars[0], eqn.outvars
    places = zip(x.aval.shape, eqn.params["broadcast_dimensions"], strict=True)
    operand = tuple((d,) if n == v.aval.shape[d] else () for n, d in places)
    return Factors((operand,), (numbered(v),), sizes={"shape": numbered(v)})


def _transpose(eqn: JaxprEqn) -> Factors:
    letters = numbered(eqn.invars[0])
    return Factors((letters,), (tuple(letters[d] for d in eqn.params["permutation"]),))


def _reshape(eqn: JaxprEqn) -> Factors:
    """The letters are the pieces of which both shapes are made: (6, 4) and (2, 12) of 2, 3 and 4.

    From where the shapes have no piece in common on, axes have no letters.
    """
    old, new = list(eqn.invars[0].aval.shape), list(eqn.outvars[0].aval.shape)
    operand: list[tuple[Letter, ...]] = [()] * len(old)
    result: list[tuple[Letter, ...]] = [()] * len(new)
    lengths: dict[Letter, int] = {}
    i = j = 0
    while i < len(old) and j < len(new) and 0 not in old:
        piece = min(old[i], new[j])
        if old[i] % piece or new[j] % piece:
            break
        if piece > 1:
            lengths[len(lengths)] = piece
            operand[i] += (len(lengths) - 1,)
            result[j] += (len(lengths) - 1,)
        old[i], new[j] = old[i] // piece, new[j] // piece
        i, j = i + (old[i] == 1), j + (new[j] == 1)
    sizes = {"new_sizes": tuple(result)}
    return Factors((tuple(operand),), (tuple(result),), sizes=sizes, lengths=lengths)


def _product(eqn: JaxprEqn) -> Factors:
    """Batch, free and summed letters."""
    (x, y), numbers = eqn.invars, eqn.params["dimension_numbers"]
    (x_sum, y_sum), (x_batch, y_batch) = numbers
    letters = [("x", d) for d in range(len(x.aval.shape))], [("y", d) for d in range(y.aval.ndim)]
    for d, e in (*zip(x_sum, y_sum, strict=True), *zip(x_batch, y_batch, strict=True)):
        letters[1][e] = letters[0][d]
    x_axes, y_axes = (tuple((letter,) for letter in side) for side in letters)
    free = remaining(len(x_axes), x_sum, x_batch), remaining(len(y_axes), y_sum, y_batch)
    result = (*(x_axes[d] for d in (*x_batch, *free[0])), *(y_axes[d] for d in free[1]))
    return Factors((x_axes, y_axes), (result,), sums={("x", d): "psum" for d in x_sum})


def _new_axes(eqn: JaxprEqn) -> Factors:
    """The result has further axes, of which each place depends on its number."""
    operand, result = numbered(eqn.invars[0]), numbered(eqn.outvars[0])
    return Factors((operand,), (result,), frozenset(range(len(operand), len(result))))


def _wrapped(eqn: JaxprEqn) -> Factors:
    """A key is made of two words, or two words of a key."""
    of_keys = min(numbered(eqn.invars[0]), numbered(eqn.outvars[0]), key=len)
    axes = [of_keys if len(x.aval.shape) == len(of_keys) else (*of_keys, ())
            for x in (eqn.invars[0], eqn.outvars[0])]  # fmt: skip
    return Factors((axes[0],), (axes[1],))


factors |= dict.fromkeys(
    [convert_element_type_p, select_n_p, random_seed_p, random_clone_p, threefry2x32_p], elementwise
)
factors |= dict.fromkeys([random_bits_p, random_split_p], _new_axes)
factors |= dict.fromkeys([random_wrap_p, random_unwrap_p], _wrapped)
factors |= {
    broadcast_in_dim_p: _broadcast, transpose_p: _transpose, reshape_p: _reshape,
    dot_general_p: _product, reduce_sum_p: joined_by("psum"),
}
