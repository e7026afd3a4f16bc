"""What the checker found out about a program, for the engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.language.checker.problems import LanguageWarning
from tocsin.language.tree import Expression, Program
from tocsin.model.event import Schema
from tocsin.model.values import Kind


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one subscription.

    Attributes
    ----------
    sources
        The streams it reads.
    variables
        The kind of each variable that a match may bind, in the order of the text.
    emitted
        The kind of each name that EMIT gives, in the order of the text.
    parameters
        The names of its parameters, sorted; it is a template where there are any.
    """

    sources: tuple[str, ...]
    variables: Mapping[str, Kind]
    emitted: Mapping[str, Kind]
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """A program without errors, and what was found out about it.

    Attributes
    ----------
    program
        The program as it was given.
    warnings
        What is allowed, but probably not meant, in the order of the text.
    schemas
        Of declared and derived streams; any other stream is schema-free.
    derived
        The names of the subscriptions that feed a stream, for each stream that INTO names.
    default_stream
        The stream of rows and subscriptions that name none.
    order
        The places of the subscriptions in the program, so that those that feed a stream come
        before those that read it.
    facts
        One for each subscription, in the order of the program.
    """

    program: Program
    warnings: tuple[LanguageWarning, ...]
    schemas: Mapping[str, Schema]
    derived: Mapping[str, tuple[str, ...]]
    default_stream: str
    order: tuple[int, ...]
    facts: tuple[Facts, ...]

    @property
    def definitions(self) -> dict[str, Expression]:
        """The conditions that DEFINE statements name."""
        return {one.name: one.condition for one in self.program.definitions}
