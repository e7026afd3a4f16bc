"""`match`: subscriptions over a frame of history; and how its work would be split."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Literal

from pyspark.sql import DataFrame

from tocsin.errors import ConfigurationError
from tocsin.language.load import Subscriptions, load_program
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tables import without_templates
from tocsin.language.template import fill
from tocsin.language.tree import Program
from tocsin.plan.partition import (
    PREFERENCE,
    PartitionPlan,
    Strategy,
    explain_partitions,
    plan_partitions,
)
from tocsin.spark.intake import Events, Frames, events_of, without_bad_rows
from tocsin.spark.placing import placed
from tocsin.spark.schema import END, STREAM, notification_id, notification_schema
from tocsin.spark.splits import Splitter
from tocsin.spark.work import Task


def match(  # noqa: PLR0913 - every option is a keyword of its own
    events: Frames,
    subscriptions: Subscriptions,
    *,
    time: str,
    end: str | None = None,
    order: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
    parts: int | None = None,
    strategies: Sequence[Strategy] = PREFERENCE,
) -> DataFrame:
    """Return the notifications of subscriptions over a frame of events.

    They are those that `tocsin.match` gives for the same events in the order of their time. Rows
    are numbered from 0 in that order. Columns: those of `NOTIFICATIONS`, and `id` before them,
    which is the same for the same input however the work was split.

    Parameters
    ----------
    events
        A frame, or a frame for each stream.
    subscriptions
        A program as text, a path to one, a tree, or what the builder makes.
    time, end
        The columns with the time of an event, and with its end where events last.
    order
        A column that orders events of equal time. Without, what they hold decides.
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

    Raises
    ------
    ConfigurationError
        A column is missing or has the wrong type.
    LanguageError
        A subscription is wrong.
    """
    given = events_of(events, time=time, end=end, order=order, streams=streams)
    program = _program(subscriptions, table)
    unordered = simultaneous == "unordered"
    plan = plan_partitions(
        program, default_stream=stream, unordered=unordered, preference=strategies
    )
    _check_columns(plan, given)
    session = given.frame.sparkSession
    many = parts or int(str(session.conf.get("spark.sql.shuffle.partitions")))
    unions = tuple(dict.fromkeys(u for group in plan.groups for u in group.needs.positions))
    own = Task((), time, stream, simultaneous)
    columns = tuple(filter(None, (time, END if end else None, STREAM)))
    found = placed(_named(without_bad_rows(given)), unions, many)
    splitter = Splitter(program, found, columns, unions, own, many)
    frames = [splitter.run(group) for group in plan.groups]
    every = frames or [session.createDataFrame([], notification_schema())]
    return reduce(DataFrame.union, every).select(notification_id().alias("id"), "*")


def explain(
    subscriptions: Subscriptions,
    *,
    stream: str | None = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
    strategies: Sequence[Strategy] = PREFERENCE,
) -> str:
    """Return in words how `match` would split the work, and why that is exact."""
    program = _program(subscriptions, table)
    unordered = simultaneous == "unordered"
    return explain_partitions(
        plan_partitions(program, default_stream=stream, unordered=unordered, preference=strategies)
    )


def _program(subscriptions: Subscriptions, table: object) -> Program:
    program = load_program(subscriptions)
    refuse_unsupported(program, with_table=table is not None)
    if table is None:
        return program
    if isinstance(table, DataFrame):
        table = table.toArrow()
    return Program((*without_templates(program).statements, *fill(program, table)), program.source)


def _named(events: Events) -> Events:
    """Call the end of events what the engine calls it."""
    if events.end is None or events.end == END:
        return events
    frame = events.frame.withColumnRenamed(events.end, END)
    return Events(frame, events.time, END, events.order, events.is_named)


def _check_columns(plan: PartitionPlan, events: Events) -> None:
    """See that every attribute that a subscription reads is a column."""
    for group in plan.groups:
        for stream, needs in group.needs.streams.items():
            missing = [name for name in needs.columns if name not in events.frame.columns]
            if missing:
                shown = ", ".join(events.frame.columns)
                msg = (
                    f"subscription '{group.subscriptions[0]}' reads '{missing[0]}' of stream "
                    f"'{stream}', but the events have no such column; they have {shown}"
                )
                raise ConfigurationError(msg)
