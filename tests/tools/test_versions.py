"""`tools/versions.py`: which releases and which Python it takes."""

import os
import sys

import pytest

import versions


def test_the_oldest_releases_are_those_that_pyproject_allows():
    oldest = versions.lowest()
    assert oldest["python"] == "3.11" and {"numpy", "numba", "scipy"} <= set(oldest)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A path with a Python 3.12 and a 3.14, and a 3.15 that only says it isn't installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("python3.12", "python3.14"):
        (tmp_path / name).symlink_to(sys.executable)
    (tmp_path / "python3.15").write_text("#!/bin/sh\nexit 127\n")
    os.chmod(tmp_path / "python3.15", 0o755)
    return tmp_path


def test_the_oldest_and_the_newest_python_that_run(path):
    assert versions.chosen("oldest")[0] == str(path / "python3.12")
    assert versions.chosen("newest")[0] == str(path / "python3.14")
    assert versions.pythons("3.13") == [str(path / "python3.14")]
    assert versions.pythons("3.16") == [sys.executable]


def test_what_narrows_the_releases(path):
    assert versions.chosen("newest")[1] == []
    assert "numba==0.62.*" in versions.chosen("oldest")[1]
    assert versions.chosen("numba=0.66")[1:] == (["numba==0.66.*"], versions.OF_KERNELS)


@pytest.mark.parametrize("way", ["", "newer", "numba", "jax=0.4"])
def test_another_way_is_refused(path, way):
    with pytest.raises(SystemExit, match=f"versions.py got {way}: oldest, newest, or numpy="):
        versions.chosen(way)
