"""A source without rows that moves once whenever a query starts, so that a micro-batch runs.

Spark applies the watermark of a micro-batch in the next one. It runs that one without data while a
query goes on, but not when one is started again: what a query owed when it ended would wait for the
next event, which a stream that has come to its end never gets.
"""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from tocsin.spark.streaming.columns import PACKED

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow as _Bounded
except ImportError:

    class _Bounded:  # type: ignore[no-redef]
        """A source that Spark may ask to stop at what is there."""


START: Final = "tocsin_start"
"""Under this name an offset says which start of the query it is of."""
_REGISTERING: Final = threading.Lock()
"""What is sent by value is noted for the whole process."""
_SINCE: Final = (4, 2)
"""Before, a run up to what is there would be a single micro-batch if one source is of Python."""


def starts_of(session: SparkSession, offsets: str) -> DataFrame | None:
    """Return the source as a stream; None where Spark is too old, or the query began without it.

    Parameters
    ----------
    offsets
        What the checkpoint says of the offsets of a micro-batch; empty where there is none yet.
    """
    began_without = bool(offsets) and f'"{START}":' not in offsets
    if began_without or tuple(map(int, session.version.split(".")[:2])) < _SINCE:
        return None
    _register(session)
    return session.readStream.format(StartSource.name()).load()


def _register(session: SparkSession) -> None:
    """Give Spark the source itself, instead of the name of this module.

    At each start Spark asks it in several processes, one after the other; each of them would load
    all of tocsin, engine included, only to find it.
    """
    module, pickling = sys.modules[__name__], cast(Any, cloudpickle)
    with _REGISTERING:
        pickling.register_pickle_by_value(module)
        try:
            session.dataSource.register(StartSource)
        finally:
            pickling.unregister_pickle_by_value(module)


class StartSource(DataSource):
    """Gives no row, and one offset for each start of a query."""

    @classmethod
    def name(cls) -> str:
        """Return what Spark calls it."""
        return START

    def schema(self) -> str:
        """Return its columns: those of the events that it is put beside."""
        return PACKED

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002, N802
        """Return what reads it; Spark asks for one at each start."""
        return _Reader()


class StartReader(DataSourceStreamReader, _Bounded):
    """Reads a source whose offsets say which start of the query they are of."""

    def __init__(self) -> None:
        self._start = secrets.token_hex(8)

    def offset(self, **own: int) -> dict[str, Any]:
        """Return an offset with what the source itself puts into it."""
        return {**own, START: self._start}


class _Reader(StartReader):
    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - the names are Spark's
        return self.offset()

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, Any]:  # noqa: ARG002, N802
        return self.offset()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Do nothing: the offset stays where it is."""

    def partitions(self, start: Any, end: Any) -> Sequence[InputPartition]:  # noqa: ARG002
        return []

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:  # noqa: ARG002
        return iter(())
