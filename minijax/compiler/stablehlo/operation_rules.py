"""What a primitive is in StableHLO: one table, by the primitives' names.

A rule takes the builder, the types of the results and the operands, and, by name, the parameters.
It writes operations and returns a value, or a list of them where the primitive has several results.
"""

from __future__ import annotations

from collections.abc import Callable

Rule = Callable

rules: dict[str, Rule] = {}
# Rules that see keys as they are in the text, as words; what only moves keys moves their words.
rules_of_keys: dict[str, Rule] = {}
# Rules that a GPU has in place of these.
rules_on_gpus: dict[str, Rule] = {}
# Why a primitive has none.
refused: dict[str, str] = {}


def rule(*names: str, keys: bool = False, on_gpus: bool = False) -> Callable:
    """Decorates the rule of these primitives; with `keys`, also the one for keys; with `on_gpus`,
    the one that a GPU has instead."""

    def register(fun: Rule) -> Rule:
        for name in names:
            (rules_on_gpus if on_gpus else rules)[name] = fun
            if keys:
                rules_of_keys[name] = fun
        return fun

    return register


def no_text(name: str, why: str) -> NotImplementedError:
    return NotImplementedError(
        f"StableHLO has no text for the primitive {name}: {why}. Leave it out of what is to be "
        f"exported, or to run on XLA."
    )


_CALLS_BACK = "it calls a function of Python's, which is not in the text"
OF_AXES = "it goes along a named axis, which is none of the program's"
for _names, _reason in {
    "pure_callback io_callback debug_callback debug_print": _CALLS_BACK,
    "dim_as_value": "it is a size that is not known",
    "all_gather all_to_all ppermute reduce_scatter axis_index pbroadcast psum_invariant pvary "
    "all_gather_invariant all_gather_reduced unreduced_psum unreduced_reduce_scatter preduced "
    "reduced_vary_cast_p vary_unreduced_cast_p shard_map": OF_AXES,
    "new_ref empty_ref get swap addupdate freeze free_ref":
        "it is done to a reference, of which a program of values has none",
    "call": "it is only a name, which libraries ask for",
    "custom_lin": "it stands for a derivative that is still to be transposed",
    "scaled_matmul_wrapper": "it is an operation of a GPU's",
    "program_id num_programs": "it is a kernel's question, which pallas_call answers",
    "complex_of_floats complex_part floats_of_complex bits_of_half half_of_bits from_bits to_bits "
    "rounded counter key_word threefry strips side_by_side on_devices block_product "
    "own_memory":
        "it is made while kernels are compiled, and only there",
}.items():
    refused |= dict.fromkeys(_names.split(), _reason)
