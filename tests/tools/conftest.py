"""A made-up tree: a small package and its chapters, written to a folder of the test's own."""

import pytest

from generated import write_generated
from nbfile import normalise, write_notebook
from textform import parse_text

TRACING = '''"""The first module."""

import math


# Twice is a rule.
def twice(x):
    return 2 * x


def thrice(x):
    return 3 * x


rules = {}
rules["twice"] = twice
'''

FORWARD = '''from minijax.core.tracing import twice


def forward(x):
    return twice(x)
'''

CHAPTERS = {
    "00-tour": "# %% [markdown]\n# The tour\n# %%\nimport minijax",
    "01-tracing": """# %% [markdown]
# Tracing
# %% mirror minijax/core/tracing.py HEADER twice
# %%
twice(2)
# %% mirror minijax/core/tracing.py thrice
# %% mirror minijax/core/tracing.py rules..""",
    "05-forward": "# %% mirror minijax/core/forward.py ..\n# %%\nforward(1)",
}


class Tree:
    """Files and chapters below `root`."""

    def __init__(self, root):
        self.root = root
        self.write("minijax/core/__init__.py", "")
        self.write("minijax/core/tracing.py", TRACING)
        self.write("minijax/core/forward.py", FORWARD)
        for stem, text in CHAPTERS.items():
            self.chapter(stem, text)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, path, old, new):
        assert old in self.read(path)
        self.write(path, self.read(path).replace(old, new, 1))

    def chapter(self, stem, text):
        path = self.root / "notebooks" / f"{stem}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        notebook = parse_text(text, self.root)
        normalise(notebook, stem)
        write_generated(notebook, stem, self.root)
        write_notebook(path, notebook)
        return path


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)
