"""Every whole program runs under minijax, tiny, and gives finite numbers; the command's choices."""

import numpy as np
import pytest

import minijax
from benchmarks.__main__ import parse
from benchmarks.agreement import as_numbers
from benchmarks.programs import KINDS, PROGRAMS, SIZES, measuring
from benchmarks.rows import Row

TINY = 8
pytestmark = pytest.mark.usefixtures("on_numpy")


@pytest.mark.parametrize("program", SIZES, ids=lambda program: program.__name__)
def test_a_program_gives_finite_numbers(program):
    function, args = program(minijax, TINY)
    shapes = [x.shape for x in minijax.tree.leaves(minijax.eval_shape(function, *args))]
    leaves = minijax.tree.leaves(function(*args))
    assert leaves and [leaf.shape for leaf in leaves] == shapes
    for leaf in leaves:
        assert np.isfinite(as_numbers(minijax, leaf)).all()


def test_there_are_42_or_more_of_different_names_and_growing_sizes():
    assert len(PROGRAMS) == len(SIZES) >= 42
    assert all(small < large for small, large in SIZES.values())


def test_programs_are_chosen_by_their_name_or_their_file():
    assert measuring.choose([]) == list(SIZES)
    images = list(KINDS["images"])
    assert measuring.choose(["images", "nbody", "blur"]) == [PROGRAMS["nbody"], *images]


def test_means_and_the_lowest_five():
    rows = [Row(measuring.SMALL, f"p{n}", 1.0, float(n)) for n in range(1, 8)]
    lines = [line.split()[0] for line in measuring.ends(rows).splitlines()]
    assert lines == ["programs,", "p1", "p2", "p3", "p4", "p5", "programs,"]


@pytest.mark.parametrize("arguments, said", [
    (["programs", "nobody"], "there is no program nobody"),
    (["loops", "programs"], "programs is a command of its own"),
    (["loops", "--memory"], "--scripts and --memory are for programs"),
])
def test_wrong_choices(arguments, said, capsys):
    with pytest.raises(SystemExit):
        parse(arguments)
    assert said in capsys.readouterr().err
