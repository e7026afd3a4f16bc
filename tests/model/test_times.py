import datetime as dt
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.errors import TimeError
from tocsin.model.times import TimeForm, format_time, parse_time, time_form_of
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Timestamp

HOUR_US = 3_600_000_000
YEAR_1, YEAR_10000 = -62_135_596_800_000_000, 253_402_300_800_000_000
MOMENTS = st.integers(YEAR_1, YEAR_10000 - 1) | st.integers(-(2**62), 2**62)


class NoOffset(dt.tzinfo):
    def utcoffset(self, _moment: dt.datetime | None) -> None:
        return None


@given(MOMENTS | MOMENTS.map(lambda us: us // 1000 * 1000), st.sampled_from(TimeForm))
@example(YEAR_1 - 1000, TimeForm.ISO)
@example(YEAR_10000 + 1000, TimeForm.MILLISECONDS)
def test_a_shown_time_reads_back_as_itself(us: int, form: TimeForm) -> None:
    shown = format_time(Timestamp(us), form)
    if YEAR_1 <= us < YEAR_10000 or us % 1000 == 0:
        assert not isinstance(shown, float)
        assert parse_time(shown) == us
    else:
        assert shown == us / 1000


@given(st.datetimes(timezones=st.none() | st.timezones()))
def test_a_datetime_is_the_same_moment_as_its_iso_string(moment: dt.datetime) -> None:
    assert parse_time(moment) == parse_time(moment.isoformat())


@given(st.text(max_size=30) | st.floats() | st.integers() | st.booleans() | st.none())
def test_anything_is_a_time_or_a_time_error(value: object) -> None:
    with suppress(TimeError):
        assert INTEGER_MIN <= parse_time(value) <= INTEGER_MAX


@pytest.mark.parametrize(
    ("value", "us"),
    [
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01 01:00:00", HOUR_US),
        (" 1970-01-01T00:00:00.000001Z ", 1),
        ("1970-01-01T00:00:00.000001000Z", 1),
        ("1970-01-02", 24 * HOUR_US),
        (dt.date(1970, 1, 2), 24 * HOUR_US),
        (dt.datetime(1970, 1, 1, 1, tzinfo=NoOffset()), HOUR_US),
        (Timestamp(7), 7),
        (7, 7_000),
        (7.0, 7_000),
        (1777629600000.0, 1_777_629_600_000_000),
        (-1.0, -1_000),
    ],
)
def test_times_are_read_in_every_form(value: object, us: int) -> None:
    assert parse_time(value) == us
    assert type(parse_time(value)) is Timestamp


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "null is not a time; write an ISO string or an integer in milliseconds"),
        (True, "true is not a time"),
        ("yesterday", "'yesterday' is not a time"),
        (Duration(5), "5 us is not a time"),
        (float("nan"), "NaN is not a time"),
        (float("inf"), "Infinity is not a time"),
        (b"1970", "b'1970' is not a time"),
        ("1970-01-01T00:00:00.0000001Z", "finer than a microsecond; round it to six digits"),
        (1777629600.5, "1777629600.5 is not a time: numbers are whole milliseconds; multiply "),
        (0.5, "multiply seconds by 1000 and round"),
        (2**63, "outside 64 bits of microseconds"),
        (1e18, "outside 64 bits of microseconds"),
        pytest.param(10**5000, "outside 64 bits of microseconds", id="5000 digits"),
    ],
)
def test_a_wrong_time_says_what_is_wrong(value: object, message: str) -> None:
    with pytest.raises(TimeError) as caught:
        parse_time(value)
    assert message in str(caught.value)


def test_times_are_shown_as_they_came() -> None:
    assert time_form_of(5) is TimeForm.MILLISECONDS
    assert time_form_of(5.5) is TimeForm.MILLISECONDS
    assert time_form_of("1970-01-01") is TimeForm.ISO
    assert time_form_of(Timestamp(5)) is TimeForm.ISO


def test_a_time_between_two_milliseconds_is_shown_as_iso() -> None:
    assert format_time(Timestamp(500), TimeForm.MILLISECONDS) == "1970-01-01T00:00:00.000500Z"


def test_a_time_outside_the_years_of_iso_is_shown_in_milliseconds() -> None:
    assert format_time(Timestamp(INTEGER_MAX), TimeForm.ISO) == INTEGER_MAX / 1000
