"""The element of a recording: whole HTML, the recording to the letter, nothing that breaks out."""

import json
import re
from html.parser import HTMLParser

import pytest

from minijax.watching.element import OPENERS, element
from minijax.watching.records import Box, Mark, Program, Recording, Rule, SeenTrace, Source, Step
from watched_recordings import unshared

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    "a & b",
    "$x$ and `y` and [z](w) and {{#include /etc/passwd}}",
    "two\n\nlines\x00",
    "\ud800 and \u2028",
)


def recording(*texts, steps=1):
    """A recording of steps within steps, every text of which is one of `texts`, in turn."""

    def text(k):
        return texts[k % len(texts)]

    def box(k):
        return Box(text(k + 1), "f32[]", 1, [(text(k), Box("array", text(k)))])

    return Recording(
        title=text(0),
        steps=[
            Step(text(k), text(k + 1), trace=1, stack=[1, 0], waiting=[],
                 parent=k - 1 if k % 3 else None, operands=[box(k), box(k)],
                 rule=Rule(text(k), text(k + 1)), line=(0, 3), results=[box(k)], grows=[(0, k)])
            for k in range(steps)
        ],
        traces=[SeenTrace("EvalTrace", "", None, None, "E"),
                SeenTrace(text(2), text(3), 0, None, "J1")],
        programs=[Program("jaxpr", text(0), 1, text(1), [text(k) for k in range(steps)], text(2))],
        sources=[Source(text(1), 3, list(texts))],
        error=text(1),
        marks=[Mark(k, k - 1 if k % 3 else None, text(k)) for k in range(steps + 1)],
    )  # fmt: skip


class Reader(HTMLParser):
    """What a browser would find: which elements, the scripts, each item of the lists in its own."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.scripts, self.texts, self.above = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag == "li" and "value" in dict(attributes):
            values = [value for name, value in self.open if name == "li"]
            self.above.append(values[-1] if values else None)
        self.open.append((tag, len(self.above) - 1))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        inner = self.open[-1][0] if self.open else ""
        if inner == "script":
            self.scripts.append(data)
        elif inner != "style":
            self.texts.append(data)


@pytest.mark.parametrize("steps", [1, 7])
def test_the_element_is_whole_and_holds_the_recording(steps):
    made = recording("sin", "f", "JVPTrace", "of g", steps=steps)
    html = Reader(element(made))
    assert html.open == []
    assert unshared(json.loads(html.scripts[0])) == made.as_data()
    assert html.above == [step.parent for step in made.steps]


def test_no_text_breaks_out():
    made = recording(*HOSTILE, steps=9)
    read = Reader(element(made))
    assert read.open == []
    ours = {"div", "style", "details", "summary", "code", "ol", "li", "p", "script"}
    assert set(read.seen) == ours
    assert read.seen.count("script") == 2
    assert unshared(json.loads(read.scripts[0])) == made.as_data()
    assert "<img src=x onerror=alert(1)>" in "".join(read.texts)


def test_whoever_makes_a_page_of_it_finds_nothing_to_do():
    html = element(recording(*HOSTILE, steps=9))
    assert html.isascii()
    assert not re.search(r"\n\s*\n", html)
    assert not [sign for sign in OPENERS if sign in html]


def test_without_steps_there_is_nothing_to_step_through():
    html = Reader(element(recording("sin", steps=0)))
    assert html.open == html.scripts == html.above == []
    assert {"sin", ", 0 steps"} <= set(html.texts)


def test_boxes_that_repeat_stand_once():
    [data, script] = Reader(element(recording("sin", "cos", steps=100))).scripts
    assert len(json.loads(data)["boxes"]) == 4
    assert "currentScript" in script


def test_what_was_left_out_and_what_was_raised_is_said():
    made = recording("sin")
    made.left_out, made.error = 12, "TypeError: <no>"
    said = {"12 more steps were not recorded.", "In the end it raised TypeError: <no>"}
    assert said <= set(Reader(element(made)).texts)
