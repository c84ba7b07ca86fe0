"""What the program returns is not read by a step, and so its memory is used again."""

from minijax.core.extend import Var


def last_reads(outvars, steps, sources):
    seen, ended = set[Var](), []
    for step, source in zip(reversed(steps), reversed(sources), strict=True):
        here = {*step.reads, *(source.writes if source else step.eqn.outvars)}
        ended.append([v for v in here if v not in seen])
        seen |= here
    return ended[::-1]


def new(program, v):
    name, aval = program.variables[v], v.aval
    free = program.free.get((aval.size, aval.dtype))
    if free:
        program.taken[v] = free.pop()
        program.emit(f"{name} = {program.variables[program.taken[v]]}.reshape({aval.shape})")
    else:
        program.emit(f"{name} = empty({aval.shape}, {str(aval.dtype)!r})")
    program.forms.add(name)
    return name
