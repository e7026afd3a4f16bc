"""Subscriptions that come and go in the engine of a bucket."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import pyarrow as pa

from tocsin.engine import Engine
from tocsin.errors import LanguageError, UnsupportedError
from tocsin.language.parser import parse
from tocsin.language.tree import Subscription
from tocsin.spark.streaming.letters import of_refused
from tocsin.spark.streaming.versions import Changes


def apply_changes(engine: Engine, changes: Changes, *, shard: int, shards: int) -> list[pa.Table]:
    """Let the changes of one shard take place; return what is told of texts that are wrong."""
    for name in changes.removed:
        if name in engine.subscriptions:
            engine.unsubscribe(name)
    own = {name: text for name, text in changes.added.items() if shard_of(name, shards) == shard}
    return of_refused(_added(engine, own))


def shard_of(name: str, shards: int) -> int:
    """Return the shard in which a subscription lives, for as long as it does."""
    return zlib.crc32(name.encode()) % shards


def _added(engine: Engine, subscriptions: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in subscriptions.items():
        try:
            engine.subscribe(_checked(name, text))
        except (LanguageError, UnsupportedError) as error:
            yield name, str(error)


def _checked(name: str, text: str) -> str:
    """See that a text is one subscription of this name, which stands alone."""
    statements = parse(text).statements
    match statements:
        case (Subscription(name=called, into=None),) if called == name:
            return text
    msg = (
        f"the row '{name}' must hold just one subscription of that name, without INTO: "
        "rows stand alone, in different workers"
    )
    raise UnsupportedError(msg)
