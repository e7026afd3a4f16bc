"""How the events of a group of subscriptions are split, as the planner says."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType

from tocsin.language.tree import Program, Subscription
from tocsin.plan.partition import Group, Overlap, Strategy
from tocsin.spark.conditions import column_of
from tocsin.spark.intake import quoted
from tocsin.spark.placing import TIME, Placed
from tocsin.spark.schema import PART, ROW, STREAM, notification_schema, position_column
from tocsin.spark.work import Part, Task, worker

_KEY: Final = "$key"


@dataclass(frozen=True, slots=True)
class Splitter:
    """Runs groups over events that know their places.

    Attributes
    ----------
    program
        All subscriptions.
    events
        The events.
    columns
        What every worker needs besides the attributes that subscriptions read.
    unions
        The streams in whose union positions were counted.
    task
        What all workers are told; parts, start and clock are told group by group.
    parts
        Into how many parts work is split.
    """

    program: Program
    events: Placed
    columns: tuple[str, ...]
    unions: tuple[tuple[str, ...], ...]
    task: Task
    parts: int

    def run(self, group: Group) -> DataFrame:
        """Return the notifications of a group."""
        frame = self._needed(group)
        match group.strategy:
            case Strategy.BY_KEY:
                return self._by_key(frame, group)
            case Strategy.BY_TIME:
                return self._by_time(frame, group)
            case Strategy.BY_SHARD:
                return self._by_shard(frame, group)
            case Strategy.SINGLE:
                alone = frame.coalesce(1).sortWithinPartitions(ROW)
                return self._mapped(alone, self._task(group, [Part(self._program(group))]))

    def _by_key(self, frame: DataFrame, group: Group) -> DataFrame:
        keyed = frame.withColumn(_KEY, _key(frame, group, is_named=STREAM in frame.columns))
        split = keyed.repartition(self.parts, F.col(_KEY))
        ordered = split.drop(_KEY).sortWithinPartitions(ROW)
        return self._mapped(ordered, self._task(group, [Part(self._program(group))]))

    def _by_time(self, frame: DataFrame, group: Group) -> DataFrame:
        overlap = group.choice.overlap
        assert overlap is not None
        begins = self._cuts()
        program = self._program(group)
        ends = [*begins[1:], None]
        parts = [Part(program, begin, end) for begin, end in zip(begins, ends, strict=True)]
        firsts = self._firsts(group, overlap, begins)
        numbers = F.array_compact(
            F.array(*[
                F.when((F.col(self._place(group)) >= first) & _is_before(end), F.lit(number))
                for number, (first, end) in enumerate(zip(firsts, ends, strict=True))
            ])
        )  # fmt: skip
        split = frame.withColumn(PART, F.explode(numbers))
        return self._mapped(self._sorted_parts(split, len(parts)), self._task(group, parts))

    def _by_shard(self, frame: DataFrame, group: Group) -> DataFrame:
        shards = [group.units[number :: self.parts] for number in range(self.parts)]
        parts = [
            Part(self._program_of({name for unit in shard for name in unit.subscriptions}))
            for shard in shards
            if shard
        ]
        numbers = F.array(*[F.lit(number) for number in range(len(parts))])
        split = frame.withColumn(PART, F.explode(numbers))
        return self._mapped(self._sorted_parts(split, len(parts)), self._task(group, parts))

    def _sorted_parts(self, split: DataFrame, parts: int) -> DataFrame:
        return split.repartitionById(parts, F.col(PART)).sortWithinPartitions(PART, ROW)

    def _needed(self, group: Group) -> DataFrame:
        """Return the columns and the streams that a group reads."""
        read = {name for needs in group.needs.streams.values() for name in needs.columns}
        frame = self.events.frame
        names = [n for n in frame.columns if n in read or n in self.columns or n in (ROW, TIME)]
        names += [position_column(self.unions.index(union)) for union in group.needs.positions]
        frame = frame.select(*[quoted(name) for name in names])
        wanted = [
            (stream, column_of(needs.condition, frame.schema))
            for stream, needs in group.needs.streams.items()
        ]
        return frame.filter(_is_wanted(wanted, is_named=STREAM in frame.columns))

    def _mapped(self, frame: DataFrame, task: Task) -> DataFrame:
        return frame.drop(TIME).mapInArrow(worker(task), notification_schema())

    def _task(self, group: Group, parts: Sequence[Part]) -> Task:
        last = self.events.last_us
        return replace(
            self.task,
            parts=tuple(parts),
            unions=group.needs.positions,
            positions=tuple(
                position_column(self.unions.index(union)) for union in group.needs.positions
            ),
            start_us=self.events.first_us if group.needs.start else None,
            clock_us=last - 1 if group.needs.clock and last is not None else None,
        )

    def _program(self, group: Group) -> Program:
        return self._program_of(set(group.subscriptions))

    def _program_of(self, names: set[str]) -> Program:
        """Return the program with some of its subscriptions only."""
        kept = tuple(
            one
            for one in self.program.statements
            if not isinstance(one, Subscription) or one.name in names
        )
        return replace(self.program, statements=kept)

    def _cuts(self) -> list[int | None]:
        """Return where slices of time begin; the first has no begin."""
        if self.parts == 1 or self.events.rows == 0:
            return [None]
        ranks = [number / self.parts for number in range(1, self.parts)]
        found = self.events.frame.approxQuantile(TIME, ranks, 0.01)
        return [None, *sorted({int(cut) for cut in found})]

    def _place(self, group: Group) -> str:
        """Return the column by which a slice is told how far back it begins."""
        streams = tuple(sorted(group.needs.streams))
        return position_column(self.unions.index(streams)) if streams in self.unions else ROW

    def _firsts(self, group: Group, overlap: Overlap, begins: Sequence[int | None]) -> list[int]:
        """Return the first place that each slice needs."""
        place = F.col(quoted(self._place(group)))
        since = [begin - overlap.span_us for begin in begins if begin is not None]
        if not since:
            return [0]
        firsts = [F.min(F.when(F.col(TIME) >= moment, place)) for moment in since]
        row = self.events.frame.agg(*firsts).first()
        assert row is not None
        last = self.events.rows
        return [0, *(max((last if f is None else f) - overlap.events, 0) for f in row)]


def _is_wanted(wanted: list[tuple[str, Column | None]], *, is_named: bool) -> Column:
    """Return what rows satisfy that change something."""
    if not is_named:
        known = [F.lit(True) if condition is None else condition for _, condition in wanted]
    else:
        known = [
            own if condition is None else own & condition
            for own, condition in ((F.col(quoted(STREAM)) == s, c) for s, c in wanted)
        ]
    return reduce(operator.or_, known)


def _is_before(end: int | None) -> Column:
    return F.lit(True) if end is None else F.col(TIME) < end


def _key(frame: DataFrame, group: Group, *, is_named: bool) -> Column:
    """Return the key of an event as text: equal values have equal texts, 1 and 1.0 too."""
    found: Column | None = None
    for stream, attribute in group.choice.key:
        value = _text(frame, attribute)
        if not is_named:
            return value
        own = F.col(quoted(STREAM)) == stream
        found = F.when(own, value) if found is None else found.when(own, value)
    assert found is not None
    return found


def _text(frame: DataFrame, name: str) -> Column:
    column = F.col(quoted(name))
    if isinstance(frame.schema[name].dataType, NumericType):
        return (column.cast("double") + F.lit(0.0)).cast("string")
    return column.cast("string")
