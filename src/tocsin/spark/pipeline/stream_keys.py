"""The table `[stream]` of a pipeline's file."""

from __future__ import annotations

import re
from typing import Final

from tocsin.errors import DurationError
from tocsin.model.durations import parse_duration
from tocsin.spark.pipeline.keys import Keys
from tocsin.spark.pipeline.places import Places, has_scheme
from tocsin.spark.pipeline.settings import AVAILABLE_NOW, Streaming

_INTERVAL: Final = re.compile(
    r"(interval\s+)?(\d+(\.\d+)?\s*(microsecond|millisecond|second|minute|hour|day|week)s?\s*)+",
    re.IGNORECASE,
)


def read_streaming(keys: Keys, places: Places, *, is_watched: bool) -> Streaming:
    """Return how a stream is run.

    Parameters
    ----------
    is_watched
        Whether its subscriptions come from a table that may change.
    """
    given = keys.text("checkpoint", example='[stream] with checkpoint = "checkpoint"')
    checkpoint = places.resolved(given, keys, must_exist=False) or ""
    versions = keys.text("versions")
    found = Streaming(
        checkpoint,
        _trigger(keys),
        _delay(keys),
        keys.moment("start"),
        keys.number("buckets"),
        keys.number("shards"),
        _versions(keys, places, versions, checkpoint) if is_watched else None,
    )
    if is_watched and found.buckets is not None:
        keys.refuse("buckets", "a watched table is dealt into shards; leave it out, say shards")
    if not is_watched and versions is not None:
        keys.refuse("versions", "only [subscriptions.watched] has versions; leave it out")
    keys.close()
    return found


def look_over_streaming(keys: Keys) -> None:
    """Check the keys that a batch does not use: they may stay there while one tries it."""
    for name in ("checkpoint", "trigger", "delay", "versions"):
        keys.text(name)
    for name in ("buckets", "shards"):
        keys.number(name)
    keys.moment("start")
    keys.close()


def _trigger(keys: Keys) -> str:
    trigger = keys.text("trigger") or AVAILABLE_NOW
    if trigger != AVAILABLE_NOW and not _INTERVAL.fullmatch(trigger):
        said = f"'{trigger}' is no interval of Spark; say '{AVAILABLE_NOW}', or '10 seconds'"
        keys.refuse("trigger", said)
    return trigger


def _delay(keys: Keys) -> str:
    delay = keys.text("delay") or "0 s"
    try:
        parse_duration(delay)
    except DurationError as error:
        keys.refuse("delay", str(error))
    return delay


def _versions(keys: Keys, places: Places, named: str | None, checkpoint: str) -> str | None:
    """Return where versions of the watched table are written down: by default in the checkpoint."""
    reached = "driver and workers must reach it by a path without a scheme"
    if named is None and has_scheme(checkpoint):
        fix = f'add versions = "/shared/versions", say; {reached}'
        keys.refuse("versions", f"it is missing, and cannot stand in {checkpoint}; {fix}")
        return None
    if named is not None and has_scheme(named):
        keys.refuse("versions", f"'{named}' has a scheme; {reached}")
        return None
    return places.resolved(named or f"{checkpoint}/versions", keys, must_exist=False)
