"""The facts recorded from JAX: one file of JSON for each topic, one line for each case."""

import functools
import json
from pathlib import Path

FOLDER = Path(__file__).parent / "facts"
JAX_VERSION = "0.10.2"


@functools.cache
def recorded(topic: str) -> dict[str, dict]:
    """The recorded facts of a topic, by case."""
    return json.loads((FOLDER / f"{topic}.json").read_text())


def write(topic: str, facts: dict[str, dict]) -> None:
    """Record a topic's facts. An exception's message is JAX's own and is not kept."""
    lines = []
    for case, fact in facts.items():
        kept = {key: value for key, value in fact.items() if key != "message"}
        lines.append(f"{json.dumps(case)}: {json.dumps(kept, separators=(',', ':'))}")
    (FOLDER / f"{topic}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
