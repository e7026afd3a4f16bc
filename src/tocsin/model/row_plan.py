"""The short way of plain rows: what a stream was seen to hold, so that little is asked again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tocsin.model.durations import US_PER_MS
from tocsin.model.event import Schema
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Kind, Timestamp, Value

_PLAIN: Final = frozenset({bool, int, float, str, Timestamp, Duration})
_TYPES_OF_KIND: Final[dict[Kind, frozenset[type]]] = {
    Kind.BOOLEAN: frozenset({bool}),
    Kind.INTEGER: frozenset({int}),
    Kind.FLOAT: frozenset({float}),
    Kind.STRING: frozenset({str}),
    Kind.TIMESTAMP: frozenset({Timestamp}),
    Kind.DURATION: frozenset({Duration}),
    Kind.UNKNOWN: _PLAIN,
}
_TIME: Final = frozenset({int, Timestamp})


@dataclass(slots=True)
class RowPlan:
    """Reads the rows of one settled stream that hold nothing unusual.

    It knows the names that were checked before, and the types that need no conversion. What it
    cannot read is not wrong: it goes the long way, which also says why a row is no event.

    Attributes
    ----------
    stream, schema
        Whose rows these are.
    types
        By name, the types of values that stay as they are; the time may be an integer, too.
    time_in_ms
        The attribute that carries the time, where a number there becomes a moment.

    Examples
    --------
    >>> plan = RowPlan("ticks", Schema({"ts": Kind.TIMESTAMP}, "ts"))
    >>> plan.learn(["ts", "price"])
    >>> plan.read({"ts": 5, "price": 1.5})
    {'ts': Timestamp(5000), 'price': 1.5}
    >>> plan.read({"ts": 5, "volume": 3}) is None
    True
    """

    stream: str
    schema: Schema
    types: dict[str, frozenset[type]] = field(default_factory=lambda: {"$stream": frozenset({str})})

    time_in_ms: str | None = field(init=False)

    def __post_init__(self) -> None:
        time = self.schema.time
        is_moment = time is not None and self.schema.kinds.get(time) is Kind.TIMESTAMP
        self.time_in_ms = time if is_moment else None

    def learn(self, names: Iterable[str]) -> None:
        """Take note of names that are attributes."""
        kinds = self.schema.kinds
        for name in names:
            self.types[name] = _TYPES_OF_KIND[kinds.get(name, Kind.UNKNOWN)]
        if self.time_in_ms is not None:
            self.types[self.time_in_ms] = _TIME

    def read(self, raw: dict[str, object]) -> dict[str, Value] | None:
        """Return the values of a row, or None where it has to go the long way.

        A `$stream` that is there stays among them.
        """
        values = dict(raw)
        types_of = self.types
        for name, value in raw.items():
            types = types_of.get(name)
            if types is None:
                return None
            kind = type(value)
            if kind not in types:
                if value is not None:
                    return None
                del values[name]
            elif kind is str:
                if not value.isascii():  # type: ignore[attr-defined]  # it is a str
                    return None
            elif kind is float:
                if value != value:  # noqa: PLR0124 - NaN
                    return None
            elif kind is int and not INTEGER_MIN <= value <= INTEGER_MAX:  # type: ignore[operator]
                return None
        time = self.time_in_ms
        if time is not None and type(values.get(time)) is int:
            us = raw[time] * US_PER_MS  # type: ignore[operator]  # it is an int
            if not INTEGER_MIN <= us <= INTEGER_MAX:
                return None
            values[time] = Timestamp(us)
        return values  # type: ignore[return-value]  # all are values of events by now
