"""Statements: names given twice, time attributes, streams that are not there."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.language.checker.problems import Problems
from tocsin.language.checker.statements import Statements
from tocsin.language.checker.streams import Streams
from tocsin.language.checker.words import listed, quoted, sentence, word_for
from tocsin.language.suggest import did_you_mean
from tocsin.language.tokens import quote_name
from tocsin.language.tree import FuzzySet, Statement, StreamDeclaration, Subscription
from tocsin.model.values import Kind


def check_declarations(program: Statements, problems: Problems) -> None:
    """Check the names of all statements, and what STREAM statements say."""
    _check_twice("stream", program.streams, problems)
    _check_twice("DEFINE", program.definitions, problems)
    _check_twice("subscription", program.subscriptions, problems)
    terms: dict[tuple[str, str], FuzzySet] = {}
    for fuzzy_set in program.fuzzy_sets:
        before = terms.setdefault((fuzzy_set.name, fuzzy_set.attribute), fuzzy_set)
        if before is not fuzzy_set:
            name = f"fuzzy term {quoted(fuzzy_set.name)} of {quoted(fuzzy_set.attribute)}"
            _report_twice(name, fuzzy_set.at, before.at, problems)
    for stream in program.streams:
        _check_stream(stream, problems)


def _check_twice(what: str, statements: Iterable[Statement], problems: Problems) -> None:
    first: dict[str, Statement] = {}
    for statement in statements:
        before = first.setdefault(statement.name, statement)
        if before is not statement:
            _report_twice(f"{what} {quoted(statement.name)}", statement.at, before.at, problems)


def _report_twice(name: str, at: int, before: int, problems: Problems) -> None:
    line = problems.line_of(before)
    place = problems.locator.second(at)
    problems.error(place, f"the {name} is there twice", f"Rename it, or the one in line {line}.")


def _check_stream(stream: StreamDeclaration, problems: Problems) -> None:
    kinds: dict[str, Kind] = {}
    for attribute in stream.attributes:
        if attribute.name in kinds:
            what = f"the attribute {quoted(attribute.name)} is there twice"
            problems.error(attribute.at, what, "Leave out one of them, or rename it.")
        kinds[attribute.name] = attribute.kind
    if stream.time is None:
        return
    kind = kinds.get(stream.time)
    if kind is Kind.TIMESTAMP or kind is Kind.INTEGER:
        return
    at = problems.locator.after(stream.at, "TIME")
    if kind is None:
        what = f"the time attribute {quoted(stream.time)} is not among the attributes"
        near = did_you_mean(stream.time, kinds)
        hint = near or f"Add {quote_name(stream.time)} TIMESTAMP to the list."
        problems.error(at, what, hint)
    else:
        what = f"the time attribute {quoted(stream.time)} is {word_for(kind)}"
        hint = "Declare it as TIMESTAMP, or as INTEGER for milliseconds since 1970."
        problems.error(at, what, hint)


def check_sources(subscription: Subscription, streams: Streams, problems: Problems) -> None:
    """Check the streams after FROM, or that there is a default one."""
    if not subscription.sources:
        _check_default(subscription, streams, problems)
    seen: set[str] = set()
    for name in subscription.sources:
        if name in seen:
            at = problems.locator.listed(subscription.at, "FROM", name, nth=2)
            what = f"the stream {quoted(name)} stands after FROM twice"
            problems.error(at, what, "Leave out one of them.")
        elif streams.is_closed and name not in streams:
            at = problems.locator.listed(subscription.at, "FROM", name)
            near, known = did_you_mean(name, streams), list(streams)
            listing = f"The streams are: {listed(known)}." if len(known) > 1 or not near else ""
            hint = sentence(near, listing)
            problems.error(at, f"unknown stream {quoted(name)}", hint)
        seen.add(name)


def _check_default(subscription: Subscription, streams: Streams, problems: Problems) -> None:
    if streams.is_closed and len(streams.inputs) > 1 and streams.default not in streams:
        at = problems.locator.second(subscription.at)
        what = f"{quoted(subscription.name)} does not say which of the streams it reads"
        names = [quote_name(name) for name in streams.inputs]
        hint = f"Add FROM {names[0]} or FROM {names[1]}; FROM {listed(names)} reads them all."
        problems.error(at, what, hint)
