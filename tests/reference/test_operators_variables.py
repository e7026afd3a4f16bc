"""Variables, conditions on earlier events, `@` and WHERE (design 2 and 2.1)."""

from tests.reference.test_operators_notation import S, cases, emitted, found, rows, run, shown

import tocsin


@cases("""
    x:[k = 'a' AND g = $g] ; y:[k = 'b' AND g = $g]   over  a/m a/n b/n      gives  x1 y2
    x:[k = 'a' AND $g = g] ; y:[k = 'b' AND g = $g]   over  a/m a/n b/n      gives  x1 y2
    x:[g = $g AND v = $v] , y:[g = $g AND v = $v]     over  a1/m b2/m c2/m   gives  x1 y2
    x:[k = 'a' AND v + 1 = $n] ; y:[k = 'b' AND v = $n]  over  a1 b1 b2      gives  x0 y2
    x:[k = 'a' AND v = $n] ; y:[k = 'b' AND v > $n]   over  a1 b1 b2         gives  x0 y2
    x:[k = 'a' AND v = $n] ; y:[k = 'b' AND v = $n * 2]  over  a2 b2 b4      gives  x0 y2
    x:[k = 'a' AND v = $n] ; y:[k = 'b' AND NOT (v = $n)]  over  a2 b2 b4    gives  x0 y2
    # Within one filter both must agree: v of this event is both.
    x:[v = $n AND v = $n]                             over  a1 a2            gives  x0, x1
    x:[g = $g] & y:[g = $g]                           over  a/m b/n c/m      gives  x0 y2, x2 y0
""")
def test_parts_agree_on_every_variable(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:[g = $g]                       over  a b/m    gives  x1
    x:[v = $n] , y:[v = $n]          over  a b      gives  nothing
    # 1 and 1.0 are equal.
    x:[v = $n] , y:[v = $n]          over  a1 b1.0  gives  x0 y1
""")
def test_a_missing_value_binds_nothing(pattern, stream, expected):
    assert found(pattern, stream) == expected


def test_values_of_different_kinds_do_not_join() -> None:
    stream = [{"ts": 0, "v": 1}, {"ts": 1, "v": True}, {"ts": 2, "v": "1"}]
    assert list(run("x:[v = $n] ; y:[v = $n]", stream)) == []


def test_a_definition_may_bind_a_variable() -> None:
    text = """
        DEFINE mine AS k = 'a' AND g = $g;
        SUBSCRIBE s MATCH x:[mine AND v > 1] ; y:[k = 'b' AND g = $g];
    """
    notifications = tocsin.match(rows("a2/m a1/n b/n b/m"), text)
    assert [shown(n) for n in notifications] == ["x0 y3"]


def test_a_notification_has_the_values_of_all_variables() -> None:
    (first, second) = run("x:[k = 'a' AND g = $g] | y:[k = 'b' AND v = $n]", "a1/m b2/n")
    assert first.variables == {"g": "m", "n": None}
    assert second.variables == {"g": None, "n": 2}


@cases("""
    x:a ; y:[k = 'b' AND v > x.v]              over  a3 b2 b5         gives  x0 y2
    x:a , y:[v = x.v + 1] , z:[v = x.v + y.v]  over  a1 b2 c3         gives  x0 y1 z2
    x:a ; y:[k = 'b' AND g != x.g]             over  a/m b/m b/n      gives  x0 y2
    # A missing value on either side satisfies nothing.
    x:a ; y:[k = 'b' AND v > x.v]              over  a b5             gives  nothing
    x:a ; y:[k = 'b' AND NOT (v > x.v)]        over  a b5             gives  x0 y1
    x:a ; y:[k = 'b' AND g CONTAINS x.g]       over  a/m b/amb b/n    gives  x0 y1
    x:a ; y:[k = 'b' AND t(y) - t(x) < 3 s]    over  a@0 b@2 b@3      gives  x0 y1
    x:a ; y:[k = 'b' AND ts - t(x) < 3 s]      over  a@0 b@2 b@3      gives  x0 y1
    x:a ; y:[k = 'b' AND duration() >= 3 s]    over  a@0 b@2 b@3      gives  x0 y2
""")
def test_a_filter_may_speak_of_events_matched_before(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:a ; y:b @ (t(y) - t(x) <= 2 s)           over  a@0 b@2 b@3      gives  x0 y1
    (x:a ; y:b) @ (x.v < y.v)                  over  a1 b1 b2         gives  x0 y2
    (x:a ; y:b) @ (x.v < y.v) ; c              over  a1 b1 b2 c       gives  x0 y2 c3
    x:a ; y:b @ (y.v > 1) @ (y.v < 3)          over  a b1 b2 b3       gives  x0 y2
    (x:a , y:b) @ (duration() >= 2 s)          over  a@0 b@1 a@5 b@7  gives  x2 y3
    (x:a ; y:b{2} BY ,) @ (sum(y.v) = 3)       over  a b1 b2 b3       gives  x0 y1 y2
    a ; (y:b @ (y.v > 1))? ; c                 over  a b1 b2 c        gives  a0 y2 c3, a0 c3
""")
def test_a_condition_behind_at_filters_the_matches_of_its_part(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:a ; y:b WHERE y.v > x.v                  over  a1 b1 b2         gives  x0 y2
    x:a ; y:b WHERE t(y) - t(x) = 2 s          over  a@0 b@1 b@2      gives  x0 y2
    x:[v = $n] , y:[k = 'b'] WHERE $n > 1      over  a1 b2 b3         gives  x1 y2
    x:a , y:b WHERE duration() > 1 s           over  a@0 b@1 a@2 b@4  gives  x2 y3
    x:a | y:b WHERE y.v IS MISSING             over  a1 b1            gives  x0
""")
def test_where_filters_whole_matches(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # A filter is part of what -> looks for; WHERE and @ only judge what it found.
    x:a -> y:[k = 'b' AND v > x.v]             over  a1 b1 b2         gives  x0 y2
    x:a -> y:b WHERE y.v > x.v                 over  a1 b1 b2         gives  nothing
    x:a -> y:b @ (y.v > x.v)                   over  a1 b1 b2         gives  nothing
""")
def test_an_arrow_looks_for_its_filter_and_where_only_judges(pattern, stream, expected):
    assert found(pattern, stream) == expected


def test_begin_and_end_of_an_event_are_its_times() -> None:
    emit = "begin(x) AS b, end(x) AS e, t(x) AS t, duration() AS d"
    (notification,) = run(f"x:a EMIT {emit}", "a@3..8")
    assert notification.emit == {"b": 3 * S, "e": 8 * S, "t": 8 * S, "d": 5 * S}


def test_a_variable_and_an_attribute_are_emitted_under_their_own_names() -> None:
    assert emitted("x:[k = 'a' AND g = $g] EMIT $g, x.v, x.v * 2 AS twice", "a3/m") == [
        {"g": "m", "v": 3, "twice": 6}
    ]


def test_without_emit_nothing_is_emitted() -> None:
    assert emitted("a", "a") == [{}]


def test_a_match_has_the_times_and_the_position_of_its_events() -> None:
    (notification,) = run("a ; b", "c a@3 d@4 b@7")
    assert notification.subscription == "s"
    assert notification.kind == "match"
    assert (notification.begin, notification.end, notification.at) == (3 * S, 7 * S, 7 * S)
    assert notification.position == 3
    assert notification.events == {"a": (1,), "b": (3,)}
    assert (notification.possibility, notification.necessity) == (1.0, 1.0)
