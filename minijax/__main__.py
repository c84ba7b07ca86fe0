"""`python -m minijax SCRIPT.py`: runs a script that was written for JAX, as it is."""

import sys
from collections.abc import Sequence
from pathlib import Path

from minijax.face.runtime_as_jax import install_as_jax, run_script

USAGE = "usage: python -m minijax [--check] SCRIPT.py [ARGUMENTS]"


def main(argv: Sequence[str]) -> int:
    """Runs the script argv[0] on minijax, else as Python would. Returns the exit status.

    After `--check` nothing is run: what the script needs and is missing is listed.
    """
    is_check = list(argv[:1]) == ["--check"]
    argv = argv[is_check:]
    if not argv or argv[0].startswith("-"):
        return _refuse(USAGE)
    script = Path(argv[0]).absolute()
    try:
        install_as_jax()
        return _check(script, argv[0]) if is_check else run_script(script, argv)
    except OSError as error:
        return _refuse(f"python -m minijax {argv[0]}: {error.strerror}")
    except RuntimeError as error:
        return _refuse(f"python -m minijax: {' '.join(str(error).split())}")


def _check(script: Path, shown: str) -> int:
    from minijax.face import script_check  # not before it is asked for: scripts start quickly

    try:
        lines = list(script_check.missing(script))
    except SyntaxError as error:
        return _refuse(f"{error.filename}:{error.lineno}: {error.msg}")
    print("\n".join(lines) if lines else f"{shown}: all that it asks of JAX by name is here.")
    return bool(lines)


def _refuse(line: str) -> int:
    print(line, file=sys.stderr)
    return 2


sys.exit(main(sys.argv[1:]))
