"""The explorer's table: each program runs under each transformation that its row names."""

import re

import pytest

from minijax.explore.pages import explorer, listing, walk_file
from minijax.explore.programs import TRANSFORMATIONS, programs
from minijax.explore.walks import walk


@pytest.mark.prove
@pytest.mark.parametrize("name", programs)
def test_a_program_is_watched_and_explained_in_all_its_forms(name):
    row = programs[name]
    for transformation in row.transformations:
        shown = walk(row.text, row.expression(transformation), row.arguments(transformation))
        assert shown.failed == "", (transformation, shown.failed)
        assert "Watched" in shown.html and "Compiled" in shown.html
        assert re.match(r".+: [1-9]\d* steps?\n", shown.outline)


def test_rows_are_of_known_transformations_and_have_files_of_their_own():
    assert len(programs) >= 24
    walks = [(row.name, name) for row in programs.values() for name in row.transformations]
    assert {name for _, name in walks} == set(TRANSFORMATIONS)
    assert len({walk_file(*one) for one in walks}) == len(set(walks)) == len(walks)
    assert all(row.many or not needs_many(row) for row in programs.values())


def needs_many(row):
    return any(TRANSFORMATIONS[name][1] == "many" for name in row.transformations)


def test_the_listing_ends_no_script():
    assert "<" not in listing() and explorer().count("</script>") == 1
