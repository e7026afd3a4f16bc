"""Sources as frames of Spark, and frames into sinks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline.settings import WITHOUT_MAPS, Sink, Source

_BY_DEFAULT: Final = {"csv": {"header": "true"}}
"""What a file of that format mostly has; options of the file win."""
_OWN: Final = "tocsin.errors."
"""So the last line of a traceback begins that ends in an error of tocsin."""
_TRACEBACK: Final = "Traceback (most recent call last)"


def read_frame(spark: SparkSession, source: Source, key: str, *, is_stream: bool) -> DataFrame:
    """Return the frame of a source; `key` is where its table stands in the file.

    Raises
    ------
    ConfigurationError
        Spark cannot read it; the message has Spark's reason.
    """
    reader: Any = spark.readStream if is_stream else spark.read
    if source.schema is not None:
        with _naming(f"{key}.schema", "Spark does not take it"):
            reader = reader.schema(source.schema)
    with _naming(key, "Spark cannot read it"):
        frame = _loaded(reader, source)
    if source.where is not None:
        with _naming(f"{key}.where", "Spark does not take it"):
            frame = frame.where(source.where)
    with _naming(f"{key}.select", "Spark does not take it"):
        return frame.selectExpr(*source.select) if source.select else frame


@contextmanager
def _naming(key: str, what: str) -> Iterator[None]:
    """Let an error of Spark name the key that it is about."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        msg = f"{key}: {what}: {first_line(error)}"
        raise ConfigurationError(msg) from error


def _loaded(reader: Any, source: Source) -> DataFrame:
    for name, value in {**_BY_DEFAULT.get(source.format or "", {}), **source.options}.items():
        reader = reader.option(name, value)
    if source.format is not None:
        reader = reader.format(source.format)
    frame: DataFrame
    if source.table is not None:
        frame = reader.table(source.table)
    else:
        frame = reader.load(source.path) if source.path is not None else reader.load()
    return frame


def write_frame(frame: DataFrame, sink: Sink, *, mode: str | None = None) -> None:
    """Write a frame into a sink."""
    writer = flat(frame, sink).write.mode(mode or sink.mode).options(**sink.options)
    if sink.format is not None:
        writer = writer.format(sink.format)
    if sink.partition_by:
        writer = writer.partitionBy(*sink.partition_by)
    if sink.table is not None:
        writer.saveAsTable(sink.table)
    elif sink.path is not None:
        writer.save(sink.path)
    else:
        writer.save()


def flat(frame: DataFrame, sink: Sink) -> DataFrame:
    """Return a frame whose columns a sink can hold: maps become JSON where it has none.

    Kafka takes one column: the whole row as JSON.
    """
    if sink.format == "kafka" and "value" not in frame.columns:
        return frame.select(F.to_json(F.struct("*")).alias("value"))
    if sink.format not in WITHOUT_MAPS:
        return frame
    nested = [field.name for field in frame.schema if field.dataType.typeName() in ("map", "array")]
    for name in nested:
        frame = frame.withColumn(name, F.to_json(name))
    return frame


def first_line(error: Exception) -> str:
    """Return what is wrong in Spark's words, without its plans and traces.

    Of an error in a worker it is what tocsin said there.
    """
    java = getattr(error, "java_exception", None)
    return _line_of(str(error if java is None else java.getMessage()), type(error).__name__)


def root_line(error: Exception) -> str:
    """Return in Spark's words what an error goes back to."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        return first_line(error)
    while java.getCause() is not None:
        java = java.getCause()
    return _line_of(java.getMessage() or java.toString(), type(error).__name__)


def _line_of(text: str, otherwise: str) -> str:
    """Return the line of a text that says what is wrong: of a traceback of Python its last."""
    lines = text.strip().splitlines() or [otherwise]
    own = [line.partition(": ")[2] for line in lines if line.startswith(_OWN)]
    if own:
        return own[-1]
    return lines[-1] if lines[0].startswith(_TRACEBACK) else lines[0].rstrip(";")
