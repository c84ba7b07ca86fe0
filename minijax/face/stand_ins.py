"""What does the job of a name that is not here yet: by the module that will have it, and the name.

Only names that are missing stand here, and only what is here is named: a test holds both.
"""

STAND_INS = {
    "minijax": {
        "float0": "jax.dtypes.float0",
    },
}
