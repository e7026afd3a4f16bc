"""`repeat(p, n, attribute, step)`: the attribute must be able to grow by the step."""

from __future__ import annotations

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.kinds import TIMESTAMP, UNKNOWN
from tocsin.language.checker.missing_attribute import report_unknown_attribute
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import quoted, word_for
from tocsin.language.tree import Atom, Repeat
from tocsin.model.durations import format_duration
from tocsin.model.values import Duration, Kind


def check_step(node: Repeat, scope: Scope) -> None:
    """Check the attribute and the step of a `repeat`."""
    known = _attributes(node, scope)
    kind = known.kinds.get(node.attribute)
    if kind is None:
        if not known.is_open:
            at = scope.problems.locator.argument(node.at, {node.attribute.upper()})
            report_unknown_attribute(node.attribute, at, known, scope)
    elif kind is not UNKNOWN:
        _check_kind(node, kind, scope)


def _attributes(node: Repeat, scope: Scope) -> Attributes:
    atom = node.pattern
    if isinstance(atom, Atom) and atom.stream in scope.sources.streams:
        return scope.names.streams.attributes((str(atom.stream),))
    if isinstance(atom, Atom) and atom.name in scope.sources.streams:
        return scope.names.streams.attributes((str(atom.name),))
    return scope.sources


def _check_kind(node: Repeat, kind: Kind, scope: Scope) -> None:
    at = scope.problems.locator.argument(node.at, {node.attribute.upper()})
    name = quoted(node.attribute)
    if kind is TIMESTAMP:
        if not isinstance(node.step, Duration):
            what = f"{name} is a timestamp, so its step must be a duration, not {node.step}"
            hint = f"Give the step a unit, as in {node.step} s or {node.step} min."
            scope.problems.error(at, what, hint)
    elif not kind.is_number:
        what = f"repeat lets a number or a timestamp grow, and {name} is {word_for(kind)}"
        scope.problems.error(at, what, "Name another attribute.")
    elif isinstance(node.step, Duration):
        what = f"{name} is a number, so its step must be one, not {format_duration(node.step)}"
        scope.problems.error(at, what, "Leave out the unit, or name a timestamp.")
