"""Each device counts from 0."""

from minijax.compiler.passes.cuts import joined
from minijax.compiler.passes.factors import carried, letters_of, on_devices, placed
from minijax.compiler.passes.moves import reason
from minijax.compiler.passes.partition import (
    Split,
    local_params,
    split,
    write_inside,
    write_programs,
)  # fmt: skip


def split_by(names, found, cuts):
    def cut(axes):
        return tuple(joined(letters, names, found, cuts) for letters in axes)

    sums = {}
    for letter, collective in found.sums.items():
        if letter in names:
            sums[collective] = sums.get(collective, ()) + names[letter]
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
    writer.keep(eqn, outs, way.results, way.sums)
