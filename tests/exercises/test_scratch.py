"""`exercises/grading/scratch.py`: scratch folders go, whatever ends the process that made them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from exercises.grading import scratch
from exercises.grading.overlay import ROOT
from exercises.grading.scratch import PREFIX, NoRoom, scratch_folder, sweep
from exercises.grading.tasks import find_chapters
from made_up import all_right, hand_in, tiny_course

HOLDING = """
import sys, time
from exercises.grading.scratch import scratch_folder
with scratch_folder("test") as folder:
    (folder / "file").write_text("text")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files of this test's own."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path / "tmp"
    tempfile.tempdir = None


def test_what_a_killed_process_left_goes_and_nothing_else(temporary):
    theirs = [f"{PREFIX}notes", f"{PREFIX}test-12345678.txt", "scratch-abcdefgh"]
    for name in theirs:
        (temporary / name).mkdir()
    (temporary / "elsewhere").mkdir()
    (temporary / f"{PREFIX}test-abcdefgh").symlink_to(temporary / "elsewhere")
    (temporary / f"{PREFIX}test-abcdefgi").write_text("a file")
    before = {path.name for path in temporary.iterdir()}
    command = [sys.executable, "-c", HOLDING]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        left = Path(process.stdout.readline().strip())
        left.chmod(0)
        with scratch_folder("test") as own:
            sweep()
            assert own.exists() and left.exists()  # somebody has them
        process.kill()
    sweep()
    assert {path.name for path in temporary.iterdir()} == before


def test_a_full_disk_is_told_and_what_ran_in_it_is_void(temporary, monkeypatch):
    free = [scratch.ROOM, 0]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free.pop(0)))
    with pytest.raises(NoRoom, match="has less than 32 MB left; make room there"):
        with scratch_folder("test"):
            pass
    free[:] = [0]
    with pytest.raises(NoRoom), scratch_folder("test"):
        raise AssertionError("it began without room")
    assert not list(temporary.iterdir())


@pytest.mark.prove
@pytest.mark.parametrize(
    "number, end", [(signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)]
)
def test_a_grader_that_is_ended_leaves_nothing_and_nobody_a_mark(
    number, end, temporary, tmp_path
):
    course = tiny_course(tmp_path / "course")
    right = all_right(find_chapters(root=course)[0])
    for name in ("ann", "bob"):
        text = right.replace("return doubled", "__import__('time').sleep(40)\n    return doubled")
        hand_in(tmp_path / "in", name, "ch91_tiny/exercise.py", text)
    flags = ["--tasks", course, "--chapters", "ch91", *["--trusting"] * (os.getuid() == 0)]
    command = [sys.executable, "-m", "exercises", "grade", tmp_path / "in", "--out",
               tmp_path / "out", *flags]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as grader:  # fmt: skip
        last = time.monotonic() + 40
        while len(list(temporary.glob(f"{PREFIX}submission-*"))) < 2 and time.monotonic() < last:
            time.sleep(0.05)
        end(grader.pid, number)
        said = grader.communicate()[1]
    assert grader.returncode in (130, 128 + number)
    assert "The same command goes on from here." in said and "Traceback" not in said
    assert not list(temporary.iterdir())
    assert not list((tmp_path / "out").glob("results/*/ch91.json"))
