"""A program whose subscriptions come and go while events flow."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import ConfigurationError
from tocsin.language.checker import Checked, check
from tocsin.language.normal import NormalSubscription, normalize
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.language.tree import Expression, Program, Statement, Subscription
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
        self.checked: Checked = check(program)
        self.default_stream = default_stream or self.checked.default_stream
        self._statements: tuple[Statement, ...] = program.statements

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """The declared streams."""
        return self.checked.schemas

    @property
    def program(self) -> Program:
        """What is in force now."""
        return Program(self._statements)

    def normal(self, subscriptions: tuple[Subscription, ...]) -> tuple[NormalSubscription, ...]:
        """Return the normal form of subscriptions that are in force."""
        definitions = self._definitions()
        return tuple(
            normalize(
                subscription,
                definitions=definitions,
                sources=subscription.sources or (self.default_stream,),
            )
            for subscription in subscriptions
        )

    def _definitions(self) -> Mapping[str, Expression]:
        return {d.name: d.condition for d in Program(self._statements).definitions}

    def add(self, text: str) -> tuple[Subscription, ...]:
        """Put the statements of a text in force and return its subscriptions.

        The text stands first in what is checked, so that the places in an error are its own.

        Raises
        ------
        LanguageError
            The text is wrong, alone or together with what is in force; nothing has changed then.
        """
        added = parse(text)
        together = f"{text}\n;\n{to_text(self.program)}" if self._statements else text
        self.checked = check(parse(together))
        self._statements += added.statements
        return added.subscriptions

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
