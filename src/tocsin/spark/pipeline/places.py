"""Sources and sinks of a pipeline's file: where something is, and how it is read or written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tocsin.spark.pipeline.ddl import column_problems
from tocsin.spark.pipeline.keys import Keys
from tocsin.spark.pipeline.settings import Sink, Source

_WRITE_MODES: Final = ("append", "overwrite", "error", "ignore")
_REMOTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_OF_FILES: Final = ("parquet", "csv", "json", "orc", "delta", "text", "avro")
"""Formats that need a path; of others the options may say where the data are."""


def has_scheme(path: str) -> bool:
    """Say whether a path is one that Spark alone understands.

    Examples
    --------
    >>> has_scheme("s3://bucket/logins"), has_scheme("logins/2026")
    (True, False)
    """
    return _REMOTE.match(path) is not None


@dataclass(frozen=True, slots=True)
class Places:
    """Reads places; relative paths start from `file`."""

    file: Path

    def source(self, keys: Keys) -> Source:
        """Return a table to read."""
        found = Source(
            *self._place(keys, must_exist=True),
            _schema(keys),
            keys.texts("select"),
            keys.text("where"),
            keys.options("options"),
        )
        keys.close()
        return found

    def _place(self, keys: Keys, *, must_exist: bool) -> tuple[str | None, str | None, str | None]:
        """Return the format, the path and the table."""
        form, path, table = keys.text("format"), keys.text("path"), keys.text("table")
        _check_place(keys, form, table)
        return form, self.resolved(path, keys, must_exist=must_exist), table

    def resolved(self, path: str | None, keys: Keys, *, must_exist: bool) -> str | None:
        """Return a path as it is from here; one with a scheme, such as s3://, as it stands."""
        if path is None or has_scheme(path):
            return path
        whole = self.file.parent / path
        is_pattern = any(sign in path for sign in "*?[{")
        if must_exist and not is_pattern and not whole.exists():
            keys.refuse("path", f"there is no file or directory {whole}")
        return str(whole.absolute())

    def sink(self, keys: Keys) -> Sink:
        """Return a table to write."""
        found = Sink(
            *self._place(keys, must_exist=False),
            keys.choice("mode", _WRITE_MODES, "append"),
            keys.texts("partition_by"),
            keys.options("options"),
        )
        keys.close()
        return found


def _schema(keys: Keys) -> str | None:
    found = keys.text("schema")
    for problem in () if found is None else column_problems(found):
        keys.refuse("schema", problem)
    return found


def _check_place(keys: Keys, form: str | None, table: str | None) -> None:
    """See that it is said where something is, and once."""
    if "path" in keys.table and "table" in keys.table:
        keys.refuse("table", "there is a path too; leave one of them out")
    elif form is None and table is None and "format" not in keys.table:
        keys.miss("format", 'add format = "parquet", say, or a table')
    elif form in _OF_FILES and table is None and "path" not in keys.table:
        keys.miss("path", f'{form} needs one, as in path = "logins"')
