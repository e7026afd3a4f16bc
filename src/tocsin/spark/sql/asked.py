"""A call of the table function: its arguments, checked before the query runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from pyspark.sql.types import (
    DataType,
    DateType,
    IntegerType,
    IntegralType,
    LongType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tocsin.errors import ConfigurationError
from tocsin.language.load import load_program
from tocsin.language.suggest import did_you_mean
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tree import Program

OPTIONS: Final = ("end", "order", "streams", "key", "row", "dead_letters")
DeadLetters: TypeAlias = Literal["fail", "drop", "rows"]
_KINDS: Final[Mapping[str, tuple[type[DataType], str]]] = {
    "row": (IntegralType, "it must number events with integers"),
    "streams": (StringType, "it must hold names of streams"),
}
_TIMES: Final = (TimestampType, TimestampNTZType, DateType, LongType, IntegerType)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call says, by the names of its arguments; columns are those of the table."""

    schema: StructType
    program: Program
    time: str
    end: str | None = None
    order: str | None = None
    streams: str | None = None
    key: str | None = None
    row: str | None = None
    dead_letters: DeadLetters = "fail"

    @classmethod
    def of(cls, schema: DataType, texts: Mapping[str, str]) -> Asked:
        """Return a call that names only columns that are there.

        Raises
        ------
        ConfigurationError
            An argument or a column is unknown, or has the wrong type.
        LanguageError
            The subscriptions are wrong.
        """
        assert isinstance(schema, StructType)
        others = {name: texts[name] for name in ("subscriptions", "dead_letters") if name in texts}
        columns = {name: value for name, value in texts.items() if name not in others}
        for name, column in columns.items():
            if name not in ("time", *OPTIONS):
                hint = did_you_mean(name, OPTIONS) or f"There are: {', '.join(OPTIONS)}."
                msg = f"tocsin_match has no argument '{name}'. {hint}"
                raise ConfigurationError(msg)
            check_column(schema, column, f"which {name} names")
        for name in ("time", "end"):
            of = schema[columns[name]].dataType if name in columns else LongType()
            if not isinstance(of, _TIMES):
                msg = f"the column '{columns[name]}' is a {of.simpleString()}, and no time; "
                raise ConfigurationError(msg + "make it one with to_timestamp")
        for name, (wanted, called) in _KINDS.items():
            if name in columns and not isinstance(schema[columns[name]].dataType, wanted):
                is_ = schema[columns[name]].dataType.simpleString()
                msg = f"the column '{columns[name]}', which {name} names, is a {is_}; {called}"
                raise ConfigurationError(msg)
        program = load_program(texts["subscriptions"])
        refuse_unsupported(program)
        letters = _dead_letters(others.get("dead_letters", "fail"))
        return cls(schema, program, **columns, dead_letters=letters)


def _dead_letters(said: str) -> DeadLetters:
    for known in get_args(DeadLetters):
        if said == known:
            found: DeadLetters = known
            return found
    msg = f"dead_letters => '{said}' is unknown; use 'fail', 'drop' or 'rows'"
    raise ConfigurationError(msg)


def check_column(schema: StructType, name: str, why: str) -> None:
    """See that a table has a column; `why` says who names it."""
    if name not in schema.names:
        hint = did_you_mean(name, schema.names) or f"It has {', '.join(schema.names)}."
        msg = f"the table has no column '{name}', {why}. {hint}"
        raise ConfigurationError(msg)
