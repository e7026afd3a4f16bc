"""Messages for references to events that cannot be resolved."""

from __future__ import annotations

from tocsin.language.checker.scope import Scope
from tocsin.language.checker.where import Position, position_of_alias
from tocsin.language.checker.words import listed, quoted, sentence
from tocsin.language.suggest import did_you_mean


def report_unknown_alias(alias: str, at: int, scope: Scope) -> None:
    """Note that an alias is unknown, or known but not visible here."""
    if scope.definition is not None or scope.pattern is None:
        report_in_definition(alias, at, scope)
        return
    name = quoted(alias)
    at = scope.problems.locator.name(at, alias)
    if scope.is_silent:
        what = f"a silence has no events, so there is none for {name} to stand for"
        scope.problems.error(at, what, "Use its variables, as in $x.")
        return
    match position_of_alias(scope.pattern, alias, at):
        case Position.NOWHERE:
            scope.problems.error(at, f"unknown alias {name}", _hint_for_unknown(alias, scope))
        case Position.OTHER_SIDE:
            what = f"the alias {name} is on the other side of '&', which is not seen here"
            hint = f"Put the condition behind both sides: (p & q) @ (… {alias} …)."
            scope.problems.error(at, what, hint)
        case Position.OTHER_BRANCH:
            what = f"the alias {name} is in another branch of '|', which is not taken here"
            hint = "Put the condition behind the alternatives, or into the branch of that alias."
            scope.problems.error(at, what, hint)
        case Position.ABSENT:
            what = f"the alias {name} is inside an absence, so no event stands for it"
            hint = "Refer to an atom outside the absence, or put the condition into it."
            scope.problems.error(at, what, hint)
        case _:
            what = f"the alias {name} is used before it is bound"
            hint = f"Move the condition to its atom, or behind it as in {alias}:[…] @ (…)."
            scope.problems.error(at, what, hint)


def _hint_for_unknown(alias: str, scope: Scope) -> str:
    known = [*scope.aliases, *([scope.own] if scope.own else [])]
    near = did_you_mean(alias, known)
    if near:
        return sentence(near, f"The aliases here are: {listed(known)}." if len(known) > 1 else "")
    if alias in scope.sources.streams:
        return f"{quoted(alias)} is a stream: give its atom an alias, as in a:{alias}[…]."
    if known:
        return f"The aliases here are: {listed(known)}."
    return f"Give an atom this alias: {alias}:[…]."


def report_in_definition(text: str, at: int, scope: Scope) -> None:
    """Note that a DEFINE speaks of more than one event."""
    what = f"a DEFINE looks at one event alone, so it cannot speak of {quoted(text)}"
    hint = "Write this condition in the pattern itself: in a filter, or behind a part as p @ (…)."
    scope.problems.error(at, what, hint)


def report_repeated(alias: str, suffix: str, at: int, scope: Scope) -> None:
    """Note that an iterated alias does not say which of its events is meant."""
    what = f"{quoted(alias)} is repeated, so it does not say which of its events is meant"
    hint = _of_which_attribute(alias, suffix) if suffix else _of_which_time(alias)
    if scope.own == alias:
        own = f"{suffix[1:]} alone" if suffix else _time_attribute(scope)
        hint = f"For the current event write {own}. For those before: {hint}"
    else:
        hint = f"Say which: {hint}"
    scope.problems.error(at, what, hint)


def _of_which_attribute(alias: str, suffix: str) -> str:
    text = f"{alias}{suffix}"
    return (
        f"first({text}), last({text}), prev({text}) or {alias}[1]{suffix}; "
        f"or all: count({alias}), sum({text}), avg({text}), min({text}), max({text})."
    )


def _of_which_time(alias: str) -> str:
    return f"t(first({alias})), t(last({alias})), t(prev({alias})) or t({alias}[1])."


def _time_attribute(scope: Scope) -> str:
    """Return the attribute that carries the time of the current event."""
    streams = scope.current.streams if scope.current is not None else ()
    schemas = [scope.names.streams.schemas.get(stream) for stream in streams]
    times = {schema.time for schema in schemas if schema is not None and schema.time is not None}
    return times.pop() if len(times) == 1 else "its time attribute"


def report_not_repeated(alias: str, text: str, at: int, scope: Scope) -> None:
    """Note that an atom that stands alone has no earlier repetitions."""
    if scope.loops:
        what = f"{quoted(text)} asks for earlier repetitions, and BY & puts them in no order"
        hint = "Use BY ; instead, or put the condition behind it with @ (…)."
    else:
        what = f"{quoted(text)} asks for earlier repetitions, and {quoted(alias)} has none"
        hint = f"Repeat the atom, as in {alias}:[…]+, or name another alias to the left."
    scope.problems.error(at, what, hint)
