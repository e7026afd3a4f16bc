"""Arrow's views of texts, with which it computes little, become texts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def without_views(table: pa.Table | pa.RecordBatch) -> pa.Table | pa.RecordBatch:
    """Return a table with texts for views of texts, also in dictionaries.

    Examples
    --------
    >>> without_views(pa.table({"ip": pa.array(["a"], pa.string_view())}))["ip"].type
    DataType(large_string)
    """
    for place, field in enumerate(table.schema):
        plain = type_of_views(field.type)
        if plain is not None:
            column: Any = table.column(place)
            table = table.set_column(place, field.name, column.cast(plain))
    return table


def type_of_views(kind: Any) -> Any:
    """Return the type that a column of views gets, None for another column."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
        return pa.dictionary(kind.index_type, pa.large_string())
    return None
