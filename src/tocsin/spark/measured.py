"""What a job would read, measured: rows, the largest key, and what the source leaves out."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.plan.partition import Group, Strategy
from tocsin.spark.files.splitter import FileSplitter
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.intake import without_bad_rows
from tocsin.spark.job import Job
from tocsin.spark.keys import Skew, is_small, skew_of, with_key
from tocsin.spark.placing import TIME, Placed
from tocsin.spark.schema import ROW, position_column
from tocsin.spark.splits import counted_unions

_PUSHED: Final = re.compile(r"^PushedFilters: \[(.*)\]$", re.MULTILINE)


def measured(job: Job) -> str:
    """Return for each group how many rows it takes, how they are spread, and what is left out."""
    files: FileSplitter | None = None
    try:
        files = job.files()
        count = len(files.reading.survey.files)
        said = f"workers read them from {count:,} files, in which they lie in the order of time"
    except ThroughSpark as why:
        said = f"come through Spark: {why}"
    lines = [
        line
        for number, group in enumerate(job.plan.groups, 1)
        for line in _group(job, files, group, number)
    ]
    return "\n".join([f"rows: {said}", *lines])


def _group(job: Job, files: FileSplitter | None, group: Group, number: int) -> Iterator[str]:
    events = _unplaced(job)
    needed = job.splitter(events).needed(group)
    parts, why = None, None
    if files is not None:
        try:
            parts = files.parts_of(group)
        except ThroughSpark as told:
            why = str(told)
    if group.strategy is Strategy.BY_KEY:
        skew = skew_of(with_key(needed, group, job.stream))
        spread = _share(skew) if parts is not None else _spread(skew, job, group, events)
        yield f"group {number} reads {spread}"
    else:
        yield f"group {number} reads {needed.count():,} rows"
    if parts is not None:
        yield f"  workers read the files {parts.told()}"
        return
    if why is not None:
        yield f"  its rows come through Spark: {why}"
    if job.is_numbered(group):
        yield f"  pushed down to the source: {', '.join(pushed_filters(needed)) or 'nothing'}"
    else:
        yield "  pushed down to the source: nothing, since rows are counted first"


def _unplaced(job: Job) -> Placed:
    """Return the events without places, which nothing here depends on."""
    events = without_bad_rows(job.events)
    unions = tuple(dict.fromkeys(u for group in job.plan.groups for u in counted_unions(group)))
    places = {position_column(number): F.lit(0) for number in range(len(unions))}
    frame = events.frame.withColumns({TIME: events.end_us(), ROW: F.lit(0), **places})
    return Placed(frame, unions, frame)


def _share(skew: Skew) -> str:
    if skew.largest is None:
        return f"{skew.rows:,} rows"
    return f"{skew.rows:,} rows; the largest key, {skew.largest}, has {skew.share:.1%} of them"


def _spread(skew: Skew, job: Job, group: Group, events: Placed) -> str:
    """Return how rows are spread, and what is done about a hot key on the way through Spark."""
    text = _share(skew)
    if skew.largest is None or skew.share * job.parts <= 1:
        return text
    if group.slices is not None and is_small(events.unplaced):
        return f"{text}: it is hot, but so little that it is not split"
    if group.slices is not None:
        return f"{text}: it is hot, and split by time"
    return f"{text}: it is hot, and one of {job.parts} parts has most of the work"


def pushed_filters(frame: DataFrame) -> list[str]:
    """Return the conditions that the sources of a frame are asked to apply."""
    plan = io.StringIO()
    with contextlib.redirect_stdout(plan):
        frame.explain(mode="formatted")  # the other forms are cut short
    return sorted({found for found in _PUSHED.findall(plan.getvalue()) if found})
