"""Traces: what is in the file, that its times nest, and that nothing is left behind."""

import queue
import socket
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, profiler
from minijax.compiler import doors, executable
from minijax.compiler.dispatch.eager import Paths
from minijax.core import staging
from minijax.core.errors import SourceInfo
from minijax.core.jitting import JitFunction
from minijax.core.tracing import EvalTrace
from minijax.profiler import trace_files
from minijax.profiler.hooks import Hooks, all_paths
from minijax.profiler.recordings import Recording, Span, current
from minijax.profiler.trace_files import scope_spans, show_in_perfetto
from traces_read import check_event, check_nesting, is_in, named, read, trace_file, traced

# A recording looks at all objects for programs, and tests have a million.
pytestmark = pytest.mark.usefixtures("module_few_objects")

M = jnp.ones((64, 48))
HERE = __file__


@jax.jit
def layer(x, w):
    with jax.named_scope("layer"):
        y = jnp.tanh(x @ w)
    return jnp.sort(y, axis=0) * 2


def line_of(text):
    with open(HERE, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if text in line)


# What is in it.


def test_a_program_reports_each_kernel_and_each_call_of_numpy(on_numba, tmp_path):
    w = M.T
    layer(M, w)
    with traced(tmp_path) as events:
        layer(M, w)
    explained = jax.explain(layer)(M, w)
    names = [explained.step_name(k) for k in range(len(explained.executable.steps))]
    steps = [event["name"] for event in events if event["args"].get("program") == "layer"]
    assert [name for name in steps if "a part" not in name] == names
    assert {"kernel0", "NumPy"} <= {name.split(":")[0] for name in names}
    (call,) = named(events, "PjitFunction(layer)")
    assert all(is_in(event, call) for event in events if event["cat"] in ("kernel", "numpy"))


def test_a_step_has_its_line_its_scope_and_its_costs(on_numba, tmp_path):
    layer(M, M.T)
    with traced(tmp_path) as events:
        layer(M, M.T)
    (product,) = named(events, "NumPy: dot_general")
    assert product["args"]["line"] == f"{HERE}:{line_of('jnp.tanh(x @ w)')} in layer"
    assert product["args"]["scope"] == "layer"
    assert product["args"]["operations"] == 2 * 64 * 64 * 48
    assert product["args"]["bytes"] == 4 * (2 * 64 * 48 + 64 * 64)
    (scope,) = [event for event in events if event["cat"] == "scope"]
    assert (scope["name"], scope["ts"]) == ("layer", product["ts"])
    assert scope["tid"] != product["tid"]


def test_scopes_have_a_row_of_their_own():
    def span(name, begin, end, *scopes, category="numpy"):
        return Span(name, category, begin, end, 1, SourceInfo(None, 0, scopes), {})

    spans = [
        span("a", 0, 10), span("b", 1, 3, "x"), span("c", 3, 6, "x", "y"), span("d", 4, 5, "z"),
        span("e", 7, 8, "vmap()", "x"), span("call", 11, 20, "w", category="call"),
        span("f", 11, 13, "x"), span("g", 14, 15), span("h", 16, 17, "x"),
    ]  # fmt: skip
    found = [(one.name, one.begin, one.end) for one in scope_spans(spans)]
    assert found == [("y", 3, 6), ("x", 1, 6), ("vmap(x)", 7, 8), ("x", 11, 13), ("x", 16, 17)]


def test_the_phases_of_a_first_call(on_numba, tmp_path):
    first = jax.jit(lambda x: jnp.exp(x) * 31 + jnp.sin(x))
    with traced(tmp_path) as events:
        first(M)
    (call,) = named(events, "PjitFunction(<lambda>)")
    for name in ("trace <lambda>", "compile <lambda>", "pass simplify", "fuse", "compile kernels",
                 "compile a kernel: ", "write the program", "kernel0: "):  # fmt: skip
        assert named(events, name), name
        assert all(is_in(event, call) for event in named(events, name)), name


def test_operations_outside_of_jit_on_each_way(tmp_path):
    x = jnp.arange(7.0) + 0
    for _ in range(3):  # the long way, the way that writes a path, the path
        _ = x - 1, x[2]
    with traced(tmp_path) as events:
        _ = x - 1
        line = line_of("_ = x - 1\n")
        _ = jnp.hypot(x, 3.5)
        _ = x[2]
        _ = lax.sin(x)
    assert {"sub", "getitem", "hypot", "sin"} <= {event["name"] for event in events}
    (difference,) = named(events, "sub")
    name = "test_operations_outside_of_jit_on_each_way"
    assert difference["args"]["line"] == f"{HERE}:{line} in {name}"


@pytest.mark.parametrize("before, checks", [(True, False), (False, False), (True, True)])
def test_what_numpy_runs_of_a_program_has_its_line_in_it(before, checks, on_numpy, tmp_path):
    f = jax.jit(lambda x: jnp.exp(x) * 43)
    with jax.enable_checks(checks):
        for _ in range(3 * before):
            f(M)
        run = f.lower(M).compile().runtime_executable() if before else None
        code = getattr(run, "__code__", None)
        with traced(tmp_path) as events:
            y = f(M)
        np.testing.assert_array_equal(y, f(M))
    (multiplied,) = named(events, "mul")
    assert f":{line_of('jnp.exp(x) * 43')} in <lambda>" in multiplied["args"]["line"]
    assert getattr(run, "__code__", None) is code


def test_loops_that_run_step_by_step_report_their_bodies_steps(on_numba, tmp_path):
    f = jax.jit(lambda x: lax.scan(lambda c, _: (jnp.fft.ifft(c).real, None), x, None, length=3)[0])
    f(M[0])
    with traced(tmp_path) as events:
        f(M[0])
    (loop,) = named(events, "NumPy: scan")
    turns = named(events, "NumPy: fft")
    assert len(turns) == 3 and all(is_in(turn, loop) for turn in turns)


def test_threads_have_rows_of_their_own(on_numba, tmp_path):
    def work():
        layer(M, M.T)

    layer(M, M.T)
    with traced(tmp_path) as events:
        for k in range(2):  # one after the other: the second may have the first's identifier
            thread = threading.Thread(target=work, name=f"worker {k}")
            thread.start()
            thread.join()
    calls = named(events, "PjitFunction(layer)")
    assert len({call["tid"] for call in calls}) == len(calls) == 2
    names = {e["args"]["name"] for e in read(trace_file(tmp_path)) if e["name"] == "thread_name"}
    assert {"worker 0", "worker 1"} <= names


def test_large_kernels_report_the_parts_that_threads_take(on_numba, tmp_path, monkeypatch):
    monkeypatch.setattr(executable, "LARGE", 1)
    f = jax.jit(lambda x: jnp.exp(x) * 37)
    f(M)
    with traced(tmp_path) as events:
        f(M)
    (kernel,) = named(events, "kernel0: ")
    parts = named(events, "kernel0, a part")
    assert len(parts) == 2 * executable.workers()[0]
    assert parts[0]["args"] == {"program": "<lambda>"}
    assert any(is_in(part, kernel) for part in parts)


# Annotations.


def annotate(events_wanted):
    with profiler.TraceAnnotation("load", rows=3, name_of=[1.5, "a"], odd=object()):
        with profiler.StepTraceAnnotation("train", step_num=7):
            _ = M + 1
    annotated = profiler.annotate_function(np.square, name="squares")
    return annotated(2)


def test_annotations_are_spans(tmp_path):
    with traced(tmp_path) as events:
        assert profiler.TraceAnnotation.is_enabled()
        assert annotate(events) == 4
    by_name = {event["name"]: event for event in events}
    assert is_in(by_name["train 7"], by_name["load"])
    assert by_name["train 7"]["cat"] == "step"
    arguments = by_name["load"]["args"]
    assert (arguments["rows"], arguments["name_of"]) == (3, [1.5, "a"])
    assert arguments["odd"] == "an object of class object"
    assert arguments["line"].endswith("in annotate")
    assert by_name["squares"]["cat"] == "annotation"


def test_an_annotation_may_be_used_again_and_within_itself(tmp_path):
    again = profiler.TraceAnnotation("again")
    with traced(tmp_path) as events:
        with again:
            with again:
                pass
        again.set_metadata(found=2)
        with pytest.raises(KeyError), again:
            raise KeyError
    assert len(named(events, "again")) == 3
    assert events[-1]["args"]["found"] == 2


def test_outside_of_a_trace_annotations_do_nothing():
    assert not profiler.TraceAnnotation.is_enabled()
    assert annotate([]) == 4


@pytest.mark.parametrize("level, found", [(0, set()), (1, {"load", "train 7", "squares"})])
def test_the_level_says_what_is_recorded(level, found, tmp_path):
    options = profiler.ProfileOptions()
    options.host_tracer_level = level
    with traced(tmp_path, profiler_options=options) as events:
        annotate(events)
    assert {event["name"] for event in events} == found


# The files.


def test_perfettos_file_has_no_metadata(tmp_path):
    with traced(tmp_path, create_perfetto_trace=True) as events:
        _ = M + 1
    (file,) = tmp_path.glob("plugins/profile/*/perfetto_trace.json.gz")
    assert [event for event in read(file) if event["ph"] == "X"] == events


def test_a_link_is_printed_and_the_file_handed_out_once(tmp_path, monkeypatch):
    def show(file):
        shown.append(file)
        server = threading.Thread(target=show_in_perfetto, args=(file, port), daemon=True)
        server.start()
        servers.append(server)

    shown, servers, printed = [], [], queue.Queue()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setattr(trace_files, "print", lambda text, flush: printed.put(text), raising=False)
    monkeypatch.setattr(profiler.traces, "show_in_perfetto", show)
    with profiler.trace(tmp_path, create_perfetto_link=True):
        pass
    link, _, address = printed.get(timeout=10).partition("url=")
    assert link == "Open URL in browser: https://ui.perfetto.dev/#!/?"
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(address.replace("perfetto", "other"), timeout=10)
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.read() == shown[0].read_bytes()
    servers[0].join(timeout=10)
    assert not servers[0].is_alive()


def test_two_traces_of_one_second_have_two_files(tmp_path):
    for _ in range(2):
        with profiler.trace(tmp_path):
            pass
    assert len(list(tmp_path.glob("plugins/profile/*/*.trace.json.gz"))) == 2


def test_there_are_no_more_spans_than_viewers_take(monkeypatch):
    monkeypatch.setattr(profiler.recordings, "MOST_SPANS", 2)
    recording = Recording()
    for _ in range(5):
        recording.add("a", "numpy", 0)
    assert (len(recording.spans), recording.dropped) == (2, 3)


# What stands in the place of others is gone afterwards.


def everything():
    """What hooks replace: tables and attributes, with what stands there."""
    yield from ((EvalTrace, "process_primitive"), (JitFunction, "__call__"), (Paths, "write"))
    yield from ((executable, name) for name in ("steps_of", "write", "compiled"))
    yield from ((executable.Executable, "__init__"), (staging, "trace_to_jaxpr"))


def state():
    found = [vars(owner)[name] for owner, name in everything()]
    paths = {id(p): dict(p) for p in all_paths()}
    return found, list(executable.PASSES), dict(doors.doors), paths


def test_a_trace_leaves_everything_as_it_was(on_numba, tmp_path):
    layer(M, M.T)
    program = layer.lower(M, M.T).compile().runtime_executable()
    functions = dict(program.run.__globals__)
    before = state()
    with profiler.trace(tmp_path):
        assert program.run.__globals__ != functions
        layer(M, M.T)
    assert state() == before
    assert program.run.__globals__ == functions
    assert current.recording is None


def test_a_trace_that_cannot_begin_leaves_everything_as_it_was(monkeypatch, tmp_path):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Hooks, "watch_paths", interrupt)
    before = state()
    with pytest.raises(KeyboardInterrupt):
        profiler.start_trace(tmp_path)
    assert state() == before
    with pytest.raises(RuntimeError, match="no trace is being recorded"):
        profiler.stop_trace()


def test_arguments_may_be_called_as_ours_are(tmp_path):
    f = jax.jit(lambda jitted, name: jitted + name)
    with profiler.trace(tmp_path):
        assert f(jitted=1.0, name=2.0) == 3


def test_what_is_put_round_a_hook_stays_and_reports_no_more(tmp_path):
    original = vars(EvalTrace)["process_primitive"]
    with profiler.trace(tmp_path):
        inside = vars(EvalTrace)["process_primitive"]
        EvalTrace.process_primitive = lambda *args: inside(*args)
    try:
        assert vars(EvalTrace)["process_primitive"] is not original
        assert lax.sin(0.0) == 0  # by way of what was put there
    finally:
        EvalTrace.process_primitive = original


def test_an_error_in_a_traced_block_leaves_as_it_is_and_the_file_is_written(tmp_path):
    with pytest.raises(ZeroDivisionError):
        with profiler.trace(tmp_path):
            raise ZeroDivisionError
    assert read(trace_file(tmp_path))


# The checks themselves.


@pytest.mark.parametrize("change", [
    {"ph": "M"}, {"ts": -1.0}, {"dur": 3}, {"args": None}, {"cat": 4}, {"further": 1},
])  # fmt: skip
def test_what_is_no_event_is_found(change):
    event = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "args": {}, "cat": "b", "ts": 0.0,
             "dur": 1.0}  # fmt: skip
    check_event(event)
    with pytest.raises(AssertionError):
        check_event(event | change)


def test_spans_that_cross_are_found():
    spans = [(0.0, 3.0), (1.0, 1.0), (2.5, 0.5)]
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": dur} for ts, dur in spans]
    check_nesting(events)
    with pytest.raises(AssertionError):
        check_nesting([*events, events[0] | {"ts": 2.0, "dur": 4.0}])
