import datetime as dt
import enum
import math
from collections import UserDict, deque
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.model.dead_letter import RowRefused
from tocsin.model.normalise import is_nested, normalise, normalise_undeclared
from tocsin.model.values import Duration, Kind, Timestamp, Value

FINER = "is finer than a microsecond; round it, in pandas with .dt.floor('us')"


class Colour(str, enum.Enum):  # noqa: UP042 - its str() is not its value, which is the point
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (1.5, 1.5),
        (math.inf, math.inf),
        (math.nan, None),
        ("ä", "ä"),
        (Timestamp(5), Timestamp(5)),
        (Duration(5), Duration(5)),
        (dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC), Timestamp(1_000_000)),
        (dt.date(1970, 1, 2), Timestamp(86_400_000_000)),
        (dt.timedelta(milliseconds=1), Duration(1000)),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.float64("nan"), None),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("1970-01-01T00:00:01"), Timestamp(1_000_000)),
        (np.datetime64(1000, "ns"), Timestamp(1)),
        (np.datetime64("NaT"), None),
        (np.timedelta64(2, "ms"), Duration(2000)),
        (np.array(4), 4),
        (pd.Timestamp("1970-01-01T01:00:01+01:00"), Timestamp(1_000_000)),
        (pd.Timedelta("1ms"), Duration(1000)),
        (Decimal("5.0"), 5),
        (Decimal(2**63 - 1), 2**63 - 1),
        (Decimal("-1.5"), -1.5),
        (Decimal(2**63), 2.0**63),
        (Decimal("Infinity"), math.inf),
        (Decimal("NaN"), None),
        (Decimal("sNaN"), None),
        (pd.NaT, None),
        (pd.NA, None),
    ],
)
def test_values_become_plain(value: object, plain: Value) -> None:
    found = normalise("x", value)
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        (Kind.INTEGER, 3.0, 3),
        (Kind.FLOAT, 3, 3.0),
        (Kind.FLOAT, 2.5, 2.5),
        (Kind.INTEGER, 7, 7),
        (Kind.TIMESTAMP, 1000, Timestamp(1_000_000)),
        (Kind.TIMESTAMP, 1000.0, Timestamp(1_000_000)),
        (Kind.TIMESTAMP, "1970-01-01T00:00:01Z", Timestamp(1_000_000)),
        (Kind.TIMESTAMP, np.int64(1000), Timestamp(1_000_000)),
        (Kind.TIMESTAMP, Timestamp(1), Timestamp(1)),
        (Kind.DURATION, dt.timedelta(seconds=1), Duration(1_000_000)),
        (Kind.BOOLEAN, np.bool_(False), False),
        (Kind.STRING, "3", "3"),
        (Kind.STRING, math.nan, None),
        (Kind.BOOLEAN, None, None),
    ],
)
def test_declared_values_take_their_kind(kind: Kind, value: object, plain: Value) -> None:
    found = normalise("x", value, kind)
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Kind.INTEGER, 3.5, "attribute 'x': 3.5 is FLOAT, but INTEGER is declared"),
        (Kind.INTEGER, math.inf, "attribute 'x': Infinity is FLOAT, but INTEGER is declared"),
        (Kind.INTEGER, True, "attribute 'x': true is BOOLEAN, but INTEGER is declared"),
        (Kind.INTEGER, 1e300, "an integer outside 64 bits"),
        (Kind.FLOAT, "1.5", "attribute 'x': '1.5' is STRING, but FLOAT is declared"),
        (Kind.STRING, 5, "attribute 'x': 5 is INTEGER, but STRING is declared"),
        (Kind.BOOLEAN, 1, "attribute 'x': 1 is INTEGER, but BOOLEAN is declared"),
        (Kind.TIMESTAMP, "noon", "attribute 'x': 'noon' is not a time; write an ISO string"),
        (Kind.TIMESTAMP, True, "attribute 'x': true is not a time"),
        (Kind.TIMESTAMP, Duration(1), "attribute 'x': 1 us is not a time"),
        (Kind.DURATION, 5, "attribute 'x': 5 is INTEGER, but DURATION is declared"),
        (Kind.UNKNOWN, 2**63, "is an integer outside 64 bits; send it as a string or a float"),
        (Kind.UNKNOWN, np.uint64(2**63), "is an integer outside 64 bits"),
        (Kind.UNKNOWN, [1], "[1] is a list, which no event carries; send one row for each item"),
        (Kind.UNKNOWN, {"a": 1}, "is an object, which no event carries; send its parts"),
        (Kind.UNKNOWN, {"fuzzy": [1, 2]}, "is a fuzzy value; those come later, send a plain one"),
        (Kind.FLOAT, {"fuzzy": "cheap"}, "is a fuzzy value"),
        (Kind.UNKNOWN, UserDict(fuzzy="cheap"), '{"fuzzy": "cheap"} is a fuzzy value'),
        (Kind.INTEGER, (1, None), "[1, null] is a list, which no event carries"),
        (Kind.UNKNOWN, Decimal("0.1"), "0.1 is a decimal that no integer and no float equals"),
        (Kind.FLOAT, Decimal("1e400"), "cast it to a float or a string"),
        (Kind.INTEGER, Decimal("1.5"), "1.5 is FLOAT, but INTEGER is declared"),
        (Kind.TIMESTAMP, 1777629600.5, "numbers are whole milliseconds; multiply seconds by 1000"),
        (Kind.UNKNOWN, b"x", "b'x' is bytes, which no event carries; send a string"),
        (Kind.UNKNOWN, 1j, "1j is a value of type complex, which no event carries"),
        (Kind.UNKNOWN, np.array([1]), "[1] is a list, which no event carries"),
        (Kind.UNKNOWN, np.longdouble(1), "is a value of type longdouble, which no event carries"),
        (Kind.UNKNOWN, dt.time(12), "12:00:00 is a time of day, which no event carries"),
        (Kind.UNKNOWN, dt.timedelta.max, "outside 64 bits"),
        (Kind.UNKNOWN, pd.Timestamp(1), f"the time 1970-01-01T00:00:00.000000001 {FINER}"),
        (Kind.UNKNOWN, pd.Timedelta(1), f"0 days 00:00:00.000000001 {FINER}"),
        (Kind.UNKNOWN, np.datetime64(1, "ns"), f"1970-01-01T00:00:00.000000001 {FINER}"),
        (Kind.UNKNOWN, "\ud800", "is not Unicode text"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(kind: Kind, value: object, message: str) -> None:
    with pytest.raises(RowRefused) as caught:
        normalise("x", value, kind)
    assert message in str(caught.value)


@given(st.decimals(allow_nan=False) | st.floats(allow_nan=False).map(Decimal))
def test_a_decimal_becomes_the_number_that_equals_it_or_is_refused(value: Decimal) -> None:
    with suppress(RowRefused):
        found = normalise("x", value)
        assert isinstance(found, int | float)
        assert Decimal(found) == value


@pytest.mark.parametrize(
    "value",
    [
        [1],
        (1,),
        {1},
        frozenset(),
        {},
        {"a": {"fuzzy": 1}},
        UserDict(a=1),
        deque([1]),
        np.array([1]),
        np.zeros(1, dtype=[("a", "i8")])[0],
        pa.scalar([1]),
        pa.scalar({"a": 1}),
    ],
)
def test_a_nested_value_is_left_out_where_nothing_is_declared(value: object) -> None:
    assert is_nested(value)
    assert normalise_undeclared("x", value) is None
    with pytest.raises(RowRefused) as caught:
        normalise("x", value, Kind.STRING)
    assert caught.value.kind == "bad_type"


@pytest.mark.parametrize("value", [{"fuzzy": 1}, {"fuzzy": [1, 2], "a": 1}, b"x", 2**63, 1j])
def test_other_values_that_no_event_carries_are_refused_everywhere(value: object) -> None:
    assert not is_nested(value)
    with pytest.raises(RowRefused):
        normalise_undeclared("x", value)
