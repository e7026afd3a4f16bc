"""What every worker is told of a stream: its buckets, and how their engines are made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from tocsin.engine import Engine
from tocsin.language.printer import to_text
from tocsin.language.tree import Program
from tocsin.model.values import Timestamp
from tocsin.spark.streaming.layout import Layout

_US_PER_MS: Final = 1_000


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
    streams
        The streams that events are of; None where only the rows know.
    """

    program: Program
    first: int
    size: int
    columns: tuple[str, ...]
    span_us: int | None = None
    streams: tuple[str, ...] | None = None


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
    types
        What events carry, by name, each with its type in Spark.
    ties
        The columns that order events of equal time, too.
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
    types: Mapping[str, str] = field(default_factory=dict)
    ties: tuple[str, ...] = ()

    @property
    def layout(self) -> Layout:
        """What must not change while a query lives: what its buckets hold."""
        homes = [(one.first, one.size, to_text(one.program)) for one in self.homes]
        places = (self.time, self.ordered_by, self.named_by, self.start_us)
        said = repr((homes, places, self.stream, self.simultaneous))
        carried = {self.ordered_by, *(name for one in self.homes for name in one.columns)}
        types = {name: of for name, of in self.types.items() if name in carried}
        ties = {name: self.types[name] for name in self.ties}
        return Layout(hashlib.sha256(said.encode()).hexdigest()[:16], types, ties)

    @property
    def zero_ms(self) -> int:
        """The moment that Spark's watermark calls 0."""
        return zero_ms(self.start_us)

    def watermark_ms(self, told_ms: int) -> int | None:
        """Return the watermark that Spark tells; 0 stands for none."""
        return None if told_ms == 0 else told_ms + self.zero_ms

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


def zero_ms(start_us: int | None) -> int:
    """Return the moment that is 0 for Spark's watermark, which never lies before it.

    It is that of 1970, and for a stream that began earlier a moment before its start: at 0 Spark
    means that there is no watermark yet.

    Examples
    --------
    >>> zero_ms(None), zero_ms(1), zero_ms(-1), zero_ms(-5_000)
    (0, 0, -2, -6)
    """
    return 0 if start_us is None or start_us >= 0 else start_us // _US_PER_MS - 1
