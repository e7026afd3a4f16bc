"""P-ToPSS (Muthusamy, Liu, Jacobsen, DEBS 2010): its examples, tables and figures.

The paper's contiguous `,`, non-contiguous `;`, `@`, conjunction and disjunction are `,`, `;`, `@`,
`&` and `|` here.
"""

from typing import Any

import pytest
from tests.papers.reading import all_places, all_roles, each_second, kinds, places

import tocsin

IP = "128.100.2.15"
LOGIN = """
STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;
DEFINE denied  AS status = 'denied';
DEFINE success AS status = 'success';
DEFINE passwd  AS status = 'passwd';
DEFINE logoff  AS status = 'logoff';
"""
TABLE_1 = [
    {"ts": "2007-02-14T12:38:10Z", "status": "denied", "ip": IP},
    {"ts": "2007-02-14T12:42:10Z", "status": "denied", "ip": IP},
    {"ts": "2007-02-14T12:42:10Z", "status": "denied", "ip": IP},
    {"ts": "2007-02-14T12:43:28Z", "status": "success", "ip": IP},
    {"ts": "2007-02-14T12:43:56Z", "status": "logoff", "ip": IP},
    {"ts": "2007-02-14T12:45:28Z", "status": "success", "ip": "128.100.5.10"},
]

INTRUSION = f"""{LOGIN}
SUBSCRIBE intrusion FROM logins
MATCH   s1:[denied  AND ip = $x] ;
        s2:[denied  AND ip = $x] ;
        s3:[denied  AND ip = $x] @ (t(s3) - t(s1) < 5 min) ;
        s4:[success AND ip = $x]
EMIT    $x AS ip, t(s1) AS first_denied, t(s4) AS entered;
"""


def compromised(limit: str) -> str:
    """CS_compromised with its d."""
    return f"""{LOGIN}
    SUBSCRIBE compromised FROM logins
    MATCH   s1:[denied AND ip = $x] ;
            ((s2:[denied AND ip = $x] ; s3:[success AND ip = $x] @ (t(s3) - t(s1) < {limit}))
             | (s4:[success AND ip = $x] , s5:[passwd AND ip = $x])) ;
            s6:[logoff AND ip = $x];
    """


def logins(*steps: tuple[int, str], ip: str = IP) -> list[dict[str, Any]]:
    """Return logins from (minute, status)."""
    return [{"ts": minute * 60_000, "status": status, "ip": ip} for minute, status in steps]


class TestTable1:
    def test_the_primitive_subscription_failed_login_is_matched_by_each_denied_login(self) -> None:
        text = f"{LOGIN} SUBSCRIBE failed MATCH s:[denied AND ip = '{IP}']"
        # The paper names e1 and e2; by its table e0 is a failed login from there as well.
        assert all_places(tocsin.match(TABLE_1, text)) == [(0,), (1,), (2,)]

    def test_cs_intrusion_is_matched_by_e0_e1_e2_e3_and_by_nothing_else(self) -> None:
        # Three denied logins are needed and there are only three; e5 comes from another address.
        (notification,) = tocsin.match(TABLE_1, INTRUSION)
        assert notification.events == {"s1": (0,), "s2": (1,), "s3": (2,), "s4": (3,)}
        assert notification.variables == {"x": IP}

    def test_cs_intrusion_becomes_certain_with_e3(self) -> None:
        (notification,) = tocsin.match(TABLE_1, INTRUSION).to_dicts()
        assert notification["position"] == 3
        assert notification["at"] == "2007-02-14T12:43:28Z"
        assert notification["begin"] == "2007-02-14T12:38:10Z"
        assert notification["emit"] == {
            "ip": IP,
            "first_denied": "2007-02-14T12:38:10Z",
            "entered": "2007-02-14T12:43:28Z",
        }

    def test_e1_and_e2_share_a_time_and_follow_one_another_by_position(self) -> None:
        assert TABLE_1[1]["ts"] == TABLE_1[2]["ts"]
        # Where simultaneous events have no order, only two denied logins follow one another.
        assert not tocsin.match(TABLE_1, INTRUSION, simultaneous="unordered")

    @pytest.mark.parametrize(
        ("third", "matches"), [("2007-02-14T12:43:09Z", 1), ("2007-02-14T12:43:10Z", 0)]
    )
    def test_three_failures_in_five_minutes_or_more_are_no_intrusion(
        self, third: str, matches: int
    ) -> None:
        # 12:43:10 is exactly five minutes after e0.
        stream = [*TABLE_1[:2], {**TABLE_1[2], "ts": third}, *TABLE_1[3:]]
        assert len(tocsin.match(stream, INTRUSION)) == matches

    def test_the_four_logins_come_from_one_address(self) -> None:
        for row in range(4):
            stream = [dict(event) for event in TABLE_1]
            stream[row]["ip"] = "128.100.5.10"
            assert not tocsin.match(stream, INTRUSION)

    def test_cs_compromised_is_matched_by_e1_e2_e3_e4(self) -> None:
        # e3 is 5:18 after e0, but 1:18 after e1: with d = 5 min only e1 can be s1.
        notifications = tocsin.match(TABLE_1, compromised("5 min"))
        assert all_roles(notifications) == [{"s1": 1, "s2": 2, "s3": 3, "s6": 4}]

    def test_cs_compromised_with_a_longer_d_has_three_matches(self) -> None:
        notifications = tocsin.match(TABLE_1, compromised("6 min"))
        assert all_places(notifications) == [(0, 1, 3, 4), (0, 2, 3, 4), (1, 2, 3, 4)]


class TestCompromised:
    def test_a_second_failure_and_a_success_take_the_first_branch(self) -> None:
        stream = logins((0, "denied"), (1, "denied"), (2, "success"), (3, "logoff"))
        notifications = tocsin.match(stream, compromised("5 min"))
        assert all_roles(notifications) == [{"s1": 0, "s2": 1, "s3": 2, "s6": 3}]

    def test_a_success_and_a_new_password_take_the_second_branch(self) -> None:
        stream = logins((0, "denied"), (1, "success"), (2, "passwd"), (3, "logoff"))
        notifications = tocsin.match(stream, compromised("5 min"))
        assert all_roles(notifications) == [{"s1": 0, "s4": 1, "s5": 2, "s6": 3}]

    def test_both_branches_can_match_at_once(self) -> None:
        stream = logins((0, "denied"), (1, "denied"), (2, "success"), (3, "passwd"), (4, "logoff"))
        assert all_roles(tocsin.match(stream, compromised("5 min"))) == [
            {"s1": 0, "s2": 1, "s3": 2, "s6": 4},
            {"s1": 0, "s4": 2, "s5": 3, "s6": 4},
            {"s1": 1, "s4": 2, "s5": 3, "s6": 4},
        ]

    @pytest.mark.parametrize(
        "stream",
        [
            # the success comes d after s1, or later
            logins((0, "denied"), (1, "denied"), (5, "success"), (6, "logoff")),
            # the new password does not follow the success directly
            logins((0, "denied"), (1, "success"), (2, "other"), (3, "passwd"), (4, "logoff")),
            # nobody logs off
            logins((0, "denied"), (1, "denied"), (2, "success")),
            # no failed login before it
            logins((0, "success"), (1, "passwd"), (2, "logoff")),
            # the new password comes from another address
            [
                *logins((0, "denied"), (1, "success")),
                *logins((2, "passwd"), ip="10.0.0.1"),
                *logins((3, "logoff")),
            ],
        ],
        ids=["too late", "not contiguous", "no logoff", "no failure", "another address"],
    )
    def test_neither_branch_matches(self, stream: list[dict[str, Any]]) -> None:
        assert not tocsin.match(stream, compromised("5 min"))


FAILURES = f"""{kinds("F S")}
SUBSCRIBE N1 MATCH n1:F;
SUBSCRIBE N2 MATCH n1:F , n2:F;
SUBSCRIBE N3 MATCH n1:F , n2:F , n3:F @ (t(n3) - t(n1) < 5 s);
SUBSCRIBE N4 MATCH n1:F , n2:F , n3:F @ (t(n3) - t(n1) < 5 s) , n4:S;
"""


class TestTable2:
    """Figure 2: F,F,F@(t(N3) - t(N1) < d),S; its states are its prefixes."""

    def test_the_instances_after_each_event_are_those_of_the_table(self) -> None:
        notifications = tocsin.match(each_second("F@1 F@2 F@3"), FAILURES)
        table = [(n.position, n.subscription, places(n)) for n in notifications]
        assert table == [
            (0, "N1", (0,)),  # i: N1 at t1
            (1, "N2", (0, 1)),  # i: N1 at t1, N2 at t2
            (1, "N1", (1,)),  # ii: N1 at t2
            (2, "N3", (0, 1, 2)),  # i: N1 at t1, N2 at t2, N3 at t3
            (2, "N2", (1, 2)),  # ii: N1 at t2, N2 at t3
            (2, "N1", (2,)),  # iii: N1 at t3
        ]

    @pytest.mark.parametrize(
        ("stream", "expected"),
        [
            ("F F F S", [(0, 1, 2, 3)]),
            # The instances that start with the second and third of four.
            ("F F F F S", [(1, 2, 3, 4)]),
            ("F F F x S", []),
            ("F x F F S", []),
            # t(N3) - t(N1) is 5 s, then 4 s.
            ("F@0 F@1 F@5 S@6", []),
            ("F@0 F@1 F@4 S@6", [(0, 1, 2, 3)]),
        ],
    )
    def test_three_contiguous_failures_in_time_and_a_success(
        self, stream: str, expected: list[tuple[int, ...]]
    ) -> None:
        assert all_places(tocsin.match(each_second(stream), FAILURES), "N4") == expected


THREE_TERMS = f"""{kinds("F S")}
SUBSCRIBE terms
MATCH f1:F , f2:F , s1:S ; f3:F , s2:S ; f4:F @ (t(f4) - t(s1) < 4 s) , s3:S;
"""


class TestFigure4:
    """F,F,S1; F,S; F2@(t(F2) - t(S1) < T),S: three terms, contiguous within."""

    @pytest.mark.parametrize(
        ("stream", "expected"),
        [
            ("F F S F S F S", [(0, 1, 2, 3, 4, 5, 6)]),
            # Others may come between two terms, but not within one.
            ("F F S@2 x@2 F@3 S@4 x@4 F@5 S@6", [(0, 1, 2, 4, 5, 7, 8)]),
            ("F F S F x S F S", []),
            ("F x F S F S F S", []),
            # t(F2) - t(S1) is 3 s, then 4 s.
            ("F@0 F@1 S@2 F@3 S@4 F@5 S@9", [(0, 1, 2, 3, 4, 5, 6)]),
            ("F@0 F@1 S@2 F@3 S@4 F@6 S@7", []),
        ],
    )
    def test_three_terms_with_a_condition_across_them(
        self, stream: str, expected: list[tuple[int, ...]]
    ) -> None:
        assert all_places(tocsin.match(each_second(stream), THREE_TERMS)) == expected

    def test_any_later_term_may_follow(self) -> None:
        # All within 4 s of s1: of the three pairs F,S any two in their order.
        stream = each_second("F@0 F@0 S@1 F@1 S@1 F@2 S@2 F@3 S@3")
        assert all_places(tocsin.match(stream, THREE_TERMS)) == [
            (0, 1, 2, 3, 4, 5, 6),
            (0, 1, 2, 3, 4, 7, 8),
            (0, 1, 2, 5, 6, 7, 8),
        ]


class TestFigure6:
    """Merged machines: cs1 = a;b;c, cs2 = a;b;d, cs3 = a."""

    SUBSCRIPTIONS = (
        "SUBSCRIBE cs1 MATCH a ; b ; c;",
        "SUBSCRIBE cs2 MATCH a ; b ; d;",
        "SUBSCRIBE cs3 MATCH a;",
    )

    @pytest.mark.parametrize(
        ("stream", "expected"),
        [
            ("a b c d", [[(0, 1, 2)], [(0, 1, 3)], [(0,)]]),
            ("a b a c d", [[(0, 1, 3)], [(0, 1, 4)], [(0,), (2,)]]),
            ("a a b c", [[(0, 2, 3), (1, 2, 3)], [], [(0,), (1,)]]),
            ("b c d", [[], [], []]),
        ],
    )
    def test_together_they_give_the_answers_that_each_gives_alone(
        self, stream: str, expected: list[list[tuple[int, ...]]]
    ) -> None:
        definitions = kinds("a b c d")
        together = tocsin.match(each_second(stream), definitions + "".join(self.SUBSCRIPTIONS))
        alone = [tocsin.match(each_second(stream), definitions + s) for s in self.SUBSCRIPTIONS]
        assert [all_places(together, f"cs{i}") for i in (1, 2, 3)] == expected
        assert [all_places(notifications) for notifications in alone] == expected


FIGURE_7 = f"""{kinds("s1 s2 s3")}
SUBSCRIBE two MATCH s1 ; s2 @ (t(s2) - t(s1) < 3 s);
SUBSCRIBE cs  MATCH s1 ; s2 @ (t(s2) - t(s1) < 3 s)
                       ; s3 @ (t(s3) - t(s1) < 6 s) @ (t(s3) - t(s2) > 3 s);
"""


class TestFigure7:
    """The timeline: s1 at 1, 2, 3; s2 at 4, 5, 6; s3 at 7, 8. Row i is at time i + 1."""

    TIMELINE = "s1@1 s1@2 s1@3 s2@4 s2@5 s2@6 s3@7 s3@8"

    def test_the_match_has_the_events_at_3_4_and_8_and_there_is_no_other(self) -> None:
        (notification,) = [
            n for n in tocsin.match(each_second(self.TIMELINE), FIGURE_7) if n.subscription == "cs"
        ]
        assert notification.events == {"s1": (2,), "s2": (3,), "s3": (7,)}
        assert (notification.begin, notification.end) == (3_000_000, 8_000_000)

    def test_the_time_compatibility_lists_hold_2_and_3_for_4_then_3_for_5_and_none_for_6(
        self,
    ) -> None:
        notifications = tocsin.match(each_second(self.TIMELINE), FIGURE_7)
        assert all_places(notifications, "two") == [(1, 3), (2, 3), (2, 4)]


# The stream s1 … s7 has one event a second from 0 s on, in the order given.
TABLE_3 = "s1 ; ((s2{c2} ; s3{c1}) & (s4 , s5)){c4} ; s6{c3} ; (s7{c5} | s8)"
CASES = {
    "1: within one machine": {"c1": "@ (t(s3) - t(s2) < 3 s)"},
    "2: master to child": {"c2": "@ (t(s2) - t(s1) < 3 s)"},
    "3: child to master": {"c3": "@ (t(s6) - t(s4) < 3 s)"},
    "4: two children of one": {"c4": "@ (abs(t(s3) - t(s4)) < 3 s)"},
    "5: children of two": {"c5": "@ (t(s7) - t(s3) < 3 s)"},
}


def table_3(case: str | None = None) -> str:
    empty = {"c1": "", "c2": "", "c3": "", "c4": "", "c5": ""}
    pattern = TABLE_3.format(**{**empty, **(CASES[case] if case else {})})
    return f"{kinds('s1 s2 s3 s4 s5 s6 s7 s8')} SUBSCRIBE cs MATCH {pattern}"


class TestTable3:
    @pytest.mark.parametrize(
        ("case", "satisfied", "violated"),
        [
            # t(s3) - t(s2): 2 - 1, then 4 - 1
            ("1: within one machine", "s1 s2 s3 s4 s5 s6 s7", "s1 s2 s4 s5 s3 s6 s7"),
            # t(s2) - t(s1): 1 - 0, then 3 - 0
            ("2: master to child", "s1 s2 s3 s4 s5 s6 s7", "s1 s4 s5 s2 s3 s6 s7"),
            # t(s6) - t(s4): 5 - 3, then 5 - 1
            ("3: child to master", "s1 s2 s3 s4 s5 s6 s7", "s1 s4 s5 s2 s3 s6 s7"),
            # |t(s3) - t(s4)|: 2 and 3, then 4 and 1: s4 came first
            ("4: two children of one", "s1 s2 s3 s4 s5 s6 s7", "s1 s4 s5 s2 s3 s6 s7"),
            # |t(s3) - t(s4)|: 4 and 2, then 2 and 5: s3 came first, t(s3) - t(s4) is below 3 s
            ("4: two children of one", "s1 s2 s4 s5 s3 s6 s7", "s1 s2 s3 x x s4 s5 s6 s7"),
            # t(s7) - t(s3): 6 - 4, then 6 - 2
            ("5: children of two", "s1 s4 s5 s2 s3 s6 s7", "s1 s2 s3 s4 s5 s6 s7"),
        ],
    )
    def test_a_time_condition_holds_wherever_its_two_parts_stand(
        self, case: str, satisfied: str, violated: str
    ) -> None:
        row_of = {kind: row for row, kind in enumerate(satisfied.split())}
        assert all_roles(tocsin.match(each_second(satisfied), table_3(case))) == [row_of]
        assert not tocsin.match(each_second(violated), table_3(case))

    def test_without_the_conditions_each_of_these_streams_matches(self) -> None:
        for stream in (
            "s1 s2 s3 s4 s5 s6 s7",
            "s1 s2 s4 s5 s3 s6 s7",
            "s1 s4 s5 s2 s3 s6 s7",
            "s1 s2 s3 x x s4 s5 s6 s7",
        ):
            assert len(tocsin.match(each_second(stream), table_3())) == 1

    def test_the_condition_of_case_5_does_not_bind_the_other_alternative(self) -> None:
        stream = "s1 s2 s3 s4 s5 s6 s8"
        assert len(tocsin.match(each_second(stream), table_3("5: children of two"))) == 1


FIGURE_5 = f"""{kinds("s1 s2 s3 s4 s5 s6 s7 s8")}
SUBSCRIBE cs MATCH s1 ; ((s2 , s3) & (s4 , s5)) ; s6 ; (s7 | s8);
"""


class TestFigure5:
    """s1; ((s2,s3) & (s4,s5)); s6; (s7 | s8)."""

    @pytest.mark.parametrize(
        "stream",
        [
            "s1 s2 s3 s4 s5 s6 s7",
            "s1 s4 s5 s2 s3 s6 s7",
            "s1 s2 s3 s4 s5 s6 s8",
            "s1 x s2 s3 x s4 s5 x s6 x s8",
            "s3 s5 s1 s4 s5 s2 s3 s6 s7",
        ],
    )
    def test_the_sides_come_in_either_order_each_of_them_contiguous(self, stream: str) -> None:
        assert len(tocsin.match(each_second(stream), FIGURE_5)) == 1

    @pytest.mark.parametrize(
        "stream",
        [
            # the sides interleave, so that one of them is not contiguous
            "s1 s2 s4 s3 s5 s6 s7",
            "s1 s2 s4 s5 s3 s6 s7",
            "s1 s4 s2 s3 s5 s6 s7",
            # s6 comes before the second side is complete
            "s1 s2 s3 s6 s4 s5 s7",
            # a side begins before s1
            "s2 s1 s3 s4 s5 s6 s7",
            # only one side
            "s1 s2 s3 s6 s7",
            # neither s7 nor s8 at the end
            "s1 s7 s2 s3 s4 s5 s6",
        ],
    )
    def test_otherwise_it_does_not_match(self, stream: str) -> None:
        assert not tocsin.match(each_second(stream), FIGURE_5)

    def test_each_alternative_at_the_end_is_a_match(self) -> None:
        notifications = tocsin.match(each_second("s1 s2 s3 s4 s5 s6 s7 s8 s7"), FIGURE_5)
        assert [places(n)[-1] for n in notifications] == [6, 7, 8]

    def test_sides_that_are_not_contiguous_may_interleave(self) -> None:
        # Table 3's subscription has s2;s3 where Figure 5 has s2,s3.
        stream = each_second("s1 s2 s4 s5 s3 s6 s7")
        assert len(tocsin.match(stream, table_3())) == 1
        assert not tocsin.match(stream, FIGURE_5)


def test_figure_8_s_stream_has_two_matches_with_the_first_c_and_three_with_the_second() -> None:
    # Rows: a0 b1 a2 b3 c4 e5 f6 a7 b8 c9 d10 d11 g12 a13; a,b at (0,1), (2,3) and (7,8).
    stream = each_second("a b a b c e f a b c d d g a")
    text = f"{kinds('a b c')} SUBSCRIBE cs MATCH a , b ; c"
    assert all_places(tocsin.match(stream, text)) == [
        (0, 1, 4),
        (2, 3, 4),
        (0, 1, 9),
        (2, 3, 9),
        (7, 8, 9),
    ]
