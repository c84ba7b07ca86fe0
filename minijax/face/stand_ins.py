"""What does the job of a name that is not here yet: by the module that will have it, and the name.

Only names that are missing stand here, and only what is here is named: a test holds both.
"""

STAND_INS = {
    "minijax": {
        "debug": "jax.disable_jit, under which Python's print shows values",
        "device_count": "len(jax.devices())",
        "float0": "jax.dtypes.float0",
        "local_device_count": "len(jax.devices())",
        "local_devices": "jax.devices",
        "pmap": "jax.vmap, on one device",
        "process_count": "1: there is one process",
        "process_index": "0: there is one process",
    },
    "minijax.numpy": {
        "float4_e2m1fn": "jnp.float16",
        "float6_e2m3fn": "jnp.float16",
        "float6_e3m2fn": "jnp.float16",
        "float8_e3m4": "jnp.float16",
        "float8_e4m3": "jnp.float16",
        "float8_e4m3b11fnuz": "jnp.float16",
        "float8_e4m3fn": "jnp.float16",
        "float8_e4m3fnuz": "jnp.float16",
        "float8_e5m2": "jnp.float16",
        "float8_e5m2fnuz": "jnp.float16",
        "float8_e8m0fnu": "jnp.bfloat16",
        "int1": "jnp.int8",
        "int2": "jnp.int8",
        "int4": "jnp.int8",
        "uint1": "jnp.uint8",
        "uint2": "jnp.uint8",
        "uint4": "jnp.uint8",
    },
}
