"""The sequence operators `,`, `->` and `;` (design 2 and 2.1)."""

from tests.reference.test_operators_notation import cases, found


@cases("""
    a           over  a b a        gives  a0, a2
    a           over  b c          gives  nothing
    x:a         over  b a          gives  x1
    x:[v > 3]   over  a3 b4 a5     gives  x1, x2
    # A name may occur several times: all its events are reported under it.
    a ; a ; b   over  a a b        gives  a0 a1 b2
    # The first atom of a text is called _1 where it has no other name.
    [k = 'a']   over  b c a        gives  _12
""")
def test_an_atom_has_one_match_for_each_event_whose_filter_holds(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b       over  a b           gives  a0 b1
    a ; b       over  b a           gives  nothing
    a ; b       over  a c b         gives  a0 b2
    a ; b       over  a b a b       gives  a0 b1, a0 b3, a2 b3
    a ; b       over  a a b b       gives  a0 b2, a1 b2, a0 b3, a1 b3
    a ; b ; c   over  a b b c c     gives  a0 b1 c3, a0 b2 c3, a0 b1 c4, a0 b2 c4
""")
def test_with_a_semicolon_any_later_event_follows(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a , b       over  a b           gives  a0 b1
    a , b       over  a c b         gives  nothing
    a , b       over  a a b         gives  a1 b2
    a , b       over  a b b         gives  a0 b1
    a , b , c   over  a b a b c     gives  a2 b3 c4
    a ->{TRUE} b  over  a c b a b   gives  a3 b4
""")
def test_with_a_comma_the_very_next_event_follows(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a -> b      over  a b           gives  a0 b1
    a -> b      over  a c c b b     gives  a0 b3
    a -> b      over  a a b         gives  a0 b2, a1 b2
    a -> b      over  a b a b       gives  a0 b1, a2 b3
    a -> b -> c over  a b b c c     gives  a0 b1 c3
""")
def test_with_an_arrow_the_first_later_event_follows_that_would_do(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # The first b has v = 1, whether or not the part wants more.
    a ->{k = 'b'} x:[v > 1]           over  a b1 b2    gives  nothing
    a ->{k = 'b'} x:[v > 1]           over  a b2 b1    gives  a0 x1
    a ->{k = 'b'} x:[v > 1]           over  a c9 b2    gives  a0 x2
    # With no condition of its own the arrow takes that of the part: v = 1 is passed over.
    a -> x:[k = 'b' AND v > 1]        over  a b1 b2    gives  a0 x2
    # The condition sees what was matched before: c7 is the first above a5, and is no b.
    x:a ->{v > x.v} y:b               over  a5 b3 c7 b9  gives  nothing
    x:a ->{v > x.v} y:b               over  a5 b3 b7     gives  x0 y2
    x:[k = 'a' AND g = $g] ->{g = $g} y:b  over  a/m c/n b/n b/m  gives  x0 y3
    x:[k = 'a' AND g = $g] ->{g = $g} y:b  over  a/m c/m b/m      gives  nothing
    # An attribute that is missing satisfies no comparison and is passed over.
    a ->{v > 1} x:b                   over  a c b2     gives  a0 x2
""")
def test_the_condition_of_an_arrow_decides_which_event_is_the_first(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # @ does not belong to the opening condition: the first b is taken, and then fails.
    a -> x:b @ (x.v > 1)   over  a b1 b2      gives  nothing
    a -> x:b @ (x.v > 1)   over  a b2 b1      gives  a0 x1
    # of a sequence: its first element's
    a -> (b ; c)           over  a b c b c    gives  a0 b1 c2, a0 b1 c4
    a -> b , c             over  a b b c      gives  nothing
    a -> b , c             over  a b c        gives  a0 b1 c2
    # of & and |: the OR of its sides'
    a -> (b & c)           over  a b b c      gives  a0 b1 c3
    a -> (b & c)           over  a c d b      gives  a0 b3 c1
    a -> (b | c)           over  a d c b      gives  a0 c2
    # of an iteration: its element's
    a -> b{2}              over  a c b c b    gives  a0 b2 b4
    a -> (b WITHIN 5 s)    over  a c b b      gives  a0 b2
    a -> nth(1, b)         over  a c b b      gives  a0 b2
""")
def test_an_arrow_looks_for_the_opening_condition_of_what_follows(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    # a ; (b , c)
    a ; b , c       over  a b b c      gives  a0 b2 c3
    # (a , b) ; c
    a , b ; c       over  a b d c c    gives  a0 b1 c3, a0 b1 c4
    # a ; (b -> c)
    a ; b -> c      over  a b b c c    gives  a0 b1 c3, a0 b2 c3
    # (a -> b) ; c
    a -> b ; c      over  a b b c      gives  a0 b1 c3
    # (a , b) -> c
    a , b -> c      over  a b d c c    gives  a0 b1 c3
    # (a & b) | c, and (a ; b) & c
    a & b | c       over  c a b        gives  c0, a1 b2
    a ; b & c       over  a c b        gives  a0 b2 c1
""")
def test_a_comma_binds_tighter_than_an_arrow_and_that_than_a_semicolon(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    (a ; b) ; c      over  a b b c    gives  a0 b1 c3, a0 b2 c3
    a ; (b ; c)      over  a b b c    gives  a0 b1 c3, a0 b2 c3
    (a ; b) , c      over  a b b c    gives  a0 b2 c3
    (a ; b) -> c     over  a b b c c  gives  a0 b1 c3, a0 b2 c3
    a , (b ; c)      over  a b d c    gives  a0 b1 c3
    a , (b ; c)      over  a d b c    gives  nothing
    a , (b & c)      over  a c d b    gives  a0 b3 c1
    a , (b & c)      over  a d c b    gives  nothing
    (a & b) , c      over  b a c      gives  a1 b0 c2
    (a & b) ; c      over  b c a c    gives  a2 b0 c3
""")
def test_a_group_is_one_part_with_a_first_and_a_last_position(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a ; b       over  a@3 b@3         gives  a0 b1
    a , b       over  a@3 b@3         gives  a0 b1
    a ; b       over  b@3 a@3         gives  nothing
    a -> b      over  a@3 b@3 b@3     gives  a0 b1
""")
def test_events_with_the_same_time_follow_one_another_in_their_order(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    a , b                   over  a *@5 b@6      gives  a0 b2
    a ; b WITHIN 2 EVENTS   over  a *@5 b@6      gives  a0 b2
    # A row that comes too late is no event: it is not between the others either.
    a , b                   over  a@5 c@2 b@6    gives  a0 b2
""")
def test_only_events_have_a_position_in_the_stream(pattern, stream, expected):
    assert found(pattern, stream) == expected


@cases("""
    x:[v > 0] ; y:[v > 0]     over  a1          gives  nothing
    x:[v > 0] & y:[v > 0]     over  a1          gives  nothing
    x:[v > 0] , y:[v > 0]     over  a1 a2       gives  x0 y1
    [v > 0]{2}                over  a1 b        gives  nothing
""")
def test_one_event_never_plays_two_parts_in_one_match(pattern, stream, expected):
    assert found(pattern, stream) == expected
