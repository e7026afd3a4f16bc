"""A program whose subscriptions come and go while events flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.checker import Checked, check
from tocsin.language.derivations import Derivations
from tocsin.language.in_force import InForce, names_in
from tocsin.language.normal import NormalSubscription, normalize
from tocsin.language.parser import parse
from tocsin.language.template import FilledTable
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
        self._put_in_force(program)

    @classmethod
    def restored(
        cls, program: Program, *, default_stream: str, derived: Mapping[str, Schema]
    ) -> LiveProgram:
        """Return a program that was in force before; what was accepted then is not judged again."""
        live = cls(Program(()), default_stream=default_stream)
        live.derived = dict(derived)
        live._put_in_force(program)
        return live

    def _put_in_force(self, program: Program) -> None:
        self._in_force = InForce(program.statements)
        self._derivations = Derivations(program.subscriptions)
        self._tables: dict[str, _TableInForce] = {}

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """The declared streams; what a subscription derives is none of them."""
        return self._in_force.schemas

    @property
    def program(self) -> Program:
        """What is in force now."""
        return Program(tuple(self._in_force))

    def normal(self, subscriptions: tuple[Subscription, ...]) -> tuple[NormalSubscription, ...]:
        """Return the normal form of subscriptions that are in force."""
        return tuple(
            normalize(
                subscription,
                definitions=self._in_force.definitions,
                sources=subscription.sources or (self.default_stream,),
            )
            for subscription in subscriptions
        )

    def add(self, text: str) -> tuple[Subscription, ...]:
        """Put the statements of a text in force and return its subscriptions.

        They are checked against the streams and definitions in force that they speak of, not
        against other subscriptions, so that the cost is that of the text.

        Raises
        ------
        LanguageError
            The text is wrong, alone or together with what is in force; nothing has changed then.
        """
        return self.add_statements(parse(text).statements, text)

    def add_statements(
        self, statements: Iterable[Statement], text: str = ""
    ) -> tuple[Subscription, ...]:
        """Put statements in force and return the subscriptions among them, as `add` does."""
        added = tuple(self._with_source(statement) for statement in statements)
        checked = self._checked(added, text)
        subscriptions = tuple(s for s in added if isinstance(s, Subscription))
        for subscription in subscriptions:
            self._refuse_known_name(subscription, text)
        self._refuse_circles(subscriptions, text)
        self.derived.update(_derived_schemas(checked))
        self._in_force.add(added)
        return subscriptions

    def add_table(self, filled: FilledTable, text: str = "") -> None:
        """Put the subscriptions of a table in force.

        Rows whose values are of the same kinds are checked as one.

        Raises
        ------
        LanguageError
            A row gives a wrong subscription, or a name is taken; nothing has changed then.
        """
        for row in filled.samples():
            checked = self._checked((self._with_source(filled.row(row)),), text)
        sample = self._with_source(filled.row(0))
        assert isinstance(sample, Subscription)
        for name in filled.names:
            if name in self._in_force.subscriptions or name in self._tables:
                self._refuse_known_name(replace(sample, name=name), text)
        self._refuse_circles((sample,), text)
        self.derived.update(_derived_schemas(checked))
        self._put_table(filled, sample)

    def restore_table(self, filled: FilledTable, gone: Iterable[str]) -> None:
        """Put the subscriptions of a table in force that were so before, but for some names."""
        sample = self._with_source(filled.row(0))
        assert isinstance(sample, Subscription)
        self._derivations.add(sample)
        self._put_table(filled, sample)
        for name in gone:
            self._remove_row(name)

    def _put_table(self, filled: FilledTable, sample: Subscription) -> None:
        in_force = _TableInForce(sample, len(filled.names))
        self._tables.update(dict.fromkeys(filled.names, in_force))

    def normal_template(self, filled: FilledTable) -> NormalSubscription:
        """Return the normal form of what the rows of a table have in common.

        Raises
        ------
        UnsupportedError
            A parameter stands where its value decides the form.
        """
        template = self._with_source(filled.template)
        assert isinstance(template, Subscription)
        return self.normal((template,))[0]

    def _with_source(self, statement: Statement) -> Statement:
        """A subscription that names no stream means the default stream of the beginning."""
        if isinstance(statement, Subscription) and not statement.sources:
            return replace(statement, sources=(self.default_stream,))
        return statement

    def _checked(self, added: tuple[Statement, ...], text: str) -> Checked:
        """Check statements together with what they speak of.

        What is wrong is checked once more with everything in force, so that the message can tell
        of names that the text does not.
        """
        if all(isinstance(one, Subscription) for one in added):
            names = set(names_in(added))
            known = self._in_force.spoken_of(names)
            derived = self._known_derived(added, names & self.derived.keys())
            try:
                return check(Program((*known, *derived, *added), text))
            except LanguageError:
                pass
        derived = self._known_derived(added, self.derived)
        return check(Program((*self._in_force.shared(), *derived, *added), text))

    def _known_derived(
        self, added: tuple[Statement, ...], names: Iterable[str]
    ) -> tuple[StreamDeclaration, ...]:
        """Return declarations for streams that others derive, where streams are declared."""
        declared = {s.name for s in added if isinstance(s, StreamDeclaration)}
        own = {s.into for s in added if isinstance(s, Subscription)}
        if not declared and not self.schemas:
            return ()
        return tuple(
            _declaration(name, self.derived[name])
            for name in names
            if name not in declared and name not in self.schemas and name not in own
        )

    def _refuse_known_name(self, subscription: Subscription, text: str) -> None:
        if subscription.name in self._in_force.subscriptions or subscription.name in self._tables:
            what = f"a subscription called '{subscription.name}' is in force already"
            raise _error(what, text, subscription, "Unsubscribe it first, or choose another name.")

    def _refuse_circles(self, added: tuple[Subscription, ...], text: str) -> None:
        """Refuse a subscription that would read what it feeds; else note what it derives."""
        for subscription in added:
            self._derivations.add(subscription)
        circular = next((s for s in added if self._derivations.is_circular(s)), None)
        if circular is None:
            return
        for subscription in added:
            self._derivations.remove(subscription)
        what = f"'{circular.name}' would read its own derived events"
        raise _error(what, text, circular, "Break the circle of derived streams.")

    def remove(self, name: str) -> Subscription:
        """Take a subscription out of force.

        Raises
        ------
        ConfigurationError
            No subscription has this name.
        """
        if name in self._tables:
            return self._remove_row(name)
        if name not in self._in_force.subscriptions:
            msg = f"no subscription is called '{name}'"
            raise ConfigurationError(msg)
        subscription = self._in_force.remove(name)
        self._derivations.remove(subscription)
        return subscription

    def _remove_row(self, name: str) -> Subscription:
        table = self._tables.pop(name)
        table.count -= 1
        if table.count == 0:
            self._derivations.remove(table.sample)
        return table.sample


@dataclass(slots=True)
class _TableInForce:
    """The first row of a table, which stands for all, and how many are in force."""

    sample: Subscription
    count: int


def _derived_schemas(checked: Checked) -> dict[str, Schema]:
    return {name: checked.schemas[name] for name in checked.derived if name in checked.schemas}


def _declaration(name: str, schema: Schema) -> StreamDeclaration:
    attributes = tuple(AttributeDeclaration(*item) for item in schema.kinds.items())
    return StreamDeclaration(name, attributes, schema.time)


def _error(what: str, text: str, subscription: Subscription, hint: str) -> LanguageError:
    line, column, source = place_of(text, subscription.at)
    return LanguageError(what, source, line, column, hint)
