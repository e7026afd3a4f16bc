"""`match_stream`: subscriptions over a live stream."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Literal, cast

from pyspark.sql import DataFrame
from pyspark.sql.types import IntegerType, LongType

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions
from tocsin.language.tree import Program
from tocsin.model.durations import parse_duration
from tocsin.model.times import parse_time
from tocsin.plan.partition import explain_partitions
from tocsin.spark.declared import doubtful_columns
from tocsin.spark.frames import check_options
from tocsin.spark.intake import Events, Frames
from tocsin.spark.job import program_of
from tocsin.spark.kinds import is_carried
from tocsin.spark.placing import TIME
from tocsin.spark.reading import check_readable
from tocsin.spark.schema import END, STREAM
from tocsin.spark.streaming.changing import check_rows
from tocsin.spark.streaming.counts import with_counts
from tocsin.spark.streaming.frames import placed, watched
from tocsin.spark.streaming.kept_layout import KeptLayout
from tocsin.spark.streaming.query import run_changing, run_fixed
from tocsin.spark.streaming.routes import plan_stream, routes_of
from tocsin.spark.streaming.start_source import starts_of
from tocsin.spark.streaming.subscription_tables import Tables, changes_of, is_folder, is_table
from tocsin.spark.streaming.task import Home, StreamTask, zero_ms

_US_PER_MS: Final = 1_000


def match_stream(  # noqa: PLR0913 - every option is a keyword of its own
    events: Frames,
    subscriptions: Subscriptions | Tables,
    *,
    time: str,
    delay: str,
    end: str | None = None,
    order: str | None = None,
    row: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    start: object = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
    buckets: int = 32,
    shards: int = 4,
    versions: str | None = None,
    checkpoint: str | None = None,
    observed: str | None = None,
) -> DataFrame:
    """Return the notifications of subscriptions over a stream, as a stream.

    They are those that one engine gives for the same events in the order of their time. Columns
    are those of `match`. Events that come too late are told of by rows of the kind `late`. A query
    that goes on from a checkpoint needs the program and the options it began with.

    Parameters
    ----------
    events
        A streaming frame, or one for each stream, without a watermark of their own.
    subscriptions
        A program as text, a path to one, a tree, or what the builder makes. Or a table with the
        columns `name` and `text`, which is read again at every micro-batch: a folder of Parquet or
        JSON files as a `Path`, the name of a table, a frame, or a function that gives a frame.
    time, end
        The columns with the time of an event, and with its end where events last.
    delay
        How much later than a later event an event may still come, as `"10 min"`.
    order
        A column that orders events of equal time. Without, what they hold decides.
    row
        A column of whole numbers that name rows, as offsets do, and order events of equal time, as
        in `match`; `order` has no say then. Two rows of one number are two events here. Without,
        rows are named by a hash of what they hold.
    streams
        The column that names the stream of a row; without, all are of one stream.
    stream
        The stream of rows that name none.
    start
        When the stream began, for patterns that ask for it. Without, with its first event. A
        stream that began before 1970 must say so: Spark's watermark never lies before then.
    simultaneous
        `"unordered"`: events with equal end times never follow one another.
    table
        The parameter table of a program that is a template: a frame, an Arrow table or rows.
    buckets
        Into how many buckets keys are hashed.
    shards
        Into how many buckets subscriptions are dealt that cannot be split by key; each reads the
        whole stream.
    versions
        For a table of subscriptions: the folder where its versions are written down.
    checkpoint
        The checkpoint that the query is given. Then it is written down there with which columns the
        query began, and a restart that cannot go on with them is refused before it runs. Columns
        that came since have no say in the order of events of equal time. And a checkpoint that
        began without the source that `match_stream` puts beside the events goes on without it.
    observed
        A name for counts in Spark's progress of each micro-batch, which `counts_of` reads:
        `notifications`, `late` events, `refused` rows, `dead_letters`, rows that are no events, and
        `bad_programs`, texts of a table of subscriptions that are wrong.

    Raises
    ------
    ConfigurationError
        A column is missing or has the wrong type, or the frame is no stream.
    LanguageError
        A subscription is wrong.
    """
    check_options(simultaneous, buckets=buckets, shards=shards)
    delay_us = parse_duration(delay)
    start_us = None if start is None else int(parse_time(start))
    zero_us = zero_ms(start_us) * _US_PER_MS
    timed = watched(events, time, end, order, row, streams, delay_us, observed, zero_us)
    given = replace(timed, frame=timed.frame.drop(TIME))
    kept = KeptLayout(given.frame.sparkSession, checkpoint)
    ties = kept.ties(given.tie_columns().names)
    frame, places = placed(timed, ties)
    task = StreamTask(
        name=uuid.uuid4().hex,
        homes=(),
        time=time,
        stream=stream,
        simultaneous=simultaneous,
        start_us=start_us,
        is_whole_ms=isinstance(given.frame.schema[time].dataType, LongType | IntegerType),
        ordered_by=order if row is None else None,
        named_by=row,
        types={one.name: one.dataType.simpleString() for one in given.frame.schema.fields},
        ties=ties,
    )
    own = [name for name in (time, END, STREAM) if name in given.frame.columns]
    is_changing = is_folder(subscriptions) or is_table(subscriptions)
    _check_there(subscriptions)
    _check_used(is_changing=is_changing, table=table, versions=versions)
    if is_changing:
        home = _home_of_table(given, own, shards)
        task = replace(task, homes=(home,))
        kept.settle(task.layout)  # before a port is opened for those who ask for the table
        check = partial(check_rows, home=home, stream=stream)
        changes = changes_of(frame.sparkSession, subscriptions, versions, shards, check)
        return with_counts(run_changing(frame, changes, task, places), observed)
    program = program_of(cast("Subscriptions", subscriptions), table)
    plan = plan_stream(
        program,
        stream=stream,
        unordered=simultaneous == "unordered",
        knows_start=start is not None,
    )
    default = LiveProgram(program, default_stream=stream).default_stream
    check_readable(program, plan, given, default)
    read = [*own, *doubtful_columns(program, given.frame.schema, plan.columns)]
    routes = routes_of(
        plan, program, columns=read, known=given.frame.columns, buckets=buckets, shards=shards,
        knows_start=start is not None, stream=default,
    )  # fmt: skip
    task = replace(task, homes=tuple(home for route in routes for home in route.homes))
    kept.settle(task.layout)
    found = [bucket for route in routes for bucket in route.buckets(frame)]
    starts = starts_of(frame.sparkSession, kept.offsets)
    return with_counts(run_fixed(frame, found, starts, task, places), observed)


def _home_of_table(events: Events, own: Sequence[str], shards: int) -> Home:
    """Return the buckets of a table: whatever its rows will read, they have to carry it."""
    carried = [one.name for one in events.frame.schema.fields if is_carried(one.dataType)]
    columns = tuple(dict.fromkeys([*own, *carried]))
    return Home(Program(()), 0, shards, columns, streams=events.streams)


def _check_there(given: object) -> None:
    """See that a path leads somewhere: one that does not may have been meant as a folder."""
    if isinstance(given, Path) and not given.exists():
        msg = f"there is no file or folder of subscriptions {given}; check the path"
        raise ConfigurationError(msg)


def _check_used(*, is_changing: bool, table: object, versions: str | None) -> None:
    """Refuse options that would change nothing."""
    if is_changing and table is not None:
        msg = "table= fills in a program, and this is a table of subscriptions; leave it out"
        raise ConfigurationError(msg)
    if not is_changing and versions is not None:
        msg = "versions= is for a table of subscriptions, and this is a program; leave it out"
        raise ConfigurationError(msg)


def explain_stream(
    subscriptions: Subscriptions,
    *,
    stream: str | None = None,
    start: object = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
) -> str:
    """Return in words how `match_stream` would split the work, and why that is exact."""
    return explain_partitions(
        plan_stream(
            program_of(subscriptions, table),
            stream=stream,
            unordered=simultaneous == "unordered",
            knows_start=start is not None,
        )
    )
