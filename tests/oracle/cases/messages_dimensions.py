"""Mistakes with symbolic dimensions, and words of what is said to each."""

SETUP = """\
import importlib

export, core = (importlib.import_module(f'{jax.__name__}.{name}') for name in ('export', 'core'))
shape, S, F = export.symbolic_shape, jax.ShapeDtypeStruct, jnp.arange(3.0)
a, b = shape('a, b')

def bounded(*constraints):
    return shape('a, b', constraints=constraints)[0] >= 1

def exported(*shapes, f=lambda *xs: xs, **how):
    structs = [S(s, 'float32') for s in shapes]
    return export.export(jax.jit(f))(*structs)

def called(spec, *sizes, **how):
    return exported(shape(spec, **how)).call(jnp.ones(sizes))
"""

# By what the case begins with: what the message has of it.
_SPOKEN = {
    "shape(": "A symbolic shape", "shape('a, b', constraints": "'a'", "float(": "An integer",
    "shape(3)": "symbolic_shape", "bounded(": "constraint",
    "shape('a', constraints=": "constraint", "shape('a', scope": "symbolic_shape",
    "shape('a', constraints=['a >= 3'], scope": "symbolic_shape",
    "export.SymbolicScope(": "SymbolicScope", "export.symbolic_args_specs(": "symbolic_args_specs",
    "called(": "is expected", "exported((a*a": "The shapes of the arguments",
    "exported((a,": "'a'", "exported((a + b": "The shapes of the arguments",
    "exported((a,)).mlir": "StableHLO", "exported((a,), f": "'a",
    "exported((a,), f=jnp.stack": "jnp.stack",
    "exported((a,), f=jnp.concatenate": "jnp.concatenate",
    "exported((a,), f=lambda x: x.reshape": "'mod(a, 2)'", "exported((a, 3)": "jnp.squeeze",
    "exported((a,), (b,)": "jnp.add",
    "exported((a,), f=lambda x: x[::0]": "x[::0]",
    "exported((3,": "dimension variable",
    "core.max_dim(": "jax.core.max_dim", "core.min_dim(": "jax.core.min_dim",
    "called('k": "The shapes of the arguments", "called('a', 2, 2": "is expected",
    "called('a, floordiv": "A dimension", "shape('floordiv(a, b - 1)": "'b - 1'",
    "jax.eval_shape": "dimension", "int(": "int()", "[1, 2][": "An integer",
    "jax.jit(jnp.sin).lower": "compile", "jnp.ones(": "The symbolic dimension",
}  # fmt: skip

MESSAGES = {
    # Expressions.
    "a + shape('a')[0]": "'a' has another scope than what it meets,\nthe scope made at",
    "a // 0": "'a' is divided by 0. Give another divisor.",
    "divmod(a + 1, 0)": "'a + 1' is divided by 0.",
    "a ** -1": "'a' ** -1 is no size. Give a whole exponent",
    "a ** 2.5": "'a' ** 2.5 is no size. Give",
    "[1, 2][a]": "An integer is needed here, and 'a' is a symbolic dimension.\nGive a fixed size",
    "float(a + b)": "and 'b + a' is a symbolic dimension.\nGive a fixed size",
    "core.max_dim(a, 2.5)": "jax.core.max_dim takes sizes, and got 2.5. Give ints too.",
    "core.min_dim(2, 'b')": "takes sizes, and got 2 and 'b'. Give ints and symbolic dimensions.",
    "exported((a,), f=jnp.stack)":
        "jnp.stack got float32[a], whose parts have no known number. It is a stack already:\nTry",
    "exported((a,), f=jnp.concatenate)":
        "jnp.concatenate joins arrays along an axis, and numbers have none.\nLeave it out: they",
    "jnp.ones(3) * a": "'a' has no value here:\nit gets one when an exported function is called.",
    # Texts.
    "shape(3)": "symbolic_shape takes text or None, and got 3. Give text such as 'b, 3'.",
    "shape('a +')": "in 'a +', at its end,\na number or a variable is missing.\nGive",
    "shape('2a')": "in '2a', before 'a',\n',' is missing.",
    "shape('a; b')": "before '; b',\nno such character stands in a dimension.",
    "shape('a)')": "before ')',\nnothing more may follow.",
    "shape('max(a)')": "before ')',\n',' is missing.",
    "shape('a^b')": "before 'b',\na number or a variable is missing.",
    "shape('_, b')": "'_' stands for known sizes, and there is no `like`.",
    "shape('...')": "'...' stands for known sizes, and there is no `like`.",
    "shape('_, _', like=(3,))": "'_' is one too many for the known shape (3,).",
    "shape('_', like=(None,))": "'_' stands for a size that is None in (None,).",
    "shape('3, _', like=(4, 5))": "3 is no size of axis 0 of the shape (4, 5).",
    # Constraints and scopes.
    "shape('a', constraints='a >= 3')":
        "takes constraints as a sequence of strings, and got 'a >= 3'.",
    "export.SymbolicScope([3])": "takes constraints as a sequence of strings, and got [3].",
    "shape('a', constraints=['a > 3'])": "'a > 3' can't be read.\nGive two sides with one of ==",
    "shape('a', constraints=['3 >= 4'])": "No sizes satisfy the constraint '3 >= 4'",
    "bounded('a >= 4', 'a <= 3')": "No sizes satisfy the constraint 'a <= 3'",
    "bounded('a >= b + 1', 'b >= a')": "No sizes satisfy the constraint 'b >= a'",
    "bounded('2*a == 3')": "No sizes satisfy the constraint '2*a == 3'",
    "bounded('a + b == 3')": "has no single term on its left,",
    "bounded('2*a == b', '3*a == b + 1')": "is the second equality with this left.\nGive one.",
    "shape('a', constraints=['a >= 3'], scope=a.scope)": "got a scope and constraints, and a scope",
    "export.symbolic_args_specs((F,), ('a', 'b'))": "does not fit the tree that it describes at",
    "export.symbolic_args_specs(F, 'a', constraints=['a >= 3'], scope=a.scope)":
        "symbolic_args_specs got a scope and constraints",
    # Exporting and calling.
    "exported((a*a,))": "do not say what a is.\nA variable is found from an axis such as 'b'",
    "exported((a + b,))": "do not say what a and b are.",
    "exported((3,), f=lambda x: jnp.zeros(a) + 1)":
        "The dimension variable 'a' is in no shape of",
    "exported((a,), shape('a'))": "has another scope than what it meets",
    "exported((a, 3), f=jnp.squeeze)": "jnp.squeeze of float32[a,3]: whether a symbolic size is 1",
    "exported((a,), f=lambda x: x[::0])": "x[::0] has a slice with step 0. Give 1 or -1.",
    "exported((a,), f=lambda x: x[:a - 2])": "'a - 2' >= '0' depends on the sizes",
    "exported((a,), (b,), f=jnp.add)": "got the shapes (a,), (b,), which do not broadcast",
    "exported((a,), f=lambda x: x.reshape(2, -1))": "Whether 'mod(a, 2)' is 0 depends on",
    "called('a, a', 3, 4)": "has the size 4, and 'a' is expected:\nthat is 3, with a = 3.\nGive",
    "called('2*a', 3)": "and '2*a' is expected:\nthen 2*a would be 3, which 2 does not divide.",
    "called('a', 0)": "and 'a' is expected:\nthen a would be 0, and a dimension is 1 at least.",
    "called('a', 2, 2)": "has the shape (2, 2), and (a,) is expected.\nGive",
    "called('k, a', 3, 2, constraints=['a >= k'])":
        "do not satisfy the constraint 'a >= k', with k = 3, a = 2.\nGive",
    "jax.jit(jnp.sin).lower(S((a,), 'float32')).compile()":
        "compile makes programs for fixed sizes, and sin was lowered for float32[a].",
}  # fmt: skip
# JAX has no error here, or another one. (It has two classes InconclusiveDimensionOperation, one of
# them the other's child.)
OURS = {
    "int(a)": "and got the dimension 'a'.\nLeave int() out",
    "a >= b": "'a' >= 'b' depends on the sizes.\nGive symbolic_shape a constraint that decides it",
    "a - 3 < b": "'a - 3' < 'b' depends on the sizes.",
    "max(a, 3)": "'a' < '3' depends on the sizes.",
    "shape('a, b', constraints=['a >= 3'])[0] > 4": "sizes,\nwith the constraints a >= 3.",
    "shape('floordiv(a, b - 1)')[0] >= 1": "'a' is divided by 'b - 1', which may be 0.\nGive",
    "shape('(a, b')": "at its end,\n')' is missing.",
    "exported((a,), f=lambda x: list(x))": "int() needs a number, and got the dimension 'a'.",
    "exported((a,), f=lambda x: lax.top_k(x, 3))": "depends on the sizes",
    "exported((a,), f=lambda x: (x, jnp.zeros(shape('a'))))": "has another scope than what it",
    "bool(a - 1)": "Whether 'a - 1' is 0 depends on the sizes.\nGive symbolic_shape a constraint",
    "a >= 1.5": "'a' >= '1.5' compares a dimension with no whole number. Give an int.",
    "shape('a', scope=3)": "takes a SymbolicScope as scope, and got 3. Give a dimension's",
    "shape('a^101')": "the exponent 101 is above 100.",
    "shape('1' * 19)": "the number has more than 18 digits.",
    "shape('a, ' * 2000)": "A symbolic shape has more than 4000 characters. Give a shorter one.",
    "shape('max(' * 41)": "operations stand in more than 40 others.",
    "exported((a,)).mlir_module()": "StableHLO is written for fixed sizes, and float32[a] has",
    "called('a, floordiv(4, a - 1)', 1, 1)": "A dimension is divided by 0, with a = 1. Give",
}  # fmt: skip


def _spoken(case: str) -> str:
    found = max((start for start in _SPOKEN if case.startswith(start)), key=len, default=None)
    return _SPOKEN[found] if found else "'a"


NAMES = {case: _spoken(case) for case in MESSAGES | OURS}
CASES = tuple(MESSAGES)
