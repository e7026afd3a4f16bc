"""How the work of groups is split where workers read files themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tocsin.engine import Options
from tocsin.language.tree import Program
from tocsin.plan.partition import Group, Strategy
from tocsin.plan.partition.key_reach import last_events
from tocsin.spark.files.key_sample import KeySample, sample_keys
from tocsin.spark.files.reading import Reading
from tocsin.spark.files.shares import Before, Share, by_chain, by_key, by_time, whole
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.memory import is_bounded, keep_freed_memory
from tocsin.spark.schema import notification_schema, position_column
from tocsin.spark.templates import Template
from tocsin.spark.work import Part, Task

_MOST_READERS: Final = 8
"""By key, every part reads all files: beyond so many, a shuffle costs less."""
_MANY: Final = 100
"""With so many subscriptions matching costs far more than reading: parts that read all files are
worth it, since what smaller ones remember stays in the processor's cache."""
_LEAST_ROWS: Final = 1_000_000
"""Smaller slices of time are not worth a task of their own, once every core has one."""
_MOST_REPEATED: Final = 1 / 16
"""Slices of chains are worth it where the rows from before are at most this share of their own."""
_UNEVEN: Final = 1.5
"""And where none has so many times the rows of a fair part: cuts are made between times."""

_OF_CHAINS: Final = 1 << 24
"""Of a table of chains little is processed but its ends, for each key anew: so it is large."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What workers are sent: what each part runs, and which share of the files it reads."""

    reading: Reading
    task: Task
    work: tuple[tuple[Part, Share], ...]

    def told(self) -> str:
        """Return in words what parts read."""
        share, count = self.work[0][1], len(self.work)
        if count == 1:
            return "once"
        if share.keys is not None:
            return f"whole in {count} parts, each of which keeps its own keys"
        if share.end_us is None:
            return f"whole in {count} parts"
        before = self.work[-1][1].before
        with_last = "" if before is None else f", each with {_last(before)} before it"
        return f"in {count} slices of time{with_last}"

    def on(self, session: SparkSession) -> DataFrame:
        """Return the notifications of all parts."""

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            keep_freed_memory()
            for batch in batches:
                for number in batch.column(0).to_numpy():
                    yield from self.run(int(number))

        numbers = session.range(0, len(self.work), 1, len(self.work))
        return numbers.mapInArrow(run, notification_schema())

    def run(self, number: int) -> Iterator[pa.RecordBatch]:
        """Return the notifications of a part."""
        part, share = self.work[number]
        task = replace(self.task, parts=(part,), options=self._options())
        return task.run(self.reading.batches(share))

    def _options(self) -> Options:
        """Return those of a worker: where memory is bounded, tables are not larger than usual."""
        options = self.task.options
        usual = min(options.cells_at_once, Options().cells_at_once)
        return replace(options, cells_at_once=usual) if is_bounded() else options


@dataclass(frozen=True, slots=True)
class FileSplitter:
    """Splits groups over files.

    Attributes
    ----------
    reading
        The files, and what is read of them; each group reads its own columns.
    program, template
        All subscriptions, and what they were filled in from, where workers can take it by column.
    task
        What all workers are told; parts, start and clock are told group by group.
    stream
        The stream of all rows.
    parts
        Into how many parts work is split.
    cores
        How many tasks Spark takes to run at the same time.
    """

    reading: Reading
    program: Program
    template: Template | None
    task: Task
    stream: str
    parts: int
    cores: int

    def parts_of(self, group: Group) -> Parts:
        """Return the parts of a group.

        Raises
        ------
        ThroughSpark
            Its rows had better come through Spark, and why.
        """
        streams = (*group.needs.positions, tuple(group.needs.streams))
        if not all(self.stream in union for union in streams):
            msg = "positions are counted in another stream than that of the rows"
            raise ThroughSpark(msg)
        return Parts(self._reading(group), self._task(group), tuple(self._split(group)))

    def _split(self, group: Group) -> Sequence[tuple[Part, Share]]:
        """Return what parts run and read."""
        found = self.reading.survey
        if group.strategy is Strategy.BY_SHARD:
            return [(self._part(names), whole(found)) for names in group.shards(self.parts)]
        part = self._part(group.subscriptions)
        if group.strategy is Strategy.SINGLE:
            return [(part, whole(found))]
        sample = self._sample(group)
        shares = (
            self._by_chain(group, sample) or self._by_time(group, sample) or self._by_key(group)
        )
        return [(replace(part, begin_us=one.begin_us, end_us=one.end_us), one) for one in shares]

    def _sample(self, group: Group) -> KeySample | None:
        """Look at some keys, where slices of time may serve as well as parts by key."""
        if group.slices is None and (group.chain is None or self._readers < 2):
            return None
        return sample_keys(self.reading.survey, self._key(group))

    def _by_time(self, group: Group, sample: KeySample | None) -> list[Share]:
        """Return slices of time; none where parts by key serve better, or time has no bound."""
        overlap = group.choice.overlap
        if group.slices is not None and sample is not None:
            is_hot = sample.largest_share * self._readers > 1  # it has more than a fair part
            overlap = group.slices if is_hot else None
        if overlap is None:
            return []
        found = self.reading.survey
        return by_time(found, overlap, min(self.parts, max(self.cores, found.rows // _LEAST_ROWS)))

    def _by_chain(self, group: Group, sample: KeySample | None) -> list[Share]:
        """Return slices of time with some rows of each key before it.

        There are none where those rows are many, or too many rows have the same time.
        """
        if group.chain is None or sample is None or self._readers < 2:
            return []
        found, before = self.reading.survey, Before(self._key(group), group.chain - 1)
        repeated = before.count * sample.keys_in(found.rows)
        if repeated > found.rows / self._readers * _MOST_REPEATED:
            return []
        shares = by_chain(found, before, self._readers, repeated)
        fair = found.rows / self._readers
        return shares if max(one.end - one.first for one in shares) <= _UNEVEN * fair else []

    def _by_key(self, group: Group) -> list[Share]:
        if self._readers > _MOST_READERS:
            msg = f"by key more than {_MOST_READERS} parts would each read all files"
            raise ThroughSpark(msg)
        is_much = len(group.subscriptions) >= _MANY
        readers = min(self.parts, _MOST_READERS if is_much else self.cores)
        return by_key(self.reading.survey, self._key(group), readers)

    @property
    def _readers(self) -> int:
        """How many parts run at the same time."""
        return min(self.parts, self.cores)

    def _key(self, group: Group) -> str:
        return dict(group.choice.key)[self.stream]

    def _part(self, names: Sequence[str]) -> Part:
        if self.template is not None and len(names) == len(self.program.subscriptions):
            return Part(self.template.program, table=self.template.table)
        return Part(self.program.only(names))

    def _reading(self, group: Group) -> Reading:
        read = {name for needs in group.needs.streams.values() for name in needs.columns}
        names = tuple(n for n in self.reading.columns if n in read or n == self.task.time)
        positions = tuple(position_column(n) for n in range(len(group.needs.positions)))
        return replace(self.reading, columns=names, positions=positions)

    def _task(self, group: Group) -> Task:
        found, needs, options = self.reading.survey, group.needs, self.task.options
        return replace(
            self.task,
            unions=needs.positions,
            positions=tuple(position_column(number) for number in range(len(needs.positions))),
            start_us=found.first_us if needs.start else None,
            clock_us=found.last_us - 1 if needs.clock else None,
            options=options if group.chain is None else replace(options, cells_at_once=_OF_CHAINS),
        )


def _last(before: Before) -> str:
    """Return what a slice needs from before it, in words."""
    return f"{last_events(before.count)} of every key"
