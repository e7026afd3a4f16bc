"""A Spark session on this machine, with settings that suit tocsin."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    # No limit by bytes: to see whether it is reached, Spark adds up a whole batch for each row.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # others read it as it is meant
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
"""Large batches for the engine, and times that mean the same everywhere."""

_LOGGING: Final = Path(__file__).with_name("log4j2.properties")
_PLACES: Final = {"SPARK_CONF_DIR", "SPARK_HOME", "LOG4J_CONFIGURATION_FILE"}
"""Variables that name a place where it may be said what is logged."""
_OPTIONS: Final = ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
"""Variables with options of Java, one of which may say it."""


def local_session(
    *, cores: int | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Return a session on this machine; an existing one takes what settings it still can.

    The workers run this Python. A new session tells errors and no warnings, and so does Java while
    it starts for it, unless settings or the environment say how to log.

    Parameters
    ----------
    cores
        How many cores it may use; all of them without.
    settings
        More settings of Spark, by name; they win over those of tocsin.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    parts = cores or os.cpu_count() or 1
    builder = SparkSession.builder.master(f"local[{cores or '*'}]").appName("tocsin")
    own = {"spark.sql.shuffle.partitions": str(parts), **SETTINGS}
    is_new = SparkContext._active_spark_context is None  # another thread may have started it
    if is_new:
        own |= quiet_start(settings or {}, os.environ)
    known = {**own, **(settings or {})}
    for name, value in known.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if is_new:
        session.sparkContext.setLogLevel("ERROR")
    return session


def quiet_start(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the setting that lets Java log errors alone while it starts.

    It is empty where somebody may have said how to log. Spark puts these options before those of
    `spark.driver.extraJavaOptions`, which stay.

    Examples
    --------
    >>> list(quiet_start({}, {}))
    ['spark.driver.defaultJavaOptions']
    >>> quiet_start({}, {"SPARK_HOME": "/opt/spark"})
    {}
    >>> mine = {"spark.driver.extraJavaOptions": "-Dlog4j.configurationFile=mine.properties"}
    >>> quiet_start(mine, {})
    {}
    """
    options = [value for name, value in settings.items() if name.endswith("JavaOptions")]
    options += [environment.get(name, "") for name in _OPTIONS]
    is_told = bool(_PLACES & environment.keys()) or any("configurationFile" in o for o in options)
    if is_told or not _LOGGING.is_file():
        return {}
    return {"spark.driver.defaultJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}"}
