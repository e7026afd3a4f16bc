"""Filters on one event: comparisons, two-valued logic, arithmetic, text, networks, times."""

from typing import Any

import pytest

import tocsin

LARGEST = 2**63 - 1
NAN = float("nan")


def holds(condition: str, **values: Any) -> bool:
    """Say whether an event with these values satisfies a filter."""
    row = {"ts": 0, **values}
    return len(tocsin.match([row], f"SUBSCRIBE s MATCH [{condition}]")) == 1


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("a = 1", 1),
        ("a != 1", 2),
        ("a <> 1", 2),
        ("a < 1", 0),
        ("a <= 1", 1),
        ("a > 1", 2),
        ("a >= 1", 1),
        ("1 < a", 2),
        ("a BETWEEN 1 AND 3", 1),
        ("a BETWEEN 1 AND 3", 3),
        ("a NOT BETWEEN 1 AND 3", 4),
        ("a IN (1, 2)", 2),
        ("a NOT IN (1, 2)", 3),
        ("a IS PRESENT", 0),
        ("a = 'x'", "x"),
        ("a < 'y'", "x"),
        ("a = 'it''s'", "it's"),
        ("a = TRUE", True),
        ("a = 1", 1.0),
        ("a = 1.0", 1),
        ("a = 1e3", 1000),
        ("a = -1", -1),
    ],
)
def test_a_comparison_holds(condition: str, value: object) -> None:
    assert holds(condition, a=value)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("a = 1", 2),
        ("a != 1", 1),
        ("a < 1", 1),
        ("a <= 1", 2),
        ("a > 1", 1),
        ("a >= 1", 0),
        ("a BETWEEN 1 AND 3", 0),
        ("a BETWEEN 1 AND 3", 4),
        ("a BETWEEN 3 AND 1", 2),
        ("a NOT BETWEEN 1 AND 3", 3),
        ("a IN (1, 2)", 3),
        ("a NOT IN (1, 2)", 1),
        ("a IS MISSING", 0),
        ("a = 'x'", "X"),
    ],
)
def test_a_comparison_does_not_hold(condition: str, value: object) -> None:
    assert not holds(condition, a=value)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("a = 1", "1"),
        ("a != 1", "1"),
        ("a < 1", "0"),
        ("a = 1", True),
        ("a != 1", True),
        ("a = TRUE", 1),
        ("a = 'x'", 1),
        ("a IN (1, 2)", "1"),
        ("a NOT IN (1, 2)", "1"),
        ("a BETWEEN 0 AND 9", "5"),
        ("a NOT BETWEEN 0 AND 9", "5"),
        ("a CONTAINS '1'", 1),
        ("a NOT CONTAINS '1'", 2),
        ("a LIKE '1'", 1),
    ],
)
def test_a_comparison_of_different_kinds_is_false_either_way(condition: str, value: object) -> None:
    assert not holds(condition, a=value)


@pytest.mark.parametrize("value", [None, NAN], ids=["null", "NaN"])
@pytest.mark.parametrize(
    "comparison",
    [
        "a = 1",
        "a != 1",
        "a < 1",
        "a <= 1",
        "a > 1",
        "a >= 1",
        "a = a",
        "a BETWEEN 0 AND 9",
        "a NOT BETWEEN 0 AND 9",
        "a IN (1, 2)",
        "a NOT IN (1, 2)",
        "a CONTAINS 'x'",
        "a NOT CONTAINS 'x'",
        "a NOT LIKE 'x%'",
        "a NOT MATCHES 'x'",
        "a IN CIDR '10.0.0.0/8'",
        "a NOT IN CIDR '10.0.0.0/8'",
        "a + 1 = 2",
        "a IS PRESENT",
    ],
)
def test_a_comparison_with_a_missing_value_is_false_and_not_of_it_is_true(
    comparison: str, value: float | None
) -> None:
    assert not holds(comparison, a=value)
    assert holds(f"NOT ({comparison})", a=value)


def test_an_attribute_that_is_not_there_is_missing() -> None:
    assert holds("a IS MISSING")
    assert holds("NOT (a = 1)")
    assert not holds("a != 1")
    assert not holds("a < 1 OR a >= 1")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x = 1 OR x = 2 AND y = 9", True),
        ("(x = 1 OR x = 2) AND y = 9", False),
        ("NOT x = 2 AND y = 0", True),
        ("NOT (x = 2 AND y = 0)", True),
        ("NOT (x = 1 AND y = 0)", False),
        ("NOT NOT x = 1", True),
    ],
)
def test_not_binds_tighter_than_and_and_that_than_or(condition: str, *, expected: bool) -> None:
    assert holds(condition, x=1, y=0) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "a + b * 2 = 13",
        "(a + b) * 2 = 20",
        "a - b - 1 = 3",
        "a / 2 = 3.5",
        "a % b = 1",
        "-a = -7",
        "a - -b = 10",
        "a * 1.5 = 10.5",
        "abs(b - a) = 4",
        "min(a, b) = 3",
        "max(a, b, 9) = 9",
        "b / b = 1",
    ],
)
def test_arithmetic(condition: str) -> None:
    assert holds(condition, a=7, b=3)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("a + 1", {}),
        ("-a", {}),
        ("abs(a)", {}),
        ("min(a, b)", {"b": 1}),
        ("length(a)", {}),
        ("a / 0", {"a": 1}),
        ("a % 0", {"a": 1}),
        ("a / b", {"a": 1.0, "b": 0.0}),
        ("a + b", {"a": 1, "b": "x"}),
        ("a * b", {"a": "x", "b": 2}),
        ("a + b", {"a": 1, "b": True}),
        ("abs(a)", {"a": "x"}),
        ("lower(a)", {"a": 1}),
        ("a + 1", {"a": LARGEST}),
        ("a * 2", {"a": 2**62}),
        ("-a", {"a": -(2**63)}),
        ("abs(a)", {"a": -(2**63)}),
        ("a - a", {"a": float("inf")}),
        ("a + b", {"a": NAN, "b": 1}),
        ("min(a, b)", {"a": 1, "b": "x"}),
    ],
)
def test_arithmetic_without_a_result_is_missing(expression: str, values: dict[str, Any]) -> None:
    assert holds(f"({expression}) IS MISSING", **values)
    assert not holds(f"({expression}) IS PRESENT", **values)


def test_integers_reach_to_64_bits() -> None:
    assert holds(f"a = {LARGEST}", a=LARGEST)
    assert holds("a - 1 < a", a=LARGEST)
    assert holds("a + 1 IS PRESENT", a=LARGEST - 1)


def test_division_gives_a_float() -> None:
    notifications = tocsin.match(
        [{"ts": 0, "a": 6}], "SUBSCRIBE s MATCH x:[a = 6] EMIT x.a / 3 AS third"
    )
    assert notifications[0].emit == {"third": 2.0}
    assert isinstance(notifications[0].emit["third"], float)


@pytest.mark.parametrize(
    "condition",
    [
        "s CONTAINS 'bra'",
        "s CONTAINS ''",
        "s STARTS WITH 'Abra'",
        "s ENDS WITH 'dabra'",
        "s LIKE 'A%a'",
        "s LIKE 'Abracadabr_'",
        "s LIKE '%cad%'",
        "s NOT LIKE 'abra%'",
        "s NOT LIKE 'Abra'",
        "s NOT CONTAINS 'xyz'",
        "s NOT STARTS WITH 'bra'",
        "s NOT ENDS WITH 'Abra'",
        "s MATCHES '^Abra.*bra$'",
        "s NOT MATCHES '^x+$'",
        "lower(s) = 'abracadabra'",
        "upper(s) = 'ABRACADABRA'",
        "length(s) = 11",
        "s CONTAINS part",
    ],
)
def test_a_text_operator_holds(condition: str) -> None:
    assert holds(condition, s="Abracadabra", part="cada")


@pytest.mark.parametrize(
    "condition",
    [
        "s CONTAINS 'BRA'",
        "s STARTS WITH 'bra'",
        "s ENDS WITH 'Abra'",
        "s LIKE 'Abra'",
        "s LIKE 'Abracadabra_'",
        "s LIKE 'A.*'",
        "s MATCHES '^x+$'",
        "s NOT MATCHES '^Abra.*$'",
        "s CONTAINS other",
        "s NOT CONTAINS other",
    ],
)
def test_a_text_operator_does_not_hold(condition: str) -> None:
    assert not holds(condition, s="Abracadabra", part="cada")


def test_in_like_only_percent_and_underscore_are_special() -> None:
    assert holds("s LIKE 'a.b'", s="a.b")
    assert not holds("s LIKE 'a.b'", s="axb")
    assert holds("s LIKE '(%)'", s="(x)")
    assert holds("s LIKE 'a_b'", s="a\nb")


@pytest.mark.parametrize(
    ("network", "address", "expected"),
    [
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "10.255.255.255", True),
        ("10.0.0.0/8", "11.0.0.0", False),
        ("192.168.1.7/32", "192.168.1.7", True),
        ("192.168.1.7/32", "192.168.1.8", False),
        ("0.0.0.0/0", "8.8.8.8", True),
        ("2001:db8::/32", "2001:db8::1", True),
        ("2001:db8::/32", "2001:db9::1", False),
        ("::/0", "10.1.2.3", False),
        ("10.0.0.0/8", "not an address", False),
        ("10.0.0.0/8", "10.1.2", False),
        ("10.0.0.0/8", 167837955, False),
    ],
)
def test_in_cidr_asks_whether_an_address_lies_in_a_network(
    network: str, address: object, *, expected: bool
) -> None:
    assert holds(f"ip IN CIDR '{network}'", ip=address) is expected


def test_an_address_outside_the_network_is_not_in_it() -> None:
    assert holds("ip NOT IN CIDR '10.0.0.0/8'", ip="11.0.0.1")
    assert not holds("ip NOT IN CIDR '10.0.0.0/8'", ip="10.0.0.1")


@pytest.mark.parametrize(
    "condition",
    [
        "ts = TIMESTAMP '1970-01-01T00:01:00Z'",
        "ts > TIMESTAMP '1970-01-01T00:00:59Z'",
        "ts + 30 s = TIMESTAMP '1970-01-01T00:01:30Z'",
        "ts - 1 min = TIMESTAMP '1970-01-01T00:00:00Z'",
        "ts - TIMESTAMP '1970-01-01T00:00:00Z' = 60 s",
        "ts - TIMESTAMP '1970-01-01T00:00:00Z' = 1 min",
        "(ts - TIMESTAMP '1970-01-01T00:00:00Z') / 40 s = 1.5",
        "(ts - TIMESTAMP '1970-01-01T00:00:00Z') * 2 = 2 min",
        "(ts - TIMESTAMP '1970-01-01T00:00:00Z') / 2 = 30 s",
        "30 s + 30 s = 1 min",
        "90 min = 1h30m",
        "abs(TIMESTAMP '1970-01-01T00:00:00Z' - ts) = 1 min",
        "ts BETWEEN TIMESTAMP '1970-01-01T00:01:00Z' AND TIMESTAMP '1970-01-01T00:01:00Z'",
    ],
)
def test_times_and_durations_are_calculated_with(condition: str) -> None:
    assert holds(condition, ts=60_000)


def test_a_definition_is_a_named_filter() -> None:
    text = """
        DEFINE hot AS t > 30;
        DEFINE alarm AS hot AND NOT quiet = TRUE;
        SUBSCRIBE s MATCH x:[alarm AND room = 'lab'];
    """
    rows = [
        {"ts": 0, "t": 31, "room": "lab"},
        {"ts": 1, "t": 30, "room": "lab"},
        {"ts": 2, "t": 31, "room": "hall"},
        {"ts": 3, "t": 31, "room": "lab", "quiet": True},
    ]
    assert [n.events for n in tocsin.match(rows, text)] == [{"x": (0,)}]


def test_a_declared_type_is_the_type_of_the_value() -> None:
    text = """
        STREAM s (ts TIMESTAMP, seen TIMESTAMP, n INTEGER) TIME ts;
        SUBSCRIBE late MATCH x:[ts - seen > 5 s];
    """
    rows = [{"ts": 10_000, "seen": 5_000}, {"ts": 10_001, "seen": 5_000}]
    assert [n.events for n in tocsin.match(rows, text)] == [{"x": (1,)}]
