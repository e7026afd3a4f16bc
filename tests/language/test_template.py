"""Many subscriptions from one text and a table."""

from __future__ import annotations

import datetime as dt
import decimal
import re

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError
from tocsin.language import builder as b
from tocsin.language.parser import parse
from tocsin.language.template import fill, parameters_of
from tocsin.testing.strategies import programs

_IN_BRACES = re.compile(r"\{[^{}]+\}")
PRICE = "SUBSCRIBE alert_{user} MATCH [symbol = {symbol} AND price > {limit}]"
ROWS = [
    {"user": "ann", "symbol": "ACME", "limit": 12.5, "note": None},
    {"user": "bob", "symbol": "ACME", "limit": 20.0, "note": None},
]
TABLES = {
    "a list of dicts": ROWS,
    "a tuple of dicts": tuple(ROWS),
    "an Arrow table": pa.Table.from_pylist(ROWS),
    "a record batch": pa.RecordBatch.from_pylist(ROWS),
    "a dictionary-coded table": pa.Table.from_pylist(ROWS).set_column(
        1, "symbol", pa.array(["ACME", "ACME"]).dictionary_encode()
    ),
    "a pandas frame": pd.DataFrame(ROWS),
    "a frame with an index": pd.DataFrame(ROWS, index=["x", "y"]),
}


@pytest.mark.parametrize("kind", TABLES)
def test_each_row_gives_a_subscription(kind):
    expected = parse(
        "SUBSCRIBE alert_ann MATCH [symbol = 'ACME' AND price > 12.5];"
        "SUBSCRIBE alert_bob MATCH [symbol = 'ACME' AND price > 20.0]"
    )
    assert fill(parse(PRICE), TABLES[kind]) == expected.subscriptions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SUBSCRIBE s MATCH a", ()),
        (PRICE, ("user", "symbol", "limit")),
        ("SUBSCRIBE {a}_{b}_{a} MATCH [x = {c} AND y = {a}]", ("a", "b", "c")),
        ("SUBSCRIBE {a} WITHIN {b} MATCH [x = {c}] LIMIT {d}", ("a", "b", "c", "d")),
        ("SUBSCRIBE s MATCH p ->{x = {a}} [x = {b}] ->{y = {c}} q", ("a", "b", "c")),
        ("DEFINE d AS x > {limit}; SUBSCRIBE {user} MATCH d", ("limit", "user")),
        ('SUBSCRIBE "job-{user}" MATCH [x = {"job-name"}]', ("user", "job-name")),
        ('SUBSCRIBE job_{"user name"} MATCH [x]', ("user name",)),
    ],
)
def test_parameters_are_named_in_the_order_of_the_text(text, names):
    assert parameters_of(parse(text)) == names


def test_parameters_of_a_built_program_are_found_too():
    subscription = b.subscribe(
        "alert_{user}", b.event(b.attr.price > b.param("limit")), within=b.param("window")
    )
    assert parameters_of(b.program(subscription).tree) == ("user", "limit", "window")


PLACES = {
    "a:[x = {v}]": (3, "a:[x = 3]"),
    "a:[flag = {v}]": (True, "a:[flag = TRUE]"),
    "a:[s LIKE {v} OR s NOT IN (1, {v}, 'z')]": ("y", "a:[s LIKE 'y' OR s NOT IN (1, 'y', 'z')]"),
    "a:[ip IN CIDR {v}]": ("10.0.0.0/8", "a:[ip IN CIDR '10.0.0.0/8']"),
    "a:[x BETWEEN {v} AND {v} + 1]": (3, "a:[x BETWEEN 3 AND 3 + 1]"),
    "a:[seen > {v}]": (
        dt.datetime(2026, 1, 31, tzinfo=dt.UTC),
        "a:[seen > TIMESTAMP '2026-01-31T00:00:00Z']",
    ),
    "a:[waited > {v}]": (dt.timedelta(minutes=5), "a:[waited > 5 min]"),
    "a ; b @ (t(b) - t(a) < {v})": ("5 min", "a ; b @ (t(b) - t(a) < 5 min)"),
    "a @ (duration() IN ({v}, 1 s))": (2000, "a @ (duration() IN (2 s, 1 s))"),
    "a @ (t(a) > {v})": ("2026-01-31", "a @ (t(a) > TIMESTAMP '2026-01-31T00:00:00Z')"),
    "a @ (t(a) + {v} > seen)": ("1h", "a @ (t(a) + 1 hour > seen)"),
    "a @ (t(a) - {v} > 1 s)": (
        dt.date(2026, 1, 31),
        "a @ (t(a) - TIMESTAMP '2026-01-31T00:00:00Z' > 1 s)",
    ),
    "(a ; b WITHIN {v})": ("5 min", "(a ; b WITHIN 5 min)"),
    "(a WITHIN {v}) ; b": (300_000, "(a WITHIN 5 min) ; b"),
    "a ; !b FOR {v}": (dt.timedelta(minutes=5), "a ; !b FOR 5 min"),
    "!b FOR 1 min EVERY {v}": (300_000.0, "!b FOR 1 min EVERY 5 min"),
    "(a WITHIN {v} EVENTS)": (20, "(a WITHIN 20 EVENTS)"),
    "a+ BY ->{x = {v}} UNTIL (y = {v})": ("q", "a+ BY ->{x = 'q'} UNTIL (y = 'q')"),
    "a ->{x = {v}} b": (1.5, "a ->{x = 1.5} b"),
    "nth(2, repeat([x = {v}], 2, n, 1)) & a | !a": (
        decimal.Decimal("1.5"),
        "nth(2, repeat([x = 1.5], 2, n, 1)) & a | !a",
    ),
    "a LIMIT {v} PER $x EMIT {v} AS n": (3.0, None),
    "a WITHIN {v} PREDICT WITHIN {v} ABOVE 0.5": (
        "5 min",
        "a WITHIN 5 min PREDICT WITHIN 5 min ABOVE 0.5",
    ),
}


@pytest.mark.parametrize("text", PLACES)
def test_a_parameter_may_stand_wherever_a_value_can(text):
    value, filled = PLACES[text]
    (found,) = fill(parse(f"SUBSCRIBE s MATCH {text}"), [{"v": value}])
    filled = filled or "a LIMIT 3 PER $x EMIT 3.0 AS n"
    assert found == parse(f"SUBSCRIBE s MATCH {filled}").subscriptions[0]


def test_what_has_no_parameter_is_shared_by_all_rows():
    program = parse("SUBSCRIBE s_{n} MATCH a:[x = 1 AND y > 2] ; b:[z = {n}] WHERE a.x = b.z")
    one, other = fill(program, [{"n": 1}, {"n": 2}])
    template = program.subscriptions[0]
    assert one.pattern.parts[0] is other.pattern.parts[0] is template.pattern.parts[0]
    assert one.where is other.where is template.where
    assert one.pattern.parts[1] != other.pattern.parts[1]


def test_rows_with_the_same_value_share_what_it_decides():
    rows = [{"user": user, "symbol": "ACME", "limit": 1} for user in range(3)]
    parts = [found.pattern.condition.parts[0] for found in fill(parse(PRICE), rows)]
    assert parts[0] is parts[1] is parts[2]


def test_equal_numbers_of_different_kinds_stay_apart():
    rows = [{"n": 1, "v": 1}, {"n": 2, "v": 1.0}, {"n": 3, "v": True}, {"n": 4, "v": 1}]
    found = fill(parse("SUBSCRIBE s_{n} MATCH [x = {v}]"), rows)
    values = [one.pattern.condition.right.value for one in found]
    assert [type(value) for value in values] == [int, float, bool, int]


def test_constants_stand_where_their_parameters_stood():
    program = parse(PRICE)
    (found, _) = fill(program, ROWS)
    assert found.pattern.condition.parts[1].right.at == PRICE.index("{limit}")


def test_a_subscription_without_parameters_is_returned_once():
    program = parse(f"SUBSCRIBE plain MATCH a; {PRICE}; SUBSCRIBE u_{{user}} MATCH b")
    names = [found.name for found in fill(program, ROWS)]
    assert names == ["plain", "alert_ann", "alert_bob", "u_ann", "u_bob"]


def test_an_empty_table_gives_nothing():
    for table in ([], pa.table({"user": [], "symbol": [], "limit": []}), pd.DataFrame()):
        assert fill(parse(PRICE), table) == ()


def test_names_can_hold_numbers_and_dates():
    program = parse("SUBSCRIBE s_{n}_{d} MATCH a")
    table = pd.DataFrame({"n": [1.0, 2.0], "d": [dt.date(2026, 1, 31)] * 2})
    assert [one.name for one in fill(program, table)] == ["s_1_2026-01-31", "s_2_2026-01-31"]


LIMIT = "SUBSCRIBE s MATCH a WITHIN {window}"
WRONG = {
    "no column": (
        PRICE,
        [{"user": "ann", "symbol": "A"}],
        "no column 'limit' for the parameter {limit}. It has: user, symbol.",
    ),
    "a column spelt otherwise": (
        PRICE,
        pa.table({"user": ["a"], "symbl": ["A"], "limit": [1]}),
        "It has 'symbl': call that column 'symbol', or write {symbl}.",
    ),
    "two columns of one name": (
        PRICE,
        pd.DataFrame([["a", "A", 1, 2]], columns=["user", "symbol", "limit", "limit"]),
        "the table has 2 columns 'limit'; rename all but one",
    ),
    "a row without the key": (
        PRICE,
        [*ROWS, {"user": "x", "symbol": "A"}],
        "row 3, column 'limit': the key is missing; give one",
    ),
    "a null": (
        PRICE,
        pa.table({"user": ["a", "b"], "symbol": ["A", None], "limit": [1, 2]}),
        "row 2, column 'symbol': the value is missing",
    ),
    "NaN": (
        PRICE,
        [{**ROWS[0], "limit": float("nan")}],
        "row 1, column 'limit': the value is missing",
    ),
    "NaN in a frame": (
        PRICE,
        pd.DataFrame([ROWS[0], {**ROWS[1], "limit": None}]),
        "row 2, column 'limit': the value is missing",
    ),
    "NaT in a frame": (
        PRICE,
        pd.DataFrame([{**ROWS[0], "limit": pd.NaT}]),
        "row 1, column 'limit': the value is missing",
    ),
    "a list": (
        PRICE,
        [{**ROWS[0], "limit": [1]}],
        "row 1, column 'limit': a list is no value; give a number, a string or a time",
    ),
    "bytes": (PRICE, [{**ROWS[0], "limit": b"1"}], "row 1, column 'limit': b'1' is not a value"),
    "a large integer": (
        PRICE,
        [{**ROWS[0], "limit": 2**63}],
        "row 1, column 'limit': 9223372036854775808 is not an integer of 64 bits",
    ),
    "infinity": (
        PRICE,
        [{**ROWS[0], "limit": float("inf")}],
        "row 1, column 'limit': inf is not a finite number",
    ),
    "braces in a name": (
        PRICE,
        [{**ROWS[0], "user": "{x}"}],
        "row 1, column 'user': '{x}' cannot be part of a name",
    ),
    "an empty name": (
        PRICE,
        [{**ROWS[0], "user": ""}],
        "row 1, column 'user': '' cannot be part of a name",
    ),
    "a fraction in a name": (
        PRICE,
        [{**ROWS[0], "user": 1.5}],
        "row 1, column 'user': 1.5 cannot be part of a name",
    ),
    "the same name twice": (
        PRICE,
        [*ROWS, ROWS[0]],
        "row 3 gives the name 'alert_ann', which row 1 gave before",
    ),
    "a name without parameters": (
        "SUBSCRIBE s MATCH [x = {user}]",
        ROWS,
        "row 2 gives the name 's', which row 1 gave before",
    ),
    "a text that is no duration": (
        LIMIT,
        [{"window": "soon"}],
        "row 1, column 'window': 'soon' is not a duration",
    ),
    "an unknown unit": (
        LIMIT,
        [{"window": "5 parsecs"}],
        "row 1, column 'window': unknown unit of time 'parsecs'",
    ),
    "a negative window": (
        LIMIT,
        [{"window": -5}],
        "row 1, column 'window': -5 is not a length of time; it cannot be negative",
    ),
    "a fraction of a millisecond": (
        LIMIT,
        [{"window": 1.5}],
        "row 1, column 'window': 1.5 is not a length of time",
    ),
    "a boolean window": (
        LIMIT,
        [{"window": True}],
        "row 1, column 'window': True is not a length of time",
    ),
    "a text for a count": (
        "SUBSCRIBE s MATCH a LIMIT {n}",
        [{"n": "3"}],
        "row 1, column 'n': '3' is not a whole number",
    ),
    "a negative count": (
        "SUBSCRIBE s MATCH (a WITHIN {n} EVENTS)",
        [{"n": -3}],
        "row 1, column 'n': -3 is not a whole number",
    ),
    "a text that is no time": (
        "SUBSCRIBE s MATCH a @ (t(a) > {n})",
        [{"n": "soon"}],
        "row 1, column 'n': 'soon' is not a time",
    ),
    "an empty table without the column": (
        PRICE,
        pa.table({"user": [], "limit": []}),
        "no column 'symbol'",
    ),
    "no table": (
        PRICE,
        "users.csv",
        "a str is no table; give a pyarrow.Table, a pandas frame or a list of dicts",
    ),
    "no rows": (PRICE, [1, 2], "a list is no table"),
    "a parameter in a DEFINE": (
        "DEFINE cheap AS x < {limit}; SUBSCRIBE s_{user} MATCH cheap",
        ROWS,
        "the parameter {limit} stands in DEFINE cheap",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_table_says_which_row_and_column_and_what_to_do(case):
    text, table, message = WRONG[case]
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        fill(parse(text), table)


@given(programs(max_size=2), st.integers(1, 99))
def test_filled_subscriptions_have_no_parameters(program, number):
    names = parameters_of(program)
    shared = any(parameters_of(b.program(one).tree) for one in program.definitions)
    repeated = len({_IN_BRACES.sub("", one.name) for one in program.subscriptions}) < len(
        program.subscriptions
    )
    assume(not shared and not repeated)
    found = fill(program, [dict.fromkeys(names, number)])
    assert len(found) == len(program.subscriptions)
    for one in found:
        assert parameters_of(b.program(one).tree) == ()


def test_a_large_table_is_filled():
    rows = 20_000
    table = pa.table(
        {
            "user": [f"u{n}" for n in range(rows)],
            "symbol": [f"S{n % 500}" for n in range(rows)],
            "limit": [float(n) for n in range(rows)],
        }
    )
    found = fill(parse(PRICE), table)
    assert (len(found), found[-1].name) == (rows, "alert_u19999")
    assert len({id(one.pattern.condition.parts[0]) for one in found}) == 500
