"""Programs that look doubtful and are right: the checker says nothing."""

from __future__ import annotations

import pytest

from tocsin.language.checker import check
from tocsin.language.parser import parse

STREAM = """
STREAM trades (ts TIMESTAMP, symbol STRING, price FLOAT, volume INTEGER, open BOOLEAN) TIME ts;
STREAM news (ts TIMESTAMP, symbol STRING, title STRING) TIME ts;
DEFINE dear AS price > 100;
DEFINE same AS symbol = $s;
DEFINE dear_and_same AS dear AND same;
FUZZY cheap ON price AS trapezoid(-inf, -inf, 10, 20);
FUZZY small ON volume AS left(5, 10);
"""

PATTERNS = {
    "own alias in its own filter": "a:[price > 1] ; b:[t(b) - t(a) < 5 min AND b.price > a.price]",
    "alias of the same repetition": "(a:[price > 1] ; b:[price > a.price]){2,3}",
    "alias around an iteration": "a:[price > 1] ; (b:[price > a.price] , c:[price > b.price]){2}",
    "alias of an outer repetition": "(a:[price > 1] ; b:[price > a.price]{2,3}){2}",
    "an optional alias": "a:[price > 1]? ; b:[price > a.price]",
    "an alias that is iterated once": "a:[price > 1]{1} ; b:[price > a.price]",
    "previous repetitions of itself": "a:[price > prev(a.price) OR count(a) = 0]{2,5}",
    "previous repetitions of a later part": "(a:[price > prev(b.price)] ; b:[price > 1]){2,5}",
    "previous repetitions around": "(a:[price > 1] ; (b:[price > prev(c.price)]{2} ; c:[open])){2}",
    "a first repetition of another branch": "(a:[open] | a:[price > prev(a.price)]){2,5}",
    "a sum of no repetitions": "a:[price > sum(a.price) AND NOT (price < prev(a.price))]{2,5}",
    "nothing before": "a:[prev(a.price) IS MISSING OR price IN (first(a.price), 3)]{2,5}",
    "a range of one number": "a:[price >= 5 AND price <= 5 AND price != 4 AND volume < 5]",
    "bounds of different events": "a:[price > 5] ; b:[price < 3] @ (a.price > 7 AND b.price < 2)",
    "alternatives": "a:[price > 5 AND (price < 3 OR open)] ; b:[NOT (price > 5) AND price > 6]",
    "all repetitions afterwards": "a:[price > 1]{2,5} ; b:[price > avg(a.price) + a[2].price]",
    "the end of an iteration": "a:[price > 1]+ UNTIL (price < last(a.price))",
    "between repetitions": "a:[price > 1]{2,5} BY ->{symbol = last(a.symbol)}",
    "the condition of an arrow": "a:[symbol = $s] ->{symbol = $s AND price > a.price} b:[open]",
    "a variable of one event only": "a:[price = $p AND volume < $p]",
    "a variable of a variable": "a:[price = $p AND $q = $p] ; b:[price > $q]",
    "a variable by a definition": "a:same ; b:[price = 1 AND same] ; c:[symbol != $s]",
    "a variable by a nested definition": "a:dear_and_same ; b:[symbol != $s]",
    "a definition under NOT": "a:[symbol = $s] ; b:[NOT same]",
    "a number for a whole number": "a:[price = $p] ; b:[volume = $p]",
    "an alias of both branches": "(a:[price > 1] | a:[volume > 1]) ; b:[price > a.price]",
    "names of one branch": "(a:[symbol = $s] | b:[open]) ; c:[price > a.price OR symbol = $s]",
    "a condition behind both sides": "(a:[price > 1] & b:[price > 2]) @ (a.price > b.price)",
    "a variable on both sides": "a:[symbol = $s] & b:[symbol = $s]",
    "a definition several times": "dear ; dear ; dear",
    "a definition in two branches": "(dear | dear) @ (dear.price > 1)",
    "a stream as atom": "trades ; n:news ; a:news[title CONTAINS 'up'] @ (n.title = a.title)",
    "what the merge of the streams has": "a:[title = 'up'] ; b:[price > 1]",
    "an absence with its own variable": "a:[open] ; !(b:[price = $p] ; [price > $p]) ; c:[open]",
    "an absence with a bound variable": "a:same ; !b:[same AND price > a.price] ; c:[open]",
    "two absences": "a:[price > 1] ; !b:[price > 2] ; !c:[price > 3] ; d:[open]",
    "an absence next": "a:[price > 1] , !b:[price > 2] -> c:[open]",
    "an absence next and later": "a:[price > 1] , !b:[price > 2] -> !c:[price > 3] -> d:[open]",
    "a longer sequence with an absence next": "o:[open] -> (a:[price > 1] , !b:[open] ; c:[open])",
    "a leading absence with variables": "!a:[symbol = $s] ; b:[symbol = $s]",
    "a leading absence for a while": "!a:[symbol = $s] FOR 5 min ; b:[symbol = $s]",
    "an absence for a while": "a:[symbol = $s] ; !b:[symbol = $s] FOR 5 min ; c:[symbol = $s]",
    "an absence at the end": "a:[symbol = $s] ; !b:[symbol = $s AND price > a.price] FOR 5 min",
    "an absence inside an absence": "a:[open] ; !(b:[open] ; !c:[price > 1] ; d:[open]) ; e:[open]",
    "a local variable twice": "a:[open] ; !b:[symbol = $s] ; c:[open] ; !d:[price = $s] ; e:dear",
    "silence": "!a:[symbol = $s] FOR 5 min EVERY 5 min",
    "the third": "a:[open] ; nth(3, b:[price > a.price])",
    "the first after an arrow": "a:[open] -> nth(1, b:[price > a.price])",
    "the second of a sequence": "nth(2, a:[open] , b:[open]) -> c:[open]",
    "a growing attribute": "repeat(a:[open], 3, price, 0.5) ; b:[price > last(a.price)]",
    "a growing time in any order": "repeat(a:[open], 3, ts, 5 min) BY &",
    "a window around an iteration": "(a:[open]+ WITHIN 5 min)",
    "a repeated part that can be empty": "(a:[open]?){2} ; b:[open]",
    "vague predicates": "[price IS NOT very cheap POSSIBLY 0.5 AND volume IS small]",
    "a difference of attributes": "[price-volume > 5]",
    "times": "[ts - TIMESTAMP '2026-01-31' > 5 min AND ts + 2 * 5 min > ts]",
    "rates": "a:[open] ; b:[open] @ (b.price / ((t(b) - t(a)) / 1 s) > 3)",
    "Booleans": "[open = (price > 1) AND open IN (TRUE) AND (open OR NOT open)]",
    "parameters": "[price > {limit} AND symbol LIKE {like} AND symbol IN CIDR {net}]",
    "texts": "[lower(symbol) STARTS WITH 'a' AND length(symbol) BETWEEN 1 AND 3]",
    "largest and smallest": "[max(price, volume, 1) > min(1, 2.5)]",
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_a_right_pattern_is_accepted_without_a_word(pattern: str) -> None:
    checked = check(parse(f"{STREAM} SUBSCRIBE s FROM trades, news MATCH {pattern}"))
    assert checked.warnings == ()


FREE = {
    "any attribute of any type": "a:[x > 5 AND x = 'text' AND x + 1 < y] ; b:[x = a.z]",
    "any attribute as a condition": "[x AND NOT y]",
    "a variable": "a:[x = $x AND y > $x] ; b:[z = $x]",
    "times": "a:[ts > TIMESTAMP '2026-01-31'] ; b:[ts - a.ts < 5 min]",
    "functions": "a:[lower(x) = 'a' AND abs(x) > 1]{2,3} @ (sum(a.x) > 3 AND min(a.x) = 'a')",
}


@pytest.mark.parametrize("pattern", FREE.values(), ids=FREE)
def test_a_schema_free_stream_has_no_type_errors(pattern: str) -> None:
    assert check(parse(f"SUBSCRIBE s MATCH {pattern}")).warnings == ()


CLAUSES = [
    "WITHIN 5 min",
    "WITHIN 20 EVENTS",
    "WITHIN {window} LIMIT {count} PER $s",
    "WHERE t(b) - t(a) < 5 min AND b.price > a.price AND duration() > 1 s",
    "DUPLICATES LAST PAIRS UNIQUE LIMIT 3",
    "EMIT $s, a.price, b.price AS later, a.price > b.price AS falls, t(a) AS since",
    "EMIT a.price INTO alerts SINCE BEGINNING ONLY NEW",
    "ACCEPT POSSIBLY 1 NECESSARILY 0 COMBINE WITH weighted(0.3, 1)",
    "PREDICT WITHIN 20 EVENTS ABOVE 0.8",
]


@pytest.mark.parametrize("clauses", CLAUSES)
def test_right_clauses_are_accepted_without_a_word(clauses: str) -> None:
    pattern = "a:[symbol = $s AND price > 1] ; b:[symbol = $s]"
    text = f"{STREAM} SUBSCRIBE s_{{user}} FROM trades MATCH {pattern} {clauses}"
    assert check(parse(text)).warnings == ()
