"""What runs beside the grader: evaluates cases on an overlay and writes down what they come to.

A job comes as JSON on standard input, and a line of JSON goes out for each case: whoever reads them
needs nothing of a student's but data. A student's own prints go to standard error.
"""

import importlib
import json
import os
import sys
import traceback
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


def forget_package() -> None:
    """The next import of the package takes it from another overlay."""
    for name in [n for n in sys.modules if n.split(".")[0] in ("minijax", "answer")]:
        del sys.modules[name]


def namespace(job: dict[str, Any]) -> dict[str, Any]:
    """The names that a task's cases may use."""
    import numpy as np

    from exercises.facts import raised

    jax = importlib.import_module("minijax")
    jax.config.update("jax_traceback_filtering", "off")
    names = {"__name__": "case", "jax": jax, "np": np, "rng": np.random.default_rng(job["seed"])}
    names |= {"jnp": jax.numpy, "lax": jax.lax, "random": jax.random, "raised": raised}
    home = importlib.import_module(job["home"]) if job["home"] else None
    return {**{k: x for k, x in vars(home or jax).items() if not k.startswith("__")}, **names}


def run(job: dict[str, Any], tell: Any) -> None:
    """Evaluates a task's cases. What prevents all of them is told as the fact of case -1, what
    goes wrong in a setup as that of each of its cases."""
    from exercises.facts import evaluated, lineage

    def where(error: BaseException) -> dict[str, Any]:
        return {"lines": frames(error, job["file"])}

    os.environ["MINIJAX_JIT_BACKEND"] = job["backend"]
    sys.path.insert(0, job["root"])
    try:
        names = namespace(job)
        for group in job["groups"]:
            inner = dict(names)
            ready = evaluated(f"{group['setup']}\nNone", inner, where)
            for k, case in group["cases"]:
                fact = ready if "raises" in ready else evaluated(case, inner, where)
                tell({"task": job["task"], "case": k, "fact": fact})
    except BaseException as error:
        told = "".join(traceback.format_exception_only(error)).strip()
        fact = {"raises": lineage(type(error)), "message": told, **where(error)}
        tell({"task": job["task"], "case": -1, "fact": fact})
    finally:
        sys.path.remove(job["root"])
        forget_package()


def main() -> None:
    sys.path.insert(0, str(HERE.parent))
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    jobs = json.load(sys.stdin)

    def tell(record: dict[str, Any]) -> None:
        channel.write(json.dumps(record) + "\n")
        channel.flush()

    for job in jobs:
        run(job, tell)


if __name__ == "__main__":
    main()
