"""Every message of an error, outside the core, read as a user would read it.

It says who speaks (the function that was called), what was wrong, and what to do instead; its
lines are short; and what it advises exists.
"""

import ast
import builtins
import re
import traceback
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import config, lax, random, tree_util
from oracle import facts
from oracle.cases import messages

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minijax"

# What JAX does and minijax does not yet, and what only a direct call of a rule can get wrong.
ONLY_HERE = {
    "along(lambda x: lax.all_gather(x, ('i', 'j')))": "lax.all_gather goes along one named axis",
    "along(lambda x: lax.psum(x, 'i', axis_index_groups=[[0]]))": "lax.psum takes no axis_index_gr",
    "lax.iota_p.bind(dtype=np.dtype('int32'), shape=(2,), dimension=1, sharding=None)":
        "lax.broadcasted_iota counts along an axis of the shape (2,), and got axis 1.\nGive one",
    "along(lambda x: lax.psum_scatter(x, 'i'), jnp.ones((3, 6)))": "or pass tiled=True",
    "jnp.full(2, 1j, float)": "jnp.full cannot fill float32 with 1j, a complex number. Give a",
    "jnp.where(F > 1)": "jnp.where of a condition alone",
    "F[True, 0]": "x[True, 0], several bools or bools beside integers, is not here yet.",
    "F[False]": "x[False], an array of no elements, is not here yet. Write x[None][:0].",
    "F[jnp.array([0, 1])]": "x[...] by an array of integers, int32[2], is not here yet.\nGive",
    "F[F > 1]": "x[...] by a mask, bool[3], is not here yet.\nUse jnp.where(mask, x, other).",
    "traced(lambda n: F[n])": "x[...] by a traced integer, ~int32[], is not here yet.\nGive",
    "jnp.repeat(F, jnp.array([1, 2, 3]))": "jnp.repeat with a number for each element is not here",
    "jnp.vdot(C, C)": "jnp.vdot of complex numbers, which conjugates, is not here yet.\nGive",
    "jnp.var(C)": "jnp.var of complex numbers is not here yet. Give real numbers.",
    "jnp.round(jnp.arange(3), -1)": "jnp.round of int32[3] to -1 decimals is not here yet. Give",
    "F.sort()": "x.sort is not here yet. dir() of the array lists what is.",
    "jnp.einsum": "minijax.numpy.einsum is not here yet. dir() of the module lists what is.",
    "tree_util.flatten_one_level(3)": "flatten_one_level got a leaf, of <class 'int'>",
}  # fmt: skip
CASES = {**messages.MESSAGES, **ONLY_HERE}


def error_of(case: str) -> BaseException:
    names = facts.namespace("minijax")
    try:
        facts.evaluate(f"{messages.SETUP}\n{case}", names)
    except Exception as error:
        return error
    raise AssertionError("no error")


@pytest.fixture(autouse=True)
def whole_tracebacks():
    """Frames of the package stay in, so that each error tells the `raise` that it came from."""
    before = config.jax_traceback_filtering
    config.update("jax_traceback_filtering", "off")
    yield
    config.update("jax_traceback_filtering", before)


# What a message says.


def speaker(case: str) -> str:
    """What the case calls, as a message names it: what only goes round it is left out."""
    if case in messages.NAMES:
        return messages.NAMES[case]
    calls = re.findall(r"\b(jnp|lax|random|tree_util|jax)\.(\w+)", case)
    module, name = next(call for call in calls if call != ("random", "key") or len(calls) == 1)
    return name if module in ("tree_util", "jax") else f"{module}.{name}"


def own_lines(message: str) -> list[str]:
    """The lines without those that name a place in the user's files."""
    return [line for line in message.splitlines() if not line.startswith("  ")]


WAYS_OUT = re.compile(
    r"(^|[.:,;] |\n)(or )?(Ask|Call|Choose|Compare|Convert|Cut off|Decorate|Draw|Give|Index|Leave"
    r"|Make|Mark|Multiply|Name|name|Pass|Put|Try|Use|use|Wrap|Write)\b|lists what is"
)
# These sentences are the core's or Python's own.
NOT_OURS = {
    "jax.closure_convert(3, F)", "jax.lax.no_such_name", "traced(lambda n: F[F > n])",
    "tree_util.tree_flatten(collections.defaultdict(int, {1: 1, 'a': 2}))",
}  # fmt: skip
LONG = {"-(F > 1)", "jnp.sign(F > 1)"}  # what a dtype may be is the core's to say


@pytest.mark.parametrize("case", CASES)
def test_a_message_names_the_function_and_gives_a_way_out_in_short_lines(case):
    error = error_of(case)
    message = str(error)
    assert CASES[case] in message
    if case in NOT_OURS:
        return
    if case not in ONLY_HERE:
        assert "x[" in CASES[case] or "x.at[" in CASES[case] or speaker(case) in message, message
    assert WAYS_OUT.search(message), message
    printed = "".join(traceback.format_exception_only(error)).rstrip()
    assert max(map(len, own_lines(printed))) < 100 or case in LONG, printed
    assert re.search(r"[.)]$", own_lines(message)[-1]), message


# All of them are read.


def raises_of(file: Path) -> list[ast.Raise]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]


def test_every_raise_outside_the_core_has_a_case():
    reached = set()
    for case in CASES:
        for frame, line in traceback.walk_tb(error_of(case).__traceback__):
            reached.add((frame.f_code.co_filename, line))
    unread = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sorted(PACKAGE.rglob("*.py")) if file.parent.name != "core"
        for node in raises_of(file)
        if not any((str(file), line) in reached for line in range(node.lineno, node.end_lineno + 1))
    ]  # fmt: skip
    assert unread == []


# What they advise exists, in the core's messages too.

SPACES = {
    "jnp": jnp, "lax": lax, "jax": jax, "minijax": jax, "random": random, "np": np,
    "tree_util": tree_util, "x": jnp.ones((2, 2)), "config": config,
}  # fmt: skip
DOTTED = re.compile(rf"(?<![\w.'])({'|'.join(SPACES)})\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
CALLED = re.compile(r"(?<![\w.'\"])([a-z_0-9]+)\(")
OF_OTHERS = {"x.filled"}  # a method of NumPy's masked arrays
SHOWN = {"f", "g", "erf"}  # a user's own functions, and mathematics


def messages_in(file: Path) -> list[tuple[int, str]]:
    """The strings in a file that are no docstrings, with their lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        and id(node) not in docstrings and " " in node.value
    ]  # fmt: skip


def resolves(space: str, name: str) -> bool:
    value = SPACES[space]
    for part in name.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def known_function(name: str) -> bool:
    return any(hasattr(space, name) for space in (builtins, jax, jnp, tree_util))


FILES = [file for file in sorted(PACKAGE.rglob("*.py")) if file.name != "jax_names.py"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_what_a_message_advises_exists(file):
    missing = []
    for line, text in messages_in(file):
        for space, name in DOTTED.findall(text):
            if f"{space}.{name}" not in OF_OTHERS and not resolves(space, name):
                missing.append(f"{line}: {space}.{name}")
        for name in CALLED.findall(text):
            if name not in SHOWN and not known_function(name):
                missing.append(f"{line}: {name}(")
    assert missing == []


@pytest.mark.parametrize("text, found", [
    ("Use lax.scan instead.", True), ("Use lax.select instead.", False),
    ("Sort it: x.sort().", True), ("Try x.astype(float).", False),
    ("Call checkpoint(f).", True), ("Call vmap(f).", False),
])
def test_advice_that_leads_nowhere_is_found(text, found, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(f"raise TypeError({text!r})")
    if found:
        with pytest.raises(AssertionError):
            test_what_a_message_advises_exists(file)
    else:
        test_what_a_message_advises_exists(file)
