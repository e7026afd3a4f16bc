"""How the events of a group of subscriptions are split, as the planner says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.language.tree import Program
from tocsin.plan.partition import Group, Needs, Overlap, Strategy
from tocsin.plan.partition.needs import joined_needs
from tocsin.spark.conditions import column_of
from tocsin.spark.folding import any_of
from tocsin.spark.intake import quoted
from tocsin.spark.keys import KEY, SAMPLED, hot_keys, is_small, key_column, with_key
from tocsin.spark.placing import TIME, Placed
from tocsin.spark.schema import APART, PART, ROW, STREAM, notification_schema
from tocsin.spark.slices import Slice, slices_of
from tocsin.spark.templates import Template
from tocsin.spark.work import Part, Task, worker


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
    stream
        The stream of rows that name none.
    task
        What all workers are told; parts, start and clock are told group by group.
    parts
        Into how many parts work is split.
    linear
        The subscriptions that run in kernels.
    template
        What the program was filled in from, where workers can take it by column.
    """

    program: Program
    events: Placed
    columns: tuple[str, ...]
    stream: str
    task: Task
    parts: int
    linear: frozenset[str] = frozenset()
    template: Template | None = None

    def run(self, group: Group) -> DataFrame:
        """Return the notifications of a group."""
        frame = self.needed(group)
        match group.strategy:
            case Strategy.BY_KEY:
                return self._by_key(frame, group)
            case Strategy.BY_TIME:
                return self._by_time(frame, group)
            case Strategy.BY_SHARD:
                return self._by_shard(frame, group)
            case Strategy.SINGLE:
                parts = [self._part(group.subscriptions)]
                return self._in_parts(frame, group, F.array(F.lit(0)), parts)

    def needed(self, group: Group) -> DataFrame:
        """Return the events, and of them the columns, that a group reads."""
        read = {name for needs in group.needs.streams.values() for name in needs.columns}
        frame = self.events.frame
        names = [n for n in frame.columns if n in read or n in self.columns or n in (ROW, TIME)]
        names += [self.events.position(union) for union in counted_unions(group)]
        frame = frame.select(*[quoted(name) for name in dict.fromkeys(names)])
        return frame.filter(self._wanted(group.needs, frame))

    def _wanted(self, needs: Needs, frame: DataFrame) -> Column:
        """Return what events satisfy that subscriptions need."""
        is_named = STREAM in frame.columns
        wanted = [
            (stream, column_of(own.condition, frame.schema))
            for stream, own in needs.streams.items()
            if is_named or stream == self.stream
        ]
        return is_wanted(wanted, is_named=is_named)

    def _by_key(self, frame: DataFrame, group: Group) -> DataFrame:
        if group.slices is not None and self.parts > 1 and not is_small(self.events.unplaced):
            hot = hot_keys(self._sampled_keys(group), self.parts)
            if hot:
                keyed = with_key(frame, group, self.stream)
                return self._with_hot_keys(keyed, group, group.slices, hot)
        # The key is no column of its own here: rows that are shuffled should be narrow.
        split = self._marked(frame, group)
        split = split.repartition(self.parts, key_column(frame, group, self.stream))
        ordered = split.sortWithinPartitions(ROW)
        return self._mapped(ordered, self._task(group, [self._part(group.subscriptions)]))

    def _sampled_keys(self, group: Group) -> DataFrame:
        """Return the keys of some events; filters see only those, so that this costs little."""
        some = self.events.unplaced.sample(fraction=SAMPLED, seed=0)
        return with_key(some.filter(self._wanted(group.needs, some)), group, self.stream)

    def _with_hot_keys(
        self, keyed: DataFrame, group: Group, overlap: Overlap, hot: list[str]
    ) -> DataFrame:
        """Split the events of hot keys by time, and those of the others by key."""
        is_hot = F.col(KEY).isin(*hot)
        place = self._place(group, overlap)
        slices = slices_of(keyed.filter(is_hot), place, overlap, self.parts)
        cold = F.array(F.pmod(F.hash(KEY), F.lit(self.parts)))
        numbers = F.when(is_hot, _numbers(slices, first=self.parts)).otherwise(cold)
        part = self._part(group.subscriptions)
        parts = [part] * self.parts + _sliced(part, slices)
        return self._in_parts(keyed, group, numbers, parts)

    def _by_time(self, frame: DataFrame, group: Group) -> DataFrame:
        overlap = group.choice.overlap
        assert overlap is not None
        if overlap.is_alone:
            lying = self._marked(frame, group).sortWithinPartitions(ROW)
            return self._mapped(lying, self._task(group, [self._part(group.subscriptions)]))
        # Any event tells how far back a slice begins, also one that the group does not read.
        place = self._place(group, overlap)
        every = self.events.unplaced if place is None else self.events.frame
        slices = slices_of(every, place, overlap, self.parts)
        return self._in_parts(
            frame, group, _numbers(slices), _sliced(self._part(group.subscriptions), slices)
        )

    def _by_shard(self, frame: DataFrame, group: Group) -> DataFrame:
        parts = [self._part(names) for names in group.shards(self.parts)]
        numbers = F.array(*[F.lit(number) for number in range(len(parts))])
        return self._in_parts(frame, group, numbers, parts)

    def _in_parts(
        self, frame: DataFrame, group: Group, numbers: Column, parts: Sequence[Part]
    ) -> DataFrame:
        """Send each event to the parts with its numbers."""
        split = self._marked(frame.withColumn(PART, F.explode(numbers)).drop(KEY), group)
        if group.needs.start and group.needs.clock:
            split = split.unionByName(_marks(split, len(parts)))
        ordered = split.repartitionById(len(parts), F.col(PART)).sortWithinPartitions(PART, ROW)
        return self._mapped(ordered, self._task(group, parts))

    def _mapped(self, frame: DataFrame, task: Task) -> DataFrame:
        frame = frame.drop(TIME, *self._uncounted(task))
        # mapInArrow does not find columns with dots in their names.
        plain = frame.toDF(*[f"c{number}" for number in range(len(frame.columns))])
        return plain.mapInArrow(
            worker(replace(task, columns=tuple(frame.columns))), notification_schema()
        )

    def _uncounted(self, task: Task) -> list[str]:
        """Return the columns of positions that served the split only."""
        every = [self.events.position(union) for union in self.events.unions]
        return [name for name in every if name not in task.positions]

    def _task(self, group: Group, parts: Sequence[Part]) -> Task:
        last = self.events.last_us
        return replace(
            self.task,
            parts=tuple(parts),
            unions=group.needs.positions,
            positions=tuple(self.events.position(union) for union in group.needs.positions),
            start_us=self.events.first_us if group.needs.start else None,
            clock_us=last - 1 if group.needs.clock and last is not None else None,
        )

    def _part(self, names: Sequence[str]) -> Part:
        """Return a part with some of the subscriptions, those with kernels in an engine apart."""
        if self.template is not None and len(names) == len(self.program.subscriptions):
            return Part(self.template.program, table=self.template.table)
        slow = self._slow(names)
        if not slow:
            return Part(self.program.only(names))
        return Part(self.program.only(set(names) - slow), apart=self.program.only(slow))

    def _slow(self, names: Sequence[str]) -> set[str]:
        """Return the subscriptions without kernels, where others have them."""
        slow = {name for name in names if name not in self.linear}
        return slow if len(slow) < len(names) else set()

    def _marked(self, frame: DataFrame, group: Group) -> DataFrame:
        """Mark the events that concern subscriptions without kernels, where others have them."""
        slow = self._slow(group.subscriptions)
        if not slow:
            return frame
        needs = joined_needs(unit.needs for unit in group.units if slow & {*unit.subscriptions})
        return frame.withColumn(APART, F.coalesce(self._wanted(needs, frame), F.lit(False)))

    def _place(self, group: Group, overlap: Overlap) -> str | None:
        """Return the column by which a slice goes back some events; None where it does not."""
        return self.events.position(_streams(group)) if overlap.events else None


def counted_unions(group: Group) -> tuple[tuple[str, ...], ...]:
    """Return the unions of streams in which positions are counted for a group."""
    overlap = group.choice.overlap or group.slices
    back = (_streams(group),) if overlap is not None and overlap.events else ()
    return tuple(dict.fromkeys((*group.needs.positions, *back)))


def _streams(group: Group) -> tuple[str, ...]:
    return tuple(sorted(group.needs.streams))


def _sliced(part: Part, slices: Sequence[Slice]) -> list[Part]:
    return [replace(part, begin_us=one.begin_us, end_us=one.end_us) for one in slices]


def _numbers(slices: Sequence[Slice], *, first: int = 0) -> Column:
    """Return the numbers of the slices that an event goes to."""
    numbers = [F.when(one.takes, F.lit(number)) for number, one in enumerate(slices, first)]
    return F.array_compact(F.array(*numbers))


def _marks(split: DataFrame, parts: int) -> DataFrame:
    """Return a row without a number for each part, so that one without events runs as well."""
    nothing = [
        F.lit(None).cast(field.dataType).alias(field.name)
        for field in split.schema.fields
        if field.name != PART
    ]
    numbers = split.sparkSession.range(parts).select(F.col("id").cast("int").alias(PART))
    return numbers.select(PART, *nothing)


def is_wanted(wanted: list[tuple[str, Column | None]], *, is_named: bool) -> Column:
    """Return what rows satisfy that change something."""
    if not is_named:
        known = [F.lit(True) if condition is None else condition for _, condition in wanted]
    else:
        known = [
            own if condition is None else own & condition
            for own, condition in ((F.col(quoted(STREAM)) == s, c) for s, c in wanted)
        ]
    return any_of(known) if known else F.lit(False)
