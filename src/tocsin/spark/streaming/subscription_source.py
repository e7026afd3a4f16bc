"""A table of subscriptions as a source of Spark: its changes come as rows, at micro-batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from tocsin.spark.streaming.asking import Address, ask_at
from tocsin.spark.streaming.columns import BUCKET, CHANGES
from tocsin.spark.streaming.versions import Versions, changes_between, read_subscriptions

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow as _Bounded
except ImportError:  # before Spark 4.2 such a run is one micro-batch, whatever the source is

    class _Bounded:  # type: ignore[no-redef]
        """A source that Spark may ask to stop at what is there."""


_VERSION: Final = "version"
_VERSION_ONLY: Final = re.compile(r'\{"version": ?\d+\}')


def is_own_source(description: str, offset: str) -> bool:
    """Say whether Spark's progress speaks of such a source: of its kind, and with its offsets.

    Examples
    --------
    >>> is_own_source("….python.PythonMicroBatchStream@1d60bf53", '{"version": 3}')
    True
    """
    return "PythonMicroBatchStream" in description and _VERSION_ONLY.fullmatch(offset) is not None


class SubscriptionSource(DataSource):
    """Gives the changes of a table to every bucket.

    Options: `table` (the folder) or `port` and `token` (where its content is to be had), `versions`
    (where versions are written down), `kept` (how many old ones stay), `buckets`.
    """

    @classmethod
    def name(cls) -> str:
        """Return what Spark calls it."""
        return "tocsin_subscriptions"

    def schema(self) -> str:
        """Return its columns."""
        return f"{BUCKET} int, {CHANGES} binary"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002, N802
        """Return what reads it."""
        return _Reader(self.options)


class _Between(InputPartition):
    """Two versions."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__((before, after))
        self.before, self.after = before, after


class _Reader(DataSourceStreamReader, _Bounded):
    def __init__(self, options: Any) -> None:
        self.table = Path(options["table"]) if "table" in options else None
        self.address = None if self.table else Address(int(options["port"]), options["token"])
        self.versions = Versions(Path(options["versions"]))
        self.kept = int(options["kept"])
        self.buckets = int(options["buckets"])
        self.last: int | None = None  # the version at which a bounded run stays

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - the names are Spark's
        return {_VERSION: 0}

    def latestOffset(  # noqa: N802
        self,
        start: Any = None,
        limit: Any = None,  # noqa: ARG002
    ) -> dict[str, int]:
        if start is not None:  # before Spark 4.2 it is not told
            self.versions.content(start[_VERSION])  # else a new folder would count from 1 again
        return {_VERSION: self._latest() if self.last is None else self.last}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self.last = self._latest()

    def _latest(self) -> int:
        found = self._content()
        return self.versions.latest() if found is None else self.versions.note(found)

    def _content(self) -> dict[str, str] | None:
        if self.table is not None:
            return read_subscriptions(self.table)
        assert self.address is not None
        return ask_at(self.address)

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        for version in (start[_VERSION], end[_VERSION]):
            self.versions.content(version)  # what is lost is told here, before any task runs
        return [_Between(start[_VERSION], end[_VERSION])]

    def commit(self, end: dict[str, int]) -> None:
        self.versions.forget(end[_VERSION], self.kept)

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, _Between)
        before, after = map(self.versions.content, (partition.before, partition.after))
        packed = changes_between(before, after).to_bytes()
        return iter([(bucket, packed) for bucket in range(self.buckets)])
