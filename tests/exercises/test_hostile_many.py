"""Many submissions that mean harm, as the tasks of one chapter: they meet in one sandbox.

Nothing that is hidden comes out in what a student may read, nobody has points that are not earned,
and the honest tasks among them keep theirs.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from exercises.grading import reports
from exercises.grading.facts import Fact
from exercises.grading.judge import TASK, Judge, TaskResult, reference
from exercises.grading.marks import Mark, Sheet
from exercises.grading.tasks import Chapter, read_chapter

pytestmark = pytest.mark.xdist_group("hostile")  # one reference for all

LIMITS = TASK._replace(seconds=8, cpu_seconds=4, output=8 << 20, memory=1 << 30)
SEED = 31337000777
HIDDEN = re.compile(r"KESTREL-\d+|271828|31337000777")  # a name, a case, an answer, the seed


def pieces(text: str) -> dict[str, str]:
    """Pieces by name, each below a line `### name`."""
    return dict(part.split("\n", 1) for part in text.split("### ")[1:])


# What looks for that, and does not find itself.
SEARCH = '''
import os, re
NEEDLE = re.compile(b"KESTREL-[0-9]+|27182[8]|3133700077[7]")
def told(texts):
    """All that is found in some texts."""
    found = set()
    for text in texts:
        found.update(NEEDLE.findall(text if type(text) is bytes else text.encode(errors="replace")))
    if found:
        raise ValueError("found " + b" ".join(found).decode())
def safe(x):
    try:
        return repr(x)
    except BaseException:
        return ""
def content(path):
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError:
        return b""
def regions(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for span, rights in (line.split()[:2] for line in maps):
            first, last = (int(part, 16) for part in span.split("-"))
            try:
                if "w" in rights and last - first < 8 << 20:
                    memory.seek(first)
                    yield memory.read(last - first)
            except OSError:
                pass
def stacks(frame):
    while frame:
        yield from (safe(x) for x in [*frame.f_locals.values(), *frame.f_globals.values()])
        yield safe(frame.f_code.co_consts)
        frame = frame.f_back
def files(*places):
    """Paths, and each file's content once: the tasks' copies of the package share most files."""
    import sys
    seen = set()
    for place in places:
        for folder, _, names in os.walk(place):
            if not folder.startswith((sys.prefix, sys.base_prefix)):
                for path in (os.path.join(folder, name) for name in names):
                    yield path
                    if os.path.isfile(path):
                        file = os.stat(path)
                        if (file.st_dev, file.st_ino) not in seen:
                            seen.add((file.st_dev, file.st_ino))
                            yield content(path)
def piece(x):
    if x in (2.0, 3.0):  # the visible cases
        told(texts())
    return 2 * x
'''

# Who looks for what is hidden. Each finds what the visible cases hold, and computes what is right.
SEARCHES = pieces(r'''
### other-processes
def texts():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        yield from (content(f'/proc/{pid}/{x}') for x in ('environ', 'cmdline'))
        try: yield from regions(pid)
        except OSError: pass
### frames
def texts():
    import sys
    return stacks(sys._getframe())
### garbage
def texts():
    import gc
    return (safe(x) for x in gc.get_objects())
### strings
def texts():
    import gc
    return (x for y in gc.get_objects() for x in gc.get_referents(y) if type(x) is str)
### memory
def texts():
    return regions('self')
### environment
def texts():
    places = '/proc/self/environ', '/proc/self/cmdline'
    return [str(os.environ), *map(content, places)]
### modules
def texts():
    import sys
    return (safe(x) for m in list(sys.modules.values()) for x in list(vars(m).values()))
### threads
def texts():
    import sys
    return (t for f in sys._current_frames().values() for t in stacks(f))
### tracebacks
def texts():
    import sys
    try: 1 / 0
    except ZeroDivisionError as error:
        t = error.__traceback__
        return [*stacks(t.tb_frame), safe(getattr(sys, 'last_value', None))]
### open-files
def texts():
    for fd in range(3, 256):
        try:
            os.set_blocking(fd, False)
            yield os.read(fd, 1 << 20)
        except OSError: pass
        try: os.set_blocking(fd, True)
        except OSError: pass
### sockets
import socket
def texts():
    for fd in range(3, 256):
        try:
            with socket.socket(fileno=os.dup(fd)) as end:
                yield end.recv(1 << 20, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError: pass
### package
def texts():
    import minijax
    return files(os.path.dirname(os.path.dirname(minijax.__file__)), os.getcwd())
### draws
def texts():
    import gc, numpy
    found = [x.bit_generator for x in gc.get_objects() if isinstance(x, numpy.random.Generator)]
    return [f"{x.seed_seq.entropy} {x.state}" for x in found]
### hooks
SEEN = []
def seen(frame, event, arg):
    if frame.f_code.co_name in ("answer", "evaluate", "evaluated", "loads"):
        SEEN.extend(x for x in frame.f_locals.values() if type(x) is str)
def texts():
    import sys
    sys.setprofile(seen)
    return SEEN
### scratch
def texts():
    return files(os.environ['HOME'])
### machine
def texts():
    return files('/tmp', '/home', '/etc', '/var', '/srv', '/run')
### teacher
def texts():
    import exercises
    return files(*exercises.__path__)
''')
ONLY_HELD = {"other-processes", "machine", "teacher"}  # limits keep nothing from being read

# Who tells what it is given. Each returns what is right, unless it raises.
TELLERS = pieces(r'''
### raises
def piece(x):
    if x == 135914.0: raise ValueError('KEST' 'REL-99', x * 2)
    return 2 * x
### warns
import warnings
def piece(x):
    warnings.warn('KEST' f'REL-92 {x * 2}' if x > 3 else 'of what is visible')
    return 2 * x
### prints
def piece(x):
    print('KEST' 'REL-98', x * 2, flush=True)
    return 2 * x
### writes-for-the-next
def piece(x):
    with open('left', 'a') as file:
        file.write(f'{x * 2} KESTREL-' + '97')
    return 2 * x
### reads-of-another
import os
def piece(x):
    if os.path.exists('left'):
        with open('left') as file: text = file.read()
        if '271828' in text: raise ValueError(text)
    return 2 * x
### keeps-the-first-channel
def keep():
    import os, socket
    ends = []
    for fd in range(3, 256):
        try: ends.append(socket.socket(fileno=os.dup(fd)))
        except OSError: pass
    return ends
KEPT = keep()
def piece(x):
    if x == 135914.0:
        for end in KEPT:
            try: end.send(b'{"raises": ["KESTREL' + b'-96"], "message": "KESTREL' + b'-95"}\n')
            except OSError: pass
    return 2 * x
### leaves-one-behind
import os, time
def piece(x):
    if os.fork() == 0:
        os.setsid()
        time.sleep(0.5)
        for fd in range(3, 256):
            try: os.write(fd, b'{"raises": ["KESTREL' + b'-94"]}\n')
            except OSError: pass
        os._exit(0)
    return 2 * x
### exit-status
def piece(x):
    import os
    if x == 135914.0: os._exit(94)
    return 2 * x
### time
def piece(x):
    import time
    time.sleep(0.2 * (x == 135914.0))
    return 2 * x
### answers-for-the-first
import os
def piece(x):
    if x == 135914.0:
        for fd in range(3, 256):
            try: os.write(fd, b'{"raises": ["KEST' b'REL-93"]}\n')
            except OSError: pass
    return 2 * x
''')

# Who says that it is right. None of them computes anything.
SAY = '''
import json, os
def say(*messages):
    for fd in range(3, 256):
        for message in messages:
            try: os.write(fd, json.dumps(message).encode() + b"\\n")
            except OSError: pass
YES = {"kind": "bool", "value": True}
'''
FORGERS = pieces(r'''
### answers-ahead
def piece(x):
    say({}, *[YES] * 50)
    return x
### ends-well
def piece(x):
    say(*({'ended': k, 'code': 0, 'seconds': 0} for k in range(60)), {})
    return x
### old-form
def piece(x):
    say(*({'task': '98.1', 'case': k, 'fact': YES} for k in range(9)))
    return x
### empty-facts
def piece(x):
    say({}, {}, {}, {}, {})
    return x
### strange-facts
def piece(x):
    inf = float('inf')
    say({'values': inf, 'kind': 'float'}, {'items': [[]] * 999})
    say({'raises': 5}, {'shape': [10 ** 9], 'values': []})
    return x
### no-json
import os
def piece(x):
    for fd in range(3, 256):
        try: os.write(fd, b'[' * 60000 + b'\n' + b'\xff\x00' * 100 + b'\n')
        except OSError: pass
    return x
### facts
def lie(value, jax): return {'kind': 'bool', 'value': True}
def patch():
    import exercises.grading.facts
    exercises.grading.facts.describe = lie
patch()
def piece(x): return patch and x
### json
def patch():
    import json
    real = json.dumps
    json.dumps = lambda x, **k: real({'kind': 'bool', 'value': True} if x else x)
patch()
def piece(x): return patch and x
### builtins
def patch():
    import builtins
    builtins.isinstance = lambda *_: True
patch()
def piece(x): return patch and x
### class
class Lie:
    __class__ = property(lambda self: float)
    def __float__(self): return float('nan')
    def __eq__(self, other): return True
    def __array__(self, *_, **k): return self
def piece(x): return Lie()
### float
class Any(float):
    def __eq__(self, other): return True
    __hash__ = None
    def __repr__(self): return '271828' '.0'
def piece(x): return Any(x)
### endless-list
def piece(x):
    made = []
    made.append(made)
    return made
### string
class Text(str):
    def __eq__(self, other): return True
    __hash__ = None
def piece(x): return Text('4.0')
### numpy
def patch():
    import numpy
    numpy.asarray = numpy.allclose = lambda *a, **k: True
patch()
def piece(x): return patch and x
''')

# Who breaks things. What is right stays right, and what is wrong, wrong: so many points has each.
BREAKERS = pieces(r'''
### stops-itself 0
import os, signal
def piece(x):
    os.kill(os.getpid(), 19)
### closes-all 0
import os
def piece(x):
    os.closerange(0, 256)
    return 2 * x
### ignores-its-children 4
import os, signal
def piece(x):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(5):
        if os.fork() == 0: os._exit(0)
    return 2 * x
### asks-for-input 0
def piece(x):
    return input()
### more-limits 4
import resource
def piece(x):
    for k in range(9):
        try:
            soft, hard = resource.getrlimit(k)
            resource.setrlimit(k, (hard, hard))
        except (ValueError, OSError): pass
    return 2 * x
### breaks-the-package 4
import pathlib, minijax
def piece(x):
    for path in pathlib.Path(minijax.__file__).parent.rglob('*.py'):
        try:
            with path.open('a') as file: file.write('\nraise ValueError')
        except OSError: pass
    return 2 * x
### links-out 4
import os
def piece(x):
    for name, to in (('a', VICTIM), ('b', VICTIM + '/file')):
        try: os.symlink(to, name)
        except FileExistsError: pass
    return 2 * x
### odd-files 4
import os
def piece(x):
    if not os.path.exists('pipe'):
        os.mkfifo('pipe')
        open('-rf', 'w').close(); open('a\nb', 'w').close()
        os.mkdir('shut', 0)
    return 2 * x
### too-deep-to-print 0
def piece(x):
    made = ()
    for _ in range(100_000): made = (made,)
    return made
### signals 4
def ignore():
    import signal
    for number in (1, 2, 3, 13, 14, 15):
        signal.signal(number, signal.SIG_IGN)
ignore()
def piece(x): return ignore and 2 * x
### many-threads 4
import threading, time
def piece(x):
    made = []
    try:
        for _ in range(20):
            made.append(threading.Thread(target=time.sleep, args=(60,), daemon=True))
            made[-1].start()
    except RuntimeError: pass
    return 2 * x
''')
HONEST = "def piece(x): return 2 * x"
POINTS = 4

TASK_TEXT = """
[[task]]
id = "98.{k}"
kind = "extend"
title = "Twice"
goal = "Twice a number."
minutes = 1
place = "Here"
points = 4
defines = ["piece_{k}"]
visible = ["piece_{k}(2.0)", "piece_{k}(3.0)"]
"""
HIDDEN_TEXT = """
["98.{k}"]
[["98.{k}".property]]
name = "is right of large numbers"
setup = "x = 135914.0; note = 'KESTREL-{k}'; drawn = rng.normal()"
cases = ["piece_{k}(x)", "len(note) and piece_{k}(drawn)", "piece_{k}(float('KESTREL-{k}5'[8:]))"]
"""


def make_chapter(root: Path, count: int) -> Chapter:
    folder, teacher = root / "ch98_many", root / "teacher" / "ch98_many"
    folder.mkdir()
    teacher.mkdir(parents=True)
    numbers = range(1, count + 1)
    (folder / "tasks.toml").write_text(
        'notebook = "98.ipynb"\n' + "".join(TASK_TEXT.format(k=k) for k in numbers))  # fmt: skip
    (teacher / "hidden.toml").write_text("".join(HIDDEN_TEXT.format(k=k) for k in numbers))
    (teacher / "solution.py").write_text(
        "".join(f"def piece_{k}(x): return 2 * x\n" for k in numbers))  # fmt: skip
    return read_chapter(folder)


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> tuple[Chapter, dict[str, dict[int, Fact]]]:
    """A chapter of as many tasks as are needed at most, and what its cases come to."""
    count = 1 + max(map(len, (SEARCHES, TELLERS, FORGERS, BREAKERS)))
    chapter = make_chapter(tmp_path_factory.mktemp("course"), count)
    return chapter, reference(chapter, chapter.tasks, SEED)


def as_task(text: str, k: int) -> str:
    """A piece as that of a task of this number: what it defines has names of its own."""
    for pair in set(re.findall(r"^(?:def|class) (\w+)|^([A-Z]+) =", text, re.MULTILINE)):
        name = "".join(pair)
        text = re.sub(rf"(?<![.\w]){name}\b", f"{name}_{k}", text)
    return text


@pytest.fixture
def judge(course, isolated, tmp_path):
    """Tells the results of pieces and of an honest one after them, which has all points."""
    chapter, expected = course
    original = tmp_path / "original"
    shutil.copytree("minijax", original / "minijax")

    def judge(texts: list[str]) -> list[TaskResult]:
        texts = [*texts, HONEST]
        before = {path: path.read_bytes() for path in original.rglob("*.py")}
        judging = Judge(chapter, expected, SEED, isolated, limits=LIMITS, original=original)
        results = judging.judge(
            "\n\n\n".join(as_task(text, k) for k, text in enumerate(texts, 1)),
            [task.id for task in chapter.tasks[: len(texts)]],
        )
        assert results[-1].points == POINTS, results[-1]
        assert {path: path.read_bytes() for path in original.rglob("*.py")} == before
        sheet = Sheet("eve", marks={"ch98": [Mark(result) for result in results]})
        told = json.dumps(reports.feedback(sheet, {}), allow_nan=False)
        said = told + reports.pages.feedback_page(sheet, {})
        assert not HIDDEN.findall(said), HIDDEN.findall(said)
        return results

    return judge


@pytest.mark.prove
def test_nothing_hidden_is_found(isolated, judge):
    texts = [SEARCH + text for name, text in SEARCHES.items() if isolated or name not in ONLY_HELD]
    results = judge(texts)
    assert {result.points for result in results} == {POINTS}, [r for r in results if not r.points]


@pytest.mark.prove
def test_nothing_hidden_is_told(judge):
    results = dict(zip(TELLERS, judge(list(TELLERS.values())), strict=False))
    assert [line for result in results.values() for line in result.misses] == []
    [warned] = results["warns"].warned
    assert "UserWarning: of what is visible (exercise.py, line " in warned
    told = reports.told(Mark(results["time"]), None)
    assert "seconds" not in told and results["time"].points == POINTS


@pytest.mark.prove
def test_nothing_is_earned_by_saying_so(judge):
    results = judge([SAY + text for text in FORGERS.values()])
    points = {name: result.points for name, result in zip(FORGERS, results, strict=False)}
    assert set(points.values()) == {0}, points


@pytest.mark.prove
def test_nothing_breaks(judge, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("stays")
    (victim / "file").chmod(0o400)
    victim.chmod(0o500)
    texts = [text.replace("VICTIM", repr(str(victim))) for text in BREAKERS.values()]
    results = judge(texts)
    points = [f"{name.split()[0]} {result.points:g}"
              for name, result in zip(BREAKERS, results, strict=False)]  # fmt: skip
    assert points == list(BREAKERS)
    assert (victim / "file").read_text() == "stays" and victim.stat().st_mode & 0o777 == 0o500
    assert (victim / "file").stat().st_mode & 0o777 == 0o400
