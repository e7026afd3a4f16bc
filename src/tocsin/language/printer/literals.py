"""Constants and names as they stand in a text."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from tocsin.language.tokens import RESERVED, quote_name, quote_string
from tocsin.language.tree import Limit, Parameter
from tocsin.model.durations import format_duration
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import Duration, Timestamp, Value

_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - the zone is written by hand
_FAR_ZONE: Final = dt.timedelta(hours=23, minutes=59)
_TEMPLATE_NAME: Final = re.compile(r"(?:[^\W\d]\w*|\{[^\W\d]\w*\})+")
_PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")
_FIRST_WORD: Final = re.compile(r"\w*")
_WHOLE_BELOW: Final = 1e15


def literal_text(value: Value) -> str:
    """Return a constant as it stands in a text.

    Examples
    --------
    >>> literal_text(Duration(300_000_000)), literal_text("it's"), literal_text(True)
    ('5 min', "'it''s'", 'TRUE')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return quote_string(value)
    if isinstance(value, Timestamp):
        return f"TIMESTAMP '{_moment(value)}'"
    if isinstance(value, Duration):
        return format_duration(value)
    return repr(value)


def _moment(moment: Timestamp) -> str:
    """Return ISO text; a zone can put a moment some hours beyond the years that UTC can say."""
    shown = format_time(moment, TimeForm.ISO)
    if isinstance(shown, str):
        return shown
    zone, sign = (_FAR_ZONE, "+") if moment < 0 else (-_FAR_ZONE, "-")
    local = _EPOCH + (dt.timedelta(microseconds=int(moment)) + zone)
    return f"{local.isoformat()}{sign}23:59"


def number_text(number: float) -> str:
    """Return a number whose kind does not matter: a degree, a weight, a corner of a fuzzy set.

    Examples
    --------
    >>> number_text(1200.0), number_text(0.5), number_text(float("-inf"))
    ('1200', '0.5', '-inf')
    """
    whole = abs(number) < _WHOLE_BELOW and float(number).is_integer()
    return str(int(number)) if whole else repr(float(number))


def parameter_text(parameter: Parameter) -> str:
    """Return `{name}`; inside braces a reserved word needs no quotes.

    Examples
    --------
    >>> parameter_text(Parameter("limit")), parameter_text(Parameter("job-name"))
    ('{limit}', '{"job-name"}')
    """
    plain = _PLAIN_NAME.fullmatch(parameter.name)
    return "{" + (parameter.name if plain else quote_name(parameter.name)) + "}"


def duration_text(amount: Duration | Parameter) -> str:
    """Return a duration, or the parameter that stands for one."""
    return parameter_text(amount) if isinstance(amount, Parameter) else format_duration(amount)


def limit_text(limit: Limit) -> str:
    """Return `5 min` or `20 EVENTS`.

    Examples
    --------
    >>> limit_text(Limit("events", 20)), limit_text(Limit("time", Parameter("window")))
    ('20 EVENTS', '{window}')
    """
    if limit.unit == "events":
        amount = limit.amount
        count = parameter_text(amount) if isinstance(amount, Parameter) else str(int(amount))
        return f"{count} EVENT" if count == "1" else f"{count} EVENTS"
    amount = limit.amount
    return parameter_text(amount) if isinstance(amount, Parameter) else format_duration(amount)


def subscription_name_text(name: str) -> str:
    """Return the name of a subscription, whose parameters stand in braces.

    Examples
    --------
    >>> subscription_name_text("alert_{user}"), subscription_name_text("job-{user}")
    ('alert_{user}', '"job-{user}"')
    """
    first = _FIRST_WORD.match(name)
    if first and first[0].upper() not in RESERVED and _TEMPLATE_NAME.fullmatch(name):
        return name
    return '"' + name.replace('"', '""') + '"'
