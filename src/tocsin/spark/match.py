"""`match`: subscriptions over a frame of history; the rows it refuses; and how it is split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from tocsin.errors import ConfigurationError
from tocsin.language.load import Subscriptions
from tocsin.plan.partition import PREFERENCE, Strategy, explain_partitions
from tocsin.spark.files.reader import Reader
from tocsin.spark.intake import Events, Frames, bad_rows, events_of, is_bad_row, quoted
from tocsin.spark.job import Simultaneous, job_of, plan_of, program_of
from tocsin.spark.measured import measured
from tocsin.spark.schema import DEAD_LETTER, notification_schema
from tocsin.spark.typed import with_types


def match(  # noqa: PLR0913 - every option is a keyword of its own
    events: Frames,
    subscriptions: Subscriptions,
    *,
    time: str,
    end: str | None = None,
    order: str | None = None,
    row: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    simultaneous: Simultaneous = "ordered",
    table: object = None,
    parts: int | None = None,
    strategies: Sequence[Strategy] = PREFERENCE,
    typed: bool = False,
    observation: Observation | None = None,
    reader: Reader = "auto",
) -> DataFrame:
    """Return the notifications of subscriptions over a frame of events.

    They are those that `tocsin.match` gives for the same events in the order of their time. Rows
    are numbered from 0 in that order, or by `row`. Columns: those of `NOTIFICATIONS`, and `id`
    before them, which is the same for the same input however the work was split.

    Parameters
    ----------
    events
        A frame, or a frame for each stream.
    subscriptions
        A program as text, a path to one, a tree, or what the builder makes.
    time, end
        The columns with the time of an event, and with its end where events last. Times without a
        zone, and dates, are those of UTC.
    order
        A column that orders events of equal time. Without, and where it is equal too, what they
        hold decides.
    row
        A column with integers that number all events in the order of the stream: each one once,
        and growing with time. Then no row is counted, unless a subscription asks for neighbours.
        Two rows of one number, and numbers that fall, are an error where one part reads both. In
        different parts, as for different keys, nobody compares them: the number then names two
        events.
    streams
        The column that names the stream of a row; without, all are of one stream.
    stream
        The stream of rows that name none.
    simultaneous
        `"unordered"`: events with equal end times never follow one another.
    table
        The parameter table of a program that is a template: a frame, an Arrow table or rows.
    parts
        Into how many parts work is split; as many as shuffles have without.
    strategies
        Which ways to split may be used, the best first.
    typed
        Give `variables` and `emit` of one subscription as structs with a type for each field.
    observation
        Is told when the job has run: `notifications`; `dead_letters`, the rows that are no events
        and those that workers refuse; and `refused`, the latter alone. A row that several parts
        read is refused in each of them, and counted so. The rows that are no events are looked for
        in one more pass over the columns that the options name.
    reader
        Who reads Parquet files: `"spark"`, or the workers themselves (`"workers"`), which is faster
        where rows lie in the order of time. `"auto"`: the workers, where that is exact and
        Spark runs on this machine.

    Raises
    ------
    ConfigurationError
        A column is missing or has the wrong type.
    LanguageError
        A subscription is wrong.
    """
    given = events_of(events, time=time, end=end, order=order, streams=streams, row=row)
    job = job_of(
        given, subscriptions, stream=stream, simultaneous=simultaneous, table=table, parts=parts,
        strategies=strategies, reader=reader,
    )  # fmt: skip
    if observation is None:
        told = replace(job, tells_refused=False).run()
    else:
        told = notifications_of(job.run().union(_left_out(given)), observation)
    return with_types(told, job) if typed else told


def notifications_of(found: DataFrame, observation: Observation) -> DataFrame:
    """Return the notifications of what a job gives; the observation counts them and the others."""
    is_letter = F.col("kind") == DEAD_LETTER
    found = found.observe(
        observation,
        F.count_if(~is_letter).alias("notifications"),
        F.count_if(is_letter).alias("dead_letters"),
        F.count_if(is_letter & F.col("position").isNotNull()).alias("refused"),
    )
    return found.filter(~is_letter)


def _left_out(events: Events) -> DataFrame:
    """Return the rows that are no events as those that workers refuse, but for their place.

    An observation has one place in a query. Rows are left out far below it, so they come to it on
    a way of their own, with nothing but their kind: the source reads few columns, and of Parquet
    only row groups that may have such rows, unless begins are compared with ends.
    """
    fields = [
        F.lit(DEAD_LETTER if one.name == "kind" else None).cast(one.dataType).alias(one.name)
        for one in notification_schema().fields
    ]
    return events.frame.filter(is_bad_row(events)).select(*fields)


def dead_letters(  # noqa: PLR0913 - every option is a keyword of its own
    events: Frames,
    subscriptions: Subscriptions | None = None,
    *,
    time: str,
    end: str | None = None,
    order: str | None = None,
    row: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    table: object = None,
    parts: int | None = None,
) -> DataFrame:
    """Return the rows that are no events, which `match` leaves out, with the reasons.

    Columns: `row` (null for one that has no place in the stream), `kind` and `reason` as those of a
    `DeadLetter`, and `raw`, the row as JSON.

    Parameters
    ----------
    subscriptions
        With them, also the rows whose values the engine refuses, which takes as long as `match`.
        The others are as for `match`.

    Raises
    ------
    ConfigurationError
        A column is missing or has the wrong type.
    LanguageError
        A subscription is wrong.
    """
    given = events_of(events, time=time, end=end, order=order, streams=streams, row=row)
    said = F.split(F.col("`$reason`"), ": ", 2)
    number = F.lit(None) if row is None else F.col(quoted(row))
    found = bad_rows(given)
    raw = F.to_json(F.struct(*[F.col(quoted(name)) for name in given.frame.columns]))
    found = found.select(
        number.cast("bigint").alias("row"), said[0].alias("kind"), said[1].alias("reason"),
        raw.alias("raw"),
    )  # fmt: skip
    if subscriptions is None:
        return found
    job = job_of(
        given, subscriptions, stream=stream, simultaneous="ordered", table=table, parts=parts,
        strategies=PREFERENCE,
    )  # fmt: skip
    refused = job.run().filter(F.col("kind") == DEAD_LETTER)
    fields = [F.col("emit")[name].alias(name) for name in ("kind", "reason", "raw")]
    told = F.min(F.struct(*fields)).alias("told")  # several parts may have read the same row
    once = refused.groupBy(F.col("position").alias("row")).agg(told)
    return found.union(once.select("row", "told.kind", "told.reason", "told.raw"))


def explain(  # noqa: PLR0913 - every option is a keyword of its own
    subscriptions: Subscriptions,
    events: Frames | None = None,
    *,
    time: str | None = None,
    end: str | None = None,
    order: str | None = None,
    row: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    simultaneous: Simultaneous = "ordered",
    table: object = None,
    parts: int | None = None,
    strategies: Sequence[Strategy] = PREFERENCE,
    reader: Reader = "auto",
) -> str:
    """Return in words how `match` would split the work, and why that is exact.

    With events, and `time`, they are read once for each group: how many rows it takes, how large
    the largest key is, and what the source was asked to leave out.

    Raises
    ------
    ConfigurationError
        There are events without `time`, or as for `match`.
    LanguageError
        A subscription is wrong.
    """
    if events is None:
        program = program_of(subscriptions, table)
        return explain_partitions(plan_of(program, stream, simultaneous, strategies))
    if time is None:
        msg = "explain needs time= to read the events; name the column with their time"
        raise ConfigurationError(msg)
    given = events_of(events, time=time, end=end, order=order, streams=streams, row=row)
    job = job_of(
        given, subscriptions, stream=stream, simultaneous=simultaneous, table=table, parts=parts,
        strategies=strategies, reader=reader,
    )  # fmt: skip
    return f"{explain_partitions(job.plan)}\n{measured(job)}"
