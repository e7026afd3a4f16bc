"""Whether workers can read the events of a job themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tocsin.spark.files.columns import time_type
from tocsin.spark.files.make_survey import make_survey
from tocsin.spark.files.plain_files import is_one_machine, plain_files
from tocsin.spark.files.reader import Reader
from tocsin.spark.files.reading import Reading
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.intake import Events


def find_files(
    events: Events, read: Iterable[str], doubtful: Sequence[str], reader: Reader
) -> Reading:
    """Return what workers read.

    Parameters
    ----------
    read
        The columns that subscriptions read.
    doubtful
        Columns that may hold what the engine refuses: such rows have no places.

    Raises
    ------
    ThroughSpark
        Rows come through Spark, and why.
    ConfigurationError
        They cannot come otherwise, but were asked to.
    """
    if reader == "spark":
        msg = "reader='spark' asks for it"
        raise ThroughSpark(msg)
    try:
        if doubtful:
            msg = f"values of '{doubtful[0]}' may be refused"
            raise ThroughSpark(msg)
        return _found(events, read, reader)
    except ThroughSpark as why:
        if reader == "auto":
            raise
        raise why.as_error() from why


def _found(events: Events, read: Iterable[str], reader: Reader) -> Reading:
    if events.only is None or (events.is_named and events.streams is None):
        msg = "rows are of several streams"
        raise ThroughSpark(msg)
    frame = events.only
    paths = plain_files(frame)
    if reader == "auto" and not is_one_machine(frame):
        msg = "workers may run on other machines (reader='workers' if they find the files there)"
        raise ThroughSpark(msg)
    own = replace(events, frame=frame, is_named=False)
    names = [name for name in frame.columns if name in {*read}]
    zone = str(frame.sparkSession.conf.get("spark.sql.session.timeZone"))
    return Reading(
        make_survey(paths, own, names),
        tuple(dict.fromkeys([events.time, *names])),
        events.row,
        time_type=time_type(frame.schema[events.time].dataType, zone),
        stream=events.streams[0] if events.streams is not None else None,
    )
