"""A-MEDIAS (thesis, chapter 7): profiles, operators, parameters and traces.

(E1; E2)_T is `E1 ; E2 WITHIN T`, (E1, E2)_T is `E1 & E2 WITHIN T`, (E1 | E2) is `E1 | E2`, the
negation of E1 in T is `!E1 FOR T`, and E1^[i] is `nth(i, E1)`.
"""

from typing import Any

import pytest
from tests.papers.reading import all_places, all_roles, each_second, kinds, places

import tocsin

CLASSES = kinds("E1 E2")


def match(pattern: str, stream: str) -> list[tuple[int, ...]]:
    """Return the rows of the matches of a pattern over events of the classes E1 and E2."""
    return all_places(tocsin.match(each_second(stream), f"{CLASSES} SUBSCRIBE s MATCH {pattern}"))


class TestExample74:
    """Environmental monitoring: temperature a1, humidity a2, radiation a3."""

    PROFILES = """
        SUBSCRIBE P1 MATCH [a1 >= 35 AND a2 >= 90];
        SUBSCRIBE P2 MATCH [a1 >= 30 AND a2 >= 90];
        SUBSCRIBE P3 MATCH [a1 >= 30 AND a2 >= 90 AND a3 BETWEEN 35 AND 50];
        SUBSCRIBE P4 MATCH [a1 BETWEEN -30 AND -20 AND a2 <= 5 AND a3 BETWEEN 40 AND 100];
        SUBSCRIBE P5 MATCH [a1 >= 30 AND a2 >= 80];
    """

    @pytest.mark.parametrize(
        ("a1", "a2", "a3", "profiles"),
        [
            (30, 90, 2, ["P2", "P5"]),  # e1 of the example
            (34, 90, 35, ["P2", "P3", "P5"]),
            (35, 90, 50, ["P1", "P2", "P3", "P5"]),
            (35, 90, 51, ["P1", "P2", "P5"]),
            (30, 89, 40, ["P5"]),
            (-20, 5, 40, ["P4"]),
            (-19, 5, 40, []),
            (29, 100, 40, []),
        ],
    )
    def test_an_event_is_matched_by_the_profiles_on_its_path(
        self, a1: int, a2: int, a3: int, profiles: list[str]
    ) -> None:
        event = {"ts": 0, "a1": a1, "a2": a2, "a3": a3}
        assert [n.subscription for n in tocsin.match([event], self.PROFILES)] == profiles


class TestExample78:
    """P3: at an office first a window is broken and then the presence detector sends a signal."""

    P3 = """
        SUBSCRIBE P3
        MATCH w:[sensor = 'window' AND state = 'broken' AND room = $r] ;
              p:[sensor = 'presence' AND room = $r]
        WITHIN 5 min;
    """

    @staticmethod
    def rows(*events: tuple[int, str, int]) -> list[dict[str, Any]]:
        """Return rows from (second, sensor, room)."""
        return [
            {"ts": second * 1000, "sensor": sensor, "state": "broken", "room": room}
            for second, sensor, room in events
        ]

    @pytest.mark.parametrize(
        ("events", "matches"),
        [
            ([(0, "window", 7), (60, "presence", 7)], [(0, 1)]),
            ([(0, "window", 7), (60, "presence", 8)], []),
            ([(0, "presence", 7), (60, "window", 7)], []),
            # exactly five minutes, and a second more
            ([(0, "window", 7), (300, "presence", 7)], [(0, 1)]),
            ([(0, "window", 7), (301, "presence", 7)], []),
            # all duplicates and all pairs, as Algorithm 7.3 has it
            (
                [(0, "window", 7), (9, "window", 7), (10, "presence", 7), (305, "presence", 7)],
                [(0, 2), (1, 2), (1, 3)],
            ),
        ],
    )
    def test_presence_in_the_same_room_within_five_minutes(
        self, events: list[tuple[int, str, int]], matches: list[tuple[int, ...]]
    ) -> None:
        assert all_places(tocsin.match(self.rows(*events), self.P3)) == matches


class TestTraces:
    """Rows 0 to 6 are e1 to e7. The times keep e3 and e4 more than T = 10 s from e5."""

    PROFILE = "E1 ; E2 WITHIN 10 s"
    TIMES = (0, 1, 2, 3, 20, 25, 28)

    def trace(self, first_class: set[int]) -> str:
        numbered = enumerate(self.TIMES, start=1)
        return " ".join(f"{'E1' if i in first_class else 'E2'}@{time}" for i, time in numbered)

    def test_in_example_7_9_only_e6_and_e7_match(self) -> None:
        # e3, e4, e6 in E1; e5 is 18 s and 17 s after e3 and e4, e7 is 3 s after e6.
        assert match(self.PROFILE, self.trace({3, 4, 6})) == [(5, 6)]

    def test_without_the_time_e3_and_e4_would_match_too(self) -> None:
        assert match("E1 ; E2", self.trace({3, 4, 6})) == [(2, 4), (3, 4), (2, 6), (3, 6), (5, 6)]

    def test_in_example_7_10_the_classes_are_the_other_way_round(self) -> None:
        # e1, e2, e5, e7 in E1: e1 and e2 with e3 and with e4, and e5 with e6.
        assert match(self.PROFILE, self.trace({1, 2, 5, 7})) == [
            (0, 2),
            (1, 2),
            (0, 3),
            (1, 3),
            (4, 5),
        ]

    def test_the_clients_of_the_parts_are_notified_beside_that_of_the_whole(self) -> None:
        # Figures 7.14 and 7.15: E_A = E1, E_B = (E1; E2)_T, E_C = E2.
        text = f"""{CLASSES}
            SUBSCRIBE A MATCH E1;
            SUBSCRIBE B MATCH E1 ; E2 WITHIN 10 s;
            SUBSCRIBE C MATCH E2;
        """
        notifications = tocsin.match(each_second("E1 E2"), text)
        assert [(n.subscription, places(n)) for n in notifications] == [
            ("A", (0,)),
            ("B", (0, 1)),
            ("C", (1,)),
        ]


class TestTable73:
    """Every operator."""

    @pytest.mark.parametrize(
        ("stream", "expected"),
        [
            ("E1@0 E2@10", [(0, 1)]),
            ("E1@0 E2@11", []),
            ("E2@0 E1@1", []),
            ("E1 x E2", [(0, 2)]),
        ],
    )
    def test_temporal_sequence(self, stream: str, expected: list[tuple[int, ...]]) -> None:
        assert match("E1 ; E2 WITHIN 10 s", stream) == expected

    @pytest.mark.parametrize(
        ("stream", "expected"),
        [
            ("E1@0 E2@10", [(0, 1)]),
            ("E2@0 E1@10", [(0, 1)]),
            ("E1@0 E2@11", []),
            ("E2@0 E1@11", []),
            ("E1@0 E2@5 E1@9", [(0, 1), (1, 2)]),
        ],
    )
    def test_temporal_conjunction(self, stream: str, expected: list[tuple[int, ...]]) -> None:
        assert match("E1 & E2 WITHIN 10 s", stream) == expected

    def test_temporal_disjunction(self) -> None:
        assert match("E1 | E2", "E1 x E2 E1") == [(0,), (2,), (3,)]

    def test_negation(self) -> None:
        assert silences("!E1 FOR 10 s", [*each_second("x@0 E1@4 E2@9 E1@30"), clock(40)]) == [
            (4, 14),
            (30, 40),
        ]

    @pytest.mark.parametrize(("i", "expected"), [(1, [(0,)]), (2, [(2,)]), (3, [(3,)]), (4, [])])
    def test_selection(self, i: int, expected: list[tuple[int, ...]]) -> None:
        assert match(f"nth({i}, E1)", "E1 E2 E1 E1") == expected


class TestTable74:
    """Every parameter. Rows: E1 at 0 and 1, E2 at 2 and 3."""

    STREAM = "E1 E1 E2 E2"

    def test_all_duplicates_are_reported(self) -> None:
        assert match("E1", self.STREAM) == [(0,), (1,)]
        assert match("E1 ; E2 DUPLICATES ALL", self.STREAM) == [(0, 2), (1, 2), (0, 3), (1, 3)]

    def test_the_first_duplicate_alone_is_reported(self) -> None:
        # After the match the profile is removed.
        assert match("E1 LIMIT 1", self.STREAM) == [(0,)]
        # With each E2 the first E1.
        assert match("E1 ; E2 DUPLICATES FIRST", self.STREAM) == [(0, 2), (0, 3)]

    def test_the_last_duplicate_before_e2_is_reported(self) -> None:
        assert match("E1 ; E2 DUPLICATES LAST", self.STREAM) == [(1, 2), (1, 3)]
        assert match("E1 ; E2 DUPLICATES LAST", "E1 E2 E1 E2") == [(0, 1), (2, 3)]

    def test_all_pairs_are_reported(self) -> None:
        assert match("E1 ; E2 PAIRS ALL", self.STREAM) == [(0, 2), (1, 2), (0, 3), (1, 3)]

    def test_unique_pairs_share_no_event(self) -> None:
        # (1,2) and (0,3) share an event with (0,2).
        assert match("E1 ; E2 PAIRS UNIQUE", self.STREAM) == [(0, 2), (1, 3)]

    @pytest.mark.parametrize(
        ("duplicates", "expected"),
        [
            # All that is left of E1 after (0,2) or (1,2) is used by the next match as well.
            ("FIRST", [(0, 2)]),
            ("LAST", [(1, 2)]),
        ],
    )
    def test_unique_pairs_are_chosen_among_the_duplicates_that_are_left(
        self, duplicates: str, expected: list[tuple[int, ...]]
    ) -> None:
        assert match(f"E1 ; E2 DUPLICATES {duplicates} PAIRS UNIQUE", self.STREAM) == expected

    def test_pairs_that_are_separate_do_not_overlap(self) -> None:
        assert match("E1 ; E2 PAIRS SEPARATE", "E1 E1 E2 E2 E1 E2") == [(0, 2), (4, 5)]


def clock(second: int) -> dict[str, Any]:
    return {"$clock": second * 1000}


def silences(pattern: str, stream: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return begin and deadline of each silence, in seconds."""
    notifications = tocsin.match(stream, f"{CLASSES} SUBSCRIBE s MATCH {pattern}")
    assert all(n.at == n.end and n.position is None for n in notifications)
    return [(n.begin // 1_000_000, n.at // 1_000_000) for n in notifications]


class TestAlgorithm74:
    """Single-step detection of the negation of E1 in T, here 10 s."""

    def test_the_time_runs_from_the_start(self) -> None:
        assert silences("!E1 FOR 10 s", [clock(0), clock(9)]) == []
        assert silences("!E1 FOR 10 s", [clock(0), clock(10)]) == [(0, 10)]
        assert silences("!E1 FOR 10 s", [clock(0), *each_second("E2@11")]) == [(0, 10)]

    def test_each_e1_sets_a_new_time(self) -> None:
        stream = [clock(0), *each_second("E1@3 E1@8 E2@19 E1@20"), clock(40)]
        # 0-10 and 3-13 are broken by the next E1; 8-18 and 20-30 are not.
        assert silences("!E1 FOR 10 s", stream) == [(8, 18), (20, 30)]

    def test_a_silence_is_reported_once(self) -> None:
        assert silences("!E1 FOR 10 s", [clock(0), clock(15), clock(50)]) == [(0, 10)]

    def test_e1_at_the_very_end_of_the_time_breaks_the_silence(self) -> None:
        assert silences("!E1 FOR 10 s", [clock(0), *each_second("E1@10"), clock(15)]) == []

    def test_other_events_do_not_break_the_silence(self) -> None:
        stream = [clock(0), *each_second("E2@3 E2@7 E2@12")]
        assert silences("!E1 FOR 10 s", stream) == [(0, 10)]

    def test_with_every_a_silence_that_goes_on_is_reported_again(self) -> None:
        stream = [clock(0), *each_second("E1@3 E1@8 E2@19 E1@20"), clock(40)]
        # After 8: 18, and 22 is too late for E1 at 20. After 20: 30, 34 and 38.
        assert silences("!E1 FOR 10 s EVERY 4 s", stream) == [(8, 18), (20, 30), (20, 34), (20, 38)]

    def test_the_notification_comes_when_the_clock_passes_the_time(self) -> None:
        text = f"{CLASSES} SUBSCRIBE quiet MATCH !E1 FOR 10 s; SUBSCRIBE two MATCH E2;"
        notifications = tocsin.match([clock(0), *each_second("E2@5 E2@25")], text)
        assert [n.subscription for n in notifications] == ["two", "quiet", "two"]
        assert all_roles(notifications, "two") == [{"E2": 1}, {"E2": 2}]
