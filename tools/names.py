"""The page that says which of JAX's public names are here: notebooks/names.md.

    python tools/names.py          writes the page
    python tools/names.py check    status 1 where the page is not what would be written

JAX's names are recorded in minijax/face/jax_names.py. A name is here if the module that answers to
JAX's has it. Each that is missing has a reason in `REASONS`.
"""

import argparse
import importlib
import sys

from minijax.face.jax_names import JAX_NAMES
from nbfile import ROOT

PAGE = ROOT / "notebooks" / "names.md"
# The library: what JAX offers beside its transformations and its insides.
LIBRARY = (
    "numpy", "lax", "nn", "random", "scipy", "image", "monitoring", "ops", "typing", "dlpack",
    "dtypes", "tree_util", "api_util", "profiler", "export",
)  # fmt: skip
# Why a name is missing, and which ones are.
REASONS = {
    "many devices": """
        device_put_p pbroadcast pcast precv psend ragged_all_to_all ragged_all_to_all_p
        sharding_constraint_p with_sharding_constraint stage stage_p register_subprocess""",
    "Reading XProf's format, in which traces are written": "ProfileData ProfileEvent ProfilePlane",
}
HEAD = """\
# Which of JAX's names are here

Of the {total:,} public names of JAX {version}'s library, {here:,} are here: {share:.1f} %. (Those
of its transformations, of its stages and of its insides are not counted.) `minijax.numpy` has those
of `jax.numpy`, and so on. What is missing says so when it is asked for, and often what does the job
until then.

| module | here | of |
|---|---|---|
"""


def modules() -> list[str]:
    """Its modules, with those inside of them."""
    recorded = [name.partition(".")[2] for name in JAX_NAMES]
    return [name for top in LIBRARY for name in recorded if name.split(".")[0] == top]


def names_of(module: str) -> list[str]:
    """JAX's public names of a module: those of its submodules aside."""
    return [name for name in JAX_NAMES.get(f"minijax.{module}", "").split()
            if f"minijax.{module}.{name}" not in JAX_NAMES]  # fmt: skip


def missing(module: str) -> list[str]:
    """Those of them that are not here."""
    try:
        ours = importlib.import_module(f"minijax.{module}")
    except ModuleNotFoundError:
        return names_of(module)
    return [name for name in names_of(module) if not hasattr(ours, name)]


def version() -> str:
    import minijax.face.jax_names as recorded

    return recorded.__doc__.split("JAX ")[1].split(",")[0]


def page() -> str:
    """The page, as Markdown."""
    absent = {module: missing(module) for module in modules()}
    counts = {module: len(names_of(module)) for module in modules()}
    total, lacking = sum(counts.values()), sum(map(len, absent.values()))
    share = 100 * (total - lacking) / total
    lines = [HEAD.format(total=total, here=total - lacking, share=share, version=version())]
    lines += [f"| `jax.{module}` | {count - len(absent[module])} | {count} |\n"
              for module, count in counts.items() if count]  # fmt: skip
    lines.append("\n## What is missing, and why\n")
    for reason, group in REASONS.items():
        found = [f"`{module}.{name}`" for module in modules() for name in absent[module]
                 if name in group.split()]  # fmt: skip
        if found:
            lines.append(f"\n- **{reason[0].upper()}{reason[1:]}**: {', '.join(found)}.\n")
    return "".join(lines)


def without_reason() -> list[str]:
    """The missing names that no reason is given for."""
    given = {name for group in REASONS.values() for name in group.split()}
    return [f"{module}.{name}" for module in modules() for name in missing(module)
            if name not in given]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Which of JAX's public names are here.")
    parser.add_argument("command", nargs="?", choices=("write", "check"), default="write")
    command, text = parser.parse_args().command, page()
    if without_reason():
        print("tools/names.py gives no reason for", *without_reason())
        return 1
    if command == "write":
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        print("notebooks/names.md is not what the package has: run tools/names.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
