"""Absence: between, next, leading, for a while, and silence (design 2.1)."""

from tests.reference.test_operators_notation import DEFINITIONS, S, cases, found, rows, run, shown

import tocsin


@cases("""
    a ; !b ; c          over  a c            gives  a0 c1
    a ; !b ; c          over  a d c          gives  a0 c2
    a ; !b ; c          over  a b c          gives  nothing
    a ; !b ; c          over  b a c b        gives  a1 c2
    a ; !b ; c          over  a c b c        gives  a0 c1
    a ; !b ; c          over  a b a c        gives  a2 c3
    a -> !b -> c        over  a d c c        gives  a0 c2
    a -> !b -> c        over  a b c          gives  nothing
    a ; !b ; !d ; c     over  a e c          gives  a0 c2
    a ; !b ; !d ; c     over  a b c          gives  nothing
    a ; !b ; !d ; c     over  a d c          gives  nothing
    # What stands between c and e is another matter.
    a ; !b ; c ; e      over  a c b e        gives  a0 c1 e3
    a ; c ; !b ; e      over  a b c e        gives  a0 c2 e3
    # The absent and what follows may be the same kind of event: the first c only.
    a ; !c ; c          over  a c c          gives  a0 c1
""")
def test_nothing_absent_lies_between(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; !(b , d) ; c    over  a b c          gives  a0 c2
    a ; !(b , d) ; c    over  a b d c        gives  nothing
    a ; !(b , d) ; c    over  a b e d c      gives  a0 c4
    # The b before a, or the d behind c, does not lie between.
    a ; !(b ; d) ; c    over  b a d c        gives  a1 c3
    a ; !(b ; d) ; c    over  a b c d        gives  a0 c2
    a ; !(b & d) ; c    over  a d b c        gives  nothing
    a ; !b{2} ; c       over  a b c          gives  a0 c2
    a ; !b{2} ; c       over  a b b c        gives  nothing
    a ; !b @ (b.v > 3) ; c  over  a b1 c     gives  a0 c2
    a ; !b @ (b.v > 3) ; c  over  a b5 c     gives  nothing
""")
def test_a_composite_absence_counts_only_where_it_lies_wholly_between(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a , !b -> c         over  a b c          gives  nothing
    a , !b -> c         over  a d b c        gives  a0 c3
    a , !b -> c         over  a c            gives  a0 c1
    a , !b -> c         over  a d c c        gives  a0 c2
    a , !b ; c          over  a d c c        gives  a0 c2, a0 c3
    a , !b ; c          over  a b d c        gives  nothing
""")
def test_the_very_next_event_is_not_the_absent_one(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    !b ; c              over  c b c          gives  c0
    !b ; c              over  b c            gives  nothing
    !b ; c              over  a c            gives  c1
    !b ; a ; c          over  a b c          gives  a0 c2
    !b ; a ; c          over  b a c          gives  nothing
    !(b , d) ; c        over  b c d c        gives  c1, c3
    !(b , d) ; c        over  b d c          gives  nothing
""")
def test_a_leading_absence_reaches_back_to_the_start(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # of the same group
    x:[k = 'a' AND g = $g] ; ![k = 'b' AND g = $g] ; y:[k = 'c' AND g = $g]
        over  a/m b/n c/m  gives  x0 y2
    x:[k = 'a' AND g = $g] ; ![k = 'b' AND g = $g] ; y:[k = 'c' AND g = $g]
        over  a/m b/m c/m  gives  nothing
    # with an event matched before
    x:a ; ![k = 'b' AND v > x.v] ; c      over  a5 b3 c        gives  x0 c2
    x:a ; ![k = 'b' AND v > x.v] ; c      over  a5 b7 c        gives  nothing
    x:a , ![v > x.v] -> c                 over  a5 b7 c        gives  nothing
    x:a , ![v > x.v] -> c                 over  a5 b3 c        gives  x0 c2
    # A variable that nothing else binds is the absent part's own.
    a ; !([k = 'b' AND g = $l] , [k = 'd' AND g = $l]) ; c  over  a b/m d/n c  gives  a0 c3
    a ; !([k = 'b' AND g = $l] , [k = 'd' AND g = $l]) ; c  over  a b/m d/m c  gives  nothing
    # A leading absence agrees with the part that follows it directly.
    ![k = 'b' AND g = $g] ; x:[k = 'a' AND g = $g]  over  b/m a/n a/m  gives  x1
""")
def test_an_absence_sees_what_stands_to_its_left(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; !b ; c? ; d     over  a b d          gives  a0 d2
    a ; !b ; c? ; d     over  a c d          gives  a0 c1 d2, a0 d2
    a ; !b ; c? ; d     over  a b c d        gives  a0 d3
""")
def test_where_what_follows_is_optional_and_absent_nothing_is_forbidden(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; !b FOR 10 s     over  a@0 c@5 c@11       gives  a0 @10
    a ; !b FOR 10 s     over  a@0 b@5 c@11       gives  nothing
    a ; !b FOR 10 s     over  a@0 b@11           gives  a0 @10
    a ; !b FOR 10 s     over  b@0 a@1 *@11       gives  a1 @11
    a ; !b FOR 10 s     over  a@0 a@5 *@20       gives  a0 @10, a1 @15
    a ; !b FOR 10 s     over  a@0 a@5 b@12 *@20  gives  a0 @10
    a ; b ; !c FOR 9 s  over  a@0 b@3 c@12 *@99  gives  nothing
    a ; b ; !c FOR 9 s  over  a@0 b@3 c@13 *@99  gives  a0 b1 @12
""")
def test_an_absence_for_a_while_completes_at_its_deadline(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # An event at the deadline itself prevents it, so one at 10 s does not yet complete it …
    a ; !b FOR 10 s     over  a@0 b@10 *@99      gives  nothing
    a ; !b FOR 10 s     over  a@0 c@10           gives  nothing
    a ; !b FOR 10 s     over  a@0 c@10 b@10 *@99 gives  nothing
    # … but the clock at 10 s does: it says that nothing at 10 s will still come.
    a ; !b FOR 10 s     over  a@0 *@10           gives  a0 @10
    a ; !b FOR 10 s     over  a@0 c@10 *@10      gives  a0 @10
    a ; !b FOR 10 s     over  a@0 *@9            gives  nothing
    a ; !b FOR 10 s     over  a@0                gives  nothing
    # The same time, but a later position.
    a ; !b FOR 10 s     over  a@1 b@1 *@99       gives  nothing
    a ; !b FOR 10 s     over  b@1 a@1 *@99       gives  a1 @11
""")
def test_what_the_clock_has_to_say_before_an_absence_is_certain(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; !(b , d) FOR 10 s  over  a@0 b@1 d@2 *@99        gives  nothing
    a ; !(b , d) FOR 10 s  over  a@0 b@1 c@2 d@3 *@99    gives  a0 @10
    # It has to end by the deadline; anything else could not be certain then.
    a ; !(b , d) FOR 10 s  over  a@0 b@9 d@11 *@99       gives  a0 @10
    x:[k = 'a' AND g = $g] ; ![k = 'b' AND g = $g] FOR 10 s
        over  a/m@0 a/n@1 b/m@5 *@99  gives  x1 @11
    x:a ; ![k = 'b' AND v > x.v] FOR 10 s  over  a5@0 b3@1 *@99  gives  x0 @10
    x:a ; ![k = 'b' AND v > x.v] FOR 10 s  over  a5@0 b7@1 *@99  gives  nothing
""")
def test_what_is_absent_for_a_while_may_be_any_pattern(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; !b FOR 10 s ; c    over  a@0 c@11              gives  a0 c1
    a ; !b FOR 10 s ; c    over  a@0 c@10 c@11         gives  a0 c2
    a ; !b FOR 10 s ; c    over  a@0 c@11 c@12         gives  a0 c1, a0 c2
    a ; !b FOR 10 s ; c    over  a@0 b@5 c@11          gives  nothing
    a ; !b FOR 10 s ; c    over  a@0 b@10 c@11         gives  nothing
    a ; !b FOR 10 s ; c    over  a@0 b@11 c@12         gives  a0 c2
    a ; !b FOR 10 s ; c    over  a@0 *@20              gives  nothing
    a ; !b FOR 10 s ; c ; d  over  a@0 c@11 b@12 d@13  gives  a0 c1 d3
""")
def test_after_an_absence_for_a_while_something_may_follow(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # Watched since 0 s, the clock's first time or the first event's.
    !b FOR 10 s ; a    over  *@0 a@10         gives  a1
    !b FOR 10 s ; a    over  *@0 a@9          gives  nothing
    !b FOR 10 s ; a    over  c@0 a@10         gives  a1
    !b FOR 10 s ; a    over  a@0 a@10         gives  a1
    # No b in [begin - 10 s, begin).
    !b FOR 10 s ; a    over  b@0 a@10         gives  nothing
    !b FOR 10 s ; a    over  b@0 a@11         gives  a1
    !b FOR 10 s ; a    over  *@0 b@9 a@10     gives  nothing
    !b FOR 10 s ; a    over  *@0 b@10 a@10    gives  a2
    !b FOR 10 s ; a ; c  over  *@0 a@10 b@11 c@12  gives  a1 c3
    # Of the same group as the a.
    ![k = 'b' AND g = $g] FOR 10 s ; x:[k = 'a' AND g = $g]
        over  *@0 b/m@5 a/n@11 a/m@12  gives  x2
    # It lies wholly in that time.
    !(b , d) FOR 10 s ; a  over  *@0 b@5 d@6 a@15   gives  nothing
    !(b , d) FOR 10 s ; a  over  *@0 b@5 d@6 a@16   gives  a3
""")
def test_an_absence_for_a_while_before_something(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (a ; !b FOR 5 s) & c   over  a@0 c@2 *@20      gives  a0 c1 @5
    (a ; !b FOR 5 s) & c   over  a@0 d@6 c@20      gives  a0 c2
    # What follows the group begins after the deadline.
    (a ; !b FOR 5 s) ; c   over  a@0 c@3 c@5 c@6   gives  a0 c3
    (a ; !b FOR 5 s) | c   over  a@0 c@2 *@20      gives  c1, a0 @5
    (a ; !b FOR 5 s) | (c ; !b FOR 2 s)  over  a@0 c@1 *@20  gives  c1 @3, a0 @5
""")
def test_an_absence_for_a_while_can_be_one_part_of_two(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    !b FOR 10 s     over  *@0 *@30                gives  silent 0-10
    !b FOR 10 s     over  *@0 *@9                 gives  nothing
    !b FOR 10 s     over  *@0 c@11                gives  silent 0-10
    !b FOR 10 s     over  *@0 c@10                gives  nothing
    # The first event is the start where there was no clock before it.
    !b FOR 10 s     over  c@5 c@20                gives  silent 5-15
    # Each b starts anew, and each silence is reported once.
    !b FOR 10 s     over  *@0 b@4 *@30            gives  silent 4-14
    !b FOR 10 s     over  *@0 b@4 b@9 b@30 *@90   gives  silent 9-19, silent 30-40
    !b FOR 10 s     over  *@0 b@11 *@30           gives  silent 0-10, silent 11-21
    # A b exactly at the deadline breaks the silence.
    !b FOR 10 s     over  *@0 b@10 *@30           gives  silent 10-20
    # A b as the first event is both the start and a b: one silence.
    !b FOR 10 s     over  b@5 *@30                gives  silent 5-15
    !(b , d) FOR 10 s  over  *@0 b@4 d@5 *@12 b@13 *@30  gives  silent 5-15
""")
def test_silence_is_reported_once_from_the_start_or_the_last_event_on(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    !b FOR 10 s EVERY 5 s   over  *@0 *@22        gives  silent 0-10, silent 0-15, silent 0-20
    !b FOR 10 s EVERY 10 s  over  *@0 *@30        gives  silent 0-10, silent 0-20, silent 0-30
    !b FOR 10 s EVERY 5 s   over  *@0 b@12 *@30   gives  silent 0-10, silent 12-22, silent 12-27
    !b FOR 10 s EVERY 5 s   over  *@0 b@15 *@27   gives  silent 0-10, silent 15-25
""")
def test_with_every_a_silence_is_reported_again_and_again(pattern, stream, expected):
    assert found(pattern, stream) == expected


def test_silence_after_an_event_is_counted_for_each_value_of_its_variables() -> None:
    stream = "*@0 b/m@1 b/n@2 b/m@8 *@30"
    notifications = run("![k = 'b' AND g = $g] FOR 10 s", stream)
    # The silence from the start is broken by the first b of any group; b/m@1 by b/m@8.
    assert [shown(found_) for found_ in notifications] == ["silent 2-12", "silent 8-18"]
    assert [found_.variables for found_ in notifications] == [{"g": "n"}, {"g": "m"}]


def test_a_match_completed_by_the_clock_has_its_deadline_and_no_position() -> None:
    (notification,) = run("a ; !b FOR 10 s", "a@2 c@30")
    assert notification.at == 12 * S
    assert notification.position is None
    assert (notification.begin, notification.end) == (2 * S, 2 * S)
    assert notification.events == {"a": (0,)}


def test_what_is_absent_is_not_reported() -> None:
    (notification,) = run("x:a ; !y:b ; z:c", "a d c")
    assert notification.events == {"x": (0,), "z": (2,)}


def test_a_silence_has_a_begin_an_end_and_no_events() -> None:
    (notification,) = run("!b FOR 10 s", "*@2 *@30")
    assert (notification.begin, notification.end, notification.at) == (2 * S, 12 * S, 12 * S)
    assert notification.position is None
    assert not any(notification.events.values())


def test_a_match_that_an_event_completes_after_a_deadline_has_that_event_s_position() -> None:
    (notification,) = run("(a ; !b FOR 5 s) & c", "a@0 d@6 c@20")
    assert (notification.at, notification.position) == (20 * S, 2)


def test_the_clock_after_the_last_row_completes_what_waits_for_it() -> None:
    assert found("a ; !b FOR 10 s", "a@0", clock=10_000) == ["a0 @10"]
    assert found("a ; !b FOR 10 s", "a@0", clock=9_999) == []


def test_in_one_step_the_clock_comes_first_by_deadline_and_then_the_event() -> None:
    text = f"""{DEFINITIONS}
        SUBSCRIBE event MATCH c;
        SUBSCRIBE late  MATCH a ; !b FOR 8 s;
        SUBSCRIBE early MATCH a ; !b FOR 5 s;
    """
    notifications = tocsin.match(rows("a@0 c@9"), text)
    assert [n.subscription for n in notifications] == ["early", "late", "event"]
    assert [n.at for n in notifications] == [5 * S, 8 * S, 9 * S]
