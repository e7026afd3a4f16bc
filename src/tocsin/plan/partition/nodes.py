"""What the partition planner says: strategies, what allows them, and what the stream must give."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from tocsin.language.tree import Expression


class Strategy(enum.StrEnum):
    """How the work of a group of subscriptions is split, the best first."""

    BY_KEY = "by key"
    """Events with equal keys meet in one part; a part may hold many keys."""

    BY_TIME = "by time"
    """A part holds a slice of time and what its matches need from before it."""

    BY_SHARD = "by shard"
    """A part holds some of the subscriptions and reads the whole stream."""

    SINGLE = "single"
    """One part."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a slice that begins at time `t` needs from before it.

    Go to the first event that ends at `t - span_us` or later, and from its position `events`
    positions further back; all from there on is needed. The reports of the slice are those with
    `t <= at < next t`.
    """

    span_us: int
    events: int = 0
    is_alone: bool = field(default=False, compare=False)
    """Whether every event is judged alone, so that any split of the rows is exact.

    More than an overlap of nothing: `a ; b WITHIN 0 s` needs nothing from before a slice, and yet
    simultaneous events must meet."""

    def joined(self, other: Overlap) -> Overlap:
        """Return what is enough for both."""
        return Overlap(
            max(self.span_us, other.span_us),
            max(self.events, other.events),
            self.is_alone and other.is_alone,
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy that gives exactly the answers of one engine over the whole stream.

    Attributes
    ----------
    strategy
        How the work is split.
    key
        By key: the attribute of each stream that carries it, in order of streams. Two keys are
        equal as `=` has it, 1 and 1.0 among them. Events whose key is missing may go to any part;
        those of a stream that is not here change nothing and need not go anywhere.
    overlap
        By time: what a slice needs from before it.
    reasons
        Why this is exact, in sentences.
    chain
        By key: how many events a match has at most, where each is the very next one of its key;
        None where they need not be.
    """

    strategy: Strategy
    key: tuple[tuple[str, str], ...] = ()
    overlap: Overlap | None = None
    reasons: tuple[str, ...] = field(default=(), compare=False)
    chain: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a strategy is not allowed; line and column are 0 where the text is not known."""

    strategy: Strategy
    subscription: str
    reason: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f" (line {self.line}, column {self.column})" if self.line else ""
        return f"{self.subscription}: {self.reason}{place}"


@dataclass(frozen=True, slots=True)
class StreamNeeds:
    """What is needed of one stream.

    Attributes
    ----------
    condition
        Events that do not satisfy it change nothing; it speaks of the event alone. None where
        every event is needed, `FALSE` where none is.
    columns
        The attributes that are read, sorted; times are needed besides.
    """

    condition: Expression | None
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Needs:
    """What the parts need of the whole stream.

    Attributes
    ----------
    streams
        By name; a derived stream is there too, for rows that others put into it.
    positions
        The unions of streams in which positions must be counted over all their events, before any
        event is dropped. Where there is none, only the order of events counts.
    start
        Whether every part must be told the first time of the whole stream.
    clock
        Whether the clock of every part must be moved to where that of the whole ends (by time: to
        the end of its slice), since matches complete without an event.
    """

    streams: Mapping[str, StreamNeeds]
    positions: tuple[tuple[str, ...], ...] = ()
    start: bool = False
    clock: bool = False

    @property
    def is_order_enough(self) -> bool:
        """Whether events may be dropped before positions are counted, at the source even."""
        return not self.positions


@dataclass(frozen=True, slots=True)
class Unit:
    """Subscriptions that must stay together, since one reads what another derives.

    Attributes
    ----------
    subscriptions
        Their names, in the order of the text.
    choices
        Every strategy that is exact for them, the best first; `BY_KEY` once for each key.
    refusals
        Why the others are not.
    needs
        What they need of the stream, whatever the strategy.
    """

    subscriptions: tuple[str, ...]
    choices: tuple[Choice, ...]
    refusals: tuple[Refusal, ...]
    needs: Needs

    def choice(self, strategy: Strategy) -> Choice | None:
        """Return the first choice of a strategy, None where it is refused."""
        return next((one for one in self.choices if one.strategy is strategy), None)


@dataclass(frozen=True, slots=True)
class Group:
    """Units that are split in the same way, and run together.

    Attributes
    ----------
    choice
        How they are split; the overlap is enough for all of them.
    units
        What the group consists of. A shard gets whole units.
    needs
        What they need of the stream together.
    slices
        By key: where this is not None, the events of one hot key may be split by time with such an
        overlap, counted in positions of the whole stream.
    """

    choice: Choice
    units: tuple[Unit, ...]
    needs: Needs
    slices: Overlap | None = None

    @property
    def strategy(self) -> Strategy:
        """How the group is split."""
        return self.choice.strategy

    @property
    def chain(self) -> int | None:
        """By key: where this is not None, all events may be split by time instead.

        A slice then also gets, of each key, the last `chain - 1` events from before it; its reports
        are those with `t <= at < next t`.
        """
        return self.choice.chain

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """The names of its subscriptions."""
        return tuple(name for unit in self.units for name in unit.subscriptions)

    def shards(self, parts: int) -> list[list[str]]:
        """Return the names of its subscriptions in at most so many shards, whole units in each."""
        units = [self.units[number::parts] for number in range(parts)]
        return [[name for unit in shard for name in unit.subscriptions] for shard in units if shard]


@dataclass(frozen=True, slots=True)
class PartitionPlan:
    """How the subscriptions of a program are split, group by group."""

    groups: tuple[Group, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The attributes that any subscription reads, of whatever stream."""
        every = (stream for group in self.groups for stream in group.needs.streams.values())
        return frozenset(name for stream in every for name in stream.columns)

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units, for whoever wants to know every strategy that is allowed."""
        return tuple(unit for group in self.groups for unit in group.units)
