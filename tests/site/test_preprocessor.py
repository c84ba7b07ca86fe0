"""What the preprocessor makes of notebooks, and what it refuses."""

import io
import json
import re
import subprocess
import sys
from base64 import b64encode

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from minijax.watching.element import element
from minijax.watching.records import Recording, Rule, SeenTrace, Step
from nbfile import ROOT
from preprocessor import as_item, main
from website.links import DeadLink
from website.notebook_pages import UnknownCell
from website.pages import Page

PREPROCESSOR = ROOT / "tools" / "preprocessor.py"
FORWARD = "minijax/core/forward.py"


def test_package_cells_stand_apart_and_name_their_lines(repository):
    repository.write(FORWARD, "def jvp():\n    pass\n")
    head = new_markdown_cell(f"**[{FORWARD}:1-2](../{FORWARD}#line=0)**")
    package = new_code_cell(f"# {FORWARD}\ndef jvp():\n    pass")
    repository.notebook("05-forward", head, package, new_code_cell("jvp()"))
    path = repository.root / "notebooks" / "05-forward.ipynb"
    path.write_text(path.read_text().replace("05-forward-000", "05-forward-001-at"))
    text = repository.preprocess(("05-forward.ipynb", ""))["05-forward.md"]
    assert '<div class="cell package" id="05-forward-001">' in text
    assert '<div class="cell play" id="05-forward-002">' in text
    assert f"{FORWARD}:1-2" in text and "**" not in text
    assert "```python\ndef jvp():\n    pass\n```" in text


def test_imports_are_folded(repository):
    text = repository.page(new_code_cell("\n".join(f"import m{n}" for n in range(9))))
    assert "<details><summary>imports</summary>" in text


def test_a_folded_cell_says_what_it_is_for(repository):
    cell = new_code_cell("x = 1", metadata={"tags": ["fold-messages"]})
    assert "<details><summary>messages</summary>" in repository.page(cell)


def test_outputs_are_told_apart(repository):
    outputs = [
        new_output("stream", text="\x1b[31mred\x1b[0m ``` fence\n"),
        new_output("stream", name="stderr", text="a warning"),
        new_output("execute_result", data={"text/plain": "Array(1.)"}),
        new_output("display_data", data={"text/vnd.mermaid": "flowchart TD\n a --> b",
                                         "text/plain": "as text"}),
        new_output("display_data", data={"image/png": b64encode(b"picture").decode()}),
        new_output("display_data", data={"text/html": "<b>bold</b>", "text/plain": "bold"}),
        new_output("error", ename="ValueError", evalue="less < more", traceback=["line 1"]),
    ]  # fmt: skip
    text = repository.page(new_code_cell("x", outputs=outputs))
    assert '<div class="output">\n\n````text\nred ``` fence\n````' in text
    assert '<div class="output stderr">\n\n```text\na warning\n```' in text
    assert "```text\nArray(1.)\n```" in text
    assert '<pre class="mermaid">\nflowchart TD\n a --&gt; b\n</pre>' in text
    assert "as text" not in text
    assert "(images/05-forward_0_4.png)" in text
    assert (repository.root / "notebooks/images/05-forward_0_4.png").read_bytes() == b"picture"
    assert '<div class="output html">\n<b>bold</b>\n</div>' in text
    assert '<p class="message">ValueError: less &lt; more</p>' in text
    assert "<details><summary>traceback</summary>\n\n```text\nline 1\n```" in text


def test_a_recording_to_step_through_stays_as_it_is(repository):
    step = Step("$f$", "`g`", 0, [0], [], None, [], Rule("[h](nowhere.md)"), None)
    ground = SeenTrace("{{#include x}}", "", None, None, "E")
    html = element(Recording("watched", [step], [ground], [], []))
    output = new_output("display_data", data={"text/html": html})
    cell = new_code_cell("x", outputs=[output])
    assert html in repository.page(new_markdown_cell("`a`"), cell, new_markdown_cell("`b` $c$"))


def test_a_picture_that_nobody_shows_goes(repository):
    repository.write("notebooks/images/05-forward_9_9.png")
    repository.page(new_markdown_cell("Words."))
    assert not list((repository.root / "notebooks/images").iterdir())


def test_formulas_and_diagrams(repository):
    text = repository.page(new_markdown_cell(
        "$a_1*b_2$ costs \\$5 or `$6`:\n\n$$x\n- y$$\n\n```sh\n$HOME $PATH\n```\n"
        "```mermaid\nflowchart TD\n```\n"
    ))  # fmt: skip
    assert r'<span class="math inline">a\_1\*b\_2</span> costs \$5 or `$6`' in text
    assert r'<span class="math display">x \- y</span>' in text
    assert "$HOME $PATH" in text and '<pre class="mermaid">\nflowchart TD\n</pre>' in text


def test_imports_above_other_lines_are_folded(repository):
    text = repository.page(new_code_cell("import a\nimport b\nimport c\n\n\nprint(a)"))
    imports, _, rest = text.partition("</details>")
    assert "<summary>imports</summary>\n\n```python\nimport a\nimport b\nimport c\n```" in imports
    assert "```python\nprint(a)\n```" in rest
    assert "<details" not in repository.page(new_code_cell("import a\n\nprint(a)"))


def test_minutes_and_links_stand_under_the_title(repository):
    text = repository.page(new_markdown_cell("# 05 Forward\n\nWhy?"), new_code_cell("x = 1"))
    line = '<p class="page-tools">1 minutes · .*</p>'
    assert re.search(rf"^# 05 Forward\n+{line}\n+Why\?", text, re.MULTILINE)


def test_a_page_ends_with_its_neighbours(repository):
    for stem in ("a", "b", "c"):
        repository.write(f"notebooks/{stem}.md")
    pages = repository.preprocess(("a.md", "A"), ("b.md", "B"), ("c.md", "C"))
    ends = [text.partition('<nav class="neighbours"')[2] for text in pages.values()]
    assert ["\n\n[b →](b.md)\n\n" in ends[0], "[← a](a.md) [c →](c.md)" in ends[1]] == [True, True]
    assert "→" not in ends[2] and "←" not in ends[0]


def test_the_search_has_prose_and_the_names_that_cells_define(repository):
    opening = "# 05 Forward\n\nA **rate** `x_dot`, [here](#the-trace).\n\n## The trace\n\n"
    opening += "```mermaid\nflowchart LR\n```\n"
    code = new_code_cell("def jvp():\n    hidden", outputs=[new_output("stream", text="printed")])
    repository.notebook("05-forward", new_markdown_cell(opening), code)
    repository.preprocess(("05-forward.ipynb", ""))
    text = (repository.root / "notebooks/search/index.js").read_text(encoding="utf-8")
    [[path, title, sections]] = json.loads(text.removeprefix("window.search.load(")[:-3])
    assert (path, title) == ("05-forward.html", "05-forward")
    assert sections == [
        ["05-forward", "05 Forward", "A rate x_dot, here.", ""],
        ["the-trace", "The trace", "", "jvp"],
    ]  # fmt: skip


@pytest.mark.parametrize("address, colab", [
    (None, None),
    ("https://git.example.org/a/b", None),
    ("https://github.com/a/b/",
     "https://colab.research.google.com/github/a/b/blob/main/notebooks/05-forward.ipynb"),
])  # fmt: skip
def test_download_and_colab(repository, address, colab):
    html = {"git-repository-url": address} if address else {}
    text = repository.page(new_markdown_cell("# 05 Forward"), html=html)
    assert '<a href="05-forward.ipynb" download>Download this notebook</a>' in text
    assert (f'<a href="{colab}">Open in Colab</a>' in text) == ("Colab" in text) == bool(colab)


def test_links_lead_from_page_to_page(repository):
    repository.write("LICENSE")
    repository.notebook("06-batching", new_markdown_cell("# 06"))
    repository.notebook("05-forward", new_markdown_cell(
        "[a [`x[i]`]](06-batching.ipynb#The-x-rule) [cell](06-batching.ipynb#06-batching-000) "
        "`[code](nowhere)` [licence](../LICENSE) [up](#The-Trace) [JAX](https://docs.jax.dev)"
    ))  # fmt: skip
    items = ("05-forward.ipynb", ""), ("06-batching.ipynb", "")
    text = repository.preprocess(*items)["05-forward.md"]
    assert "[a [`x[i]`]](06-batching.md#the-x-rule)" in text
    assert "[cell](06-batching.md#06-batching-000)" in text
    assert "`[code](nowhere)` licence [up](#the-trace) [JAX](https://docs.jax.dev)" in text
    public = {"git-repository-url": "https://github.com/a/b"}
    text = repository.preprocess(*items, html=public)["05-forward.md"]
    assert "[licence](https://github.com/a/b/blob/main/LICENSE)" in text


@pytest.mark.parametrize("link", ["nowhere.md", "../nowhere/", "../../outside", "no.ipynb#cell"])
def test_a_dead_link_is_refused_by_name(repository, link):
    with pytest.raises(DeadLink, match=r"notebooks/05-forward\.ipynb.*" + link.strip("./")):
        repository.page(new_markdown_cell(f"See [this]({link})."))


def test_a_missing_picture_is_refused_by_name(repository):
    with pytest.raises(DeadLink, match=r"notebooks/05-forward\.ipynb: the picture images/no\.png"):
        repository.page(new_markdown_cell("![a picture](images/no.png)"))


def test_a_cell_of_unknown_type_is_refused_by_name(repository):
    with pytest.raises(UnknownCell, match=r"05-forward\.ipynb cell 05-forward-001.*'raw'"):
        repository.page(new_markdown_cell("Words."), new_raw_cell("raw"))


def test_a_page_below_another_is_set_in():
    lowest = Page("c", "c.md", "c", "")
    top = as_item(Page("a", "a.md", "a", "", [Page("b", "b.md", "b", "", [lowest])]))["Chapter"]
    middle = top["sub_items"][0]["Chapter"]
    bottom = middle["sub_items"][0]["Chapter"]
    assert [top["number"], middle["number"], bottom["number"]] == [None, [1, 1], [1, 1, 1]]
    assert bottom["parent_names"] == ["a", "b"]


def book_of(path, content=""):
    return {"items": [{"Chapter": {"name": "x", "path": str(path), "content": content}}]}


@pytest.mark.prove
def test_the_command_speaks_mdbooks_protocol(tmp_path):
    """A raw cell is found before the pages of the whole package are made."""
    def call(*arguments, given=""):
        command = [sys.executable, str(PREPROCESSOR), *arguments]
        return subprocess.run(command, input=given, capture_output=True, text=True)

    assert call("supports", "html").returncode == 0
    assert call("supports", "epub").returncode == 1
    path = tmp_path / "05-forward.ipynb"
    path.write_text(nbformat.writes(new_notebook(cells=[new_raw_cell("raw")])), encoding="utf-8")
    done = call(given=json.dumps([{"root": str(ROOT), "config": {}}, book_of(path)]))
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "05-forward.ipynb" in done.stderr and "'raw'" in done.stderr


def test_the_command_says_what_is_refused_and_prints_what_is_not(repository, monkeypatch, capsys):
    for content, status in (("[y](y.md)", 1), ("[y](https://y.org)", 0)):
        given = [{"root": str(repository.root), "config": {}}, book_of("x.md", content)]
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(given)))
        assert main([]) == status
    out, err = capsys.readouterr()
    assert err.startswith("notebooks/x.md: the link to y.md leads to notebooks/y.md")
    [item] = json.loads(out)["items"]
    assert item["Chapter"]["content"] == "[y](https://y.org)"
