"""The routines that a program calls on a GPU are those that JAX calls there: by their texts, which
takes no GPU."""

import re

import jax as real_jax
import numpy as np
import pytest
from jax.lax import linalg as jax_linalg

import minijax as jax
from minijax import lax
from minijax.compiler import stablehlo

X = np.eye(3, dtype=np.float32)
T = np.ones(3, np.float32)
TALL = np.ones((5, 4, 2), np.float32)
CALL = re.compile(
    r"custom_call @(?P<name>\w+)\(.*?backend_config = \{(?P<attributes>.*?)\}.*?"
    r"operand_layouts = (?P<taken>\[.*?\]), (?:output_operand.*? )?"
    r"result_layouts = (?P<given>\[.*?\])(?:, sdy.*?)?\} : (?P<types>.*)"
)
# A function of lax.linalg, its arguments, and what it is told.
CASES = {
    "lu": ("lu", [X], {}), "lu of a stack": ("lu", [TALL], {}),
    "qr": ("qr", [TALL], {"full_matrices": False}),
    "pivots": ("qr", [X], {"pivoting": True}),
    "householder_product": ("householder_product", [X, T], {}),
    "cholesky": ("cholesky", [X + 0j], {"symmetrize_input": False}),
    "eigh": ("eigh", [np.stack([X, X])], {"symmetrize_input": False}),
    "eigh, upper": ("eigh", [X + 0j], {"symmetrize_input": False, "lower": False}),
    "eig": ("eig", [X], {"compute_left_eigenvectors": False}), "complex eig": ("eig", [X + 0j], {}),
    "svd": ("svd", [TALL], {"full_matrices": False}), "full svd": ("svd", [TALL], {}),
    "singular values": ("svd", [TALL], {"compute_uv": False}),
    "tridiagonal": ("tridiagonal", [X], {}),
    "tridiagonal_solve": ("tridiagonal_solve", [T, T, T, X], {}),
}  # fmt: skip


def calls(text: str) -> list[dict]:
    """What is said of each call, as one writing says it. (JAX permutes pivots by a call, too.)"""
    text = text.replace("dense<[]>", "dense<>").replace("dense<[0]>", "dense<0>")
    found = [match.groupdict() for match in CALL.finditer(text)]
    for call in found:
        call["attributes"] = sorted(filter(None, call["attributes"].split(", ")))
    return [call for call in found if not call["name"].endswith("lu_pivots_to_permutation")]


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
@pytest.mark.parametrize("name", CASES)
def test_a_gpus_routines_are_called_as_by_jax(name, platform):
    function, args, how = CASES[name]
    closed = jax.make_jaxpr(lambda *xs: getattr(lax.linalg, function)(*xs, **how))(*args)
    ours = calls(stablehlo.module_text(closed, platform=platform))
    if function == "svd":
        how = {**how, "algorithm": jax_linalg.SvdAlgorithm.QR}  # (JAX chooses by the size)
    jitted = real_jax.jit(lambda *xs: getattr(jax_linalg, function)(*xs, **how))
    lowered = jitted.trace(*args).lower(lowering_platforms=(platform,))
    assert ours and ours == calls(lowered.as_text())


@pytest.mark.parametrize("name, platform", [
    ("schur", "cuda"), ("hessenberg", "rocm"), ("lu", "tpu"), ("eigh", "tpu"),
])  # fmt: skip
def test_what_a_platform_lacks_is_named(name, platform):
    closed = jax.make_jaxpr(getattr(lax.linalg, name))(X)
    with pytest.raises(NotImplementedError, match=f"XLA on {platform} has nothing that computes "):
        stablehlo.module_text(closed, platform=platform)
