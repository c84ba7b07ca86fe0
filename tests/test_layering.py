"""An import never climbs: core < compiler < lax < library < the package's face."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE_ORDER = [
    "tracing",
    "arrays",
    "primitives",
    "pytrees",
    "forward",
    "batching",
    "staging",
    "jitting",
    "linearization",
    "reverse",
]
FLOORS = ["core", "compiler", "lax", "library", "face"]


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
        return FLOORS.index("face")
    return FLOORS.index(parts[1]) if parts[1] in FLOORS[:3] else FLOORS.index("library")


def imports_of(module: str, modules: dict[str, Path]) -> list[tuple[str, int]]:
    """Returns the modules of minijax that a module imports anywhere, with the line of each."""
    found = []
    package = module if modules[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(modules[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            inside = [f"{base}.{alias.name}" for alias in node.names]
            names = [name if name in modules else base for name in inside]
        else:
            continue
        found += [(name, node.lineno) for name in names if name.split(".")[0] == "minijax"]
    return found


def climbs(root: Path) -> list[str]:
    """Returns a sentence for each import below `root` that goes up."""
    modules = modules_below(root)
    wrong = []
    for module in modules:
        for name, line in imports_of(module, modules):
            if floor(name) > floor(module):
                wrong.append(f"{module}, line {line}: imports {name}, a floor above")
            elif name.startswith("minijax.core.") and module.startswith("minijax.core."):
                if CORE_ORDER.index(name.split(".")[2]) >= CORE_ORDER.index(module.split(".")[2]):
                    wrong.append(f"{module}, line {line}: imports {name}, a later chapter")
            elif name == "minijax.core" and module.startswith("minijax.core."):
                wrong.append(f"{module}, line {line}: imports the whole of minijax.core")
    return wrong


def test_no_import_climbs():
    assert climbs(ROOT) == []


def test_core_has_its_ten_modules():
    names = {path.stem for path in (ROOT / "minijax" / "core").rglob("*.py")}
    assert names == {"__init__", *CORE_ORDER}


def test_mirrored_files_import_by_their_full_names():
    for module, file in modules_below(ROOT).items():
        if floor(module) < FLOORS.index("library"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                assert not (isinstance(node, ast.ImportFrom) and node.level), (module, node.lineno)


def test_nothing_imports_by_a_computed_name():
    for module, file in modules_below(ROOT).items():
        text = file.read_text(encoding="utf-8")
        assert "importlib" not in text and "__import__" not in text, module


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
        ("compiler/fuse.py", "from minijax.core import jvp", None),
        ("compiler/fuse.py", "from minijax.lax import scan", "minijax.lax.scan, a floor above"),
        ("lax/scan.py", "import minijax.numpy", "minijax.numpy, a floor above"),
        ("numpy/sums.py", "from minijax import lax, jit", "minijax, a floor above"),
        ("numpy/sums.py", "from minijax import lax, tree", None),
        ("__init__.py", "from minijax.numpy import zeros", None),
    ],
)
def test_an_import_that_climbs_is_found(tmp_path, module, code, wrong):
    for name in ("__init__", "core/__init__", "lax/__init__", "numpy/__init__", "tree"):
        file = tmp_path / "minijax" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    for name in ("core/tracing", "core/reverse", "compiler/fuse", "lax/scan", "numpy/sums"):
        file = tmp_path / "minijax" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (tmp_path / "minijax" / module).write_text(code)
    found = climbs(tmp_path)
    assert len(found) == (wrong is not None), found
    assert wrong is None or found[0].endswith(f"imports {wrong}")
