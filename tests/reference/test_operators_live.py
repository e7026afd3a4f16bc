"""Subscriptions that come and go, and SINCE (design 2.1)."""

from typing import Any

from tests.reference.test_operators_notation import S, rows, shown

import tocsin

A_B = "MATCH x:[k = 'a'] ; y:[k = 'b']"


def live(text: str, program: str = "") -> list[str]:
    """Run a stream in which `+{…}` subscribes to a text and `-name` unsubscribes.

    Notifications are shown as `name: match`.
    """
    return [f"{n.subscription}: {shown(n)}" for n in tocsin.match(_rows(text), program)]


def _rows(text: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    clock = -1
    for part in text.split("|"):
        word = part.strip()
        if word.startswith("+"):
            made.append({"$subscribe": word[1:]})
        elif word.startswith("-"):
            made.append({"$unsubscribe": word[1:]})
        else:
            events = rows(f"z@{clock} {word}")[1:] if clock >= 0 else rows(word)
            made += events
            times = [row.get("ts", row.get("$clock")) for row in events]
            clock = int(times[-1]) // 1000
    return made


def test_only_events_after_a_subscription_count() -> None:
    # Rows: a0, the subscription 1, a2, b3.
    assert live(f"a | +SUBSCRIBE s {A_B} | a b") == ["s: x2 y3"]


def test_an_absence_reaches_back_to_the_subscription_only() -> None:
    text = "MATCH ![k = 'b'] ; y:[k = 'c']"
    assert live(f"b | +SUBSCRIBE s {text} | c") == ["s: y2"]
    assert live(f"b | +SUBSCRIBE s {text} SINCE BEGINNING | c") == []


def test_nth_counts_from_the_subscription_on() -> None:
    text = "MATCH nth(2, x:[k = 'a'])"
    assert live(f"a | +SUBSCRIBE s {text} | a a") == ["s: x3"]
    assert live(f"a | +SUBSCRIBE s {text} SINCE BEGINNING | a a") == ["s: x2"]


def test_silence_starts_with_the_clock_at_which_the_subscription_was_made() -> None:
    assert live("c@7 | +SUBSCRIBE s MATCH ![k = 'b'] FOR 10 s | *@30") == ["s: silent 7-17"]


def test_a_subscription_that_was_watching_for_too_short_a_time_reports_no_absence() -> None:
    text = "MATCH ![k = 'b'] FOR 10 s ; x:[k = 'a']"
    assert live(f"c@0 | +SUBSCRIBE s {text} | a@9 a@10") == ["s: x3"]
    assert live(f"c@0 | c@5 | +SUBSCRIBE s {text} | a@10 a@15") == ["s: x4"]
    assert live(f"c@0 | c@5 | +SUBSCRIBE s {text} SINCE BEGINNING | a@10") == ["s: x3"]


def test_since_the_beginning_events_of_history_count() -> None:
    assert live(f"a | +SUBSCRIBE s {A_B} SINCE BEGINNING | b") == ["s: x0 y2"]


def test_since_the_beginning_the_matches_of_history_are_reported_first() -> None:
    assert live(f"a b | +SUBSCRIBE s {A_B} SINCE BEGINNING | b") == ["s: x0 y1", "s: x0 y3"]
    assert live(f"a b b | +SUBSCRIBE s {A_B} SINCE BEGINNING") == ["s: x0 y1", "s: x0 y2"]


def test_matches_of_history_come_after_what_was_reported_before_the_subscription() -> None:
    program = "SUBSCRIBE old MATCH z:[k = 'b' OR k = 'c']"
    assert live(f"a b | +SUBSCRIBE s {A_B} SINCE BEGINNING | c", program) == [
        "old: z1",
        "s: x0 y1",
        "old: z3",
    ]


def test_only_new_leaves_out_matches_without_a_new_event() -> None:
    text = f"{A_B} SINCE BEGINNING ONLY NEW"
    assert live(f"a b | +SUBSCRIBE s {text} | b") == ["s: x0 y3"]


def test_since_a_time_events_from_that_time_on_count() -> None:
    assert live(f"a@0 a@1 | +SUBSCRIBE s {A_B} SINCE 1000 | b@2") == ["s: x1 y3"]
    iso = "TIMESTAMP '1970-01-01T00:00:01Z'"
    assert live(f"a@0 a@1 | +SUBSCRIBE s {A_B} SINCE {iso} | b@2") == ["s: x1 y3"]


def test_since_a_time_that_is_still_to_come_takes_nothing_away() -> None:
    # "Lets events from t on count too": those after the subscription count anyway.
    assert live(f"a@0 | +SUBSCRIBE s {A_B} SINCE 5000 | a@4 b@6") == ["s: x2 y3"]


def test_policies_count_the_matches_of_history_too() -> None:
    text = f"{A_B} LIMIT 1 SINCE BEGINNING"
    assert live(f"a b | +SUBSCRIBE s {text} | b") == ["s: x0 y1"]


def test_an_absence_that_history_completed_is_reported_too() -> None:
    text = "MATCH x:[k = 'a'] ; ![k = 'b'] FOR 5 s"
    assert live(f"a@0 c@9 | +SUBSCRIBE s {text} SINCE BEGINNING | *@20") == ["s: x0 @5"]


def test_after_an_unsubscription_there_are_no_more_notifications() -> None:
    assert live("a b | -s | b", f"SUBSCRIBE s {A_B}") == ["s: x0 y1"]


def test_an_unsubscription_ends_what_waits_for_the_clock() -> None:
    program = "SUBSCRIBE s MATCH x:[k = 'a'] ; ![k = 'b'] FOR 5 s"
    assert live("a@0 | -s | *@20", program) == []
    assert live("a@0 | *@5 | -s | *@20", program) == ["s: x0 @5"]


def test_a_name_can_be_used_again_and_starts_afresh() -> None:
    program = f"SUBSCRIBE s {A_B}"
    assert live(f"a | -s | +SUBSCRIBE s {A_B} | b a b", program) == ["s: x4 y5"]


def test_a_subscription_can_read_a_stream_that_is_derived_already() -> None:
    program = "SUBSCRIBE one FROM base MATCH x:[k = 'a'] EMIT x.v AS v INTO derived"
    text = "SUBSCRIBE two FROM derived MATCH y:[v > 1]"
    assert live(f"a2 | +{text} | a1 a3", program) == ["one: x0", "one: x2", "one: x3", "two: y3"]


def test_a_derived_stream_ends_with_the_subscription_that_made_it() -> None:
    program = """
        SUBSCRIBE one FROM base MATCH x:[k = 'a'] EMIT x.v AS v INTO derived;
        SUBSCRIBE two FROM derived MATCH y:[v > 1];
    """
    assert live("a2 | -one | a3", program) == ["one: x0", "two: y0"]


def test_a_subscription_that_is_wrong_is_a_dead_letter_and_the_rest_goes_on() -> None:
    given = [{"ts": 0, "k": "a"}, {"$subscribe": "SUBSCRIBE s MATCH"}, {"$unsubscribe": "nobody"}]
    notifications = tocsin.match([*given, {"ts": 1, "k": "a"}], "SUBSCRIBE t MATCH x:[k = 'a']")
    assert [letter.row for letter in notifications.dead_letters] == [1, 2]
    assert [n.position for n in notifications] == [0, 3]


def test_rows_that_are_no_events_are_counted_as_rows() -> None:
    (notification,) = tocsin.match(
        _rows(f"*@1 | +SUBSCRIBE s {A_B} | a@2 *@3 b@4"), "SUBSCRIBE t MATCH q:[k = 'q']"
    )
    assert notification.events == {"x": (2,), "y": (4,)}
    assert (notification.position, notification.at) == (4, 4 * S)
