"""How the tests of the engine run it, and compare it with the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tocsin
from tocsin.engine import Engine
from tocsin.model.notification import Notifications

Rows = list[dict[str, Any]]


def expected(text: str, stream: Rows, **options: Any) -> Notifications:
    """Return what the reference finds."""
    return tocsin.match(stream, text, engine="reference", **options)


def engine_for(text: str, stream: Rows, **options: Any) -> Engine:
    """Return an engine that keeps history where a subscription may come later and look back."""
    return Engine(text, history=any("$subscribe" in row for row in stream), **options)


def in_one_go(text: str, stream: Rows, **options: Any) -> Notifications:
    """Return what the engine finds in one batch."""
    return engine_for(text, stream, **options).process(stream)


def event_by_event(text: str, stream: Rows, **options: Any) -> Notifications:
    """Return what the engine finds row by row."""
    engine = engine_for(text, stream, **options)
    found = [notification for row in stream for notification in engine.publish(row)]
    return Notifications(found, dead_letters=engine.dead_letters, form=engine.time_form)


def in_batches(text: str, stream: Rows, sizes: Sequence[int], **options: Any) -> Notifications:
    """Return what the engine finds in batches of such sizes, the last one for the rest."""
    engine = engine_for(text, stream, **options)
    found, letters, begin = [], [], 0
    for size in (*sizes, len(stream)):
        part = engine.process(stream[begin : begin + size])
        found += list(part)
        letters += list(part.dead_letters)
        begin += size
    return Notifications(found, dead_letters=letters, form=engine.time_form)


def with_snapshots(text: str, stream: Rows, cuts: Sequence[int], **options: Any) -> Notifications:
    """Return what engines find that each go on from the snapshot of the one before."""
    engine = engine_for(text, stream, **options)
    found, letters = [], []
    for index, row in enumerate(stream):
        if index in cuts:
            snapshot = engine.snapshot()
            engine = engine_for(text, stream, **options)
            engine.restore(snapshot)
        part = engine.process([row])
        found += list(part)
        letters += list(part.dead_letters)
    return Notifications(found, dead_letters=letters, form=engine.time_form)


def assert_equal(found: Notifications, wanted: Notifications) -> None:
    """Compare all fields of all notifications, their order, and the dead letters."""
    assert found.to_dicts() == wanted.to_dicts()
    assert list(found) == list(wanted)
    assert found.dead_letters == wanted.dead_letters
