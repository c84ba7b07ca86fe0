"""What runs beside the grader: evaluates cases on an overlay and writes down what they come to.

Jobs come as JSON on standard input, one for each task, and a line of JSON goes out for each case:
whoever reads them needs nothing of a student's but data. A student's own prints go to standard
error. Each task has a process of its own, a copy of this one, so that one hang loses one task.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def frames(error: BaseException, file: str) -> list[int]:
    """The lines of this file that an exception passed through, from the outside in."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return [error.lineno or 0]
    return [
        frame.lineno or 0
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]


def warned(caught: list[Any], file: str) -> list[tuple[str, int]]:
    """What the first few warnings say, each with the line of this file that it came from, or 0."""
    return [
        (f"{each.category.__name__}: {each.message}", each.lineno if each.filename == file else 0)
        for each in caught[:5]
    ]


def namespace(job: dict[str, Any]) -> dict[str, Any]:
    """The names that a task's cases may use."""
    import numpy as np

    from exercises.facts import raised

    jax = importlib.import_module("minijax")
    jax.config.update("jax_traceback_filtering", "off")
    names = {"__name__": "case", "jax": jax, "np": np}
    names |= {"jnp": jax.numpy, "lax": jax.lax, "random": jax.random, "raised": raised}
    home = importlib.import_module(job["home"]) if job["home"] else None
    return {**{k: x for k, x in vars(home or jax).items() if not k.startswith("__")}, **names}


def told(error: BaseException, file: str) -> dict[str, Any]:
    """The fact of an exception that is no case's own."""
    from exercises.facts import lineage

    text = "".join(traceback.format_exception_only(error)).strip()
    return {"raises": lineage(type(error)), "message": text, "lines": frames(error, file)}


def run(job: dict[str, Any], tell: Any) -> None:
    """Evaluates a task's cases. What prevents all of them is told as the fact of case -1."""
    os.environ["MINIJAX_JIT_BACKEND"] = job["backend"]
    sys.path.insert(0, job["root"])
    try:
        names = namespace(job)
    except BaseException as error:
        tell(case=-1, fact=told(error, job["file"]))
        return
    for group in job["groups"]:
        inner = {**names, "rng": names["np"].random.default_rng(job["seed"])}
        for k, fact in facts_of(group, inner, job["file"]):
            tell(case=k, fact=fact)


def facts_of(
    group: dict[str, Any], names: dict[str, Any], file: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The facts of cases with a setup in common. Where that fails, each has its exception."""
    from exercises.facts import evaluate, evaluated

    failed = None
    try:
        if group["setup"]:
            evaluate(f"{group['setup']}\nNone", names)
    except BaseException as error:
        failed = told(error, file)
    for k, case in group["cases"]:
        try:
            fact = failed or evaluated(case, names, lambda error: {"lines": frames(error, file)},
                                       lambda caught: {"warned": warned(caught, file)})  # fmt: skip
        except BaseException as error:  # sys.exit, for one
            fact = told(error, file)
        yield k, fact


# A process for each task.


def alone(job: dict[str, Any], channel: int) -> None:
    """In a process of its own: a task from its first case to its last."""

    def tell(**record: Any) -> None:
        text = json.dumps({"task": job["task"], **record}) + "\n"
        os.write(channel, text.encode())

    os.setpgid(0, 0)
    try:
        run(job, tell)
        os._exit(0)
    finally:
        os._exit(1)


def wait(child: int, seconds: float) -> str:
    """How a task's process ended: done, crash, or timeout, where it had to be ended."""
    last = time.monotonic() + seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > last:
            for end in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError):
                    end(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timeout"
        time.sleep(0.005)
    code = os.waitstatus_to_exitcode(ended[1])
    return "timeout" if code == -signal.SIGXCPU else "crash" if code else "done"


def main() -> None:
    sys.path.insert(0, str(HERE.parent))
    work = json.load(sys.stdin)
    channel = os.dup(1)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if sys.platform == "linux":  # elsewhere its libraries may not outlive a fork
        import numpy  # noqa: F401
    for job in work["jobs"]:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            alone(job, channel)
        record = {"task": job["task"], "ended": wait(child, work["seconds"])}
        record["seconds"] = round(time.monotonic() - began, 3)
        os.write(channel, f"\n{json.dumps(record)}\n".encode())


if __name__ == "__main__":
    main()
