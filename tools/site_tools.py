"""Gets what the site is built with, and what it carries, in the versions that stand here.

    python tools/site_tools.py
    python tools/site_tools.py --in-a-hurry     an mdBook that takes half the time to be built

mdBook: the one that MDBOOK names, one that is there already, or else cargo builds it. It is found
afterwards at `.site-tools/bin/mdbook`; one built in a hurry makes the same site, slower, and cannot
serve it (`make site-serve`). KaTeX and Mermaid, which draw formulas and diagrams in the
reader's browser, and reveal.js, which turns slides, come through npm, are compared with the
checksums below, and lie in `notebooks/vendor/`, from where mdBook copies them. Nothing is said or
done where all is there.

For another version: change it here, and the checksum to the integrity that `npm pack` prints.
"""

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from environment import ROOT, Refusal

MDBOOK_VERSION = "0.5.4"


@dataclass(frozen=True)
class Package:
    """What the site carries of a package of npm's.

    Attributes:
      name, version: as npm knows them.
      sha512: of the archive, in base64.
      wanted: matches the names of the files to take, below `package/` in the archive. The last
        group is the name to give them.
    """

    name: str
    version: str
    sha512: str
    wanted: str


PACKAGES = (
    Package(
        "katex", "0.19.1",
        "jG8uKntjSEcm2EpQOh0XturpPuuC9r3Sq5HLHdsFdWZT27E672SF19QEi+of0/YeOy15lDgRhKvr5614uRrEfA==",
        r"(?:dist/)?(LICENSE|katex\.min\.(?:js|css)|fonts/.*\.woff2)",
    ),
    Package(
        "mermaid", "12.3.0",
        "4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==",
        r"(?:dist/)?(LICENSE|mermaid\.min\.js)",
    ),
    Package(
        "reveal.js", "5.2.1",
        "r7//6mIM5p34hFiDMvYfXgyjXqGRta+/psd9YtytsgRlrpRzFv4RbH76TXd2qD+7ZPZEbpBDhdRhJaFgfQ7zNQ==",
        r"(?:dist/|plugin/notes/)?(LICENSE|reveal\.(?:js|css)|notes\.js)",
    ),
)  # fmt: skip


def read_mdbook_version(program: str) -> str | None:
    """Returns the version that a program says it is, or None where it does not run."""
    try:
        said = subprocess.check_output([program, "--version"], text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.split()[-1].lstrip("v")


def find_mdbook(ours: Path) -> str | None:
    """Returns the mdBook to use, or None where none of the version is there. Raises Refusal."""
    if named := os.environ.get("MDBOOK"):
        if (version := read_mdbook_version(named)) != MDBOOK_VERSION:
            found = f"is version {version}" if version else "does not run"
            raise Refusal(
                f"MDBOOK names {named}, which {found}. The site is built with mdBook "
                f"{MDBOOK_VERSION}: name that one, or unset MDBOOK."
            )
        return named
    candidates = [str(ours), shutil.which("mdbook")]
    return next((c for c in candidates if c and read_mdbook_version(c) == MDBOOK_VERSION), None)


IN_A_HURRY = "--in-a-hurry"
WITHOUT_SERVER = ["--no-default-features", "--features", "search"]
HARDLY_OPTIMISED = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"}


def build_mdbook(folder: Path, in_a_hurry: bool) -> None:
    """Builds mdBook into `folder`/bin. Raises Refusal."""
    if shutil.which("cargo") is None:
        raise Refusal(
            f"The site is built with mdBook {MDBOOK_VERSION}, which is not here, nor is cargo to "
            "build it: install Rust with its cargo, or mdBook of that version, and name it if it "
            "is not on the PATH: make site MDBOOK=/where/it/is/mdbook"
        )
    print(f"Building mdBook {MDBOOK_VERSION} into {folder.name}/: some minutes.", flush=True)
    command = ["cargo", "install", "mdbook", "--version", MDBOOK_VERSION, "--locked", "--quiet"]
    command += ["--root", str(folder), *(WITHOUT_SERVER if in_a_hurry else [])]
    if subprocess.call(command, env=os.environ | (HARDLY_OPTIMISED if in_a_hurry else {})):
        raise Refusal("cargo could not build mdBook; what it says is above.")


def provide_mdbook(folder: Path, in_a_hurry: bool = False) -> None:
    """Leaves mdBook, or a link to it, at `folder`/bin/mdbook. Raises Refusal."""
    ours = folder / "bin" / "mdbook"
    found = find_mdbook(ours)
    if found is None:
        ours.unlink(missing_ok=True)
        build_mdbook(folder, in_a_hurry)
    elif not ours.exists() or not ours.samefile(found):
        ours.parent.mkdir(parents=True, exist_ok=True)
        ours.unlink(missing_ok=True)
        ours.symlink_to(Path(found).absolute())


def fetch(package: Package) -> bytes:
    """Returns a package's archive, once it is what was written down. Raises Refusal."""
    spelled = f"{package.name}@{package.version}"
    if shutil.which("npm") is None:
        raise Refusal(
            f"The site carries {spelled}, which comes through npm, and npm is not here: install "
            "Node.js with its npm."
        )
    print(f"Fetching {spelled} with npm.", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", spelled, "--loglevel=error", "--pack-destination", folder]
        if subprocess.call(command, stdout=subprocess.DEVNULL):
            raise Refusal(f"npm could not fetch {spelled}; what it says is above.")
        [archive] = [path.read_bytes() for path in Path(folder).glob("*.tgz")]
    checksum = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if checksum != package.sha512:
        raise Refusal(
            f"{spelled} has the checksum sha512-{checksum}, not the one in tools/site_tools.py. "
            "Somebody changed the package, or it was damaged on its way: nothing is unpacked."
        )
    return archive


def unpack(archive: bytes, wanted: str, folder: Path) -> None:
    """Writes the wanted files of an npm archive below `folder`, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            match = re.fullmatch(f"package/{wanted}", member.name)
            if match and member.isfile():
                target = folder / match[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(members.extractfile(member).read())


def provide_package(package: Package, vendor: Path) -> None:
    """Leaves a package's files in a folder of `vendor`. Raises Refusal."""
    folder = vendor / package.name
    stamp = folder / "VERSION"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != f"{package}\n":
        unpack(fetch(package), package.wanted, folder)
        stamp.write_text(f"{package}\n", encoding="utf-8")  # last: all is there


def main(*flags: str) -> int:
    try:
        provide_mdbook(ROOT / ".site-tools", IN_A_HURRY in flags)
        for package in PACKAGES:
            provide_package(package, ROOT / "notebooks" / "vendor")
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
