"""Traces: what a program does is recorded from one line to another, and written to a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minijax.core.errors import JaxRuntimeError
from minijax.lax.elementwise.arithmetic import shown
from minijax.profiler.hooks import Hooks
from minijax.profiler.recordings import Recording, current
from minijax.profiler.trace_files import show_in_perfetto, write_trace


class ProfileOptions:
    """What is recorded, by JAX's names.

    `host_tracer_level` 0 records nothing, 1 annotations and steps alone, 2 and 3 everything. The
    other options are accepted, and mean nothing here: there is no other device, and no function of
    the user's is recorded but those that are annotated.
    """

    def __init__(self) -> None:
        self.host_tracer_level = 2
        self.python_tracer_level = 1
        self.enable_hlo_proto = True
        self.include_dataset_ops = True
        self.advanced_configuration: dict[str, Any] = {}
        self.duration_ms = 0
        self.start_timestamp_ns = 0
        self.repository_path = ""
        self.raise_error_on_start_failure = False
        self.session_id = ""


class _Session:
    """The trace that is being recorded, if one is: its hooks, and what is to be done with it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.hooks: Hooks | None = None
        self.log_dir, self.for_perfetto, self.link = Path(), False, False


_session = _Session()


def start_trace(
    log_dir: os.PathLike[str] | str, create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False, profiler_options: ProfileOptions | None = None,
) -> None:  # fmt: skip
    """Begins to record what happens; `stop_trace` writes it to `LOG_DIR/plugins/profile/TIME`.

    In the file are calls of jitted functions, each step of a compiled program (a kernel, or a call
    of NumPy), operations outside of jit, the phases of tracing and compiling, and annotations;
    beside each the user's line, the named scopes, and of steps the bytes and the operations.
    https://ui.perfetto.dev and chrome://tracing open it; beside it lies the same for XProf and
    TensorBoard, HOST.xplane.pb. `create_perfetto_trace` writes a further one,
    perfetto_trace.json.gz; `create_perfetto_link` prints a link besides, and `stop_trace`
    waits until it was opened.

    RuntimeError while another trace is recorded, TypeError for other than a path and options.
    """
    options = _checked_options(profiler_options)
    if not isinstance(log_dir, str | os.PathLike):
        raise TypeError(
            f"start_trace takes a folder's path as log_dir, and got {shown(log_dir)}. Give a "
            f"string or a pathlib.Path."
        )
    with _session.lock:
        if _session.hooks is not None:
            raise RuntimeError(
                "start_trace was called while a trace is being recorded, and there is one at a "
                "time. Call profiler.stop_trace() first."
            )
        _session.log_dir = Path(os.path.abspath(log_dir))
        _session.link = bool(create_perfetto_link)
        _session.for_perfetto = bool(create_perfetto_trace or create_perfetto_link)
        recording = Recording(options.host_tracer_level)
        hooks = Hooks(recording)
        try:
            if recording.level >= 2:
                hooks.put_in()
        except BaseException:  # a KeyboardInterrupt, too, leaves everything as it was
            hooks.take_out()
            raise
        _session.hooks, current.recording = hooks, recording


def _checked_options(options: Any) -> ProfileOptions:
    if options is not None and not isinstance(options, ProfileOptions):
        raise TypeError(
            f"start_trace takes profiler.ProfileOptions as profiler_options, and got "
            f"{shown(options)}. Leave them out, or make one and set its attributes."
        )
    options = ProfileOptions() if options is None else options
    if type(options.host_tracer_level) is not int:
        raise TypeError(
            f"start_trace takes a host_tracer_level from 0 to 3, and got "
            f"{shown(options.host_tracer_level)}. Give an int."
        )
    return options


def stop_trace() -> None:
    """Ends the trace and writes it. RuntimeError where none is recorded, JaxRuntimeError where it
    can't be written."""
    with _session.lock:
        if _session.hooks is None:
            raise RuntimeError(
                "stop_trace was called, and no trace is being recorded. Call "
                "profiler.start_trace(log_dir) first."
            )
        hooks, _session.hooks, current.recording = _session.hooks, None, None
        hooks.recording.is_running = False
        hooks.take_out()
        try:
            file = write_trace(hooks.recording, _session.log_dir, _session.for_perfetto)
        except OSError as error:
            raise JaxRuntimeError(
                f"stop_trace can't write what was recorded to {_session.log_dir}: "
                f"{error.strerror}. Give start_trace a folder that can be written to."
            ) from error
        if _session.link:
            show_in_perfetto(file)


@contextmanager
def trace(
    log_dir: os.PathLike[str] | str, create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False, profiler_options: ProfileOptions | None = None,
) -> Iterator[None]:  # fmt: skip
    """A context in which what happens is recorded: `start_trace`, and in the end `stop_trace`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with trace(folder):
    ...         rows = list(range(10))
    """
    start_trace(log_dir, create_perfetto_link, create_perfetto_trace, profiler_options)
    try:
        yield
    finally:
        stop_trace()
