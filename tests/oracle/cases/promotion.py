"""The promotion table: every pair of dtypes, weak scalars among them, under several operators."""

DTYPES = (
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "int8",
    "int16",
    "int32",
    "bfloat16",
    "float16",
    "float32",
    "complex64",
)
WIDE = ("uint64", "int64", "float64", "complex128")
FUNCTIONS = (
    "jnp.add",
    "jnp.subtract",
    "jnp.multiply",
    "jnp.divide",
    "jnp.maximum",
    "jnp.equal",
    "lambda a, b: jnp.where(True, a, b)",
    "lambda a, b: jnp.concatenate([jnp.reshape(a, 1), jnp.reshape(b, 1)])",
)
OPERATORS = ("+", "-", "*", "/", "**", "==", "!=", "&", "|")
# Ordering complex numbers takes primitives that are not base ones.
ORDERS = ("jnp.less", "lambda a, b: a < b", "lambda a, b: a >= b")
SETUP = f"""
operands = {{name: jnp.ones((), name) for name in {DTYPES}}}
operands |= {{'2': 2, '2.5': 2.5, '2j': 2j, 'True': True}}

def outcome(f, a, b):
    try:
        result = jax.eval_shape(f, a, b)
    except Exception as error:
        return type(error).__name__
    return str(result.dtype) + ('*' if result.weak_type else '')

def table(f, without=()):
    taken = {{name: a for name, a in operands.items() if name not in without}}
    def row(a):
        return ' '.join(outcome(f, a, b) for b in taken.values())
    return '\\n'.join(f'{{name}}: {{row(a)}}' for name, a in taken.items())
"""


def cases():
    for function in FUNCTIONS:
        yield f"table({function})"
    for operator in OPERATORS:
        yield f"table(lambda a, b: a {operator} b)"
    for function in ORDERS:
        yield f"table({function}, without=('complex64', '2j'))"
    for left in DTYPES:
        yield (
            f"x = jnp.ones(2, '{left}')\n[x + 1, x + 1.0, 1 * x, x * True, x + np.ones(2, 'int8')]"
        )
        yield f"x = jnp.ones(2, '{left}')\n[x == 1, x / 2, x + jnp.ones(2, 'float16')]"
        yield f"[jnp.promote_types('{left}', d) for d in {DTYPES}]"
    for left in (*WIDE, "int32", "float32"):
        yield (
            "with jax.enable_x64(True):\n"
            f"    a = jnp.ones((), '{left}')\n"
            f"    pairs = [(a, jnp.ones((), d)) for d in {DTYPES + WIDE}]\n"
            "    pairs += [(a, 2), (a, 2.5), (a, 2j), (a, True)]\n"
            "    found = [jax.eval_shape(jnp.add, a, b) for a, b in pairs]\n"
            "    names = [(str(s.dtype), s.weak_type) for s in found]\n"
            "names"
        )
    yield (
        "jnp.result_type(jnp.ones(2, 'int8'), 1), jnp.result_type(1, 1.0), jnp.result_type('int32')"
    )


CASES = [*cases()]
