"""The picture on the first screen: a `sin` that falls through `vmap(jvp(f))`.

    python tools/front_picture.py      writes notebooks/front-picture.svg

Every step in it was recorded: `vmap(jvp(sin))` runs, each bind is written down, and what is drawn
is that record. The file is a still, without scripts: README and chapter 00 show it. The site's
front page holds its text, and there the boxes fall, each at its turn: theme/site.css has it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from nbfile import ROOT

PICTURE = Path("notebooks") / "front-picture.svg"
WIDTH, LABELS, TOP, BAND, GAP = 472, 148, 52, 78, 8  # the tokens' columns are right of the labels
TOKEN, TOKEN_HEIGHT = 84, 28

STYLE = """
.falling { --ground: #fdfcf9; --band: #f5f2ec; --token: #dcebe7; }
.falling { --ink: #2a2825; --faint: #615c55; --edge: #0b6e66; }
@media (prefers-color-scheme: dark) {
.falling { --ground: #17191b; --band: #1f2225; --token: #24403c; }
.falling { --ink: #d9d5cd; --faint: #a5a097; --edge: #62c2b2; }
}
.falling text { font: 14px ui-sans-serif, system-ui, sans-serif; fill: var(--ink); }
.falling .code { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
.falling .code, .falling .result { text-anchor: middle; }
.falling .result { font-size: 12px; }
.falling .kind { font-weight: 600; }
.falling .faint { fill: var(--faint); font-size: 13px; }
.falling .ground { fill: var(--ground); }
.falling .band { fill: var(--band); }
.falling .token rect { fill: var(--token); stroke: var(--edge); stroke-width: 1.5; }
.falling .flow { stroke: var(--edge); stroke-width: 1.5; }
.falling .tip { fill: var(--edge); }
.falling .way { fill: none; stroke: var(--edge); stroke-width: 1.5; stroke-dasharray: 3 4; }
"""


@dataclass
class Bind:
    """One bind of the run: what was asked of whom, and the binds that it asked for in turn."""

    primitive: str
    trace: str  # the class of the one that was asked
    outcome: str
    order: int
    reads: list[Bind]  # those beside it whose results it is given
    asked: list[Bind]


def record() -> tuple[Bind, str, dict[str, str]]:
    """Returns the bind of `sin`; what x is; and the run's two results, by what they are called."""
    import minijax as jax
    import minijax.numpy as jnp

    def value_and_change(x: Any) -> Any:
        return jax.jvp(jnp.sin, (x,), (2.0,))

    xs = jnp.arange(3.0)
    run = jax.watch(jax.vmap(value_and_change))(xs)
    values, changes = run.result
    results = {"values": numbers(values), "changes": numbers(changes)}
    return as_tree(run.as_data()), ", ".join(f"{x:g}" for x in xs.tolist()), results


def as_tree(run: dict[str, Any]) -> Bind:
    """Returns the steps of a recording as a tree. There must be one root.

    The text of an array's box is its type, then its first numbers in brackets. No two binds beside
    each other have equal results, so an operand is of the one whose result it equals.
    """
    binds: list[Bind] = []
    roots = []
    for order, step in enumerate(run["steps"]):
        kind = run["traces"][step["trace"]]["kind"]
        [result] = step["results"]
        of_array = result["text"].rpartition("[")[2].strip("]") if kind == "EvalTrace" else ""
        reads = [binds[k] for k, other in enumerate(run["steps"][:order])
                 if other["trace"] == step["trace"] and other["results"][0] in step["operands"]]
        binds.append(Bind(step["primitive"], kind, numbers(of_array), order, reads, []))
        (roots if step["parent"] is None else binds[step["parent"]].asked).append(binds[-1])
    [root] = roots
    return root


def numbers(x: Any) -> str:
    """Returns an array's numbers, to two places."""
    values = x.split() if isinstance(x, str) else np.asarray(x)
    return " ".join(f"{round(float(one), 2) + 0.0:g}" for one in values)


def floors_of(bind: Bind) -> list[list[Bind]]:
    """Returns the binds of each depth, from the first that was asked down to the ground floor."""
    floors = [[bind]]
    while below := [each for above in floors[-1] for each in above.asked]:
        floors.append(below)
    return floors


def draw(root: Bind, xs: str, results: dict[str, str]) -> str:
    """Returns the picture. Raises ValueError where binds of one depth were not of one trace."""
    floors = floors_of(root)
    room = WIDTH - LABELS
    columns = {id(bind): LABELS + room * (2 * n + 1) / (2 * len(floors[-1]))
               for n, bind in enumerate(floors[-1])}  # fmt: skip
    for floor in reversed(floors[:-1]):
        for bind in floor:
            below = [columns[id(each)] for each in bind.asked]
            columns[id(bind)] = sum(below) / len(below)
    height = TOP + len(floors) * (BAND + GAP) + 2 * 18 - GAP
    bands, shapes, words_of = [], [], []

    x = columns[id(root)]
    words_of += ['<text x="12" y="25">you call</text>',
                 f'<text class="faint" x="{x + 60:g}" y="18">x is {xs},</text>',
                 f'<text class="faint" x="{x + 60:g}" y="36">its change is 2</text>']  # fmt: skip
    words = f"You call sin. {' '.join(map(as_words, floors))}"
    shapes.append(falling(0, token(x, 6, "sin(x)", 100)))
    above = {id(root): (x, 6 + TOKEN_HEIGHT)}
    for depth, floor in enumerate(floors):
        [kind] = {bind.trace for bind in floor} or {""}
        top = TOP + depth * (BAND + GAP)
        ground = depth == len(floors) - 1
        bands.append(band(top, BAND + (36 if ground else 0)))
        words_of.append(band_words(top + 26, *said_of(floor), kind))
        for bind in floor:
            x, y = columns[id(bind)], top + (BAND - TOKEN_HEIGHT) / 2
            from_x, from_y = above[id(bind)]
            parts = [f'<path class="way" d="M{from_x:g} {from_y:g} L{x:g} {y:g}"/>',
                     token(x, y, bind.primitive)]  # fmt: skip
            parts += [flow(columns[id(other)], x, y) for other in bind.reads]
            if ground:
                parts += outcome(bind, x, y + TOKEN_HEIGHT + 18, called(bind, floor, results))
            shapes.append(falling(bind.order + 1, "".join(parts)))
            above |= {id(each): (x, y + TOKEN_HEIGHT) for each in bind.asked}
    return (
        '<svg class="falling" xmlns="http://www.w3.org/2000/svg" '
        f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="{escape(words)}">\n'
        f'<style>{STYLE}</style>\n<rect class="ground" width="{WIDTH}" height="{height}"/>\n'
        + "\n".join([*bands, *shapes, *words_of])
        + "\n</svg>\n"
    )


def said_of(floor: list[Bind]) -> tuple[str, str]:
    """Who works on a floor, and what it does."""
    asks = ", ".join(each.primitive for bind in floor for each in bind.asked)
    match floor[0].trace:
        case "JVPTrace":
            return "jvp", f"asks for {asks}"
        case "BatchTrace":
            return "vmap", "for three numbers"
        case "EvalTrace":
            return "NumPy", "computes"
    raise ValueError(f"The picture knows no floor of a {floor[0].trace}.")


def falling(turn: int, shape: str) -> str:
    return f'<g class="token" style="--turn: {turn}">{shape}</g>'


def band(top: float, height: float) -> str:
    return f'<rect class="band" x="0" y="{top}" width="{WIDTH}" height="{height}" rx="6"/>'


def band_words(y: float, name: str, does: str, kind: str) -> str:
    """Of a floor: who works there, what it does, and the class of the trace."""
    return (
        f'<text class="kind" x="12" y="{y}">{name}</text>'
        f'<text class="faint" x="12" y="{y + 19}">{does}</text>'
        f'<text class="faint" x="12" y="{y + 37}">({kind})</text>'
    )


def token(x: float, y: float, words: str, width: float = TOKEN) -> str:
    return (
        f'<rect x="{x - width / 2:g}" y="{y:g}" width="{width:g}" height="{TOKEN_HEIGHT}" rx="14"/>'
        f'<text class="code" x="{x:g}" y="{y + 19:g}">{escape(words)}</text>'
    )


def flow(start: float, end: float, top: float) -> str:
    """A result goes to the token beside: an arrow from the edge of one to that of the other."""
    start, tip, y = start + TOKEN / 2, end - TOKEN / 2 - 1, top + TOKEN_HEIGHT / 2
    return (
        f'<path class="flow" d="M{start:g} {y:g} L{tip - 4:g} {y:g}"/>'
        f'<path class="tip" d="M{tip:g} {y:g} L{tip - 8:g} {y - 4:g} L{tip - 8:g} {y + 4:g} Z"/>'
    )


def outcome(bind: Bind, x: float, y: float, name: str) -> list[str]:
    """What the ground floor came to, and which of the results it is, if it is one."""
    named = f'<text class="faint result" x="{x:g}" y="{y + 18:g}">{name}</text>' if name else ""
    return [f'<text class="code result" x="{x:g}" y="{y:g}">{bind.outcome}</text>', named]


def called(bind: Bind, floor: list[Bind], results: dict[str, str]) -> str:
    """Which result a bind came to."""
    for name, text in results.items():
        if bind.outcome == text:
            return f"the {name}"
    return ""


def as_words(floor: list[Bind]) -> str:
    """A floor for whoever does not see the picture."""
    name, does = said_of(floor)
    done = []
    for bind in floor:
        of = "".join(f" of {other.primitive}'s result" for other in bind.reads)
        gives = "" if bind.asked else f" gives {bind.outcome}"
        done.append(f"{bind.primitive}{of}{gives}")
    return f"{name}, {does}: {', '.join(done)}."


def main() -> int:
    (ROOT / PICTURE).write_text(draw(*record()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
