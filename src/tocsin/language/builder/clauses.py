"""The clauses of a subscription, from what Python code gives for them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from tocsin.language.builder.base import Built, refuse
from tocsin.language.builder.expressions import thresholds
from tocsin.language.builder.values import (
    Amount,
    Operand,
    count_or_parameter,
    expression_of,
    limit_of,
    moment_of,
    name_of,
    number_of,
    variable_name_of,
)
from tocsin.language.tree import (
    Combine,
    EmitItem,
    Expression,
    Limit,
    MatchLimit,
    Parameter,
    Predict,
    Since,
    StreamDeclaration,
    Thresholds,
)

Emitted: TypeAlias = Mapping[str, Operand] | Sequence[Operand | EmitItem]
"""What EMIT gives: names with their values, or values, some of them `named`."""

Source: TypeAlias = str | Built[StreamDeclaration]
"""A stream: its name or its declaration."""

Moment: TypeAlias = str | int | dt.date | Since
"""Where history begins: `"beginning"`, a time, or what `since` returned."""

_METHODS: Final = ("min", "product", "lukasiewicz", "average")


def events(count: int | Built[Expression] | Parameter) -> Limit:
    """Return `20 EVENTS`, a limit; the number may be a parameter.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> b.event("a").within(b.events(20)), b.event("a").within(b.events(b.param("n")))
    (BuiltPattern((a:[TRUE] WITHIN 20 EVENTS)), BuiltPattern((a:[TRUE] WITHIN {n} EVENTS)))
    """
    return Limit("events", count_or_parameter(count, "a number of events"))


def accept(*, possibly: float | None = None, necessarily: float | None = None) -> Thresholds:
    """Return the thresholds of ACCEPT, at least one of them."""
    found = thresholds(possibly=possibly, necessarily=necessarily)
    if found is None:
        refuse(None, "a threshold", "write accept(possibly=0.5) or accept(necessarily=0.1)")
    return found


def weighted(*weights: float) -> Combine:
    """Return `weighted(0.3, 0.7)` for COMBINE WITH."""
    if not weights:
        refuse(weights, "a list of weights", "write weighted(0.3, 0.7)")
    return Combine("weighted", tuple(map(number_of, weights)))


def predict(*, within: Amount, above: float) -> Predict:
    """Return the horizon and the threshold of PREDICT.

    Examples
    --------
    >>> from tocsin.language.printer import to_text
    >>> to_text(predict(within="20 events", above=0.8))
    'PREDICT WITHIN 20 EVENTS ABOVE 0.8'
    """
    return Predict(limit_of(within), number_of(above))


def since(moment: Moment = "beginning", *, only_new: bool = False) -> Since:
    """Return where history begins, and whether its own matches are left out."""
    if isinstance(moment, Since):
        return moment
    if isinstance(moment, str) and moment.lower() == "beginning":
        return Since(None, only_new)
    return Since(moment_of(moment), only_new)


def sources_of(source: Source | Sequence[Source] | None) -> tuple[str, ...]:
    """Return the streams of FROM."""
    if source is None:
        return ()
    several = source if isinstance(source, list | tuple) else (source,)
    return tuple(name_of(one, "a stream") for one in several)


def match_limit_of(
    limit: int | Built[Expression] | MatchLimit | None, per: str | Built[Expression] | None
) -> MatchLimit | None:
    """Return `LIMIT n PER $x`."""
    if isinstance(limit, MatchLimit):
        return limit
    if limit is None:
        if per is not None:
            refuse(per, "enough", "PER needs LIMIT: give `limit` too")
        return None
    variable = None if per is None else variable_name_of(per)
    return MatchLimit(count_or_parameter(limit, "a number of matches"), variable)


def combine_of(method: str | Combine | None) -> Combine | None:
    """Return the method of COMBINE WITH."""
    if method is None or isinstance(method, Combine):
        return method
    if method not in _METHODS:
        refuse(method, "a method", "give min, product, lukasiewicz, average or weighted(0.3, 0.7)")
    return Combine(method)  # type: ignore[arg-type]


def emit_of(emitted: Emitted | None) -> tuple[EmitItem, ...]:
    """Return the items of EMIT."""
    if emitted is None:
        return ()
    if isinstance(emitted, Mapping):
        named = ((name_of(name, "a name"), value) for name, value in emitted.items())
        return tuple(EmitItem(expression_of(value), name) for name, value in named)
    if isinstance(emitted, str | Built) or not isinstance(emitted, Sequence):
        refuse(emitted, "what EMIT takes", "give a dict of names and values, or a list of values")
    return tuple(map(_emit_item, emitted))


def _emit_item(item: object) -> EmitItem:
    if isinstance(item, EmitItem):
        return item
    if isinstance(item, str):
        of_event = f"write a[{item!r}], a being what b.event('a', …) returned"
        refuse(item, "a value to emit", f"{of_event}, or {{'name': {item!r}}} for the text itself")
    return EmitItem(expression_of(item))


_ChoiceT = TypeVar("_ChoiceT", bound=str)


def choice_of(value: str, choices: tuple[_ChoiceT, ...], what: str) -> _ChoiceT:
    """Return the choice that was meant, in whatever case it was written."""
    for choice in choices:
        if isinstance(value, str) and value.upper() == choice:
            return choice
    return refuse(value, what, f"give one of {', '.join(choices)}")
