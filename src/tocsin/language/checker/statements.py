"""The statements of a program by sort, found in one pass."""

from __future__ import annotations

from typing import NamedTuple

from tocsin.language.tree import Definition, FuzzySet, Program, StreamDeclaration, Subscription


class Statements(NamedTuple):
    """What a program holds, each sort in the order of the text."""

    streams: list[StreamDeclaration]
    definitions: list[Definition]
    fuzzy_sets: list[FuzzySet]
    subscriptions: list[Subscription]


def statements_of(program: Program) -> Statements:
    """Return the statements of a program by sort."""
    found = Statements([], [], [], [])
    for statement in program.statements:
        if isinstance(statement, Subscription):
            found.subscriptions.append(statement)
        elif isinstance(statement, Definition):
            found.definitions.append(statement)
        elif isinstance(statement, StreamDeclaration):
            found.streams.append(statement)
        else:
            found.fuzzy_sets.append(statement)
    return found
