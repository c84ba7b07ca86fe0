"""`tools/release.py`: what may be in an archive, and that all files say one version."""

import tarfile
import zipfile
from io import BytesIO

import pytest

import release
from exercises.grading.classroom import Secret
from exercises.grading.release import leaks
from exercises.grading.students_copy import write_course
from exercises.grading.tasks import find_chapters


def archived(folder, names):
    if names[0].startswith("minijax-1/"):
        file = folder / "minijax-1.tar.gz"
        with tarfile.open(file, "w:gz") as sdist:
            for name in names:
                sdist.addfile(tarfile.TarInfo(name), BytesIO())
    else:
        file = folder / "minijax-1-py3-none-any.whl"
        with zipfile.ZipFile(file, "w") as wheel:
            for name in names:
                wheel.writestr(name, "")
    return file


GOOD = [
    ["minijax/__init__.py", "minijax/course.zip", "minijax-1.dist-info/METADATA"],
    ["minijax-1/PKG-INFO", "minijax-1/minijax/course.zip", "minijax-1/setup.py"],
]


@pytest.mark.parametrize("names", GOOD)
def test_a_release_holds_the_package_and_the_course(names, tmp_path):
    release.check_members(archived(tmp_path, names))


@pytest.mark.parametrize("names, said", [
    ([*GOOD[0], "tests/test_api.py"], "holds tests/test_api.py"),
    ([*GOOD[0], "minijax/core/__pycache__/a.pyc"], "holds minijax/core/__pycache__/a.pyc"),
    ([*GOOD[1], "minijax-1/build/lib/a.py"], "holds build/lib/a.py"),
    ([*GOOD[1], "minijax-1/exercises/teacher/a.py"], "holds exercises/teacher/a.py"),
    (GOOD[0][::2], "lacks the course"),
])  # fmt: skip
def test_a_release_with_more_or_less_is_refused(names, said, tmp_path):
    with pytest.raises(release.Fault, match=said):
        release.check_members(archived(tmp_path, names))


def test_every_file_says_the_version():
    assert release.check_version(release.ROOT) == "0.1.0"


def test_another_version_is_refused(tmp_path):
    (tmp_path / "minijax").mkdir()
    for name in ("pyproject.toml", *release.SAY_THE_VERSION):
        text = (release.ROOT / name).read_text(encoding="utf-8")
        new = text if name == "CHANGELOG.md" else text.replace("0.1.0", "0.2.0")
        (tmp_path / name).write_text(new, encoding="utf-8")
    with pytest.raises(release.Fault, match="has version 0.2.0; CHANGELOG.md has 0.1.0"):
        release.check_version(tmp_path)


def test_readmes_first_example_is_found():
    code, printed = release.example(release.ROOT)
    assert "import minijax as jax" in code and printed.startswith("f(2) = ")


def test_the_course_tells_nothing_that_is_the_teachers(tmp_path):
    write_course(tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        archive.extractall(tmp_path / "out")
    names = {str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*")}
    assert {*release.OF_THE_COURSE, "exercises/ch05_forward/exercise.py"} <= names
    assert not any(name.startswith(("minijax", "notebooks/explore")) for name in names)
    (tmp_path / "out" / "minijax").symlink_to(release.ROOT / "minijax")
    assert leaks(tmp_path / "out", find_chapters(), Secret("")) == []
