"""A table of subscriptions that changes, and the numbered versions of it that were seen.

A micro-batch that is run again must see the table that it saw before. So every version is written
down before Spark learns of its number, and Spark keeps the numbers in the checkpoint.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.dataset as ds

from tocsin.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different between two versions: subscriptions by name, and names that ended."""

    added: Mapping[str, str]
    removed: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        return json.dumps({"added": dict(self.added), "removed": self.removed}).encode()

    @classmethod
    def of_bytes(cls, given: bytes) -> Changes:
        """Return what `to_bytes` was given."""
        found = json.loads(given)
        return cls(found["added"], tuple(found["removed"]))


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """Return what changes; a subscription with another text ends and is made anew.

    Examples
    --------
    >>> changes_between({"a": "1", "b": "2"}, {"b": "3", "c": "4"})
    Changes(added={'b': '3', 'c': '4'}, removed=('a', 'b'))
    """
    added = {name: text for name, text in after.items() if before.get(name) != text}
    return Changes(added, tuple(name for name in before if after.get(name) != before[name]))


def read_subscriptions(folder: Path) -> dict[str, str] | None:
    """Return the subscriptions of a folder by name; None where it has no file, as while it changes.

    Raises
    ------
    ConfigurationError
        The files are no table with the columns `name` and `text`.
    """
    forms: dict[str, ds.FileFormat] = {
        "parquet": ds.ParquetFileFormat(),
        "json": ds.JsonFileFormat(),
    }
    for ending, form in forms.items():
        files = sorted(str(path) for path in folder.glob(f"[!._]*.{ending}"))
        if files:
            table = ds.dataset(files, format=form).to_table()
            if not {"name", "text"} <= set(table.column_names):
                msg = f"{folder}: a table of subscriptions has the columns 'name' and 'text'"
                raise ConfigurationError(msg)
            rows = table.select(["name", "text"]).to_pylist()
            return subscriptions_by_name((row["name"], row["text"]) for row in rows)
    return None


def subscriptions_by_name(rows: Iterable[tuple[object, object]]) -> dict[str, str]:
    r"""Return the texts of a table by name; what is null is empty.

    Texts of one name become one text, in an order that is always the same. No row may hold two
    subscriptions, so that it is refused and told like any other text that is wrong.

    Examples
    --------
    >>> subscriptions_by_name([("a", "2"), ("b", None), ("a", "1"), ("a", "1")])
    {'a': '1;\n2', 'b': ''}
    """
    texts: dict[str, set[str]] = {}
    for name, text in rows:
        shown = "" if text is None else str(text)
        texts.setdefault("" if name is None else str(name), set()).add(shown)
    return {name: ";\n".join(sorted(own)) for name, own in texts.items()}


class Versions:
    """The versions of a table, each a file in a folder; version 0 is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def latest(self) -> int:
        """Return the number of the last version."""
        return max(self._numbers(), default=0)

    def content(self, version: int) -> dict[str, str]:
        """Return the subscriptions of a version by name.

        Raises
        ------
        ConfigurationError
            Its file is lost or broken.
        """
        if version == 0:
            return {}
        file = self._file(version)
        try:
            found: dict[str, str] = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            msg = (
                f"version {version} of the table of subscriptions cannot be read from {file}, and "
                "the checkpoint goes on from it; put the folder of versions= back as it was, or "
                "begin with a new checkpoint and a new folder"
            )
            raise ConfigurationError(msg) from error
        return found

    def note(self, subscriptions: Mapping[str, str]) -> int:
        """Write down a version unless it is the last one again; return its number."""
        latest = self.latest()
        if self.content(latest) == subscriptions:
            return latest
        self._folder.mkdir(parents=True, exist_ok=True)
        hidden = self._folder / f".{latest + 1}.json"
        hidden.write_text(json.dumps(dict(subscriptions)), "utf-8")
        os.replace(hidden, self._file(latest + 1))
        return latest + 1

    def forget(self, done: int, kept: int) -> None:
        """Remove versions that no micro-batch will ask for.

        A micro-batch reads the version at which the one before it ended, and that at which it
        ends itself. After a restart Spark runs again the last micro-batch of its log at most, and
        only if that was not committed. So what lies before the end of a committed micro-batch is
        never asked for again, unless somebody takes the checkpoint back by hand. Spark keeps the
        log of some micro-batches for that, and so many versions are kept here, too.

        Parameters
        ----------
        done
            The version at which a micro-batch ended that was committed.
        kept
            How many versions before it are kept.
        """
        for version in self._numbers():
            if version < done - kept:
                self._file(version).unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        return [int(path.stem) for path in self._folder.glob("[0-9]*.json")]

    def _file(self, version: int) -> Path:
        return self._folder / f"{version}.json"
