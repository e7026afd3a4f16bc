"""PADRES (Li, Jacobsen, Middleware 2005): its rules, patterns and detection sets.

The paper's `&`, `||` and `;` are `&`, `|` and `;` here.
"""

from typing import Any

import pytest
from tests.papers.reading import all_places, all_roles, places

import tocsin
from tocsin.language.padres import publication_from_padres, subscription_from_padres


class TestMessageFormat:
    """Section 3.1: [attribute, operator, value] predicates and [attribute, value] pairs."""

    PAYROLL = "([class, =, job-status], [appl, =, payroll], [job-name, isPresent, *])"

    @pytest.mark.parametrize(
        ("publication", "matches"),
        [
            ("[class,job-status],[appl,payroll],[job-name,A]", True),
            ("[class,job-status],[appl,payroll],[job-name,B],[state,succ]", True),
            ("[class,job-status],[appl,payroll]", False),
            ("[class,job-status],[appl,billing],[job-name,A]", False),
            ("[class,job-trigger],[appl,payroll],[job-name,A]", False),
        ],
    )
    def test_a_publication_matches_if_it_satisfies_every_predicate(
        self, publication: str, *, matches: bool
    ) -> None:
        subscription = subscription_from_padres(self.PAYROLL, name="payroll")
        found = tocsin.match([publication_from_padres(publication)], subscription)
        assert [n.subscription for n in found] == (["payroll"] if matches else [])

    @pytest.mark.parametrize(
        ("predicate", "runs"),
        [
            ("[run,=,2]", [2]),
            ("[run,>,2]", [3]),
            ("[run,<,2]", [1]),
            ("[run,>=,2]", [2, 3]),
            ("[run,<=,2]", [1, 2]),
            ("[run,≥,2]", [2, 3]),
            ("[run,≤,2]", [1, 2]),
            ("[run,isPresent,*]", [1, 2, 3]),
        ],
    )
    def test_the_operators_of_the_paper_are_known(self, predicate: str, runs: list[int]) -> None:
        subscription = subscription_from_padres(f"[class,=,job-status],{predicate}", name="s")
        texts = [f"[class,job-status],[run,{run}]" for run in (1, 2, 3)]
        rows = [*map(publication_from_padres, texts), {"class": "job-status"}]
        assert [rows[n.position]["run"] for n in tocsin.match(rows, subscription)] == runs

    def test_an_agent_receives_the_envelopes_addressed_to_it(self) -> None:
        # Section 5: agent D subscribes to the class of envelope wrappers.
        text = "([class,=,agent_ctl],[agent,=,agent_D])"
        envelopes = ["[class,agent_ctl],[agent,agent_B]", "[class,agent_ctl],[agent,agent_D]"]
        rows = [publication_from_padres(envelope) for envelope in envelopes]
        found = tocsin.match(rows, subscription_from_padres(text, name="D"))
        assert all_places(found) == [(1,)]

    def test_a_message_means_what_the_language_says_in_its_own_words(self) -> None:
        program = tocsin.parse("""
            SUBSCRIBE payroll
            MATCH [class = 'job-status' AND appl = 'payroll' AND "job-name" IS PRESENT]
        """)
        assert program.subscriptions == (subscription_from_padres(self.PAYROLL, name="payroll"),)


def job(name: str, second: int, appl: str = "payroll", state: str = "succ") -> dict[str, Any]:
    """Return a publication of class job-status."""
    status = {"class": "job-status", "appl": appl, "job-name": name, "state": state}
    return {"ts": second * 1000, **status}


def succeeded(alias: str, name: str) -> str:
    conditions = f"appl = $X AND \"job-name\" = '{name}' AND state = 'succ'"
    return f"{alias}:[class = 'job-status' AND {conditions}]"


RULE = f"""
SUBSCRIBE rule
MATCH ({succeeded("a", "A")} & {succeeded("b", "B")}) | {succeeded("c", "C")};
"""


class TestAndOrRule:
    """(A & B) || C with the same $X (section 4.1)."""

    @pytest.mark.parametrize("first", ["A", "B"])
    def test_a_and_b_of_one_application_match_in_either_order(self, first: str) -> None:
        second = "B" if first == "A" else "A"
        notifications = tocsin.match([job(first, 0), job(second, 1)], RULE)
        assert all_roles(notifications) == [{first.lower(): 0, second.lower(): 1}]
        assert notifications[0].variables == {"X": "payroll"}

    def test_c_alone_matches(self) -> None:
        assert all_roles(tocsin.match([job("C", 0)], RULE)) == [{"c": 0}]

    def test_a_and_b_of_different_applications_do_not_match(self) -> None:
        stream = [job("A", 0), job("B", 1, appl="billing")]
        assert not tocsin.match(stream, RULE)
        later = tocsin.match([*stream, job("A", 2, appl="billing")], RULE)
        assert all_roles(later) == [{"a": 2, "b": 1}]
        assert later[0].variables == {"X": "billing"}

    @pytest.mark.parametrize(
        "stream",
        [
            [job("A", 0)],
            [job("A", 0), job("A", 1)],
            [job("A", 0), job("B", 1, state="fail")],
            [job("C", 0, state="fail")],
            [{**job("C", 0), "class": "job-trigger"}],
            [{key: value for key, value in job("C", 0).items() if key != "appl"}],
        ],
        ids=["A alone", "A twice", "B failed", "C failed", "another class", "no application"],
    )
    def test_otherwise_the_rule_does_not_fire(self, stream: list[dict[str, Any]]) -> None:
        assert not tocsin.match(stream, RULE)

    def test_every_combination_is_a_detection_set(self) -> None:
        stream = [job("A", 0), job("A", 1), job("B", 2), job("C", 3), job("B", 4)]
        assert all_places(tocsin.match(stream, RULE)) == [(0, 2), (1, 2), (3,), (0, 4), (1, 4)]


# time > $Y + ts AND time < $Y + wi, with ts = 2 s and wi = 10 s
SEQUENCE = {
    "condition": """SUBSCRIBE seq MATCH a:["job-name" = 'A'] ;
        b:["job-name" = 'B'] @ (t(b) - t(a) > 2 s AND t(b) - t(a) < 10 s)""",
    "variable": """SUBSCRIBE seq MATCH a:["job-name" = 'A' AND ts = $Y] ;
        b:["job-name" = 'B' AND ts > $Y + 2 s AND ts < $Y + 10 s]""",
    "event": """SUBSCRIBE seq MATCH a:["job-name" = 'A'] ;
        b:["job-name" = 'B' AND ts > a.ts + 2 s AND ts < a.ts + 10 s]""",
}


@pytest.mark.parametrize("text", SEQUENCE.values(), ids=SEQUENCE.keys())
class TestSequence:
    """(s1 ;[timespan:ts] s2)[within:wi] as the rule has it: both bounds are strict."""

    @pytest.mark.parametrize(
        ("second", "matches"), [(1, 0), (2, 0), (3, 1), (9, 1), (10, 0), (11, 0)]
    )
    def test_b_comes_more_than_timespan_and_less_than_within_after_a(
        self, text: str, second: int, matches: int
    ) -> None:
        assert len(tocsin.match([job("A", 0), job("B", second)], text)) == matches

    def test_b_before_a_does_not_match(self, text: str) -> None:
        assert not tocsin.match([job("B", 0), job("A", 5)], text)

    def test_each_a_goes_with_each_b_in_its_time(self, text: str) -> None:
        stream = [job("A", 0), job("A", 4), job("B", 5), job("B", 8), job("B", 12)]
        # b at 5 s is 5 s after the first a and 1 s after the second, and so on.
        assert all_places(tocsin.match(stream, text)) == [(0, 2), (0, 3), (1, 3), (1, 4)]


def test_the_clause_within_includes_its_bound_and_the_rule_of_padres_does_not() -> None:
    stream = [job("A", 0), job("B", 10)]
    text = """SUBSCRIBE seq MATCH a:["job-name" = 'A'] ; b:["job-name" = 'B'] WITHIN 10 s"""
    assert len(tocsin.match(stream, text)) == 1
    assert not tocsin.match(stream, SEQUENCE["condition"])


def runs(*numbers: int | None) -> list[dict[str, Any]]:
    """Return runs of job A, one a second; None is a run of another job."""
    return [
        {"ts": second * 1000, "job-name": "B" if run is None else "A", "run": run or 0}
        for second, run in enumerate(numbers)
    ]


def repetition(times: int, step: int, by: str = "") -> str:
    return f"""SUBSCRIBE rep MATCH repeat(j:["job-name" = 'A'], {times}, run, {step}) {by}"""


class TestRepetition:
    """Repetition(S, n, attr, v)."""

    @pytest.mark.parametrize(
        ("text", "stream", "expected"),
        [
            (repetition(3, 5), runs(1, 6, 11), [(0, 1, 2)]),
            (repetition(3, 5), runs(1, None, 6, 7, 11), [(0, 2, 4)]),
            (repetition(3, 5), runs(1, 1, 6, 11), [(0, 2, 3), (1, 2, 3)]),
            (repetition(3, 5), runs(1, 6, 12), []),
            (repetition(3, 5), runs(1, 6), []),
            (repetition(3, 5), runs(11, 6, 1), []),
            (repetition(3, -5), runs(11, 6, 1), [(0, 1, 2)]),
            (repetition(3, -5), runs(1, 6, 11), []),
            (repetition(2, 0), runs(3, 4, 3), [(0, 2)]),
        ],
    )
    def test_n_publications_follow_one_another_and_the_attribute_grows_by_v(
        self, text: str, stream: list[dict[str, Any]], expected: list[tuple[int, ...]]
    ) -> None:
        assert all_places(tocsin.match(stream, text)) == expected

    @pytest.mark.parametrize("step", [5, -5])
    def test_the_rule_of_padres_is_a_conjunction_and_takes_them_in_any_order(
        self, step: int
    ) -> None:
        any_order = repetition(3, step, "BY &")
        assert all_places(tocsin.match(runs(11, 1, 6), any_order)) == [(0, 1, 2)]
        assert all_places(tocsin.match(runs(6, 11, 1), any_order)) == [(0, 1, 2)]
        assert not tocsin.match(runs(11, 1, 7), any_order)
        assert not tocsin.match(runs(11, 1, 6), repetition(3, step))

    def test_a_periodic_event_repeats_its_time(self) -> None:
        text = "SUBSCRIBE rep MATCH repeat(j:[\"job-name\" = 'A'], 3, ts, 10 s)"
        stream = [job("A", 0), job("A", 10), job("A", 13), job("A", 20)]
        assert all_places(tocsin.match(stream, text)) == [(0, 1, 3)]


ANY_THREE = "SUBSCRIBE cs MATCH (s1:[type = 1] & s2:[type = 2]) & s3:[type = 3]"


def publications(*names: str) -> list[dict[str, Any]]:
    """Return rows from names such as e12, the second publication of type 1; `+…` subscribes."""
    rows: list[dict[str, Any]] = []
    for second, name in enumerate(names):
        row = {"ts": second * 1000, "type": int(name[1:2]), "name": name} if name[0] == "e" else {}
        rows.append(row or {"$subscribe": name[1:]})
    return rows


def detection_sets(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    notifications = tocsin.match(rows, "SUBSCRIBE other MATCH x:[type = 9]")
    return [
        tuple(rows[n.events[alias][0]]["name"] for alias in ("s1", "s2", "s3"))
        for n in notifications
    ]


FOUR_SETS = [
    ("e11", "e21", "e32"),
    ("e11", "e22", "e32"),
    ("e12", "e21", "e32"),
    ("e12", "e22", "e32"),
]
ONLY_NEW = f"+{ANY_THREE} SINCE BEGINNING ONLY NEW"


class TestFigure7:
    """Section 4.3: (s1 & s2) & s3, issued after e22; when e32 arrives there are four sets.

    The figure itself is missing. Four sets with e32 need both e11, e12 and e21, e22 before it; and
    e11, e21, e31 are older than the subscription.
    """

    def test_there_are_four_detection_sets_and_the_older_one_is_left_out(self) -> None:
        rows = publications("e11", "e21", "e31", "e12", "e22", ONLY_NEW, "e32")
        found = detection_sets(rows)
        assert found == FOUR_SETS
        assert ("e11", "e21", "e31") not in found

    def test_where_e12_comes_after_the_subscription_it_makes_sets_of_its_own(self) -> None:
        rows = publications("e11", "e21", "e31", "e22", ONLY_NEW, "e12", "e32")
        # With e12 the two sets that it makes new, with e32 the same four.
        assert detection_sets(rows) == [
            ("e12", "e21", "e31"),
            ("e12", "e22", "e31"),
            *FOUR_SETS,
        ]

    def test_since_the_beginning_the_older_sets_are_reported_as_well(self) -> None:
        rows = publications("e11", "e21", "e31", "e22", f"+{ANY_THREE} SINCE BEGINNING", "e32")
        assert detection_sets(rows) == [
            ("e11", "e21", "e31"),
            ("e11", "e22", "e31"),
            ("e11", "e21", "e32"),
            ("e11", "e22", "e32"),
        ]

    def test_without_since_only_publications_after_the_subscription_count(self) -> None:
        rows = publications("e11", "e21", "e31", "e12", "e22", f"+{ANY_THREE}", "e32")
        assert detection_sets(rows) == []


class TestUnsubscription:
    """Section 4.4."""

    def test_no_detection_set_is_reported_after_it(self) -> None:
        rows = publications("e11", "e21", "e31", "e32")
        rows.insert(3, {"$unsubscribe": "cs"})
        notifications = tocsin.match(rows, ANY_THREE)
        assert all_places(notifications) == [(0, 1, 2)]
        assert not notifications.dead_letters

    def test_other_subscriptions_stay(self) -> None:
        rows = publications("e11", "e12")
        rows.insert(1, {"$unsubscribe": "cs"})
        text = f"{ANY_THREE}; SUBSCRIBE one MATCH s:[type = 1]"
        assert all_places(tocsin.match(rows, text)) == [(0,), (2,)]

    def test_a_subscription_made_again_does_not_remember(self) -> None:
        rows = publications("e11", "e21", f"+{ANY_THREE}", "e31")
        rows.insert(2, {"$unsubscribe": "cs"})
        assert not tocsin.match(rows, ANY_THREE)


class TestWorkflow:
    """Section 5, Figure 9: in payroll job B and C run after A, and D after both."""

    DEPENDENCIES = "".join(
        f"SUBSCRIBE start_{later} MATCH {pattern};\n"
        for later, pattern in {
            "B": succeeded("a", "A"),
            "C": succeeded("a", "A"),
            "D": f"{succeeded('b', 'B')} & {succeeded('c', 'C')}",
        }.items()
    )

    def test_each_job_starts_when_those_it_depends_on_have_succeeded(self) -> None:
        stream = [job("A", 0), job("C", 5), job("B", 9)]
        notifications = tocsin.match(stream, self.DEPENDENCIES)
        assert [(n.subscription, places(n)) for n in notifications] == [
            ("start_B", (0,)),
            ("start_C", (0,)),
            ("start_D", (1, 2)),
        ]

    def test_a_job_that_failed_starts_nothing(self) -> None:
        stream = [job("A", 0), job("C", 5, state="fail"), job("B", 9)]
        notifications = tocsin.match(stream, self.DEPENDENCIES)
        assert {n.subscription for n in notifications} == {"start_B", "start_C"}
