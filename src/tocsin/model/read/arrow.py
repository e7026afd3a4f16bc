"""Arrow tables: Parquet and Arrow IPC (Feather) files, and tables in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter, RowRefused, show_row
from tocsin.model.read.columns import Column, decode_column
from tocsin.model.read.source import Progress, Row, count_rows, reported, unreadable

BATCH_ROWS: Final = 8_192


def read_parquet(path: str, *, progress: Progress | None = None) -> Iterator[Row]:
    """Return the rows of a Parquet file, batch by batch.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or has two columns of one name.
    """
    with ExitStack() as stack:
        with _arrow_errors(path, "Parquet"):
            file = stack.enter_context(pq.ParquetFile(path))
            check_names(file.schema_arrow.names, f"'{path}'")
        rows = rows_of_batches(file.iter_batches(batch_size=BATCH_ROWS))
        guarded = _guarded(path, "Parquet", rows)
        yield from reported(guarded, progress, count_rows, file.metadata.num_rows)


def read_ipc(path: str, *, progress: Progress | None = None) -> Iterator[Row]:
    """Return the rows of an Arrow IPC file or stream, or of a Feather file.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or has two columns of one name.
    """
    with ExitStack() as stack:
        with _arrow_errors(path, "Arrow"):
            reader = _ipc_reader(stack.enter_context(pa.OSFile(path, "rb")))
            check_names(reader.schema.names, f"'{path}'")
        rows = _guarded(path, "Arrow", rows_of_batches(_ipc_batches(reader)))
        yield from reported(rows, progress, count_rows, None)


def rows_of_batches(batches: Iterable[Any]) -> Iterator[Row]:
    """Return the rows of record batches, numbered through."""
    start = 0
    for batch in batches:
        for part in _parts(batch):
            columns = [decode_column(*pair) for pair in zip(part.schema.names, part, strict=True)]
            yield from rows_of_columns(start, part.num_rows, columns)
            start += part.num_rows


def rows_of_columns(start: int, count: int, columns: list[Column]) -> Iterator[Row]:
    """Return the rows of decoded columns; a row with a fault in any of them is a dead letter."""
    names = [column.name for column in columns]
    faults: dict[int, RowRefused] = {}
    for column in reversed(columns):  # of several faults, the leftmost is told
        faults.update(column.faults)
    cells = zip(*(column.values for column in columns), strict=True) if columns else [()] * count
    for index, row_cells in enumerate(cells):
        row: Mapping[str, object] | DeadLetter = dict(zip(names, row_cells, strict=True))
        if index in faults:
            row = faults[index].letter(start + index, show_row(row))
        yield start + index, row


def check_names(names: list[str], where: str) -> None:
    """Refuse a table in which one name stands for two columns."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"{where} has two columns named {twice!r}; rename one of them"
        raise ConfigurationError(msg)


def _parts(batch: Any) -> Iterator[Any]:
    for start in range(0, batch.num_rows, BATCH_ROWS):
        yield batch.slice(start, BATCH_ROWS)


def _ipc_reader(file: Any) -> Any:
    """Return a reader of a file with an index, or of a stream without one."""
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)


def _ipc_batches(reader: Any) -> Iterator[Any]:
    if not hasattr(reader, "num_record_batches"):
        return iter(reader)
    return (reader.get_batch(index) for index in range(reader.num_record_batches))


def _guarded(path: str, format_name: str, rows: Iterator[Row]) -> Iterator[Row]:
    with _arrow_errors(path, format_name):
        yield from rows


@contextmanager
def _arrow_errors(path: str, format_name: str) -> Iterator[None]:
    try:
        with unreadable(path):
            open(path, "rb").close()  # Python tells a missing file, a directory and the rest apart
            yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        what = f"'{path}' cannot be read as {format_name}: {error}"
        msg = f"{what}; check its format, or make it again"
        raise ConfigurationError(msg) from error
