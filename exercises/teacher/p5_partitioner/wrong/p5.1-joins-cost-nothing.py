"""What gathers brings counts, and a join costs nothing."""

import minijax as jax
from minijax import lax
from minijax.core.batching import AxisData, extend_axis_env
from minijax.core.extend import Literal

ELEMENTWISE = {
    "abs", "add", "add_any", "convert_element_type", "cos", "div", "eq", "exp", "ge", "gt",
    "integer_pow", "log", "logistic", "lt", "max", "min", "mul", "neg", "pow", "select_n", "sin",
    "sqrt", "square", "stop_gradient", "sub", "tanh",
}  # fmt: skip
JOINS = {"reduce_max": lax.pmax, "reduce_sum": lax.psum, "dot_general": lax.psum}


def letters(eqn):
    """The letters of an equation's operands and of its result; None where nothing is known."""
    name, shapes = eqn.primitive.name, [x.aval.shape for x in eqn.invars]
    out = eqn.outvars[0].aval.shape
    axes = tuple(range(len(shapes[0]))) if shapes else ()

    def as_long(shape, places):
        return tuple(d if n == out[d] else None for n, d in zip(shape, places, strict=True))

    if name in ELEMENTWISE:
        return [as_long(shape, range(len(shape))) for shape in shapes], tuple(range(len(out)))
    if name == "broadcast_in_dim":
        places = eqn.params["broadcast_dimensions"]
        return [as_long(shapes[0], places)], tuple(range(len(out)))
    if name == "transpose":
        return [axes], tuple(eqn.params["permutation"])
    if name in ("reduce_sum", "reduce_max"):
        return [axes], tuple(d for d in axes if d not in eqn.params["axes"])
    if name == "dot_general":
        (x_sum, y_sum), (x_batch, y_batch) = eqn.params["dimension_numbers"]
        paired = dict(zip((*y_sum, *y_batch), (*x_sum, *x_batch), strict=True))
        y = tuple(paired.get(d, ("y", d)) for d in range(len(shapes[1])))
        free = (d for d in axes if d not in (*x_sum, *x_batch))
        return [axes, y], (*x_batch, *free, *(letter for letter in y if letter not in axes))
    return None


def size_of(x):
    return x.aval.size * x.aval.dtype.itemsize


class Walk:
    """One device's program while it is written: each variable's part, and what is whole."""

    def __init__(self, n):
        self.n, self.moved = n, 0
        self.cuts, self.parts, self.wholes = {}, {}, {}

    def keep(self, v, value, cut):
        self.cuts[v] = cut
        (self.wholes if cut is None else self.parts)[v] = value

    def cut(self, x):
        return None if isinstance(x, Literal) else self.cuts[x]

    def choices(self, eqn, found):
        cut_along = []
        for x, axes in zip(eqn.invars, found[0], strict=True):
            cut = self.cut(x)
            if cut is not None and axes[cut] is not None:
                cut_along.append(axes[cut])
        return [*dict.fromkeys(cut_along), None]

    def cost(self, eqn, found, letter):
        operands, result = found
        gathered = {
            x for x, axes in zip(eqn.invars, operands, strict=True)
            if self.cut(x) is not None and x not in self.wholes
            and (letter is None or axes[self.cut(x)] != letter)
        }  # fmt: skip
        joined = False
        sums = 2 * size_of(eqn.outvars[0]) * (self.n - 1) // self.n if joined else 0
        return sum(size_of(x) * (self.n - 1) // self.n for x in gathered) + sums

    def whole(self, x):
        if isinstance(x, Literal):
            return x.val
        if x not in self.wholes:
            part, cut = self.parts[x], self.cuts[x]
            self.wholes[x] = lax.all_gather(part, "d", axis=cut, tiled=True)
        return self.wholes[x]

    def read(self, x, axes, letter):
        if letter is None or letter not in axes:
            return self.whole(x)
        axis = axes.index(letter)
        if self.cut(x) == axis:
            return self.parts[x]
        size = x.aval.shape[axis] // self.n
        return lax.dynamic_slice_in_dim(self.whole(x), lax.axis_index("d") * size, size, axis)

    def write(self, eqn):
        found = letters(eqn)
        if found is None:
            found, choices = ([()] * len(eqn.invars), ()), [None]
        else:
            choices = self.choices(eqn, found)
        letter = min(choices, key=lambda each: self.cost(eqn, found, each))
        self.moved += self.cost(eqn, found, letter)
        operands, result = found
        values = [self.read(x, axes, letter) for x, axes in zip(eqn.invars, operands, strict=True)]
        cut = result.index(letter) if letter is not None and letter in result else None
        params = dict(eqn.params)
        if eqn.primitive.name == "broadcast_in_dim" and cut is not None:
            shape = list(params["shape"])
            shape[cut] //= self.n
            params["shape"] = tuple(shape)
        outs = eqn.primitive.bind(*values, **params)
        if letter is not None and cut is None:
            outs = JOINS[eqn.primitive.name](outs, "d")
        for v, out in zip(eqn.outvars, outs if eqn.primitive.multiple_results else [outs],
                          strict=True):  # fmt: skip
            self.keep(v, out, cut)


def partition(closed, n, cuts):
    """The program of one of n devices, how its results are cut, and the bytes that are moved."""
    walk, out_cuts = Walk(n), []

    def of_parts(*parts):
        for v, part, cut in zip(closed.jaxpr.invars, parts, cuts, strict=True):
            walk.keep(v, part, cut)
        for v, const in zip(closed.jaxpr.constvars, closed.consts, strict=True):
            walk.keep(v, const, None)
        for eqn in closed.jaxpr.eqns:
            walk.write(eqn)
        out_cuts.extend(map(walk.cut, closed.jaxpr.outvars))
        return [walk.whole(x) if walk.cut(x) is None else walk.parts[x]
                for x in closed.jaxpr.outvars]  # fmt: skip

    def local(v, cut):
        shape = tuple(m // n if d == cut else m for d, m in enumerate(v.aval.shape))
        return jax.ShapeDtypeStruct(shape, v.aval.dtype)

    types = [local(v, cut) for v, cut in zip(closed.jaxpr.invars, cuts, strict=True)]
    with extend_axis_env(AxisData("d", n)):
        program = jax.make_jaxpr(of_parts)(*types)
    return program, out_cuts, walk.moved
