"""A job: subscriptions and events that were checked against each other, and how they are run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions
from tocsin.language.tree import Program
from tocsin.plan.partition import Group, PartitionPlan, Strategy, plan_partitions
from tocsin.spark.declared import doubtful_columns, refused_rows
from tocsin.spark.files.find_files import find_files
from tocsin.spark.files.reader import Reader, check_reader
from tocsin.spark.files.splitter import FileSplitter
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.folding import folded
from tocsin.spark.frames import check_options
from tocsin.spark.intake import Events, quoted, without_bad_rows
from tocsin.spark.placing import Placed, numbered, placed
from tocsin.spark.reading import check_readable
from tocsin.spark.roads import linear_names
from tocsin.spark.schema import END, STREAM, TIE, notification_schema
from tocsin.spark.splits import Splitter, counted_unions
from tocsin.spark.templates import Template, template_of
from tocsin.spark.work import Task

Simultaneous: TypeAlias = Literal["ordered", "unordered"]


@dataclass(frozen=True, slots=True)
class Job:
    """What `match` runs.

    Attributes
    ----------
    program, plan
        The subscriptions, and how their work is split.
    events
        All rows, also those that are no events.
    stream
        The stream of rows that name none.
    parts
        Into how many parts work is split.
    linear
        The subscriptions that run in kernels.
    template
        What the program was filled in from, where all of it runs in kernels.
    reader
        Who reads files.
    tells_refused
        Whether the rows that workers refuse come among the notifications.
    """

    program: Program
    plan: PartitionPlan
    events: Events
    stream: str
    simultaneous: Simultaneous
    parts: int
    linear: frozenset[str]
    template: Template | None = None
    reader: Reader = "auto"
    tells_refused: bool = True

    def run(self) -> DataFrame:
        """Return notifications, and the rows that workers refuse among them, where wanted."""
        frames, through_spark = self._by_workers()
        counted = [group for group in through_spark if not self.is_numbered(group)]
        own = [group for group in through_spark if self.is_numbered(group)]
        if counted:
            unions = dict.fromkeys(u for group in counted for u in counted_unions(group))
            refused = self._refused() if unions or self._is_bounded(counted) else None
            found = placed(self._read(counted), tuple(unions), self.parts, refused)
            frames += [self.splitter(found).run(group) for group in counted]
        if own:
            found = self.numbered(own)
            frames += [self.splitter(found).run(group) for group in own]
        session = self.events.frame.sparkSession
        every = frames or [session.createDataFrame([], notification_schema())]
        return folded(every, DataFrame.union)

    def _by_workers(self) -> tuple[list[DataFrame], list[Group]]:
        """Return the notifications of groups for which workers read files, and the other groups."""
        try:
            files = self.files()
        except ThroughSpark:
            return [], list(self.plan.groups)
        frames, others = [], []
        for group in self.plan.groups:
            try:
                frames.append(files.parts_of(group).on(self.events.frame.sparkSession))
            except ThroughSpark as why:
                if self.reader == "workers":
                    raise why.as_error() from why
                others.append(group)
        return frames, others

    def files(self) -> FileSplitter:
        """Return what splits files that workers read.

        Raises
        ------
        ThroughSpark
            Rows come through Spark, and why.
        ConfigurationError
            They cannot come otherwise, but were asked to.
        """
        reading = find_files(self.events, self.plan.columns, self._doubtful(), self.reader)
        cores = self.events.frame.sparkSession.sparkContext.defaultParallelism
        stream = reading.stream or self.stream
        return FileSplitter(
            reading, self.program, self.template, self._task(), stream, self.parts, cores
        )

    def is_numbered(self, group: Group) -> bool:
        """Say whether nothing has to be counted for a group, since rows bring their numbers."""
        return self.events.row is not None and not counted_unions(group)

    def numbered(self, groups: Sequence[Group]) -> Placed:
        """Return the events with the numbers that they bring."""
        is_bounded = self._is_bounded(groups)
        refused = self._refused() if is_bounded else None
        return numbered(self._read(groups), refused, is_bounded=is_bounded)

    def splitter(self, events: Placed) -> Splitter:
        """Return what splits events."""
        own_columns = (self.events.time, self.events.end, STREAM, *self._doubtful())
        columns = tuple(filter(None, own_columns))
        return Splitter(
            self.program, events, columns, self.stream, self._task(), self.parts, self.linear,
            self.template,
        )  # fmt: skip

    def _task(self) -> Task:
        return Task(
            (), self.events.time, self.stream, self.simultaneous, tells_refused=self.tells_refused
        )

    @staticmethod
    def _is_bounded(groups: Sequence[Group]) -> bool:
        """Say whether it matters when the stream began, or how far its clock went."""
        return any(group.needs.start or group.needs.clock for group in groups)

    def _doubtful(self) -> tuple[str, ...]:
        return doubtful_columns(self.program, self.events.frame.schema, self.plan.columns)

    def _refused(self) -> Column | None:
        return refused_rows(self.program, self.events, self.stream, self.plan.columns)

    def _read(self, groups: Sequence[Group]) -> Events:
        """Return the rows that are events, with the columns that groups read."""
        events = without_bad_rows(self.events)
        if events.row is None:
            events = events.tied()
        read = {name for g in groups for s in g.needs.streams.values() for name in s.columns}
        own = {events.time, END, STREAM, TIE, events.order, events.row, *self._doubtful()}
        names = [name for name in events.frame.columns if name in read | own]
        return replace(events, frame=events.frame.select(*map(quoted, names)))


def job_of(  # noqa: PLR0913 - every option is a keyword of its own
    events: Events,
    subscriptions: Subscriptions,
    *,
    stream: str | None,
    simultaneous: Simultaneous,
    table: object,
    parts: int | None,
    strategies: Sequence[Strategy],
    reader: Reader = "auto",
) -> Job:
    """Return a job that can run.

    Raises
    ------
    ConfigurationError
        A subscription reads a column that is missing or of a type that no event carries, or an
        option makes no sense.
    LanguageError
        A subscription is wrong.
    """
    check_options(simultaneous, parts=parts)
    check_reader(reader)
    if events.frame.isStreaming:
        msg = "this is a stream, as from spark.readStream; use match_stream, or explain_stream"
        raise ConfigurationError(msg)
    template = template_of(subscriptions, table)
    program = template.filled()
    plan = plan_of(program, stream, simultaneous, strategies)
    live = LiveProgram(program, default_stream=stream)
    default = live.default_stream
    check_readable(program, plan, events, default)
    shuffled = events.frame.sparkSession.conf.get("spark.sql.shuffle.partitions")
    many = parts or int(str(shuffled))
    if template.is_linear(default):
        every = frozenset(one.name for one in program.subscriptions)
        return Job(program, plan, events, default, simultaneous, many, every, template, reader)
    linear = linear_names(live)
    return Job(program, plan, events, default, simultaneous, many, linear, reader=reader)


def plan_of(
    program: Program,
    stream: str | None,
    simultaneous: Simultaneous,
    strategies: Sequence[Strategy],
) -> PartitionPlan:
    """Return how the work of a program is split."""
    unordered = simultaneous == "unordered"
    return plan_partitions(
        program, default_stream=stream, unordered=unordered, preference=strategies
    )


def program_of(subscriptions: Subscriptions, table: object) -> Program:
    """Return a program; that of a template is filled in from its table."""
    return template_of(subscriptions, table).filled()
