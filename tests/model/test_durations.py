from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import DurationError
from tocsin.model.durations import US_OF_UNIT, duration_of, format_duration, parse_duration
from tocsin.model.values import INTEGER_MAX


@given(st.integers(0, INTEGER_MAX))
def test_a_printed_duration_reads_back_as_itself(us: int) -> None:
    assert parse_duration(format_duration(us)) == us


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_a_duration_error(text: str) -> None:
    with suppress(DurationError):
        assert 0 <= parse_duration(text) <= INTEGER_MAX


@given(st.integers(0, 1000), st.sampled_from(sorted(US_OF_UNIT)), st.sampled_from(["", " ", "  "]))
def test_spaces_and_case_do_not_matter(count: int, unit: str, space: str) -> None:
    assert parse_duration(f"{count}{space}{unit.upper()} ") == count * US_OF_UNIT[unit]


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1h30m", 5_400_000_000),
        ("1 h 30 min", 5_400_000_000),
        ("0.5 ms", 500),
        ("52 weeks", 52 * 604_800_000_000),
        ("0 s", 0),
    ],
)
def test_durations_are_read_as_people_write_them(text: str, us: int) -> None:
    assert parse_duration(text) == us


def test_a_negative_duration_is_printed_with_its_sign() -> None:
    assert format_duration(-90_000_000) == "-90 s"
    assert format_duration(0) == "0 s"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 fortnights", "unknown unit of time 'fortnights'; the units are us, ms, s, min"),
        ("", "'' is not a duration; write a number and a unit, such as '5 min'"),
        ("5", "'5' is not a duration"),
        ("5 min!", "'5 min!' is not a duration"),
        ("-5 min", "'-5 min' is not a duration"),
        ("0.1 us", "the duration 0.1 us is finer than a microsecond"),
        ("9999999999 weeks", "longer than 64 bits"),
        ("15250284 weeks 15250284 weeks", "longer than 64 bits"),
    ],
)
def test_a_wrong_duration_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(DurationError) as caught:
        parse_duration(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("number", ["1." + "0" * 70 + "1", "1e999999999", "1e-999999999"])
def test_an_amount_that_would_be_rounded_is_refused(number: str) -> None:
    with pytest.raises(DurationError):
        duration_of(number, "s")
