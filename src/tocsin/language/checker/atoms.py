"""Which stream an atom names."""

from __future__ import annotations

from tocsin.language.checker.attributes import Attributes
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import listed, quoted, sentence
from tocsin.language.suggest import nearest
from tocsin.language.tokens import quote_name
from tocsin.language.tree import Atom


def stream_of_atom(node: Atom, scope: Scope) -> Attributes:
    """Return the attributes of the stream in `a:asks[…]`."""
    assert node.stream is not None
    if node.stream not in scope.sources.streams:
        at = scope.problems.locator.name(node.at, node.stream)
        if node.stream in scope.names.definitions and node.stream not in scope.names.streams:
            name = quote_name(node.stream)
            what = f"{quoted(node.stream)} is a DEFINE, and only a stream stands before a filter"
            scope.problems.error(at, what, f"Put it into the filter: [{name} AND …].")
        else:
            alias = "" if node.alias is not None else f"{quote_name(node.stream)}:[…]"
            _report_foreign(node.stream, at, scope, alias=alias)
        return scope.sources
    return scope.names.streams.attributes((node.stream,))


def refuse_both(node: Atom, scope: Scope) -> None:
    """Refuse a name that is a DEFINE and also one of the subscription's streams."""
    if node.name in scope.sources.streams:
        name = quote_name(str(node.name))
        at = scope.problems.locator.name(node.at, str(node.name))
        what = f"{quoted(str(node.name))} is both a DEFINE and a stream"
        hint = f"Write [{name}] for the DEFINE, {name}[TRUE] for the stream."
        scope.problems.error(at, what, hint)


def stream_of_name(node: Atom, scope: Scope) -> Attributes:
    """Return the attributes of an atom that is the name of a stream."""
    name = node.name
    assert name is not None
    if name in scope.sources.streams:
        return scope.names.streams.attributes((name,))
    at = scope.problems.locator.name(node.at, name)
    if name in scope.names.streams:
        _report_foreign(name, at, scope)
    else:
        _report_unknown(name, at, scope)
    return scope.sources


def _report_foreign(name: str, at: int, scope: Scope, *, alias: str = "") -> None:
    """Note that a subscription does not read a stream that one of its atoms asks for.

    `alias` is what stands there if the name was meant as an alias: `f:[…]` for `f[…]`.
    """
    sources, streams = scope.sources.streams, scope.names.streams
    if name not in streams:
        near = nearest(name, sources) or nearest(name, streams)
        meant = f"'{near}'" if near else alias
        hint = f"Did you mean {meant}?" if meant else ""
        reads = "" if near else f"This subscription reads: {listed(sources)}."
        scope.problems.error(at, f"unknown stream {quoted(name)}", sentence(hint, reads))
        return
    what = f"this subscription does not read the stream {quoted(name)}"
    wanted = ", ".join(quote_name(stream) for stream in dict.fromkeys((*sources, name)))
    is_certain = not alias or name in streams.declared or name in streams.derived
    meant = "" if is_certain else f"If {quoted(name)} is meant as an alias, write {alias}."
    scope.problems.error(at, what, sentence(f"Add it: FROM {wanted}.", meant))


def _report_unknown(name: str, at: int, scope: Scope) -> None:
    what = f"{quoted(name)} is neither a DEFINE nor a stream"
    near = nearest(name, [*scope.names.definitions, *scope.sources.streams])
    hint = f"Did you mean '{near}'?" if near else ""
    if not near:
        example = quote_name(name)
        hint = sentence(
            f"Write a filter in brackets, as in {example}:[price > 10],",
            f"or define it: DEFINE {example} AS …;",
        )
    scope.problems.error(at, what, hint)
