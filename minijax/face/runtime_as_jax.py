"""Programs that say `import jax`, run on minijax: its modules under JAX's names, and no copies."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from minijax.core.errors import api_boundary, filter_all
from minijax.face.options import read_environment

# `import jax.numpy` finds minijax.numpy; `import jax._src.core`, what `minijax/as_jax/` has of it.


def inside() -> ModuleType:
    """What answers for JAX's inside: imported for who asks for that, and never before."""
    return import_module("minijax.as_jax.inner_modules")


def lacking_module(name: str) -> str | None:
    """Why jax.X, or jaxlib, can't be imported; None where something here answers to it."""
    from minijax.face.jax_names import JAX_MODULES  # not before it is asked for: imports are quick

    root, _, rest = name.partition(".")
    parent = name.rpartition(".")[0]
    if name in inside().INNER_NAMES:
        return None
    if root == "jaxlib" or any(part.startswith("_") for part in rest.split(".")):
        return inside().refusal(name)
    if rest and rest not in JAX_MODULES.split():
        return f"JAX has no module {name}. dir() of {parent} lists what is."
    if parent and (lacking := lacking_module(parent)):
        return lacking
    if find_spec(f"mini{name}") is None:
        return f"{name} is not here yet. dir() of {parent} lists what is."
    return None


class JaxFinder:
    """Answers imports of jax.X with the module minijax.X, where JAX has an X; and whoever asks
    which version of JAX is installed."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """ModuleNotFoundError for a module of JAX's that is not here, and for what JAX hasn't.

        minijax itself may import jaxlib, on which the backend "xla" runs.
        """
        root, _, rest = name.partition(".")
        if root == "minijax" and not rest.startswith("as_jax"):
            # `from jax.interpreters import mlir` asks for the module below the name of ours.
            inner = f"jax.{rest}"
            return _inner_spec(inner) if inner in inside().INNER_NAMES else None
        is_theirs = root == "jax" or root == "jaxlib" and _importer() not in ("minijax", "jaxlib")
        return _alias(name) if is_theirs else None

    @staticmethod
    def find_distributions(context: DistributionFinder.Context) -> Iterable[Distribution]:
        """`importlib.metadata` asks it for jax and jaxlib."""
        return inside().find_distributions(context.name)


def _importer() -> str:
    """The package in which the import stands that is being answered."""
    frame: FrameType | None = sys._getframe(2)
    while frame and "importlib" in (name := frame.f_globals.get("__name__", "").partition(".")[0]):
        frame = frame.f_back
    return name


@api_boundary
def _alias(name: str) -> ModuleSpec:
    if lacking := lacking_module(name):
        raise ModuleNotFoundError(lacking, name=name)
    if name in inside().INNER_NAMES:
        return _inner_spec(name)
    return ModuleSpec(name, AliasLoader(import_module(f"mini{name}")))


class AliasLoader:
    """Loads a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec or module.__spec__  # not that of the alias, where it has one
        if module.__name__ == "minijax":
            module.__version__ = inside().JAX_VERSION
            module.__version_info__ = inside().JAX_VERSION_INFO
            module.version = inside().make_module("jax.version")
            sys.modules.update(_already_imported())
            read_environment()  # as JAX's import does: a script may have set variables before it


def _already_imported() -> dict[str, ModuleType]:
    """The modules that came with minijax, by JAX's names: `import jax` brings them too."""
    from minijax.face.jax_names import JAX_MODULES

    names = [name for name in JAX_MODULES.split() if f"jax.{name}" not in inside().INNER_NAMES]
    found = {f"jax.{name}": sys.modules.get(f"minijax.{name}") for name in names}
    return {name: module for name, module in found.items() if module}


def _inner_spec(name: str) -> ModuleSpec:
    return ModuleSpec(name, AliasLoader(inside().make_module(name)), is_package=True)


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


# Scripts.


def run_script(script: Path, argv: Sequence[str]) -> int:
    """Runs a script as Python would, `sys.argv` being `argv`. Returns the exit status.

    OSError where it can't be read; its own errors are reported.
    """
    source = script.read_bytes()
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
    """The sentence that names what is not here, if that is what the error says."""
    if not isinstance(error, ImportError | AttributeError):
        return None
    if isinstance(error, ModuleNotFoundError) and error.name in LIBRARIES_ON_JAX:
        return uninstalled(error.name)
    lines = str(error).splitlines()
    text = " ".join(line for line in lines if not line.startswith("  "))  # without the place
    return text if re.search(r" is (not here yet|inside of the real JAX)", text) else None


# Libraries that are written for JAX.

LIBRARIES_ON_JAX = """
    blackjax brax chex diffrax distrax dm_pix e3nn_jax equinox evosax flax gpjax gymnax haiku
    jaxopt jaxtyping jraph lineax mctx numpyro objax optax optimistix orbax oryx penzai quax rlax
    tensorflow_probability tinygp trax
""".split()


def uninstalled(name: str) -> str:
    return (
        f"{name} is not installed. It is written for JAX: pip's --no-deps installs it without the "
        f"real one, and what it needs and minijax lacks is then told by name."
    )
