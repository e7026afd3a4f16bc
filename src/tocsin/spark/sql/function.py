"""The table function: what Spark asks it before a query runs, and what it does with the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

from tocsin.engine import Engine, Places
from tocsin.errors import ConfigurationError
from tocsin.model.notification import Notifications
from tocsin.spark.sql.asked import Asked, Prepared, prepare

_CHUNK: Final = 50_000
"""So many rows make a batch for the engine."""


class TocsinMatch:
    """Subscriptions over the rows of a table, as a Python table function."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.engine = Engine(prepared.program, time=prepared.time, simultaneous="ordered")
        self.rows: list[tuple[Any, ...]] = []

    @staticmethod
    def analyze(
        events: AnalyzeArgument,
        subscriptions: AnalyzeArgument,
        time: AnalyzeArgument,
        **options: AnalyzeArgument,
    ) -> AnalyzeResult:
        """Check the call and say which columns are needed, in which order."""
        if not events.isTable:
            msg = "the first argument is a table: tocsin_match(TABLE(logins), 'SUBSCRIBE …', 'ts')"
            raise ConfigurationError(msg)
        given = {"subscriptions": subscriptions, "time": time, **options}
        texts = {name: _constant(name, argument) for name, argument in given.items()}
        return prepare(Asked.of(events.dataType, texts))

    def eval(self, events: Row, *_: object, **__: object) -> Iterator[tuple[Any, ...]]:
        """Take one row; many of them go to the engine together."""
        values = tuple(events)
        if any(values[place] is None for place in self.prepared.needed):
            return  # no event, as in `match`
        self.rows.append(values)
        if len(self.rows) >= _CHUNK:
            yield from self._processed()

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """Run what is left."""
        if self.rows:
            yield from self._processed()

    def _processed(self) -> Iterator[tuple[Any, ...]]:
        table, places = self._table()
        self.rows = []
        return told(self.engine.process(table, places) if places else self.engine.process(table))

    def _table(self) -> tuple[pa.Table, Places | None]:
        columns = list(zip(*self.rows, strict=True))
        arrays = {
            name: pa.array(values, pa.int64()).cast(of)
            if pa.types.is_timestamp(of)
            else pa.array(values, of)
            for (name, of), values in zip(self.prepared.columns, columns, strict=False)
        }
        row = self.prepared.row
        return pa.table(arrays), None if row is None else Places(_numbers(columns[row]))


def told(found: Notifications) -> Iterator[tuple[Any, ...]]:
    """Yield notifications as rows of Spark."""
    for row in found.to_arrow().to_pylist():
        yield tuple(dict(value) if isinstance(value, list) else value for value in row.values())


def _numbers(values: tuple[Any, ...]) -> Any:
    return pa.array(values, pa.int64()).to_numpy()


def _constant(name: str, argument: AnalyzeArgument) -> str:
    if not argument.isConstantExpression or not isinstance(argument.value, str):
        msg = f"{name} must be a text that is known before the query runs, such as 'ts'"
        raise ConfigurationError(msg)
    return argument.value
