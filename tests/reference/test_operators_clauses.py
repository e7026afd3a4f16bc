"""WITHIN, DUPLICATES, PAIRS and LIMIT (design 2.1)."""

import pytest
from tests.reference.test_operators_notation import DEFINITIONS, cases, found, rows

import tocsin


@cases("""
    a ; b WITHIN 2 s               over  a@0 b@2 b@3          gives  a0 b1
    a ; b ; c WITHIN 2 s           over  a@0 b@1 c@2 c@3      gives  a0 b1 c2
    a ; b WITHIN 500 ms            over  a@0 b@0 b@1          gives  a0 b1
    a & b WITHIN 2 s               over  b@0 a@2 a@3          gives  a1 b0
    a WITHIN 1 ms                  over  a                    gives  a0
    # An event lasts from its begin to its end.
    a ; b WITHIN 5 s               over  a@0..3 b@4..5        gives  a0 b1
    a ; b WITHIN 5 s               over  a@0..3 b@4..6        gives  nothing
""")
def test_within_a_time_ends_at_most_that_long_after_it_begins(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b WITHIN 2 EVENTS          over  a b c b              gives  a0 b1
    a ; b WITHIN 3 EVENTS          over  a c b b              gives  a0 b2
    a ; b ; c WITHIN 3 EVENTS      over  a b c                gives  a0 b1 c2
    a ; b ; c WITHIN 3 EVENTS      over  a b d c              gives  nothing
    a & b WITHIN 2 EVENTS          over  b a c b              gives  a1 b0
""")
def test_within_a_number_of_events_spans_at_most_that_many(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (a ; b WITHIN 2 s) ; c         over  a@0 b@2 c@50         gives  a0 b1 c2
    (a ; b WITHIN 2 s) ; c         over  a@0 b@3 c@4          gives  nothing
    a ; (b ; c WITHIN 2 s)         over  a@0 b@50 c@52        gives  a0 b1 c2
    (a ; b WITHIN 2 EVENTS) ; c    over  a b d d c            gives  a0 b1 c4
    (a{3} BY , WITHIN 2 s) ; b     over  a@0 a@1 a@2 a@9 b@10 gives  a0 a1 a2 b4
    (a ; b WITHIN 2 s) ; c WITHIN 9 s  over  a@0 b@2 c@9 c@10 gives  a0 b1 c2
""")
def test_within_in_parentheses_limits_its_part(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b                          over  a a b a b    gives  a0 b2, a1 b2, a0 b4, a1 b4, a3 b4
    a ; b DUPLICATES ALL           over  a a b        gives  a0 b2, a1 b2
    a ; b DUPLICATES FIRST         over  a a b a b    gives  a0 b2, a0 b4
    a ; b DUPLICATES LAST          over  a a b a b    gives  a1 b2, a3 b4
    a ; b ; c DUPLICATES FIRST     over  a a b b c    gives  a0 b2 c4
    a ; b ; c DUPLICATES LAST      over  a a b b c    gives  a1 b3 c4
    a+ ; b DUPLICATES FIRST        over  a a b        gives  a0 a1 b2
    a+ ; b DUPLICATES LAST         over  a a b        gives  a1 b2
    # Of those with the same values of the variables.
    x:[k = 'a' AND g = $g] ; y:b DUPLICATES LAST   over  a/m a/n a/m b  gives  x1 y3, x2 y3
    x:[k = 'a' AND g = $g] ; y:b DUPLICATES FIRST  over  a/m a/n a/m b  gives  x0 y3, x1 y3
    # The same point may be a deadline.
    a ; !b FOR 5 s DUPLICATES FIRST  over  a@0 a@0 a@1 *@9  gives  a0 @5, a2 @6
""")
def test_of_matches_that_complete_together_duplicates_keeps_one(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b PAIRS ALL                over  a a b b      gives  a0 b2, a1 b2, a0 b3, a1 b3
    a ; b PAIRS UNIQUE             over  a a b b      gives  a0 b2, a1 b3
    a ; b PAIRS UNIQUE             over  a b b        gives  a0 b1
    a ; b PAIRS UNIQUE             over  a b a b      gives  a0 b1, a2 b3
    a & b PAIRS UNIQUE             over  a b a b      gives  a0 b1, a2 b3
""")
def test_unique_pairs_use_no_event_twice(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b PAIRS SEPARATE           over  a a b b a b  gives  a0 b2, a4 b5
    a ; b PAIRS UNIQUE             over  a a b b a b  gives  a0 b2, a1 b3, a4 b5
    a & b PAIRS SEPARATE           over  a b a b      gives  a0 b1, a2 b3
    a{2} BY , PAIRS SEPARATE       over  a a a a      gives  a0 a1, a2 a3
    # The events of the next one come after the completion of the one before: 9 s here.
    a ; !b FOR 5 s PAIRS SEPARATE  over  a@4 a@8 a@10 *@20  gives  a0 @9, a2 @15
""")
def test_separate_pairs_do_not_overlap(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # First the duplicates, then the pairs, then the limit.
    a ; b DUPLICATES LAST PAIRS UNIQUE    over  a a b b      gives  a1 b2
    a ; b DUPLICATES FIRST PAIRS UNIQUE   over  a a b b      gives  a0 b2
    a ; b PAIRS UNIQUE LIMIT 1            over  a a b b      gives  a0 b2
    a ; b DUPLICATES LAST LIMIT 2         over  a a b b b    gives  a1 b2, a1 b3
    a ; b PAIRS UNIQUE LIMIT 2            over  a b b a b a b  gives  a0 b1, a3 b4
""")
def test_policies_apply_in_their_order(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a LIMIT 2                             over  a a a         gives  a0, a1
    a LIMIT 5                             over  a a           gives  a0, a1
    a ; b LIMIT 1                         over  a a b         gives  a0 b2
    x:[g = $g] LIMIT 1 PER $g             over  a/m a/n a/m   gives  x0, x1
    x:[g = $g] LIMIT 2 PER $g             over  a/m a/m a/m a/n  gives  x0, x1, x3
""")
def test_limit_keeps_only_the_first_ones(pattern, stream, expected):
    assert found(pattern, stream) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("SUBSCRIBE s MATCH [x = 1] PREDICT WITHIN 5 EVENTS ABOVE 0.5", "PREDICT"),
        ("SUBSCRIBE s MATCH [x = 1] ACCEPT POSSIBLY 0.5", "ACCEPT"),
        ("SUBSCRIBE s MATCH [x = 1] COMBINE WITH min", "COMBINE"),
        ("FUZZY low ON x AS trapezoid(0, 0, 1, 2); SUBSCRIBE s MATCH [x IS low]", "vague"),
    ],
)
def test_what_does_not_run_yet_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(tocsin.UnsupportedError, match=named):
        tocsin.match([], text)


def test_policies_of_one_subscription_leave_the_others_alone() -> None:
    text = f"""{DEFINITIONS}
        SUBSCRIBE one MATCH a ; b PAIRS UNIQUE LIMIT 1;
        SUBSCRIBE all MATCH a ; b;
    """
    notifications = tocsin.match(rows("a b b"), text)
    assert [(n.subscription, n.position) for n in notifications] == [
        ("one", 1),
        ("all", 1),
        ("all", 2),
    ]


@pytest.mark.parametrize("clauses", ["DUPLICATES FIRST LIMIT 1", "LIMIT 1 DUPLICATES FIRST"])
def test_the_order_of_clauses_in_the_text_means_nothing(clauses: str) -> None:
    assert found(f"a ; b {clauses}", "a a b b") == ["a0 b2"]
