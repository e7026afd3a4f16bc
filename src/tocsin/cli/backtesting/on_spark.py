"""A back-test on Spark: counted there, so that only counts come back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pyspark.sql.functions as sf
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql.types import IntegerType, LongType

from tocsin.cli.backtesting.history import History
from tocsin.cli.backtesting.results import MOST_REASONS, BadRows, Tally, key_text
from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.dead_letter import show_row
from tocsin.model.values import Kind
from tocsin.spark import dead_letters, local_session, match
from tocsin.spark.intake import quoted
from tocsin.spark.kinds import SPARK_TYPES

_FORMATS: Final = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}
_READ: Final = "read by tocsin"
"""Where a row was read: it orders events of equal time."""
_SCHEME: Final = re.compile("^file:/+")
_TYPES: Final = SPARK_TYPES | {Kind.TIMESTAMP: "string"}
"""Of JSON: as a timestamp, Spark would take milliseconds for seconds."""


def tallies(program: Program, history: History) -> tuple[list[Tally], BadRows]:
    """Return how often each subscription fired with which variables, and which rows were bad.

    Raises
    ------
    ConfigurationError
        The files are of several formats, or none of them carries a time.
    """
    spark = local_session()
    frame = _frame(spark, program, history)
    time = history.time_column(program, frame.columns)
    if time is None:
        msg = f"no column carries the time; say --time and one of {', '.join(frame.columns)}"
        raise ConfigurationError(msg)
    _see_numbers(frame, time, history)
    seen = Observation()
    found = match(frame, program, time=time, order=_READ, stream=history.stream, observation=seen)
    counted = (
        found.groupBy("subscription", sf.to_json("variables").alias("key"))
        .agg(
            sf.count(sf.lit(1)).alias("count"),
            sf.min(sf.unix_micros("at")).alias("first"),
            sf.max(sf.unix_micros("at")).alias("last"),
        )
        .collect()
    )
    bad = BadRows(0, ())
    if seen.get["dead_letters"]:
        refusing = program if seen.get["refused"] else None  # with it, all is matched once more
        letters = dead_letters(frame, refusing, time=time, order=_READ, stream=history.stream)
        bad = _bad_rows(letters.persist())
        letters.unpersist()
    return [_tally(row) for row in counted], bad


def _see_numbers(frame: DataFrame, time: str, history: History) -> None:
    """Note between which numbers times lie, if they are numbers: they may be seconds."""
    if isinstance(frame.schema[time].dataType, LongType | IntegerType):
        column = sf.col(quoted(time))
        every = frame.agg(sf.count(sf.lit(1)), sf.min(column), sf.max(column))
        ((rows, *ends),) = every.collect()
        names = [name for name in frame.columns if name != _READ]
        history.see(time, rows, names, ends)


def _bad_rows(letters: DataFrame) -> BadRows:
    first = letters.orderBy(sf.col("row").asc_nulls_last(), "raw").limit(MOST_REASONS).collect()
    return BadRows(letters.count(), tuple(f"{one['reason']}: {_shown(one)}" for one in first))


def _shown(letter: Any) -> str:
    """Return a row as it was in its file: many tasks read files, and none of them counts rows."""
    if letter["row"] is not None:  # an engine refused it, and has shown it
        return str(letter["raw"])
    row = json.loads(letter["raw"])
    row.pop(_READ, None)
    return show_row(row)


def _tally(row: Any) -> Tally:
    key = key_text(json.loads(row["key"]))
    return Tally(row["subscription"], key, row["count"], row["first"], row["last"])


def _frame(spark: SparkSession, program: Program, history: History) -> DataFrame:
    files = history.files()
    formats = {_FORMATS.get(path.suffix, path.suffix) for path in files}
    if len(formats) > 1 or not formats <= set(_FORMATS.values()):
        shown = ", ".join(sorted(formats))
        msg = f"on Spark all events are Parquet, CSV or JSON lines, and here are {shown}"
        raise ConfigurationError(msg)
    form, paths = formats.pop(), [str(path.absolute()) for path in files]
    schema = _schema(program) if form == "json" else None
    if form == "csv":
        found = _csv(spark, program, paths)
    else:
        reader = spark.read.format(form)
        found = (reader if schema is None else reader.schema(schema)).load(paths)
    found = found.withColumn(_READ, _as_read(files, found.inputFiles()))
    if schema is not None:
        found = found.withColumns({name: _moment(name) for name in _times(program)})
    return found


def _csv(spark: SparkSession, program: Program, paths: list[str]) -> DataFrame:
    """Return cells as Spark guesses them, but where another kind is declared: 007 is a text.

    A column without values is what is declared, and no text.
    """
    reader = spark.read.option("header", "true")
    guessed = reader.csv(paths, inferSchema=True)
    if not guessed.columns:
        msg = "the CSV files are empty: there is no line with the names of columns, and no event"
        raise ConfigurationError(msg)
    declared = _declared(program)
    kinds = {} if declared is None else {one.name: one.kind for one in declared.attributes}
    types = dict(guessed.dtypes)
    types |= {name: "string" for name, kind in kinds.items() if kind is Kind.STRING}
    doubtful = [
        name
        for name, kind in kinds.items()
        if kind is not Kind.STRING and types.get(name) == "string"
    ]
    if doubtful:
        counts = guessed.agg(*[sf.count(quoted(name)).alias(name) for name in doubtful]).first()
        assert counts is not None
        types |= {name: SPARK_TYPES[kinds[name]] for name in doubtful if not counts[name]}
    fields = [f"{quoted(name)} {types[name]}" for name in guessed.columns]
    return reader.schema(", ".join(fields)).csv(paths)


def _as_read(files: Sequence[Path], named: Sequence[str]) -> Column:
    """Return what orders rows as the embedded engine reads them: by file, and by place in it.

    Within what one task reads, the ids that Spark gives grow.

    Parameters
    ----------
    named
        The same files as Spark names them: it escapes other characters than Python does, and is
        not of one mind about how many slashes follow `file:`.
    """
    places = {os.path.abspath(path): place for place, path in enumerate(files)}
    ordered = sorted(named, key=lambda name: places[unquote(urlsplit(name).path)])
    paths = sf.array(*[sf.lit(_SCHEME.sub("/", name)) for name in ordered])
    path = sf.regexp_replace("_metadata.file_path", _SCHEME.pattern, "/")
    file = sf.array_position(paths, path)
    return sf.struct(file, sf.col("_metadata.file_block_start"), sf.monotonically_increasing_id())


def _schema(program: Program) -> str | None:
    """Return the columns of the one stream that is declared."""
    declared = _declared(program)
    if declared is None:
        return None
    return ", ".join(f"{quoted(one.name)} {_TYPES[one.kind]}" for one in declared.attributes)


def _times(program: Program) -> list[str]:
    declared = _declared(program)
    every = () if declared is None else declared.attributes
    return [one.name for one in every if one.kind is Kind.TIMESTAMP]


def _declared(program: Program) -> StreamDeclaration | None:
    """Return the one stream that is declared, None where there is none or several."""
    found = [one for one in program.statements if isinstance(one, StreamDeclaration)]
    return found[0] if len(found) == 1 else None


def _moment(name: str) -> Column:
    """Return a time from its text, whole milliseconds or ISO 8601; null where it is none."""
    text = sf.col(quoted(name))
    us = sf.try_multiply(text.try_cast("bigint"), sf.lit(1_000))
    return sf.coalesce(sf.timestamp_micros(us), sf.try_to_timestamp(text)).alias(name)
