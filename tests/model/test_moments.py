import datetime as dt
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import TimeError
from tocsin.model.durations import format_duration, parse_duration
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Timestamp

MICROS = st.integers(INTEGER_MIN, INTEGER_MAX)


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_a_timestamp_goes_to_a_datetime_and_back(moment: dt.datetime) -> None:
    found = parse_time(moment)
    assert found.to_datetime() == moment
    assert found.to_datetime().tzinfo is dt.UTC
    assert parse_time(found.isoformat()) == parse_time(str(found)) == found


@given(MICROS)
def test_a_duration_goes_to_a_timedelta_and_to_text(us: int) -> None:
    assert Duration(us).to_timedelta() == dt.timedelta(microseconds=us)
    assert str(Duration(us)) == format_duration(us)
    if us >= 0:
        assert parse_duration(str(Duration(us))) == us


@pytest.mark.parametrize("us", [INTEGER_MIN, INTEGER_MAX])
def test_a_moment_outside_the_years_of_a_datetime_says_so(us: int) -> None:
    for convert in (Timestamp.to_datetime, Timestamp.isoformat):
        with pytest.raises(TimeError, match=r"outside the years 1 to 9999; use its microseconds"):
            convert(Timestamp(us))
    assert str(Timestamp(us)) == repr(Timestamp(us)) == f"Timestamp({us})"


@given(MICROS)
def test_both_are_integers_in_everything_else(us: int) -> None:
    for kind in (Timestamp, Duration):
        value = kind(us)
        assert value == us
        assert hash(value) == hash(us)
        assert type(value + 1) is int
        assert f"{value:d}" == str(us)
        assert json.dumps(value) == str(us)
        assert repr(value) == f"{kind.__name__}({us})"
        assert type(pickle.loads(pickle.dumps(value))) is kind


def test_their_text_is_for_people() -> None:
    assert f"{Timestamp(1_000_000)}" == "1970-01-01T00:00:01Z"
    assert f"{Duration(7_200_000_000)}" == "2 hours"
    assert str(Duration(-1)) == "-1 us"
    assert str(Duration(0)) == "0 s"
