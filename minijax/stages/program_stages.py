"""The first stages: the user's lines, the jaxpr, and the simplified program."""

from __future__ import annotations

from collections.abc import Sequence

from minijax.core.staging import JaxprEqn
from minijax.stages.costs import count
from minijax.stages.explained_program import ExplainedProgram
from minijax.stages.kin import Line, ShownStage, as_lines
from minijax.stages.printed_equations import printed_equations
from minijax.stages.reasons import why_it_stays
from minijax.stages.users_lines import sources_of_equations, users_source

NO_LINES = "No equation comes from a line of yours."
NOTHING = "Every equation of the jaxpr is needed, and none has a shorter way to the same bits."


def users_stage(explained: ExplainedProgram) -> ShownStage:
    sources = sources_of_equations(explained.traced.jaxpr.jaxpr)
    lines, found = users_source(sources.values())
    line_of = {key: found[source.code.co_filename, source.line]
               for key, source in sources.items() if source.code}  # fmt: skip
    return ShownStage("u", "Your lines", lines or as_lines(NO_LINES), line_of | found)


def users_line(eqn: JaxprEqn, users: ShownStage) -> list[Line]:
    """The line of an equation of the jaxpr; of one that the compiler made, the line that it has."""
    code, number = eqn.source_info[:2]
    where = code.co_filename if code else None
    found = users.line_of.get(id(eqn)) or users.line_of.get((where, number))
    return [found] if found else []


def jaxpr_stage(explained: ExplainedProgram, users: ShownStage) -> ShownStage:
    """Each equation comes from a line of the user's. One that no step computes says why."""
    changes, lines, line_of = explained.followed.changes, list[Line](), dict[int, Line]()
    for text, eqns in printed_equations(explained.traced.jaxpr.jaxpr):
        new = [eqn for eqn in eqns if id(eqn) not in line_of]
        gone = [changes[id(eqn)] for eqn in new if id(eqn) in changes]
        is_gone = bool(new) and len(gone) == len(new)
        come_from = dict.fromkeys(users.line_of[id(x)] for x in eqns if id(x) in users.line_of)
        lines.append(Line(text, list(come_from)))
        if is_gone:
            lines[-1].note, lines[-1].mark = str(gone[0]), gone[0].what
        line_of |= {id(eqn): lines[-1] for eqn in new}
    title = f"The jaxpr: {count(len(explained.traced.jaxpr.eqns), 'equation')}"
    return ShownStage("j", title, lines, line_of)


def simplified_stage(
    explained: ExplainedProgram, users: ShownStage, jaxpr: ShownStage
) -> ShownStage:
    """Each equation comes from equations of the jaxpr, and else from a line of the user's."""
    changes, lines, line_of = explained.followed.changes, list[Line](), dict[int, Line]()
    for text, eqns in printed_equations(explained.executable.jaxpr.jaxpr, explained.names):
        new = [eqn for eqn in eqns if id(eqn) not in line_of]
        change = next((changes[id(eqn)] for eqn in new if id(eqn) in changes), None)
        stays = next(filter(None, map(why_it_stays, new)), "")
        lines.append(Line(text, origins(explained, eqns, users, jaxpr), stays))
        if change:
            lines[-1].note, lines[-1].mark = str(change), change.what
        line_of |= {id(eqn): lines[-1] for eqn in new}
    if is_nothing_new(lines, jaxpr):
        came = {key: line for key, lines in line_of.items() for line in lines.comes_from[:1]}
        title = "Simplified: nothing to simplify"
        return ShownStage("s", title, as_lines(NOTHING), came, is_prose=True)
    title = f"Simplified: {count(len(explained.executable.jaxpr.eqns), 'equation')}"
    return ShownStage("s", title, lines, line_of)


def is_nothing_new(lines: Sequence[Line], jaxpr: ShownStage) -> bool:
    same = [line.text for line in lines] == [line.text for line in jaxpr.lines]
    return same and not any(line.note for line in (*lines, *jaxpr.lines))


def origins(
    explained: ExplainedProgram, eqns: Sequence[JaxprEqn], users: ShownStage, jaxpr: ShownStage
) -> list[Line]:
    """The lines that equations of the simplified program come from."""
    found: dict[Line, None] = {}
    for eqn in eqns:
        old = [x for x in explained.followed.origins_of(eqn) if id(x) in jaxpr.line_of]
        lines = [jaxpr.line_of[id(x)] for x in old] or users_line(eqn, users)
        found |= dict.fromkeys(lines)
    return list(found)


def lines_for(
    explained: ExplainedProgram, eqns: Sequence[JaxprEqn], simplified: ShownStage, jaxpr: ShownStage
) -> list[Line]:
    """What a later line comes from that is for these equations: their lines in the simplified
    program, or in the jaxpr, where the compiler has made further equations of them."""
    found: dict[Line, None] = {}
    for eqn in eqns:
        line = simplified.line_of.get(id(eqn))
        old = [] if line else explained.followed.origins_of(eqn)
        lines = [line] if line else [jaxpr.line_of[id(x)] for x in old if id(x) in jaxpr.line_of]
        found |= dict.fromkeys(lines)
    return list(found)
