"""The canonical text of every form."""

from __future__ import annotations

import pytest

from tocsin.errors import ConfigurationError
from tocsin.language.parser import parse, parse_expression, parse_pattern
from tocsin.language.printer import to_text
from tocsin.language.tree import (
    AttributeDeclaration,
    Combine,
    EmitItem,
    EventReference,
    Limit,
    Link,
    Literal,
    MatchLimit,
    Parameter,
    Predict,
    Program,
    Since,
    Thresholds,
    Variable,
)
from tocsin.model.values import Duration, Kind

EXPRESSIONS = """
x=1                                   =>  x = 1
(x) <> (1)                            =>  x != 1
((a = 1) and (b = 2)) or (c = 3)      =>  a = 1 AND b = 2 OR c = 3
a = 1 and (b = 2 or c = 3)            =>  a = 1 AND (b = 2 OR c = 3)
a and (b and c)                       =>  a AND (b AND c)
a or (b or c)                         =>  a OR (b OR c)
not (a = 1)                           =>  NOT a = 1
not (not a)                           =>  NOT NOT a
not (a and b)                         =>  NOT (a AND b)
(not a) and b                         =>  NOT a AND b
(not a) = b                           =>  (NOT a) = b
(a = b) = c                           =>  (a = b) = c
(a and b) + 1                         =>  (a AND b) + 1
(a + b) + c                           =>  a + b + c
a + (b + c)                           =>  a + (b + c)
(a * b) + c                           =>  a * b + c
a * (b + c)                           =>  a * (b + c)
a - (b - c)                           =>  a - (b - c)
a/(b*c)                               =>  a / (b * c)
a - -3                                =>  a - -3
a-3                                   =>  a - 3
-(3)                                  =>  -(3)
-(-3)                                 =>  - -3
-(-x)                                 =>  - -x
-(a + b)                              =>  -(a + b)
-x * y                                =>  -x * y
-(x * y)                              =>  -(x * y)
-(5 min)                              =>  -(5 min)
-5 min                                =>  -5 min
-'a'                                  =>  -'a'
1e16                                  =>  1e+16
1.50                                  =>  1.5
100000e0                              =>  100000.0
0.00001                               =>  1e-05
-9223372036854775808                  =>  -9223372036854775808
t(b) - t(a) < 1h30m * 2               =>  t(b) - t(a) < 90 min * 2
x > 1 h 30 min                        =>  x > 90 min
x between (1) and (2 + 3)             =>  x BETWEEN 1 AND 2 + 3
x not between 1 and 2 and y           =>  x NOT BETWEEN 1 AND 2 AND y
x between (a and b) and c             =>  x BETWEEN (a AND b) AND c
x in (1, (2), 3+4)                    =>  x IN (1, 2, 3 + 4)
x in ((a = 1), 2)                     =>  x IN ((a = 1), 2)
x not in ('a')                        =>  x NOT IN ('a')
not x in (1)                          =>  NOT x IN (1)
ip in cidr '10.0.0.0/8'               =>  ip IN CIDR '10.0.0.0/8'
ip not in cidr {net}                  =>  ip NOT IN CIDR {net}
x is not present                      =>  x IS MISSING
x is not missing                      =>  x IS PRESENT
s contains 'it''s'                    =>  s CONTAINS 'it''s'
lower(s) not starts with 'a'          =>  lower(s) NOT STARTS WITH 'a'
s ends with $x                        =>  s ENDS WITH $x
s not like 'a%'                       =>  s NOT LIKE 'a%'
s matches '^a'                        =>  s MATCHES '^a'
rent is not very very cheap           =>  rent IS NOT very very cheap
rent is very                          =>  rent IS "very"
rent is somewhat very possibly 0.50   =>  rent IS somewhat "very" POSSIBLY 0.5
rent is cheap necessarily 1 possibly 0.6  =>  rent IS cheap POSSIBLY 0.6 NECESSARILY 1
rent is "present"                     =>  rent IS "present"
"job-name" = "a""b"                   =>  "job-name" = "a""b"
"price" > "match"                     =>  price > "match"
"count" + "min"                       =>  count + min
true                                  =>  TRUE
TIMESTAMP '2007-02-14 12:38:10'       =>  TIMESTAMP '2007-02-14T12:38:10Z'
timestamp '0001-01-01T00:00:00+05:00' =>  TIMESTAMP '0001-01-01T18:59:00+23:59'
timestamp '9999-12-31T23:59:59-05:00' =>  TIMESTAMP '9999-12-31T05:00:59-23:59'
a . price > first(a.price)            =>  a.price > first(a.price)
a[2].price                            =>  a[2].price
t(first(a)) - begin(a[2])             =>  t(first(a)) - begin(a[2])
count(a) > sum(a.x) + avg(a.x)        =>  count(a) > sum(a.x) + avg(a.x)
min(a.x) + min(1, (2)) + MAX(x, y, z) =>  min(a.x) + min(1, 2) + max(x, y, z)
abs((x = 1))                          =>  abs((x = 1))
duration() < 5 s                      =>  duration() < 5 s
{"job-name"} = {limit}                =>  {"job-name"} = {limit}
"""

PATTERNS = """
a : [x = 1]                       =>  a:[x = 1]
[(x = 1)]                         =>  [x = 1]
asks[x = 1]                       =>  asks[x = 1]
a:asks[x = 1]                     =>  a:asks[x = 1]
a:denied                          =>  a:denied
"nth"                             =>  nth
(a ; b) ; c                       =>  (a ; b) ; c
a ; (b , c)                       =>  a ; b , c
(a ; b) , c                       =>  (a ; b) , c
a , b -> c ; d                    =>  a , b -> c ; d
a -> {x = 1} b -> c               =>  a ->{x = 1} b -> c
a ->{{p} = 1} b                   =>  a ->{{p} = 1} b
(a -> b) -> c                     =>  (a -> b) -> c
(a & b) | c                       =>  a & b | c
a & (b | c)                       =>  a & (b | c)
(a & b) & c                       =>  (a & b) & c
(a | b) | c                       =>  (a | b) | c
(a ; b) & c                       =>  a ; b & c
a ; (b & c)                       =>  a ; (b & c)
a{1,}                             =>  a+
a{0,}                             =>  a*
a{0,1}                            =>  a?
a{3,3}                            =>  a{3}
a{2,}                             =>  a{2,}
a{2,5} by ->                      =>  a{2,5}
a+ by , until (x = 1)             =>  a+ BY , UNTIL (x = 1)
a* by ->{x} ; b                   =>  a* BY ->{x} ; b
a+ by , , b                       =>  a+ BY , , b
(a+)+                             =>  (a+)+
(a ; b)+                          =>  (a ; b)+
((a))+                            =>  a+
(!a)+                             =>  (!a)+
(a @ (x))+                        =>  (a @ (x))+
a+ @ ((x = 1))                    =>  a+ @ (x = 1)
(a @ (x)) @ (y)                   =>  a @ (x) @ (y)
(a ; b) @ (x)                     =>  (a ; b) @ (x)
(!a) @ (x)                        =>  (!a) @ (x)
!a @ (x)                          =>  !a @ (x)
!(a ; b)                          =>  !(a ; b)
!(!a)                             =>  !(!a)
a ; (!b) ; c                      =>  a ; !b ; c
a ; !b for 10 min ; c             =>  a ; !b FOR 10 min ; c
!a for 600s every {again}         =>  !a FOR 10 min EVERY {again}
(a within 300 s)                  =>  (a WITHIN 5 min)
(a ; b within 1 event) ; c        =>  (a ; b WITHIN 1 EVENT) ; c
((a within 20 events) within {w}) =>  ((a WITHIN 20 EVENTS) WITHIN {w})
(a within {n} events)+            =>  (a WITHIN {n} EVENTS)+
nth(3, (a ; b))                   =>  nth(3, a ; b)
nth(2, a)+                        =>  nth(2, a)+
repeat(a, 3, x, -1.5) by ;        =>  repeat(a, 3, x, -1.5)
repeat((a ; b), 3, x, 5 min) by & =>  repeat((a ; b), 3, x, 5 min) BY &
repeat(a, 3, x, 1) by & +         =>  repeat(a, 3, x, 1) BY &+
(repeat(a, 3, x, 1) by ->){2}     =>  (repeat(a, 3, x, 1) BY ->){2}
"""

STATEMENTS = """
stream s(a string,b integer)time a  =>  STREAM s (a STRING, b INTEGER) TIME a;
stream "my stream" (x FLOAT)        =>  STREAM "my stream" (x FLOAT);
define d as((x=1))                  =>  DEFINE d AS x = 1;
fuzzy cheap on rent as TRAPEZOID(-inf,-inf,1200.0,1.5e3)  =>  FUZZY cheap ON rent AS trapezoid(-inf, -inf, 1200, 1500);
"""  # noqa: E501 - one case, one line


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.split("=>") for line in text.strip().splitlines())
    return [(source.strip(), printed.strip()) for source, printed in lines]


@pytest.mark.parametrize(("source", "printed"), _pairs(EXPRESSIONS))
def test_an_expression_has_one_text(source, printed):
    tree = parse_expression(source)
    assert to_text(tree) == printed
    assert parse_expression(printed) == tree


@pytest.mark.parametrize(("source", "printed"), _pairs(PATTERNS))
def test_a_pattern_has_one_text(source, printed):
    tree = parse_pattern(source)
    assert to_text(tree) == printed
    assert parse_pattern(printed) == tree


@pytest.mark.parametrize(("source", "printed"), _pairs(STATEMENTS))
def test_a_statement_has_one_text(source, printed):
    program = parse(source)
    assert to_text(program) == to_text(program.statements[0]) == printed
    assert parse(printed) == program


DESIGN = """\
STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;

DEFINE denied AS status = 'denied';
DEFINE success AS status = 'success';

SUBSCRIBE intrusion FROM logins
MATCH   d1:[denied AND ip = $x] ;
        d2:[denied AND ip = $x] ;
        d3:[denied AND ip = $x] @ (t(d3) - t(d1) < 5 min) ;
        s:[success AND ip = $x]
WITHIN  1 hour
EMIT    $x AS ip, t(d1) AS first_denied, t(s) AS entered INTO alerts
PREDICT WITHIN 20 EVENTS ABOVE 0.8;"""


def test_the_example_of_the_design_is_laid_out_as_there():
    assert to_text(parse(DESIGN)) == DESIGN


ALL_CLAUSES = """\
SUBSCRIBE "every-clause" FROM asks, "select", bids
MATCH   a ; b
WHERE   x = 1
WITHIN  {window}
DUPLICATES FIRST
PAIRS   UNIQUE
LIMIT   3 PER $x
ACCEPT  POSSIBLY 0.5 NECESSARILY 0.1
COMBINE WITH weighted(0.3, 0.7)
EMIT    $x, t(a) AS "limit" INTO alerts
PREDICT WITHIN 10 min ABOVE 0.8
SINCE   TIMESTAMP '2026-01-31T12:00:00Z' ONLY NEW;"""


def test_clauses_are_printed_in_one_order():
    program = parse(ALL_CLAUSES.replace('"select"', "select"))
    assert to_text(program) == ALL_CLAUSES.replace('"select"', "select")
    head, *clauses = ALL_CLAUSES.rstrip(";").split("\n")
    assert to_text(parse("\n".join([head, *reversed(clauses)]))) == to_text(program)


def test_default_policies_are_not_printed():
    source = "SUBSCRIBE s MATCH a DUPLICATES ALL PAIRS ALL SINCE BEGINNING"
    assert to_text(parse(source)) == "SUBSCRIBE s\nMATCH   a\nSINCE   BEGINNING;"


def test_a_long_match_is_broken_after_its_loosest_operator_only():
    part = "[x = 1 AND y = 2 AND z = 3] , [x = 2 AND y = 3 AND z = 4]"
    assert to_text(parse(f"SUBSCRIBE s MATCH {part} ; {part} -> [v]")) == (
        f"SUBSCRIBE s\nMATCH   {part} ;\n        {part} -> [v];"
    )


def test_what_is_still_too_long_is_broken_inside():
    names = " AND ".join(f"attribute_{n} = {n}" for n in range(6))
    text = to_text(parse(f"SUBSCRIBE s MATCH a:[{names}] | b"))
    assert text.split("\n")[1:4] == [
        "MATCH   a:[attribute_0 = 0 AND",
        "           attribute_1 = 1 AND",
        "           attribute_2 = 2 AND",
    ]
    assert text.split("\n")[-2:] == ["           attribute_5 = 5] |", "        b;"]


def test_a_long_list_of_choices_fills_its_lines():
    numbers = ", ".join(map(str, range(1000, 1040)))
    lines = to_text(parse(f"DEFINE known AS x IN ({numbers})")).split("\n")
    assert [len(line) for line in lines] == [87, 87, 87, 64]
    assert lines[1].startswith(" " * len("DEFINE known AS x IN (") + "1011, ")


def test_a_long_emit_has_one_item_a_line():
    items = [f"a.attribute_{n} AS name_of_{n}" for n in range(4)]
    text = to_text(parse(f"SUBSCRIBE s MATCH a EMIT {', '.join(items)} INTO out"))
    assert text.split("EMIT    ")[1] == ",\n        ".join(items) + " INTO out;"


def test_blank_lines_stand_where_kinds_change_and_around_subscriptions():
    source = "DEFINE a AS x; DEFINE b AS y; SUBSCRIBE s MATCH a; SUBSCRIBE t MATCH b"
    assert to_text(parse(source)).split("\n") == [
        "DEFINE a AS x;", "DEFINE b AS y;", "",
        "SUBSCRIBE s", "MATCH   a;", "",
        "SUBSCRIBE t", "MATCH   b;",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("alert_{user}", "alert_{user}"),
        ("{user}", "{user}"),
        ("alert-{user}", '"alert-{user}"'),
        ("alert {user}", '"alert {user}"'),
        ("match", '"match"'),
        ("match{user}", '"match{user}"'),
        ("{user}5", '"{user}5"'),
    ],
)
def test_the_name_of_a_template_keeps_its_parameters(name, printed):
    quoted = name.replace('"', '""')
    program = parse(f'SUBSCRIBE "{quoted}" MATCH a; SUBSCRIBE "{quoted}" MATCH b')
    assert to_text(program.statements[0]).split("\n")[0] == f"SUBSCRIBE {printed}"
    assert parse(to_text(program)) == program


def test_parts_of_statements_have_a_text_too():
    texts = {
        "a[2]": EventReference("a", 2),
        "->{TRUE}": Link("->", Literal(value=True)),
        "5 min": Limit("time", Duration(300_000_000)),
        "1 EVENT": Limit("events", 1),
        "ip STRING": AttributeDeclaration("ip", Kind.STRING),
        "$x AS ip": EmitItem(Variable("x"), "ip"),
        "LIMIT {n} PER $x": MatchLimit(Parameter("n"), "x"),
        "COMBINE WITH min": Combine("min"),
        "PREDICT WITHIN 20 EVENTS ABOVE 0.8": Predict(Limit("events", 20), 0.8),
        "SINCE BEGINNING ONLY NEW": Since(None, only_new=True),
        "NECESSARILY 0.25": Thresholds(None, 0.25),
        "": Program(()),
    }
    assert {text: to_text(node) for text, node in texts.items()} == {text: text for text in texts}


def test_what_is_no_node_is_refused():
    with pytest.raises(ConfigurationError, match="str is no node of the syntax tree"):
        to_text("a ; b")
