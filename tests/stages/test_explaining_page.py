"""An explanation as HTML: what the text says, escaped, whole, and with the words explained."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.primitives import numpy_primitive
from minijax.stages.explaining_page import page, words
from minijax.stages.glossary_words import WORDS
from minijax.stages.kin import Line, ShownStage

ROOT = Path(__file__).resolve().parents[2]
ROW = jnp.arange(6.0)


def curve(x):
    y = jnp.sin(x) * 1
    return jnp.cos(y) @ x


@pytest.fixture(scope="module")
def explanation():
    return jax.explain(curve)(ROW)


class Page(HTMLParser):
    """Checks that tags are closed in order. `lines` has the attributes of each line, its text, the
    number before it and the note below."""

    def __init__(self, html):
        super().__init__()
        self.open, self.said, self.lines, self.attributes = [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.attributes += [name for name, _ in attrs]
        if self.open[-2:] == ["pre", "span"]:
            self.lines.append([dict(attrs), "", "", ""])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "pre" in self.open and "span" in self.open:
            place = 2 if "i" in self.open else 3 if "em" in self.open else 1
            self.lines[-1][place] += data
        elif not {"style", "script"} & set(self.open):
            self.said.append(data)


def test_it_says_what_the_text_says(explanation):
    found = Page(explanation._repr_html_())
    said = " ".join("".join(found.said).split())
    shown = [(text.removesuffix("\n"), note.removesuffix("\n")) for _, text, _, note in found.lines]
    stages = explanation.stages()
    codes = sorted((x for x in stages if not x.is_prose), key=lambda stage: stage.is_long)
    assert shown == [(line.text, line.note) for stage in codes for line in stage.lines]
    for stage in stages:
        assert stage.title in said
        assert not stage.is_prose or all(line.text in said for line in stage.lines)
    assert explanation.title in said
    assert explanation.headline() in said
    for line in (line for stage in stages for line in stage.lines):
        assert line.text in str(explanation) + explanation.instructions()


def test_kin_are_keys_of_lines_that_are_there(explanation):
    lines = [attributes for attributes, *_ in Page(explanation._repr_html_()).lines]
    keys = [attributes["data-key"] for attributes in lines if "data-key" in attributes]
    assert len(set(keys)) == len(keys) > 10
    for attributes in lines:
        kin = attributes.get("data-kin", "").split()
        assert set(kin) <= set(keys)
        assert ("tabindex" in attributes) == bool(kin)


def test_each_line_has_the_number_and_the_hue_of_the_users_line(explanation):
    lines = Page(explanation._repr_html_()).lines
    [mine] = [x for x in lines if "jnp.sin" in x[1]]
    others = [x for x in lines if re.search(r"= sin_f32|= sin\b", x[1])]
    assert len(others) >= 3
    assert {x[2] for x in others} == {mine[2]} != {""}
    assert {x[0]["data-hue"] for x in others} == {mine[0]["data-hue"]}


def test_it_needs_nothing_from_elsewhere(explanation):
    html = explanation._repr_html_()
    assert not re.search(r"https?://|@import|url\(|src=|href=", html)
    assert not re.search(r"\n\s*\n", html)  # a blank line ends an element in Markdown
    assert "](" not in html  # which would be a link in Markdown
    assert not any(name.startswith("on") or name == "style" for name in Page(html).attributes)
    assert html == jax.explain(curve)(ROW)._repr_html_()


HOSTILE = '<script>alert("x")</script>&amp;\'</pre></span>'


def test_hostile_names_are_escaped():
    shouting = numpy_primitive(HOSTILE, lambda x, **_: x, lambda x, **_: x)

    def f(x):
        return shouting.bind(x, **{"text": HOSTILE}) + 1

    f.__name__ = f.__qualname__ = HOSTILE
    explanation = jax.explain(f)(ROW)
    assert HOSTILE in explanation.title
    html = explanation._repr_html_()
    assert "<script>alert" not in html
    assert Page(html).open == []
    line = Line(HOSTILE, note=HOSTILE)
    stage = ShownStage("s", HOSTILE, [line], is_prose=True)
    assert "<script>alert" not in page(HOSTILE, HOSTILE, [stage, ShownStage("t", HOSTILE, [line])])


def test_words_are_the_glossarys():
    text = (ROOT / "notebooks" / "glossary.md").read_text(encoding="utf-8")
    glossary = {name.strip("`").lower(): says for name, says in
                re.findall(r"^- \*\*(.+?)\*\*: (.*?) \[", text, re.MULTILINE)}  # fmt: skip
    assert {word: glossary.get(word) for word in WORDS} == WORDS


def test_a_word_is_explained_once_in_a_sentence():
    found = words("a kernel, <two> kernels")
    assert found.count("<dfn") == 1
    assert found.startswith('a <dfn title="a step of a compiled program')
    assert "&lt;two&gt; kernels" in found
