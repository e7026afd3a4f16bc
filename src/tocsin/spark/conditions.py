"""Conditions of the planner as conditions of Spark, so that rows nobody needs are dropped early.

A condition may come out weaker than it was: then some rows are kept that a worker drops. It is
never stronger.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
    StructType,
)

from tocsin.language.tree import (
    And,
    Attribute,
    Between,
    Comparison,
    Expression,
    InList,
    Literal,
    Or,
    Presence,
)
from tocsin.spark.folding import all_of, any_of
from tocsin.spark.intake import quoted

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXACT: Final = 2**53
"""Up to here doubles and integers compare alike, whichever of them becomes the other."""
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def column_of(condition: Expression | None, schema: StructType) -> Column | None:
    """Return what rows that satisfy a condition satisfy in Spark; None where nothing is known."""
    match condition:
        case And(parts):
            known = [column for part in parts if (column := column_of(part, schema)) is not None]
            return all_of(known) if known else None
        case Or(parts):
            every = [column_of(part, schema) for part in parts]
            known = [column for column in every if column is not None]
            return any_of(known) if len(known) == len(every) else None
        case Literal(bool(value)):
            return F.lit(value)
        case Presence(Attribute(name), present):
            return _column(name).isNotNull() if present and name in schema.names else None
        case Comparison(sign, Attribute(name), Literal(value)):
            return _compared(sign, name, value, schema)
        case Comparison(sign, Literal(value), Attribute(name)):
            return _compared(_MIRRORED.get(sign, sign), name, value, schema)
        case Between(Attribute(name), Literal(low), Literal(high), False):
            bounds = [_compared(">=", name, low, schema), _compared("<=", name, high, schema)]
            known = [column for column in bounds if column is not None]
            return all_of(known) if known else None
        case InList(Attribute(name), choices, False):
            values = [one.value for one in choices if isinstance(one, Literal)]
            are_known = len(values) == len(choices) and all(_fits(name, v, schema) for v in values)
            if not are_known:
                return None
            return _column(name).isin(*[_literal(name, value, schema) for value in values])
    return None


def _compared(sign: str, name: str, value: object, schema: StructType) -> Column | None:
    if not _fits(name, value, schema):
        return None
    found: Column = _COMPARE[sign](_column(name), F.lit(_literal(name, value, schema)))
    return found


def _literal(name: str, value: object, schema: StructType) -> object:
    """Return a value as Spark is to have it: it may turn an integer into a float of few digits."""
    is_broken = isinstance(schema[name].dataType, FloatType | DoubleType)
    return float(value) if is_broken and type(value) is int else value


def _column(name: str) -> Column:
    return F.col(quoted(name))


def _fits(name: str, value: object, schema: StructType) -> bool:
    """Say whether Spark compares a column with a value as the language does."""
    return name in schema.names and _is_of(value, schema[name].dataType)


def _is_of(value: object, of: DataType) -> bool:
    if isinstance(value, bool):
        return isinstance(of, BooleanType)
    if type(value) is int or type(value) is float:
        is_exact = abs(value) < _EXACT  # Spark compares a double with a rounded integer
        return is_exact and isinstance(of, IntegralType | FloatType | DoubleType)
    return type(value) is str and isinstance(of, StringType) and of == StringType()
