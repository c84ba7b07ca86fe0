"""Random programs as text, each made from a seed: a few lines that run under JAX and minijax.

The statements are drawn from program_templates.py. Which value a statement gives is asked of JAX
while a program is made, so that nothing here has to know the functions' rules. A statement that
JAX refuses is kept now and then, as the program's last one: the class of exception is compared too.
"""

import random as stdlib_random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from program_templates import TEMPLATES

SETUP = """\
nan, inf = math.nan, math.inf

def is_float(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)

def numbers(x, start):
    return jnp.asarray((np.arange(x.size) * 0.5 + start).reshape(x.shape), x.dtype)

def tangent(x):
    if not is_float(x):
        return np.zeros(x.shape, jax.dtypes.float0)
    return jnp.zeros_like(x) + 0.75 if x.weak_type else numbers(x, 0.75)

def leaves(tree):
    return [jnp.asarray(x) for x in jax.tree.leaves(tree)]

def total(tree):
    floats = [x for x in leaves(tree) if is_float(x)]
    return sum([jnp.sum(jnp.real(x) * numbers(jnp.real(x), 0.5)) for x in floats], 0.0)

def places(xs):
    return tuple(i for i, x in enumerate(xs) if jnp.issubdtype(x.dtype, jnp.floating))

def jit(f):
    return jax.jit(f)

def text_of(f):
    return lambda *xs: str(jax.make_jaxpr(f)(*xs))

def checkpoint(f):
    return jax.checkpoint(f)

def grad(f):
    return lambda *xs: jax.grad(lambda *xs: total(f(*xs)), places(xs))(*xs)

def value_and_grad(f):
    return lambda *xs: jax.value_and_grad(lambda *xs: total(f(*xs)), places(xs))(*xs)

def jacrev(f):
    return lambda *xs: jax.jacrev(lambda *xs: total(f(*xs)), places(xs))(*xs)

def jacfwd(f):
    def floats(*xs):
        return [x for x in leaves(f(*xs)) if is_float(x)]
    return lambda *xs: jax.jacfwd(floats, places(xs))(*xs)

def jvp(f):
    return lambda *xs: jax.jvp(lambda *xs: leaves(f(*xs)), xs, tuple(map(tangent, xs)))

def linearize(f):
    def g(*xs):
        out, linear = jax.linearize(lambda *xs: leaves(f(*xs)), *xs)
        return out, linear(*map(tangent, xs))
    return g

def vjp(f):
    def g(*xs):
        out, pull = jax.vjp(lambda *xs: leaves(f(*xs)), *xs)
        return out, pull(list(map(tangent, out)))
    return g

def vmap(f, out_axes=0):
    def g(*xs):
        pairs = [jnp.stack([x, jnp.flip(x)], i % 2 * x.ndim) for i, x in enumerate(xs)]
        return jax.vmap(f, [i % 2 * x.ndim for i, x in enumerate(xs)], out_axes)(*pairs)
    return g

def vmap_first(f):
    def g(*xs):
        return jax.vmap(f, (0,) + (None,) * (len(xs) - 1), -1)(jnp.stack([xs[0], xs[0]]), *xs[1:])
    return g

@jax.custom_jvp
def cube(x):
    return x * x * x

cube.defjvps(lambda t, ans, x: 3 * x * x * t)

@jax.custom_vjp
def sine(x):
    return jnp.sin(x)

sine.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (jnp.cos(x) * ct,))

@jax.custom_batching.custom_vmap
def doubled(x):
    return x + x

@doubled.def_vmap
def _(size, batched, x):
    return x + x, batched[0]
"""
DERIVATIVES = "grad value_and_grad jacrev jacfwd jvp linearize vjp".split()
STEPS = ["jit", "jit", "vmap", "vmap_first", "checkpoint", *DERIVATIVES]

DTYPES = {
    "b": ["bool"],
    "i": ["int32", "int32", "int32", "int8", "int16"],
    "u": ["uint8", "uint32", "uint16"],
    "f": ["float32"] * 6 + ["float16", "bfloat16"],
    "c": ["complex64"],
}
WIDE_DTYPES = {
    "b": ["bool"],
    "i": ["int64", "int64", "int32", "int8"],
    "u": ["uint64", "uint8"],
    "f": ["float64"] * 4 + ["float32"] * 2 + ["float16", "bfloat16"],
    "c": ["complex128", "complex64"],
}
KINDS = "fffffiiucb"
SHAPES = [(), (3,), (3,), (2, 3), (2, 3), (1,), (0,), (2, 1), (0, 3), (3, 3), (2, 1, 3)]
NUMBERS = ["0", "1", "2", "-1", "3", "0.0", "-0.0", "0.5", "2.0", "-1.5", "True", "False"]
ODD_NUMBERS = ["nan", "inf", "-inf", "2**31 - 1", "-(2**31)", "255", "1j", "1e-3", "300", "1e30"]
TAME = {
    "b": ["True", "False"],
    "i": ["-3", "-2", "-1", "0", "1", "2", "3", "5", "7"],
    "u": ["0", "1", "2", "3", "5", "7", "200"],
    "f": ["-2.5", "-1.5", "-1.0", "-0.5", "0.1", "0.25", "0.5", "1.0", "1.5", "2.0", "3.0", "0.7"],
    "c": ["1+2j", "-0.5j", "0.25-1j", "2+0j", "-1.5+0.5j", "-1+0j", "0.1+3j"],
}
FUNCTIONS = "sin cos tanh exp log sqrt square abs log1p arctan negative sinh cbrt".split()


class Known(NamedTuple):
    """A value that a program has come to: its name, and what JAX says that it is."""

    name: str
    shape: tuple[int, ...]
    dtype: str


class Program(NamedTuple):
    seed: int
    x64: bool
    inputs: list[tuple[str, str]]  # name and text
    statements: list[tuple[str, str]]  # names and text
    outputs: list[str]
    steps: tuple[str, ...]  # outermost first
    exact: bool  # its results are compared bit by bit

    @property
    def function(self) -> str:
        arguments = ", ".join(name for name, _ in self.inputs)
        lines = [f"    {names} = {text}" for names, text in self.statements]
        outputs = ", ".join(self.outputs)
        return "\n".join([f"def f({arguments}):", *lines, f"    return {outputs}"])

    @property
    def nested(self) -> str:
        nested = "f"
        for step in reversed(self.steps):
            nested = f"{step}({nested})"
        return nested

    def text(self) -> str:
        """What is run, without the setup."""
        inputs = [f"{name} = {text}" for name, text in self.inputs]
        arguments = ", ".join(name for name, _ in self.inputs)
        return "\n".join([*inputs, self.function, f"{self.nested}({arguments})"])

    def __str__(self) -> str:
        first = f"# program {self.seed}" + (", with jax_enable_x64" if self.x64 else "")
        return f"{first}\n{self.text()}"


def kind_of(dtype: str) -> str:
    return "b" if dtype == "bool" else "f" if dtype == "bfloat16" else dtype[0]


def width(dtype: str) -> int:
    return int(re.sub(r"\D", "", dtype) or 1)


def edges(dtype: str) -> list[str]:
    """The numbers at the edges of a dtype."""
    kind, bits = kind_of(dtype), width(dtype)
    if kind == "i":
        return [f"-(2**{bits - 1})", f"2**{bits - 1} - 1", "-1", "0", "1"]
    if kind == "u":
        return [f"2**{bits} - 1", f"2**{bits - 1}", "0", "1"]
    if kind == "f":
        large = {"float16": "6e4", "bfloat16": "3e38", "float32": "3e38"}.get(dtype, "1e308")
        return ["nan", "inf", "-inf", "0.0", "-0.0", large, "1e-4", "-1e3"]
    if kind == "c":
        return ["complex(nan, 0)", "complex(inf, 1)", "0j", "complex(-0.0, -0.0)", "1e5+1e-5j"]
    return ["True", "False"]


class Maker:
    """Makes one program from its seed. `value_of` asks JAX what a statement gives."""

    def __init__(self, seed: int, oracle: "Oracle"):
        self.seed, self.oracle = seed, oracle
        self.draw = stdlib_random.Random(seed)
        self.x64 = self.draw.random() < 0.3
        self.wild = self.draw.random() < 0.35
        self.dtypes = WIDE_DTYPES if self.x64 else DTYPES
        depth = self.choose([0, 0, 1, 1, 1, 2, 2, 3])
        self.steps = tuple(self.choose(STEPS) for _ in range(depth))
        self.inputs: list[tuple[str, str]] = []
        self.statements: list[tuple[str, str]] = []
        self.known: list[Known] = []
        self.exact = True

    # What a template's places are filled with.

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def choose(self, options):
        return options[self.draw.randrange(len(options))]

    def dtype(self, kinds: str = "") -> str:
        return self.choose(self.dtypes[self.choose([k for k in KINDS if k in kinds] or KINDS)])

    def literal(self, shape: tuple[int, ...], dtype: str) -> str:
        kind = kind_of(dtype)
        values = TAME[kind]
        if self.wild and self.chance(0.6):
            values = values + edges(dtype) * 2

        def nested(shape):
            if not shape:
                return self.choose(values)
            return "[" + ", ".join(nested(shape[1:]) for _ in range(shape[0])) + "]"

        if 0 in shape:
            return f"jnp.zeros({shape}, '{dtype}')"
        return f"jnp.array({nested(shape)}, '{dtype}')"

    def new_input(self, shape: tuple[int, ...], dtype: str) -> Known:
        name = "xyzuvwpqrst"[len(self.inputs)]
        if not shape and self.chance(0.3) and dtype in ("float32", "int32", "bool"):
            text = f"jnp.asarray({self.choose(TAME[kind_of(dtype)])})"  # weakly typed
            if self.x64:
                dtype = {"float32": "float64", "int32": "int64"}.get(dtype, dtype)
        else:
            text = self.literal(shape, dtype)
        self.inputs.append((name, text))
        self.known.append(Known(name, shape, dtype))
        return self.known[-1]

    def operand(self, bounds: str) -> Known:
        kinds = "".join(c for c in bounds if c in "biufc")
        ndim = int("".join(c for c in bounds if c in "123") or 0)
        fitting = [
            k for k in self.known
            if len(k.shape) >= ndim and (not kinds or kind_of(k.dtype) in kinds)
        ]  # fmt: skip
        if self.chance(0.02):
            fitting = self.known or fitting  # one that does not fit
        if fitting and (self.chance(0.8) or len(self.inputs) > 3):
            return self.choose(fitting[-4:])
        shape = self.choose([s for s in SHAPES if len(s) >= ndim])
        return self.new_input(shape, self.dtype(kinds))

    def like(self, x: Known) -> Known:
        fitting = [k for k in self.known if (k.shape, k.dtype) == (x.shape, x.dtype)]
        if self.chance(0.4) or len(self.inputs) > 4:
            return self.choose(fitting or [x])
        return self.new_input(x.shape, x.dtype)

    def broadcasting(self, x: Known) -> str:
        if self.chance(0.3):
            return self.number()
        fitting = [k for k in self.known if broadcasts(k.shape, x.shape)]
        if fitting and (self.chance(0.6) or len(self.inputs) > 3):
            return self.choose(fitting).name
        shapes = [s for s in (x.shape, x.shape[1:], (), (1,) * len(x.shape)) if len(s) <= 2]
        return self.new_input(self.choose(shapes or [()]), self.dtype()).name

    def number(self) -> str:
        number = self.choose(ODD_NUMBERS if self.chance(0.12) else NUMBERS)
        return f"({number})" if number.startswith("-") or "*" in number else number

    def axis(self, x: Known) -> str:
        if self.chance(0.03):
            return str(self.choose([len(x.shape), -len(x.shape) - 1]))
        axes = list(range(-len(x.shape), len(x.shape)))
        return str(self.choose(axes or [0, -1, None]))

    def indices(self, x: Known | None) -> str:
        size = x.shape[0] if x and x.shape else 3
        options = [0, -1, 1, size - 1, size, -size - 1]
        if self.chance(0.3):
            options += [2**31 - 1, -(2**31)]
        chosen = [self.choose(options) for _ in range(self.choose([2, 2, 2, 3, 0]))]
        self.index_count = len(chosen)
        if not chosen:
            return "jnp.zeros(0, 'int32')"
        wide = max(abs(i) for i in chosen) > 100
        signed = min(chosen) < 0
        small = ["int32", "int32", "int8"] + ([] if signed else ["uint8", "uint32"])
        return f"jnp.array({chosen}, '{self.choose(['int32'] if wide else small)}')"

    def place(self, place: str, operands: dict[str, Known]) -> str:
        if "|" in place:
            return self.choose(place.split("|"))
        name, mark, rest = re.fullmatch(r"(\w+)([:=~]?)(\w*)", place).groups()
        if len(name) == 1 and name in "xyz":
            if mark == "~":
                return self.broadcasting(operands[rest])
            if name not in operands:
                operands[name] = self.like(operands[rest]) if mark == "=" else self.operand(rest)
            return operands[name].name
        return PLACES[name](self, operands.get("x"))

    def filled(self, template: str) -> str:
        operands: dict[str, Known] = {}
        # The operand x with its bounds comes first, since other places speak of it.
        orders = (r"\{x:\w+\}", r"\{x\}", r"\{[yz]\W?\w*\}", r"\{[^{}]*\}")
        while any(found := re.search(order, template) for order in orders):
            filling = self.place(found.group()[1:-1], operands)
            template = template[: found.start()] + filling + template[found.end() :]
        return template

    # The program.

    def statement(self) -> bool:
        """Adds a statement that JAX takes; False if it takes none of several."""
        for _ in range(6):
            template = self.choose(TEMPLATES[self.choose(FAMILIES)])
            before = list(self.inputs), list(self.known)
            exact, text = template.startswith("="), self.filled(template.removeprefix("="))
            name = "abcdefgh"[len(self.statements)]
            if name == "f":
                name = "ff"
            if self.oracle.has_names(text):
                program = self.program([*self.statements, (name, text)], [name])
                outcome = self.oracle.outcome(program)
                if outcome is not None:
                    return self.take(name, text, exact, outcome)
                if self.chance(0.15):
                    self.statements.append((name, text))
                    self.results.append(name)
                    return False
            self.inputs, self.known = before
        return False

    def take(self, name: str, text: str, exact: bool, outcome: list) -> bool:
        self.exact = self.exact and exact
        self.statements.append((name, text))
        [out] = outcome
        if isinstance(out, (tuple, list)) and out and not hasattr(out, "_fields"):
            parts = [f"{name}{i}" for i in range(len(out))]
            self.statements[-1] = ("".join(f"{part}, " for part in parts).strip(), text)
            found = list(zip(parts, out, strict=True))
        else:
            found = [(name, out)]
        arrays = [(n, v) for n, v in found if hasattr(v, "shape")]
        self.known += [Known(n, tuple(v.shape), str(v.dtype)) for n, v in arrays]
        self.results = [*self.results, *(n for n, _ in found)][-4:]
        return True

    def program(self, statements: list, outputs: list[str]) -> Program:
        exact = self.exact and not set(self.steps) & set(DERIVATIVES)
        return Program(self.seed, self.x64, self.inputs, statements, outputs, self.steps, exact)

    def make(self) -> Program:
        first = "f" if set(self.steps) & set(DERIVATIVES) else ""
        self.new_input(self.choose(SHAPES), self.dtype(first))
        self.results = []
        for _ in range(self.choose([1, 1, 2, 2, 3, 4])):
            if not self.statement():
                break
        return self.program(self.statements, self.results or [self.known[0].name])


FAMILIES = [
    *["lax"] * 6, *["numpy"] * 7, *["doors"] * 3, *["inside"] * 2, "nn", "random", "special",
]  # fmt: skip


def broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False))


def same_size(maker: Maker, x: Known) -> str:
    size = int(np.prod(x.shape))
    shapes = [(size,), (1, size), (*x.shape, 1), x.shape[::-1]]
    return str(maker.choose(shapes))


def subset(maker: Maker, x: Known) -> tuple[int, ...]:
    return tuple(i for i in range(len(x.shape)) if maker.chance(0.6))


def per_axis(make: Callable) -> Callable:
    return lambda maker, x: str(tuple(make(maker, size) for size in x.shape))


def row_dimensions(maker: Maker, x: Known, names: str) -> str:
    window = tuple(range(1, len(x.shape)))
    first, second, third = names.split()
    return f"{first}={window}, {second}=(0,), {third}=(0,)"


def rows_for_ids(maker: Maker, x: Known) -> str:
    return f"jnp.ones(({maker.index_count}, *{x.name}.shape[1:]), {x.name}.dtype)"


def permutation(maker: Maker, x: Known) -> str:
    order = list(range(len(x.shape)))
    maker.draw.shuffle(order)
    return str(tuple(order))


def slice_bounds(maker: Maker, x: Known) -> str:
    start = tuple(maker.choose([0, 0, min(1, n)]) for n in x.shape)
    stop = tuple(maker.choose([n, n, max(n - 1, s)]) for n, s in zip(x.shape, start, strict=True))
    strides = maker.choose([None, tuple(maker.choose([1, 2]) for _ in x.shape)])
    return f"{start}, {stop}, {strides}"


def split_sizes(maker: Maker, x: Known) -> str:
    size = x.shape[0]
    return str(maker.choose([(size,), (0, size), (size - 1, 1)]))


def of_dtypes(kinds: str) -> Callable:
    return lambda maker, x: maker.dtype(kinds)


def index_array_like(maker: Maker, x: Known) -> str:
    return f"jnp.arange({int(np.prod(x.shape))}).reshape({x.shape}) % {maker.choose([2, 3])}"


def mask(maker: Maker, x: Known | None) -> str:
    size = x.shape[0] if x and x.shape else 2
    values = [maker.choose(["True", "False"]) for _ in range(size)]
    return f"jnp.array([{', '.join(values)}])"


def truth(maker: Maker, x: Known) -> str:
    return maker.choose(["True", "False", f"jnp.sum({x.name}) > 0", f"{x.name}.size > 2"])


def pads(maker: Maker, x: Known) -> str:
    return str([maker.choose([(0, 0, 0), (1, 0, 0), (0, 2, 1), (-1, 1, 0)]) for _ in x.shape])


# By name: what fills the place, given the operand x.
PLACES: dict[str, Callable[[Maker, Any], str]] = {
    "s": lambda maker, x: maker.number(),
    "axis": Maker.axis,
    "axis0": lambda maker, x: "0",
    "axes": lambda maker, x: maker.choose(["None", maker.axis(x), str(subset(maker, x))]),
    "some_axes": lambda maker, x: str(subset(maker, x)),
    "same_axes": lambda maker, x: str(tuple(range(len(x.shape)))),
    "tail": lambda maker, x: str(tuple(range(1, len(x.shape) + 1))),
    "ones": lambda maker, x: str(tuple(i for i, n in enumerate(x.shape) if n == 1)),
    "perm": permutation,
    "pads": pads,
    "starts": per_axis(lambda maker, n: maker.choose([0, -1, 1, n, 2**31 - 1, -(2**31)])),
    "inner_shape": per_axis(lambda maker, n: maker.choose([n, max(n - 1, 0)])),
    "reps": per_axis(lambda maker, n: maker.choose([1, 2, 0])),
    "slice_bounds": slice_bounds,
    "split_sizes": split_sizes,
    "same_size": same_size,
    "dims": lambda maker, x: str(maker.choose([(), (3,), (2, 3), (0,), (1,)])),
    "dtype": of_dtypes(""),
    "fdtype": of_dtypes("f"),
    "idtype": of_dtypes("i"),
    "udtype": of_dtypes("u"),
    "dtype_class": lambda maker, x: maker.dtype().replace("bool", "bool_"),
    "fun": lambda maker, x: maker.choose(FUNCTIONS),
    "key": lambda maker, x: maker.choose(["random.key(0)", "random.PRNGKey(7)", "random.key(42)"]),
    "at": lambda maker, x: str(maker.choose([0, 0, -1, 1, 2, 3, -4, 2**31 - 1, -(2**31)])),
    "ids": Maker.indices,
    "ids_like": index_array_like,
    "mask": mask,
    "truth": truth,
    "gather_row": lambda maker, x: row_dimensions(
        maker, x, "offset_dims collapsed_slice_dims start_index_map"),
    "scatter_row": lambda maker, x: row_dimensions(
        maker, x, "update_window_dims inserted_window_dims scatter_dims_to_operand_dims"),
    "row_sizes": lambda maker, x: str((1, *x.shape[1:])),
    "rows_for_ids": rows_for_ids,
}  # fmt: skip


class Oracle:
    """What JAX says while programs are made."""

    def __init__(self, namespace: Callable[[str], dict[str, Any]]):
        self.names = namespace("jax")
        exec(SETUP, self.names)
        ours = namespace("minijax")
        self.ours = {name: ours[name] for name in ("jax", "jnp", "lax", "random")}
        self.array = self.ours["jnp"].zeros((1, 1))

    def has_names(self, text: str) -> bool:
        """Whether minijax has every name that the text uses."""
        for chain in re.findall(r"\b(?:jax|jnp|lax|random)(?:\.[A-Za-z_]\w*)+", text):
            first, *names = chain.split(".")
            value = self.ours[first]
            for name in names:
                try:
                    value = getattr(value, name)
                except (AttributeError, NotImplementedError):
                    return False
        methods = re.findall(r"(?<![\w.])[a-z]\d?\.([a-z]\w*)", text)
        return all(hasattr(self.array, name) for name in methods)

    def outcome(self, program: Program) -> list | None:
        """The values of a program's outputs, or None where JAX raises."""
        names = dict(self.names)
        jax = names["jax"]
        with jax.enable_x64(program.x64):
            try:
                inputs = "\n".join(f"{name} = {text}" for name, text in program.inputs)
                exec(inputs, names)
                exec(program.function, names)
                xs = [names[name] for name, _ in program.inputs]
                f = names["f"]
                try:
                    return [jax.eval_shape(f, *xs)]
                except Exception:
                    if program.steps:
                        raise
                    return [f(*xs)]
            except Exception:
                return None
