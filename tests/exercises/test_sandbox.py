"""A child that nobody trusts: it ends, with all that it started, and sees what it may."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exercises.grading import confine, sandbox, watch
from exercises.grading.confine import Limits
from exercises.grading.sandbox import Outcome

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(seconds=20, cpu_seconds=10, memory=512 << 20, output=1 << 20, processes=16,
                file_size=1 << 20)  # fmt: skip
DAEMON = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        command = [sys.executable, "-c", "import time; time.sleep(600)", TOKEN]
        os.execve(sys.executable, command, {})
    os._exit(0)
os.wait()
"""


@pytest.fixture
def bubblewrap():
    if not sandbox.bubblewrap():
        pytest.skip(sandbox.why_not())


@pytest.fixture
def token(request):
    return f"{request.node.name}-{os.getpid()}"


def run(code: str, isolated: bool, given: bytes = b"", **limits: int) -> Outcome:
    argv = [sys.executable, "-P", "-s", "-B", "-c", code]
    with sandbox.scratch_folder("test") as scratch:
        return sandbox.run(argv, given, scratch, [], LIMITS._replace(**limits), isolated)


def running(token: str) -> list[int]:
    """The processes with a word on their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if token.encode() in words:
            found.append(int(folder.name))
    return found


def are_gone(token: str) -> bool:
    last = time.monotonic() + 5
    while running(token) and time.monotonic() < last:
        time.sleep(0.02)
    return not running(token)


def test_what_it_reads_and_writes(isolated):
    code = "import sys; text = sys.stdin.read(); print(len(text)); print('aside', file=sys.stderr)"
    outcome = run(code, isolated, b"x" * 300_000)
    assert (outcome.output, outcome.error, outcome.status) == (b"300000\n", "aside\n", "done")


def test_who_does_not_read_is_not_waited_for(isolated):
    assert run("print(1)", isolated, b"x" * 1_000_000)[:3:2] == (b"1\n", "done")


def test_numpy(isolated):
    code = "import numpy as np; print(int((np.ones((9, 9)) @ np.ones((9, 9))).sum()))"
    outcome = run(code, isolated)
    assert outcome.output == b"729\n", outcome


@pytest.mark.prove
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("while True: pass", "timeout"),
        ("import time; time.sleep(60)", "timeout"),
        ("import os; os._exit(3)", "crash"),
        ("import os; os.abort()", "crash"),
        ("import os; os.kill(0, 9)", "crash"),
        ("while True: print('x' * 100_000)", "output"),
        ("import sys\nwhile True: sys.stderr.write('x' * 100_000)", "output"),
        ("import os; os.close(1); os.close(2)", "done"),
        ("bytearray(100 << 30)", "memory"),
        ("import signal, time\n"
         "for k in range(1, 32):\n  if k not in (9, 19): signal.signal(k, signal.SIG_IGN)\n"
         "time.sleep(60)", "timeout"),
        ("import signal, os; os.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
    ],
)  # fmt: skip
def test_how_it_ends(isolated, code, status):
    outcome = run(code, isolated, seconds=1 if status == "timeout" else 20)
    assert outcome.status == status, outcome
    assert len(outcome.output) <= LIMITS.output and len(outcome.error) <= watch.KEPT
    assert outcome.seconds < 10


@pytest.mark.prove
def test_the_cpu_has_a_limit_of_its_own(isolated):
    outcome = run("while True: pass", isolated, seconds=60, cpu_seconds=1)
    assert outcome.status == "timeout" and outcome.seconds < 55


def test_a_daemon_is_gone(isolated, token):
    outcome = run(f"TOKEN = {token!r}\n{DAEMON}", isolated)
    assert outcome.status == "done", outcome
    assert not running(token)


@pytest.mark.prove
def test_a_daemon_is_gone_after_a_timeout(isolated, token):
    outcome = run(f"TOKEN = {token!r}\n{DAEMON}\nimport time; time.sleep(60)", isolated, seconds=1)
    assert outcome.status == "timeout"
    assert not running(token)


def test_a_daemon_that_holds_the_pipes_keeps_nobody_waiting(isolated):
    code = "import os, time\nif os.fork() == 0:\n  os.setsid(); time.sleep(60)\nprint('here')"
    outcome = run(code, isolated)
    assert outcome.output == b"here\n" and outcome.status == "done"


def test_who_kills_its_keeper_is_found_by_its_mark(token):
    code = (
        f"import os, sys\nTOKEN = {token!r}\n"
        + """
os.kill(os.getppid(), 9)
os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", TOKEN])
"""
    )
    assert run(code, isolated=False).status == "crash"
    assert are_gone(token)


def test_the_memory_of_all_together(isolated):
    code = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(b"x") * (200 << 20)
        time.sleep(60)
time.sleep(60)
"""
    outcome = run(code, isolated)
    assert outcome.status == "memory"


def test_memory_that_is_no_process_own(isolated):
    if not hasattr(os, "memfd_create"):
        pytest.skip("this system has no files of memory")
    code = """
import os, time
for _ in range(2):
    os.fork()
for k in range(200):
    os.write(os.memfd_create("hidden"), bytes(1 << 20))
time.sleep(60)
"""
    assert run(code, isolated).status == "memory"


def test_many_processes(isolated):
    if not isolated and os.getuid() == 0:
        pytest.skip("nothing holds root's processes")
    code = """
import os, time
for k in range(40):
    try:
        if os.fork() == 0:
            time.sleep(60)
    except BlockingIOError:
        print("no more")
        break
"""
    outcome = run(code, isolated)
    assert outcome.status == "processes" or b"no more" in outcome.output


def test_files_have_a_size(isolated):
    code = """
for k in range(3):
    try:
        open(f"f{k}", "wb").write(bytes(2 << 20))
    except OSError as error:
        print(error.strerror)
"""
    assert run(code, isolated).output == b"File too large\n" * 3


@pytest.mark.prove
def test_many_files_have_one(isolated):
    code = """
import time
for k in range(40):
    open(f"f{k}", "wb").write(bytes(1 << 20))
time.sleep(60)
"""
    assert run(code, isolated).status == "output"


def test_the_environment_is_made_anew(isolated, monkeypatch):
    monkeypatch.setenv("SECRET", "of the grader")
    code = """
import os
print(*sorted(os.environ))
print(hash("a"), os.environ["HOME"], os.getcwd())
"""
    outcomes = [run(code, isolated).output.decode().splitlines() for _ in range(2)]
    assert "SECRET" not in outcomes[0][0] and outcomes[0][0] == outcomes[1][0]
    number, home, here = outcomes[0][1].split()
    assert number == outcomes[1][1].split()[0] and home == here


@pytest.mark.prove
def test_a_scratch_folder_goes_whatever_became_of_it():
    code = """
import os
for k in range(1200):
    os.mkdir("deep"); os.chdir("deep")
os.chdir(os.environ["HOME"]); os.mkdir("shut"); os.mkdir("shut/in"); os.chmod("shut", 0)
"""
    with sandbox.scratch_folder("test") as scratch:
        argv = [sys.executable, "-P", "-s", "-B", "-c", code]
        assert sandbox.run(argv, b"", scratch, [], LIMITS, isolated=False).status == "done"
    assert not scratch.exists()


def test_the_grader_dies_and_the_child_with_it(isolated, token):
    child = f"import sys, time; open('started', 'w'); time.sleep(600)  # {token}"
    grader = f"""
import sys
from pathlib import Path
from exercises.grading import sandbox
from tests.exercises.test_sandbox import LIMITS
argv = [sys.executable, "-c", {child!r}, {token!r}]
with sandbox.scratch_folder("test") as scratch:
    print(scratch, flush=True)
    sandbox.run(argv, b"", scratch, [], LIMITS._replace(seconds=60), {isolated})
"""
    command = [sys.executable, "-c", grader]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        scratch = process.stdout.readline().strip()
        last = time.monotonic() + 20
        while not Path(scratch, "started").exists() and time.monotonic() < last:
            time.sleep(0.02)
        assert running(token)
        process.send_signal(signal.SIGKILL)
    assert are_gone(token)
    subprocess.run(["rm", "-rf", scratch])


# What bubblewrap adds.


def test_what_is_there_of_the_file_system(bubblewrap, tmp_path):
    (tmp_path / "secret").write_text("of the teacher")
    places = [tmp_path / "secret", ROOT / "exercises/teacher", ROOT / "minijax", "/etc/passwd"]
    python = {Path(sys.prefix).relative_to("/tmp").parts[0]} if sys.prefix[:5] == "/tmp/" else set()
    code = f"""
import os
print([place for place in {list(map(str, places))} if os.path.exists(place)])
print({{*os.listdir("/tmp")}} - {python} == {{os.path.basename(os.getcwd())}})
print(len([n for n in os.listdir("/proc") if n.isdigit()]) < 4)
"""
    assert run(code, isolated=True).output.decode().splitlines() == ["[]", "True", "True"]


def test_only_scratch_can_be_written(bubblewrap):
    code = f"""
import os
for place in ["/tmp/x", "/x", "/dev/shm/x", "/usr/x", {str(Path(sys.prefix, "lib/x"))!r}, "here"]:
    try:
        open(place, "w").close()
        print("written", place)
    except OSError:
        pass
"""
    assert run(code, isolated=True).output == b"written here\n"


def test_what_is_given_can_be_read_only(bubblewrap, tmp_path):
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "file").write_text("text")
    code = """
import sys
print(open(sys.argv[1]).read())
open(sys.argv[1], "w")
"""
    with sandbox.scratch_folder("test") as scratch:
        argv = [sys.executable, "-c", code, str(tmp_path / "given" / "file")]
        outcome = sandbox.run(argv, b"", scratch, [tmp_path / "given"], LIMITS, isolated=True)
    assert outcome.output == b"text\n" and "OSError" in outcome.error
    assert (tmp_path / "given" / "file").read_text() == "text"


def test_no_network(bubblewrap):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket; socket.create_connection({server.getsockname()}, timeout=1)"
        assert run(code, isolated=False).status == "done"
        outcome = run(code, isolated=True)
        assert outcome.status == "crash"
        assert "refused" in outcome.error or "unreachable" in outcome.error


def test_root_is_nobody_inside(bubblewrap):
    code = "import os; print(os.getuid() == 0, os.getgroups() == [0])"
    assert run(code, isolated=True).output == b"False False\n"


# Where it does not run.


@pytest.fixture
def without(monkeypatch):
    monkeypatch.setattr(sandbox, "try_bubblewrap", lambda: (None, "It is not there."))


def test_root_is_refused_without_it(without, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    with pytest.raises(sandbox.Refused, match="Root grades in bubblewrap only.*It is not there"):
        sandbox.run([sys.executable, "-c", ""], b"", tmp_path, [], LIMITS, isolated=True)


def test_others_are_told_what_is_open(without, monkeypatch):
    isolation = sandbox.isolation()
    assert isolation.name == "limits" and isolation.gaps[0] == "It is not there."
    assert any("solutions" in gap for gap in isolation.gaps)
    monkeypatch.setattr(sandbox, "LINUX", False)
    assert len(sandbox.isolation().gaps) > len(isolation.gaps)


def test_it_is_tried_by_running_it(monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to do this' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    path, why = sandbox.try_bubblewrap.__wrapped__()
    assert path is None and "No permissions" in why


def test_processes_from_ps_are_those_from_proc():
    if not os.path.exists("/bin/ps"):
        pytest.skip("there is no ps")
    command = [sys.executable, "-c", "input()"]
    environment = {**os.environ, confine.MARK: "of-this-test"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as child:
        time.sleep(0.2)
        rows = [table("of-this-test")[child.pid] for table in (confine.from_ps, confine.from_proc)]
        assert [row.parent for row in rows] == [os.getpid()] * 2
        assert all(row.marked for row in rows)
        assert child.pid in confine.tree(-1, "of-this-test")
