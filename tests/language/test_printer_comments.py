"""Where comments go when a text is formatted."""

from __future__ import annotations

import pytest

from tocsin.errors import LanguageError
from tocsin.language.printer import format_text
from tocsin.language.printer.alignment import align

# Each case: a text as someone wrote it, and as it is formatted.
CASES = {
    "a text without comments": ("define  a as x=1", "DEFINE a AS x = 1;\n"),
    "nothing": ("  \n", ""),
    "only comments": ("\n-- one\n\n  -- two\n", "-- one\n\n-- two\n"),
    "a comment without a line end": ("DEFINE a AS x;--end", "DEFINE a AS x; --end\n"),
    "a comment above a statement": ("  -- why\ndefine a as x", "-- why\nDEFINE a AS x;\n"),
    "a comment below the last one": ("define a as x\n-- later", "DEFINE a AS x;\n-- later\n"),
    "blank lines around comments between statements": (
        "-- licence\n\n\n-- about a\nDEFINE a AS x;\n\n-- about b\nDEFINE b AS y;\n\n-- end\n",
        "-- licence\n\n-- about a\nDEFINE a AS x;\n\n-- about b\nDEFINE b AS y;\n\n-- end\n",
    ),
    "a gap between kinds comes before the comments": (
        "DEFINE a AS x;\n-- about s\nSUBSCRIBE s MATCH a",
        "DEFINE a AS x;\n\n-- about s\nSUBSCRIBE s\nMATCH   a;\n",
    ),
    "inside a line, the comment goes to its end": (
        "DEFINE a AS x -- one\n = 1 + 2",
        "DEFINE a AS x = 1 + 2; -- one\n",
    ),
    "inside a line, a comment of its own line goes above": (
        "DEFINE a AS x\n -- two\n = 1 + 2",
        "-- two\nDEFINE a AS x = 1 + 2;\n",
    ),
    "behind a part of a list, the comment stays with it": (
        "DEFINE a AS x = 1 -- one\n AND y = 2 -- two",
        "DEFINE a AS x = 1 AND -- one\n            y = 2; -- two\n",
    ),
    "a comment before an operator stays before the next part": (
        "DEFINE a AS x = 1\n -- two\n AND y = 2",
        "DEFINE a AS x = 1 AND\n            -- two\n            y = 2;\n",
    ),
    "a comment before the end of a statement": (
        "DEFINE a AS x = 1\n-- AND y = 2\n;",
        "DEFINE a AS x = 1\n    -- AND y = 2\n;\n",
    ),
    "several behind one line are joined": (
        "DEFINE a -- one\n AS x = 1 -- two\n;",
        "DEFINE a AS x = 1; -- one -- two\n",
    ),
    "comments move with their clauses": (
        "SUBSCRIBE s\n-- how long\nWITHIN 5 min -- short\n-- what\nMATCH a -- an a\n ;",
        "SUBSCRIBE s\n-- what\nMATCH   a -- an a\n-- how long\nWITHIN  5 min; -- short\n",
    ),
    "the comment of a default that is not printed": (
        "SUBSCRIBE s MATCH a\n-- keep all\nDUPLICATES ALL -- yes\nWITHIN 5 min",
        "SUBSCRIBE s\nMATCH   a -- yes\n-- keep all\nWITHIN  5 min;\n",
    ),
    "a comment among parentheses that are not printed": (
        "DEFINE a AS (\n-- first\n(x = 1) -- one\n)",
        "-- first\nDEFINE a AS x = 1; -- one\n",
    ),
    "a comment after a repeated semicolon": (
        "DEFINE a AS x;;-- one\n-- two\n;DEFINE b AS y",
        "DEFINE a AS x; -- one\n-- two\nDEFINE b AS y;\n",
    ),
    "a string of several lines": (
        "DEFINE a AS x = 'one\n-- no comment\ntwo' -- three\n AND y = 1",
        "DEFINE a AS x = 'one\n-- no comment\ntwo' AND -- three\n            y = 1;\n",
    ),
    "a name spelt like a clause": (
        "SUBSCRIBE s MATCH a\nEMIT x AS limit -- called limit\nLIMIT 3 -- three",
        'SUBSCRIBE s\nMATCH   a\nLIMIT   3 -- three\nEMIT    x AS "limit"; -- called limit\n',
    ),
    "line ends of another system": (
        "-- one\r\nDEFINE a AS x; -- two\r\n",
        "-- one\nDEFINE a AS x; -- two\n",
    ),
}


# Lists with comments inside: each text is formatted already.
LISTS = {
    "attributes": """\
STREAM logins (
    ts TIMESTAMP, -- when
    card STRING, -- which card
    -- pin STRING,
    amount FLOAT -- in euros
) TIME ts;
""",
    "attributes with a comment between": """\
STREAM logins (ts TIMESTAMP, -- when
               card STRING) TIME ts;
""",
    "a list that begins and ends with a comment": """\
STREAM logins ( -- of all shops
    -- the time
    ts TIMESTAMP,
    card STRING
    -- amount FLOAT
) TIME ts;
""",
    "conditions in a filter": """\
SUBSCRIBE s
MATCH   a:[x = 1 AND -- one
           (y = 2 OR -- two
            z = 3)] ;
        b:[
            -- none of those above
            x = 4 AND
            y = 5 -- five
        ];
""",
    "items and alternatives": """\
SUBSCRIBE s
MATCH   a | -- this
        b & -- or both of these
        c
EMIT    x, -- first
        -- y,
        z AS last -- second
    -- and no more
;
""",
    "values": """\
DEFINE known AS card IN ('a', -- Ann
                         'b', -- Bob
                         -- 'c',
                         'd');
""",
    "a sequence with a part left out": """\
SUBSCRIBE s
MATCH   a:[x = 1] ;
        -- b:[x = 2] ;
        c:[x = 3] , d ; -- at once
        !e FOR 5 min -- and then nothing
WHERE   a.y = 1 AND -- one
        c.y = 2; -- two
""",
    "a group with its window": """\
SUBSCRIBE s
MATCH   (
            a ;
            b -- soon
        WITHIN 5 min) ;
        c;
""",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_with_comments_stands_one_part_a_line(name):
    text = LISTS[name]
    assert format_text(text) == text
    squeezed = [line.strip() for line in text.splitlines()]
    assert format_text("\n".join(squeezed)) == text


@pytest.mark.parametrize("case", CASES)
def test_comments_go_where_their_code_goes(case):
    source, formatted = CASES[case]
    assert format_text(source) == formatted
    assert format_text(formatted) == formatted


def test_comments_inside_a_broken_pattern_stay_with_their_parts():
    long = "x = 'some rather long text' AND y = 'another one'"
    source = f"SUBSCRIBE s MATCH a:[{long}] ; -- one\n-- two\nb:[{long}] -- three\n"
    assert format_text(source) == (
        f"SUBSCRIBE s\nMATCH   a:[{long}] ; -- one\n        -- two\n        b:[{long}]; -- three\n"
    )


def test_a_text_with_errors_is_not_formatted():
    with pytest.raises(LanguageError):
        format_text("DEFINE a AS -- nothing")


def test_tokens_are_aligned_clause_by_clause():
    source = ["SUBSCRIBE", "S", "WITHIN", "5", "MIN", "MATCH", "(", "A", ")"]
    printed = ["SUBSCRIBE", "S", "MATCH", "A", "WITHIN", "5", "MIN", ";"]
    assert align(source, printed) == [0, 1, 4, 5, 6, 2, None, 3, None]
