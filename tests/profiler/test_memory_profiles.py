"""Memory profiles: read by a decoder of the wire format that knows the messages' numbers alone."""

import gzip
import tracemalloc

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import profiler
from minijax.profiler.protocol_buffers import encoded, varint

# A recording looks at all objects for programs, and tests have a million.
pytestmark = pytest.mark.usefixtures("module_few_objects")


def fields(data: bytes) -> list[tuple[int, object]]:
    """The fields of a message, in order: number, and an integer or bytes."""
    stream, found = iter(data), []
    for first in stream:
        head = integer(stream, first)
        if head & 7 == 0:
            found.append((head >> 3, integer(stream, next(stream))))
        else:
            assert head & 7 == 2
            size = integer(stream, next(stream))
            found.append((head >> 3, bytes(next(stream) for _ in range(size))))
    return found


def integer(stream, byte: int) -> int:
    """The integer that begins with this byte."""
    n, shift = byte & 0x7F, 7
    while byte >= 0x80:
        byte = next(stream)
        n, shift = n | (byte & 0x7F) << shift, shift + 7
    return n


def all_of(message, number):
    return [value for k, value in message if k == number]


class Profile:
    """What pprof would read: samples, each a stack of (function, line), values and labels."""

    def __init__(self, data: bytes) -> None:
        message = fields(gzip.decompress(data))
        texts = [text.decode() for text in all_of(message, 6)]
        assert texts[0] == ""
        types = [dict(fields(value)) for value in all_of(message, 1)]
        self.types = [(texts[t[1]], texts[t[2]]) for t in types]
        functions = {}
        for value in all_of(message, 5):
            function = dict(fields(value))
            functions[function[1]] = texts[function[2]], texts[function[4]]
        places = {}
        for value in all_of(message, 4):
            location = fields(value)
            line = dict(fields(all_of(location, 4)[0]))
            name, file = functions[line[1]]
            places[dict(location)[1]] = name, file, line[2]
        self.samples = []
        for value in all_of(message, 2):
            sample = fields(value)
            labels = [dict(fields(label)) for label in all_of(sample, 3)]
            self.samples.append((
                [places[k] for k in all_of(sample, 1)], all_of(sample, 2),
                {texts[label[1]]: texts[label[2]] for label in labels},
            ))  # fmt: skip

    def of_type(self, text):
        return [s for s in self.samples if s[2].get("type") == text]


def now() -> Profile:
    return Profile(profiler.device_memory_profile())


def make_rows():
    with jax.named_scope("rows"):
        return jnp.ones((11, 1009)) * 3


def test_arrays_count_with_their_bytes():
    held = [jnp.zeros((13, 1013)) + k for k in range(3)]
    found = now()
    assert found.types == [("allocations", "count"), ("space", "bytes")]
    ((stack, values, labels),) = found.of_type("float32[13,1013]")
    assert values == [3, 3 * 4 * 13 * 1013]
    assert labels == {"kind": "buffer", "device": "cpu:0", "type": "float32[13,1013]"}
    assert stack == [("float32[13,1013]", "", 0)]
    del held[0]
    assert now().of_type("float32[13,1013]")[0][1][0] == 2


def test_memory_that_is_shared_counts_once():
    x = jax.device_put(np.ones((17, 1019), np.float32))
    views = [x.reshape(17 * 1019), x.T]
    types = ["float32[17,1019]", "float32[17323]", "float32[1019,17]"]
    samples = [s for text in types for s in now().of_type(text)]
    assert sum(values[0] for _, values, _ in samples) == 1
    assert sum(values[1] for _, values, _ in samples) == views[0].nbytes


def test_devices_have_their_parts():
    mesh = jax.sharding.Mesh(jax.devices()[2:4], "x")
    x = jax.device_put(np.ones((14, 1021)), jax.NamedSharding(mesh, jax.P("x")))
    samples = now().of_type("float32[14,1021]")
    assert [(values[1], labels["device"]) for _, values, labels in samples] == [
        (x.nbytes // 2, "cpu:2"), (x.nbytes // 2, "cpu:3"),
    ]  # fmt: skip


def test_what_was_made_in_a_trace_has_its_stack_and_its_scopes(tmp_path):
    with profiler.trace(tmp_path):
        x = make_rows()
    ((stack, _, _),) = now().of_type("float32[11,1009]")
    name = "test_what_was_made_in_a_trace_has_its_stack_and_its_scopes"
    assert [place[0] for place in stack[:3]] == ["rows", "make_rows", name]
    assert stack[1][1] == __file__ and stack[1][2] > 0
    del x
    assert not now().of_type("float32[11,1009]")


@pytest.mark.prove
def test_what_was_made_under_tracemalloc_has_its_stack():
    tracemalloc.start(25)
    try:
        x = make_rows()
        ((stack, _, _),) = now().of_type(str(x.aval))
    finally:
        tracemalloc.stop()
    name = "test_what_was_made_under_tracemalloc_has_its_stack"
    assert [place[0] for place in stack[:2]] == ["make_rows", name]
    assert all(file.endswith(".py") and "/minijax/minijax/" not in file for _, file, _ in stack[:2])


def test_a_jitted_functions_results_are_those_of_its_call(on_numba, tmp_path):
    doubled = jax.jit(lambda x: x * 2)
    with profiler.trace(tmp_path):
        x = doubled(jnp.ones((19, 1021)))
    found = [stack[0][0] for stack, _, _ in now().of_type(str(x.aval))]
    assert "test_a_jitted_functions_results_are_those_of_its_call" in found


def test_programs_count_under_their_names(on_numba):
    @jax.jit
    def quadruple(x):
        return jnp.exp(x) * 4

    quadruple(jnp.ones(5))
    program = quadruple.lower(jnp.ones(5)).compile().runtime_executable()
    found = {stack[0][0]: values for stack, values, labels in now().samples
             if labels["kind"] == "executable"}  # fmt: skip
    assert found["quadruple"] == [1, len(program.as_text().encode())]


def test_names_in_angles_are_shown_without(tmp_path):
    with profiler.trace(tmp_path):
        x = (lambda: jnp.ones((23, 1031)) * 2)()
    ((stack, _, _),) = now().of_type(str(x.aval))
    assert stack[0][0] == "lambda"


def test_the_file_has_what_the_function_returns(tmp_path):
    profiler.save_device_memory_profile(tmp_path / "memory.prof", backend="cpu")
    assert Profile((tmp_path / "memory.prof").read_bytes()).types[1] == ("space", "bytes")


@pytest.mark.parametrize("n", [0, 1, 127, 128, 300, 2**31, 2**63 - 1])
def test_integers_come_back(n):
    assert fields(b"\x08" + varint(n)) == [(1, n)]


def test_a_list_is_a_field_for_each_item():
    messages = {"Sample": {"value": (2, "integer")}}
    assert fields(encoded(messages, "Sample", {"value": [3, 400]})) == [(2, 3), (2, 400)]
