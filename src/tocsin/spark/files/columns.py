"""Columns of Parquet files that Arrow reads exactly as Spark does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tocsin.spark.files.through_spark import ThroughSpark

_ALIKE: Final[dict[DataType, tuple[Any, ...]]] = {
    BooleanType(): (pa.bool_(),),
    ByteType(): (pa.int8(),),
    ShortType(): (pa.int16(),),
    IntegerType(): (pa.int32(),),
    LongType(): (pa.int64(),),
    FloatType(): (pa.float32(),),
    DoubleType(): (pa.float64(),),
    StringType(): (pa.string(), pa.large_string()),
}
_LENGTH: Final = "__CHAR_VARCHAR_TYPE_STRING"
"""Spark notes so of what length a text has to be, and makes it so."""
_OLD_CALENDAR: Final = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
"""Spark marks files with days of the Julian calendar so, and shifts them when it reads them."""


def open_file(path: str, *, texts: Iterable[str] = ()) -> pq.ParquetFile:
    """Open a file; texts are read as codes, and times of 96 bits as microseconds."""
    return pq.ParquetFile(path, read_dictionary=list(texts), coerce_int96_timestamp_unit="us")


def check_columns(
    file: pq.ParquetFile, schema: StructType, names: Iterable[str], time: str
) -> None:
    """See that columns of a file hold what Spark reads in them.

    Parameters
    ----------
    schema
        That of the frame.
    time
        The column with the times of events.

    Raises
    ------
    ThroughSpark
        Says which column may differ.
    """
    if set(file.metadata.metadata or {}) & {*_OLD_CALENDAR}:
        msg = "a file has times of the old calendar"
        raise ThroughSpark(msg)
    found: Any = file.schema_arrow
    held = Counter(name.lower() for name in found.names)
    for name in names:
        if name not in found.names or held[name.lower()] > 1:
            msg = f"a file has no column '{name}', or several that are called so"
            raise ThroughSpark(msg)
        of, own = schema[name].dataType, found.field(name).type
        is_time = name == time
        is_alike = _is_alike_time(file, name, own, of) if is_time else own in _ALIKE.get(of, ())
        if not is_alike or _LENGTH in schema[name].metadata:
            msg = f"the column '{name}' is a {of.simpleString()}, which only Spark reads exactly"
            raise ThroughSpark(msg)


def _is_alike_time(file: pq.ParquetFile, name: str, held: Any, of: DataType) -> bool:
    if not pa.types.is_timestamp(held):
        return bool(held == pa.date32()) if of == DateType() else held in _ALIKE.get(of, ())
    if _is_of_96_bits(file, name):
        return of == TimestampType()
    as_spark_has_it = TimestampType() if held.tz is not None else TimestampNTZType()
    return held.unit in ("us", "ms") and of == as_spark_has_it


def _is_of_96_bits(file: pq.ParquetFile, name: str) -> bool:
    columns: Any = file.schema
    return any(
        columns.column(n).path == name and columns.column(n).physical_type == "INT96"
        for n in range(len(columns))
    )


def time_type(of: DataType, zone: str) -> Any:
    """Return the type in which Spark hands times to workers, None where it is that of the file."""
    if of == TimestampType():
        return pa.timestamp("us", zone)
    return pa.timestamp("us") if of == TimestampNTZType() else None


def microseconds(times: Any) -> Any:
    """Return times as numbers, those of days and of milliseconds too.

    Examples
    --------
    >>> microseconds(pa.array([2])).tolist(), microseconds(pa.array([1], pa.date32())).tolist()
    ([2000], [86400000000])
    """
    if pa.types.is_integer(times.type):
        return times.cast(pa.int64()).to_numpy(zero_copy_only=False) * 1_000
    zone = times.type.tz if pa.types.is_timestamp(times.type) else None
    counts = times.cast(pa.timestamp("us", zone)).cast(pa.int64())
    return counts.to_numpy(zero_copy_only=False)


def comparable(values: Any) -> Any:
    """Return keys in the one type that those of all files have, so that equal ones are the same.

    Files may have texts in two types and times in two units. NaN is no key.

    Examples
    --------
    >>> comparable(pa.array(["a"])).type, comparable(pa.array([1], pa.timestamp("ms"))).to_pylist()
    (DataType(large_string), [1000])
    >>> comparable(pa.array([0.0, -0.0, float("nan")])).unique().to_pylist()
    [0.0, None]
    """
    if pa.types.is_string(values.type):
        return values.cast(pa.large_string())
    if pa.types.is_timestamp(values.type):
        return values.cast(pa.timestamp("us", values.type.tz)).cast(pa.int64())
    if pa.types.is_floating(values.type):
        return pa.array(as_numbers(values), from_pandas=True)  # which takes NaN for missing
    return values


def decoded(values: Any) -> Any:
    """Return values instead of codes, where they are coded.

    Examples
    --------
    >>> decoded(pa.array(["a", "b"]).dictionary_encode()).type
    DataType(string)
    """
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def as_numbers(values: Any) -> Any:
    """Return floats so that two are the same where keys are equal: 0.0 and -0.0; null is NaN.

    Examples
    --------
    >>> as_numbers(pa.array([-0.0, None, 1.5], pa.float32())).tolist()
    [0.0, nan, 1.5]
    """
    return values.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False) + 0.0
