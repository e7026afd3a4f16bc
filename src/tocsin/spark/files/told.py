"""What Parquet files tell of their row groups without being read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

_TYPE_OF_STATISTICS: Final = {"INT32": pa.int32(), "INT64": pa.int64()}
"""Of other columns, least and greatest values may be cut off, or be compared otherwise."""


class Told:
    """The statistics of the columns of a file that are not nested."""

    def __init__(self, file: pq.ParquetFile) -> None:
        self._file: Any = file
        schema: Any = file.schema
        paths = [schema.column(n).path for n in range(len(schema))]
        fields = (one for one in self._file.schema_arrow if not pa.types.is_nested(one.type))
        count = Counter(paths)  # `s.x` may be a column, and a field of another one
        self._places = {
            field.name: paths.index(field.name) for field in fields if count[field.name] == 1
        }

    def nulls(self, number: int, name: str) -> int | None:
        """Return how many nulls a column has in a row group; None where nobody says."""
        found = self._statistics(number, name)
        return found.null_count if found is not None and found.has_null_count else None

    def ends(self, number: int, names: Sequence[str]) -> list[Any] | None:
        """Return the least and the greatest value of columns in a row group, an array for each.

        None where they are not told of all columns, or not that no value is null.
        """
        found = [self._ends(number, name) for name in names]
        return None if any(one is None for one in found) else found

    def _ends(self, number: int, name: str) -> Any:
        found = self._statistics(number, name)
        if found is None or not found.has_min_max or self.nulls(number, name) != 0:
            return None
        held = _TYPE_OF_STATISTICS.get(found.physical_type)
        if held is None:
            return None
        own = self._file.schema_arrow.field(name).type
        return pa.array([found.min_raw, found.max_raw], held).cast(own)

    def _statistics(self, number: int, name: str) -> Any:
        place = self._places.get(name)
        if place is None:
            return None
        return self._file.metadata.row_group(number).column(place).statistics
