"""Subscriptions that come and go do so at the watermark, and the others stay as they are."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tests.spark.streaming.simulation import Simulation, in_order
from tests.spark.streaming.test_bucket import row

from tocsin.engine import Engine
from tocsin.language.tree import Program
from tocsin.model.notification import Notifications
from tocsin.spark.ids import with_ids
from tocsin.spark.schema import ROW
from tocsin.spark.streaming.changing import apply_changes
from tocsin.spark.streaming.task import Home
from tocsin.spark.streaming.versions import Changes, subscriptions_by_name

SLOW = "SUBSCRIBE slow FROM one MATCH a:[k = 'a'] ; b:[k = 'b']"
NEXT = "SUBSCRIBE next FROM one MATCH a:[k = 'b'] , b:[k = 'a']"
QUIET = "SUBSCRIBE quiet FROM one MATCH a:[k = 'a'] ; !b:[k = 'b'] FOR 1 s"
ROWS = [row(n, 10_000 + 1500 * n, "ab"[n * n % 3 % 2]) for n in range(16)]


@pytest.mark.parametrize("forgetful", [False, True])
@pytest.mark.parametrize("buckets", [1, 3])
def test_changes_take_place_at_the_watermark(*, forgetful: bool, buckets: int) -> None:
    changes = {
        0: Changes({"slow": SLOW, "quiet": QUIET}, ()),
        3: Changes({"next": NEXT}, ()),
        5: Changes({}, ("quiet",)),
    }
    query = Simulation("", delay_ms=2000, buckets=buckets, forgetful=forgetful)
    engine, wanted, taken = Engine("", time="ts"), [], 0
    for number in range(10):
        watermark = query.watermark_ms
        query.micro_batch(ROWS[2 * number : 2 * number + 2], changes.get(number))
        while taken < len(ROWS) and ROWS[taken]["ts"] <= watermark:
            event = {k: v for k, v in ROWS[taken].items() if v is not None and k != ROW}
            wanted += engine.publish(event)
            taken += 1
        if watermark:
            wanted += engine.advance(watermark)
        if number in changes:
            for name in changes[number].removed:
                engine.unsubscribe(name)
            for text in changes[number].added.values():
                engine.subscribe(text)
    found = in_order(query.found())
    told = Notifications(wanted, form=engine.time_form).to_arrow()
    assert found == in_order(with_ids(told))
    assert {one.subscription for one in wanted} == {"slow", "next", "quiet"}


def test_a_wrong_text_is_told_and_the_others_are_made() -> None:
    query = Simulation("", delay_ms=0, buckets=2)
    rows = [("bad", "SUBSCRIBE bad MATCH"), ("other", SLOW), ("slow", SLOW), ("slow", SLOW)]
    rows += [("next", NEXT), ("next", QUIET.replace("quiet", "next")), (None, QUIET)]
    wrong = subscriptions_by_name([*rows, ("quiet", None)])
    query.micro_batch([row(0, 10_000, "a"), row(1, 11_000, "b")], Changes(wrong, ()))
    query.micro_batch([])
    told = query.found().to_pylist()
    assert sorted((one["subscription"], one["kind"]) for one in told) == [
        ("", "bad_program"),
        ("bad", "bad_program"),
        ("next", "bad_program"),
        ("other", "bad_program"),
        ("quiet", "bad_program"),
        ("slow", "match"),
    ]


@pytest.mark.parametrize(
    ("pattern", "columns", "said"),
    [
        ("FROM one MATCH a:[kk = 'a']", ("ts", "$stream", "k"), "reads 'kk' of stream 'one'"),
        ("FROM one MATCH a:[k = 'a']", ("ts", "k"), "reads the stream 'one', but all rows are"),
        ("FROM on MATCH a:[k = 'a']", ("ts", "$stream", "k"), "'on', but there are only"),
        ("MATCH a:[k = 'a']", ("ts", "k"), None),
    ],
)
def test_what_could_never_match_is_told(
    pattern: str, columns: tuple[str, ...], said: str | None
) -> None:
    streams = ("one", "two") if "$stream" in columns else None
    home = Home(Program(()), 0, 1, columns, streams=streams)
    changes = Changes({"s": f"SUBSCRIBE s {pattern}"}, ())
    told = apply_changes(Engine("", time="ts"), changes, home, shard=0, stream=None)
    reasons = [dict(row["emit"])["reason"] for table in told for row in table.to_pylist()]
    assert [said is not None and said in reason for reason in reasons] == [True] * bool(said)
