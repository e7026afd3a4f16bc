"""Frames that are nothing but Parquet files which this machine holds."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pyspark.sql import DataFrame

from tocsin.spark.files.through_spark import ThroughSpark

_PARQUET: Final = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
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
    """Return what Spark would run, once it has left out what changes nothing."""
    java: Any = getattr(frame, "_jdf", None)
    if java is None:
        msg = "the session is elsewhere (Spark Connect)"
        raise ThroughSpark(msg)
    if frame.is_cached:
        msg = "the frame is cached"
        raise ThroughSpark(msg)
    return java.queryExecution().optimizedPlan()


def _relation(plan: Any) -> Any:
    """Return the files behind a plan that at most leaves out columns."""
    if _name(plan) == "Project":
        columns = plan.projectList()
        if all(_name(columns.apply(n)) == "AttributeReference" for n in range(columns.size())):
            plan = plan.child()
    if _name(plan) == "LogicalRelation" and _name(plan.relation()) == "HadoopFsRelation":
        return plan.relation()
    msg = "the frame is more than files that are read"
    raise ThroughSpark(msg)


def _name(java: Any) -> str:
    return str(java.getClass().getSimpleName())
