"""`import minijax` is light, and what is installed is the package alone."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ["numba", "llvmlite", "scipy", "matplotlib", "jax", "IPython"]
# What `import minijax` imports of it beside the core. The rest waits until it is asked for.
AT_ONCE = """
    compiler compiler.backend compiler.dispatch compiler.dispatch.call_keys
    compiler.dispatch.call_paths compiler.dispatch.eager compiler.dispatch.straight_line
    compiler.doors compiler.engine_room compiler.executable compiler.fallbacks
    compiler.generated_text compiler.kernel_functions compiler.kernels compiler.kernels.elements
    compiler.kernels.fuse compiler.kernels.layout compiler.kernels.loop_nests
    compiler.kernels.pieces compiler.kernels.reuse compiler.kernels.row_major
    compiler.kernels.whole_loops
    compiler.lowerings compiler.named_in_text compiler.passes
    compiler.passes.identities compiler.passes.rewriting compiler.passes.simplify
    compiler.passes.sum_blocks compiler.special_cases compiler.special_cases.choice_identities
    compiler.special_cases.complex_pairs compiler.special_cases.conversion_identities
    compiler.special_cases.half_floats compiler.special_cases.key_words
    compiler.special_cases.other_types
    compiler.special_cases.lifted_constants compiler.special_cases.scalar_templates
    compiler.special_cases.shape_identities compiler.special_cases.small_products
    compiler.special_cases.wider_kernels compiler.special_cases.zero_identities errors face
    face.advice face.boundaries face.cache_misses face.donations face.explained face.jax_options
    face.lazily
    face.nan_checks face.offers
    face.option_contexts face.options face.planned face.transfer_guards lax lax.custom
    lax.custom.derivatives
    lax.custom.mapped_and_pruned lax.custom.rule_calls lax.elementwise lax.elementwise.accuracies
    lax.elementwise.arithmetic lax.elementwise.bits lax.elementwise.number_sizes lax.out_sharding
    lax.shapes
    lax.sharding lax.sharding.current_mesh lax.sharding.meshes lax.sharding.partition_specs
    lax.sharding.processes lax.sharding.shardings
    lax.shapes.axes lax.typechecks numpy numpy.arguments numpy.array_methods numpy.promotion
    placement pytree_registry random random.keys tree_util treedefs
""".split()


def imported_by(program: str) -> set[str]:
    """Returns the names of the modules that a program has imported at its end."""
    result = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_importing_minijax_imports_nothing_heavy():
    assert not set(HEAVY) & imported_by("import minijax")


def test_importing_minijax_imports_little_of_it():
    found = {name for name in imported_by("import minijax") if name.startswith("minijax.")}
    beside = {name for name in found if not f"{name}.".startswith("minijax.core.")}
    assert beside == {f"minijax.{name}" for name in AT_ONCE}


def test_linear_algebra_brings_scipy_when_a_routine_runs():
    without = "from minijax import lax; lax.linalg.lu; import minijax.scipy.linalg as l; l.expm"
    assert "scipy" not in imported_by(without)
    assert "scipy.linalg" in imported_by(f"{without}; lax.linalg.lu(lax.full((2, 2), 1.0))")


def test_a_name_brings_what_it_needs_and_no_more():
    found = imported_by("from minijax import numpy; numpy.ones(3).sum()")
    assert {"minijax.numpy.creation", "minijax.numpy.reductions.totals"} <= found
    assert not {"minijax.numpy.sets", "minijax.lax.special.bessel", "minijax.nn"} & found


def test_a_wheel_contains_the_package_and_the_course(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(tmp_path), str(source)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    kinds = {".py", ".css", ".html", ".js"}
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "minijax").rglob("*")
             if path.suffix in kinds]  # fmt: skip
    assert sorted(names) == sorted([*files, "minijax/course.zip"])


def test_the_package_needs_five_others():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"\w+", requirement)[0] for requirement in project["dependencies"]]
    assert names == ["numpy", "numba", "ml_dtypes", "opt_einsum", "scipy"]


def test_every_installed_version_is_pinned():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE))
    pinned = {normal_name(name): version for name, version in pins.items()}
    for name in installed_by("minijax", {"course", "test"}):
        assert pinned.get(name) == metadata.version(name), name


def installed_by(name: str, extras: set[str]) -> set[str]:
    """Returns the installed packages that a package needs, and those that these need."""
    found: set[str] = set()
    waiting = [(name, extra) for extra in {"", *extras}]
    seen = set(waiting)
    while waiting:
        package, extra = waiting.pop()
        for text in metadata.requires(package) or []:
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = normal_name(requirement.name)
            if needed != name:
                found.add(needed)
            new = {(needed, wanted) for wanted in {"", *requirement.extras}} - seen
            seen |= new
            waiting += new
    return found


def normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
