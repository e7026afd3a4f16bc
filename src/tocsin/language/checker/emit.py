"""EMIT: every item has a name of its own, and a derived stream has one kind for each name."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.language.checker.attributes import either_kind
from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import comparable
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import listed, quoted, sentence, shown, word_for
from tocsin.language.suggest import did_you_mean
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    Aggregate,
    EmitItem,
    OfEvent,
    StreamDeclaration,
    Subscription,
    TimeOf,
)
from tocsin.language.tree.naming import own_name
from tocsin.model.values import Kind


def check_emit(subscription: Subscription, scope: Scope) -> dict[str, Kind]:
    """Check the EMIT clause and return the kind of each name."""
    kinds: dict[str, Kind] = {}
    for item in subscription.emit:
        found = len(scope.reported)
        kind = HANDLERS[type(item.expression)](item.expression, scope)
        name = own_name(item)
        if name is None:
            if len(scope.reported) == found:
                _report_nameless(item, scope)
        elif name in kinds:
            what = f"EMIT gives the name {quoted(name)} twice"
            hint = f"Rename one of them, as in {shown(item.expression)} AS {_other_name(item)}."
            scope.problems.error(item.at, what, hint)
        else:
            kinds[name] = kind
    return kinds


def _report_nameless(item: EmitItem, scope: Scope) -> None:
    text = shown(item.expression)
    what = f"{text} has no name of its own"
    scope.problems.error(item.at, what, f"Give it one: {text} AS {_other_name(item)}.")


def _other_name(item: EmitItem) -> str:
    expression = item.expression
    if isinstance(expression, Aggregate):
        parts = (expression.function, expression.attribute or expression.alias)
        return quote_name("_".join(parts))
    if isinstance(expression, TimeOf):
        return quote_name(f"time_of_{expression.event.alias}")
    if isinstance(expression, OfEvent):
        return quote_name(f"{expression.event.alias}_{expression.attribute}")
    return "name"


def check_declared(
    subscription: Subscription,
    kinds: Mapping[str, Kind],
    declared: StreamDeclaration,
    scope: Scope,
) -> None:
    """Check what goes INTO a stream that a STREAM statement declares."""
    wanted = {attribute.name: attribute.kind for attribute in declared.attributes}
    for item in subscription.emit:
        name = own_name(item)
        if name is None or name not in kinds:
            continue
        if name not in wanted:
            what = f"the stream {quoted(declared.name)} has no attribute {quoted(name)}"
            hint = sentence(did_you_mean(name, wanted), f"It has: {listed(wanted)}.")
            scope.problems.error(item.at, what, hint)
        elif not _fits(kinds[name], wanted[name]):
            what = (
                f"{quoted(name)} is {word_for(kinds[name])} here, and {word_for(wanted[name])} "
                f"in stream {quoted(declared.name)}"
            )
            scope.problems.error(item.at, what, "Change the expression or the declaration.")


def _fits(kind: Kind, wanted: Kind) -> bool:
    if kind is Kind.FLOAT and wanted is Kind.INTEGER:
        return False
    return comparable(kind, wanted)


def merge_kinds(
    subscription: Subscription,
    kinds: Mapping[str, Kind],
    known: Mapping[str, Kind],
    scope: Scope,
) -> dict[str, Kind]:
    """Return the kinds of a derived stream, fed by others before; check that they agree."""
    merged = dict(known)
    for item in subscription.emit:
        name = own_name(item)
        if name is None or name not in kinds:
            continue
        before, kind = merged.get(name, kinds[name]), kinds[name]
        if not comparable(before, kind):
            what = (
                f"{quoted(name)} of stream {quoted(str(subscription.into))} is {word_for(kind)} "
                f"here, and {word_for(before)} in another subscription"
            )
            hint = "Give it another name with AS, or send it INTO another stream."
            scope.problems.error(item.at, what, hint)
        merged[name] = either_kind(before, kind)
    return merged
