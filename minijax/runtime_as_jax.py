"""Programs that say `import jax`, run on minijax: its modules under JAX's names, and no copies."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from minijax.core.errors import api_boundary, filter_all
from minijax.options import read_environment

# `import jax.numpy` finds minijax.numpy.


class JaxFinder:
    """Answers imports of jax.X with the module minijax.X, where JAX has an X."""

    @staticmethod
    @api_boundary
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """ModuleNotFoundError for a module of JAX's that is not here, and for what JAX hasn't."""
        if name.partition(".")[0] != "jax":
            return None
        from minijax.jax_names import JAX_MODULES  # not before it is asked for: imports are quick

        ours, known = f"mini{name}", name.removeprefix("jax.") in ["jax", *JAX_MODULES.split()]
        if not known or find_spec(ours) is None:
            problem = f"{name} is not here yet." if known else f"JAX has no module {name}."
            parent = name.rpartition(".")[0]
            raise ModuleNotFoundError(f"{problem} dir() of {parent} lists what is.", name=name)
        return ModuleSpec(name, AliasLoader(import_module(ours)))


class AliasLoader:
    """Loads a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import has just put that of the alias there
        if module.__name__ == "minijax":
            read_environment()  # as JAX's import does: a script may have set variables before it


def install_as_jax() -> None:
    """Has `import jax`, and imports of its modules, find minijax from now on, in this process.

    `jax.numpy` then is `minijax.numpy`, the same module. For a notebook's first cell, or a
    script's first lines: RuntimeError once the real JAX has been imported.
    """
    ours = sys.modules["minijax"]
    if sys.modules.get("jax", ours) is not ours:
        raise RuntimeError(
            "install_as_jax can't take JAX's name: the real jax is imported already. Call it "
            "before that, in a new process."
        )
    if JaxFinder not in sys.meta_path:
        sys.meta_path.insert(0, JaxFinder)


# python -m minijax SCRIPT.py


def main(argv: Sequence[str]) -> int:
    """Runs the script argv[0] on minijax, else as Python would. Returns the exit status."""
    if not argv or argv[0].startswith("-"):
        return _refuse("usage: python -m minijax SCRIPT.py [ARGUMENTS]")
    script = Path(argv[0]).absolute()
    try:
        source = script.read_bytes()
        install_as_jax()
    except OSError as error:
        return _refuse(f"python -m minijax {argv[0]}: {error.strerror}")
    except RuntimeError as error:
        return _refuse(f"python -m minijax: {' '.join(str(error).split())}")
    sys.argv = list(argv)
    if not sys.flags.safe_path:
        sys.path[0] = str(script.resolve().parent)
    module = ModuleType("__main__")
    module.__file__ = str(script)
    sys.modules["__main__"] = module
    try:
        exec(compile(source, str(script), "exec", dont_inherit=True), vars(module))
    except Exception as error:
        _report(error)
        return 1
    except KeyboardInterrupt as error:
        _report(error)
        return 130
    return 0


def _refuse(line: str) -> int:
    print(line, file=sys.stderr)
    return 2


def _report(error: BaseException) -> None:
    """What minijax lacks in one line; any other error as Python prints it, without our frames."""
    filter_all(error)
    lacking, places = _lacking(error), list(walk_tb(error.__traceback__))
    if lacking and places:
        frame, line = places[-1]
        print(f"{frame.f_code.co_filename}:{line}: {lacking}", file=sys.stderr)
    else:
        sys.excepthook(type(error), error, error.__traceback__)


def _lacking(error: BaseException) -> str | None:
    """The sentence that names what is not here yet, if that is what the error says."""
    if not isinstance(error, ImportError | AttributeError):
        return None
    name = re.match(r"cannot import name '(\w+)'", str(error))
    if name and isinstance(error, ImportError):  # Python has dropped what the module said of it
        try:
            getattr(sys.modules.get(error.name or ""), name[1])
        except AttributeError as cause:
            error = cause
    lines = str(error).splitlines()
    text = " ".join(line for line in lines if not line.startswith("  "))  # without the place
    return text if "is not here yet" in text else None
