"""Frames that are nothing but Parquet files which this machine holds."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pyspark.sql import DataFrame

from tocsin.spark.files.through_spark import ThroughSpark

_PARQUET: Final = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_SETTINGS: Final = (
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.parquet.int96TimestampConversion",
)
"""Whoever sets these asks for something of Spark that workers do not do."""
_MOST: Final = 1_000
"""More files are not surveyed: to open them one by one would take longer than it saves."""


def plain_files(frame: DataFrame) -> list[str]:
    """Return the paths of the files that a frame reads whole, some of their columns perhaps.

    Raises
    ------
    ThroughSpark
        The frame is made of something else, or does more than reading.
    """
    relation = _relation(_plan(frame))
    if relation.fileFormat().getClass().getName() != _PARQUET:
        msg = f"the events are {relation.fileFormat().toString()}, not Parquet"
        raise ThroughSpark(msg)
    if not relation.partitionSchema().isEmpty():
        msg = "names of folders are columns"
        raise ThroughSpark(msg)
    _check_settings(frame, str(relation.options().toString()))
    found = list(relation.location().inputFiles())
    if len(found) > _MOST:
        msg = f"there are more than {_MOST:,} files"
        raise ThroughSpark(msg)
    return [local_path(one) for one in found]


def is_one_machine(frame: DataFrame) -> bool:
    """Say whether workers run where the driver runs, and so find its files."""
    master = str(frame.sparkSession.sparkContext.master)
    return master == "local" or master.startswith("local[")


def local_path(uri: str) -> str:
    """Return the path of a file on this machine.

    Raises
    ------
    ThroughSpark
        It lies elsewhere.

    Examples
    --------
    >>> local_path("file:///data/a%20b.parquet")
    '/data/a b.parquet'
    """
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc:
        msg = f"the files lie on {parts.scheme}://{parts.netloc}"
        raise ThroughSpark(msg)
    return url2pathname(parts.path)


def _plan(frame: DataFrame) -> Any:
    """Return what Spark would run, once it has left out what changes nothing.

    A frame keeps the plan that it made first; a new one knows what has been cached since.
    """
    java: Any = getattr(frame.select("*"), "_jdf", None)
    if java is None:
        msg = "the session is elsewhere (Spark Connect)"
        raise ThroughSpark(msg)
    return java.queryExecution().optimizedPlan()


def _check_settings(frame: DataFrame, options: str) -> None:
    for name in _SETTINGS:
        option = name.rpartition(".")[2].lower()
        if frame.sparkSession.conf.get(name) == "true" or f"{option} -> true" in options.lower():
            msg = f"{name} is set"
            raise ThroughSpark(msg)


def _relation(plan: Any) -> Any:
    """Return the files behind a plan that at most leaves out columns."""
    if _name(plan) == "Project":
        columns = plan.projectList()
        if all(_name(columns.apply(n)) == "AttributeReference" for n in range(columns.size())):
            plan = plan.child()
    if _name(plan) == "LogicalRelation" and _name(plan.relation()) == "HadoopFsRelation":
        return plan.relation()
    msg = "the frame is more than what spark.read.parquet gives: filtered, changed or cached"
    raise ThroughSpark(msg)


def _name(java: Any) -> str:
    return str(java.getClass().getSimpleName())
