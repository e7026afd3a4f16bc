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
from tocsin.spark.streaming.start_source import START, StartReader
from tocsin.spark.streaming.versions import Versions, changes_between, read_subscriptions

_VERSION: Final = "version"
_OWN_OFFSET: Final = re.compile(rf'\{{"version": ?\d+(, ?"{START}": ?"\w+")?\}}')


def is_own_source(description: str, offset: str) -> bool:
    """Say whether Spark's progress speaks of such a source: of its kind, and with its offsets.

    An offset is a version, and the start of the query, which checkpoints of old do not have.

    Examples
    --------
    >>> is_own_source("….python.PythonMicroBatchStream@1d60bf53", '{"version": 3}')
    True
    """
    return "PythonMicroBatchStream" in description and _OWN_OFFSET.fullmatch(offset) is not None


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


class _Reader(StartReader):
    def __init__(self, options: Any) -> None:
        super().__init__()
        self.table = Path(options["table"]) if "table" in options else None
        self.address = None if self.table else Address(int(options["port"]), options["token"])
        self.versions = Versions(Path(options["versions"]))
        self.kept = int(options["kept"])
        self.buckets = int(options["buckets"])
        self.last: int | None = None  # the version at which a bounded run stays

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - the names are Spark's
        return self.offset(version=0)

    def latestOffset(  # noqa: N802
        self,
        start: Any = None,
        limit: Any = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        if start is not None:  # before Spark 4.2 it is not told
            self.versions.content(start[_VERSION])  # else a new folder would count from 1 again
        return self.offset(version=self._latest() if self.last is None else self.last)

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

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        before, after = start[_VERSION], end[_VERSION]
        for version in (before, after):
            self.versions.content(version)  # what is lost is told here, before any task runs
        return [] if before == after else [_Between(before, after)]

    def commit(self, end: dict[str, Any]) -> None:
        self.versions.forget(end[_VERSION], self.kept)

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, _Between)
        before, after = map(self.versions.content, (partition.before, partition.after))
        packed = changes_between(before, after).to_bytes()
        return iter([(bucket, packed) for bucket in range(self.buckets)])
