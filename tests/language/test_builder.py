"""What Python code builds is what text says, for every form."""

from __future__ import annotations

import datetime as dt
import enum
import math

import numpy as np
import pytest

from tocsin.language import builder as b
from tocsin.language.parser import parse, parse_expression, parse_pattern
from tocsin.language.tree import Atom, Link, Literal
from tocsin.model.values import Duration, Kind, Timestamp

a, x = b.attr, b.var("x")
denied = b.define("denied", a.status == "denied")
asks = b.stream("asks", {"ts": "timestamp", "price": float}, time="ts")


class Status(str, enum.Enum):  # noqa: UP042 - its str() is not its value
    OPEN = "open"


EXPRESSIONS = {
    "price = 10": a.price == 10,
    "price != 1.5": a.price != 1.5,
    "price < $x": a.price < x,
    "price <= {limit}": a.price <= b.param("limit"),
    "10 < price": b.literal(10) < a.price,
    "price > 10": 10 < a.price,  # noqa: SIM300 - that is what is tested
    "price >= -3": a.price >= -3,
    '"job-name" = \'A\'': a["job-name"] == "A",
    "status = 'open'": a.status == Status.OPEN,
    "flag = TRUE": a.flag == True,  # noqa: E712 - that is how it is written
    "price = 2": a.price == np.int64(2),
    "price = 2.5": a.price == np.float64(2.5),
    "a AND b AND c": a.a & a.b & a.c,
    "a AND (b AND c)": a.a & (a.b & a.c),
    "(a AND b) AND c": b.all_of(b.all_of(a.a, a.b), a.c),
    "a OR b OR c": a.a | a.b | a.c,
    "(a OR b) OR c": b.any_of(b.any_of(a.a, a.b), a.c),
    "denied AND TRUE": a.denied & True,
    "TRUE OR denied": True | a.denied,
    "denied AND price > 1": b.all_of(denied, a.price > 1),
    "NOT a = 1": ~(a.a == 1),
    "NOT (a OR b)": b.not_(a.a | a.b),
    "a + b - c": a.a + a.b - a.c,
    "a * 2 / 3 % 4": a.a * 2 / 3 % 4,
    "1 + 2 * a": 1 + 2 * a.a,
    "1 - a": 1 - a.a,
    "1 / a": 1 / a.a,
    "1 % a": 1 % a.a,
    "-a": -a.a,
    "-3 + a": -b.literal(3) + a.a,
    "-5 min + t(a)": -b.interval("5 min") + b.t("a"),
    "x BETWEEN 1 AND 2": a.x.between(1, 2),
    "x NOT BETWEEN 1 AND 2": a.x.between(1, 2, negated=True),
    "x IN (1, $x)": a.x.is_in([1, x]),
    "x NOT IN ('a')": a.x.is_in(("a",), negated=True),
    "ip IN CIDR '10.0.0.0/8'": a.ip.in_cidr("10.0.0.0/8"),
    "ip NOT IN CIDR {net}": a.ip.in_cidr(b.param("net"), negated=True),
    "x IS PRESENT": a.x.is_present(),
    "x IS MISSING": a.x.is_missing(),
    "s CONTAINS 'y'": a.s.contains("y"),
    "s NOT STARTS WITH 'y'": a.s.starts_with("y", negated=True),
    "s ENDS WITH $x": a.s.ends_with(x),
    "s LIKE 'y%'": a.s.like("y%"),
    "s MATCHES '^y'": a.s.matches("^y"),
    "s NOT MATCHES '^y'": a.s.matches("^y", negated=True),
    "rent IS cheap": a.rent.is_("cheap"),
    "age IS NOT very old POSSIBLY 0.6 NECESSARILY 0.2": a.age.is_(
        "very", "old", negated=True, possibly=0.6, necessarily=0.2
    ),
    'age IS somewhat very "very"': a.age.is_("somewhat", "very", "very"),
    "a.price": b.ref("a").price,
    'a."job-name"': b.ref("a")["job-name"],
    "a[2].price": b.ref("a")[2].price,
    "first(a.price)": b.first("a").price,
    "last(a.price)": b.last("a")["price"],
    "prev(a.price)": b.prev(b.event("a")).price,
    "t(a) - begin(b) < 5 min": b.t("a") - b.begin("b") < "5 min",
    "end(first(a)) > TIMESTAMP '2026-01-31T00:00:00Z'": b.end(b.first("a")) > "2026-01-31",
    "t(a[2]) BETWEEN t(a) + 1 s AND t(a) + 2 s": b.t(b.ref("a")[2]).between(
        b.t("a") + "1 s", b.t("a") + dt.timedelta(seconds=2)
    ),
    "duration() < 90 min": b.duration() < "1h30m",
    "duration() * 2 IN (5 s, 10 s)": (b.duration() * 2).is_in(["5 s", "10 s"]),
    "waited > 5 min": a.waited > b.interval("5 min"),
    "seen > TIMESTAMP '1970-01-01T00:00:01Z'": a.seen > b.moment(1000),
    "seen = TIMESTAMP '2026-01-31T12:00:00Z'": a.seen
    == dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC),
    "seen != TIMESTAMP '2026-01-31T00:00:00Z'": a.seen != dt.date(2026, 1, 31),
    "count(a) > 3": b.count("a") > 3,
    "sum(a.x) + avg(a.x)": b.sum(b.ref("a").x) + b.avg(b.ref("a").x),
    "min(a.x) - max(a.x)": b.min(b.ref("a").x) - b.max(b.ref("a").x),
    "min(1, x) - max(x, 2, 3)": b.min(1, a.x) - b.max(a.x, 2, 3),
    "abs(x) + length(lower(s)) + length(upper(s))": (
        b.abs(a.x) + b.length(b.lower(a.s)) + b.length(b.upper(a.s))
    ),
    "abs(t(a) - t(b)) < 1 s": b.abs(b.t("a") - b.t("b")) < "1 s",
    "price > 10 AND x = 1": b.expression("price > 10") & (a.x == 1),
}  # fmt: skip

p, q, r = b.named("p"), b.named("q"), b.named("r")
PATTERNS = {
    "a:[x = 1]": b.event("a", a.x == 1),
    "[x = 1]": b.event(a.x == 1),
    "[TRUE]": b.event(),
    "a:[TRUE]": b.event("a"),
    "a:[x = 1 AND y = 'z' AND ip = $x]": b.event("a", x=1, y="z", ip=x),
    "a:[denied AND ip = $x]": b.event("a", denied, ip=x),
    "a:[x AND y AND z AND s IN ('u', 'v')]": b.event("a", a.x & a.y, a.z, s=["u", "v"]),
    "a:[x AND (y AND z)]": b.event("a", a.x & (a.y & a.z)),
    "a:asks[price > 3]": b.event("a", a.price > 3).of_stream("asks"),
    "asks[price > 3]": b.event(a.price > 3).of_stream(asks),
    "denied": b.named(denied),
    "d:denied": b.named("denied", alias="d"),
    "p , q": b.then_next(p, q),
    "p , asks": b.then_next("p", asks),
    "p -> q -> r": p >> q >> r,
    "p -> (q -> r)": p >> (q >> r),
    "(p -> q) -> r": b.then_first(b.then_first(p, q), r),
    "p -> q": "p" >> q,
    "p ->{x > 0} q ->{x > 0} r": b.then_first(p, q, r, when=a.x > 0),
    "p ->{x} q -> r": b.sequence(p, b.link("->", a.x), q, "->", r),
    "p ; q ; r": b.then_any(p, q, r),
    "p ; q , r": b.then_any(p, b.then_next(q, r)),
    "p & q & r": p & q & r,
    "p & (q & r)": b.in_any_order(p, b.in_any_order(q, r)),
    "p | q | r": "p" | q | "r",
    "(p | q) | r": b.either(b.either(p, q), r),
    "p & q": "p" & q,
    "p{3}": p.times(3),
    "p{2,5} BY ,": p.times(2, 5, by=","),
    "p{2,} BY ;": p.at_least(2, by=";"),
    "p+ BY ->{x} UNTIL (y = 1)": p.one_or_more(by=b.link("->", a.x), until=a.y == 1),
    "p*": p.any_number(),
    "p?": p.optional(),
    "(p+)+": p.one_or_more().one_or_more(),
    "p @ (x = 1) @ (y = 2)": p.where(a.x == 1).where(a.y == 2),
    "(p WITHIN 5 min)": p.within("5 min"),
    "(p WITHIN 20 EVENTS)": p.within("20 Events"),
    "(p WITHIN 1 EVENT)": p.within(b.events(1)),
    "(p WITHIN {n} EVENTS)": p.within(b.events(b.param("n"))),
    "(p WITHIN {window})": p.within(b.param("window")),
    "(p WITHIN 1 s)": p.within(dt.timedelta(seconds=1)),
    "p ; !q ; r": b.then_any(p, ~q, r),
    "p ; !q FOR 10 min": b.then_any(p, q.absent("10 min")),
    "!q FOR 10 min EVERY {again}": b.absent("q", "10 min", every=b.param("again")),
    "nth(3, p ; q)": b.nth(3, b.then_any(p, q)),
    "repeat(p, 3, n, 1)": b.repeat(p, 3, "n", 1),
    "repeat((p ; q), 3, n, -1.5) BY &": b.repeat(b.then_any(p, q), 3, "n", -1.5, by="&"),
    "repeat(p, 3, n, 5 min) BY ->{x}": b.repeat(p, 3, "n", "5 min", by=b.link("->", a.x)),
    "a:[x = 1] ; b:[y = a.x]": b.pattern("a:[x = 1] ; b:[y = a.x]"),
}  # fmt: skip

STATEMENTS = {
    "STREAM asks (ts TIMESTAMP, price FLOAT) TIME ts": asks,
    "STREAM s (a STRING, b INTEGER, c BOOLEAN, d TIMESTAMP)": b.stream(
        "s", {"a": str, "b": Kind.INTEGER, "c": bool, "d": dt.datetime}
    ),
    "DEFINE denied AS status = 'denied'": denied,
    "FUZZY cheap ON rent AS trapezoid(-inf, -inf, 1200, 1500)": b.fuzzy(
        "cheap", -math.inf, -math.inf, 1200, 1500, on="rent", shape="Trapezoid"
    ),
    "SUBSCRIBE s MATCH p": b.subscribe("s", p),
    "SUBSCRIBE alert_{user} MATCH [price > {limit}] LIMIT {most}": b.subscribe(
        "alert_{user}", b.event(a.price > b.param("limit")), limit=b.param("most")
    ),
    """SUBSCRIBE s FROM asks, bids MATCH a:p WHERE a.x = 1 WITHIN 5 min
       DUPLICATES FIRST PAIRS UNIQUE LIMIT 3 PER $x ACCEPT POSSIBLY 0.5 NECESSARILY 0.1
       COMBINE WITH min EMIT $x AS ip, 'hi' AS said INTO out PREDICT WITHIN 20 EVENTS ABOVE 0.8
       SINCE TIMESTAMP '2026-01-31T00:00:00Z' ONLY NEW""": b.subscribe(
        "s",
        b.named("p", alias="a"),
        source=[asks, "bids"],
        where=b.ref("a").x == 1,
        within="5 min",
        duplicates="first",
        pairs="UNIQUE",
        limit=3,
        per=x,
        accept=b.accept(possibly=0.5, necessarily=0.1),
        combine="min",
        emit={"ip": x, "said": "hi"},
        into="out",
        predict=b.predict(within="20 events", above=0.8),
        since=b.since("2026-01-31", only_new=True),
    ),
    """SUBSCRIBE s FROM asks MATCH p EMIT $x, t(p) AS at COMBINE WITH weighted(0.3, 0.7)
       SINCE BEGINNING""": (
        b.subscribe(
            "s", p, source="asks", emit=[x, b.t(p).named("at")],
            combine=b.weighted(0.3, 0.7), since="beginning",
        )
    ),
    "SUBSCRIBE s MATCH p SINCE TIMESTAMP '2026-01-31T00:00:00Z' LIMIT 2 PER $y": b.subscribe(
        "s", p, since=dt.date(2026, 1, 31), limit=2, per="y"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_is_built_as_it_is_written(text):
    assert EXPRESSIONS[text].tree == parse_expression(text)


@pytest.mark.parametrize("text", PATTERNS)
def test_a_pattern_is_built_as_it_is_written(text):
    assert PATTERNS[text].tree == parse_pattern(text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_built_as_it_is_written(text):
    assert STATEMENTS[text].tree == parse(text).statements[0]


def test_a_program_holds_statements_and_other_programs():
    first = b.program(asks, denied)
    whole = b.program(first, b.subscribe("s", denied), parse("DEFINE z AS x"))
    assert [statement.name for statement in whole.statements] == ["asks", "denied", "s", "z"]
    assert b.from_text(whole.to_text()) == whole


def test_the_example_of_the_design_is_built():
    d1, d2, d3 = (b.event(name, denied, ip=x) for name in ("d1", "d2", "d3"))
    s = b.event("s", a.success, ip=x)
    subscription = b.subscribe(
        "intrusion",
        b.then_any(d1, d2, d3.where(b.t(d3) - b.t(d1) < "5 min"), s),
        source="logins",
        within="1 hour",
        emit={"ip": x, "first_denied": b.t(d1), "entered": b.t(s)},
        into="alerts",
        predict=b.predict(within="20 events", above=0.8),
    )
    text = """
        SUBSCRIBE intrusion FROM logins
        MATCH   d1:[denied  AND ip = $x] ; d2:[denied  AND ip = $x] ;
                d3:[denied  AND ip = $x] @ (t(d3) - t(d1) < 5 min) ; s:[success AND ip = $x]
        WITHIN  1 hour
        EMIT    $x AS ip, t(d1) AS first_denied, t(s) AS entered INTO alerts
        PREDICT WITHIN 20 EVENTS ABOVE 0.8;"""
    assert subscription.tree == parse(text).subscriptions[0]
    assert parse(str(subscription)).subscriptions[0] == subscription.tree


def test_an_event_is_named_by_its_alias_its_name_or_the_part_that_has_it():
    atom = b.event("a", a.x == 1)
    parts = ["a", atom, atom.where(a.y), atom.one_or_more(), atom.within("5 min"), b.named("a")]
    assert {b.t(part).to_text() for part in parts} == {"t(a)"}
    assert {b.ref(part).y.to_text() for part in parts} == {"a.y"}
    assert atom["y"].to_text() == "a.y"
    assert atom.one_or_more()[2]["y"].to_text() == "a[2].y"


def test_constants_are_stored_as_plain_values():
    assert b.literal(np.float64(1.0)).tree == Literal(1.0)
    assert type(b.literal(np.float64(1.0)).tree.value) is float
    assert type(b.literal(Status.OPEN).tree.value) is str
    assert b.literal(np.bool_(True)).tree == Literal(value=True)
    assert b.literal(Duration(5)).tree == Literal(Duration(5))
    assert b.literal(Timestamp(5)).tree == Literal(Timestamp(5))


def test_what_was_built_is_frozen_hashable_and_shows_its_text():
    built = a.x == 1
    with pytest.raises(AttributeError):
        built.tree = Literal(1)
    assert hash(built) == hash((a.x == 1).tree)
    assert {p, b.named("p")} == {p}
    assert repr(built) == "BuiltExpression(x = 1)"
    assert str(p >> q) == "p -> q"
    assert repr(b.wrap(Link(";"))) == "Built(;)"


def test_raw_trees_can_be_given_too():
    assert (a.x == Literal(1)).tree == (a.x == 1).tree
    assert b.then_any(Atom(name="p"), q).tree == b.then_any(p, q).tree
    assert b.t(b.wrap(b.first("a").tree)).to_text() == "t(first(a))"
