import datetime as dt
from collections import UserDict
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tocsin.model.show import show_value
from tocsin.model.values import Duration, Timestamp


class Unshowable:
    def __repr__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "value", [pytest.param(10**5000, id="5000 digits"), Unshowable(), "x" * 9999, ["y" * 99], {}]
)
def test_any_value_can_be_shown_in_a_message(value: object) -> None:
    assert len(show_value(value)) <= 65


def test_a_value_that_has_no_text_is_shown_by_its_type() -> None:
    assert show_value(Unshowable()) == "<Unshowable that cannot be shown>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (float("inf"), "Infinity"),
        ("it is", "'it is'"),
        ([1, None, "ä"], '[1, null, "ä"]'),
        ({"a": {"b": False}}, '{"a": {"b": false}}'),
        ((1, 2), "[1, 2]"),
        ({3}, "[3]"),
        (UserDict(a=1), '{"a": 1}'),
        ([dt.date(2026, 3, 1), Decimal("0.1")], '["2026-03-01", "0.1"]'),
        (Timestamp(0), "1970-01-01T00:00:00Z"),
        (Duration(5), "5 us"),
        (Decimal("0.10"), "0.10"),
        (dt.datetime(2026, 3, 1, tzinfo=dt.UTC), "2026-03-01T00:00:00+00:00"),
        (dt.time(12), "12:00:00"),
        (dt.timedelta(seconds=1), "0:00:01"),
        (pd.Timestamp(1), "1970-01-01T00:00:00.000000001"),
        (np.int64(7), "7"),
        (np.array([1, 2]), "[1, 2]"),
        ([np.datetime64(1, "ns")], '["1970-01-01T00:00:00.000000001"]'),
        (np.datetime64(1, "ns"), "1970-01-01T00:00:00.000000001"),
        (np.longdouble(1), repr(np.longdouble(1))),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (b"x", "b'x'"),
    ],
)
def test_values_are_shown_in_the_words_of_json(value: object, text: str) -> None:
    assert show_value(value) == text
