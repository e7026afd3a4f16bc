"""What every worker is told of a stream: its buckets, and how their engines are made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from tocsin.engine import Engine
from tocsin.language.printer import to_text
from tocsin.language.tree import Program
from tocsin.model.values import Timestamp


@dataclass(frozen=True, slots=True)
class Home:
    """Buckets that run the same subscriptions, each for its share of the keys.

    Attributes
    ----------
    program
        The subscriptions.
    first, size
        The number of its first bucket, and how many there are.
    columns
        What its engines read.
    span_us
        After so long nothing is left of an event; None where that is not certain.
    """

    program: Program
    first: int
    size: int
    columns: tuple[str, ...]
    span_us: int | None = None


@dataclass(frozen=True, slots=True)
class StreamTask:
    """What every worker is told.

    Attributes
    ----------
    name
        Tells one call of `match_stream` from another.
    homes
        In the order of their buckets.
    time, stream, simultaneous
        As for the engine.
    start_us
        When the stream began, where somebody said so.
    is_whole_ms
        Whether times came as whole milliseconds.
    is_changing
        Whether subscriptions come and go: then all buckets are one home, each a shard of them, and
        no engine is as good as a new one.
    ordered_by, named_by
        The columns that order events of equal time and that name rows, where there are any.
    """

    name: str
    homes: tuple[Home, ...]
    time: str
    stream: str | None
    simultaneous: Literal["ordered", "unordered"]
    start_us: int | None
    is_whole_ms: bool
    is_changing: bool = False
    ordered_by: str | None = None
    named_by: str | None = None

    @property
    def layout(self) -> str:
        """What must not change while a query lives: what its buckets hold."""
        homes = [(one.first, one.size, to_text(one.program), one.columns) for one in self.homes]
        places = (self.time, self.ordered_by, self.named_by, self.start_us)
        said = repr((homes, places, self.stream, self.simultaneous))
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def home(self, bucket: int) -> Home:
        """Return where a bucket belongs."""
        return next(one for one in self.homes if bucket < one.first + one.size)

    def engine(self, bucket: int) -> Engine:
        """Return a new engine for a bucket."""
        made = Engine(
            self.home(bucket).program,
            time=self.time,
            stream=self.stream,
            simultaneous=self.simultaneous,
        )
        if self.start_us is not None:
            made.start(Timestamp(self.start_us))
        return made
