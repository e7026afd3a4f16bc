"""A program whose subscriptions come and go while events flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.checker import Checked, check
from tocsin.language.checker.streams import schema_of
from tocsin.language.normal import NormalSubscription, normalize
from tocsin.language.parser import parse
from tocsin.language.tokens import place_of
from tocsin.language.tree import (
    AttributeDeclaration,
    Program,
    Statement,
    StreamDeclaration,
    Subscription,
)
from tocsin.model.event import Schema


class LiveProgram:
    """The statements in force, checked together.

    Parameters
    ----------
    program
        What is in force from the beginning.

    Raises
    ------
    LanguageError
        The program is wrong.
    """

    def __init__(self, program: Program, *, default_stream: str | None = None) -> None:
        checked = check(program)
        self.default_stream = default_stream or checked.default_stream
        self.derived = _derived_schemas(checked)
        self._statements: tuple[Statement, ...] = program.statements

    @classmethod
    def restored(
        cls, program: Program, *, default_stream: str, derived: Mapping[str, Schema]
    ) -> LiveProgram:
        """Return a program that was in force before; what was accepted then is not judged again."""
        live = cls(Program(()), default_stream=default_stream)
        live.derived = dict(derived)
        live._statements = program.statements
        return live

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """The declared streams; what a subscription derives is none of them."""
        return {stream.name: schema_of(stream) for stream in self.program.streams}

    @property
    def program(self) -> Program:
        """What is in force now."""
        return Program(self._statements)

    def normal(self, subscriptions: tuple[Subscription, ...]) -> tuple[NormalSubscription, ...]:
        """Return the normal form of subscriptions that are in force."""
        definitions = {d.name: d.condition for d in self.program.definitions}
        return tuple(
            normalize(
                subscription,
                definitions=definitions,
                sources=subscription.sources or (self.default_stream,),
            )
            for subscription in subscriptions
        )

    def add(self, text: str) -> tuple[Subscription, ...]:
        """Put the statements of a text in force and return its subscriptions.

        They are checked against the streams and definitions in force, not against other
        subscriptions, so that the cost is that of the text.

        Raises
        ------
        LanguageError
            The text is wrong, alone or together with what is in force; nothing has changed then.
        """
        added = tuple(self._with_source(statement) for statement in parse(text).statements)
        known = tuple(s for s in self._statements if not isinstance(s, Subscription))
        checked = check(Program((*known, *self._known_derived(added), *added), text))
        subscriptions = tuple(s for s in added if isinstance(s, Subscription))
        for subscription in subscriptions:
            self._refuse_known_name(subscription, text)
        self._refuse_circles(subscriptions, text)
        self.derived.update(_derived_schemas(checked))
        self._statements += added
        return subscriptions

    def _with_source(self, statement: Statement) -> Statement:
        """A subscription that names no stream means the default stream of the beginning."""
        if isinstance(statement, Subscription) and not statement.sources:
            return replace(statement, sources=(self.default_stream,))
        return statement

    def _known_derived(self, added: tuple[Statement, ...]) -> tuple[StreamDeclaration, ...]:
        """Return declarations for the streams that others derive, where streams are declared."""
        declared = {s.name for s in (*self._statements, *added) if isinstance(s, StreamDeclaration)}
        own = {s.into for s in added if isinstance(s, Subscription)}
        if not declared:
            return ()
        return tuple(
            _declaration(name, schema)
            for name, schema in self.derived.items()
            if name not in declared and name not in own
        )

    def _refuse_known_name(self, subscription: Subscription, text: str) -> None:
        if any(s.name == subscription.name for s in self.program.subscriptions):
            what = f"a subscription called '{subscription.name}' is in force already"
            raise _error(what, text, subscription, "Unsubscribe it first, or choose another name.")

    def _refuse_circles(self, added: tuple[Subscription, ...], text: str) -> None:
        """Refuse a subscription that would read what it feeds, through others or directly."""
        everybody = (*self.program.subscriptions, *added)
        for subscription in added:
            reached = {subscription.into} - {None}
            while fed := {s.into for s in everybody if reached & set(s.sources)} - reached - {None}:
                reached |= fed
            if reached & set(subscription.sources):
                what = f"'{subscription.name}' would read its own derived events"
                raise _error(what, text, subscription, "Break the circle of derived streams.")

    def remove(self, name: str) -> Subscription:
        """Take a subscription out of force.

        Raises
        ------
        ConfigurationError
            No subscription has this name.
        """
        for statement in self._statements:
            if isinstance(statement, Subscription) and statement.name == name:
                self._statements = tuple(s for s in self._statements if s is not statement)
                return statement
        msg = f"no subscription is called '{name}'"
        raise ConfigurationError(msg)


def _derived_schemas(checked: Checked) -> dict[str, Schema]:
    return {name: checked.schemas[name] for name in checked.derived if name in checked.schemas}


def _declaration(name: str, schema: Schema) -> StreamDeclaration:
    attributes = tuple(AttributeDeclaration(*item) for item in schema.kinds.items())
    return StreamDeclaration(name, attributes, schema.time)


def _error(what: str, text: str, subscription: Subscription, hint: str) -> LanguageError:
    line, column, source = place_of(text, subscription.at)
    return LanguageError(what, source, line, column, hint)
