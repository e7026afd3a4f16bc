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

_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
_LOGGING: Final = Path(__file__).with_name("log4j2.properties")
_TOLD_HOW_TO_LOG: Final = {"SPARK_CONF_DIR", "SPARK_HOME"}
"""Where one of these is set, a folder with settings of Spark may say what is logged."""


def local_session(
    *, cores: int | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Return a session on this machine; an existing one takes what settings it still can.

    The workers run this Python. A new session tells errors and no warnings, also while Java starts
    for it, unless `SPARK_HOME` or `SPARK_CONF_DIR` is set, where settings may say how to log.

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
    known = {"spark.sql.shuffle.partitions": str(parts), **SETTINGS, **(settings or {})}
    is_new = SparkContext._active_spark_context is None  # another thread may have started it
    if is_new and not _TOLD_HOW_TO_LOG & os.environ.keys():
        known[_JAVA_OPTIONS] = _quiet(known.get(_JAVA_OPTIONS))
    for name, value in known.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if is_new:
        session.sparkContext.setLogLevel("ERROR")
    return session


def _quiet(options: str | None) -> str:
    """Return options of Java that let it log errors alone; given ones come later, and win."""
    return " ".join(filter(None, (f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}", options)))
