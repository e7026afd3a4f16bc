"""Messages for an attribute that is not there."""

from __future__ import annotations

from typing import Final

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.kinds import STRING
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.where import atoms_of
from tocsin.language.checker.words import listed, quoted, sentence, shown
from tocsin.language.suggest import did_you_mean, nearest
from tocsin.language.tokens import quote_name, quote_string
from tocsin.language.tree import And, Arithmetic, Attribute, Comparison, Expression, OfEvent

_SEVERAL: Final = 2


def report_unknown_attribute(name: str, at: int, known: Attributes, scope: Scope) -> None:
    """Note that the streams of an event have no such attribute."""
    what = f"unknown attribute {quoted(name)} in {known.where()}"
    scope.problems.error(at, what, _hint(name, at, known, scope))


def _hint(name: str, at: int, known: Attributes, scope: Scope) -> str:
    used = _other_owners(name, known, scope)
    if scope.definition is not None and scope.used_at >= 0 and len(list(scope.names.streams)) > 1:
        line = scope.problems.line_of(scope.used_at)
        used += f" The DEFINE {quoted(scope.definition)} is used on {known.where()} in line {line}."
    near = did_you_mean(name, known.kinds)
    if near:
        return sentence(near, known.listing(), used.strip(), _hint_for_value(name, scope))
    if scope.problems.locator.is_quoted(at):
        string = quote_string(name)
        return f"Strings stand in single quotes: {string}. Double quotes are for names."
    if name in scope.names.definitions:
        return f"{quoted(name)} is a DEFINE: it is a condition of its own, without a comparison."
    if name in scope.aliases:
        example = f"{quote_name(name)}.{quote_name(next(iter(known.kinds), 'attribute'))}"
        return f"{quoted(name)} is an alias: write one of its attributes, as in {example}."
    return sentence(known.listing(), used.strip(), _hint_for_value(name, scope))


def _hint_for_value(name: str, scope: Scope) -> str:
    """What may be meant by `result = fail`, and by `card = c` in several filters."""
    if scope.beside is None:
        return ""
    other, kind = scope.beside
    text = f"If you mean the text, write {quote_string(name)}." if kind is STRING else ""
    filters = atoms_of(scope.pattern) if scope.pattern is not None else ()
    if sum(_equals(atom.condition, name) for atom in filters) < _SEVERAL:
        return text
    variable = f"{shown(other)} = ${name}"
    return sentence(text, f"For the same value in several events use a variable: {variable}.")


def _equals(node: Expression | None, name: str) -> bool:
    """Say whether a filter compares something with this name, alone or after AND."""
    if isinstance(node, And):
        return any(_equals(part, name) for part in node.parts)
    return isinstance(node, Comparison) and node.operator == "=" and node.right == Attribute(name)


def _other_owners(name: str, known: Attributes, scope: Scope) -> str:
    owners = [
        stream
        for stream, schema in scope.names.streams.schemas.items()
        if name in schema.kinds and stream not in known.streams
    ]
    return f"It is an attribute of {listed(map(quoted, owners))}." if owners else ""


def report_no_event(name: str, at: int, scope: Scope) -> None:
    """Note that an attribute stands where no event is being looked at: `@`, WHERE, EMIT."""
    if name in scope.names.definitions:
        what = f"the DEFINE {quoted(name)} needs an event to look at, and there is none here"
        scope.problems.error(at, what, "Use it in the filter of an atom, as in a:[…].")
        return
    if name in scope.aliases:
        what = f"{quoted(name)} is an alias, and an event is no value"
        hint = f"Write one of its attributes, as in {quote_name(name)}.price, or t({name})."
    else:
        what = f"{quoted(name)} does not say which event it is of"
        hint = _hint_for_event(name, scope)
    scope.problems.error(at, what, hint)


def _hint_for_event(name: str, scope: Scope) -> str:
    owners = [
        _example(alias, name, is_repeated=bool(bound.loops))
        for alias, bound in scope.aliases.items()
        if bound.attributes.is_open or name in bound.attributes.kinds
    ]
    if owners:
        return f"Put the alias before it: {listed(owners[:3])}."
    if not scope.aliases:
        return f"Give an atom an alias, as in a:[…], and write a.{quote_name(name)}."
    near = nearest(name, scope.aliases)
    if near:
        return f"Did you mean something of the alias {quoted(near)}?"
    return f"Put an alias before it, as in a.{quote_name(name)}; here are: {listed(scope.aliases)}."


def _example(alias: str, name: str, *, is_repeated: bool) -> str:
    text = f"{quote_name(alias)}.{quote_name(name)}"
    return f"last({text})" if is_repeated else text


def hyphenated_name(node: Arithmetic) -> str | None:
    """Return `job-name` where a difference of attributes may be a name with hyphens."""
    parts: list[str] = []
    part: Expression = node
    while isinstance(part, Arithmetic) and part.operator == "-":
        if not isinstance(part.right, Attribute):
            return None
        parts.append(part.right.name)
        part = part.left
    if isinstance(part, Attribute):
        parts.append(part.name)
    elif isinstance(part, OfEvent) and part.event.which is None:
        parts.append(part.attribute)
    else:
        return None
    return "-".join(reversed(parts))
