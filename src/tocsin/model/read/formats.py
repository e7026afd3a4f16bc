"""Which format a file has: by its name, else by its first bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from tocsin.errors import ConfigurationError
from tocsin.model.read.source import STDIN, open_source, unreadable

Format: TypeAlias = Literal["jsonl", "csv", "parquet", "arrow"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

_FORMAT_OF_SUFFIX: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_FORMAT_OF_MAGIC: Final[tuple[tuple[bytes, Format], ...]] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),  # how an Arrow stream goes on, having no magic of its own
)
_SNIFFED_BYTES: Final = 4096


def sniff_format(path: str | os.PathLike[str]) -> Format:
    """Return the format of a file by its name, else by its first bytes.

    Standard input (`-`) and pipes without a telling name are JSON lines: their bytes come once.

    Raises
    ------
    ConfigurationError
        Neither tells, or the file cannot be opened.

    Examples
    --------
    >>> sniff_format("logins.jsonl.gz"), sniff_format("trades.parquet")
    ('jsonl', 'parquet')
    """
    name = os.fspath(path)
    return _FORMAT_OF_SUFFIX.get(telling_suffix(name)) or _by_content(name)


def telling_suffix(name: str) -> str:
    """Return the last suffix in lower case, the one before `.gz`.

    Examples
    --------
    >>> telling_suffix("logins.CSV.gz")
    '.csv'
    """
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def _by_content(name: str) -> Format:
    if name == STDIN or _is_pipe(name):
        return "jsonl"
    with open_source(name) as source, unreadable(name):
        head = source.stream.read(_SNIFFED_BYTES)
    for magic, found in _FORMAT_OF_MAGIC:
        if head.startswith(magic):
            return found
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return "jsonl"
    msg = f"cannot tell the format of '{name}'; say format= one of {', '.join(FORMATS)}"
    raise ConfigurationError(msg)


def _is_pipe(name: str) -> bool:
    path = Path(name)
    with unreadable(name):
        return path.exists() and not path.is_file() and not path.is_dir()
