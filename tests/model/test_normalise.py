import datetime as dt
import enum
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tocsin.model.dead_letter import RowRefused
from tocsin.model.normalise import normalise
from tocsin.model.values import Duration, Kind, Timestamp, Value


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
        (Kind.INTEGER, math.inf, "attribute 'x': inf is FLOAT, but INTEGER is declared"),
        (Kind.INTEGER, True, "attribute 'x': True is BOOLEAN, but INTEGER is declared"),
        (Kind.INTEGER, 1e300, "an integer outside 64 bits"),
        (Kind.FLOAT, "1.5", "attribute 'x': '1.5' is STRING, but FLOAT is declared"),
        (Kind.STRING, 5, "attribute 'x': 5 is INTEGER, but STRING is declared"),
        (Kind.BOOLEAN, 1, "attribute 'x': 1 is INTEGER, but BOOLEAN is declared"),
        (Kind.TIMESTAMP, "noon", "attribute 'x': 'noon' is not a time; write an ISO string"),
        (Kind.TIMESTAMP, True, "attribute 'x': True is not a time"),
        (Kind.TIMESTAMP, Duration(1), "attribute 'x': Duration(1) is not a time"),
        (Kind.DURATION, 5, "attribute 'x': 5 is INTEGER, but DURATION is declared"),
        (Kind.UNKNOWN, 2**63, "is an integer outside 64 bits; send it as a string or a float"),
        (Kind.UNKNOWN, np.uint64(2**63), "is an integer outside 64 bits"),
        (Kind.UNKNOWN, [1], "[1] is a list, which no event carries; send one row for each item"),
        (Kind.UNKNOWN, {"a": 1}, "is a dict, which no event carries; send its parts"),
        (Kind.UNKNOWN, {"fuzzy": [1, 2]}, "is a fuzzy value; those come later, send a plain one"),
        (Kind.FLOAT, {"fuzzy": "cheap"}, "is a fuzzy value"),
        (Kind.UNKNOWN, Decimal("1.5"), "is a Decimal, which no event carries; send a float"),
        (Kind.UNKNOWN, b"x", "b'x' is a bytes, which no event carries; send a string"),
        (Kind.UNKNOWN, 1j, "1j is a complex, which no event carries"),
        (Kind.UNKNOWN, np.array([1]), "is a ndarray, which no event carries"),
        (Kind.UNKNOWN, np.longdouble(1), "is a longdouble, which no event carries"),
        (Kind.UNKNOWN, dt.time(12), "is a time, which no event carries"),
        (Kind.UNKNOWN, dt.timedelta.max, "outside 64 bits"),
        (Kind.UNKNOWN, pd.Timestamp(1), "finer than a microsecond"),
        (Kind.UNKNOWN, pd.Timedelta(1), "finer than a microsecond"),
        (Kind.UNKNOWN, np.datetime64(1, "ns"), "finer than a microsecond"),
        (Kind.UNKNOWN, "\ud800", "is not Unicode text"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(kind: Kind, value: object, message: str) -> None:
    with pytest.raises(RowRefused) as caught:
        normalise("x", value, kind)
    assert message in str(caught.value)
