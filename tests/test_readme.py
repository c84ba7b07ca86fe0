"""README.md and CONTRIBUTING.md tell the truth: their code prints what they say, their links lead.

The Python blocks of a page run in order, as one program. A `text` block says what the block before
it prints; a Python block that none follows prints nothing.
"""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.tracing import trace_ctx

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
MAKE = re.compile(r"(?:^|`)make ([\w-]+)", re.MULTILINE)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[tuple[str, str]]:
    return [(kind, body) for kind, body in BLOCK.findall(read(page)) if kind in languages]


def printed_by(code: str, names: dict) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_code_prints_what_the_page_says(page):
    names, said, got = {}, [], []
    for kind, body in blocks(page, "python", "text"):
        if kind == "python":
            got.append(printed_by(body, names))
            said.append("")
        else:
            said[-1] += body
    assert any(said)
    assert got == said


def test_the_picture_is_of_a_real_run():
    trace_stack = runpy.run_path(str(ROOT / "notebooks" / "pictures.py"))["trace_stack"]
    pictures = []

    def f(x):
        pictures.append(trace_stack(trace_ctx.trace))
        return jnp.sin(x) * x

    jax.jit(jax.vmap(jax.grad(f)))(jnp.arange(3.0))
    assert blocks("README.md", "mermaid") == [("mermaid", pictures[0].mermaid + "\n")]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = LINK.findall(read(page))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_module_of_the_core_is_in_the_table():
    modules = {f"minijax/core/{path.name}" for path in (ROOT / "minijax/core").glob("[!_]*.py")}
    assert modules <= set(LINK.findall(read("README.md")))


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_in_the_makefile(page):
    named = set(MAKE.findall(read(page)))
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    assert "test" in named
    assert named <= targets
