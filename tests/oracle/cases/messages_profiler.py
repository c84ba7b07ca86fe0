"""A mistake for each `raise` of the profiler."""

SETUP = """\
import importlib
profiler = importlib.import_module(f'{jax.__name__}.profiler')
F = jnp.arange(3.0)

def two_servers():
    import socket
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    try:
        profiler.start_server(port)
        profiler.start_server(port)
    finally:
        profiler.stop_server()

def twice():
    import tempfile
    with tempfile.TemporaryDirectory() as folder, profiler.trace(folder):
        profiler.start_trace(folder)
"""

MESSAGES = {
    "profiler.TraceAnnotation(3)": "TraceAnnotation takes a name, and got 3. Give a string.",
    "profiler.StepTraceAnnotation(None, step_num=1)":
        "StepTraceAnnotation takes a name, and got None. Give a string.",
    "profiler.start_trace('here', profiler_options=3)":
        "start_trace takes profiler.ProfileOptions as profiler_options, and got 3. Leave",
    "twice()": "start_trace was called while a trace is being recorded",
    "profiler.stop_trace()": "stop_trace was called, and no trace is being recorded. Call",
    "profiler.stop_server()": "stop_server was called, and there is no server. Call",
    "two_servers()": "start_server was called while there is a server, at the port",
    "profiler.start_server('a')": "start_server takes a port, and got 'a'. Give an int.",
    "profiler.ProfileData(3)": "ProfileData takes the bytes of an XSpace, and got 3. Give bytes",
    "profiler.ProfileData(b'\\xff')":
        "and got\nother bytes: an integer is cut off, or has more than 64 bits. Give",
    "profiler.ProfileData.from_file(3)":
        "ProfileData.from_file takes a file's path, and got 3. Give a string.",
    "profiler.ProfileData.from_file('/nowhere')":
        "ProfileData.from_file can't read /nowhere: No such file or\ndirectory. Give a file",
    "profiler.annotate_function(abs, name=3)(1)":
        "annotate_function takes a name, and got 3. Give a string.",
    "profiler.device_memory_profile('tpu')":
        "device_memory_profile knows no backend 'tpu'. Give 'cpu', the only one.",
}  # fmt: skip
# Where JAX has no error, or none of a class of its own.
OURS = {
    "profiler.annotate_function(3)":
        "annotate_function takes a function as its first argument, and got 3. Give",
    "profiler.start_trace(3)": "start_trace takes a folder's path as log_dir, and got 3. Give",
    "options = profiler.ProfileOptions()\noptions.host_tracer_level = 'all'\n"
    "profiler.start_trace('here', profiler_options=options)":
        "start_trace takes a host_tracer_level from 0 to 3, and got 'all'. Give an int.",
    "profiler.start_trace('/dev/null/folder')\nprofiler.stop_trace()":
        "stop_trace can't write what was recorded to /dev/null/folder: Not a\ndirectory. Give",
    **{
        f"profiler.ProfileData({data})": words for data, words in {
            r"b'\x08\x01'": "the field planes of XSpace is of another kind. Give such",
            r"b'\x0b'": "other bytes: a field has the wire type 3. Give such",
            r"b'\x0a\x05'": "other bytes: the last field is cut off. Give such a file",
        }.items()
    },
    "importlib.import_module('minijax.profiler.servers')._seconds('seconds=-1')":
        "Give seconds from 0 to 600.",
    "profiler.start_server(-1)": "start_server can't listen at the port -1: ",
    "profiler.report(3)": "profiler.report takes a function as its first argument, and got 3. Give",
    "profiler.report(jnp.sin)(jax.ShapeDtypeStruct((3,), 'float32'))":
        "profiler.report runs sin, and got a ShapeDtypeStruct, which has no numbers. Give arrays.",
}  # fmt: skip

SPEAKERS = {"StepTrace": "StepTraceAnnotation", "TraceAnn": "TraceAnnotation",
            "twice": "start_trace", "options =": "start_trace",
            "/dev/null": "stop_trace", "two_servers": "start_server", "_seconds": "seconds",
            "from_file": "ProfileData.from_file", "ProfileData(": "ProfileData"}  # fmt: skip
NAMES = {
    case: next((name for call, name in SPEAKERS.items() if call in case),
               case.split("(")[0].removeprefix("profiler."))
    for case in {**MESSAGES, **OURS}
}  # fmt: skip
CASES = tuple(MESSAGES)
