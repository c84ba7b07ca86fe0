"""An import never climbs: core < face < compiler < lax < library < the package itself.

The face is what modules show their names with, and how they answer.

Within core, a module imports those of earlier chapters and the appendices; an appendix imports
appendices; extend, which is for primitives outside the core, imports any. A module keeps its name.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE_ORDER = [
    "tracing",
    "arrays",
    "primitives",
    "pytrees",
    "calls",
    "arguments",
    "forward",
    "batching",
    "staging",
    "jitting",
    "linearization",
    "reverse",
    "programs",
    "prng",
]
APPENDICES = ["errors", "config", "printing", "dtypes"]
FLOORS = ["core", "face", "compiler", "lax", "library", "package"]


def modules_below(root: Path) -> dict[str, Path]:
    """Returns the files of the package minijax below `root`, by their dotted names."""
    found = {}
    for file in sorted((root / "minijax").rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def floor(module: str) -> int:
    """Returns the number of a module's floor, from the ground up."""
    parts = module.split(".")
    if len(parts) == 1:
        return FLOORS.index("package")
    return FLOORS.index(parts[1] if parts[1] in FLOORS[:4] else "library")


class Import(NamedTuple):
    """One name of an import: what is imported, the module it is in, and what stands after `as`."""

    full_name: str
    base: str
    alias: str | None
    line: int


def parse_module(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def names_imported(module: str, modules: dict[str, Path]) -> Iterator[Import]:
    """Yields what a module imports anywhere, name by name."""
    package = module if modules[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(parse_module(modules[module])):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, alias.name, alias.asname, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for alias in node.names:
                yield Import(f"{base}.{alias.name}", base, alias.asname, node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_names":
            for home in ast.literal_eval(node.args[1]):
                yield Import(home, home, None, node.lineno)


def imports_of(module: str, modules: dict[str, Path]) -> list[tuple[str, int]]:
    """Returns the modules of minijax that a module imports anywhere, with the line of each."""
    found = [
        (one.full_name if one.full_name in modules else one.base, one.line)
        for one in names_imported(module, modules)
    ]
    return [(name, line) for name, line in found if name.split(".")[0] == "minijax"]


def climbs(root: Path) -> list[str]:
    """Returns a sentence for each import below `root` that goes up."""
    modules = modules_below(root)
    wrong = []
    for module in modules:
        for name, line in imports_of(module, modules):
            if floor(name) > floor(module):
                wrong.append(f"{module}, line {line}: imports {name}, a floor above")
            elif name.startswith("minijax.core.") and module.startswith("minijax.core."):
                fault = fault_in_core(module.split(".")[2], name.split(".")[2])
                if fault is not None:
                    wrong.append(f"{module}, line {line}: imports {name}, {fault}")
            elif name == "minijax.core" and module.startswith("minijax.core."):
                wrong.append(f"{module}, line {line}: imports the whole of minijax.core")
    return wrong


def fault_in_core(module: str, imported: str) -> str | None:
    """Returns what is wrong when one module of core imports another, or None."""
    if imported == "extend":
        return "which is for modules outside core"
    if imported in APPENDICES or module == "extend":
        return None
    if module in APPENDICES:
        return "a chapter, from an appendix"
    if CORE_ORDER.index(imported) >= CORE_ORDER.index(module):
        return "a later chapter"
    return None


def circle(root: Path) -> list[str]:
    """Returns modules below `root` that import one another in a circle, if any do. A package may
    import its modules, and these the package."""
    modules = modules_below(root)
    plain = {name for name, file in modules.items() if file.name != "__init__.py"}
    graph = {
        module: {name for name, _ in imports_of(module, modules)} & plain for module in plain
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def renamed_modules(root: Path) -> list[str]:
    """Returns a sentence for each import below `root` that gives a module another name."""
    modules = modules_below(root)
    return [
        f"{module}, line {one.line}: {one.full_name} is called {one.alias}"
        for module in modules
        for one in names_imported(module, modules)
        if one.full_name in modules and one.alias not in (None, one.full_name.split(".")[-1])
    ]


def other_meanings_of_lax(root: Path) -> list[str]:
    """Returns a sentence for each place below `root` where `lax` is not minijax.lax."""
    modules = modules_below(root)
    wrong = []
    for module, file in modules.items():
        if module.split(".")[-1] == "lax" and module != "minijax.lax":
            wrong.append(f"{module}: is a second lax")
        for one in names_imported(module, modules):
            name = one.alias or one.full_name.split(".")[-1]
            if name == "lax" and one.full_name != "minijax.lax":
                wrong.append(f"{module}, line {one.line}: lax is {one.full_name}")
        for node in ast.walk(parse_module(file)):
            if name_bound_by(node) == "lax":
                wrong.append(f"{module}, line {node.lineno}: lax is defined anew")
    return wrong


def name_bound_by(node: ast.AST) -> str | None:
    """Returns the name that a node binds other than by an import, or None."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.MatchMapping(rest=name):
            return name
    return None


def test_no_import_climbs():
    assert climbs(ROOT) == []


def test_modules_import_one_another_in_no_circle():
    assert circle(ROOT) == []


def test_a_module_is_imported_under_its_own_name():
    assert renamed_modules(ROOT) == []


def test_lax_always_means_minijax_lax():
    assert other_meanings_of_lax(ROOT) == []


def test_core_has_its_modules():
    names = {path.stem for path in (ROOT / "minijax" / "core").rglob("*.py")}
    assert names == {"__init__", *CORE_ORDER, *APPENDICES, "extend"}


# Names that could be any file's.
SAY_NOTHING = {
    "common", "flat", "helpers", "misc", "monoids", "multiple", "parts", "places", "text", "tools",
    "util", "utils",
}  # fmt: skip


def unclear_names(root: Path, rooms: list[str]) -> list[str]:
    """Returns the names that two files below these folders have, or that say nothing."""
    stems = [file.stem for room in rooms for file in (root / "minijax" / room).rglob("[a-z]*.py")]
    return [name for name in sorted({*stems}) if stems.count(name) > 1 or name in SAY_NOTHING]


# What `numpy` has of an operation is called as in `lax`: both have a file `sorting`.
@pytest.mark.parametrize("rooms", [["core", "compiler", "lax"], ["numpy"]], ids="-".join)
def test_a_file_is_found_by_its_name(rooms):
    assert unclear_names(ROOT, rooms) == []


def test_an_unclear_name_is_found(tmp_path):
    write_package(tmp_path, {"lax/a/loops.py": "", "core/loops.py": "", "lax/b/utils.py": ""})
    assert unclear_names(tmp_path, ["core", "lax"]) == ["loops", "utils"]


def test_mirrored_files_import_by_their_full_names():
    for module, file in modules_below(ROOT).items():
        if floor(module) < FLOORS.index("library"):
            for node in ast.walk(parse_module(file)):
                assert not (isinstance(node, ast.ImportFrom) and node.level), (module, node.lineno)


def test_nothing_imports_by_a_computed_name():
    # Imports by a table, and by a script's; whether Numba or JupyterLab is there, and versions, or
    # a module; what an exported file may name.
    finders = [
        "minijax.face.lazily", "minijax.face.runtime_as_jax", "minijax.compiler.fallbacks",
        "minijax.compiler.native.environment", "minijax.face.script_check", "minijax.face.planned",
        "minijax.environment", "minijax.export.allowed_names", "minijax.course",
        "minijax.as_jax.inner_modules", "minijax.as_jax.versions",
    ]  # fmt: skip
    for module, file in modules_below(ROOT).items():
        text = file.read_text(encoding="utf-8")
        is_named = "importlib" not in text and "__import__" not in text
        assert is_named or module in finders, module


def test_jaxs_inner_names_are_for_the_hook_of_imports_alone():
    for module, file in modules_below(ROOT).items():
        if not module.startswith("minijax.as_jax"):
            named = "as_jax." in file.read_text(encoding="utf-8").replace("runtime_as_jax.", "")
            assert not named or module == "minijax.face.runtime_as_jax", module


@pytest.mark.parametrize(
    "module, code, wrong",
    [
        ("core/tracing.py", "import minijax.compiler.fuse", "minijax.compiler.fuse, a floor above"),
        ("core/tracing.py", "def f():\n    from minijax import lax", "minijax.lax, a floor above"),
        ("core/tracing.py", "from minijax import jit", "minijax, a floor above"),
        ("core/tracing.py", "from ..numpy import zeros", "minijax.numpy, a floor above"),
        ("core/tracing.py", "import minijax.core.reverse", "minijax.core.reverse, a later chapter"),
        ("core/tracing.py", "from minijax.core import jvp", "the whole of minijax.core"),
        ("core/reverse.py", "from minijax.core.tracing import bind", None),
        ("core/calls.py", "import minijax.core.pytrees", None),
        ("core/calls.py", "import minijax.core.forward", "minijax.core.forward, a later chapter"),
        ("core/forward.py", "import minijax.core.calls", None),
        ("core/tracing.py", "import minijax.core.printing, minijax.core.errors", None),
        ("core/errors.py", "import minijax.core.config", None),
        (
            "core/errors.py",
            "from minijax.core import tracing",
            "minijax.core.tracing, a chapter, from an appendix",
        ),
        ("core/extend.py", "import minijax.core.prng, minijax.core.errors", None),
        ("core/extend.py", "from minijax.lax import scan", "minijax.lax.scan, a floor above"),
        (
            "core/prng.py",
            "from minijax.core.extend import bind",
            "minijax.core.extend, which is for modules outside core",
        ),
        (
            "core/config.py",
            "import minijax.core.extend",
            "minijax.core.extend, which is for modules outside core",
        ),
        ("lax/scan.py", "from minijax.core.extend import bind", None),
        ("compiler/fuse.py", "from minijax.core import jvp", None),
        ("compiler/fuse.py", "from minijax.lax import scan", "minijax.lax.scan, a floor above"),
        ("lax/scan.py", "import minijax.numpy", "minijax.numpy, a floor above"),
        ("numpy/sums.py", "from minijax import lax, jit", "minijax, a floor above"),
        ("numpy/sums.py", "from minijax import lax, tree", None),
        ("__init__.py", "from minijax.numpy import zeros", None),
        ("face/lazily.py", "from minijax.lax import scan", "minijax.lax.scan, a floor above"),
        ("lax/scan.py", "from minijax.face.lazily import lazy_names", None),
        ("lax/scan.py", "lazy_names(__name__, {'minijax.core.tracing': 'typeof'})", None),
        (
            "lax/scan.py",
            "lazy_names(__name__, {'minijax.numpy': 'zeros'})",
            "minijax.numpy, a floor above",
        ),
    ],
)
def test_an_import_that_climbs_is_found(tmp_path, module, code, wrong):
    write_package(tmp_path, {module: code})
    found = climbs(tmp_path)
    assert len(found) == (wrong is not None), found
    assert wrong is None or found[0].endswith(f"imports {wrong}")


def write_package(root, codes):
    """Writes a package minijax below `root`, empty but for `codes`, by path."""
    core = [f"core/{name}" for name in ("__init__", *CORE_ORDER, *APPENDICES, "extend")]
    others = ["face/lazily", "compiler/fuse", "lax/__init__", "lax/scan", "numpy/__init__"]
    names = (*core, *others, "__init__", "numpy/sums", "tree")
    for path in [f"{name}.py" for name in names] + list(codes):
        file = root / "minijax" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(codes.get(path, ""))


@pytest.mark.parametrize(
    "imports, found",
    [
        ({"errors": "printing", "printing": "config"}, set()),
        ({"config": "tracing", "tracing": "config"}, {"config", "tracing"}),
        ({"errors": "config", "config": "errors"}, {"errors", "config"}),
        (
            {"errors": "config", "config": "dtypes", "dtypes": "errors"},
            {"errors", "config", "dtypes"},
        ),
        ({"errors": "errors"}, {"errors"}),
    ],
)
def test_a_circle_is_found(tmp_path, imports, found):
    codes = {f"core/{a}.py": f"def f():\n    import minijax.core.{b}" for a, b in imports.items()}
    write_package(tmp_path, codes)
    assert set(circle(tmp_path)) == {f"minijax.core.{name}" for name in found}


@pytest.mark.parametrize(
    "code, told",
    [
        ("import minijax.core.staging as pe", "minijax.core.staging is called pe"),
        ("from minijax.core import staging as pe", "minijax.core.staging is called pe"),
        ("def f():\n    from minijax import tree as t", "minijax.tree is called t"),
        ("from .. import tree as t", "minijax.tree is called t"),
        ("import minijax.tree as minijax", "minijax.tree is called minijax"),
        ("import minijax as jax", "minijax is called jax"),
        ("import minijax.core.staging as staging", None),
        ("import minijax.core.staging", None),
        ("from minijax.core.staging import make_jaxpr as make", None),
        ("import numpy as np", None),
    ],
)
def test_a_renamed_module_is_found(tmp_path, code, told):
    write_package(tmp_path, {"numpy/sums.py": code})
    found = renamed_modules(tmp_path)
    line = code.count("\n") + 1
    assert found == ([] if told is None else [f"minijax.numpy.sums, line {line}: {told}"])


@pytest.mark.parametrize(
    "path, code, right",
    [
        ("numpy/sums.py", "from minijax import lax", True),
        ("numpy/sums.py", "from .. import lax", True),
        ("numpy/sums.py", "import minijax.lax\nminijax.lax.add\nf(lax=1)", True),
        ("numpy/sums.py", "import minijax.lax.scan as lax", False),
        ("numpy/sums.py", "from minijax.core import primitives as lax", False),
        ("numpy/sums.py", "from minijax.numpy import lax", False),
        ("numpy/sums.py", "import numpy as lax", False),
        ("numpy/sums.py", "lax = 1", False),
        ("numpy/sums.py", "[lax for lax in ()]", False),
        ("numpy/sums.py", "def f(*lax): pass", False),
        ("numpy/sums.py", "def lax(): pass", False),
        ("numpy/sums.py", "class lax: pass", False),
        ("numpy/sums.py", "try: pass\nexcept OSError as lax: pass", False),
        ("numpy/sums.py", "match 1:\n    case lax: pass", False),
        ("numpy/sums.py", "match 1:\n    case [*lax]: pass", False),
        ("numpy/sums.py", "match 1:\n    case {**lax}: pass", False),
        ("numpy/lax.py", "", False),
    ],
)
def test_another_lax_is_found(tmp_path, path, code, right):
    write_package(tmp_path, {path: code})
    assert len(other_meanings_of_lax(tmp_path)) == (not right)
