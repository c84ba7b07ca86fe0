"""Traces in XProf's format, read by JAX's own reader of it."""

import gzip
import json
from pathlib import Path

import jax as real_jax
import numpy as np

import minijax as jax
import minijax.numpy as jnp


@jax.jit
def layer(x):
    with jax.named_scope("layer"):
        return jnp.sort(jnp.tanh(x @ x.T), axis=0)


def test_jax_reads_of_a_trace_what_its_json_says(tmp_path):
    x = jnp.ones((8, 4))
    with jax.profiler.trace(tmp_path):
        for k in range(2):
            with jax.profiler.StepTraceAnnotation("train", step_num=k):
                layer(x)
        with jax.profiler.TraceAnnotation("told", a=-1.5, b=-3, c="text", d=2**70, e=True):
            np.asarray(jnp.sin(x))
    [planes] = Path(tmp_path).glob("plugins/profile/*/*.xplane.pb")
    with gzip.open(planes.with_name(planes.name.replace(".xplane.pb", ".trace.json.gz"))) as file:
        trace = json.load(file)
    [plane] = real_jax.profiler.ProfileData.from_file(str(planes)).planes
    assert plane.name == "/host:CPU"
    began, rows = trace["metadata"]["began"], {}
    for event in trace["traceEvents"]:
        if event["name"] == "thread_name":
            rows[event["tid"]] = (event["args"]["name"], [])
        elif event["ph"] == "X":
            rows[event["tid"]][1].append(event)
    lines = list(plane.lines)
    assert [line.name for line in lines] == [title for title, _ in rows.values()]
    for line, (_, events) in zip(lines, rows.values(), strict=True):
        for got, want in zip(line.events, events, strict=True):
            told = want["args"] | ({"d": str(2**70)} if want["name"] == "told" else {})
            assert got.name == want["name"]
            assert {key: value for key, value in got.stats} == {
                key: value if type(value) in (int, float, bool, str) else str(value)
                for key, value in told.items()
            }
            np.testing.assert_allclose(got.start_ns - began, want["ts"] * 1e3, atol=1e3)
            np.testing.assert_allclose(got.duration_ns, want["dur"] * 1e3, atol=1)
    names = [event.name for line in lines for event in line.events]
    assert {"train 0", "train 1"} <= set(names) and "layer" in names and "told" in names
