"""Values and rows as messages show them: in the words of JSON, whatever they came from."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Set
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

from tocsin.model.moments import Duration, Timestamp


def show_value(value: object, *, width: int = 60) -> str:
    """Return a value as a message shows it: as JSON, but text in single quotes. It never fails.

    Examples
    --------
    >>> show_value("denied"), show_value([1, 2, 3, 4, 5, 6, 7], width=10)
    ("'denied'", '[1, 2, 3,…')
    >>> show_value(True), show_value({"a": None}), show_value(Duration(5_000))
    ('true', '{"a": null}', '5 ms')
    >>> show_value(10**5000)
    '<int that cannot be shown>'
    """
    try:
        text = _text(value, width)
    except Exception:  # an integer of too many digits, nesting too deep, a stranger's __repr__
        return f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= width + 3 else text[: width - 1] + "…"


def show_json(value: object) -> str:
    """Return a value as JSON; what JSON has no words for is shown as a text.

    Raises
    ------
    TypeError, ValueError, RecursionError
        A key is no text, the value holds itself, or it is nested too deep.

    Examples
    --------
    >>> show_json({"x": (1, None), "day": dt.date(2026, 3, 1)})
    '{"x": [1, null], "day": "2026-03-01"}'
    """
    return json.dumps(value, ensure_ascii=False, default=plain_of)


def plain_of(value: Any) -> object:
    """Return something that JSON has words for in place of a value that it has none for."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return list(value)
    if isinstance(value, dt.date | dt.time):  # a datetime is a date; pandas adds nanoseconds
        return value.isoformat()
    if isinstance(value, _SAID_BY_STR):
        return str(value)
    if type(value).__module__ == "numpy":
        return _plain_numpy(value)
    return show_value(value)


def _text(value: Any, width: int) -> str:
    if isinstance(value, str):
        return repr(value[:width] + "…" if len(value) > width else value)
    if isinstance(value, _SAID_BY_STR):
        return str(value)
    if isinstance(value, dt.date | dt.time):
        return str(value.isoformat())
    plain = _plain_numpy(value) if type(value).__module__ == "numpy" else value
    if isinstance(plain, str):
        return plain
    if isinstance(plain, _HAS_JSON) or plain is None:
        with suppress(TypeError, ValueError, RecursionError):
            return show_json(plain)
    return repr(value)


def _plain_numpy(value: Any) -> object:
    if getattr(getattr(value, "dtype", None), "kind", "") in ("M", "m"):
        return value.astype(str).tolist()  # its own items may be numbers of nanoseconds
    item = value.tolist() if hasattr(value, "tolist") else value
    return repr(value) if type(item).__module__ == "numpy" else item


_SAID_BY_STR: Final = (Timestamp, Duration, Decimal, dt.timedelta)
_HAS_JSON: Final = (bool, int, float, list, tuple, Mapping, Set)
