"""Snapshots: what they hold, and what is refused."""

from __future__ import annotations

import enum
import hashlib
import json
import pickle
from typing import Any
from unittest.mock import patch

import pytest

from tocsin.engine import Engine, SnapshotError
from tocsin.engine import snapshots as module

QUIET = "SUBSCRIBE s MATCH x:[k = 'a'] ; ![k = 'b'] FOR 5 s"


def row(seconds: int, k: str) -> dict[str, Any]:
    return {"ts": seconds * 1000, "k": k}


def test_a_deadline_survives() -> None:
    engine = Engine(QUIET)
    engine.publish(row(0, "a"))
    later = Engine(QUIET)
    later.restore(engine.snapshot())
    assert [n.at for n in later.advance(9_000)] == [5_000_000]
    assert later.stats().notifications == 1


@pytest.mark.parametrize("begin", [1_000, -1_000_000])
def test_a_partial_match_survives_also_before_1970(begin: int) -> None:
    pair = "SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b'] WITHIN 5 s"
    engine, later = Engine(pair), Engine(pair)
    engine.publish(row(begin, "a"))
    later.restore(engine.snapshot())
    for one in (engine, later):
        (found,) = one.publish(row(begin + 2, "b"))
        assert found.events == {"a": (0,), "b": (1,)}


def test_subscriptions_made_on_the_way_survive() -> None:
    engine = Engine("DEFINE hot AS v > 3; SUBSCRIBE s MATCH hot")
    engine.publish({"ts": 0, "v": 1})
    engine.subscribe("SUBSCRIBE t MATCH x:[v < 3] ; y:hot")
    engine.unsubscribe("s")
    engine.publish({"ts": 1, "v": 1})
    later = Engine("DEFINE hot AS v > 3; SUBSCRIBE s MATCH hot")
    later.restore(engine.snapshot())
    assert later.subscriptions == ("t",)
    (found,) = later.publish({"ts": 2, "v": 5})
    assert found.events == {"x": (1,), "y": (2,)}


def test_a_snapshot_can_be_restored_again_and_again() -> None:
    engine = Engine(QUIET)
    engine.publish(row(0, "a"))
    snapshot = engine.snapshot()
    for _ in range(2):
        engine.restore(snapshot)
        assert len(engine.advance(9_000)) == 1


@pytest.mark.parametrize(
    "other",
    [
        Engine("SUBSCRIBE s MATCH [k = 'c']"),
        Engine(QUIET, time="ts"),
        Engine(QUIET, simultaneous="unordered"),
        Engine(QUIET, history=True),
    ],
)
def test_that_of_another_program_or_of_other_options_is_refused(other: Engine) -> None:
    with pytest.raises(SnapshotError, match="another program or of other options"):
        other.restore(Engine(QUIET).snapshot())


def test_bytes_that_are_no_snapshot_are_refused() -> None:
    with pytest.raises(SnapshotError, match="no snapshot"):
        Engine(QUIET).restore(b"nonsense")


def test_a_damaged_snapshot_is_refused() -> None:
    snapshot = bytearray(Engine(QUIET).snapshot())
    snapshot[-5] ^= 1
    with pytest.raises(SnapshotError, match="damaged"):
        Engine(QUIET).restore(bytes(snapshot))


def test_that_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERSION", 99)
    snapshot = Engine(QUIET).snapshot()
    monkeypatch.undo()
    with pytest.raises(SnapshotError, match="has version 99, and this engine reads 5"):
        Engine(QUIET).restore(snapshot)


def test_nothing_but_state_is_let_in() -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return print, ("no",)

    engine = Engine(QUIET)
    body = engine.snapshot()[len(module._MAGIC) + 32 :]
    length = int.from_bytes(body[:8], "big")
    assert json.loads(body[8 : 8 + length])["version"] == 5
    forged = body[: 8 + length] + pickle.dumps(Evil())
    with pytest.raises(SnapshotError, match=r"builtins\.print, which is no state"):
        engine.restore(module._MAGIC + hashlib.sha256(forged).digest() + forged)


def test_an_empty_program_has_a_snapshot_too() -> None:
    engine = Engine("DEFINE hot AS v > 3")
    engine.publish({"ts": 0, "v": 1})
    engine.restore(engine.snapshot())
    assert engine.clock == 0


def test_enumerations_are_kept_by_value_whatever_python_does() -> None:
    """Some versions of Python pickle them by `getattr`, which is no state of an engine."""
    text = "STREAM s (ts TIMESTAMP, k STRING) TIME ts; SUBSCRIBE q MATCH a:[k = 'a']"
    with patch.object(enum.Enum, "__reduce_ex__", lambda one, _: (getattr, (type(one), one.name))):
        state = Engine(text).snapshot()
    Engine(text).restore(state)
