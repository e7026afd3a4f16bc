"""Columns by which a row can be refused, since streams are declared otherwise."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType, StructType

from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.values import Kind
from tocsin.spark.intake import MOST_MS, Events, quoted
from tocsin.spark.kinds import kind_of_type
from tocsin.spark.schema import STREAM

_BEYOND: Final = float(2**63)
"""The first float that is no integer of 64 bits."""


def doubtful_columns(program: Program, schema: StructType) -> tuple[str, ...]:
    """Return the columns that may hold a value which a declaration refuses.

    One engine refuses such a row for all subscriptions, also for those that do not read the column.
    So every engine must be given it.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> from pyspark.sql.types import DoubleType, LongType
    >>> program = parse("STREAM s (v INTEGER, w INTEGER, x FLOAT)")
    >>> schema = StructType().add("v", DoubleType()).add("w", LongType()).add("x", LongType())
    >>> doubtful_columns(program, schema)
    ('v',)
    """
    return tuple(dict.fromkeys(name for _, name, _ in _doubtful(program, schema)))


def refused_rows(program: Program, events: Events, default: str) -> Column | None:
    """Return which rows the engine will refuse, since a value is not of the declared kind.

    They have a place in the input and none among the events. None where there can be no such row.

    Parameters
    ----------
    default
        The stream of rows that name none.

    Raises
    ------
    ConfigurationError
        Only the engine can tell which values fit.
    """
    found = []
    for stream, name, declared in _doubtful(program, events.frame.schema):
        is_refused = _is_refused(name, declared, events.frame.schema)
        if events.is_named:
            found.append(is_refused & (F.col(quoted(STREAM)) == stream))
        elif stream == default:
            found.append(is_refused)
    return reduce(operator.or_, found) if found else None


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
