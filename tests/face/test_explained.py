"""Errors lead to the sections of the book that explain them."""

import pytest

import minijax as jax
from exercises.grading.generate import anchor
from minijax import errors
from minijax.face.explained import SECTIONS, where_explained
from nbfile import ROOT, read_notebook
from website.sections import headings


def test_every_class_of_ours_has_a_section():
    assert set(SECTIONS) == set(errors.__all__)


@pytest.mark.parametrize("section", sorted(set(SECTIONS.values())))
def test_a_section_is_there(section):
    name, _, fragment = section.partition("#")
    cells = read_notebook(ROOT / "notebooks" / name).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert fragment in {anchor(words) for text in texts for *_, words in headings(text)}


@pytest.mark.parametrize("name", errors.__all__)
def test_a_classs_docstring_ends_with_its_section(name):
    sentence = f"The book explains it: notebooks/{SECTIONS[name]}"
    assert getattr(errors, name).__doc__.endswith(f"\n\n{sentence}")


def fails(x):
    return 1 if x > 0 else 0


def test_an_error_says_so_once_and_its_message_does_not():
    with pytest.raises(errors.TracerBoolConversionError) as raised:
        jax.jit(jax.vmap(fails))(jax.numpy.ones(3))
    assert raised.value.__notes__.count(where_explained(errors.TracerBoolConversionError)) == 1
    assert "notebooks/" not in str(raised.value)


def test_an_error_of_the_users_says_nothing():
    class TypePromotionError(ValueError):
        pass

    def wrong(x):
        raise TypePromotionError("mine")

    with pytest.raises(TypePromotionError) as raised:
        jax.jit(wrong)(1.0)
    assert not any("book" in note for note in getattr(raised.value, "__notes__", []))
