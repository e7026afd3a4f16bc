"""Columns by which a row can be refused, since streams are declared otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DecimalType, StructType

from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.values import Kind
from tocsin.spark.folding import any_of
from tocsin.spark.intake import MOST_MS, Events, quoted
from tocsin.spark.kinds import kind_of_type
from tocsin.spark.schema import STREAM

_OF_INTEGERS: Final = 18
"""Whole numbers of so many digits are integers of 64 bits."""
_OF_FLOATS: Final = 15
"""So many digits a float holds, wherever the point is."""
_BEYOND: Final = float(2**63)
"""The first float that is no integer of 64 bits."""

_TRIED: Final = {
    Kind.INTEGER: (Kind.FLOAT,),
    Kind.TIMESTAMP: (Kind.INTEGER, Kind.FLOAT, Kind.STRING),
}
"""Kinds of columns of which the engine takes some values for what is declared."""


def doubtful_columns(
    program: Program, schema: StructType, read: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the columns that may hold a value which the engine refuses.

    Those are of another kind than a declaration says, or decimals that subscriptions read: no float
    equals 0.10. One engine refuses such a row for all subscriptions, also for those that do not
    read the column. So every engine must be given it.

    Parameters
    ----------
    read
        The columns that subscriptions read.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> from pyspark.sql.types import DoubleType, LongType
    >>> program = parse("STREAM s (v INTEGER, w INTEGER, x FLOAT)")
    >>> schema = StructType().add("v", DoubleType()).add("w", LongType()).add("x", LongType())
    >>> doubtful_columns(program, schema)
    ('v',)
    """
    declared = (name for _, name, _ in _doubtful(program, schema))
    return tuple(dict.fromkeys([*declared, *_decimals(schema, read)]))


def contradicted(program: Program, schema: StructType, stream: str) -> tuple[str, Kind] | None:
    """Return a column of a stream, and its declared kind, of which no value is; None without one.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> from pyspark.sql.types import DoubleType, StringType
    >>> program = parse("STREAM s (v INTEGER, w INTEGER)")
    >>> schema = StructType().add("v", DoubleType()).add("w", StringType())
    >>> contradicted(program, schema, "s")
    ('w', <Kind.INTEGER: 'INTEGER'>)
    """
    for name, column, declared in _doubtful(program, schema):
        if name == stream and kind_of_type(schema[column].dataType) not in _TRIED.get(declared, ()):
            return column, declared
    return None


def refused_rows(
    program: Program, events: Events, default: str, read: Iterable[str] = ()
) -> Column | None:
    """Return which rows the engine will refuse, since a value is not of the declared kind.

    A decimal that no integer and no float equals is refused as well. They have a place in the input
    and none among the events. None where there can be no such row.

    Parameters
    ----------
    default
        The stream of rows that name none.
    read
        The columns that subscriptions read.

    Raises
    ------
    ConfigurationError
        Only the engine can tell which values fit.
    """
    schema = events.frame.schema
    found = [_is_broken(name, schema) for name in _decimals(schema, read)]
    for stream, name, declared in _doubtful(program, schema):
        is_refused = _is_refused(name, declared, schema)
        if events.is_named:
            found.append(is_refused & (F.col(quoted(STREAM)) == stream))
        elif stream == default:
            found.append(is_refused)
    return any_of(found) if found else None


def _is_refused(name: str, declared: Kind, schema: StructType) -> Column:
    column, of = F.col(quoted(name)), schema[name].dataType
    kind = kind_of_type(of)
    if declared is Kind.TIMESTAMP and kind is Kind.INTEGER:
        return ~column.between(-MOST_MS, MOST_MS)
    if declared is Kind.TIMESTAMP or isinstance(of, DecimalType):
        msg = (
            f"the column '{name}' is a {of.simpleString()}, but {declared.value} is declared; cast "
            f"it, or declare it as it is"
        )
        raise ConfigurationError(msg)
    if kind is not Kind.FLOAT:
        return column.isNotNull()
    is_there = column.isNotNull() & ~F.isnan(column)
    if declared is not Kind.INTEGER:
        return is_there
    is_whole = (column == F.rint(column)) & (column >= -_BEYOND) & (column < _BEYOND)
    return is_there & ~is_whole


def _decimals(schema: StructType, read: Iterable[str]) -> list[str]:
    """Return the columns of decimals that are read, but for those that hold integers."""
    every = {one.name: one.dataType for one in schema.fields}
    return [name for name in sorted({*read} & {*every}) if _is_decimal(every[name])]


def _is_decimal(of: DataType) -> bool:
    return isinstance(of, DecimalType) and (of.scale > 0 or of.precision > _OF_INTEGERS)


def _is_broken(name: str, schema: StructType) -> Column:
    """Return whether no float equals a decimal.

    One with `s` digits after the point is a whole number of powers of 5 below and of 2: floats have
    the second alone. So few digits as are allowed here they hold exactly.
    """
    of = schema[name].dataType
    assert isinstance(of, DecimalType)
    if of.precision > _OF_FLOATS:
        msg = (
            f"the column '{name}' is a {of.simpleString()}, of which few values are numbers that "
            f"events carry; cast it to a double or a string"
        )
        raise ConfigurationError(msg)
    twos = F.lit(Decimal(2**of.scale))
    return F.coalesce((F.col(quoted(name)) * twos) % F.lit(Decimal(1)) != 0, F.lit(False))


def _doubtful(program: Program, schema: StructType) -> Iterator[tuple[str, str, Kind]]:
    """Yield streams, columns and the kinds that are declared for them."""
    for stream in program.statements:
        if isinstance(stream, StreamDeclaration):
            for one in stream.attributes:
                if one.name in schema.names and _may_differ(one.kind, schema, one.name):
                    yield stream.name, one.name, one.kind


def _may_differ(declared: Kind, schema: StructType, name: str) -> bool:
    kind = kind_of_type(schema[name].dataType)
    is_wider = declared is Kind.FLOAT and kind is Kind.INTEGER
    return kind is not None and kind is not declared and not is_wider
