"""Many subscriptions from one text with parameters and a table of their values.

The text is read once. The parts of its tree that hold no parameter are shared by all subscriptions;
only the way from a parameter up to the subscription is made anew for each row.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.language.builder.kinds import time_kind
from tocsin.language.builder.values import constant, count_of, duration_of, moment_of
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import (
    Absence,
    Arithmetic,
    Between,
    Comparison,
    InList,
    Limit,
    Literal,
    MatchLimit,
    Parameter,
    Program,
    Subscription,
)
from tocsin.model.durations import US_PER_MS
from tocsin.model.values import Duration, Kind, Value

_Row: TypeAlias = tuple[Any, ...]
_Maker: TypeAlias = Callable[[_Row], Any]
_Fit: TypeAlias = Callable[[object], Any]
_IN_NAME: Final = re.compile(r"\{([^{}]+)\}")


def parameters_of(program: Program) -> tuple[str, ...]:
    """Return the names of all parameters, in the order in which they appear.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> parameters_of(parse("SUBSCRIBE alert_{user} MATCH [symbol = {symbol} AND price > {limit}]"))
    ('user', 'symbol', 'limit')
    """
    found: dict[str, None] = {}
    for statement in program.statements:
        if isinstance(statement, Subscription):
            found.update(dict.fromkeys(_IN_NAME.findall(statement.name)))
        inside = sorted(_parameters_in(statement), key=lambda parameter: parameter.at)
        found.update(dict.fromkeys(parameter.name for parameter in inside))
    return tuple(found)


def fill(program: Program, table: object) -> tuple[Subscription, ...]:
    """Return one subscription for each template of a program and each row of a table.

    A subscription without parameters is returned once. A length of time may be text such as
    `"5 min"`, a `timedelta` or an integer in milliseconds. Messages count rows from 1.

    Parameters
    ----------
    table
        A `pyarrow.Table`, a pandas frame, or a list of dicts; columns that no parameter names are
        left alone.

    Raises
    ------
    ConfigurationError
        A column or a value is missing or does not fit, or two subscriptions get the same name.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> from tocsin.language.printer import to_text
    >>> program = parse("SUBSCRIBE alert_{user} MATCH [symbol = {symbol} AND price > {limit}]")
    >>> (alert,) = fill(program, [{"user": "ann", "symbol": "ACME", "limit": 12.5}])
    >>> print(to_text(alert))
    SUBSCRIBE alert_ann
    MATCH   [symbol = 'ACME' AND price > 12.5];
    """
    for definition in (*program.definitions, *program.streams, *program.fuzzy_sets):
        for parameter in _parameters_in(definition):
            msg = (
                f"the parameter {{{parameter.name}}} stands in DEFINE {definition.name}, which all "
                f"rows share; write the condition into the subscription instead"
            )
            raise ConfigurationError(msg)
    columns = _Columns(table)
    made = [(template, _filled(template, columns)) for template in program.subscriptions]
    _refuse_repeated_names(made)
    return tuple(subscription for _, several in made for subscription in several)


class _Slot(NamedTuple):
    """A place for a value: which column fills it, how a value is made to fit, where it stands."""

    name: str
    fit: _Fit
    at: int


def _filled(template: Subscription, columns: _Columns) -> list[Subscription]:
    """Return the subscriptions of one template: columns first, then row by row."""
    slots: list[_Slot] = []
    make = _maker(template, slots, _value)
    in_name = _IN_NAME.findall(template.name)
    if make is None and not in_name:
        return [template]
    names = _names(template.name, in_name, columns)
    filling = [columns.fitted(slot) for slot in slots]
    if make is None:
        return [dataclasses.replace(template, name=name) for name in names]
    return [make(row) for row in zip(*filling, names, strict=True)]


def _maker(node: object, slots: list[_Slot], fit: _Fit) -> _Maker | None:
    """Return what makes a node anew for a row, or None where it holds no parameter."""
    if isinstance(node, Parameter):
        slots.append(_Slot(node.name, fit, node.at))
        return itemgetter(len(slots) - 1)
    if isinstance(node, tuple):
        makers = [_maker(part, slots, fit) for part in node]
        rebuild = _rebuilder(lambda *parts: parts, list(node), makers)
        return rebuild
    if not dataclasses.is_dataclass(node) or isinstance(node, type):
        return None
    fit = _fit_inside(node)
    values = [getattr(node, field.name) for field in dataclasses.fields(node)]
    makers = [_maker(value, slots, fit) for value in values]
    if isinstance(node, Subscription) and any(makers):
        makers[0] = itemgetter(-1)
    return _rebuilder(type(node), values, makers)


def _rebuilder(
    build: Callable[..., Any], values: list[object], makers: list[_Maker | None]
) -> _Maker | None:
    changing = [(place, maker) for place, maker in enumerate(makers) if maker is not None]
    if not changing:
        return None

    def rebuild(row: _Row) -> Any:
        parts = values.copy()
        for place, maker in changing:
            parts[place] = maker(row)
        return build(*parts)

    return rebuild


def _fit_inside(node: object) -> _Fit:
    """Return what makes a value fit for a parameter that stands directly in this node."""
    if isinstance(node, Limit):
        return _length_of_time if node.unit == "time" else _count
    if isinstance(node, Absence):
        return _length_of_time
    if isinstance(node, MatchLimit):
        return _count
    if isinstance(node, Comparison | Between | InList | Arithmetic):
        kinds = {time_kind(part) for part in _operands(node)}
        timed = isinstance(node, Arithmetic) and node.operator in {"+", "-"} and kinds != {None}
        if timed or Kind.DURATION in kinds:
            return _duration
        if Kind.TIMESTAMP in kinds:
            return _moment
    return _value


def _operands(node: Comparison | Between | InList | Arithmetic) -> tuple[Any, ...]:
    if isinstance(node, Between):
        return (node.operand, node.low, node.high)
    if isinstance(node, InList):
        return (node.operand, *node.choices)
    return (node.left, node.right)


def _parameters_in(node: object) -> Iterator[Parameter]:
    if isinstance(node, Parameter):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _parameters_in(part)
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from _parameters_in(getattr(node, field.name))


def _value(value: object) -> Literal:
    return Literal(constant(float(value) if isinstance(value, decimal.Decimal) else value))


def _length_of_time(value: object) -> Duration:
    whole = _whole(value)
    duration = duration_of(value) if whole is None else Duration(whole * US_PER_MS)
    if duration < 0:
        msg = f"{value!r} is not a length of time; it cannot be negative"
        raise ConfigurationError(msg)
    return duration


def _duration(value: object) -> Literal:
    """Fit a value beside a length of time; from a moment another can be taken."""
    if isinstance(value, dt.date):
        return Literal(moment_of(value))
    whole = _whole(value)
    return Literal(duration_of(value) if whole is None else Duration(whole * US_PER_MS))


def _moment(value: object) -> Literal:
    return Literal(moment_of(value))


def _count(value: object) -> int:
    whole = _whole(value)
    return count_of(value if whole is None else whole, "a whole number")


def _whole(value: object) -> int | None:
    """Return a plain whole number; a column with gaps elsewhere turns them into floats."""
    if isinstance(value, Duration | bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None
