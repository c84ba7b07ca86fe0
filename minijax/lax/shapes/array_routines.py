"""Whole arrays inside of compiled loops: laid side by side, padded, repeated, summed up as they go,
searched for the largest, and put in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernel_functions import unknown_functions
from minijax.compiler.kernels.elements import typed_template
from minijax.compiler.kernels.fuse import SMALL
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import lowerings
from minijax.core.primitives import broadcast_in_dim_p
from minijax.core.staging import JaxprEqn, Var
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.floats import lt_to_p
from minijax.lax.kernel_parts import Part
from minijax.lax.shapes.radix_sort import RadixSort

# Elements are only moved.


def concatenate_part(eqn: JaxprEqn) -> Any:
    part, [out] = Part(eqn), eqn.outvars
    steps, start = row_major(out.aval.shape), 0
    for x in eqn.invars:
        source, target = (0, row_major(x.aval.shape)), (start, steps)
        part.move(x.aval.shape, part.array(x), source, target)
        start += x.aval.shape[eqn.params["dimension"]] * steps[eqn.params["dimension"]]
    return part.finished()


def concatenate_pieces(eqn: JaxprEqn) -> tuple[int, list]:
    dimension = eqn.params["dimension"]
    return dimension, [(x, x.aval.shape[dimension]) for x in eqn.invars]


def stack_part(eqn: JaxprEqn) -> Any:
    part, [out] = Part(eqn), eqn.outvars
    steps = row_major(out.aval.shape)
    step = steps.pop(eqn.params["axis"])
    for k, x in enumerate(eqn.invars):
        source, target = (0, row_major(x.aval.shape)), (k * step, steps)
        part.move(x.aval.shape, part.array(x), source, target)
    return part.finished()


def tile_part(eqn: JaxprEqn) -> Any:
    """Along each axis, how often, and then the operand."""
    part, [x], [out] = Part(eqn), eqn.invars, eqn.outvars
    shape, steps = x.aval.shape, row_major(out.aval.shape)
    pairs = list(zip(eqn.params["reps"], shape, steps, row_major(shape), strict=True))
    sizes = [n for reps, size, *_ in pairs for n in (reps, size)]
    source = 0, [n for *_, step in pairs for n in (0, step)]
    target = 0, [n for _, size, step, _ in pairs for n in (size * step, step)]
    part.move(sizes, part.array(x), source, target)
    return part.finished()


def pad_pieces(eqn: JaxprEqn) -> tuple[int, list] | None:
    """Along the first axis that is padded; what lies inside may be padded along others."""
    x, [out], config = eqn.invars[0], eqn.outvars, list(eqn.params["padding_config"])
    padded = [d for d, edges in enumerate(config) if any(edges)]
    if not padded or not x.aval.size or min(map(min, config)) < 0 or any(n for *_, n in config):
        return None
    d, last, shape = padded[0], padded[-1], out.aval.shape
    if d < last and x.aval.size // x.aval.shape[last] * shape[last] < SMALL:
        return None  # what is padded along the last axis alone would be copied, not read in pieces
    (low, high, _), config[d] = config[d], (0, 0, 0)
    within = out.aval.update(shape=(*shape[:d], x.aval.shape[d], *shape[d + 1 :]))
    inside = eqn._replace(outvars=[Var(within)], params={"padding_config": tuple(config)})
    return d, [
        (padding(eqn, low, d), low),
        (inside if len(padded) > 1 else x, x.aval.shape[d]),
        (padding(eqn, high, d), high),
    ]


def padding(eqn: JaxprEqn, size: int, d: int) -> JaxprEqn:
    """The padding value, so often along axis `d`."""
    shape = eqn.outvars[0].aval.shape
    aval = eqn.outvars[0].aval.update(shape=(*shape[:d], size, *shape[d + 1 :]))
    params = {"shape": aval.shape, "broadcast_dimensions": ()}
    return eqn._replace(
        primitive=broadcast_in_dim_p, invars=[eqn.invars[1]], outvars=[Var(aval)], params=params
    )


def pad_part(eqn: JaxprEqn) -> Any:
    """The padding everywhere, then the elements that are not cut off."""
    part, (x, value), [out] = Part(eqn), eqn.invars, eqn.outvars
    array, padding = part.array(x), part.number(value)
    with part.each([out.aval.size], (0, [1])) as [p]:
        part.emit(f"y0[{p}] = {padding}")
    sizes, begin, start = [], 0, 0
    in_steps, out_steps = row_major(x.aval.shape), row_major(out.aval.shape)
    for d, (low, _, interior) in enumerate(eqn.params["padding_config"]):
        step = interior + 1
        first = max(-(low // step), 0)  # the first one that is inside, and the one behind the last
        end = min(-((low - out.aval.shape[d]) // step), x.aval.shape[d])
        sizes.append(max(end - first, 0))
        begin += first * in_steps[d]
        start += (low + first * step) * out_steps[d]
        out_steps[d] *= step
    if 0 not in sizes:
        part.move(sizes, array, source=(begin, in_steps), target=(start, out_steps))
    return part.finished()


# Along an axis, one element after the other.


def rows(shape: Sequence[int], axis: int) -> tuple[list[int], list[int], int]:
    """The other axes' sizes and strides, and the axis's own stride."""
    steps, sizes = row_major(shape), list(shape)
    step = steps.pop(axis)
    sizes.pop(axis)
    return sizes, steps, step


def cumulative_part(eqn: JaxprEqn, combine: Any, neutral: str | None = None) -> Any:
    """Each total is made of the one before, by a template; the first, of the neutral element if
    there is one, so that -0.0 becomes 0.0 in a sum."""
    part, [x], axis = Part(eqn), eqn.invars, eqn.params["axis"]
    shape, dtype = x.aval.shape, x.aval.dtype
    template = typed_template(combine, [dtype, dtype], dtype)
    if unknown_functions(template):
        return None
    if not x.aval.size:
        return part.finished()
    sizes, steps, step = rows(shape, axis)
    array, start = part.array(x), 0
    if eqn.params["reverse"]:
        start, step = (shape[axis] - 1) * step, -step
    total = template.format("a", "b")
    begin = "b" if neutral is None else template.format(f"{dtype}({neutral})", "b")
    has_rows, has_columns = math.prod(sizes[:axis]) > 1, math.prod(sizes[axis:]) >= MANY
    by_columns = has_columns and not has_rows
    with part.each(sizes[:axis], (start, steps[:axis]), letter="j", is_split=has_rows) as [row]:
        part.emit(f"p = {row}")
        with part.each(sizes[axis:], ("p", steps[axis:]), is_split=by_columns) as [p]:
            part.emit(f"b = {array}[{p}]", f"y0[{p}] = {begin}")
        with part.block(f"for k in range(1, {shape[axis]}):"):
            part.emit(f"q = p + k * {step}")
            with part.each(sizes[axis:], ("q", steps[axis:]), is_split=by_columns) as [q]:
                part.emit(f"a = y0[{q} - {step}]", f"b = {array}[{q}]", f"y0[{q}] = {total}")
    return part.finished()


MANY = 4096  # columns, from which on it is worth their while to be shared out among threads
WIDE = 32  # columns, from which on it is faster to go along rows


def width_and_size(eqn: JaxprEqn) -> tuple[int, int]:
    """How many columns there are, and how long they are."""
    shape, [axis] = eqn.invars[0].aval.shape, eqn.params["axes"]
    return math.prod(shape[axis + 1 :]), shape[axis]


def are_wide_or_short(eqn: JaxprEqn) -> bool:
    """Columns side by side, or short rows: one long row NumPy searches faster."""
    width, size = width_and_size(eqn)
    return width >= WIDE or (width == 1 and size <= WIDE)


def argmax_part(eqn: JaxprEqn, combine: Primitive) -> Any:
    """The first that equals the largest; of floats, the first NaN. Both loops become vectors."""
    if width_and_size(eqn)[0] >= WIDE:
        return _argmax_of_columns(eqn, combine)
    part, [x], [out], [axis] = Part(eqn), eqn.invars, eqn.outvars, eqn.params["axes"]
    sizes, steps, step = rows(x.aval.shape, axis)
    size, dtype, here = x.aval.shape[axis], x.aval.dtype, f"{part.array(x)}[q + k * {step}]"
    larger = typed_template(lowerings[combine].template, [dtype, dtype], dtype).format("a", "b")
    found = "(b == a) | (b != b)" if dtype.kind == "f" else "b == a"
    with part.each(sizes, (0, row_major(sizes)), (0, steps), is_split=True) as (p, q):
        part.emit(f"q = {q}", f"a = {part.array(x)}[q]")
        with part.loops(("k", size)):
            part.emit(f"b = {here}", f"a = {larger}")
        part.emit(f"n = {size}")
        with part.loops(("k", size)):
            part.emit(f"b = {here}", f"n = min(n, k) if {found} else n")
        part.emit(f"y0[{p}] = {out.aval.dtype}(n)")
    return part.finished(x.aval.size)


def _argmax_of_columns(eqn: JaxprEqn, combine: Primitive) -> Any:
    """Row after row: t0 has each column's largest number so far, y0 its place."""
    part, [x], [out], [axis] = Part(eqn), eqn.invars, eqn.outvars, eqn.params["axes"]
    shape, dtype, index = x.aval.shape, x.aval.dtype, out.aval.dtype
    size, width = shape[axis], math.prod(shape[axis + 1 :])
    array, best = part.array(x), part.scratch(width, dtype)
    larger = typed_template(lowerings[combine].template, [dtype, dtype], dtype).format("a", "b")
    is_new = "(c != a) & (a == a)" if dtype.kind == "f" else "c != a"
    row = f"r = {array}[(o * {size} + {{k}}) * {width}:(o * {size} + {{k}} + 1) * {width}]"
    with part.loops(("o", math.prod(shape[:axis])), is_split=True):
        part.emit(f"y = y0[o * {width}:(o + 1) * {width}]", row.format(k=0))
        with part.loops(("i", width)):
            part.emit(f"{best}[i] = r[i]", f"y[i] = {index}(0)")
        with part.block(f"for k in range(1, {size}):"):
            part.emit(row.format(k="k"))
            with part.loops(("i", width)):
                part.emit(f"a = {best}[i]", "b = r[i]", f"c = {larger}")
                part.emit(f"y[i] = {index}(k) if {is_new} else y[i]", f"{best}[i] = c")
    return part.finished(x.aval.size)


# In order: neighbours are merged, then pairs of neighbours, and so on; equals stay as they come.

_MERGE = """w = 1
while True:
    if w >= {n}:
        break
    for m in range(({n} + 2 * w - 1) // (2 * w)):
        i = m * 2 * w
        j = min(i + w, {n})
        middle = j
        end = min(j + w, {n})
        for k in range(i, end):
            is_second = i >= middle
            if i < middle:
                if j < end:
                    {load}
                    is_second = {less}
            if is_second:
                {take_second}
                j = j + 1
            else:
                {take_first}
                i = i + 1
    for k in range({n}):
        {back}
    w = w * 2"""


def _less(keys: Sequence[tuple[int, bool]]) -> str:
    """Whether the keys b come before the keys a; NaN last, and alike."""
    (key, is_float), *others = keys
    x, y = f"b{key}", f"a{key}"
    less, equal = f"{x} < {y}", f"{x} == {y}"
    if is_float:
        less = f"({less}) | (({x} == {x}) & ({y} != {y}))"
        equal = f"(({equal}) | (({x} != {x}) & ({y} != {y})))"
    return f"({less}) | (({equal}) & ({_less(others)}))" if others else less


def _scratch_rows(part: Part, n: int, dtypes: Sequence[np.dtype]) -> list[str]:
    """Rows of the part's own."""
    return [part.scratch(n, dtype) for dtype in dtypes]


def _merge(part: Part, n: int, here: Sequence[str], work: Sequence[str], less: str) -> None:
    """Puts rows in order together; `work` is as many, to merge them into.

    `less` says of their numbers a0, a1, ... and b0, b1, ... whether the latter come first.
    """
    pairs = list(zip(here, work, strict=True))
    text = _MERGE.format(
        n=n, less=less,
        load="; ".join(f"a{k} = {row}[i]; b{k} = {row}[j]" for k, row in enumerate(here)),
        take_second="; ".join(f"{new}[k] = {old}[j]" for old, new in pairs),
        take_first="; ".join(f"{new}[k] = {old}[i]" for old, new in pairs),
        back="; ".join(f"{old}[k] = {new}[k]" for old, new in pairs),
    )  # fmt: skip
    part.emit(*text.splitlines())


def _sorting_cost(shape: Sequence[int], n: int) -> int:
    """Of rows of n numbers, n log n each."""
    return math.prod(shape) * n.bit_length()


def are_short(n: int, keys: Sequence[np.dtype]) -> bool:
    """Whether rows are sooner merged than their digits are counted."""
    return n <= 8 * max(4, *[dtype.itemsize for dtype in keys])


def sort_part(eqn: JaxprEqn) -> Any:
    """Row after row; a short one is merged, and a long one is sorted by its digits."""
    part, xs, axis = Part(eqn), eqn.invars, eqn.params["dimension"]
    shape, dtypes = xs[0].aval.shape, [x.aval.dtype for x in xs]
    if not xs[0].aval.size:
        return part.finished()
    sizes, steps, step = rows(shape, axis)
    arrays, n = [part.array(x) for x in xs], shape[axis]
    keys = dtypes[: eqn.params["num_keys"]]
    is_short = are_short(n, keys)
    is_copied = is_short or step != 1
    here = _scratch_rows(part, n, dtypes) if is_copied else [f"r{k}" for k in range(len(xs))]
    with part.each(sizes, (0, steps), letter="o", is_split=True) as [p]:
        part.emit(f"p = {p}")
        if is_copied:
            with part.loops(("k", n)):
                for t, x in zip(here, arrays, strict=True):
                    part.emit(f"{t}[k] = {x}[p + k * {step}]")
        else:
            part.emit(*[f"{row} = {x}[p:p + {n}]" for row, x in zip(here, arrays, strict=True)])
        results = [f"y{m}[p + {{}} * {step}]" for m in range(len(xs))]
        (_merged if is_short else _by_digits)(part, n, here, keys, results)
    return part.finished(_sorting_cost(shape, n))


def _merged(part: Part, n: int, here: Sequence[str], keys: Any, results: Sequence[str]) -> None:
    """By comparisons, in the part's own rows."""
    work = _scratch_rows(part, n, [dtype for _, dtype in part.kept])
    _merge(part, n, here, work, _less([(k, dtype.kind == "f") for k, dtype in enumerate(keys)]))
    with part.loops(("k", n)):
        part.emit(*[f"{y.format('k')} = {t}[k]" for y, t in zip(results, here, strict=True)])


def _by_digits(part: Part, n: int, here: Sequence[str], keys: Any, results: Sequence[str]) -> None:
    """What stands beside the keys is read in their order."""
    radix = RadixSort(part, n, keys, is_lone=len(here) == 1)
    if not radix.order:
        return radix.emit_lone(here[0], results[0])
    radix.emit(here)
    with part.loops(("k", n)):
        part.emit(f"i = int64({radix.order}[f + k])")
        part.emit(*[f"{y.format('k')} = {t}[i]" for y, t in zip(results, here, strict=True)])


FEW = 32  # that are kept in order, sooner than a whole row is sorted


def _insert(part: Part, number: str, n: int, last: int, in_order: str) -> None:
    """Finds a row's largest numbers: t0 and t1 have those so far, and their places.

    `j` is where a number goes: the first ones behind all others, a later one in the last's place,
    if it is larger, and from there on forwards.
    """
    is_larger = f"if {in_order.format('b0', 'a0')}:"
    with part.loops(("k", n)):
        part.emit(f"a0 = {number}", f"j = min(k, {last})")
        with part.block(f"if k > {last}:"):
            part.emit(f"b0 = t0[{last}]", "j = -1")
            with part.block(is_larger):
                part.emit(f"j = {last}")
        with part.block("if j >= 0:"):
            with part.block("for i in range(j):"):
                part.emit("b0 = t0[j - 1]")
                with part.block(is_larger):
                    part.emit("t0[j] = b0", "t1[j] = t1[j - 1]", "j = j - 1")
                with part.block("else:"):
                    part.emit("break")
            part.emit("t0[j] = a0", "t1[j] = int32(k)")


def largest_part(eqn: JaxprEqn, axis: int, in_order: str) -> Any:
    """The first few of each row in order, with their places: as many as the results have.

    `in_order` is a template: whether of two numbers the first one comes later.
    """
    part, [x], (values, _) = Part(eqn), eqn.invars, eqn.outvars
    shape, dtype = x.aval.shape, x.aval.dtype
    if not values.aval.size:
        return part.finished()
    sizes, steps, step = rows(shape, axis)
    _, out_steps, out_step = rows(values.aval.shape, axis)
    array, n = part.array(x), shape[axis]
    dtypes, k = (dtype, np.dtype(np.int32)), values.aval.shape[axis]
    here = _scratch_rows(part, k if k <= FEW else n, dtypes)
    work = [] if k <= FEW else _scratch_rows(part, n, dtypes)
    with part.each(sizes, (0, steps), (0, out_steps), letter="r", is_split=True) as (p, q):
        part.emit(f"p = {p}", f"q = {q}")
        if k <= FEW:
            _insert(part, f"{array}[p + k * {step}]", n, k - 1, in_order)
        else:
            with part.loops(("k", n)):
                part.emit(f"t0[k] = {array}[p + k * {step}]", "t1[k] = int32(k)")
            _merge(part, n, here, work, in_order.format("a0", "b0"))
        with part.loops(("k", k)):
            part.emit(f"y0[q + k * {out_step}] = t0[k]", f"y1[q + k * {out_step}] = t1[k]")
    return part.finished(x.aval.size if k <= FEW else _sorting_cost(shape, n))


def top_k_part(eqn: JaxprEqn) -> Any:
    """The largest first, by the total order of floats."""
    dtype = eqn.invars[0].aval.dtype
    in_order = typed_template(lowerings[lt_to_p].template, [dtype, dtype], np.dtype(bool))
    return largest_part(eqn, eqn.params["axis"], in_order)
