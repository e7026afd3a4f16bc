"""What the checker finds out about a program, for the engines."""

from __future__ import annotations

import pickle

import pytest

from tocsin.errors import LanguageError
from tocsin.language.checker import Checked, check
from tocsin.language.parser import parse
from tocsin.language.tree import (
    Absence,
    Atom,
    Attribute,
    Comparison,
    Iteration,
    Link,
    Literal,
    Program,
    Sequence,
    Subscription,
)
from tocsin.model.event import Schema
from tocsin.model.values import Kind

INTRUSION = """
STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;

DEFINE denied  AS status = 'denied';
DEFINE success AS status = 'success';

SUBSCRIBE intrusion FROM logins
MATCH   d1:[denied  AND ip = $x] ;
        d2:[denied  AND ip = $x] ;
        d3:[denied  AND ip = $x] @ (t(d3) - t(d1) < 5 min) ;
        s:[success AND ip = $x]
WITHIN  1 hour
EMIT    $x AS ip, t(d1) AS first_denied, t(s) AS entered INTO alerts
PREDICT WITHIN 20 EVENTS ABOVE 0.8;
"""


def checked(text: str) -> Checked:
    return check(parse(text))


def test_the_example_of_the_design_is_understood() -> None:
    found = checked(INTRUSION)
    emitted = {"ip": Kind.STRING, "first_denied": Kind.TIMESTAMP, "entered": Kind.TIMESTAMP}
    assert found.facts[0].sources == ("logins",)
    assert found.facts[0].variables == {"x": Kind.STRING}
    assert found.facts[0].emitted == emitted
    assert found.schemas["logins"].time == "ts"
    assert found.schemas["alerts"] == Schema(emitted)
    assert found.derived == {"alerts": ("intrusion",)}
    assert found.default_stream == "logins"
    assert set(found.definitions) == {"denied", "success"}
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("SUBSCRIBE s MATCH [x = 1]", "default"),
        ("SUBSCRIBE s FROM rooms MATCH [x = 1]", "rooms"),
        ("SUBSCRIBE s FROM rooms MATCH [x = 1]; SUBSCRIBE r MATCH [x = 1]", "rooms"),
        ("SUBSCRIBE s FROM a, b MATCH [x = 1]; SUBSCRIBE r MATCH [x = 1]", "default"),
        ("SUBSCRIBE s MATCH a:rooms[x = 1]", "rooms"),
        ("SUBSCRIBE s MATCH rooms ; [x = 1]", "rooms"),
        ("STREAM rooms (x INTEGER); SUBSCRIBE s MATCH [x = 1]", "rooms"),
        ("STREAM a (x INTEGER); STREAM b (x INTEGER); SUBSCRIBE s FROM a MATCH [x = 1]", "default"),
        (
            "SUBSCRIBE s FROM a MATCH e:[x = 1] EMIT e.x INTO b; SUBSCRIBE r FROM b MATCH [x = 1]",
            "a",
        ),
        ("STREAM b (x INTEGER); SUBSCRIBE s MATCH e:[y = 1] EMIT e.y AS x INTO b", "default"),
    ],
)
def test_the_default_stream_is_the_only_one_that_events_come_in_by(text: str, default: str) -> None:
    found = checked(text)
    assert found.default_stream == default


def test_subscriptions_that_feed_a_stream_come_before_those_that_read_it() -> None:
    found = checked(
        "SUBSCRIBE third FROM b MATCH [x = 1];"
        "SUBSCRIBE second FROM a MATCH e:[x = 1] EMIT e.x INTO b;"
        "SUBSCRIBE other FROM a MATCH e:[x = 1] EMIT e.x INTO b;"
        "SUBSCRIBE first FROM raw MATCH e:[x = 1] EMIT e.x INTO a"
    )
    assert found.order == (3, 1, 2, 0)
    assert found.derived == {"b": ("second", "other"), "a": ("first",)}


def test_a_derived_stream_has_what_any_of_its_subscriptions_emits() -> None:
    found = checked(
        "STREAM s (x INTEGER, y FLOAT, z STRING);"
        "SUBSCRIBE a FROM s MATCH e:[x = 1] EMIT e.x AS n, e.z INTO d;"
        "SUBSCRIBE b FROM s MATCH e:[x = 2] EMIT e.y AS n, count(e) AS c INTO d;"
        "SUBSCRIBE r FROM d MATCH [n > 1.5 AND z = 'a' AND c = 1]"
    )
    kinds = {"n": Kind.FLOAT, "z": Kind.STRING, "c": Kind.INTEGER}
    assert found.schemas["d"].kinds == kinds


def test_a_union_has_a_type_only_where_its_streams_agree() -> None:
    found = checked(
        "STREAM a (x INTEGER, y STRING); STREAM b (x FLOAT, y INTEGER);"
        "SUBSCRIBE s FROM a, b MATCH e:[x = $x AND y = $y AND y > 5 AND y > 'a']"
    )
    assert found.facts[0].variables == {"x": Kind.FLOAT, "y": Kind.UNKNOWN}


def test_a_silence_keeps_its_variables() -> None:
    found = checked("SUBSCRIBE s MATCH !a:[ip = $x] FOR 5 min EMIT $x LIMIT 3 PER $x")
    assert found.facts[0].variables == {"x": Kind.UNKNOWN}


def test_the_parameters_of_a_template_are_known() -> None:
    found = checked(
        "DEFINE mine AS symbol = {symbol};"
        "SUBSCRIBE alert_{user} MATCH a:[mine AND price > {limit}] ; !b:[mine] FOR {pause} ; "
        "(c:[mine]{2} WITHIN {span}) WITHIN {window} LIMIT {count}"
    )
    names = ("count", "limit", "pause", "span", "symbol", "user", "window")
    assert found.facts[0].parameters == names


def test_the_kind_of_every_expression_is_known() -> None:
    found = checked(
        "STREAM s (i INTEGER, f FLOAT, ts TIMESTAMP, n STRING) TIME ts;"
        "SUBSCRIBE s MATCH a:[i = 1]{2} EMIT sum(a.i) AS sum_i, avg(a.i) AS avg_i,"
        "max(a.n) AS max_n, count(a) AS c, sum(a.i) / 2 AS half, sum(a.i) % 2 AS odd,"
        "-sum(a.f) AS minus,"
        "t(last(a)) - t(first(a)) AS took, duration() * 2 AS twice, duration() / 1 s AS seconds,"
        "t(a[1]) + 5 min AS later, length(first(a.n)) AS size, upper(first(a.n)) AS loud,"
        "count(a) > 1 AS many, min(count(a), 2.5) AS least, abs(duration()) AS span"
    )
    kinds = {name: kind.value for name, kind in found.facts[0].emitted.items()}
    assert kinds == {
        "sum_i": "INTEGER", "avg_i": "FLOAT", "max_n": "STRING", "c": "INTEGER", "half": "FLOAT",
        "odd": "INTEGER", "minus": "FLOAT", "took": "DURATION", "twice": "DURATION",
        "seconds": "FLOAT", "later": "TIMESTAMP", "size": "INTEGER", "loud": "STRING",
        "many": "BOOLEAN", "least": "FLOAT", "span": "DURATION",
    }  # fmt: skip


def test_all_problems_come_at_once_in_the_order_of_the_text() -> None:
    with pytest.raises(LanguageError) as caught:
        checked(
            "SUBSCRIBE r FROM d MATCH [z = 1];\n"
            "SUBSCRIBE s FROM a MATCH e:[x > $y] EMIT e.x INTO d;\n"
            "DEFINE wrong AS 'text';\n"
        )
    problems = caught.value.problems
    assert [problem.line for problem in problems] == [1, 2, 3]
    assert "unknown attribute 'z'" in problems[0].what


def test_an_error_survives_the_way_to_another_process() -> None:
    with pytest.raises(LanguageError) as caught:
        checked("SUBSCRIBE s MATCH [x > $y AND x > $z]")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert len(again.problems) == 2


def test_an_unknown_attribute_is_no_reason_for_further_errors() -> None:
    with pytest.raises(LanguageError) as caught:
        checked("STREAM s (x INTEGER); SUBSCRIBE s MATCH [lower(y) + 1 > 'a' AND y]")
    assert len(caught.value.problems) == 3  # y twice, and a string in a sum


def test_no_more_than_twenty_problems_are_told() -> None:
    filters = " AND ".join(f"y{number} = 1" for number in range(50))
    with pytest.raises(LanguageError) as caught:
        checked(f"STREAM s (x INTEGER); SUBSCRIBE s MATCH [{filters}]")
    assert len(caught.value.problems) == 20


def test_a_program_without_a_text_gets_one_for_its_messages() -> None:
    atom = Atom("a", Comparison("=", Attribute("x"), Literal(1)))
    program = Program((Subscription("built", Sequence((atom, Absence(atom)), (Link(";"),))),))
    with pytest.raises(LanguageError) as caught:
        check(program)
    twice, endless = caught.value.problems
    assert "the alias 'a' is given twice" in twice.what + endless.what
    assert "!a:[x = 1]" in caught.value.source
    assert caught.value.source[caught.value.column - 1] in "!a"


def test_a_program_without_a_text_is_returned_with_its_warnings() -> None:
    atom = Atom("a", Comparison("=", Attribute("x"), Literal(1)))
    program = Program((Subscription("built", Iteration(atom, 1, None)),))
    found = check(program)
    assert found.program is program
    assert "a:[x = 1]+" in found.warnings[0].source


def test_a_duplicate_in_a_program_without_a_text_is_found() -> None:
    subscription = Subscription("built", Atom("a", Literal(True)))
    with pytest.raises(LanguageError, match="'built' is there twice"):
        check(Program((subscription, Subscription("built", Atom("b", Literal(True))))))


@pytest.mark.parametrize(
    "pattern",
    [
        "a:[x = 1]+ WITHIN 5 min",
        "(a:[x = 1]+ WITHIN 5 min)",
        "a:[x = 1]{1,100}",
        "a:[x = 1]+ UNTIL (x = 2)",
        "(a:[x = 1]+ ; b:[x = 2])* UNTIL (x = 3) ; c:[x = 4]",
        "a:[x = 1] ; !b:[x = 2]+ ; c:[x = 3]",
    ],
)
def test_a_bounded_iteration_gets_no_warning(pattern: str) -> None:
    assert checked(f"SUBSCRIBE s MATCH {pattern}").warnings == ()
