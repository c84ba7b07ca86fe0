"""A function as a program that leaves the process: `jax.export`.

`export(jit(f))(x)` is an `Exported`: the program of `f` for arguments like `x`, without any Python
function. It is called like `f`, it has a StableHLO text, and `serialize` makes bytes of it, from
which `deserialize` makes it again, in another process, which need not have `f`. With shapes from
`symbolic_shape("b, 3")` it is called with arguments of any sizes that fit.
"""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.export.dimension_expressions": "is_symbolic_dim",
    "minijax.export.dimensions": "SymbolicScope symbolic_args_specs symbolic_shape",
    "minijax.export.exported": "Exported default_export_platform deserialize export",
    "minijax.export.exported_fields": """
        maximum_supported_calling_convention_version minimum_supported_calling_convention_version
        """,
    "minijax.export.jax_format": "serialize_for_jax",
    "minijax.export.safety_checks": "DisabledSafetyCheck",
    "minijax.export.tree_format": """
        register_namedtuple_serialization register_pytree_node_serialization""",
})  # fmt: skip
