"""What a notebook's name means: chapters have numbers, appendices letters."""

import pytest

from nbfile import chapter_label, is_appendix, notebook_paths, spell_label


def test_appendices_come_after_the_chapters(tree):
    for stem in ("B-config", "A-errors", "29-later"):
        tree.chapter(stem, "# %%\n1")
    labels = [chapter_label(path) for path in notebook_paths(tree.root)]
    assert labels == ["00", "01", "05", "29", "A", "B"]
    assert labels == sorted(labels)


@pytest.mark.parametrize(
    "stem, spelt", [("05-forward", "chapter 05"), ("A-errors", "appendix A"), ("Z-z", "appendix Z")]
)
def test_a_label_is_spelt(tmp_path, stem, spelt):
    label = chapter_label(tmp_path / f"{stem}.ipynb")
    assert spell_label(label) == spelt
    assert is_appendix(label) == spelt.startswith("appendix")


@pytest.mark.parametrize("stem", ["Untitled", "5-forward", "a-errors", "AB-errors", "A", "005-x"])
def test_a_name_without_a_label_is_refused(tmp_path, stem):
    with pytest.raises(ValueError, match=f"{stem}.ipynb: the name starts with no chapter"):
        chapter_label(tmp_path / f"{stem}.ipynb")
