"""Events, and the schemas of the streams they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.model.values import Kind, Timestamp, Value

DEFAULT_STREAM = "default"
"""The stream of rows that name none, where the program does not settle which one that is."""


@dataclass(frozen=True, slots=True)
class Event:
    """A set of named values with a begin and an end time and a position.

    Attributes
    ----------
    stream
        The name of the stream it belongs to.
    row
        Its 0-based place in the input, counting every row handed over; for a derived event, the
        row of the event that completed it, or None where the clock did.
    begin, end
        Equal for a primitive event.
    values
        A missing value is absent from the mapping or None.
    """

    stream: str
    row: int | None
    begin: Timestamp
    end: Timestamp
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of a stream and the one that carries its time."""

    kinds: Mapping[str, Kind]
    time: str | None = None
