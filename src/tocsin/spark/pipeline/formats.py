"""Formats of sources and sinks: which Spark brings, which need a package, which are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import pyspark
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tocsin.errors import ConfigurationError
from tocsin.language.suggest import did_you_mean
from tocsin.spark.pipeline.frames import first_line
from tocsin.spark.pipeline.settings import Pipeline

_BROUGHT: Final = (
    "parquet", "csv", "json", "orc", "text", "xml", "binaryFile", "jdbc", "rate", "socket",
    "console", "noop", "memory",
)  # fmt: skip
_SCALA: Final = "2.13"
_PACKAGES: Final = {
    "kafka": f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{pyspark.__version__}",
    "avro": f"org.apache.spark:spark-avro_{_SCALA}:{pyspark.__version__}",
    "delta": f"io.delta:delta-spark_{_SCALA}:VERSION",
    "iceberg": f"org.apache.iceberg:iceberg-spark-runtime-SPARK_{_SCALA}:VERSION",
}
"""Formats that come apart from Spark, and where from."""
_ONLY_WRITTEN: Final = ("memory", "console", "noop")
"""Sinks that Spark knows by name alone."""
_NOT_THERE: Final = re.compile(r"\[\w*DATA_SOURCE_NOT_(FOUND|ENABLED)\]")


def notes_on_formats(pipeline: Pipeline) -> Iterator[str]:
    """Yield what is to be said of formats that Spark does not bring, before it starts.

    Whether they are there shows only then: jars of its installation may bring them, too.
    """
    if _has_jars(pipeline.settings):
        return
    for key, form in _formats(pipeline):
        if form.lower() in _PACKAGES:
            yield f"{key}: {_needs(form)}"
        elif not _is_known(form) and "." not in form:  # with a dot it is the name of a class
            hint = did_you_mean(form, (*_BROUGHT, *_PACKAGES)) or f"It has {', '.join(_BROUGHT)}."
            yield f"{key}: Spark itself brings no '{form}'; jars may, or the session. {hint}"


def check_formats(spark: SparkSession, pipeline: Pipeline) -> None:
    """Refuse formats that this Spark does not have, before it does any work.

    Raises
    ------
    ConfigurationError
        One is not there; the message names its key and says what to do.
    """
    problems = []
    for key, form in _formats(pipeline):
        if form.lower() not in _ONLY_WRITTEN and not _is_there(spark, form):
            fix = _needs(form) if form.lower() in _PACKAGES else _fix(form)
            problems.append(f"{pipeline.file}: {key}: this Spark has no format '{form}'; {fix}")
    if problems:
        raise ConfigurationError("\n".join(problems))


def _formats(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Yield the key and the format of each source and sink that has one."""
    for place, one in pipeline.places():
        if one.format is not None:
            yield f"{place}.format", one.format


def _is_there(spark: SparkSession, form: str) -> bool:
    """Say whether Spark finds a format, whatever else it then misses."""
    try:
        spark.read.format(form).schema("value string").load()
    except (PySparkException, Py4JJavaError) as error:
        return _NOT_THERE.match(first_line(error)) is None
    return True


def _needs(form: str) -> str:
    package = _PACKAGES[form.lower()]
    return f'{form} needs a package; add spark.jars.packages = "{package}", or the like'


def _fix(form: str) -> str:
    hint = did_you_mean(form, (*_BROUGHT, *_PACKAGES)) or f"It brings {', '.join(_BROUGHT)}."
    return f"if a package brings it, name that in spark.jars.packages. {hint}"


def _is_known(form: str) -> bool:
    return form.lower() in {one.lower() for one in (*_BROUGHT, *_PACKAGES)}


def _has_jars(settings: Mapping[str, str]) -> bool:
    return any(name.startswith(("spark.jars", "spark.driver.extraClassPath")) for name in settings)
