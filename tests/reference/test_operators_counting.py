"""nth, repeat, & and | (design 2.1)."""

from tests.reference.test_operators_notation import cases, emitted, found, run


@cases("""
    nth(1, a)            over  b a a            gives  a1
    nth(2, a)            over  a b a a          gives  a2
    nth(3, a)            over  a a              gives  nothing
    nth(2, (a , b))      over  a b c a b a b    gives  a3 b4
    # In order of completion, ties by positions: (0,2), (1,2), (0,3), (1,3).
    nth(2, (a ; b))      over  a a b b          gives  a1 b2
    nth(3, (a ; b))      over  a a b b          gives  a0 b3
    nth(2, (a | b))      over  a c b            gives  b2
    # Every number of repetitions counts: a0, a0 a1, a1.
    nth(2, a+)           over  a a              gives  a0 a1
""")
def test_nth_is_the_nth_match_in_order_of_completion(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    nth(2, a) ; b        over  a a b b          gives  a1 b2, a1 b3
    # Counted from what precedes it.
    a ; nth(2, b)        over  b a b c b b      gives  a1 b4
    a ; nth(2, b)        over  a b a b b        gives  a0 b3, a2 b4
    a ; nth(2, b) ; c    over  a b b c b c      gives  a0 b2 c3, a0 b2 c5
    a -> nth(1, b)       over  a b b            gives  a0 b1
""")
def test_in_a_sequence_nth_counts_from_what_precedes_it(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    nth(2, x:[k = 'a' AND g = $g])  over  a/m a/n a/m a/n a/m  gives  x2, x3
    x:[k = 'a' AND g = $g] ; nth(2, y:[k = 'b' AND g = $g])  over  a/m b/n b/m b/n b/m  gives  x0 y4
""")
def test_nth_counts_for_each_value_of_its_variables(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    repeat(x:a, 3, v, 1)       over  a1 a2 b a3     gives  x0 x1 x3
    repeat(x:a, 3, v, 1)       over  a1 a3 a2       gives  nothing
    repeat(x:a, 2, v, 1)       over  a1 a1 a2       gives  x0 x2, x1 x2
    repeat(x:a, 2, v, 5)       over  a1 a2 a6       gives  x0 x2
    repeat(x:a, 3, v, -2)      over  a5 a3 a1       gives  x0 x1 x2
    repeat(x:a, 2, v, 0)       over  a5 a3 a5       gives  x0 x2
    repeat(x:a, 2, v, 0.5)     over  a1 a1.5        gives  x0 x1
    repeat(x:a, 3, ts, 10 s)   over  a@0 a@10 a@15 a@20  gives  x0 x1 x3
    # A missing attribute does not grow.
    repeat(x:a, 2, v, 1)       over  a a1           gives  nothing
    repeat(x:a, 1, v, 1)       over  a1 b a7        gives  x0, x2
""")
def test_repeat_is_a_sequence_in_which_the_attribute_grows_by_the_step(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    repeat(x:a, 2, v, 1) BY ;   over  a1 b a5 a2    gives  x0 x3
    repeat(x:a, 2, v, 1) BY ->  over  a1 b a5 a2    gives  nothing
    repeat(x:a, 2, v, 1) BY ->  over  a1 b a2       gives  x0 x2
    repeat(x:a, 2, v, 1) BY ,   over  a1 b a2       gives  nothing
    repeat(x:a, 2, v, 1) BY ,   over  a1 a2         gives  x0 x1
""")
def test_the_operator_after_by_joins_the_parts_of_repeat(pattern, stream, expected):
    assert found(pattern, stream) == expected


def rows_of_x(pattern: str, stream: str) -> list[list[int]]:
    return [sorted(notification.events["x"]) for notification in run(pattern, stream)]


def test_repeat_by_and_takes_the_steps_in_any_order_of_arrival() -> None:
    assert rows_of_x("repeat(x:a, 3, v, 1) BY &", "a3 a1 b a2") == [[0, 1, 3]]
    assert rows_of_x("repeat(x:a, 3, v, 1) BY &", "a3 a1 a1 a2") == [[0, 1, 3], [0, 2, 3]]
    assert rows_of_x("repeat(x:a, 3, v, 1) BY &", "a3 a1 a4") == []
    assert rows_of_x("repeat(x:a, 3, v, -1) BY &", "a3 a1 a2") == [[0, 1, 2]]


def test_repeat_by_and_with_step_0_has_one_match_for_each_choice_of_events() -> None:
    assert rows_of_x("repeat(x:a, 2, v, 0) BY &", "a1 a1") == [[0, 1]]


@cases("""
    a & b               over  a b            gives  a0 b1
    a & b               over  b a            gives  a1 b0
    a & b               over  a b a          gives  a0 b1, a2 b1
    a & b & c           over  c a b          gives  a1 b2 c0
    a & b               over  a a            gives  nothing
    (a ; b) & (c ; d)   over  a c b d        gives  a0 b2 c1 d3
    (a , b) & (c , d)   over  a c b d        gives  nothing
    (a , b) & (c , d)   over  c d e a b      gives  a3 b4 c0 d1
    c ; (a & b)         over  a c b a        gives  c1 a3 b2
    (a & b) ; c         over  a c b c        gives  a0 b2 c3
    # Sharing no event: x and y change places, and x with the earliest event comes first.
    x:[v > 0] & y:[v > 0]  over  a1          gives  nothing
    x:[v > 0] & y:[v > 0]  over  a1 b1       gives  x0 y1, x1 y0
""")
def test_both_sides_of_and_match_in_any_order_sharing_no_event(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:[k = 'a' AND g = $g] & y:[k = 'b' AND g = $g]  over  a/m b/n b/m  gives  x0 y2
    (x:a & y:b) @ (abs(t(x) - t(y)) <= 2 s)          over  a@0 b@3 a@5  gives  x2 y1
    (x:a & y:b) @ (x.v > y.v)                        over  a1 b2 a3     gives  x2 y1
    x:a & y:b WITHIN 2 s                             over  a@0 b@3 a@5  gives  x2 y1
    x:a & y:b WITHIN 2 EVENTS                        over  a c b a      gives  x3 y2
""")
def test_what_joins_the_sides_of_and_stands_in_variables_or_behind_it(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a | b               over  a c b          gives  a0, b2
    a | b | c           over  c b a          gives  c0, b1, a2
    (a , b) | c         over  a b c          gives  a0 b1, c2
    (a | b) ; c         over  a b c          gives  a0 c2, b1 c2
    c , (a | b)         over  c b c d a      gives  c0 b1
    # An event that does for both is one match for each side, in the order of the text.
    x:[v > 0] | y:[v < 9]  over  a5          gives  x0, y0
    (x:a | x:b) ; c     over  b c            gives  x0 c1
""")
def test_either_side_of_or_is_enough(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (x:a | y:b) ; z:[k = 'c' AND v > x.v]              over  a1 b1 c3  gives  x0 z2
    (x:a | y:b) ; z:[k = 'c' AND (v > x.v OR v > y.v)] over  a1 b5 c3  gives  x0 z2
    (x:a | y:b) ; z:[k = 'c' AND x.v IS MISSING]       over  a1 b5 c3  gives  y1 z2
    (x:[k = 'a' AND g = $g] | y:b) ; z:[k = 'c' AND g = $g]
        over  a/m b c/n c/m  gives  y1 z2, x0 z3, y1 z3
""")
def test_a_name_of_the_side_not_taken_is_missing(pattern, stream, expected):
    assert found(pattern, stream) == expected


def test_the_side_not_taken_emits_null() -> None:
    assert emitted("x:a | y:b EMIT x.v AS left, y.v AS right", "a1 b2") == [
        {"left": 1, "right": None},
        {"left": None, "right": 2},
    ]


def test_the_side_not_taken_has_no_events() -> None:
    assert [n.events for n in run("x:a | y:b", "a b")] == [
        {"x": (0,), "y": ()},
        {"x": (), "y": (1,)},
    ]
