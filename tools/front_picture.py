"""The picture on the first screen: a `sin` that falls through `vmap(jvp(f))`.

    python tools/front_picture.py      writes notebooks/front-picture.svg

Every step in it was recorded: `vmap(jvp(sin))` runs, each bind is written down, and what is drawn
is that record. The file is a still, without scripts: README and chapter 00 show it. The site's
front page holds its text, and there the boxes fall, each at its turn: theme/site.css has it.
"""

from __future__ import annotations

import runpy
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from nbfile import ROOT

PICTURE = Path("notebooks") / "front-picture.svg"
SAID = {  # of each kind of trace: what makes it, and what it does
    "JVPTrace": ("jvp", "the value, and how fast it changes"),
    "BatchTrace": ("vmap", "for three numbers at once"),
    "EvalTrace": ("NumPy", "computes"),
}
WIDTH, TOP, BAND, GAP = 440, 52, 74, 10
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
.falling .says { paint-order: stroke; stroke: var(--band); stroke-width: 6px; }
.falling .kind { font-weight: 600; }
.falling .faint { fill: var(--faint); font-size: 13px; }
.falling .ground { fill: var(--ground); }
.falling .band { fill: var(--band); }
.falling .token rect { fill: var(--token); stroke: var(--edge); stroke-width: 1.5; }
.falling .way { fill: none; stroke: var(--edge); stroke-width: 1.5; stroke-dasharray: 3 4; }
"""


@dataclass
class Bind:
    """One bind of the run: what was asked of whom, and the binds that it asked for in turn."""

    primitive: str
    trace: str  # the class of the one that was asked
    outcome: str
    order: int
    asked: list[Bind]


def record() -> tuple[Bind, str, dict[str, str]]:
    """Returns the bind of `sin`; what x was; and the run's two results, by what they are called."""
    import minijax as jax
    import minijax.numpy as jnp

    watch_binds = runpy.run_path(str(ROOT / "notebooks" / "pictures.py"))["watch_binds"]

    def value_and_change(x: Any) -> Any:
        return jax.jvp(jnp.sin, (x,), (1.0,))

    xs = jnp.arange(3.0)
    with watch_binds() as walk:
        values, changes = jax.vmap(value_and_change)(xs)
    results = {"values": numbers(values), "changes": numbers(changes)}
    return as_tree(walk.steps), ", ".join(f"{x:g}" for x in xs.tolist()), results


def as_tree(steps: list[Any]) -> Bind:
    """Returns the steps of a walk as the tree that their depths say. There must be one root."""
    path: list[Bind] = []
    roots = []
    for order, step in enumerate(steps):
        outcome = step.outcome.removeprefix("computes ").strip("[]").split()
        bind = Bind(str(step.primitive), type(step.at_work).__name__, " ".join(outcome), order, [])
        del path[step.depth :]
        (path[-1].asked if path else roots).append(bind)
        path.append(bind)
    [root] = roots
    return root


def numbers(x: Any) -> str:
    """Returns an array's numbers as a walk writes them."""
    text = np.array2string(np.asarray(x), precision=2, suppress_small=True)
    return " ".join(text.strip("[]").split())


def floors_of(bind: Bind) -> list[list[Bind]]:
    """Returns the binds of each depth, from the first that was asked down to the ground floor."""
    floors = [[bind]]
    while below := [each for above in floors[-1] for each in above.asked]:
        floors.append(below)
    return floors


def draw(root: Bind, xs: str, results: dict[str, str]) -> str:
    """Returns the picture. Raises ValueError where binds of one depth were not of one trace."""
    floors = floors_of(root)
    columns = {id(bind): WIDTH * (2 * n + 1) / (2 * len(floors[-1]))
               for n, bind in enumerate(floors[-1])}  # fmt: skip
    for floor in reversed(floors[:-1]):
        for bind in floor:
            below = [columns[id(each)] for each in bind.asked]
            columns[id(bind)] = sum(below) / len(below)
    height = TOP + len(floors) * (BAND + GAP) + 2 * 22 - GAP
    bands, shapes, words_of = [], [], []

    x = columns[id(root)]
    words_of += [
        '<text x="12" y="25">your function calls</text>',
        f'<text class="faint" x="{WIDTH - 12}" y="25" text-anchor="end">x is {xs}</text>',
    ]
    words = f"Your function calls sin. {' '.join(map(as_words, floors))}"
    shapes.append(falling(0, token(x, 6, "sin(x)", WIDTH / 4)))
    above = {id(root): (x, 6 + TOKEN_HEIGHT)}
    for depth, floor in enumerate(floors):
        [kind] = {bind.trace for bind in floor} or {""}
        top = TOP + depth * (BAND + GAP)
        ground = depth == len(floors) - 1
        bands.append(band(top, BAND + (44 if ground else 0)))
        words_of.append(band_words(top + 22, *SAID[kind], kind))
        for bind in floor:
            x, y = columns[id(bind)], top + BAND - TOKEN_HEIGHT - 8
            from_x, from_y = above[id(bind)]
            parts = [f'<path class="way" d="M{from_x:g} {from_y} L{x:g} {y}"/>',
                     token(x, y, bind.primitive)]  # fmt: skip
            if ground:
                parts += outcome(bind, x, y + TOKEN_HEIGHT + 20, called(bind, floor, results))
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


def falling(turn: int, shape: str) -> str:
    return f'<g class="token" style="--turn: {turn}">{shape}</g>'


def band(top: float, height: float) -> str:
    return f'<rect class="band" x="0" y="{top}" width="{WIDTH}" height="{height}" rx="6"/>'


def band_words(y: float, name: str, does: str, kind: str) -> str:
    """Of a floor: who works there, what it does, and the class of the trace."""
    return (
        f'<text class="says" x="12" y="{y}"><tspan class="kind">{name}</tspan> {does}</text>'
        f'<text class="says faint" x="{WIDTH - 12}" y="{y}" text-anchor="end">{kind}</text>'
    )


def token(x: float, y: float, words: str, width: float = TOKEN) -> str:
    return (
        f'<rect x="{x - width / 2:g}" y="{y}" width="{width:g}" height="{TOKEN_HEIGHT}" rx="14"/>'
        f'<text class="code" x="{x:g}" y="{y + 19}">{escape(words)}</text>'
    )


def outcome(bind: Bind, x: float, y: float, name: str) -> list[str]:
    """What the ground floor came to, and which of the results it is, if it is one."""
    named = f'<text class="faint result" x="{x:g}" y="{y + 20}">{name}</text>' if name else ""
    return [f'<text class="code" x="{x:g}" y="{y}">{bind.outcome}</text>', named]


def called(bind: Bind, floor: list[Bind], results: dict[str, str]) -> str:
    """Which result a bind came to: the last that has the result's numbers."""
    for name, text in results.items():
        if [each for each in floor if each.outcome == text][-1:] == [bind]:
            return f"the {name}"
    return ""


def as_words(floor: list[Bind]) -> str:
    """A floor for whoever does not see the picture."""
    kind = floor[0].trace
    name, does = SAID[kind]
    done = ", ".join(f"{bind.primitive} gives {bind.outcome}" if not bind.asked else bind.primitive
                     for bind in floor)  # fmt: skip
    return f"{name}, {does}: {done}."


def main() -> int:
    (ROOT / PICTURE).write_text(draw(*record()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
