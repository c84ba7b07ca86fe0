"""Pictures for the book: stacks of traces and graphs of jaxprs, as Mermaid and as plain text."""

from __future__ import annotations

from typing import Any


class Picture:
    """A Mermaid diagram with a twin in plain text, for places that draw no Mermaid."""

    def __init__(self, mermaid: str, text: str) -> None:
        self.mermaid, self.text = mermaid, text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/vnd.mermaid": self.mermaid}

    def __repr__(self) -> str:
        return self.text


def _label(trace: Any) -> str:
    info = getattr(trace, "debug_info", None)
    return type(trace).__name__ + (f" of {info.func_name}" if info else "")


def _floors(trace: Any) -> list[list[Any]]:
    """The traces from the current one down; a split trace has two on the floor below."""
    floors = []
    while trace is not None:
        floors.append([trace])
        tangent_trace = getattr(trace, "tangent_trace", None)
        trace = trace.parent
        if tangent_trace is not None:
            floors.append([tangent_trace] if trace is None else [trace, tangent_trace])
            trace = trace and trace.parent
    return floors


def trace_stack(trace: Any) -> Picture:
    """The stack under a trace, the current one on top: each hands its work to the one below.

    Call it with `trace_ctx.trace` while a function runs, and `display` the result.
    """
    floors = _floors(trace)
    lines, text = ["flowchart TD"], []
    for depth, floor in enumerate(floors):
        for i, each in enumerate(floor):
            lines.append(f'  t{depth}_{i}["{_label(each)}"]')
            if depth:
                lines.append(f"  t{depth - 1}_0 --> t{depth}_{i}")
        arrow = "current ->" if depth == 0 else "          "
        text.append(f"{arrow} {'   and   '.join(map(_label, floor))}")
    return Picture("\n".join(lines), "\n".join(text))


def jaxpr_graph(jaxpr: Any) -> Picture:
    """The equations of a jaxpr as boxes, its variables as arrows between them."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    lines, text, source = ["flowchart TD"], [], {}

    def node(name: str, label: str, shape: str) -> str:
        lines.append(f"  {name}{shape[0]}\"{label}\"{shape[1]}")
        return name

    for i, v in enumerate([*jaxpr.constvars, *jaxpr.invars]):
        source[v] = node(f"in{i}", f"in {i}: {v.aval.str_short(True)}", ("([", "])"))
    for i, eqn in enumerate(jaxpr.eqns):
        name = node(f"e{i}", eqn.primitive.name, ("[", "]"))
        sources = [source.get(x) if not hasattr(x, "val") else str(x) for x in eqn.invars]
        for j, start in enumerate(sources):
            if hasattr(eqn.invars[j], "val"):
                start = node(f"e{i}l{j}", start, ("([", "])"))
            lines.append(f"  {start} --> {name}")
        text.append(f"{name} = {eqn.primitive.name}({', '.join(map(str, sources))})")
        source.update(dict.fromkeys(eqn.outvars, name))
    for i, x in enumerate(jaxpr.outvars):
        start = str(x) if hasattr(x, "val") else source[x]
        name = node(f"out{i}", f"out {i}: {x.aval.str_short(True)}", ("([", "])"))
        if hasattr(x, "val"):
            start = node(f"out{i}l", start, ("([", "])"))
        lines.append(f"  {start} --> {name}")
        text.append(f"{name} = {str(x) if hasattr(x, 'val') else start}")
    return Picture("\n".join(lines), "\n".join(text))
