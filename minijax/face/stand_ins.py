"""What does the job of a name that is not here yet: by the module that will have it, and the name.

Only names that are missing stand here, and only what is here is named: a test holds both.
"""

STAND_INS = {
    "minijax": {
        "check_tracer_leaks": "jax.checking_leaks",
        "debug": "jax.disable_jit, under which Python's print shows values",
        "device_count": "len(jax.devices())",
        "float0": "jax.dtypes.float0",
        "local_device_count": "len(jax.devices())",
        "local_devices": "jax.devices",
        "pmap": "jax.vmap, on one device",
        "process_count": "1: there is one process",
        "process_index": "0: there is one process",
    },
}
