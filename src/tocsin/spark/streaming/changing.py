"""Subscriptions that come and go in the engine of a bucket."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

import pyarrow as pa

from tocsin.engine import Engine
from tocsin.errors import ConfigurationError, LanguageError, UnsupportedError
from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tree import Program, Subscription
from tocsin.plan.partition.needs import needs_of
from tocsin.spark.schema import STREAM
from tocsin.spark.streaming.letters import of_refused
from tocsin.spark.streaming.task import Home
from tocsin.spark.streaming.versions import Changes


def apply_changes(
    engine: Engine, changes: Changes, home: Home, *, shard: int, stream: str | None
) -> list[pa.Table]:
    """Let the changes of one shard take place; return what is told of texts that are wrong."""
    for name in changes.removed:
        if name in engine.subscriptions:
            engine.unsubscribe(name)
    own = {name: text for name, text in changes.added.items() if shard_of(name, home.size) == shard}
    return of_refused(_added(engine, own, home, stream))


def shard_of(name: str, shards: int) -> int:
    """Return the shard in which a subscription lives, for as long as it does."""
    return zlib.crc32(name.encode()) % shards


def check_rows(subscriptions: Mapping[str, str], home: Home, stream: str | None) -> None:
    """See that events have what the rows of a table read, before anything runs.

    Texts that are wrong in themselves are left to the buckets, which tell of them.

    Raises
    ------
    ConfigurationError
        A row reads a column that events do not carry, or a stream that no row is of.
    """
    default = LiveProgram(home.program, default_stream=stream).default_stream
    for name, text in subscriptions.items():
        try:
            _check_readable(_checked(name, text), home, default)
        except (LanguageError, UnsupportedError):
            continue
        except ConfigurationError as error:
            msg = f"subscription '{name}' of the table cannot run: {error}"
            raise ConfigurationError(msg) from error


def _added(
    engine: Engine, subscriptions: dict[str, str], home: Home, stream: str | None
) -> Iterator[tuple[str, str]]:
    default = LiveProgram(home.program, default_stream=stream).default_stream
    for name, text in subscriptions.items():
        try:
            _check_readable(_checked(name, text), home, default)
            engine.subscribe(text)
        except (LanguageError, UnsupportedError, ConfigurationError) as error:
            yield name, str(error)


def _checked(name: str, text: str) -> Program:
    """See that a text is one subscription of this name, which stands alone."""
    program = parse(text)
    match program.statements:
        case (Subscription(name=called, into=None),) if called == name:
            refuse_unsupported(program)
            return program
    msg = (
        f"the row '{name}' must hold just one subscription of that name, without INTO: "
        "rows stand alone, in different workers"
    )
    raise UnsupportedError(msg)


def _check_readable(program: Program, home: Home, default: str) -> None:
    """See that events have what a subscription reads: it would never match otherwise."""
    live = LiveProgram(program, default_stream=default)
    needs = needs_of(live.normal(program.subscriptions), derived=frozenset(), unordered=False)
    if STREAM not in home.columns and default not in needs.streams:
        name = min(needs.streams)
        msg = f"it reads the stream '{name}', but all rows are of stream '{default}'; say stream="
        raise ConfigurationError(msg)
    unknown = set(needs.streams).difference(home.streams or needs.streams)
    if unknown:
        known = ", ".join(home.streams or ())
        msg = f"it reads the stream '{min(unknown)}', but there are only frames for {known}"
        raise ConfigurationError(msg)
    for stream, own in needs.streams.items():
        missing = [name for name in own.columns if name not in home.columns]
        if missing:
            shown = ", ".join(name for name in home.columns if not name.startswith("$"))
            msg = (
                f"it reads '{missing[0]}' of stream '{stream}', but there is no column of that "
                f"name that events can carry; there are {shown}"
            )
            raise ConfigurationError(msg)
