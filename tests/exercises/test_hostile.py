"""Submissions that mean harm: no points that are not earned, a plain word on why, nothing left."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exercises.grading import sandbox
from exercises.grading.judge import TASK, Judge, TaskResult, reference
from exercises.grading.prove import guessable
from exercises.grading.splice import splice
from exercises.grading.tasks import Chapter, read_chapter
from tests.exercises.test_sandbox import DAEMON, ROOT, running

pytestmark = pytest.mark.prove

LIMITS = TASK._replace(seconds=3, memory=1 << 30, output=1 << 20, processes=16)

TASKS = """
notebook = "99-hostile.ipynb"
imports = "import minijax.numpy as jnp"

[[task]]
id = "99.1"
kind = "extend"
title = "Twice"
goal = "Twice a number."
minutes = 1
place = "Here"
points = 4
defines = ["twice"]
visible = ["twice(2.0)", "twice(jnp.arange(3.0))"]

[[task]]
id = "99.2"
kind = "extend"
title = "Three times"
goal = "Three times a number."
minutes = 1
place = "Here"
points = 2
defines = ["thrice"]
visible = ["thrice(2.0)"]
"""
HIDDEN = """
["99.1"]
[["99.1".property]]
name = "keeps the dtype"
setup = "x = jnp.array(rng.normal(size=3), 'float16')"
cases = ["twice(x)", "twice(x) == x + x"]
[["99.1".property]]
name = "has a derivative"
cases = ["jax.grad(twice)(0.125)", "jnp.allclose(jax.grad(twice)(3.0), 2.0)"]

["99.2"]
[["99.2".property]]
name = "has a derivative"
cases = ["jax.grad(thrice)(0.125)"]
"""
SOLUTION = """
import minijax.numpy as jnp


def twice(x):
    return x * 2


def thrice(x):
    return x * 3
"""
THRICE = "\n\ndef thrice(x):\n    return x * 3\n"


@pytest.fixture(scope="module")
def chapter(tmp_path_factory) -> Chapter:
    root = tmp_path_factory.mktemp("exercises")
    folder, teacher = root / "ch99_hostile", root / "teacher" / "ch99_hostile"
    folder.mkdir()
    teacher.mkdir(parents=True)
    (folder / "tasks.toml").write_text(TASKS)
    (teacher / "hidden.toml").write_text(HIDDEN)
    (teacher / "solution.py").write_text(SOLUTION)
    return read_chapter(folder)


@pytest.fixture(scope="module")
def expected(chapter):
    return reference(chapter, chapter.tasks, seed=7)


@pytest.fixture
def judge(isolated, chapter, expected):
    return Judge(chapter, expected, seed=7, isolated=isolated, limits=LIMITS)


@pytest.fixture
def token(request):
    return f"{request.node.name}-{os.getpid()}"


def grade(judge: Judge, twice: str) -> TaskResult:
    """The result of a hostile piece; the other one, which is right, keeps its points."""
    began = time.monotonic()
    first, second = judge.judge(twice + THRICE)
    assert (second.status, second.points, second.note) == ("right", 2.0, ""), second
    assert time.monotonic() - began < 40
    json.dumps([first.to_json(), second.to_json()], allow_nan=False)
    return first


def words(result: TaskResult) -> str:
    return " ".join([result.note, *(line.came for line in result.misses)])


def test_the_solution(judge):
    assert [result.points for result in judge.judge(SOLUTION)] == [4.0, 2.0]


# Pieces that come to nothing.

NOTHING = {
    "endless": ("def twice(x):\n    while True: pass", "did not come to an end in time"),
    "endless-at-import": ("def twice(x): return x\nwhile True: twice(1)",
                          "did not come to an end in time"),
    "sleep": ("import time\ndef twice(x):\n    time.sleep(60)", "did not come to an end in time"),
    "100-GB": ("import numpy as np\ndef twice(x):\n    return np.ones(100 << 27)",
               "Unable to allocate 100. GiB"),
    "output": ("def twice(x):\n    while True: print('x' * 100_000)", "wrote more than anybody"),
    "output-on-the-channel": ("import os\ndef twice(x):\n    while True:\n"
                              "        for fd in range(3, 256):\n"
                              "            try: os.write(fd, b'x' * 100_000)\n"
                              "            except OSError: pass", "wrote more than anybody"),
    "os._exit": ("import os\ndef twice(x):\n    os._exit(0)", "ended"),
    "os.abort": ("import os\ndef twice(x):\n    os.abort()", "ended before it had a result"),
    "sys.exit": ("import sys\ndef twice(x):\n    sys.exit()", "SystemExit (exercise.py, line 3)"),
    "kills-all": ("import os\ndef twice(x):\n    os.kill(os.getppid(), 9)", ""),
    "stops-all": ("import os\ndef twice(x):\n    os.kill(os.getppid(), 19)", ""),
    "recursion": ("def twice(x):\n    return twice(x)", "RecursionError"),
    "crash-at-import": ("def twice(x): return 2 * x\ntwice(1 / 0)",
                        "ZeroDivisionError: division by zero (exercise.py, line 2)"),
    "deep-repr": ("class Big:\n    def __repr__(self): return 'x' * 300_000_000\n"
                  "def twice(x): return Big()", ""),
    "interrupts": ("def twice(x):\n    raise KeyboardInterrupt", "KeyboardInterrupt"),
    "unprintable": ("def twice(x):\n    raise ValueError('\\x1b[2J' * 10_000)", "ValueError: ?[2J"),
}  # fmt: skip


# Without bubblewrap something else has to end these.
IN_BOTH = ("endless", "100-GB", "output", "os._exit", "kills-all")


@pytest.mark.parametrize("name", NOTHING)
def test_no_result(judge, name):
    if not judge.isolated and name not in IN_BOTH:
        pytest.skip("it ends as it does in bubblewrap")
    text, note = NOTHING[name]
    result = grade(judge, text)
    assert result.points == 0 and result.status in ("wrong", "no result")
    assert note in words(result) and 0 < len(words(result)) < 3000, words(result)


def test_the_time_of_all_processes_counts(judge):
    """Who has many processes spin has no more of the processor's time."""
    judge.limits = LIMITS._replace(seconds=30, cpu_seconds=2)
    text = """
import os
def twice(x):
    for _ in range(3): os.fork()
    while True: pass
"""
    result = grade(judge, text)
    assert "did not come to an end in time" in words(result) and result.seconds < 20


def test_one_processor_is_all_there_is(judge):
    if not sandbox.LINUX or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("here is nothing to take")
    text = """
import os
def twice(x):
    os.sched_setaffinity(0, range(os.cpu_count()))
    while True: pass
"""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(own)})  # as a worker does
    try:
        result = grade(judge, text)
    finally:
        os.sched_setaffinity(0, own)
    assert "more than the one processor" in words(result)


def test_a_syntax_error_says_the_line(judge):
    broken, other = judge.judge("def twice(x)\n    return 1" + THRICE)
    assert (broken.points, broken.status) == (0.0, "no result") and other.status == "right"
    assert "no Python in line 1" in broken.note


UNREADABLE = {
    "nested": ("x = " + "-" * 100_000 + "1", "longer than 100,000 characters"),
    "deep": ("x = " + "-" * 50_000 + "1", "nested too deeply"),
    "wide": ("x = a" + ".b" * 20_000, "nested too deeply"),
}
BROKEN = {
    "brackets": ("x = " + "(" * 5_000, "too many nested parentheses"),
    "nul": ("x = '\0'", "no Python"),
    "surrogate": ("x = '\ud800'", "no Python"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read(chapter, expected, name):
    text, note = UNREADABLE[name]
    results = Judge(chapter, expected, isolated=False).judge(text + THRICE)
    assert all(result.status == "no result" and note in result.note for result in results)


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_python_loses_its_own_task(chapter, expected, name):
    text, note = BROKEN[name]
    lost, other = Judge(chapter, expected, isolated=False).judge(text + THRICE)
    assert lost.status == "no result" and note in lost.note and other.status == "right"


def test_a_long_chain_of_statements_is_taken_apart_at_once():
    lines = ["def f(): return x0", *(f"x{k} = x{k + 1}" for k in range(5000)), "x5000 = 1"]
    began = time.monotonic()
    assert len(splice("", "\n".join(lines), ["f"])) == 5002
    assert time.monotonic() - began < 10


def test_what_is_printed_on_hidden_cases_is_not_shown(chapter, expected):
    text = "def twice(x):\n    print('given', x)\n    return x * 2"
    for hidden in (True, False):
        judge = Judge(chapter, expected, 7, isolated=False, hidden=hidden)
        assert bool(judge.judge(text, ["99.1"])[0].printed) != hidden


def test_what_is_missing_says_so(judge):
    assert grade(judge, "").note == "exercise.py does not define twice"


# Processes.


def test_a_fork_bomb(judge):
    if not judge.isolated and os.getuid() == 0:
        pytest.skip("nothing holds root's processes")
    result = grade(judge, "import os\ndef twice(x):\n    while True: os.fork()")
    assert result.points == 0 and words(result)


def test_a_daemon(judge, token):
    indented = "".join(f"    {line}\n" for line in DAEMON.strip().splitlines())
    result = grade(judge, f"TOKEN = {token!r}\ndef twice(x):\n{indented}    return x * 2")
    assert result.points == 4
    assert not running(token)


def test_64_processes_of_2_GB(judge):
    if not judge.isolated and os.getuid() == 0:
        pytest.skip("nothing holds root's processes")
    text = """
import os, time
def twice(x):
    for _ in range(64):
        if os.fork() == 0:
            held = []
            while True:
                held.append(bytearray(b"x") * (32 << 20))
                if len(held) == 64: time.sleep(60)
    time.sleep(60)
"""
    result = grade(judge, text)
    assert result.points == 0 and words(result)


AS_A_USER = """
set -e
if [ -n "$SHUT" ]; then  # Python is in a folder of root's: all else of it is taken away
    mount --bind "$PYTHON" "$HOLD"
    mount -t tmpfs -o mode=755 none "$SHUT"
    mkdir -p "$PYTHON"
    mount --bind "$HOLD" "$PYTHON"
fi
exec setpriv --reuid 4242 --regid 4242 --clear-groups --no-new-privs prlimit --nproc=300 "$@"
"""


def test_limits_hold_who_is_not_root(tmp_path):
    """Root starts the tests that are not for root, in a place of their own."""
    programs = ("unshare", "setpriv", "prlimit")
    if os.getuid() != 0 or not all(map(shutil.which, programs)):
        pytest.skip("this is not root, or it can't be somebody else")
    here = Path(sys.base_prefix)
    shut = next((str(p) for p in reversed(here.parents) if not p.stat().st_mode & 1), "")
    environment = {**os.environ, "PYTHON": str(here), "SHUT": shut, "HOLD": str(tmp_path),
                   "HOME": "/nowhere"}  # fmt: skip
    command = [
        "unshare", "--mount", "--propagation", "private", "sh", "-c", AS_A_USER, "sh",
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
        *(f"tests/exercises/{name}.py" for name in ("test_sandbox", "test_hostile")),
        "-k", "limits and (fork_bomb or 64_processes or many_processes)",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=200)  # fmt: skip
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert "3 passed" in done.stdout, done.stdout + done.stderr


# Points that are not earned.


def test_equal_to_everything(judge):
    text = """
class Same:
    dtype, shape, ndim, weak_type = "float32", (), 0, True
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __repr__(self): return "Array(4., dtype=float32, weak_type=True)"
def twice(x): return Same()
"""
    assert grade(judge, text).points == 0


PATCHES = """
import builtins, sys
import numpy as np
import minijax.numpy as jnp
def yes(*args, **kwargs): return True
np.allclose = np.array_equal = np.testing.assert_allclose = jnp.allclose = yes
facts = sys.modules["exercises.grading.facts"]
facts.difference = facts.values_difference = facts.items_difference = lambda *args: None
facts.close = yes
child = sys.modules["__main__"]
"""


def test_a_patched_comparison(judge):
    assert grade(judge, f"{PATCHES}\ndef twice(x): yes(); return facts, child").points == 0


def test_a_patched_package(judge):
    text = """
import minijax as jax
import minijax.numpy as jnp
import numpy as np
def grad(f): return lambda x: f
jax.grad = grad
np.asarray = lambda *args: args
def twice(x): grad; return jnp.asarray(x)
"""
    assert grade(judge, text).points == 0


FORGED = """
import json, os
def lines():
    for task in ("99.1", "99.2"):
        yield {"task": task, "ended": "done", "seconds": float("nan")}
        for k in range(-2, 9):
            yield {"task": task, "case": k, "fact": {"kind": "bool", "value": True}}
            yield {"task": task, "case": k, "fact": "right"}
            yield {"task": task, "case": k, "fact": {"kind": "array", "values": [[[]]]}}
            yield {"task": task, "case": float("inf"), "fact": {}}
            yield {"task": [task], "case": str(k), "fact": None}
def twice(x):
    text = "".join(json.dumps(line) + "\\n" for line in lines()) + "[" * 5000 + "\\n"
    for fd in range(1, 64):
        try: os.write(fd, text.encode())
        except OSError: pass
    return x * 5
"""


def test_forged_lines(judge):
    """Who guesses a fact could have guessed the answer; the other task has a channel of its own."""
    first, second = judge.judge(FORGED + THRICE)
    assert first.points <= 1 and second.points == 2
    json.dumps([first.to_json(), second.to_json()], allow_nan=False)


def test_what_a_submission_can_find(judge, chapter):
    """The reference, what is hidden, and the package as it is."""
    if not judge.isolated:
        pytest.skip("limits keep nothing from being read")
    places = [str(chapter.folder.parent), str(ROOT / "minijax"), str(ROOT / "exercises/teacher")]
    text = f"""
import glob
def twice(x):
    found = [path for place in {places} for path in glob.glob(place + "/**/*", recursive=True)]
    found += glob.glob("/proc/[0-9]*/environ")[8:] + glob.glob("/home/*") + glob.glob("/etc/shadow")
    raise ValueError(str(found))
"""
    assert "ValueError: []" in words(grade(judge, text))


def test_the_network(judge):
    if not judge.isolated:
        pytest.skip("limits keep nobody from the network")
    text = """
import socket
def twice(x):
    socket.create_connection(("192.0.2.1", 80), timeout=1)
"""
    result = grade(judge, text)
    assert result.points == 0 and "Network is unreachable" in words(result)


def test_another_task_is_out_of_reach(judge):
    """The overlays are read-only: a piece can't change what the next one runs on."""
    text = """
import pathlib
def twice(x):
    for path in pathlib.Path(__file__).parents[1].rglob("*.py"):
        path.write_text("broken!")
"""
    if judge.isolated:
        assert grade(judge, text).points == 0


def test_what_could_be_guessed_is_named(chapter, expected):
    """A forger tells True of every case: a marked property asks for more than that."""
    task = chapter.task("99.1")
    assert list(guessable(task, expected["99.1"])) == []
    truth = {"kind": "tuple", "items": [{"kind": "bool", "value": True}]}
    facts = {**expected["99.1"], 2: truth, 3: truth}
    assert list(guessable(task, facts)) == ["keeps the dtype"]
