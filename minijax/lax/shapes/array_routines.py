"""Whole arrays inside of compiled loops: laid side by side, padded, repeated, summed up as they go,
searched for the largest, and put in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import typed_template
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import lowerings
from minijax.core.primitives import broadcast_in_dim_p
from minijax.core.staging import JaxprEqn, Var
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.floats import lt_to_p
from minijax.lax.kernel_parts import Part, block, each, nest

# Elements are only moved.


def concatenate_part(eqn: JaxprEqn) -> Any:
    part, [out] = Part(eqn), eqn.outvars
    steps, start = row_major(out.aval.shape), 0
    for x in eqn.invars:
        part.lines += each(
            x.aval.shape, [f"y0[{{p}}] = {part.array(x)}[{{q}}]"],
            p=(start, steps), q=(0, row_major(x.aval.shape)),
        )  # fmt: skip
        start += x.aval.shape[eqn.params["dimension"]] * steps[eqn.params["dimension"]]
    return part.source()


def concatenate_pieces(eqn: JaxprEqn) -> tuple[int, list]:
    dimension = eqn.params["dimension"]
    return dimension, [(x, x.aval.shape[dimension]) for x in eqn.invars]


def stack_part(eqn: JaxprEqn) -> Any:
    part, [out] = Part(eqn), eqn.outvars
    steps = row_major(out.aval.shape)
    step = steps.pop(eqn.params["axis"])
    for k, x in enumerate(eqn.invars):
        part.lines += each(
            x.aval.shape, [f"y0[{{p}}] = {part.array(x)}[{{q}}]"],
            p=(k * step, steps), q=(0, row_major(x.aval.shape)),
        )  # fmt: skip
    return part.source()


def tile_part(eqn: JaxprEqn) -> Any:
    """Along each axis, how often, and then the operand."""
    part, [x], [out] = Part(eqn), eqn.invars, eqn.outvars
    shape, steps = x.aval.shape, row_major(out.aval.shape)
    pairs = list(zip(eqn.params["reps"], shape, steps, row_major(shape), strict=True))
    part.lines += each(
        [n for reps, size, *_ in pairs for n in (reps, size)],
        [f"y0[{{p}}] = {part.array(x)}[{{q}}]"],
        p=(0, [n for _, size, step, _ in pairs for n in (size * step, step)]),
        q=(0, [n for *_, step in pairs for n in (0, step)]),
    )
    return part.source()


def pad_pieces(eqn: JaxprEqn) -> tuple[int, list] | None:
    """Along the first axis that is padded; what lies inside may be padded along others."""
    x, [out], config = eqn.invars[0], eqn.outvars, list(eqn.params["padding_config"])
    padded = [d for d, edges in enumerate(config) if any(edges)]
    if not padded or not x.aval.size or min(map(min, config)) < 0 or any(n for *_, n in config):
        return None
    d, shape = padded[0], out.aval.shape
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
    part.lines += each([out.aval.size], [f"y0[{{p}}] = {padding}"], p=(0, [1]))
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
        part.lines += each(
            sizes, [f"y0[{{p}}] = {array}[{{q}}]"], p=(start, out_steps), q=(begin, in_steps)
        )
    return part.source()


# Along an axis, one element after the other.


def rows(shape: Sequence[int], axis: int) -> tuple[list[int], list[int], int]:
    """The other axes' sizes and strides, and the axis's own stride."""
    steps, sizes = row_major(shape), list(shape)
    step = steps.pop(axis)
    sizes.pop(axis)
    return sizes, steps, step


def cumulative_part(eqn: JaxprEqn, combine: Primitive, neutral: int | None = None) -> Any:
    """Each total is made of the one before; the first, of the neutral element if there is one, so
    that -0.0 becomes 0.0 in a sum."""
    part, [x], axis = Part(eqn), eqn.invars, eqn.params["axis"]
    shape, dtype = x.aval.shape, x.aval.dtype
    template = typed_template(lowerings[combine].template, [dtype, dtype], dtype)
    if not x.aval.size:
        return part.source()
    sizes, steps, step = rows(shape, axis)
    array, start = part.array(x), 0
    if eqn.params["reverse"]:
        start, step = (shape[axis] - 1) * step, -step
    total = template.format("a", "b")
    begin = "b" if neutral is None else template.format(f"{dtype}({neutral})", "b")
    first = each(
        sizes[axis:], [f"b = {array}[{{p}}]", f"y0[{{p}}] = {begin}"], p=("p", steps[axis:])
    )
    other = each(
        sizes[axis:],
        [f"a = y0[{{p}} - {step}]", f"b = {array}[{{p}}]", f"y0[{{p}}] = {total}"],
        p=("q", steps[axis:]),
    )
    body = ["p = {p}", *first, *block(f"for k in range(1, {shape[axis]}):", [
        f"q = p + k * {step}", *other
    ])]  # fmt: skip
    part.lines += each(sizes[:axis], body, letter="j", p=(start, steps[:axis]))
    return part.source()


WIDE = 32  # columns, from which on it is faster to go along rows


def argmax_part(eqn: JaxprEqn, combine: Primitive) -> Any:
    """The first that equals the largest; of floats, the first NaN. Both loops become vectors."""
    if math.prod(eqn.invars[0].aval.shape[eqn.params["axes"][0] + 1 :]) >= WIDE:
        return _argmax_of_columns(eqn, combine)
    part, [x], [out], [axis] = Part(eqn), eqn.invars, eqn.outvars, eqn.params["axes"]
    sizes, steps, step = rows(x.aval.shape, axis)
    size, dtype, here = x.aval.shape[axis], x.aval.dtype, f"{part.array(x)}[q + k * {step}]"
    larger = typed_template(lowerings[combine].template, [dtype, dtype], dtype).format("a", "b")
    found = "(b == a) | (b != b)" if dtype.kind == "f" else "b == a"
    body = [
        "q = {q}", f"a = {part.array(x)}[q]",
        *nest([("k", size)], [f"b = {here}", f"a = {larger}"]), f"n = {size}",
        *nest([("k", size)], [f"b = {here}", f"n = min(n, k) if {found} else n"]),
        f"y0[{{p}}] = {out.aval.dtype}(n)",
    ]  # fmt: skip
    part.lines += each(sizes, body, p=(0, row_major(sizes)), q=(0, steps))
    return part.source()


def _argmax_of_columns(eqn: JaxprEqn, combine: Primitive) -> Any:
    """Row after row: t0 has each column's largest number so far, y0 its place."""
    part, [x], [out], [axis] = Part(eqn), eqn.invars, eqn.outvars, eqn.params["axes"]
    shape, dtype, index = x.aval.shape, x.aval.dtype, out.aval.dtype
    size, width = shape[axis], math.prod(shape[axis + 1 :])
    array, best = part.array(x), part.scratch(width, dtype)
    larger = typed_template(lowerings[combine].template, [dtype, dtype], dtype).format("a", "b")
    is_new = "(c != a) & (a == a)" if dtype.kind == "f" else "c != a"
    first = [f"{best}[i] = r[i]", f"y[i] = {index}(0)"]
    later = [f"a = {best}[i]", "b = r[i]", f"c = {larger}",
             f"y[i] = {index}(k) if {is_new} else y[i]", f"{best}[i] = c"]  # fmt: skip
    row = f"r = {array}[(o * {size} + {{}}) * {width}:(o * {size} + {{}} + 1) * {width}]"
    part.lines += nest([("o", math.prod(shape[:axis]))], [
        f"y = y0[o * {width}:(o + 1) * {width}]",
        row.format(0, 0), *nest([("i", width)], first),
        *block(f"for k in range(1, {size}):", [row.format("k", "k"), *nest([("i", width)], later)]),
    ])  # fmt: skip
    return part.source()


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


def _merge(part: Part, n: int, dtypes: Sequence[np.dtype], less: str) -> tuple[list[str], list]:
    """Rows of the part's own that are put in order together, and the lines that do it.

    `less` says of their numbers a0, a1, ... and b0, b1, ... whether the latter come first.
    """
    here = [part.scratch(n, dtype) for dtype in dtypes]
    pairs = [(row, part.scratch(n, dtype)) for row, dtype in zip(here, dtypes, strict=True)]
    text = _MERGE.format(
        n=n, less=less,
        load="; ".join(f"a{k} = {row}[i]; b{k} = {row}[j]" for k, row in enumerate(here)),
        take_second="; ".join(f"{new}[k] = {old}[j]" for old, new in pairs),
        take_first="; ".join(f"{new}[k] = {old}[i]" for old, new in pairs),
        back="; ".join(f"{old}[k] = {new}[k]" for old, new in pairs),
    )  # fmt: skip
    return here, text.splitlines()


SHORT = 256  # numbers of a row, up to which NumPy takes longer to be called than a kernel to sort


def are_short(eqn: JaxprEqn) -> bool:
    return eqn.invars[0].aval.shape[eqn.params["dimension"]] <= SHORT


def sort_part(eqn: JaxprEqn) -> Any:
    """Each row is copied, put in order, and copied back."""
    part, xs, axis = Part(eqn), eqn.invars, eqn.params["dimension"]
    shape, dtypes = xs[0].aval.shape, [x.aval.dtype for x in xs]
    if not xs[0].aval.size:
        return part.source()
    sizes, steps, step = rows(shape, axis)
    arrays, n = [part.array(x) for x in xs], shape[axis]
    keys = [(k, dtypes[k].kind == "f") for k in range(eqn.params["num_keys"])]
    here, merge = _merge(part, n, dtypes, _less(keys))
    read = [f"{t}[k] = {x}[p + k * {step}]" for t, x in zip(here, arrays, strict=True)]
    write = [f"y{m}[p + k * {step}] = {t}[k]" for m, t in enumerate(here)]
    body = ["p = {p}", *nest([("k", n)], read), *merge, *nest([("k", n)], write)]
    part.lines += each(sizes, body, letter="r", p=(0, steps))
    return part.source()


FEW = 32  # that are kept in order, sooner than a whole row is sorted


def _insert(part: Part, number: str, n: int, eqn: JaxprEqn, in_order: str) -> list[str]:
    """Lines that find a row's largest numbers: t0 and t1 have those so far, and their places.

    `j` is where a number goes: the first ones behind all others, a later one in the last's place,
    if it is larger, and from there on forwards.
    """
    last = eqn.params["k"] - 1
    part.scratch(last + 1, eqn.invars[0].aval.dtype)
    part.scratch(last + 1, np.dtype(np.int32))
    is_larger = f"if {in_order.format('b0', 'a0')}:"
    move = ["t0[j] = b0", "t1[j] = t1[j - 1]", "j = j - 1"]
    forwards = ["b0 = t0[j - 1]", *block(is_larger, move),
                *block("else:", ["break"])]  # fmt: skip
    take = [*block("for i in range(j):", forwards), "t0[j] = a0", "t1[j] = int32(k)"]
    ask = [f"b0 = t0[{last}]", "j = -1", *block(is_larger, [f"j = {last}"])]
    row = [f"a0 = {number}", f"j = min(k, {last})", *block(f"if k > {last}:", ask),
           *block("if j >= 0:", take)]  # fmt: skip
    return block(f"for k in range({n}):", row)


def top_k_part(eqn: JaxprEqn) -> Any:
    """The first few of a row in order, the largest first, with their places."""
    part, [x], (values, _) = Part(eqn), eqn.invars, eqn.outvars
    axis, shape, dtype = eqn.params["axis"], x.aval.shape, x.aval.dtype
    if not values.aval.size:
        return part.source()
    sizes, steps, step = rows(shape, axis)
    _, out_steps, out_step = rows(values.aval.shape, axis)
    array, n = part.array(x), shape[axis]
    in_order = typed_template(lowerings[lt_to_p].template, [dtype, dtype], np.dtype(bool))
    if eqn.params["k"] <= FEW:
        found = _insert(part, f"{array}[p + k * {step}]", n, eqn, in_order)
    else:
        _, merge = _merge(part, n, [dtype, np.dtype(np.int32)], in_order.format("a0", "b0"))
        read = [f"t0[k] = {array}[p + k * {step}]", "t1[k] = int32(k)"]
        found = [*nest([("k", n)], read), *merge]
    write = [f"y0[q + k * {out_step}] = t0[k]", f"y1[q + k * {out_step}] = t1[k]"]
    body = ["p = {p}", "q = {q}", *found, *nest([("k", eqn.params["k"])], write)]
    part.lines += each(sizes, body, letter="r", p=(0, steps), q=(0, out_steps))
    return part.source()
