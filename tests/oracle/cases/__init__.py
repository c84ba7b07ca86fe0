"""The cases by topic. A case's text is its identity: facts are recorded under it.

Each topic's module holds `CASES`, and may hold `SETUP`, text that runs before each of its cases.
"""

import dataclasses
import importlib
import textwrap
from types import ModuleType

NAMES = (
    "activations",
    "arrays",
    "attention",
    "autodiff",
    "batching",
    "callbacks",
    "checkify",
    "checkpointing",
    "conditionals",
    "convolutions",
    "custom_rules",
    "derivative_jaxprs",
    "distributions",
    "dtypes",
    "effects",
    "elementwise",
    "errors",
    "explicit_types",
    "exports_on_devices",
    "finding_mistakes",
    "found_at_random",
    "found_in_docs",
    "fourier",
    "generators",
    "holomorphic",
    "indexing",
    "indexing_full",
    "indexing_primitives",
    "jaxprs",
    "jit",
    "keys",
    "library",
    "linalg",
    "linear_calls",
    "matrix_samplers",
    "messages",
    "messages_callbacks",
    "messages_checkify",
    "messages_checkpoint",
    "messages_conditionals",
    "messages_custom_rules",
    "messages_dimensions",
    "messages_export",
    "messages_indexing",
    "messages_laxrest",
    "messages_linalg",
    "messages_npindex",
    "messages_numpyapi",
    "messages_options",
    "messages_pallas",
    "messages_partition",
    "messages_profiler",
    "messages_references",
    "messages_samplers",
    "messages_scans",
    "messages_scipy",
    "messages_shard_map",
    "messages_sharding",
    "messages_smalldtypes",
    "messages_sorting",
    "messages_stages",
    "messages_windows",
    "nan_checks",
    "nestings",
    "numerics",
    "numpy_elementwise",
    "numpy_padding",
    "numpy_shapes",
    "numpy_sums",
    "numpy_weak_types",
    "odd_inputs",
    "offered",
    "offering_objects",
    "pallas",
    "parts_of_numbers",
    "product_precisions",
    "promotion",
    "pytrees",
    "random",
    "references",
    "refused_options",
    "samplers",
    "scaled_products",
    "scans",
    "scipy_distributions",
    "scipy_functions",
    "scipy_linalg",
    "scipy_special",
    "sets",
    "shard_map_nestings",
    "shard_maps",
    "sharded_jit_nestings",
    "sharding",
    "sized_slices",
    "small_dtypes",
    "small_modules",
    "small_names",
    "sorting",
    "special",
    "stages",
    "structural",
    "sums_on_devices",
    "tokens",
    "totals",
    "tracers",
    "ufuncs",
    "windows",
    "wrong_calls",
    "xla_metadata",
)


@dataclasses.dataclass(frozen=True)
class Topic:
    name: str
    setup: str
    cases: tuple[str, ...]


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")


def load(name: str) -> Topic:
    module = module_of(name)
    cases = tuple(textwrap.dedent(case).strip() for case in module.CASES)
    repeated = [case for case in cases if cases.count(case) > 1]
    if repeated:
        raise ValueError(f"topic {name} holds a case twice: {repeated[0]!r}")
    return Topic(name, getattr(module, "SETUP", ""), cases)


TOPICS = {name: load(name) for name in NAMES}
