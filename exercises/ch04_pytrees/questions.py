"""The questions of chapter 04, drawn for each student."""

from collections.abc import Iterator
from itertools import count
from typing import Any

Pair = tuple[str, str]
KEYS = ["w", "b", "scale", "bias", "a", "state", "z", "k2", "k10"]


def tree(rng: Any, depth: int, leaves: Iterator[int]) -> str:
    """The text of a random tree; its leaves are numbers that come in the order of the text."""
    if depth == 0 or rng.random() < 0.1:
        return "None" if rng.random() < 0.2 else str(next(leaves))
    kind = rng.integers(5)
    if kind == 4:
        return f"Layer(w={tree(rng, depth - 1, leaves)}, b={tree(rng, depth - 1, leaves)})"
    size = int(rng.integers(1, 4))
    inside = [tree(rng, depth - 1, leaves) for _ in range(size)]
    if kind == 2:
        return f"[{', '.join(inside)}]"
    if kind == 3:
        return f"({', '.join(inside)}{',' * (size == 1)})"
    keys = [KEYS[k] for k in rng.permutation(len(KEYS))[:size]]
    keys = keys[::-1] if keys == sorted(keys) else keys
    return "{" + ", ".join(f"{key!r}: {x}" for key, x in zip(keys, inside, strict=True)) + "}"


def some_tree(rng: Any, least: int = 5, most: int = 9) -> tuple[str, int]:
    """A tree's text and the number of its numbers, which are 1, 2, 3 and so on."""
    while True:
        numbers = count(1)
        text = tree(rng, 3, numbers)
        found = next(numbers) - 1
        if least <= found <= most and text.count("': ") > text.count("{") > 0:
            return text, found


def leaves(rng: Any) -> Pair:
    case = f"tree_leaves({some_tree(rng)[0]})"
    return f"`{case}`", case


def sizes(rng: Any) -> Pair:
    case = f"tree_structure({some_tree(rng)[0]})"
    return f"The list of `num_leaves` and `num_nodes` of `{case}`", (
        f"[{case}.num_leaves, {case}.num_nodes]"
    )


def path(rng: Any) -> Pair:
    text, found = some_tree(rng)
    case = f"path_of({int(rng.integers(2, found + 1))}, {text})"
    return f"`{case}`", case


def marked(rng: Any) -> Pair:
    test = ["x is None", "type(x) is tuple", "type(x) is dict and 'w' in x",
            "isinstance(x, tuple)", "type(x) is list"][rng.integers(5)]  # fmt: skip
    text = f"[{some_tree(rng, 4, 6)[0]}, {{'w': (0, 0), 'v': [[0, None], None]}}]"
    case = f"len(tree_leaves({text}, is_leaf=lambda x: {test}))"
    return f"`{case}`", case


def subtrees(rng: Any) -> Pair:
    given = ["[1, None, 2]", "None", "{'a': 1, 'b': (2, None)}", "(1, [2, 3, ()])", "5",
             "Layer(w=None, b=2)", "[[], {}]", "Layer(w=[1, 2], b={'c': 3})"]  # fmt: skip
    a, b, c, d = (given[k] for k in rng.permutation(len(given))[:4])
    forms = [
        ("{'w': 0, 'b': (0, None, 0), 'a': [0]}",
         f"{{'a': [{a}], 'b': ({b}, None, {c}), 'w': {d}}}"),
        ("[Layer(w=0, b=0), {'y': 0, 'x': 0}]", f"[Layer(b={a}, w={b}), {{'x': {c}, 'y': {d}}}]"),
        ("{'q': {'z': 0, 'p': 0}, 'c': (0, 0)}",
         f"{{'c': ({a}, {b}), 'q': {{'p': {c}, 'z': {d}}}}}"),
    ]  # fmt: skip
    first, second = forms[rng.integers(len(forms))]
    case = f"tree_leaves(tree_map(lambda x, y: len(tree_leaves(y)), {first}, {second}))"
    return f"`{case}`", case


PLACES = [
    ("{'w': [1, 2], 'b': (3, 4)}", ["{'w': [1, 2, 3], 'b': (3, [4])}", "{'w': (1, 2), 'b': [3, 4]}",
                                    "{'w': [[1], 2], 'b': (3,)}", "{'w': [1], 'c': (3, 4)}"]),
    ("[Layer(w=1, b=[2, None]), {'k': 3}]",
     ["[Layer(w=[1], b=[2, 0]), {'j': 3}]", "[Layer(w=1, b=[2]), [3]]",
      "[(1, [2, None]), {'k': 3}]", "[Layer(w=None, b=[2, None]), {'k': 3, 'm': 4}]",
      "(Layer(w=1, b=[2, None]), {'k': 3})"]),
    ("({'x': None, 'v': [0, 1]}, (2, (3,)))",
     ["({'x': 1, 'v': [0, 1, 2]}, (2, (3,)))", "({'v': [0, 1], 'x': 1}, (2, [3]))",
      "({'v': [0, [1]], 'x': None}, ((2,), (3, 4)))", "({'v': [None, 1], 'x': []}, (2, 3))"]),
]  # fmt: skip


def parting(rng: Any) -> Pair:
    first, others = PLACES[rng.integers(len(PLACES))]
    case = f"part_at({first}, {others[rng.integers(len(others))]})"
    return f"`{case}`", case


def draw_04_3(rng: Any) -> Iterator[Pair]:
    for question in [leaves, sizes, path, marked, subtrees, parting]:
        yield question(rng)
