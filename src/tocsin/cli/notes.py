"""What a run says besides its results: streams nobody reads, times and names that look wrong."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Final

from tocsin.errors import ConfigurationError, TocsinError
from tocsin.language.explain.normal_form import default_stream
from tocsin.language.parser import parse
from tocsin.language.suggest import did_you_mean, nearest
from tocsin.language.tree import (
    Aggregate,
    Atom,
    Attribute,
    OfEvent,
    Presence,
    Program,
    Repeat,
    StreamDeclaration,
    Subscription,
)
from tocsin.language.variables import walk
from tocsin.model.counting import counted
from tocsin.model.rows import TIME_NAMES
from tocsin.model.times import SEEM_SECONDS, seem_seconds

_MOST_NOTES: Final = 5


@dataclass(slots=True)
class SeenStream:
    """What the rows of one stream held."""

    time: str | None
    rows: int = 0
    names: set[str] = field(default_factory=set)
    least: int | None = None
    most: int | None = None
    other_times: bool = False

    def look(self, row: Mapping[str, object]) -> None:
        """Count a row and remember its names and its time."""
        self.rows += 1
        self.names.update(row)
        value = None if self.time is None else row.get(self.time)
        if type(value) is not int:
            self.other_times = self.other_times or value is not None
            return
        self.least = value if self.least is None else min(self.least, value)
        self.most = value if self.most is None else max(self.most, value)


@dataclass(slots=True)
class Watch:
    """Looks at rows as they pass.

    Parameters
    ----------
    program
        The subscriptions; those that rows add on the way are counted in.
    stream, time
        As `tocsin.match` takes them.
    """

    program: Program
    stream: InitVar[str | None] = None
    time: str | None = None
    streams: dict[str, SeenStream] = field(default_factory=dict)
    has_clock: bool = False
    default: str = field(init=False)

    def __post_init__(self, stream: str | None) -> None:
        """Settle the stream of rows and subscriptions that name none."""
        self.default = stream or default_stream(self.program)

    def look(self, row: Mapping[str, object]) -> None:
        """Take one row."""
        if row.get("$clock") is not None:
            self.has_clock = True
        elif row.get("$subscribe") is not None:
            self._add(row["$subscribe"])
        elif row.get("$unsubscribe") is None:
            named = row.get("$stream")
            self._look_at_event(named if isinstance(named, str) else self.default, row)

    @property
    def declared(self) -> dict[str, StreamDeclaration]:
        """The declared streams by their names."""
        return {one.name: one for one in self.program.streams}

    def _add(self, text: object) -> None:
        try:
            added = parse(str(text))
        except TocsinError:
            return  # a dead letter tells of it
        self.program = Program(self.program.statements + added.statements)

    def _look_at_event(self, name: str, row: Mapping[str, object]) -> None:
        seen = self.streams.get(name)
        if seen is None:
            seen = self.streams[name] = SeenStream(self._time_of(name, row))
        seen.look(row)

    def _time_of(self, name: str, row: Mapping[str, object]) -> str | None:
        declared = self.declared.get(name)
        if declared is not None:
            return declared.time
        return self.time or next((one for one in TIME_NAMES if row.get(one) is not None), None)

    def notes(self) -> list[str]:
        """Return what should be said, a line each."""
        read = read_streams(self.program, self.default)
        found = [
            *self._unread(read),
            *self._without_time(read),
            *self._in_seconds(read),
            *self._unseen_names(),
        ]
        if len(found) > _MOST_NOTES:
            more = len(found) - _MOST_NOTES
            return [*found[:_MOST_NOTES], f"… and {counted(more, 'more note', 'more notes')}"]
        return found

    def _unread(self, read: set[str]) -> Iterator[str]:
        for name, seen in self.streams.items():
            if name not in read:
                hint = did_you_mean(name, read) or f"They read {', '.join(sorted(read)) or 'none'}."
                rows = counted(seen.rows, "row")
                yield f"{rows} of stream '{name}': no subscription reads it. {hint}"

    def _without_time(self, read: set[str]) -> Iterator[str]:
        if self.has_clock:  # somebody has thought of the time
            return
        for name, seen in self.streams.items():
            if name not in read or seen.time is not None:
                continue
            if name in self.declared:
                what = f"stream '{name}' is declared without TIME"
                yield f"{what}: all its events happen at the clock's time; say STREAM … TIME name"
                continue
            *some, last = TIME_NAMES
            what = f"no {', '.join(some)} or {last} in the events of stream '{name}'"
            yield f"{what}: all happen at the clock's time; say --time NAME"

    def _in_seconds(self, read: set[str]) -> Iterator[str]:
        for name, seen in self.streams.items():
            if name not in read or seen.other_times or seen.least is None or seen.most is None:
                continue
            if seem_seconds(seen.least, seen.most):
                yield f"the times of stream '{name}' {SEEM_SECONDS}"

    def _unseen_names(self) -> Iterator[str]:
        told = set()
        for subscription in self.program.subscriptions:
            sources = subscription.sources or (self.default,)
            if any(name in self.declared or name not in self.streams for name in sources):
                continue
            known = set().union(*(self.streams[name].names for name in sources))
            for name in attributes_of(subscription, self.program):
                if name not in known and name not in told:
                    told.add(name)
                    yield f"attribute '{name}' was in no event{_perhaps(name, known)}"


def read_streams(program: Program, default: str) -> set[str]:
    """Return the streams that some subscription reads."""
    return {name for one in program.subscriptions for name in one.sources or (default,)}


def refuse_unread_stream(program: Program, stream: str | None) -> None:
    """Refuse `--stream` with a name that no subscription reads.

    Raises
    ------
    ConfigurationError
        It is not read.
    """
    if stream is None or not program.subscriptions:
        return
    declared = {one.name for one in program.streams}
    read = read_streams(program, stream)
    derived = {one.into for one in program.subscriptions}
    if stream in read and (not declared or stream in declared | derived):
        return
    known = sorted(declared | (read - {stream}))
    hint = did_you_mean(stream, known) or f"The streams are {', '.join(known)}."
    msg = f"--stream {stream}: no subscription reads a stream of this name. {hint}"
    raise ConfigurationError(msg)


def attributes_of(subscription: Subscription, program: Program) -> dict[str, None]:
    """Return the attributes a subscription needs, in the order of the text.

    One that is only asked for with IS PRESENT or IS MISSING may well be in no event.

    Examples
    --------
    >>> program = parse("DEFINE hot AS heat > 9; SUBSCRIBE s MATCH a:hot ; b:[x IS MISSING]")
    >>> list(attributes_of(program.subscriptions[0], program))
    ['heat']
    """
    definitions = {one.name: one.condition for one in program.definitions}
    found: dict[str, None] = {}
    waiting: list[object] = [subscription.emit, subscription.where, subscription.pattern]
    done: set[str] = set()
    while waiting:
        for name in _names_in(waiting.pop(), definitions):
            if name not in definitions:
                found[name] = None
            elif name not in done:
                done.add(name)
                waiting.append(definitions[name])
    return found


def _names_in(node: object, definitions: Container[str]) -> Iterator[str]:
    """Yield the names of attributes and definitions below a node."""
    asked = {id(one.operand) for one in walk(node) if isinstance(one, Presence)}
    for part in walk(node):
        if id(part) in asked:
            continue
        match part:
            case Attribute(name=name) | Repeat(attribute=name) | OfEvent(attribute=name):
                yield name
            case Aggregate(attribute=str(name)):
                yield name
            case Atom(name=str(name)) if name in definitions:
                yield name


def _perhaps(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known)
    return f"; did you mean '{found}'?" if found else ""
