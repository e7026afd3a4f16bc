"""Columns by which a row can be refused, since streams are declared otherwise."""

from __future__ import annotations

from pyspark.sql.types import StructType

from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.values import Kind
from tocsin.spark.kinds import kind_of_type


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
    declared = [
        (one.name, one.kind)
        for stream in program.statements
        if isinstance(stream, StreamDeclaration)
        for one in stream.attributes
        if one.name in schema.names
    ]
    found = [name for name, kind in declared if _may_differ(kind, schema, name)]
    return tuple(dict.fromkeys(found))


def _may_differ(declared: Kind, schema: StructType, name: str) -> bool:
    kind = kind_of_type(schema[name].dataType)
    is_wider = declared is Kind.FLOAT and kind is Kind.INTEGER
    return kind is not None and kind is not declared and not is_wider
