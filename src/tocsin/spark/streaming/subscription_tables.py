"""Tables of subscriptions that a session reads: one of the catalog, a frame, what gives a frame."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tocsin.errors import ConfigurationError
from tocsin.language.load import HasTree, Subscriptions
from tocsin.spark.streaming.asking import Ask, answer
from tocsin.spark.streaming.subscription_source import SubscriptionSource
from tocsin.spark.streaming.versions import (
    Versions,
    changes_between,
    read_subscriptions,
    subscriptions_by_name,
)

Tables: TypeAlias = DataFrame | Callable[[], DataFrame]
"""A frame of subscriptions, or what gives one."""

_COLUMNS: Final = ("name", "text")
_BATCHES_KEPT: Final = "spark.sql.streaming.minBatchesToRetain"
"""How many micro-batches a checkpoint can be taken back by; each reads one new version."""


def is_folder(given: Subscriptions | Tables) -> bool:
    """Say whether somebody gave a folder of subscriptions."""
    return isinstance(given, Path) and given.is_dir()


def check_folder(folder: Path) -> None:
    """See that the files of a folder are the table.

    Raises
    ------
    ConfigurationError
        It is a Delta table, whose folder also holds files of rows that are gone.
    """
    if (folder / "_delta_log").is_dir():
        msg = (
            f"{folder} is a Delta table; give its name, or a function that reads it: "
            f"lambda: spark.read.format('delta').load('{folder}')"
        )
        raise ConfigurationError(msg)


def is_table(given: Subscriptions | Tables) -> bool:
    """Say whether a session has to read what somebody gave.

    Examples
    --------
    >>> is_table("shop.rules"), is_table("SUBSCRIBE s MATCH [v = 1]"), is_table("shop.tocsin")
    (True, False, False)
    """
    if isinstance(given, str):
        is_word = bool(given) and not any(letter.isspace() for letter in given)
        return is_word and not given.endswith(".tocsin")
    return isinstance(given, DataFrame) or (callable(given) and not isinstance(given, HasTree))


def reader_of(session: SparkSession, given: Any) -> Ask:
    """Return what reads a table anew each time it is called; it is tried once.

    Raises
    ------
    ConfigurationError
        It cannot be read, is a stream, or lacks a column.
    """
    read = _frames_of(session, given)

    def ask() -> dict[str, str]:
        frame = _checked(read)
        try:
            rows = frame.select(*_COLUMNS).collect()
        except PySparkException as error:
            raise _unreadable(error) from error
        return subscriptions_by_name((row[0], row[1]) for row in rows)

    _checked(read)
    return ask


def _frames_of(session: SparkSession, given: Any) -> Callable[[], Any]:
    if not isinstance(given, str | DataFrame):
        called: Callable[[], Any] = given
        return called
    name = given if isinstance(given, str) else _view_of(given)

    def read() -> DataFrame:
        session.catalog.refreshTable(name)  # Spark would go on with the files it knows
        return session.table(name)

    return read


def _view_of(frame: DataFrame) -> str:
    """Give a frame a name: only what has one can be told to look for new files."""
    if frame.isStreaming:
        raise _no_stream()
    name = f"tocsin_subscriptions_{uuid.uuid4().hex}"
    frame.createTempView(name)
    return name


def _checked(read: Callable[[], Any]) -> DataFrame:
    try:
        frame = read()
    except PySparkException as error:
        raise _unreadable(error) from error
    if not isinstance(frame, DataFrame):
        msg = (
            f"subscriptions may be a function that gives a frame with the columns 'name' and "
            f"'text'; this one gave {type(frame).__name__}"
        )
        raise ConfigurationError(msg)
    if frame.isStreaming:
        raise _no_stream()
    missing = [name for name in _COLUMNS if name not in frame.columns]
    if missing:
        msg = (
            f"a table of subscriptions has the columns 'name' and 'text'; this one has "
            f"{', '.join(frame.columns)}"
        )
        raise ConfigurationError(msg)
    return frame


def _unreadable(error: PySparkException) -> ConfigurationError:
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    return ConfigurationError(f"Spark cannot read the table of subscriptions: {said}")


def _no_stream() -> ConfigurationError:
    msg = "a table of subscriptions is no stream; read it with spark.read, it is read again"
    return ConfigurationError(msg)


def changes_of(
    session: SparkSession,
    table: Subscriptions | Tables,
    versions: str | None,
    buckets: int,
    check: Callable[[Mapping[str, str]], None],
) -> DataFrame:
    """Return the changes of a table of subscriptions as a stream, for every bucket.

    Parameters
    ----------
    check
        Is given the subscriptions that the table has now and that no query has seen before.

    Raises
    ------
    ConfigurationError
        Nobody said where versions are written down, or the table cannot be read.
    """
    folder = _folder_of_versions(table, versions)
    ask = _folder_reader(table) if isinstance(table, Path) else reader_of(session, table)
    check(_unseen(ask(), Versions(Path(folder))))
    kept = str(session.conf.get(_BATCHES_KEPT))
    options = {"versions": folder, "kept": kept, "buckets": str(buckets)}
    if isinstance(table, Path):
        options["table"] = str(table)
    else:
        address = answer(ask)
        # Spark shows no option of this name.
        options |= {"port": str(address.port), "token": address.key}
    session.dataSource.register(SubscriptionSource)
    return session.readStream.format(SubscriptionSource.name()).options(**options).load()


def _folder_of_versions(table: Subscriptions | Tables, versions: str | None) -> str:
    if versions is None:
        what = table if isinstance(table, str | Path) else f"the {type(table).__name__}"
        msg = (
            f"{what} is a table of subscriptions that may change; say with versions= in which "
            "folder its versions are written down, beside the checkpoint say"
        )
        raise ConfigurationError(msg)
    if "://" in versions:
        msg = (
            f"versions={versions!r}: it must be a folder that driver and workers reach by a path, "
            f"without a scheme"
        )
        raise ConfigurationError(msg)
    return versions


def _folder_reader(folder: Path) -> Ask:
    check_folder(folder)
    return lambda: read_subscriptions(folder) or {}


def _unseen(now: Mapping[str, str], versions: Versions) -> dict[str, str]:
    """Return what no version has: what one has was told of, if it is wrong."""
    return dict(changes_between(versions.content(versions.latest()), now).added)
