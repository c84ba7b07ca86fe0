"""Pictures for the book: stacks of traces and graphs of jaxprs, as Mermaid and as plain text.

And figures of Matplotlib, such as the windows of a gather, or the blocks of a kernel by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.printing import Names, format_jaxpr, is_literal

# Light colours for what has letters on it, which are black then, on a white page and on a dark one.
TINTS = ("#aec7e8", "#ffbb78", "#98df8a", "#ff9896", "#c5b0d5", "#c49c94", "#f7b6d2")


class Picture:
    """A Mermaid diagram with a twin in plain text, for places that draw no Mermaid."""

    def __init__(self, mermaid: str, text: str) -> None:
        self.mermaid, self.text = mermaid, text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/vnd.mermaid": self.mermaid}

    def __repr__(self) -> str:
        return self.text


def quote(label: str) -> str:
    """A label for Mermaid, which takes `<lambda>` for HTML."""
    return '"' + re.sub('[<>"&#]', lambda match: f"#{ord(match[0])};", label) + '"'


def _label(trace: Any) -> str:
    info = getattr(trace, "debug_info", None)
    return type(trace).__name__ + (f" of {info.func_name}" if info else "")


def _floors(trace: Any) -> list[list[Any]]:
    """The traces from the current one down; a split trace has two on the floor below."""
    floors = []
    while trace is not None:
        floors.append([trace])
        tangent_trace = getattr(trace, "tangent_trace", None)
        trace = trace.parent
        if tangent_trace is not None:
            floors.append([tangent_trace] if trace is None else [trace, tangent_trace])
            trace = trace and trace.parent
    return floors


def trace_stack(
    trace: Any, waiting: Sequence[Any] = (), label: Callable[[Any], str] = _label
) -> Picture:
    """The stack under a trace, the current one on top: each hands its work to the one below.

    Call it with `trace_ctx.trace` while a function runs, and `display` the result. `waiting` are
    traces that were in charge before and will be again, the last one first. They are drawn with
    dashes, above their own stacks, and wait for those that are drawn before.
    """
    lines, text, names, drawn = ["flowchart TD"], [], {}, []
    for k, top in enumerate([trace, *_tops(waiting)]):
        floors = _floors(top)
        for depth, floor in enumerate(floors):
            above = names[floors[depth - 1][0]] if depth else None
            for i, each in enumerate(floor):
                if each not in names:
                    names[each] = f"w{k}_{depth}_{i}" if k else f"t{depth}_{i}"
                    lines.append(f"  {names[each]}[{quote(label(each))}]")
                if above:
                    lines.append(f"  {above} --> {names[each]}")
            arrow = ("waiting ->" if k else "current ->") if depth == 0 else "          "
            text.append(f"{arrow} {'   and   '.join(map(label, floor))}")
        if drawn:
            lines.append(f"  {names[top]} -. waits for .-> {names[drawn[-1]]}")
        drawn.append(top)
    dashed = (names[each] for each in waiting if each in names)
    lines.extend(f"  style {name} stroke-dasharray: 5 5" for name in dashed)
    return Picture("\n".join(lines), "\n".join(text))


def _tops(waiting: Sequence[Any]) -> list[Any]:
    """Those that are on nobody else's stack."""
    below = {each for top in waiting for floor in _floors(top)[1:] for each in floor}
    return [each for each in waiting if each not in below]


def jaxpr_graph(
    jaxpr: Any, steps: Sequence[Any] = (), kept: Sequence[Any] | None = None
) -> Picture:
    """The equations of a jaxpr as boxes, in its letters, and an arrow for each use of a variable.

    The inputs share a frame, which keeps them in their order: Mermaid moves single boxes about.
    Given the steps that the compiler makes of it, each step has a frame around its equations.
    Where `kept` is given, equations that are not in it have a dashed frame.
    """
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    names = Names()
    text = format_jaxpr(jaxpr, names)
    inputs = [*jaxpr.constvars, *jaxpr.invars]
    labels = [quote(f"{names(v)}:{v.aval.str_short(True)}") for v in inputs]
    boxes = [f"in{i}([{label}])" for i, label in enumerate(labels)]
    lines = ["flowchart TD", *(f"  {box}" for box in boxes)]
    if len(boxes) > 1:
        row = f"    {' ~~~ '.join(boxes)}"
        lines[1:] = ['  subgraph inputs[" "]', "    direction LR", row, "  end"]
    arrows: dict[Any, str] = {}  # how an arrow for a variable starts

    def makes(box: str, variables: Sequence[Any]) -> None:
        for v in variables:
            arrows[v] = f"{box} -- {names(v)} -->" if len(variables) > 1 else f"{box} -->"

    def uses(box: str, atoms: Sequence[Any]) -> None:
        lines.extend(f"  {arrows[x]} {box}" for x in atoms if not is_literal(x))

    makes("inputs" if len(boxes) > 1 else "in0", inputs)
    for i, eqn in enumerate(jaxpr.eqns):
        lines.append(f"  e{i}[{quote(_equation(eqn, names))}]")
        uses(f"e{i}", eqn.invars)
        makes(f"e{i}", eqn.outvars)
    for k, step in enumerate(steps):
        made = {v for eqn in getattr(step, "eqns", None) or [step.eqn] for v in eqn.outvars}
        inside = [f"e{i}" for i, eqn in enumerate(jaxpr.eqns) if not made.isdisjoint(eqn.outvars)]
        lines.append(f'  subgraph s{k}["step {k}"]\n    {" & ".join(inside)}\n  end')
    lines.append(f"  out([{quote(' '.join(['out:', *map(names, jaxpr.outvars)]))}])")
    uses("out", jaxpr.outvars)
    alive = set(map(id, jaxpr.eqns if kept is None else kept))
    gone = (i for i, eqn in enumerate(jaxpr.eqns) if id(eqn) not in alive)
    lines.extend(f"  style e{i} stroke-dasharray: 5 5" for i in gone)
    return Picture("\n".join(lines), text)


def _equation(eqn: Any, names: Names) -> str:
    outs = [*map(names, eqn.outvars), "="] if eqn.outvars else []
    return " ".join([*outs, eqn.primitive.name, *map(names, eqn.invars)])


def _draw_numbers(
    ax: Any, numbers: np.ndarray, corner: Sequence[float], color: str, frame: float = 0.9
) -> None:
    (rows, columns), (top, left) = numbers.shape, corner
    x0, x1 = left - frame / 2, left + columns - 1 + frame / 2
    y0, y1 = top - frame / 2, top + rows - 1 + frame / 2
    ax.plot([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0], color=color, linewidth=2)
    for (row, column), number in np.ndenumerate(numbers):
        ax.text(left + column, top + row, number, ha="center", va="center", fontsize=8)


def draw_gather(
    axes: Sequence[Any], operand: np.ndarray, indices: Sequence[Sequence[int]], numbers: Any,
    sizes: tuple[int, int], title: str,
) -> None:  # fmt: skip
    """A gather from an array with two axes, of at most 6 columns: its windows, and what it gives.

    `axes` are two of Matplotlib's; each window has its index's colour, in both.
    """
    for k, index in enumerate(indices):
        start = [0, 0]
        for d, entry in zip(numbers.start_index_map, index, strict=True):
            start[d] = entry
        window = operand[tuple(slice(i, i + n) for i, n in zip(start, sizes, strict=True))]
        _draw_numbers(axes[0], np.full(sizes, ""), start, f"C{k}", 0.9 - 0.14 * k)
        _draw_numbers(axes[1], window, (0.6, k * (sizes[1] + 0.5)), f"C{k}")
    _draw_numbers(axes[0], operand, (0, 0), "gray", 1.0)
    told = ", ".join(f"{name}={dims}" for name, dims in numbers._asdict().items() if dims)
    axes[0].set(xlim=(-0.6, 5.6), ylim=(3.6, -0.6), title=f"indices {indices}")
    axes[1].set(xlim=(-0.6, 19), ylim=(3.6, -0.6))
    axes[1].set_title(f"{title}; slice_sizes={sizes}\n{told}", loc="left", fontsize=10)
    for ax in axes:
        ax.axis("off")


def draw_places(ways: dict[str, Any], shape: tuple[int, int]) -> None:
    """Where the loops of `shape` read in memory, for each way (offset, strides): the later, the
    darker."""
    from matplotlib import pyplot

    _, axes = pyplot.subplots(1, len(ways), figsize=(8, 1.9))
    for ax, (name, way) in zip(axes, ways.items(), strict=True):
        numbers = way.offset + np.tensordot(way.strides, np.indices(shape), 1)
        ax.imshow(numbers, cmap="Blues", vmax=2 * numbers.max())
        for (row, column), number in np.ndenumerate(numbers):
            ax.text(column, row, number, ha="center", va="center", fontsize=9, color="black")
        ax.set_title(f"{name}: strides {way.strides}", fontsize=10)
        ax.axis("off")


class _Seen:
    """A trace of a recording, with those below it."""

    def __init__(self, label: str) -> None:
        self.label, self.parent, self.tangent_trace = label, None, None


def watched_stack(recording: Any, number: int) -> Picture:
    """The stack under the trace that is asked at a step of `minijax.watch`'s, and who waits."""
    found = [_Seen(f"{each.label}: {each.kind} {each.role}".rstrip()) for each in recording.traces]
    for seen, record in zip(found, recording.traces, strict=True):
        seen.parent = None if record.parent is None else found[record.parent]
        seen.tangent_trace = None if record.tangents is None else found[record.tangents]
    step = recording[number]
    waiting = [found[i] for i in step.waiting]
    return trace_stack(found[step.trace], waiting, lambda trace: trace.label)


def kernel_passes(kernel: Any) -> Picture:
    """A kernel that reduces rows: what it does once a row, and what in which pass over the row.

    Each equation stands with the axes of its result. One along all loops is computed in the first
    pass in which all the totals that it needs are known.
    """
    depth, known = len(kernel.space), dict[Any, int]()  # known: of a row's total, after which pass
    groups: dict[tuple[int, bool], list[int]] = {}

    def is_total(v: Any) -> bool:
        return v in kernel.axes and len(set(kernel.axes[v]) - {None}) < depth

    for k, eqn in enumerate(kernel.eqns):
        [v] = eqn.outvars
        once = is_total(v) and all(is_total(x) for x in eqn.invars if not is_literal(x))
        needed = [known[x] + (is_total(x) and not once) for x in eqn.invars if x in known]
        known[v] = max(needed, default=0)
        groups.setdefault((known[v], once), []).append(k)
    rows, numbers = (math.prod(kernel.space[: kernel.rows]), math.prod(kernel.space[kernel.rows :]))
    lines = ["flowchart TD", f'  subgraph rows["each of {rows} rows"]']
    text = [f"each of {rows} rows:"]
    for (number, once), members in sorted(groups.items()):
        title = f"once, after pass {number}"
        if not once:
            title = f"pass {number}, over its {numbers} numbers"
        names = [f"{kernel.eqns[k].primitive} {kernel.axes[kernel.eqns[k].outvars[0]]}"
                 for k in members]  # fmt: skip
        text.append(f"    {title}: {', '.join(names)}")
        lines.append(f'    subgraph g{number}{"once" if once else ""}["{title}"]')
        boxes = zip(members, names, strict=True)
        lines += [*(f"      e{k}[{quote(name)}]" for k, name in boxes), "    end"]
    makers = {v: f"e{k}" for k, eqn in enumerate(kernel.eqns) for v in eqn.outvars}
    arrows = [f"  {makers[x]} --> e{k}" for k, eqn in enumerate(kernel.eqns)
              for x in eqn.invars if x in makers]  # fmt: skip
    return Picture("\n".join([*lines, "  end", *arrows]), "\n".join(text))


def lives(executable: Any, last_reads: Callable, smallest: int) -> list[list[tuple[str, int, int]]]:
    """For each piece of memory that kernels of a compiled program write to, what lives there: a
    variable's name, the step that makes it, and the step after which nobody needs it.

    `last_reads` tells when each is read for the last time; arrays below a size are left out.
    """
    steps, program = executable.steps, executable.program
    last = last_reads(executable.jaxpr.jaxpr.outvars, steps, executable.sources)
    pieces: dict[Any, list[tuple[str, int, int]]] = {}
    for k, source in enumerate(executable.sources):
        for v in source.writes if source else ():
            if v.aval.size >= smallest:
                pieces[v] = pieces[program.taken[v]] if v in program.taken else []
                end = next((i for i, dead in enumerate(last) if v in dead), len(steps) - 1)
                pieces[v].append((program.variables[v], k, end))
    return list({id(piece): piece for piece in pieces.values()}.values())


def draw_lives(executable: Any, last_reads: Callable, smallest: int) -> None:
    """The lives of a program's large arrays: a row for each piece of memory, a column for each
    step, a bar for each variable."""
    from matplotlib import pyplot

    pieces, steps = lives(executable, last_reads, smallest), executable.steps
    _, ax = pyplot.subplots(figsize=(8, 0.9 + 0.5 * len(pieces)))
    for row, piece in enumerate(pieces):
        for k, (name, start, end) in enumerate(piece):
            color = TINTS[k % len(TINTS)]
            ax.barh(row, end + 1 - start, left=start, color=color, edgecolor="black")
            ax.text((start + end + 1) / 2, row, name, ha="center", va="center", color="black")
    ax.set_xticks([k + 0.5 for k in range(len(steps))], range(len(steps)))
    ax.set_yticks(range(len(pieces)), [f"memory {row}" for row in range(len(pieces))])
    ax.set(xlabel="step", xlim=(0, len(steps)), ylim=(len(pieces) - 0.5, -0.5))
    ax.tick_params(length=0)
    for edge in ax.spines.values():
        edge.set_visible(False)


def draw_texts(texts: dict[str, Sequence[Any]]) -> None:
    """Kernels' texts side by side, each under the sizes that have it; words in colour are not in
    the first text's line."""
    from matplotlib import pyplot

    columns = [(text.splitlines(), sizes) for text, sizes in texts.items()]
    no_gaps = {"left": 0, "right": 1, "wspace": 0}
    width = 46 * 0.6 * 7 / 72  # of a column, in inches: characters of 7 points
    _, axes = pyplot.subplots(1, len(columns), figsize=(width * len(columns), 2.4),
                              gridspec_kw=no_gaps)  # fmt: skip
    for ax, (lines, sizes) in zip(axes, columns, strict=True):
        ax.set_title(", ".join(" x ".join(map(str, size)) for size in sizes), fontsize=10)
        ax.set(xlim=(0, 46), ylim=(len(lines), -0.5))
        ax.axis("off")
        for row, (line, first) in enumerate(zip(lines, columns[0][0], strict=True)):
            known = set(re.findall(r"\w+", first))
            for word in re.finditer(r"\w+|[^\w\s]+", line):
                is_new = word[0].isalnum() and word[0] not in known
                ax.text(word.start(), row, word[0], family="monospace", fontsize=7,
                        color="C3" if is_new else None,
                        weight="bold" if is_new else "normal")  # fmt: skip


def draw_levels(layout: Any, kept: Sequence[Any]) -> None:
    """What a kernel over rows makes, in the order of its depth: a grid for what lies along both
    axes, a column for what lies along the rows alone. Dark is what has memory: a result all of its
    numbers, a value in `kept` one row, which each turn writes anew."""
    from matplotlib import pyplot

    rows, columns = layout.kernel.space
    values = [v for v, eqn in layout.equations.items() if eqn.primitive.name != "broadcast_in_dim"]
    _, ax = pyplot.subplots(figsize=(9, 2.2))
    left = 0.0
    for v in sorted(values, key=lambda v: layout.depth[v]):
        width, memory = columns if layout.level[v] == 2 else 1, "no memory"
        shades = np.full((rows, width), 0.2)
        if v in kept:
            shades[0], memory = 0.7, "one row kept"
        elif v in layout.writes:
            shades[:], memory = 0.7, "all written"
        ax.pcolormesh(left + np.arange(width + 1), np.arange(rows + 1), shades, cmap="Blues",
                      vmin=0, vmax=1, edgecolors="gray", linewidth=0.5)  # fmt: skip
        numbers = f"level {layout.level[v]}, depth {layout.depth[v]}"
        told = f"{layout.equations[v].primitive}\n{numbers}\n{memory}"
        ax.text(left, rows + 0.3, told, fontsize=8, va="top")
        left += max(width, 4) + 2
    ax.set(xlim=(-0.2, left), ylim=(rows + 2.6, -0.2))
    ax.axis("off")


def draw_reads(ax: Any, reads: Sequence[tuple[str, int, bool]], title: str) -> None:
    """Which line of memory each read is from, the first read on the left; in red where the line had
    to be fetched. Each read is its array's name, its line's number and whether it was fetched."""
    for is_new, color, size in ((False, "gray", 1), (True, "C3", 3)):
        turns = [turn for turn, (*_, new) in enumerate(reads) if new == is_new]
        ax.scatter(turns, [reads[turn][1] for turn in turns], s=size, color=color)
    fetches = sum(new for *_, new in reads)
    ax.set(title=f"{title}: {fetches} of {len(reads)} fetched", xlabel="read", ylabel="line")
    if not ax.yaxis_inverted():  # another one's axis may be this one's
        ax.invert_yaxis()


def draw_blocks(
    specs: dict[str, tuple[tuple[int, int], Callable]], shape: tuple[int, int],
    programs: Sequence[tuple[int, ...]],
) -> None:  # fmt: skip
    """What programs of a grid see of arrays of `shape`, each in its colour. For each array's name
    there is a block's shape, and the map from a place in the grid to a block."""
    from matplotlib import patches, pyplot

    _, axes = pyplot.subplots(1, len(specs), figsize=(2.2 * len(specs), 2.4))
    for ax, (name, (block, index_map)) in zip(axes, specs.items(), strict=True):
        rows, columns = (range(0, n + 1, size) for n, size in zip(shape, block, strict=True))
        ax.hlines(rows, 0, shape[1], color="gray")
        ax.vlines(columns, 0, shape[0], color="gray")
        for k, program in enumerate(programs):
            top, left = (i * size for i, size in zip(index_map(*program), block, strict=True))
            ax.add_patch(patches.Rectangle((left, top), block[1], block[0], color=TINTS[k]))
            middle = left + block[1] / 2, top + block[0] / 2
            ax.text(*middle, str(program), ha="center", va="center", fontsize=8, color="black")
        ax.set(title=name, xlim=(-1, shape[1] + 1), ylim=(shape[0] + 1, -1), aspect="equal")
        ax.axis("off")


def draw_errors(x: np.ndarray, errors: dict[str, np.ndarray], scale: str) -> None:
    """How wrong each of several functions is at `x`, in ulps: the largest error round about."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(6, 2.6))
    places, most = x.reshape(200, -1), {name: e.reshape(200, -1) for name, e in errors.items()}
    for name, error in most.items():
        ax.plot(places.mean(1), error.max(1), label=name)
    ax.set(xlabel="x", ylabel="ulps", xscale=scale, yscale="log")
    ax.legend()


def draw_bits(numbers: Sequence[float]) -> None:
    """The bits of float32 numbers, those that are 1 dark: the sign, the exponent, the digits."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(6, 0.5 + 0.3 * len(numbers)))
    bits = np.float32(numbers).view(np.uint32)[:, None] >> np.arange(31, -1, -1) & 1
    columns = np.r_[0, np.arange(1.5, 9.5), np.arange(10, 33)]  # with a gap after each part
    for row, line in enumerate(bits):
        for column, bit in zip(columns, line, strict=True):
            ax.text(column, row, bit, ha="center", va="center", color="black", fontsize=8,
                    bbox={"boxstyle": "square", "facecolor": TINTS[0] if bit else "white"})
    ax.set(xlim=(-0.7, 32.7), ylim=(len(numbers) - 0.5, -0.5))
    ax.set_xticks([0, 5, 21], ["sign", "exponent", "digits"])
    ax.set_yticks(range(len(numbers)), numbers)
    ax.tick_params(length=0)
    for edge in ax.spines.values():
        edge.set_visible(False)


def draw_shards(arrays: dict[str, Any]) -> None:
    """Which devices hold which part of each array, whose title is its name."""
    from matplotlib import patches, pyplot

    _, axes = pyplot.subplots(1, len(arrays), figsize=(2.2 * len(arrays), 2.2))
    for ax, (name, array) in zip(axes, arrays.items(), strict=True):
        holders: dict[tuple[float, ...], list[int]] = {}
        for shard in array.addressable_shards:
            edges = [i.indices(n)[:2] for i, n in zip(shard.index, array.shape, strict=True)]
            holders.setdefault(tuple(np.ravel(edges)), []).append(shard.device.id)
        for k, ((top, bottom, left, right), devices) in enumerate(holders.items()):
            size = right - left, bottom - top
            ax.add_patch(patches.Rectangle((left, top), *size, facecolor=TINTS[k]))
            told = " and ".join(map(str, devices))
            ax.text(left + size[0] / 2, top + size[1] / 2, told, color="black", ha="center",
                    va="center")  # fmt: skip
        ax.set(title=name, xlim=(-0.1, array.shape[1] + 0.1), ylim=(array.shape[0] + 0.1, -0.1))
        ax.axis("off")


def draw_schedule(batches: Sequence[Sequence[int]], count: int) -> None:
    """Which of `count` batches each worker has at each tick; a number that is none: it waits."""
    from matplotlib import patches, pyplot

    _, ax = pyplot.subplots(figsize=(0.45 * len(batches[0]) + 1, 0.45 * len(batches) + 0.5))
    for (row, tick), batch in np.ndenumerate(batches):
        if 0 <= batch < count:
            color = TINTS[batch % len(TINTS)]
            ax.add_patch(patches.Rectangle((tick, row), 1, 1, facecolor=color))
            ax.text(tick + 0.5, row + 0.5, batch, ha="center", va="center", color="black")
    ax.set(xlabel="tick", xlim=(0, len(batches[0])), ylim=(len(batches), 0))
    ax.set_xticks(np.arange(len(batches[0])) + 0.5, range(len(batches[0])))
    ax.set_yticks(np.arange(len(batches)) + 0.5, [f"device {i}" for i in range(len(batches))])
    ax.tick_params(length=0)
