"""Where the time and the memory of a program go, under the names of `jax.profiler`.

`trace` records what happens in a block of lines, for Perfetto's viewer, chrome://tracing or XProf;
`save_device_memory_profile` says, for pprof, which arrays there are. `report` is ours: one call of
a function, step by step, beside what this machine can do. While nothing is recorded, all of this
costs nothing: what reports to a recording is put in when it begins, and taken out when it ends.
"""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.profiler.annotations": "StepTraceAnnotation TraceAnnotation annotate_function",
    "minijax.profiler.memory_profiles": "device_memory_profile save_device_memory_profile",
    "minijax.profiler.reports": "report",
    "minijax.profiler.profile_data": "ProfileData ProfileEvent ProfilePlane",
    "minijax.profiler.servers": "start_server stop_server",
    "minijax.profiler.traces": "ProfileOptions start_trace stop_trace trace",
})  # fmt: skip
