"""The StableHLO that chapter 23 prints, its small writer's too, is what jaxlib compiles."""

import json
import re
from pathlib import Path

from minijax.compiler.stablehlo import xla_programs

ROOT = Path(__file__).resolve().parents[2]
MODULE = re.compile(r"^module .*?^\}$", re.MULTILINE | re.DOTALL)


def test_each_module_is_compiled():
    notebook = json.loads((ROOT / "notebooks" / "23-stages.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    texts = [text for output in outputs for text in MODULE.findall("".join(output.get("text", "")))]
    assert len(texts) >= 4
    for text in texts:
        xla_programs.runtime().compile(text)
