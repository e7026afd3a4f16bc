"""The engine as its users hold it: rows in, notifications out, subscriptions that come and go."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pandas as pd
import pytest

from tocsin.engine import BusyError, Engine
from tocsin.errors import ConfigurationError, LanguageError, UnsupportedError
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp

A_B = "SUBSCRIBE s MATCH x:[k = 'a'] ; y:[k = 'b']"
QUIET = "SUBSCRIBE s MATCH x:[k = 'a'] ; ![k = 'b'] FOR 5 s"


def row(seconds: int, k: str, **values: Any) -> dict[str, Any]:
    return {"ts": seconds * 1000, "k": k, **values}


def test_each_row_gives_what_it_completes() -> None:
    engine = Engine(A_B)
    assert engine.publish(row(0, "a")) == []
    assert [n.events for n in engine.publish(row(1, "b"))] == [{"x": (0,), "y": (1,)}]
    assert [n.events for n in engine.publish(row(2, "b"))] == [{"x": (0,), "y": (2,)}]


def test_a_batch_gives_notifications_and_its_own_dead_letters() -> None:
    engine = Engine(A_B)
    assert [letter.row for letter in engine.process([row(5, "a"), row(1, "a")]).dead_letters] == [1]
    found = engine.process([row(6, "b"), 7])
    assert [letter.row for letter in found.dead_letters] == [3]
    assert [letter.row for letter in engine.dead_letters] == [1, 3]
    assert found.to_dicts()[0]["at"] == 6000


def test_the_clock_can_be_advanced() -> None:
    engine = Engine(QUIET)
    engine.publish(row(0, "a"))
    assert engine.advance(4_999) == []
    assert [n.at for n in engine.advance(5_000)] == [5_000_000]
    assert engine.clock == 5_000_000


@pytest.mark.parametrize(
    ("moment", "message"),
    [("soon", "clock: 'soon' is not a time"), (1_000, "clock: .clock goes backwards")],
)
def test_a_clock_that_is_no_time_or_goes_backwards_is_refused(moment: Any, message: str) -> None:
    engine = Engine(QUIET)
    engine.publish(row(9, "a"))
    with pytest.raises(ConfigurationError, match=message):
        engine.advance(moment)


def test_an_event_that_has_its_times_is_taken_as_it_is() -> None:
    engine = Engine("SUBSCRIBE s FROM base MATCH x:[k = 'a'] WITHIN 1 s")
    event = Event("base", None, Timestamp(0), Timestamp(1_000_000), {"k": "a"})
    (found,) = engine.publish(event)
    assert (found.begin, found.end, found.position) == (0, 1_000_000, 0)
    assert engine.publish({"ts": 999, "k": "a", "$stream": "base"}) == []
    assert engine.publish(Event("base", None, Timestamp(0), Timestamp(0), {"k": "a"})) == []
    assert [letter.kind for letter in engine.dead_letters] == ["late", "late"]


def test_subscriptions_come_and_go() -> None:
    engine = Engine("SUBSCRIBE t MATCH x:[k = 't']")
    engine.publish(row(0, "a"))
    engine.subscribe(A_B)
    assert engine.subscriptions == ("t", "s")
    engine.publish(row(1, "a"))
    assert [n.events["x"] for n in engine.publish(row(2, "b"))] == [(1,)]
    engine.unsubscribe("s")
    assert engine.publish(row(3, "b")) == []
    assert engine.stats().instances == 0


def test_a_wrong_subscription_changes_nothing() -> None:
    engine = Engine(A_B)
    with pytest.raises(LanguageError):
        engine.subscribe("SUBSCRIBE t MATCH")
    with pytest.raises(ConfigurationError, match="no subscription is called 'nobody'"):
        engine.unsubscribe("nobody")
    assert engine.subscriptions == ("s",)


def test_since_needs_a_history() -> None:
    text = "SUBSCRIBE n MATCH x:[k = 'a'] SINCE BEGINNING"
    engine = Engine(text)
    assert len(engine.publish(row(0, "a"))) == 1
    with pytest.raises(UnsupportedError, match=r"'m': SINCE looks back.*history=True"):
        engine.subscribe(text.replace(" n ", " m "))
    engine.publish({"$subscribe": text.replace(" n ", " m ")})
    assert [letter.kind for letter in engine.dead_letters] == ["bad_program"]


def test_with_a_history_since_finds_what_was_before() -> None:
    engine = Engine(A_B, history=True)
    engine.publish(row(0, "a"))
    found = engine.subscribe("SUBSCRIBE n MATCH x:[k = 'a'] SINCE BEGINNING")
    assert [n.events for n in found] == [{"x": (0,)}]


@pytest.mark.parametrize("clause", ["PREDICT WITHIN 2 EVENTS ABOVE 0.5", "ACCEPT POSSIBLY 0.5"])
def test_what_does_not_run_yet_is_refused(clause: str) -> None:
    with pytest.raises(UnsupportedError, match=r"subscription 's': .* does not run yet"):
        Engine(f"{A_B} {clause}")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="simultaneous='sometimes' is unknown"):
        Engine(A_B, simultaneous="sometimes")  # type: ignore[arg-type]


def test_callbacks_hear_every_notification_in_order() -> None:
    engine, heard = Engine(A_B), []
    engine.on_notification(lambda found: heard.append(found.position))
    engine.process([row(0, "a"), row(1, "b"), row(2, "b")])
    assert heard == [1, 2]


def test_an_iterator_gives_notifications_until_the_engine_is_closed() -> None:
    async def listen() -> list[int | None]:
        engine = Engine(A_B)
        notifications = engine.notifications()
        engine.process([row(0, "a"), row(1, "b"), row(2, "b")])
        engine.close()
        return [found.position async for found in notifications]

    assert asyncio.run(listen()) == [1, 2]


def test_a_callback_cannot_enter_the_engine() -> None:
    engine = Engine(A_B)
    engine.on_notification(lambda _: engine.publish(row(9, "a")))
    engine.publish(row(0, "a"))
    with pytest.raises(BusyError, match="the engine is at work"):
        engine.publish(row(1, "b"))
    assert engine.publish(row(9, "c")) == []  # it goes on


def test_a_second_thread_cannot_enter_the_engine() -> None:
    engine, inside, go_on = Engine(A_B), threading.Event(), threading.Event()

    def wait(_: Notification) -> None:
        inside.set()
        go_on.wait(10)

    engine.on_notification(wait)
    engine.publish(row(0, "a"))
    first = threading.Thread(target=engine.publish, args=(row(1, "b"),))
    first.start()
    inside.wait(10)
    try:
        with pytest.raises(BusyError, match="let one thread publish"):
            engine.publish(row(2, "b"))
    finally:
        go_on.set()
        first.join()


def test_stats_count_what_happened() -> None:
    engine = Engine(
        f"{A_B} PAIRS UNIQUE; SUBSCRIBE one MATCH [k = 'a'] LIMIT 1; {QUIET[:10]}q" + QUIET[11:]
    )
    engine.process([row(0, "a"), row(1, "b"), row(2, "b"), "nonsense"])
    stats = engine.stats()
    assert (stats.rows, stats.dead_letters, stats.notifications) == (4, 1, 2)
    assert (stats.subscriptions["s"].matches, stats.subscriptions["s"].notifications) == (2, 1)
    assert stats.subscriptions["s"].instances == 1
    assert stats.subscriptions["one"].is_finished
    assert stats.instances == sum(one.instances for one in stats.subscriptions.values())
    assert stats.bytes_estimate > 0


def test_a_subscription_may_go_before_any_event_comes() -> None:
    text = "SUBSCRIBE s{} MATCH a:[v = {}] ; b:[v > a.v] ; c:[v > b.v] ; d:[v > c.v]"
    engine = Engine(text.format(0, 0), time="ts")
    engine.publish({"ts": 0, "v": 0})
    for i in range(1, 5):
        engine.subscribe(text.format(i, i))
    for i in range(1, 5):
        engine.unsubscribe(f"s{i}")
    found = engine.process([{"ts": i, "v": i} for i in range(1, 4)])
    assert [one.subscription for one in found] == ["s0"]


def test_a_frame_is_taken_and_a_single_row_is_refused() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 1]")
    frame = pd.DataFrame({"ts": [1, 2], "k": [1, 2]})
    assert [one.position for one in engine.process(frame)] == [0]
    with pytest.raises(ConfigurationError, match="use publish"):
        engine.process({"ts": 3, "k": 1})


def test_a_callback_that_raises_keeps_nobody_from_being_told() -> None:
    engine, told = Engine("SUBSCRIBE s MATCH a:[k = 1]"), []

    def fail(_: object) -> None:
        msg = "no"
        raise ValueError(msg)

    engine.on_notification(fail)
    engine.on_notification(told.append)
    with pytest.raises(ValueError, match="no"):
        engine.process([{"ts": 1, "k": 1}, {"ts": 2, "k": 1}])
    assert [one.position for one in told] == [0, 1]


def test_events_of_another_stream_after_the_last_match_of_a_limit() -> None:
    """A lane in which nobody waits any more took an event that does not concern it for its own."""
    engine = Engine(
        "SUBSCRIBE once FROM one MATCH [v = 1] LIMIT 1; SUBSCRIBE t FROM other MATCH [v = 1]"
    )
    streams = ["one", "other", "one", "other"]
    found = [engine.publish({"$stream": name, "ts": 0, "v": 1}) for name in streams]
    told = [[one.subscription for one in part] for part in found]
    assert told == [["once"], ["t"], [], ["t"]]
