"""Streams: declared, named, derived; which one is the default, and what their events hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tocsin.language.checker.attributes import Attributes, united
from tocsin.language.checker.statements import Statements
from tocsin.language.checker.where import atoms_of
from tocsin.language.suggest import nearest
from tocsin.language.tree import Atom, Definition, StreamDeclaration, Subscription
from tocsin.model.event import DEFAULT_STREAM, Schema
from tocsin.model.values import Kind


class Streams:
    """The streams of a program.

    Attributes
    ----------
    declared
        By STREAM statements; where there is one, every other stream must be derived.
    derived
        The subscriptions that feed a stream with INTO, by their place among all.
    schemas
        Of the declared streams, and of derived ones as soon as their subscriptions are checked.
    inputs
        Those that events come in by, in the order of the text.
    default
        The one of rows and subscriptions that name none.
    """

    def __init__(self, program: Statements, definitions: Mapping[str, Definition]) -> None:
        subscriptions = program.subscriptions
        self.declared: dict[str, StreamDeclaration] = {}
        for stream in program.streams:
            self.declared.setdefault(stream.name, stream)
        self.schemas: dict[str, Schema] = {
            name: schema_of(stream) for name, stream in self.declared.items()
        }
        self.derived: dict[str, list[int]] = {}
        for index, subscription in enumerate(subscriptions):
            if subscription.into is not None:
                self.derived.setdefault(subscription.into, []).append(index)
        named = self.declared or self._named(subscriptions, definitions)
        self.inputs = tuple(name for name in named if name not in self.derived)
        self.default = self.inputs[0] if len(self.inputs) == 1 else DEFAULT_STREAM
        self._known: dict[tuple[str, ...], Attributes] = {}

    @property
    def is_closed(self) -> bool:
        """Whether only declared and derived streams may be named."""
        return bool(self.declared)

    def __contains__(self, name: str) -> bool:
        return name in self.inputs or name in self.derived or name in self.declared

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.declared, *self.inputs, *self.derived)))

    def sources_of(self, subscription: Subscription) -> tuple[str, ...]:
        """Return the streams that a subscription reads."""
        return tuple(dict.fromkeys(subscription.sources)) or (self.default,)

    def attributes(self, names: tuple[str, ...]) -> Attributes:
        """Return what an event of these streams may hold; one object for the same streams."""
        known = self._known.get(names)
        if known is None:
            known = self._known[names] = self._attributes(names)
        return known

    def _attributes(self, names: tuple[str, ...]) -> Attributes:
        if len(names) != 1:
            return united(self.attributes((name,)) for name in names)
        schema = self.schemas.get(names[0])
        if schema is None:
            return Attributes({}, True, names)
        return Attributes(schema.kinds, False, names)

    def everything(self) -> Attributes:
        """Return what an event of any stream may hold."""
        names = tuple(self) or (self.default,)
        return self.attributes(names)

    def add_derived(self, name: str, kinds: Mapping[str, Kind]) -> None:
        """Give a derived stream its schema."""
        if name not in self.declared:
            self.schemas[name] = Schema(dict(kinds))
            self._known = {names: one for names, one in self._known.items() if name not in names}

    @staticmethod
    def _named(
        subscriptions: Iterable[Subscription], definitions: Mapping[str, Definition]
    ) -> dict[str, None]:
        """Return the streams that FROM and atoms name where nothing is declared."""
        named: dict[str, None] = {}
        doubtful: list[str] = []
        for subscription in subscriptions:
            named.update(dict.fromkeys(subscription.sources))
            for atom in atoms_of(subscription.pattern):
                if atom.stream is not None:
                    named[atom.stream] = None
                elif _is_no_definition(atom, definitions):
                    doubtful.append(str(atom.name))
        for name in doubtful:
            # A name like that of a DEFINE is a slip of the pen, not a stream.
            if name not in named and nearest(name, definitions) is None:
                named[name] = None
        return named


def _is_no_definition(atom: Atom, definitions: Mapping[str, Definition]) -> bool:
    return atom.name is not None and atom.name not in definitions


def schema_of(stream: StreamDeclaration) -> Schema:
    """Return the schema that a STREAM statement declares."""
    kinds = {attribute.name: attribute.kind for attribute in stream.attributes}
    return Schema(kinds, stream.time)
