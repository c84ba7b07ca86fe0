"""Similar pieces: copies are found, and what all have for a reason is not."""

import pytest

from exercises.__main__ import parser
from exercises.grading.similarity import fingerprints, similar, similarity_page, tokens, write
from exercises.grading.submissions import read_class
from exercises.grading.tasks import Fault, find_chapters
from made_up import hand_in, tiny_course

PLACE = "ch91_tiny/exercise.py"
OWN = '''
import minijax.numpy as jnp


def spread(values, count):
    """How far apart."""
    middle = jnp.sum(values) / count
    return jnp.sqrt(jnp.sum((values - middle) ** 2) / count)


def twice(x):
    y = jnp.asarray(x)
    if y.ndim == 0:
        return jnp.where(y > 0, y + y, -(-y - y))
    return jnp.stack([jnp.add(part, part) for part in y]) + 0 * spread(y, y.size)
'''
DISGUISED = '''
import minijax.numpy as jnp   # mine

def twice(argument):
    """Honest work."""
    # every line is my own
    a = jnp.asarray(argument)
    if a.ndim == 0:
        return jnp.where(a > 0, a + a,
                         -(-a - a))
    return jnp.stack([jnp.add(row, row) for row in a]) + 0 * width(a, a.size)

def width(numbers, howmany):
    mean = jnp.sum(numbers) / howmany
    return jnp.sqrt(jnp.sum((numbers - mean) ** 2) / howmany)
'''
OTHER = '''
import numpy as np


def twice(x):
    weights = np.full((2,), 1.0)
    total = 0
    for weight in weights:
        total = total + weight * x
    if isinstance(total, float) and total != total:
        raise ValueError("not a number")
    return total.astype(x.dtype) if hasattr(x, "dtype") else type(x)(total)
'''


@pytest.fixture
def pairs(tmp_path):
    """The pairs of a class, as (student, student, share)."""
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))

    def found(**texts):
        for name, text in texts.items():
            hand_in(tmp_path / "in", name, PLACE, text)
        told = similar(read_class(tmp_path / "in", chapters), chapters, 0.6)
        return [(pair.one.student, pair.other.student, pair.share) for pair in told]

    return found


def test_a_copy_in_disguise_is_found_and_what_is_different_is_not(pairs):
    [(one, other, share)] = pairs(ann=OWN, bob=DISGUISED, cyd=OTHER)
    assert (one, other) == ("ann", "bob") and share > 0.8


def test_a_part_that_was_copied_counts_as_its_share(pairs):
    extra = "\n    ".join(f"h{k} = jnp.tanh(x) ** {k} - jnp.cos({k} * x)" for k in range(2, 9))
    longer = OWN.replace("y = jnp.asarray(x)", f"{extra}\n    y = jnp.asarray(x)")
    [(*_, share)] = pairs(ann=OWN, bob=longer)
    assert share > 0.8


def test_what_stub_and_solution_have_is_no_copy(pairs, tmp_path):
    solution = tmp_path / "course" / "teacher" / "ch91_tiny" / "solution.py"
    solution.write_text(OWN)
    assert pairs(ann=OWN, bob=DISGUISED) == []


def test_what_most_of_the_class_has_is_no_copy(pairs):
    assert pairs(ann=OWN, bob=OWN, cyd=OWN, dan=OTHER) == []


def test_what_is_no_python_or_not_there_is_passed_over(pairs):
    assert pairs(ann="def twice(", bob="x = 1", cyd=OWN, dan=DISGUISED)[0][:2] == ("cyd", "dan")


def test_a_short_piece_says_nothing(pairs):
    short = "def twice(x):\n    return x + x\n"
    assert pairs(ann=short, bob=short) == []


def test_a_common_stretch_of_k_and_w_tokens_always_shares_one():
    stretch = [f"s{k}" for k in range(11)]
    for before in range(12):
        one = [f"a{k}" for k in range(before)] + stretch + ["b"] * 7
        other = [f"c{k}" for k in range(20 - before)] + stretch
        assert fingerprints(one) & fingerprints(other)


def test_names_of_its_own_are_one_and_those_of_the_package_are_kept():
    one = tokens("def f(x):\n    return jnp.sin(x)")
    assert one == tokens("def g(value):\n    return jnp.sin(value)")
    assert one != tokens("def f(x):\n    return jnp.cos(x)")


def test_the_report_shows_both_pieces_and_escapes_them(tmp_path):
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))
    evil = "\n    note = '<b>bold</b>'\n    y = jnp.asarray(x)"
    hand_in(tmp_path / "in", "ann", PLACE, OWN.replace("\n    y = jnp.asarray(x)", evil))
    hand_in(tmp_path / "in", "bob", PLACE, OWN)
    found = write(tmp_path, read_class(tmp_path / "in", chapters), chapters, 0.6)
    page = (tmp_path / "similarity.html").read_text()
    assert "&lt;b&gt;bold" in page and "<b>" not in page
    assert (tmp_path / "similarity.csv").read_text().splitlines()[1].startswith("91.2,ann,bob,")
    assert "No pair" not in page and "No pair" in similarity_page(found[:0], 0.6)


@pytest.mark.parametrize("share", ["60", "0", "-1"])
def test_a_threshold_that_is_no_share_is_refused(share, tmp_path):
    given = parser("similarity").parse_args(
        ["similarity", str(tmp_path), "--out", str(tmp_path / "out"), f"--threshold={share}"]
    )
    with pytest.raises(Fault, match="0.6 for 60 %"):
        given.run(given)
