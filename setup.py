"""What pyproject.toml can't say: a wheel and an sdist hold the book too, minijax/course.zip."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent


def write_course(root: str) -> None:
    """Writes the archive; an sdist has it, and none of what it is made of."""
    if (ROOT / "exercises").is_dir():
        sys.path.insert(0, str(ROOT))
        from exercises.grading.students_copy import write_course

        write_course(Path(root) / "minijax" / "course.zip")


class WheelWithCourse(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_course(self.build_lib)


class SdistWithCourse(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_course(base_dir)


setup(cmdclass={"build_py": WheelWithCourse, "sdist": SdistWithCourse})
