"""Programs from whatever a caller has: text, path, tree, or what the builder makes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from tocsin.errors import ConfigurationError
from tocsin.language.parser import parse
from tocsin.language.tree import (
    Definition,
    FuzzySet,
    Program,
    Statement,
    StreamDeclaration,
    Subscription,
)


@runtime_checkable
class HasTree(Protocol):
    """What the builder makes: a thin cover around a tree."""

    @property
    def tree(self) -> object:
        """The tree inside."""


Subscriptions: TypeAlias = (
    str | Path | Program | Statement | HasTree | Iterable[Program | Statement | HasTree]
)


def load_program(given: Subscriptions) -> Program:
    """Return the program that a text, a path, a tree or a builder object stands for.

    A string without spaces that ends in `.tocsin` is a path.

    Raises
    ------
    LanguageError
        The text is wrong.
    ConfigurationError
        The file cannot be read, or the argument is nothing of the kind.

    Examples
    --------
    >>> len(load_program("SUBSCRIBE hot MATCH [temperature > 30]").subscriptions)
    1
    """
    if isinstance(given, Path):
        return parse(_read(given))
    if isinstance(given, str):
        is_path = given.endswith(".tocsin") and not any(c.isspace() for c in given)
        return parse(_read(Path(given)) if is_path else given)
    return Program(_statements(given)) if not isinstance(given, Program) else given


def _statements(given: object) -> tuple[Statement, ...]:
    match given:
        case Program():
            return given.statements
        case StreamDeclaration() | Definition() | FuzzySet() | Subscription():
            return (given,)
        case HasTree():
            return _statements(given.tree)
        case str() | bytes():
            pass
        case Iterable():
            return tuple(statement for one in given for statement in _statements(one))
    msg = f"{type(given).__name__} is no program; give text, a path, a tree or builder objects"
    raise ConfigurationError(msg)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the subscriptions in '{path}' cannot be read: {error}"
        raise ConfigurationError(msg) from error
