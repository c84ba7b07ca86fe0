"""What does the job of a name that is not here: by the module that would have it, and the name.

Only names that are missing stand here, and only what is here is named: a test holds both.
"""

STAND_INS = {
    "minijax": {
        "float0": "jax.dtypes.float0",
    },
}

# What is for accelerators, and will not be here: by the module and the name, what it does.

FOR_ACCELERATORS = {
    "minijax.experimental.pallas": {
        **dict.fromkeys(("core_map", "kernel"), "runs a function on an accelerator's cores"),
        **dict.fromkeys(
            ("semaphore", "semaphore_read", "semaphore_signal", "semaphore_wait"),
            "is for cores of an accelerator that wait for each other",
        ),
        "DeviceIdType": "names the accelerator that a signal goes to",
        "delay": "has an accelerator's core wait",
        "get_global": "is for memory that all calls on an accelerator share",
        "lower_as_mlir": "writes a kernel as an accelerator's compiler takes it",
        "pallas_export_experimental": "writes a kernel as an accelerator's compiler takes it",
        "select_ref": "chooses what is copied between an accelerator's memories",
    },
}
