"""The session that a pipeline runs in."""

from __future__ import annotations

from typing import Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline.frames import root_line
from tocsin.spark.pipeline.settings import Pipeline
from tocsin.spark.session import local_session

_MASTER: Final = "spark.master"


def started(pipeline: Pipeline) -> SparkSession:
    """Return a session that has taken its settings.

    Raises
    ------
    ConfigurationError
        It does not start; mostly a setting has a value that it does not take.
    """
    try:
        session = session_of(pipeline)
        session.conf.get("spark.sql.shuffle.partitions")  # only now it looks at some
    except (PySparkException, Py4JJavaError) as error:
        msg = f"{pipeline.file}: spark: Spark does not start with it: {root_line(error)}"
        raise ConfigurationError(msg) from error
    return session


def existing() -> SparkSession | None:
    """Return the session that is there already; None where Spark has yet to start, or has ended."""
    try:
        found = SparkSession.active()
    except PySparkRuntimeError:
        return None
    is_there = is_remote() or SparkContext._active_spark_context is not None
    return found if is_there else None


def session_of(pipeline: Pipeline) -> SparkSession:
    """Return a session with the settings of a pipeline; an existing one takes what it still can."""
    settings = dict(pipeline.settings)
    master = settings.pop(_MASTER, None)
    if master is None or is_local(master):
        return local_session(cores=cores_of(master or "local[*]"), settings=settings)
    builder = SparkSession.builder.master(master).appName(f"tocsin {pipeline.file.stem}")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def is_local(master: str) -> bool:
    """Say whether a master is this process; `local-cluster` starts others.

    Examples
    --------
    >>> is_local("local"), is_local("local[4]"), is_local("local-cluster[2,1,1024]")
    (True, True, False)
    """
    return master == "local" or master.startswith("local[")


def cores_of(master: str) -> int | None:
    """Return how many cores a local master may use, None for all.

    Examples
    --------
    >>> cores_of("local"), cores_of("local[4]"), cores_of("local[2,3]"), cores_of("local[*]")
    (1, 4, 2, None)
    """
    cores = master.removeprefix("local").strip("[]").partition(",")[0]
    if cores == "*":
        return None
    return int(cores) if cores.isdigit() else 1


def place_of(pipeline: Pipeline) -> str:
    """Return in words where the session of a pipeline runs."""
    master = pipeline.settings.get(_MASTER, "local")
    return "on this machine" if master.startswith("local") else f"at {master}"
