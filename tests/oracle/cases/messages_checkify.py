"""A mistake for each `raise` of checks within programs."""

SETUP = """\
import importlib
checkify = importlib.import_module(f'{jax.__name__}.experimental.checkify')
check = checkify.check
F = jnp.arange(3.0)

def root(x):
    check(x >= 0, '{x} has no root. Give another.', x=x)
    return x ** 0.5

def doubled(x):
    return lax.while_loop(lambda x: x < 9, lambda x: 2 * x, x)
"""

BY_NAME = {
    "check": {
        "root(F[0] - 1)": "-1.0 has no root. Give another. (`check` failed)",
        "jax.vmap(root)(F - 1)": "-1.0 has no root. Give another. (`check` failed)",
        "checkify.checkify(root)(F[0] - 2)[0].throw()": "-2.0 has no root. Give another. (`che",
        "check(jnp.bool_(False), 'Give more.')": "Give more. (`check` failed)",
    },
    "checkify.check": {
        "jax.jit(root)(1.0)": "A checkify.check is in a program (of jit, or of a loop or a choice",
        "lax.scan(lambda c, x: (c, root(x)), 0.0, F)": "Call the function through checkify.chec",
        "check(F > 0, 'x')": "takes one bool as pred, or an array of one, and got a",
        "check(1, 'x')": "takes one bool as pred, or an array of one, and got 1.\nCompare",
        "check(np.bool_(True), 'x')": "as pred, or an array of one, and got",
        "check(True, '{}', 1)": "fills arrays into its message, and got 1.\nGive jnp.asarray of a",
        "check(True, '{}', x='y')": "fills arrays into its message, and got 'y'.\nGive jnp.asarray",
    },
    "checkify.debug_check": {
        "checkify.debug_check(F, 'x')": "takes one bool as pred, or an array of one, and got a",
        "checkify.debug_check(True, '{}', 2.0)": "fills arrays into its message, and got 2.0.\nGi",
    },
    "checkify.check_error": {
        "checkify.check_error(3)": "takes an Error, and got 3.\nGive the first result of a",
    },
    "checkify": {
        "checkify.checkify(3)(1.0)": "checkify takes a function as its first argument, and got 3.",
        "checkify.checkify(jax.vmap(doubled))(F + 1)": "through a lax.while_loop that vmap has",
        "checkify.checkify(lax.fori_loop)("
        "0, 2, lambda i, x: jax.pmap(root)(x), F[:1])": "has an error of its own. Call checkify",
    },
}
OURS_BY_NAME = {
    "checkify.check": {
        "from minijax.core.jitting import Backend, running\nrunning.backend = Backend()\ntry:\n"
        "    jax.jit(root)(1.0)\nfinally:\n    del running.backend\n0":
            "A checkify.check is in a program (of jit, or of a loop or a choice",
        "check(True, 3)": "takes a text as msg, and got 3. Give one.",
    },
    "checkify": {
        "checkify.checkify(root, errors=3)": "takes errors as a set of kinds, and got 3.\nGive",
        "checkify.checkify(root, {int})": "takes errors as a set of kinds, and got {<class 'int'>}",
    },
}

MESSAGES = {case: words for cases in BY_NAME.values() for case, words in cases.items()}
OURS = {case: words for cases in OURS_BY_NAME.values() for case, words in cases.items()}
NAMES = {
    case: name for table in (BY_NAME, OURS_BY_NAME) for name, cases in table.items()
    for case in cases
}  # fmt: skip
CASES = tuple(MESSAGES)
