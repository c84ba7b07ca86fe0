"""The live explorer: who is answered, and what becomes of programs that mean harm."""

import http.client
import json
import os
import threading
import time
from pathlib import Path

import pytest

from minijax.explore import confined
from minijax.explore.server import LONGEST, NEWER, Server

pytestmark = pytest.mark.prove  # each program is run by a process of its own
SINE = {"text": "def f(x): return jnp.sin(x)", "expression": "jax.grad(f)", "arguments": "(2.0,)"}


@pytest.fixture(scope="module")
def server():
    with Server(seconds=8) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server, method="POST", path="/walk", body=None, **headers):
    """The status and the text of an answer. `body` is sent as JSON, where it is no bytes."""
    body = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    given = {"X-Token": server.token, **{name.replace("_", "-"): x for name, x in headers.items()}}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, body, {k: x for k, x in given.items() if x is not None})
    response = connection.getresponse()
    return response.status, response.read().decode()


def answer(server, text, arguments="(2.0,)", expression="f"):
    asked = {"text": text, "expression": expression, "arguments": arguments}
    status, said = ask(server, body=asked)
    assert status == 200
    return json.loads(said)


def test_a_program_is_watched_and_explained(server):
    status, said = ask(server, body=SINE)
    shown = json.loads(said)
    assert status == 200 and shown["failed"] == ""
    assert "Watched" in shown["page"] and "Compiled" in shown["page"]


def test_the_page_is_given_to_who_has_the_token(server):
    status, said = ask(server, "GET", f"/?token={server.token}", X_Token=None)
    assert status == 200 and "<iframe" in said and server.token not in said


REFUSED = {
    "no token": {"X_Token": None},
    "another token": {"X_Token": "abc"},
    "another origin": {"Origin": "https://example.org"},
    "no origin that could be told": {"Origin": "null"},
    "another name": {"Host": "example.org"},
}


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
def test_others_are_refused(server, headers):
    status, said = ask(server, body=SINE, **headers)
    assert status == 403 and "<section>" not in said and said.endswith(".")


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=abc"])
def test_the_page_is_refused_without_the_token(server, path):
    status, said = ask(server, "GET", path, X_Token=None)
    assert status == 403 and "printed" in said


@pytest.mark.parametrize(
    "body, headers",
    [(b"{", {}), (b"[]", {}), ({"text": 1}, {}), (b"", {}), (b"{}", {"Content_Length": "x"}),
     (b"{}", {"Content_Length": str(LONGEST + 1)})],
)  # fmt: skip
def test_what_is_no_question_is_said_to_be_none(server, body, headers):
    status, said = ask(server, body=body, **headers)
    assert status == 400 and said.startswith("A question")


FAILS = {
    "def f(x): return x +": "SyntaxError (line 1)",
    "def f(x):\n    return 1 / 0": "ZeroDivisionError (line 2 of your program)",
    "def f(x):\n    if x > 1: return x": "TracerBoolConversionError (line 2 of your program)",
    "g = 1": "NameError",
}


@pytest.mark.parametrize("text", FAILS)
def test_a_mistake_is_told_with_its_line(server, text):
    assert answer(server, text, expression="jax.jit(f)")["failed"].startswith(FAILS[text])


def test_an_endless_loop_is_ended(server):
    assert "more than 8 seconds" in answer(server, "while True: pass")["failed"]


def test_a_newer_question_of_a_page_ends_the_older(server):
    endless, told = {**SINE, "text": "while True: pass"}, []

    def asked():
        _, said = ask(server, body=endless, X_Page="a page")
        told.append(json.loads(said)["failed"])

    others = [threading.Thread(target=asked) for _ in range(2)]
    for thread in others:
        thread.start()
        time.sleep(0.5)
    newest = json.loads(ask(server, body=SINE, X_Page="a page")[1])
    for thread in others:
        thread.join()
    assert newest["failed"] == "" and "Watched" in newest["page"]
    assert told == [NEWER] * 2
    assert not server.runner.newest and server.runner.running is None


def test_too_much_memory_is_refused(server):
    failed = answer(server, "import numpy\nx = numpy.ones(1 << 33)")["failed"]
    assert "MemoryError" in failed or "memory" in failed


TRIES = {
    "open": "open(FILE, 'w')",
    "append": "open(FILE, 'a')",
    "remove": "os.remove(FILE)",
    "make a folder": "os.mkdir(FILE + '.folder')",
    "run": "subprocess.run(['touch', FILE])",
    "fork": "os.fork()",
    "signal": "os.kill(os.getppid(), 9)",
    "connect": "socket.create_connection(('127.0.0.1', PORT))",
    "load a library": "ctypes.CDLL(None)",
}
TRY = """
try:
    {line}
    print("did:", {name!r})
except PermissionError as error:
    print(type(error).__name__, {name!r})
"""


def test_what_only_computes_may_do_nothing_else(server, tmp_path):
    file = Path(tmp_path, "outside")
    file.write_text("before")
    lines = [f"FILE, PORT = {str(file)!r}, {server.server_port}"]
    lines += ["import ctypes, os, socket, subprocess"]
    lines += [TRY.format(name=name, line=line) for name, line in TRIES.items()]
    page = answer(server, "\n".join([*lines, "def f(x): return x"]))["page"]
    assert [name for name in TRIES if f"Refused {name}" not in page] == []
    assert file.read_text() == "before" and os.listdir(tmp_path) == ["outside"]


def test_what_is_refused_is_said(server):
    failed = answer(server, "import os\nos.remove('outside')")["failed"]
    assert failed.startswith("Refused (line 2 of your program)") and "only computes" in failed


# Past Python's hook: C's own function, which Python has loaded already.
BY_HAND = """
import ctypes
print("opened as", ctypes.pythonapi.open({file!r}.encode(), {flags}, 0o600))
def f(x): return x
"""


@pytest.mark.skipif(not confined.has_landlock(), reason="this kernel has no Landlock")
def test_the_system_holds_what_goes_round_python(server, tmp_path):
    file = Path(tmp_path, "outside")
    text = BY_HAND.format(file=str(file), flags=os.O_WRONLY | os.O_CREAT)
    assert "opened as -1" in answer(server, text)["page"]
    assert not file.exists()


def test_what_is_printed_and_shown_is_escaped(server):
    text = "print('<script>')\ndef f(x): return x"
    assert "<pre>&lt;script&gt;" in answer(server, text)["page"]
