"""A small repository of made-up notebooks, and what mdBook would say of it to the preprocessor."""

import nbformat
import pytest

from preprocessor import preprocess


class Repository:
    """Writes files below `root`, and has the preprocessor read them."""

    def __init__(self, root):
        self.root = root
        (root / "notebooks").mkdir()

    def write(self, path, text=""):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def notebook(self, stem, *cells):
        node = nbformat.v4.new_notebook(cells=list(cells))
        for number, cell in enumerate(cells):
            cell.id = f"{stem}-{number:03d}"
        self.write(f"notebooks/{stem}.ipynb", nbformat.writes(node))

    def preprocess(self, *items, html=()):
        chapters = [{"Chapter": {"name": name.partition(".")[0], "path": name, "content": text}}
                    for name, text in items]  # fmt: skip
        context = {"root": str(self.root), "config": {"output": {"html": dict(html)}}}
        found = preprocess(context, {"items": chapters})
        return {item["Chapter"]["path"]: item["Chapter"]["content"] for item in found["items"]}

    def page(self, *cells, **config):
        """The Markdown of a notebook with these cells."""
        self.notebook("05-forward", *cells)
        return self.preprocess(("05-forward.ipynb", ""), **config)["05-forward.md"]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """One whose site has its chapters and nothing else."""
    monkeypatch.setattr("preprocessor.parts_before", lambda root: [])
    monkeypatch.setattr("preprocessor.parts_after", lambda root: [])
    return Repository(tmp_path)


@pytest.fixture(scope="session")
def browser():
    """Chromium, for the tests that open a page in it."""
    from browser_tabs import chromium  # what is not there for `make test`

    with chromium() as browser:
        yield browser
