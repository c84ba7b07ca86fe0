"""The StableHLO that chapter 23 prints, its small writer's too, is what jaxlib compiles."""

import re
from pathlib import Path

from minijax.compiler.stablehlo import xla_programs
from nbfile import read_notebook

ROOT = Path(__file__).resolve().parents[2]
MODULE = re.compile(r"^module .*?^\}$", re.MULTILINE | re.DOTALL)


def test_each_module_is_compiled():
    cells = read_notebook(ROOT / "notebooks" / "23-stages.ipynb").cells
    outputs = [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]
    texts = [text for output in outputs for text in MODULE.findall(output)]
    assert len(texts) >= 4
    for text in texts:
        xla_programs.runtime().compile(text)
