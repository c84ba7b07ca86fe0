"""What has no line is refused by the text, where somebody runs it, and not by the writer."""

import numpy as np

from minijax.core.staging import Literal

EXPRESSIONS = {
    "neg": "-{0}", "sin": "np.sin({0})", "exp": "np.exp({0})", "add": "{0} + {1}",
    "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "max": "np.maximum({0}, {1})",
    "gt": "{0} > {1}", "lt": "{0} < {1}",
}  # fmt: skip


def numpy_text(closed):
    """A module with a function `program` that does what `closed` does, and needs NumPy alone."""
    names, texts = {}, ["import numpy as np"]

    def name_of(program):
        if id(program) not in names:
            name = names[id(program)] = f"program{len(names) or ''}"
            texts.append(function_text(program, name, name_of))
        return names[id(program)]

    name_of(closed)
    return "\n\n\n".join(texts) + "\n"


def function_text(closed, name, name_of):
    """A program as the text of a function that returns a tuple."""
    known, lines = {}, []

    def named(x):
        if isinstance(x, Literal):
            return number_text(x.val, x.aval.dtype)
        return known.setdefault(x, f"v{len(known)}")

    args = ", ".join(map(named, closed.jaxpr.invars))
    for v, const in zip(closed.jaxpr.constvars, closed.consts, strict=True):
        lines.append(f"{named(v)} = {number_text(const, v.aval.dtype)}")
    for eqn in closed.eqns:
        xs = list(map(named, eqn.invars))
        outs = "".join(f"{named(v)}, " for v in eqn.outvars)
        lines += eqn_lines(eqn, xs, outs, name_of)
    lines.append(f"return ({''.join(f'{named(x)}, ' for x in closed.jaxpr.outvars)})")
    return "\n    ".join([f"def {name}({args}):", *lines])


def number_text(x, dtype):
    x = np.asarray(x, dtype)
    bits = f"bytes.fromhex('{x.tobytes().hex()}')"
    return f"np.frombuffer({bits}, '{x.dtype}').reshape({x.shape})"


def eqn_lines(eqn, xs, outs, name_of):
    params, name = eqn.params, eqn.primitive.name
    if name == "jit":
        return [f"{outs}= {name_of(params['jaxpr'])}({', '.join(xs)})"]
    if name == "while":
        k = params["cond_nconsts"]
        cond, rest = xs[:k], xs[k:]
        body, carry = rest[: params["body_nconsts"]], rest[params["body_nconsts"] :]
        return [
            f"state = ({', '.join(carry)},)",
            f"while {name_of(params['cond_jaxpr'])}({', '.join([*cond, '*state'])})[0]:",
            f"    state = {name_of(params['body_jaxpr'])}({', '.join([*body, '*state'])})",
            f"{outs}= state",
        ]
    return [f"{outs}= ({expression(eqn, xs)},)"]


def expression(eqn, xs):
    params, name, out = eqn.params, eqn.primitive.name, eqn.outvars[0].aval
    if name in EXPRESSIONS:
        return EXPRESSIONS[name].format(*xs)
    if name == "select_n":
        return f"np.where({xs[0]}, {xs[2]}, {xs[1]})"
    if name == "convert_element_type":
        return f"{xs[0]}.astype('{out.dtype}')"
    if name == "reshape":
        return f"{xs[0]}.reshape({out.shape})"
    if name == "transpose":
        return f"np.transpose({xs[0]}, {tuple(params['permutation'])})"
    if name == "reduce_sum":
        return f"np.sum({xs[0]}, {tuple(params['axes'])}, dtype='{out.dtype}')"
    if name == "broadcast_in_dim":
        dims, given = params["broadcast_dimensions"], eqn.invars[0].aval.shape
        shape = [1] * out.ndim
        for d, n in zip(dims, given, strict=True):
            shape[d] = n
        return f"np.broadcast_to({xs[0]}.reshape({tuple(shape)}), {out.shape})"
    return f"getattr(np, {name!r})({', '.join(xs)})"
