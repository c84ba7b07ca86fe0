"""Flowcharts as small drawings: what is read of Mermaid, and where the boxes stand."""

import re

import pytest

from nbfile import ROOT, notebook_paths, read_notebook
from website.markdown import FENCED
from website.small_diagrams import as_boxes, draw_small, in_ranks, read_lines, shown


def read(*lines):
    return as_boxes(read_lines(list(lines)))


def test_boxes_arrows_and_labels():
    chart = read('a["x > 1"] -- "if, so" --> b(["y"]) & c{"z<br/>more"}', "b -.-> d", "d ~~~ a")
    assert chart.labels == {"a": "x > 1", "b": "y", "c": "z<br/>more", "d": "d"}
    assert chart.arrows == [("a", "b"), ("a", "c"), ("b", "d")]
    assert shown(chart.labels["c"]) == "z" and shown("a#60;b#62;") == "a<b>"


def test_a_frame_is_a_box_where_arrows_go_to_it():
    frame = ['subgraph inputs[" "]', "direction LR", "in0([a]) ~~~ in1([b])", "end"]
    assert read(*frame, "inputs -- a --> e").labels == {"inputs": "a  b", "e": "e"}
    assert read(*frame, "in0 --> e").labels == {"in0": "a", "in1": "b", "e": "e"}


def test_ranks_follow_the_arrows_and_loops_are_cut():
    assert in_ranks(read("a --> b --> c", "a --> c")) == [["a"], ["b"], ["c"]]
    assert in_ranks(read("a --> b --> c --> a")) == [["a"], ["b"], ["c"]]


def test_every_flowchart_of_the_book_can_be_drawn():
    texts = []
    for path in notebook_paths(ROOT):
        for cell in read_notebook(path).cells:
            texts += [m["body"] for m in FENCED.finditer(cell.source) if m["info"] == "mermaid"]
            shown = [output.data for output in cell.get("outputs", []) if "data" in output]
            texts += [data["text/vnd.mermaid"] for data in shown if "text/vnd.mermaid" in data]
    charts = [text for text in texts if text.strip().startswith("flowchart")]
    assert len(charts) > 50
    for chart in charts:
        assert re.search(r"<rect .*<text ", draw_small(chart)), chart


def test_what_is_no_flowchart_is_refused():
    with pytest.raises(ValueError, match="flowcharts alone, and no sequenceDiagram"):
        draw_small("sequenceDiagram\n  a->>b: c")
