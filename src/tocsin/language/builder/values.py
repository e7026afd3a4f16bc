"""From what Python code gives to what a tree holds: constants, durations, limits, names."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Final, TypeAlias, cast, get_args

from tocsin.errors import ConfigurationError, DurationError, TimeError
from tocsin.language.builder.base import Built, refuse
from tocsin.language.printer.literals import literal_text
from tocsin.language.tree import (
    Attribute,
    Definition,
    Expression,
    Limit,
    Literal,
    Parameter,
    Pattern,
    StreamDeclaration,
    Variable,
)
from tocsin.model.durations import parse_duration
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Kind, Timestamp, Value

Operand: TypeAlias = (
    Built[Expression]
    | Built[Definition]
    | Expression
    | bool
    | int
    | float
    | str
    | dt.date
    | dt.timedelta
)
"""What can stand where a value is asked for: something built, or a Python constant."""

TimeAmount: TypeAlias = str | dt.timedelta | Duration | Built[Expression] | Parameter
"""A length of time: `"5 min"`, a `timedelta`, or a parameter."""

Amount: TypeAlias = TimeAmount | Limit | Built[Limit]
"""How far a match may reach: a length of time, `"20 events"`, or `events(20)`."""

_EXPRESSIONS: Final = get_args(Expression)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_VARIABLE: Final = re.compile(r"[^\W\d]\w*")
_EVENTS: Final = re.compile(r"\s*(\d+)\s*events?\s*", re.IGNORECASE)


def constant(value: object) -> Value:
    """Return a Python constant as a value of the language.

    Examples
    --------
    >>> constant(dt.timedelta(minutes=5)), constant(3)
    (Duration(300000000), 3)
    """
    if isinstance(value, bool | Timestamp | Duration):
        return _printable(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, dt.timedelta):
        return Duration(_whole(value // _MICROSECOND))
    if isinstance(value, dt.date):
        return _printable(_moment(value))
    if value is None:
        refuse(value, "a value", "use is_missing() to ask whether an attribute is missing")
    if isinstance(value, Built) and isinstance(value.tree, get_args(Pattern)):
        refuse(value, "a value", "write b.t(a) for its time or a['price'] for an attribute")
    item = getattr(value, "item", None)  # a scalar of NumPy
    if callable(item):
        return constant(item())
    return refuse(value, "a value", "give a boolean, number, string, datetime or timedelta")


def _whole(value: int) -> int:
    if not INTEGER_MIN <= value <= INTEGER_MAX:
        refuse(value, "an integer of 64 bits", "use a float for numbers as large")
    return int(value)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        refuse(value, "a finite number", "leave the comparison out, or use is_missing()")
    return float(value)


def _printable(value: Value) -> Value:
    try:
        literal_text(value)
    except OverflowError:
        refuse(value, "a time between the years 1 and 9999", "give one that ISO text can say")
    return value


def _moment(value: object) -> Timestamp:
    try:
        return parse_time(value)
    except TimeError as error:
        raise ConfigurationError(str(error)) from error


def moment_of(value: object) -> Timestamp:
    """Return a moment from a `datetime`, ISO text or an integer in milliseconds."""
    moment = _moment(value)
    _printable(moment)
    return moment


def expression_of(value: object, beside: Kind | None = None) -> Expression:
    """Return the tree of an operand.

    Parameters
    ----------
    beside
        The kind of time it is compared with: text is then a time or a duration, not a string.
    """
    if isinstance(value, Built) and isinstance(value.tree, Definition):
        return Attribute(value.tree.name)
    tree: object = value.tree if isinstance(value, Built) else value
    if isinstance(tree, _EXPRESSIONS):
        return cast("Expression", tree)
    if isinstance(value, str) and beside is not None:
        is_duration = beside is Kind.DURATION
        return Literal(duration_of(value) if is_duration else moment_of(value))
    return Literal(constant(value))


def duration_of(value: object) -> Duration:
    """Return a length of time from text, a `timedelta` or a `Duration`."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, dt.timedelta):
        return Duration(_whole(value // _MICROSECOND))
    if not isinstance(value, str):
        refuse(value, "a length of time", "give it a unit, as in '5 min' or timedelta(minutes=5)")
    try:
        return parse_duration(value)
    except DurationError as error:
        raise ConfigurationError(str(error)) from error


def time_amount_of(value: object) -> Duration | Parameter:
    """Return a length of time that is not negative, or the parameter that stands for one."""
    parameter = _parameter(value)
    if parameter is not None:
        return parameter
    duration = duration_of(value)
    if duration < 0:
        refuse(value, "a length of time", "it cannot be negative")
    return duration


def number_of(value: object) -> float:
    """Return a plain number as a float."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or math.isnan(cast("float", value)):
        refuse(value, "a number", "give an integer or a float")
    return float(cast("float", value))


def count_of(value: object, what: str) -> int:
    """Return a whole number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or isinstance(value, Duration):
        refuse(value, what, "give a whole number")
    if not 0 <= value <= INTEGER_MAX:
        refuse(value, what, "give a whole number from 0 on that 64 bits can hold")
    return int(value)


def count_or_parameter(value: object, what: str) -> int | Parameter:
    """Return a whole number, or the parameter that stands for one."""
    parameter = _parameter(value)
    return count_of(value, what) if parameter is None else parameter


def limit_of(value: object) -> Limit:
    """Return a limit from `"5 min"`, `"20 events"`, a `timedelta`, a parameter or a limit."""
    tree = value.tree if isinstance(value, Built) else value
    if isinstance(tree, Limit):
        return tree
    counted = _EVENTS.fullmatch(value) if isinstance(value, str) else None
    if counted:
        return Limit("events", count_of(int(counted[1]), "a number of events"))
    if isinstance(value, int | float) and not isinstance(value, Duration):
        refuse(value, "a limit", "give it a unit, as in '5 min' or '20 events'")
    return Limit("time", time_amount_of(value))


def _parameter(value: object) -> Parameter | None:
    tree = value.tree if isinstance(value, Built) else value
    return tree if isinstance(tree, Parameter) else None


def name_of(value: object, what: str) -> str:
    """Return a name; something declared gives its own."""
    if isinstance(value, Built) and isinstance(value.tree, Definition | StreamDeclaration):
        return value.tree.name
    if not isinstance(value, str) or not value:
        refuse(value, what, "give a string that is not empty")
    return str.__str__(value)


def variable_name_of(value: object) -> str:
    """Return the name of a variable, without its `$`."""
    if isinstance(value, Built) and isinstance(value.tree, Variable):
        return value.tree.name
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value):
        refuse(value, "a variable", "give a name of letters, digits and _, as in b.var('x')")
    return str.__str__(value)
