"""The table function: what Spark asks it before a query runs, and what it does with the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

from tocsin.engine import Engine, Places
from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.spark.sql.asked import Asked
from tocsin.spark.sql.prepared import Prepared, prepare
from tocsin.spark.streaming.letters import Letter, of_letters

_CHUNK: Final = 50_000
"""So many rows make a batch for the engine."""


class TocsinMatch:
    """Subscriptions over the rows of a table, as a Python table function."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.engine = Engine(prepared.program, time=prepared.time, simultaneous="ordered")
        self.rows: list[tuple[Any, ...]] = []
        self.last_number: int | None = None

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
        for place, kind, reason in self.prepared.needed:
            if values[place] is None:
                row = self.prepared.row
                yield from self._refused([(kind, None if row is None else values[row], reason)])
                return
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
        found = self.engine.process(table, places) if places else self.engine.process(table)
        if places:
            self._see_order(places.rows, found.dead_letters)
        yield from self._refused([(one.kind, one.row, one.reason) for one in found.dead_letters])
        yield from told(found.to_arrow())

    def _refused(self, letters: Sequence[Letter]) -> Iterator[tuple[Any, ...]]:
        """Do with rows that are no events what the call says."""
        if self.prepared.dead_letters == "fail" and letters:
            raise ConfigurationError(_why(*letters[0]))
        if self.prepared.dead_letters == "rows":
            for table in of_letters(letters):
                yield from told(table)

    def _table(self) -> tuple[pa.Table, Places | None]:
        columns = list(zip(*self.rows, strict=True))
        arrays = {
            name: pa.array(values, pa.int64()).cast(of)
            if pa.types.is_timestamp(of)
            else pa.array(values, of)
            for (name, of), values in zip(self.prepared.columns, columns, strict=False)
        }
        row = self.prepared.row
        if row is None:
            return pa.table(arrays), None
        return pa.table(arrays), Places(_numbers(columns[row]))

    def _see_order(self, numbers: Any, letters: Sequence[DeadLetter]) -> None:
        """See that numbers name one event each and grow with time, by which rows come."""
        numbers = numbers[~np.isin(numbers, [one.row for one in letters if one.row is not None])]
        if not len(numbers):
            return
        last = numbers[0] - 1 if self.last_number is None else self.last_number
        if numbers[0] <= last or (np.diff(numbers) <= 0).any():
            msg = (
                "numbers in the column that row => names come twice or do not grow with time; "
                "each row needs one of its own"
            )
            raise ConfigurationError(msg)
        self.last_number = int(numbers[-1])


def told(found: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Yield a table of notifications as rows of Spark."""
    for row in found.to_pylist():
        yield tuple(dict(value) if isinstance(value, list) else value for value in row.values())


def _why(kind: str, row: int | None, reason: str) -> str:
    which = "a row" if row is None else f"row {row}"
    return (
        f"{which} is no event: {reason} ({kind}); say dead_letters => 'drop' to leave such rows "
        "out, or dead_letters => 'rows' to get one row for each, of its kind"
    )


def _numbers(values: tuple[Any, ...]) -> Any:
    return pa.array(values, pa.int64()).to_numpy()


def _constant(name: str, argument: AnalyzeArgument) -> str:
    if not argument.isConstantExpression or not isinstance(argument.value, str):
        msg = f"{name} must be a text that is known before the query runs, such as 'ts'"
        raise ConfigurationError(msg)
    return argument.value
