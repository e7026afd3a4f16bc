"""A splitter without Spark: parts as the plan says, the reference on each, and the merge."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from tocsin.language.live import LiveProgram
from tocsin.language.normal import NormalSubscription
from tocsin.language.parser import parse
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.rows import Clock, Intake
from tocsin.model.values import Timestamp, is_missing, join_key
from tocsin.plan.partition import Choice, Group, Needs, Overlap, Strategy, Unit, plan_subscriptions
from tocsin.reference import run
from tocsin.reference.context import Context
from tocsin.reference.evaluate import View, holds
from tocsin.reference.timeline import Added, Step, Timeline
from tocsin.reference.whole import Whole

Rows = list[dict[str, Any]]
Slice = tuple[float, float]
EVER: Slice = (float("-inf"), float("inf"))


@dataclass(frozen=True)
class Course:
    """A program and what happens: events in order, the first time, and where the clock ends."""

    subscriptions: tuple[NormalSubscription, ...]
    steps: tuple[Step, ...]
    unordered: bool = False
    runner: Callable[[Course, Portion], list[Any]] | None = None
    """What runs a part; the reference where it is None."""

    @property
    def events(self) -> list[Event]:
        return [step for step in self.steps if isinstance(step, Event)]

    @property
    def clock(self) -> int | None:
        return Timeline(self.steps).clocks[-1] if self.steps else None

    def positions(self, union: Iterable[str]) -> dict[int | None, int]:
        """Positions are counted over all events, before any split."""
        streams = set(union)
        found = (event.row for event in self.events if event.stream in streams)
        return {row: position for position, row in enumerate(found)}


@dataclass(frozen=True)
class Portion:
    """What one part is told: its subscriptions, its events, and what it knows of the whole."""

    names: Sequence[str]
    events: list[Event]
    positions: dict[frozenset[str], dict[int | None, int]]
    start: int | None
    clock: Timestamp | None
    slice_: Slice


def course_of(text: str, rows: Rows, *, unordered: bool = False) -> Course:
    live = LiveProgram(parse(text))
    intake = Intake(live.schemas, default_stream=live.default_stream)
    steps = [intake.accept(row, raw) for row, raw in enumerate(rows)]
    kept = tuple(step for step in steps if isinstance(step, Event | Clock))
    return Course(live.normal(live.program.subscriptions), kept, unordered)


def in_one(course: Course, names: Sequence[str]) -> list[Notification]:
    """Return what one engine over the whole stream finds for some of its subscriptions."""
    every = [one.tree.name for one in course.subscriptions]
    found = run([*_added(course, every), *course.steps], unordered=course.unordered)
    return _sorted(one for one in found if one.subscription in names)


def units_of(course: Course) -> tuple[Unit, ...]:
    return plan_subscriptions(course.subscriptions, unordered=course.unordered).units


def split_unit(course: Course, unit: Unit, choice: Choice, parts: int) -> list[Any]:
    """Return what the parts of a unit find together."""
    return _split(course, unit.subscriptions, unit.needs, choice, parts)


def split_group(course: Course, group: Group, parts: int) -> list[Any]:
    """Return what the parts of a group find together."""
    if group.strategy is not Strategy.BY_SHARD:
        return _split(course, group.subscriptions, group.needs, group.choice, parts)
    shards = [group.units[number::parts] for number in range(parts)]
    names = ([name for unit in shard for name in unit.subscriptions] for shard in shards)
    return _sorted(one for shard in names for one in _part(course, shard, group.needs))


def split_hot_keys(course: Course, group: Group, overlap: Overlap, parts: int) -> list[Any]:
    """Return what slices of the parts by key find together."""
    found: list[Any] = []
    for wanted in _keys(group.choice, parts):
        for slice_ in _slices(course, parts):
            found += _part(course, group.subscriptions, group.needs, wanted, overlap, slice_)
    return _sorted(found)


def split_chains(course: Course, of: Unit | Group, choice: Choice, parts: int) -> list[Any]:
    """Return what slices find that get the last events of each of their keys from before them."""
    assert choice.chain is not None
    found: list[Any] = []
    for slice_ in _slices(course, parts):
        rows = _chained(course, dict(choice.key), choice.chain - 1, slice_)
        wanted = partial(_has_row, rows)
        found += _part(course, of.subscriptions, of.needs, wanted, slice_=slice_)
    return _sorted(found)


def _has_row(rows: set[int | None], event: Event) -> bool:
    return event.row in rows


def _chained(course: Course, key: dict[str, str], count: int, slice_: Slice) -> set[int | None]:
    """Return the rows of a slice, and the last ones of each of its keys before it."""
    begin, end = slice_
    before: dict[object, list[int | None]] = {}
    own: set[int | None] = set()
    keys: set[object] = set()
    for event in course.events:
        value = event.values.get(key[event.stream]) if event.stream in key else None
        known = None if is_missing(value) else join_key(value)
        if begin <= event.end < end:
            own.add(event.row)
            keys.add(known)
        elif event.end < begin and known is not None:
            before.setdefault(known, []).append(event.row)
    last = [rows[-count:] if count else [] for one, rows in before.items() if one in keys]
    return own.union(*last)


def _split(
    course: Course, names: Sequence[str], needs: Needs, choice: Choice, parts: int
) -> list[Any]:
    found: list[Any] = []
    if choice.strategy is Strategy.BY_KEY:
        for wanted in _keys(choice, parts):
            found += _part(course, names, needs, wanted)
    elif choice.overlap is not None:
        for slice_ in _slices(course, parts):
            found += _part(course, names, needs, _all, choice.overlap, slice_)
    else:
        found += _part(course, names, needs)
    return _sorted(found)


def _all(_: Event) -> bool:
    return True


def _keys(choice: Choice, parts: int) -> list[Callable[[Event], bool]]:
    """Return what each part takes: events whose keys have its number; missing keys go anywhere."""
    key = dict(choice.key)

    def number_of(event: Event) -> int | None:
        if event.stream not in key:
            return None
        value = event.values.get(key[event.stream])
        if is_missing(value):
            return (event.row or 0) % parts
        family, plain = join_key(value)
        plain = float(plain) if isinstance(plain, int) and family == "number" else plain
        return zlib.crc32(repr((family, plain)).encode()) % parts

    return [lambda event, n=n: number_of(event) == n for n in range(parts)]  # type: ignore[misc]


def _slices(course: Course, parts: int) -> list[Slice]:
    """Return slices of time that begin anywhere, between events or with one."""
    ends = [event.end for event in course.events]
    if not ends:
        return [EVER]
    draw = random.Random(len(ends) + ends[-1])
    times = [draw.choice(ends) + draw.choice([0, 0, 1, 500_000]) for _ in range(parts - 1)]
    cuts = [EVER[0], *sorted(times), EVER[1]]
    return list(pairwise(cuts))


def _part(
    course: Course,
    names: Sequence[str],
    needs: Needs,
    wanted: Callable[[Event], bool] = _all,
    overlap: Overlap | None = None,
    slice_: Slice = EVER,
) -> list[Any]:
    """Run one part: what is not needed is dropped, and only what the needs name is told."""
    begin, end = slice_
    events = [_projected(e, needs) for e in course.events if _is_needed(e, needs) and wanted(e)]
    if overlap is not None and begin > EVER[0]:
        events = _from(course, events, needs, begin - overlap.span_us, overlap.events)
    clock = None
    if needs.clock and course.clock is not None:
        clock = Timestamp(int(min(course.clock, end - 1)))
    portion = Portion(
        names,
        [event for event in events if event.end < end],
        {frozenset(union): course.positions(union) for union in needs.positions},
        Timeline(course.steps).first_moment() if needs.start else None,
        clock,
        slice_,
    )
    return (course.runner or _by_reference)(course, portion)


def _by_reference(course: Course, portion: Portion) -> list[Any]:
    whole = Whole(portion.positions, portion.start)
    last: list[Step] = [] if portion.clock is None else [Clock(-1, portion.clock)]
    steps = [*_added(course, portion.names), *portion.events, *last]
    found = run(steps, unordered=course.unordered, whole=whole)
    begin, end = portion.slice_
    return [one for one in found if begin <= one.at < end]


def _from(
    course: Course, events: list[Event], needs: Needs, since: float, further: int
) -> list[Event]:
    """Go to the first event that ends then or later, and so many positions further back."""
    first = next((event for event in events if event.end >= since), None)
    if first is None:
        return []
    positions = course.positions(needs.streams)
    return [e for e in events if positions[e.row] >= positions[first.row] - further]


def _is_needed(event: Event, needs: Needs) -> bool:
    if event.stream not in needs.streams:
        return False
    condition = needs.streams[event.stream].condition
    return condition is None or holds(condition, View(Context(), event))


def _projected(event: Event, needs: Needs) -> Event:
    columns = needs.streams[event.stream].columns
    return replace(event, values={k: v for k, v in event.values.items() if k in columns})


def _added(course: Course, names: Sequence[str]) -> list[Step]:
    return [
        Added((one,), order)
        for order, one in enumerate(course.subscriptions)
        if one.tree.name in names
    ]


def _sorted(found: Iterable[Any]) -> list[Any]:
    """The parts have no order among each other; a Spark table has none either."""
    return sorted(found, key=str)  # the repr of a text depends on the quotes in it
