"""notebooks/data_pictures.py: its pictures say the same as their texts, and hold what was given."""

import base64

import numpy as np
import pytest
from data_pictures import boxes, chains, draw_arrays, product_axes, pytree, tree

import minijax as jax
import minijax.numpy as jnp
from minijax.core.pytrees import find_entry


def test_equal_labels_are_one_box():
    picture = chains([("x", "f32[3]", "a < b"), ("y", "f32[3]", "a < b")], dashed=["y"])
    assert picture.text == "x -> f32[3] -> a < b\ny -> f32[3] -> a < b"
    assert picture.mermaid.split("\n") == [
        "flowchart LR", '  n0["x"]', '  n1["f32[3]"]', '  n2["a #60; b"]', '  n3["y"]',
        "  n0 --> n1", "  n1 --> n2", "  n3 --> n1", "  style n3 stroke-dasharray: 5 5",
    ]  # fmt: skip


def test_a_tree_has_a_box_for_each_node():
    picture = tree((1, (2,)), lambda x: [("", y) for y in x] if isinstance(x, tuple) else None,
                   lambda x: type(x).__name__)  # fmt: skip
    assert picture.text == "tuple\n    int\n    tuple\n        int"
    assert picture.mermaid.split("\n") == [
        "flowchart LR", '  n0["tuple"]', '  n1(["int"])', "  n0 --> n1", '  n2["tuple"]',
        "  n0 --> n2", '  n3(["int"])', "  n2 --> n3",
    ]  # fmt: skip


def test_a_pytree_says_its_keys():
    picture = pytree({"w": [1.0], "b": None}, find_entry)
    assert picture.text == "dict\n    ['b']: None\n    ['w']: list\n        [0]: 1.0"
    assert picture.mermaid.split("\n")[1:5] == [
        '  n0["dict"]', '  n1["None"]', """  n0 -- "['b']" --> n1""", '  n2["list"]',
    ]  # fmt: skip
    assert '  n3(["1.0"])' in picture.mermaid


def test_a_box_in_a_box():
    class Box:
        _trace = None

        def __init__(self, value, depth):
            self.value, self.depth = value, depth

    assert boxes(Box(Box(2.5, 1), 3)).text == (
        "Box\n    value: Box\n        value: 2.5\n        depth: 1\n    depth: 3"
    )


@pytest.mark.parametrize("axes", ["nij,njk->nik", "abij,jbca->baic", "i,j->ij", "ij,ij->"])
def test_axes_of_a_product_go_where_dot_general_puts_them(axes):
    sizes = dict(zip("abcijkn", (2, 3, 4, 5, 6, 7, 8), strict=True))
    left, right = axes.partition("->")[0].split(",")
    a, b = ([sizes[letter] for letter in letters] for letters in (left, right))
    shared = [c for c in left if c in right]
    summed = [c for c in shared if c not in axes.partition("->")[2]]
    batch = [c for c in shared if c not in summed]
    numbers = tuple(([left.index(c) for c in which], [right.index(c) for c in which])
                    for which in (summed, batch))  # fmt: skip
    result = jax.lax.dot_general(jnp.ones(a), jnp.ones(b), numbers)
    ends = {line.split(" -> ")[1] for line in product_axes(a, b, numbers).text.split("\n")}
    assert {end for end in ends if end.startswith("result")} == {
        f"result, axis {axis}: {size}" for axis, size in enumerate(result.shape)
    }
    assert len(ends) == result.ndim + len(summed)


def test_arrays_in_colours():
    """A coloured grid has its numbers in the text, and in the picture a colour for each group."""
    drawing = draw_arrays({"x": ([[1, 2.5]], [[0, -1]]), "y": (["a", "b"], [3, 3])})
    assert drawing.text.split("\n") == [
        "x:", "  1 2.5", "  colours 0 -1", "y:", "  a b", "  colours 3 3",
    ]  # fmt: skip
    assert len(colours_of(drawing)) == 2 and not colours_of(draw_arrays({"x": ([0], [-1])}))
    assert len(colours_of(draw_arrays({"x": (np.zeros(32), np.arange(32) % 3)}))) == 3


def colours_of(drawing):
    """The colours of a picture that are no grey, of more than a few pixels."""
    from io import BytesIO

    from matplotlib.image import imread

    png = base64.b64decode(drawing._repr_mimebundle_()["image/png"])
    pixels = np.round(imread(BytesIO(png))[..., :3] * 255).astype(int).reshape(-1, 3)
    found, counts = np.unique(pixels, axis=0, return_counts=True)
    return {tuple(c) for c, n in zip(found.tolist(), counts, strict=True)
            if n > 100 and max(c) - min(c) > 10}  # fmt: skip
