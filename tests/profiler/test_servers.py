"""The server that records a process when it is asked to."""

import gzip
import json
import threading
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import minijax as jax
import minijax.numpy as jnp


@pytest.fixture(scope="module")
def at():
    server = jax.profiler.start_server(0)
    yield f"http://127.0.0.1:{server.port}"
    jax.profiler.stop_server()


def ask(at, path):
    with urlopen(at + path, timeout=60) as answer:
        return answer.read()


def test_a_trace_of_what_another_thread_does(at):
    f, is_over = jax.jit(lambda x: jnp.sort(jnp.sin(x))), threading.Event()

    def work():
        while not is_over.is_set():
            f(jnp.ones(1000)).block_until_ready()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        trace = json.loads(gzip.decompress(ask(at, "/trace.json.gz?seconds=0.2")))
    finally:
        is_over.set()
        thread.join()
    assert "call" in {event.get("cat") for event in trace["traceEvents"]}


def test_a_profile_of_the_memory(at):
    x = jnp.ones((77, 1000))
    assert b"cpu" in gzip.decompress(ask(at, "/memory.pprof")) and x.shape


@pytest.mark.parametrize("path, status, words", [
    ("/", 404, "Ask for /trace.json.gz?seconds=2"),
    ("/trace.json.gz?seconds=-1", 400, "Give seconds from 0 to 600."),
    ("/trace.json.gz?seconds=nan", 400, "Give seconds from 0 to 600."),
    ("/trace.json.gz?seconds=two", 400, "Give seconds from 0 to 600."),
])  # fmt: skip
def test_what_is_asked_wrongly_is_told(at, path, status, words):
    with pytest.raises(HTTPError) as caught:
        ask(at, path)
    assert caught.value.code == status and words in caught.value.read().decode()


def test_one_trace_at_a_time(at, tmp_path):
    with jax.profiler.trace(tmp_path), pytest.raises(HTTPError) as caught:
        ask(at, "/trace.json.gz?seconds=0.1")
    assert caught.value.code == 409


def test_one_server_at_a_time(at):
    with pytest.raises(ValueError, match="while there is a server, at the port"):
        jax.profiler.start_server(0)
