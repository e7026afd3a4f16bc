"""What a frame of events must be like, told before anything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ByteType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from tocsin.errors import ConfigurationError
from tocsin.spark.kinds import kind_of_type
from tocsin.spark.missing import column_named
from tocsin.spark.schema import END, STREAM

_RESERVED: Final = "$"
_WHOLE: Final = (LongType, IntegerType, ShortType, ByteType)


def check_frame(frame: object, what: str, named: Mapping[str, str | None]) -> None:
    """See that the columns that options name are there and hold what they should.

    Raises
    ------
    ConfigurationError
        Says which option and which column.
    """
    if not isinstance(frame, DataFrame):  # what arguments in the wrong order are told by
        msg = (
            f"{what} is a {type(frame).__name__}, not a DataFrame of Spark; tables of pandas and "
            f"Arrow are for tocsin.match"
        )
        raise ConfigurationError(msg)
    _check_names(frame, what)
    for option, name in named.items():
        if name is not None and name not in frame.columns:
            raise ConfigurationError(column_named(what, name, f"{option}=", frame.columns))
    if named["end"] is not None and named["end"] == named["time"]:
        msg = f"time= and end= both name '{named['time']}'; leave end= out where events do not last"
        raise ConfigurationError(msg)
    types = {field.name: field.dataType for field in frame.schema.fields}
    for name in filter(None, (named["time"], named["end"])):
        _check_time(types[name], name, what)
    row, streams = named.get("row"), named.get("streams")
    if row is not None and not isinstance(types[row], _WHOLE):
        msg = (
            f"{what}: the column '{row}', which row= names, is a {types[row].simpleString()}; "
            f"it must number events with integers"
        )
        raise ConfigurationError(msg)
    if streams is not None and not isinstance(types[streams], StringType):
        msg = (
            f"{what}: the column '{streams}', which streams= names, is a "
            f"{types[streams].simpleString()}, not a string"
        )
        raise ConfigurationError(msg)


def check_options(simultaneous: str, **counts: int | None) -> None:
    """See that options that are no columns make sense; a count that is None was not given.

    Raises
    ------
    ConfigurationError
        Says which option.

    Examples
    --------
    >>> check_options("ordered", parts=0)
    Traceback (most recent call last):
    ...
    tocsin.errors.ConfigurationError: parts=0: it must be a whole number, 1 or more
    """
    if simultaneous not in ("ordered", "unordered"):
        msg = f"simultaneous={simultaneous!r} is unknown; use 'ordered' or 'unordered'"
        raise ConfigurationError(msg)
    for option, count in counts.items():
        if count is not None and (not isinstance(count, int) or count < 1):
            msg = f"{option}={count!r}: it must be a whole number, 1 or more"
            raise ConfigurationError(msg)


def check_same_types(frames: Mapping[str, DataFrame]) -> None:
    """See that columns of one name hold values of one kind in all frames.

    Raises
    ------
    ConfigurationError
        Says which column, and how it differs.
    """
    first: dict[str, tuple[str, DataType]] = {}
    for stream, frame in frames.items():
        for field in frame.schema.fields:
            other, of = first.setdefault(field.name, (stream, field.dataType))
            is_alike = of == field.dataType or (_is_number(of) and _is_number(field.dataType))
            if not is_alike:
                msg = (
                    f"the column '{field.name}' is a {of.simpleString()} in stream '{other}' and "
                    f"a {field.dataType.simpleString()} in stream '{stream}'; rename or cast one"
                )
                raise ConfigurationError(msg)


def _is_number(of: DataType) -> bool:
    kind = kind_of_type(of)
    return kind is not None and kind.is_number


def _check_time(of: DataType, name: str, what: str) -> None:
    if isinstance(of, TimestampType | TimestampNTZType | DateType | LongType | IntegerType):
        return
    hint = "; make it one with to_timestamp, zone included" if isinstance(of, StringType) else ""
    msg = (
        f"{what}: the column '{name}' is a {of.simpleString()}, not a timestamp, a date or whole "
        f"milliseconds{hint}"
    )
    raise ConfigurationError(msg)


def _check_names(frame: DataFrame, what: str) -> None:
    for name in frame.columns:
        if name.startswith(_RESERVED) and name not in (STREAM, END):
            msg = f"{what}: the column '{name}' begins with $, which tocsin keeps for itself"
            raise ConfigurationError(msg)
    twice = _twice(frame)
    if twice is not None:
        msg = f"{what} has two columns called '{twice}', or nearly so; rename or drop one of them"
        raise ConfigurationError(msg)


def _twice(frame: DataFrame) -> str | None:
    """Return a name that Spark cannot tell from another one."""
    names: Iterable[str] = frame.columns
    if frame.sparkSession.conf.get("spark.sql.caseSensitive") != "true":
        names = [name.lower() for name in names]
    return next((name for name, count in Counter(names).items() if count > 1), None)
