"""Iteration: bounds, BY, UNTIL, optional parts, and what speaks of the repetitions."""

import pytest
from tests.reference.test_operators_notation import cases, emitted, found


@cases("""
    a+         over  a a          gives  a0, a0 a1, a1
    a{2}       over  a b a a      gives  a0 a2, a2 a3
    a{1,2}     over  a a a        gives  a0, a0 a1, a1, a1 a2, a2
    a{2,}      over  a a a        gives  a0 a1, a0 a1 a2, a1 a2
    a{2,3}     over  a a          gives  a0 a1
    a{3}       over  a a          gives  nothing
    a+ ; b     over  a a b        gives  a0 a1 b2, a0 b2, a1 b2
    b ; a{2}   over  a b a a      gives  b1 a2 a3
""")
def test_every_number_of_repetitions_is_a_match_of_its_own(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a{2}                        over  a b a a        gives  a0 a2, a2 a3
    a{2} BY ->                  over  a b a a        gives  a0 a2, a2 a3
    a{2} BY ,                   over  a b a a        gives  a2 a3
    a{2} BY ;                   over  a b a a        gives  a0 a2, a0 a3, a2 a3
    a{3} BY ;                   over  a a a a        gives  a0 a1 a2, a0 a1 a3, a0 a2 a3, a1 a2 a3
    # The next repetition is the first later a, whatever it is worth.
    x:[v > 0]{2} BY ->{k = 'a'} over  b1 b2 a3       gives  x0 x2, x1 x2
    x:[v > 0]{2} BY ->{k = 'a'} over  b1 a0 a3       gives  nothing
    x:[g = $g]{2} BY ->{g = $g} over  a/m a/n b/m    gives  x0 x2
""")
def test_the_operator_after_by_joins_the_repetitions(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (a , b)+             over  a b a b        gives  a0 b1, a0 a2 b1 b3, a2 b3
    (a , b){2}           over  a b c a b      gives  a0 a3 b1 b4
    (a , b){2} BY ,      over  a b c a b      gives  nothing
    (a ; b){2} BY ,      over  a b a b        gives  a0 a2 b1 b3
    (a | b){2} BY ,      over  a b            gives  a0 b1
    (a , (b+ BY ,)){2} BY ,  over  a b b a b  gives  a0 a3 b1 b2 b4
    (a{2} BY ,){2} BY ,  over  a a a a        gives  a0 a1 a2 a3
    (a{1,2} BY ,){2} BY ,  over  a a a        gives  a0 a1, a0 a1 a2, a1 a2
""")
def test_a_group_can_be_iterated(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # ((a , b?) -> c): with b, or a -> c
    a , b? -> c      over  a b c        gives  a0 b1 c2, a0 c2
    a , b? -> c      over  a d c        gives  a0 c2
    a , b? -> c      over  a d b c      gives  a0 c3
    # a -> (b? , c): with b, or a -> c
    a -> b? , c      over  a b c        gives  a0 b1 c2, a0 c2
    a -> b? , c      over  a d b c      gives  a0 b2 c3, a0 c3
    a -> b? , c      over  a b d c      gives  a0 c3
    a , b? , c       over  a b c        gives  a0 b1 c2
    a , b? , c       over  a c          gives  a0 c1
    a , b? , c       over  a d c        gives  nothing
    a ; b? ; c       over  a b c        gives  a0 b1 c2, a0 c2
    a ; b* ; c       over  a b b c      gives  a0 b1 b2 c3, a0 b1 c3, a0 b2 c3, a0 c3
    a , (b , c)? , d over  a b c d      gives  a0 b1 c2 d3
    a , (b , c)? , d over  a d          gives  a0 d1
    a , (b , c)? , d over  a b d        gives  nothing
    a ; b{0,1}       over  a b          gives  a0, a0 b1
    a , b? , c? , d  over  a d          gives  a0 d1
    a , b? , c? , d  over  a c d        gives  a0 c1 d2
""")
def test_an_absent_part_vanishes_with_the_operator_before_it(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a? , b           over  a b          gives  a0 b1, b1
    a? -> b          over  a c b        gives  a0 b2, b2
    a* ; b           over  a a b        gives  a0 a1 b2, a0 b2, a1 b2, b2
    (a{0,2} BY ,) , b  over  a a a b    gives  a1 a2 b3, a2 b3, b3
    c ; (a? , b)     over  c a b        gives  c0 a1 b2, c0 b2
    ((a?){2} BY ,) ; b  over  a a b     gives  a0 a1 b2, a0 b2, a1 b2, b2
""")
def test_an_absent_first_part_vanishes_with_the_operator_after_it(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:a+ UNTIL (k = 'b')            over  a a b a      gives  x0, x0 x1, x1, x3
    x:a{2} BY ; UNTIL (k = 'b')     over  a a b a      gives  x0 x1
    x:a{2} BY ; UNTIL (k = 'b')     over  a c a        gives  x0 x2
    # An event that satisfies the condition is not taken, not even first.
    x:[v > 0]+ UNTIL (k = 'b')      over  a1 b1 a1     gives  x0, x2
    x:[v > 0]{2} UNTIL (k = 'b')    over  a1 b1        gives  nothing
    # Events before the iteration do not count, nor do those behind it.
    c ; (x:a{2} UNTIL (k = 'b'))    over  c b a a      gives  c0 x2 x3
    c ; (x:a+ UNTIL (k = 'b')) ; d  over  c a b d      gives  c0 x1 d3
    # The condition speaks of the repetitions before it: 2 + 3 is not above 5, 5 + 1 is.
    x:a+ BY , UNTIL (sum(x.v) + v > 5)  over  a2 a3 a1  gives  x0, x0 x1, x1, x1 x2, x2
    (x:a , y:b){2} UNTIL (k = 'c')  over  a b c a b    gives  nothing
""")
def test_an_event_that_satisfies_until_ends_the_iteration(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:[k = 'a' AND (count(x) = 0 OR v > prev(x.v))]{2,} BY ,
        over  a1 a2 a3 a1  gives  x0 x1, x0 x1 x2, x1 x2
    # BY -> passes over what does not rise: the repetition's own condition is the arrow's.
    x:[k = 'a' AND (count(x) = 0 OR v > prev(x.v))]{2,}
        over  a1 a3 a2 a4  gives  x0 x1, x0 x1 x3, x1 x3, x2 x3
    # BY ->{k = 'a'} does not: the next a has to rise.
    x:[count(x) = 0 OR v > prev(x.v)]{2,} BY ->{k = 'a'}  over  a1 a3 a2 a4  gives  x0 x1, x2 x3
    x:[count(x) = 0 OR v > first(x.v)]{3} BY ,  over  a1 a3 a2  gives  x0 x1 x2
    x:[sum(x.v) + v <= 5]+ BY ,                 over  a2 a3 a1  gives  x0, x0 x1, x1, x1 x2, x2
    x:[count(x) < 2]+ BY ,                      over  a a a     gives  x0, x0 x1, x1, x1 x2, x2
    x:[count(x) = 0 OR v > max(x.v)]{3} BY ,    over  a1 a3 a2  gives  nothing
    x:[count(x) = 0 OR v > min(x.v)]{3} BY ,    over  a1 a3 a2  gives  x0 x1 x2
    x:[count(x) = 0 OR v >= avg(x.v)]{3} BY ,   over  a1 a3 a2  gives  x0 x1 x2
    x:[count(x) = 0 OR v > avg(x.v)]{3} BY ,    over  a1 a3 a2  gives  nothing
    # duration() includes the current event.
    x:[duration() <= 2 s]{3,} BY ,              over  a a a a   gives  x0 x1 x2, x1 x2 x3
    x:[count(x) = 0 OR ts - t(prev(x)) <= 1 s]{2} BY ,    over  a@0 a@1 a@3  gives  x0 x1
""")
def test_inside_an_iteration_functions_speak_of_the_repetitions_before(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:[prev(x.v) IS MISSING]{1,2} BY ,    over  a1 a1   gives  x0, x1
    x:[first(x.v) IS MISSING]{1,2} BY ,   over  a1 a1   gives  x0, x1
    x:[avg(x.v) IS MISSING]{1,2} BY ,     over  a1 a1   gives  x0, x1
    x:[max(x.v) IS MISSING]{1,2} BY ,     over  a1 a1   gives  x0, x1
    x:[count(x) = 0]{1,2} BY ,            over  a1 a1   gives  x0, x1
    x:[sum(x.v) = 0]{1,2} BY ,            over  a1 a1   gives  x0, x1
""")
def test_sum_and_count_of_none_are_0_and_the_others_are_missing(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (x:a+ BY ,) , y:[v = sum(x.v)]              over  a1 a2 b3   gives  x0 x1 y2
    (x:a+ BY ,) , y:[k = 'b' AND v = count(x)]  over  a a b2     gives  x0 x1 y2
    (x:a+ BY ,) , y:[k = 'b' AND v > last(x.v)] over  a1 a5 b3   gives  nothing
    (x:a+ BY ,) , y:[k = 'b' AND v > first(x.v)]  over  a1 a5 b3  gives  x0 x1 y2
    (x:a{2} BY ,) , y:[v = x[2].v]              over  a1 a5 b5   gives  x0 x1 y2
    (x:a{2} BY ,) , y:[k = 'b'] @ (t(y) - t(x[1]) = 2 s)  over  a a b  gives  x0 x1 y2
    x:a{2} BY , WHERE first(x.v) < last(x.v)    over  a1 a5 a3   gives  x0 x1
    x:a{2} BY , WHERE avg(x.v) = 3              over  a1 a5 a3   gives  x0 x1
""")
def test_behind_an_iteration_functions_speak_of_all_repetitions(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (x:a , y:[k = 'b' AND v = x.v]){2} BY ,      over  a1 b1 a2 b2   gives  x0 x2 y1 y3
    (x:a , y:[k = 'b' AND v = x.v]){2} BY ,      over  a1 b1 a2 b1   gives  nothing
    # prev speaks of the repetition before, x.v of this one.
    (x:a , y:[count(y) = 0 OR v = prev(y.v) + x.v]){2} BY ,  over  a1 b7 a2 b9  gives  x0 x2 y1 y3
    (x:a , y:[count(y) = 0 OR v = prev(y.v) + x.v]){2} BY ,  over  a1 b7 a2 b8  gives  nothing
    # The sum is of the repetitions before, the a of this one left out: 0, then 1.
    (x:a , y:[k = 'b' AND v = sum(x.v)]){2} BY ,
        over  a1 b0 a2 b1  gives  x0 x2 y1 y3
    (x:a , y:[k = 'b' AND (count(x) = 0 OR v = prev(x.v))]){2} BY ,
        over  a1 b a2 b1  gives  x0 x2 y1 y3
    # An optional x that is absent from this repetition is missing in it.
    (x:a? , y:[k = 'b' AND (v = x.v OR v = 9 AND x.v IS MISSING)]){2} BY ,
        over  a1 b1 b9  gives  x0 y1 y2
    # Behind the inner iteration, in the same outer repetition, all y so far count: 1, then 3.
    (x:a , y:b+ BY , , z:[k = 'c' AND v = count(y)]){2} BY ,
        over  a b c1 a b b c3  gives  x0 x3 y1 y4 y5 z2 z6
    (x:a , y:b+ BY , , z:[k = 'c' AND v = count(y)]){2} BY ,
        over  a b c1 a b b c2  gives  nothing
""")
def test_an_alias_of_the_same_repetition_is_one_event(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; y:b? ; z:[k = 'c' AND v > y.v]          over  a b1 c2   gives  a0 y1 z2
    a ; y:b? ; z:[k = 'c' AND NOT (v > y.v)]    over  a b1 c2   gives  a0 z2
    a ; y:b{1} ; z:[k = 'c' AND v > y.v]        over  a b1 c2   gives  a0 y1 z2
""")
def test_an_optional_part_is_one_event_or_missing(pattern, stream, expected):
    assert found(pattern, stream) == expected


def test_what_is_emitted_speaks_of_all_repetitions() -> None:
    emit = (
        "count(x) AS n, sum(x.v) AS total, avg(x.v) AS mean, min(x.v) AS least, max(x.v) AS most, "
        "first(x.v) AS begin, last(x.v) AS final, x[2].v AS second, x[4].v AS fourth"
    )
    assert emitted(f"x:a{{3}} BY , EMIT {emit}", "a4 a1 a7") == [
        {
            "n": 3,
            "total": 12,
            "mean": 4.0,
            "least": 1,
            "most": 7,
            "begin": 4,
            "final": 7,
            "second": 1,
            "fourth": None,
        }
    ]


def test_of_no_repetitions_sum_and_count_are_emitted_as_0_and_the_others_as_null() -> None:
    emit = "count(x) AS n, sum(x.v) AS total, avg(x.v) AS mean, last(x.v) AS final"
    assert emitted(f"x:a* ; y:b EMIT {emit}", "b") == [
        {"n": 0, "total": 0, "mean": None, "final": None}
    ]


@pytest.mark.parametrize("by", [",", "->", ";"])
def test_an_iteration_of_exactly_one_is_the_part_itself(by: str) -> None:
    assert found(f"a{{1}} BY {by}", "a b a") == found("a", "a b a") == ["a0", "a2"]
