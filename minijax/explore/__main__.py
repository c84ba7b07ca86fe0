"""`python -m minijax.explore`: the explorer with an editor, for this machine's own browser."""

from __future__ import annotations

import argparse
import contextlib
import sys
import webbrowser

from minijax.explore.confined import has_landlock
from minijax.explore.server import Server


def main(argv: list[str]) -> int:
    """Serves until it is interrupted. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m minijax.explore", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="default: one that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    given = parser.parse_args(argv)
    try:
        server = Server(given.port)
    except (OSError, OverflowError) as error:
        said = f"port {given.port} can't be had: {error}"
        print(f"python -m minijax.explore: {said}", file=sys.stderr)
        return 2
    print(f"The explorer is at {server.address}\nCtrl-C ends it.", flush=True)
    if not has_landlock():
        print(
            "This system has no Landlock: Python refuses programs files, processes and the "
            "network, and a program that goes round Python is held by limits alone."
        )
    if not given.no_browser:
        webbrowser.open(server.address)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
