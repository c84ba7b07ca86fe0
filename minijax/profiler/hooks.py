"""What reports to a recording: functions that stand in the place of others while one is running.

So nothing is asked while none is: what the package calls is what it always calls. They are put in
when a recording begins, for programs and paths that there are by then too, and taken out when it
ends. One that cannot be taken out, since another has been put round it, reports no more.
"""

from __future__ import annotations

import gc
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any

from minijax.compiler import doors, executable
from minijax.compiler.dispatch.eager import Paths
from minijax.compiler.dispatch.straight_line import StraightBackend
from minijax.compiler.generated_text import TextWriter
from minijax.core import config, staging
from minijax.core.arrays import Array
from minijax.core.jitting import JitFunction, compile_once
from minijax.core.tracing import EvalTrace, current_source
from minijax.face.replacements import Replacements
from minijax.profiler.array_origins import note_origins
from minijax.profiler.program_steps import StepInfo, program_steps, told_functions
from minijax.profiler.recordings import Recording


class InStep(threading.local):
    """Whether the next operation of this thread is the step itself, which tells for both."""

    value = False


in_step = InStep()

# What there is already.


def all_paths() -> Iterator[Paths]:
    """The paths of each function outside jit: all of them are registered caches."""
    owners = (getattr(clear, "__self__", None) for clear in config._clear_functions)
    return (owner for owner in owners if isinstance(owner, Paths))


def all_programs() -> list[Any]:
    """The programs that were compiled and are still there: executables, and lines of NumPy."""
    found = {  # without those whose compilation failed
        id(x): x for x in gc.get_objects() if type(x) is executable.Executable and hasattr(x, "run")
    }
    compiles = inspect.unwrap(compile_once)
    for owner in list(config._owners):  # whatever gc has been told to leave alone
        for key, value in list(owner.derived.items()):
            if key[0] is compiles:
                place = value.__code__.co_freevars.index("compiled")
                found |= {id(x): x for x in value.__closure__[place].cell_contents}
    return list(found.values())


# What is put in.


class Hooks(Replacements):
    """All that reports to one recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.recording = recording
        self.operators = operator_names()

    def put_in(self) -> None:
        """Has operations, calls, compilation and programs' steps report."""
        timed = self.recording.timed
        for primitives, make in ((EvalTrace, self.operation), (JitFunction, self.jitted_call)):
            name = "process_primitive" if primitives is EvalTrace else "__call__"
            self.replace(primitives, name, make(vars(primitives)[name]))
        for owner, name, label in PHASES:
            self.replace(owner, name, timed(vars(owner)[name], "compile", label))
        kept = list(executable.PASSES)
        executable.PASSES[:] = [timed(one, "compile", partial(_pass_name, one)) for one in kept]
        self.taken_out.append(partial(_put_back, executable.PASSES, kept))
        for name, door in doors.doors.items():
            label = f"compile a kernel: {name}"
            compiled = timed(door.compile, "compile", lambda *of_kernel, label=label: label)
            self.replace_item(doors.doors, name, door._replace(compile=compiled))
        self.replace(executable.Executable, "__init__", self.compilation())
        self.replace(StraightBackend, "compile", self.lines_of_numpy())
        for program in all_programs():
            if type(program) is executable.Executable:
                self.watch_program(program)
            else:
                self.watch_lines(program)
        self.watch_paths()

    def take_out(self) -> None:
        super().take_out()
        for paths in all_paths():
            for key, path in list(paths.items()):
                if getattr(path, "reports_to", None) is self.recording:
                    dict.__setitem__(paths, key, path.inside)

    # Operations outside of programs, and calls.

    def operation(self, process: Callable) -> Callable:
        """The ground floor's operations. One that is the step of a program was told already."""
        recording = self.recording

        @wraps(process)
        def process_primitive(trace: Any, primitive: Any, args: Any, params: dict) -> Any:
            if not recording.is_running:
                return process(trace, primitive, args, params)
            is_step, in_step.value, begin = in_step.value, False, time.perf_counter_ns()
            try:
                out = process(trace, primitive, args, params)
            finally:
                in_step.value = is_step
            if not is_step:
                source, is_program = current_source(), primitive.name == "jit"
                name = f"jit({params['name']})" if is_program else str(primitive)
                recording.add(name, "call" if is_program else "numpy", begin, source)
                note_origins(out, source)
            return out

        return process_primitive

    def jitted_call(self, call: Callable) -> Callable:
        recording = self.recording

        @wraps(call)
        def __call__(jitted: JitFunction, /, *args: Any, **kwargs: Any) -> Any:
            if not recording.is_running:
                return call(jitted, *args, **kwargs)
            source = current_source()
            with recording.span(f"PjitFunction({jitted.__name__})", "call", source):
                out = call(jitted, *args, **kwargs)
            note_origins(out, source)
            return out

        return __call__

    def watch_paths(self) -> None:
        """Has what is short outside jit, and what will be, report each call."""
        for cls in {Paths, *Paths.__subclasses__()}:
            if "write" in vars(cls):
                self.replace(cls, "write", self.written(vars(cls)["write"]))
        for paths in all_paths():
            for key, path in list(paths.items()):
                if path is not None and path is not paths.long_way:
                    dict.__setitem__(paths, key, self.path_call(paths, path))

    def written(self, write: Callable) -> Callable:
        @wraps(write)
        def write_path(paths: Paths, args: tuple, kwargs: dict) -> Callable:
            return self.path_call(paths, write(paths, args, kwargs))

        return write_path

    def path_call(self, paths: Paths, path: Callable) -> Callable:
        recording, own_name = self.recording, getattr(paths.fun, "__name__", "path")
        name = self.operators.get(id(paths.fun), own_name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if not recording.is_running:
                return path(*args, **kwargs)
            begin = time.perf_counter_ns()
            out = path(*args, **kwargs)
            source = current_source()
            recording.add(name, "numpy", begin, source)
            note_origins(out, source)
            return out

        call.inside, call.reports_to = path, recording  # type: ignore[attr-defined]
        return call

    # Programs.

    def compilation(self) -> Callable:
        """A program that is compiled reports that, and from then on its steps."""
        init = vars(executable.Executable)["__init__"]
        timed = self.recording.timed(init, "compile", _compiled_name)

        @wraps(init)
        def __init__(program: executable.Executable, *args: Any, **kwargs: Any) -> None:
            timed(program, *args, **kwargs)
            if self.recording.is_running:
                self.watch_program(program)

        return __init__

    def watch_program(self, program: executable.Executable) -> None:
        """Has a program report its steps."""
        steps, recording, name = program_steps(program), self.recording, program.name
        details = [step_details(step, name) for step in steps]

        def tell(step: int | None, called: str, begin: int) -> None:
            if step is None:
                recording.add(f"{called}, a part", "kernel", begin, None, {"program": name})
            else:
                one = steps[step]
                recording.add(one.name, one.category, begin, one.source, details[step])

        meanings = program.run.__globals__  # type: ignore[attr-defined]
        for called, fun in told_functions(program, tell, _as_step).items():
            self.replace_item(meanings, called, fun)

    def lines_of_numpy(self) -> Callable:
        """A program that becomes lines of NumPy is watched too."""
        compile_lines, recording = vars(StraightBackend)["compile"], self.recording

        @wraps(compile_lines)
        def compiled(backend: Any, closed: Any, options: Any) -> Callable:
            with recording.span(f"lines of NumPy: {options.name}", "compile"):
                run = compile_lines(backend, closed, options)
            if recording.is_running:
                self.watch_lines(run)
            return run

        return compiled

    def watch_lines(self, run: Callable) -> None:
        """Has a program that is lines of NumPy run equation by equation, so that each reports, with
        its line. The results are the same bits."""
        interpret = "interpret"  # what the text of `run` calls where its lines fail
        if interpret not in getattr(run, "__globals__", ()):
            return
        code, text = run.__code__, TextWriter()
        names = ", ".join(code.co_varnames[: code.co_argcount])
        text.emit(f"return {interpret}({names})")
        run.__code__ = text.function("run", names).__code__  # type: ignore[attr-defined]
        self.taken_out.append(partial(setattr, run, "__code__", code))


def step_details(step: StepInfo, program: str) -> dict[str, Any]:
    """What is known of a step beside its name and its line."""
    details = {"program": program, "bytes": step.bytes, "operations": step.operations}
    lines = [str(source) for source in step.sources[:8]]
    return details | ({"lines": lines} if len(lines) > 1 else {})


def _as_step(fun: Callable) -> Callable:
    """A function that a program calls in its steps: the first operation inside is the step."""

    def call(*args: Any) -> Any:
        outer, in_step.value = in_step.value, True
        try:
            return fun(*args)
        finally:
            in_step.value = outer

    return call


def _put_back(table: list, kept: list) -> None:
    table[:] = kept


# What spans are called.


def operator_names() -> dict[int, str]:
    """What the operators of arrays are called, by the id of the function that each is."""
    return {
        id(vars(x)["__wrapped__"]): name.strip("_")
        for name, x in vars(Array).items() if "__wrapped__" in getattr(x, "__dict__", ())
    }  # fmt: skip


def _compiled_name(program: Any, closed: Any, options: Any, door: Any = None) -> str:
    return f"compile {options.name}"


def _traced_name(fun: Callable, avals: Any, info: Any = None) -> str:
    return f"trace {info.func_name if info else getattr(fun, '__name__', 'a rule')}"


def _pass_name(run_pass: Callable, *_: Any) -> str:
    return f"pass {getattr(run_pass, '__name__', type(run_pass).__name__)}"


# The phases of a program's way: the module or the class that has the function, and the span's name.
PHASES: list[tuple[Any, str, Callable[..., str]]] = [
    (staging, "trace_to_jaxpr", _traced_name),
    (executable, "steps_of", lambda jaxpr, in_loop=False: "fuse"),
    (executable, "write", lambda program: "write the program"),
    (executable, "compiled", lambda sources, door=None: "compile kernels"),
]
