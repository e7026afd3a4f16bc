"""Where bytes come from: a file, a pipe or standard input, packed with gzip or not."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias, cast

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Row: TypeAlias = tuple[int, Mapping[str, object] | DeadLetter]
"""The number of a row and what it holds, or why it cannot be read."""

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called with what is done so far and the total, None where that is unknown: bytes of a text file
(as they lie on disk, so packed ones count packed), rows of a table."""

Done: TypeAlias = Callable[[int], int]
"""From the number of rows read to what is done, in the unit of the total."""

STDIN: Final = "-"
ROWS_PER_REPORT: Final = 512

_GZIP_MAGIC: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Source:
    """Unpacked bytes, and how far the packed ones have been read."""

    stream: IO[bytes]
    done: Done
    total: int | None


class _Counted(io.RawIOBase):
    """Counts the bytes that pass."""

    def __init__(self, readinto: Callable[[WriteableBuffer], int | None]) -> None:
        self._readinto = readinto
        self.done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._readinto(buffer) or 0
        self.done += count
        return count


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """Open a file, or standard input for `-`, and unpack it where it is packed.

    Raises
    ------
    ConfigurationError
        The file cannot be opened.
    """
    with ExitStack() as stack:
        with unreadable(path):
            counted, total = stack.enter_context(_opened(path))
            packed = io.BufferedReader(counted)
            is_packed = packed.peek(2)[:2] == _GZIP_MAGIC
        # A GzipFile does all that reading asks of an IO[bytes].
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=packed)) if is_packed else packed
        yield Source(stream, lambda _rows: counted.done, total)


@contextmanager
def _opened(path: str) -> Iterator[tuple[_Counted, int | None]]:
    if path == STDIN:
        yield _Counted(cast(io.BufferedReader, sys.stdin.buffer).readinto1), None
        return
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        yield _Counted(file.readinto), status.st_size if stat.S_ISREG(status.st_mode) else None


def _one_in(path: str) -> str:
    """Return a file of a directory as an example, where there is one."""
    found = sorted(one for one in Path(path).iterdir() if one.is_file() and one.name[0] not in "._")
    return f", such as {found[0]}" if found else ""


@contextmanager
def unreadable(path: str) -> Iterator[None]:
    """Turn what goes wrong with a file into a `ConfigurationError` that says what to do."""
    try:
        yield
    except FileNotFoundError as error:
        msg = f"there is no file '{path}'; check the path"
        raise ConfigurationError(msg) from error
    except IsADirectoryError as error:
        msg = f"'{path}' is a directory; give one file of events{_one_in(path)}"
        raise ConfigurationError(msg) from error
    except PermissionError as error:
        msg = f"'{path}' may not be read by this user; change its permissions"
        raise ConfigurationError(msg) from error
    except (OSError, EOFError, zlib.error) as error:
        msg = f"'{path}' cannot be read: {error}; it may be damaged or cut short, make it again"
        raise ConfigurationError(msg) from error


def guarded(path: str, rows: Iterator[Row]) -> Iterator[Row]:
    """Pass rows on; a file that turns out to be damaged raises a `ConfigurationError`."""
    with unreadable(path):
        yield from rows


def count_rows(rows: int) -> int:
    """Measure what is done in rows."""
    return rows


def reported(
    rows: Iterator[Row], progress: Progress | None, done: Done, total: int | None
) -> Iterator[Row]:
    """Pass rows on and call `progress` every so often and at the end."""
    if progress is None:
        yield from rows
        return
    count = 0
    for row in rows:
        yield row
        count += 1
        if count % ROWS_PER_REPORT == 0:
            progress(done(count), total)
    progress(done(count), total)
