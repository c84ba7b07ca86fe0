"""`tools/site_tools.py`: what it takes, what it refuses, and when it does nothing."""

import base64
import hashlib
import io
import os
import subprocess
import tarfile

import pytest

import site_tools
from environment import Refusal
from site_tools import MDBOOK_VERSION, PACKAGES, Package, provide_mdbook, provide_package

FILES = {
    "package/LICENSE": b"free", "package/dist/draw.min.js": b"draw()", "package/src/draw.ts": b"no",
}  # fmt: skip


def archive_of(files):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return written.getvalue()


ARCHIVE = archive_of(FILES)
CHECKSUM = base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode()
DRAW = Package("draw", "1.2.3", CHECKSUM, r"(?:dist/)?(LICENSE|draw\.min\.js)")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """The only folder on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("MDBOOK", raising=False)
    return folder


@pytest.fixture
def calls(monkeypatch):
    """The commands that would have run; npm's leave the archive where they are told to."""
    seen = []

    def call(command, **options):
        seen.append(command)
        if command[0] == "npm":
            with open(os.path.join(command[-1], "draw-1.2.3.tgz"), "wb") as file:
                file.write(ARCHIVE)
        return 0

    monkeypatch.setattr(subprocess, "call", call)
    return seen


def put(folder, name, version=MDBOOK_VERSION):
    program = folder / name
    program.write_text(f"#!/bin/sh\necho {name} v{version}\n")
    program.chmod(0o755)
    return program


# mdBook.


def test_an_mdbook_on_the_path_is_used(programs, calls, tmp_path):
    program = put(programs, "mdbook")
    provide_mdbook(tmp_path / "tools")
    assert (tmp_path / "tools" / "bin" / "mdbook").samefile(program)
    assert not calls


def test_the_one_that_is_named_is_used(programs, calls, tmp_path, monkeypatch):
    put(programs, "mdbook")
    provide_mdbook(tmp_path / "tools")
    named = put(tmp_path, "mine")
    monkeypatch.setenv("MDBOOK", str(named))
    provide_mdbook(tmp_path / "tools")
    assert (tmp_path / "tools" / "bin" / "mdbook").samefile(named)


def test_one_of_another_version_is_refused_when_named(programs, tmp_path, monkeypatch):
    monkeypatch.setenv("MDBOOK", str(put(programs, "mdbook", "0.4.1")))
    with pytest.raises(Refusal, match=rf"is version 0\.4\.1.* mdBook {MDBOOK_VERSION}"):
        provide_mdbook(tmp_path / "tools")
    monkeypatch.setenv("MDBOOK", str(programs / "nowhere"))
    with pytest.raises(Refusal, match="does not run"):
        provide_mdbook(tmp_path / "tools")


def test_cargo_builds_it_where_none_is_of_the_version(programs, calls, tmp_path):
    put(programs, "mdbook", "0.4.1")
    put(programs, "cargo")
    provide_mdbook(tmp_path / "tools")
    provide_mdbook(tmp_path / "tools", in_a_hurry=True)
    command, in_a_hurry = calls
    assert command[:3] == ["cargo", "install", "mdbook"]
    assert {MDBOOK_VERSION, "--locked", str(tmp_path / "tools")} <= set(command)
    assert in_a_hurry == [*command, "--no-default-features", "--features", "search"]


def test_without_cargo_one_sentence_says_what_to_install(programs, calls, tmp_path):
    with pytest.raises(Refusal, match="install Rust with its cargo, or mdBook"):
        provide_mdbook(tmp_path / "tools")
    assert not calls


# What comes through npm.


def test_the_wanted_files_are_unpacked_once(programs, calls, tmp_path, capsys):
    put(programs, "npm")
    provide_package(DRAW, tmp_path)
    files = {path.name: path.read_bytes() for path in (tmp_path / "draw").iterdir()}
    assert set(files) == {"LICENSE", "draw.min.js", "VERSION"}
    assert files["draw.min.js"] == b"draw()"
    assert capsys.readouterr().out == "Fetching draw@1.2.3 with npm.\n"
    provide_package(DRAW, tmp_path)
    assert len(calls) == 1 and not capsys.readouterr().out


def test_another_archive_is_refused(programs, calls, tmp_path):
    put(programs, "npm")
    other = Package("draw", "1.2.3", "0" * 88, DRAW.wanted)
    with pytest.raises(Refusal, match="has the checksum sha512-.*nothing is unpacked"):
        provide_package(other, tmp_path)
    assert not (tmp_path / "draw").exists()


def test_another_version_takes_the_place_of_the_first(programs, calls, tmp_path):
    put(programs, "npm")
    provide_package(DRAW, tmp_path)
    provide_package(Package("draw", "1.2.3", CHECKSUM, "(LICENSE)"), tmp_path)
    assert sorted(path.name for path in (tmp_path / "draw").iterdir()) == ["LICENSE", "VERSION"]


def test_without_npm_one_sentence_says_so(programs, calls, tmp_path):
    with pytest.raises(Refusal, match="draw@1.2.3, which comes through npm"):
        provide_package(DRAW, tmp_path)


def test_every_package_is_pinned_to_its_bytes():
    for package in PACKAGES:
        assert len(base64.b64decode(package.sha512, validate=True)) == 64


def test_a_refusal_is_one_line_and_the_status(programs, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(site_tools, "ROOT", tmp_path)
    assert site_tools.main() == 1
    assert capsys.readouterr().err.count("\n") == 1
