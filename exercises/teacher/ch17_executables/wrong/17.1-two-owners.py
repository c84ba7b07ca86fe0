"""An array that is taken stays on the list of those that are free, for the next to take."""


def last_reads(outvars, steps, sources):
    seen, ended = set(outvars), []
    for step, source in zip(reversed(steps), reversed(sources), strict=True):
        here = {*step.reads, *(source.writes if source else step.eqn.outvars)}
        ended.append([v for v in here if v not in seen])
        seen |= here
    return ended[::-1]


def new(program, v):
    name, aval = program.variables[v], v.aval
    free = program.free.get((aval.size, aval.dtype))
    if free:
        program.taken[v] = free[0]
        program.emit(f"{name} = {program.variables[free[0]]}.reshape({aval.shape})")
    else:
        program.emit(f"{name} = empty({aval.shape}, {str(aval.dtype)!r})")
    program.forms.add(name)
    return name
