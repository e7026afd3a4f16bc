"""CSV: a header, then one row a line (or more, inside quotes); blank lines are skipped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Final, TextIO, TypeAlias

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter, RowRefused, refuse
from tocsin.model.event import Schema
from tocsin.model.normalise import is_text
from tocsin.model.read.jsonl import LINE_LIMIT
from tocsin.model.read.source import Row
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Kind

_Cell: TypeAlias = Callable[[str], object]

# The grammar of JSON: 007 and +49 are names of things rather than numbers.
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_TRUTH: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_CONTROL_KINDS: Final = {
    "$stream": Kind.STRING,
    "$subscribe": Kind.STRING,
    "$unsubscribe": Kind.STRING,
    "$end": Kind.TIMESTAMP,
    "$clock": Kind.TIMESTAMP,
}
_OTHER_DELIMITERS: Final = ";\t|"


def read_csv(
    stream: IO[bytes],
    *,
    name: str = "the CSV file",
    schema: Schema | None = None,
    delimiter: str | None = None,
) -> Iterator[Row]:
    r"""Return the rows of a CSV file in UTF-8.

    An empty cell is a missing value. A cell of a declared attribute is read as its type; any other
    cell is a number where JSON would call it one, a boolean where it says true or false, else a
    string. A row with more or fewer cells than the header, with quotes that do not close or with a
    cell over 128 KiB is a dead letter.

    Raises
    ------
    ConfigurationError
        The header cannot be used.

    Examples
    --------
    >>> import io
    >>> list(read_csv(io.BytesIO(b"ts,ip,tries\n1000,10.0.0.1,3\n2000,,\n")))
    [(0, {'ts': 1000, 'ip': '10.0.0.1', 'tries': 3}), (1, {'ts': 2000, 'ip': None, 'tries': None})]
    """
    text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
    table = _Table(text, delimiter or ",")
    header = _header(table, name, delimiter)
    kinds = {**(schema.kinds if schema is not None else {}), **_CONTROL_KINDS}
    converters = [_CELL_OF_KIND[kinds.get(column, Kind.UNKNOWN)] for column in header]
    for row, cells in enumerate(table):
        yield row, _row(row, table, cells, header, converters)


class _Table:
    """The rows of cells that are not blank; a row that cannot be taken apart is a refusal."""

    def __init__(self, text: TextIO, delimiter: str) -> None:
        self._lines = _Lines(text)
        self._reader = csv.reader(self._lines, delimiter=delimiter, strict=True)

    @property
    def line(self) -> int:
        return self._reader.line_num

    @property
    def raw(self) -> str:
        return "".join(self._lines.taken).rstrip("\r\n")

    def __iter__(self) -> Iterator[list[str] | RowRefused]:
        while True:
            self._lines.taken.clear()
            try:
                cells = next(self._reader)
            except StopIteration:
                return
            except RowRefused as refused:
                yield refused
            except csv.Error as error:
                yield RowRefused("too_large" if "limit" in str(error) else "bad_cells", str(error))
            else:
                if cells:
                    yield cells


class _Lines:
    """The lines of a text, remembering those of the row at hand."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(LINE_LIMIT + 1)
        if not line:
            raise StopIteration
        self.taken.append(line)
        if len(line) > LINE_LIMIT and not line.endswith(("\n", "\r")):
            self._skip_line()
            refuse("too_large", f"longer than {LINE_LIMIT} characters")
        return line

    def _skip_line(self) -> None:
        while rest := self._text.readline(65536):
            if rest.endswith(("\n", "\r")):
                return


def _header(table: _Table, name: str, delimiter: str | None) -> list[str]:
    header = next(iter(table), [])
    problem = _header_problem(header, delimiter)
    if isinstance(header, RowRefused) or problem:
        msg = f"the header of '{name}' cannot be used: {problem}"
        raise ConfigurationError(msg)
    return header


def _header_problem(header: list[str] | RowRefused, delimiter: str | None) -> str:
    if isinstance(header, RowRefused):
        return str(header)
    if not all(is_text(column) for column in header):
        return "it is not UTF-8; save the file as UTF-8"
    other = next((mark for mark in _OTHER_DELIMITERS if mark in "".join(header)), None)
    if len(header) == 1 and delimiter is None and other is not None:
        return f"it has one column, {header[0]!r}; if {other!r} separates, say delimiter={other!r}"
    if "" in header:
        return f"column {header.index('') + 1} has no name; give it one, or leave it out"
    twice = next((column for column in header if header.count(column) > 1), None)
    return "" if twice is None else f"the column {twice!r} stands there twice; rename one"


def _row(
    row: int,
    table: _Table,
    cells: list[str] | RowRefused,
    header: Sequence[str],
    converters: Sequence[_Cell],
) -> Mapping[str, object] | DeadLetter:
    refused = cells if isinstance(cells, RowRefused) else _misfit(cells, header)
    if isinstance(cells, RowRefused) or refused is not None:
        reason = f"line {table.line}: {refused}"
        return DeadLetter(row, reason, table.raw, refused.kind if refused else "bad_cells")
    return {
        column: convert(cell)
        for column, convert, cell in zip(header, converters, cells, strict=True)
    }


def _misfit(cells: Sequence[str], header: Sequence[str]) -> RowRefused | None:
    if len(cells) != len(header):
        return RowRefused("bad_cells", f"{len(cells)} cells under {len(header)} columns")
    if not all(map(is_text, cells)):
        return RowRefused("bad_encoding", "not UTF-8; save the file as UTF-8")
    return None


def _any_cell(cell: str) -> object:
    number = _NUMBER.fullmatch(cell)
    if number is None:
        return _TRUTH.get(cell, cell) if cell else None
    if number[1] or number[2]:
        return float(cell)
    is_small = len(cell) <= 20 and INTEGER_MIN <= int(cell) <= INTEGER_MAX
    return int(cell) if is_small else cell


def _string_cell(cell: str) -> object:
    return cell or None


def _boolean_cell(cell: str) -> object:
    return _TRUTH.get(cell, cell) if cell else None


def _number_cell(cell: str) -> object:
    """Return a number where there is one; what is none is refused later, by its declared type."""
    if not cell:
        return None
    try:
        if _WHOLE.fullmatch(cell):
            return int(cell)
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell


def _time_cell(cell: str) -> object:
    """Return milliseconds where the cell is a number, else the text of a time."""
    return _number_cell(cell) if _NUMBER.fullmatch(cell) else cell or None


_CELL_OF_KIND: Final[dict[Kind, _Cell]] = {
    Kind.UNKNOWN: _any_cell,
    Kind.STRING: _string_cell,
    Kind.BOOLEAN: _boolean_cell,
    Kind.INTEGER: _number_cell,
    Kind.FLOAT: _number_cell,
    Kind.TIMESTAMP: _time_cell,
    Kind.DURATION: _any_cell,
}
