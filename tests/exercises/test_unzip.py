"""Zips that mean harm: they cost what is wanted of them, and stop nothing."""

import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from exercises.grading import unzip
from exercises.grading.submissions import LARGEST, read_class
from exercises.grading.tasks import find_chapters
from made_up import tiny_course

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
PLACE = "ch91_tiny/exercise.py"


def zipped(file: Path, data: bytes, method: int, name: str = PLACE) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, data)
    return file


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 5, 3000, LARGEST, LARGEST + 1, 5 * LARGEST])
def test_what_is_unpacked_is_what_was_packed(method, size, tmp_path):
    data = bytes(k * k % 251 for k in range(size))
    [info] = unzip.listed(file := zipped(tmp_path / "a.zip", data, method))
    assert unzip.read(file, info, LARGEST + 1) == data[: LARGEST + 1]


@pytest.mark.parametrize("method", METHODS[1:])
def test_what_is_damaged_is_refused(method, tmp_path):
    file = zipped(tmp_path / "a.zip", b"x = 1\n" * 500, method)
    data = bytearray(file.read_bytes())
    begin = 30 + len(PLACE) + 12
    data[begin : begin + 8] = b"\xff" * 8
    file.write_bytes(data)
    [info] = unzip.listed(file)
    with pytest.raises((zipfile.BadZipFile, OSError, EOFError, zlib.error, unzip.lzma.LZMAError)):
        unzip.read(file, info, LARGEST + 1)


READ = """
import resource, sys
from pathlib import Path
from exercises.grading.submissions import read_class
from exercises.grading.tasks import find_chapters
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for each in read_class(Path(sys.argv[1]), find_chapters(root=Path(sys.argv[2]))):
    print(each.student, each.files["ch91"].fault or each.files["ch91"].text)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_small_zip_takes_little_memory(tmp_path):
    for name, method in zip("abcd", METHODS, strict=True):
        size = 64 << 20 if method else LARGEST + 1
        zipped(tmp_path / "in" / f"{name}.zip", bytes(size), method)
    wide = zipped(tmp_path / "in" / "e.zip", b"x = 5", zipfile.ZIP_LZMA)
    data = wide.read_bytes()
    where = data.index(PLACE.encode()) + len(PLACE) + 5  # LZMA's size of what it looks back on
    wide.write_bytes(data[:where] + b"\xff\xff\xff\xff" + data[where + 4 :])
    command = [sys.executable, "-c", READ, str(tmp_path / "in"), str(tiny_course(tmp_path / "t"))]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[:5] == [f"{n} exercise.py is larger than 64 KB" for n in "abcd"] + ["e x = 5"]
    assert int(said[5]) < 24  # MB


def students(tmp_path):
    chapters = find_chapters(root=tiny_course(tmp_path / "course"))
    return {each.student: each for each in read_class(tmp_path / "in", chapters)}


def test_what_cannot_be_read_costs_one_student(tmp_path, monkeypatch):
    good = zipped(tmp_path / "in" / "good.zip", b"x = 1", zipfile.ZIP_DEFLATED).read_bytes()
    for k in range(0, len(good), 3):  # one byte of it is another
        (tmp_path / "in" / f"bad{k}.zip").write_bytes(good[:k] + b"\xff" + good[k + 1 :])
    real = unzip.listed

    def listed(path):
        if path.stem == "bad0":
            raise MemoryError
        return real(path)

    monkeypatch.setattr(unzip, "listed", listed)
    monkeypatch.setattr(unzip, "LARGEST", 10_000)
    (tmp_path / "in" / "large.zip").write_bytes(bytes(10_001))
    found = students(tmp_path)
    assert found["good"].files["ch91"].text == "x = 1"
    assert found["bad0"].remarks == ["bad0.zip is no zip that can be read: MemoryError"]
    assert "larger than" in found["large"].remarks[0]
    assert len(found) == len(range(0, len(good), 3)) + 2


def test_links_and_what_is_no_file_are_told(tmp_path):
    own, other = tmp_path / "in" / "ann", tmp_path / "other"
    zipped(other / "bob.zip", b"x = 1", zipfile.ZIP_STORED)
    own.mkdir(parents=True)
    (own / "symdir").symlink_to(other)
    (own / "symzip.zip").symlink_to(other / "bob.zip")
    (own / "gone.zip").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in" / "cyd").symlink_to(other)
    (tmp_path / "in" / "dan.zip").symlink_to(other / "bob.zip")
    (tmp_path / "in" / "eve").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in" / "fay.zip").mkdir()
    found = students(tmp_path)
    assert sorted(each.split()[0] for each in found["ann"].remarks) == [
        "gone.zip", "symdir", "symzip.zip"]  # fmt: skip
    for name in ("cyd", "dan", "eve"):
        assert "is a link" in found[name].remarks[0]
    assert not any(each.files for each in found.values())


def test_a_folder_as_deep_as_can_be_is_told(tmp_path):
    (tmp_path / "in" / "ann").mkdir(parents=True)
    code = "import os\nfor k in range(1100):\n    os.mkdir('d'); os.chdir('d')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "in" / "ann", check=True)
    zipped(tmp_path / "in" / "bob.zip", b"x = 1", zipfile.ZIP_STORED)
    found = students(tmp_path)
    assert found["bob"].files["ch91"].text == "x = 1"
    assert sys.version_info >= (3, 12) or "can't be read" in found["ann"].remarks[0]
    subprocess.run(["rm", "-rf", str(tmp_path / "in")])
