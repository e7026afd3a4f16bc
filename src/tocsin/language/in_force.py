"""The statements in force, found by name: nothing here looks at all of them to change one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.language.checker.streams import schema_of
from tocsin.language.tree import (
    Definition,
    Expression,
    Statement,
    StreamDeclaration,
    Subscription,
)
from tocsin.language.variables import walk
from tocsin.model.event import Schema


class InForce:
    """Statements in the order in which they came, subscriptions by their names.

    Attributes
    ----------
    subscriptions
        By name.
    definitions
        The conditions that DEFINE names.
    schemas
        Of the declared streams.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.subscriptions: dict[str, Subscription] = {}
        self.definitions: dict[str, Expression] = {}
        self.schemas: dict[str, Schema] = {}
        self._statements: dict[int, Statement] = {}
        self._number_of: dict[str, int] = {}
        self._made = 0
        self._named: dict[str, list[Statement]] = {}  # all but subscriptions
        self._streams: list[StreamDeclaration] = []
        self.add(statements)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._statements.values())

    def add(self, statements: Iterable[Statement]) -> None:
        """Put statements in force, behind the others."""
        for statement in statements:
            self._statements[self._made] = statement
            if isinstance(statement, Subscription):
                self.subscriptions[statement.name] = statement
                self._number_of[statement.name] = self._made
            else:
                self._name(statement)
            self._made += 1

    def _name(self, statement: Statement) -> None:
        self._named.setdefault(statement.name, []).append(statement)
        if isinstance(statement, Definition):
            self.definitions[statement.name] = statement.condition
        elif isinstance(statement, StreamDeclaration):
            self.schemas[statement.name] = schema_of(statement)
            self._streams.append(statement)

    def remove(self, name: str) -> Subscription:
        """Take a subscription out of force and return it; a `KeyError` says there is none."""
        subscription = self.subscriptions.pop(name)
        del self._statements[self._number_of.pop(name)]
        return subscription

    def shared(self) -> tuple[Statement, ...]:
        """Return everything but the subscriptions."""
        return tuple(one for several in self._named.values() for one in several)

    def spoken_of(self, names: Iterable[str]) -> tuple[Statement, ...]:
        """Return what names may speak of, and what that speaks of; subscriptions are left out.

        One declared stream is always among it: where there is one, no other stream is known.
        """
        found: dict[str, list[Statement]] = {}
        waiting = list(names)
        if self._streams:
            waiting.append(self._streams[0].name)
        while waiting:
            name = waiting.pop()
            if name in self._named and name not in found:
                found[name] = self._named[name]
                waiting += names_in(one for one in found[name] if isinstance(one, Definition))
        return tuple(one for several in found.values() for one in several)


def names_in(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield all that may be a name in statements, with strings among it that are none.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> {"hot", "rooms", "r", "warm"} <= set(names_in(parse(
    ...     "SUBSCRIBE hot FROM rooms MATCH r:[warm]").statements))
    True
    """
    for statement in statements:
        yield from (node for node in walk(statement) if isinstance(node, str))
