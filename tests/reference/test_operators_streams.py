"""Streams: FROM, union, derived streams, interval time and simultaneous events (design 2.1)."""

import pytest
from tests.reference.test_operators_notation import DEFINITIONS, S, cases, found, rows, shown

import tocsin


def named(text: str, stream: str, **options: object) -> list[str]:
    """Return `name: match` for each notification of several subscriptions."""
    notifications = tocsin.match(rows(stream), f"{DEFINITIONS} {text}", **options)
    return [f"{n.subscription}: {shown(n)}" for n in notifications]


UNION = "SUBSCRIBE u FROM asks, bids MATCH {}"


@pytest.mark.parametrize(
    ("pattern", "stream", "expected"),
    [
        ("x:asks ; y:bids", "asks>a bids>b asks>a bids>b", ["x0 y1", "x0 y3", "x2 y3"]),
        ("x:asks[v > 1] ; y:bids[v > 1]", "asks>a1 asks>a2 bids>b1 bids>b2", ["x1 y3"]),
        # Without the name of a stream an atom takes events of any of them.
        ("x:[v > 1]", "asks>a2 bids>b2 bids>b1", ["x0", "x1"]),
        # The very next event is that of the merge …
        ("x:asks , y:bids", "asks>a asks>b bids>c", ["x1 y2"]),
        ("x:asks , y:asks", "asks>a bids>b asks>c", []),
        # … and an event of a stream that is not read is not in it.
        ("x:asks , y:bids", "asks>a other>z bids>c", ["x0 y2"]),
        ("x:asks ; y:bids WITHIN 2 EVENTS", "asks>a other>z bids>c", ["x0 y2"]),
        ("x:asks ; y:bids WITHIN 2 EVENTS", "asks>a asks>z bids>c", ["x1 y2"]),
    ],
)
def test_a_union_is_the_merge_in_order_of_arrival(
    pattern: str, stream: str, expected: list[str]
) -> None:
    assert named(UNION.format(pattern), stream) == [f"u: {match}" for match in expected]


def test_a_subscription_sees_only_the_streams_it_reads() -> None:
    text = "SUBSCRIBE s FROM asks MATCH a , b; SUBSCRIBE t FROM bids MATCH b;"
    assert named(text, "asks>a bids>b asks>b") == ["t: b1", "s: a0 b2"]


def test_rows_without_a_stream_belong_to_the_only_one() -> None:
    assert named("SUBSCRIBE s FROM asks MATCH a , b", "a asks>b") == ["s: a0 b1"]


def test_where_several_streams_are_read_rows_without_one_belong_to_default() -> None:
    text = "SUBSCRIBE s FROM asks, bids MATCH a; SUBSCRIBE d MATCH a;"
    assert named(text, "a asks>a") == ["d: a0", "s: a1"]


def test_a_subscription_reads_what_another_emits() -> None:
    text = """
        SUBSCRIBE pair FROM base MATCH a , b EMIT a.v AS left, b.v AS right INTO pairs;
        SUBSCRIBE rise FROM pairs MATCH x:[right > left];
    """
    # The derived event is shown by the row that completed it.
    assert named(text, "a1 b0 c a1 b2") == ["pair: a0 b1", "pair: a3 b4", "rise: x4"]


def test_derived_events_are_contiguous_in_their_own_stream() -> None:
    text = """
        SUBSCRIBE pair FROM base MATCH a , b EMIT a.v AS v INTO pairs;
        SUBSCRIBE two FROM pairs MATCH x:[v = 1] , y:[v = 2];
    """
    assert named(text, "a1 b c c a2 b")[-1] == "two: x1 y5"


def test_a_derived_event_takes_its_place_right_behind_the_event_that_completed_it() -> None:
    text = """
        SUBSCRIBE pair FROM base MATCH a , b EMIT a.v AS v INTO pairs;
        SUBSCRIBE next FROM base, pairs MATCH x:base[k = 'b'] , y:pairs , z:base[k = 'c'];
    """
    # b1, then the pair that it completed, then c2.
    assert named(text, "a1 b c") == ["pair: a0 b1", "next: x1 y1 z2"]


def test_derived_streams_can_be_derived_from() -> None:
    text = """
        SUBSCRIBE three FROM twos MATCH x:[n = 2] EMIT x.n + 1 AS n INTO threes;
        SUBSCRIBE two   FROM ones MATCH x:[n = 1] EMIT x.n + 1 AS n INTO twos;
        SUBSCRIBE one   FROM base MATCH a EMIT 1 AS n INTO ones;
        SUBSCRIBE all   FROM threes MATCH x:[n = 3];
    """
    assert named(text, "b a") == ["one: a1", "two: x1", "three: x1", "all: x1"]


def test_what_an_event_completes_comes_before_what_its_derived_events_complete() -> None:
    text = """
        SUBSCRIBE one FROM derived MATCH x:[v > 0];
        SUBSCRIBE two FROM base MATCH a ; b EMIT a.v AS v INTO derived;
        SUBSCRIBE three FROM base MATCH b;
    """
    # By positions: a0 b2 and a1 b2 come before b2; then their derived events in that order.
    assert named(text, "a1 a2 b") == [
        "two: a0 b2",
        "two: a1 b2",
        "three: b2",
        "one: x2",
        "one: x2",
    ]


def test_derived_events_come_in_the_order_of_the_notifications_that_made_them() -> None:
    text = f"""{DEFINITIONS}
        SUBSCRIBE one FROM base MATCH a ; b EMIT a.v AS v INTO derived;
        SUBSCRIBE two FROM derived MATCH x:[v > 0] , y:[v > 0] EMIT x.v AS x, y.v AS y;
    """
    notifications = tocsin.match(rows("a1 a2 b"), text)
    assert [n.emit for n in notifications if n.subscription == "two"] == [{"x": 1, "y": 2}]


def test_two_subscriptions_can_emit_into_one_stream() -> None:
    text = """
        SUBSCRIBE one FROM base MATCH a EMIT 'a' AS what INTO news;
        SUBSCRIBE two FROM base MATCH b EMIT 'b' AS what INTO news;
        SUBSCRIBE both FROM news MATCH x:[what = 'a'] , y:[what = 'b'];
    """
    assert named(text, "a c b")[-1] == "both: x0 y2"


def test_only_what_the_policies_keep_is_emitted_into_a_stream() -> None:
    text = """
        SUBSCRIBE one FROM base MATCH a LIMIT 1 EMIT a.v AS v INTO first;
        SUBSCRIBE two FROM first MATCH x:[v > 0];
    """
    assert named(text, "a1 a2") == ["one: a0", "two: x0"]


def test_a_missing_value_is_missing_in_the_derived_event() -> None:
    text = """
        SUBSCRIBE one FROM base MATCH x:a | y:b EMIT x.v AS v INTO derived;
        SUBSCRIBE two FROM derived MATCH z:[v IS MISSING];
    """
    assert named(text, "a1 b2") == ["one: x0", "one: y1", "two: z1"]


def test_a_derived_event_reaches_from_the_begin_of_its_match_to_its_completion() -> None:
    text = f"""{DEFINITIONS}
        SUBSCRIBE one FROM base MATCH a ; b EMIT a.v AS v INTO derived;
        SUBSCRIBE two FROM derived MATCH x:[v > 0] EMIT begin(x) AS b, end(x) AS e;
    """
    two = tocsin.match(rows("a1@3 b@8"), text)[-1]
    assert (two.begin, two.end, two.at) == (3 * S, 8 * S, 8 * S)
    assert two.emit == {"b": 3 * S, "e": 8 * S}


def test_an_event_derived_by_the_clock_has_no_row_and_ends_at_the_deadline() -> None:
    text = f"""{DEFINITIONS}
        SUBSCRIBE quiet FROM base MATCH a ; !b FOR 10 s EMIT a.v AS v INTO quiets;
        SUBSCRIBE seen  FROM quiets MATCH x:[v > 0];
        SUBSCRIBE two   FROM base, quiets MATCH x:quiets , y:base[k = 'c'];
    """
    quiet, seen, two = tocsin.match(rows("a1@0 c@30"), text)
    assert (quiet.subscription, quiet.at) == ("quiet", 10 * S)
    assert (seen.subscription, seen.at, seen.position) == ("seen", 10 * S, None)
    assert seen.events == {"x": (None,)}
    # It comes before the event that moved the clock.
    assert (two.subscription, two.events) == ("two", {"x": (None,), "y": (1,)})


def test_a_silence_can_be_read_by_another_subscription() -> None:
    text = """
        SUBSCRIBE quiet FROM base MATCH !b FOR 10 s EMIT 1 AS one INTO quiets;
        SUBSCRIBE then  FROM base, quiets MATCH x:quiets , y:base[k = 'c'];
    """
    assert named(text, "b@0 c@11") == ["quiet: silent 0-10", "then: x? y1"]


def test_the_time_is_that_of_the_named_attribute() -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b'] WITHIN 1 s"
    stream = [{"when": 0, "ts": 0, "k": "a"}, {"when": 2000, "ts": 0, "k": "b"}]
    assert len(tocsin.match(stream, text)) == 1
    assert not tocsin.match(stream, text, time="when")


def test_events_without_a_time_take_that_of_the_clock() -> None:
    stream = [{"k": "a"}, {"k": "b"}, {"$clock": 5000}, {"k": "b"}]
    notifications = tocsin.match(stream, f"{DEFINITIONS} SUBSCRIBE s MATCH a ; b WITHIN 5 s")
    # The last one comes after the clock, more than 5 s behind the first.
    assert [shown(n) for n in notifications] == ["a0 b1"]
    assert (notifications[0].begin, notifications[0].end) == (0, 0)


@cases("""
    # ordered: by position
    a ; b      over  a@0 b@0 b@1      gives  a0 b1, a0 b2
    a , b      over  a@0 b@0 b@1      gives  a0 b1
    a ; b      over  a@0..5 b@3..6    gives  a0 b1
""")
def test_ordered_events_follow_by_their_positions(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b           over  a@0 b@0 b@1          gives  a0 b2
    a ; b           over  a@0 b@0              gives  nothing
    # The simultaneous event does not follow, so it is neither the next nor the first.
    a , b           over  a@0 b@0 b@1          gives  a0 b2
    a , b           over  a@0 c@0 b@1          gives  a0 b2
    a -> b          over  a@0 b@0 b@1          gives  a0 b2
    a , b           over  a@0 c@1 b@2          gives  nothing
    # Of two that come next together neither is the second.
    a , b           over  a@0 c@1 b@1          gives  a0 b2
    a -> b          over  a@0 b@1 b@1 b@2      gives  a0 b1, a0 b2
    a & b           over  a@0 b@0              gives  a0 b1
    a{2} BY ;       over  a@0 a@0 a@1          gives  a0 a2, a1 a2
    # A simultaneous event does not lie between either.
    a ; !c ; b      over  a@0 c@0 b@1          gives  a0 b2
    a ; !c ; b      over  a@0 c@1 b@2          gives  nothing
    a ; !c ; b      over  a@0 c@2 b@2          gives  a0 b2
    # q follows p only if it begins after p ends.
    a ; b           over  a@0..5 b@3..6        gives  nothing
    a ; b           over  a@0..5 b@5..6        gives  nothing
    a ; b           over  a@0..5 b@6..7        gives  a0 b1
    a , b           over  a@0..5 c@4..6 b@7    gives  a0 b2
""")
def test_unordered_events_follow_only_where_one_begins_after_the_other_ends(
    pattern, stream, expected
):
    assert found(pattern, stream, simultaneous="unordered") == expected


OVERLAPPING = """
    SUBSCRIBE pair FROM base MATCH a ; b EMIT a.v AS left, b.v AS right INTO pairs;
    SUBSCRIBE two FROM pairs MATCH p:[left > 0] ; q:[left > 0]
    EMIT p.left AS pl, p.right AS pr, q.left AS ql, q.right AS qr;
"""


@pytest.mark.parametrize(
    ("simultaneous", "expected"),
    [
        # Pairs: 1-2 in 0..1 s, then 1-4 in 0..3 s and 3-4 in 2..3 s.
        ("ordered", ["1-2 1-4", "1-2 3-4", "1-4 3-4"]),
        ("unordered", ["1-2 3-4"]),
    ],
)
def test_derived_events_carry_their_intervals(simultaneous: str, expected: list[str]) -> None:
    notifications = tocsin.match(
        rows("a1 b2 a3 b4"), f"{DEFINITIONS} {OVERLAPPING}", simultaneous=simultaneous
    )
    emitted = [n.emit for n in notifications if n.subscription == "two"]
    assert ["{pl}-{pr} {ql}-{qr}".format(**emit) for emit in emitted] == expected


def test_notifications_of_one_step_come_by_positions_and_then_in_the_order_of_the_text() -> None:
    text = """
        SUBSCRIBE last  MATCH b;
        SUBSCRIBE first MATCH a ; b;
        SUBSCRIBE again MATCH a ; b;
    """
    assert named(text, "a a b") == [
        "first: a0 b2",
        "again: a0 b2",
        "first: a1 b2",
        "again: a1 b2",
        "last: b2",
    ]
