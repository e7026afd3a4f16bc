"""Types of Spark and kinds of the language."""

from __future__ import annotations

from typing import Final

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from tocsin.model.values import Kind

_KINDS: Final[tuple[tuple[type[DataType], Kind], ...]] = (
    (BooleanType, Kind.BOOLEAN),
    *((whole, Kind.INTEGER) for whole in (ByteType, ShortType, IntegerType, LongType)),
    *((broken, Kind.FLOAT) for broken in (FloatType, DoubleType, DecimalType)),
    (StringType, Kind.STRING),
    *((moment, Kind.TIMESTAMP) for moment in (TimestampType, TimestampNTZType, DateType)),
    (DayTimeIntervalType, Kind.DURATION),
)

SPARK_TYPES: Final = {
    Kind.BOOLEAN: "boolean",
    Kind.INTEGER: "bigint",
    Kind.FLOAT: "double",
    Kind.STRING: "string",
    Kind.TIMESTAMP: "timestamp",
    Kind.DURATION: "interval day to second",
}
"""How Spark calls the type of a typed column."""


def kind_of_type(of: DataType) -> Kind | None:
    """Return the kind of the values of a column; None where no event carries them.

    Examples
    --------
    >>> kind_of_type(LongType())
    <Kind.INTEGER: 'INTEGER'>
    """
    return next((kind for type_, kind in _KINDS if isinstance(of, type_)), None)


def is_carried(of: DataType) -> bool:
    """Say whether events carry the values of a column."""
    return isinstance(of, NullType) or kind_of_type(of) is not None
