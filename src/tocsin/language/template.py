"""Many subscriptions from one text with parameters and a table of their values.

The text is read once. The parts of its tree that hold no parameter are shared by all subscriptions;
only the way from a parameter up to the subscription is made anew for each row.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from tocsin.errors import ConfigurationError
from tocsin.language.builder.kinds import time_kind
from tocsin.language.parameter_table import (
    ParameterTable,
    fit_beside_duration,
    fit_count,
    fit_length_of_time,
    fit_moment,
    fit_name,
    fit_value,
)
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
from tocsin.model.values import Kind

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


def fill(program: Program, table: object, *, first_row: int = 1) -> tuple[Subscription, ...]:
    """Return one subscription for each template of a program and each row of a table.

    A subscription without parameters is returned once. A length of time may be text such as
    `"5 min"`, a `timedelta` or an integer in milliseconds.

    Parameters
    ----------
    table
        A `pyarrow.Table`, a pandas frame, or a list of dicts; columns that no parameter names are
        left alone.
    first_row
        Messages count rows from here.

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
    refuse_shared_parameters(program)
    columns = ParameterTable(table, first_row=first_row)
    made = [(template, _filled(template, columns)) for template in program.subscriptions]
    _refuse_repeated_names(made)
    return tuple(subscription for _, several in made for subscription in several)


def refuse_shared_parameters(program: Program) -> None:
    """Raise `ConfigurationError` where a definition, which all rows share, has a parameter."""
    for definition in program.definitions:
        for parameter in _parameters_in(definition):
            msg = (
                f"the parameter {{{parameter.name}}} stands in DEFINE {definition.name}, which all "
                f"rows share; write the condition into the subscription instead"
            )
            raise ConfigurationError(msg)


class FilledTable:
    """A subscription with parameters and a table, column by column.

    Parameters
    ----------
    template
        The subscription.
    table
        As for `fill`.

    Attributes
    ----------
    names
        The names of the subscriptions, row by row.
    columns
        The values of each parameter, made to fit; None where one stands in two places that make
        different things of it, so that only rows can be filled in.

    Raises
    ------
    ConfigurationError
        A column or a value is missing or does not fit, or two subscriptions get the same name.
    """

    def __init__(self, template: Subscription, table: object) -> None:
        read = ParameterTable(table)
        slots: list[_Slot] = []
        self.template = template
        self._make = _maker(template, slots, fit_value)
        in_name = _IN_NAME.findall(template.name)
        self.names = _names(template.name, in_name, read)
        _refuse_repeated(self.names, template)
        self._filling = [read.column(slot.name, _fit_at(slot)) for slot in slots]
        self.columns = _columns(slots, self._filling)

    def __len__(self) -> int:
        return len(self.names)

    def samples(self) -> list[int]:
        """Return a row for each choice of kinds of values: what is right for it is for others."""
        kinds = [[type(getattr(one, "value", one)) for one in column] for column in self._filling]
        first: dict[tuple[type, ...], int] = {}
        for row, found in enumerate(zip(*kinds, strict=True)):
            first.setdefault(found, row)
        return list(first.values()) or [0]

    def row(self, row: int) -> Subscription:
        """Return the subscription of one row."""
        name = self.names[row]
        if self._make is None:
            return dataclasses.replace(self.template, name=name)
        made: Subscription = self._make((*(column[row] for column in self._filling), name))
        return made


def _columns(slots: list[_Slot], filling: list[list[Any]]) -> dict[str, list[Any]] | None:
    columns: dict[str, list[Any]] = {}
    for slot, column in zip(slots, filling, strict=True):
        values = [one.value if isinstance(one, Literal) else one for one in column]
        if slot.name not in columns:
            columns[slot.name] = values
        elif [(type(v), v) for v in columns[slot.name]] != [(type(v), v) for v in values]:
            return None
    return columns


def has_parameters(node: object) -> bool:
    """Say whether a part of a tree holds a parameter."""
    return next(_parameters_in(node), None) is not None


def is_template(subscription: Subscription) -> bool:
    """Say whether a subscription has parameters, in its name or elsewhere."""
    return bool(_IN_NAME.search(subscription.name)) or has_parameters(subscription)


class _Slot(NamedTuple):
    """A place for a value: which column fills it, how a value is made to fit, where it stands."""

    name: str
    fit: _Fit
    at: int


def _filled(template: Subscription, table: ParameterTable) -> list[Subscription]:
    """Return the subscriptions of one template: columns first, then row by row."""
    slots: list[_Slot] = []
    make = _maker(template, slots, fit_value)
    in_name = _IN_NAME.findall(template.name)
    if make is None and not in_name:
        return [template]
    names = _names(template.name, in_name, table)
    filling = [table.column(slot.name, _fit_at(slot)) for slot in slots]
    if make is None:
        return [dataclasses.replace(template, name=name) for name in names]
    return [make(row) for row in zip(*filling, names, strict=True)]


def _fit_at(slot: _Slot) -> _Fit:
    """Let a constant stand where its parameter stood, for the errors of the checker."""

    def fit(value: object) -> Any:
        made = slot.fit(value)
        return Literal(made.value, slot.at) if isinstance(made, Literal) else made

    return fit


def _maker(node: object, slots: list[_Slot], fit: _Fit) -> _Maker | None:
    """Return what makes a node anew for a row, or None where it holds no parameter."""
    if isinstance(node, Parameter):
        slots.append(_Slot(node.name, fit, node.at))
        return itemgetter(len(slots) - 1)
    first = len(slots)
    if isinstance(node, tuple):
        build: Callable[..., Any] = _as_tuple
        values = list(node)
    elif dataclasses.is_dataclass(node):
        build, fit = type(node), _fit_inside(node)
        values = [getattr(node, field.name) for field in dataclasses.fields(node)]
    else:
        return None
    makers = [_maker(value, slots, fit) for value in values]
    if len(slots) == first:
        return None
    if isinstance(node, Subscription):
        makers[0] = itemgetter(-1)  # its name, which stands last in the row
        return _rebuilder(build, values, makers)
    rebuild = _rebuilder(build, values, makers)
    return _remembering(rebuild, first) if len(slots) == first + 1 else rebuild


def _as_tuple(*parts: object) -> tuple[object, ...]:
    return parts


def _rebuilder(
    build: Callable[..., Any], values: list[object], makers: list[_Maker | None]
) -> _Maker:
    changing = [(place, maker) for place, maker in enumerate(makers) if maker is not None]

    def rebuild(row: _Row) -> Any:
        parts = values.copy()
        for place, maker in changing:
            parts[place] = maker(row)
        return build(*parts)

    return rebuild


def _remembering(rebuild: _Maker, slot: int) -> _Maker:
    """Let rows share the part that one value decides; equal values of a column are one object."""
    made: dict[int, Any] = {}

    def remember(row: _Row) -> Any:
        key = id(row[slot])
        found = made.get(key)
        if found is None:
            found = made[key] = rebuild(row)
        return found

    return remember


def _fit_inside(node: object) -> _Fit:
    """Return what makes a value fit for a parameter that stands directly in this node."""
    if isinstance(node, Limit):
        return fit_length_of_time if node.unit == "time" else fit_count
    if isinstance(node, Absence):
        return fit_length_of_time
    if isinstance(node, MatchLimit):
        return fit_count
    if isinstance(node, Comparison | Between | InList | Arithmetic):
        kinds = {time_kind(part) for part in _operands(node)}
        timed = isinstance(node, Arithmetic) and node.operator in {"+", "-"} and kinds != {None}
        if timed or Kind.DURATION in kinds:
            return fit_beside_duration
        if Kind.TIMESTAMP in kinds:
            return fit_moment
    return fit_value


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


def _names(name: str, parameters: list[str], table: ParameterTable) -> list[str]:
    """Return the names that the rows give; between two parameters stands plain text."""
    if not parameters:
        return [name] * table.height
    texts = _IN_NAME.split(name)[::2]
    columns = [table.column(parameter, fit_name) for parameter in parameters]
    rows = zip(*columns, strict=True)
    return [texts[0] + "".join(a + b for a, b in zip(row, texts[1:], strict=True)) for row in rows]


def _refuse_repeated(names: list[str], template: Subscription) -> None:
    if len(set(names)) == len(names):
        return
    row_of_name: dict[str, int] = {}
    for row, name in enumerate(names, start=1):
        if name in row_of_name:
            raise _repeated(name, row, row_of_name[name], template)
        row_of_name[name] = row


def _repeated(name: str, row: int, earlier: int, template: Subscription) -> ConfigurationError:
    msg = (
        f"row {row} gives the name '{name}', which row {earlier} gave before; put columns that "
        f"differ from row to row into the name '{template.name}', as in SUBSCRIBE alert_{{user}}"
    )
    return ConfigurationError(msg)


def _refuse_repeated_names(made: list[tuple[Subscription, list[Subscription]]]) -> None:
    row_of_name: dict[str, int] = {}
    for template, several in made:
        for row, subscription in enumerate(several, start=1):
            if subscription.name in row_of_name:
                earlier = row_of_name[subscription.name]
                raise _repeated(subscription.name, row, earlier, template)
            row_of_name[subscription.name] = row
