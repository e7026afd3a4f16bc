"""Cayuga (Demers, Gehrke, Hong, Riedewald, White, EDBT 2006): S1 to S7, AutQ, and its time.

Conditional sequence S1 ;θ S2 is `a ->{θ} b`, and a selection around it is the filter of b. Where
the selection stands around S2 alone, it belongs to θ too. Iteration is `+ BY ->{θ}`. The paper's
DUR counts ticks, ends included; `duration()` is end - begin.
"""

from typing import Any

import pytest
from tests.papers.reading import all_places, all_roles, places

import tocsin

MINUTE = 60_000
WEEK = 7 * 24 * 60 * MINUTE


def quotes(*given: tuple[Any, ...], unit: int = 1000) -> list[dict[str, Any]]:
    """Return quotes from (time, name, price) or (time, name, price, vol)."""
    names = ("ts", "name", "price", "vol")
    rows = [dict(zip(names, quote, strict=False)) for quote in given]
    return [{**row, "ts": row["ts"] * unit} for row in rows]


def test_s1_the_price_of_ibm_is_above_100() -> None:
    text = "SUBSCRIBE S1 MATCH q:[name = 'IBM' AND price > 100]"
    stream = quotes((0, "IBM", 100), (1, "IBM", 100.5), (2, "MSFT", 200), (3, "IBM", 120))
    assert all_places(tocsin.match(stream, text)) == [(1,), (3,)]


class TestS2:
    """IBM is above 100, and the first MSFT afterwards is below 25."""

    TEXT = """
        SUBSCRIBE S2
        MATCH a:[name = 'IBM' AND price > 100] ->{name = 'MSFT'} b:[price < 25];
    """

    def test_the_first_msft_afterwards_decides(self) -> None:
        stream = quotes(
            (0, "IBM", 101),
            (1, "MSFT", 30),  # the first after 0: not below 25
            (2, "MSFT", 20),  # below 25, but the second
            (3, "IBM", 105),
            (4, "ORCL", 10),  # neither IBM nor MSFT
            (5, "MSFT", 24),  # the first after 3
            (6, "IBM", 99),  # not above 100
            (7, "MSFT", 20),
        )
        assert all_roles(tocsin.match(stream, self.TEXT)) == [{"a": 3, "b": 5}]

    def test_each_high_ibm_waits_for_the_same_msft(self) -> None:
        stream = quotes((0, "IBM", 101), (1, "IBM", 105), (2, "MSFT", 20), (3, "MSFT", 20))
        assert all_places(tocsin.match(stream, self.TEXT)) == [(0, 2), (1, 2)]


class TestS3:
    """A sale at p, and the next of the same stock above 1.05 p."""

    TEXT = """
        SUBSCRIBE S3
        MATCH a:[name = $s] ->{name = $s} b:[price > 1.05 * a.price]
        EMIT $s AS stock, a.price AS before, b.price AS after;
    """

    def test_the_next_sale_of_the_same_stock_jumps(self) -> None:
        stream = quotes(
            (0, "IBM", 100),
            (1, "MSFT", 50),
            (2, "IBM", 106),  # 106 > 105
            (3, "MSFT", 52),  # 52 < 52.5
            (4, "MSFT", 55),  # 55 > 54.6; it is above 52.5 too, but not the next after 50
            (5, "IBM", 111),  # 111 < 111.3
        )
        notifications = tocsin.match(stream, self.TEXT)
        assert all_places(notifications) == [(0, 2), (3, 4)]
        assert [n.emit for n in notifications] == [
            {"stock": "IBM", "before": 100, "after": 106},
            {"stock": "MSFT", "before": 52, "after": 55},
        ]

    def test_five_percent_exactly_is_not_above(self) -> None:
        assert not tocsin.match(quotes((0, "IBM", 100), (1, "IBM", 105)), self.TEXT)


class TestS4:
    """The price of any stock increases monotonically for at least 30 minutes."""

    TEXT = """
        SUBSCRIBE S4
        MATCH a:[name = $s AND (count(a) = 0 OR price >= prev(a.price))]+ BY ->{name = $s}
              @ (duration() >= 30 min);
    """
    STREAM = quotes(
        (0, "IBM", 100),
        (5, "MSFT", 50),
        (10, "IBM", 101),
        (20, "IBM", 101),  # not lower: the paper's condition is >=
        (25, "MSFT", 49),  # MSFT falls
        (30, "IBM", 103),  # 30 minutes after 100
        (40, "IBM", 104),  # 40 after 100, 30 after the first 101
        (45, "IBM", 90),  # the rise ends
        (80, "IBM", 95),  # 35 after 90
        unit=MINUTE,
    )

    def test_every_rise_of_30_minutes_or_more_is_a_match(self) -> None:
        assert all_places(tocsin.match(self.STREAM, self.TEXT)) == [
            (0, 2, 3, 5),
            (0, 2, 3, 5, 6),
            (2, 3, 5, 6),
            (7, 8),
        ]

    def test_where_it_must_really_rise_101_after_101_ends_it(self) -> None:
        strictly = self.TEXT.replace(">= prev", "> prev")
        assert all_places(tocsin.match(self.STREAM, strictly)) == [(7, 8)]


class TestS5:
    """The next IBM is above its 52-week average. Quotes come every 13 weeks."""

    TEXT = """
        SUBSCRIBE S5
        MATCH a:[name = 'IBM']+ @ (duration() = 52 weeks)
              ->{name = 'IBM'} b:[price > avg(a.price)]
        EMIT avg(a.price) AS average, b.price AS price;
    """

    def test_the_next_quote_is_compared_with_the_average_of_the_year_before(self) -> None:
        stream = quotes(
            (0, "IBM", 10),
            (13, "IBM", 20),
            (20, "MSFT", 500),
            (26, "IBM", 30),
            (39, "IBM", 40),
            (52, "IBM", 50),
            (60, "MSFT", 1),
            (65, "IBM", 31),  # weeks 0 to 52: (10+20+30+40+50)/5 = 30
            (78, "IBM", 34),  # weeks 13 to 65: (20+30+40+50+31)/5 = 34.2
            (91, "IBM", 40),  # weeks 26 to 78: (30+40+50+31+34)/5 = 37
            unit=WEEK,
        )
        notifications = tocsin.match(stream, self.TEXT)
        assert all_roles(notifications) == [
            {"a": (0, 1, 3, 4, 5), "b": 7},
            {"a": (3, 4, 5, 7, 8), "b": 9},
        ]
        assert [n.emit for n in notifications] == [
            {"average": 30.0, "price": 31},
            {"average": 37.0, "price": 40},
        ]


def posts(*given: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Return posts from (website, link, description), one a second."""
    return [
        {"ts": second * 1000, "website": website, "link": link, "description": description}
        for second, (website, link, description) in enumerate(given)
    ]


class TestS6:
    """The first post from my blogs that refers to an article on US troop morale."""

    TEXT = """
        DEFINE mine AS website IN ('one.example', 'two.example');
        SUBSCRIBE S6
        MATCH a:[website = 'military.blog.com' AND category = 'US troop morale']
              -> b:[mine AND description CONTAINS a.link];
    """

    def test_the_first_reference_from_one_of_my_blogs_is_sent(self) -> None:
        stream = posts(
            ("military.blog.com", "m/7", "on morale"),
            ("one.example", "o/1", "the weather"),  # mine, but no reference
            ("far.example", "f/1", "see m/7"),  # a reference, but not mine
            ("two.example", "t/1", "look at m/7 now"),  # the first that is both
            ("one.example", "o/2", "m/7 again"),  # the second
        )
        stream[0]["category"] = "US troop morale"
        assert all_roles(tocsin.match(stream, self.TEXT)) == [{"a": 0, "b": 3}]

    def test_an_article_of_another_category_is_not_waited_for(self) -> None:
        stream = posts(("military.blog.com", "m/7", "x"), ("one.example", "o/1", "see m/7"))
        stream[0]["category"] = "Food"
        assert not tocsin.match(stream, self.TEXT)


class TestS7:
    """The first posting refers to site XYZ, and each later one to the previous."""

    TEXT = """
        DEFINE mine AS website IN ('one.example', 'two.example');
        SUBSCRIBE S7
        MATCH a:[mine AND (count(a) = 0 AND description CONTAINS 'XYZ'
                           OR description CONTAINS prev(a.link))]+;
    """

    def test_chains_of_references_are_sent_as_they_grow(self) -> None:
        stream = posts(
            ("one.example", "L0", "see XYZ"),
            ("two.example", "L1", "on L0"),
            ("far.example", "L2", "on L1"),  # not mine
            ("one.example", "L3", "XYZ once more"),  # begins a chain of its own
            ("two.example", "L4", "on L1 at last"),  # the first of mine that refers to L1
            ("one.example", "L5", "on L0 as well"),  # not the first that refers to L0
            ("far.example", "L6", "XYZ"),
        )
        assert all_places(tocsin.match(stream, self.TEXT)) == [(0,), (0, 1), (3,), (0, 1, 4)]


class TestAutQ:
    """From a large trade on a stock falls for 10 minutes; its next quote is 5% above the bottom."""

    TEXT = """
        SUBSCRIBE AutQ
        MATCH a:[name = $s AND (count(a) = 0 AND vol > 10000 OR price < prev(a.price))]+
                BY ->{name = $s} @ (duration() >= 10 min)
              ->{name = $s} b:[price > 1.05 * last(a.price)]
        EMIT $s AS company, first(a.price) AS maxP, last(a.price) AS minP, b.price AS finalP;
    """

    def test_a_fall_that_starts_large_and_lasts_is_followed_by_a_jump(self) -> None:
        stream = quotes(
            (0, "IBM", 100, 20_000),
            (1, "MSFT", 50, 500),
            (4, "IBM", 98, 100),
            (10, "IBM", 95, 100),
            (12, "IBM", 100, 100),  # 100 > 99.75
            unit=MINUTE,
        )
        (notification,) = tocsin.match(stream, self.TEXT)
        assert notification.events == {"a": (0, 2, 3), "b": (4,)}
        assert notification.emit == {"company": "IBM", "maxP": 100, "minP": 95, "finalP": 100}

    @pytest.mark.parametrize(
        "stream",
        [
            quotes((0, "IBM", 90, 20_000), (5, "IBM", 80, 1), (8, "IBM", 90, 1), unit=MINUTE),
            quotes((0, "IBM", 90, 10_000), (11, "IBM", 80, 1), (12, "IBM", 90, 1), unit=MINUTE),
            quotes((0, "IBM", 60, 20_000), (11, "IBM", 55, 1), (12, "IBM", 57, 1), unit=MINUTE),
            quotes(
                (0, "IBM", 60, 20_000),
                (11, "IBM", 55, 1),
                (12, "IBM", 57, 1),
                (13, "IBM", 90, 1),
                unit=MINUTE,
            ),
            quotes((0, "IBM", 60, 20_000), (11, "IBM", 61, 1), (12, "IBM", 90, 1), unit=MINUTE),
            quotes((0, "IBM", 60, 20_000), (11, "IBM", 55, 1), (12, "MSFT", 90, 1), unit=MINUTE),
        ],
        ids=["5 minutes", "small trade", "57 < 57.75", "not the next", "no fall", "another stock"],
    )
    def test_otherwise_it_does_not_match(self, stream: list[dict[str, Any]]) -> None:
        assert not tocsin.match(stream, self.TEXT)

    def test_the_fall_may_begin_at_any_large_trade(self) -> None:
        stream = quotes(
            (0, "IBM", 100, 20_000),
            (5, "IBM", 98, 30_000),
            (15, "IBM", 90, 1),
            (16, "IBM", 99, 1),
            unit=MINUTE,
        )
        assert all_places(tocsin.match(stream, self.TEXT)) == [(0, 1, 2, 3), (1, 2, 3)]


class TestSimultaneousEvents:
    """Section 3.5: an instance made by an event waits for a strictly later end time."""

    STREAM = quotes((0, "IBM", 101), (0, "MSFT", 20), (1, "MSFT", 21))

    def test_ordered_the_second_of_two_simultaneous_events_follows_the_first(self) -> None:
        assert all_places(tocsin.match(self.STREAM, TestS2.TEXT)) == [(0, 1)]

    def test_unordered_it_does_not_and_the_first_afterwards_is_a_later_one(self) -> None:
        found = tocsin.match(self.STREAM, TestS2.TEXT, simultaneous="unordered")
        assert all_places(found) == [(0, 2)]

    def test_unordered_all_that_come_first_together_follow(self) -> None:
        stream = quotes((0, "IBM", 101), (1, "MSFT", 20), (1, "MSFT", 21), (2, "MSFT", 22))
        found = tocsin.match(stream, TestS2.TEXT, simultaneous="unordered")
        assert all_places(found) == [(0, 1), (0, 2)]

    def test_unordered_a_rise_takes_one_of_simultaneous_quotes(self) -> None:
        stream = quotes((0, "IBM", 1), (30, "IBM", 2), (30, "IBM", 3), unit=MINUTE)
        found = tocsin.match(stream, TestS4.TEXT, simultaneous="unordered")
        assert all_places(found) == [(0, 1), (0, 2)]
        # In order they are one rise, each of whose lengths is a match.
        assert all_places(tocsin.match(stream, TestS4.TEXT)) == [(0, 1), (0, 1, 2)]


def lasting(name: str, begin: int, end: int) -> dict[str, Any]:
    return {"ts": begin * 1000, "$end": end * 1000, "name": name}


class TestEventsWithDuration:
    """Section 2.1: events have a start and an end; sequences are of non-overlapping events."""

    TEXT = "SUBSCRIBE s MATCH a:[name = 'a'] ; b:[name = 'b']"

    @pytest.mark.parametrize(
        ("begin", "end", "ordered", "unordered"),
        [
            (6, 8, 1, 1),
            (5, 8, 1, 0),  # it begins when a ends
            (3, 8, 1, 0),  # it overlaps
            (0, 5, 1, 0),  # both at once
        ],
    )
    def test_unordered_b_follows_a_only_if_it_begins_after_a_ends(
        self, begin: int, end: int, ordered: int, unordered: int
    ) -> None:
        stream = [lasting("a", 0, 5), lasting("b", begin, end)]
        assert len(tocsin.match(stream, self.TEXT)) == ordered
        assert len(tocsin.match(stream, self.TEXT, simultaneous="unordered")) == unordered

    def test_the_duration_of_a_match_reaches_from_the_first_begin_to_the_last_end(self) -> None:
        text = f"{self.TEXT} WHERE duration() = 8 s EMIT duration() AS d, begin(b) AS b"
        (notification,) = tocsin.match([lasting("a", 0, 5), lasting("b", 6, 8)], text)
        assert (notification.begin, notification.end) == (0, 8_000_000)
        assert notification.emit == {"d": 8_000_000, "b": 6_000_000}

    def test_events_come_in_the_order_of_their_ends(self) -> None:
        stream = [lasting("a", 3, 5), lasting("b", 0, 6), lasting("b", 1, 4)]
        found = tocsin.match(stream, self.TEXT)
        # b from 0 to 6 ends after a; the last row ends before the clock and is no event.
        assert all_places(found) == [(0, 1)]
        assert [letter.row for letter in found.dead_letters] == [2]

    def test_a_constraint_on_the_duration_of_one_event(self) -> None:
        text = "SUBSCRIBE s MATCH a:[name = 'a' AND duration() >= 5 s]"
        stream = [lasting("a", 0, 5), lasting("a", 2, 6)]
        assert all_places(tocsin.match(stream, text)) == [(0,)]


class TestDerivedStreams:
    """General expressions feed their (complex) output events to others."""

    # A rise is two sales of one stock in a row, the second higher; it lasts from one to the other.
    RISES = """
        SUBSCRIBE rise FROM sales
        MATCH a:[name = $s] ->{name = $s} b:[price > a.price]
        EMIT $s AS name, b.price - a.price AS gain INTO rises;
        SUBSCRIBE again FROM rises
        MATCH p:[name = $s] ->{name = $s} q:[gain > p.gain]
        EMIT $s AS name, p.gain AS before, q.gain AS after;
    """

    def test_a_subscription_reads_what_another_emits(self) -> None:
        stream = quotes(
            (0, "IBM", 10), (1, "MSFT", 5), (2, "IBM", 11), (3, "MSFT", 9), (4, "IBM", 14)
        )
        notifications = tocsin.match(stream, self.RISES)
        assert [(n.subscription, places(n)) for n in notifications] == [
            ("rise", (0, 2)),
            ("rise", (1, 3)),
            ("rise", (2, 4)),
            ("again", (2, 4)),  # derived events are shown by the rows that completed them
        ]
        assert notifications[-1].emit == {"name": "IBM", "before": 1, "after": 3}

    def test_unordered_a_derived_event_follows_only_where_it_begins_later(self) -> None:
        stream = quotes((0, "IBM", 10), (2, "IBM", 11), (4, "IBM", 14), (6, "IBM", 19))
        # The rises are 0..2 s (gain 1), 2..4 s (3) and 4..6 s (5): each touches the one before.
        found = tocsin.match(stream, self.RISES, simultaneous="unordered")
        assert [n.emit for n in found if n.subscription == "again"] == [
            {"name": "IBM", "before": 1, "after": 5}
        ]

    def test_ordered_it_follows_by_its_place(self) -> None:
        stream = quotes((0, "IBM", 10), (2, "IBM", 11), (4, "IBM", 14), (6, "IBM", 19))
        found = tocsin.match(stream, self.RISES)
        assert [n.emit for n in found if n.subscription == "again"] == [
            {"name": "IBM", "before": 1, "after": 3},
            {"name": "IBM", "before": 3, "after": 5},
        ]


class TestAlgebra:
    """Section 2.2: union, projection, renaming and aggregates."""

    def test_the_union_of_two_streams_holds_the_events_of_both(self) -> None:
        text = "SUBSCRIBE u FROM nyse, nasdaq MATCH a:[price > 100]"
        stream = [
            {"$stream": "nyse", "ts": 0, "price": 101},
            {"$stream": "nasdaq", "ts": 1, "price": 99},
            {"$stream": "nasdaq", "ts": 2, "price": 102},
            {"$stream": "lse", "ts": 3, "price": 103},
        ]
        assert all_places(tocsin.match(stream, text)) == [(0,), (2,)]

    def test_consecutive_events_of_a_union_are_consecutive_in_the_merge(self) -> None:
        text = "SUBSCRIBE u FROM nyse, nasdaq MATCH a:nyse , b:nasdaq"
        stream = [
            {"$stream": name, "ts": second, "price": 1}
            for second, name in enumerate(["nyse", "nyse", "nasdaq", "nasdaq"])
        ]
        assert all_places(tocsin.match(stream, text)) == [(1, 2)]

    def test_emit_projects_and_renames(self) -> None:
        text = "SUBSCRIBE p MATCH a:[price > 100] EMIT a.name AS company, a.price"
        (notification,) = tocsin.match(quotes((0, "IBM", 101, 5)), text)
        assert notification.emit == {"company": "IBM", "price": 101}

    def test_an_aggregate_grows_with_each_repetition(self) -> None:
        text = """
            SUBSCRIBE g MATCH a:[name = 'IBM']{2,} WITHIN 10 s
            EMIT count(a) AS n, sum(a.vol) AS vol, avg(a.price) AS mean,
                 min(a.price) AS low, max(a.price) AS high;
        """
        stream = quotes((0, "IBM", 10, 5), (1, "MSFT", 99, 9), (2, "IBM", 20, 6), (3, "IBM", 12, 7))
        notifications = tocsin.match(stream, text)
        assert all_places(notifications) == [(0, 2), (0, 2, 3), (2, 3)]
        assert [tuple(n.emit.values()) for n in notifications] == [
            (2, 11, 15.0, 10, 20),
            (3, 18, 14.0, 10, 20),
            (2, 13, 16.0, 12, 20),
        ]

    def test_an_iteration_goes_on_while_its_aggregate_allows_it(self) -> None:
        text = "SUBSCRIBE g MATCH a:[sum(a.vol) + vol <= 12]{2,} BY ,"
        stream = quotes((0, "IBM", 1, 5), (1, "IBM", 1, 6), (2, "IBM", 1, 1), (3, "IBM", 1, 9))
        # 5+6 = 11, 5+6+1 = 12, 6+1 = 7, 1+9 = 10
        assert all_places(tocsin.match(stream, text)) == [(0, 1), (0, 1, 2), (1, 2), (2, 3)]
