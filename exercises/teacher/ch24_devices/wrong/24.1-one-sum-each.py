"""Of two letters with the same collective, the last one's names are kept."""

from minijax.compiler.passes.cuts import joined
from minijax.compiler.passes.factors import carried, letters_of, on_devices, placed
from minijax.compiler.passes.moves import reason
from minijax.compiler.passes.partition import (
    Split,
    collectives,
    local_params,
    split,
    write_inside,
    write_programs,
)  # fmt: skip
from minijax.core.primitives import add, cast
from minijax.core.tracing import typeof


def split_by(names, found, cuts):
    def cut(axes):
        return tuple(joined(letters, names, found, cuts) for letters in axes)

    sums = {}
    for letter, collective in found.sums.items():
        if letter in names:
            sums[collective] = names[letter]
    return Split([*map(cut, found.operands)], [*map(cut, found.results)], sums, names)


def write_eqn(writer, eqn):
    if eqn.primitive in on_devices:
        return write_inside(writer, eqn)
    if eqn.primitive in carried:
        return write_programs(writer, eqn)
    cuts, found = writer.cuts, letters_of(eqn)
    way, why = split(eqn, found, cuts), reason(eqn, found, cuts)
    operands = [writer.read(x, cut, why) for x, cut in zip(eqn.invars, way.operands, strict=True)]
    outs = operands
    if eqn.primitive not in placed:
        out = eqn.primitive.bind(*operands, **local_params(eqn, found, way, cuts))
        outs = list(out) if eqn.primitive.multiple_results else [out]
    if found is not None and way.names.get(found.counts):
        size = typeof(outs[0]).shape[found.counts]
        start = collectives["start"](way.names[found.counts], size)
        outs[0] = add(outs[0], cast(start, typeof(outs[0]).dtype))
    writer.keep(eqn, outs, way.results, way.sums)
