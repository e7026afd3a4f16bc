"""What rows become: events, commands, and what an intake remembers of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tocsin.model.event import Event, Schema
from tocsin.model.times import TimeForm
from tocsin.model.values import Timestamp


@dataclass(frozen=True, slots=True)
class Clock:
    """`{"$clock": t}`: no event with an end up to and including `moment` will still come."""

    row: int
    moment: Timestamp


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`{"$subscribe": "program text"}`."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """`{"$unsubscribe": "name"}`."""

    row: int
    name: str


Step: TypeAlias = Event | Clock | Subscribe | Unsubscribe


@dataclass(frozen=True, slots=True)
class IntakeState:
    """What an intake has learned from its rows.

    Attributes
    ----------
    last_end, last_clock
        The end of the last event, and the last `$clock`; None before the first.
    form
        How times came; None before the first.
    undeclared
        The streams that their first event settled.
    """

    last_end: Timestamp | None
    last_clock: Timestamp | None
    form: TimeForm | None
    undeclared: Mapping[str, Schema]
