"""References to events of the match: `a.price`, `t(a)`, `prev(a.price)`, `count(a)`."""

from __future__ import annotations

from typing import Final

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.kinds import BOOLEAN, DURATION, FLOAT, INTEGER, TIMESTAMP, UNKNOWN
from tocsin.language.checker.missing_alias import (
    report_in_definition,
    report_not_repeated,
    report_repeated,
    report_unknown_alias,
)
from tocsin.language.checker.missing_attribute import report_unknown_attribute
from tocsin.language.checker.scope import Bound, Scope
from tocsin.language.checker.where import atoms_of
from tocsin.language.checker.words import quoted, word_for
from tocsin.language.tree import (
    Aggregate,
    Atom,
    EventReference,
    Iteration,
    MatchDuration,
    OfEvent,
    Repeat,
    TimeOf,
)
from tocsin.model.values import Kind

_NUMERIC: Final = frozenset({"sum", "avg"})


def of_event(node: OfEvent, scope: Scope) -> Kind:
    """Return the kind of `a.price` and its relatives."""
    known = _attributes_of(node.event, scope, f".{node.attribute}")
    if known is None:
        return UNKNOWN
    kind = known.kinds.get(node.attribute)
    if kind is None and not known.is_open:
        at = scope.problems.locator.attribute(node.at)
        report_unknown_attribute(node.attribute, at, known, scope)
    return kind or UNKNOWN


def time_of(node: TimeOf, scope: Scope) -> Kind:
    """Return the kind of `t(a)`."""
    _attributes_of(node.event, scope, "")
    return TIMESTAMP


def match_duration(node: MatchDuration, scope: Scope) -> Kind:
    """Return the kind of `duration()`."""
    if scope.definition is not None:
        report_in_definition("duration()", node.at, scope)
    return DURATION


def aggregate(node: Aggregate, scope: Scope) -> Kind:
    """Return the kind of `count(a)`, `sum(a.price)` and so on."""
    known = _of_repetitions(node.alias, f"{node.function}({node.alias})", node.at, scope)
    if node.attribute is None:
        return INTEGER
    if known is None:
        return UNKNOWN
    kind = known.kinds.get(node.attribute)
    if kind is None and not known.is_open:
        place = scope.problems.locator.attribute(node.at)
        report_unknown_attribute(node.attribute, place, known, scope)
    return _aggregate_kind(node, kind or UNKNOWN, scope)


def _aggregate_kind(node: Aggregate, kind: Kind, scope: Scope) -> Kind:
    if node.function in _NUMERIC:
        if kind is UNKNOWN or kind is DURATION or kind.is_number:
            return FLOAT if node.function == "avg" and kind.is_number else kind
    elif kind is not BOOLEAN:
        return kind
    wanted = "numbers" if node.function in _NUMERIC else "numbers, strings or times"
    shown = f"{node.alias}.{node.attribute}"
    what = f"{node.function} works on {wanted}, and {quoted(shown)} is {word_for(kind)}"
    hint = f"To count, write count({node.alias}); for one of them, first({shown}) or last({shown})."
    scope.problems.error(node.at, what, hint)
    return UNKNOWN


def _attributes_of(event: EventReference, scope: Scope, suffix: str) -> Attributes | None:
    if event.which is not None:
        return _one_of_several(event, scope, suffix)
    bound = scope.aliases.get(event.alias)
    if bound is None:
        return _own_attributes(event, scope, suffix)
    if bound.loops and bound.loops != scope.loops[: len(bound.loops)]:
        report_repeated(event.alias, suffix, event.at, scope)
    elif bound.is_name:
        scope.name_uses.append((event.alias, event.at))
    return bound.attributes


def _own_attributes(event: EventReference, scope: Scope, suffix: str) -> Attributes | None:
    """An atom's own alias in its own filter is the current event, unless it is repeated."""
    if event.alias != scope.own:
        report_unknown_alias(event.alias, event.at, scope)
        return None
    if scope.loops:
        report_repeated(event.alias, suffix, event.at, scope)
    return scope.current


def _one_of_several(event: EventReference, scope: Scope, suffix: str) -> Attributes | None:
    if event.which == 0:
        text = f"{event.alias}[1]{suffix}"
        what = f"there is no {quoted(f'{event.alias}[0]')}"
        scope.problems.error(event.at, what, f"Repetitions count from 1: {text} is the first.")
    text = (
        f"{event.alias}[{event.which}]{suffix}"
        if isinstance(event.which, int)
        else f"{event.which}({event.alias}{suffix})"
    )
    return _of_repetitions(event.alias, text, event.at, scope)


def _of_repetitions(alias: str, text: str, at: int, scope: Scope) -> Attributes | None:
    """Return what an alias stands for where all its events so far are meant.

    Inside an iteration these are the events of earlier repetitions, so that the atom may stand
    further right, or be the one whose filter this is.
    """
    bound = scope.aliases.get(alias)
    if bound is not None:
        if bound.is_name:
            scope.name_uses.append((alias, at))
        return bound.attributes
    if alias == scope.own:
        if not scope.loops or _is_any_order(scope.loop_nodes[-1]):
            report_not_repeated(alias, text, at, scope)
        return scope.current
    repeated = _repeated(alias, scope)
    if repeated is None:
        report_unknown_alias(alias, at, scope)
        return None
    return repeated.attributes


def _is_any_order(node: Iteration | Repeat) -> bool:
    return isinstance(node, Repeat) and node.by is None


def _repeated(alias: str, scope: Scope) -> Bound | None:
    """Return an alias whose atom stands further right in an iteration around this place."""
    for node in scope.loop_nodes:
        found = scope.repeated.get(id(node))
        if found is None:
            found = scope.repeated[id(node)] = _bounds_below(node, scope)
        if alias in found:
            return found[alias]
    return None


def _bounds_below(node: Iteration | Repeat, scope: Scope) -> dict[str, Bound]:
    return {
        atom.alias or atom.name or "": Bound(_attributes(atom, scope), (), atom.at, is_name=False)
        for atom in atoms_of(node.pattern)
    }


def _attributes(atom: Atom, scope: Scope) -> Attributes:
    stream = atom.stream
    if atom.name is not None and atom.name not in scope.names.definitions:
        stream = atom.name
    if stream is None or stream not in scope.sources.streams:
        return scope.sources
    return scope.names.streams.attributes((stream,))
