"""Opens the book in JupyterLab, on chapter 00 of the reader's own copy.

    python tools/learn.py [FLAG ...]    the flags are JupyterLab's: --allow-root, --port=9000, ...

tools/lab/ holds defaults for this Lab alone: Markdown opens rendered. The reader's own settings
go before them. Open tabs are kept in work/, apart from those of other Labs.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from working_copy import BY_MAKE, ROOT, Commands, prepare

DEFAULTS = Path(__file__).resolve().parent / "lab"
START = "work/00-tour.ipynb"
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def has_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Returns whether a window can open. Where none can, Python would start a text browser."""
    return platform == "darwin" or any(environ.get(name) for name in SCREENS)


def lab_flags(root: Path) -> list[str]:
    return [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{START}",
        "--ServerApp.contents_manager_class=readers_files.ReadersFiles",
        "--log-level=ERROR",
        "--LabApp.log_level=ERROR",
    ]


def lab_environ(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    paths = [str(DEFAULTS), environ.get("JUPYTER_CONFIG_PATH")]
    return {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths)),
        "JUPYTERLAB_WORKSPACES_DIR": str(root / "work" / ".workspaces"),
    }


def main(flags: list[str], commands: Commands = BY_MAKE) -> int:
    if os.geteuid() == 0 and not any("allow" in flag and "root" in flag for flag in flags):
        print("You are root, and as root JupyterLab starts only when told to: "
              f"{commands.as_root}", file=sys.stderr)  # fmt: skip
        return 1
    if said := prepare(ROOT, commands):
        print(said)
    where = "a browser window opens, or you open"
    if not has_browser(os.environ, sys.platform):
        flags, where = ["--no-browser", *flags], "there is no screen here, so open"
    print(f"JupyterLab starts: {where} the address below. Ctrl-C twice ends it.", flush=True)
    os.environ.update(lab_environ(ROOT, os.environ))
    from jupyterlab.labapp import LabApp  # here: it takes a second, after the sentences

    return LabApp.launch_instance([*lab_flags(ROOT), *flags]) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
